// Who is told of global memory before a core of a launch uses it, where other cores execute parts
// of the launch at the same time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simulator/base/word_notes.hpp"

namespace heddle::simulator {

// False: the access must not happen, and the launch begins anew on one thread.
class AccessLog {
 public:
  virtual ~AccessLog() = default;
  // `bytes` at `address` lie in one allocation.
  virtual bool read(std::uint64_t address, unsigned bytes) = 0;
  virtual bool write(std::uint64_t address, unsigned bytes) = 0;
  // As read, of what is read again and again; bytes outside of allocations are left out.
  virtual bool read_all(std::uint64_t address, std::uint64_t bytes) = 0;
  // True: any reads between the two addresses are allowed, and need not be told. False: they are
  // to be told one by one.
  virtual bool may_read_within(std::uint64_t, std::uint64_t) { return false; }
  // What the core may note by itself of the allocation at an address, and where it is to reduce
  // what it has told of by reduce_apart; of others nothing.
  virtual WordNotes notes_of(std::uint64_t) { return {}; }
  // A reduction of integers by a commutative operation (a number below
  // ConflictTracker::kOperations for it and its type).
  virtual bool reduce(std::uint64_t address, unsigned bytes, unsigned operation) = 0;
  // The same, of elements aligned to their size, which are then reduced in memory of this core's
  // alone where `notes_of` says so; elsewhere in place, atomically.
  virtual bool reduce_apart(std::uint64_t address, unsigned bytes, unsigned operation) {
    return reduce(address, bytes, operation);
  }
  // What is read or written at this address next may be a word to other blocks, or to the host
  // program: a strong access, or an atomic that returns what it found.
  virtual bool communicate(std::uint64_t address) = 0;
};

}  // namespace heddle::simulator
