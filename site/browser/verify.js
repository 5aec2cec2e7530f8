// The page that verifies, with the server closed.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const assert = require('node:assert/strict');
const { serve, ready } = require('./common.js');

// put gives the page a file; it comes from the disk, since long ones do not pass the browser's wire.
async function put(page, name, bytes, work) {
  fs.mkdirSync(`${work}-in`, { recursive: true });
  const file = path.join(`${work}-in`, name);
  fs.writeFileSync(file, bytes);
  await page.setInputFiles('#verify-file', file);
}

// verdict drops a file on the page and waits for what it says of it.
async function verdict(page, name, bytes, work) {
  await put(page, name, bytes, work);
  await page.waitForFunction((n) => {
    const file = document.querySelector('.pb-verdict .pb-file');
    return file && file.textContent.startsWith(n);
  }, name, { timeout: 300000 });
  return page.evaluate(() => {
    const box = document.querySelector('.pb-verdict');
    return { outcome: box.dataset.outcome, ms: Number(box.dataset.ms), text: box.innerText,
      lines: box.querySelectorAll('.pb-checks > li').length, bad: box.querySelectorAll('.pb-bad').length,
      links: [...box.querySelectorAll('a')].map((a) => a.getAttribute('href')),
      focus: document.activeElement && document.activeElement.id };
  });
}

