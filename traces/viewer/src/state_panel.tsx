// The warp at this step: its lanes, its groups, memory touched, registers.
import { useSignal } from '@preact/signals';
import { DARK, LIGHT, pathSides } from './colors';
import { popcount, type Touch } from './flow';
import { Doing, grouped, hex, laneStates, lanesText, percent, symbol, waitText } from './lanes';
import * as at from './state';
import { currentTheme } from './theme';
import { isBarrier, isMask, isUniformPredicate, valueName } from './values';
import { variableValues } from './variables';
import { usePathColor } from './code';
import { stallReasons } from './heat';

const MEANINGS = [
  'executes', 'active, but predicated off', 'ready but not selected', 'waits for the lanes it diverged from',
  'waits at WARPSYNC', 'waits at a block barrier', 'has ended', 'no thread: the block is smaller',
  'waits to reconverge',
];

export function Lanes() {
  const flow = at.flow.value!;
  const warp = at.warp.value;
  const color = usePathColor();
  if (!warp) return null;
  const states = laneStates(flow, warp, at.step.value);
  return (
    <div class="lanes" role="img" data-testid="lanes"
      aria-label={`Lanes 0 to 31: ${states.map((s) => symbol(s.doing, s.index) || ' ').join('')}`}>
      {states.map(({ doing, index }, lane) => (
        <span class={`lane doing-${doing}`} style={{ '--path': color }} title={`lane ${lane} ${MEANINGS[doing]}${doing === Doing.waitsMeet ? ` (B${index})` : ''}`}>
          <b>{symbol(doing, index)}</b>
          <small>{lane}</small>
        </span>
      ))}
    </div>
  );
}

