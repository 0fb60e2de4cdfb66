// Where programs enter libcuda.so.1: a call that lacks an initialised driver, or a context, is
// refused here; any other goes on to the function of that name. What each needs is in
// entry_points.inc, as an H200 answered (driver_states.cu and driver_handles.cu in
// gpu/runtime/tests/answers). Functions that look at their arguments first have an error for wrong
// ones there, whatever else is missing.
#include "gpu/runtime/driver/api.hpp"
#include "gpu/runtime/driver/parameters.hpp"

namespace heddle::runtime::driver {
namespace {

const CudaContext* current() { return support().contexts().current(); }
bool in_host_function() { return support().contexts().host_functions != 0; }

// The legacy stream and a thread's own are those of the current context.
bool has_its_own_context(std::uint64_t stream) { return stream > abi::kStreamPerThread; }

}  // namespace

// What the calling thread lacks. `arguments`: the first six, the return address, the others.
#define HEDDLE_NEED(name) \
  extern "C" Result heddle_needs_##name([[maybe_unused]] const std::uint64_t* arguments)

HEDDLE_NEED(driver) {
  const bool is_initialised = support().is_initialised->load(std::memory_order_relaxed);
  return is_initialised ? Result::CUDA_SUCCESS : Result::CUDA_ERROR_NOT_INITIALIZED;
}

HEDDLE_NEED(any_context) {
  const Result result = heddle_needs_driver(arguments);
  if (result != Result::CUDA_SUCCESS) return result;
  if (current() != nullptr) return Result::CUDA_SUCCESS;
  return in_host_function() ? Result::CUDA_ERROR_NOT_PERMITTED : Result::CUDA_ERROR_INVALID_CONTEXT;
}

HEDDLE_NEED(no_destroyed_context) {
  const Result result = heddle_needs_driver(arguments);
  if (result != Result::CUDA_SUCCESS) return result;
  const bool is_destroyed = current() != nullptr && current()->is_destroyed;
  return is_destroyed ? Result::CUDA_ERROR_CONTEXT_IS_DESTROYED : Result::CUDA_SUCCESS;
}

HEDDLE_NEED(context) {
  const Result result = heddle_needs_any_context(arguments);
  return result == Result::CUDA_SUCCESS ? heddle_needs_no_destroyed_context(arguments) : result;
}

// A stream or context that the program names takes the place of the current one.
#define HEDDLE_NEED_OR_ARGUMENT(argument, place)                                    \
  HEDDLE_NEED(context_or_argument_##argument) {                                     \
    return has_its_own_context(arguments[place]) ? heddle_needs_driver(arguments)   \
                                                 : heddle_needs_context(arguments); \
  }
HEDDLE_NEED_OR_ARGUMENT(0, 0)
HEDDLE_NEED_OR_ARGUMENT(1, 1)
HEDDLE_NEED_OR_ARGUMENT(2, 2)
HEDDLE_NEED_OR_ARGUMENT(3, 3)
HEDDLE_NEED_OR_ARGUMENT(4, 4)
HEDDLE_NEED_OR_ARGUMENT(5, 5)
HEDDLE_NEED_OR_ARGUMENT(7, 8)
HEDDLE_NEED_OR_ARGUMENT(8, 9)
#undef HEDDLE_NEED_OR_ARGUMENT
HEDDLE_NEED(context_or_stream_of_configuration) {
  const auto* const config = reinterpret_cast<const LaunchConfig*>(arguments[0]);
  const std::uint64_t stream =
      config == nullptr ? 0 : reinterpret_cast<std::uint64_t>(config->stream);
  return heddle_needs_context_or_argument_0(&stream);
}

// No handle, address or flag is an error of its own.
#define HEDDLE_NEED_FOR_ARGUMENT(argument)                                                    \
  HEDDLE_NEED(context_for_argument_##argument) {                                              \
    return arguments[argument] == 0 ? Result::CUDA_SUCCESS : heddle_needs_context(arguments); \
  }
HEDDLE_NEED_FOR_ARGUMENT(0)
HEDDLE_NEED_FOR_ARGUMENT(1)
HEDDLE_NEED_FOR_ARGUMENT(2)
#undef HEDDLE_NEED_FOR_ARGUMENT
HEDDLE_NEED(context_or_stream_of_prefetch) {
  return arguments[0] == 0 ? Result::CUDA_SUCCESS : heddle_needs_context_or_argument_4(arguments);
}

// A batch of copies asks the current context what its addresses are, whatever the stream's is.
#define HEDDLE_NEED_OF_COPIES(argument, place)                                             \
  HEDDLE_NEED(context_of_copies_##argument) {                                              \
    if (arguments[place] == 0) return Result::CUDA_SUCCESS;                                \
    const Result result = heddle_needs_no_destroyed_context(arguments);                    \
    if (result != Result::CUDA_SUCCESS) return result;                                     \
    return current() != nullptr ? Result::CUDA_SUCCESS : Result::CUDA_ERROR_INVALID_VALUE; \
  }
HEDDLE_NEED_OF_COPIES(7, 8)
HEDDLE_NEED_OF_COPIES(8, 9)
#undef HEDDLE_NEED_OF_COPIES
#undef HEDDLE_NEED

}  // namespace heddle::runtime::driver

