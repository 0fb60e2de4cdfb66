// The page of heddle diff --html: both variants' lanes, metrics, lines and branches.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { axeMissing, checkAccess, openBrowser, openPage } from './browser.mjs';

const pages = process.env.HEDDLE_PAGES;
let browser;

before(async () => {
  browser = await openBrowser();
});
after(async () => {
  await browser.close();
});

const open = () => openPage(browser.context, join(pages, 'diff.html'));

/** Whether a canvas has more than one colour. */
const isDrawn = (page, id) => page.waitForFunction((name) => {
  const canvas = document.querySelector(`[data-testid="${name}"]`);
  if (!canvas || canvas.width === 0) return false;
  const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
  return pixels.some((pixel) => pixel !== pixels[0]);
}, id);

test('both variants stand side by side with what differs', async () => {
  const { page, errors } = await open();
  assert.match(await page.getByTestId('meaning-B').textContent(), /^: .*(fewer|more) warp instructions/);
  await isDrawn(page, 'lanes-A');
  await isDrawn(page, 'lanes-B');
  const a = await page.getByTestId('lanes-A').boundingBox();
  const b = await page.getByTestId('lanes-B').boundingBox();
  assert.equal(a.y, b.y);
  assert.ok(b.x >= a.x + a.width);
  assert.match(await page.getByTestId('lanes-A').getAttribute('aria-label'), /^A: \d+ warps/);
  assert.ok((await page.getByTestId('metrics').locator('tbody tr').count()) > 3);
  assert.ok((await page.getByTestId('lines').locator('tbody tr').count()) > 0);
  assert.deepEqual(errors, []);
  await page.close();
});

test('another kernel is chosen, and the pictures are zoomed', async () => {
  const { page, errors } = await open();
  const kernel = page.getByTestId('kernel');
  const before = await page.getByTestId('metrics').textContent();
  await kernel.selectOption('1');
  await page.waitForFunction((text) => document.querySelector('[data-testid="metrics"]')?.textContent !== text, before);
  await isDrawn(page, 'lanes-A');
  const picture = () => page.getByTestId('lanes-A').evaluate((canvas) => canvas.toDataURL());
  const all = await picture();
  await page.getByTestId('zoom').fill('3');
  await page.waitForFunction((text) => document.querySelector('[data-testid="lanes-A"]').toDataURL() !== text, all);
  assert.deepEqual(errors, []);
  await page.close();
});

test('axe-core finds nothing on it, and nothing is cut off',
  { skip: axeMissing }, async () => {
    const { page } = await open();
    await checkAccess(page);
    await page.close();
  });
