// Every kind of page on a wide and a narrow screen, light and dark: nothing is wider than the screen, what can be used
// has a name, text can be read, and nothing comes from elsewhere.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const assert = require('node:assert/strict');
const { serve } = require('./common.js');

// problems runs in the page.
function problems() {
  const out = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width + 1) {
    const wide = [...document.querySelectorAll('.bd-article *')].filter((e) => e.getBoundingClientRect().right > width + 1)
      .slice(-1)[0];
    out.push(`wider than the screen: ${document.documentElement.scrollWidth} of ${width}${wide ? `, ${wide.tagName} ${wide.className}` : ''}`);
  }
  const named = (e) => [e.getAttribute('aria-label'), e.title, e.textContent, e.getAttribute('aria-labelledby'),
    ...[...e.querySelectorAll('img')].map((i) => i.alt)].some((text) => (text || '').trim() !== '');
  for (const e of document.querySelectorAll('a[href], button')) {
    if (e.offsetParent && !named(e) && !e.closest('[aria-hidden=true]')) out.push(`no name: ${e.outerHTML.slice(0, 120)}`);
  }
  for (const e of document.querySelectorAll('input, select, textarea')) {
    if (e.type !== 'hidden' && !e.labels?.length && !e.getAttribute('aria-label') && !e.getAttribute('placeholder')) {
      out.push(`no label: ${e.outerHTML.slice(0, 120)}`);
    }
  }
  for (const e of document.querySelectorAll('.bd-article img')) {
    if (!e.hasAttribute('alt')) out.push(`no text: ${e.outerHTML.slice(0, 120)}`);
    if (e.complete && e.naturalWidth === 0) out.push(`no picture: ${e.src}`);
    if (getComputedStyle(e).filter !== 'none') out.push(`a picture is dimmed: ${e.src}`);
  }
  for (const e of document.querySelectorAll('.bd-article td, .bd-article th')) {
    const side = getComputedStyle(e).textAlign;
    if (!['left', 'start'].includes(side)) {
      out.push(`a cell is aligned ${side}: ${e.textContent.slice(0, 40)}`);
      break;
    }
  }
  // Contrast of text on the nearest background, by the formula of WCAG 2.1.
  const rgb = (text) => text.match(/[\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => {
    const f = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
  };
  const behind = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const c = rgb(getComputedStyle(at).backgroundColor);
      if (c.length < 4 || c[3] > 0.99) return c;
    }
    return [255, 255, 255];
  };
  const low = {};
  for (const e of document.querySelectorAll('.bd-article *')) {
    if (!e.offsetParent || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
    const style = getComputedStyle(e);
    const fore = rgb(style.color);
    if (!fore || fore.length === 4 && fore[3] < 0.99 || e.closest('[disabled], option')) continue;
    const [a, b] = [luminance(fore), luminance(behind(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700;
    if (ratio < (large ? 3 : 4.5)) low[`${e.tagName}.${e.className}`] = `${ratio.toFixed(2)} of ${e.textContent.slice(0, 30)}`;
  }
  for (const [what, is] of Object.entries(low).slice(0, 5)) out.push(`contrast: ${what} ${is}`);
  return out;
}

module.exports = async (browser, { html, check, times }) => {
  const server = await serve(html);
  const notebooks = fs.readdirSync(path.join(html, 'notebooks')).filter((f) => /^\d\d_.*\.html$/.test(f)).sort();
  assert.ok(notebooks.length >= 14);
  const pages = ['index.html', 'release.html', 'plan.html', 'verify.html', 'claims.html', 'docs/README.html',
    'docs/reference/certificates.html', 'docs/explanation/claims.html', 'docs/theory/dirichlet.html', 'api/README.html', 'api/privbayes.html',
    'api/privbayes/mechanism/counts.html', 'README.html', 'notebooks/README.html', ...notebooks.map((n) => `notebooks/${n}`)];
  const shots = process.env.SHOTS;
  let most = 0;
  for (const [name, options] of Object.entries({
    wide: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
    narrow: { viewport: { width: 375, height: 740 }, colorScheme: 'dark', isMobile: true, hasTouch: true },
  })) {
    await check(`${pages.length} pages on a ${name} screen, ${options.colorScheme}`, async () => {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(300000);
      const page = await context.newPage();
      const foreign = [];
      page.on('request', (r) => {
        if (!r.url().startsWith(server.base) && !/^(blob|data):/.test(r.url())) foreign.push(r.url());
      });
      const found = [];
      for (const p of pages) {
        const start = performance.now();
        await page.goto(server.base + p, { waitUntil: 'load' });
        most = Math.max(most, performance.now() - start);
        for (const problem of await page.evaluate(problems)) found.push(`${p}: ${problem}`);
        if (shots) await page.screenshot({ path: path.join(shots, `${name}-${p.replaceAll('/', '_')}.png`) });
      }
      await context.close();
      assert.deepEqual(foreign, []);
      assert.deepEqual(found, []);
    });
  }
  times['slowest page to load'] = most;

  await check('search finds a word of a notebook, a document and the API', async () => {
    const page = await browser.newPage();
    await page.goto(`${server.base}search.html?q=geometric`);
    for (const part of ['notebooks/', 'docs/', 'api/']) {
      await page.waitForSelector(`#search-results li a[href*="${part}"]`, { state: 'attached', timeout: 300000 });
    }
    await page.close();
  });

  // Words of offices and surveys that are not ours: the glossary has them.
  const words = ['crosstab', 'postcode', 'confidence interval', 'weights', 'missing', 'margin of error', 'p-value'];
  await check(`search leads from ${words.join(', ')} to a document`, async () => {
    const page = await browser.newPage();
    for (const word of words) {
      await page.goto(`${server.base}search.html?q=${encodeURIComponent(word)}`);
      await page.waitForSelector('#search-results li a[href*="docs/"]', { state: 'attached', timeout: 300000 })
        .catch(() => assert.fail(`nothing in the documents for ${word}`));
    }
    await page.close();
  });

  await check('the claims are filtered', async () => {
    const page = await browser.newPage();
    await page.goto(`${server.base}claims.html`);
    const all = await page.locator('#claims-table tbody tr').count();
    await page.selectOption('#claims-verdict', 'false');
    const few = await page.locator('#claims-table tbody tr:visible').count();
    assert.ok(few > 0 && few < all);
    assert.match(await page.textContent('#claims-count'), new RegExp(`^${few} of ${all} `));
    await page.fill('#claims-text', 'zzzz');
    assert.equal(await page.locator('#claims-table tbody tr:visible').count(), 0);
    await page.close();
  });
  await server.close();
};
