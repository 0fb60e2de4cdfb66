// Succeeds where heddle run has started it.
#include <cstdlib>

int main() { return std::getenv("HEDDLE_PARENT") != nullptr ? 0 : 1; }
