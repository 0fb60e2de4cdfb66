// Who is told to have made an invalid access.
#include "gpu/runtime/crash_report.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <csignal>
#include <cstring>

namespace heddle::runtime {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

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

#if defined(__x86_64__)
// Code that lies elsewhere (mov (%rdi),%eax; ret), and was called from elsewhere.
void read_elsewhere(std::uintptr_t address) {
  const unsigned char code[] = {0x8b, 0x07, 0xc3};
  void* const page =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memcpy(page, code, sizeof code);
  asm volatile("push %0\n jmp *%0" ::"a"(page), "D"(address) : "memory");
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
