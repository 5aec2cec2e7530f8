// The page "release": what is made of a release, at no cost.
'use strict';
(() => {
  const { el } = PrivBayes;
  const { $, act, ask, run, save, plain } = Release;
  let path = ''; // of the release that is used
  let ledger = ''; // of its data set

  // tableOf shows a table of the program. Texts are only ever set as text.
  const tableOf = ({ title, columns, rows, notes = [] }) => el('div', { class: 'pb-scroll', tabindex: '0', role: 'region',
    'aria-label': title }, el('table', {}, el('caption', {}, title),
    el('thead', {}, el('tr', {}, ...columns.map((c) => el('th', { scope: 'col' }, c)))),
    el('tbody', {}, ...rows.map((r) => el('tr', {}, ...r.map((cell) => el('td', {}, String(cell))))))),
  ...notes.map((n) => el('p', {}, n)));
  const warnings = (all = []) => all.filter((w) => w.kind !== 'loaded').map((w) => el('p', { class: 'pb-warning' },
    `Warning: ${w.text}`));
  const own = (ending) => path.slice('/vault/'.length).replace(/\.release\.json$/, ending);

  // use shows a release, and what is left of its budget.
  Release.use = async (at, headline) => {
    const { value, files } = await run(['show', at, '--json']);
    path = at;
    ledger = `/vault/${plain(value.dataset)}.budget`;
    $('left').textContent = '';
    $('ledger').hidden = true;
    $('save-ledger').hidden = !files.some((f) => f.path === ledger);
    if (!$('save-ledger').hidden) {
      const { value: budget } = await run(['budget', ledger, '--json']);
      $('ledger').textContent = (await run(['budget', ledger])).value;
      $('ledger').hidden = false;
      $('left').textContent = `Left of the budget of "${budget.dataset}": ${budget.left}. Releases charged: ` +
        `${budget.charges?.length ?? 0}.`;
    }
    $('headline').textContent = headline;
    $('headline').dataset.id = value.id;
    $('tables').replaceChildren(...warnings(value.warnings), ...value.tables.map(tableOf));
    $('used').replaceChildren();
    $('caution').textContent = '';
    $('made').hidden = false;
    return '';
  };
  const stored = (file) => act('', async () => save(file().slice('/vault/'.length), (await ask({ get: file() })).file));
  $('save').addEventListener('click', stored(() => path));
  $('save-ledger').addEventListener('click', stored(() => ledger));
  $('intervals').addEventListener('click', act('Computing intervals …', async () => {
    const { value } = await run(['intervals', path, '--json']);
    const number = (x) => (x === undefined ? '' : String(Number(x.toPrecision(4))));
    $('used').replaceChildren(...warnings(value.warnings), tableOf({ title: 'Intervals that account for the noise, 95 %',
      columns: ['of', 'category', 'about the', 'estimate', 'from', 'to'],
      rows: value.rows.map((r) => [r.of, r.label ?? '', r.about ?? '', ...[r.mean, r.lower, r.upper].map(number)]) }));
    return 'Intervals are below.';
  }));
  $('report').addEventListener('click', act('Writing the report …', async () => {
    const budget = $('save-ledger').hidden ? [] : ['--budget', ledger];
    const { file } = await run(['report', path, '--public', ...budget, '--out', '/tmp/report.html'],
      { get: '/tmp/report.html' });
    save(own('.report.html'), file, 'text/html');
    return 'The report for a data-protection officer is saved. It may be published.';
  }));
  $('synthesize').addEventListener('click', act('Drawing synthetic rows …', async () => {
    const { out, err } = await run(['synthesize', path, '--rows', $('rows').value]);
    save(own('.synthetic.csv'), out, 'text/csv');
    $('caution').textContent = err.replace(/^privbayes: warning: /gm, '');
    return 'The synthetic rows are saved.';
  }));

  // open takes a file that was saved, once the program can read it.
  $('open').addEventListener('change', act('Reading the file …', async ({ target }) => {
    const file = target.files[0];
    if (!file) return '';
    const bytes = new Uint8Array(await file.arrayBuffer());
    const isLedger = file.name.endsWith('.budget');
    const at = isLedger ? '/tmp/given.budget' : '/tmp/given.release.json';
    const { value } = await run([isLedger ? 'budget' : 'show', at, '--json'], { put: { [at]: bytes } });
    const name = isLedger ? `${plain(value.dataset)}.budget` : file.name;
    if (!/^[^/]+\.(budget|release\.json)$/.test(name)) {
      throw new Error(`${name}: want a file named NAME.budget or NAME.release.json`);
    }
    await ask({ add: { name, bytes } });
    await run(['version', '--json']); // shows the files that there are now
    return `${name} is in this browser now.`;
  }));
})();
