// Starts Debian's Chromium for the tests.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const axe = join(dirname(fileURLToPath(import.meta.url)), '../node_modules/axe-core/axe.min.js');
/** Why axe-core cannot be asked; false: it can. */
export const axeMissing = existsSync(axe) ? false : 'axe-core is not there; scripts/setup.sh installs it';

const executablePath = process.env.HEDDLE_CHROMIUM ?? '/usr/bin/chromium';

export function hasBrowser() {
  return existsSync(executablePath);
}

/** A browser with an empty profile; `close` also removes that. */
export async function openBrowser(options = {}) {
  const profile = mkdtempSync(join(tmpdir(), 'heddle-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    viewport: { width: 1440, height: 900 },
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync',
    ],
    ...options,
  });
  return {
    context,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

export async function openPage(context, file, hash = '') {
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(`file://${file}${hash}`);
  await page.waitForSelector('html[data-ready]');
  return { page, errors };
}

/** At every width and colour scheme axe-core finds nothing, and nothing is cut off. */
export async function checkAccess(page) {
  await page.evaluate(readFileSync(axe, 'utf8'));
  for (const width of [390, 800, 1440])
    for (const colorScheme of ['light', 'dark']) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      const { violations } = await page.evaluate(() => window.axe.run());
      assert.deepEqual(
        violations.map((each) => `${each.id}: ${each.nodes.length}× ${each.nodes[0].html.slice(0, 160)} ${each.nodes[0].any[0]?.message ?? ''}`),
        [], `${width} px, ${colorScheme}`);
      // None is squeezed by its neighbour.
      await page.waitForFunction(() => [...document.querySelectorAll('.panel')].every((each) => each.offsetParent === null || each.clientWidth >= 250));
      await page.waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth);
    }
}

/** An SVG file inside a page, as a report would embed it. */
export async function openPicture(context, file) {
  const page = await context.newPage();
  await page.setContent(`<!doctype html><html lang="en"><title>picture</title><main><h1>A picture</h1>${readFileSync(file, 'utf8')}</main></html>`);
  return { page, errors: [] };
}

/** What can be clicked or changed and cannot be reached by Tab. */
export async function outOfReach(page) {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.evaluate(() => {
    for (const each of document.querySelectorAll('button, select, input, textarea, summary, a[href], [tabindex="0"]'))
      if (!each.disabled && each.tabIndex >= 0 && each.checkVisibility()) each.dataset.reach = 'no';
    document.activeElement?.blur();
  });
  // Rows of a listing come and go while it scrolls, so it is not known how many stops there are.
  const MOST = 2000;
  for (let n = 0; n < MOST; ++n) {
    await page.keyboard.press('Tab');
    const round = await page.evaluate((isFirst) => {
      const at = document.activeElement;
      if (at.dataset.first) return true;
      if (isFirst) at.dataset.first = 'yes';
      delete at.dataset.reach;
      return false;
    }, n === 0);
    if (round) break;
  }
  return page.evaluate(() => [...document.querySelectorAll('[data-reach="no"]')].map((each) => each.outerHTML.slice(0, 120)));
}
