// heddle validate --html: the model beside the hardware as one page.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "simulator/base/json.hpp"
#include "simulator/record/record.hpp"
#include "validation/compare.hpp"

namespace heddle::cli {

class ValidationPage {
 public:
  // The records of a timed run and of the hardware's times.
  struct Times {
    Times(simulator::Record timed_model, simulator::Record measured)
        : model(std::move(timed_model)), hardware(std::move(measured)) {}
    simulator::Record model, hardware;
  };
  // `stepper`: a page beside this one, or "".
  void add(const std::string& entry, const validation::Comparison& comparison,
           const simulator::Record& model, const simulator::Record& hardware,
           const std::optional<Times>& times, const std::string& stepper);
  void add_trouble(const std::string& entry, const std::string& trouble);
  // Throws std::runtime_error in a build without the viewer.
  void write(const std::filesystem::path& file) const;

 private:
  nlohmann::ordered_json entries_ = nlohmann::ordered_json::array();
  std::string device_;
};

}  // namespace heddle::cli
