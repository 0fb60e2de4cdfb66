// What each lane does at a step, and how lanes and places are written.
import { type Flow, type Group, Wait, type WarpInfo } from './flow';

export const enum Doing {
  executes,
  off, // in the group that executes, but the guard does not hold
  ready, // in another group, whose turn has not come
  waitsMeet, // at BSYNC for the lanes it diverged from
  waitsSync, // at WARPSYNC
  waitsBlock, // at __syncthreads and the like
  ended,
  absent, // the block has no such thread
  waitsReconverge, // where a policy has it meet the lanes it diverged from
}

/** The character of the text trace, so that no colour is needed. */
export function symbol(doing: Doing, index: number): string {
  switch (doing) {
    case Doing.executes:
      return '#';
    case Doing.off:
      return '-';
    case Doing.ready:
      return '.';
    case Doing.waitsMeet:
      return index.toString(16);
    case Doing.waitsSync:
      return 'w';
    case Doing.waitsBlock:
      return String.fromCharCode(65 + index);
    case Doing.waitsReconverge:
      return 'r';
    case Doing.ended:
      return 'x';
    case Doing.absent:
      return '';
  }
}

export interface LaneState {
  doing: Doing;
  index: number; // of the barrier
}

const WAITS: Doing[] = [Doing.ready, Doing.waitsMeet, Doing.waitsSync, Doing.waitsBlock, Doing.waitsReconverge];

/** Of all 32 lanes before step `step` of a warp; one past the last: after it. */
export function laneStates(flow: Flow, warp: WarpInfo, step: number): LaneState[] {
  const launched = warp.steps > 0 ? flow.live(warp.first) : 0;
  const states: LaneState[] = [];
  for (let lane = 0; lane < 32; ++lane)
    states.push({ doing: (launched >>> lane) & 1 ? Doing.ended : Doing.absent, index: 0 });
  if (step >= warp.steps) return states;
  const i = warp.first + step;
  for (const group of flow.situations[flow.situation[i]])
    for (let lane = 0; lane < 32; ++lane)
      if ((group.lanes >>> lane) & 1)
        states[lane] = { doing: WAITS[group.wait], index: group.index };
  for (let lane = 0; lane < 32; ++lane)
    if ((flow.active[i] >>> lane) & 1)
      states[lane] = { doing: (flow.off[i] >>> lane) & 1 ? Doing.off : Doing.executes, index: 0 };
  return states;
}

/** "0-7, 12" */
export function lanesText(lanes: number): string {
  const parts: string[] = [];
  for (let lane = 0; lane < 32; ++lane) {
    if (!((lanes >>> lane) & 1)) continue;
    const first = lane;
    while (lane < 31 && (lanes >>> (lane + 1)) & 1) ++lane;
    parts.push(first === lane ? `${first}` : `${first}-${lane}`);
  }
  // Every other lane and the like are many short parts.
  if (parts.length <= 6) return parts.join(', ');
  return `${parts.slice(0, 3).join(', ')} … ${parts[parts.length - 1]}`;
}

export function waitText(group: Group): string {
  switch (group.wait) {
    case Wait.none:
      return 'ready, not selected';
    case Wait.convergenceBarrier:
      return `waits at B${group.index} for the lanes it diverged from`;
    case Wait.warpSync:
      return `waits at WARPSYNC for lanes ${lanesText(group.partners)}`;
    case Wait.blockBarrier:
      return group.index === 0 ? 'waits at __syncthreads' : `waits at block barrier ${group.index}`;
    case Wait.reconvergence:
      return 'waits to reconverge with the lanes it diverged from';
  }
}

export const hex = (value: number, digits = 4) => value.toString(16).padStart(digits, '0');

export const percent = (part: number, whole: number) =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(part * 100 === whole * 100 ? 0 : 1)} %`;

const THOUSANDS = new Intl.NumberFormat('en-US');
export const grouped = (value: number) =>
  Number.isInteger(value) ? THOUSANDS.format(value) : value.toFixed(2);

export function blockText(block: number, grid: number[]): string {
  if (grid[1] === 1 && grid[2] === 1) return `block ${block}`;
  const x = block % grid[0];
  const y = Math.floor(block / grid[0]) % grid[1];
  const z = Math.floor(block / grid[0] / grid[1]);
  return grid[2] === 1 ? `block (${x},${y})` : `block (${x},${y},${z})`;
}

export function popcountText(lanes: number): string {
  return lanes === 0xffffffff ? 'all 32 lanes' : `lanes ${lanesText(lanes)}`;
}
