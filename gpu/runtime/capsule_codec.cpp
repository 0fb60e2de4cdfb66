// The format of a capsule. All numbers are little-endian, as they lie in memory on the machines we
// build for.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <map>
#include <type_traits>

#include "gpu/runtime/capsule.hpp"
#include "gpu/runtime/capsule_contents.hpp"
#include "simulator/base/file.hpp"

static_assert(std::endian::native == std::endian::little);

namespace heddle::runtime {
namespace {

constexpr std::string_view kMagic = "HEDDLCAP";
constexpr std::uint32_t kVersion = 2, kWithoutCarveouts = 1;
constexpr std::size_t kHeaderBytes = 16;
constexpr std::uint8_t kNoCarveout = 0xff;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Writer {
 public:
  template <typename Number>
  requires std::is_integral_v<Number>
  void put(Number number) { text_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void put(const simulator::Dim3& dim) {
    put(dim.x);
    put(dim.y);
    put(dim.z);
  }
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    text_ += text;
  }
  void put(std::span<const std::byte> bytes) { put(as_text(bytes)); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Reader {
 public:
  Reader(std::string_view rest, const std::string& origin) : rest_(rest), origin_(origin) {}

  template <typename Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  simulator::Dim3 dim() {
    const auto x = number<std::uint32_t>(), y = number<std::uint32_t>();
    return {x, y, number<std::uint32_t>()};
  }
  std::string_view text() { return take(number<std::uint64_t>()); }
  std::vector<std::byte> bytes() {
    const std::string_view taken = text();
    const auto* data = reinterpret_cast<const std::byte*>(taken.data());
    return {data, data + taken.size()};
  }
  // A count of things that take up at least `each` bytes apiece.
  std::uint64_t count(std::uint64_t each) {
    const auto value = number<std::uint64_t>();
    if (value > rest_.size() / each) fail("a count is larger than the capsule");
    return value;
  }
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) fail("it ends early");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  bool at_end() const { return rest_.empty(); }
  [[noreturn]] void fail(std::string_view what) const {
    throw CapsuleError(fmt::format("{}: not a valid capsule: {}", origin_, what));
  }

 private:
  std::string_view rest_;
  const std::string& origin_;
};

// Each content once: fills and repeated patterns are common, and what a reader accepts is bounded
// relative to the file.
class PagePool {
 public:
  std::uint32_t add(const std::vector<std::byte>& bytes) {
    const auto [entry, is_new] =
        numbers_.try_emplace(as_text(bytes), static_cast<std::uint32_t>(contents_.size()));
    if (is_new) contents_.push_back(&bytes);
    return entry->second;
  }
  const std::vector<const std::vector<std::byte>*>& contents() const { return contents_; }

 private:
  std::map<std::string_view, std::uint32_t> numbers_;
  std::vector<const std::vector<std::byte>*> contents_;
};

struct PageReference {
  std::uint64_t address;
  std::uint32_t content;
};

std::vector<PageReference> pool_pages(const std::vector<Capsule::Page>& pages, PagePool& pool) {
  std::vector<PageReference> references;
  references.reserve(pages.size());
  for (const Capsule::Page& page : pages)
    references.push_back({page.address, pool.add(page.bytes)});
  return references;
}

void put_references(Writer& writer, const std::vector<PageReference>& references) {
  writer.put(std::uint64_t{references.size()});
  for (const auto& [address, content] : references) {
    writer.put(address);
    writer.put(content);
  }
}

// Pages by the place in the pool that each has its content from. Nothing is copied before it is
// known to belong where it is said to.
class PageReader {
 public:
  // `most`: bytes of all pages.
  PageReader(const Capsule& capsule, std::span<const std::string_view> contents, std::uint64_t most)
      : contents_(contents), left_(most) {
    for (const Capsule::Allocation& each : capsule.allocations)
      allocations_.emplace(each.address, each.bytes);
  }

  std::vector<Capsule::Page> read(Reader& reader) {
    std::vector<Capsule::Page> pages;
    std::uint64_t last = 0;
    for (std::uint64_t count = reader.count(sizeof(std::uint64_t) + sizeof(std::uint32_t));
         count != 0; --count) {
      const auto address = reader.number<std::uint64_t>();
      if (address <= last) reader.fail("pages are out of order");
      last = address;
      const auto content = reader.number<std::uint32_t>();
      if (content >= contents_.size()) reader.fail("a page has no content");
      const std::string_view bytes = contents_[content];
      if (!is_page(address, bytes.size()))
        reader.fail(fmt::format("its page at {:#x} is no page of an allocation", address));
      if (bytes.size() > left_)
        reader.fail(fmt::format("its pages are more than {} times as long as the file",
                                simulator::kMaxRatio));
      left_ -= bytes.size();
      const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
      pages.push_back({address, {data, data + bytes.size()}});
    }
    return pages;
  }

 private:
  // Whether it starts and ends where pages of an allocation do.
  bool is_page(std::uint64_t address, std::uint64_t size) const {
    const auto after = allocations_.upper_bound(address);
    if (after == allocations_.begin()) return false;
    const auto& [start, bytes] = *std::prev(after);
    return runtime::is_page(address - start, size, bytes);
  }

  std::map<std::uint64_t, std::uint64_t> allocations_;  // address and bytes
  std::span<const std::string_view> contents_;
  std::uint64_t left_;
};

void put_allocations(Writer& writer, const std::vector<Capsule::Allocation>& allocations) {
  writer.put(std::uint64_t{allocations.size()});
  for (const Capsule::Allocation& allocation : allocations) {
    writer.put(allocation.address);
    writer.put(allocation.bytes);
    writer.put(allocation.ordinal);
    writer.put(static_cast<std::uint8_t>(allocation.of_module));
    writer.put(std::string_view(allocation.label));
  }
}

std::vector<Capsule::Allocation> read_allocations(Reader& reader) {
  constexpr std::uint64_t kLeastBytes = 8 + 8 + 4 + 1 + 8;
  std::vector<Capsule::Allocation> allocations(reader.count(kLeastBytes));
  for (Capsule::Allocation& allocation : allocations) {
    allocation.address = reader.number<std::uint64_t>();
    allocation.bytes = reader.number<std::uint64_t>();
    allocation.ordinal = reader.number<std::uint32_t>();
    allocation.of_module = reader.number<std::uint8_t>() != 0;
    allocation.label = reader.text();
  }
  return allocations;
}

std::optional<std::uint8_t> read_carveout(Reader& reader) {
  constexpr std::uint8_t kMost = 100;
  const auto percent = reader.number<std::uint8_t>();
  if (percent == kNoCarveout) return {};
  if (percent > kMost) reader.fail(fmt::format("a carveout of {} %", percent));
  return percent;
}

// Of all pages together. A file may say of few contents that they stand in many places.
std::uint64_t most_page_bytes(std::uint64_t file_bytes) {
  return std::min(kMostCapsuleBytes, simulator::kMaxRatio * file_bytes);
}

std::uint64_t page_bytes(const Capsule& capsule) {
  std::uint64_t sum = 0;
  for (const auto* pages : {&capsule.before, &capsule.after})
    for (const Capsule::Page& page : *pages) sum += page.bytes.size();
  return sum;
}

// As small as the reader takes it: memory that is filled with one value compresses to less.
std::string compress_for_reader(const Capsule& capsule, std::string_view contents) {
  for (const int level : {simulator::kBestCompression, 1, -20, -100}) {
    std::string compressed = simulator::compress(contents, level);
    if (page_bytes(capsule) <= most_page_bytes(kHeaderBytes + compressed.size())) return compressed;
  }
  throw CapsuleError(fmt::format("{}: the launch is too large for a capsule", capsule.kernel));
}

}  // namespace

std::string encode_capsule_contents(const Capsule& capsule) {
  Writer writer;
  for (std::string_view text : {std::string_view(capsule.model), std::string_view(capsule.origin),
                                std::string_view(capsule.kernel)})
    writer.put(text);
  writer.put(capsule.grid);
  writer.put(capsule.block);
  writer.put(capsule.cluster);
  writer.put(capsule.dynamic_shared_bytes);
  writer.put(static_cast<std::uint8_t>(capsule.cooperative));
  writer.put(capsule.preferred_carveout.value_or(kNoCarveout));
  writer.put(capsule.stack_limit);
  writer.put(std::span<const std::byte>(capsule.cubin));
  writer.put(std::span<const std::byte>(capsule.parameters));
  put_allocations(writer, capsule.allocations);
  PagePool pool;
  const auto before = pool_pages(capsule.before, pool), after = pool_pages(capsule.after, pool);
  writer.put(std::uint64_t{pool.contents().size()});
  for (const auto* content : pool.contents()) writer.put(std::span<const std::byte>(*content));
  put_references(writer, before);
  put_references(writer, after);
  if (writer.text().size() > kMostCapsuleBytes)
    throw CapsuleError(fmt::format("{}: the launch is too large for a capsule", capsule.kernel));
  return writer.text();
}

std::string encode_capsule(const Capsule& capsule) {
  Writer file;
  for (char character : kMagic) file.put(character);
  file.put(kVersion);
  file.put(std::uint32_t{0});
  return file.text() + compress_for_reader(capsule, encode_capsule_contents(capsule));
}

Capsule decode_capsule(std::string_view bytes, const std::string& origin) {
  Reader header(bytes, origin);
  if (header.take(std::min(kMagic.size(), bytes.size())) != kMagic)
    header.fail("it does not start with HEDDLCAP");
  const auto version = header.number<std::uint32_t>();
  if (version != kVersion && version != kWithoutCarveouts)
    header.fail(fmt::format("its version is {}, this program reads {}", version, kVersion));
  if (header.number<std::uint32_t>() != 0) header.fail("its header is wrong");
  std::string contents;
  try {
    contents = simulator::decompress(bytes.substr(kHeaderBytes), kMostCapsuleBytes, origin);
  } catch (const std::runtime_error& bad) {
    throw CapsuleError(bad.what());
  }

  Reader reader(contents, origin);
  Capsule capsule;
  capsule.model = reader.text();
  capsule.origin = reader.text();
  capsule.kernel = reader.text();
  capsule.grid = reader.dim();
  capsule.block = reader.dim();
  capsule.cluster = reader.dim();
  capsule.dynamic_shared_bytes = reader.number<std::uint32_t>();
  capsule.cooperative = reader.number<std::uint8_t>() != 0;
  if (version == kVersion) capsule.preferred_carveout = read_carveout(reader);
  capsule.stack_limit = reader.number<std::uint64_t>();
  capsule.cubin = reader.bytes();
  capsule.parameters = reader.bytes();
  capsule.allocations = read_allocations(reader);
  std::vector<std::string_view> pool(reader.count(sizeof(std::uint64_t)));
  for (std::string_view& content : pool) {
    content = reader.text();
    if (content.size() > kCapsulePage) reader.fail("a page is too large");
  }
  PageReader pages(capsule, pool, most_page_bytes(bytes.size()));
  capsule.before = pages.read(reader);
  capsule.after = pages.read(reader);
  if (!reader.at_end()) reader.fail("something follows its end");
  return capsule;
}

void write_capsule(const Capsule& capsule, const std::filesystem::path& path) {
  simulator::write_file(path, encode_capsule(capsule));
}

Capsule load_capsule(const std::filesystem::path& path, std::string_view gpu) {
  std::string bytes;
  try {
    bytes = simulator::read_file(path, kMostCapsuleBytes);
  } catch (const std::runtime_error& bad) {
    throw CapsuleError(bad.what());
  }
  Capsule capsule = decode_capsule(bytes, path.string());
  if (!gpu.empty()) capsule.model = gpu;
  return capsule;
}

}  // namespace heddle::runtime
