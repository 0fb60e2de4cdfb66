// The page of heddle sweep --html: a plot of any metric over any setting, and all runs as a table.
import { computed, effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { DARK, LIGHT } from './colors';
import { Icon } from './icons';
import { grouped } from './lanes';
import { currentTheme, toggleTheme } from './theme';
import { type Fact, scaleOf, valueText } from './units';

interface SweepJob {
  values: string[];
  limit: string;
  failed: boolean;
  kernels: { kernel: string; metrics: Record<string, number> }[];
}
export interface SweepData {
  sweep: {
    axes: string[];
    metric: string;
    most: boolean;
    per: number[]; // axes of which each value has its own best
    best: number[];
    jobs: SweepJob[];
    facts: Record<string, Fact>;
  };
}

const data = signal<SweepData['sweep'] | null>(null);
const axis = signal(0);
const metric = signal('');
const kernel = signal('');

const kernels = computed(() => [...new Set(data.value!.jobs.flatMap((job) => job.kernels.map((each) => each.kernel)))]);
const metrics = computed(() => {
  const names = [...new Set(data.value!.jobs.flatMap((job) => job.kernels.flatMap((each) => Object.keys(each.metrics))))];
  const first = data.value!.metric;
  return names.sort((a, b) => Number(b === first) - Number(a === first) || name(a).localeCompare(name(b)));
});
const name = (id: string) => data.value!.facts[id]?.short ?? id;
const valueOf = (job: SweepJob) => job.kernels.find((each) => each.kernel === kernel.value)?.metrics[metric.value];
const best = computed(() => {
  const { jobs, most, per, metric: decides, best: chosen } = data.value!;
  if (metric.value === decides && kernel.value === kernels.value[0]) return new Set(chosen);
  const found = new Map<string, number>();
  const better = (value: number, other: number) =>
    most || data.value!.facts[metric.value]?.unit === '%' ? value > other : value < other;
  jobs.forEach((job, i) => {
    const value = valueOf(job);
    if (value === undefined) return;
    const problem = JSON.stringify(per.map((each) => job.values[each]));
    const before = found.get(problem);
    if (before === undefined || better(value, valueOf(jobs[before])!)) found.set(problem, i);
  });
  return new Set(found.values());
});

interface Lines {
  names: string[]; // of the series: the other settings
  labels: string[]; // of the places on the axis
  numbers: number[]; // where they lie
  powers: boolean; // a scale of powers of two suits them
  values: (number | null)[][]; // of each series
}

/** The runs as lines: one for each combination of the other settings. */
const lines = computed<Lines>(() => {
  const { axes, jobs } = data.value!;
  const labels = [...new Set(jobs.map((job) => job.values[axis.value]))];
  const isNumber = labels.every((label) => label !== '' && Number.isFinite(Number(label)));
  if (isNumber) labels.sort((a, b) => Number(a) - Number(b));
  const numbers = labels.map((label, i) => (isNumber ? Number(label) : i));
  const powers = isNumber && numbers.length > 2 && numbers[0] > 0 && numbers[numbers.length - 1] / numbers[0] >= 8;
  const series = new Map<string, (number | null)[]>();
  for (const job of jobs) {
    const others = axes.map((each, i) => (i === axis.value ? '' : `${each} ${job.values[i]}`)).filter((each) => each !== '').join(', ');
    if (!series.has(others)) series.set(others, labels.map(() => null));
    series.get(others)![labels.indexOf(job.values[axis.value])] = valueOf(job) ?? null;
  }
  return { names: [...series.keys()], labels, numbers, powers, values: [...series.values()] };
});

const scale = computed(() => scaleOf(data.value!.facts[metric.value]?.unit ?? '', data.value!.jobs.map(valueOf)));
const shown = (value: number | null | undefined) =>
  typeof value === 'number' ? valueText(data.value!.facts[metric.value], value, scale.value) : '–';
const heading = () => `${name(metric.value)}${scale.value.unit === '' ? '' : `, ${scale.value.unit}`}`;

function Plot() {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let plot: uPlot | null = null;
    const draw = () => {
      const element = place.current;
      if (!element) return;
      plot?.destroy();
      const drawn = lines.value;
      const dark = currentTheme.value === 'dark';
      const palette = dark ? DARK : LIGHT;
      const ink = { stroke: palette.text, grid: { stroke: palette.grid }, ticks: { stroke: palette.grid } };
      const labelOf = (x: number) => drawn.labels[drawn.numbers.indexOf(x)] ?? '';
      plot = new uPlot({
        width: Math.max(280, element.clientWidth),
        height: 340,
        scales: { x: { time: false, distr: drawn.powers ? 3 : 1, log: 2 }, y: { range: { min: { pad: 0, soft: 0, mode: 1 }, max: { pad: 0.1 } } } },
        axes: [
          { ...ink, label: data.value!.axes[axis.value], splits: () => drawn.numbers, values: (_, splits) => splits.map(labelOf) },
          { ...ink, size: 84, label: heading(), values: (_, splits) => splits.map((y) => grouped(Number((y * scale.value.factor).toPrecision(6)))) },
        ],
        series: [
          { label: data.value!.axes[axis.value], value: (_, x) => (x === null ? '' : labelOf(x)) },
          ...drawn.names.map((label, i) => ({
            label: label === '' ? name(metric.value) : label,
            stroke: palette.sides[i % palette.sides.length],
            dash: i >= palette.sides.length ? [6, 4] : [],
            width: 2,
            points: { show: true, size: 7 },
            spanGaps: true,
            value: (_: uPlot, y: number | null) => shown(y),
          })),
        ],
      }, [drawn.numbers, ...drawn.values], element);
    };
    const stop = effect(() => {
      void [lines.value, currentTheme.value];
      draw();
    });
    let width = place.current!.clientWidth;
    const observer = new ResizeObserver(() => {
      if (place.current && place.current.clientWidth !== width) {
        width = place.current.clientWidth;
        draw();
      }
    });
    observer.observe(place.current!);
    return () => {
      stop();
      observer.disconnect();
      plot?.destroy();
    };
  }, []);
  const text = `${name(metric.value)} over ${data.value!.axes[axis.value]}: ${lines.value.names.length} lines of ${lines.value.labels.length} values; the table below has the numbers`;
  return <div class="sweep-plot" ref={place} role="img" aria-label={text} data-testid="plot" />;
}

