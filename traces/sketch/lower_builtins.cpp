// Functions that a kernel calls by name.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "traces/sketch/lowering.hpp"

namespace heddle::isa::sketch {
namespace {

// Mod::vote_op, Mod::shfl_mode.
constexpr std::uint32_t kAll = 0, kAny = 1;
constexpr std::uint32_t kIndex = 0, kUp = 1, kDown = 2, kButterfly = 3;

struct Shuffle {
  std::string_view name;
  std::uint32_t mode;
};
constexpr Shuffle kShuffles[] = {{"__shfl_sync", kIndex},
                                 {"__shfl_up_sync", kUp},
                                 {"__shfl_down_sync", kDown},
                                 {"__shfl_xor_sync", kButterfly}};

// Of CUDA and of sketches; for "did you mean".
constexpr std::string_view kKnown[] = {"__syncthreads",
                                       "__syncwarp",
                                       "__shfl_sync",
                                       "__shfl_up_sync",
                                       "__shfl_down_sync",
                                       "__shfl_xor_sync",
                                       "__ballot_sync",
                                       "__any_sync",
                                       "__all_sync",
                                       "__activemask",
                                       "atomicAdd",
                                       "min",
                                       "max",
                                       "abs",
                                       "fabsf",
                                       "fminf",
                                       "fmaxf",
                                       "fmaf",
                                       "sqrtf",
                                       "rsqrtf",
                                       "expf",
                                       "exp2f",
                                       "logf",
                                       "log2f",
                                       "sinf",
                                       "cosf",
                                       "__fdividef",
                                       "__mul24",
                                       "__umul24",
                                       "__popc",
                                       "chance",
                                       "trips",
                                       "work",
                                       "memory"};

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, corner + (a[i - 1] == b[j - 1] ? 0 : 1)});
      corner = above;
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view name) {
  if (name.size() > 40) return {};
  const auto* const best = std::ranges::min_element(
      kKnown, {}, [&](std::string_view known) { return distance(name, known); });
  return distance(name, *best) <= name.size() / 3 ? *best : std::string_view{};
}

// What a sketch has instead of what CUDA programs call.
struct Instead {
  std::string_view function, what;
};
constexpr Instead kInstead[] = {
    {"printf", "a sketch prints nothing; heddle step shows what a thread computes"},
    {"rand", "chance(p) and trips(…) draw random numbers"},
    {"curand", "chance(p) and trips(…) draw random numbers"},
    {"curand_uniform", "chance(p) and trips(…) draw random numbers"},
    {"clock", "heddle run --timing on shows times"},
    {"clock64", "heddle run --timing on shows times"},
};

std::string no_function(std::string_view name) {
  const auto* const instead = std::ranges::find(kInstead, name, &Instead::function);
  if (instead != std::end(kInstead))
    return fmt::format("there is no function '{}'; {}", name, instead->what);
  const std::string_view near = nearest(name);
  return near.empty() ? fmt::format("there is no function '{}'", name)
                      : fmt::format("there is no function '{}'; did you mean {}?", name, near);
}

}  // namespace

void Lowering::expect_arguments(const Expression& expression, std::size_t least, std::size_t most,
                                std::string_view form) {
  const std::size_t count = expression.operands.size();
  if (count < least || count > most)
    fail(expression.at,
         fmt::format("expected {}, found {} argument{}", form, count, count == 1 ? "" : "s"));
}

Value Lowering::call(const Expression& expression) {
  const std::string_view function = expression.text;
  Value nothing;
  nothing.type.scalar = Scalar::nothing;
  if (function == "__syncthreads") return synchronise_threads(expression), nothing;
  if (function == "__syncwarp") return synchronise_warp(expression), nothing;
  if (function == "asm") return assembly(expression), nothing;
  if (function == "work") return work(expression), nothing;
  if (function == "memory") return memory(expression), nothing;
  if (function == "chance") return chance(expression);
  if (function == "trips") return trips(expression);
  if (function == "atomicAdd") return atomic_add(expression);
  if (std::ranges::find(kShuffles, function, &Shuffle::name) != std::end(kShuffles))
    return shuffle(expression);
  if (function == "__ballot_sync" || function == "__any_sync" || function == "__all_sync" ||
      function == "__activemask")
    return vote(expression);
  if (const auto value = math(expression)) return *value;
  fail(expression.at, no_function(function));
}

// --- assembly ---

void Lowering::assembly(const Expression& expression) {
  const bool is_exit = expression.operands.size() == 1 &&
                       expression.operands[0]->kind == Expression::Kind::string &&
                       expression.operands[0]->text == "exit;";
  if (!is_exit) fail(expression.at, "asm: a sketch can contain only asm(\"exit;\")");
  builder_.exit();
}

// --- barriers ---

void Lowering::synchronise_threads(const Expression& expression) {
  expect_arguments(expression, 0, 0, "__syncthreads()");
  kernel_.uses_barrier = true;
  builder_.emit(Op::BAR, {{Mod::defer_blocking, 1}});
}

void Lowering::synchronise_warp(const Expression& expression) {
  expect_arguments(expression, 0, 1, "__syncwarp() or __syncwarp(mask)");
  constexpr std::uint32_t kFullMask = 0xffffffff;
  Value mask = make_constant(Scalar::uint32, kFullMask);
  if (!expression.operands.empty())
    mask = convert(evaluate(*expression.operands[0]), Scalar::uint32, expression.operands[0]->at);
  builder_.at = expression.at;
  if (mask.is_constant() && mask.bits == kFullMask) {
    builder_.emit(Op::WARPSYNC, {{Mod::warpsync_all, 1}});
    return;
  }
  const Operand lanes = in_register(mask);
  builder_.emit(Op::WARPSYNC).b = lanes;
}

