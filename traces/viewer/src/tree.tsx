// The divergence tree: which branch split whom, where they met again, what it cost.
import type { Path } from './data';
import { Icon } from './icons';
import { popcount } from './flow';
import { grouped, hex, percent } from './lanes';
import { MaskBar, PathName } from './state_panel';
import * as at from './state';

const SLOTS: [string, string, string][] = [
  ['used', 'used', 'lanes that executed'],
  ['split', 'diverged', 'lanes on another side of a branch'],
  ['predicated', 'predicated off', 'active lanes whose guard predicate was false'],
  ['held', 'held', 'lanes of the same path that waited elsewhere'],
  ['ended', 'ended', 'lanes that had ended before the rest of their warp'],
  ['neverStarted', 'no thread', 'the block’s size is not a multiple of 32 threads'],
];

export function SlotBar() {
  const launch = at.launch.value!;
  const slots = launch.data.slots as unknown as Record<string, number>;
  const total = Object.values(slots).reduce((a, b) => a + b, 0);
  return (
    <div class="slots">
      <div class="slot-bar" role="img" aria-label="Where the lane slots went">
        {SLOTS.map(([key, label]) => slots[key] > 0 && <span class={`slot-${key}`} style={{ flexGrow: slots[key] }} title={`${label}: ${percent(slots[key], total)}`} />)}
      </div>
      <ul>
        {SLOTS.map(([key, label, meaning]) => slots[key] > 0 && (
          <li title={meaning}><span class={`swatch slot-${key}`} />{label} <b>{percent(slots[key], total)}</b></li>
        ))}
      </ul>
    </div>
  );
}

interface Split {
  branch: number;
  sides: number[]; // paths
  lost: number;
}

/** The branches that split a path, costliest first. */
function splitsOf(paths: Path[], parent: number): Split[] {
  const splits = new Map<number, Split>();
  paths.forEach((path, i) => {
    if (i === 0 || path.parent !== parent) return;
    const split = splits.get(path.branch) ?? { branch: path.branch, sides: [], lost: 0 };
    split.sides.push(i);
    split.lost += path.lost;
    splits.set(path.branch, split);
  });
  return [...splits.values()].sort((a, b) => b.lost - a.lost);
}

function Branch({ split }: { split: Split }) {
  const launch = at.launch.value!;
  const total = 32 * launch.data.steps;
  const line = launch.lineAt(split.branch);
  const site = launch.sites.get(split.branch);
  const met = [...(site?.met ?? [])].sort((a, b) => b[1] - a[1]);
  const files = at.page.value!.files;
  const pattern = [...(site?.patterns ?? [])].sort((a, b) => b[2] - a[2])[0];
  const different = (site?.patterns.length ?? 0) + ((site?.otherPatterns ?? 0) > 0 ? 1 : 0);
  return (
    <li class="branch">
      <div class="branch-head">
        <button class="link" onClick={() => at.goToPc(split.branch)}><Icon name="split" /> {line ? hex(line.offset) : split.branch}</button>
        {line && line.file >= 0 && <span class="dim">{files[line.file].path.split('/').pop()}:{line.line}</span>}
        <code>{line?.text}</code>
      </div>
      <p>
        diverges {grouped(site?.splits ?? 0)}×, costs <b>{percent(split.lost, total)}</b> of the issue slots
        {met.length > 0 && <>; reconverges at {met.slice(0, 3).map(([pc], i) => {
          const to = launch.lineAt(pc);
          return <>{i > 0 && ', '}<button class="link" onClick={() => at.goToPc(pc)}>{to ? hex(to.offset) : pc}</button></>;
        })}</>}
        {met.length === 0 && '; does not reconverge'}
      </p>
      {pattern && (
        <p class="pattern">
          <MaskBar mask={pattern[1]} live={pattern[0]} />
          <span class="dim">{popcount(pattern[1])} of {popcount(pattern[0])} lanes jumped{different === 1 ? ', every time' : `; the most common of ${different}${site!.otherPatterns > 0 ? ' or more' : ''} patterns (${percent(pattern[2], site!.splits)})`}</span>
        </p>
      )}
      <ul>
        {split.sides.map((side) => <Side path={side} />)}
      </ul>
    </li>
  );
}

function Side({ path }: { path: number }) {
  const launch = at.launch.value!;
  const { steps, threads, entered } = launch.paths[path];
  return (
    <li class="side">
      <PathName path={path} />
      <span class="dim">
        {' '}{grouped(entered)}×, {percent(steps, launch.data.steps)} of the issue slots, {steps > 0 ? (threads / steps).toFixed(1) : '–'} lanes
      </span>
      <Branches parent={path} />
    </li>
  );
}

function Branches({ parent }: { parent: number }) {
  const splits = splitsOf(at.launch.value!.paths, parent);
  if (splits.length === 0) return null;
  return <ul class="branches">{splits.map((split) => <Branch split={split} />)}</ul>;
}

export function Tree() {
  const launch = at.launch.value!;
  return (
    <div class="tree" data-testid="tree">
      <SlotBar />
      {launch.paths.length === 1 ? <p class="dim">No warp diverged.</p> : <Branches parent={0} />}
    </div>
  );
}

export function AdvicePanel() {
  const advice = at.launch.value!.data.advice ?? [];
  return (
    <div class="advice">
      <SlotBar />
      {advice.length === 0 && <p class="dim">Nothing stands out.</p>}
      {advice.map((each) => (
        <article>
          <h3>{each.title}</h3>
          <p>{each.text}</p>
          {each.pc >= 0 && <button class="link" onClick={() => at.goToPc(each.pc)}>show the instruction</button>}
        </article>
      ))}
    </div>
  );
}
