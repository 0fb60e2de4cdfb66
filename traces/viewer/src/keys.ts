// The keyboard.
import * as at from './state';
import { toggleTheme } from './theme';
import { goToCostliest } from './verdict';

export const KEYS: [string, string][] = [
  ['→ ←', 'next step, previous step (with Shift: ten steps)'],
  ['n N', 'next divergence, previous divergence'],
  ['r R', 'next reconvergence, previous reconvergence'],
  ['↓ ↑', 'next warp, previous warp'],
  ['space', 'play, stop'],
  ['Home End', 'first step, last step'],
  ['+ −', 'zoom in, zoom out'],
  ['f', 'show the whole launch'],
  ['c', 'the costliest divergence of the launch'],
  ['1 2 3', 'state, divergence, advice'],
  ['/', 'search; Enter goes to the next match'],
  ['t', 'light or dark theme'],
  ['?', 'this help'],
];

const ACTIONS: Record<string, (shift: boolean) => void> = {
  ArrowRight: (shift) => at.goBy(shift ? 10 : 1),
  ArrowLeft: (shift) => at.goBy(shift ? -10 : -1),
  ArrowDown: () => at.goToWarp(at.warpNumber.value + 1),
  ArrowUp: () => at.goToWarp(at.warpNumber.value - 1),
  n: () => at.goToSplit(1),
  N: () => at.goToSplit(-1),
  r: () => at.goToMeet(1),
  R: () => at.goToMeet(-1),
  ' ': () => (at.playing.value = !at.playing.value),
  Home: () => at.goToStep(0),
  End: () => at.goToStep(at.warp.value?.steps ?? 0),
  f: () => (at.view.value = null),
  '+': () => zoomButton('fewer'),
  '-': () => zoomButton('more'),
  c: () => goToCostliest(),
  '1': () => (at.tab.value = 'state'),
  '2': () => (at.tab.value = 'tree'),
  '3': () => (at.tab.value = 'advice'),
  '/': () => document.querySelector<HTMLInputElement>('.search input')?.focus(),
  t: () => toggleTheme(),
  '?': () => (at.helpOpen.value = !at.helpOpen.value),
  Escape: () => (at.helpOpen.value = false),
};

/** The picture's own buttons know how wide it is. */
function zoomButton(which: string): void {
  document.querySelector<HTMLButtonElement>(`.weave-buttons [data-zoom=${which}]`)?.click();
}

export function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
  if ((target.tagName === 'BUTTON' || target.getAttribute('role') === 'button') && event.key === ' ') return;
  const action = ACTIONS[event.key];
  if (!action) return;
  event.preventDefault();
  action(event.shiftKey);
}
