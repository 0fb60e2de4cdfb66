import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openBrowser, openPage } from './browser.mjs';

const pages = process.env.HEDDLE_PAGES;
const file = (name) => join(pages, `${name}.html`);
let browser;

before(async () => {
  browser = await openBrowser();
});
after(async () => {
  await browser.close();
});

/** Opens a page, hands it over, and expects that nothing went wrong in it. */
async function withPage(name, hash, check) {
  const { page, errors } = await openPage(browser.context, file(name), hash);
  await check(page);
  assert.deepEqual(errors, []);
  await page.close();
}

const lanes = async (page) =>
  (await page.getByTestId('lanes').getAttribute('aria-label')).replace('Lanes 0 to 31: ', '');
const instruction = (page) => page.getByTestId('instruction').textContent();
const step = async (page) => Number(await page.getByTestId('step').inputValue());
const press = async (page, key, times = 1) => {
  for (let n = 0; n < times; ++n) await page.keyboard.press(key);
};
const state = async (page) => ({
  step: await step(page),
  lanes: await lanes(page),
  instruction: await instruction(page),
  registers: await page.getByTestId('registers').locator('table').textContent(),
});

for (const [name, hash] of [
  ['divergence', '#launch=1&warp=1&step=70'],
  ['calls', '#launch=1&warp=2&step=300'],
  ['reduction', '#launch=0&warp=5&step=250'],
])
  test(`stepping forward and back returns to the same state: ${name}`, () =>
    withPage(name, hash, async (page) => {
      await page.getByTestId('registers').waitFor();
      const seen = [await state(page)];
      for (let n = 0; n < 25; ++n) {
        await press(page, 'ArrowRight');
        seen.push(await state(page));
      }
      assert.notDeepEqual(seen[0].registers, seen[25].registers);
      for (let n = 24; n >= 0; --n) {
        await press(page, 'ArrowLeft');
        assert.deepEqual(await state(page), seen[n]);
      }
      // From the far end too, which takes another way through the snapshots.
      await press(page, 'End');
      await page.getByTestId('step').fill(String(seen[10].step));
      await page.getByTestId('step').press('Enter');
      assert.deepEqual(await state(page), seen[10]);
    }));

