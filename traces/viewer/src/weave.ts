// The picture of who executed: a band of 32 lanes for each warp, steps to the right. Near, every
// cell is one lane in one step; far, a band's height and strength show how many lanes were active.
import { type Palette, pixel, rgb, type Rgb } from './colors';
import type { Flow, WarpInfo } from './flow';
import { Wait } from './flow';
import type { View } from './state';

export interface Shades {
  background: number;
  band: number; // where a warp has steps but no lane is active
  full: Uint32Array; // [path * RAMP + 0…LEVELS]: how much of it
  weak: number[]; // [path]: guard off
  waits: number; // a lane that waits
  ready: number; // a lane whose turn has not come
}

const LEVELS = 16;
const GAP = 0.04; // of a band, below its lanes
const RAMP = LEVELS + 1;

export function makeShades(palette: Palette, sides: number[]): Shades {
  const background = rgb(palette.background);
  const colors = sides.map((side) => rgb(side < 0 ? palette.together : palette.sides[side]));
  const ramp = (color: Rgb) =>
    Array.from({ length: LEVELS + 1 }, (_, i) => pixel(color, background, i / LEVELS));
  return {
    background: pixel(background, background, 1),
    band: pixel(rgb(palette.grid), background, 0.55),
    full: Uint32Array.from(colors.flatMap(ramp)),
    weak: colors.map((color) => pixel(color, background, 0.38)),
    waits: pixel(rgb(palette.dim), background, 0.75),
    ready: pixel(rgb(palette.dim), background, 0.4),
  };
}

/** The view in which everything is seen. */
export function fitting(flow: Flow, width: number, height: number): View {
  const sy = Math.min(height / Math.max(1, flow.warps.length), 12 * 32);
  // Lanes of whole pixels look even; not at the price of much empty space.
  const lane = Math.floor((sy * (1 - GAP)) / 32);
  const even = (lane * 32) / (1 - GAP);
  return {
    x: 0,
    sx: Math.max(width / Math.max(1, flow.longest), 1e-6),
    y: 0,
    sy: lane >= 2 && even > 0.85 * sy ? even : sy,
  };
}

export class Weave {
  private firsts = new Int32Array(1); // step at the left of each column of pixels
  private image = new ImageData(1, 1);
  private pixels = new Uint32Array(1);

  private drawn: unknown[] = []; // what the picture in the canvas was made of

