// What cublasLtMatmul does to a product before it stores it.
#pragma once

#include "gpu/runtime/libraries/cublaslt/types.hpp"

namespace heddle::runtime::libraries::cublaslt {

// Throws Missing or std::invalid_argument where the description asks for what there is not.
void check_epilogue(const Description& description, const Layout& d);

// Of product `index` of a batch. It lives while the product is computed.
class Finish final : public cublas::Finish {
 public:
  // `row_factors` on the device, or null.
  Finish(const Description& description, const cublas::Product& product, std::int64_t index,
         std::uint64_t row_factors);

  void apply(std::vector<float>& sum) const override { apply_in(sum); }
  void apply(std::vector<double>& sum) const override { apply_in(sum); }

 private:
  template <typename Work>
  void apply_in(std::vector<Work>& sum) const;
  template <typename Work>
  void activate(std::vector<Work>& sum) const;
  // Of the batch's vectors, this product's.
  Place vector(std::uint64_t address, DataType type, std::int64_t step, std::int64_t size) const;
  Place bias(std::int64_t size) const;
  Place auxiliary() const;
  template <typename Work>
  void store_bias_gradient(const std::vector<Work>& of_rows) const;
  template <typename Work>
  void store_input_gradient(const Place& operand, Op op, bool of_a) const;

  const Description& description_;
  const cublas::Product& product_;
  std::int64_t index_;
  std::uint64_t row_factors_;
};

}  // namespace heddle::runtime::libraries::cublaslt
