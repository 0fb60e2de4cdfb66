#include "gpu/runtime/losses.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "simulator/base/display_names.hpp"
#include "simulator/base/file.hpp"
#include "simulator/device/device.hpp"

namespace heddle::runtime {
namespace {

using Count = std::atomic<std::uint32_t>;
static_assert(Count::is_always_lock_free && sizeof(Count) == sizeof(std::uint32_t));

constexpr std::size_t kBytes = 4096;

Count* shared = nullptr;  // null: nobody asked for results

// One step of an observer; it is dropped at its first failure.
class Careful : public LaunchObserver {
 public:
  explicit Careful(std::shared_ptr<LaunchObserver> observer) : observer_(std::move(observer)) {}

  void nested(unsigned depth) override {
    guard([&] { observer_->nested(depth); });
  }
  void before(simulator::Device& device, const simulator::LaunchRequest& request) override {
    guard([&] { observer_->before(device, request); });
  }
  bool during(const simulator::LaunchProgress& progress) override {
    bool go_on = true;
    guard([&] { go_on = observer_->during(progress); });
    return go_on;
  }
  simulator::Observer* instructions() override {
    simulator::Observer* instructions = nullptr;
    guard([&] { instructions = observer_->instructions(); });
    return instructions;
  }
  void worked(const StreamEvent& event) override {
    guard([&] { observer_->worked(event); });
  }
  void after(simulator::Device& device, const simulator::LaunchRequest& request,
             const simulator::LaunchOutcome& outcome) override {
    guard([&] { observer_->after(device, request, outcome); });
  }
  void unloading(const simulator::Module& module) override {
    guard([&] { observer_->unloading(module); });
  }

 private:
  template <typename Step>
  void guard(Step step) {
    if (!failed_) try {
        step();
      } catch (const std::exception& failure) {
        failed_ = true;
        report_loss(failure.what());
      }
  }

  const std::shared_ptr<LaunchObserver> observer_;
  bool failed_ = false;
};

}  // namespace

void make_losses(const std::filesystem::path& streams) {
  simulator::write_file(streams / kLossesFile, std::string(kBytes, '\0'));
}

unsigned losses_in(const std::filesystem::path& streams) {
  const std::string bytes = simulator::read_file(streams / kLossesFile, kBytes);
  std::uint32_t count = 0;
  std::copy_n(bytes.data(), std::min(bytes.size(), sizeof count), reinterpret_cast<char*>(&count));
  return count;
}

void share_losses(const std::filesystem::path& stream) {
  if (stream.empty() || shared != nullptr) return;
  const std::filesystem::path file = stream.parent_path() / kLossesFile;
  const int descriptor = open(file.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return;
  void* const page = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (page != MAP_FAILED) shared = static_cast<Count*>(page);
}

void report_loss(const std::string& what) noexcept try {
  static std::mutex mutex;
  static auto& said = *new std::set<std::string>;  // a program's last thread may outlive main
  {
    const std::lock_guard lock(mutex);
    if (!said.insert(what).second) return;
  }
  if (shared != nullptr) ++*shared;
  simulator::StreamFile errors(STDERR_FILENO, "standard error");
  errors.write(fmt::format("heddle: {}; results are missing from here on\n",
                           simulator::visible_lines(what)));
} catch (...) {
  // It is counted.
}

void end_without_memory() noexcept {
  constexpr std::string_view kText = "heddle: out of memory\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
  _exit(125);
}

std::shared_ptr<LaunchObserver> careful(std::shared_ptr<LaunchObserver> observer) {
  return std::make_shared<Careful>(std::move(observer));
}

}  // namespace heddle::runtime
