// What only a sketch has: chance(), trips(), work() and memory().
//
// A random number is a hash of (seed, place in the sketch, thread, how often the thread was there),
// so it depends on nothing else: not on the order of warps, nor on other places.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>

#include "traces/sketch/lowering.hpp"

namespace heddle::isa::sketch {
namespace {

using Kind = Expression::Kind;

constexpr std::uint32_t kParameterBase = 0x210;
// Odd numbers without structure: digits of the golden ratio, of the roots of 2 and 3 and of e.
constexpr std::uint32_t kGolden = 0x9e3779b9, kRootTwo = 0x6a09e667, kRootThree = 0xbb67ae85,
                        kEuler = 0xb7e15163;
constexpr std::size_t kMostOutcomes = 4096;
constexpr std::int32_t kMostRepeats = 1000;

std::uint32_t scrambled(std::uint32_t value) {
  value = (value ^ value >> 16) * 0x7feb352du;
  value = (value ^ value >> 15) * 0x846ca68bu;
  return value ^ value >> 16;
}

// The alias method (Walker 1977): an outcome is chosen evenly, then kept or replaced by its alias.
struct Outcome {
  std::uint32_t kept_below = 0;  // of 2^32
  std::uint32_t alias = 0;
};

std::vector<Outcome> alias_table(std::vector<double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto count = static_cast<double>(weights.size());
  std::vector<Outcome> table(weights.size());
  std::vector<std::uint32_t> small, large;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    weights[i] *= count / sum;
    table[i] = {0xffffffff, i};
    (weights[i] < 1 ? small : large).push_back(i);
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t low = small.back(), high = large.back();
    small.pop_back();
    table[low] = {static_cast<std::uint32_t>(weights[low] * 4294967296.0), high};
    weights[high] -= 1 - weights[low];
    if (weights[high] < 1) {
      large.pop_back();
      small.push_back(high);
    }
  }
  return table;
}

// Probabilities of 0, 1, … up to where less than 2^-40 is left.
std::vector<double> poisson_weights(double mean) {
  std::vector<double> weights;
  double left = 1;
  for (std::size_t k = 0; k < kMostOutcomes; ++k) {
    const auto number = static_cast<double>(k);
    weights.push_back(std::exp(number * std::log(mean) - mean - std::lgamma(number + 1)));
    left -= weights.back();
    if (number > mean && left < 1e-12) break;
  }
  return weights;
}

Dependence dependence_of(bool per_warp) {
  return per_warp ? Dependence::uniform : Dependence::data;
}

}  // namespace

// --- the numbers ---

Operand Lowering::hidden(CompiledParameter::Use use, unsigned word) {
  auto found = std::ranges::find(kernel_.parameters, use, &CompiledParameter::use);
  if (found == kernel_.parameters.end()) {
    CompiledParameter parameter;
    parameter.use = use;
    parameter.bytes = 8;
    parameter.type.pointer = true;
    if (!kernel_.parameters.empty()) {
      const CompiledParameter& last = kernel_.parameters.back();
      parameter.offset = (last.offset + last.bytes + 7) / 8 * 8;
    }
    kernel_.parameters.push_back(std::move(parameter));
    found = kernel_.parameters.end() - 1;
  }
  return constant(0, kParameterBase + found->offset + 4 * word);
}

// The upper and the lower half of a product, folded.
Register Lowering::mixed(const Operand& value, std::uint32_t factor) {
  const Register product = builder_.multiply_wide(value, immediate(factor | 1), zero(), false);
  return builder_.logic(operand(product, 0), operand(product, 1), zero(), kXor);
}

// Of all threads of the launch, counted through.
Operand Lowering::thread_number() {
  return cached("thread number", [&] {
    const Position at = builder_.at;
    const auto part = [&](std::string_view whole, std::string_view axis) {
      return in_register(special_dimension(whole, axis, at));
    };
    const auto linear = [&](std::string_view index, std::string_view size) {
      const Register rows = builder_.multiply_add(
          part(index, "z"), as_operand(special_dimension(size, "y", at)), part(index, "y"));
      return builder_.multiply_add(operand(rows), as_operand(special_dimension(size, "x", at)),
                                   part(index, "x"));
    };
    const Register block = linear("blockIdx", "gridDim");
    const Register thread = linear("threadIdx", "blockDim");
    const Register plane = builder_.multiply_add(
        part("blockDim", "x"), as_operand(special_dimension("blockDim", "y", at)), zero());
    const Register threads = builder_.multiply_add(
        operand(plane), as_operand(special_dimension("blockDim", "z", at)), zero());
    cache_.emplace("thread in block", thread);
    cache_.emplace("block number", block);
    cache_.emplace("threads of a block", threads);
    return builder_.multiply_add(operand(block), operand(threads), operand(thread));
  });
}

