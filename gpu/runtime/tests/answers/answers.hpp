// Programs here print what calls answer, one line each, and nothing that differs from run to run.
// What an H200 printed with the toolkit's library lies beside them (records/).
//
// Each section runs in a process of its own, forked before anything calls CUDA: one that crashes,
// or makes its context useless, leaves the others alone.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

struct Section {
  const char* name;
  void (*run)();
};
inline std::vector<Section>& sections() {
  static std::vector<Section> all;
  return all;
}
struct AddSection {
  AddSection(const char* name, void (*run)()) { sections().push_back({name, run}); }
};
#define SECTION(name)                                  \
  static void section_##name();                        \
  static AddSection add_##name{#name, section_##name}; \
  static void section_##name()

inline cudaError_t answer(const char* call, cudaError_t error) {
  std::printf("%s: %s\n", call, cudaGetErrorName(error));
  return error;
}
inline CUresult answer(const char* call, CUresult result) {
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  std::printf("%s: %s\n", call, name == nullptr ? "?" : name);
  return result;
}
#define CALL(call) answer(#call, call)

inline void say_value(const char* what, double number) { std::printf("%s = %g\n", what, number); }
inline void say_value(const char* what, float number) { std::printf("%s = %g\n", what, number); }
inline void say_value(const char* what, const char* text) { std::printf("%s = %s\n", what, text); }
inline void say_value(const char* what, char* text) {
  say_value(what, static_cast<const char*>(text));
}
template <typename Number>
void say_value(const char* what, Number number) {
  std::printf("%s = %lld\n", what, static_cast<long long>(number));
}
#define VALUE(expression) say_value(#expression, expression)

// What is kept as the thread's last error, and taken away.
inline void last_error() {
  const cudaError_t peeked = cudaPeekAtLastError();
  std::printf("  last error: %s, %s\n", cudaGetErrorName(peeked),
              cudaGetErrorName(cudaGetLastError()));
}

inline void run_section(const Section& section) {
  std::printf("== %s\n", section.name);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    alarm(15);
    section.run();
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) std::printf("ended by signal %d\n", WTERMSIG(status));
}

int main(int count, char** names) {
  for (const Section& section : sections()) {
    bool wanted = count == 1;
    for (int i = 1; i < count; ++i) wanted |= std::strcmp(section.name, names[i]) == 0;
    if (wanted) run_section(section);
  }
}
