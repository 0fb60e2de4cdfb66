// Eight host threads on one device: modules, streams, pools, graphs, events and memory at once,
// each thread checking what it computes. HEDDLE_STRESS_SECONDS=600 runs for so long, best in a
// build with the thread sanitizer (gpu/runtime/README.md).
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/runtime/graph_api.hpp"
#include "gpu/runtime/runtime_api.hpp"

namespace heddle::runtime {
namespace {

constexpr unsigned kThreads = 8, kRounds = 30;
constexpr unsigned kCount = 64;  // of the kernel's threads, and of what it changes
constexpr int kThreadLocal = 1;  // cudaStreamCaptureMode
constexpr auto kAnywhere = abi::MemcpyKind::by_address;
using Values = std::array<int, kCount>;

#define OK(call) EXPECT_EQ(call, Error::success) << #call

std::string code() {
  std::ifstream file(HEDDLE_SOURCE_DIR "/gpu/runtime/tests/data/accumulate.fatbin",
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// tests/data/accumulate.cu: data = data * factor + 10 + the number of the launch, from 5 on.
void launch(abi::Handle kernel, void* data, int factor, abi::Handle stream) {
  void* arguments[] = {&data, &factor};
  abi::LaunchConfig config{};
  config.gridDim = {1, 1, 1};
  config.blockDim = {kCount, 1, 1};
  config.stream = stream;
  OK(cudaLaunchKernelExC(&config, kernel, arguments));
}
int after_launches(int value, int factor, int first, int launches) {
  for (int i = 0; i < launches; ++i) value = value * factor + 15 + first + i;
  return value;
}
Values all(int value) {
  Values values;
  values.fill(value);
  return values;
}

// What threads show one another: each its last event, for as long as the test runs.
struct Shared {
  std::mutex mutex;
  std::array<abi::Handle, kThreads> events{};
  abi::Handle kernel = nullptr;  // of a module that all of them use
  std::atomic<int> launches{0}, host_calls{0};
};

class Worker {
 public:
  Worker(unsigned number, Shared& shared, const std::string& code)
      : number_(number), shared_(shared), code_(code), random_(number) {
    OK(cudaStreamCreateWithPriority(&stream_, number % 2, 0));
    OK(cudaEventCreateWithFlags(&event_, abi::kEventDisableTiming));
    OK(cudaMalloc(&counted_, sizeof(Values)));
    OK(cudaMemsetAsync(counted_, 0, sizeof(Values), stream_));
    const std::lock_guard lock(shared.mutex);
    shared.events[number] = event_;
  }
  void round() {
    switch (random_() % 8) {
      case 0:
        return modules();
      case 1:
        return pools();
      case 2:
        return graph();
      case 3:
        return graph_with_memory();
      case 4:
        return events();
      case 5:
        return plain_memory();
      case 6:
        return host_memory();
      default:
        return common_module();
    }
  }
  void finish() {
    OK(cudaStreamSynchronize(stream_));
    OK(cudaFree(counted_));
    OK(cudaStreamDestroy(stream_));
  }
  abi::Handle event() const { return event_; }

 private:
  void expect(const void* from, int value) {
    Values back;
    OK(cudaMemcpyAsync(back.data(), from, sizeof back, kAnywhere, stream_));
    OK(cudaStreamSynchronize(stream_));
    EXPECT_EQ(back, all(value)) << "thread " << number_;
  }

  void modules() {
    abi::Handle library = nullptr, kernel = nullptr;
    OK(cudaLibraryLoadData(&library, code_.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cudaLibraryGetKernel(&kernel, library, "accumulate"));
    void* data = nullptr;
    OK(cudaMallocAsync(&data, sizeof(Values), stream_));
    OK(cudaMemsetAsync(data, 0, sizeof(Values), stream_));
    const int launches = 1 + static_cast<int>(random_() % 4);
    for (int i = 0; i < launches; ++i) launch(kernel, data, 3, stream_);
    expect(data, after_launches(0, 3, 0, launches));
    OK(cudaFreeAsync(data, stream_));
    OK(cudaLibraryUnload(library));
  }

  void pools() {
    constexpr int kPinned = 1, kOnDevice = 1, kUsedNow = 7;
    abi::Handle usual = nullptr, own = nullptr;
    const abi::MemPoolProps properties{kPinned, 0, {kOnDevice, 0}, nullptr, 0, 0, {}};
    OK(cudaDeviceGetDefaultMemPool(&usual, 0));
    OK(cudaMemPoolCreate(&own, &properties));
    std::vector<void*> memory(6);
    for (std::size_t i = 0; i < memory.size(); ++i) {
      const std::size_t bytes = sizeof(Values) + random_() % 100000;
      const bool usual_one = i % 2 == 0;
      OK(usual_one ? cudaMallocAsync(&memory[i], bytes, stream_)
                   : cudaMallocFromPoolAsync(&memory[i], bytes, own, stream_));
      OK(cudaMemsetAsync(memory[i], static_cast<int>(i), sizeof(Values), stream_));
    }
    std::uint64_t used = 0;
    OK(cudaMemPoolGetAttribute(usual, kUsedNow, &used));
    EXPECT_GE(used, 3 * sizeof(Values));
    OK(cudaMemPoolTrimTo(usual, 0));
    for (std::size_t i = 0; i < memory.size(); ++i) {
      expect(memory[i], static_cast<int>(i * 0x01010101));
      OK(cudaFreeAsync(memory[i], stream_));
    }
    OK(cudaMemPoolDestroy(own));
  }

  void graph() {
    abi::Handle graph = nullptr, executable = nullptr;
    OK(cudaStreamBeginCapture(stream_, kThreadLocal));
    OK(cudaMemsetAsync(counted_, 1, sizeof(Values), stream_));
    launch(shared_.kernel, counted_, 0, stream_);
    OK(cudaMemsetAsync(counted_, 2, sizeof(Values), stream_));
    OK(cudaStreamEndCapture(stream_, &graph));
    OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    OK(cudaGraphDestroy(graph));
    for (int i = 0; i < 3; ++i) OK(cudaGraphLaunch(executable, stream_));
    shared_.launches += 3;
    expect(counted_, 0x02020202);
    OK(cudaGraphExecDestroy(executable));
  }

  void graph_with_memory() {
    abi::Handle graph = nullptr, executable = nullptr;
    void* inner = nullptr;
    OK(cudaStreamBeginCapture(stream_, kThreadLocal));
    OK(cudaMallocAsync(&inner, sizeof(Values), stream_));
    OK(cudaMemsetAsync(inner, 5, sizeof(Values), stream_));
    OK(cudaMemcpyAsync(counted_, inner, sizeof(Values), kAnywhere, stream_));
    OK(cudaFreeAsync(inner, stream_));
    OK(cudaStreamEndCapture(stream_, &graph));
    OK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    OK(cudaGraphLaunch(executable, stream_));
    expect(counted_, 0x05050505);
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
  }

  void events() {
    OK(cudaMemsetAsync(counted_, 3, sizeof(Values), stream_));
    OK(cudaEventRecord(event_, stream_));
    const abi::Handle other = [&] {
      const std::lock_guard lock(shared_.mutex);
      return shared_.events[random_() % kThreads];
    }();
    if (other != nullptr) {
      OK(cudaStreamWaitEvent(stream_, other, 0));
      const Error answer = cudaEventQuery(other);
      EXPECT_TRUE(answer == Error::success || answer == Error::not_ready);
    }
    abi::Handle own = nullptr;
    OK(cudaEventCreateWithFlags(&own, 0));
    OK(cudaEventRecord(own, stream_));
    OK(cudaEventSynchronize(own));
    OK(cudaEventDestroy(own));
    OK(cudaEventSynchronize(event_));
    expect(counted_, 0x03030303);
  }

  void plain_memory() {
    void* memory = nullptr;
    OK(cudaMalloc(&memory, sizeof(Values)));
    const Values given = all(static_cast<int>(random_()));
    OK(cudaMemcpyAsync(memory, given.data(), sizeof given, kAnywhere, stream_));
    expect(memory, given[0]);
    std::size_t free_bytes = 0, total = 0;
    OK(cudaMemGetInfo(&free_bytes, &total));
    EXPECT_LE(free_bytes + sizeof(Values), total);
    OK(cudaFree(memory));
  }

  void host_memory() {
    void *pinned = nullptr, *managed = nullptr;
    Values own = all(7);
    OK(cudaHostAlloc(&pinned, sizeof(Values), 0));
    OK(cudaMallocManaged(&managed, sizeof(Values), 1));
    OK(cudaHostRegister(own.data(), sizeof own, 0));
    OK(cudaMemsetAsync(pinned, 4, sizeof(Values), stream_));
    OK(cudaMemcpyAsync(managed, own.data(), sizeof own, kAnywhere, stream_));
    OK(cudaLaunchHostFunc(
        stream_, [](void* count) { ++*static_cast<std::atomic<int>*>(count); },
        &shared_.host_calls));
    ++host_calls;
    OK(cudaStreamSynchronize(stream_));
    EXPECT_EQ(*static_cast<int*>(pinned), 0x04040404);
    EXPECT_EQ(*static_cast<int*>(managed), 7);
    OK(cudaHostUnregister(own.data()));
    OK(cudaFree(managed));
    OK(cudaFreeHost(pinned));
  }

  // What it adds depends on the others; how often it was launched does not.
  void common_module() {
    launch(shared_.kernel, counted_, 0, stream_);
    ++shared_.launches;
  }

 public:
  int host_calls = 0;

 private:
  unsigned number_;
  Shared& shared_;
  const std::string& code_;
  std::minstd_rand random_;
  abi::Handle stream_ = nullptr, event_ = nullptr;
  void* counted_ = nullptr;
};

TEST(Stress, EightThreadsGetWhatEachWouldGetAlone) {
  const char* const seconds = std::getenv("HEDDLE_STRESS_SECONDS");
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::seconds(seconds == nullptr ? 0 : std::atoi(seconds));
  const std::string binary = code();
  Shared shared;
  abi::Handle library = nullptr;
  OK(cudaLibraryLoadData(&library, binary.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  OK(cudaLibraryGetKernel(&shared.kernel, library, "accumulate"));
  std::vector<std::unique_ptr<Worker>> workers(kThreads);
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < kThreads; ++number)
    threads.emplace_back([&, number] {
      workers[number] = std::make_unique<Worker>(number, shared, binary);
      unsigned rounds = 0;
      while (rounds++ < kRounds || std::chrono::steady_clock::now() < end) workers[number]->round();
      workers[number]->finish();
    });
  for (std::thread& thread : threads) thread.join();
  OK(cudaDeviceSynchronize());
  int host_calls = 0, launches = 0;
  for (const auto& worker : workers) {
    host_calls += worker->host_calls;
    OK(cudaEventDestroy(worker->event()));
  }
  EXPECT_EQ(shared.host_calls, host_calls);
  void* counter = nullptr;
  OK(cudaLibraryGetGlobal(&counter, nullptr, library, "launches"));
  OK(cudaMemcpy(&launches, counter, sizeof launches, kAnywhere));
  EXPECT_EQ(launches, 5 + shared.launches);
  OK(cudaLibraryUnload(library));
}

}  // namespace
}  // namespace heddle::runtime
