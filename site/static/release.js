// The page "release": a table, what is public about it, a plan and one release, by the program in a worker.
'use strict';
const Release = (() => { // eslint-disable-line no-unused-vars
  const { el, load, question: form } = PrivBayes;
  const $ = (id) => document.getElementById(`release-${id}`);
  const written = ['separator', 'decimal', 'encoding']; // how the file is written
  const mostBytes = 2e9; // of a table: WebAssembly has 4 GB of memory
  const waiting = new Map();
  const stopped = {}; // what a run that was stopped is rejected with
  let worker;
  let next = 1;
  let table = null; // the chosen file
  let named = null; // the file that gave data set and release their names
  let stored = []; // the files that last
  let flags; // of each command: names and what they are
  let asked; // the form of the question
  let limit; // the form of the budget's limit
  let given = null; // the schema of a file, in place of the form

  const say = (text) => { $('status').textContent = text; };
  function complain(text) {
    $('problem').textContent = text;
    $('problem').hidden = !text;
    if (text) $('problem').focus();
  }
  const ask = (message, transfer = []) => new Promise((resolve, reject) => {
    waiting.set(next, { resolve, reject });
    worker.postMessage({ id: next++, ...message }, transfer);
  });
  function heard({ data }) {
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.fault) reject(new Error(data.fault));
    else resolve(data);
  }

  // begin starts a worker, which takes the files over from the last one.
  async function begin() {
    const { module, url } = await load();
    worker = new Worker(url);
    worker.onmessage = heard;
    worker.onerror = (e) => end(new Error(`the program ended: ${e.message}. Reload the page`));
    show((await ask({ module })).files);
  }
  function end(why) {
    for (const { reject } of waiting.values()) reject(why);
    waiting.clear();
  }

  // run runs a command, and gives what it writes: with --json, as a value.
  async function run(args, more = {}) {
    const done = await ask({ args, ...more });
    show(done.files);
    if (done.code) {
      let text = done.err.replace(/^privbayes: /gm, '');
      try { text = JSON.parse(done.err.trim().split('\n').at(-1)).error.text; } catch { /* it is a text */ }
      if (done.failed) text += '. The browser did not write to its storage. Give it space, and reload the page';
      throw new Error(text || `the program ended with ${done.code}`);
    }
    return { ...done, value: args.includes('--json') ? JSON.parse(done.out) : done.out };
  }

  // act does what a button is for: one thing at a time, and what goes wrong is said. What is stopped ends at once, with
  // the worker, as when the page is closed; left says what that leaves behind.
  const act = (doing, f, left = () => 'Stopped. Nothing was released, and no budget was used.') => async (event) => {
    complain('');
    say(doing);
    $('fields').disabled = true;
    $('working').hidden = false;
    try {
      say(await f(event) ?? '');
    } catch (e) {
      try {
        if (e !== stopped) throw e;
        $('cancel').disabled = true;
        say('Stopping …');
        await begin();
        say(await left());
      } catch (worse) {
        say('');
        complain(worse.message);
      }
    } finally {
      $('fields').disabled = false;
      $('working').hidden = true;
      $('cancel').disabled = false;
      if (!$('problem').hidden) $('problem').focus();
      else event?.target.focus?.();
    }
  };

  function save(name, content, type = 'application/octet-stream') {
    const a = el('a', { href: URL.createObjectURL(new Blob([content], { type })), download: name });
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 60000);
  }

  // plain is a text as the name of a file.
  const plain = (text) => [...text.trim().replace(/[^\p{L}\p{N}_-]+/gu, '_')].slice(0, 80).join('') || 'table';
  const list = (text) => text.split(',').map((t) => t.trim()).filter(Boolean);

  const kinds = [['', 'leave out'], ['categorical', 'categories'], ['integer', 'whole number'], ['real', 'number']];
  const wanted = { '': '', categorical: 'all categories, such as yes, no',
    integer: 'bounds and cuts between, such as 18, 40, 65, 120', real: 'bounds and cuts between, such as 0, 0.5, 1' };

  // columnForm is one column of the form: what it is, and its categories or bounds, which nobody but the reader knows.
  function columnForm({ name }, i) {
    const kind = el('select', { id: `release-kind-${i}`, 'aria-label': `kind of ${name}` },
      ...kinds.map(([value, words]) => el('option', { value }, words)));
    const domain = el('input', { type: 'text', id: `release-domain-${i}`, autocomplete: 'off', disabled: true,
      'aria-label': `categories or bounds of ${name}` });
    kind.addEventListener('change', () => {
      domain.disabled = !kind.value;
      domain.placeholder = wanted[kind.value];
      targets();
    });
    return el('div', { class: 'pb-column', 'data-name': name }, el('b', {}, name), kind, domain);
  }

  function columns() {
    const marks = list($('missing').value);
    return [...$('columns').children].map((row) => {
      const [kind, text] = [row.querySelector('select').value, row.querySelector('input').value];
      const numbers = kind !== 'categorical';
      return { name: row.dataset.name, kind,
        ...numbers ? { edges: list(text).map(Number) } : { categories: list(text) },
        ...marks.length ? { missing: marks, on_missing: 'category' } : {} };
    }).filter((c) => c.kind);
  }

  function schema() {
    if (given) return given;
    const format = Object.fromEntries(written.map((k) => [k, $(k).value]).filter(([, v]) => v));
    if (format.separator === 'tab') format.separator = '\t';
    return { dataset: $('dataset').value, unit: $('unit').value, extra_columns: true, columns: columns(),
      ...Object.keys(format).length ? { format } : {} };
  }

  // schemaOf reads a schema file. What is wrong with it is said without its text, which may be the table's.
  function schemaOf(name, text) {
    let value;
    try { value = JSON.parse(text); } catch { /* refused below */ }
    if (Array.isArray(value?.columns) && typeof value.dataset === 'string') return value;
    throw new Error(`${name}: want a schema file: JSON with the name of the "dataset" and its "columns"`);
  }

  function targets() {
    asked.columns(schema().columns.map((c) => c.name));
  }

  // question is the model and the privacy, for plan, advise and release alike.
  function question(command) {
    const { columns: all } = schema();
    if (!all.length) throw new Error('say what at least one column is, or open a schema file');
    const odd = all.find((c) => c.edges?.some((e) => Number.isNaN(Number(e))));
    if (odd) throw new Error(`column ${odd.name}: want numbers, separated by commas`);
    return ['--schema', '/tmp/schema.json', ...asked.args(Object.keys(flags[command]))];
  }
  const put = () => ({ put: { '/tmp/schema.json': new TextEncoder().encode(JSON.stringify(schema())) } });

  async function planned(command, what = () => question(command), more = {}) {
    $('planned').hidden = true; // the plan of another question
    const n = $('n').value ? ['--n', $('n').value] : []; // none under neighbours whose numbers of rows differ
    const files = put();
    const { value } = await run([command, ...what(), ...n], { put: { ...files.put, ...more } });
    $('planned').textContent = value;
    $('planned').hidden = false;
    return 'No row was read, and no budget was used.';
  }

  $('table').addEventListener('change', act('Reading the first line of the file …', async ({ target }) => {
    const file = target.files[0];
    table = null; // one that cannot be read does not leave the last one in its place
    if (!file) return '';
    if (file.size > mostBytes) throw new Error(`${file.name} has ${file.size} bytes; a page reads up to ${mostBytes}`);
    const flags = written.flatMap((k) => ($(k).value ? [`--${k}`, $(k).value] : []));
    const { value } = await run(['schema', '/in/table.csv', '--json', ...flags], { choose: file });
    table = file;
    if (file !== named) { // and not the same one, read again
      $('name').value = plain(file.name.replace(/\..*$/, ''));
      $('dataset').value = given?.dataset ?? $('name').value;
      $('planned').hidden = true;
      named = file;
    }
    $('columns').replaceChildren(...value.columns.map(columnForm));
    targets();
    return `${file.name}: ${value.columns.length} columns, ${file.size} bytes. No row was read.`;
  }));
  for (const id of written) { // the names of the columns are read again
    $(id).addEventListener('change', () => $('table').dispatchEvent(new Event('change')));
  }
  $('schema').addEventListener('change', act('Reading the schema …', async ({ target }) => {
    const file = target.files[0];
    given = null; // one that cannot be read does not leave the last one in its place
    try {
      if (file) given = schemaOf(file.name, await file.text());
    } finally {
      $('columns').hidden = Boolean(given);
      targets();
    }
    if (given) $('dataset').value = given.dataset;
    return given ? `The schema of ${file.name} is used.` : '';
  }));
  $('save-schema').addEventListener('click', () => save(`${plain($('dataset').value)}.schema.json`,
    JSON.stringify(schema(), null, 1)));
  $('cancel').addEventListener('click', () => {
    if (!waiting.size) return; // the page is at it, not the worker, and is done in a moment
    worker.onmessage = null;
    worker.terminate();
    end(stopped);
  });
  $('plan').addEventListener('click', act('Planning …', () => planned('plan')));
  $('advise').addEventListener('click', act('Comparing all mechanisms, for about 10 seconds …',
    () => planned('advise')));
  $('plan-list').addEventListener('click', act('Planning the list …', () => planned('publish',
    () => ['/tmp/wishes.json', '--plan', '--schema', '/tmp/schema.json'],
    { '/tmp/wishes.json': new TextEncoder().encode($('wishes').value) })));

  // newBudget asks before a budget is begun beside others: under another name the same rows would have a second one.
  function newBudget(ledger, dataset) {
    const others = stored.map((f) => f.path).filter((path) => path.endsWith('.budget'));
    if (others.includes(ledger) || !others.length || $('other').checked) return;
    $('begin').hidden = false;
    throw new Error(`there is no budget of "${dataset}" in this browser, but of ${others.map((path) =>
      path.slice('/vault/'.length)).join(', ')}. If the rows are of one of these, give its name to the data set. ` +
      'If they are of others, say so below, and release again');
  }
  $('dataset').addEventListener('input', () => {
    $('begin').hidden = true;
    $('other').checked = false;
  });
  const chargesOf = ({ value }) => value.charges?.length ?? 0;
  const charges = async (ledger) => (stored.some((f) => f.path === ledger && f.size) ? // else it was never begun
    chargesOf(await run(['budget', ledger, '--json'])) : 0);
  const ledgerOf = (dataset) => `/vault/${plain(dataset)}.budget`;
  let before; // charges when the release was begun
  $('draw').addEventListener('click', act('Reading the table and releasing. Leave the page open …', async () => {
    if (!table) throw new Error('choose the table first');
    const line = question('release');
    const { dataset } = schema();
    if (!dataset) throw new Error('give the data set a name');
    const [ledger, out] = [ledgerOf(dataset), `/vault/${plain($('name').value)}.release.json`];
    newBudget(ledger, dataset);
    navigator.storage.persist?.(); // a browser may ask its reader first, who may never answer
    before = Infinity;
    before = chargesOf(await run(['budget', ledger, '--schema', '/tmp/schema.json',
      ...limit.args(Object.keys(flags.budget)), '--json'], put()));
    $('begin').hidden = true;
    const { value, memory } = await run(['release', ...line, '--data', '/in/table.csv', '--budget', ledger, '--out',
      out, '--json'], { ...put(), choose: table });
    document.documentElement.dataset.memory = memory;
    await Release.use(out, value.loaded ? 'Loaded: this release was made before. No new noise, no charge.' :
      'Released. It may be published, and so may anything computed from it.');
    const kept = await navigator.storage.persisted?.() ? 'has promised' : 'has not promised';
    return `Save the release and the budget file now. This browser ${kept} to keep its own copy.`;
  }, async () => {
    const now = await charges(ledgerOf(schema().dataset));
    if (now > before) {
      return 'Stopped after the budget was charged. Release again under the same name: it is then made under this ' +
        'charge.';
    }
    return now ? 'Stopped. The budget was not charged this time. What was stopped after an earlier charge is made ' +
      'under it, if you release again under the same name.' : 'Stopped before the budget was charged. Nothing was released.';
  }));

  // show lists the files that last.
  function show(files) {
    stored = files;
    const all = files.filter((f) => /\.(budget|release\.json)$/.test(f.path));
    $('files').replaceChildren(...all.map(({ path }) => {
      const name = path.slice('/vault/'.length);
      const release = name.endsWith('.json');
      return el('li', {}, el('code', {}, name), ' ', el('button', { type: 'button',
        onclick: act('', async () => save(name, (await ask({ get: path })).file)) }, `save ${name}`), ' ',
      release ? el('button', { type: 'button', onclick: act('Loading …', () => Release.use(path, 'Loaded.')) },
        `use ${name}`) : null);
    }));
    if (!all.length) $('files').append(el('li', {}, 'none yet'));
  }

  async function start() {
    await begin();
    const { value } = await run(['flags', '--json']);
    const byName = (list) => Object.fromEntries((list ?? []).map((f) => [f.name, f]));
    flags = Object.fromEntries(value.map((c) => [c.command, byName(c.flags)]));
    const own = ['json', 'details', 'progress'];
    const both = Object.values(flags.release).filter((f) => f.name in flags.plan && !own.includes(f.name));
    asked = form(both, { prefix: 'release-flag', box: $('question'), more: $('more'), values: { epsilon: 1 },
      first: ['model', 'target', 'features', 'table', 'formula', 'mechanism', 'epsilon', 'delta'] });
    const levels = both.filter((f) => f.name in flags.budget);
    limit = form(levels, { prefix: 'release-limit', box: $('limit'), more: $('limit-more'), values: { epsilon: 1 },
      first: ['epsilon', 'delta'] });
    $('fields').disabled = false;
    say('Ready. From here on this page needs no network.');
    document.documentElement.dataset.engine = 'ready';
  }
  start().catch((e) => {
    say('');
    complain(e.unloaded ? `The program could not be loaded: ${e.message}. It needs a browser of 2023 or later.` :
      `Nothing can be released here: ${e.message}.`);
    document.documentElement.dataset.engine = 'failed';
  });
  return { $, act, ask, run, save, plain, use: null };
})();
