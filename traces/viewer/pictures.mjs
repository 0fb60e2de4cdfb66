// pictures.mjs HEDDLE: makes the pictures of the documents anew, from pages that heddle writes.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBrowser, openPage } from './tests/browser.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const heddle = resolve(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'heddle-pictures-'));
const pictures = join(root, 'docs/pictures');
mkdirSync(pictures, { recursive: true });

const launches = [
  {
    picture: 'mathkernel1.png',
    kernel: 'mathKernel1',
    capsules: 'simple_divergence.sm_90.G',
    hardware: 'simple_divergence.sm_90.G',
    hash: '#launch=0&warp=0&step=84',
  },
  {
    picture: 'reduce-interleaved.png',
    kernel: 'reduceInterleaved',
    capsules: 'reduce_integer_128.sm_90.G',
    hash: '#launch=0&warp=0&step=330&tab=tree&heat=lanes&view=196,3.75,0,64',
  },
  {
    picture: 'reduce-neighbored.png',
    kernel: 'reduceNeighbored',
    capsules: 'reduce_integer_128.sm_90.G',
    hash: '#launch=0&warp=0&step=300&tab=advice&heat=lanes&view=90,3.75,0,64',
  },
];
// Of docs/variants.md and docs/tuning.md.
const reductions = '../../validation/capsules/reduce_integer_128.sm_90.G';
const variants = [
  { picture: 'diff-reduce.png', words: ['diff', `${reductions} -k reduceNeighbored`, `${reductions} -k reduceInterleaved`] },
  { picture: 'sweep-histogram.png', words: ['sweep', '--no-progress', '-o', join(folder, 'runs'), '--grid', '16..512:x2', '--block', '64,128,256', 'histogram_shared.warp'] },
];
const browser = await openBrowser({ viewport: { width: 1240, height: 720 }, colorScheme: 'light' });
try {
  for (const { picture, kernel, capsules, hardware, hash } of launches) {
    const file = join(folder, 'page.html');
    const beside = hardware ? ['--hardware', join(root, `validation/records/h200/${hardware}.json.zst`)] : [];
    execFileSync(heddle, ['step', '--html', file, '--source-folder', root, '-k', kernel, ...beside, join(root, 'validation/capsules', capsules)], { cwd: root });
    const { page } = await openPage(browser.context, file, hash);
    await page.mouse.move(0, 0);
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(pictures, picture) });
    await page.close();
    console.log(join('docs/pictures', picture));
  }
  for (const { picture, words } of variants) {
    const file = join(folder, 'page.html');
    // diff ends with 1 where variants differ.
    spawnSync(heddle, [words[0], '--html', file, ...words.slice(1)], { cwd: join(root, 'docs/tuning'), stdio: 'ignore' });
    const { page } = await openPage(browser.context, file);
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(pictures, picture) });
    await page.close();
    console.log(join('docs/pictures', picture));
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
