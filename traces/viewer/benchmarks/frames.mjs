// frames.mjs PAGE: how long the page takes to open, and how long frames take while the picture is
// zoomed and moved, with everything in sight and lane by lane.
import { resolve } from 'node:path';
import { openBrowser, openPage } from '../tests/browser.mjs';

const file = resolve(process.argv[2]);
const browser = await openBrowser();

/** Milliseconds between frames, and what drawing took, while `act` runs. */
async function frames(page, act) {
  await page.evaluate(() => {
    window.frameTimes = [];
    let last = performance.now();
    const note = (now) => {
      window.frameTimes.push(now - last);
      last = now;
      window.frameRequest = requestAnimationFrame(note);
    };
    window.frameRequest = requestAnimationFrame(note);
  });
  await act();
  const times = await page.evaluate(() => {
    cancelAnimationFrame(window.frameRequest);
    return window.frameTimes.slice(2);
  });
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(1);
  return `${times.length} frames, median ${at(0.5)} ms, 95th percentile ${at(0.95)} ms, longest ${at(1)} ms`;
}

const begin = Date.now();
const { page } = await openPage(browser.context, file);
const toReady = Date.now() - begin;
const inPage = await page.evaluate(() => Math.round(performance.now()));
const steps = await page.evaluate(() => JSON.parse(document.getElementById('heddle').textContent).launches[0].recorded);
console.log(`${file}: ${steps} steps in the first launch`);
console.log(`open: ${toReady} ms as seen from outside, at most ${inPage} ms in the page`);

const box = await page.getByTestId('weave').boundingBox();
const middle = [box.x + box.width / 2, box.y + box.height / 2];
const wheel = async (modifier, deltas) => {
  await page.mouse.move(...middle);
  if (modifier) await page.keyboard.down(modifier);
  for (const delta of deltas) {
    await page.mouse.wheel(0, delta);
    await page.waitForTimeout(8);
  }
  if (modifier) await page.keyboard.up(modifier);
};
const many = (delta, n) => Array.from({ length: n }, () => delta);
console.log(`zoom in and out: ${await frames(page, () => wheel('Control', [...many(-60, 60), ...many(60, 40)]))}`);
await wheel(null, many(-60, 7)); // a quarter of the steps, all warps
console.log(`scroll: ${await frames(page, () => wheel('Shift', [...many(40, 100), ...many(-40, 50)]))}`);
await wheel('Control', many(-120, 40));
console.log(`scroll, lane by lane: ${await frames(page, () => wheel('Shift', [...many(40, 100), ...many(-40, 50)]))}`);
await browser.close();
