// Source and listing: rows with a number and a bar, the place one is at, and where others wait.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Icon } from './icons';
import { DARK, LIGHT, pathSides } from './colors';
import { type Line, shortName, shownPlace } from './data';
import { popcount, Wait } from './flow';
import { type Cell, cells, heats, listingCells, pcsOfFile, shownHeats } from './heat';
import { hex, lanesText, waitText } from './lanes';
import { instructionMeaning } from './opcodes';
import * as at from './state';
import { currentTheme } from './theme';

const ROW = 20; // pixels

/** Only the rows that are seen exist. */
function Rows(props: { count: number; at: number; row: (i: number) => ComponentChildren; label: string; id: string }) {
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  useLayoutEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => (height.value = element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = box.current!;
    if (props.at < 0) return;
    const y = props.at * ROW;
    if (y < element.scrollTop + ROW || y > element.scrollTop + element.clientHeight - 3 * ROW)
      element.scrollTop = y - element.clientHeight / 3;
  }, [props.at, props.count]);
  const first = Math.max(0, Math.floor(top.value / ROW) - 10);
  const last = Math.min(props.count, Math.ceil((top.value + height.value) / ROW) + 10);
  const rows = [];
  for (let i = first; i < last; ++i) rows.push(props.row(i));
  return (
    <div class="rows" ref={box} tabIndex={0} role="list" aria-label={props.label} data-testid={props.id}
      onScroll={(event) => (top.value = event.currentTarget.scrollTop)}>
      <div style={{ height: `${props.count * ROW}px`, paddingTop: `${first * ROW}px` }}>{rows}</div>
    </div>
  );
}

/** For a row that leads somewhere: by mouse, and by Enter when it has the focus. */
function pressable(go: () => void) {
  return {
    tabIndex: 0,
    onClick: go,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Enter') go();
    },
  };
}

/** `byLine`: in the source, where a baseline of other code has numbers too. */
function HeatCell({ cell, byLine = false }: { cell: Cell | undefined; byLine?: boolean }) {
  const baseline = at.launch.value?.data.baseline;
  return (
    <>
      <span class="heat" style={{ '--strength': cell?.strength ?? 0 }}>{cell?.text ?? ''}</span>
      {at.launch.value?.hasHardware && (
        <span class={`heat measured ${cell?.differs ? 'differs' : ''}`} title={cell?.differs ? 'the hardware measured another number' : ''}>
          {cell?.hardware ?? ''}
        </span>
      )}
      {baseline && (byLine || baseline.sameCode) && <span class="heat before" title="the baseline">{cell?.baseline ?? ''}</span>}
    </>
  );
}

/** What the numbers are: a choice for each column, and a button for one more. */
function Columns() {
  const chosen = shownHeats.value.map((each) => each.id);
  const put = (ids: string[]) => (at.columns.value = ids);
  return (
    <span class="columns">
      {shownHeats.value.map((shown, i) => (
        <select aria-label={i === 0 ? 'Metric shown' : `Metric shown in column ${i + 1}`} title={shown.meaning} value={shown.id}
          onChange={(event) => { const { value } = event.currentTarget; put(value === '' ? chosen.filter((_, n) => n !== i) : chosen.map((id, n) => (n === i ? value : id))); }}>
          {heats.value.map((each) => <option value={each.id}>{each.label}</option>)}
          {i > 0 && <option value="">remove this column</option>}
        </select>
      ))}
      {chosen.length < at.MOST_COLUMNS && (
        <button aria-label="add a column" title="add a column of numbers"
          onClick={() => put([...chosen, heats.value.find((each) => !chosen.includes(each.id))!.id])}>+</button>
      )}
    </span>
  );
}

/** Whose numbers stand beside one another, in their order. */
function Sides({ byLine = false }: { byLine?: boolean }) {
  const { hasHardware, data } = at.launch.value!;
  const page = at.page.value!;
  const sides = [hasHardware && page.hardwareDevice, data.baseline && (byLine || data.baseline.sameCode) && shortName(page.baseline)].filter(Boolean);
  return sides.length > 0 ? <span class="dim" title={data.baseline?.meaning}>model · {sides.join(' · ')}</span> : null;
}

