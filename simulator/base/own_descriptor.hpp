// A descriptor of ours in a process that is not: the simulated program may close it and open its
// own file under the same number.
#pragma once

#include <sys/types.h>

#include <string_view>

namespace heddle::simulator {

class OwnDescriptor {
 public:
  OwnDescriptor() = default;
  // Takes `descriptor` and moves it to a high number, closed on exec: programs expect theirs to be
  // low.
  explicit OwnDescriptor(int descriptor);
  ~OwnDescriptor();
  OwnDescriptor(OwnDescriptor&& other) noexcept;
  OwnDescriptor& operator=(OwnDescriptor&& other) noexcept;

  int number() const { return number_; }  // -1: none
  // False where someone closed it, or it is another file by now.
  bool is_ours() const;
  // Whether both are of one file.
  bool same_file(const OwnDescriptor& other) const;
  // All of `bytes`. Returns 0 or an errno: EBADF when it is ours no more. A file size limit or a
  // reader that left is an error here, never a signal.
  int write(std::string_view bytes) const;

 private:
  void release();  // closes it if it is still ours

  int number_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace heddle::simulator
