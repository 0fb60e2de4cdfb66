// Compiles the rows of isa/opcodes/list.hpp, proves that no two of them can match the same word,
// and indexes them by opcode number.
#include <algorithm>
#include <vector>

#include "isa/attributes.hpp"
#include "isa/encoding.hpp"
#include "isa/modifier_meanings.hpp"
#include "isa/opcodes/list.hpp"
#include "isa/picture.hpp"

namespace heddle::isa {
namespace {

template <class T, std::size_t... kSizes>
constexpr auto concatenate(const T (&... lists)[kSizes]) {
  std::array<const T*, (kSizes + ...)> all{};
  std::size_t count = 0;
  const auto append = [&](const T* list, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) all[count++] = list + i;
  };
  (append(lists, kSizes), ...);
  return all;
}

constexpr std::size_t kOps = static_cast<std::size_t>(Op::count_);

// By opcode. One that has no facts, or that has them twice, does not compile.
constexpr auto index_facts() {
  constexpr auto kListed =
      concatenate(kIntegerFacts, kMoveFacts, kFloatFacts, kDoubleFacts, kHalfFacts, kConvertFacts,
                  kWarpFacts, kUniformFacts, kMemoryFacts, kAtomicFacts, kControlFacts,
                  kMatrixFacts, kTextureFacts, kBulkFacts, kWarpgroupFacts, kTensorMemoryFacts);
  std::array<const Facts*, kOps> facts{};
  for (const Facts* each : kListed) {
    if (facts[static_cast<std::size_t>(each->op)] != nullptr) throw "an opcode with facts twice";
    facts[static_cast<std::size_t>(each->op)] = each;
  }
  return facts;
}
constexpr auto kFacts = index_facts();

constexpr auto kRows =
    concatenate(kIntegerRows, kMoveRows, kFloatRows, kDoubleRows, kHalfRows, kConvertRows,
                kWarpRows, kUniformRows, kMemoryRows, kAtomicRows, kControlRows, kMatrixRows,
                kTextureRows, kBulkRows, kWarpgroupRows, kTensorMemoryRows);

// The architectures whose uniform registers have numbers of this width.
struct RegisterWidth {
  std::uint8_t uniform_bits;
  ArchSet archs;
};
constexpr std::array<RegisterWidth, 2> kWidths{{{6, kUpTo90}, {8, kFrom100}}};

constexpr auto read_pictures(RegisterWidth width) {
  std::array<Picture, kRows.size()> pictures{};
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if ((kRows[i]->archs & width.archs) != 0)
      pictures[i] = read_picture(kRows[i]->picture, width.uniform_bits, kRows[i]->fixed);
  return pictures;
}
constexpr std::array kPictures{read_pictures(kWidths[0]), read_pictures(kWidths[1])};

// The items of all pictures, side by side: they hold pointers, and each page of the host that has
// some is written when the program starts.
constexpr std::size_t count_items() {
  std::size_t count = 0;
  for (const auto& of_width : kPictures)
    for (const Picture& picture : of_width) count += picture.layout.count;
  return count;
}
constexpr auto gather_items() {
  std::array<Item, count_items()> items{};
  std::size_t count = 0;
  for (const auto& of_width : kPictures)
    for (const Picture& picture : of_width)
      for (std::size_t i = 0; i < picture.layout.count; ++i) items[count++] = picture.items[i];
  return items;
}
constexpr auto kItems = gather_items();

constexpr auto place_layouts() {
  std::array<std::array<Layout, kRows.size()>, kWidths.size()> layouts{};
  const Item* next = kItems.data();
  for (std::size_t width = 0; width < kWidths.size(); ++width)
    for (std::size_t i = 0; i < kRows.size(); ++i) {
      const Layout& placed = layouts[width][i] = kPictures[width][i].with_items_at(next);
      next += placed.count;
    }
  return layouts;
}
constexpr auto kLayouts = place_layouts();

constexpr const Facts* facts_of(const Row& row) {
  return row.facts != nullptr ? row.facts : kFacts[static_cast<std::size_t>(row.op)];
}

constexpr auto compile_meanings() {
  std::array<Meanings, kRows.size()> meanings{};
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    const bool is_narrow = (kRows[i]->archs & kWidths[0].archs) != 0;
    meanings[i] = read_meanings(kLayouts[is_narrow ? 0 : 1][i], facts_of(*kRows[i])->type);
  }
  return meanings;
}
constexpr auto kMeanings = compile_meanings();

