#include "traces/sketch/launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string_view>

#include "simulator/base/spelling.hpp"

namespace heddle::isa::sketch {
namespace {

std::vector<const CompiledParameter*> own_parameters(const CompiledKernel& kernel) {
  std::vector<const CompiledParameter*> own;
  for (const CompiledParameter& each : kernel.parameters)
    if (each.use == CompiledParameter::Use::sketch) own.push_back(&each);
  return own;
}

// One launch of each kernel, with the default values; what has none is filled in later.
std::vector<CompiledLaunch> one_of_each(const Compiled& compiled) {
  std::vector<CompiledLaunch> launches;
  for (std::size_t i = 0; i < compiled.kernels.size(); ++i) {
    CompiledLaunch launch;
    launch.kernel = i;
    for (const CompiledParameter* each : own_parameters(compiled.kernels[i]))
      launch.arguments.push_back(each->standard.value_or(Argument{}));
    launches.push_back(std::move(launch));
  }
  return launches;
}

void check_names(const Compiled& compiled, const LaunchChoice& choice) {
  std::set<std::string_view> names;
  for (const CompiledKernel& kernel : compiled.kernels)
    for (const CompiledParameter* each : own_parameters(kernel)) names.insert(each->name);
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const auto& [name, value] : choice.parameters) {
    if (names.contains(name)) continue;
    const std::string_view near = simulator::nearest(name, known);
    throw std::invalid_argument(
        fmt::format("--param: no kernel has a parameter {}{}", name,
                    near.empty() ? fmt::format("; there are {}", fmt::join(known, ", "))
                                 : fmt::format("; did you mean {}?", near)));
  }
}

void set_parameters(const CompiledKernel& kernel, const LaunchChoice& choice, bool complete,
                    CompiledLaunch& launch) {
  const auto own = own_parameters(kernel);
  for (std::size_t i = 0; i < own.size(); ++i) {
    bool given = complete || own[i]->standard.has_value();
    for (const auto& [name, value] : choice.parameters)
      if (name == own[i]->name) {
        try {
          launch.arguments[i] = parse_argument(value, own[i]->type, "parameter " + name);
        } catch (const std::runtime_error& wrong) {
          throw std::invalid_argument(fmt::format("--param: {}", wrong.what()));
        }
        given = true;
      }
    if (!given)
      throw std::invalid_argument(
          fmt::format("{}: parameter '{}' ({}) has no value; give one with --param {}={}",
                      kernel.name, own[i]->name, name(own[i]->type), own[i]->name,
                      own[i]->type.pointer ? "'zeros(1024)'" : "1"));
  }
}

}  // namespace

std::vector<CompiledLaunch> choose_launches(const Compiled& compiled, const LaunchChoice& choice) {
  check_names(compiled, choice);
  const bool own = !compiled.launches.empty();
  std::vector<CompiledLaunch> launches = own ? compiled.launches : one_of_each(compiled);
  if (!own && (!choice.grid || !choice.block))
    throw std::invalid_argument(
        "the sketch has no launch; give --grid and --block, or write name<<<grid, block>>>(…) into "
        "it");
  for (CompiledLaunch& launch : launches) {
    if (choice.grid) std::ranges::copy(*choice.grid, launch.grid);
    if (choice.block) std::ranges::copy(*choice.block, launch.block);
    if (choice.dynamic_shared_bytes) launch.dynamic_shared_bytes = *choice.dynamic_shared_bytes;
    set_parameters(compiled.kernels[launch.kernel], choice, own, launch);
  }
  return launches;
}

}  // namespace heddle::isa::sketch
