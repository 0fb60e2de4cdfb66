// The number shown beside every line and instruction, and how strong its bar is.
import { computed } from '@preact/signals';
import { type Launch, type Line, shownPlace, type Side } from './data';
import { grouped } from './lanes';
import { columns, flow, launch, page } from './state';

const EXECUTED = 'smsp__sass_inst_executed.sum';
const THREADS = 'smsp__sass_thread_inst_executed.sum';

export interface Heat {
  id: string;
  label: string;
  meaning: string;
  /** Of a set of instructions; null: nothing to say. */
  value: (launch: Launch, pcs: number[], side: Side) => number | null;
  modelOnly?: boolean; // records do not have it
  text: (value: number) => string;
  modelled?: boolean; // never equal to the hardware's, which is no news
  /** Shares are of the whole launch; others of the largest. */
  strength: 'share' | 'largest' | 'missing';
}

const sum = (launch: Launch, pcs: number[], metric: string, side: Side) =>
  pcs.reduce((total, pc) => total + launch.value(pc, metric, side), 0);

const STANDARD: Heat[] = [
  {
    id: 'steps',
    label: 'executions',
    meaning: 'warp instructions executed; the bar is the share of the launch',
    value: (l, pcs, side) => sum(l, pcs, EXECUTED, side),
    text: grouped,
    strength: 'share',
  },
  {
    id: 'lanes',
    label: 'active lanes',
    meaning: 'lanes active on average, of 32; the bar shows what is missing',
    value: (l, pcs, side) => {
      const executed = sum(l, pcs, EXECUTED, side);
      return executed === 0 ? null : sum(l, pcs, THREADS, side) / executed;
    },
    text: (value) => value.toFixed(value === Math.round(value) ? 0 : 1),
    strength: 'missing',
  },
  {
    id: 'lost',
    label: 'cost of splitting',
    meaning: 'issue slots lost because warps split at this branch (idle lanes / 32)',
    value: (l, pcs) => pcs.reduce((total, pc) => total + (l.sites.get(pc)?.lost ?? 0) / 32, 0),
    text: (value) => grouped(Math.round(value * 10) / 10),
    strength: 'largest',
    modelOnly: true,
  },
  {
    id: 'splits',
    label: 'divergent executions',
    meaning: 'times a warp diverged here',
    value: (l, pcs) => pcs.reduce((total, pc) => total + (l.sites.get(pc)?.splits ?? 0), 0),
    text: grouped,
    strength: 'largest',
    modelOnly: true,
  },
];

const STALLED = /^smsp__pcsamp_warps_issue_stalled_(\w+)\.sum$/;

/** The reasons for which warps waited at these instructions, most frequent first. */
export function stallReasons(of: Launch, pcs: number[], side: Side): { reason: string; samples: number }[] {
  return of.data.metrics
    .flatMap(({ name }) => {
      const reason = STALLED.exec(name)?.[1];
      const samples = reason && reason !== 'selected' ? sum(of, pcs, name, side) : 0;
      return reason && samples > 0 ? [{ reason: reason.replaceAll('_', ' '), samples }] : [];
    })
    .sort((a, b) => b.samples - a.samples);
}

const samplesAt = (of: Launch, pcs: number[], side: Side) =>
  stallReasons(of, pcs, side).reduce((n, { samples }) => n + samples, 0);
const totals = new WeakMap<Launch, Record<Side, number>>();

/** Of all the launch's waiting, in per cent: the model counts cycles, a GPU takes samples. */
function waitingShare(of: Launch, pcs: number[], side: Side): number {
  let sums = totals.get(of);
  if (!sums) {
    const all = of.lines.map((line) => line.pc);
    sums = { model: samplesAt(of, all, 'model'), hardware: samplesAt(of, all, 'hardware'), baseline: samplesAt(of, all, 'baseline') };
    totals.set(of, sums);
  }
  return sums[side] === 0 ? 0 : (100 * samplesAt(of, pcs, side)) / sums[side];
}

const WAITING: Heat = {
  id: 'stalls',
  label: 'waiting',
  meaning: 'share of all waiting of warps that is at this instruction; the state panel tells why',
  value: waitingShare,
  text: (value) => `${value.toFixed(1)} %`,
  strength: 'largest',
  modelled: true,
};

/** Everything that can be shown: the usual ones, then every metric the records have. */
export const heats = computed<Heat[]>(() => [
  ...STANDARD,
  ...(launch.value?.data.metrics.some(({ name }) => STALLED.test(name)) ? [WAITING] : []),
  ...(launch.value?.data.metrics ?? []).map(
    (metric): Heat => ({
      id: metric.name,
      label: metric.name,
      meaning: metric.meaning,
      value: (l, pcs, side) => sum(l, pcs, metric.name, side),
      text: grouped,
      strength: 'largest',
      modelled: STALLED.test(metric.name),
    }),
  ),
]);

/** What the columns beside source and listing show, the first at the left. */
export const shownHeats = computed<Heat[]>(() => {
  const known = columns.value.map((id) => heats.value.find((each) => each.id === id)).filter((each) => each !== undefined);
  return known.length > 0 ? known : [STANDARD[0]];
});

export interface Cell {
  text: string;
  strength: number; // 0…1
  hardware: string | null;
  differs: boolean;
  baseline: string | null;
}

/** One cell for each set of instructions. */
export function cells(of: Launch, sets: number[][], shown: Heat): Cell[] {
  const numbers = sets.map((pcs) => (pcs.length === 0 ? null : shown.value(of, pcs, 'model')));
  const known = numbers.filter((n): n is number => n !== null);
  const whole =
    shown.strength === 'share' ? of.data.steps / 4 : Math.max(1e-9, ...known.map(Math.abs));
  const beside = (i: number, side: Side, has: boolean) =>
    has && !shown.modelOnly && sets[i].length > 0 ? shown.value(of, sets[i], side) : null;
  return numbers.map((number, i) => {
    const measured = beside(i, 'hardware', of.hasHardware);
    const before = beside(i, 'baseline', of.data.baseline !== undefined);
    const differs =
      measured !== null && !shown.modelled && Math.abs(measured - (number ?? 0)) > 1e-6 * Math.max(1, Math.abs(measured));
    const strength =
      number === null ? 0 : shown.strength === 'missing' ? 1 - number / 32 : number / whole;
    return {
      text: number === null || (number === 0 && !differs && !before) ? '' : shown.text(number),
      strength: Math.max(0, Math.min(1, strength)),
      hardware: measured === null || (measured === 0 && !differs) ? null : shown.text(measured),
      differs,
      baseline: before === null || (before === 0 && !number) ? null : shown.text(before),
    };
  });
}

/** For each column, a cell for each instruction of the listing. */
export const listingCells = computed<Cell[][]>(() => {
  const of = launch.value;
  if (!of || !flow.value) return [];
  const sets = of.lines.map((line: Line) => [line.pc]);
  return shownHeats.value.map((shown) => cells(of, sets, shown));
});

/** The instructions of every line of a file, from line 1. */
export function pcsOfFile(of: Launch, file: number, lines: number): number[][] {
  const sets: number[][] = Array.from({ length: lines }, () => []);
  for (const each of of.lines) {
    const place = shownPlace(each, page.value!.files);
    if (place.file === file && place.line >= 1 && place.line <= lines) sets[place.line - 1].push(each.pc);
  }
  return sets;
}
