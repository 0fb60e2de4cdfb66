#include "gpu/runtime/crash_report.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace heddle::runtime {
namespace {

thread_local bool thread_is_ours = false;
thread_local bool touching_program_memory = false;

// Where the code lies that this is linked into.
struct Range {
  std::uintptr_t begin = 0, end = 0;
  bool contains(std::uintptr_t at) const { return at - begin < end - begin; }
};
Range own_code;

Range code_around(std::uintptr_t inside) {
  std::pair<std::uintptr_t, Range> found{inside, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& [address, range] = *static_cast<std::pair<std::uintptr_t, Range>*>(data);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& part = object->dlpi_phdr[i];
          const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
          if (part.p_type == PT_LOAD && address - begin < part.p_memsz)
            range = {begin, begin + part.p_memsz};
        }
        return 0;
      },
      &found);
  return found.second;
}

// For a signal handler: nothing here allocates or locks.
struct Line {
  char text[512];
  std::size_t length = 0;
  void add(std::string_view more) {
    for (const char each : more)
      if (length + 1 < sizeof text) text[length++] = each;
  }
  void add_hexadecimal(std::uintptr_t number) {
    add("0x");
    int shift = 60;
    while (shift > 0 && (number >> shift) == 0) shift -= 4;
    for (; shift >= 0; shift -= 4)
      add(std::string_view("0123456789abcdef").substr(number >> shift & 15, 1));
  }
  void write_out() {
    add("\n");
    static_cast<void>(!write(STDERR_FILENO, text, length));
  }
};

std::uintptr_t pc_of(void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#else
  return static_cast<ucontext_t*>(context)->uc_mcontext.pc;
#endif
}

// Where a function that has no frame of its own, such as memcpy, was called from.
std::uintptr_t caller_of(void* context) {
#if defined(__x86_64__)
  const auto stack = static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP];
  return *reinterpret_cast<const std::uintptr_t*>(stack);
#else
  return static_cast<ucontext_t*>(context)->uc_mcontext.regs[30];
#endif
}

std::uintptr_t stack_pointer_of(void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RSP]);
#else
  return static_cast<ucontext_t*>(context)->uc_mcontext.sp;
#endif
}

// What is in use of a stack can be accessed; what cannot, and lies beside it, is behind its end.
bool is_end_of_stack(std::uintptr_t address, std::uintptr_t stack_pointer) {
  constexpr std::uintptr_t kLargestFrame = 128 << 10;
  return address - (stack_pointer - kLargestFrame) < 2 * kLargestFrame;
}

// Plain device memory lies between these (simulator/memory/memory.cpp).
bool is_device_address(std::uintptr_t address) {
  return address >= 0x1a5d'0000'0000 && address < 0x2000'0000'0000;
}

// Pinned and managed memory between these (there too).
bool is_host_visible_address(std::uintptr_t address) {
  return address >= 0x2000'0000'0000 && address < 0x2800'0000'0000;
}

// Without a lock, for the signal handler. A slot that is being filled begins at 1.
struct Registered {
  std::atomic<std::uintptr_t> begin{0}, end{0};
};
std::array<Registered, 256> all_registered;

bool is_registered(std::uintptr_t address) {
  for (const Registered& each : all_registered)
    if (each.begin > 1 && address >= each.begin && address < each.end) return true;
  return false;
}

// What /proc/self/maps says of the page at an address. host_mappings would allocate, which a signal
// handler must not.
enum class Pages : std::uint8_t { none, unreadable, readable, writable };

Pages pages_at(std::uintptr_t address) {
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return Pages::writable;
  // Of a line: its two addresses, then rwxp, then what does not matter.
  enum class Part : std::uint8_t { begin, end, rights, rest } part = Part::begin;
  std::uintptr_t begin = 0, end = 0;
  bool readable = false, writable = false, found = false;
  char buffer[1024];
  for (ssize_t count; !found && (count = read(file, buffer, sizeof buffer)) > 0;)
    for (ssize_t i = 0; i < count && !found; ++i) {
      const char each = buffer[i];
      const auto digit = static_cast<std::uintptr_t>(each <= '9' ? each - '0' : each - 'a' + 10);
      if (each == '\n') {
        part = Part::begin;
        begin = end = 0;
        readable = writable = false;
      } else if (part == Part::rights && each == ' ') {
        part = Part::rest;
        found = address >= begin && address < end;
      } else if (part == Part::rights) {
        readable = readable || each == 'r';
        writable = writable || each == 'w';
      } else if (each == '-' || each == ' ') {
        part = part == Part::begin ? Part::end : part == Part::end ? Part::rights : Part::rest;
      } else if (part != Part::rest) {
        std::uintptr_t& bound = part == Part::begin ? begin : end;
        bound = bound * 16 + digit;
      }
    }
  close(file);
  if (!found) return Pages::none;
  return writable ? Pages::writable : readable ? Pages::readable : Pages::unreadable;
}

