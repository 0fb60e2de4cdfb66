// A program with a runtime of its own inside. Prints the runtime's version. With an argument it
// does so in a child, which it forks or starts anew.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string_view>

#include "gpu/runtime/redirect/tests/fake_runtime.inc"

namespace {

volatile std::sig_atomic_t signals;

int in_child(char** arguments, bool anew) {
  const pid_t child = fork();
  if (child == 0) {
    arguments[1] = nullptr;
    if (anew) execv("/proc/self/exe", arguments);
    std::printf("%d\n", use_runtime());
    std::fflush(stdout);
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view how = count > 1 ? arguments[1] : "";
  if (how == "fork" || how == "exec") return in_child(arguments, how == "exec");
  if (how == "signal") {
    std::signal(SIGUSR1, [](int) { signals = use_runtime(); });
    std::raise(SIGUSR1);
    std::printf("%d\n", static_cast<int>(signals));
    return 0;
  }
  std::printf("%d\n", use_runtime());
}
