// The pages in a browser: node site/browser/test.js HTML-FOLDER RELEASES-FOLDER WORK-FOLDER [PART,…]; the parts are verify,
// plan, files, release, firefox, pages and audit.
// RELEASES-FOLDER holds release files; good.release.json among them is drawn without a seed. Every check runs; the first
// failure of each is told, and the exit status says whether there was one. What it prints at the end are times, in ms.
'use strict';
const path = require('node:path');
const { browser } = require('./common.js');

const [html, releases, work] = process.argv.slice(2, 5).map((p) => path.resolve(p));
const only = process.argv[5]?.split(',');
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

(async () => {
  const b = await browser();
  try {
    for (const part of ['verify', 'plan', 'files', 'release', 'firefox', 'pages', 'audit']) {
      if (!only || only.includes(part)) await require(`./${part}.js`)(b, { html, releases, work, check, times });
    }
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