constexpr bool has_form(const Row& row, Form form) {
  return row.forms == kFixed ? form == Form::RRR : (row.forms & bit(form)) != 0;
}

constexpr Word bits_mask(const Bits& bits) {
  Word mask;
  bits.set(mask, ~std::uint64_t{0});
  return mask;
}

constexpr Encoding compile(std::size_t index, std::size_t width, Form form) {
  const Row& row = *kRows[index];
  const Layout& layout = kLayouts[width][index];
  Encoding encoding{.row = &row,
                    .archs = static_cast<ArchSet>(row.archs & kWidths[width].archs),
                    .facts = facts_of(row),
                    .layout = &layout,
                    .meanings = &kMeanings[index],
                    .form = form};
  encoding.opcode = opcode_number(row.code, row.forms, form);
  Word claimed;
  const auto claim = [&](const Bits& bits) {
    const Word mask = bits_mask(bits);
    if ((claimed.lo & mask.lo) != 0 || (claimed.hi & mask.hi) != 0) encoding.conflict = true;
    claimed.lo |= mask.lo;
    claimed.hi |= mask.hi;
  };
  claim(kGuardBits);
  claim(Bits{.lo = kGuardNotBit, .width = 1});
  claim(kControlBits);
  for_each_field(layout, form, claim);
  // What no field claims must hold a value: the opcode number, fixed fields, zero elsewhere.
  encoding.mask = {~claimed.lo, ~claimed.hi};
  claim(kOpcodeBits);
  kOpcodeBits.set(encoding.value, encoding.opcode);
  for (std::size_t i = 0; i < layout.fixed_count; ++i) {
    claim(layout.fixed[i].bits);
    layout.fixed[i].bits.set(encoding.value, layout.fixed[i].value);
  }
  return encoding;
}

// Calls function(row's index, width's index, form) for everything a word can match.
template <class Function>
constexpr void for_each_encoding(Function&& function) {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    for (std::size_t width = 0; width < kWidths.size(); ++width)
      for (std::size_t form = 0; form < kForms; ++form)
        if ((kRows[i]->archs & kWidths[width].archs) != 0 && has_form(*kRows[i], Form(form)))
          function(i, width, Form(form));
}

constexpr std::size_t count_encodings() {
  std::size_t count = 0;
  for_each_encoding([&](std::size_t, std::size_t, Form) { ++count; });
  return count;
}

constexpr auto compile_all() {
  std::array<Encoding, count_encodings()> encodings{};
  std::size_t count = 0;
  for_each_encoding([&](std::size_t row, std::size_t width, Form form) {
    encodings[count++] = compile(row, width, form);
  });
  std::sort(encodings.begin(), encodings.end(),
            [](const Encoding& x, const Encoding& y) { return x.opcode < y.opcode; });
  return encodings;
}
constexpr auto kEncodings = compile_all();

// The checks below name the opcode number in the compiler's message: `Proof<1234>`.
template <int kOpcode>
struct Proof {
  static_assert(kOpcode == -1, "the opcode (row) with this number is wrong");
  static constexpr bool holds = kOpcode == -1;
};

// An opcode is complete with facts and a row; the compiler's message names one that is not.
constexpr Op kNoOp = static_cast<Op>(kOps);
template <Op kOp>
struct Complete {
  static_assert(kOp == kNoOp, "the opcode has no facts, or no row");
  static constexpr bool holds = kOp == kNoOp;
};
constexpr Op op_without_facts() {
  for (std::size_t op = 0; op < kOps; ++op)
    if (kFacts[op] == nullptr) return static_cast<Op>(op);
  return kNoOp;
}
static_assert(Complete<op_without_facts()>::holds);
constexpr Op op_without_row() {
  for (std::size_t op = 0; op < kOps; ++op)
    if (std::ranges::find(kRows, static_cast<Op>(op), &Row::op) == kRows.end())
      return static_cast<Op>(op);
  return kNoOp;
}
static_assert(Complete<op_without_row()>::holds);

constexpr int opcode_with_a_bit_claimed_twice() {
  for (const Encoding& encoding : kEncodings)
    if (encoding.conflict) return encoding.opcode;
  return -1;
}
static_assert(Proof<opcode_with_a_bit_claimed_twice()>::holds);

