// heddle compare: a model's record beside a hardware record.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "cli/commands.hpp"
#include "cli/comparison_text.hpp"
#include "cli/text.hpp"
#include "cli/timed_comparison.hpp"
#include "validation/compare.hpp"

namespace heddle::cli {

int run_compare(const Arguments& arguments) {
  if (arguments.words.size() != 2) throw Usage("give two records: the model's and the hardware's");
  const simulator::Record model = simulator::read_record(arguments.words[0]);
  const simulator::Record hardware = simulator::read_record(arguments.words[1]);
  const validation::Comparison comparison = validation::compare(model, hardware);
  const Style style = Style::choose(arguments.value("color", "auto"), STDOUT_FILENO);
  constexpr std::uint64_t kUsual = 20, kMost = 1000000;
  const std::uint64_t shown = arguments.number("show", kMost).value_or(kUsual);
  std::fputs(comparison_text(comparison, style, shown).c_str(), stdout);
  const std::string times = times_text(model, hardware);
  std::fputs(times.empty() ? times_missing_text(comparison, hardware).c_str() : times.c_str(),
             stdout);
  if (comparison.launches.empty()) std::fputs("neither record holds a launch\n", stdout);
  if (comparison.trouble()) return kTrouble;
  return comparison.equal() ? 0 : kDifferent;
}

}  // namespace heddle::cli
