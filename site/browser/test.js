// The pages in a browser: node site/browser/test.js HTML-FOLDER RELEASES-FOLDER. What it prints at the end are times.
// RELEASES-FOLDER holds release files; good.release.json among them is drawn without a seed. Every check runs; the first
// failure of each is told, and the exit status says whether there was one.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const { serve, browser } = require('./common.js');

const [html, releases, work] = process.argv.slice(2).map((p) => path.resolve(p));
const repository = path.resolve(__dirname, '..', '..');
const times = {};
const failures = [];

async function check(name, run) {
  const start = performance.now();
  try {
    await run();
    console.log(`ok   ${name} (${Math.round(performance.now() - start)} ms)`);
  } catch (e) {
    failures.push(name);
    console.log(`FAIL ${name}: ${e.stack || e}`);
  }
}

const ready = (page) => page.waitForFunction(() => document.documentElement.dataset.engine === 'ready');

// verdict drops a file on the page and waits for what it says of it.
async function verdict(page, name, bytes) {
  await page.setInputFiles('#verify-file', { name, mimeType: 'application/json', buffer: Buffer.from(bytes) });
  await page.waitForFunction((n) => {
    const file = document.querySelector('.pb-verdict .pb-file');
    return file && file.textContent.startsWith(n);
  }, name, { timeout: 120000 });
  return page.evaluate(() => {
    const box = document.querySelector('.pb-verdict');
    return { outcome: box.dataset.outcome, ms: Number(box.dataset.ms), text: box.innerText,
      lines: box.querySelectorAll('.pb-checks > li').length, bad: box.querySelectorAll('.pb-bad').length,
      links: [...box.querySelectorAll('a')].map((a) => a.getAttribute('href')),
      focus: document.activeElement && document.activeElement.id };
  });
}

