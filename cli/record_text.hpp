// What the commands that show a record have in common.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "cli/launch_text.hpp"
#include "simulator/models/gpu_model.hpp"
#include "simulator/record/record.hpp"

namespace heddle::cli {

// Reads a record to be shown. Of what hardware measured several times its launches' metrics have
// the median.
simulator::Record read_shown_record(const std::string& path);
// --format, --metrics, --per-pc, --source, -k, -s, -c applied to a record. `descriptor` is where
// the text will go.
std::string record_text(const simulator::Record& record, const Arguments& arguments, int descriptor,
                        FaultText faults = FaultText::whole);
// Throws Usage where those options are wrong by themselves.
void check_record_options(const Arguments& arguments);
// The model of the GPU that a record is of. Throws std::runtime_error where there is none.
const simulator::GpuModel& gpu_of(const simulator::Record& record);
bool wants_instructions(const Arguments& arguments);

}  // namespace heddle::cli
