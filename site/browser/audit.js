// Pages, on a wide and on a narrow screen, in light and in dark: axe finds nothing serious, the page's own content
// policy refuses nothing that the page does, and no script or font is loaded that the page does not use.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const assert = require('node:assert/strict');
const { serve } = require('./common.js');

const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const tabs = 2; // pages that are looked at side by side
const wide = { width: 1440, height: 900 };
const narrow = { width: 390, height: 844 };

// used are the scripts of every page, and of pages that have their own.
const used = ['doctools', 'documentation_options', 'sphinx_highlight', 'scripts/bootstrap',
  'scripts/pydata-sphinx-theme'];
const own = { 'claims.html': ['claims'], 'verify.html': ['engine', 'verify', 'wasm_exec', 'worker'],
  'release.html': ['engine', 'question', 'release', 'using', 'wasm_exec', 'log', 'files', 'runner'],
  'plan.html': ['engine', 'shown', 'plan', 'compare', 'share', 'wasm_exec', 'worker'],
  'search.html': ['searchtools', 'language_data', 'searchindex', 'base-stemmer', 'english-stemmer'] };

// unused gives what a page loaded that it has no use for.
const unused = (name, loaded) => loaded.filter((p) => /\.(woff2?|ttf|otf|eot)$/.test(p) ||
  p.endsWith('.js') &&
  ![...used, ...own[name] || []].includes(p.replace(/^\/(_static\/)?/, '').replace(/\.js$/, '')));

// faults gives what axe finds that is serious or critical. Contrast takes most of its time: the page's own text is
// measured by pages.js on every page, all text by axe on one page of each kind.
async function faults(page, contrast) {
  const which = contrast ? { runOnly: ['color-contrast'] } : { rules: { 'color-contrast': { enabled: false } } };
  const found = await page.evaluate(async (options) => (await axe.run(document, options)).violations,
    { resultTypes: ['violations'], preload: false, ...which });
  return found.filter((v) => ['serious', 'critical'].includes(v.impact))
    .map((v) => `${v.id}: ${v.nodes.length} such as ${v.nodes[0].html.slice(0, 160)}`);
}

// walk lists the pages of the site.
function walk(html, below = '') {
  return fs.readdirSync(path.join(html, below), { withFileTypes: true }).flatMap((e) => {
    const name = path.posix.join(below, e.name);
    if (e.isDirectory()) return /^[_.]/.test(e.name) ? [] : walk(html, name);
    return e.name.endsWith('.html') ? [name] : [];
  }).sort();
}

// show puts a page on a screen; the theme looks for what scrolls a moment after the width has changed.
async function show(page, screen, colorScheme) {
  await page.setViewportSize(screen);
  await page.emulateMedia({ colorScheme });
  await page.evaluate(() => new Promise((done) => { setTimeout(done, 350); }));
}

