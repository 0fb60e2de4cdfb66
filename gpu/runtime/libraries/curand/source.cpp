#include "gpu/runtime/libraries/curand/source.hpp"

#include <algorithm>
#include <bit>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/runtime/libraries/curand/directions.hpp"
#include "gpu/runtime/libraries/curand/engines.hpp"
#include "gpu/runtime/libraries/curand/twisters.hpp"

namespace heddle::runtime::libraries::curand {
namespace {

// Threads take turns, each with a group of numbers of its own sequence.
template <typename Engine>
class Parallel : public Source {
 public:
  Parallel(const Settings& settings, int threads) {
    const std::uint64_t group = settings.offset / Engine::kInGroup;
    const auto count = static_cast<std::uint64_t>(threads);
    next_ = group % count;
    threads_ = Engine::sequences(settings.seed, threads, group / count, static_cast<int>(next_));
    std::uint32_t skipped[Engine::kInGroup];
    integers(skipped, static_cast<std::int64_t>(settings.offset % Engine::kInGroup));
  }
  void integers(std::uint32_t* to, std::int64_t count) override { fill<Draw::integer>(to, count); }
  void long_integers(std::uint64_t*, std::int64_t) override { demand(false); }
  void uniform(float* to, std::int64_t count) override { fill<Draw::uniform>(to, count); }
  void uniform(double* to, std::int64_t count) override { fill<Draw::uniform_double>(to, count); }
  void normal(float* to, std::int64_t count) override { fill<Draw::normal>(to, count); }
  void normal(double* to, std::int64_t count) override { fill<Draw::normal_double>(to, count); }
  void shares(double* to, std::int64_t count) override {
    std::vector<std::uint32_t> bits(static_cast<std::size_t>(count));
    integers(bits.data(), count);
    for (const std::uint32_t value : bits) *to++ = value * 0x1p-32 + 0x1p-33;
  }
  // Where a group is one integer, a thread keeps the second number of a pair for its next turn.
  void deviates(float* to, std::int64_t count) override {
    if constexpr (Engine::kInGroup == 1) {
      second_.resize(threads_.size());
      for (float* const end = to + count; to != end; next_ = (next_ + 1) % threads_.size()) {
        auto& second = second_[next_];
        if (second) {
          *to++ = *std::exchange(second, std::nullopt);
        } else {
          const auto pair = threads_[next_].template draw<Draw::normal>();
          *to++ = pair[0];
          second = pair[1];
        }
      }
    } else {
      normal(to, count);
    }
  }
  PoissonMethods poisson_methods() const override { return {2000, 2000}; }

 private:
  template <Draw kDraw, typename T>
  void fill(T* to, std::int64_t count) {
    T* const end = to + count;
    if (kept_of_ != kDraw) kept_.clear();
    kept_of_ = kDraw;
    for (; to != end && !kept_.empty(); kept_.erase(kept_.begin()))
      *to++ = static_cast<T>(kept_.front());
    while (to != end) {
      const auto group = threads_[next_].template draw<kDraw>();
      next_ = (next_ + 1) % threads_.size();
      for (const T value : group) {
        if (to != end)
          *to++ = value;
        else
          kept_.push_back(static_cast<double>(value));
      }
    }
  }

