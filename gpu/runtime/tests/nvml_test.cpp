// libnvidia-ml.so.1 as programs load it: by its name, function by function.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "gpu/runtime/nvml/abi.hpp"

namespace heddle::runtime::nvml {
namespace {

constexpr unsigned kGpus = 3;

class Nvml : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("HEDDLE_GPUS", std::to_string(kGpus).c_str(), 1);
    library_ = dlopen(HEDDLE_NVML, RTLD_NOW);
    ASSERT_NE(library_, nullptr) << dlerror();
  }
  template <typename... Arguments>
  static Return call(const char* name, Arguments... arguments) {
    void* const function = dlsym(library_, name);
    EXPECT_NE(function, nullptr) << name;
    return reinterpret_cast<Return (*)(Arguments...)>(function)(arguments...);
  }
  void SetUp() override { ASSERT_EQ(call("nvmlInit_v2"), Return::success); }
  void TearDown() override { EXPECT_EQ(call("nvmlShutdown"), Return::success); }

  static Gpu* gpu(unsigned index) {
    Gpu* found = nullptr;
    EXPECT_EQ(call("nvmlDeviceGetHandleByIndex_v2", index, &found), Return::success);
    return found;
  }
  static std::string text(const char* name, Gpu* of) {
    char buffer[96] = "";
    EXPECT_EQ(call(name, of, buffer, 96u), Return::success) << name;
    return buffer;
  }

 private:
  static void* library_;
};
void* Nvml::library_ = nullptr;

TEST_F(Nvml, CountsTheGpus) {
  unsigned count = 0;
  EXPECT_EQ(call("nvmlDeviceGetCount_v2", &count), Return::success);
  EXPECT_EQ(count, kGpus);
  Gpu* none = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetHandleByIndex_v2", kGpus, &none), Return::invalid_argument);
}

TEST_F(Nvml, FindsGpusByWhatItSaysOfThem) {
  std::set<std::string> uuids, places;
  for (unsigned index = 0; index < kGpus; ++index) {
    Gpu* const it = gpu(index);
    EXPECT_EQ(text("nvmlDeviceGetName", it), "NVIDIA H200");
    const std::string uuid = text("nvmlDeviceGetUUID", it);
    EXPECT_EQ(uuid.size(), 40u) << uuid;
    PciInfo place;
    ASSERT_EQ(call("nvmlDeviceGetPciInfo_v3", it, &place), Return::success);
    Gpu* found = nullptr;
    EXPECT_EQ(call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &found), Return::success);
    EXPECT_EQ(found, it);
    for (const char* id : {place.bus_id, place.legacy_bus_id}) {
      EXPECT_EQ(call("nvmlDeviceGetHandleByPciBusId_v2", id, &found), Return::success) << id;
      EXPECT_EQ(found, it);
    }
    unsigned number = kGpus;
    EXPECT_EQ(call("nvmlDeviceGetIndex", it, &number), Return::success);
    EXPECT_EQ(number, index);
    uuids.insert(uuid);
    places.insert(place.bus_id);
  }
  EXPECT_EQ(uuids.size(), kGpus);
  EXPECT_EQ(places.size(), kGpus);
  Gpu* none = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetHandleByUUID", "GPU-0", &none), Return::not_found);
}

TEST_F(Nvml, TellsMemoryAndVersions) {
  Memory memory{};
  ASSERT_EQ(call("nvmlDeviceGetMemoryInfo", gpu(0), &memory), Return::success);
  EXPECT_GT(memory.total, 100ull << 30);
  EXPECT_EQ(memory.total, memory.free + memory.used);
  Memory_v2 more{};
  more.version = kMemory_v2;
  ASSERT_EQ(call("nvmlDeviceGetMemoryInfo_v2", gpu(0), &more), Return::success);
  EXPECT_EQ(more.total, memory.total);
  more.version = 1;
  EXPECT_EQ(call("nvmlDeviceGetMemoryInfo_v2", gpu(0), &more), Return::argument_version_mismatch);
  int cuda = 0, major = 0, minor = 0;
  EXPECT_EQ(call("nvmlSystemGetCudaDriverVersion_v2", &cuda), Return::success);
  EXPECT_EQ(cuda, 13000);
  ASSERT_EQ(call("nvmlDeviceGetCudaComputeCapability", gpu(1), &major, &minor), Return::success);
  EXPECT_EQ(major, 9);
  char version[4];
  EXPECT_EQ(call("nvmlSystemGetDriverVersion", version, 4u), Return::insufficient_size);
}

TEST_F(Nvml, SaysWhatItDoesNotSupport) {
  struct {
    unsigned gpu, memory;
  } rates;
  EXPECT_EQ(call("nvmlDeviceGetUtilizationRates", gpu(0), &rates), Return::not_supported);
  ASSERT_EQ(call("nvmlShutdown"), Return::success);
  unsigned count = 0;
  EXPECT_EQ(call("nvmlDeviceGetCount_v2", &count), Return::uninitialized);
  EXPECT_EQ(call("nvmlDeviceGetUtilizationRates", nullptr, &rates), Return::uninitialized);
  EXPECT_EQ(call("nvmlShutdown"), Return::uninitialized);
  ASSERT_EQ(call("nvmlInitWithFlags", 0u), Return::success);
}

TEST_F(Nvml, HasEveryListedName) {
  void* const library = dlopen(HEDDLE_NVML, RTLD_NOW);
  std::ifstream names(HEDDLE_SOURCE_DIR "/gpu/runtime/nvml/exports.txt");
  unsigned count = 0;
  for (std::string name; names >> name; ++count)
    EXPECT_NE(dlsym(library, name.c_str()), nullptr) << name;
  EXPECT_GT(count, 400u);
  dlclose(library);
}

}  // namespace
}  // namespace heddle::runtime::nvml