// What makes the numbers of a thread, or of a warp, its own.
Operand Lowering::stream_key(bool per_warp) {
  Operand number = thread_number();
  if (per_warp)
    number = cached("warp number", [&] {
      const Register rounded =
          builder_.add(operand(cache_.at("threads of a block")), immediate(31));
      const Register warps = builder_.shift_right(operand(rounded), immediate(5), false);
      const Register warp =
          builder_.shift_right(operand(cache_.at("thread in block")), immediate(5), false);
      return builder_.multiply_add(operand(cache_.at("block number")), operand(warps),
                                   operand(warp));
    });
  return cached(per_warp ? "warp key" : "thread key", [&] {
    kernel_.random = true;
    const Register low = builder_.moved(hidden(CompiledParameter::Use::seed, 0));
    const Register high = builder_.moved(hidden(CompiledParameter::Use::seed, 1));
    Register key =
        builder_.logic(number, immediate(per_warp ? kEuler : kRootTwo), operand(low), kXor3);
    key = mixed(operand(key), kGolden);
    key = builder_.logic(operand(key), operand(high), operand(low), kXor3);
    key = mixed(operand(builder_.add(operand(key), immediate(kRootThree))), kEuler);
    return mixed(operand(builder_.add(operand(key), immediate(kGolden))), kRootTwo);
  });
}

// 32 even bits. In a loop they differ from round to round.
Register Lowering::draw(bool per_warp) {
  const Operand key = stream_key(per_warp);
  const std::uint32_t site = scrambled(++sites_ * kGolden);
  Register first = 0;
  if (loops_ == 0) {
    first = builder_.logic(key, immediate(site), zero(), kXor);
  } else {
    Register counter = 0;
    builder_.at_start([&] { counter = builder_.moved(immediate(site)); });
    Line& line = builder_.emit(Op::IADD3);
    line.d = counter;
    line.a = operand(counter);
    line.b = immediate(kGolden);
    line.c = zero();
    first = builder_.logic(key, operand(counter), zero(), kXor);
  }
  const Register half = mixed(operand(first), kRootThree);
  const Register other = builder_.logic(operand(half), immediate(scrambled(site)), key, kXor3);
  return mixed(operand(other), kGolden);
}

double Lowering::number(const Expression& expression, std::string_view what) {
  const Value value = convert(constant_value(expression, what), Scalar::float64, expression.at);
  return std::bit_cast<double>(value.bits);
}

// --- chance ---

Value Lowering::chance(const Expression& expression) {
  expect_arguments(expression, 1, 2, "chance(probability) or chance(probability, warp)");
  bool per_warp = false;
  if (expression.operands.size() == 2) {
    const Expression& scope = *expression.operands[1];
    if (scope.kind != Kind::name || (scope.text != "warp" && scope.text != "thread"))
      fail(scope.at, "chance: expected 'warp' or 'thread' after the probability");
    per_warp = scope.text == "warp";
  }
  const Dependence dependence = dependence_of(per_warp);
  const Value probability = evaluate(*expression.operands[0]);
  builder_.at = expression.at;
  if (probability.is_constant()) {
    const double p =
        std::bit_cast<double>(convert(probability, Scalar::float64, expression.at).bits);
    if (!(p >= 0 && p <= 1))
      fail(expression.operands[0]->at, fmt::format("chance: expected 0 to 1, found {}", p));
    const double threshold = std::round(p * 4294967296.0);
    if (threshold == 0) return make_constant(Scalar::boolean, 0);
    if (threshold >= 4294967296.0) return make_constant(Scalar::boolean, 1);
    const Register bits = draw(per_warp);
    return make_predicate({builder_.compare(Compare::less, false, operand(bits),
                                            immediate(static_cast<std::uint32_t>(threshold))),
                           false},
                          dependence);
  }
  const Value p = convert(probability, Scalar::float32, expression.operands[0]->at);
  const Register bits = draw(per_warp);
  constexpr float kTwoTo32 = 4294967296.0f;
  const Register scaled =
      builder_.multiply_float(in_register(p), immediate(std::bit_cast<std::uint32_t>(kTwoTo32)));
  const Value threshold =
      convert(make_value(Scalar::float32, scaled, p.dependence), Scalar::uint32, expression.at);
  return make_predicate(
      {builder_.compare(Compare::less, false, operand(bits), as_operand(threshold)), false},
      dependence);
}