  std::vector<Engine> threads_;
  std::size_t next_ = 0;
  Draw kept_of_ = Draw::integer;
  std::vector<double> kept_;  // of the last group
  std::vector<std::optional<float>> second_;
};

const double kAbove8000 = std::nextafter(8000.0, 8001.0);  // 8000 itself takes the inverse

// Generators that give one number of each distribution for an integer.
template <typename Int>
class OneForOne : public Source {
 public:
  void integers(std::uint32_t* to, std::int64_t count) override { bits(to, count); }
  void long_integers(std::uint64_t* to, std::int64_t count) override { bits(to, count); }
  void uniform(float* to, std::int64_t count) override {
    each(to, count, [](Int value) { return uniform_of(upper(value)); });
  }
  void uniform(double* to, std::int64_t count) override {
    each(to, count, [this](Int value) { return share(value, at_zero()); });
  }
  void normal(float* to, std::int64_t count) override {
    each(to, count, [](Int value) {
      return static_cast<float>(inverse_normal(upper(value) * 0x1p-32 + 0x1p-33));
    });
  }
  void normal(double* to, std::int64_t count) override {
    each(to, count, [](Int value) { return inverse_normal(share(value, kHalf)); });
  }
  void shares(double* to, std::int64_t count) override {
    each(to, count, [](Int value) { return share(value, kHalf); });
  }
  void deviates(float* to, std::int64_t count) override { normal(to, count); }
  // Of generators of points; the others say their own.
  PoissonMethods poisson_methods() const override {
    return sizeof(Int) == 8 ? PoissonMethods{0, 2000} : PoissonMethods{10, kAbove8000};
  }

 protected:
  static constexpr double kHalf = sizeof(Int) == 8 ? 0x1p-54 : 0x1p-33;
  virtual void draw(Int* to, std::int64_t count) = 0;
  virtual double at_zero() const {
    return sizeof(Int) == 8 ? 0x1p-54 : 0x1p-32;
  }  // the uniform number for 0

 private:
  static std::uint32_t upper(Int value) {
    return static_cast<std::uint32_t>(value >> (8 * sizeof(Int) - 32));
  }
  static double share(Int value, double zero) {
    if constexpr (sizeof(Int) == 8) return static_cast<double>(value >> 11) * 0x1p-53 + zero;
    return static_cast<double>(value) * 0x1p-32 + zero;
  }
  template <typename T>
  void bits(T* to, std::int64_t count) {
    demand(sizeof(T) == sizeof(Int));
    if constexpr (sizeof(T) == sizeof(Int)) draw(to, count);
  }
  template <typename T, typename Make>
  void each(T* to, std::int64_t count, Make make) {
    std::vector<Int> values(static_cast<std::size_t>(count));
    draw(values.data(), count);
    for (const Int value : values) *to++ = make(value);
  }
};

class Mt19937 : public OneForOne<std::uint32_t> {
 public:
  explicit Mt19937(const Settings& settings) : places_(static_cast<std::uint32_t>(settings.seed)) {
    demand(settings.offset == 0);
  }
  void uniform(float* to, std::int64_t count) override {
    std::vector<double> wide(static_cast<std::size_t>(count));
    shares(wide.data(), count);
    for (const double share : wide) *to++ = static_cast<float>(share);
  }
  void uniform(double* to, std::int64_t count) override { shares(to, count); }
  PoissonMethods poisson_methods() const override { return {2000, 2000, true}; }

 private:
  void draw(std::uint32_t* to, std::int64_t count) override {
    std::generate_n(to, count, [this] { return places_.next(); });
  }

  Mt19937Places places_;
};

class Mtgp32 : public OneForOne<std::uint32_t> {
 public:
  explicit Mtgp32(const Settings& settings)
      : sequences_(parameters(), settings.order == Order::legacy ? 64 : 192, settings.seed) {
    demand(settings.offset == 0);
  }
  PoissonMethods poisson_methods() const override { return {32, kAbove8000}; }

 private:
  static std::vector<Mtgp32Parameters> parameters() {
    const auto path = find_mtgp32_header();
    std::ifstream header(path);
    try {
      return read_mtgp32_parameters(header);
    } catch (const std::runtime_error& bad) {
      throw Missing(path.string() + ": " + bad.what());
    }
  }
  void draw(std::uint32_t* to, std::int64_t count) override {
    std::generate_n(to, count, [this] { return sequences_.next(); });
  }

