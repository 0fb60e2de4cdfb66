// Fat binaries: what nvcc puts into an executable's .nv_fatbin section, and writes with -fatbin.
//
// Layout, read off what nvcc 13.0 writes (all fields little endian):
//   header  u32 magic, u16 version (1), u16 header bytes, u64 bytes that follow
//   entry   u16 kind, u16 version, u32 header bytes, u64 stored bytes, u32 compressed bytes,
//           u32 offset of the options, u16 minor and major version of the code, u32 sm,
//           u32 offset and u32 length of the name, u64 flags, 8 unknown bytes, u64 original bytes
// The stored bytes are padded to a multiple of 8; the compressed bytes say how many of them count.
#include "isa/fat_binary.hpp"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <climits>

#include "isa/elf.hpp"

namespace heddle::isa {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::uint64_t kHeaderBytes = 16;
constexpr std::uint64_t kEntryBytes = 64;
constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;
constexpr std::uint64_t kLz4MaxRatio = 255;  // by the format

// All entries of a file together may become this large. Constant data of one value compresses ten
// thousandfold, so a ratio alone would refuse honest files.
constexpr std::uint64_t kFreeBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kMaxRatio = 64;

// The entries read so far and how many bytes more they may hold.
struct Entries {
  std::vector<FatEntry> list;
  const WantsContents& wants;
  std::uint64_t bytes_left = 0;
};

struct EntryHeader {
  std::uint16_t kind = 0;
  std::uint32_t header_bytes = 0;
  std::uint64_t stored_bytes = 0;
  std::uint32_t compressed_bytes = 0;
  std::uint32_t sm = 0;
  std::uint32_t name_offset = 0, name_bytes = 0;
  std::uint64_t flags = 0;
  std::uint64_t original_bytes = 0;
};

EntryHeader read_entry_header(const Bytes& body, std::uint64_t at) {
  const auto fixed = body.slice(at, kEntryBytes, "an entry's header");
  const Bytes raw(fixed, body.where());
  EntryHeader entry;
  entry.kind = raw.at<std::uint16_t>(0, "kind");
  entry.header_bytes = raw.at<std::uint32_t>(4, "header size");
  entry.stored_bytes = raw.at<std::uint64_t>(8, "stored size");
  entry.compressed_bytes = raw.at<std::uint32_t>(16, "compressed size");
  entry.sm = raw.at<std::uint32_t>(28, "architecture");
  entry.name_offset = raw.at<std::uint32_t>(32, "name offset");
  entry.name_bytes = raw.at<std::uint32_t>(36, "name length");
  entry.flags = raw.at<std::uint64_t>(40, "flags");
  entry.original_bytes = raw.at<std::uint64_t>(56, "original size");
  if (entry.header_bytes < kEntryBytes)
    body.fail(at, fmt::format("an entry's header of {} bytes, expected at least {}",
                              entry.header_bytes, kEntryBytes));
  return entry;
}

std::vector<std::byte> unpack_zstd(const Bytes& stored, std::span<const std::byte> packed,
                                   std::uint64_t size) {
  const unsigned long long told = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (told == ZSTD_CONTENTSIZE_ERROR) stored.fail(0, "not a Zstandard frame");
  if (told != ZSTD_CONTENTSIZE_UNKNOWN && told != size)
    stored.fail(0, fmt::format("a Zstandard frame of {} bytes, expected {}", told, size));
  std::vector<std::byte> contents(size);
  const std::size_t made =
      ZSTD_decompress(contents.data(), contents.size(), packed.data(), packed.size());
  if (ZSTD_isError(made) != 0)
    stored.fail(0, fmt::format("Zstandard: {}", ZSTD_getErrorName(made)));
  if (made != size)
    stored.fail(0, fmt::format("{} bytes after Zstandard, expected {}", made, size));
  return contents;
}

std::vector<std::byte> unpack_lz4(const Bytes& stored, std::span<const std::byte> packed,
                                  std::uint64_t size) {
  if (packed.size() > LZ4_MAX_INPUT_SIZE || size > INT_MAX ||
      size > kLz4MaxRatio * (packed.size() + 1))
    stored.fail(0, fmt::format("{} bytes of LZ4 cannot become {}", packed.size(), size));
  std::vector<std::byte> contents(size);
  const int made = LZ4_decompress_safe(
      reinterpret_cast<const char*>(packed.data()), reinterpret_cast<char*>(contents.data()),
      static_cast<int>(packed.size()), static_cast<int>(contents.size()));
  if (made < 0 || static_cast<std::uint64_t>(made) != size)
    stored.fail(0, fmt::format("LZ4: damaged data, or not {} bytes", size));
  return contents;
}

std::vector<std::byte> contents_of(const EntryHeader& entry, const Bytes& stored,
                                   std::uint64_t& bytes_left) {
  const bool compressed = (entry.flags & (kFlagLz4 | kFlagZstd)) != 0;
  const std::uint64_t size = compressed ? entry.original_bytes : stored.size();
  if (size > bytes_left)
    stored.fail(0,
                fmt::format("contents of {} bytes, more than a file of this size may hold", size));
  bytes_left -= size;
  if (!compressed) return {stored.all().begin(), stored.all().end()};
  const auto packed = stored.slice(0, entry.compressed_bytes, "the compressed contents");
  return (entry.flags & kFlagZstd) != 0 ? unpack_zstd(stored, packed, size)
                                        : unpack_lz4(stored, packed, size);
}

// Reads the entry at `at` and moves it past. Entries of other kinds than PTX and ELF (NVVM IR for
// link-time optimisation, for example) hold nothing that runs here: they are skipped.
void read_entry(const Bytes& body, std::uint64_t& at, Entries& entries) {
  const EntryHeader header = read_entry_header(body, at);
  const auto head = Bytes(body.slice(at, header.header_bytes, "an entry's header"), body.where());
  const Bytes stored(
      body.slice(at + header.header_bytes, header.stored_bytes, "an entry's contents"),
      fmt::format("{}: entry at {:#x}", body.where(), at));
  at += header.header_bytes + header.stored_bytes;
  const FatEntry::Kind kind{header.kind};
  if (kind != FatEntry::Kind::ptx && kind != FatEntry::Kind::elf) return;

  FatEntry entry{.kind = kind, .sm = header.sm, .identifier = {}, .contents = {}};
  if (header.name_bytes != 0) {
    const auto name = head.slice(header.name_offset, header.name_bytes, "an entry's name");
    entry.identifier.assign(reinterpret_cast<const char*>(name.data()), name.size());
  }
  if (entries.wants(entry)) entry.contents = contents_of(header, stored, entries.bytes_left);
  entries.list.push_back(std::move(entry));
}

// Reads the fat binary at `at` and moves it past.
void read_one(const Bytes& file, std::uint64_t& at, Entries& entries) {
  if (file.at<std::uint32_t>(at, "a fat binary") != kMagic)
    file.fail(at, fmt::format("not a fat binary: expected the magic number {:#x}", kMagic));
  const auto header_bytes = file.at<std::uint16_t>(at + 6, "a fat binary's header size");
  const auto body_bytes = file.at<std::uint64_t>(at + 8, "a fat binary's size");
  if (header_bytes < kHeaderBytes)
    file.fail(
        at, fmt::format("a header of {} bytes, expected at least {}", header_bytes, kHeaderBytes));
  file.slice(at, header_bytes, "a fat binary's header");
  const Bytes body(file.slice(at + header_bytes, body_bytes, "a fat binary's entries"),
                   fmt::format("{}: fat binary at {:#x}", file.where(), at));
  for (std::uint64_t position = 0; position < body.size();) read_entry(body, position, entries);
  at += header_bytes + body_bytes;
}

// Several fat binaries follow each other in a section, with zeros between them as padding.
void read_all(const Bytes& section, Entries& entries) {
  for (std::uint64_t at = 0; at < section.size();) {
    if (section.size() - at >= 4 && section.at<std::uint32_t>(at, "padding") == kMagic)
      read_one(section, at, entries);
    else if (section.at<std::uint8_t>(at, "padding") == 0)
      ++at;
    else
      section.fail(at, fmt::format("expected a fat binary (magic number {:#x})", kMagic));
  }
}

Entries no_entries(std::uint64_t file_bytes, const WantsContents& wants) {
  return {.list = {}, .wants = wants, .bytes_left = kFreeBytes + kMaxRatio * file_bytes};
}

bool wants_all(const FatEntry&) { return true; }

std::vector<FatEntry> read_sections(std::span<const std::byte> elf, std::string_view origin,
                                    const WantsContents& wants) {
  const ElfFile file = read_elf(elf, origin);
  Entries entries = no_entries(elf.size(), wants);
  // __nv_relfatbin (nvcc -rdc=true) holds what was linked into .nv_fatbin, not code to run.
  for (std::size_t i = 0; i < file.sections.size(); ++i)
    if (file.sections[i].name == ".nv_fatbin") read_all(file.contents(i), entries);
  return std::move(entries.list);
}

}  // namespace

std::vector<FatEntry> read_executable(std::span<const std::byte> elf, std::string_view origin) {
  return read_sections(elf, origin, wants_all);
}

std::vector<FatEntry> read_fat_binary(std::span<const std::byte> bytes, std::string_view origin) {
  return read_fat_binary(bytes, origin, wants_all);
}

std::vector<FatEntry> read_fat_binary(std::span<const std::byte> bytes, std::string_view origin,
                                      const WantsContents& wants) {
  if (looks_like_elf(bytes)) return read_sections(bytes, origin, wants);
  const Bytes file(bytes, std::string(origin));
  Entries entries = no_entries(bytes.size(), wants);
  std::uint64_t at = 0;
  read_one(file, at, entries);
  return std::move(entries.list);
}

}  // namespace heddle::isa
