// The page "release": a table that never leaves it, one release under one charge whatever ends the page, and the files of
// the command line.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const { serve, ready } = require('./common.js');

const native = path.join(__dirname, '..', '..', 'build', 'bin', 'privbayes');
const rows = Array.from({ length: 400 }, (_, i) => `${i % 3 ? 'yes' : 'no'};${18 + i % 70};SECRET-${i}`);
const csv = { name: 'survey 2026.csv', mimeType: 'text/csv', buffer: Buffer.from(`answer;age;name\n${rows.join('\n')}\n`) };

// settled waits until the page is done with what it was asked, and gives what it says.
async function settled(page) {
  await page.waitForFunction(() => document.querySelector('#release-working').hidden, null, { timeout: 120000 });
  const problem = page.locator('#release-problem');
  return await problem.isVisible() ? `Problem: ${await problem.textContent()}` : page.locator('#release-status').textContent();
}
async function press(page, id) {
  await page.click(`#release-${id}`);
  return settled(page);
}
async function open(context, base) {
  const page = await context.newPage();
  await page.goto(`${base}release.html`);
  await ready(page);
  return page;
}
async function fill(page, { name = 'survey', dataset = 'survey' } = {}) {
  await page.selectOption('#release-separator', ';', { force: true });
  await settled(page);
  await page.setInputFiles('#release-table', csv);
  const said = await settled(page);
  await page.selectOption('#release-kind-0', 'categorical');
  await page.fill('#release-domain-0', 'yes, no');
  await page.selectOption('#release-kind-1', 'integer');
  await page.fill('#release-domain-1', '18, 40, 65, 120');
  await page.fill('#release-dataset', dataset);
  await page.fill('#release-name', name);
  return said;
}

// wishes are a list of results, and planOf is what the command says of it.
const wishes = `{"publication": "survey", "level": {"epsilon": 1, "delta": 1e-6}, "items": [
  {"model": {"kind": "categorical", "target": "answer"}, "within": "1pp"},
  {"model": {"kind": "mean", "target": "age"}, "within": "2%", "guess": [44, 15]}]}`;
function planOf(text, work, n) {
  const [list, schema] = ['wishes.json', 'list.schema.json'].map((name) => path.join(work, name));
  fs.writeFileSync(list, text);
  fs.writeFileSync(schema, JSON.stringify({ dataset: 'survey', unit: 'person', extra_columns: true,
    format: { separator: ';' }, columns: [{ name: 'answer', kind: 'categorical', categories: ['yes', 'no'] },
      { name: 'age', kind: 'integer', edges: [18, 40, 65, 120] }] }));
  return execFileSync(native, ['publish', list, '--plan', '--schema', schema, '--n', n], { encoding: 'utf8' }).trim();
}
const id = (page) => page.locator('#release-headline').getAttribute('data-id');

async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  await settled(page);
  return { name: download.suggestedFilename(), file: await download.path() };
}

