import { render } from 'preact';
import { App } from './app';
import { readPage } from './data';
import { Diff, openDiff } from './diff';
import { openReport, Report } from './report';
import { openSweep, Sweep } from './sweep';
import * as at from './state';
import { costliestLaunch, goToCostliest } from './verdict';
import './style.css';

async function start(): Promise<void> {
  const page = readPage();
  if ('report' in page) {
    document.title = 'Model against hardware – Heddle';
    await openReport(page);
    render(<Report device={page.report.device} />, document.getElementById('app')!);
    document.documentElement.dataset.ready = 'true';
    return;
  }
  if ('diff' in page) {
    document.title = 'Variants – Heddle';
    await openDiff(page);
    render(<Diff />, document.getElementById('app')!);
    document.documentElement.dataset.ready = 'true';
    return;
  }
  if ('sweep' in page) {
    document.title = 'Sweep – Heddle';
    openSweep(page);
    render(<Sweep />, document.getElementById('app')!);
    document.documentElement.dataset.ready = 'true';
    return;
  }
  at.page.value = page;
  document.title = `${at.page.value.launches[0]?.name ?? 'no launch'} – Heddle`;
  render(<App />, document.getElementById('app')!);
  if (location.hash.length > 1) await at.openPlace(location.hash);
  else {
    await at.openLaunch(costliestLaunch(page));
    goToCostliest();
  }
  document.documentElement.dataset.ready = 'true';
}

void start().catch((error: unknown) => {
  const place = document.getElementById('app')!;
  place.textContent = `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
});
