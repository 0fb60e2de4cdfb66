// A record's JSON, launch by launch: a program may make millions of them.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "simulator/record/record.hpp"

namespace heddle::simulator {

class RecordJson {
 public:
  using Sink = std::function<void(std::string_view)>;  // takes the text, piece by piece
  // All of `head` but its launches and whether it is complete.
  RecordJson(const Record& head, Sink sink);
  // A launch's text but for its index, which is all that differs between many.
  static std::string body(const LaunchRecord& launch);
  // Behind the first 1,000 launches, or the first 64 MB, one that is like a recent one is written
  // as {"index": 1000, "as": 12}.
  void add(std::uint64_t index, std::string_view body);
  // `more`: members behind the launches, as text in JSON, each with a comma before it.
  void end(bool complete, std::string_view more = {});

 private:
  struct Recent {
    std::uint64_t index = 0;
    std::string body;
  };
  // Null: none of them is like it, and it is now one of them.
  const Recent* alike(std::uint64_t index, std::string_view body);

  Sink sink_;
  std::uint64_t written_ = 0, bytes_ = 0;
  std::array<Recent, 64> recent_;  // that were written in full
  std::size_t next_ = 0;           // of recent_, to be replaced
};

}  // namespace heddle::simulator