// --- trips ---

Value Lowering::trips(const Expression& expression) {
  constexpr std::string_view kForms =
      "trips(fixed, n), trips(uniform, least, most), trips(geometric, mean), trips(poisson, mean), "
      "trips(list, \"3 3 7\") or trips(file, \"name\")";
  const auto& operands = expression.operands;
  if (operands.empty() || operands[0]->kind != Kind::name)
    fail(expression.at, fmt::format("expected {}", kForms));
  const std::string_view kind = operands[0]->text;
  const auto integer = [&](std::size_t i) {
    return convert(evaluate(*operands[i]), Scalar::int32, operands[i]->at);
  };
  // `warp` after `count` operands: one draw for all threads of a warp.
  const auto per_warp_after = [&](std::size_t count, std::string_view form) {
    expect_arguments(expression, count, count + 1, form);
    if (operands.size() == count) return false;
    const Expression& scope = *operands[count];
    if (scope.kind != Kind::name || (scope.text != "warp" && scope.text != "thread"))
      fail(scope.at, fmt::format("trips: expected 'warp' or nothing more behind {}", form));
    return scope.text == "warp";
  };
  if (kind == "fixed") {
    expect_arguments(expression, 2, 2, "trips(fixed, n)");
    return integer(1);
  }
  if (kind == "uniform") {
    const bool per_warp = per_warp_after(3, "trips(uniform, least, most)");
    const Value least = integer(1), most = integer(2);
    if (least.is_constant() && most.is_constant() && least.as_int() > most.as_int())
      fail(operands[2]->at,
           fmt::format("trips: expected at least {}, found {}", least.as_int(), most.as_int()));
    const Value count =
        arithmetic("+", arithmetic("-", most, least, expression.at), make_int(1), expression.at);
    const Register bits = draw(per_warp);
    const Register chosen = builder_.multiply_high(operand(bits), as_operand(count), false);
    return arithmetic("+", make_value(Scalar::int32, chosen, dependence_of(per_warp)), least,
                      expression.at);
  }
  if (kind == "geometric") {
    const bool per_warp = per_warp_after(2, "trips(geometric, mean)");
    const Dependence dependence = dependence_of(per_warp);
    const double mean = number(*operands[1], "trips(geometric, mean)");
    if (!(mean >= 1 && mean < 1e9))
      fail(operands[1]->at, "trips: expected a mean of 1 or more: one trip is the least");
    if (mean == 1) return make_int(1);
    // 1 + floor(log u / log(1 - 1/mean)), u even in (0, 1].
    const Register bits = builder_.logic(operand(draw(per_warp)), immediate(1), zero(), kOr);
    const Value even =
        convert(make_value(Scalar::uint32, bits, dependence), Scalar::float32, expression.at);
    const Register logarithm = builder_.function(Function::logarithm, even.operand);
    const Register below =
        builder_.add_float(operand(logarithm), immediate(std::bit_cast<std::uint32_t>(-32.0f)));
    const auto factor = static_cast<float>(1 / std::log2(1 - 1 / mean));
    const Register rounds =
        builder_.multiply_float(operand(below), immediate(std::bit_cast<std::uint32_t>(factor)));
    const Value whole =
        convert(make_value(Scalar::float32, rounds, dependence), Scalar::int32, expression.at);
    return arithmetic("+", whole, make_int(1), expression.at);
  }
  if (kind == "poisson") {
    const bool per_warp = per_warp_after(2, "trips(poisson, mean)");
    const double mean = number(*operands[1], "trips(poisson, mean)");
    if (!(mean > 0 && mean <= 3000)) fail(operands[1]->at, "trips: expected a mean up to 3000");
    return draw_from(poisson_weights(mean), 0, per_warp, expression.at);
  }
  if (kind == "file" || kind == "list") {
    const bool per_warp =
        per_warp_after(2, kind == "file" ? "trips(file, \"name\")" : "trips(list, \"3 3 7\")");
    std::int32_t first = 0;
    const std::vector<double> weights = listed_weights(*operands[1], kind == "file", first);
    return draw_from(weights, first, per_warp, expression.at);
  }
  fail(operands[0]->at, fmt::format("expected {}, found '{}'", kForms, kind));
}

