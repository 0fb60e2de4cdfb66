// To be preloaded: the n-th allocation after main has begun gives null, as when memory is full.
// That main begins is marked by a look for a file /main-begins, for who watches system calls.
//
//   HEDDLE_FAIL_ALLOCATION=N     which one; without it none fails
//   HEDDLE_COUNT_ALLOCATIONS=F   each process adds a line to F with how many it made
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

using Main = int (*)(int, char**, char**);

std::atomic<bool> counting = false;
std::atomic<long> allocations = 0;
long failing = 0;
const char* count_file = nullptr;
Main real_main = nullptr;

bool fails() {
  if (!counting) return false;
  if (++allocations != failing) return false;
  errno = ENOMEM;
  return true;
}

void write_count() {
  if (count_file == nullptr) return;
  char line[32];
  const int size = std::snprintf(line, sizeof line, "%ld\n", allocations.load());
  const int file = open(count_file, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (file < 0 || write(file, line, static_cast<std::size_t>(size)) != size) std::abort();
  close(file);
}

int counted_main(int argc, char** argv, char** environment) {
  const char* number = std::getenv("HEDDLE_FAIL_ALLOCATION");
  failing = number != nullptr ? std::atol(number) : 0;
  count_file = std::getenv("HEDDLE_COUNT_ALLOCATIONS");
  std::atexit(write_count);
  access("/main-begins", F_OK);
  counting = true;
  return real_main(argc, argv, environment);
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) { return fails() ? nullptr : __libc_malloc(bytes); }
void* calloc(std::size_t count, std::size_t bytes) {
  return fails() ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* old, std::size_t bytes) {
  return fails() ? nullptr : __libc_realloc(old, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  return fails() ? nullptr : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
  void* const made = memalign(alignment, bytes);
  if (made == nullptr) return ENOMEM;
  *result = made;
  return 0;
}

int __libc_start_main(Main main, int argc, char** argv, Main initialise, void (*finish)(),
                      void (*finish_loader)(), void* stack_end) {
  using Start = int (*)(Main, int, char**, Main, void (*)(), void (*)(), void*);
  real_main = main;
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(counted_main, argc, argv, initialise, finish, finish_loader, stack_end);
}
}
