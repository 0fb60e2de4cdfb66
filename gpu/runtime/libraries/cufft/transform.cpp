// cuFFT: plans are kept, and each transform is one of FFTW's.
#include <map>
#include <mutex>

#include "gpu/runtime/libraries/cufft/plan.hpp"

namespace heddle::runtime::libraries::cufft {
namespace {

std::mutex mutex;
std::map<int, Plan>& plans() {
  static auto& all = *new std::map<int, Plan>;
  return all;
}

}  // namespace

Status with_plan(int handle, const std::function<Status(Plan&)>& use) {
  const std::lock_guard lock(mutex);
  const auto found = plans().find(handle);
  return found == plans().end() ? Status::invalid_plan : use(found->second);
}

namespace {

Status create(int* handle) {
  demand(handle != nullptr);
  const std::lock_guard lock(mutex);
  static int next = 1;
  plans()[*handle = next++] = {};
  return Status::success;
}
Status destroy(int handle) {
  const std::lock_guard lock(mutex);
  return plans().erase(handle) != 0 ? Status::success : Status::invalid_plan;
}
Status set_stream(int handle, abi::Handle stream) {
  return with_plan(handle, [&](Plan& plan) {
    plan.stream = stream;
    return Status::success;
  });
}

// The host needs no memory of the program's.
Status no_workspace(std::size_t* bytes) {
  if (bytes != nullptr) *bytes = 0;
  return Status::success;
}

template <typename Int>
Status make_many(int handle, int rank, Int* n, Int* in_embedded, Int in_stride, Int in_distance,
                 Int* out_embedded, Int out_stride, Int out_distance, Kind kind, Int batch,
                 std::size_t* bytes) {
  if (rank < 1 || rank > kMostDimensions || batch < 1 || n == nullptr) return Status::invalid_size;
  Plan made;
  made.rank = rank;
  made.kind = kind;
  made.batch = batch;
  const bool given = in_embedded != nullptr && out_embedded != nullptr;
  made.input = {given, {}, in_stride, in_distance};
  made.output = {given, {}, out_stride, out_distance};
  for (int i = 0; i < rank; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (n[i] < 1) return Status::invalid_size;
    made.sizes[at] = n[i];
    if (!given) continue;
    made.input.embedded[at] = in_embedded[i];
    made.output.embedded[at] = out_embedded[i];
  }
  no_workspace(bytes);
  return with_plan(handle, [&](Plan& plan) {
    made.stream = plan.stream;
    made.gpus = plan.gpus;
    plan = made;
    return Status::success;
  });
}
template <typename... Int>
Status make_plain(int handle, Kind kind, int batch, std::size_t* bytes, Int... sizes) {
  int n[] = {sizes...};
  return make_many<int>(handle, sizeof...(Int), n, nullptr, 1, 0, nullptr, 1, 0, kind, batch,
                        bytes);
}
Status make_1d(int handle, int nx, Kind kind, int batch, std::size_t* bytes) {
  return make_plain(handle, kind, batch, bytes, nx);
}
Status make_2d(int handle, int nx, int ny, Kind kind, std::size_t* bytes) {
  return make_plain(handle, kind, 1, bytes, nx, ny);
}
Status make_3d(int handle, int nx, int ny, int nz, Kind kind, std::size_t* bytes) {
  return make_plain(handle, kind, 1, bytes, nx, ny, nz);
}

// Types of both sides as cudaDataType numbers them.
Kind kind_of(int input, int output) {
  constexpr int kFloat = 0, kDouble = 1, kComplex = 4, kDoubleComplex = 5;
  if (input == kComplex && output == kComplex) return Kind::c2c;
  if (input == kFloat && output == kComplex) return Kind::r2c;
  if (input == kComplex && output == kFloat) return Kind::c2r;
  if (input == kDoubleComplex && output == kDoubleComplex) return Kind::z2z;
  if (input == kDouble && output == kDoubleComplex) return Kind::d2z;
  if (input == kDoubleComplex && output == kDouble) return Kind::z2d;
  throw Missing("a transform from cudaDataType " + std::to_string(input) + " to " +
                std::to_string(output) + " is not supported");
}
using Long = long long;
Status make_many_of_types(int handle, int rank, Long* n, Long* in_embedded, Long in_stride,
                          Long in_distance, int input, Long* out_embedded, Long out_stride,
                          Long out_distance, int output, Long batch, std::size_t* bytes, int) {
  return make_many<Long>(handle, rank, n, in_embedded, in_stride, in_distance, out_embedded,
                         out_stride, out_distance, kind_of(input, output), batch, bytes);
}

Status plan_many(int* handle, int rank, int* n, int* in_embedded, int in_stride, int in_distance,
                 int* out_embedded, int out_stride, int out_distance, Kind kind, int batch) {
  const Status status = create(handle);
  if (status != Status::success) return status;
  return make_many<int>(*handle, rank, n, in_embedded, in_stride, in_distance, out_embedded,
                        out_stride, out_distance, kind, batch, nullptr);
}
Status plan_1d(int* handle, int nx, Kind kind, int batch) {
  create(handle);
  return make_1d(*handle, nx, kind, batch, nullptr);
}
Status plan_2d(int* handle, int nx, int ny, Kind kind) {
  create(handle);
  return make_2d(*handle, nx, ny, kind, nullptr);
}
Status plan_3d(int* handle, int nx, int ny, int nz, Kind kind) {
  create(handle);
  return make_3d(*handle, nx, ny, nz, kind, nullptr);
}

// What FFTW calls fftw_iodim64.
struct Dimension {
  std::ptrdiff_t n, in, out;
};
static_assert(sizeof(Dimension) == 3 * sizeof(std::ptrdiff_t));

// The layout of a side whose last dimension has `last` elements, of which `padded` have room.
Layout completed(const Layout& given, const Plan& plan, std::int64_t padded) {
  if (given.given) return given;
  Layout layout{true, plan.sizes, 1, 1};
  layout.embedded[static_cast<std::size_t>(plan.rank - 1)] = padded;
  for (int i = 0; i < plan.rank; ++i)
    layout.distance *= layout.embedded[static_cast<std::size_t>(i)];
  return layout;
}

struct Side {
  Layout layout;
  std::int64_t last;  // elements of the last dimension

