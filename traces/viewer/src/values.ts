// Registers, predicates and convergence barriers of a warp at any step, rebuilt from what each step
// changed; snapshots on the way make going back as quick as going forward.
import { Reader, unpack } from './bytes';
import type { LaunchData } from './data';
import type { Flow, WarpInfo } from './flow';

// Names in the stream (traces/viewer/recorder.cpp).
const PREDICATES = 256;
const UNIFORM_PREDICATES = 264;
const BARRIERS = 280;
export const UNIFORM = 320;

const enum RowForm {
  same,
  line,
  add,
  addLine,
  steps,
  planes,
}

export interface Access {
  lanes: number;
  addresses: number[]; // of these lanes, lowest first
}

export class State {
  readonly rows = new Map<number, Int32Array>(); // R0 …: 32 words
  readonly words = new Map<number, number>(); // predicates, barriers, uniform registers
  copy(): State {
    const copy = new State();
    for (const [name, row] of this.rows) copy.rows.set(name, row.slice());
    for (const [name, word] of this.words) copy.words.set(name, word);
    return copy;
  }
}

export function valueName(name: number): string {
  if (name < PREDICATES) return `R${name}`;
  if (name < UNIFORM_PREDICATES) return `P${name - PREDICATES}`;
  if (name < BARRIERS) return `UP${name - UNIFORM_PREDICATES}`;
  if (name < UNIFORM) return `B${name - BARRIERS}`;
  return `UR${name - UNIFORM}`;
}
export const isMask = (name: number) => name >= PREDICATES && name < UNIFORM;
export const isUniformPredicate = (name: number) => name >= UNIFORM_PREDICATES && name < BARRIERS;
export const isBarrier = (name: number) => name >= BARRIERS && name < UNIFORM;

/** The values of one warp. */
export class WarpValues {
  private readonly snapshots: { step: number; at: number; state: State }[];
  private state: State;
  private step = 0; // `state` is the one before this step
  private readonly reader: Reader;
  private readonly every: number;
  changed = new Set<number>(); // by the step before `step`
  accesses: Access[] = []; // of that step

  constructor(
    bytes: Uint8Array,
    private readonly flow: Flow,
    private readonly warp: WarpInfo,
  ) {
    this.reader = new Reader(bytes);
    this.state = new State();
    this.apply(0xffffffff);
    // A long warp must not fill the memory with snapshots.
    this.every = Math.max(256, Math.ceil(warp.steps / 2000));
    this.snapshots = [{ step: 0, at: this.reader.at, state: this.state.copy() }];
  }

  /** The state before step `step` of the warp; `step` may be one past its last. */
  at(step: number): State {
    if (step !== this.step) this.changed = new Set();
    if (step < this.step) {
      let low = this.snapshots.length - 1;
      // One step earlier, to know what the last one changed.
      while (low > 0 && this.snapshots[low].step >= step) --low;
      const from = this.snapshots[low];
      this.state = from.state.copy();
      this.step = from.step;
      this.reader.at = from.at;
    }
    while (this.step < step) this.advance();
    return this.state;
  }

  private advance(): void {
    const i = this.warp.first + this.step;
    const on = (this.flow.active[i] & ~this.flow.off[i]) >>> 0;
    this.changed = new Set();
    this.apply(on);
    this.accesses = [];
    const touch = this.flow.touch[i];
    if (touch >= 0)
      for (let n = this.flow.touches[touch].length; n > 0; --n) this.accesses.push(this.access());
    ++this.step;
    const last = this.snapshots[this.snapshots.length - 1];
    if (this.step >= last.step + this.every)
      this.snapshots.push({ step: this.step, at: this.reader.at, state: this.state.copy() });
  }

  private access(): Access {
    const lanes = this.reader.u32();
    const addresses: number[] = [];
    let last = 0;
    for (let left = lanes; left !== 0; left &= left - 1) {
      last += this.reader.signed();
      addresses.push(last);
    }
    return { lanes, addresses };
  }

  private apply(on: number): void {
    for (let n = this.reader.varint(); n > 0; --n) {
      const name = this.reader.varint();
      this.changed.add(name);
      if (name < PREDICATES) this.applyRow(name, on);
      else {
        const old = this.state.words.get(name) ?? 0;
        const value = isMask(name) ? old ^ this.reader.varint() : old + this.reader.signed();
        this.state.words.set(name, value >>> 0);
      }
    }
  }

  private applyRow(name: number, on: number): void {
    const reader = this.reader;
    let row = this.state.rows.get(name);
    if (!row) this.state.rows.set(name, (row = new Int32Array(32)));
    const head = reader.byte();
    const lanes = head & 8 ? reader.u32() : on;
    const form: RowForm = head & 7;
    if (form === RowForm.steps) {
      let last = 0;
      for (let lane = 0; lane < 32; ++lane)
        if ((lanes >>> lane) & 1) row[lane] = last = (last + reader.signed()) | 0;
    } else if (form === RowForm.planes) {
      for (let lane = 0; lane < 32; ++lane) if ((lanes >>> lane) & 1) row[lane] = 0;
      for (let shift = 0; shift < 32; shift += 8)
        for (let lane = 0; lane < 32; ++lane)
          if ((lanes >>> lane) & 1) row[lane] |= reader.byte() << shift;
    } else {
      const value = reader.signed();
      const step = form === RowForm.line || form === RowForm.addLine ? reader.signed() : 0;
      const adds = form === RowForm.add || form === RowForm.addLine;
      for (let lane = 0; lane < 32; ++lane)
        if ((lanes >>> lane) & 1)
          row[lane] = ((adds ? row[lane] : 0) + value + Math.imul(step, lane)) | 0;
    }
  }
}

/** Unpacks the values of warps when they are asked for. */
export class Values {
  private readonly pieces = new Map<string, Promise<Uint8Array[]>>();
  private readonly warps = new Map<number, Promise<WarpValues | null>>();
  constructor(
    private readonly launch: LaunchData,
    private readonly flow: Flow,
  ) {}

  /** Null where the page holds no values of this warp. */
  of(warp: WarpInfo): Promise<WarpValues | null> {
    let values = this.warps.get(warp.number);
    if (!values) this.warps.set(warp.number, (values = this.load(warp)));
    return values;
  }

  private async load(warp: WarpInfo): Promise<WarpValues | null> {
    const piece = this.launch.values.find(
      ({ first, count }) => warp.number >= first && warp.number < first + count,
    );
    if (!piece) return null;
    let parts = this.pieces.get(piece.blob);
    if (!parts) this.pieces.set(piece.blob, (parts = split(piece.blob, piece.count)));
    return new WarpValues((await parts)[warp.number - piece.first], this.flow, warp);
  }
}

async function split(id: string, count: number): Promise<Uint8Array[]> {
  const reader = new Reader(await unpack(id));
  return Array.from({ length: count }, () => {
    const length = reader.varint();
    const part = reader.bytes.subarray(reader.at, reader.at + length);
    reader.at += length;
    return part;
  });
}
