// Prints docs/experiments/seed-kernels.md.
#include <cstdio>
#include "validation/experiments/seed_page.hpp"
int main() { return std::fputs(heddle::validation::seed_page().c_str(), stdout) < 0; }
