// The page: header, picture, panels, transport.
import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Listing, Source } from './code';
import { Icon } from './icons';
import { blockText, grouped, percent } from './lanes';
import { Lanes, StatePanel } from './state_panel';
import * as at from './state';
import { currentTheme, toggleTheme } from './theme';
import { AdvicePanel, Tree } from './tree';
import { Verdict } from './verdict';
import { WeaveView } from './weave_view';
import { KEYS, onKey } from './keys';

function Header() {
  const page = at.page.value!;
  const launch = at.launch.value!;
  const { data } = launch;
  const slots = data.slots;
  const total = 32 * data.steps;
  return (
    <header class="top">
      <h1><Logo /> Heddle</h1>
      <select class="launches" aria-label="Launch" data-testid="launch" value={at.launchNumber.value} onChange={(event) => void at.openLaunch(Number(event.currentTarget.value))}>
        {page.launches.map((each, i) => <option value={i}>{each.index}: {each.name}</option>)}
      </select>
      <dl>
        <div><dt>grid</dt><dd>{data.grid.join('×')}</dd></div>
        <div><dt>block</dt><dd>{data.block.join('×')}</dd></div>
        <div><dt>warp instructions</dt><dd>{grouped(data.steps)}</dd></div>
        <div title="active lanes that were not predicated off, of all lane slots: 32 for each warp instruction"><dt>lanes used</dt><dd>{percent(slots.used, total)}</dd></div>
        <div title="lane slots idle because warps diverged"><dt>lost to divergence</dt><dd>{percent(slots.split, total)}</dd></div>
        {data.cycles !== undefined && <div title="modelled"><dt>cycles</dt><dd>~{grouped(Math.round(data.cycles))}</dd></div>}
        <div><dt>model of</dt><dd>{page.device}</dd></div>
      </dl>
      {data.recorded < data.steps && <span class="note">{grouped(data.recorded)} steps kept; counts are of all</span>}
      {data.fault !== '' && <span class="note fault" title={data.fault}>stopped: {data.fault.split('\n')[0]}</span>}
      <span class="spring" />
      <button onClick={toggleTheme} aria-label="light or dark theme" title="light or dark theme (t)"><Icon name="theme" /></button>
      <button onClick={() => (at.helpOpen.value = !at.helpOpen.value)} aria-label="help" title="legend and keyboard shortcuts (?)">?</button>
    </header>
  );
}

function Logo() {
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
      {[2, 6, 10, 14].map((x, i) => <rect x={x} y={i % 2 === 0 ? 1 : 7} width="2.4" height="12" rx="1.2" fill={i % 2 === 0 ? 'var(--accent)' : 'var(--accent-2)'} />)}
    </svg>
  );
}

const TABS: [string, string][] = [['state', 'State'], ['tree', 'Divergence'], ['advice', 'Advice']];

function Side() {
  return (
    <section class="panel side-panel" aria-label="This step">
      <div class="tabs" role="tablist" aria-label="About this step">
        {TABS.map(([id, label], i) => (
          <button role="tab" id={`tab-${id}`} aria-controls="tab-body" aria-selected={at.tab.value === id} title={`key ${i + 1}`} onClick={() => (at.tab.value = id)}>{label}</button>
        ))}
      </div>
      <div class="tab-body" id="tab-body" role="tabpanel" aria-labelledby={`tab-${at.tab.value}`} tabIndex={0}>
        {at.tab.value === 'tree' ? <Tree /> : at.tab.value === 'advice' ? <AdvicePanel /> : <StatePanel />}
      </div>
    </section>
  );
}

