// What printf calls of a launch have printed and nobody has shown yet.
//
// As on a GPU (cudaLimitPrintfFifoSize), it has room for so much, and what was printed last stays.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace heddle::simulator {

class PrintfFifo {
 public:
  // `bytes`: its size on the GPU.
  explicit PrintfFifo(std::uint64_t bytes) : most_bytes_(bytes) {}
  // One call: its text, and the bytes that it takes on the GPU, which keeps what is to be printed
  // without its formatting.
  void add(std::string_view text, std::uint64_t bytes);
  // All of what another one kept, and what it lost.
  void add(PrintfFifo&& other);
  // What it kept, in the order of the calls. Empty then; nothing is lost any more.
  std::string take();
  std::uint64_t lost() const { return lost_; }  // calls whose text was dropped
  std::uint64_t most_bytes() const { return most_bytes_; }

 private:
  struct Call {
    std::uint64_t text_bytes, bytes;
  };
  // A field may be wider than what it prints: text, which the host makes, is bounded too.
  static constexpr std::uint64_t kMostText = 16;  // bytes of text for a byte of the GPU's
  void drop_oldest();

  std::uint64_t most_bytes_;
  std::deque<Call> calls_;
  std::string text_;           // of the calls, behind what was dropped
  std::uint64_t dropped_ = 0;  // bytes at its beginning
  std::uint64_t bytes_ = 0, lost_ = 0;
};

}  // namespace heddle::simulator
