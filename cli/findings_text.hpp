// What `--check` found, as text.
#pragma once

#include <string>

#include "cli/text.hpp"
#include "simulator/record/record.hpp"

namespace heddle::cli {

// One report per finding and a line that counts them. `asked`: say so too where there is none.
std::string findings_text(const simulator::Record& record, bool asked, const Style& style);

bool has_findings(const simulator::Record& record);

}  // namespace heddle::cli
