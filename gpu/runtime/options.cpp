#include "gpu/runtime/options.hpp"

#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "gpu/runtime/system.hpp"

namespace heddle::runtime {
namespace {

template <typename Number>
void read_number(const char* name, const char* text, Number& value) {
  const char* end = text + std::strlen(text);
  const auto [stopped, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || stopped != end)
    throw OptionsError(fmt::format("{}={}: not a number", name, text));
}

void read_timing(const char* name, const char* text,
                 std::optional<simulator::timing::Options>& options) try {
  options = simulator::timing::parse_options(text);
} catch (const std::invalid_argument& wrong) {
  throw OptionsError(fmt::format("{}: {}", name, wrong.what()));
}

void read_reconvergence(const char* name, const char* text,
                        std::optional<simulator::ReconvergencePolicy>& reconvergence) {
  reconvergence = simulator::find_reconvergence(text);
  if (!reconvergence)
    throw OptionsError(fmt::format("{}={}: not {}", name, text, simulator::reconvergence_names()));
}

void read_checks(const char* name, const char* text, simulator::checks::Options& options) try {
  options = simulator::checks::parse_options(text);
} catch (const std::invalid_argument& wrong) {
  throw OptionsError(fmt::format("{}: {}", name, wrong.what()));
}

void read_switch(const char* name, const char* text, bool& value) {
  const std::string_view given = text;
  if (given != "0" && given != "1")
    throw OptionsError(fmt::format("{}={}: not 0 or 1", name, text));
  value = given == "1";
}

}  // namespace

Options options_from_environment(const char* (*lookup)(const char* name)) {
  Options options;
  options.threads = 0;  // what is idle
  const auto when_set = [lookup](const char* name, auto read) {
    const char* text = lookup(name);
    if (text != nullptr && *text != '\0') read(name, text);
  };
  const auto text_into = [](std::string& target) {
    return [&target](const char*, const char* text) { target = text; };
  };
  when_set("HEDDLE_GPU", text_into(options.gpu));
  when_set("HEDDLE_RECORD_STREAM", text_into(options.record_stream));
  when_set("HEDDLE_CAPTURE", text_into(options.capture_directory));
  when_set("HEDDLE_TRACE_REQUEST", text_into(options.trace));
  when_set("HEDDLE_RECORD_FD",
           [&](auto* name, auto* text) { read_number(name, text, options.record_fd); });
  when_set("HEDDLE_THREADS",
           [&](auto* name, auto* text) { read_number(name, text, options.threads); });
  when_set("HEDDLE_MAX_INSTRUCTIONS",
           [&](auto* name, auto* text) { read_number(name, text, options.max_instructions); });
  when_set("HEDDLE_MAX_MEMORY",
           [&](auto* name, auto* text) { read_number(name, text, options.max_memory); });
  when_set("HEDDLE_GPUS", [&](auto* name, auto* text) {
    read_number(name, text, options.gpus);
    if (options.gpus == 0 || options.gpus > System::kMostGpus)
      throw OptionsError(fmt::format("{}={}: from 1 to {}", name, text, System::kMostGpus));
  });
  when_set("HEDDLE_PER_PC",
           [&](auto* name, auto* text) { read_switch(name, text, options.per_pc); });
  when_set("HEDDLE_COUNTERS",
           [&](auto* name, auto* text) { read_switch(name, text, options.counters); });
  when_set("HEDDLE_PROGRESS",
           [&](auto* name, auto* text) { read_switch(name, text, options.progress); });
  when_set("HEDDLE_TIMED",
           [&](auto* name, auto* text) { read_timing(name, text, options.timing); });
  when_set("HEDDLE_RECONVERGENCE",
           [&](auto* name, auto* text) { read_reconvergence(name, text, options.reconvergence); });
  when_set("HEDDLE_CHECK",
           [&](auto* name, auto* text) { read_checks(name, text, options.checks); });
  when_set("HEDDLE_MEMORY_DIGESTS",
           [&](auto* name, auto* text) { read_switch(name, text, options.memory_digests); });
  return options;
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