  /** Draws into the canvas, where it shows something else; lengths in device pixels. */
  draw(context: CanvasRenderingContext2D, flow: Flow, view: View, shades: Shades): void {
    const { width, height } = context.canvas;
    const made = [flow, shades, width, height, view.x, view.sx, view.y, view.sy];
    if (made.every((part, i) => part === this.drawn[i])) return;
    this.drawn = made;
    if (this.image.width !== width || this.image.height !== height) {
      this.image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    this.pixels.fill(shades.background);
    if (this.firsts.length !== width + 1) this.firsts = new Int32Array(width + 1);
    for (let x = 0; x <= width; ++x) this.firsts[x] = Math.floor(view.x + x / view.sx);
    if (view.sy >= 1) {
      const last = Math.min(flow.warps.length, Math.ceil(view.y + height / view.sy));
      for (let number = Math.max(0, Math.floor(view.y)); number < last; ++number)
        this.drawBand(flow, flow.warps[number], view, shades);
    } else {
      this.drawRows(flow, view, shades);
    }
    context.putImageData(this.image, 0, 0);
  }

  private drawBand(flow: Flow, warp: WarpInfo, view: View, shades: Shades): void {
    const gap = view.sy >= 6 ? Math.max(1, Math.min(10, view.sy * GAP)) : 0;
    const top = (warp.number - view.y) * view.sy;
    const bottom = top + view.sy - gap;
    if (view.sy < 48) this.drawSummary(flow, warp, shades, top, bottom);
    else if (view.sx < 1) this.drawSampled(flow, warp, shades, top, bottom);
    else this.drawCells(flow, warp, view, shades, top, bottom);
  }

  /** Columns of pixels: how many lanes were active over the column's steps, as height or strength. */
  private drawSummary(
    flow: Flow, warp: WarpInfo, shades: Shades, top: number, bottom: number,
  ): void {
    const { width, height } = this.image;
    const from = Math.max(0, Math.round(top));
    const to = Math.min(height, Math.max(Math.round(top) + 1, Math.round(bottom)));
    const tall = bottom - top >= 5;
    for (let x = 0; x < width; ++x) {
      const first = this.firsts[x];
      if (first >= warp.steps) break;
      if (first < 0) continue;
      const end = Math.min(warp.steps, Math.max(first + 1, this.firsts[x + 1]));
      const a = warp.first + first;
      const b = warp.first + end;
      const share = (flow.threads[b] - flow.threads[a]) / (32 * (b - a));
      const level = tall ? LEVELS : ((0.2 + 0.8 * share) * LEVELS + 0.5) | 0;
      const color = shades.full[flow.path[a + ((b - a) >> 1)] * RAMP + level];
      const edge = tall ? Math.round(bottom - share * (bottom - top)) : from;
      for (let y = from, at = from * width + x; y < to; ++y, at += width)
        this.pixels[at] = y >= edge ? color : shades.band;
    }
  }

  /** Lanes apart, several steps to a column: a few of them stand for all. */
  private drawSampled(
    flow: Flow, warp: WarpInfo, shades: Shades, top: number, bottom: number,
  ): void {
    const SAMPLES = 8;
    const { width } = this.image;
    const counts = new Uint8Array(32);
    const paths = new Uint32Array(32);
    for (let x = 0; x < width; ++x) {
      const first = this.firsts[x];
      if (first >= warp.steps) break;
      if (first < 0) continue;
      const end = Math.min(warp.steps, Math.max(first + 1, this.firsts[x + 1]));
      const samples = Math.min(SAMPLES, end - first);
      counts.fill(0);
      for (let n = 0; n < samples; ++n) {
        const i = warp.first + first + Math.floor(((end - first) * n) / samples);
        for (let left = flow.active[i]; left !== 0; left &= left - 1) {
          const lane = 31 - Math.clz32(left & -left);
          ++counts[lane];
          paths[lane] = flow.path[i];
        }
      }
      for (let lane = 0; lane < 32; ++lane) {
        const color =
          counts[lane] === 0
            ? shades.band
            : shades.full[paths[lane] * RAMP + Math.round((0.25 + (0.75 * counts[lane]) / samples) * LEVELS)];
        this.fill(x, x + 1, top, bottom, lane, color, 0);
      }
    }
  }

  private drawCells(
    flow: Flow, warp: WarpInfo, view: View, shades: Shades, top: number, bottom: number,
  ): void {
    const last = Math.min(warp.steps, Math.ceil(view.x + this.image.width / view.sx));
    const lane = (bottom - top) / 32;
    const inset = view.sx >= 5 && lane >= 5 ? 1 : 0;
    for (let step = Math.max(0, Math.floor(view.x)); step < last; ++step) {
      const i = warp.first + step;
      const left = (step - view.x) * view.sx;
      const right = (step + 1 - view.x) * view.sx;  // as the next one's left: no gap by rounding
      const active = flow.active[i];
      const off = flow.off[i];
      const path = flow.path[i];
      const full = shades.full[path * RAMP + LEVELS];
      for (let l = 0; l < 32; ++l) {
        if (!((active >>> l) & 1)) continue;
        if ((off >>> l) & 1) this.hollow(left, right, top, bottom, l, full, shades.weak[path], inset);
        else this.fill(left, right, top, bottom, l, full, inset);
      }
      for (const group of flow.situations[flow.situation[i]]) {
        const waits = group.wait !== Wait.none;
        for (let l = 0; l < 32; ++l)
          if ((group.lanes >>> l) & 1)
            this.mark(left, right, top, bottom, l, waits, waits ? shades.waits : shades.ready, shades.band);
      }
    }
  }

  private fill(
    left: number, right: number, top: number, bottom: number, lane: number, color: number, inset: number,
  ): void {
    const height = (bottom - top) / 32;
    this.rectangle(left, right - inset, top + lane * height, top + (lane + 1) * height - inset, color);
  }

  /** Guard off: an outline around something weaker. */
  private hollow(
    left: number, right: number, top: number, bottom: number, lane: number, color: number,
    weak: number, inset: number,
  ): void {
    const height = (bottom - top) / 32;
    this.fill(left, right, top, bottom, lane, inset === 0 ? weak : color, inset);
    if (inset !== 0)
      this.rectangle(
        left + 1, right - inset - 1, top + lane * height + 1, top + (lane + 1) * height - inset - 1,
        weak,
      );
  }

  /** Not executing: a line for a lane that waits, a dot for one whose turn comes. */
  private mark(
    left: number, right: number, top: number, bottom: number, lane: number, line: boolean,
    color: number, band: number,
  ): void {
    const height = (bottom - top) / 32;
    const y = top + lane * height;
    if (height < 3) {
      this.rectangle(left, right, y, y + height, line ? color : band);
      return;
    }
    const middle = Math.floor(y + height / 2 - 0.5);
    if (line) this.rectangle(left, right, middle, middle + 1, color);
    else {
      const x = Math.floor((left + right) / 2 - 0.5);
      this.rectangle(x, x + 2, middle, middle + 2, color);
    }
  }

  private rectangle(left: number, right: number, top: number, bottom: number, color: number): void {
    const { width, height } = this.image;
    const x0 = Math.max(0, Math.round(left));
    const x1 = Math.min(width, Math.max(Math.round(left) + 1, Math.round(right)));
    const y0 = Math.max(0, Math.round(top));
    const y1 = Math.min(height, Math.max(Math.round(top) + 1, Math.round(bottom)));
    for (let y = y0; y < y1; ++y) this.pixels.fill(color, y * width + x0, y * width + x1);
  }

  /** More warps than rows of pixels: each row shows one of its warps, the strength its active lanes. */
  private drawRows(flow: Flow, view: View, shades: Shades): void {
    const { height } = this.image;
    for (let y = 0; y < height; ++y) {
      const number = Math.floor(view.y + (y + 0.5) / view.sy);
      if (number >= flow.warps.length) break;
      if (number >= 0) this.drawSummary(flow, flow.warps[number], shades, y, y + 1);
    }
  }
}
