// run.mjs HEDDLE: makes pages of the committed capsules and runs the tests over them in Chromium.
// Exit status 77: skipped, as there is no browser or no viewer.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../../..');
const heddle = process.argv[2];

function skip(why) {
  console.log(`skipped: ${why}; scripts/setup.sh installs it`);
  process.exit(77);
}
if (!existsSync(join(here, '../node_modules/playwright-core'))) skip('the npm packages are not there');
if (!existsSync(process.env.HEDDLE_CHROMIUM ?? '/usr/bin/chromium')) skip('chromium is not there');

const folder = mkdtempSync(join(tmpdir(), 'heddle-viewer-'));
let status = 1;
try {
  const make = (name, ...more) =>
    execFileSync(heddle, ['step', '--html', join(folder, `${name}.html`), ...more], { cwd: root });
  const sources = ['--source-folder', root];
  const capsules = (name) => join(root, 'validation/capsules', name);
  make('divergence', ...sources, '--hardware', join(root, 'validation/records/h200/simple_divergence.sm_90.G.json.zst'),
    capsules('simple_divergence.sm_90.G'));
  make('reduction', ...sources, '-k', 'reduceNeighbored', capsules('reduce_integer_128.sm_90.G'));
  make('calls', ...sources, capsules('calls.sm_90.G'));
  make('beside', ...sources, '-k', 'mathKernel1', '--baseline', capsules('simple_divergence.sm_90.O3'), capsules('simple_divergence.sm_90.G'));
  make('same', ...sources, '-k', 'mathKernel1', '--baseline', capsules('simple_divergence.sm_90.G'), capsules('simple_divergence.sm_90.G'));
  make('timed', ...sources, '--timing', 'on', '-k', 'reduceInterleaved', capsules('reduce_integer_128.sm_90.O3'));
  execFileSync(heddle, ['validate', '--capsules', '--html', join(folder, 'report.html'), 'simple_divergence'], { cwd: root, stdio: 'ignore' });
  spawnSync(heddle, ['diff', '--html', join(folder, 'diff.html'), capsules('simple_divergence.sm_90.G'), capsules('simple_divergence.sm_90.O3')], { cwd: root, stdio: 'ignore' });
  // Blocks of 2048 threads fail.
  spawnSync(heddle, ['sweep', '--timing', 'off', '--block', '64,256,2048', '--param', 'n=4,8', '--html', join(folder, 'sweep.html'),
    '-o', join(folder, 'runs'), join(here, 'sweep.warp')], { cwd: root, stdio: 'ignore' });
  spawnSync(heddle, ['sweep', '--timing', 'off', '--per', 'n', '--block', '64,256', '--param', 'n=4,8', '--html', join(folder, 'sweep_per.html'),
    '-o', join(folder, 'runs'), join(here, 'sweep.warp')], { cwd: root, stdio: 'ignore' });
  execFileSync(heddle, ['roofline', '--svg', join(folder, 'roofline.svg'), capsules('vector_add.sm_90.O3')], { cwd: root, stdio: 'ignore' });
  execFileSync(heddle, ['occupancy', '--block', '256', '--registers', '40', '--gpu', 'h200', '--svg', join(folder, 'occupancy.svg')], { cwd: root, stdio: 'ignore' });
  // A source that tries to become part of the page.
  const hostile = join(folder, 'gpu/kernels/simple_divergence');
  mkdirSync(hostile, { recursive: true });
  const source = readFileSync(join(root, 'gpu/kernels/simple_divergence/simple_divergence.cu'), 'utf8');
  writeFileSync(join(hostile, 'simple_divergence.cu'),
    `</script><script>document.title = 'taken'</script><img src=x onerror="document.title='taken'">\n${source}`);
  make('hostile', '--source-folder', folder, capsules('simple_divergence.sm_90.G'));
  status = spawnSync(process.execPath, ['--test', '--test-concurrency=1', join(here, 'viewer.test.mjs'), join(here, 'access.test.mjs'), join(here, 'diff.test.mjs'), join(here, 'sweep.test.mjs')], {
    stdio: 'inherit',
    env: { ...process.env, HEDDLE_PAGES: folder },
  }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(status);
