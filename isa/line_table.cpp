#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "isa/cubin.hpp"
#include "isa/line_program.hpp"

namespace heddle::isa {
namespace {

// The text section that an address field of .debug_line is relocated to, and the offset there.
struct Base {
  std::uint32_t section = 0;
  std::uint64_t offset = 0;
};

std::unordered_map<std::uint64_t, Base> read_bases(const Cubin& cubin, std::uint32_t debug_line) {
  std::unordered_map<std::uint64_t, Base> bases;
  for (const Relocation& relocation : cubin.relocations) {
    if (relocation.section != debug_line) continue;
    const Symbol& symbol = cubin.symbols[relocation.symbol];
    bases[relocation.offset] = {
        .section = symbol.section,
        .offset = symbol.value + static_cast<std::uint64_t>(relocation.addend)};
  }
  return bases;
}

// Names, each kept once. A table of names far longer than the file is refused: a row may name any
// position in a long string.
class Names {
 public:
  explicit Names(const Bytes& section, std::uint64_t file_bytes)
      : section_(section), bytes_left_(8 * file_bytes) {}

  std::string_view keep(std::string name) {
    const auto known = index_.find(name);
    if (known != index_.end()) return *known;
    if (name.size() > bytes_left_)
      section_.fail(0, "the names in this line table are far longer than the file");
    bytes_left_ -= name.size();
    return *index_.insert(strings_->emplace_back(std::move(name))).first;
  }

  std::shared_ptr<const std::deque<std::string>> strings() const { return strings_; }

 private:
  const Bytes& section_;
  std::uint64_t bytes_left_;
  std::shared_ptr<std::deque<std::string>> strings_ = std::make_shared<std::deque<std::string>>();
  std::unordered_set<std::string_view> index_;
};

class Builder {
 public:
  Builder(const Cubin& cubin, std::uint32_t text, std::uint32_t debug_line, const Bytes& lines,
          const Bytes& strings, std::uint64_t file_bytes)
      : text_(text),
        bases_(read_bases(cubin, debug_line)),
        strings_(strings),
        names_(lines, file_bytes) {}

  void add(const LineProgram& program) {
    for (const std::vector<LineRow>& sequence : program.sequences)
      if (begins_in_text(sequence)) add(program, sequence);
  }

  LineTable take() {
    // Of rows at one offset the last one counts, but the end of one sequence gives way to the
    // beginning of another.
    std::ranges::stable_sort(table_.entries, [](const LineEntry& a, const LineEntry& b) {
      return a.offset != b.offset ? a.offset < b.offset : a.file.empty() && !b.file.empty();
    });
    std::vector<LineEntry> kept;
    for (const LineEntry& entry : table_.entries) {
      if (!kept.empty() && kept.back().offset == entry.offset) kept.pop_back();
      kept.push_back(entry);
    }
    table_.entries = std::move(kept);
    table_.strings = names_.strings();
    return std::move(table_);
  }

 private:
  bool begins_in_text(const std::vector<LineRow>& sequence) const {
    const auto base = bases_.find(sequence.front().base);
    return base != bases_.end() && base->second.section == text_;
  }

  void add(const LineProgram& program, const std::vector<LineRow>& sequence) {
    // Call sites are numbered when first named: row -> index + 1.
    std::unordered_map<std::uint32_t, std::uint32_t> sites;
    const std::uint64_t end = offset_of(sequence.back());
    for (std::uint32_t i = 0; i < sequence.size(); ++i) {
      const LineRow& row = sequence[i];
      const std::uint64_t offset = offset_of(row);
      if (row.end)
        table_.entries.push_back(LineEntry{.offset = offset, .file = {}, .inlined_function = {}});
      else if (offset != end)
        table_.entries.push_back(entry_of(program, sequence, i, sites));
    }
  }

  std::uint64_t offset_of(const LineRow& row) const {
    const auto base = bases_.find(row.base);
    return row.advance + (base == bases_.end() ? 0 : base->second.offset);
  }

