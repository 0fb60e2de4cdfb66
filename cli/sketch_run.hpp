// heddle run sketch.warp
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "cli/command.hpp"
#include "simulator/launch/launch_settings.hpp"
#include "simulator/record/record.hpp"
#include "traces/formats/trace.hpp"

namespace heddle::cli {

// Throws Usage where an option is given that is for sketches alone.
void refuse_sketch_options(const Arguments& arguments);

struct SketchRun {
  simulator::Record record;  // of the first seed
  std::string statistics;    // text, where there were several seeds
  std::string costs;         // text, where the GPU has published costs of instructions
};

// Compiles the sketch and makes its launches, once for every seed. Throws SketchError and
// std::runtime_error; Usage for options that do not fit.
// `digests`: the record is to hold digests of memory, whether the options say so or not. `go_on`:
// asked now and then; false ends the launch.
SketchRun run_sketch(const std::string& file, const Arguments& arguments, traces::Trace* trace,
                     const simulator::LaunchSettings& settings, bool digests = false,
                     const std::function<bool()>& go_on = {});

// Its launches with the first seed, as capsules in `folder`.
void capture_sketch(const std::string& file, const Arguments& arguments,
                    const std::filesystem::path& folder);

}  // namespace heddle::cli
