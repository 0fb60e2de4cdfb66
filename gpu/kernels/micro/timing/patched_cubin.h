// A cubin whose kernels' code is replaced by words of our own before it is loaded.
#pragma once

#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "assembler.h"

namespace timing {

inline void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* name = "unknown error";
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "%s: %s\n", what, name);
  std::exit(2);
}
#define DRIVER(call) ::timing::check((call), #call)

// Readings of the clock that a probe may keep, in pairs of registers from here on.
inline constexpr unsigned kReadings = 9, kFirstReading = 40;

class Code {
 public:
  std::size_t size() const { return words_.size(); }
  Code& put(Word word, Control control = {}) {
    // Without the hint a stall of 12 or more is no stall (the compiler always sets it too).
    if (control.stall >= 12) control.yield = true;
    words_.push_back(with(word, control));
    return *this;
  }
  template <class One>
  Code& repeat(int count, One&& one) {
    for (int i = 0; i < count; ++i) one(i);
    return *this;
  }
  // Reading `k`; waits for the counters of `wait` first.
  Code& clock(unsigned k, unsigned wait = 0, unsigned stall = 1) {
    return put(sass::cs2r_clock(kFirstReading + 2 * k), {.stall = stall, .wait = wait});
  }
  Code& wait(unsigned mask) { return put(sass::nop(), {.stall = 1, .wait = mask}); }
  const std::vector<Word>& words() const { return words_; }

 private:
  std::vector<Word> words_;
};

class PatchedCubin {
 public:
  // Of the file, the code of `kernel` is to be replaced.
  PatchedCubin(const char* path, std::string kernel) : kernel_(std::move(kernel)) {
    std::ifstream file(path, std::ios::binary);
    image_.assign(std::istreambuf_iterator<char>(file), {});
    if (image_.empty()) fail("cannot read", path);
    find_text();
  }

  // `code` in place of the kernel's, NOPs behind it.
  CUfunction load(const Code& code, CUmodule& module) const {
    if (code.size() * sizeof(Word) > text_size_) fail("no room for the code in", kernel_.c_str());
    std::vector<char> image = image_;
    const Word fill = with(sass::nop(), {});
    for (std::size_t i = 0; i < text_size_ / sizeof(Word); ++i)
      std::memcpy(image.data() + text_ + sizeof(Word) * i,
                  i < code.size() ? &code.words()[i] : &fill, sizeof(Word));
    CUfunction function = nullptr;
    DRIVER(cuModuleLoadData(&module, image.data()));
    DRIVER(cuModuleGetFunction(&function, module, kernel_.c_str()));
    return function;
  }

 private:
  [[noreturn]] static void fail(const char* what, const char* of) {
    std::fprintf(stderr, "%s %s\n", what, of);
    std::exit(2);
  }

  std::size_t get(std::size_t at, int bytes) const {
    std::size_t value = 0;
    std::memcpy(&value, image_.data() + at, bytes);
    return value;
  }
  void find_text() {
    const std::size_t table = get(0x28, 8), size = get(0x3a, 2), count = get(0x3c, 2),
                      names = get(0x3e, 2);
    const std::size_t strings = get(table + names * size + 0x18, 8);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t header = table + i * size;
      if (std::string(image_.data() + strings + get(header, 4)) != ".text." + kernel_) continue;
      text_ = get(header + 0x18, 8), text_size_ = get(header + 0x20, 8);
    }
    if (text_size_ == 0) fail("the cubin has no code of", kernel_.c_str());
  }

  const std::string kernel_;
  std::vector<char> image_;
  std::size_t text_ = 0, text_size_ = 0;
};

}  // namespace timing
