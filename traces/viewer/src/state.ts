// Where one is on the page: signals, and the ways to move.
import { batch, computed, signal } from '@preact/signals';
import { Launch, type PageData, shownPlace } from './data';
import { Flow, MEET, SPLIT, type WarpInfo } from './flow';
import { Times } from './times';
import { Values, type WarpValues } from './values';

export const page = signal<PageData | null>(null);
export const launchNumber = signal(0);
export const launch = signal<Launch | null>(null);
export const flow = signal<Flow | null>(null);
export const times = signal<Times | null>(null); // of a timed launch
export const values = signal<Values | null>(null);
export const warpNumber = signal(0);
export const step = signal(0);
export const warpValues = signal<WarpValues | null>(null);
export const playing = signal(false);
export const tab = signal('state');
export const columns = signal(['steps']); // by their Heat's id
export const search = signal('');
export const helpOpen = signal(false);
export const message = signal('');

/** What the picture shows: steps from `x`, `sx` pixels each; warps from `y`, `sy` pixels each. */
export interface View {
  x: number;
  sx: number;
  y: number;
  sy: number;
}
export const view = signal<View | null>(null); // null: everything

export const warp = computed<WarpInfo | null>(() => flow.value?.warps[warpNumber.value] ?? null);
/** The instruction about to execute. */
export const currentPc = computed(() => {
  const at = warp.value;
  if (!at || !flow.value || step.value >= at.steps) return -1;
  return flow.value.pc[at.first + step.value];
});

export const MOST_COLUMNS = 4;

const launches = new Map<number, Launch>();

export async function openLaunch(number: number): Promise<void> {
  const data = page.value?.launches[number];
  if (!data) return;
  let opened = launches.get(number);
  if (!opened) launches.set(number, (opened = new Launch(data)));
  const loaded = await Flow.load(data.flow);
  const timed = data.times === undefined ? null : await Times.load(data.times, loaded);
  batch(() => {
    launchNumber.value = number;
    launch.value = opened;
    flow.value = loaded;
    times.value = timed;
    values.value = new Values(data, loaded);
    warpNumber.value = 0;
    step.value = 0;
    view.value = null;
    warpValues.value = null;
  });
  await loadValues();
}

async function loadValues(): Promise<void> {
  const at = warp.value;
  const from = values.value;
  if (!at || !from) return;
  const loaded = await from.of(at);
  if (warp.value === at && values.value === from) warpValues.value = loaded;
}

export function goTo(number: number, to: number): void {
  const count = flow.value?.warps.length ?? 0;
  if (count === 0) return;
  const next = Math.max(0, Math.min(count - 1, number));
  const steps = flow.value!.warps[next].steps;
  const other = next !== warpNumber.value;
  batch(() => {
    if (other) warpValues.value = null;
    warpNumber.value = next;
    step.value = Math.max(0, Math.min(steps, to));
    message.value = '';
  });
  if (other) void loadValues();
}

export const goToStep = (to: number) => goTo(warpNumber.value, to);
export const goBy = (by: number) => goToStep(step.value + by);
export const goToWarp = (number: number) => goTo(number, step.value);

/** The next step, in a direction, for which `wanted` holds; false: there is none. */
export function find(direction: 1 | -1, wanted: (i: number) => boolean, round = false): boolean {
  const at = warp.value;
  if (!at) return false;
  for (let n = 1; n <= at.steps; ++n) {
    let to = step.value + direction * n;
    if (round) to = (to + at.steps) % at.steps;
    if (to < 0 || to >= at.steps) break;
    if (wanted(at.first + to)) {
      goToStep(to);
      return true;
    }
  }
  return false;
}

export function goToEvent(direction: 1 | -1, event: number): void {
  const name = event === SPLIT ? 'divergence' : 'reconvergence';
  if (!find(direction, (i) => (flow.value!.event[i] & event) !== 0))
    message.value = `no ${direction > 0 ? 'further' : 'earlier'} ${name} in this warp`;
}
export const goToSplit = (direction: 1 | -1) => goToEvent(direction, SPLIT);
export const goToMeet = (direction: 1 | -1) => goToEvent(direction, MEET);

/** The next time this warp executes the instruction; else the first warp that does. */
export function goToPc(pc: number): void {
  const all = flow.value!;
  if (find(1, (i) => all.pc[i] === pc, true)) return;
  for (const each of all.warps)
    for (let i = each.first; i < each.first + each.steps; ++i)
      if (all.pc[i] === pc) return goTo(each.number, i - each.first);
  message.value = 'no recorded step executes this instruction';
}

export function goToLine(file: number, line: number): void {
  const all = launch.value!;
  const pcs = new Set(all.lines.filter((l) => { const place = shownPlace(l, page.value!.files); return place.file === file && place.line === line; }).map((l) => l.pc));
  if (pcs.size === 0) message.value = `line ${line} has no instructions that were recorded`;
  else if (!find(1, (i) => pcs.has(flow.value!.pc[i]), true)) goToPc([...pcs][0]);
}

// The place in the address, so that a link opens it again.
export function placeText(): string {
  const parts = [`launch=${launchNumber.value}`, `warp=${warpNumber.value}`, `step=${step.value}`];
  if (tab.value !== 'state') parts.push(`tab=${tab.value}`);
  if (columns.value.join() !== 'steps') parts.push(`heat=${columns.value.map(encodeURIComponent).join()}`);
  const v = view.value;
  if (v) parts.push(`view=${[v.x, v.sx, v.y, v.sy].map((n) => +n.toPrecision(6)).join(',')}`);
  return parts.join('&');
}

export async function openPlace(text: string): Promise<void> {
  const place = new URLSearchParams(text.replace(/^#/, ''));
  const number = (name: string) => Math.max(0, Math.floor(Number(place.get(name)) || 0));
  const wanted = Math.min(number('launch'), (page.value?.launches.length ?? 1) - 1);
  if (!flow.value || wanted !== launchNumber.value) await openLaunch(wanted);
  tab.value = place.get('tab') ?? 'state';
  columns.value = (place.get('heat') ?? 'steps').split(',').slice(0, MOST_COLUMNS);
  const numbers = (place.get('view') ?? '').split(',').map(Number);
  if (numbers.length === 4 && numbers.every(Number.isFinite) && numbers[1] > 0 && numbers[3] > 0)
    view.value = { x: numbers[0], sx: numbers[1], y: numbers[2], sy: numbers[3] };
  goTo(number('warp'), number('step'));
}