// True when both have a modifier at the same bits and no value of it is legal in both, or when one
// fixes the other's modifier to a value that is not legal.
constexpr bool a_modifier_separates(const Encoding& x, const Encoding& y) {
  bool separates = false;
  for_each_item(*x.layout, x.form, [&](const Item& mine) {
    if (mine.kind != ItemKind::mod || mine.bits.width == 0) return;
    for_each_item(*y.layout, y.form, [&](const Item& other) {
      if (other.kind == ItemKind::mod && other.bits == mine.bits && (other.legal & mine.legal) == 0)
        separates = true;
    });
    const Word mask = bits_mask(mine.bits);
    if ((y.mask.lo & mask.lo) == mask.lo && (y.mask.hi & mask.hi) == mask.hi &&
        (mine.legal >> mine.bits.get(y.value) & 1) == 0)
      separates = true;
  });
  return separates;
}

constexpr bool can_match_the_same_word(const Encoding& x, const Encoding& y) {
  if (x.opcode != y.opcode || (x.archs & y.archs) == 0) return false;
  const Word both{x.mask.lo & y.mask.lo, x.mask.hi & y.mask.hi};
  if (((x.value.lo ^ y.value.lo) & both.lo) != 0 || ((x.value.hi ^ y.value.hi) & both.hi) != 0)
    return false;
  return !a_modifier_separates(x, y) && !a_modifier_separates(y, x);
}

// The opcode number of the first two rows that overlap; -1 when there are none. The same number may
// belong to other opcodes on other architectures, so this is a proof per architecture.
constexpr int overlapping_opcode() {
  for (std::size_t i = 0; i < kEncodings.size(); ++i)
    for (std::size_t j = i + 1; j < kEncodings.size(); ++j) {
      if (kEncodings[j].opcode != kEncodings[i].opcode) break;
      if (can_match_the_same_word(kEncodings[i], kEncodings[j])) return kEncodings[i].opcode;
    }
  return -1;
}
static_assert(Proof<overlapping_opcode()>::holds);

// Per architecture: the encodings ordered by opcode number, and where each number's begin.
struct Index {
  std::vector<const Encoding*> encodings;
  std::array<std::uint16_t, 8193> first{};

  explicit Index(Arch arch) {
    std::size_t opcode = 0;
    for (const Encoding& encoding : kEncodings) {
      if ((encoding.archs & only(arch)) == 0) continue;
      while (opcode <= encoding.opcode)
        first[opcode++] = static_cast<std::uint16_t>(encodings.size());
      encodings.push_back(&encoding);
    }
    while (opcode < first.size()) first[opcode++] = static_cast<std::uint16_t>(encodings.size());
  }
};

const Index& index_of(Arch arch) {
  static const std::vector<Index> indices(kAllArchs.begin(), kAllArchs.end());
  return indices[static_cast<std::size_t>(arch)];
}

}  // namespace

const Facts& facts(Op op) { return *kFacts[static_cast<std::size_t>(op)]; }

const Item* find_modifier(const Encoding& encoding, Mod which) {
  const Item* owner = nullptr;  // of attached ones
  for (const Item& item : *encoding.layout) {
    if (!item.attached) owner = &item;
    if (item.mod != which && (item.kind != ItemKind::special_reg || which != Mod::special_reg))
      continue;
    if (!item.attached || owner == nullptr || !is_immediate(*owner, encoding.form)) return &item;
  }
  return nullptr;
}

std::string_view modifier_text(const Item& item, const Word& word) {
  if (item.bits.width == 0) return item.text;
  const std::uint64_t value = item.bits.get(word);
  std::string_view found;
  for_each_text(item.text, [&](unsigned number, std::string_view text) {
    if (number == value) found = text;
  });
  return found;
}

EncodingRange encodings_of(Arch arch, std::uint16_t opcode) {
  const Index& index = index_of(arch);
  const Encoding* const* base = index.encodings.data();
  return {base + index.first[opcode], base + index.first[opcode + 1u]};
}

EncodingRange all_encodings(Arch arch) {
  const Index& index = index_of(arch);
  return {index.encodings.data(), index.encodings.data() + index.encodings.size()};
}

}  // namespace heddle::isa
