// The picture of all warps with its axes, and how it is moved about.
import { computed, effect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { DARK, LIGHT, pathSides } from './colors';
import { blockText, grouped, hex, popcountText } from './lanes';
import { currentTheme } from './theme';
import * as at from './state';
import { MEET, SPLIT } from './flow';
import { fitting, makeShades, Weave } from './weave';

const LEFT = 92; // pixels of the labels at the left
const TOP = 22; // of the axis
const weave = new Weave();

const shades = computed(() =>
  at.launch.value
    ? makeShades(currentTheme.value === 'dark' ? DARK : LIGHT, pathSides(at.launch.value))
    : null,
);

interface Hover {
  x: number;
  y: number;
  text: string;
}

function size(canvas: HTMLCanvasElement): [number, number] {
  const scale = window.devicePixelRatio || 1;
  return [canvas.clientWidth * scale, canvas.clientHeight * scale];
}

/** The view in device pixels of the picture's own canvas. */
function viewOf(canvas: HTMLCanvasElement): at.View {
  return at.view.value ?? fitting(at.flow.value!, ...size(canvas));
}

function bounded(canvas: HTMLCanvasElement, view: at.View): at.View {
  const flow = at.flow.value!;
  const [width, height] = size(canvas);
  const fit = fitting(flow, width, height);
  const sx = Math.min(Math.max(view.sx, fit.sx), 64);
  const sy = Math.min(Math.max(view.sy, Math.min(fit.sy, height / Math.max(1, flow.warps.length))), 32 * 24);
  return {
    sx,
    sy,
    x: Math.max(0, Math.min(view.x, flow.longest - width / sx)),
    y: Math.max(0, Math.min(view.y, flow.warps.length - height / sy)),
  };
}

export function zoom(canvas: HTMLCanvasElement, by: number, px: number, py: number, axis: 'x' | 'y' | 'both'): void {
  const view = viewOf(canvas);
  const bx = axis === 'y' ? 1 : by;
  const by2 = axis === 'x' ? 1 : by;
  at.view.value = bounded(canvas, {
    sx: view.sx * bx,
    sy: view.sy * by2,
    x: view.x + px / view.sx - px / (view.sx * bx),
    y: view.y + py / view.sy - py / (view.sy * by2),
  });
}

export function pan(canvas: HTMLCanvasElement, dx: number, dy: number): void {
  const view = viewOf(canvas);
  at.view.value = bounded(canvas, { ...view, x: view.x + dx / view.sx, y: view.y + dy / view.sy });
}

/** Brings the place one is at into the picture. */
function follow(canvas: HTMLCanvasElement): void {
  const view = at.view.value;
  if (!view) return;
  const [width, height] = size(canvas);
  let { x, y } = view;
  const steps = width / view.sx;
  const warps = height / view.sy;
  if (at.step.value < x + 1 || at.step.value > x + steps - 1) x = at.step.value - steps / 3;
  if (at.warpNumber.value < y || at.warpNumber.value + 1 > y + warps) y = at.warpNumber.value - (warps - 1) / 2;
  if (x !== view.x || y !== view.y) at.view.value = bounded(canvas, { ...view, x, y });
}

function drawAxes(front: HTMLCanvasElement, back: HTMLCanvasElement): void {
  const scale = window.devicePixelRatio || 1;
  front.width = Math.round(front.clientWidth * scale);
  front.height = Math.round(front.clientHeight * scale);
  const context = front.getContext('2d')!;
  context.scale(scale, scale);
  const palette = currentTheme.value === 'dark' ? DARK : LIGHT;
  const flow = at.flow.value!;
  const view = viewOf(back);
  const sx = view.sx / scale;
  const sy = view.sy / scale;
  const width = front.clientWidth;
  const height = front.clientHeight;
  context.font = '11px system-ui, sans-serif';
  context.fillStyle = palette.dim;
  context.textBaseline = 'middle';

  // Steps.
  const each = niceStep(80 / sx);
  for (let s = Math.ceil(view.x / each) * each; ; s += each) {
    const x = LEFT + (s - view.x) * sx;
    if (x > width) break;
    context.fillText(grouped(s), x + 3, TOP / 2);
    context.fillRect(Math.round(x), TOP - 6, 1, 6);
  }
  context.textAlign = 'right';
  context.fillText('step', LEFT - 8, TOP / 2);

  // Warps.
  const grid = at.launch.value!.data.grid;
  const every = Math.max(1, Math.ceil(15 / sy));
  for (let n = Math.max(0, Math.ceil(view.y / every) * every - (sy >= 15 ? 1 : 0)); n < flow.warps.length; n += every) {
    const y = TOP + (n - view.y) * sy;
    if (y > height) break;
    if (y + Math.min(sy, 14) < TOP) continue;
    const { block, warp } = flow.warps[n];
    const chosen = n === at.warpNumber.value;
    context.fillStyle = chosen ? palette.text : palette.dim;
    context.font = `${chosen ? 600 : 400} 11px system-ui, sans-serif`;
    const middle = sy >= 34 ? y + Math.min(sy / 2, 60) : y + Math.min(sy, 15) / 2;
    if (sy >= 34) {
      context.fillText(blockText(block, grid), LEFT - 8, Math.max(TOP + 8, middle - 7));
      context.fillText(`warp ${warp}`, LEFT - 8, Math.max(TOP + 8, middle - 7) + 14);
    } else {
      context.fillText(`${blockText(block, grid).replace('block ', 'b')} w${warp}`, LEFT - 8, Math.max(TOP + 1, middle));
    }
  }
  context.textAlign = 'left';

  // The chosen warp's splits and meetings, and the place one is at.
  const chosen = at.warp.value;
  if (!chosen) return;
  const bandTop = TOP + (chosen.number - view.y) * sy;
  if (sx > 0.2) {
    const last = Math.min(chosen.steps, Math.ceil(view.x + (width - LEFT) / sx));
    for (let s = Math.max(0, Math.floor(view.x)); s < last; ++s) {
      const event = flow.event[chosen.first + s];
      if (event === 0) continue;
      const x = LEFT + (s + 0.5 - view.x) * sx;
      context.fillStyle = palette.text;
      context.beginPath();
      if (event & SPLIT) {
        context.moveTo(x, TOP - 7), context.lineTo(x - 4, TOP - 1), context.lineTo(x + 4, TOP - 1);
      } else if (event & MEET) {
        context.moveTo(x, TOP - 1), context.lineTo(x - 4, TOP - 7), context.lineTo(x + 4, TOP - 7);
      }
      context.fill();
    }
  }
  const x = LEFT + (at.step.value - view.x) * sx;
  if (x >= LEFT - 1 && x <= width) {
    context.strokeStyle = palette.cursor;
    context.lineWidth = 1.5;
    context.globalAlpha = 0.35;
    context.beginPath();
    context.moveTo(x + Math.min(sx, 4) / 2, TOP), context.lineTo(x + Math.min(sx, 4) / 2, height);
    context.stroke();
    context.globalAlpha = 1;
    context.strokeRect(x - 0.5, Math.max(TOP, bandTop) - 0.5, Math.max(sx, 3) + 1, Math.max(3, Math.min(sy, height)) + 1);
  }
}

function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= least) return Math.max(1, factor * power);
  return power * 10;
}

