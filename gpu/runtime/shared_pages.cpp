#include "gpu/runtime/shared_pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace heddle::runtime {
namespace {

constexpr char kMark[8] = {'h', 'e', 'd', 'd', 'l', 'e', '0', '2'};

struct PoolFile {
  char mark[8];
  SharedPool pool;
};

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::string name_of(std::uint64_t number) { return fmt::format("heddle-{:016x}", number); }

}  // namespace

std::shared_ptr<SharedFile> SharedFile::create(std::uint64_t bytes) {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) fail("random numbers");
  const int descriptor = memfd_create(name_of(number).c_str(), MFD_CLOEXEC);
  if (descriptor < 0) fail("memory to share");
  std::shared_ptr<SharedFile> made(new SharedFile(descriptor, number));
  if (ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) fail("memory to share");
  return made;
}

std::shared_ptr<SharedFile> SharedFile::open(pid_t process, int descriptor, std::uint64_t number) {
  const std::string path = fmt::format("/proc/{}/fd/{}", process, descriptor);
  char target[64] = "";
  const ssize_t length = readlink(path.c_str(), target, sizeof target - 1);
  if (length < 0) fail("memory of another process");
  // A descriptor's number may be another file's by now.
  if (std::string(target).find(name_of(number)) == std::string::npos) {
    errno = ENOENT;
    fail("memory of another process");
  }
  const int opened = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (opened < 0) fail("memory of another process");
  return std::shared_ptr<SharedFile>(new SharedFile(opened, number));
}

std::shared_ptr<SharedFile> SharedFile::adopt(int descriptor) {
  return std::shared_ptr<SharedFile>(new SharedFile(descriptor, 0));
}

SharedFile::~SharedFile() { close(descriptor_); }

std::uint64_t SharedFile::bytes() const {
  struct stat facts {};
  if (fstat(descriptor_, &facts) != 0) fail("memory to share");
  return static_cast<std::uint64_t>(facts.st_size);
}

void SharedFile::map_over(std::byte* place, std::uint64_t bytes) const {
  if (mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor_, 0) ==
      MAP_FAILED)
    fail("memory to share");
}

std::byte* SharedFile::map(std::uint64_t bytes) const {
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (pages == MAP_FAILED) fail("memory to share");
  return static_cast<std::byte*>(pages);
}

void map_fresh_over(std::byte* place, std::uint64_t bytes) {
  if (mmap(place, bytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
    fail("fresh memory");
}

SharedEvent::SharedEvent(std::shared_ptr<SharedFile> file)
    : file_(std::move(file)),
      // Zeroed pages are counts that begin.
      counts_(reinterpret_cast<EventCounts*>(file_->map(sizeof(EventCounts)))) {}

SharedEvent::~SharedEvent() { munmap(counts_, sizeof(EventCounts)); }

abi::IpcHandle to_handle(const SharedFile& file, std::uint64_t bytes, std::uint64_t address,
                         std::uint64_t pool) {
  SharedHandle shared{{}, getpid(), file.descriptor(), file.number(), bytes, address, pool};
  std::memcpy(shared.mark, kMark, sizeof kMark);
  abi::IpcHandle handle{};
  static_assert(sizeof shared <= sizeof handle);
  std::memcpy(handle.reserved, &shared, sizeof shared);
  return handle;
}

bool from_handle(const abi::IpcHandle& handle, SharedHandle& out) {
  std::memcpy(&out, handle.reserved, sizeof out);
  return std::memcmp(out.mark, kMark, sizeof kMark) == 0 && out.bytes != 0;
}

std::shared_ptr<SharedFile> to_file(SharedPool& pool) {
  auto file = SharedFile::create(sizeof(PoolFile));
  if (pool.number == 0) pool.number = file->number();
  PoolFile contents{{}, pool};
  std::memcpy(contents.mark, kMark, sizeof kMark);
  if (pwrite(file->descriptor(), &contents, sizeof contents, 0) != sizeof contents)
    fail("a pool to share");
  return file;
}

bool from_file(int descriptor, SharedPool& out) {
  PoolFile contents;
  if (pread(descriptor, &contents, sizeof contents, 0) != sizeof contents) return false;
  out = contents.pool;
  return std::memcmp(contents.mark, kMark, sizeof kMark) == 0 && out.number != 0;
}

}  // namespace heddle::runtime
