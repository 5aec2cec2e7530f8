// The page "release" in Debian's Firefox: a release with the server closed, a second tab, a reload.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const puppeteer = require('puppeteer-core');
const { serve } = require('./common.js');

const native = path.join(__dirname, '..', '..', 'build', 'bin', 'privbayes');
const table = `answer,age\n${Array.from({ length: 400 }, (_, i) => `${i % 3 ? 'yes' : 'no'},${18 + i % 70}`).join('\n')}\n`;

async function open(browser, base, state = 'ready') {
  const page = await browser.newPage();
  await page.goto(`${base}release.html`);
  await page.waitForFunction((s) => document.documentElement.dataset.engine === s, { timeout: 60000, polling: 100 }, state);
  return page;
}

async function settled(page) {
  await page.waitForFunction(() => document.querySelector('#release-working').hidden, { timeout: 60000, polling: 100 });
  return page.evaluate(() => {
    const problem = document.querySelector('#release-problem');
    return problem.hidden ? document.querySelector('#release-status').textContent : `Problem: ${problem.textContent}`;
  });
}

async function choose(page, file) {
  await (await page.$('#release-table')).uploadFile(file);
  await page.waitForFunction(() => /No row was read/.test(document.querySelector('#release-status').textContent),
    { timeout: 60000, polling: 100 });
}

// draw fills in the form and presses the button.
async function draw(page, name) {
  const fill = { 'kind-0': 'categorical', 'domain-0': 'yes, no', 'kind-1': 'integer', 'domain-1': '18, 40, 65, 120',
    dataset: 'survey', name };
  await page.evaluate((all) => {
    for (const [id, value] of Object.entries(all)) {
      const field = document.querySelector(`#release-${id}`);
      field.value = value;
      field.dispatchEvent(new Event('change'));
    }
  }, fill);
  await page.click('#release-draw');
  const said = await settled(page);
  const headline = await page.$eval('#release-headline', (e) => ({ text: e.textContent, id: e.dataset.id }));
  return { said, ...headline };
}

module.exports = async (_, { html, work, check, times }) => {
  const firefox = process.env.FIREFOX || '/usr/bin/firefox-esr';
  fs.mkdirSync(work, { recursive: true });
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath: firefox, headless: true });
  await check(`${await browser.version()}: a release, a second tab, a reload`, async () => {
    const start = performance.now();
    const file = path.join(fs.mkdtempSync(path.join(work, 'firefox-')), 'survey.csv');
    fs.writeFileSync(file, table);
    let server = await serve(html);
    const { port } = new URL(server.base);
    const page = await open(browser, server.base);
    const second = await open(browser, server.base, 'failed');
    assert.match(await second.$eval('#release-problem', (e) => e.textContent), /another tab/);
    await second.close();
    await page.bringToFront();
    await server.close();
    server.seen.length = 0;
    await choose(page, file);
    const made = await draw(page, 'survey');
    assert.match(made.said, /Save the release/);
    assert.match(made.text, /^Released/);
    assert.deepEqual(server.seen, []);
    const bytes = await page.evaluate(async () => [...(await Release.ask({ get: '/vault/survey.release.json' })).file]);
    fs.writeFileSync(`${file}.release.json`, Buffer.from(bytes));
    const shown = JSON.parse(execFileSync(native, ['show', `${file}.release.json`, '--json']));
    assert.deepEqual([shown.id, shown.randomness], [made.id, 'secure']);
    assert.equal(JSON.parse(execFileSync(native, ['verify', `${file}.release.json`, '--json'])).ok, true);
    await page.close();

    server = await serve(html, port);
    const again = await open(browser, server.base);
    await choose(again, file);
    assert.match((await draw(again, 'other')).said, /^Problem: the budget of .survey. has ε = 0 left/);
    const loaded = await draw(again, 'survey');
    assert.match(loaded.text, /^Loaded/);
    assert.equal(loaded.id, made.id);
    await again.close();
    await server.close();
    times['release in Firefox'] = performance.now() - start;
  });
  await browser.close();
};