async function verifying(b) {
  const server = await serve(html);
  const context = await b.newContext();
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (e) => errors.push(String(e)));
  const start = performance.now();
  await page.goto(`${server.base}verify.html`);
  await ready(page);
  times['verify page ready, cold'] = performance.now() - start;
  const left = [];
  page.on('request', (r) => {
    if (!r.url().startsWith('blob:')) left.push(r.url());
  });
  await server.close(); // from here on there is no server: whatever the page does, it does alone
  const good = fs.readFileSync(path.join(releases, 'good.release.json'), 'utf8');

  await check('a good release verifies without a server', async () => {
    const v = await verdict(page, 'good.release.json', good);
    assert.equal(v.outcome, 'verified', v.text);
    assert.equal(v.bad, 0);
    assert.ok(v.lines >= 3);
    assert.equal(v.links.length, v.lines);
    for (const link of v.links) {
      const [file, anchor] = link.split('#');
      assert.match(fs.readFileSync(path.join(html, file), 'utf8'), new RegExp(`id="${anchor}"`), link);
    }
    assert.equal(v.focus, 'pb-headline', 'the verdict has the focus');
    assert.ok(!v.text.includes('seeded'));
  });

  const wrong = {
    'an edited certificate': [good.replace('"value": 18', '"value": 10'), 'failed', /differs from the derived/, 1],
    'an edited count': [good.replace(/("counts": \[\s*)([0-9.]+)/, '$1999'), 'failed', /follows from plan and draw/, 1],
    'an edited guarantee': [good.replace('"epsilon": 1', '"epsilon": 0.5'), 'failed', /guarantee|target/i],
    'halved noise': [good.replace('"den": 32', '"den": 16'), 'failed', /cannot meet/],
    'a forged check': [good.replace('"checks": [', '"checks": [{"statement": "all is well", "source": "", "method": ' +
      '"closed form", "kind": "x", "params": {}, "value": 0, "bound": 1, "scope": "all"},'), 'failed', /not the check/],
    'a check left out': [(() => {
      const f = JSON.parse(good);
      f.certificate.checks.pop();
      return JSON.stringify(f);
    })(), 'failed', /leaves this check out/],
    'a field twice': [good.replace('"format"', '"library": "x",\n "format"'), 'failed', /follows|twice/],
    'a cut file': [good.slice(0, good.length / 2), 'unreadable', /cut/],
    'an empty file': ['', 'unreadable', /empty/],
    'a picture': [Buffer.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 0]), 'unreadable', /no JSON/],
    'a table': ['a,b\n1,2\n', 'unreadable', /no JSON/],
    'a schema': ['{"dataset": "x", "columns": []}', 'unreadable', /schema/],
    'a notebook': ['{"cells": [], "nbformat": 4}', 'unreadable', /notebook/],
    'other JSON': ['{"a": 1}', 'unreadable', /something else/],
    'a later version': [good.replace('privbayes-release-2', 'privbayes-release-9'), 'unreadable', /another version/],
    'a file of 40 MiB': [Buffer.alloc(40 << 20, 32), 'too large', /command line/],
    'a script as a name': [good.replaceAll('member of Congress', '<img src=x onerror=alert(1)>'), 'verified', /<img/],
  };
  for (const [name, [bytes, outcome, words, bad]] of Object.entries(wrong)) {
    await check(name, async () => {
      if (typeof bytes === 'string' && outcome !== 'unreadable') assert.notEqual(bytes, good, 'the edit changes something');
      const v = await verdict(page, `${name.replaceAll(' ', '-')}.json`, bytes);
      assert.equal(v.outcome, outcome, v.text);
      assert.match(v.text, words);
      if (bad) assert.equal(v.bad, bad, v.text);
      assert.equal(await page.evaluate(() => document.querySelectorAll('.pb-verdict img').length), 0);
    });
  }

  await check('a model that takes too much is refused before it is worked on', async () => {
    const f = JSON.parse(good);
    for (const c of f.plan.shape.schema.columns) c.categories = Array.from({ length: 60000 }, (_, i) => String(i));
    const v = await verdict(page, 'huge.json', JSON.stringify(f));
    assert.notEqual(v.outcome, 'verified');
    assert.ok(v.ms < 20000, `${v.ms} ms`);
  });

  const seen = {};
  const files = fs.readdirSync(releases).filter((f) => f !== 'good.release.json').sort();
  await check(`${files.length} releases verify, those of every mechanism, and say that they were seeded`, async () => {
    for (const f of files) {
      const v = await verdict(page, f, fs.readFileSync(path.join(releases, f)));
      assert.equal(v.outcome, 'verified', `${f}: ${v.text}`);
      assert.match(v.text, /not private/, f);
      seen[f] = v.ms;
    }
    const sorted = Object.entries(seen).sort((a, b) => b[1] - a[1]);
    const ms = sorted.map((x) => x[1]).sort((a, b) => a - b);
    times['verify, median of the releases'] = ms[ms.length >> 1];
    for (const [f, t] of sorted.slice(0, 3)) times[`verify ${f}`] = t;
  });

  await check('a verification can be cancelled, and the page goes on without a server', async () => {
    const slowest = Object.entries(seen).sort((a, b) => b[1] - a[1])[0][0];
    await page.setInputFiles('#verify-file', { name: 'slow.json', mimeType: 'application/json',
      buffer: fs.readFileSync(path.join(releases, slowest)) });
    await page.waitForSelector('#verify-cancel:not([hidden])');
    await page.click('#verify-cancel');
    await page.waitForFunction(() => document.getElementById('verify-status').textContent.startsWith('Cancelled'));
    const v = await verdict(page, 'again.json', good);
    assert.equal(v.outcome, 'verified');
  });

  await check('nothing left the page', () => {
    assert.deepEqual(left, []);
    assert.deepEqual(errors, []);
    assert.ok(server.seen.every((r) => r.method === 'GET'));
  });
  await context.close();
}

