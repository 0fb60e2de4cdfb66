// A context: one simulated device with its memory, code, streams and events, and the queue of work.
// This is the core that both a runtime-API and a driver-API front stand on; it prints nothing and
// knows of no process-wide state. Every method may be called from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gpu/runtime/abi.hpp"
#include "gpu/runtime/array.hpp"
#include "gpu/runtime/code_image.hpp"
#include "gpu/runtime/copy.hpp"
#include "gpu/runtime/engine.hpp"
#include "gpu/runtime/error.hpp"
#include "gpu/runtime/graph_memory.hpp"
#include "gpu/runtime/launch_observer.hpp"
#include "gpu/runtime/memory_pool.hpp"
#include "gpu/runtime/memory_table.hpp"
#include "gpu/runtime/ptx.hpp"
#include "gpu/runtime/shared_pages.hpp"
#include "gpu/runtime/stream.hpp"
#include "gpu/runtime/system.hpp"
#include "gpu/runtime/timeline.hpp"
#include "simulator/checks/checks.hpp"
#include "simulator/device/device.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/models/gpu_model.hpp"

namespace heddle::simulator {
struct TextureHeader;
}

namespace heddle::runtime {

struct LaunchWait;  // gpu/runtime/launch_wait.hpp

struct ContextOptions {
  simulator::LaunchSettings settings;
  std::vector<std::shared_ptr<LaunchObserver>> observers;
  // Device printf output, at the points where CUDA shows it.
  std::function<void(std::string_view)> print = [](std::string_view) {};
  // Something the user should know (a fault, why a launch was refused).
  std::function<void(const std::string&)> notice = [](const std::string&) {};
  // The context that the calling thread works in, as programs call it: new memory is told as its.
  std::function<void*()> current = [] { return nullptr; };
  // Of a launch of the program and what it launches: each is kept in the record. A GPU ends a tree
  // of launches early, as most of those that would be pending at a time fail.
  std::uint64_t most_grids = std::uint64_t{1} << 20;
};

struct LaunchShape {
  simulator::Dim3 grid, block, cluster{1, 1, 1};
  std::size_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  bool explicit_cluster = false;                        // as LaunchRequest's
  std::optional<std::uint8_t> preferred_carveout = {};  // of this launch; none: the kernel's
};

// What a texture, or a surface, was made from.
struct TextureDescription {
  abi::ResourceDesc resource{};
  abi::TextureDesc sampling{};
  bool surface = false;
  abi::ResourceViewDesc view{};
};

enum class DefaultStream { legacy, per_thread };  // what stream 0 means to the caller

class Context {
 public:
  // One of the GPUs of `system`; null: the only one.
  Context(const simulator::GpuModel& model, ContextOptions options,
          std::shared_ptr<System> system = nullptr, unsigned gpu = 0);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const simulator::GpuModel& model() const { return device_.model(); }
  unsigned gpu() const { return device_.place().ordinal; }
  // The error that has made the context useless, once a call that waited has learned of it.
  Error status() const { return observed_; }
  bool inside_action() const { return engine_.inside_action(); }
  bool timed() const { return options_.settings.timing.has_value(); }
  // Carries out all that was submitted, and shows nothing. Bytes of output that nobody will see.
  std::size_t finish();

  // Memory (context_memory.cpp). Addresses are device addresses; for pinned, registered and managed
  // memory they equal the host's.
  Error allocate(std::uint64_t bytes, std::string_view label, std::uint64_t& address,
                 simulator::DeviceMemory::Pool pool = simulator::DeviceMemory::Pool::plain,
                 std::uint64_t alignment = 1, std::uint32_t reached_by = 0);
  // At `wanted`, where that can be; elsewhere otherwise.
  Error reserve(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t wanted,
                std::uint64_t& address);
  Error allocate_host(std::uint64_t bytes, MemoryKind kind, unsigned flags, void*& host);
  Error register_host(void* host, std::uint64_t bytes, unsigned flags);
  Error unregister_host(void* host);
  Error free(std::uint64_t address);
  Error free_host(void* host);
  Error free_later(std::uint64_t address, Stream& stream);
  std::optional<MemoryBlock> find_memory(std::uint64_t address) const;
  Error memory_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes);
  // `wait`: the caller wants the effect before it goes on (cudaMemcpy and not cudaMemcpyAsync).
  Error copy(const CopyRequest& request, Stream& stream, bool wait);
  bool can_copy(const CopyRequest& request) const;  // both ends are there, and of its kind
  Error fill(const FillRequest& request, Stream& stream, bool wait);
  bool can_fill(const FillRequest& request) const;

