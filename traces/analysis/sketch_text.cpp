#include "traces/analysis/sketch_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::traces {
namespace {

constexpr std::size_t kMostLines = 5000;

}  // namespace

void SketchText::line(const std::string& text) {
  if (lines_.size() == kMostLines)
    throw NotSimplified(fmt::format("its sketch would have more than {} lines", kMostLines));
  pending_work_ = 0;
  lines_.push_back(std::string(2 * depth_, ' ') + text);
}

void SketchText::work(unsigned count, unsigned most) {
  const unsigned before = pending_work_;
  if (before != 0 && before + count <= most) {
    lines_.pop_back();
    count += before;
  }
  line(fmt::format("work({});", count));
  pending_work_ = count;
}

void SketchText::open(const std::string& text) {
  line(text);
  ++depth_;
}

void SketchText::close(const std::string& text) {
  --depth_;
  line(text);
}

bool SketchText::ends_in_a_jump() const {
  if (lines_.empty()) return false;
  const std::string text = lines_.back().substr(std::min(2 * depth_, lines_.back().size()));
  return text.starts_with("goto ") || text == "break;" || text == "continue;" || text == "return;";
}

void SketchText::declare(const std::string& text) {
  if (declared_.insert(text).second) declarations_.push_back(text);
}

void SketchText::speaks_of(bool t, bool x, bool y) {
  t_ = t_ || t;
  x_ = x_ || x;
  y_ = y_ || y;
}

std::string SketchText::go_to(const std::string& name) {
  labels_.insert(name);
  return fmt::format("goto {};", name);
}

void SketchText::label(const std::string& name) {
  if (!labels_.contains(name)) return;
  --depth_;
  line(name + ": ;");
  ++depth_;
}

std::string SketchText::kernel(const std::string& name) const {
  std::string text = fmt::format("__global__ void {}() {{\n", name);
  if (t_)
    text +=
        "  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n";
  if (x_) text += "  const int x = blockIdx.x * blockDim.x + threadIdx.x;\n";
  if (y_) text += "  const int y = blockIdx.y * blockDim.y + threadIdx.y;\n";
  for (const std::string& each : declarations_) text += "  " + each + "\n";
  for (const std::string& each : lines_) text += each + "\n";
  return text + "}\n";
}

}  // namespace heddle::traces