async function planning(b) {
  const server = await serve(html);
  const context = await b.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (e) => errors.push(String(e)));
  let start = performance.now();
  await page.goto(`${server.base}plan.html`);
  await ready(page);
  times['plan page ready, cold'] = performance.now() - start;
  await page.waitForFunction(() => document.documentElement.dataset.curve, null, { timeout: 60000 });
  times['first plan and curve'] = performance.now() - start;
  await server.close();
  const answer = () => page.textContent('#plan-answer');

  // run gives what the command line says to a command of the page, in a folder with the schema of the page.
  function run(command, folder = repository) {
    const words = execFileSync('bash', ['-c', `for w in "$@"; do :; done; printf '%s\\0' ${command}`], { encoding: 'utf8' });
    const [program, ...args] = words.split('\0').filter(Boolean);
    assert.equal(program, 'privbayes');
    return JSON.parse(execFileSync(path.join(repository, 'build/bin/privbayes'), [...args, '--json'],
      { cwd: folder, encoding: 'utf8' }));
  }

  const settled = () => page.waitForFunction(() => document.getElementById('plan-command').textContent !== '' &&
    document.documentElement.dataset.curve);

  await check('the tour\'s table is planned at once, as on the command line', async () => {
    await settled();
    await page.selectOption('#plan-mechanism', { label: 'Geometric noise on counts' });
    await page.waitForFunction(() => document.getElementById('plan-command').textContent.includes('geometric'));
    const plan = run(await page.textContent('#plan-command'));
    assert.equal(plan.plan.mechanism, 'geometric');
    assert.equal(plan.expected['absolute error of a proportion'].toPrecision(3),
      (await answer()).match(/probability: ([0-9.]+)/)[1].padEnd(6, '0').slice(0, 6).replace(/0+$/, ''));
    assert.match(await answer(), /1-DP, replace-one/);
  });

  await check('the slider moves the plan, by keys', async () => {
    const before = await answer();
    await page.focus('#plan-slider');
    start = performance.now();
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction((was) => document.getElementById('plan-answer').textContent !== was, before);
    times['plan after a key on the slider'] = performance.now() - start;
    assert.match(await page.getAttribute('#plan-slider', 'aria-valuetext'), /ε = 0\.89/);
    assert.match(await answer(), /ε = 0\.89/);
    await page.fill('#plan-level', '1');
    await page.dispatchEvent('#plan-level', 'change');
    await page.waitForFunction(() => document.getElementById('plan-answer').textContent.includes('ε = 1.'));
  });

  await check('all mechanisms, as rows that appear', async () => {
    start = performance.now();
    await page.click('#plan-compare');
    await page.waitForSelector('#plan-rows tr');
    times['first row of the comparison'] = performance.now() - start;
    await page.waitForFunction(() => document.documentElement.dataset.compared, null, { timeout: 120000 });
    times['whole comparison'] = performance.now() - start;
    const rows = await page.locator('#plan-rows tr').count();
    assert.equal(rows, await page.locator('#plan-mechanism option').count());
    assert.equal(await page.locator('#plan-rows tr.pb-best').count(), 1);
    assert.ok(await page.locator('#plan-rows .pb-refused').count() > 0, 'what does not apply says why');
  });

  await check('a row is planned with its choice, in Go', async () => {
    const best = await page.evaluate(() => document.documentElement.dataset.compared);
    await page.click('#plan-rows tr.pb-best button');
    await page.waitForFunction((m) => document.getElementById('plan-mechanism').value === m, best);
  });

  await check('a comparison can be cancelled', async () => {
    await page.click('#plan-compare');
    await page.click('#plan-cancel');
    await page.waitForFunction(() => document.getElementById('plan-status').textContent.startsWith('Cancelled'));
  });

  await check('backwards: the ε and the n of an error', async () => {
    await page.selectOption('#plan-mechanism', { label: 'Geometric noise on counts' });
    for (const [button, value] of [['#plan-solve-level', 0.02], ['#plan-solve-n', 0.005]]) {
      await page.fill('#plan-error', String(value));
      await page.evaluate(() => delete document.documentElement.dataset.solved);
      start = performance.now();
      await page.click(button);
      await page.waitForFunction(() => document.documentElement.dataset.solved, null, { timeout: 60000 });
      times[`backwards, ${button}`] = performance.now() - start;
      const reached = Number((await page.textContent('#plan-status')).match(/error of ([0-9.e-]+)/)[1]);
      assert.ok(reached <= value * 1.001 && reached > value * 0.95, `${reached} for ${value}`);
    }
  });

  await check('the link holds the question', async () => {
    await page.waitForTimeout(300);
    const again = await context.newPage();
    const second = await serve(html);
    const url = new URL(page.url());
    await again.goto(second.base + `plan.html${url.hash}`);
    await ready(again);
    await again.waitForFunction(() => document.getElementById('plan-command').textContent !== '');
    for (const id of ['n', 'level', 'mechanism', 'choice', 'model', 'column']) {
      assert.equal(await again.inputValue(`#plan-${id}`), await page.inputValue(`#plan-${id}`), id);
    }
    await second.close();
    await again.close();
  });

  await check('copies: the Go code compiles, the command parses, for every model and notion', async () => {
    fs.rmSync(work, { recursive: true, force: true });
    fs.mkdirSync(work, { recursive: true });
    fs.writeFileSync(path.join(work, 'odd.schema.json'), JSON.stringify({ dataset: 'odd one', columns: [
      { name: 'it\'s "a" $b', kind: 'categorical', categories: ['no', 'yes'] },
      { name: 'group', kind: 'categorical', categories: ['x', 'y', 'z'] },
      { name: 'count', kind: 'integer', edges: [0, 1, 2, 5] }, { name: 'size', kind: 'real', edges: [0, 1, 4] }] }));
    await page.selectOption('#plan-table', 'file');
    await page.setInputFiles('#plan-file', path.join(work, 'odd.schema.json'));
    await page.waitForFunction(() => document.getElementById('plan-column').options.length === 4);
    await page.fill('#plan-n', '500');
    await page.dispatchEvent('#plan-n', 'change');
    const programs = new Set();
    const commands = new Set();
    for (const column of [0, 2, 3]) {
      await page.selectOption('#plan-column', { index: column });
      await page.waitForTimeout(250);
      const kinds = await page.$$eval('#plan-model option', (list) => list.filter((o) => !o.disabled).map((o) => o.value));
      for (const kind of kinds) {
        await page.evaluate(() => { document.getElementById('plan-command').textContent = ''; });
        await page.selectOption('#plan-model', kind);
        await page.dispatchEvent('#plan-model', 'change');
        await page.waitForFunction((k) => document.getElementById('plan-command').textContent.includes(`--model ${k}`), kind,
          { timeout: 60000 }).catch(() => {
          throw new Error(`no command for ${kind} of column ${column}`);
        });
        programs.add(await page.textContent('#plan-go'));
        commands.add(await page.textContent('#plan-command'));
      }
    }
    for (const notion of ['approx', 'zcdp', 'tcdp', 'renyi', 'pure']) {
      await page.evaluate(() => { document.getElementById('plan-command').textContent = ''; });
      await page.selectOption('#plan-notion', notion);
      await page.waitForFunction(() => document.getElementById('plan-command').textContent !== '' ||
        !document.getElementById('plan-problem').hidden, null, { timeout: 60000 });
      const command = await page.textContent('#plan-command');
      if (command) {
        commands.add(command);
        programs.add(await page.textContent('#plan-go'));
      }
    }
    assert.ok(commands.size >= 18, `${commands.size} commands`);
    let k = 0;
    for (const text of programs) {
      const dir = path.join(work, `p${k++}`);
      fs.mkdirSync(dir);
      fs.writeFileSync(path.join(dir, 'main.go'), text);
    }
    execFileSync('go', ['vet', `./${path.relative(repository, work)}/...`], { cwd: repository, stdio: 'pipe' });
    const formatted = execFileSync('gofmt', ['-l', work], { encoding: 'utf8' });
    assert.equal(formatted, '', 'gofmt');
    for (const command of commands) run(command, work);
    times['programs compiled'] = programs.size;
    times['commands run'] = commands.size;
  });

  await check('the code is copied', async () => {
    await page.click('#plan-copy-go');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await page.textContent('#plan-go'));
    assert.match(await page.textContent('#plan-copied'), /copied/);
  });

  await check('what is wrong is said', async () => {
    await page.setInputFiles('#plan-file', { name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') });
    await page.waitForFunction(() => /not needed here/.test(document.getElementById('plan-problem').textContent));
    await page.setInputFiles('#plan-file', { name: 's.json', mimeType: 'application/json',
      buffer: Buffer.from('{"dataset": "x", "columns": [{"name": "a", "kind": "colour"}]}') });
    await page.waitForFunction(() => /colour/.test(document.getElementById('plan-problem').textContent));
    await page.selectOption('#plan-table', 'levels');
    await page.fill('#plan-n', '0');
    await page.dispatchEvent('#plan-n', 'change');
    await page.waitForFunction(() => /number of records/.test(document.getElementById('plan-problem').textContent));
  });

  await check('no error on the page', () => assert.deepEqual(errors, []));
  await context.close();
}

(async () => {
  const b = await browser();
  try {
    await verifying(b);
    await planning(b);
    await require('./pages.js')(b, html, check, times);
  } finally {
    await b.close();
  }
  for (const [what, value] of Object.entries(times)) console.log(`${what}: ${Math.round(value)}`);
  if (failures.length) {
    console.log(`${failures.length} failed: ${failures.join('; ')}`);
    process.exit(1);
  }
})().catch((e) => {
  console.error(e);
  process.exit(2);
});
