// What the page holds, as traces/viewer/page.cpp and traces/viewer/page_launch.cpp write it.

import type { DiffData } from './diff';
import type { ReportData } from './report';
import type { SweepData } from './sweep';

export interface SourceFile {
  path: string;
  text: string | null;
}

export interface Metric {
  name: string;
  unit: string;
  meaning: string;
}

export interface Site {
  branch: number;
  splits: number;
  again: number;
  lost: number;
  steps: number;
  met: [number, number][];
  patterns: [number, number, number][];
  otherPatterns: number;
}

/** Sums of lane slots, 32 for each warp instruction. */
export interface Slots {
  used: number;
  predicated: number;
  split: number;
  held: number;
  ended: number;
  neverStarted: number;
}

/** pc, offset, function, text; file and line; function inlined here or -1; callers' files and lines. */
type Row = [number, number, number, string, ...number[]];

/** A word of a value: register, 1 if uniform, the bit it begins at, bits. */
export type Part = [number, boolean, number, number];

export interface Variable {
  fn: number;
  name: string;
  type: string;
  kind: 'integer' | 'natural' | 'floating' | 'boolean' | 'character' | 'pointer';
  bytes: number;
  /** First instruction, one past the last, and its words there; of a parameter its value. */
  runs: [number, number, Part[] | [string]][];
}

export interface LaunchData {
  index: number;
  name: string;
  grid: number[];
  block: number[];
  registers: number;
  sharedBytes: number;
  class: string;
  fault: string;
  steps: number;
  recorded: number;
  functions: string[];
  variables: Variable[];
  code: Row[];
  metrics: Metric[];
  model: [number, number[]][];
  hardware?: [number, number[]][];
  baseline?: Baseline;
  cycles?: number; // of the launch, where it was timed
  times?: string;
  paths: number[][];
  sites: Site[];
  slots: Slots;
  advice?: Advice[];
  flow: string;
  values: { first: number; count: number; blob: string }[];
}

/** An earlier run's launch. Of other code each line's sums stand at its first instruction here. */
export interface Baseline {
  meaning: string;
  sameCode: boolean;
  rows: [number, number[]][];
}

export interface Advice {
  title: string;
  text: string;
  pc: number;
}

export interface PageData {
  device: string;
  hardwareDevice: string;
  baseline: string;
  program: string[];
  files: SourceFile[];
  launches: LaunchData[];
}

export interface Path {
  parent: number;
  branch: number;
  target: number;
  entered: number;
  steps: number;
  threads: number;
  lost: number;
}

/** One instruction of the listing. */
export interface Line {
  row: number;
  pc: number; // index in the program
  offset: number; // bytes from the function's start
  fn: number;
  text: string;
  file: number; // -1: unknown
  line: number;
  inlined: number; // function inlined here, or -1
  calls: { file: number; line: number }[]; // where it was inlined, the innermost call first
}

/** Whose numbers. */
export type Side = 'model' | 'hardware' | 'baseline';

/** A launch with what is looked up often. */
export class Launch {
  readonly lines: Line[];
  readonly paths: Path[];
  readonly metricRow = new Map<string, number>();
  readonly sites = new Map<number, Site>();
  private readonly rows = new Map<number, number>();
  private readonly values: Record<Side, Map<number, number[]>>;

  constructor(readonly data: LaunchData) {
    this.lines = data.code.map(([pc, offset, fn, text, file = -1, line = 0, inlined = -1, ...calls], row) => ({
      row, pc, offset, fn, text, file, line, inlined,
      calls: Array.from({ length: calls.length / 2 }, (_, i) => ({ file: calls[2 * i], line: calls[2 * i + 1] })),
    }));
    for (const line of this.lines) this.rows.set(line.pc, line.row);
    this.paths = data.paths.map(([parent, branch, target, entered, steps, threads, lost]) => ({
      parent, branch, target, entered, steps, threads, lost,
    }));
    data.metrics.forEach((metric, i) => this.metricRow.set(metric.name, i));
    this.values = {
      model: new Map(data.model),
      hardware: new Map(data.hardware),
      baseline: new Map(data.baseline?.rows),
    };
    for (const site of data.sites) this.sites.set(site.branch, site);
  }

  get hasHardware(): boolean {
    return this.data.hardware !== undefined;
  }
  lineAt(pc: number): Line | undefined {
    const row = this.rows.get(pc);
    return row === undefined ? undefined : this.lines[row];
  }
  value(pc: number, metric: string, side: Side = 'model'): number {
    const column = this.metricRow.get(metric);
    return column === undefined ? 0 : (this.values[side].get(pc)?.[column] ?? 0);
  }
}

/** A file's name without its folders; words with arguments stay. */
export const shortName = (words: string) => (words.includes(' ') ? words : (words.replace(/\/$/, '').split('/').pop() ?? words));

/** The line that the page can show: the instruction's own or, of a library, the nearest call's. */
export function shownPlace(line: Line, files: SourceFile[]): { file: number; line: number } {
  return [line, ...line.calls].find(({ file }) => file >= 0 && files[file].text !== null) ?? line;
}

export function readPage(): PageData | ReportData | DiffData | SweepData {
  const element = document.getElementById('heddle');
  if (!element) throw new Error('this page holds no launches');
  return JSON.parse(element.textContent ?? '') as PageData | ReportData | DiffData | SweepData;
}