// Memory that the program gave to kernels and whose pages it then took away. False: it is none.
bool describe_taken_away(Line& line, std::uintptr_t address) {
  const bool registered = is_registered(address);
  if (!registered && !is_host_visible_address(address)) return false;
  line.add(registered ? "memory of cudaHostRegister"
                      : "memory of cudaMallocHost or cudaMallocManaged");
  line.add(" is accessed by a kernel or a copy, at ");
  line.add_hexadecimal(address);
  switch (pages_at(address)) {
    case Pages::none:
      line.add(", but the program has unmapped it (munmap)");
      break;
    case Pages::unreadable:
      line.add(", but the program has forbidden all access to it (mprotect)");
      break;
    case Pages::readable:
      line.add(", but the program has forbidden writing to it (mprotect)");
      break;
    case Pages::writable:
      line.add(", but its pages are not there: a file that is mapped may have become shorter");
      break;
  }
  line.add(registered ? ": call cudaHostUnregister first"
                      : ": leave it as it is until it is freed");
  return true;
}

void describe(Line& line, void* context, std::uintptr_t address) {
  line.add("heddle: ");
  if (is_end_of_stack(address, stack_pointer_of(context))) {  // then nothing can be read there
    line.add("the stack of a host thread is full, at ");
    line.add_hexadecimal(address);
    line.add(
        ": a thread that calls CUDA should have 64 KB (pthread_attr_setstacksize); one that has "
        "more recurses too deeply");
    return;
  }
  std::uintptr_t pc = pc_of(context);
  if (!own_code.contains(pc) && own_code.contains(caller_of(context))) pc = caller_of(context);
  const bool ours = thread_is_ours || touching_program_memory || own_code.contains(pc);
  if (ours && describe_taken_away(line, address)) return;
  if (touching_program_memory) {
    line.add("a copy or fill touches host memory that is not there, at ");
    line.add_hexadecimal(address);
    line.add(": the program gave this address; check the pointer and the size of its last call");
  } else if (ours) {
    line.add("an internal error of Heddle, not of the program: invalid access to ");
    line.add_hexadecimal(address);
    line.add(" at Heddle's code + ");
    line.add_hexadecimal(pc - own_code.begin);
    line.add("; please report it with this line, the output of heddle --version and the program");
  } else if (is_device_address(address)) {
    line.add("the program's host code touches device memory, at ");
    line.add_hexadecimal(address);
    line.add(": use cudaMemcpy, or memory of cudaMallocManaged, which host and device can access");
  } else {
    line.add("the program's host code makes an invalid access to ");
    line.add_hexadecimal(address);
    line.add(": the error is in the program, not in Heddle");
  }
}

void handle(int signal, siginfo_t* info, void* context) {
  if (info->si_code > 0) {  // an access, and not sent by anybody
    Line line;
    describe(line, context, reinterpret_cast<std::uintptr_t>(info->si_addr));
    line.write_out();
  }
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);
  if (info->si_code <= 0) ::raise(signal);  // else the access happens again, and ends the process
}

// Larger than a handler of ours needs: the program's may come to run on it too.
class AlternateStack {
 public:
  AlternateStack() {
    stack_t present{};
    if (sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
    void* const pages = mmap(nullptr, kGuard + kBytes, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return;
    pages_ = static_cast<std::byte*>(pages);
    stack_t ours{};
    ours.ss_sp = pages_ + kGuard;
    ours.ss_size = kBytes;
    if (mprotect(ours.ss_sp, kBytes, PROT_READ | PROT_WRITE) == 0) sigaltstack(&ours, nullptr);
  }
  ~AlternateStack() {
    if (pages_ == nullptr) return;
    stack_t present{};
    if (sigaltstack(nullptr, &present) == 0 && present.ss_sp == pages_ + kGuard) {
      present.ss_flags = SS_DISABLE;
      if (sigaltstack(&present, nullptr) != 0) return;  // in use: the thread ends in a handler
    }
    munmap(pages_, kGuard + kBytes);
  }
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;

 private:
  static constexpr std::size_t kGuard = 64 << 10, kBytes = 64 << 10;  // whole pages everywhere
  std::byte* pages_ = nullptr;
};

}  // namespace

void report_full_stack() { static thread_local const AlternateStack stack; }

void report_crashes() {
  own_code = code_around(reinterpret_cast<std::uintptr_t>(&report_crashes));
  for (const int signal : {SIGSEGV, SIGBUS}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) != 0 || (before.sa_flags & SA_SIGINFO) != 0 ||
        before.sa_handler != SIG_DFL)
      continue;
    struct sigaction ours {};
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(signal, &ours, nullptr);
  }
}

void all_is_ours() { thread_is_ours = true; }

void note_registered(const void* begin, std::size_t bytes) {
  for (Registered& each : all_registered) {
    std::uintptr_t none = 0;
    if (!each.begin.compare_exchange_strong(none, 1)) continue;
    each.end = reinterpret_cast<std::uintptr_t>(begin) + bytes;
    each.begin = reinterpret_cast<std::uintptr_t>(begin);
    return;
  }
}
void forget_registered(const void* begin) {
  for (Registered& each : all_registered) {
    auto here = reinterpret_cast<std::uintptr_t>(begin);
    if (each.begin.compare_exchange_strong(here, 0)) return;
  }
}

TouchingProgramMemory::TouchingProgramMemory()
    : outer_(std::exchange(touching_program_memory, true)) {}
TouchingProgramMemory::~TouchingProgramMemory() { touching_program_memory = outer_; }
ExecutingProgramCode::ExecutingProgramCode() : outer_(std::exchange(thread_is_ours, false)) {}
ExecutingProgramCode::~ExecutingProgramCode() { thread_is_ours = outer_; }

}  // namespace heddle::runtime