module.exports = async (b, { html, check, times }) => {
  const server = await serve(html);
  const all = walk(html);
  const kinds = new Set([...Object.keys(own), 'index.html', 'docs/README.html', 'api/privbayes.html',
    'notebooks/README.html', all.find((p) => p.startsWith('notebooks/00'))]);
  // the gate looks at each kind of page and at every twentieth; PAGES=. looks at all, PAGES=expression at those that match,
  // and with it axe measures the contrast of each in both colours on both screens
  const asked = process.env.PAGES && new RegExp(process.env.PAGES);
  const pages = all.filter((p, i) => (asked ? asked.test(p) : kinds.has(p) || i % 20 === 0));
  const whole = (p) => asked || kinds.has(p);
  assert.ok(all.length > 90, `${all.length} pages`);

  await check(`${pages.length} pages: axe, policy, scripts, fonts`, async () => {
    const start = performance.now();
    const found = [];
    const todo = [...pages];
    await Promise.all(Array.from({ length: tabs }, async () => {
      // without motion: on a busy machine a button may still be half way from one colour to the other
      const context = await b.newContext({ viewport: wide, colorScheme: 'light', reducedMotion: 'reduce' });
      context.setDefaultTimeout(300000);
      const page = await context.newPage();
      let at = '';
      let loaded = [];
      page.on('console', (m) => {
        if (m.type() === 'error') found.push(`${at}: console: ${m.text().slice(0, 300)} ${m.location().url}`);
      });
      page.on('pageerror', (e) => found.push(`${at}: ${e}`));
      page.on('request', (r) => loaded.push(r.url().startsWith(server.base) ? new URL(r.url()).pathname : r.url()));
      for (at = todo.shift(); at; at = todo.shift()) {
        loaded = [];
        await page.goto(server.base + at, { waitUntil: 'load' });
        found.push(...unused(at, loaded.filter((u) => !/^(data|blob):/.test(u))).map((u) => `${at}: loads ${u}`));
        await page.evaluate(axe);
        for (const [screen, scheme] of [[wide, 'light'], [narrow, 'dark'], [narrow, 'light'], [wide, 'dark']]) {
          const first = screen === wide ? scheme === 'light' : scheme === 'dark';
          if (!first && !whole(at)) continue;
          await show(page, screen, scheme);
          if (first) found.push(...(await faults(page, false)).map((f) => `${at}, ${screen.width}: ${f}`));
          if (!whole(at)) continue;
          found.push(...(await faults(page, true)).map((f) => `${at}, ${screen.width}, ${scheme}: ${f}`));
        }
      }
      await context.close();
    }));
    times['axe on every page'] = performance.now() - start;
    assert.deepEqual(found, []);
  });

  await check('what axe finds, what the policy refuses and what is not used is seen', async () => {
    const context = await b.newContext({ viewport: wide });
    const page = await context.newPage();
    const said = [];
    page.on('console', (m) => said.push(m.text()));
    await page.goto(`${server.base}index.html`);
    await page.evaluate(axe);
    await page.evaluate(() => {
      document.body.insertAdjacentHTML('beforeend',
        '<button></button><p style="color: #ccc; background: #fff">pale</p>');
      const script = document.createElement('script');
      script.textContent = 'document.title = "run"';
      document.body.append(script);
    });
    assert.match((await faults(page, false)).join(), /button-name/);
    assert.match((await faults(page, true)).join(), /color-contrast/);
    assert.notEqual(await page.title(), 'run');
    assert.match(said.join(), /Content Security Policy/);
    assert.deepEqual(unused('index.html', ['/_static/doctools.js', '/_static/claims.js', '/_static/a.woff2']),
      ['/_static/claims.js', '/_static/a.woff2']);
    await context.close();
  });

  await check('the claims are read on a narrow screen without moving it', async () => {
    const context = await b.newContext({ viewport: narrow });
    const page = await context.newPage();
    await page.goto(`${server.base}claims.html`);
    const wider = await page.evaluate(() => {
      const box = document.querySelector('#claims-table').parentElement;
      const small = [...box.querySelectorAll('td')].find((e) => parseFloat(getComputedStyle(e).fontSize) < 14);
      return { scrolls: box.scrollWidth > box.clientWidth, small: small?.textContent,
        narrowest: Math.min(...[...box.querySelectorAll('td')].map((e) => e.clientWidth)) };
    });
    assert.deepEqual([wider.scrolls, wider.small], [false, undefined]);
    assert.ok(wider.narrowest > 250, `a cell is ${wider.narrowest} pixels wide`);
    await context.close();
  });

  await check('a table of many columns is not squeezed on a narrow screen: it scrolls, also by keyboard', async () => {
    const context = await b.newContext({ viewport: narrow });
    const page = await context.newPage();
    await page.goto(`${server.base}notebooks/00_tour.html`);
    await page.evaluate(() => new Promise((done) => { setTimeout(done, 350); }));
    const [table, keys] = await page.evaluate(() => {
      const e = document.querySelector('.cell_output table:has(th:nth-child(7))');
      return [e.offsetWidth, e.closest('.output').tabIndex];
    });
    assert.ok(table >= 600, `a table of seven columns is ${table} pixels wide`);
    assert.equal(keys, 0);
    await context.close();
  });

  await check('formulas are typeset', async () => {
    const page = await b.newPage({ viewport: narrow });
    let shown = 0;
    for (const p of all) {
      const text = fs.readFileSync(path.join(html, p), 'utf8');
      assert.doesNotMatch(text.replace(/<(pre|code|script)\b.*?<\/\1>/gs, ''),
        /\$\$|\\(frac|sum|varepsilon|le|sqrt|mathrm)\b/, `${p}: a formula is left as it was typed`);
      assert.doesNotMatch(text, /highlight-math/, `${p}: a formula is shown as code`);
      const formulas = text.split(/<math [^>]*display="block"/).length - 1;
      if (formulas === 0) continue;
      await page.goto(server.base + p);
      const flat = await page.evaluate(() => [...document.querySelectorAll('math[display="block"]')].filter((e) =>
        e.namespaceURI !== 'http://www.w3.org/1998/Math/MathML' || e.querySelector('merror') ||
        e.getBoundingClientRect().height < 10).map((e) => e.textContent));
      assert.deepEqual(flat, [], `${p}: formulas without a height`);
      shown += formulas;
    }
    await page.close();
    assert.ok(shown >= 25, `${shown} formulas`);
  });
  await server.close();
};
