// Every recorded step of a launch, in columns.
import { Reader, unpack } from './bytes';

export const enum Wait {
  none,
  convergenceBarrier,
  warpSync,
  blockBarrier,
  reconvergence,
}

export interface Group {
  lanes: number;
  pc: number;
  wait: Wait;
  index: number;
  partners: number;
}

export interface Touch {
  kind: number;
  space: number;
  width: number;
  lanes: number; // how many
  sectors: number;
  sectorsIdeal: number;
  tags: number;
  wavefronts: number;
  wavefrontsIdeal: number;
}

export interface WarpInfo {
  number: number;
  block: number;
  warp: number;
  first: number; // index of its first step in the columns
  steps: number;
}

export const SPLIT = 1;
export const MEET = 2;

export function popcount(mask: number): number {
  mask -= (mask >>> 1) & 0x55555555;
  mask = (mask & 0x33333333) + ((mask >>> 2) & 0x33333333);
  return Math.imul((mask + (mask >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Columns hold the state before each step executes. */
export class Flow {
  warps: WarpInfo[] = [];
  pc = new Uint32Array(0);
  active = new Uint32Array(0);
  off = new Uint32Array(0); // of the active: guard does not hold
  path = new Uint32Array(0);
  situation = new Uint32Array(0);
  touch = new Int32Array(0); // -1: no memory
  event = new Uint8Array(0); // SPLIT: this step splits its lanes; MEET: lanes that were apart execute it
  threads = new Uint32Array(1); // active lanes of all steps before
  situations: Group[][] = [];
  touches: Touch[][] = [];
  longest = 0; // steps of the longest warp

  static async load(id: string): Promise<Flow> {
    const flow = new Flow();
    if (id !== '') flow.decode(new Reader(await unpack(id)));
    return flow;
  }

  private decode(reader: Reader): void {
    let total = 0;
    const warps = reader.varint();
    for (let number = 0; number < warps; ++number) {
      const block = reader.varint();
      const warp = reader.varint();
      const steps = reader.varint();
      this.warps.push({ number, block, warp, first: total, steps });
      total += steps;
      this.longest = Math.max(this.longest, steps);
    }
    const masks = new Uint32Array(reader.varint());
    for (let i = 0; i < masks.length; ++i) masks[i] = reader.u32();
    this.situations = Array.from({ length: reader.varint() }, () => readSituation(reader));
    this.touches = Array.from({ length: reader.varint() }, () => readTouches(reader));
    this.pc = new Uint32Array(total);
    this.active = new Uint32Array(total);
    this.off = new Uint32Array(total);
    this.path = new Uint32Array(total);
    this.situation = new Uint32Array(total);
    this.touch = new Int32Array(total);
    this.event = new Uint8Array(total);
    this.threads = new Uint32Array(total + 1);
    for (const warp of this.warps) this.decodeWarp(warp, reader, masks);
    this.findEvents();
  }

  private decodeWarp(warp: WarpInfo, reader: Reader, masks: Uint32Array): void {
    let pc = -1; // the first step's is written as a jump from here
    let active = 0;
    let path = 0;
    let situation = 0;
    for (let i = warp.first; i < warp.first + warp.steps; ++i) {
      const flags = reader.byte();
      ++pc;
      if (flags & 1) pc += reader.signed();
      if (flags & 2) active = masks[reader.varint()];
      this.off[i] = flags & 4 ? masks[reader.varint()] : 0;
      if (flags & 8) path = reader.varint();
      if (flags & 16) situation = reader.varint();
      this.touch[i] = flags & 32 ? reader.varint() : -1;
      this.pc[i] = pc;
      this.active[i] = active;
      this.path[i] = path;
      this.situation[i] = situation;
      this.threads[i + 1] = this.threads[i] + popcount(active);
    }
  }

  private findEvents(): void {
    for (const warp of this.warps) {
      const end = warp.first + warp.steps;
      for (let i = warp.first; i + 1 < end; ++i) {
        if (this.situation[i] === this.situation[i + 1] && this.active[i] === this.active[i + 1])
          continue;
        if (this.partsAt(i + 1, this.active[i]) > 1) this.event[i] |= SPLIT;
        if (this.partsAt(i, this.active[i + 1]) > 1) this.event[i + 1] |= MEET;
      }
    }
  }

  /** Over how many groups of the state at step `i` these lanes are spread. */
  private partsAt(i: number, lanes: number): number {
    let parts = (this.active[i] & lanes) !== 0 ? 1 : 0;
    for (const group of this.situations[this.situation[i]]) if ((group.lanes & lanes) !== 0) ++parts;
    return parts;
  }

  /** All lanes that have not ended at step `i`. */
  live(i: number): number {
    let lanes = this.active[i];
    for (const group of this.situations[this.situation[i]]) lanes |= group.lanes;
    return lanes >>> 0;
  }
}

function readSituation(reader: Reader): Group[] {
  return Array.from({ length: reader.varint() }, () => ({
    lanes: reader.u32(),
    pc: reader.varint(),
    wait: reader.byte() as Wait,
    index: reader.byte(),
    partners: reader.u32(),
  }));
}

function readTouches(reader: Reader): Touch[] {
  return Array.from({ length: reader.varint() }, () => ({
    kind: reader.byte(),
    space: reader.byte(),
    width: reader.varint(),
    lanes: reader.varint(),
    sectors: reader.varint(),
    sectorsIdeal: reader.varint(),
    tags: reader.varint(),
    wavefronts: reader.varint(),
    wavefrontsIdeal: reader.varint(),
  }));
}
