// Products of matrices of any types: cublasGemmEx and its like.
#pragma once

#include "gpu/runtime/libraries/cublas/types.hpp"
#include "gpu/runtime/libraries/numbers.hpp"

namespace heddle::runtime::libraries::cublas {

// cublasComputeType_t, of which those are left out that emulate.
enum class Compute : int {
  float16 = 64,
  float16_pedantic = 65,
  float32 = 68,
  float32_pedantic = 69,
  float64 = 70,
  float64_pedantic = 71,
  int32 = 72,
  int32_pedantic = 73,
  float32_by_float16 = 74,
  float32_by_bfloat16 = 75,
  float32_by_tf32 = 77,
};

// The type of alpha and beta. Throws Missing for what is not supported.
DataType scale_type(Compute compute, DataType result);

// What is done to a sum, stored by columns, before it becomes D. Of complex numbers: nothing.
class Finish {
 public:
  virtual ~Finish() = default;
  virtual void apply(std::vector<float>& sum) const = 0;
  virtual void apply(std::vector<double>& sum) const = 0;
};

// D = finish(alpha op(A) op(B) + beta C). `alpha` and `beta` are of the scale type, as doubles.
struct Product {
  Op op_a = Op::none, op_b = Op::none;
  Place a, b, c, d;
  Compute compute = Compute::float32;
  DoubleComplex alpha, beta;
  const Finish* finish = nullptr;  // null: D is the sum
};
void multiply(const Product& product);  // inside a computation

// What a program gives for alpha or beta.
class AnyScalar {
 public:
  AnyScalar(bool on_device, DataType type, const void* at);
  DoubleComplex get() const;

 private:
  bool there_;
  DataType type_;
  const void* at_;
  DoubleComplex value_;
};

}  // namespace heddle::runtime::libraries::cublas
