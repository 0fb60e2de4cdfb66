// The page of heddle validate --html: the model against the hardware, launch by launch.
import { computed, effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { unpack } from './bytes';
import { grouped } from './lanes';
import { currentTheme, toggleTheme } from './theme';
import { Icon } from './icons';

export interface ReportLaunch {
  index: number;
  kernel: string;
  orderDependent: boolean;
  values: number;
  differences: number;
  trouble: string;
  metrics: Record<string, [number, number]>; // model, hardware
  timing: Record<string, [number, number[]]>; // model, the hardware's measurements
  instructions: { function: string; pc: number; line: string; text: string; values: Record<string, [number, number]> }[];
}
export interface ReportEntry {
  name: string;
  trouble: string;
  stepper: string; // a page of heddle step --html beside this one, or ""
  launches: ReportLaunch[];
}
export interface ReportData {
  report: { device: string; units: Record<string, string>; blob: string };
}

const data = signal<{ entries: ReportEntry[] }>({ entries: [] });
const units = signal<Record<string, string>>({});
const metric = signal('');
const chosen = signal<[number, number] | null>(null); // entry, launch

interface Point {
  entry: number;
  launch: number;
  name: string;
  model: number;
  hardware: number;
  low: number; // of the hardware's measurements
  high: number;
}

const median = (values: number[]) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};
const isStall = (name: string) => name.includes('_issue_stalled_');

