// A launch as the viewer's JSON.
#pragma once

#include <functional>
#include <string>

#include "simulator/base/json.hpp"
#include "simulator/launch/launch.hpp"
#include "simulator/record/record.hpp"
#include "traces/viewer/page.hpp"
#include "traces/viewer/recorder.hpp"

namespace heddle::traces {

// `file_number`: the number a source file has on the page.
nlohmann::ordered_json launch_json(
    const simulator::LaunchRequest& request, const simulator::LaunchRecord& record,
    const simulator::LaunchOutcome& outcome, const Recorder& recorder, const Beside& beside,
    const std::function<std::size_t(const std::string&)>& file_number);

}  // namespace heddle::traces
