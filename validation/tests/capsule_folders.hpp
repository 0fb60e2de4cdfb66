// The folders of committed capsules, for tests that have each of them as a parameter.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::validation {

inline std::vector<std::filesystem::path> capsule_folders() {
  std::vector<std::filesystem::path> all;
  for (const auto& each :
       std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/validation/capsules"))
    all.push_back(each.path());
  std::ranges::sort(all);
  return all;
}

inline std::string name_of_capsules(const testing::TestParamInfo<std::filesystem::path>& given) {
  std::string name = given.param.filename().string();
  std::ranges::replace(name, '.', '_');
  return name;
}

}  // namespace heddle::validation
