// Names that a library exports and that are not implemented.
#pragma once

namespace heddle::runtime::libraries {

// Says so on stderr, once for each; the library's number for "not supported".
template <int kStatus>
int refuse(const char* name) noexcept;
int say_refused(const char* name, int status) noexcept;

template <int kStatus>
int refuse(const char* name) noexcept {
  return say_refused(name, kStatus);
}

}  // namespace heddle::runtime::libraries