// end to end, with the server closed before the table is chosen.
async function endToEnd(b, { html, work }) {
  const server = await serve(html);
  const context = await b.newContext({ acceptDownloads: true });
  const page = await open(context, server.base);
  await server.close();
  server.seen.length = 0;
  const errors = [];
  page.on('pageerror', (e) => errors.push(e.message));
  assert.match(await fill(page), /3 columns.*No row was read/);
  assert.equal(await page.locator('#release-columns').textContent().then((t) => /SECRET|yes/.test(t)), false);
  assert.match(await press(page, 'plan'), /No row was read/);
  assert.match(await page.textContent('#release-planned'), /two-sided geometric[^]*ε = 1/);
  assert.match(await press(page, 'draw'), /Save the release and the budget file now/);
  assert.match(await page.textContent('#release-headline'), /^Released/);
  assert.match(await page.textContent('#release-left'), /Releases charged: 1/);
  assert.match(await page.textContent('#release-ledger'), /Budget of "survey": ε = 1[^]*Geometric noise on counts/);
  assert.match(await page.textContent('#release-tables'), /Shares of answer[^]*yes/);
  const release = await saved(page, '#release-save');
  const ledger = await saved(page, '#release-save-ledger');
  assert.deepEqual([release.name, ledger.name], ['survey.release.json', 'survey.budget']);
  const folder = fs.mkdtempSync(path.join(work, 'release-'));
  for (const f of [release, ledger]) fs.copyFileSync(f.file, path.join(folder, f.name));
  const said = (...args) => JSON.parse(execFileSync(native, [...args, '--json'], { cwd: folder }));
  assert.equal(said('verify', release.name).ok, true);
  const shown = said('show', release.name);
  assert.deepEqual([shown.id, shown.randomness], [await id(page), 'secure']);
  assert.equal(said('budget', ledger.name).charges[0].id, shown.id);
  assert.match(await press(page, 'intervals'), /Intervals are below/);
  assert.match(await page.textContent('#release-used'), /population/);
  await page.fill('#release-rows', '50');
  const synthetic = fs.readFileSync((await saved(page, '#release-synthesize')).file, 'utf8');
  assert.match(synthetic, /^answer,age\n((yes|no),\d+\n){50}$/);
  assert.match(await page.textContent('#release-caution'), /One synthetic set/);
  assert.match(fs.readFileSync((await saved(page, '#release-report')).file, 'utf8'), /^<!DOCTYPE html>[^]*Privacy report/);
  assert.match(await press(page, 'advise'), /No row was read/);
  assert.match(await page.textContent('#release-planned'), /recommended/);
  await page.click('summary:text("Plan several results as one")');
  await page.fill('#release-wishes', wishes);
  assert.match(await press(page, 'plan-list'), /No row was read/);
  assert.equal((await page.textContent('#release-planned')).trim(), planOf(wishes, work, await page.inputValue('#release-n')));
  await page.fill('#release-wishes', wishes.replace('"1pp"', '"1 per cent"'));
  assert.match(await press(page, 'plan-list'), /^Problem: .*percentage points/);
  assert.equal(await page.isHidden('#release-planned'), true);
  const schema = await saved(page, '#release-save-schema');
  await page.setInputFiles('#release-schema', schema.file);
  assert.match(await settled(page), /is used/);
  assert.equal(await page.isHidden('#release-kind-0'), true);
  await press(page, 'plan');
  assert.match(await page.textContent('#release-planned'), /naive Bayes of "answer"/);
  assert.deepEqual([errors, server.seen], [[], []]);
  return { context, folder, first: shown.id };
}

// fixed is a server of the site on one port, so that the same origin can be closed and opened again, with a script that
// may be changed.
async function fixed(html, work, change) {
  const root = fs.mkdtempSync(path.join(work, 'site-'));
  fs.cpSync(html, root, { recursive: true, filter: (f) => !/notebooks|api|bench/.test(path.relative(html, f)) });
  if (change) {
    const script = path.join(root, '_static', 'log.js');
    fs.writeFileSync(script, change(fs.readFileSync(script, 'utf8')));
  }
  const server = await serve(root);
  return { ...server, root, close: () => server.close().then(() => fs.rmSync(root, { recursive: true })) };
}

// another tries a second release of the same data, which must be refused.
async function another(page) {
  await fill(page, { name: 'other' });
  assert.match(await press(page, 'draw'), /^Problem: the budget of .survey. has ε = 0 left/);
}

// death lets the worker stop for ever after the flush of that number of a release.
const flushes = 'attempt(() => handle.flush());';
const death = (text) => {
  assert.ok(text.includes(flushes));
  return text.replace(flushes, `${flushes}
      globalThis.flushes = (globalThis.flushes ?? 0) + 1;
      new BroadcastChannel('flushes').postMessage(globalThis.flushes);
      if (globalThis.flushes === globalThis.diesAt) for (;;);`)
    .replace("'use strict';", `'use strict';
new BroadcastChannel('dies').onmessage = (e) => { globalThis.flushes = 0; globalThis.diesAt = e.data; };`);
};