// --- exchanges ---

// The mask is evaluated for its own sake: the threads that come here together take part.
Value Lowering::shuffle(const Expression& expression) {
  const std::uint32_t mode = std::ranges::find(kShuffles, expression.text, &Shuffle::name)->mode;
  expect_arguments(expression, 3, 4,
                   fmt::format("{}(mask, value, lane) or with a width", expression.text));
  evaluate(*expression.operands[0]);
  const Value value = evaluate(*expression.operands[1]);
  if (value.type.pointer || width(value.type) != 1)
    fail(expression.operands[1]->at,
         fmt::format("a shuffle: expected int, unsigned or float, found {}", name(value.type)));
  const Value lane =
      convert(evaluate(*expression.operands[2]), Scalar::int32, expression.operands[2]->at);
  std::uint32_t segment = 32;
  if (expression.operands.size() == 4) {
    const Value given = convert(constant_value(*expression.operands[3], "a shuffle's width"),
                                Scalar::int32, expression.operands[3]->at);
    segment = static_cast<std::uint32_t>(given.bits);
    if (segment == 0 || segment > 32 || (segment & (segment - 1)) != 0)
      fail(expression.operands[3]->at, "a shuffle's width: expected 1, 2, 4, 8, 16 or 32");
  }
  builder_.at = expression.at;
  const Operand data = in_register(value);
  const bool fixed = lane.is_constant() && lane.bits < 32;
  const Operand from = fixed ? immediate(static_cast<std::uint32_t>(lane.bits)) : in_register(lane);
  Line& line = builder_.emit(Op::SHFL, {{Mod::shfl_mode, mode}});
  line.a = data;
  line.b = from;
  // Lanes beyond the segment keep their own value.
  line.c = immediate((32 - segment) << 8 | (mode == kUp ? 0 : 31));
  const Register d = line.d = builder_.new_register();
  return make_value(value.type.scalar == Scalar::boolean ? Scalar::int32 : value.type.scalar, d,
                    Dependence::data);
}

Value Lowering::vote(const Expression& expression) {
  PredicateUse holds{};
  if (expression.text == "__activemask") {
    expect_arguments(expression, 0, 0, "__activemask()");
  } else {
    expect_arguments(expression, 2, 2, fmt::format("{}(mask, condition)", expression.text));
    evaluate(*expression.operands[0]);
    const Value condition = truth(evaluate(*expression.operands[1]), expression.operands[1]->at);
    holds = condition.predicate;
    if (condition.is_constant()) holds = {0, condition.bits == 0};
  }
  builder_.at = expression.at;
  if (expression.text == "__ballot_sync" || expression.text == "__activemask") {
    Line& line = builder_.emit(Op::VOTE, {{Mod::vote_op, kAny}});
    line.p = holds;
    const Register d = line.d = builder_.new_register();
    return make_value(Scalar::uint32, d, Dependence::data);
  }
  Line& line =
      builder_.emit(Op::VOTE, {{Mod::vote_op, expression.text == "__all_sync" ? kAll : kAny}});
  line.p = holds;
  const std::uint32_t result = line.pd = builder_.new_predicate();
  return make_predicate({result, false}, Dependence::data);
}

Value Lowering::atomic_add(const Expression& expression) {
  expect_arguments(expression, 2, 2, "atomicAdd(address, value)");
  const Value pointer = evaluate(*expression.operands[0]);
  if (!pointer.type.pointer)
    fail(expression.operands[0]->at,
         fmt::format("atomicAdd: expected an address, as in &a[i], found {}", name(pointer.type)));
  const Scalar scalar = pointer.type.scalar;
  const bool shared = pointer.type.memory == Memory::shared;
  const bool integer = scalar == Scalar::int32 || scalar == Scalar::uint32;
  if (pointer.type.memory == Memory::local)
    fail(expression.operands[0]->at, "atomicAdd: expected global or shared memory");
  if (!integer && (shared || scalar == Scalar::boolean))
    fail(expression.operands[0]->at,
         fmt::format("atomicAdd on {} is not part of the language yet; expected int or unsigned",
                     name(pointer.type)));
  const Value value =
      convert(evaluate(*expression.operands[1]), scalar, expression.operands[1]->at);
  builder_.at = expression.at;
  const Operand data = in_register(value);
  constexpr std::uint32_t kStrongGpu = 7, kDefaultPolicy = 1;
  constexpr std::uint32_t kFloat = 9,
                          kDouble = 15;  // Mod::type: .F32.FTZ.RN, as nvcc has it, .F64.RN
  Line* line = nullptr;
  if (shared) {
    line = &builder_.emit(Op::ATOMS);
  } else if (integer) {
    line = &builder_.emit(
        Op::ATOMG, {{Mod::address64, 1}, {Mod::cop, kDefaultPolicy}, {Mod::sem, kStrongGpu}});
  } else {
    line = &builder_.emit(Op::ATOMG, {{Mod::address64, 1},
                                      {Mod::cop, kDefaultPolicy},
                                      {Mod::sem, kStrongGpu},
                                      {Mod::type, scalar == Scalar::float32 ? kFloat : kDouble},
                                      {Mod::ra_u32, 1}});
  }
  line->a = pointer.operand;
  line->b = data;
  const Register d = line->d = builder_.new_register(width(Type{.scalar = scalar}));
  return make_value(scalar, d, Dependence::data);
}

}  // namespace heddle::isa::sketch
