// The page of heddle diff --html: variants of a program side by side.
import { signal } from '@preact/signals';
import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { DARK, LIGHT, pathSides } from './colors';
import { Launch, type PageData } from './data';
import { Flow, SPLIT } from './flow';
import { Icon } from './icons';
import { grouped } from './lanes';
import { currentTheme, toggleTheme } from './theme';
import { type Fact, type Scale, scaleOf, valueText } from './units';
import { fitting, makeShades, Weave } from './weave';

interface DiffPlace {
  places: string[];
  text: string;
  meaning: string[];
  metrics: Record<string, (number | null)[]>;
}
interface DiffKernel {
  sides: { kernel: string; launches: number[]; grid: number[]; block: number[]; fault: string }[];
  meaning: string[];
  metrics: Record<string, (number | null)[]>;
  lines: DiffPlace[];
  branches: DiffPlace[];
}
export interface DiffData {
  diff: {
    variants: string[];
    notes: string[];
    cycles_error_percent: { median: number; one_in_ten: number };
    kernels: DiffKernel[];
    headings: Record<'lines' | 'branches', Record<string, string>>; // of the columns
    facts: Record<string, Fact>;
    lanes: PageData[];
  };
}

const data = signal<DiffData['diff'] | null>(null);
const chosen = signal(0);
const pictures = signal<(Picture | null)[]>([]);
const zoom = signal(1); // 1: the longest side fills its picture
const from = signal(0); // of the longest side's steps, 0 to 1

interface Picture {
  launch: Launch;
  flow: Flow;
}

const letter = (side: number) => String.fromCharCode(65 + side);

async function openKernel(number: number): Promise<void> {
  const kernel = data.value!.kernels[number];
  const opened = await Promise.all(
    kernel.sides.map(async (side, i) => {
      const found = data.value!.lanes[i]?.launches.find((each) => each.index === side.launches[0]);
      return found ? { launch: new Launch(found), flow: await Flow.load(found.flow) } : null;
    }),
  );
  zoom.value = 1;
  from.value = 0;
  pictures.value = opened;
  chosen.value = number;
}

function splits(flow: Flow): number {
  let count = 0;
  for (const event of flow.event) if (event & SPLIT) ++count;
  return count;
}

/** All warps of one side; both sides have the same scale of steps. */
function LanePicture({ picture, side }: { picture: Picture; side: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const weave = new Weave();
    const shades = {
      light: makeShades(LIGHT, pathSides(picture.launch)),
      dark: makeShades(DARK, pathSides(picture.launch)),
    };
    const draw = () => {
      const element = canvas.current;
      if (!element) return;
      const scale = window.devicePixelRatio || 1;
      const width = Math.round(element.clientWidth * scale);
      const height = Math.round(element.clientHeight * scale);
      if (width === 0 || height === 0) return;
      if (element.width !== width || element.height !== height) {
        element.width = width;
        element.height = height;
      }
      const longest = Math.max(1, ...pictures.value.map((each) => each?.flow.longest ?? 0));
      const view = fitting(picture.flow, width, height);
      const sx = (width / longest) * zoom.value;
      const x = from.value * Math.max(0, longest - width / sx);
      weave.draw(element.getContext('2d')!, picture.flow, { ...view, x, sx }, shades[currentTheme.value === 'dark' ? 'dark' : 'light']);
    };
    const stop = effect(() => {
      void [zoom.value, from.value, currentTheme.value];
      requestAnimationFrame(draw);
    });
    const observer = new ResizeObserver(draw);
    observer.observe(canvas.current!);
    return () => {
      stop();
      observer.disconnect();
    };
  }, [picture]);
  const { flow, launch } = picture;
  const text = `${letter(side)}: ${flow.warps.length} warps${launch.data.recorded < launch.data.steps ? ' (others are counted, not shown)' : ''}, the longest takes ${grouped(flow.longest)} steps; they diverge ${grouped(splits(flow))} times`;
  return (
    <figure class="diff-picture">
      <figcaption><b>{letter(side)}</b> {data.value!.variants[side]}, launch {launch.data.index} <span class="dim">{text.slice(3)}</span></figcaption>
      <canvas ref={canvas} role="img" aria-label={text} data-testid={`lanes-${letter(side)}`} />
    </figure>
  );
}

const shown = (fact: Fact | undefined, value: number | null, scale: Scale = { factor: 1, unit: '' }) =>
  value === null ? '–' : valueText(fact, value, scale);
function change(fact: Fact | undefined, a: number | null, b: number | null): string {
  if (a === null || b === null) return '';
  if (a === b) return '=';
  if (fact?.unit === '%') return `${b > a ? '+' : '−'}${Math.abs(b - a).toFixed(1)} points`;
  if (a === 0) return '';
  const share = b / a - 1;
  return share >= 9 ? `× ${(b / a).toPrecision(3)}` : `${share > 0 ? '+' : '−'}${Math.abs(100 * share).toFixed(1)} %`;
}

