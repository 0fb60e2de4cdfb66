// Who is told to have made an invalid access.
#include "gpu/runtime/crash_report.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

namespace heddle::runtime {
namespace {

#ifndef HEDDLE_SANITIZED

void write_to(std::uintptr_t address) { *reinterpret_cast<volatile int*>(address) = 1; }

// This program is what the report takes for Heddle's own code.
TEST(CrashReportDeathTest, OwnCodeAsksForAReport) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((report_crashes(), write_to(0x1230)), testing::KilledBySignal(SIGSEGV),
              "internal error of Heddle.*0x1230.*please report it");
}

TEST(CrashReportDeathTest, ACopyByAPointerOfTheProgramsIsTheProgramsError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((report_crashes(),
               [] {
                 const TouchingProgramMemory here;
                 write_to(0x1230);
               }()),
              testing::KilledBySignal(SIGSEGV), "host memory that is not there, at 0x1230");
}

// What a kernel reaches, and the program then changed.
void reach_after(std::uintptr_t wanted, bool registered, void (*change)(void* page)) {
  void* const page = mmap(reinterpret_cast<void*>(wanted), 4096, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (registered) note_registered(page, 4096);
  change(page);
  write_to(reinterpret_cast<std::uintptr_t>(page) + 0x230);
}
void unmap(void* page) { munmap(page, 4096); }
void forbid_writing(void* page) { mprotect(page, 4096, PROT_READ); }
void forbid_all(void* page) { mprotect(page, 4096, PROT_NONE); }
void unregister_and_unmap(void* page) {
  forget_registered(page);
  munmap(page, 4096);
}

TEST(CrashReportDeathTest, MemoryThatTheProgramTookAwayIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr std::uintptr_t kPinned = 0x2000'1234'0000, kAnywhere = 0;
  const testing::KilledBySignal killed(SIGSEGV);
  EXPECT_EXIT((report_crashes(), reach_after(kPinned, false, unmap)), killed,
              "cudaMallocHost or cudaMallocManaged .* 0x200012340230, but .*unmapped it");
  EXPECT_EXIT((report_crashes(), reach_after(kPinned, false, forbid_writing)), killed,
              "cudaMallocManaged .*forbidden writing to it .mprotect.: leave it as it is");
  EXPECT_EXIT((report_crashes(), reach_after(kAnywhere, true, forbid_all)), killed,
              "cudaHostRegister .*forbidden all access to it .mprotect.: call cudaHostUnregister");
  EXPECT_EXIT((report_crashes(), reach_after(kAnywhere, true, unregister_and_unmap)), killed,
              "internal error of Heddle");
}

int recurse(int depth) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(depth);
  if (depth == 1'000'000) return 0;
  return recurse(depth + 1) + frame[0];
}

// In a thread with a stack of 64 KB.
void on_a_small_stack(void (*overflow)()) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  pthread_t thread;
  const auto body = [](void* given) -> void* {
    report_full_stack();
    reinterpret_cast<void (*)()>(given)();
    return nullptr;
  };
  if (pthread_create(&thread, &attributes, body, reinterpret_cast<void*>(overflow)) == 0)
    pthread_join(thread, nullptr);
}

void overflow_a_small_stack() {
  on_a_small_stack([] { [[maybe_unused]] volatile int deep = recurse(0); });
}

TEST(CrashReportDeathTest, AFullStackOfAThreadIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((report_crashes(), overflow_a_small_stack()), testing::KilledBySignal(SIGSEGV),
              "the stack of a host thread is full");
}

// A program that makes threads again and again.
TEST(CrashReport, StacksForReportsEndWithTheirThreads) {
  const auto mappings = [] {
    std::ifstream maps("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
  };
  std::thread(report_full_stack).join();
  const auto before = mappings();
  for (int i = 0; i < 100; ++i) std::thread(report_full_stack).join();
  EXPECT_LT(mappings(), before + 50);
}

#if defined(__x86_64__)
// Code that lies elsewhere.
template <std::size_t kBytes>
void* elsewhere(const unsigned char (&code)[kBytes]) {
  void* const page =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memcpy(page, code, kBytes);
  return page;
}
// mov (%rdi),%eax; ret: and was called from elsewhere.
void read_elsewhere(std::uintptr_t address) {
  void* const page = elsewhere({0x8b, 0x07, 0xc3});
  asm volatile("push %0\n jmp *%0" ::"a"(page), "D"(address) : "memory");
}
// again: sub $64,%rsp; mov %eax,(%rsp); jmp again. In the end there is nothing where %rsp points.
void fill_a_small_stack_elsewhere() {
  on_a_small_stack([] {
    reinterpret_cast<void (*)()>(
        elsewhere({0x48, 0x83, 0xec, 0x40, 0x89, 0x04, 0x24, 0xeb, 0xf7}))();
  });
}

TEST(CrashReportDeathTest, AStackOfWhichNothingCanBeReadIsNamedToo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((report_crashes(), fill_a_small_stack_elsewhere()), testing::KilledBySignal(SIGSEGV),
              "the stack of a host thread is full");
}

TEST(CrashReportDeathTest, HostCodeThatReadsDeviceMemoryIsToldHowToReachIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((report_crashes(), read_elsewhere(0x1a5d'b600'0000)),
              testing::KilledBySignal(SIGSEGV),
              "host code touches device memory, at 0x1a5db6000000.*cudaMemcpy");
}

TEST(CrashReportDeathTest, OtherAccessesOfHostCodeAreTheProgramsError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((report_crashes(), read_elsewhere(0x1230)), testing::KilledBySignal(SIGSEGV),
              "the error is in the program, not in Heddle");
}
#endif

// Sent, and no access: nothing is said.
TEST(CrashReportDeathTest, ASignalThatSomebodySendsIsNobodysError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((report_crashes(), raise(SIGSEGV)), testing::KilledBySignal(SIGSEGV), "^$");
}

#endif

}  // namespace
}  // namespace heddle::runtime
