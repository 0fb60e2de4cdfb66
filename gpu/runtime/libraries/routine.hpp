// What every routine of a stand-in is made of: how it is exported, how its call is submitted, and
// how it reaches its operands once it is its turn.
//
// A routine checks its arguments, takes what lies in host memory, and submits a function that
// computes. That function runs in the order of the stream and works on device memory in place.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "gpu/runtime/libraries/host.hpp"
#include "gpu/runtime/library_support.hpp"

namespace heddle::runtime::libraries {

using Complex = std::complex<float>;
using DoubleComplex = std::complex<double>;

const LibrarySupport& support();
// Waits for the stream; false: the context has failed.
bool synchronize(abi::Handle stream);
bool synchronize_device();  // all streams
bool is_capturing(abi::Handle stream);
// The routine that this thread is inside, as the program called it.
const char*& routine_name();
void say_once(const std::string& text);  // with the routine's name before it

// What a status type calls two failures; each library specialises it.
template <typename Status>
struct Failure;  // static constexpr Status not_supported, failed, invalid;

template <std::size_t kSize>
struct Name {
  constexpr Name(const char (&text)[kSize]) { std::copy_n(text, kSize, characters); }
  char characters[kSize]{};
};

// `function` as a C function that lets no exception out.
template <Name kName, auto kFunction>
struct Entry;
template <Name kName, typename Status, typename... Arguments, Status (*kFunction)(Arguments...)>
struct Entry<kName, kFunction> {
  static Status call(Arguments... arguments) noexcept {
    routine_name() = kName.characters;
    try {
      return kFunction(arguments...);
    } catch (const Missing& missing) {
      say_once(missing.what());
      return Failure<Status>::not_supported;
    } catch (const std::invalid_argument&) {
      return Failure<Status>::invalid;
    } catch (const std::exception& bad) {
      say_once(bad.what());
      return Failure<Status>::failed;
    }
  }
};

// Exports a function under a name that no C++ declaration could give to one of many instances of a
// template: the name is a jump through a variable.
#define HEDDLE_EXPORT(name, ...)                                                                   \
  extern "C" __attribute__((                                                                       \
      used,                                                                                        \
      visibility(                                                                                  \
          "hidden"))) constinit decltype(&::heddle::runtime::libraries::Entry<#name,               \
                                                                              &__VA_ARGS__>::call) \
      const heddle_entry_##name = &::heddle::runtime::libraries::Entry<#name, &__VA_ARGS__>::call; \
  asm(".pushsection .text\n.globl " #name "\n.type " #name ", @function\n" #name                   \
      ":\n  jmp *heddle_entry_" #name "(%rip)\n.size " #name ", . - " #name "\n.popsection\n");

// "m=64 n=32 k=16"
class Shape {
 public:
  Shape(std::initializer_list<std::pair<const char*, std::int64_t>> sizes) {
    for (const auto& [name, size] : sizes)
      text_ += (text_.empty() ? "" : " ") + std::string(name) + "=" + std::to_string(size);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <typename T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, float>) return "float32";
  if constexpr (std::is_same_v<T, double>) return "float64";
  if constexpr (std::is_same_v<T, Complex>) return "complex64";
  if constexpr (std::is_same_v<T, DoubleComplex>) return "complex128";
  return "";
}

template <typename T>
struct RealOf {
  using Type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
template <typename T>
using Real = typename RealOf<T>::Type;
template <typename T>
constexpr bool kIsComplex = !std::is_same_v<T, Real<T>>;

// Inside a computation: elements in device memory. Throws std::runtime_error where they are not.
template <typename T>
T* on_device(const T* at, std::int64_t count) {
  if (count <= 0) return const_cast<T*>(at);
  void* const found = support().reach(reinterpret_cast<std::uint64_t>(at),
                                      static_cast<std::uint64_t>(count) * sizeof(T));
  if (found == nullptr)
    throw std::runtime_error("an operand of " + std::to_string(count) + " elements of " +
                             std::to_string(sizeof(T)) +
                             " bytes is not all in memory that the device reaches");
  return static_cast<T*>(found);
}
template <typename T>
const T* in(const T* at, std::int64_t count) {
  return on_device(at, count);
}
template <typename T>
T* out(T* at, std::int64_t count) {
  return on_device(at, count);
}

// Elements that a vector, or a matrix stored by columns, spans.
inline std::int64_t span(std::int64_t n, std::int64_t increment) {
  return n <= 0 ? 0 : 1 + (n - 1) * std::abs(increment);
}
inline std::int64_t span(std::int64_t rows, std::int64_t columns, std::int64_t leading) {
  return rows <= 0 || columns <= 0 ? 0 : leading * (columns - 1) + rows;
}

// Throws std::invalid_argument, which becomes the library's own status.
inline void demand(bool holds) {
  if (!holds) throw std::invalid_argument("");
}
template <typename Whole>
int narrow(Whole value) {
  demand(value <= std::numeric_limits<int>::max() && value >= std::numeric_limits<int>::min());
  return static_cast<int>(value);
}

Error submit(abi::Handle stream, const char* type, const Shape& shape, void* user,
             const char* (*compute)(void*), void (*drop)(void*));

// `compute` may be called several times, or never.
template <typename Compute>
Error submit(abi::Handle stream, const char* type, const Shape& shape, Compute compute) {
  struct Work {
    Compute compute;
    std::string wrong;
  };
  return submit(
      stream, type, shape, new Work{std::move(compute), {}},
      [](void* user) -> const char* {
        auto* const work = static_cast<Work*>(user);
        try {
          work->compute();
          return nullptr;
        } catch (const std::exception& bad) {
          work->wrong = bad.what();
          return work->wrong.c_str();
        }
      },
      [](void* user) { delete static_cast<Work*>(user); });
}

}  // namespace heddle::runtime::libraries