  std::int64_t stride(int dimension, int rank) const {
    std::int64_t product = layout.stride;
    for (int i = rank - 1; i > dimension; --i)
      product *= layout.embedded[static_cast<std::size_t>(i)];
    return product;
  }
  // From its first element to its last one.
  std::int64_t elements(const Plan& plan) const {
    std::int64_t end = 1 + (plan.batch - 1) * layout.distance;
    for (int i = 0; i < plan.rank; ++i) {
      const std::int64_t n = i == plan.rank - 1 ? last : plan.sizes[static_cast<std::size_t>(i)];
      end += (n - 1) * stride(i, plan.rank);
    }
    return end;
  }
};

// Without a layout, real data that is transformed in place has room for the complex result.
std::pair<Side, Side> sides_of(const Plan& plan, bool in_place) {
  const std::int64_t n = plan.sizes[static_cast<std::size_t>(plan.rank - 1)], half = n / 2 + 1;
  const std::int64_t room = in_place ? 2 * half : n;
  const std::int64_t in_last = to_real(plan.kind) ? half : n;
  const std::int64_t out_last = from_real(plan.kind) ? half : n;
  return {{completed(plan.input, plan, from_real(plan.kind) ? room : in_last), in_last},
          {completed(plan.output, plan, to_real(plan.kind) ? room : out_last), out_last}};
}

// Numbers of both sides.
std::pair<std::int64_t, std::int64_t> numbers_of(const Plan& plan, bool in_place) {
  const auto [input, output] = sides_of(plan, in_place);
  return {input.elements(plan) * (from_real(plan.kind) ? 1 : 2),
          output.elements(plan) * (to_real(plan.kind) ? 1 : 2)};
}

template <typename T>
void transform_on_device(const Plan& plan, const void* from, void* to, int direction) {
  const auto [in_numbers, out_numbers] = numbers_of(plan, from == to);
  transform(plan, in(static_cast<const T*>(from), in_numbers),
            out(static_cast<T*>(to), out_numbers), direction);
}

}  // namespace

template <typename T>
void transform(const Plan& plan, const T* source, T* target, int direction) {
  const Host library = std::is_same_v<T, double> ? Host::fftw : Host::fftwf;
  const std::string prefix = std::is_same_v<T, double> ? "fftw_" : "fftwf_";
  const auto [input, output] = sides_of(plan, source == target);
  std::vector<T> kept;  // FFTW overwrites the input of transforms to real data
  if (to_real(plan.kind) && source != target) {
    kept.assign(source, source + numbers_of(plan, false).first);
    source = kept.data();
  }
  std::vector<Dimension> dimensions;
  for (int i = 0; i < plan.rank; ++i)
    dimensions.push_back({plan.size(i), input.stride(i, plan.rank), output.stride(i, plan.rank)});
  const Dimension many{plan.batch, input.layout.distance, output.layout.distance};
  constexpr unsigned kEstimate = 1u << 6;
  const auto* const each = static_cast<const Dimension*>(dimensions.data());
  T* const begin = const_cast<T*>(source);
  void* made;
  if (from_real(plan.kind) || to_real(plan.kind))
    made = call_host<void*>(
        library, prefix + (from_real(plan.kind) ? "plan_guru64_dft_r2c" : "plan_guru64_dft_c2r"),
        plan.rank, each, 1, &many, begin, target, kEstimate);
  else
    made = call_host<void*>(library, prefix + "plan_guru64_dft", plan.rank, each, 1, &many, begin,
                            target, direction, kEstimate);
  if (made == nullptr) throw std::runtime_error("FFTW has no plan for this layout");
  call_host(library, prefix + "execute", made);
  call_host(library, prefix + "destroy_plan", made);
}
template void transform(const Plan&, const float*, float*, int);
template void transform(const Plan&, const double*, double*, int);

Status find_plan(int handle, Kind kind, Plan& plan) {
  const Status known = with_plan(handle, [&](Plan& found) {
    plan = found;
    return Status::success;
  });
  if (known != Status::success) return known;
  if (plan.rank == 0) return Status::invalid_plan;
  if (plan.kind != kind) return Status::invalid_type;
  need(is_double(kind) ? Host::fftw : Host::fftwf);
  return Status::success;
}

Shape shape_of(const Plan& plan) {
  return plan.rank == 1   ? Shape{{"n", plan.size(0)}, {"batch", plan.batch}}
         : plan.rank == 2 ? Shape{{"nx", plan.size(0)}, {"ny", plan.size(1)}, {"batch", plan.batch}}
                          : Shape{{"nx", plan.size(0)},
                                  {"ny", plan.size(1)},
                                  {"nz", plan.size(2)},
                                  {"batch", plan.batch}};
}

const char* type_of(Kind kind) {
  const bool real = from_real(kind) || to_real(kind);
  return is_double(kind) ? (real ? "float64" : "complex128") : (real ? "float32" : "complex64");
}

namespace {

Status execute(int handle, Kind kind, const void* from, void* to, int direction) {
  Plan plan;
  const Status known = find_plan(handle, kind, plan);
  if (known != Status::success) return known;
  demand(direction == 1 || direction == -1);
  if (!plan.gpus.empty()) throw Missing("a plan for several GPUs takes descriptors");
  const Error error = submit(plan.stream, type_of(kind), shape_of(plan), [=] {
    if (is_double(kind))
      transform_on_device<double>(plan, from, to, direction);
    else
      transform_on_device<float>(plan, from, to, direction);
  });
  return error == Error::success ? Status::success : Status::exec_failed;
}
template <Kind kKind>
Status execute_complex(int handle, void* from, void* to, int direction) {
  return execute(handle, kKind, from, to, direction);
}
template <Kind kKind>
Status execute_real(int handle, void* from, void* to) {
  return execute(handle, kKind, from, to, -1);
}
Status execute_any(int handle, void* from, void* to, int direction) {
  Kind kind{};
  const Status known = with_plan(handle, [&](Plan& plan) {
    kind = plan.kind;
    return Status::success;
  });
  return known == Status::success ? execute(handle, kind, from, to, direction) : known;
}

Status get_version(int* version) {
  demand(version != nullptr);
  *version = 12000;
  return Status::success;
}
Status get_property(int which, int* value) {
  demand(which >= 0 && which <= 2 && value != nullptr);
  *value = which == 0 ? 12 : 0;
  return Status::success;
}
Status get_size(int, std::size_t* bytes) { return no_workspace(bytes); }
Status set_workspace(int, void*) { return Status::success; }
Status set_allocation(int, int) { return Status::success; }

}  // namespace

HEDDLE_EXPORT(cufftCreate, create)
HEDDLE_EXPORT(cufftDestroy, destroy)
HEDDLE_EXPORT(cufftSetStream, set_stream)
HEDDLE_EXPORT(cufftPlan1d, plan_1d)
HEDDLE_EXPORT(cufftPlan2d, plan_2d)
HEDDLE_EXPORT(cufftPlan3d, plan_3d)
HEDDLE_EXPORT(cufftPlanMany, plan_many)
HEDDLE_EXPORT(cufftMakePlan1d, make_1d)
HEDDLE_EXPORT(cufftMakePlan2d, make_2d)
HEDDLE_EXPORT(cufftMakePlan3d, make_3d)
HEDDLE_EXPORT(cufftMakePlanMany, make_many<int>)
HEDDLE_EXPORT(cufftMakePlanMany64, make_many<Long>)
HEDDLE_EXPORT(cufftXtMakePlanMany, make_many_of_types)
HEDDLE_EXPORT(cufftExecC2C, execute_complex<Kind::c2c>)
HEDDLE_EXPORT(cufftExecZ2Z, execute_complex<Kind::z2z>)
HEDDLE_EXPORT(cufftExecR2C, execute_real<Kind::r2c>)
HEDDLE_EXPORT(cufftExecC2R, execute_real<Kind::c2r>)
HEDDLE_EXPORT(cufftExecD2Z, execute_real<Kind::d2z>)
HEDDLE_EXPORT(cufftExecZ2D, execute_real<Kind::z2d>)
HEDDLE_EXPORT(cufftXtExec, execute_any)
HEDDLE_EXPORT(cufftGetVersion, get_version)
HEDDLE_EXPORT(cufftGetProperty, get_property)
HEDDLE_EXPORT(cufftGetSize, get_size)
HEDDLE_EXPORT(cufftSetWorkArea, set_workspace)
HEDDLE_EXPORT(cufftXtSetWorkArea, set_workspace)
HEDDLE_EXPORT(cufftSetAutoAllocation, set_allocation)

}  // namespace heddle::runtime::libraries::cufft
