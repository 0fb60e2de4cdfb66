// A generator of cuRAND's host interface: numbers of a distribution, in the order of that
// interface.
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/runtime/libraries/routine.hpp"

namespace heddle::runtime::libraries::curand {

// As curandRngType numbers them.
enum class Kind : int {
  pseudo_default = 100,
  xorwow = 101,
  mrg32k3a = 121,
  mtgp32 = 141,
  mt19937 = 142,
  philox = 161,
  quasi_default = 200,
  sobol32 = 201,
  scrambled_sobol32 = 202,
  sobol64 = 203,
  scrambled_sobol64 = 204,
};
enum class Order : int {
  best = 100,
  standard = 101,
  seeded = 102,
  legacy = 103,
  dynamic = 104,
  quasi = 201
};

struct Settings {
  Kind kind = Kind::xorwow;
  Order order = Order::standard;
  std::uint64_t seed = 0, offset = 0;
  int dimensions = 1;
};

// How numbers of a Poisson distribution are made, by their mean: as NVIDIA's library does, which
// was found by what its generators of the host give (docs/python.md). From `inverse_below` on it is
// a rounded normal number.
struct PoissonMethods {
  double histogram_below, inverse_below;
  bool rounds_in_single = false;
};

class Source {
 public:
  virtual ~Source() = default;
  virtual void integers(std::uint32_t* to, std::int64_t count) = 0;
  virtual void long_integers(std::uint64_t* to, std::int64_t count) = 0;
  virtual void uniform(float* to, std::int64_t count) = 0;
  virtual void uniform(double* to, std::int64_t count) = 0;
  virtual void normal(float* to, std::int64_t count) = 0;
  virtual void normal(double* to, std::int64_t count) = 0;
  // Uniform numbers that take one integer each.
  virtual void shares(double* to, std::int64_t count) = 0;
  // Normal numbers as Poisson numbers of great means take them.
  virtual void deviates(float* to, std::int64_t count) = 0;
  virtual PoissonMethods poisson_methods() const = 0;
};

// Throws Missing for what is not supported.
std::unique_ptr<Source> make_source(const Settings& settings);

}  // namespace heddle::runtime::libraries::curand