/** What the picture shows, for who does not see it. */
function pictureText(): string {
  const flow = at.flow.value;
  const warp = at.warp.value;
  if (!flow || !warp) return 'Lanes over time: no warp';
  let splits = 0;
  for (let i = warp.first; i < warp.first + warp.steps; ++i) if (flow.event[i] & SPLIT) ++splits;
  const i = warp.first + at.step.value;
  const lanes = at.step.value < warp.steps ? `${popcountText(flow.active[i])} execute` : 'it has ended';
  return `Lanes of ${flow.warps.length} warps over time. ${blockText(warp.block, at.launch.value!.data.grid)}, warp ${warp.warp}: ${warp.steps} steps, diverges ${splits} times. At step ${at.step.value}: ${lanes}.`;
}

export function WeaveView() {
  const back = useRef<HTMLCanvasElement>(null);
  const front = useRef<HTMLCanvasElement>(null);
  const [hover, setHover] = useState<Hover | null>(null);

  useEffect(() => {
    const canvas = back.current!;
    let wanted = 0;
    const draw = () => {
      wanted = 0;
      if (!at.flow.value || !at.launch.value) return;
      const [width, height] = size(canvas).map(Math.round);
      if (width === 0 || height === 0) return;
      if (canvas.width !== width || canvas.height !== height) {
        canvas.width = width; // which also empties it: the picture is drawn anew
        canvas.height = height;
      }
      weave.draw(canvas.getContext('2d')!, at.flow.value, viewOf(canvas), shades.value!);
      drawAxes(front.current!, canvas);
    };
    const ask = () => {
      if (wanted === 0) wanted = requestAnimationFrame(draw);
    };
    const stops = [
      effect(() => {
        // What the picture depends on.
        void [at.flow.value, at.view.value, at.step.value, at.warpNumber.value, currentTheme.value];
        ask();
      }),
      effect(() => {
        void [at.step.value, at.warpNumber.value];
        if (at.flow.peek()) queueMicrotask(() => follow(canvas));
      }),
    ];
    const observer = new ResizeObserver(() => {
      if (at.view.value) at.view.value = bounded(canvas, at.view.value);
      ask();
    });
    observer.observe(canvas);
    return () => {
      stops.forEach((stop) => stop());
      observer.disconnect();
    };
  }, []);

  const place = (event: MouseEvent): [number, number] => {
    const box = back.current!.getBoundingClientRect();
    const scale = window.devicePixelRatio || 1;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  };
  const under = (event: MouseEvent) => {
    const view = viewOf(back.current!);
    const [px, py] = place(event);
    return {
      step: Math.floor(view.x + px / view.sx),
      warp: Math.floor(view.y + py / view.sy),
      lane: Math.floor(((view.y + py / view.sy) % 1) * 32),
    };
  };

  const onWheel = (event: WheelEvent) => {
    event.preventDefault();
    const [px, py] = place(event);
    const scale = window.devicePixelRatio || 1;
    const by = Math.exp(-event.deltaY / 300);
    if (event.ctrlKey || event.metaKey) zoom(back.current!, by, px, py, 'both');
    else if (event.altKey) zoom(back.current!, by, px, py, 'y');
    else if (event.shiftKey) pan(back.current!, (event.deltaY + event.deltaX) * scale, 0);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan(back.current!, event.deltaX * scale, 0);
    else zoom(back.current!, by, px, py, 'x');
  };
  useEffect(() => {
    const element = front.current!;
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, []);

  const onPointerDown = (event: PointerEvent) => {
    const element = front.current!;
    element.setPointerCapture(event.pointerId);
    let [lastX, lastY] = place(event);
    let moved = 0;
    const move = (next: PointerEvent) => {
      const [px, py] = place(next);
      moved += Math.abs(px - lastX) + Math.abs(py - lastY);
      if (moved > 6) {
        setHover(null);
        pan(back.current!, lastX - px, lastY - py);
      }
      [lastX, lastY] = [px, py];
    };
    const up = (last: PointerEvent) => {
      element.removeEventListener('pointermove', move);
      element.removeEventListener('pointerup', up);
      if (moved > 6) return;
      const target = under(last);
      if (target.warp >= 0 && target.warp < at.flow.value!.warps.length) at.goTo(target.warp, target.step);
    };
    element.addEventListener('pointermove', move);
    element.addEventListener('pointerup', up);
  };

  const onMouseMove = (event: MouseEvent) => {
    if (event.buttons !== 0 || !at.flow.value) return;
    const target = under(event);
    const flow = at.flow.value;
    const warp = flow.warps[target.warp];
    const box = front.current!.getBoundingClientRect();
    if (!warp || target.step < 0 || target.step >= warp.steps || event.clientX - box.left < LEFT || event.clientY - box.top < TOP) {
      setHover(null);
      return;
    }
    const i = warp.first + target.step;
    const line = at.launch.value!.lineAt(flow.pc[i]);
    setHover({
      x: event.clientX - box.left,
      y: event.clientY - box.top,
      text: `${blockText(warp.block, at.launch.value!.data.grid)}, warp ${warp.warp}, step ${target.step}: ${popcountText(flow.active[i])}\n${line ? `${hex(line.offset)}  ${line.text}` : ''}`,
    });
  };

  const middle = (): [number, number] => {
    const [width, height] = size(back.current!);
    const view = viewOf(back.current!);
    const x = (at.step.value - view.x) * view.sx;
    return [x >= 0 && x <= width ? x : width / 2, height / 2];
  };

  return (
    <section class="weave" aria-label="Lanes over time">
      <canvas ref={back} class="weave-picture" aria-hidden="true" />
      <canvas
        ref={front}
        class="weave-axes"
        data-testid="weave"
        role="img"
        aria-label={pictureText()}
        onPointerDown={onPointerDown}
        onMouseMove={onMouseMove}
        onMouseLeave={() => setHover(null)}
        onDblClick={(event) => {
          const [px, py] = place(event);
          zoom(back.current!, 6, px, py, 'both');
        }}
      />
      <div class="weave-buttons">
        <button data-zoom="more" aria-label="zoom out" title="zoom out (−)" onClick={() => zoom(back.current!, 0.5, ...middle(), 'x')}>−</button>
        <button data-zoom="fewer" aria-label="zoom in" title="zoom in (+)" onClick={() => zoom(back.current!, 2, ...middle(), 'x')}>+</button>
        <button aria-label="flatter warps" title="flatter warps" onClick={() => zoom(back.current!, 0.5, ...middle(), 'y')}>⇕−</button>
        <button aria-label="taller warps" title="taller warps" onClick={() => zoom(back.current!, 2, ...middle(), 'y')}>⇕+</button>
        <button title="show the whole launch (f)" onClick={() => (at.view.value = null)}>all</button>
      </div>
      {hover && (
        <pre class="weave-hover" style={{ left: `${hover.x + 14}px`, top: `${hover.y + 14}px` }}>
          {hover.text}
        </pre>
      )}
    </section>
  );
}
