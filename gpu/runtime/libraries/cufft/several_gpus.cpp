// cuFFT's plans for several GPUs: complex transforms in place, whose data lie in a descriptor. Each
// GPU has a part of it: of the first dimension as the program gives it, of the second one once it
// is transformed. Of one dimension the parts stay in order; NVIDIA's are permuted, as
// cufftXtQueryPlan tells. Transforms of a batch are shared out whole.
#include "gpu/runtime/libraries/cufft/plan.hpp"

extern "C" {
heddle::runtime::Error cudaGetDeviceCount(int*);
heddle::runtime::Error cudaGetDevice(int*);
heddle::runtime::Error cudaSetDevice(int);
heddle::runtime::Error cudaDeviceSynchronize();
heddle::runtime::Error cudaMalloc(void**, std::size_t);
heddle::runtime::Error cudaFree(void*);
}

namespace heddle::runtime::libraries::cufft {
namespace {

// cudaLibXtDesc and what it points to.
constexpr int kMostGpus = 64;
struct Parts {
  int version, count;
  int gpus[kMostGpus];
  void* data[kMostGpus];
  std::size_t bytes[kMostGpus];
  void* state;
};
struct Descriptor {
  int version;
  Parts* parts;
  int library, format;
  void* plan;
};
enum Format : int { natural = 0, transformed = 1, in_place = 2, shuffled = 3 };
enum class Copy : int { to_device = 0, to_host = 1, between_devices = 2 };

bool is_transformed(const Descriptor& data) {
  return data.format == Format::transformed || data.format == Format::shuffled;
}

// The device that the thread works on, which comes back.
class DeviceKept {
 public:
  DeviceKept() { cudaGetDevice(&device_); }
  ~DeviceKept() { cudaSetDevice(device_); }
  DeviceKept(const DeviceKept&) = delete;
  DeviceKept& operator=(const DeviceKept&) = delete;

 private:
  int device_ = 0;
};

Status set_gpus(int handle, int count, const int* gpus) {
  int there = 0;
  if (cudaGetDeviceCount(&there) != Error::success) return Status::invalid_device;
  demand(count >= 1 && count <= kMostGpus && gpus != nullptr);
  if (!std::all_of(gpus, gpus + count, [&](int id) { return id >= 0 && id < there; }))
    return Status::invalid_device;
  return with_plan(handle, [&](Plan& plan) {
    plan.gpus.assign(gpus, gpus + count);
    return Status::success;
  });
}

// Elements [first, first + size) of the divided dimension; the first parts have one more where it
// cannot be divided.
struct Share {
  std::int64_t first, size;
};
Share share_of(std::int64_t whole, std::size_t parts, std::size_t part) {
  const auto count = static_cast<std::int64_t>(parts), i = static_cast<std::int64_t>(part);
  const std::int64_t each = whole / count, more = whole % count;
  return {i * each + std::min(i, more), each + (i < more ? 1 : 0)};
}

// An array of outer x divided x inner elements.
struct Division {
  std::int64_t outer, divided, inner;

