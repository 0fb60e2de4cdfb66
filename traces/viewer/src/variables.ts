// The values of the source's variables in the lanes of a warp, where registers hold them.
import type { Launch, Part, Variable } from './data';
import type { Flow } from './flow';
import { lanesText } from './lanes';
import { type State, UNIFORM } from './values';

const view = new DataView(new ArrayBuffer(8));

function valueText(value: bigint, { kind, bytes }: Variable): string {
  const bits = 8 * bytes;
  const known = BigInt.asUintN(bits, value);
  if (kind === 'boolean') return known === 0n ? 'false' : 'true';
  if (kind === 'integer' || kind === 'character') return `${BigInt.asIntN(bits, value)}`;
  if (kind === 'natural') return `${known}`;
  view.setBigUint64(0, known);
  if (kind === 'floating' && bytes === 8) return numberText(view.getFloat64(0), 10);
  if (kind === 'floating' && bytes === 4) return numberText(view.getFloat32(4), 7);
  return `0x${known.toString(16)}`;
}

const numberText = (value: number, digits: number) =>
  Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toFixed(1) : `${+value.toPrecision(digits)}`;

function word(state: State, [number, isUniform, shift, bits]: Part, lane: number): bigint {
  const whole = (isUniform ? state.words.get(UNIFORM + number) : state.rows.get(number)?.[lane]) ?? 0;
  return BigInt.asUintN(bits, BigInt(whole >>> 0) >> BigInt(shift));
}

function valueAt(variable: Variable, pc: number, state: State, lane: number): bigint | null {
  const run = variable.runs.find(([first, end]) => first <= pc && pc < end);
  if (!run) return null;
  const [place] = run[2];
  if (typeof place === 'string') return BigInt(place);
  return (run[2] as Part[]).reduce((value, part, i) => value | (word(state, part, lane) << BigInt(32 * i)), 0n);
}

/** "3", "3 in lanes 0-15, 5 in lanes 16-31", "0 + 1·lane". */
function textOf(variable: Variable, values: (bigint | null)[]): string {
  const lanes = new Map<string, number>();
  let all = 0;
  values.forEach((value, lane) => {
    if (value === null) return;
    const text = valueText(value, variable);
    lanes.set(text, ((lanes.get(text) ?? 0) | (1 << lane)) >>> 0);
    all = (all | (1 << lane)) >>> 0;
  });
  const where = all === 0xffffffff ? '' : ` in lanes ${lanesText(all)}`;
  if (lanes.size > 4) {
    const rule = ruleOf(variable, values);
    if (rule !== null) return rule + where;
  }
  if (lanes.size === 1) return [...lanes.keys()][0] + where;
  const parts = [...lanes].map(([text, mask]) => `${text} in ${(mask & (mask - 1)) === 0 ? 'lane' : 'lanes'} ${lanesText(mask)}`);
  return parts.length > 4 ? `${parts.slice(0, 4).join(', ')} …` : parts.join(', ');
}

/** Evenly spaced integers. */
function ruleOf(variable: Variable, values: (bigint | null)[]): string | null {
  if (variable.kind === 'floating' || variable.kind === 'boolean') return null;
  const known = values.flatMap((value, lane) => (value === null ? [] : [{ lane, value: BigInt.asIntN(8 * variable.bytes, value) }]));
  const [a, b] = known;
  const step = (b.value - a.value) / BigInt(b.lane - a.lane);
  const base = a.value - step * BigInt(a.lane);
  if (!known.every(({ lane, value }) => value === base + step * BigInt(lane))) return null;
  return `${valueText(base, variable)} ${step < 0n ? '−' : '+'} ${step < 0n ? -step : step}·lane`;
}

/** What the function at step `i` of the columns sees; of one name the innermost. */
export function variableValues(launch: Launch, flow: Flow, i: number, state: State): { name: string; type: string; text: string }[] {
  const fn = launch.lineAt(flow.pc[i])?.fn;
  const groups = [{ lanes: flow.active[i], pc: flow.pc[i] }, ...flow.situations[flow.situation[i]]];
  const shown = new Map<string, { name: string; type: string; text: string }>();
  for (const variable of launch.data.variables) {
    if (variable.fn !== fn) continue;
    const values: (bigint | null)[] = Array(32).fill(null);
    for (const { lanes, pc } of groups)
      for (let lane = 0; lane < 32; ++lane)
        if ((lanes >>> lane) & 1) values[lane] = valueAt(variable, pc, state, lane);
    if (values.some((value) => value !== null))
      shown.set(variable.name, { name: variable.name, type: variable.type, text: textOf(variable, values) });
  }
  return [...shown.values()];
}
