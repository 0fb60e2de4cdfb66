// When each step of a timed launch issued, and what its warp waited for before.
import { Reader, unpack } from './bytes';
import type { Flow } from './flow';

export interface WaitBefore {
  reason: string;
  cycles: number;
}

export class Times {
  /** By step, as Flow's columns. Cycle 0 is the first of the launch in which something happened. */
  issued = new Float64Array(0);
  private reasons: string[] = [];
  private begin = new Uint32Array(1); // of a step's waits in the two below
  private reason: number[] = [];
  private cycles: number[] = [];

  static async load(id: string, flow: Flow): Promise<Times> {
    const times = new Times();
    times.decode(new Reader(await unpack(id)), flow);
    return times;
  }

  private decode(reader: Reader, flow: Flow): void {
    this.reasons = Array.from({ length: reader.varint() }, () => {
      let name = '';
      for (let n = reader.varint(); n > 0; --n) name += String.fromCharCode(reader.byte());
      return name.replaceAll('_', ' ');
    });
    this.issued = new Float64Array(flow.pc.length);
    this.begin = new Uint32Array(flow.pc.length + 1);
    for (const warp of flow.warps) {
      let cycle = 0;
      for (let i = warp.first; i < warp.first + warp.steps; ++i) {
        this.issued[i] = cycle += reader.signed();
        for (let n = reader.varint(); n > 0; --n) {
          this.reason.push(reader.varint());
          this.cycles.push(reader.varint());
        }
        this.begin[i + 1] = this.reason.length;
      }
    }
  }

  /** What the warp waited for before step `i` of the columns, the longest first. */
  waits(i: number): WaitBefore[] {
    const sums = new Map<string, number>();
    for (let n = this.begin[i]; n < this.begin[i + 1]; ++n) {
      const reason = this.reasons[this.reason[n]];
      sums.set(reason, (sums.get(reason) ?? 0) + this.cycles[n]);
    }
    return [...sums].map(([reason, cycles]) => ({ reason, cycles })).sort((a, b) => b.cycles - a.cycles);
  }
}
