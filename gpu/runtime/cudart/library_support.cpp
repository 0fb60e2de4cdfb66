#include "gpu/runtime/library_support.hpp"

#include <atomic>
#include <exception>
#include <memory>
#include <string>

#include "gpu/runtime/cudart/api.hpp"
#include "gpu/runtime/cudart/process_record.hpp"
#include "gpu/runtime/losses.hpp"
#include "gpu/runtime/record_stream.hpp"

namespace heddle::runtime {
namespace {

// A computation had wrong operands: what libraries compute from then on is worth nothing.
std::atomic<bool> failed{false};

// Whose computation this thread is inside. Not the runtime's own: at the end of the program, and in
// cudaDeviceReset, a context still works its queue off when the runtime knows it no more.
thread_local Context* computing = nullptr;

struct Work {
  LibraryCall call;
  std::shared_ptr<void> user;
  const char* (*compute)(void* user);

  void operator()(Context& context, Error error) const {
    if (error != Error::success || failed) return;
    const simulator::lanes::DefaultEnvironment environment;
    computing = &context;
    const char* const wrong = compute(user.get());
    computing = nullptr;
    if (wrong != nullptr) {
      failed = true;
      Runtime::instance().notice(call.name + ": " + wrong +
                                 ". Every later call of a library that the host computes fails");
      return;
    }
    try {
      if (const auto record = process_record()) record->library_call(call);
    } catch (const std::exception& failure) {
      report_loss(failure.what());
    }
  }
};

Error submit(abi::Handle stream, const LibrarySupport::Call& call) {
  const Work work{{0, call.name, call.type, call.shape}, {call.user, call.drop}, call.compute};
  return on_stream(stream, DefaultStream::legacy, [&](Context& context, Stream& in) -> Error {
    if (failed) return Error::illegal_address;
    context.call_host(in, work);
    return Error::success;
  });
}

// The memory of any GPU. Which of it the routine writes nobody says: it may be all.
void* reach(std::uint64_t address, std::uint64_t bytes) {
  const auto block = computing != nullptr ? computing->find_memory(address) : std::nullopt;
  if (!block) return nullptr;
  const std::uint64_t offset = address - block->address;
  if (bytes > block->bytes - offset) return nullptr;
  computing->library_reached(address, bytes);
  return block->data + offset;
}

void say_once(const char* text) { Runtime::instance().notice_once(text); }

bool has_failed() { return failed; }

}  // namespace

const LibrarySupport& library_support() {
  static constexpr LibrarySupport kTable{submit, reach, say_once, has_failed};
  return kTable;
}

}  // namespace heddle::runtime
