// The pages for everybody: narrow and wide, light and dark, by keyboard, and as axe-core sees them.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { axeMissing, checkAccess, openBrowser, openPage, openPicture, outOfReach } from './browser.mjs';

const pages = process.env.HEDDLE_PAGES;
let browser;

before(async () => {
  browser = await openBrowser();
});
after(async () => {
  await browser.close();
});

const open = (name, hash = '') => openPage(browser.context, join(pages, `${name}.html`), hash);

const KINDS = [
  ['divergence', '#launch=1&warp=1&step=76'],
  ['divergence', '#launch=1&warp=1&step=76&tab=tree'],
  ['timed', '#launch=0&step=30&tab=advice'],
  ['timed', '#launch=0&step=30&heat=steps,stalls,lanes,splits'],
  ['beside', '#launch=0&step=60&heat=steps,lanes'],
  ['report', ''],
];
for (const [name, hash] of KINDS)
  test(`axe-core finds nothing, and nothing is cut off: ${name}${hash}`,
    { skip: axeMissing }, async () => {
      const { page, errors } = await open(name, hash);
      if (name === 'report') await page.locator('.error').nth(1).click();
      await checkAccess(page);
      assert.deepEqual(errors, []);
      await page.close();
    });

// Whatever Heddle wrote that a browser opens: pages, and pictures as a page shows them.
for (const file of readdirSync(pages, { recursive: true }).filter((name) => /\.(html|svg)$/.test(name)).sort())
  test(`axe-core finds nothing on, and the keyboard reaches all of: ${file}`, { skip: axeMissing }, async () => {
    const { page, errors } = file.endsWith('.svg') ? await openPicture(browser.context, join(pages, file)) : await openPage(browser.context, join(pages, file));
    await checkAccess(page);
    assert.deepEqual(await outOfReach(page), []);
    assert.deepEqual(errors, []);
    await page.close();
  });

test('a page opens at the costliest divergence and says what it costs', async () => {
  const { page } = await open('divergence');
  assert.match(await page.getByTestId('launch').locator('option:checked').textContent(), /mathKernel1/);
  assert.match(await page.getByTestId('instruction').textContent(), /^@!?P\d BRA /);
  const verdict = await page.getByTestId('verdict').textContent();
  assert.match(verdict, /simple_divergence\.cu:17 costs the most: warps diverge there 2×, which loses [\d.]+ % of the lane slots/);
  assert.equal(await page.getByTestId('legend').isVisible(), true);
  // And back there from elsewhere.
  await page.keyboard.press('Home');
  await page.keyboard.press('c');
  assert.match(await page.getByTestId('instruction').textContent(), /^@!?P\d BRA /);
  await page.close();
});

test("the page uses the field's words", async () => {
  const { page } = await open('divergence', '#launch=1&warp=1&step=76');
  const legend = await page.getByTestId('legend').textContent();
  for (const words of ['ready but not selected', 'active but predicated off']) assert.ok(legend.includes(words), legend);
  assert.match(await page.locator('header.top').textContent(), /lost to divergence/);
  await page.getByRole('tab', { name: 'Divergence' }).click();
  const tree = page.locator('ul.branches > li').first();
  assert.match(await tree.textContent(), /diverges 2×, costs [\d.]+ % of the issue slots; reconverges at [\da-f]+/);
  await page.close();
});

test('a launch without divergence says so', async () => {
  const { page } = await open('divergence', '#launch=4');
  assert.match(await page.getByTestId('verdict').textContent(), /No warp diverged/);
  await page.close();
});

test('everything can be reached by keyboard alone', async () => {
  const { page } = await open('divergence', '#launch=1');
  const seen = new Set();
  for (let n = 0; n < 400; ++n) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const element = document.activeElement;
      return element.getAttribute('aria-label') ?? element.closest('[data-testid]')?.dataset.testid ?? element.textContent.trim().slice(0, 20);
    });
    if (at === 'Launch' && seen.has('Launch')) break;
    seen.add(at);
  }
  for (const each of ['Launch', 'help', 'light or dark theme', 'zoom in', 'Source file', 'source', 'listing', 'State', 'Divergence', 'Advice', 'play', 'Step', 'Search code'])
    assert.ok(seen.has(each), `${each} is not among ${[...seen].join(', ')}`);
  // A row of the listing, by Enter.
  const row = page.getByTestId('listing').locator('.row', { hasText: 'BSYNC B0' });
  await row.focus();
  await page.keyboard.press('Enter');
  assert.match(await page.getByTestId('instruction').textContent(), /^BSYNC/);
  // The picture, by plus and minus.
  await page.keyboard.press('+');
  await page.waitForFunction(() => /view=/.test(location.hash));
  // Help takes the focus, and Escape closes it.
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.close();
});

test('operands that name barriers have no lines of a chart', async () => {
  const { page } = await open('divergence', '#launch=1');
  await page.keyboard.press('n');  // the rows around a divergence
  const operand = page.getByTestId('listing').locator('.row', { hasText: 'BSSY B0' }).locator('.bar').first();
  assert.match(await operand.textContent(), /^B\d/);
  assert.equal(await operand.evaluate((element) => getComputedStyle(element, '::before').content), 'none');
  await page.close();
});

test('instructions and metrics have tooltips', async () => {
  const { page } = await open('divergence', '#launch=1');
  await page.keyboard.press('n');
  const code = page.getByTestId('listing').locator('.row.current .sass');
  assert.match(await code.getAttribute('title'), /^BRA: branch: lanes whose predicate holds jump/);
  assert.match(await page.getByLabel('Metric shown').getAttribute('title'), /warp instructions executed/);
  assert.match(await page.getByTestId('weave').getAttribute('aria-label'), /warp 0: \d+ steps, diverges 1 times/);
  await page.close();
});

test("the validation page's launches are filtered and sorted, and bars cover no names", async () => {
  const { page } = await open('report');
  const names = () => page.locator('.error:not(.scale) .name').allTextContents();
  const all = await names();
  await page.getByTestId('filter').fill('mathKernel2');
  const some = await names();
  assert.ok(some.length > 0 && some.length < all.length);
  assert.ok(some.every((name) => name.includes('mathKernel2')));
  await page.getByTestId('filter').fill('');
  await page.getByTestId('order').selectOption('name');
  const sorted = await names();
  assert.deepEqual(sorted, [...sorted].sort((a, b) => a.localeCompare(b)));
  assert.equal(await page.locator('.scale .bar span').count(), 5);
  assert.ok((await page.locator('.scatter .grid').count()) >= 4);
  const covered = await page.evaluate(() => [...document.querySelectorAll('.error:not(.scale)')].filter((row) => {
    const name = row.querySelector('.name').getBoundingClientRect();
    const bar = row.querySelector('.bar').getBoundingClientRect();
    return getComputedStyle(row.querySelector('.bar')).overflow !== 'hidden' || (name.right > bar.left && name.top === bar.top);
  }).length);
  assert.equal(covered, 0);
  await page.close();
});