// A number from `first` on, as often as its weight says. The table is in constant memory.
Value Lowering::draw_from(const std::vector<double>& weights, std::int32_t first, bool per_warp,
                          Position at) {
  const std::vector<Outcome> table = alias_table(weights);
  const auto offset = static_cast<std::uint32_t>(unit_.table.size());
  if (offset + 8 * table.size() > 0x8000)
    fail(at,
         "the distributions of this sketch do not fit in constant memory; expected fewer of "
         "them, or smaller means");
  const auto* bytes = reinterpret_cast<const std::byte*>(table.data());
  unit_.table.insert(unit_.table.end(), bytes, bytes + sizeof(Outcome) * table.size());
  const Register bits = draw(per_warp);
  const Register index = builder_.multiply_high(
      operand(bits), immediate(static_cast<std::uint32_t>(table.size())), false);
  const Register again =
      mixed(operand(builder_.logic(operand(bits), immediate(kEuler), stream_key(per_warp), kXor3)),
            kRootTwo);
  const Register place = builder_.shift_left(operand(index), immediate(3));
  Line& line = builder_.emit(Op::LDC, {{Mod::size, 5}});
  line.a = operand(place);
  line.b = constant(3, offset);
  const Register outcome = line.d = builder_.new_register(2);
  const std::uint32_t kept =
      builder_.compare(Compare::less, false, operand(again), operand(outcome, 0));
  const Register chosen = builder_.select(operand(index), operand(outcome, 1), {kept, false});
  return arithmetic("+", make_value(Scalar::int32, chosen, dependence_of(per_warp)),
                    make_int(first), at);
}

// Numbers of trips, one after the other, each seen once; "12*40" is 12 seen 40 times.
std::vector<double> Lowering::listed_weights(const Expression& name, bool is_file,
                                             std::int32_t& first) {
  if (name.kind != Kind::string)
    fail(name.at, is_file ? "trips(file, …): expected the file's name in quotes"
                          : "trips(list, …): expected numbers in quotes, as in \"3*2 7\"");
  std::string text(name.text);
  const std::string file = is_file ? text : "the list";
  try {
    if (is_file && !unit_.options.read_file) throw std::runtime_error("files are not read here");
    if (is_file) text = unit_.options.read_file(file);
  } catch (const std::runtime_error& error) {
    fail(name.at, fmt::format("trips: {}", error.what()));
  }
  std::map<std::int32_t, double> seen;
  std::uint32_t line = 1;
  for (const char *at = text.data(), *end = at + text.size(); at != end;) {
    if (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') {
      line += *at++ == '\n' ? 1 : 0;
      continue;
    }
    std::int32_t count = 0;
    double times = 1;
    auto result = std::from_chars(at, end, count);
    bool good = result.ec == std::errc() && count >= 0;
    if (good && result.ptr != end && *result.ptr == '*') {
      result = std::from_chars(result.ptr + 1, end, times);
      good = result.ec == std::errc() && times > 0 && times < 1e15;
    }
    if (!good)
      fail(name.at,
           fmt::format("trips: {}:{}: expected numbers of trips, as in 3 or 12*40", file, line));
    seen[count] += times;
    at = result.ptr;
  }
  if (seen.empty()) fail(name.at, fmt::format("trips: {} holds no numbers", file));
  first = seen.begin()->first;
  const auto span = static_cast<std::uint32_t>(seen.rbegin()->first - first);
  if (span >= kMostOutcomes)
    fail(name.at, fmt::format("trips: {} spans {} numbers; expected at most {}", file,
                              std::uint64_t{span} + 1, kMostOutcomes));
  std::vector<double> weights(span + 1);
  for (const auto& [count, weight] : seen)
    weights[static_cast<std::size_t>(count - first)] = weight;
  return weights;
}

// --- work and memory ---