  // Memory of other GPUs (context_peers.cpp). Kernels here reach what `peer` has allocated, and
  // will.
  std::uint64_t used_bytes() const;  // in device memory; waits for nothing
  Error enable_peer(unsigned peer);
  Error disable_peer(unsigned peer);
  // Of an allocation here, or of all of a pool: whether kernels of another GPU reach it.
  Error set_access(std::uint64_t address, unsigned of, bool allowed);
  Error set_pool_access(abi::Handle pool, unsigned of, bool allowed);

  // Memory and events of other processes (context_sharing.cpp).
  Error share_memory(std::uint64_t address, abi::IpcHandle& handle);
  // … of a pool.
  Error share_pooled_memory(std::uint64_t address, abi::IpcHandle& handle);
  Error open_memory(const abi::IpcHandle& handle, std::uint64_t& address);
  Error open_pooled_memory(abi::Handle pool, const abi::IpcHandle& handle, std::uint64_t& address);
  Error close_memory(std::uint64_t address);
  Error share_event(const Event& event, abi::IpcHandle& handle) const;
  Error open_event(const abi::IpcHandle& handle, std::shared_ptr<Event>& event);
  // The file's pages in place of those at `address`; null: fresh ones.
  Error put_pages(std::uint64_t address, const std::shared_ptr<SharedFile>& file,
                  std::uint64_t bytes);

  // Memory pools (context_pools.cpp).
  // `number`: of a pool of another process.
  abi::Handle create_pool(const abi::MemPoolProps& properties, std::uint64_t number = 0);
  bool has_pool(abi::Handle handle) const;
  // Calls `body(MemoryPool&)` while no other thread touches the pool; nothing where there is none.
  template <typename Body>
  std::optional<Error> with_pool(abi::Handle handle, Body body) {
    std::lock_guard lock(mutex_);
    const auto found = pools_.find(handle);
    if (found == pools_.end()) return std::nullopt;
    return body(*found->second);
  }
  Error destroy_pool(abi::Handle handle);
  abi::Handle default_pool() const { return default_pool_; }
  abi::Handle current_pool() const;
  Error use_pool(abi::Handle handle);
  // Memory of graphs (graph_memory.hpp). A block for the nodes of one; it goes with its last
  // holder.
  Error allocate_for_graph(std::uint64_t bytes, std::shared_ptr<Context> self,
                           std::shared_ptr<const void>& block);
  GraphMemory& graph_memory() { return graph_memory_; }
  GraphMemory::Pieces reserve_for_graph(std::uint64_t bytes, const Stream& stream);
  void trim_graph_memory();
  Error allocate_from(abi::Handle pool, std::uint64_t bytes, std::uint64_t& address);

  // Arrays, textures and surfaces (context_textures.cpp).
  Error create_array(const abi::ChannelFormatDesc& format, const abi::Extent& extent,
                     unsigned flags, abi::Handle& handle);
  std::shared_ptr<Array> array(abi::Handle handle) const;  // null: no such array
  Error free_array(abi::Handle handle);
  // Of a mipmapped array as many levels as there can be are made, and one at least.
  Error create_levels(const abi::ChannelFormatDesc& format, const abi::Extent& extent,
                      unsigned levels, unsigned flags, abi::Handle& handle);
  std::shared_ptr<MipmappedArray> levels(abi::Handle handle) const;  // null: no such array
  Error free_levels(abi::Handle handle);
  Error create_texture(const abi::ResourceDesc& resource, const abi::TextureDesc& description,
                       const abi::ResourceViewDesc* view, std::uint64_t& object);
  Error create_surface(const abi::ResourceDesc& resource, std::uint64_t& object);
  Error destroy_texture(std::uint64_t object, bool surface);
  std::optional<TextureDescription> texture(std::uint64_t object, bool surface) const;