  std::int64_t elements() const { return outer * divided * inner; }
};
Division division_of(const Plan& plan, bool after_transform) {
  std::int64_t inner = 1;
  if (plan.batch > 1) {
    for (int i = 0; i < plan.rank; ++i) inner *= plan.size(i);
    return {1, plan.batch, inner};
  }
  const int divided = after_transform && plan.rank > 1 ? 1 : 0;
  for (int i = divided + 1; i < plan.rank; ++i) inner *= plan.size(i);
  return {divided == 1 ? plan.size(0) : 1, plan.size(divided), inner};
}

// Calls use(whole, part, count) for each run of elements that lie in a row in the whole array and
// in a GPU's part, by their places.
template <typename Use>
void each_run(const Division& division, std::size_t parts, std::size_t part, Use use) {
  const Share share = share_of(division.divided, parts, part);
  const std::int64_t run = share.size * division.inner;
  for (std::int64_t i = 0; i < division.outer; ++i)
    use((i * division.divided + share.first) * division.inner, i * run, run);
}

// The elements in their order. Inside a computation.
template <typename T>
std::vector<std::complex<T>> gathered(const Plan& plan, const Descriptor& data) {
  const Division division = division_of(plan, is_transformed(data));
  std::vector<std::complex<T>> whole(static_cast<std::size_t>(division.elements()));
  for (std::size_t i = 0; i < plan.gpus.size(); ++i)
    each_run(division, plan.gpus.size(), i, [&](std::int64_t to, std::int64_t at, std::int64_t n) {
      const auto* const part = static_cast<const std::complex<T>*>(data.parts->data[i]) + at;
      std::copy_n(in(part, n), n, whole.begin() + to);
    });
  return whole;
}
template <typename T>
void scatter(const Plan& plan, const Descriptor& data, const std::complex<T>* whole) {
  const Division division = division_of(plan, is_transformed(data));
  for (std::size_t i = 0; i < plan.gpus.size(); ++i)
    each_run(division, plan.gpus.size(), i,
             [&](std::int64_t from, std::int64_t at, std::int64_t n) {
               auto* const part = static_cast<std::complex<T>*>(data.parts->data[i]) + at;
               std::copy_n(whole + from, n, out(part, n));
             });
}

// Behind everything that the GPUs have been given; waits for it.
template <typename Compute>
Status run(const Plan& plan, Compute compute) {
  const DeviceKept kept;
  for (const int gpu : plan.gpus)
    if (cudaSetDevice(gpu) != Error::success || cudaDeviceSynchronize() != Error::success)
      return Status::exec_failed;
  if (submit(nullptr, type_of(plan.kind), shape_of(plan), compute) != Error::success ||
      !synchronize(nullptr))
    return Status::exec_failed;
  return Status::success;
}

void check(const Plan& plan, const Descriptor* data) {
  if (from_real(plan.kind) || to_real(plan.kind))
    throw Missing("real data on several GPUs are not supported");
  if (plan.input.given || plan.output.given)
    throw Missing("layouts on several GPUs are not supported");
  demand(data != nullptr && data->parts != nullptr &&
         data->parts->count == static_cast<int>(plan.gpus.size()));
}

Status any_plan(int handle, Plan& plan) {
  const Status known = with_plan(handle, [&](Plan& found) {
    plan = found;
    return Status::success;
  });
  if (known != Status::success) return known;
  return plan.rank == 0 || plan.gpus.empty() ? Status::invalid_plan
                                             : find_plan(handle, plan.kind, plan);
}

Status deallocate(Descriptor* data) {
  if (data == nullptr) return Status::success;
  const DeviceKept kept;
  bool freed = true;
  for (int i = 0; i < data->parts->count; ++i) {
    cudaSetDevice(data->parts->gpus[i]);
    freed = cudaFree(data->parts->data[i]) == Error::success && freed;
  }
  delete data->parts;
  delete data;
  return freed ? Status::success : Status::exec_failed;
}

Status allocate(int handle, Descriptor** data, int format) {
  demand(data != nullptr && format >= Format::natural && format <= Format::shuffled);
  Plan plan;
  const Status known = any_plan(handle, plan);
  if (known != Status::success) return known;
  const DeviceKept kept;
  auto* const made = new Descriptor{1, new Parts{}, 0, format, nullptr};
  made->parts->version = 1;
  for (std::size_t i = 0; i < plan.gpus.size(); ++i) {
    std::int64_t most = 0;
    for (const bool after : {false, true}) {
      const Division division = division_of(plan, after);
      const Share share = share_of(division.divided, plan.gpus.size(), i);
      most = std::max(most, division.outer * share.size * division.inner);
    }
    const std::size_t bytes = static_cast<std::size_t>(most) * (is_double(plan.kind) ? 16 : 8);
    if (cudaSetDevice(plan.gpus[i]) != Error::success ||
        cudaMalloc(&made->parts->data[i], bytes) != Error::success) {
      deallocate(made);
      return Status::alloc_failed;
    }
    made->parts->gpus[i] = plan.gpus[i];
    made->parts->bytes[i] = bytes;
    made->parts->count = static_cast<int>(i) + 1;
  }
  *data = made;
  return Status::success;
}

template <typename T>
Status copy_as(const Plan& plan, void* to, void* from, Copy kind) {
  auto* const target = static_cast<Descriptor*>(to);
  auto* const source = static_cast<Descriptor*>(from);
  const auto elements = static_cast<std::size_t>(division_of(plan, false).elements());
  std::vector<std::complex<T>> whole;
  if (kind == Copy::to_device) {
    check(plan, target);
    target->format = Format::in_place;
    const auto* const first = static_cast<const std::complex<T>*>(from);
    whole.assign(first, first + elements);
    return run(plan, [&] { scatter(plan, *target, whole.data()); });
  }
  check(plan, source);
  if (kind == Copy::to_host) {
    const Status status = run(plan, [&] { whole = gathered<T>(plan, *source); });
    if (status == Status::success)
      std::copy(whole.begin(), whole.end(), static_cast<std::complex<T>*>(to));
    return status;
  }
  check(plan, target);
  target->format = Format::in_place;
  return run(plan, [&] { scatter(plan, *target, gathered<T>(plan, *source).data()); });
}

Status copy(int handle, void* to, void* from, Copy kind) {
  demand(to != nullptr && from != nullptr && kind >= Copy::to_device &&
         kind <= Copy::between_devices);
  Plan plan;
  const Status known = any_plan(handle, plan);
  if (known != Status::success) return known;
  return is_double(plan.kind) ? copy_as<double>(plan, to, from, kind)
                              : copy_as<float>(plan, to, from, kind);
}

template <typename T>
Status execute_as(const Plan& plan, Descriptor* data, int direction) {
  return run(plan, [&] {
    std::vector<std::complex<T>> whole = gathered<T>(plan, *data);
    T* const numbers = reinterpret_cast<T*>(whole.data());
    transform(plan, static_cast<const T*>(numbers), numbers, direction);
    Descriptor result = *data;
    result.format = is_transformed(*data) ? Format::in_place : Format::shuffled;
    scatter(plan, result, whole.data());
    data->format = result.format;
  });
}

template <Kind kKind>
Status execute(int handle, Descriptor* input, Descriptor* output, int direction) {
  Plan plan;
  const Status known = find_plan(handle, kKind, plan);
  if (known != Status::success) return known;
  if (plan.gpus.empty()) return Status::invalid_plan;
  check(plan, input);
  demand(direction == 1 || direction == -1);
  if (input != output) throw Missing("transforms from one descriptor to another are not supported");
  return is_double(kKind) ? execute_as<double>(plan, input, direction)
                          : execute_as<float>(plan, input, direction);
}

}  // namespace

HEDDLE_EXPORT(cufftXtSetGPUs, set_gpus)
HEDDLE_EXPORT(cufftXtMalloc, allocate)
HEDDLE_EXPORT(cufftXtFree, deallocate)
HEDDLE_EXPORT(cufftXtMemcpy, copy)
HEDDLE_EXPORT(cufftXtExecDescriptorC2C, execute<Kind::c2c>)
HEDDLE_EXPORT(cufftXtExecDescriptorZ2Z, execute<Kind::z2z>)

}  // namespace heddle::runtime::libraries::cufft