export function Sweep() {
  useEffect(() => effect(() => { document.documentElement.dataset.theme = currentTheme.value; }), []);
  const { axes, jobs, per } = data.value!;
  const failed = jobs.filter((job) => job.failed).length;
  return (
    <main class="report" data-testid="sweep">
      <header class="top">
        <h1>Heddle: {jobs.length} runs</h1>
        <dl>{failed > 0 && <div><dt>failed</dt><dd>{failed}</dd></div>}</dl>
        <span class="spring" />
        <button onClick={toggleTheme} aria-label="light or dark theme" title="light or dark theme"><Icon name="theme" /></button>
      </header>
      <section class="panel report-panel details">
        <div class="tools">
          <label>metric <select data-testid="metric" value={metric.value} onChange={(event) => (metric.value = event.currentTarget.value)}>
            {metrics.value.map((id) => <option value={id}>{name(id)}</option>)}
          </select></label>
          <label>over <select data-testid="axis" value={axis.value} onChange={(event) => (axis.value = Number(event.currentTarget.value))}>
            {axes.map((each, i) => <option value={i}>{each}</option>)}
          </select></label>
          {kernels.value.length > 1 && <label>of <select data-testid="kernel" value={kernel.value} onChange={(event) => (kernel.value = event.currentTarget.value)}>
            {kernels.value.map((each) => <option value={each}>{each}</option>)}
          </select></label>}
          <span class="dim">{data.value!.facts[metric.value]?.meaning}</span>
        </div>
        <Plot />
      </section>
      <section class="panel report-panel details">
        <h2>All runs <span class="dim">{per.length === 0 ? 'the best run is marked' : `the best run for each ${per.map((each) => axes[each]).join(', ')} is marked`}</span></h2>
        <div class="table-box" tabIndex={0} role="region" aria-label="All runs">
          <table class="instructions" data-testid="runs">
            <thead><tr><th>best</th>{axes.map((each) => <th>{each}</th>)}<th class="amount">{heading()}</th><th>what limits it</th></tr></thead>
            <tbody>
              {jobs.map((job, i) => (
                <tr class={best.value.has(i) ? 'best' : job.failed ? 'failed' : ''}>
                  <td>{best.value.has(i) ? '★' : ''}</td>
                  {job.values.map((value) => <td>{value}</td>)}
                  <td class="amount">{shown(valueOf(job))}</td>
                  <td class="words">{job.limit}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </main>
  );
}

export function openSweep(page: SweepData): void {
  data.value = page.sweep;
  metric.value = page.sweep.metric;
  kernel.value = kernels.value[0] ?? '';
  const varies = page.sweep.axes.findIndex((_, i) => new Set(page.sweep.jobs.map((job) => job.values[i])).size > 1);
  axis.value = Math.max(0, varies);
  if (!metrics.value.includes(metric.value)) metric.value = metrics.value[0] ?? '';
}
