// The page that plans, against the command line and the compiler.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const { serve, ready } = require('./common.js');

const repository = path.resolve(__dirname, '..', '..');

module.exports = async (b, { html, work, check, times }) => {
  const server = await serve(html);
  const context = await b.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  context.setDefaultTimeout(300000);
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (e) => errors.push(String(e)));
  let start = performance.now();
  await page.goto(`${server.base}plan.html`);
  await ready(page);
  times['plan page ready, cold'] = performance.now() - start;
  await page.waitForFunction(() => document.documentElement.dataset.curve, null, { timeout: 300000 });
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
      (await answer()).match(/share of all records: ([0-9.]+)/)[1].padEnd(6, '0').slice(0, 6).replace(/0+$/, ''));
    assert.match(await answer(), /ε = 1, replace-one/);
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

  await check('a wrong input empties the answer and says why, and a right one answers again', async () => {
    const shown = async () => (await answer()) + (await page.textContent('#plan-result')) +
      (await page.textContent('#plan-command')) + (await page.textContent('#plan-go'));
    const n = await page.inputValue('#plan-n');
    await page.selectOption('#plan-notion', 'approx');
    for (const [id, good, wrong] of [['#plan-level', '1', ['-1', '0', '', '1e999']], ['#plan-n', n, ['1.5', '0', '-3', '']],
      ['#plan-delta', '0.000001', ['2', '1', '0', '-1', '']], ['#plan-range', '', ['10,1', '1', 'a,b', '-1,2']]]) {
      for (const value of wrong) {
        await page.evaluate(([field, text]) => {
          const e = document.querySelector(field);
          e.value = text;
          e.dispatchEvent(new Event('change', { bubbles: true }));
        }, [id, value]);
        await page.waitForFunction((field) => document.querySelector(field).getAttribute('aria-invalid') === 'true', id);
        assert.equal(await shown(), '', `${id} = ${value}`);
        assert.match(await page.textContent('#plan-problem'), /want/);
      }
      await page.evaluate(([field, text]) => {
        const e = document.querySelector(field);
        e.value = text;
        e.dispatchEvent(new Event('change', { bubbles: true }));
      }, [id, good]);
      await page.waitForFunction(() => document.getElementById('plan-answer').textContent.includes('Guarantee'));
      assert.equal(await page.getAttribute(id, 'aria-invalid'), null);
      assert.equal(await page.isHidden('#plan-problem'), true);
    }
    await page.selectOption('#plan-notion', 'pure');
    await page.waitForFunction(() => document.getElementById('plan-answer').textContent.includes('Guarantee: ε = 1'));
  });

  await check('all mechanisms, as rows that appear', async () => {
    start = performance.now();
    await page.click('#plan-compare');
    await page.waitForSelector('#plan-rows tr');
    times['first row of the comparison'] = performance.now() - start;
    await page.waitForFunction(() => document.documentElement.dataset.compared, null, { timeout: 300000 });
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
      await page.waitForFunction(() => document.documentElement.dataset.solved, null, { timeout: 300000 });
      times[`backwards, ${button}`] = performance.now() - start;
      const reached = Number((await page.textContent('#plan-status')).match(/error of ([0-9.e-]+),/)[1]);
      assert.ok(reached <= value * 1.001 && reached > value * 0.95, `${reached} for ${value}`);
    }
  });

  await check('the link holds the question', async () => {
    const n = await page.inputValue('#plan-n');
    await page.waitForFunction((k) => new URLSearchParams(location.hash.slice(1)).get('n') === k, n);
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
      // The command comes last: with it, the models offered are those of this column.
      await page.evaluate((k) => {
        const select = document.getElementById('plan-column');
        select.selectedIndex = k;
        select.dispatchEvent(new Event('change', { bubbles: true }));
        document.getElementById('plan-command').textContent = '';
      }, column);
      await page.waitForFunction(() => document.getElementById('plan-command').textContent !== '');
      const kinds = await page.$$eval('#plan-model option', (list) => list.filter((o) => !o.disabled).map((o) => o.value));
      for (const kind of kinds) {
        await page.evaluate(() => { document.getElementById('plan-command').textContent = ''; });
        await page.selectOption('#plan-model', kind);
        await page.dispatchEvent('#plan-model', 'change');
        await page.waitForFunction((k) => document.getElementById('plan-command').textContent.includes(`--model ${k}`), kind,
          { timeout: 300000 }).catch(() => {
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
        !document.getElementById('plan-problem').hidden, null, { timeout: 300000 });
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
    // By name: a folder that begins with "_" is in no pattern, so that "./..." does not meet these programs.
    const dirs = fs.readdirSync(work).filter((d) => /^p\d+$/.test(d)).map((d) => `./${path.relative(repository, path.join(work, d))}`);
    execFileSync('go', ['vet', ...dirs], { cwd: repository, stdio: 'pipe' });
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
};
