// What one run of the program (one mode) measured: a text file, one line per launch, written as the
// launches end, so that a crash keeps what was measured. Fields are separated by tabs and hold JSON
// members without braces (json.hpp); JSON text has neither tabs nor line ends in it.
//
//   header  mode   members of the record          members only this mode adds
//   launch  index  members that identify a launch "metrics" members   other members
//   end     number of launches
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "gpu/cupti/json.hpp"

namespace heddle::cupti {

struct LaunchFragment {
  std::uint64_t index = 0;
  Members identity;  // every mode must agree on it
  Members metrics;
  Members other;
};

class FragmentFile {
 public:
  // False when the file is there already (another process of the same program has it) or cannot be
  // made.
  bool create(const std::string& path);
  void header(const std::string& mode, const Members& common, const Members& own);
  void launch(const LaunchFragment& fragment);
  void end(std::uint64_t launches);

 private:
  void line(const std::vector<std::string>& fields);

  std::FILE* file_ = nullptr;
};

}  // namespace heddle::cupti
