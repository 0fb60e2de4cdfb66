// The signs on the buttons, drawn: fonts do not have them everywhere.
const PATHS: Record<string, string> = {
  first: 'M4 3v10M13 3.5v9L6.5 8z',
  last: 'M12 3v10M3 3.5v9L9.5 8z',
  back: 'M11 3v10L4 8z',
  forward: 'M5 3v10l7-5z',
  play: 'M4 2.5v11l9-5.5z',
  pause: 'M4 3h3v10H4zM9.5 3h3v10h-3z',
  split: 'M2 8h5l5-5M7 8l5 5M9 3h3v3M9 13h3v-3',
  splitBefore: 'M14 8H9L4 3M9 8l-5 5M7 3H4v3M7 13H4v-3',
  meet: 'M3 3l5 5h6M3 13l5-5M11 5l3 3-3 3',
  theme: 'M8 2a6 6 0 1 0 0 12z',
};
const FILLED = new Set(['first', 'last', 'back', 'forward', 'play', 'pause', 'theme']);

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" fill={FILLED.has(name) ? 'currentColor' : 'none'}
      stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" stroke-linecap="round">
      <path d={PATHS[name]} />
      {name === 'theme' && <circle cx="8" cy="8" r="6" fill="none" />}
    </svg>
  );
}
