// The page of heddle sweep --html: the plot, what it is about, and the table with the best run.
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

const open = () => openPage(browser.context, join(pages, 'sweep.html'));

test('the best run is marked, a failed one is a row, and the plot has a line for each of the others', async () => {
  const { page, errors } = await open();
  const rows = page.getByTestId('runs').locator('tbody tr');
  assert.equal(await rows.count(), 6);
  assert.equal(await page.locator('tr.best').count(), 1);
  assert.match(await page.locator('tr.best').textContent(), /★/);
  assert.equal(await page.locator('tr.failed').count(), 2);
  assert.match(await page.locator('tr.failed').first().textContent(), /failed/);
  // Blocks along the axis, a line for each n; its name for each.
  assert.match(await page.getByTestId('plot').getAttribute('aria-label'), /over block: 2 lines of 3 values/);
  await page.waitForSelector('.uplot canvas');
  assert.equal(await page.locator('.u-series').count(), 3);
  // No value is shown where the pointer is not.
  assert.equal(await page.locator('.u-value').first().isVisible(), false);
  assert.deepEqual(errors, []);
  await page.close();
});

test('each size of a problem has its best, by any metric', async () => {
  const { page, errors } = await openPage(browser.context, join(pages, 'sweep_per.html'));
  const sizes = async () => (await page.locator('tr.best td:nth-child(3)').allTextContents()).sort();
  assert.deepEqual(await sizes(), ['4', '8']);
  await page.getByTestId('metric').selectOption('smsp__sass_sectors_mem_global.sum');
  assert.deepEqual(await sizes(), ['4', '8']);
  assert.deepEqual(errors, []);
  await page.close();
});

test('another metric and another axis are drawn', async () => {
  const { page, errors } = await open();
  await page.getByTestId('axis').selectOption('1');
  await page.waitForFunction(() => /over n: 3 lines of 2 values/.test(document.querySelector('[data-testid="plot"]').ariaLabel));
  const value = () => page.locator('tr.best td').nth(3).textContent();
  const before = await value();
  await page.getByTestId('metric').selectOption({ label: 'thread_inst_executed' });
  await page.waitForFunction((text) => document.querySelectorAll('tr.best td')[3].textContent !== text, before);
  assert.deepEqual(errors, []);
  await page.close();
});

test('axe-core finds nothing on it, and nothing is cut off',
  { skip: axeMissing }, async () => {
    const { page } = await open();
    await checkAccess(page);
    await page.close();
  });
