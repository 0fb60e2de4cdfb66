// A program that launches kernels and mistreats the process it does so in, for tests of what is
// written about it. Words: MODE [FILE].
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

extern "C" {
int cudaLibraryLoadFromFile(void** library, const char* file, void*, void*, unsigned, void*, void*,
                            unsigned);
int cudaLibraryGetKernel(void** kernel, void* library, const char* name);
int cudaLaunchKernel(const void* kernel, Dim3 grid, Dim3 block, void** arguments, std::size_t,
                     void*);
int cudaMalloc(void** memory, std::size_t bytes);
int cudaDeviceSynchronize();
}

namespace {

void* kernel = nullptr;
void* memory = nullptr;

bool launch(int times) {
  int factor = 2;
  void* arguments[] = {&memory, &factor};
  for (int i = 0; i < times; ++i)
    if (cudaLaunchKernel(kernel, {}, {64, 1, 1}, arguments, 0, nullptr) != 0) return false;
  return cudaDeviceSynchronize() == 0;
}

bool load() {
  constexpr std::size_t kBytes = 256;
  void* library = nullptr;
  return cudaLibraryLoadFromFile(&library, HEDDLE_FATBIN, nullptr, nullptr, 0, nullptr, nullptr,
                                 0) == 0 &&
         cudaLibraryGetKernel(&kernel, library, "accumulate") == 0 &&
         cudaMalloc(&memory, kBytes) == 0;
}

// What was open becomes the program's own file, low and high numbers alike.
void take_descriptors(const char* file) {
  constexpr int kMost = 2000;
  for (int each = 3; each < kMost; ++each) close(each);
  const int mine = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  (void)!write(mine, "mine\n", 5);
  for (int each = mine + 1; each < 64; ++each) dup2(mine, each);
  for (int each = 990; each < 1020; ++each) dup2(mine, each);
}

void limit_files() {
  const rlimit limit{0, 0};
  setrlimit(RLIMIT_FSIZE, &limit);
}

bool is_file_size_signal_untouched() {
  struct sigaction action {};
  sigset_t pending, blocked;
  sigpending(&pending);
  sigprocmask(SIG_SETMASK, nullptr, &blocked);
  return sigaction(SIGXFSZ, nullptr, &action) == 0 && action.sa_handler == SIG_DFL &&
         sigismember(&pending, SIGXFSZ) == 0 && sigismember(&blocked, SIGXFSZ) == 0;
}

}  // namespace

int main(int count, char** words) {
  constexpr uid_t kNobody = 65534;
  const std::string_view mode = count > 1 ? words[1] : "";
  if (mode == "drop" && setresuid(kNobody, kNobody, kNobody) != 0) return 3;
  if (!load() || !launch(1)) return 4;
  if (mode == "fault") {  // and nobody looks at the error
    memory = reinterpret_cast<void*>(std::uintptr_t{16});
    launch(1);
    return 0;
  }
  if (mode == "take") take_descriptors(words[2]);
  if (mode == "limit") limit_files();
  if (!launch(5)) return 5;
  if (mode == "limit" && !is_file_size_signal_untouched()) return 6;
  std::puts("the program's own output");
  return 0;
}
