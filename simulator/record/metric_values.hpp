// Values by the names of metrics. A record of a million launches names the same hundred in each: a
// name is kept once, and values lie side by side.
#pragma once

#include <boost/container/flat_map.hpp>
#include <concepts>
#include <functional>
#include <string>
#include <string_view>

namespace heddle::simulator {

template <typename T>
concept IsText = std::convertible_to<const T&, std::string_view>;

class MetricName {
 public:
  MetricName() : MetricName(std::string_view()) {}
  // Looks the text up among all names; so does what takes a text for a name.
  MetricName(std::string_view text);
  MetricName(const std::string& text) : MetricName(std::string_view(text)) {}
  MetricName(const char* text) : MetricName(std::string_view(text)) {}
  const std::string& text() const { return *text_; }
  operator const std::string&() const { return *text_; }

  friend bool operator==(const MetricName& one, const MetricName& other) {
    return one.text_ == other.text_;
  }
  friend bool operator<(const MetricName& one, const MetricName& other) {
    return one.text_ != other.text_ && one.text() < other.text();
  }
  template <typename Text>
  requires IsText<Text>
  friend bool operator<(const MetricName& one, const Text& other) {
    return std::string_view(one.text()) < std::string_view(other);
  }
  template <typename Text>
  requires IsText<Text>
  friend bool operator<(const Text& one, const MetricName& other) {
    return std::string_view(one) < std::string_view(other.text());
  }
  template <typename Text>
  requires IsText<Text>
  friend bool operator==(const MetricName& one, const Text& other) {
    return std::string_view(one.text()) == std::string_view(other);
  }

 private:
  const std::string* text_;  // one for each text, and never destroyed
};

// Exact counts are integers below 2^53.
using MetricValues = boost::container::flat_map<MetricName, double, std::less<>>;

}  // namespace heddle::simulator
