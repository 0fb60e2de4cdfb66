// The choice of an algorithm: there is one, which the host computes without a workspace.
#include "gpu/runtime/libraries/cublaslt/matmul.hpp"

namespace heddle::runtime::libraries::cublaslt {
namespace {

using cublas::Handle;

struct Answer {  // cublasLtMatmulHeuristicResult_t
  Algorithm algorithm;
  std::size_t workspace;
  Status state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Answer) == 64 + 8 + 4 + 4 + 16);

Answer only_answer() {
  Answer answer{};
  answer.waves = 1;
  return answer;
}

Status choose(Handle handle, const Description* description, const Layout* a, const Layout* b,
              const Layout* c, const Layout* d, const Preference*, int wanted, Answer* answers,
              int* given) {
  if (handle == nullptr) return Status::not_initialized;
  demand(description != nullptr && a != nullptr && b != nullptr && d != nullptr && wanted > 0 &&
         answers != nullptr && given != nullptr);
  *given = 0;
  check_product(*description, *a, *b, c != nullptr ? *c : *d, *d);
  answers[0] = only_answer();
  *given = 1;
  return Status::success;
}
Status choose_for_stream(Handle handle, const Description* description, const Layout* a,
                         const Layout* b, const Layout* c, const Layout* d,
                         const Preference* preference, int wanted, Answer* answers, int* given,
                         abi::Handle) {
  return choose(handle, description, a, b, c, d, preference, wanted, answers, given);
}

Status check(Handle handle, const Description* description, const Layout* a, const Layout* b,
             const Layout* c, const Layout* d, const Algorithm* algorithm, Answer* answer) {
  demand(algorithm != nullptr && answer != nullptr);
  int given = 0;
  const Status status = choose(handle, description, a, b, c, d, nullptr, 1, answer, &given);
  answer->algorithm = *algorithm;
  return status;
}
Status check_for_stream(Handle handle, const Description* description, const Layout* a,
                        const Layout* b, const Layout* c, const Layout* d,
                        const Algorithm* algorithm, Answer* answer, abi::Handle) {
  return check(handle, description, a, b, c, d, algorithm, answer);
}

Status identifiers(Handle handle, Compute, DataType, DataType, DataType, DataType, DataType,
                   int wanted, int* numbers, int* given) {
  if (handle == nullptr) return Status::not_initialized;
  demand(wanted > 0 && numbers != nullptr && given != nullptr);
  numbers[0] = 0;
  *given = 1;
  return Status::success;
}

Status init(Handle handle, Compute, DataType, DataType, DataType, DataType, DataType, int number,
            Algorithm* algorithm) {
  if (handle == nullptr) return Status::not_initialized;
  demand(number == 0 && algorithm != nullptr);
  *algorithm = {};
  return Status::success;
}

// What the algorithm can do, by CUBLASLT_ALGO_CAP_...
Status capability(const Algorithm* algorithm, int number, void* value, std::size_t bytes,
                  std::size_t* written) {
  demand(algorithm != nullptr);
  enum : int { strided_batch = 3, out_of_place = 4, pointer_modes = 11, epilogues = 12 };
  enum : int { numerical_flags = 15, first_alignment = 16, last_alignment = 19, last = 23 };
  demand(number >= 0 && number <= last);
  constexpr std::uint64_t kPointerModes = 1 | 2 | 8, kEpilogues = 1023, kFma = 1;
  std::uint64_t answer = 0;
  if (number == strided_batch || number == out_of_place) answer = 1;
  if (number == pointer_modes) answer = kPointerModes;
  if (number == epilogues) answer = kEpilogues;
  if (number == numerical_flags) answer = kFma;
  if (number >= first_alignment && number <= last_alignment) answer = 1;
  const std::size_t size = number == numerical_flags ? sizeof answer : sizeof(std::uint32_t);
  demand(written != nullptr || bytes != 0);
  if (written != nullptr) *written = size;
  if (bytes == 0) return Status::success;
  demand(value != nullptr && bytes >= size);
  std::memcpy(value, &answer, size);
  return Status::success;
}

}  // namespace

HEDDLE_EXPORT(cublasLtMatmulAlgoGetHeuristic, choose)
HEDDLE_EXPORT(cublasLtMatmulAlgoGetHeuristicForStream, choose_for_stream)
HEDDLE_EXPORT(cublasLtMatmulAlgoCheck, check)
HEDDLE_EXPORT(cublasLtMatmulAlgoCheckForStream, check_for_stream)
HEDDLE_EXPORT(cublasLtMatmulAlgoGetIds, identifiers)
HEDDLE_EXPORT(cublasLtMatmulAlgoInit, init)
HEDDLE_EXPORT(cublasLtMatmulAlgoCapGetAttribute, capability)

}  // namespace heddle::runtime::libraries::cublaslt
