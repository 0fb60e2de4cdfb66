// Names from files we did not write: kernels and functions, as people read and choose them.
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <string_view>

namespace heddle::simulator {

// Control, reordering and unseen characters made visible. Every text from a file goes through it.
std::string visible(std::string_view text);
std::string visible_lines(std::string_view text);  // the same, with line ends and tabs kept
// The function's name as in the source; unchanged when it is not a mangled name. Of templates whose
// arguments the C++ library cannot read the name alone, as in "cutlass::device_kernel<…>(…)".
std::string demangled(const std::string& name);
// A kernel's name as it is shown to people: demangled, and at most 100 characters. What is longer
// loses its template arguments, its parameters, then its end, and has "…" in their place.
std::string display_name(const std::string& kernel);
// "mathKernel1" of mathKernel1(float*), of its mangled form, and in an unnamed namespace.
std::string base_name(const std::string& kernel);

// Chooses kernels by name, as Nsight Compute's -k does: the mangled name, the name as in the source
// with or without its parameters, or regex:PATTERN for part of the latter. Empty: every kernel.
class KernelFilter {
 public:
  explicit KernelFilter(std::string text);  // throws std::invalid_argument
  bool matches(const std::string& kernel) const;

 private:
  std::string name_;
  std::optional<std::regex> pattern_;
};

}  // namespace heddle::simulator
