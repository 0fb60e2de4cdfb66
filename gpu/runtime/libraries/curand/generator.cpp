// cuRAND's host interface: generators of the device and of the host.
#include <mutex>
#include <vector>

#include "gpu/runtime/libraries/curand/directions.hpp"
#include "gpu/runtime/libraries/curand/poisson.hpp"
#include "gpu/runtime/libraries/curand/source.hpp"

namespace heddle::runtime::libraries::curand {
namespace {

enum class Status : int {
  success = 0,
  not_initialized = 101,
  type_error = 103,
  out_of_range = 104,
  length_not_multiple = 105,
  launch_failure = 201,
  internal_error = 999,
};

}  // namespace
}  // namespace heddle::runtime::libraries::curand

template <>
struct heddle::runtime::libraries::Failure<heddle::runtime::libraries::curand::Status> {
  using Status = heddle::runtime::libraries::curand::Status;
  static constexpr Status not_supported = Status::internal_error, failed = Status::launch_failure,
                          invalid = Status::out_of_range;
};

namespace heddle::runtime::libraries::curand {
namespace {

struct Generator {
  Settings settings;
  bool for_host = false;
  abi::Handle stream = nullptr;
  std::shared_ptr<Source> source;  // null: not begun since the settings changed
};

bool is_quasi(Kind kind) { return kind >= Kind::quasi_default; }
bool is_twister(Kind kind) { return kind == Kind::mt19937 || kind == Kind::mtgp32; }
bool has_pairs(Kind kind) {
  return kind == Kind::xorwow || kind == Kind::mrg32k3a || kind == Kind::philox;
}

template <bool kForHost>
Status create(Generator** made, Kind kind) {
  demand(made != nullptr);
  if (kind == Kind::pseudo_default) kind = Kind::xorwow;
  if (kind == Kind::quasi_default) kind = Kind::sobol32;
  auto generator = std::make_unique<Generator>();
  generator->settings.kind = kind;
  if (is_quasi(kind)) generator->settings.order = Order::quasi;
  generator->for_host = kForHost;
  if (kind == Kind::mtgp32) make_source(generator->settings);  // may find no parameters
  *made = generator.release();
  return Status::success;
}
Status destroy(Generator* generator) {
  if (generator == nullptr) return Status::not_initialized;
  delete generator;
  return Status::success;
}
Status set_stream(Generator* generator, abi::Handle stream) {
  if (generator == nullptr) return Status::not_initialized;
  generator->stream = stream;
  return Status::success;
}

template <typename Change>
Status change(Generator* generator, Change apply) {
  if (generator == nullptr) return Status::not_initialized;
  const Status status = apply(generator->settings);
  if (status == Status::success) generator->source = nullptr;
  return status;
}
Status set_seed(Generator* generator, std::uint64_t seed) {
  return change(generator, [&](Settings& settings) {
    if (is_quasi(settings.kind)) return Status::type_error;
    settings.seed = seed;
    return Status::success;
  });
}
Status set_offset(Generator* generator, std::uint64_t offset) {
  return change(generator, [&](Settings& settings) {
    if (is_twister(settings.kind)) return Status::type_error;
    settings.offset = offset;
    return Status::success;
  });
}
Status set_order(Generator* generator, Order order) {
  return change(generator, [&](Settings& settings) {
    if (is_quasi(settings.kind) != (order == Order::quasi)) return Status::out_of_range;
    if (order == Order::seeded && settings.kind != Kind::xorwow) return Status::out_of_range;
    if (is_twister(settings.kind) && order == Order::dynamic) return Status::out_of_range;
    if (settings.kind == Kind::mt19937 && order == Order::best) return Status::out_of_range;
    settings.order = order;
    return Status::success;
  });
}
Status set_dimensions(Generator* generator, unsigned dimensions) {
  constexpr unsigned kMost = 20000;
  return change(generator, [&](Settings& settings) {
    if (!is_quasi(settings.kind)) return Status::type_error;
    if (dimensions < 1 || dimensions > kMost) return Status::out_of_range;
    settings.dimensions = static_cast<int>(dimensions);
    return Status::success;
  });
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::xorwow:
      return "XORWOW";
    case Kind::mrg32k3a:
      return "MRG32k3a";
    case Kind::mtgp32:
      return "MTGP32";
    case Kind::mt19937:
      return "MT19937";
    case Kind::philox:
      return "Philox4x32-10";
    case Kind::sobol32:
      return "Sobol32";
    case Kind::sobol64:
      return "Sobol64";
    case Kind::scrambled_sobol32:
      return "scrambled Sobol32";
    case Kind::scrambled_sobol64:
      return "scrambled Sobol64";
    default:
      return "";
  }
}

// `compute` fills memory of the host, of the device in the stream's order.
template <typename T, typename Compute>
Status run(Generator* generator, T* to, std::size_t count, Compute compute) {
  if (generator == nullptr) return Status::not_initialized;
  const auto& settings = generator->settings;
  if (count % static_cast<std::size_t>(settings.dimensions) != 0)
    return Status::length_not_multiple;
  if (generator->source == nullptr) generator->source = make_source(settings);
  const auto n = static_cast<std::int64_t>(count);
  if (generator->for_host) {
    compute(*generator->source, to, n);
    return Status::success;
  }
  const Error error = submit(generator->stream, name_of(settings.kind), {{"n", n}},
                             [=, source = generator->source] { compute(*source, out(to, n), n); });
  return error == Error::success ? Status::success : Status::launch_failure;
}

template <typename Int>
Status generate(Generator* generator, Int* to, std::size_t count) {
  if (generator == nullptr) return Status::not_initialized;
  const Kind kind = generator->settings.kind;
  const bool is_long = kind == Kind::sobol64 || kind == Kind::scrambled_sobol64;
  if (is_long != (sizeof(Int) == 8)) return Status::type_error;
  return run(generator, to, count, [](Source& source, Int* at, std::int64_t n) {
    if constexpr (sizeof(Int) == 8)
      source.long_integers(at, n);
    else
      source.integers(at, n);
  });
}

template <typename T>
Status uniform(Generator* generator, T* to, std::size_t count) {
  return run(generator, to, count,
             [](Source& source, T* at, std::int64_t n) { source.uniform(at, n); });
}

template <typename T, bool kExponential>
Status normal(Generator* generator, T* to, std::size_t count, T mean, T deviation) {
  if (generator == nullptr) return Status::not_initialized;
  if (has_pairs(generator->settings.kind) && count % 2 != 0) return Status::length_not_multiple;
  return run(generator, to, count, [=](Source& source, T* at, std::int64_t n) {
    source.normal(at, n);
    for (std::int64_t i = 0; i < n; ++i) {
      at[i] = mean + deviation * at[i];
      if constexpr (kExponential) at[i] = std::exp(at[i]);
    }
  });
}

// A normal number of that mean and variance.
std::uint32_t rounded(float deviate, double mean, bool in_single) {
  if (!in_single) return static_cast<std::uint32_t>(mean + std::sqrt(mean) * deviate + 0.5);
  const float deviation = static_cast<float>(std::sqrt(mean));
  return static_cast<std::uint32_t>(static_cast<float>(mean) + deviation * deviate + 0.5f);
}

Status poisson(Generator* generator, unsigned* to, std::size_t count, double mean) {
  if (!(mean > 0 && mean <= kGreatestMean)) return Status::out_of_range;
  return run(generator, to, count, [=](Source& source, unsigned* at, std::int64_t n) {
    const PoissonMethods methods = source.poisson_methods();
    std::vector<double> shares(static_cast<std::size_t>(n));
    if (mean < methods.histogram_below) {
      source.shares(shares.data(), n);
      const SquareHistogram distribution(mean);
      for (const double share : shares) *at++ = distribution.at(share);
    } else if (mean < methods.inverse_below) {
      source.uniform(shares.data(), n);
      const Poisson distribution(mean);
      for (const double share : shares) *at++ = distribution.at(share);
    } else {
      std::vector<float> deviates(static_cast<std::size_t>(n));
      source.deviates(deviates.data(), n);
      for (const float deviate : deviates) *at++ = rounded(deviate, mean, methods.rounds_in_single);
    }
  });
}
Status poisson_method(Generator* generator, unsigned* to, std::size_t count, double mean, int) {
  return poisson(generator, to, count, mean);
}

// Tables for the device functions. `set`: as curandDirectionVectorSet_t numbers them.
template <typename Int>
Status get_directions(const Int** table, int set) {
  constexpr int kPlain = sizeof(Int) == 4 ? 101 : 103, kScrambled = kPlain + 1;
  demand(table != nullptr && (set == kPlain || set == kScrambled));
  *table = set == kPlain ? directions<Int>() : scrambled_directions<Int>();
  return Status::success;
}
template <typename Int>
Status get_constants(const Int** table) {
  demand(table != nullptr);
  *table = scramble_constants<Int>();
  return Status::success;
}

// Seeds are made with the first numbers.
Status seed_now(Generator* generator) {
  return generator == nullptr ? Status::not_initialized : Status::success;
}
Status get_version(int* version) {
  demand(version != nullptr);
  *version = 10400;
  return Status::success;
}
Status get_property(int which, int* value) {
  demand(which >= 0 && which <= 2 && value != nullptr);
  *value = which == 0 ? 10 : which == 1 ? 4 : 0;
  return Status::success;
}

}  // namespace