function Metrics({ kernel }: { kernel: DiffKernel }) {
  const { facts, variants } = data.value!;
  const rows = Object.entries(kernel.metrics).filter(([, values]) => values.some((value) => value !== values[0]));
  if (rows.length === 0) return <p class="dim">No metric differs.</p>;
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Metrics that differ">
      <table class="instructions" data-testid="metrics">
        <thead><tr><th>metric</th><th>unit</th>{variants.map((_, side) => <><th class="amount">{letter(side)}</th>{side > 0 && <th class="amount">{letter(side)} − A</th>}</>)}</tr></thead>
        <tbody>
          {rows.map(([name, values]) => ({ name, values, scale: scaleOf(facts[name]?.unit ?? '', values) })).map(({ name, values, scale }) => (
            <tr>
              <td title={`${name}: ${facts[name]?.meaning ?? ''}`}>{facts[name]?.short ?? name}</td>
              <td>{scale.unit}</td>
              {values.map((value, side) => <><td class="amount">{shown(facts[name], value, scale)}</td>{side > 0 && <td class="amount">{change(facts[name], values[0], value)}</td>}</>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const along = (parts: (string | null)[]) => {
  const all = parts.map((part) => part ?? '–');
  return all.every((part) => part === all[0]) ? all[0] : all.join(' → ');
};

function Places({ places, what }: { places: DiffPlace[]; what: 'lines' | 'branches' }) {
  const { facts, headings } = data.value!;
  const changed = places.filter((place) => Object.values(place.metrics).some((values) => values.some((value) => value !== values[0])));
  if (changed.length === 0) return <p class="dim">None differs.</p>;
  const columns = Object.keys(changed[0].metrics);
  const hasText = changed.some((place) => place.text !== '');
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={what === 'lines' ? 'Source lines that differ' : 'Branches that differ'}>
      <table class="instructions" data-testid={what}>
        <thead><tr><th>where</th>{columns.map((name) => <th class="amount" title={`${name}: ${facts[name]?.meaning ?? ''}`}>{headings[what][name] ?? name}</th>)}<th>what it means</th>{hasText && <th>source</th>}</tr></thead>
        <tbody>
          {changed.map((place) => (
            <tr>
              <td>{along(place.places.map((each) => each || null))}</td>
              {columns.map((name) => <td class="amount">{along(place.metrics[name].map((value) => (value === null ? null : shown(facts[name], value))))}</td>)}
              <td class="words">{place.meaning.filter((each) => each !== '').join('; ')}</td>
              {hasText && <td><code>{place.text}</code></td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Diff() {
  useEffect(() => effect(() => { document.documentElement.dataset.theme = currentTheme.value; }), []);
  const { variants, kernels, notes, cycles_error_percent: error } = data.value!;
  const kernel = kernels[chosen.value];
  const timed = 'gpu__time_duration.sum' in kernel.metrics;
  return (
    <main class="report" data-testid="diff">
      <header class="top">
        <h1>Heddle: {variants.map((_, side) => letter(side)).join(' and ')}</h1>
        <select class="launches" aria-label="Kernel" data-testid="kernel" value={chosen.value} onChange={(event) => void openKernel(Number(event.currentTarget.value))}>
          {kernels.map((each, i) => <option value={i}>{along(each.sides.map((side) => side.kernel))} ({along(each.sides.map((side) => `block ${side.block.join('×')}`))})</option>)}
        </select>
        <span class="spring" />
        <button onClick={toggleTheme} aria-label="light or dark theme" title="light or dark theme"><Icon name="theme" /></button>
      </header>
      <section class="panel report-panel details">
        {variants.map((text, side) => (
          <p><b>{letter(side)}</b> <code>{text}</code>{side > 0 && <span data-testid={`meaning-${letter(side)}`}>: {kernel.meaning[side - 1] || 'does the same'}</span>}</p>
        ))}
        {kernel.sides.map((side, i) => side.fault !== '' && <p><b>{letter(i)} stopped:</b> {side.fault}</p>)}
        {notes.map((note) => <p class="dim">{note}</p>)}
        {timed && <p class="dim">~ is modelled: cycles are {error.median} % off in the median, {error.one_in_ten} % in one of ten kernels.</p>}
      </section>
      {pictures.value.some((each) => each !== null) && (
        <section class="panel report-panel details">
          <h2>Lanes over time <span class="dim">filled: lanes that execute; each colour is one side of a branch; both pictures have the same scale</span></h2>
          <div class="tools">
            <label>zoom <input type="range" min={0} max={10} step={0.25} data-testid="zoom" value={Math.log2(zoom.value)} onInput={(event) => (zoom.value = 2 ** Number(event.currentTarget.value))} /></label>
            <label>from step <input type="range" min={0} max={1} step={0.001} value={from.value} onInput={(event) => (from.value = Number(event.currentTarget.value))} /></label>
          </div>
          <div class="diff-pictures">
            {pictures.value.map((each, side) => each
              ? <LanePicture key={`${chosen.value} ${side}`} picture={each} side={side} />
              : <figure class="diff-picture"><figcaption><b>{letter(side)}</b> {variants[side]} <span class="dim">a record has no lanes: give the program or its capsules instead</span></figcaption></figure>)}
          </div>
        </section>
      )}
      <section class="panel report-panel details"><h2>Metrics that differ</h2><Metrics kernel={kernel} /></section>
      <section class="panel report-panel details"><h2>Source lines that differ</h2><Places places={kernel.lines} what="lines" /></section>
      <section class="panel report-panel details"><h2>Branches that differ</h2><Places places={kernel.branches} what="branches" /></section>
    </main>
  );
}

export async function openDiff(page: DiffData): Promise<void> {
  data.value = page.diff;
  if (page.diff.kernels.length === 0) throw new Error('the variants have no kernel in common');
  await openKernel(0);
}
