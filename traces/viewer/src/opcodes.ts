// What instructions do, for tooltips. Mnemonics without modifiers.
const MEANINGS: Record<string, string> = {
  BRA: 'branch: lanes whose predicate holds jump; the others go on', BRX: 'branch to an address in a register', JMP: 'jump', JMX: 'jump to an address in a register',
  CALL: 'call a function', RET: 'return from a function', EXIT: 'end these threads', BSSY: 'name where the active lanes are to reconverge',
  BSYNC: 'wait for the lanes of a convergence barrier: here they reconverge', BREAK: 'take lanes out of a convergence barrier', BMOV: 'save or restore a convergence barrier',
  WARPSYNC: 'wait for the lanes of a mask: __syncwarp()', BAR: 'block barrier: __syncthreads()', MEMBAR: 'memory fence', DEPBAR: 'wait until pending operations are done',
  YIELD: 'let another group of the warp execute', NANOSLEEP: 'wait for some time', NOP: 'nothing', BPT: 'trap',
  MOV: 'move', SEL: 'select by a predicate: a branch the compiler removed', FSEL: 'select by a predicate: a branch the compiler removed',
  IADD3: 'integer addition of three', IMAD: 'integer multiply-add', LEA: 'shift and add: an address', LOP3: 'bitwise logic of three', SHF: 'shift',
  ISETP: 'compare integers, set a predicate', FSETP: 'compare floats, set a predicate', DSETP: 'compare doubles, set a predicate', PLOP3: 'logic of predicates',
  IMNMX: 'integer minimum or maximum', FMNMX: 'float minimum or maximum', IABS: 'absolute value', POPC: 'count bits', FLO: 'find the leading bit', BREV: 'reverse bits', PRMT: 'permute bytes', SGXT: 'extend the sign', BMSK: 'make a mask',
  FADD: 'float addition', FMUL: 'float multiplication', FFMA: 'float multiply-add', FCHK: 'check a division for its slow path', MUFU: 'reciprocal, root, sine and the like',
  DADD: 'double addition', DMUL: 'double multiplication', DFMA: 'double multiply-add', HADD2: 'half additions, two at once', HMUL2: 'half multiplications, two at once', HFMA2: 'half multiply-adds, two at once',
  F2F: 'convert between floats', F2I: 'convert float to integer', I2F: 'convert integer to float', I2FP: 'convert integer to float', I2I: 'convert between integers', FRND: 'round',
  LDG: 'load from global memory', STG: 'store to global memory', LDS: 'load from shared memory', STS: 'store to shared memory', LDL: 'load from local memory', STL: 'store to local memory',
  LD: 'load from generic memory', ST: 'store to generic memory', LDC: 'load a constant', ULDC: 'load a constant for the whole warp', LDSM: 'load rows of a matrix from shared memory', LDGSTS: 'copy from global to shared memory, asynchronously',
  ATOM: 'atomic operation', ATOMG: 'atomic operation on global memory', ATOMS: 'atomic operation on shared memory', RED: 'atomic operation without a result',
  SHFL: 'exchange values between lanes', VOTE: 'vote among lanes', MATCH: 'find lanes with equal values', REDUX: 'reduce over lanes',
  S2R: 'read a special register, such as threadIdx', S2UR: 'read a special register for the whole warp', CS2R: 'read a counter or zero', R2UR: 'take one value for the whole warp', P2R: 'predicates to a register', R2P: 'a register to predicates',
  HMMA: 'matrix product of halves', IMMA: 'matrix product of integers', DMMA: 'matrix product of doubles',
};

/** Of an instruction as a listing has it; "" where nothing is known. */
export function instructionMeaning(text: string): string {
  const mnemonic = text.replace(/^@!?\w+\s+/, '').split(/[ .;]/)[0];
  const plain = MEANINGS[mnemonic];
  if (plain) return `${mnemonic}: ${plain}`;
  const uniform = mnemonic.startsWith('U') ? MEANINGS[mnemonic.slice(1)] : undefined;
  return uniform ? `${mnemonic}: ${uniform}, once for the whole warp` : '';
}
