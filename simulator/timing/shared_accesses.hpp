// What SMs do to global memory within a quantum of time, where host threads run them side by side.
//
// An SM that uses a word which another one has used in the quantum, and not both by reading it or
// by reductions that commute, comes behind those with lower numbers, as on one thread: it waits for
// them. Where one with a higher number has used the word before, it is too late: the launch
// begins anew on one thread, and memory is put back.
//
// Reads of allocations that nothing has written since the launch began are not noted by word: most
// memory is read alone. Where an SM with a higher number than the first writer's has read the
// allocation in the writer's quantum, nobody knows whether it was the same word: the launch begins
// anew and notes all reads.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/base/row_storage.hpp"
#include "simulator/launch/access_log.hpp"
#include "simulator/memory/memory.hpp"
#include "simulator/memory/memory_before.hpp"
#include "simulator/timing/sm_threads.hpp"

namespace heddle::simulator::timing {

class SharedAccesses {
 public:
  // A launch begins on this memory. Nothing of what was noted before matters any more.
  // `all_reads`: they are all noted by word. Throws std::bad_alloc.
  void begin_launch(const DeviceMemory& memory, bool all_reads);
  // Several threads will run quanta. Throws std::bad_alloc.
  void share();
  // Whether an access came too late, or might have, for want of notes of reads.
  bool lacks_reads() const { return lacks_reads_.load(std::memory_order_relaxed); }
  // The next quantum's SMs run on several threads of `threads`; null: on one.
  void begin_quantum(const SmThreads* threads);
  // False: quanta cannot be told apart any more.
  bool can_go_on() const { return quantum_ + 1 < kQuanta && launch_ + 1 < kLaunches; }

  static constexpr std::size_t kSectorBytes = 32, kPieceBytes = 128;

 private:
  static constexpr std::uint32_t kQuanta = std::uint32_t{1} << 30, kLaunches = kQuanta;
  static constexpr unsigned kWordsPerSector = kSectorBytes / 4;
  using Words = std::uint8_t;  // bit i: word i of the sector

  // Who has used a sector in the quantum. By one SM; the same words read by several, `sm` the
  // highest; reduced by several, by the same operation; else what Details say.
  enum class By : std::uint8_t { one, readers, reducers, details };
  struct Use {
    By by = By::one;
    std::uint32_t sm = 0;
    Words used = 0;              // other than by reductions
    Words written = 0;           // reductions included
    std::uint8_t operation = 0;  // of the words that are only reduced, and 1
  };
  static std::uint64_t pack(std::uint32_t quantum, const Use& use);
  static Use unpack(std::uint64_t state);

  // The same by word.
  struct WordUse {
    std::uint16_t sm = 0;  // the highest
    bool used = false;     // at all
    bool several = false, written = false;
    std::uint8_t operation = 0;  // where all that is done to it are such reductions: and 1
  };
  using Details = std::array<WordUse, kWordsPerSector>;
  static Details detail(const Use& use);

  // Sectors in state `details`, by the address of that; of the quantum alone. In parts, so that
  // threads seldom wait for one another.
  struct Detailed {
    std::mutex using_it;
    std::uint32_t quantum = 0;
    std::unordered_map<const std::uint64_t*, Details> sectors;
  };

  struct Shadow {
    std::uint64_t start = 0, bytes = 0;
    std::byte* data = nullptr;
    std::uint32_t ordinal = 0;  // the allocation's
    bool host_mapped = false;
    // By sector and by piece; zero, and without memory, until the first access.
    std::unique_ptr<std::uint64_t[], void (*)(void*)> sectors{nullptr, std::free};
    std::unique_ptr<std::uint32_t[], void (*)(void*)> saved{nullptr, std::free};
    // Of the launch: `noted`: reads are noted by word.
    std::atomic<bool> read_as_whole{false}, written{false}, noted{false};
    std::atomic<std::uint32_t> noted_from{0};  // the quantum
    // While they are not: the quantum of the last read, and the highest SM that has read in it.
    std::atomic<std::uint64_t> last_reader{0};
  };

 public:
  // What one host thread does; only it may use its own.
  class alignas(kCacheLine) Log final : public AccessLog {
   public:
    explicit Log(SharedAccesses& all) : all_(all) {}
    // Accesses are that SM's.
    void follow(std::uint32_t sm) { sm_ = sm; }
    bool read(std::uint64_t address, unsigned bytes) override;
    bool write(std::uint64_t address, unsigned bytes) override;
    // For the whole launch: such memory must not be written at all.
    bool read_all(std::uint64_t address, std::uint64_t bytes) override;
    bool reduce(std::uint64_t address, unsigned bytes, unsigned operation) override;
    // Waits for the SMs before.
    bool communicate(std::uint64_t address) override;
    // Puts back what was in memory before the first write; for all threads, once none runs.
    void undo() { before_.put_back(); }
    // That what was there before takes.
    std::uint64_t bytes() const { return before_.bytes(); }
    // How often it had to wait, since asked last.
    std::uint64_t take_waits() { return std::exchange(waits_, 0); }

   private:
    enum class Answer : std::uint8_t { go_on, wait, too_late };
    bool find(std::uint64_t address);
    Detailed& part_of(const std::uint64_t* sector) const;
    bool use(std::uint64_t address, std::uint64_t bytes, bool writes, std::uint8_t operation);
    bool read_unnoted();
    bool begin_writing();
    void wait();
    bool use_sector(std::uint64_t sector, Words words, bool writes, std::uint8_t operation);
    bool use_detailed(std::uint64_t sector, Words words, bool writes, std::uint8_t operation);
    void begin_details(std::uint64_t sector, std::uint64_t seen, const Use& use);
    Answer ask(const WordUse& word, bool writes, std::uint8_t operation) const;
    void note(WordUse& word, bool writes, std::uint8_t operation) const;
    void save(std::uint64_t first_byte, std::uint64_t end_byte);
    void save_piece(std::uint64_t piece);

    SharedAccesses& all_;
    std::uint32_t sm_ = 0;
    Shadow* last_ = nullptr;  // the allocation last used
    // The access noted last: lanes often make the same.
    struct Noted {
      std::uint64_t address = 0, bytes = 0;
      std::uint32_t quantum = 0, sm = 0;
      bool writes = false;
      std::uint8_t operation = 0;
      bool operator==(const Noted&) const = default;
    } noted_;
    MemoryBefore<kPieceBytes> before_;
    std::uint64_t waits_ = 0;
  };

 private:
  std::map<std::uint64_t, Shadow> shadows_;  // by allocation address
  const SmThreads* threads_ = nullptr;
  std::uint32_t quantum_ = 0;
  std::uint32_t launch_ = 0;  // its number
  std::atomic<bool> lacks_reads_{false};
  static constexpr std::size_t kParts = 64;
  std::array<Detailed, kParts> detailed_;
};

}  // namespace heddle::simulator::timing
