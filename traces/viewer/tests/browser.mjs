// Starts Debian's Chromium for the tests.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

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