  // Streams and events (context_streams.cpp). Null: no such stream, or event.
  std::shared_ptr<Stream> create_stream(unsigned flags, int priority);
  std::shared_ptr<Stream> stream(abi::Handle handle, DefaultStream meaning);
  bool destroy_stream(abi::Handle handle);
  Error synchronize(Stream& stream);
  Error synchronize();
  bool idle(Stream& stream) const;
  std::shared_ptr<Event> create_event(unsigned flags);
  std::shared_ptr<Event> event(abi::Handle handle) const;
  bool destroy_event(abi::Handle handle);
  void record(Event& event, Stream& stream);
  void wait(Stream& stream, const Event& event);  // what follows in the stream comes after it
  bool reached(const Event& event) const;         // or never recorded
  Error synchronize(const Event& event);
  // Runs `action` after the work in `stream`; it is told in which context, and what error that is
  // in by then.
  using HostCall = std::function<void(Context&, Error)>;
  void call_host(Stream& stream, HostCall action);
  // The same for a function of the program, which is not called in a context with an error. It may
  // wait for what other threads of the program do: then later work of other streams goes on.
  void call_program(Stream& stream, std::function<void()> function);
  // Inside one: it may write there.
  void library_reached(std::uint64_t address, std::uint64_t bytes);

  // Captures (context_captures.cpp). The errors are those for what captures do not allow, which
  // ends them; success: go on.
  Error begin_capture(Stream& stream, std::shared_ptr<Graph> graph, CaptureMode mode);
  // Nothing in `graph` where the capture has failed.
  Error end_capture(Stream& stream, std::shared_ptr<Graph>& graph);
  // What waits for an event that a capture has recorded takes part in it.
  Error join_capture(Stream& stream, const Event& event);
  Error refuse_unsafe(CaptureMode of_thread);   // a call that may wait, or allocate
  Error refuse_always();                        // a call that waits for everything
  Error refuse_implicit(const Stream& stream);  // a call in stream 0 waits for blocking streams

  // Code and launches (context_launch.cpp).
  // Loads what fits this device from a fat binary or a cubin; `why` says what went wrong.
  // `elsewhere`: the same code on another GPU, or null; its managed variables are this one's too.
  Error load(std::span<const std::byte> binary, const std::string& origin, CodeImage*& image,
             std::string& why, const CodeImage* elsewhere = nullptr);
  Error load(std::vector<isa::FatEntry> entries, const std::string& origin, CodeImage*& image,
             std::string& why, const JitOptions& options = {},
             const CodeImage* elsewhere = nullptr);
  void unload(CodeImage* image);
  // Whether a launch can be; it is not submitted.
  Error check_launch(const Function& function, const LaunchShape& shape, void* const* arguments) {
    simulator::LaunchRequest request;
    return prepare_launch(function, shape, arguments, request);
  }
  // Checks a launch and submits it. `arguments` points to one pointer per kernel parameter.
  Error launch(const Function& function, const LaunchShape& shape, void* const* arguments,
               Stream& stream);
  // Where the host side reaches a variable, and the address kernels (or, for constants, copies)
  // use.
  std::optional<MemoryBlock> variable(const CodeImage& image, std::string_view name) const;

  Error set_limit(abi::Limit limit, std::uint64_t value);
  Error limit(abi::Limit limit, std::uint64_t& value) const;

