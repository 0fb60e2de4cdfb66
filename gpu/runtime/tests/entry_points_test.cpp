// cuGetProcAddress: the version of a function that a program of some version of CUDA asks for.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <string>

namespace heddle::runtime {
namespace {

using Find = int (*)(const char*, void**, int, unsigned long long, int*);

class EntryPointsTest : public testing::Test {
 protected:
  void* library = dlopen(HEDDLE_CUDA, RTLD_NOW | RTLD_LOCAL);
  Find find =
      library == nullptr ? nullptr : reinterpret_cast<Find>(dlsym(library, "cuGetProcAddress_v2"));
};

// "cuMemAlloc, flags 0, from 3020 on: 0 0 cuMemAlloc_v2": error, status and the function.
TEST_F(EntryPointsTest, AreThoseThatAnH200sDriverGives) {
  ASSERT_NE(find, nullptr) << dlerror();
  std::ifstream record(HEDDLE_SOURCE_DIR "/gpu/runtime/tests/answers/records/versions.txt");
  const std::regex line(R"((\w+), flags (\d), from (\d+) on: (\d+) (\d+) (\S+))");
  int lines = 0;
  for (std::string text; std::getline(record, text);) {
    std::smatch told;
    if (!std::regex_match(text, told, line)) continue;
    ++lines;
    void* function = nullptr;
    int status = 77;
    EXPECT_EQ(find(told[1].str().c_str(), &function, std::stoi(told[3]),
                   static_cast<unsigned long long>(std::stoi(told[2])), &status),
              std::stoi(told[4]))
        << text;
    EXPECT_EQ(status, std::stoi(told[5])) << text;
    EXPECT_EQ(function, told[6] == "-" ? nullptr : dlsym(library, told[6].str().c_str())) << text;
  }
  EXPECT_GT(lines, 300);
}

// cudaTypedefs.h has a type for each version of each function: PFN_cuMemAlloc_v3020.
TEST_F(EntryPointsTest, HaveTheVersionsOfTheToolkitsHeader) {
  ASSERT_NE(find, nullptr) << dlerror();
  std::ifstream header(HEDDLE_TOOLKIT_TYPEDEFS);
  if (!header) GTEST_SKIP() << "no " HEDDLE_TOOLKIT_TYPEDEFS;
  const std::regex type(R"(\bPFN_(cu\w+?)_v(\d+)(_ptsz|_ptds)?\))");
  std::set<std::string> seen;
  for (std::string text; std::getline(header, text);) {
    std::smatch told;
    if (!std::regex_search(text, told, type) || !seen.insert(told[0]).second) continue;
    const unsigned long long flags = told[3].matched ? 2 : 0;
    void *before = nullptr, *since = nullptr;
    const int version = std::stoi(told[2]);
    EXPECT_EQ(find(told[1].str().c_str(), &before, version - 1, flags, nullptr), 0) << text;
    EXPECT_EQ(find(told[1].str().c_str(), &since, version, flags, nullptr), 0) << text;
    EXPECT_NE(since, nullptr) << text;
    EXPECT_NE(since, before) << text;
  }
  EXPECT_GT(seen.size(), 600u);
}

}  // namespace
}  // namespace heddle::runtime
