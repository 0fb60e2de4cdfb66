#include "gpu/runtime/options.hpp"

#include <charconv>
#include <stdexcept>

#include <fmt/format.h>

#include "gpu/runtime/system.hpp"

namespace heddle::runtime {
namespace {

// Each throws std::invalid_argument; empty text leaves the option as it is.
void read(std::string_view text, std::string& value) { value = text; }

template <typename Number>
void read(std::string_view text, Number& value) {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc{} || end != last) throw std::invalid_argument("not a number");
}

void read(std::string_view text, bool& value) {
  if (text != "0" && text != "1") throw std::invalid_argument("not 0 or 1");
  value = text == "1";
}

void read(std::string_view text, simulator::LaunchSettings& value) {
  value = simulator::parse_settings(text, value);
}

std::string write(const std::string& value) { return value; }
std::string write(bool value) { return value ? "1" : ""; }
std::string write(const simulator::LaunchSettings& value) { return to_text(value); }
template <typename Number>
std::string write(Number value) {
  return std::to_string(value);
}

// Calls `visit(name, option)` for every variable: one list, by which they are read and written.
template <typename AnyOptions, typename Visit>
void for_each_variable(AnyOptions& options, Visit visit) {
  visit("HEDDLE_GPU", options.gpu);
  visit("HEDDLE_RECORD_STREAM", options.record_stream);
  visit("HEDDLE_RECORD_FD", options.record_fd);
  visit("HEDDLE_CAPTURE", options.capture_directory);
  visit("HEDDLE_CAPTURE_KERNEL", options.capture_kernel);
  visit("HEDDLE_TRACE_REQUEST", options.trace);
  visit("HEDDLE_LAUNCHES", options.launches);
  visit("HEDDLE_MAX_MEMORY", options.max_memory);
  visit("HEDDLE_GPUS", options.gpus);
  visit("HEDDLE_PER_PC", options.per_pc);
  visit("HEDDLE_PROGRESS", options.progress);
  visit("HEDDLE_MEMORY_DIGESTS", options.memory_digests);
}

}  // namespace

Options options_from_environment(const char* (*lookup)(const char* name)) {
  Options options;
  for_each_variable(options, [&](const char* name, auto& option) {
    const char* const text = lookup(name);
    if (text == nullptr || *text == '\0') return;
    try {
      read(text, option);
    } catch (const std::invalid_argument& wrong) {
      throw OptionsError(fmt::format("{}={}: {}", name, text, wrong.what()));
    }
  });
  if (options.gpus == 0 || options.gpus > System::kMostGpus)
    throw OptionsError(
        fmt::format("HEDDLE_GPUS={}: from 1 to {}", options.gpus, System::kMostGpus));
  return options;
}

std::map<std::string, std::string> environment_of(const Options& options) {
  std::map<std::string, std::string> variables;
  for_each_variable(options, [&](const char* name, const auto& option) {
    variables.emplace(name, write(option));
  });
  return variables;
}

std::string expand_process(std::string_view pattern, long process) {
  std::string expanded;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool escape = pattern[i] == '%' && i + 1 < pattern.size();
    if (escape && pattern[i + 1] == 'p') {
      expanded += std::to_string(process);
      ++i;
    } else if (escape && pattern[i + 1] == '%') {
      expanded += '%';
      ++i;
    } else {
      expanded += pattern[i];
    }
  }
  return expanded;
}

}  // namespace heddle::runtime