// Asks, with all registers kept that hold arguments (no function has more than two floats), and
// goes on to what is in r11.
#define HEDDLE_GATE(needs)                                                                   \
  __asm__(".text\n.balign 16\n.type heddle_gate_" #needs ", @function\nheddle_gate_" #needs  \
          ":\n.cfi_startproc\n"                                                              \
          "pushq %r9\npushq %r8\npushq %rcx\npushq %rdx\npushq %rsi\npushq %rdi\n"           \
          "movq %rsp, %rdi\nsubq $40, %rsp\n.cfi_adjust_cfa_offset 88\n"                     \
          "movaps %xmm0, (%rsp)\nmovaps %xmm1, 16(%rsp)\nmovq %r11, 32(%rsp)\n"              \
          "call heddle_needs_" #needs                                                        \
          "\nmovq 32(%rsp), %r11\nmovaps 16(%rsp), %xmm1\nmovaps (%rsp), %xmm0\n"            \
          "addq $40, %rsp\npopq %rdi\npopq %rsi\npopq %rdx\npopq %rcx\npopq %r8\npopq %r9\n" \
          ".cfi_adjust_cfa_offset -88\ntestl %eax, %eax\njnz 1f\njmp *%r11\n1: ret\n"        \
          ".cfi_endproc\n.size heddle_gate_" #needs ", . - heddle_gate_" #needs "\n");
HEDDLE_GATE(driver)
HEDDLE_GATE(any_context)
HEDDLE_GATE(no_destroyed_context)
HEDDLE_GATE(context)
HEDDLE_GATE(context_or_argument_0)
HEDDLE_GATE(context_or_argument_1)
HEDDLE_GATE(context_or_argument_2)
HEDDLE_GATE(context_or_argument_3)
HEDDLE_GATE(context_or_argument_4)
HEDDLE_GATE(context_or_argument_5)
HEDDLE_GATE(context_or_argument_7)
HEDDLE_GATE(context_or_argument_8)
HEDDLE_GATE(context_or_stream_of_configuration)
HEDDLE_GATE(context_or_stream_of_prefetch)
HEDDLE_GATE(context_for_argument_0)
HEDDLE_GATE(context_for_argument_1)
HEDDLE_GATE(context_for_argument_2)
HEDDLE_GATE(context_of_copies_7)
HEDDLE_GATE(context_of_copies_8)
#undef HEDDLE_GATE
__asm__("heddle_gate_nothing: jmp *%r11\n");

#define HEDDLE_ENTRY_POINT(name, since, needs)                                            \
  __asm__(".globl " #name "\n.balign 16\n.type " #name ", @function\n" #name              \
          ":\n.cfi_startproc\nleaq heddle_" #name "(%rip), %r11\njmp heddle_gate_" #needs \
          "\n.cfi_endproc\n.size " #name ", . - " #name "\n");
#include "gpu/runtime/driver/entry_points.inc"
#undef HEDDLE_ENTRY_POINT