test('the next divergence is where the lanes split', () =>
  withPage('divergence', '#launch=1', async (page) => {
    await press(page, 'n');
    const before = await lanes(page);
    assert.match(await instruction(page), /^@!?P\d BRA /);
    assert.equal(before.replace(/[#-]/g, ''), '', 'the whole warp executes the branch');
    await press(page, 'ArrowRight');
    const split = await lanes(page);
    assert.equal(split, '#.'.repeat(16));
    await press(page, 'r');
    assert.equal(await lanes(page), '#'.repeat(32));
    await press(page, 'ArrowLeft');
    assert.match(await lanes(page), /^(0#|#0)+$/, 'before, the others waited at B0');
    await press(page, 'N');
    assert.equal(await lanes(page), before);
  }));

test('a warp without a divergence says so', () =>
  withPage('divergence', '#launch=4', async (page) => {
    await press(page, 'n');
    assert.match(await page.getByRole('status').textContent(), /no further divergence/);
    assert.equal(await step(page), 0);
  }));

test('a link opens the same place', () =>
  withPage('calls', '#launch=3&warp=1&step=40&tab=tree', async (page) => {
    await press(page, 'ArrowRight', 2);
    await page.waitForFunction(() => location.hash.includes('step=42'));
    const hash = new URL(page.url()).hash;
    const second = await openPage(browser.context, file('calls'), hash);
    assert.equal(await step(second.page), 42);
    assert.equal(await second.page.getByTestId('launch').inputValue(), '3');
    assert.equal(await second.page.getByTestId('place').textContent(), 'block 0, warp 1');
    assert.equal(await second.page.getByTestId('tree').count(), 1);
    assert.equal(await instruction(second.page), await instruction(page));
    await second.page.close();
  }));

test('a line of the source and an instruction lead to their next execution', () =>
  withPage('divergence', '#launch=1', async (page) => {
    const line = page.getByTestId('source').locator('.row.has-code', { hasText: 'ib = 200.0f' });
    await line.click();
    assert.equal(await line.getAttribute('class').then((c) => c.includes('current')), true);
    await page.getByTestId('listing').locator('.row', { hasText: 'BSYNC B0' }).click();
    assert.match(await instruction(page), /^BSYNC/);
  }));

test('search goes to what is executed', () =>
  withPage('divergence', '#launch=1', async (page) => {
    await press(page, '/');
    await page.keyboard.type('bsync');
    await press(page, 'Enter');
    assert.match(await instruction(page), /^BSYNC/);
  }));

test('the hardware has its numbers beside the model', () =>
  withPage('divergence', '#launch=1', async (page) => {
    const measured = page.getByTestId('listing').locator('.measured');
    assert.ok((await measured.count()) > 10);
    assert.equal(await measured.first().textContent(), '2');
    assert.equal(await page.locator('.measured.differs').count(), 0);
  }));

test('nothing leaves the page', async () => {
  const requests = [];
  const note = (request) => requests.push(request.url());
  browser.context.on('request', note);
  await withPage('reduction', '', async (page) => {
    await press(page, 'n', 3);
    for (const key of ['2', '3', '1', 't', '?', 'Escape', 'f']) await press(page, key);
  });
  browser.context.off('request', note);
  assert.deepEqual(requests, [`file://${file('reduction')}`]);
});

test('what would leave the page is refused by its policy', async () => {
  const { page } = await openPage(browser.context, file('divergence'));
  const refused = await page.evaluate(async () => {
    const violations = [];
    document.addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective));
    await fetch('https://example.invalid/').catch(() => {});
    await new Promise((resolve) => {
      const image = new Image();
      image.onload = image.onerror = resolve;
      image.src = 'https://example.invalid/x.png';
    });
    const script = document.createElement('script');
    script.textContent = "document.title = 'taken'";
    document.body.append(script);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return violations.sort();
  });
  assert.deepEqual(refused, ['connect-src', 'img-src', 'script-src-elem']);
  assert.doesNotMatch(await page.title(), /^taken/);
  await page.close();
});

test('source and names stay text', () =>
  withPage('hostile', '#launch=1', async (page) => {
    await page.getByTestId('source').evaluate((element) => (element.scrollTop = 0));
    const first = page.getByTestId('source').locator('[data-line="1"] .code');
    assert.match(await first.textContent(), /<\/script><script>document.title = 'taken'/);
    assert.doesNotMatch(await page.title(), /taken/);
    assert.equal(await page.locator('#app img, #app script').count(), 0);
  }));

test('a kernel named like a script tag stays text', async () => {
  // As the writer escapes such a name (validation/tests/recording_test.cpp).
  const name = "\\u003c/script>\\u003cscript>document.title='taken'\\u003c/script>\\u003cimg src=x onerror=alert(1)>";
  const text = readFileSync(file('divergence'), 'utf8').replaceAll('mathKernel1(float*)', name);
  writeFileSync(file('named'), text);
  await withPage('named', '#launch=1', async (page) => {
    const chosen = await page.getByTestId('launch').locator('option:checked').textContent();
    assert.equal(chosen, "1: </script><script>document.title='taken'</script><img src=x onerror=alert(1)>");
    assert.doesNotMatch(await page.title(), /^taken/);
    assert.equal(await page.locator('#app img, #app script').count(), 0);
  });
});

test('the picture can be moved from everything to one instruction', () =>
  withPage('reduction', '', async (page) => {
    const picture = page.getByTestId('weave');
    const box = await picture.boundingBox();
    await page.mouse.move(box.x + 400, box.y + 120);
    await page.keyboard.down('Control');
    for (let n = 0; n < 40; ++n) await page.mouse.wheel(0, -200);
    await page.keyboard.up('Control');
    // The wheel's events arrive one by one.
    await page.waitForFunction(() => {
      const view = new URLSearchParams(location.hash.slice(1)).get('view')?.split(',').map(Number);
      return view && view[1] >= 16 && view[3] >= 300;
    });
    const view = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('view').split(',').map(Number);
    assert.equal(view.length, 4);
    await picture.click({ position: { x: 500, y: 100 } });
    assert.ok((await step(page)) > 0);
    await press(page, 'f');
    await page.waitForFunction(() => !/view=/.test(location.hash));
  }));

test('a timed launch tells why warps wait', () =>
  withPage('timed', '#launch=0&warp=0&step=0&heat=stalls', async (page) => {
    const waiting = page.getByTestId('listing').locator('.heat').filter({ hasText: /\d/ });
    assert.ok((await waiting.count()) > 3);
    let reasons = 0;
    for (let n = 0; n < 30 && reasons === 0; ++n) {
      await press(page, 'ArrowRight');
      reasons = await page.locator('.waiting', { hasText: 'waits here, model' }).count();
    }
    assert.equal(reasons, 1);
  }));

test('a timed step says when it issued and what it waited for', () =>
  withPage('timed', '#launch=0&warp=0&step=0', async (page) => {
    const time = page.getByTestId('step-time');
    let cycle = -1;
    let waited = 0;
    for (let n = 0; n < 40; ++n) {
      const text = await time.textContent();
      const issued = Number(/in cycle ~([\d,]+)/.exec(text)[1].replaceAll(',', ''));
      assert.ok(issued > cycle, 'a warp issues once a cycle at most');
      const waits = [.../(?<=cycles)(.*)/.exec(text)?.[1].matchAll(/[a-z ]+ ([\d,]+)/g) ?? []]
        .reduce((sum, [, cycles]) => sum + Number(cycles.replaceAll(',', '')), 0);
      // Every cycle since the step before was spent waiting, or it issued.
      if (cycle >= 0) assert.equal(waits, issued - cycle - 1, text);
      waited += waits;
      cycle = issued;
      await press(page, 'ArrowRight');
    }
    assert.ok(waited > 100);
    assert.match(await page.locator('header.top').textContent(), /cycles~[\d,]+/);
  }));

test('advice of a timed launch names the instruction that is waited for', () =>
  withPage('timed', '#launch=0&tab=advice', async (page) => {
    const text = await page.locator('.advice').textContent();
    assert.match(text, /waits: ~\d+ % of warps' cycles, most of it [a-z_]+/);
    assert.match(text, /[A-Z0-9.]+ waits for [A-Z0-9.]+ at /);
  }));

test('several columns of numbers can be chosen, and a link keeps them', () =>
  withPage('divergence', '#launch=1', async (page) => {
    const cells = () => page.getByTestId('listing').locator('.row').first().locator('.heat:not(.measured)').count();
    assert.equal(await cells(), 1);
    await page.getByRole('button', { name: 'add a column' }).click();
    await page.getByLabel('Metric shown in column 2').selectOption({ label: 'active lanes' });
    assert.equal(await cells(), 2);
    await page.waitForFunction(() => location.hash.includes('heat=steps,lanes'));
    const row = page.getByTestId('source').locator('.row.has-code', { hasText: 'ib = 200.0f' });
    assert.deepEqual(await row.locator('.heat:not(.measured)').allTextContents(), ['20', '16']);
    const second = await openPage(browser.context, file('divergence'), new URL(page.url()).hash);
    assert.equal(await second.page.getByLabel('Metric shown in column 2').inputValue(), 'lanes');
    await second.page.close();
    await page.getByLabel('Metric shown in column 2').selectOption({ label: 'remove this column' });
    assert.equal(await cells(), 1);
  }));

test('a baseline of other code has its numbers beside the lines', () =>
  withPage('beside', '#launch=0', async (page) => {
    assert.match(await page.getByTestId('beside').textContent(), /Beside .*simple_divergence.sm_90.O3: [\d.]+ times as many warp instructions/);
    assert.equal(await page.getByTestId('listing').locator('.before').count(), 0);
    const line = page.getByTestId('source').locator('.row.has-code', { hasText: 'int tid' });
    const now = Number(await line.locator('.heat:not(.before)').textContent());
    const before = Number(await line.locator('.before').textContent());
    assert.ok(before > 0 && now > before, `${now} after ${before}`);
  }));

test('a baseline of the same code has its numbers beside the instructions', () =>
  withPage('same', '#launch=0', async (page) => {
    assert.match(await page.getByTestId('beside').textContent(), /does the same/);
    const row = page.getByTestId('listing').locator('.row').nth(3);
    assert.equal(await row.locator('.before').textContent(), await row.locator('.heat:not(.before)').textContent());
  }));

test('variables of a debug build have their values, in each lane at its place', () =>
  withPage('divergence', '#launch=1', async (page) => {
    const variables = page.getByTestId('variables');
    await press(page, 'n');
    assert.match(await variables.textContent(), /tid0 \+ 1·lane/);
    await press(page, 'r');
    await press(page, 'ArrowRight', 2);
    assert.match(await variables.textContent(), /i[ab](0\.0|100\.0|200\.0) in lanes 0, 2, 4 … 30, (0\.0|100\.0|200\.0) in lanes 1, 3, 5 … 31/);
  }));

test('advice leads to the branch it is about', () =>
  withPage('divergence', '#launch=1&tab=advice', async (page) => {
    const advice = page.locator('.advice article');
    assert.equal(await advice.count(), 1);
    assert.match(await advice.textContent(), /simple_divergence\.cu:17.*16 of 32 lanes jump: the odd lanes/);
    await advice.getByRole('button', { name: 'show the instruction' }).click();
    assert.match(await instruction(page), /^@!?P\d BRA /);
  }));

test('the validation page draws launches and leads to instructions and steppers', () =>
  withPage('report', '', async (page) => {
    const points = page.locator('.scatter .point');
    assert.ok((await points.count()) >= 5);
    await page.getByTestId('metric').selectOption('smsp__sass_inst_executed.sum');
    assert.equal(await page.locator('.error .share', { hasText: 'equal' }).count(), 10);
    await page.locator('.error', { hasText: 'sm_90.G: mathKernel1' }).click();
    assert.match(await page.locator('#launch h2').textContent(), /mathKernel1/);
    assert.ok((await page.locator('.instructions tbody tr').count()) > 20);
    assert.equal(await page.locator('.instructions td.differs').count(), 0);
    await page.getByRole('link', { name: /Step through/ }).click();
    await page.waitForSelector('html[data-ready] .weave');
    assert.match(await page.getByTestId('launch').locator('option:checked').textContent(), /mathKernel1/);
  }));
