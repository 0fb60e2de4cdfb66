// Results that a program's process could not write: a full disk, a limit of files' sizes, a folder
// that is out of reach once the program changed its user. The program goes on; `heddle run` learns
// of it by a page of memory that the process shares from its beginning on, and fails.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "gpu/runtime/launch_observer.hpp"

namespace heddle::runtime {

inline constexpr const char* kLossesFile = "losses";

// The page's file, in the folder of the record's streams. Throws std::runtime_error.
void make_losses(const std::filesystem::path& streams);
// How many results are missing.
unsigned losses_in(const std::filesystem::path& streams);

// In the program's process, while it is as `heddle run` started it. `stream`: HEDDLE_RECORD_STREAM.
void share_losses(const std::filesystem::path& stream);
// Counts one and says so on stderr, once for each text. Never throws.
void report_loss(const std::string& what) noexcept;

// For what may not throw, such as closing a device, when memory runs out in its midst: the process
// says so and ends with status 125.
[[noreturn]] void end_without_memory() noexcept;

// Passes everything on until `observer` throws: then that is a loss, and nothing more is passed on.
std::shared_ptr<LaunchObserver> careful(std::shared_ptr<LaunchObserver> observer);

}  // namespace heddle::runtime