HEDDLE_EXPORT(curandCreateGenerator, create<false>)
HEDDLE_EXPORT(curandCreateGeneratorHost, create<true>)
HEDDLE_EXPORT(curandDestroyGenerator, destroy)
HEDDLE_EXPORT(curandSetStream, set_stream)
HEDDLE_EXPORT(curandSetPseudoRandomGeneratorSeed, set_seed)
HEDDLE_EXPORT(curandSetGeneratorOffset, set_offset)
HEDDLE_EXPORT(curandSetGeneratorOrdering, set_order)
HEDDLE_EXPORT(curandSetQuasiRandomGeneratorDimensions, set_dimensions)
HEDDLE_EXPORT(curandGenerate, generate<std::uint32_t>)
HEDDLE_EXPORT(curandGenerateLongLong, generate<std::uint64_t>)
HEDDLE_EXPORT(curandGenerateUniform, uniform<float>)
HEDDLE_EXPORT(curandGenerateUniformDouble, uniform<double>)
HEDDLE_EXPORT(curandGenerateNormal, normal<float, false>)
HEDDLE_EXPORT(curandGenerateNormalDouble, normal<double, false>)
HEDDLE_EXPORT(curandGenerateLogNormal, normal<float, true>)
HEDDLE_EXPORT(curandGenerateLogNormalDouble, normal<double, true>)
HEDDLE_EXPORT(curandGeneratePoisson, poisson)
HEDDLE_EXPORT(curandGeneratePoissonMethod, poisson_method)
HEDDLE_EXPORT(curandGenerateSeeds, seed_now)
HEDDLE_EXPORT(curandGetDirectionVectors32, get_directions<std::uint32_t>)
HEDDLE_EXPORT(curandGetDirectionVectors64, get_directions<std::uint64_t>)
HEDDLE_EXPORT(curandGetScrambleConstants32, get_constants<std::uint32_t>)
HEDDLE_EXPORT(curandGetScrambleConstants64, get_constants<std::uint64_t>)
HEDDLE_EXPORT(curandGetVersion, get_version)
HEDDLE_EXPORT(curandGetProperty, get_property)

}  // namespace heddle::runtime::libraries::curand
