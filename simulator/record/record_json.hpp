// A record's JSON, launch by launch: a program may make millions of them.
#pragma once

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
  void add(std::uint64_t index, std::string_view body);
  // `more`: members behind the launches, as text in JSON, each with a comma before it.
  void end(bool complete, std::string_view more = {});

 private:
  Sink sink_;
  bool any_ = false;
};

}  // namespace heddle::simulator
