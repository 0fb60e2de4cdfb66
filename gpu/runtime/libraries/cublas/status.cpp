#include "gpu/runtime/libraries/cublas/types.hpp"

namespace heddle::runtime::libraries::cublas {

const char* status_name(Status status) {
  switch (status) {
    case Status::success:
      return "CUBLAS_STATUS_SUCCESS";
    case Status::not_initialized:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case Status::invalid_value:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case Status::execution_failed:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case Status::not_supported:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
  }
  return "unknown";
}

}  // namespace heddle::runtime::libraries::cublas