module.exports = async (b, { html, releases, work, check, times }) => {
  const server = await serve(html);
  const context = await b.newContext();
  context.setDefaultTimeout(300000);
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (e) => errors.push(String(e)));
  const start = performance.now();
  await page.goto(`${server.base}verify.html`);
  await ready(page);
  times['verify page ready, cold'] = performance.now() - start;
  await check('the verifier is small enough to wait for', () => {
    const modules = server.seen.map((r) => r.pathname).filter((p) => p.endsWith('.wasm.gz'));
    assert.deepEqual(modules, ['/_static/verifier.wasm.gz']);
    const { size } = fs.statSync(path.join(html, modules[0]));
    assert.ok(size < 3.92e6, `${size} bytes`);
  });
  await check('on a slow line a file is taken before the checker has arrived, and verified when it has', async () => {
    const slow = await (await b.newContext()).newPage();
    slow.setDefaultTimeout(300000);
    const line = await slow.context().newCDPSession(slow);
    await line.send('Network.emulateNetworkConditions',
      { offline: false, latency: 150, downloadThroughput: 200e3, uploadThroughput: 200e3 }); // 1.6 Mbit/s
    await line.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    const since = performance.now();
    await slow.goto(`${server.base}verify.html`, { waitUntil: 'domcontentloaded' });
    await put(slow, 'good.release.json', fs.readFileSync(path.join(releases, 'good.release.json')), work);
    const status = () => /good.release.json waits/.test(document.getElementById('verify-status').textContent);
    await slow.waitForFunction(status);
    assert.equal(await slow.evaluate(() => document.documentElement.dataset.engine), undefined);
    times['verify page takes a file, 1.6 Mbit/s, a quarter of the processor'] = performance.now() - since;
    await ready(slow);
    times['verify page ready, 1.6 Mbit/s, a quarter of the processor'] = performance.now() - since;
    await slow.waitForSelector('.pb-verdict[data-outcome="verified"]');
    times['file verified, 1.6 Mbit/s, a quarter of the processor'] = performance.now() - since;
    await slow.context().close();
  });
  await check('a page, and a worker of it, cannot reach another server; without its policy it could', async () => {
    const elsewhere = await serve(html);
    const free = await b.newContext({ bypassCSP: true });
    for (const [within, name, want] of [[context, 'verify.html', 'refused'], [context, 'plan.html', 'refused'],
      [context, 'index.html', 'refused'], [free, 'index.html', 'reached']]) {
      const own = await within.newPage();
      await own.goto(`${server.base}${name}`);
      const tried = await own.evaluate((url) => {
        const script = URL.createObjectURL(new Blob([`fetch('${url}', { mode: 'no-cors' })` +
          '.then(() => postMessage("reached"), () => postMessage("refused"))'], { type: 'text/javascript' }));
        return Promise.all([fetch(url, { mode: 'no-cors' }).then(() => 'reached', () => 'refused'),
          new Promise((answer) => {
            const worker = new Worker(script);
            worker.onmessage = (e) => answer(e.data);
            worker.onerror = () => answer('refused');
          }),
          new Promise((answer) => {
            const picture = new Image();
            picture.onload = () => answer('reached');
            picture.onerror = () => answer('refused');
            picture.src = `${url}?picture`;
          })]);
      }, `${elsewhere.base}_static/icon.svg`);
      assert.deepEqual(tried, [want, want, want], name);
      assert.equal(elsewhere.seen.length > 0, want === 'reached', name);
      await own.close();
    }
    await free.close();
    await elsewhere.close();
  });
  const left = [];
  page.on('request', (r) => {
    if (!r.url().startsWith('blob:')) left.push(r.url());
  });
  await server.close(); // from here on there is no server: whatever the page does, it does alone
  const good = fs.readFileSync(path.join(releases, 'good.release.json'), 'utf8');

  await check('a good release verifies without a server', async () => {
    const v = await verdict(page, 'good.release.json', good, work);
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

  await check('a publication verifies, and an edit of its guarantee is found', async () => {
    const whole = fs.readFileSync(path.join(releases, 'good.publication.json'), 'utf8');
    const v = await verdict(page, 'good.publication.json', whole, work);
    assert.equal(v.outcome, 'verified', v.text);
    assert.match(v.text, /publication "votes"/);
    const edited = await verdict(page, 'edited.json', whole.replace('"epsilon": 1,', '"epsilon": 0.5,'), work);
    assert.equal(edited.outcome, 'failed', edited.text);
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
    'a later version': [good.replace('privbayes-release-3', 'privbayes-release-9'), 'unreadable', /another version/],
    'a file of 40 MiB': [Buffer.alloc(40 << 20, 32), 'too large', /command line/],
    'a script as a name': [good.replaceAll('member of Congress', '<img src=x onerror=alert(1)>'), 'verified', /<img/],
  };
  for (const [name, [bytes, outcome, words, bad]] of Object.entries(wrong)) {
    await check(name, async () => {
      if (typeof bytes === 'string' && outcome !== 'unreadable') assert.notEqual(bytes, good, 'the edit changes something');
      const v = await verdict(page, `${name.replaceAll(' ', '-')}.json`, bytes, work);
      assert.equal(v.outcome, outcome, v.text);
      assert.match(v.text, words);
      if (bad) assert.equal(v.bad, bad, v.text);
      assert.equal(await page.evaluate(() => document.querySelectorAll('.pb-verdict img').length), 0);
    });
  }

  // A class of 60000 categories: every table of the model has as many rows.
  const huge = (() => {
    const f = JSON.parse(good);
    f.plan.shape.schema.columns.find((c) => c.name === 'Class').categories = Array.from({ length: 60000 }, (_, i) => String(i));
    return JSON.stringify(f);
  })();
  await check('a release that names a huge model does not verify, and the page lives on', async () => {
    const v = await verdict(page, 'huge.json', huge, work);
    assert.notEqual(v.outcome, 'verified');
    assert.ok(v.text.length < 6000, `${v.text.length} characters`);
    times['a huge model is refused'] = v.ms;
  });

  const seen = {};
  const files = fs.readdirSync(releases).filter((f) => !f.startsWith('good.')).sort();
  await check(`${files.length} releases of every mechanism: their plans verify, and they are called not private, since they were seeded`, async () => {
    for (const f of files) {
      const v = await verdict(page, f, fs.readFileSync(path.join(releases, f)), work);
      assert.equal(v.outcome, 'not private', `${f}: ${v.text}`);
      assert.match(v.text, /^not private This release is not private: seeded/, f);
      assert.match(v.text, /Warning: .*publish nothing/, f);
      seen[f] = v.ms;
    }
    const sorted = Object.entries(seen).sort((a, b) => b[1] - a[1]);
    const ms = sorted.map((x) => x[1]).sort((a, b) => a - b);
    times['verify, median of the releases'] = ms[ms.length >> 1];
    for (const [f, t] of sorted.slice(0, 3)) times[`verify ${f}`] = t;
  });

  await check('a verification can be cancelled, and the page goes on without a server', async () => {
    await page.evaluate(() => { // as soon as it can be cancelled
      const button = document.getElementById('verify-cancel');
      new MutationObserver((_, o) => {
        if (!button.hidden) {
          o.disconnect();
          button.click();
        }
      }).observe(button, { attributes: true });
    });
    await put(page, 'slow.json', huge, work);
    await page.waitForFunction(() => document.getElementById('verify-status').textContent.startsWith('Cancelled'));
    const v = await verdict(page, 'again.json', good, work);
    assert.equal(v.outcome, 'verified');
  });

  await check('nothing left the page', () => {
    assert.deepEqual(left, []);
    assert.deepEqual(errors, []);
    assert.ok(server.seen.every((r) => r.method === 'GET'));
  });
  await context.close();
};
