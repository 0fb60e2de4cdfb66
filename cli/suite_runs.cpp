#include "cli/suite_runs.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <span>

#include "cli/layout.hpp"
#include "cli/limits.hpp"
#include "cli/variant.hpp"
#include "simulator/base/file.hpp"
#include "simulator/base/sha256.hpp"
#include "validation/replay.hpp"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using simulator::Sha256;
using validation::SuiteEntry;

constexpr std::uint64_t kMostFile = std::uint64_t{1} << 32;

void update(Sha256& digest, const std::string& text) {
  digest.update(std::as_bytes(std::span(text.data(), text.size() + 1)));
}
void update_file(Sha256& digest, const fs::path& file) {
  update(digest, simulator::read_file(file, kMostFile));
}

// Capsules are replayed by the command, programs by the library that is preloaded into them.
std::string build_digest(bool programs) {
  Sha256 digest;
  update_file(digest, programs ? runtime_directory() / "libcudart.so.13" : own_executable());
  return digest.hex();
}

fs::path output_of(const fs::path& record) { return fs::path(record).concat(".stdout"); }

}  // namespace

SuiteRuns::SuiteRuns(const std::vector<SuiteEntry>& entries, const SuiteSources& sources,
                     fs::path folder)
    : entries_(entries),
      sources_(sources),
      folder_(std::move(folder)),
      build_(folder_.empty() ? "" : build_digest(!sources.programs.empty())) {
  if (!folder_.empty()) fs::create_directories(folder_);
}

fs::path SuiteRuns::file_of(const SuiteEntry& entry) const {
  const std::string name = entry.record_name(kSuiteArch);
  Sha256 digest;
  simulator::LaunchSettings settings = sources_.settings;
  settings.threads = 0;  // changes no result
  for (const std::string& part : {build_, to_text(settings), name}) update(digest, part);
  for (const std::string& word : entry.arguments) update(digest, word);
  if (sources_.programs.empty())
    for (const fs::path& capsule : validation::find_capsules(sources_.capsules / name))
      update_file(digest, capsule);
  else
    update_file(digest, sources_.programs / entry.program_name(kSuiteArch));
  constexpr std::size_t kDigits = 16;
  return folder_ / fmt::format("{}-{}.json.zst", name, digest.hex().substr(0, kDigits));
}

SuiteRun SuiteRuns::run(const SuiteEntry& entry) {
  {
    std::lock_guard lock(mutex_);
    if (const auto trouble = troubles_.find(entry.record_name(kSuiteArch));
        trouble != troubles_.end())
      throw std::runtime_error(trouble->second);
  }
  return made(entry);
}

SuiteRun SuiteRuns::made(const SuiteEntry& entry) const {
  if (folder_.empty()) return run_entry(entry, sources_);
  const fs::path file = file_of(entry);
  if (fs::exists(file))
    return {simulator::read_record(file), simulator::read_file(output_of(file), kMostOutput)};
  SuiteRun run = run_entry(entry, sources_);
  simulator::write_file(output_of(file), run.output);
  simulator::write_record(run.record, file);  // last: it says that both are there
  return run;
}

bool SuiteRuns::is_made(const SuiteEntry& entry) const try {
  return fs::exists(file_of(entry));
} catch (const std::exception&) {  // `make` says what is missing
  return false;
}

void SuiteRuns::prepare() {
  for (std::size_t job = 0; job < entries_.size(); ++job)
    if (!is_made(entries_[job])) left_.push_back(job);
  if (left_.size() != entries_.size())
    fmt::print(stderr, "heddle: {} of {} runs were made before\n", entries_.size() - left_.size(),
               entries_.size());
}

std::optional<std::size_t> SuiteRuns::next() {
  const std::size_t next = next_++;
  return next < left_.size() ? std::optional(left_[next]) : std::nullopt;
}

std::optional<std::string> SuiteRuns::make(std::size_t job) {
  try {
    made(entries_[job]);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

void SuiteRuns::finished(std::size_t job, const std::string& trouble) {
  if (trouble.empty()) return;
  std::lock_guard lock(mutex_);
  troubles_[entries_[job].record_name(kSuiteArch)] = trouble;
}

}  // namespace heddle::cli