function Transport() {
  const warp = at.warp.value;
  const launch = at.launch.value!;
  const line = launch.lineAt(at.currentPc.value);
  return (
    <footer class="transport">
      <div class="buttons">
        <button aria-label="first step" title="first step (Home)" onClick={() => at.goToStep(0)}><Icon name="first" /></button>
        <button aria-label="previous divergence" title="previous divergence (N)" onClick={() => at.goToSplit(-1)}><Icon name="splitBefore" /></button>
        <button aria-label="step back" title="step back (←)" data-testid="back" onClick={() => at.goBy(-1)}><Icon name="back" /></button>
        <button aria-label="play" title="play (space)" class="play" onClick={() => (at.playing.value = !at.playing.value)}><Icon name={at.playing.value ? 'pause' : 'play'} /></button>
        <button aria-label="step" title="step (→)" data-testid="forward" onClick={() => at.goBy(1)}><Icon name="forward" /></button>
        <button aria-label="next divergence" title="next divergence (n)" data-testid="next-split" onClick={() => at.goToSplit(1)}><Icon name="split" /></button>
        <button aria-label="next reconvergence" title="next reconvergence (r)" data-testid="next-meet" onClick={() => at.goToMeet(1)}><Icon name="meet" /></button>
        <button aria-label="last step" title="last step (End)" onClick={() => at.goToStep(warp?.steps ?? 0)}><Icon name="last" /></button>
      </div>
      <div class="place">
        <span data-testid="place">{warp ? `${blockText(warp.block, launch.data.grid)}, warp ${warp.warp}` : ''}</span>
        <label>step <input type="number" aria-label="Step" data-testid="step" min={0} max={warp?.steps ?? 0} value={at.step.value}
          onChange={(event) => at.goToStep(Number(event.currentTarget.value))} /> of {grouped(warp?.steps ?? 0)}</label>
        <code class="instruction" data-testid="instruction">{line?.text ?? (warp ? 'ended' : '')}</code>
      </div>
      <Lanes />
      <div class="search">
        <input type="search" placeholder="search ( / )" aria-label="Search code" value={at.search.value}
          onInput={(event) => (at.search.value = event.currentTarget.value)}
          onKeyDown={(event) => { if (event.key === 'Enter') findNext(); if (event.key === 'Escape') event.currentTarget.blur(); }} />
      </div>
      <span class="message" role="status">{at.message.value}</span>
    </footer>
  );
}

/** The next instruction, from this one on, whose text or source line has what is searched for. */
function findNext(): void {
  const wanted = at.search.value.toLowerCase();
  const launch = at.launch.value!;
  if (wanted === '') return;
  const files = at.page.value!.files.map((file) => file.text?.split(/\r?\n/) ?? []);
  const start = launch.lineAt(at.currentPc.value)?.row ?? -1;
  for (let n = 1; n <= launch.lines.length; ++n) {
    const line = launch.lines[(start + n + launch.lines.length) % launch.lines.length];
    const source = line.file >= 0 ? (files[line.file][line.line - 1] ?? '') : '';
    if (!line.text.toLowerCase().includes(wanted) && !source.toLowerCase().includes(wanted)) continue;
    if (launch.value(line.pc, 'smsp__sass_inst_executed.sum') === 0) continue;
    return at.goToPc(line.pc);
  }
  at.message.value = `nothing executed has “${at.search.value}”`;
}

function Help() {
  return (
    <div class="help" onClick={() => (at.helpOpen.value = false)}>
      <div class="sheet" role="dialog" aria-modal="true" aria-label="Help" tabIndex={-1} ref={(sheet) => sheet?.focus()} onClick={(event) => event.stopPropagation()}>
        <h2>Reading the picture</h2>
        <p>Each band is a warp and each row in it a lane; time runs to the right. Filled: the lane executes. Outlined: it is active but predicated off. Line: it waits for other lanes. Dot: it is ready but not selected. Empty: it has ended. Grey means that the whole warp executes together; each colour is one side of a branch. ▲: the selected warp diverges. ▼: it reconverges.</p>
        <p>Plus, minus or the wheel zoom in time, Ctrl + wheel in both directions, Alt + wheel changes the height of the bands. Shift + wheel or dragging scrolls. A click goes to that step. The page’s address always links to the current step.</p>
        <table><tbody>{KEYS.map(([key, what]) => <tr><th><kbd>{key}</kbd></th><td>{what}</td></tr>)}</tbody></table>
      </div>
    </div>
  );
}

export function App() {
  useEffect(() => {
    const keys = (event: KeyboardEvent) => onKey(event);
    window.addEventListener('keydown', keys);
    const place = () => {
      if (location.hash.slice(1) !== at.placeText()) void at.openPlace(location.hash);
    };
    window.addEventListener('hashchange', place);
    let timer = 0;
    const stops = [
      effect(() => {
        const text = at.placeText();
        clearTimeout(timer);
        if (at.flow.value) timer = window.setTimeout(() => history.replaceState(null, '', `#${text}`), 120);
      }),
      effect(() => {
        if (!at.playing.value) return;
        const each = setInterval(() => {
          const warp = at.warp.peek();
          if (!warp || at.step.peek() >= warp.steps) at.playing.value = false;
          else at.goBy(1);
        }, 120);
        return () => clearInterval(each);
      }),
      effect(() => { document.documentElement.dataset.theme = currentTheme.value; }),
    ];
    return () => {
      window.removeEventListener('keydown', keys);
      window.removeEventListener('hashchange', place);
      stops.forEach((stop) => stop());
    };
  }, []);
  if (!at.launch.value || !at.flow.value) return <p class="loading">unpacking…</p>;
  return (
    <>
      <Header />
      <Verdict />
      <WeaveView />
      <main>
        <Source />
        <Listing />
        <Side />
      </main>
      <Transport />
      {at.helpOpen.value && <Help />}
    </>
  );
}