// n multiply-adds, each of which needs the one before.
void Lowering::work(const Expression& expression) {
  expect_arguments(expression, 1, 1, "work(n)");
  const Value count = convert(constant_value(*expression.operands[0], "work(n)"), Scalar::int32,
                              expression.operands[0]->at);
  if (count.as_int() < 0 || count.as_int() > kMostRepeats)
    fail(expression.operands[0]->at,
         fmt::format("work: expected 0 to {}; more of it is a loop around work()", kMostRepeats));
  const Operand value = cached("work", [&] { return builder_.moved(immediate(0x3f000000)); });
  for (std::int32_t i = 0; i < count.as_int(); ++i) {
    Line& line = builder_.emit(Op::FFMA);
    line.d = value.reg;
    line.a = line.b = line.c = value;
  }
}

// n loads of 4 bytes from an array of the compiler's own.
void Lowering::memory(const Expression& expression) {
  constexpr std::string_view kForm =
      "memory(n, pattern), where the pattern is coalesced, strided(k), random, broadcast, shared "
      "or "
      "shared(k)";
  expect_arguments(expression, 2, 2, kForm);
  const Value count = convert(constant_value(*expression.operands[0], "memory(n, …)"),
                              Scalar::int32, expression.operands[0]->at);
  if (count.as_int() < 0 || count.as_int() > kMostRepeats)
    fail(expression.operands[0]->at, fmt::format("memory: expected 0 to {}", kMostRepeats));
  const Expression& pattern = *expression.operands[1];
  const bool random = pattern.text == "random", broadcast = pattern.text == "broadcast";
  Value stride = make_int(1);
  const bool shared = pattern.text == "shared";
  if (pattern.kind == Kind::call && (pattern.text == "strided" || shared) &&
      pattern.operands.size() == 1)
    stride =
        convert(constant_value(*pattern.operands[0], "k of a pattern"), Scalar::int32, pattern.at);
  else if (pattern.kind != Kind::name ||
           (!random && !broadcast && !shared && pattern.text != "coalesced"))
    fail(pattern.at, fmt::format("expected {}", kForm));
  if (shared) return shared_memory(count.as_int(), stride, expression.at);
  builder_.at = expression.at;
  const Operand base = cached("scratch", [&] {
    const Register pair = builder_.new_register(2);
    for (std::uint8_t part = 0; part < 2; ++part)
      builder_.move(pair, hidden(CompiledParameter::Use::scratch, part), part);
    return pair;
  });
  constexpr std::uint32_t kWords = kScratchBytes / 4, kBetween = 4099;  // words from load to load
  for (std::int32_t i = 0; i < count.as_int(); ++i) {
    const std::uint32_t shift = static_cast<std::uint32_t>(i) * kBetween;
    Register word = 0;
    if (random) {
      word = draw(false);
    } else if (broadcast) {
      word = builder_.moved(immediate(shift));
    } else {
      word = builder_.multiply_add(thread_number(),
                                   immediate(static_cast<std::uint32_t>(stride.bits)), zero());
      if (i != 0) word = builder_.add(operand(word), immediate(shift / 32 * 32));
    }
    word = builder_.logic(operand(word), immediate(kWords - 1), zero(), kAnd);
    Place place;
    place.type.scalar = Scalar::int32;
    place.base = operand(builder_.multiply_wide(operand(word), immediate(4), base, false));
    load(place);
  }
}

// n loads from shared memory, the lanes k words apart in a few KiB of their own.
void Lowering::shared_memory(std::int32_t count, const Value& stride, Position at) {
  constexpr std::uint32_t kWords = 1024, kReserved = 0x400;
  if (!shared_scratch_) {
    if (dynamic_shared_) fail(at, "memory(n, shared) beside 'extern __shared__' is not built yet");
    kernel_.shared_bytes = (kernel_.shared_bytes + 15) / 16 * 16;
    shared_scratch_ = kernel_.shared_bytes + kReserved;
    kernel_.shared_bytes += 4 * kWords;
  }
  const Value thread = special_dimension("threadIdx", "x", at);
  const Register word = builder_.multiply_add(
      in_register(thread), immediate(static_cast<std::uint32_t>(stride.bits)), zero());
  const Register within = builder_.logic(operand(word), immediate(kWords - 1), zero(), kAnd);
  Place place;
  place.type.scalar = Scalar::int32;
  place.memory = Memory::shared;
  place.base = operand(builder_.shift_left(operand(within), immediate(2)));
  place.offset = static_cast<std::int32_t>(*shared_scratch_);
  for (std::int32_t i = 0; i < count; ++i) load(place);
}

}  // namespace heddle::isa::sketch