  Mtgp32Sequences sequences_;
};

// Points of one dimension after another. Directions are those of S. Joe and F. Kuo, as Boost has
// them.
template <typename Int>
class Sobol : public OneForOne<Int> {
 public:
  explicit Sobol(const Settings& settings) try
      : dimensions_(settings.dimensions),
        engine_(static_cast<std::size_t>(settings.dimensions)),
        next_(settings.offset) {
    if (next_ > 0) engine_.discard((next_ - 1) * static_cast<std::uint64_t>(dimensions_));
  } catch (const std::invalid_argument&) {
    throw Missing(std::to_string(settings.dimensions) + " dimensions are not supported");
  }

 private:
  void draw(Int* to, std::int64_t count) override {
    demand(count % dimensions_ == 0);
    const std::int64_t points = count / dimensions_;
    for (std::int64_t i = 0; i < points; ++i)
      for (std::int64_t d = 0; d < dimensions_; ++d)
        to[d * points + i] = next_ == 0 && i == 0 ? 0 : engine_();  // Boost leaves the origin out
    next_ += static_cast<std::uint64_t>(points);
  }

  std::int64_t dimensions_;
  boost::random::sobol_engine<Int, 8 * sizeof(Int)> engine_;
  std::uint64_t next_;
};

// The same from tables of its own: point n is the sum of the directions that n's Gray code names.
template <typename Int>
class ScrambledSobol : public OneForOne<Int> {
 public:
  explicit ScrambledSobol(const Settings& settings)
      : dimensions_(settings.dimensions), next_(settings.offset) {
    if (dimensions_ > kMostDimensions)
      throw Missing(std::to_string(dimensions_) + " dimensions are not supported");
  }

 private:
  void draw(Int* to, std::int64_t count) override {
    demand(count % dimensions_ == 0);
    const std::int64_t points = count / dimensions_;
    for (std::int64_t d = 0; d < dimensions_; ++d) {
      const Int* const directions = scrambled_directions<Int>() + d * kWidth;
      Int value = scramble_constants<Int>()[d];
      for (std::uint64_t code = next_ ^ next_ >> 1; code != 0; code &= code - 1)
        value ^= directions[std::countr_zero(code)];
      for (std::int64_t i = 0; i < points; ++i) {
        to[d * points + i] = value;
        const int changing = std::countr_one(next_ + static_cast<std::uint64_t>(i));
        if (changing < kWidth) value ^= directions[changing];
      }
    }
    next_ += static_cast<std::uint64_t>(points);
  }

  static constexpr int kWidth = 8 * sizeof(Int);
  std::int64_t dimensions_;
  std::uint64_t next_;
};

}  // namespace

std::unique_ptr<Source> make_source(const Settings& settings) {
  if (settings.order == Order::seeded)
    throw Missing("CURAND_ORDERING_PSEUDO_SEEDED is not supported");
  if (settings.order == Order::dynamic)
    throw Missing("CURAND_ORDERING_PSEUDO_DYNAMIC is not supported");
  const bool legacy = settings.order == Order::legacy;
  switch (settings.kind) {
    case Kind::xorwow:
      return std::make_unique<Parallel<Xorwow>>(settings, 4096);
    case Kind::mrg32k3a:
      return std::make_unique<Parallel<Mrg32k3a>>(settings, legacy ? 4096 : 81920);
    case Kind::philox:
      return std::make_unique<Parallel<Philox>>(settings, 65536);
    case Kind::mt19937:
      return std::make_unique<Mt19937>(settings);
    case Kind::mtgp32:
      return std::make_unique<Mtgp32>(settings);
    case Kind::sobol32:
      return std::make_unique<Sobol<std::uint32_t>>(settings);
    case Kind::sobol64:
      return std::make_unique<Sobol<std::uint64_t>>(settings);
    case Kind::scrambled_sobol32:
      return std::make_unique<ScrambledSobol<std::uint32_t>>(settings);
    case Kind::scrambled_sobol64:
      return std::make_unique<ScrambledSobol<std::uint64_t>>(settings);
    default:
      throw Missing("generators of type " + std::to_string(static_cast<int>(settings.kind)) +
                    " are not supported");
  }
}

}  // namespace heddle::runtime::libraries::curand
