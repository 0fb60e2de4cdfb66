// Colours that people with any colour vision tell apart (after Okabe and Ito), for both themes.
// Nothing is shown by colour alone.
import type { Launch } from './data';

export interface Palette {
  background: string;
  grid: string;
  text: string;
  dim: string;
  together: string; // the path of a whole warp
  sides: string[]; // paths behind a branch
  cursor: string;
}

export const LIGHT: Palette = {
  background: '#ffffff',
  grid: '#e6e8ec',
  text: '#1d2430',
  dim: '#6b7482',
  together: '#a3afc0',
  sides: ['#d55e00', '#0072b2', '#009e73', '#b8860b', '#cc79a7', '#3aa0d8', '#7a5195'],
  cursor: '#111827',
};
export const DARK: Palette = {
  background: '#12161d',
  grid: '#232a35',
  text: '#e3e8ef',
  dim: '#8b96a6',
  together: '#66738a',
  sides: ['#ff9a4d', '#56b4e9', '#2fc79a', '#f0d64a', '#e39ac4', '#8fd0f5', '#b79ad6'],
  cursor: '#ffffff',
};

/** The side's place in `sides` for every path; -1: together. The same side of the same branch has
 * the same colour wherever it is taken. */
export function pathSides(launch: Launch): number[] {
  const known = new Map<string, number>();
  return launch.paths.map((path, i) => {
    if (i === 0) return -1;
    const key = `${path.branch} ${path.target}`;
    let side = known.get(key);
    if (side === undefined) known.set(key, (side = known.size));
    return side % LIGHT.sides.length;
  });
}

export type Rgb = [number, number, number];

export function rgb(color: string): Rgb {
  const value = parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** A pixel of ImageData: `amount` of a colour over the background. */
export function pixel(color: Rgb, background: Rgb, amount: number): number {
  const mix = (i: number) => Math.round(background[i] + (color[i] - background[i]) * amount);
  return ((255 << 24) | (mix(2) << 16) | (mix(1) << 8) | mix(0)) >>> 0;
}