  // What comes behind in the stream comes when 32 or 64 bits are what `reached` waits for.
  Error write_value(Stream& stream, std::uint64_t address, std::uint64_t value, unsigned bytes);
  Error wait_value(Stream& stream, std::uint64_t address, unsigned bytes,
                   std::function<bool(std::uint64_t)> reached);

  // Runs `action` in its turn; what it submits is a part of it.
  void in_turn(Stream& stream, std::function<void(Context&, Stream&)> action);
  bool has_failed() const { return lost(); }  // for such actions
  // The context of a function that another GPU may have.
  Context& home_of(const Function& function);

 private:
  bool reaches(const MemoryBlock& block) const;
  void map(const MemoryBlock& block);
  void unmap(std::uint64_t address);
  // Memory that this GPU has taken: known to all, and mapped where it is reached. False: the table
  // has another there.
  bool add_block(MemoryBlock block);
  void free_block(std::uint64_t address);  // which the table has no more
  void settle_access(const MemoryBlock& block);
  void settle_peer(unsigned peer);
  void join_system();
  void leave_system();
  std::string missing_access(const simulator::Fault& fault) const;
  Ticket enqueue(Engine::Action action, Engine::Length length, Stream& stream);
  struct Output {
    Ticket ticket;
    std::string text;
  };

  Error share(const MemoryBlock& block, std::shared_ptr<SharedFile>& file);
  void wait_for_counts(const Event& event) const;  // all that any process has recorded
  Engine::Place place_of(const Stream& stream) const;
  // Until `reached`, inside an action of a stream: what was submitted later may go on.
  void wait_in(const Engine::Place& place, const std::function<bool()>& reached);
  void call_beside(const Engine::Place& place, const std::function<void()>& function);
  // Waits for what was submitted up to `ticket`, shows its output, learns of faults in it.
  Error wait_for(Ticket ticket);
  // Runs as part of the calling thread's wait; what was submitted before is done then.
  Error run(Engine::Action action);
  // What gives something new to this GPU alone: it does not wait for launches on others, which may
  // wait for what comes after it.
  Error run_here(Engine::Action action);
  void submit(Stream& stream, Engine::Action action, Engine::Length length);
  Error submit(Stream& stream, Engine::Action action, bool wait);
  Ticket last_of(const Stream& stream) const;
  Error prepare_launch(const Function& function, const LaunchShape& shape, void* const* arguments,
                       simulator::LaunchRequest& request);
  // Executes a launch, and then what it has launched itself.
  void carry_out(const simulator::LaunchRequest& request, const StreamOrder& stream, Ticket ticket);
  void tell_of_accesses_outside(const isa::Kernel& kernel);
  void tell_of_unloading(const CodeImage& image);
  void execute(const simulator::LaunchRequest& request, unsigned nesting, const StreamOrder& stream,
               Ticket ticket);
  // A launch stands still (context_waits.cpp). False: nobody will change what it waits for.
  bool wait_for_others(const simulator::Standstill& standstill, LaunchWait& wait);
  std::vector<std::uint64_t> held_at(const std::vector<std::uint64_t>& addresses);
  bool others_may_write(const simulator::Standstill& standstill) const;
  bool may_launch_within();  // other launches, while one stands still
  StreamOrder order_of(const Stream& stream) const;
  // The host has waited, until the time this gives: what is submitted next comes later.
  using HostWait = std::function<double(const Timeline&)>;
  void host_waited(HostWait wait);
  Engine::Action after_host_waits(Engine::Action action);
  static std::string name_of(StreamWork::Unit copy);
  void work(std::string name, const StreamOrder& stream, const StreamWork& work);  // in actions
  void fail(Ticket ticket, Error error, const std::string& why);                   // inside actions
  bool lost() const { return fault_ != Error::success; }                           // inside actions
  void tell_written(const Placed& to, const Box& box);
  // The host side, or a stream, has written to plain memory, whosever it is; inside actions.
  void host_wrote(std::uint64_t address, std::uint64_t bytes);
  void register_variables(const CodeImage& image);
  void keep_output(Ticket ticket, std::string text);  // inside actions
  // Maps what another process shares, once; `pool`: that it is of, or null.
  Error open(const SharedHandle& shared, const MemoryPool* pool, std::uint64_t& address);
  void leave_sharing(std::uint64_t address);
  // Whether it was of a pool. `counted`: the pool's "used" sees it go.
  bool leave_pool(const MemoryBlock& block, bool counted);
  void settle_pools();  // a stream has been waited for
  Error describe_resource(const abi::ResourceDesc& resource,
                          simulator::TextureHeader& header) const;
  Error add_header(const simulator::TextureHeader& header, const TextureDescription& description,
                   std::uint64_t& object);
  // What a copy takes on the device, by the model's constants; 0 when nothing is timed.
  double copy_nanoseconds(const Box& box, bool within_device, bool pageable) const;

