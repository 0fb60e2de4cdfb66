#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/configuration.hpp"
#include "cli/help.hpp"
#include "cli/outputs.hpp"
#include "cli/signals.hpp"
#include "cli/temporary_folder.hpp"
#include "cli/text.hpp"
#include "gpu/runtime/capsule.hpp"
#include "gpu/runtime/crash_report.hpp"

namespace {

using namespace heddle::cli;

int run(const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == "help") return run({words[1], "--help"});
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    std::fputs(help().c_str(), words.empty() ? stderr : stdout);
    return words.empty() ? kTrouble : 0;
  }
  if (words[0] == "--version") {
    fmt::print("heddle {}\n", HEDDLE_VERSION);
    return 0;
  }
  const Command& command = find_command(words[0]);
  Arguments arguments = parse(command, {words.begin() + 1, words.end()});
  if (arguments.has("help")) {
    std::fputs(help(command).c_str(), stdout);
    return 0;
  }
  configure(arguments, command, surroundings());
  if (arguments.has("print-config")) {
    std::fputs(configuration_text(arguments, command).c_str(), stdout);
    return 0;
  }
  check_names(arguments, command);
  check_outputs(arguments, command);
  return command.run(arguments);
}

int said(const std::exception& error, int status) {
  std::fputs(fmt::format("heddle: {}\n", visible_lines(error.what())).c_str(), stderr);
  return status;
}

int guarded(const std::vector<std::string>& words, int failed) {
  try {
    return run(words);
  } catch (const Ended& ended) {
    return ended.status;
  } catch (const Usage& error) {
    return said(error, kTrouble);
  } catch (const heddle::runtime::CodeForAnotherGpu& error) {
    return said(error, kTrouble);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::filesystem::filesystem_error& error) {
    return said(
        std::runtime_error(fmt::format("{}: {}", error.path1().string(), error.code().message())),
        failed);
  } catch (const std::exception& error) {
    return said(error, failed);
  }
}

std::terminate_handler usual_end = nullptr;
int failed_by_itself = kTrouble;  // the status then

std::atomic<bool> memory_ran_out = false;

void note_lack_of_memory() {
  memory_ran_out = true;
  throw std::bad_alloc();
}

bool ended_by_lack_of_memory() {
  const std::exception_ptr thrown = std::current_exception();
  if (thrown == nullptr) return memory_ran_out;
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

// Where memory runs out inside a destructor (nlohmann::json's allocates) or inside what the library
// declares noexcept (a step of std::filesystem::directory_iterator), no exception may leave.
[[noreturn]] void end_without_memory() {
  if (ended_by_lack_of_memory()) {
    std::fputs("heddle: out of memory\n", stderr);
    remove_temporary_folders();
    _exit(failed_by_itself);
  }
  usual_end();
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  const int failed = argc > 1 && std::string_view(argv[1]) == "run" ? kFailed : kTrouble;
  failed_by_itself = failed;
  usual_end = std::set_terminate(end_without_memory);
  std::set_new_handler(note_lack_of_memory);
  try {
    open_standard_streams();
    ignore_file_size_signal();
    watch_signals();
    heddle::runtime::report_crashes();
    return flushed(guarded({argv + 1, argv + argc}, failed), failed);
  } catch (const std::bad_alloc&) {
    std::fputs("heddle: out of memory\n", stderr);
    return failed;
  } catch (const std::exception& error) {  // of the preparations
    return said(error, failed);
  }
}