/** What can be drawn: timed metrics first, then the exact ones most launches have. */
const names = computed(() => {
  const counts = new Map<string, number>();
  const timed = new Set<string>();
  for (const entry of data.value.entries)
    for (const launch of entry.launches) {
      for (const name of Object.keys(launch.timing)) timed.add(name);
      for (const name of [...Object.keys(launch.timing), ...Object.keys(launch.metrics)])
        counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  const first = ['sm__cycles_active.max', 'sm__cycles_elapsed.max', 'smsp__sass_inst_executed.sum'];
  const rank = (name: string) => (first.includes(name) ? first.indexOf(name) : timed.has(name) ? 10 : 20);
  return [...counts.keys()].filter((name) => !isStall(name)).sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
});

const points = computed<Point[]>(() => {
  const result: Point[] = [];
  data.value.entries.forEach((entry, e) =>
    entry.launches.forEach((launch, l) => {
      const name = `${entry.name}: ${launch.kernel}`;
      const timed = launch.timing[metric.value];
      if (timed)
        result.push({ entry: e, launch: l, name, model: timed[0], hardware: median(timed[1]), low: Math.min(...timed[1]), high: Math.max(...timed[1]) });
      else if (launch.metrics[metric.value]) {
        const [model, hardware] = launch.metrics[metric.value];
        result.push({ entry: e, launch: l, name, model, hardware, low: hardware, high: hardware });
      }
    }),
  );
  return result;
});

const error = (point: Point) => (point.hardware === 0 ? (point.model === 0 ? 0 : Infinity) : point.model / point.hardware - 1);
const signed = (share: number) => `${share >= 0 ? '+' : '−'}${Math.abs(100 * share).toFixed(1)} %`;
const isChosen = (point: Point) => chosen.value?.[0] === point.entry && chosen.value[1] === point.launch;
const choose = (point: Point) => {
  chosen.value = [point.entry, point.launch];
  document.getElementById('launch')?.scrollIntoView({ behavior: 'smooth', block: 'start' });
};

function Scatter() {
  const size = 420;
  const margin = 56;
  const drawn = points.value.filter((p) => p.model > 0 && p.hardware > 0);
  if (drawn.length === 0) return <p class="dim">No value is above zero, so there is nothing to draw.</p>;
  const all = drawn.flatMap((p) => [p.model, p.low > 0 ? p.low : p.hardware, p.high]);
  const low = Math.log10(Math.min(...all)) - 0.1;
  const high = Math.log10(Math.max(...all)) + 0.1;
  const at = (value: number) => ((Math.log10(value) - low) / (high - low)) * (size - margin - 10);
  const x = (value: number) => margin + at(value);
  const y = (value: number) => size - margin - at(value);
  const ticks: number[] = [];
  // Where there are few powers of ten, also what lies between them.
  for (const factor of high - low > 3 ? [1] : [1, 2, 5])
    for (let power = Math.floor(low); power <= high; ++power) {
      const tick = factor * 10 ** power;
      if (Math.log10(tick) >= low && Math.log10(tick) <= high) ticks.push(tick);
    }
  return (
    <svg class="scatter" viewBox={`0 0 ${size} ${size}`} role="group" aria-label="model against hardware">
      {ticks.map((tick) => (
        <>
          <line class="grid" x1={x(tick)} x2={x(tick)} y1={10} y2={size - margin} />
          <line class="grid" x1={margin} x2={size - 10} y1={y(tick)} y2={y(tick)} />
          <text x={x(tick)} y={size - margin + 16} text-anchor="middle">{short(tick)}</text>
          <text x={margin - 6} y={y(tick) + 4} text-anchor="end">{short(tick)}</text>
        </>
      ))}
      <line class="ideal" x1={x(10 ** low)} y1={y(10 ** low)} x2={x(10 ** high)} y2={y(10 ** high)} />
      <text x={(size + margin) / 2} y={size - 14} text-anchor="middle">hardware</text>
      <text x={16} y={(size - margin) / 2} text-anchor="middle" transform={`rotate(-90 16 ${(size - margin) / 2})`}>model</text>
      {drawn.map((p) => (
        <g class={`point ${isChosen(p) ? 'chosen' : ''}`} tabIndex={0} role="button" aria-label={p.name} onClick={() => choose(p)}
          onKeyDown={(event) => event.key === 'Enter' && choose(p)}>
          {p.high > p.low && p.low > 0 && <line class="spread" x1={x(p.low)} x2={x(p.high)} y1={y(p.model)} y2={y(p.model)} />}
          <circle cx={x(p.hardware)} cy={y(p.model)} r={isChosen(p) ? 6 : 4} />
          <title>{`${p.name}\nmodel ${grouped(p.model)}, hardware ${grouped(p.hardware)} (${signed(error(p))})`}</title>
        </g>
      ))}
    </svg>
  );
}

function short(value: number): string {
  if (value < 1) return `${+value.toPrecision(1)}`;
  if (value >= 1e9) return `${value / 1e9}G`;
  if (value >= 1e6) return `${value / 1e6}M`;
  if (value >= 1e3) return `${value / 1e3}k`;
  return `${value}`;
}

const filter = signal('');
const order = signal('error');
const ORDERS: Record<string, [string, (a: Point, b: Point) => number]> = {
  error: ['largest error', (a, b) => Math.abs(error(b)) - Math.abs(error(a))],
  above: ['model too high', (a, b) => error(b) - error(a)],
  below: ['model too low', (a, b) => error(a) - error(b)],
  name: ['name', (a, b) => a.name.localeCompare(b.name)],
  hardware: ['largest on hardware', (a, b) => b.hardware - a.hardware],
};

/** One bar per launch; the hardware's own spread behind it. */
function Errors() {
  const wanted = filter.value.toLowerCase();
  const sorted = points.value.filter((p) => p.name.toLowerCase().includes(wanted)).sort(ORDERS[order.value][1]);
  const shown = sorted.slice(0, 400);
  const most = Math.max(0.02, ...shown.map((p) => Math.min(2, Math.abs(error(p)))));
  return (
    <>
    <div class="tools">
      <label>filter <input type="search" data-testid="filter" value={filter.value} onInput={(event) => (filter.value = event.currentTarget.value)} /></label>
      <label>sort by <select data-testid="order" value={order.value} onChange={(event) => (order.value = event.currentTarget.value)}>
        {Object.entries(ORDERS).map(([id, [label]]) => <option value={id}>{label}</option>)}
      </select></label>
      <span class="dim" role="status">{sorted.length} of {points.value.length} launches</span>
    </div>
    <div class="errors" tabIndex={0} role="region" aria-label="Error of each launch">
      <div class="error scale" aria-hidden="true">
        <span class="name" />
        <span class="bar">{[-1, -0.5, 0, 0.5, 1].map((part) => <span style={{ left: `${50 + 50 * part}%` }}>{part === 0 ? '0' : signed(part * most)}</span>)}</span>
        <span class="share" />
      </div>
      {shown.map((p) => {
        const share = error(p);
        const width = (Math.min(most, Math.abs(share)) / most) * 50;
        const spread = p.hardware > 0 ? Math.min(50, ((p.high - p.low) / 2 / p.hardware / most) * 50) : 0;
        return (
          <button class={`error ${isChosen(p) ? 'chosen' : ''}`} onClick={() => choose(p)} title={`model ${grouped(p.model)}, hardware ${grouped(p.hardware)}`}>
            <span class="name">{p.name}</span>
            <span class="bar">
              <i class="own" style={{ left: `${50 - spread}%`, width: `${2 * spread}%` }} />
              <i class={share < 0 ? 'below' : 'above'} style={{ left: `${share < 0 ? 50 - width : 50}%`, width: `${width}%` }} />
            </span>
            <span class="share">{share === 0 ? 'equal' : Number.isFinite(share) ? signed(share) : 'hardware 0'}</span>
          </button>
        );
      })}
      {sorted.length > shown.length && <p class="dim">and {sorted.length - shown.length} more</p>}
    </div>
    </>
  );
}

const STALL_COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b8860b', '#56b4e9', '#7a5195', '#6b7482'];

function Stalls({ launch }: { launch: ReportLaunch }) {
  const stalls = Object.entries(launch.timing).filter(([name]) => isStall(name) && name.endsWith('_per_issue_active.ratio'))
    .map(([name, [model, measured]]) => ({
      name: name.replace(/^.*_issue_stalled_/, '').replace(/_per_issue_active.*$/, '').replaceAll('_', ' '),
      model,
      hardware: measured.reduce((a, b) => a + b, 0) / measured.length,
    }))
    .sort((a, b) => b.hardware + b.model - a.hardware - a.model);
  if (stalls.length === 0) return null;
  const total = { model: stalls.reduce((n, s) => n + s.model, 0), hardware: stalls.reduce((n, s) => n + s.hardware, 0) };
  return (
    <>
      <h3>Why warps did not issue</h3>
      <div class="stacks">
        {(['model', 'hardware'] as const).map((side) => (
          <div class="stack-row">
            <span>{side}</span>
            <div class="stack">
              {stalls.map((s, i) => s[side] > 0 && (
                <i style={{ flexGrow: s[side] / total[side], background: STALL_COLORS[Math.min(i, 7)] }} title={`${s.name}: ${((100 * s[side]) / total[side]).toFixed(1)} %`}>
                </i>
              ))}
            </div>
          </div>
        ))}
      </div>
      <ul class="stack-legend">
        {stalls.slice(0, 8).map((s, i) => (
          <li><span class="swatch" style={{ background: STALL_COLORS[Math.min(i, 7)] }} />{s.name} <b>{(100 * s.model / (total.model || 1)).toFixed(1)} %</b> <span class="dim">hardware {(100 * s.hardware / (total.hardware || 1)).toFixed(1)} %</span></li>
        ))}
      </ul>
    </>
  );
}

function LaunchDetails() {
  if (!chosen.value) return <p class="dim">Select a point or a bar.</p>;
  const entry = data.value.entries[chosen.value[0]];
  const launch = entry.launches[chosen.value[1]];
  const columns = [...new Set(launch.instructions.flatMap((each) => Object.keys(each.values)))];
  const differs = (values: Record<string, [number, number]>) => Object.values(values).some(([m, h]) => m !== h);
  return (
    <>
      <h2>{launch.kernel} <span class="dim">launch {launch.index} of {entry.name}</span></h2>
      <p>
        {grouped(launch.values)} exact values compared, {launch.differences === 0 ? 'all equal' : `${grouped(launch.differences)} differ`}
        {launch.orderDependent && '; they may, as the launch depends on the order in which warps run'}
        {launch.trouble !== '' && `; ${launch.trouble}`}.{' '}
        {entry.stepper !== '' && <a href={`${entry.stepper}#launch=${chosen.value[1]}`}>Step through this launch</a>}
      </p>
      <Stalls launch={launch} />
      {launch.instructions.length > 0 && (
        <>
          <h3>Per instruction <span class="dim">model, hardware where it differs</span></h3>
          <div class="table-box" tabIndex={0} role="region" aria-label="Per instruction">
            <table class="instructions">
              <thead><tr><th>pc</th><th>instruction</th><th>line</th>{columns.map((name) => <th title={name}>{name.replace(/^smsp__(sass_)?|\.sum$/g, '')}</th>)}</tr></thead>
              <tbody>
                {launch.instructions.map((each, i) => (
                  <tr class={differs(each.values) ? 'differs' : ''}>
                    <td title={each.function}>{each.pc.toString(16).padStart(4, '0')}{i > 0 && launch.instructions[i - 1].function !== each.function && <small> {each.function}</small>}</td>
                    <td><code>{each.text}</code></td>
                    <td class="dim">{each.line}</td>
                    {columns.map((name) => {
                      const value = each.values[name];
                      if (!value) return <td />;
                      return <td class={value[0] === value[1] ? '' : 'differs'}>{grouped(value[0])}{value[0] !== value[1] && ` ≠ ${grouped(value[1])}`}</td>;
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
}

export function Report({ device }: { device: string }) {
  useEffect(() => effect(() => { document.documentElement.dataset.theme = currentTheme.value; }), []);
  const entries = data.value.entries;
  const launches = entries.flatMap((entry) => entry.launches);
  const errors = points.value.map(error).filter(Number.isFinite).map(Math.abs);
  const mean = errors.length > 0 ? errors.reduce((a, b) => a + b, 0) / errors.length : 0;
  return (
    <main class="report" data-testid="report">
      <header class="top">
        <h1>Heddle against {device}</h1>
        <dl>
          <div><dt>programs</dt><dd>{entries.length}</dd></div>
          <div><dt>launches</dt><dd>{launches.length}</dd></div>
          <div><dt>exact values</dt><dd>{grouped(launches.reduce((n, l) => n + l.values, 0))}</dd></div>
          <div><dt>that differ</dt><dd>{grouped(launches.filter((l) => !l.orderDependent).reduce((n, l) => n + l.differences, 0))}</dd></div>
        </dl>
        <span class="spring" />
        <button onClick={toggleTheme} aria-label="light or dark theme" title="light or dark theme"><Icon name="theme" /></button>
      </header>
      <div class="report-row">
        <section class="panel report-panel">
          <header>
            <select aria-label="Metric" data-testid="metric" value={metric.value} onChange={(event) => (metric.value = event.currentTarget.value)}>
              {names.value.map((name) => <option value={name}>{name}</option>)}
            </select>
            <span class="dim">{units.value[metric.value] ?? ''}; mean error {(100 * mean).toFixed(1)} % over {points.value.length} launches</span>
          </header>
          <Scatter />
        </section>
        <section class="panel report-panel"><header><h2>Error of each launch</h2><span class="dim">model − hardware; grey: the hardware's own spread</span></header><Errors /></section>
      </div>
      <section class="panel report-panel details" id="launch"><LaunchDetails /></section>
      {entries.some((entry) => entry.trouble !== '') && (
        <section class="panel report-panel details"><h2>Not compared</h2>{entries.filter((entry) => entry.trouble !== '').map((entry) => <p><b>{entry.name}</b> {entry.trouble}</p>)}</section>
      )}
    </main>
  );
}

export async function openReport(page: ReportData): Promise<void> {
  data.value = JSON.parse(new TextDecoder().decode(await unpack(page.report.blob)));
  units.value = page.report.units;
  metric.value = names.value[0] ?? '';
}