function Groups() {
  const flow = at.flow.value!;
  const launch = at.launch.value!;
  const warp = at.warp.value!;
  const color = usePathColor();
  if (at.step.value >= warp.steps)
    return <p class="dim">{at.launch.value!.data.recorded < at.launch.value!.data.steps ? 'No more steps of this warp were kept.' : 'All lanes have ended.'}</p>;
  const i = warp.first + at.step.value;
  const place = (pc: number) => {
    const line = launch.lineAt(pc);
    return <button class="link" onClick={() => at.goToPc(pc)}>{line ? hex(line.offset) : pc}</button>;
  };
  const others = flow.situations[flow.situation[i]];
  return (
    <table class="groups">
      <tbody>
        <tr>
          <td><span class="swatch" style={{ background: color }} /></td>
          <td>{place(flow.pc[i])}</td>
          <td>{popcount(flow.active[i])} lanes</td>
          <td class="lane-list">{lanesText(flow.active[i])}</td>
          <td>executes{flow.off[i] !== 0 && `, predicated off in ${lanesText(flow.off[i])}`}</td>
        </tr>
        {[...others].reverse().map((group) => (
          <tr>
            <td><span class="swatch hollow" /></td>
            <td>{place(group.wait === 0 ? group.pc : group.pc - 1)}</td>
            <td>{popcount(group.lanes)} lanes</td>
            <td class="lane-list">{lanesText(group.lanes)}</td>
            <td>{waitText(group)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const SPACES = ['global', 'shared', 'local'];
const KINDS = ['loads from', 'stores to', 'atomic on', 'reduction on', 'compare-and-swap on', 'CAST.SPIN on'];

function touchText(touch: Touch): string {
  const what = `${KINDS[touch.kind]} ${SPACES[touch.space]} memory: ${touch.lanes} lanes × ${touch.width} bytes`;
  return touch.space === 1
    ? `${what}, ${touch.wavefronts} wavefronts (at best ${touch.wavefrontsIdeal})`
    : `${what}, ${touch.sectors} sectors (at best ${touch.sectorsIdeal})`;
}

function Memory() {
  const flow = at.flow.value!;
  const warp = at.warp.value!;
  if (at.step.value >= warp.steps) return null;
  const touch = flow.touch[warp.first + at.step.value];
  if (touch < 0) return null;
  return <ul class="memory">{flow.touches[touch].map((each) => <li>{touchText(each)}</li>)}</ul>;
}

/** Why warps waited at the instruction one is at, in a timed launch. */
function Waiting() {
  const launch = at.launch.value!;
  const pc = at.currentPc.value;
  if (pc < 0) return null;
  const sides = (['model', 'hardware', 'baseline'] as const).map((side) => [side, stallReasons(launch, [pc], side)] as const);
  if (sides.every(([, reasons]) => reasons.length === 0)) return null;
  return (
    <table class="waiting">
      <tbody>
        {sides.map(([side, reasons]) => reasons.length > 0 && (
          <tr><th>waits here, {side}</th><td>{reasons.slice(0, 4).map(({ reason, samples }) => `${reason} ${percent(samples, reasons.reduce((n, each) => n + each.samples, 0))}`).join(', ')}</td></tr>
        ))}
      </tbody>
    </table>
  );
}

/** When this step issued, and what the warp waited for since its step before. */
function StepTime() {
  const times = at.times.value;
  const warp = at.warp.value!;
  if (!times || at.step.value >= warp.steps) return null;
  const i = warp.first + at.step.value;
  const waits = times.waits(i);
  const since = at.step.value > 0 ? `, ${grouped(times.issued[i] - times.issued[i - 1])} after the step before` : '';
  return (
    <table class="waiting" data-testid="step-time">
      <tbody>
        <tr><th>issues</th><td>in cycle ~{grouped(times.issued[i])}{since}</td></tr>
        {waits.length > 0 && <tr><th>waited before, cycles</th><td>{waits.map(({ reason, cycles }) => `${reason} ${grouped(cycles)}`).join(', ')}</td></tr>}
      </tbody>
    </table>
  );
}

/** Variables of the source, in code with debug information. */
function Variables() {
  const values = at.warpValues.value;
  const warp = at.warp.value!;
  const launch = at.launch.value!;
  if (!values || launch.data.variables.length === 0 || at.step.value >= warp.steps) return null;
  const shown = variableValues(launch, at.flow.value!, warp.first + at.step.value, values.at(at.step.value));
  return (
    <div class="registers" data-testid="variables">
      <h3>Variables</h3>
      <table>
        <tbody>
          {shown.map(({ name, type, text }) => <tr title={`${type} ${name} = ${text}`}><th>{name}</th><td>{text}</td></tr>)}
        </tbody>
      </table>
      {shown.length === 0 && <p class="dim">No register holds a variable here.</p>}
    </div>
  );
}

type Form = 'hex' | 'int' | 'float';

function wordText(word: number, form: Form): string {
  if (form === 'int') return `${word | 0}`;
  if (form === 'hex') return `0x${(word >>> 0).toString(16)}`;
  const view = new DataView(new ArrayBuffer(4));
  view.setInt32(0, word);
  const value = view.getFloat32(0);
  return Number.isInteger(value) && Math.abs(value) < 1e7 ? value.toFixed(1) : value.toPrecision(6);
}

/** One value where lanes agree, a rule where they are in line, else the first of them. */
function rowText(row: Int32Array, lanes: number, form: Form): { text: string; same: boolean } {
  const of: number[] = [];
  for (let lane = 0; lane < 32; ++lane) if ((lanes >>> lane) & 1) of.push(lane);
  if (of.length === 0) return { text: '', same: true };
  const first = row[of[0]];
  if (of.every((lane) => row[lane] === first)) return { text: wordText(first, form), same: true };
  if (form !== 'float') {
    const step = (row[of[1]] - first) / (of[1] - of[0]);
    if (Number.isInteger(step) && of.every((lane) => row[lane] === ((first + Math.imul(step, lane - of[0])) | 0))) {
      const base = (first - Math.imul(step, of[0])) | 0;
      return { text: `${wordText(base, form)} ${step < 0 ? '−' : '+'} ${Math.abs(step)}·lane`, same: false };
    }
  }
  return { text: of.slice(0, 4).map((lane) => wordText(row[lane], form)).join(' ') + ' …', same: false };
}

function Registers() {
  const form = useSignal<Form>('hex');
  const open = useSignal<Set<number>>(new Set());
  const values = at.warpValues.value;
  const warp = at.warp.value!;
  const flow = at.flow.value!;
  if (!values) return <p class="dim">The registers of this warp were left out to keep the page small.</p>;
  const state = values.at(at.step.value);
  const live = at.step.value < warp.steps ? flow.live(warp.first + at.step.value) : 0xffffffff;
  const rows = [...state.rows.keys()].sort((a, b) => a - b);
  const words = [...state.words.keys()].sort((a, b) => a - b);
  const toggle = (name: number) => {
    const next = new Set(open.value);
    if (!next.delete(name)) next.add(name);
    open.value = next;
  };
  const masks = words.filter((name) => isMask(name) && (!isBarrier(name) || state.words.get(name) !== 0));
  const uniform = words.filter((name) => !isMask(name));
  return (
    <div class="registers" data-testid="registers">
      <h3>Registers</h3>
      <div class="forms" role="radiogroup" aria-label="Number format">
        {(['hex', 'int', 'float'] as Form[]).map((each) => (
          <button role="radio" aria-checked={form.value === each} onClick={() => (form.value = each)}>{each}</button>
        ))}
      </div>
      <table>
        <tbody>
          {masks.map((name) => {
            const mask = state.words.get(name)!;
            return (
              <tr class={values.changed.has(name) ? 'changed' : ''}>
                <th>{valueName(name)}</th>
                <td>{isUniformPredicate(name) ? (mask !== 0 ? 'true' : 'false') : <MaskBar mask={mask} live={live} />}</td>
              </tr>
            );
          })}
          {uniform.map((name) => (
            <tr class={values.changed.has(name) ? 'changed' : ''}>
              <th>{valueName(name)}</th>
              <td>{wordText(state.words.get(name)!, form.value)}</td>
            </tr>
          ))}
          {rows.map((name) => {
            const row = state.rows.get(name)!;
            const { text, same } = rowText(row, live, form.value);
            const opened = open.value.has(name) && !same;
            return (
              <>
                <tr class={`${values.changed.has(name) ? 'changed' : ''} ${same ? '' : 'many'}`} onClick={() => toggle(name)}>
                  <th>{valueName(name)}</th>
                  <td>{text}{!same && <span class="more">{opened ? ' ▾' : ' ▸'}</span>}</td>
                </tr>
                {opened && (
                  <tr><td colSpan={2}>
                    <ol class="lane-values">
                      {[...row].map((word, lane) => <li class={(live >>> lane) & 1 ? '' : 'dim'}><small>{lane}</small>{wordText(word, form.value)}</li>)}
                    </ol>
                  </td></tr>
                )}
              </>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

export function MaskBar({ mask, live = 0xffffffff }: { mask: number; live?: number }) {
  return (
    <span class="mask-bar" role="img" aria-label={`lanes ${lanesText(mask) || 'none'}`} title={`0x${hex(mask >>> 0, 8)}: lanes ${lanesText(mask) || 'none'}`}>
      {Array.from({ length: 32 }, (_, lane) => (
        <i class={(mask >>> lane) & 1 ? ((live >>> lane) & 1 ? 'on' : 'gone') : ''} />
      ))}
    </span>
  );
}

export function StatePanel() {
  if (!at.warp.value) return <p class="empty">No warp was recorded.</p>;
  return (
    <div class="state">
      <Groups />
      <Memory />
      <StepTime />
      <Waiting />
      <Variables />
      <Registers />
    </div>
  );
}

export function PathName({ path }: { path: number }) {
  const launch = at.launch.value!;
  const palette = currentTheme.value === 'dark' ? DARK : LIGHT;
  const side = pathSides(launch)[path];
  const { branch, target } = launch.paths[path];
  const line = launch.lineAt(branch);
  const to = launch.lineAt(target);
  return (
    <span class="path-name">
      <span class="swatch" style={{ background: side < 0 ? palette.together : palette.sides[side] }} />
      {path === 0 ? 'the whole warp' : target === branch + 1 ? 'goes on' : <>jumps to {to ? hex(to.offset) : grouped(target)}</>}
      {path !== 0 && line === undefined && ` (${branch})`}
    </span>
  );
}
