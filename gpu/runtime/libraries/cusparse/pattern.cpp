#include "gpu/runtime/libraries/cusparse/pattern.hpp"

namespace heddle::runtime::libraries::cusparse {

Pattern pattern_of(const Layout& layout) {
  const auto begins = indices(layout.begin, Index::bits32, layout.rows + 1, layout.base);
  const auto places = indices(layout.places, Index::bits32, layout.count, layout.base);
  Pattern pattern(static_cast<std::size_t>(layout.height()));
  const auto side = static_cast<std::size_t>(layout.block);
  for (std::size_t row = 0; std::cmp_less(row, layout.rows); ++row) {
    if (begins[row] < 0 || begins[row + 1] > layout.count)
      throw std::runtime_error("a row lies outside the list of entries");
    for (auto k = static_cast<std::size_t>(begins[row]); std::cmp_less(k, begins[row + 1]); ++k) {
      if (places[k] < 0 || places[k] >= layout.columns)
        throw std::runtime_error("an entry lies outside the matrix");
      for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j)
          pattern[row * side + i].push_back(
              {places[k] * layout.block + static_cast<std::int64_t>(j),
               k * side * side + (layout.by_columns ? i + j * side : i * side + j)});
    }
  }
  for (auto& row : pattern) std::ranges::stable_sort(row, {}, &Place::column);
  return pattern;
}

}  // namespace heddle::runtime::libraries::cusparse