  ContextOptions options_;
  const std::shared_ptr<System> system_;
  simulator::Device device_;                           // touched by actions only
  std::unique_ptr<simulator::checks::Checks> checks_;  // the same; null: none asked for
  MemoryTable& memory_;
  std::uint32_t peers_ = 0;  // a bit for each GPU whose memory kernels here reach; in actions
  GraphMemory graph_memory_;
  std::uint64_t looks_ = 0;  // at memory that may have gone; in actions

  std::mutex showing_;        // of output, one thread at a time; taken before mutex_
  mutable std::mutex mutex_;  // of what follows
  std::map<abi::Handle, std::shared_ptr<Stream>> streams_;
  std::map<std::thread::id, std::shared_ptr<Stream>> thread_streams_;
  std::map<abi::Handle, std::shared_ptr<Event>> events_;
  std::vector<std::shared_ptr<Graph>> captures_;  // under way
  std::atomic<std::size_t> capture_count_{0};
  std::map<const CodeImage*, std::unique_ptr<CodeImage>> images_;
  std::map<abi::Handle, std::shared_ptr<Array>> arrays_;
  std::map<abi::Handle, std::shared_ptr<MipmappedArray>> mipmapped_arrays_;
  std::map<std::uint64_t, TextureDescription> textures_;
  struct Opened {
    std::uint64_t address;
    unsigned times;
  };
  std::map<std::uint64_t, std::shared_ptr<SharedFile>> shared_;  // by address
  std::map<std::uint64_t, Opened> opened_;                       // by the file's number
  std::map<abi::Handle, std::shared_ptr<MemoryPool>> pools_;
  std::map<std::uint64_t, std::shared_ptr<MemoryPool>> pooled_;  // by address
  abi::Handle default_pool_ = nullptr, current_pool_ = nullptr;
  std::list<Ticket> open_;     // submitted here, and perhaps not carried out yet
  std::size_t most_open_ = 0;  // until those that are done are sought
  Ticket last_ = 0;            // that was submitted here
  std::vector<Output> output_;
  std::uint64_t output_bytes_ = 0;    // in it
  std::vector<HostWait> host_waits_;  // since the last submission
  std::map<abi::Limit, std::uint64_t> limits_;
  std::uint64_t next_stream_id_ = 2;

  std::shared_ptr<Stream> legacy_ = std::make_shared<Stream>();
  std::atomic<Error> fault_{Error::success};  // set by actions, after fault_ticket_
  std::atomic<Ticket> fault_ticket_{0};
  std::atomic<bool> ending_{false};              // the program asks for nothing more
  std::atomic<Error> observed_{Error::success};  // what calls have seen of it
  std::set<std::string> outside_;         // kernels that accessed it; touched by actions only
  Progress progress_;                     // the same
  Timeline timeline_{hardware_queues()};  // the same

  Engine& engine_;
};

// A launch with these arguments as they are now, for any time.
std::function<Error(Context&, Stream&)> launch_later(const Function& function,
                                                     const LaunchShape& shape,
                                                     void* const* arguments);

}  // namespace heddle::runtime