  LineEntry entry_of(const LineProgram& program, const std::vector<LineRow>& sequence,
                     std::uint32_t index, std::unordered_map<std::uint32_t, std::uint32_t>& sites) {
    LineEntry entry = position_of(program, sequence[index]);
    // From the innermost call outwards. Callers come earlier in the sequence, so this ends.
    std::vector<std::uint32_t> chain;
    for (std::uint32_t row = index;;) {
      const std::uint32_t caller = sequence[row].context;
      if (caller == 0 || caller > row) break;
      row = caller - 1;
      if (sites.contains(row)) {
        chain.push_back(row);
        break;
      }
      chain.push_back(row);
    }
    std::uint32_t outer = 0;
    for (auto row = chain.rbegin(); row != chain.rend(); ++row) {
      const auto [site, is_new] =
          sites.emplace(*row, static_cast<std::uint32_t>(table_.call_sites.size() + 1));
      if (is_new) {
        LineEntry call = position_of(program, sequence[*row]);
        call.inlined_at = outer;
        table_.call_sites.push_back(call);
      }
      outer = site->second;
    }
    entry.inlined_at = outer;
    return entry;
  }

  LineEntry position_of(const LineProgram& program, const LineRow& row) {
    LineEntry entry{.offset = offset_of(row),
                    .file = file_name(program, row.file),
                    .line = row.line,
                    .inlined_function = {}};
    if (row.context != 0)
      entry.inlined_function =
          names_.keep(std::string(strings_.text(row.function, "an inlined function's name")));
    return entry;
  }

  std::string_view file_name(const LineProgram& program, std::uint32_t number) {
    if (number >= program.files.size() || program.files[number].name.empty())
      return names_.keep("?");
    const LineProgram::File& file = program.files[number];
    const auto [known, is_new] = file_names_.emplace(&file, std::string_view{});
    if (is_new)
      known->second = names_.keep(file.directory.empty() || file.name.starts_with('/')
                                      ? std::string(file.name)
                                      : fmt::format("{}/{}", file.directory, file.name));
    return known->second;
  }

  std::uint32_t text_;
  std::unordered_map<std::uint64_t, Base> bases_;
  const Bytes& strings_;
  Names names_;
  std::unordered_map<const LineProgram::File*, std::string_view> file_names_;
  LineTable table_;
};

std::optional<std::uint32_t> index_of(const Cubin& cubin, std::string_view name) {
  const Section* section = cubin.find_section(name);
  if (section == nullptr) return std::nullopt;
  return static_cast<std::uint32_t>(section - cubin.sections.data());
}

}  // namespace

const LineEntry* LineTable::find(std::uint64_t offset) const {
  const auto after = std::ranges::upper_bound(entries, offset, {}, &LineEntry::offset);
  if (after == entries.begin()) return nullptr;
  const LineEntry& entry = *std::prev(after);
  return entry.file.empty() ? nullptr : &entry;
}

LineTable read_line_table(const Cubin& cubin, std::uint32_t text_section) {
  const auto debug_line = index_of(cubin, ".debug_line");
  if (!debug_line) return {};
  const auto describe = [&](std::string_view name) {
    return fmt::format("{}: section '{}'", cubin.origin, name);
  };
  const Bytes lines(cubin.sections[*debug_line].bytes, describe(".debug_line"));
  const Section* names = cubin.find_section(".debug_str");
  const Bytes strings(
      names != nullptr ? std::span<const std::byte>(names->bytes) : std::span<const std::byte>{},
      describe(".debug_str"));
  const std::vector<LineProgram> programs = read_line_programs(lines);
  Builder builder(cubin, text_section, *debug_line, lines, strings, lines.size() + strings.size());
  for (const LineProgram& program : programs) builder.add(program);
  return builder.take();
}

}  // namespace heddle::isa
