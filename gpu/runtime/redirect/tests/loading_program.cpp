// A program without CUDA that loads libraries, all at once from a thread each, and prints what each
// one's `answer` gives; -1: it could not be loaded. Then closes and loads the first again.
#include <dlfcn.h>

#include <cstdio>
#include <thread>
#include <vector>

namespace {

int answer_of(const char* library, bool close) {
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) return -1;
  const auto answer = reinterpret_cast<int (*)()>(dlsym(loaded, "answer"));
  const int result = answer == nullptr ? -1 : answer();
  if (close) dlclose(loaded);
  return result;
}

}  // namespace

int main(int count, char** libraries) {
  if (count < 2) return 2;
  for (int i = 0; i < 2; ++i) std::printf("%d ", answer_of(libraries[1], true));
  std::vector<int> answers(static_cast<std::size_t>(count - 1));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < answers.size(); ++i)
    threads.emplace_back([&, i] { answers[i] = answer_of(libraries[i + 1], false); });
  for (std::thread& thread : threads) thread.join();
  for (const int answer : answers) std::printf("%d ", answer);
  std::printf("\n");
}
