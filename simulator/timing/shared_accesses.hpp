// What SMs do to global memory within a quantum of time, where host threads run them side by side.
//
// An SM that uses a word which another one has used in the quantum, and not both by reading it or
// by reductions that commute, comes behind those with lower numbers, as on one thread: it waits for
// them. Where one with a higher number has used the word before, it is too late: the launch
// begins anew on one thread, and memory is put back.
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
#include <vector>

#include "simulator/launch/access_log.hpp"
#include "simulator/memory/memory.hpp"
#include "simulator/timing/sm_threads.hpp"

namespace heddle::simulator::timing {

class SharedAccesses {
 public:
  // Throws std::bad_alloc.
  explicit SharedAccesses(const DeviceMemory& memory);

  // Several threads will run quanta. Throws std::bad_alloc.
  void share();
  // The next quantum's SMs run on several threads of `threads`; null: on one.
  void begin_quantum(const SmThreads* threads);
  // False: quanta cannot be told apart any more.
  bool can_go_on() const { return quantum_ + 1 < kQuanta; }

  static constexpr std::size_t kSectorBytes = 32, kPieceBytes = 128;

 private:
  static constexpr std::uint32_t kQuanta = std::uint32_t{1} << 30;
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
    bool host_mapped = false;
    // By sector and by piece; zero, and without memory, until the first access.
    std::unique_ptr<std::uint64_t[], void (*)(void*)> sectors{nullptr, std::free};
    std::unique_ptr<std::uint8_t[], void (*)(void*)> saved{nullptr, std::free};
    std::atomic<bool> read_as_whole{false}, written{false};
  };

 public:
  // What one host thread does; only it may use its own.
  class Log final : public AccessLog {
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
    void undo();
    // That what was there before takes.
    std::uint64_t bytes() const { return pieces_.size() * sizeof(Piece); }

   private:
    struct Piece {
      std::byte* at;
      std::uint32_t bytes;
      std::array<std::byte, kPieceBytes> contents;
    };
    enum class Answer : std::uint8_t { go_on, wait, too_late };
    bool find(std::uint64_t address);
    Detailed& part_of(const std::uint64_t* sector) const;
    bool use(std::uint64_t address, std::uint64_t bytes, bool writes, std::uint8_t operation);
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
    std::vector<Piece> pieces_;
  };

 private:
  std::map<std::uint64_t, Shadow> shadows_;  // by allocation address
  const SmThreads* threads_ = nullptr;
  std::uint32_t quantum_ = 0;
  static constexpr std::size_t kParts = 64;
  std::array<Detailed, kParts> detailed_;
};

}  // namespace heddle::simulator::timing
