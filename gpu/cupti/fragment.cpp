#include "gpu/cupti/fragment.hpp"

namespace heddle::cupti {

bool FragmentFile::create(const std::string& path) {
  file_ = std::fopen(path.c_str(), "wxe");
  return file_ != nullptr;
}

void FragmentFile::line(const std::vector<std::string>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i != 0) std::fputc('\t', file_);
    std::fputs(fields[i].c_str(), file_);
  }
  std::fputc('\n', file_);
  std::fflush(file_);
}

void FragmentFile::header(const std::string& mode, const Members& common, const Members& own) {
  line({"header", mode, common.text(), own.text()});
}

void FragmentFile::launch(const LaunchFragment& fragment) {
  line({"launch", std::to_string(fragment.index), fragment.identity.text(), fragment.metrics.text(),
        fragment.other.text()});
}

void FragmentFile::end(std::uint64_t launches) { line({"end", std::to_string(launches)}); }

}  // namespace heddle::cupti
