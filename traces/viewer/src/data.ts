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

type Row = [number, number, number, string, number?, number?, number?];

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
  code: Row[];
  metrics: Metric[];
  model: [number, number[]][];
  hardware?: [number, number[]][];
  paths: number[][];
  sites: Site[];
  slots: Slots;
  advice?: Advice[];
  flow: string;
  values: { first: number; count: number; blob: string }[];
}

export interface Advice {
  title: string;
  text: string;
  pc: number;
}

export interface PageData {
  device: string;
  hardwareDevice: string;
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
}

/** A launch with what is looked up often. */
export class Launch {
  readonly lines: Line[];
  readonly paths: Path[];
  readonly metricRow = new Map<string, number>();
  readonly sites = new Map<number, Site>();
  private readonly rows = new Map<number, number>();
  private readonly model = new Map<number, number[]>();
  private readonly hardware = new Map<number, number[]>();

  constructor(readonly data: LaunchData) {
    this.lines = data.code.map(([pc, offset, fn, text, file = -1, line = 0, inlined = -1], row) => ({
      row, pc, offset, fn, text, file, line, inlined,
    }));
    for (const line of this.lines) this.rows.set(line.pc, line.row);
    this.paths = data.paths.map(([parent, branch, target, entered, steps, threads, lost]) => ({
      parent, branch, target, entered, steps, threads, lost,
    }));
    data.metrics.forEach((metric, i) => this.metricRow.set(metric.name, i));
    for (const [pc, values] of data.model) this.model.set(pc, values);
    for (const [pc, values] of data.hardware ?? []) this.hardware.set(pc, values);
    for (const site of data.sites) this.sites.set(site.branch, site);
  }

  get hasHardware(): boolean {
    return this.data.hardware !== undefined;
  }
  lineAt(pc: number): Line | undefined {
    const row = this.rows.get(pc);
    return row === undefined ? undefined : this.lines[row];
  }
  modelValue(pc: number, metric: string): number {
    return this.value(this.model, pc, metric);
  }
  hardwareValue(pc: number, metric: string): number {
    return this.value(this.hardware, pc, metric);
  }
  private value(values: Map<number, number[]>, pc: number, metric: string): number {
    const column = this.metricRow.get(metric);
    return column === undefined ? 0 : (values.get(pc)?.[column] ?? 0);
  }
}

export function readPage(): PageData | ReportData | DiffData | SweepData {
  const element = document.getElementById('heddle');
  if (!element) throw new Error('this page holds no launches');
  return JSON.parse(element.textContent ?? '') as PageData | ReportData | DiffData | SweepData;
}
