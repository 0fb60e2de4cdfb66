// Processes: a child forked before the device is used has a device of its own; one forked after
// cannot use it; one that is started afresh can. Each launches under the same stand-in.
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "check.hpp"

__global__ void put(int* at, int value) { *at = value; }

static void CUDART_CB end_process(void*) { std::exit(0); }

static int launch(int value) {
  int *device, back = 0;
  OK(cudaMalloc(&device, 4));
  put<<<1, 1>>>(device, value);
  OK(cudaMemcpy(&back, device, 4, cudaMemcpyDeviceToHost));
  return back;
}

template <typename Body>
static void in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT(status == 0);
}

int main(int argc, char** argv) {
  if (argc > 1) return launch(3) == 3 ? 0 : 1;
  in_child([] { EXPECT(launch(1) == 1); });
  in_child([] {  // ends while there is work left, and not by itself
    OK(cudaLaunchHostFunc(nullptr, end_process, nullptr));
    OK(cudaDeviceSynchronize());
    std::exit(1);
  });
  EXPECT(launch(2) == 2);
  in_child([] {
    void* pointer;
    EXPECT_CALL(cudaErrorInitializationError, cudaMalloc(&pointer, 4));
  });
  in_child([argv] { execl(argv[0], argv[0], "again", static_cast<char*>(nullptr)); });
  std::puts("processes: ok");
}
