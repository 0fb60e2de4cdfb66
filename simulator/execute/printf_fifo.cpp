#include "simulator/execute/printf_fifo.hpp"

#include <utility>

namespace heddle::simulator {

void PrintfFifo::drop_oldest() {
  bytes_ -= calls_.front().bytes;
  dropped_ += calls_.front().text_bytes;
  calls_.pop_front();
  ++lost_;
  if (dropped_ < text_.size() / 2) return;
  text_.erase(0, dropped_);
  dropped_ = 0;
}

void PrintfFifo::add(std::string_view text, std::uint64_t bytes) {
  text_ += text;
  bytes_ += bytes;
  calls_.push_back({text.size(), bytes});
  while (!calls_.empty() &&
         (bytes_ > most_bytes_ || text_.size() - dropped_ > kMostText * most_bytes_))
    drop_oldest();
}

void PrintfFifo::add(PrintfFifo&& other) {
  std::uint64_t at = other.dropped_;
  for (const Call& call : other.calls_) {
    add(std::string_view(other.text_).substr(at, call.text_bytes), call.bytes);
    at += call.text_bytes;
  }
  lost_ += other.lost_;
  other.take();
}

std::string PrintfFifo::take() {
  std::string text = std::exchange(text_, {});
  text.erase(0, std::exchange(dropped_, 0));
  calls_.clear();
  bytes_ = lost_ = 0;
  return text;
}

}  // namespace heddle::simulator
