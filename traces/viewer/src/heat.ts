// The number shown beside every line and instruction, and how strong its bar is.
import { computed } from '@preact/signals';
import type { Launch, Line } from './data';
import { grouped } from './lanes';
import { flow, heat, launch } from './state';

const EXECUTED = 'smsp__sass_inst_executed.sum';
const THREADS = 'smsp__sass_thread_inst_executed.sum';

export interface Heat {
  id: string;
  label: string;
  meaning: string;
  /** Of a set of instructions; null: nothing to say. */
  value: (launch: Launch, pcs: number[]) => number | null;
  hardware?: (launch: Launch, pcs: number[]) => number | null;
  text: (value: number) => string;
  modelled?: boolean; // never equal to the hardware's, which is no news
  /** Shares are of the whole launch; others of the largest. */
  strength: 'share' | 'largest' | 'missing';
}

const sum = (launch: Launch, pcs: number[], metric: string) =>
  pcs.reduce((total, pc) => total + launch.modelValue(pc, metric), 0);
const sumHardware = (launch: Launch, pcs: number[], metric: string) =>
  pcs.reduce((total, pc) => total + launch.hardwareValue(pc, metric), 0);

const STANDARD: Heat[] = [
  {
    id: 'steps',
    label: 'executions',
    meaning: 'warp instructions executed; the bar is the share of the launch',
    value: (l, pcs) => sum(l, pcs, EXECUTED),
    hardware: (l, pcs) => sumHardware(l, pcs, EXECUTED),
    text: grouped,
    strength: 'share',
  },
  {
    id: 'lanes',
    label: 'active lanes',
    meaning: 'lanes active on average, of 32; the bar shows what is missing',
    value: (l, pcs) => {
      const executed = sum(l, pcs, EXECUTED);
      return executed === 0 ? null : sum(l, pcs, THREADS) / executed;
    },
    hardware: (l, pcs) => {
      const executed = sumHardware(l, pcs, EXECUTED);
      return executed === 0 ? null : sumHardware(l, pcs, THREADS) / executed;
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
  },
  {
    id: 'splits',
    label: 'divergent executions',
    meaning: 'times a warp split here',
    value: (l, pcs) => pcs.reduce((total, pc) => total + (l.sites.get(pc)?.splits ?? 0), 0),
    text: grouped,
    strength: 'largest',
  },
];

const STALLED = /^smsp__pcsamp_warps_issue_stalled_(\w+)\.sum$/;

/** The reasons for which warps waited at these instructions, most frequent first. */
export function stallReasons(of: Launch, pcs: number[], hardware = false): { reason: string; samples: number }[] {
  const value = hardware ? sumHardware : sum;
  return of.data.metrics
    .flatMap(({ name }) => {
      const reason = STALLED.exec(name)?.[1];
      const samples = reason && reason !== 'selected' ? value(of, pcs, name) : 0;
      return reason && samples > 0 ? [{ reason: reason.replaceAll('_', ' '), samples }] : [];
    })
    .sort((a, b) => b.samples - a.samples);
}

const samplesAt = (of: Launch, pcs: number[], hardware: boolean) =>
  stallReasons(of, pcs, hardware).reduce((n, { samples }) => n + samples, 0);
const totals = new WeakMap<Launch, number[]>();

/** Of all the launch's waiting, in per cent: the model counts cycles, a GPU takes samples. */
function waitingShare(of: Launch, pcs: number[], hardware: boolean): number {
  let sums = totals.get(of);
  if (!sums) {
    const all = of.lines.map((line) => line.pc);
    totals.set(of, (sums = [samplesAt(of, all, false), samplesAt(of, all, true)]));
  }
  const whole = sums[hardware ? 1 : 0];
  return whole === 0 ? 0 : (100 * samplesAt(of, pcs, hardware)) / whole;
}

const WAITING: Heat = {
  id: 'stalls',
  label: 'waiting',
  meaning: 'share of all waiting of warps that is at this instruction; the state panel tells why',
  value: (l, pcs) => waitingShare(l, pcs, false),
  hardware: (l, pcs) => waitingShare(l, pcs, true),
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
      value: (l, pcs) => sum(l, pcs, metric.name),
      hardware: (l, pcs) => sumHardware(l, pcs, metric.name),
      text: grouped,
      strength: 'largest',
      modelled: STALLED.test(metric.name),
    }),
  ),
]);

export const currentHeat = computed(
  () => heats.value.find((each) => each.id === heat.value) ?? STANDARD[0],
);

export interface Cell {
  text: string;
  strength: number; // 0…1
  hardware: string | null;
  differs: boolean;
}

/** One cell for each set of instructions. */
export function cells(of: Launch, sets: number[][]): Cell[] {
  const shown = currentHeat.value;
  const numbers = sets.map((pcs) => (pcs.length === 0 ? null : shown.value(of, pcs)));
  const known = numbers.filter((n): n is number => n !== null);
  const whole =
    shown.strength === 'share' ? of.data.steps / 4 : Math.max(1e-9, ...known.map(Math.abs));
  return numbers.map((number, i) => {
    const measured =
      of.hasHardware && shown.hardware && sets[i].length > 0 ? shown.hardware(of, sets[i]) : null;
    const differs =
      measured !== null && !shown.modelled && Math.abs(measured - (number ?? 0)) > 1e-6 * Math.max(1, Math.abs(measured));
    const strength =
      number === null ? 0 : shown.strength === 'missing' ? 1 - number / 32 : number / whole;
    return {
      text: number === null || (number === 0 && !differs) ? '' : shown.text(number),
      strength: Math.max(0, Math.min(1, strength)),
      hardware: measured === null || (measured === 0 && !differs) ? null : shown.text(measured),
      differs,
    };
  });
}

const listing = computed<Cell[]>(() => {
  const of = launch.value;
  return of && flow.value ? cells(of, of.lines.map((line: Line) => [line.pc])) : [];
});
export const listingCells = listing;

/** The instructions of every line of a file, from line 1. */
export function pcsOfFile(of: Launch, file: number, lines: number): number[][] {
  const sets: number[][] = Array.from({ length: lines }, () => []);
  for (const line of of.lines)
    if (line.file === file && line.line >= 1 && line.line <= lines) sets[line.line - 1].push(line.pc);
  return sets;
}
