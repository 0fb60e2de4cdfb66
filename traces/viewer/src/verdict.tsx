// What one sees first: one sentence on the costliest divergence, and what the picture's signs mean.
import { hex, grouped, lanesText, percent } from './lanes';
import { type LaunchData, type PageData, shortName, type Site } from './data';
import { popcount, SPLIT } from './flow';
import * as at from './state';

const costliestSite = (launch: LaunchData): Site | undefined =>
  launch.sites.reduce<Site | undefined>((most, site) => (!most || site.lost > most.lost ? site : most), undefined);

/** The launch with the branch that costs most lane slots of all; 0 where none diverges. */
export function costliestLaunch(page: PageData): number {
  let best = 0;
  page.launches.forEach((launch, i) => {
    if ((costliestSite(launch)?.lost ?? 0) > (costliestSite(page.launches[best])?.lost ?? 0)) best = i;
  });
  return best;
}

/** Goes to where the launch's costliest branch splits a warp first. */
export function goToCostliest(): void {
  const site = at.launch.value && costliestSite(at.launch.value.data);
  const flow = at.flow.value;
  if (!site || !flow) return;
  for (const warp of flow.warps)
    for (let i = warp.first; i < warp.first + warp.steps; ++i)
      if (flow.pc[i] === site.branch && (flow.event[i] & SPLIT) !== 0) return at.goTo(warp.number, i - warp.first);
}

function sentence(): string {
  const launch = at.launch.value!;
  const site = costliestSite(launch.data);
  if (!site) return 'No warp diverged: at every branch all active lanes took the same side.';
  const line = launch.lineAt(site.branch);
  const file = line && line.file >= 0 ? `${at.page.value!.files[line.file].path.split('/').pop()}:${line.line}` : `the branch at ${line ? hex(line.offset) : site.branch}`;
  const pattern = [...site.patterns].sort((a, b) => b[2] - a[2])[0];
  const lanes = pattern ? `; most often ${popcount(pattern[1])} of ${popcount(pattern[0])} lanes jump (${lanesText(pattern[1])})` : '';
  return `${file} costs the most: warps diverge there ${grouped(site.splits)}×, which loses ${percent(site.lost, 32 * launch.data.steps)} of the lane slots${lanes}.`;
}

export function Verdict() {
  const { baseline } = at.launch.value!.data;
  const diverges = at.launch.value!.data.sites.length > 0;
  return (
    <section class="verdict" aria-label="Verdict">
      <p data-testid="verdict"><b>{sentence()}</b>{' '}
        {baseline && <span data-testid="beside">{baseline.meaning === '' ? `${shortName(at.page.value!.baseline)} does the same. ` : `Beside ${shortName(at.page.value!.baseline)}: ${baseline.meaning}. `}</span>}
        {diverges && <button class="link" onClick={goToCostliest}>go there</button>}
      </p>
      <ul class="legend" aria-label="What the picture shows" data-testid="legend">
        <li><i class="sign executes" />executes</li>
        <li><i class="sign off" />active but predicated off</li>
        <li><i class="sign waits" />waits for other lanes</li>
        <li><i class="sign ready" />ready but not selected</li>
        <li><i class="sign together" />the whole warp together</li>
        <li><i class="sign side" />the sides of a branch</li>
        <li><span class="mark-sign">▲</span>diverges</li>
        <li><span class="mark-sign">▼</span>reconverges</li>
      </ul>
    </section>
  );
}