/** The mnemonic, registers and labels told apart. */
function Sass({ text }: { text: string }) {
  const parts = text.split(/(@!?U?P\w+ |\bU?R(?:Z|\d+)(?:\.\w+)*|\bU?P(?:T|\d)\b|\bB\d+\b|\bc\[[^\]]*\]\[[^\]]*\]|\b0x[0-9a-f]+)/);
  let mnemonic = true;
  return (
    <span class="sass" title={instructionMeaning(text)}>
      {parts.map((part, i) => {
        if (part === '') return null;
        if (i % 2 === 1) {
          const kind = part[0] === '@' ? 'guard' : /^U?R/.test(part) ? 'reg' : /^U?P/.test(part) ? 'pred' : part[0] === 'B' ? 'bar' : 'num';
          return <i class={kind}>{part}</i>;
        }
        if (!mnemonic) return part;
        mnemonic = false;
        const end = part.search(/ |$/);
        return <><b>{part.slice(0, end)}</b>{part.slice(end)}</>;
      })}
    </span>
  );
}

/** Groups that do not execute, at the instructions they stand at. */
function useWaiting(): Map<number, { text: string; lanes: number; waits: boolean }[]> {
  const flow = at.flow.value;
  const warp = at.warp.value;
  const waiting = new Map<number, { text: string; lanes: number; waits: boolean }[]>();
  if (!flow || !warp || at.step.value >= warp.steps) return waiting;
  for (const group of flow.situations[flow.situation[warp.first + at.step.value]]) {
    const waits = group.wait !== Wait.none;
    const pc = waits && group.wait !== Wait.reconvergence ? group.pc - 1 : group.pc;
    const list = waiting.get(pc) ?? [];
    list.push({ text: `lanes ${lanesText(group.lanes)}: ${waitText(group)}`, lanes: popcount(group.lanes), waits });
    waiting.set(pc, list);
  }
  return waiting;
}

export function Listing() {
  const launch = at.launch.value!;
  const heatCells = listingCells.value;
  const waiting = useWaiting();
  const pc = at.currentPc.value;
  const current = launch.lineAt(pc)?.row ?? -1;
  const here = current >= 0 ? launch.lines[current] : null;
  const color = usePathColor();
  const wanted = at.search.value.toLowerCase();
  return (
    <section class="panel listing">
      <header>
        <h2>Machine code</h2>
        <Columns />
        <Sides />
      </header>
      <Rows count={launch.lines.length} at={current} label="Machine code" id="listing" row={(i) => {
        const line = launch.lines[i];
        const others = waiting.get(line.pc);
        const site = launch.sites.get(line.pc);
        const newFunction = i > 0 && launch.lines[i - 1].fn !== line.fn;
        return (
          <div key={line.pc} role="listitem" data-pc={line.pc}
            class={`row ${i === current ? 'current' : ''} ${here && line.file === here.file && line.line === here.line ? 'same-line' : ''} ${newFunction ? 'function' : ''} ${wanted && line.text.toLowerCase().includes(wanted) ? 'found' : ''}`}
            title={`${launch.data.functions[line.fn]}${line.inlined >= 0 ? `\nfrom ${launch.data.functions[line.inlined]}` : ''}${site ? `\ndiverges ${site.splits} times` : ''}`}
            {...pressable(() => at.goToPc(line.pc))}>
            {heatCells.map((column) => <HeatCell cell={column[i]} />)}
            <span class="mark">
              {i === current && <span class="here" style={{ color }}>▶</span>}
              {others?.map((each) => <span class={each.waits ? 'waits' : 'ready'} title={each.text}>{each.lanes}</span>)}
            </span>
            <span class="offset">{hex(line.offset)}</span>
            <span class="split-mark">{site ? <Icon name="split" /> : ''}</span>
            <Sass text={line.text} />
          </div>
        );
      }} />
    </section>
  );
}

