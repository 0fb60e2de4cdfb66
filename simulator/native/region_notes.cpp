// How code notes for other host threads which words of global memory it uses, as WordNotes::note.
#include <algorithm>
#include <cstddef>

#include "simulator/native/region_compiler.hpp"
#include "simulator/native/registers.hpp"

namespace heddle::simulator::native {

using namespace Xbyak::util;

// What lies kView bytes from the start of the allocation at kKnown; 0 bytes: what no note is for.
void RegionCompiler::note_words(const RowAccess& access, unsigned bytes, Xbyak::Label& slow) {
  constexpr unsigned kMost = 1 << WordNotes::kRowShift;
  Xbyak::Label free;
  cmp(qword[kKnown + (access.loads ? offsetof(Machine::Known, readable)
                                   : offsetof(Machine::Known, writable))],
      0);
  if (bytes == 0) return je(slow, T_NEAR);
  jne(free, T_NEAR);
  notes_ = true;
  for (unsigned done = 0; done < bytes; done += kMost) {
    const unsigned words = std::min(bytes - done, kMost) >> WordNotes::kWordShift;
    lea(rdi, ptr[kView + done]);
    mov(edx, ~0u >> (WordNotes::kRowWords - words));
    Xbyak::CodeGenerator::call(access.loads ? note_loads_ : note_stores_);
    jc(slow, T_NEAR);
  }
  L(free);
}

// Of the words from the one that lies rdi bytes from the start those that edx has a bit for. The
// carry: the machine is to tell of them.
void RegionCompiler::write_note(Xbyak::Label& begin, WordNotes::Ready needed) {
  const Xbyak::Reg64 words = rdx, row = rdi, ready = rsi, uses = r9;
  constexpr std::size_t kUses = offsetof(Machine::Known, notes) + offsetof(WordNotes, uses),
                        kReady = offsetof(Machine::Known, notes) + offsetof(WordNotes, ready);
  Xbyak::Label refuse;
  const auto note_row = [&] {
    mov(rcx, row);
    shr(rcx, WordNotes::kPieceShift - WordNotes::kRowShift);
    cmp(byte[ready + rcx], needed);
    jb(refuse);
    or_(dword[uses + row * 8], words.cvt32());
    if (needed == WordNotes::kForWrites) or_(dword[uses + row * 8 + 4], words.cvt32());
  };
  L(begin);
  mov(uses, ptr[kKnown + kUses]);
  test(uses, uses);
  jz(refuse);
  mov(ready, ptr[kKnown + kReady]);
  mov(ecx, row.cvt32());
  shr(ecx, WordNotes::kWordShift);
  and_(ecx, static_cast<std::uint32_t>(WordNotes::kRowWords - 1));
  shl(words, cl);
  shr(row, WordNotes::kRowShift);
  note_row();
  Xbyak::Label end;
  shr(words, WordNotes::kRowWords);
  jz(end);
  inc(row);
  note_row();
  L(end);
  clc();
  ret();
  L(refuse);
  stc();
  ret();
}

void RegionCompiler::write_notes() {
  write_note(note_loads_, WordNotes::kForReads);
  write_note(note_stores_, WordNotes::kForWrites);
}

}  // namespace heddle::simulator::native
