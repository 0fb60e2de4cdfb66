// One of several variants that are compared: what `heddle run` makes of its words, or a record.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "simulator/record/record.hpp"

namespace heddle::cli {

struct Variant {
  std::string words;  // as it was given
  simulator::Record record;
  std::vector<std::filesystem::path> capsules;  // of its launches; none where a record was given
  std::vector<std::filesystem::path> source_folders;  // as source_text takes them
};

// The words of a text as a shell splits them; the whole where a file has that name.
std::vector<std::string> words_of_variant(const std::string& text);

// This command.
std::filesystem::path own_executable();

struct VariantRun {
  std::vector<std::string> options;  // of heddle run, before the variant's own
  std::filesystem::path folder;      // for what is made on the way; outlives the variant
  bool capture = false;              // with capsules of the launches
};

// Reads a record (NAME.json, NAME.json.zst), or runs the words with `heddle run` and reads the
// record of that. Throws std::runtime_error with what the run said where it made no record.
Variant make_variant(const std::string& text, const VariantRun& run);

// The last lines of what a command printed.
std::string tail(const std::filesystem::path& file);

}  // namespace heddle::cli
