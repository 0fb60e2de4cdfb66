// Prints docs/coverage.md.
#include <cstdio>

#include "simulator/tests/coverage_page.hpp"

int main() { return std::fputs(heddle::simulator::coverage_page().c_str(), stdout) < 0; }