export function usePathColor(): string {
  const palette = currentTheme.value === 'dark' ? DARK : LIGHT;
  const flow = at.flow.value;
  const warp = at.warp.value;
  if (!flow || !warp || at.step.value >= warp.steps) return palette.dim;
  const side = pathSides(at.launch.value!)[flow.path[warp.first + at.step.value]];
  return side < 0 ? palette.together : palette.sides[side];
}

const KEYWORDS = /(\/\/.*$|\/\*.*?\*\/|"(?:[^"\\]|\\.)*"|\b(?:if|else|for|while|do|return|switch|case|break|continue|template|typename|struct|class|const|constexpr|static|extern|inline|unsigned|signed|int|float|double|char|bool|void|auto|long|short|size_t|using|namespace|__global__|__device__|__host__|__shared__|__constant__|__syncthreads|__restrict__|threadIdx|blockIdx|blockDim|gridDim|warpSize)\b)/g;

function Code({ text }: { text: string }) {
  return (
    <span class="code">
      {text.split(KEYWORDS).map((part, i) =>
        i % 2 === 0 ? part : <i class={part.startsWith('/') ? 'comment' : part.startsWith('"') ? 'num' : /^__|Idx|Dim|warpSize/.test(part) ? 'cuda' : 'keyword'}>{part}</i>,
      )}
    </span>
  );
}

export function Source() {
  const launch = at.launch.value!;
  const files = at.page.value!.files;
  const own: Line | undefined = launch.lineAt(at.currentPc.value);
  const line = own && shownPlace(own, files);
  const used = useMemo(() => [...new Set(launch.lines.map((each) => shownPlace(each, files).file))].filter((f) => f >= 0), [launch]);
  const chosen = useSignal(-1);
  const last = useRef(-1);
  if (line && line.file >= 0) last.current = line.file;
  const file = chosen.value >= 0 && used.includes(chosen.value) ? chosen.value : last.current >= 0 && used.includes(last.current) ? last.current : (used[0] ?? -1);
  useEffect(() => { chosen.value = -1; }, [line?.file]);
  const text = file >= 0 ? files[file].text : null;
  const lines = useMemo(() => (text ?? '').replace(/\n$/, '').split(/\r?\n/), [text]);
  const sets = useMemo(() => pcsOfFile(launch, file, lines.length), [launch, file, lines]);
  const heatCells = useMemo(() => shownHeats.value.map((shown) => cells(launch, sets, shown)), [launch, sets, shownHeats.value]);
  // Opens where the kernel is.
  const firstUsed = sets.findIndex((set) => set.length > 0);
  const current = line && line.file === file ? line.line - 1 : -1;
  const wanted = at.search.value.toLowerCase();
  return (
    <section class="panel source">
      <header>
        <h2>Source</h2>
        {used.length > 0 && (
          <select aria-label="Source file" value={file} title={files[file]?.path} onChange={(event) => (chosen.value = Number(event.currentTarget.value))}>
            {used.map((each) => <option value={each}>{files[each].path.split('/').pop()}</option>)}
          </select>
        )}
        <Sides byLine />
        {own && own.calls.length > 0 && <span class="dim" data-testid="way">{[own, ...own.calls].map((each) => `${files[each.file].path.split('/').pop()}:${each.line}`).join(', called at ')}</span>}
      </header>
      {text === null ? (
        <p class="empty">
          {file < 0 ? 'The code has no line table: compile with -lineinfo or -G.' : `${files[file].path} was not found when this page was made (--source-folder).`}
        </p>
      ) : (
        <Rows count={lines.length} at={current >= 0 ? current : firstUsed} label="Source" id="source" row={(i) => (
          <div key={i} role="listitem" data-line={i + 1}
            class={`row ${i === current ? 'current' : ''} ${sets[i].length > 0 ? 'has-code' : ''} ${wanted && lines[i].toLowerCase().includes(wanted) ? 'found' : ''}`}
            {...(sets[i].length > 0 ? pressable(() => at.goToLine(file, i + 1)) : {})}>
            {heatCells.map((column) => <HeatCell cell={column[i]} byLine />)}
            <span class="number">{i + 1}</span>
            <Code text={lines[i]} />
          </div>
        )} />
      )}
    </section>
  );
}