module.exports = async (b, { html, work, check, times }) => {
  fs.mkdirSync(work, { recursive: true });
  let first;
  await check('a table becomes a release, with the server closed; the command line takes the files', async () => {
    const start = performance.now();
    first = await endToEnd(b, { html, work });
    await first.context.close();
    times['release end to end'] = performance.now() - start;
  });

  await check('a second tab is refused; a reload keeps the ledger; a saved ledger counts in another profile', async () => {
    const server = await serve(html);
    const context = await b.newContext({ acceptDownloads: true });
    let page = await open(context, server.base);
    await fill(page);
    await press(page, 'draw');
    const made = await id(page);
    const second = await context.newPage();
    await second.goto(`${server.base}release.html`);
    await second.waitForFunction(() => document.documentElement.dataset.engine === 'failed');
    assert.match(await second.textContent('#release-problem'), /another tab/);
    assert.equal(await second.isDisabled('#release-draw'), true);
    await second.close();
    await page.reload();
    await ready(page);
    await another(page); // before the first is loaded, which would record it again
    await page.fill('#release-name', 'survey');
    await press(page, 'draw');
    assert.match(await page.textContent('#release-headline'), /^Loaded/);
    assert.equal(await id(page), made);
    await page.fill('#release-flag-epsilon', '0.5');
    assert.match(await press(page, 'draw'), /^Problem: /);
    const ledger = await saved(page, '#release-files li:has-text("survey.budget") button');
    const bytes = fs.readFileSync(ledger.file);
    await context.close();

    const elsewhere = await b.newContext();
    page = await open(elsewhere, server.base);
    await page.setInputFiles('#release-open', { name: 'a.budget', mimeType: 'text/plain', buffer: bytes });
    assert.match(await settled(page), /survey.budget is in this browser/);
    await another(page);
    const lines = bytes.toString().split('\n');
    await page.setInputFiles('#release-open', { name: 'a.budget', mimeType: 'text/plain', buffer: Buffer.from(`${lines[0]}\n`) });
    await settled(page); // an older state of it: the longer one counts
    await another(page);
    const forged = bytes.toString().replace(/"id":"[0-9a-f]{4}/, '"id":"0123');
    await page.setInputFiles('#release-open', { name: 'a.budget', mimeType: 'text/plain', buffer: Buffer.from(forged) });
    assert.match(await settled(page), /^Problem: .*another file/);
    await elsewhere.close();
    await server.close();
  });

  await check('a table or a schema that cannot be read is not shown, and leaves no earlier one in its place', async () => {
    const server = await serve(html);
    const context = await b.newContext();
    const page = await open(context, server.base);
    await fill(page);
    for (const text of ['SECRET-7;no', '{"SECRET-7": 1}', '{"columns": [{"name": "a"}], "dataset": 7}']) {
      await page.setInputFiles('#release-schema', { name: 's.json', mimeType: 'text/plain', buffer: Buffer.from(text) });
      assert.match(await settled(page), /^Problem: s.json: want a schema file/);
      assert.doesNotMatch(await page.textContent('#release'), /SECRET/);
      assert.equal(await page.isVisible('#release-kind-0'), true);
    }
    await page.setInputFiles('#release-schema', []);
    await settled(page);
    const broken = Buffer.from('answer;answer;7\nSECRET-8;1;2\n');
    await page.setInputFiles('#release-table', { ...csv, buffer: broken });
    assert.match(await settled(page), /^Problem: /);
    assert.match(await press(page, 'draw'), /^Problem: choose the table first/);
    assert.doesNotMatch(await page.textContent('#release'), /SECRET/);
    await context.close();
    await server.close();
  });

  await check('tables, regressions and quantiles, at ε and δ, from the flags of the program', async () => {
    const server = await serve(html);
    const context = await b.newContext();
    const page = await open(context, server.base);
    const list = JSON.parse(execFileSync(native, ['flags', '--json']));
    const flags = list.find((c) => c.command === 'plan').flags;
    const offered = await page.$$eval('#release-flag-model option', (all) => all.map((o) => o.value).filter(Boolean));
    assert.deepEqual(offered, flags.find((f) => f.name === 'model').choices);
    for (const name of ['range', 'alpha', 'adjacency', 'resolution', 'rho', 'by-unit']) {
      assert.equal(await page.locator(`#release-flag-${name}`).count(), 1, name);
    }
    await fill(page, { name: 'table' });
    await page.fill('#release-limit-epsilon', '4');
    await page.fill('#release-limit-delta', '1e-6');
    await page.selectOption('#release-flag-table', ['answer', 'age']);
    assert.equal(await page.isDisabled('#release-flag-target'), true); // the table stands in its place
    assert.match(await press(page, 'draw'), /Save the release/);
    assert.match(await page.textContent('#release-tables'), /answer[^]*age/);
    await page.selectOption('#release-flag-table', []);
    await page.fill('#release-flag-formula', 'age ~ answer');
    assert.equal(await page.isDisabled('#release-flag-table'), true);
    assert.deepEqual(await page.$$eval('#release-flag-model option:not([disabled])', (all) => all.map((o) => o.value)),
      ['', ...flags.find((f) => f.name === 'formula').models]);
    await page.fill('#release-flag-delta', '1e-7');
    await page.fill('#release-name', 'line');
    await press(page, 'plan');
    assert.match(await page.textContent('#release-planned'), /linear regression "age ~ answer"[^]*δ = 1e-0?7/);
    assert.match(await press(page, 'draw'), /Save the release/);
    assert.match(await page.textContent('#release-left'), /Releases charged: 2/);
    await page.fill('#release-flag-formula', '');
    await page.fill('#release-flag-delta', '');
    await page.selectOption('#release-flag-model', 'quantiles');
    await page.selectOption('#release-flag-target', 'age');
    await page.click('#release summary:has-text("More")');
    await page.fill('#release-flag-at', '.25,.5');
    await page.fill('#release-name', 'quartiles');
    assert.match(await press(page, 'draw'), /Save the release/);
    await page.selectOption('#release-flag-mechanism', 'moments'); // of another model: the program says so
    assert.match(await press(page, 'plan'), /^Problem: /);
    await context.close();
    await server.close();
  });

  await check('a column with a comma in its name can be asked about', async () => {
    const server = await serve(html);
    const context = await b.newContext();
    const page = await open(context, server.base);
    await page.setInputFiles('#release-table', { ...csv, buffer: Buffer.from('"a, b",c,d\nx,y,x\ny,x,y\n') });
    await settled(page);
    for (const i of [0, 1, 2]) {
      await page.selectOption(`#release-kind-${i}`, 'categorical');
      await page.fill(`#release-domain-${i}`, 'x, y');
    }
    await page.selectOption('#release-flag-target', 'd');
    await page.selectOption('#release-flag-features', ['a, b']);
    assert.match(await press(page, 'draw'), /Save the release/);
    const shown = await page.textContent('#release-tables');
    assert.match(shown, /a, b/);
    assert.doesNotMatch(shown, /\bc\b/);
    await context.close();
    await server.close();
  });

  await check('a plan that is stopped leaves nothing; a release says whether it was charged, and is ended later', async () => {
    const server = await fixed(html, work, death);
    const seen = new Set();
    for (const at of [2, 3, 4, 6]) {
      const context = await b.newContext();
      const page = await open(context, server.base);
      await fill(page);
      await page.click('#release-advise');
      await page.click('#release-cancel');
      assert.match(await settled(page), /^Stopped. Nothing was released, and no budget was used/);
      assert.match(await press(page, 'plan'), /No row was read/);
      await page.evaluate((n) => {
        globalThis.counted = 0;
        new BroadcastChannel('flushes').onmessage = (e) => { globalThis.counted = e.data; };
        new BroadcastChannel('dies').postMessage(n);
      }, at);
      await page.click('#release-draw');
      await page.waitForFunction((n) => globalThis.counted === n, at, { timeout: 120000 });
      await page.click('#release-cancel');
      const said = await settled(page);
      const { out } = await page.evaluate(() => Release.run(['budget', '/vault/survey.budget', '--json']));
      const charged = JSON.parse(out).charges?.length ?? 0;
      assert.match(said, charged ? /^Stopped after the budget was charged/ : /^Stopped before the budget was charged/);
      seen.add(charged);
      assert.match(await press(page, 'draw'), /Save the release/);
      assert.match(await page.textContent('#release-left'), /Releases charged: 1/);
      await another(page);
      await context.close();
    }
    assert.deepEqual([...seen].sort(), [0, 1]);
    await server.close();
  });

  await check('another table has its own names; a new budget beside others is asked about', async () => {
    const server = await serve(html);
    const context = await b.newContext();
    const page = await open(context, server.base);
    await fill(page);
    await press(page, 'draw');
    await page.setInputFiles('#release-table', { ...csv, name: 'visits.csv' });
    await settled(page);
    assert.deepEqual([await page.inputValue('#release-dataset'), await page.inputValue('#release-name')], ['visits', 'visits']);
    await page.fill('#release-dataset', 'mine');
    await page.selectOption('#release-encoding', 'latin-1', { force: true }); // the same table, read again
    await settled(page);
    assert.equal(await page.inputValue('#release-dataset'), 'mine');
    await page.selectOption('#release-kind-0', 'categorical');
    await page.fill('#release-domain-0', 'yes, no');
    assert.match(await press(page, 'draw'), /^Problem: there is no budget of "mine" in this browser, but of survey.budget/);
    assert.doesNotMatch(await page.textContent('#release-files'), /mine/);
    await page.check('#release-other');
    assert.match(await press(page, 'draw'), /Save the release/);
    assert.equal(await page.isHidden('#release-begin'), true);
    await page.fill('#release-dataset', 'third');
    assert.match(await press(page, 'draw'), /^Problem: there is no budget of "third"/);
    await context.close();
    await server.close();
  });

  await check('a storage that is full says what to do; after a reload there is one release under one charge', async () => {
    const [append, full] = ['attempt(() => put(handle', "if (globalThis.full && what.op === 'write') throw new Error('full');"];
    const server = await fixed(html, work, (text) => text.replace(append, `${full}\n      ${append}`)
      .replace("'use strict';", "'use strict'; new BroadcastChannel('full').onmessage = () => { globalThis.full = true; };"));
    const context = await b.newContext();
    let page = await open(context, server.base);
    await fill(page);
    await page.evaluate(() => new BroadcastChannel('full').postMessage(1));
    assert.match(await press(page, 'draw'), /^Problem: .*Give it space, and reload the page/);
    await page.close();
    page = await open(context, server.base);
    await fill(page);
    assert.match(await press(page, 'draw'), /Save the release/);
    assert.match(await page.textContent('#release-left'), /Releases charged: 1/);
    await another(page);
    await context.close();
    await server.close();
  });

  await check('dead after each flush: one release under one charge', async () => {
    const start = performance.now();
    const server = await fixed(html, work, death);
    let deaths = 0;
    for (let at = 1; ; at++) {
      const context = await b.newContext();
      let page = await open(context, server.base);
      await fill(page);
      await page.evaluate((n) => {
        globalThis.counted = 0;
        new BroadcastChannel('flushes').onmessage = (e) => { globalThis.counted = e.data; };
        new BroadcastChannel('dies').postMessage(n);
      }, at);
      await page.click('#release-draw');
      const dead = await page.waitForFunction((n) => globalThis.counted === n ? 'dead' :
        document.querySelector('#release-working').hidden && 'done', at, { timeout: 120000 }).then((h) => h.jsonValue());
      if (dead === 'done') {
        assert.match(await settled(page), /Save the release/);
        await context.close();
        break;
      }
      await page.close();
      page = await open(context, server.base);
      await fill(page);
      assert.match(await press(page, 'draw'), /Save the release/);
      assert.match(await page.textContent('#release-left'), /Releases charged: 1/);
      await another(page);
      await context.close();
      deaths++;
    }
    times['deaths in the browser'] = performance.now() - start;
    assert.ok(deaths >= 7, `${deaths} deaths`);
    await server.close();
  });

  await check('randomness that repeats itself, or fails, gives no release in a worker', async () => {
    for (const f of ['(b) => b.fill(7)', "() => { throw new Error('no randomness'); }"]) {
      const server = await fixed(html, work, (text) => `crypto.getRandomValues = ${f};\n${text}`);
      const context = await b.newContext();
      const page = await context.newPage();
      await page.goto(`${server.base}release.html`);
      await page.waitForFunction(() => document.documentElement.dataset.engine);
      if (await page.isEnabled('#release-draw')) { // Go itself does not begin without randomness
        await fill(page);
        assert.match(await press(page, 'draw'), /^Problem: .*repeats itself/);
        assert.doesNotMatch(await page.textContent('#release-files'), /release.json/);
      } else {
        assert.match(await page.textContent('#release-problem'), /Nothing can be released here: no randomness/);
      }
      await context.close();
      await server.close();
    }
  });

  await check('a program that is not that of the page does not run; nothing is sent elsewhere', async () => {
    const server = await fixed(html, work);
    const module = path.join(server.root, '_static', 'privbayes.wasm.gz');
    const context = await b.newContext();
    const page = await open(context, server.base);
    for (const url of ['http://127.0.0.1:9/x?row=1', 'https://example.org/']) {
      assert.equal(await page.evaluate((u) => fetch(u).then(() => 'sent', () => 'refused'), url), 'refused');
    }
    fs.copyFileSync(path.join(server.root, '_static', 'planner.wasm.gz'), module);
    const changed = await context.newPage();
    await changed.goto(`${server.base}release.html`);
    await changed.waitForFunction(() => document.documentElement.dataset.engine === 'failed');
    await context.close();
    await server.close();
  });

  await check('100 MB of CSV', async () => {
    const server = await serve(html);
    const context = await b.newContext();
    const page = await open(context, server.base);
    await fill(page, { name: 'large', dataset: 'large' });
    const file = path.join(work, 'large.csv');
    const text = `answer;age;name\n${rows.map((r) => `${r}-${'x'.repeat(30)}`).join('\n')}\n`;
    const body = text.slice(text.indexOf('\n') + 1);
    fs.writeFileSync(file, text.slice(0, text.indexOf('\n') + 1));
    for (const most = 100e6; fs.statSync(file).size < most;) fs.appendFileSync(file, body.repeat(200));
    await page.setInputFiles('#release-table', file);
    await settled(page);
    await page.selectOption('#release-kind-0', 'categorical');
    await page.fill('#release-domain-0', 'yes, no');
    await page.selectOption('#release-kind-1', 'integer');
    await page.fill('#release-domain-1', '18, 40, 65, 120');
    const start = performance.now();
    assert.match(await press(page, 'draw'), /Save the release/);
    times['release of 100 MB'] = performance.now() - start;
    const memory = Number(await page.evaluate(() => document.documentElement.dataset.memory));
    assert.ok(memory < 100 * 2 ** 20, `${memory} bytes`);
    fs.unlinkSync(file);
    await context.close();
    await server.close();
  });

  await check('the program is at most 6 MB as it is sent', () => {
    const { size } = fs.statSync(path.join(html, '_static', 'privbayes.wasm.gz'));
    times['program, bytes'] = size;
    assert.ok(size <= 6.1e6, `${size} bytes`);
  });
};
