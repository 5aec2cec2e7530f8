// The page "release": a table, what is public about it, a plan and one release, by the program in a worker.
'use strict';
const Release = (() => { // eslint-disable-line no-unused-vars
  const { el, load } = PrivBayes;
  const $ = (id) => document.getElementById(`release-${id}`);
  const written = ['separator', 'decimal', 'encoding']; // how the file is written
  const mostBytes = 2e9; // of a table: WebAssembly has 4 GB of memory
  const waiting = new Map();
  let worker;
  let next = 1;
  let table = null; // the chosen file
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

  // act does what a button is for: one thing at a time, and what goes wrong is said.
  const act = (doing, f) => async (event) => {
    complain('');
    say(doing);
    $('fields').disabled = true;
    $('bar').hidden = false;
    try {
      say(await f(event) ?? '');
    } catch (e) {
      say('');
      complain(e.message);
    } finally {
      $('fields').disabled = false;
      $('bar').hidden = true;
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
    const before = $('target').value;
    $('target').replaceChildren(...schema().columns.map(({ name }) => el('option', { value: name }, name)));
    if ([...$('target').options].some((o) => o.value === before)) $('target').value = before;
  }

  // question is the model and the privacy, for plan, advise and release alike.
  function question() {
    const { columns: all } = schema();
    if (!all.length) throw new Error('say what at least one column is, or open a schema file');
    const odd = all.find((c) => c.edges?.some((e) => Number.isNaN(Number(e))));
    if (odd) throw new Error(`column ${odd.name}: want numbers, separated by commas`);
    const model = $('model').value;
    const args = ['--schema', '/tmp/schema.json', '--model', model, '--target', $('target').value, '--epsilon',
      $('epsilon').value];
    if (model === 'quantiles') args.push('--at', '.25,.5,.75');
    return args;
  }
  const mechanism = () => ($('mechanism').value ? ['--mechanism', $('mechanism').value] : []);
  const put = () => ({ put: { '/tmp/schema.json': new TextEncoder().encode(JSON.stringify(schema())) } });

  async function planned(command, more) {
    const { value } = await run([command, ...question(), '--n', $('n').value, ...more], put());
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
    const base = plain(file.name.replace(/\..*$/, ''));
    $('dataset').value ||= base;
    $('name').value ||= base;
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
  $('plan').addEventListener('click', act('Planning …', () => planned('plan', mechanism())));
  $('advise').addEventListener('click', act('Comparing all mechanisms, for about 10 seconds …',
    () => planned('advise', [])));
  $('draw').addEventListener('click', act('Reading the table and releasing. Leave the page open …', async () => {
    if (!table) throw new Error('choose the table first');
    const asked = question();
    const { dataset } = schema();
    if (!dataset) throw new Error('give the data set a name');
    const [ledger, out] = [`/vault/${plain(dataset)}.budget`, `/vault/${plain($('name').value)}.release.json`];
    navigator.storage.persist?.(); // a browser may ask its reader first, who may never answer
    await run(['budget', ledger, '--schema', '/tmp/schema.json', '--epsilon', $('limit').value, '--json'], put());
    const { value, memory } = await run(['release', ...asked, ...mechanism(), '--data', '/in/table.csv', '--budget', ledger,
      '--out', out, '--json'], { ...put(), choose: table });
    document.documentElement.dataset.memory = memory;
    await Release.use(out, value.loaded ? 'Loaded: this release was made before. No new noise, no charge.' :
      'Released. It may be published, and so may all that is computed from it.');
    const kept = await navigator.storage.persisted?.() ? 'has promised' : 'has not promised';
    return `Save the release and the budget file now. This browser ${kept} to keep its own copy.`;
  }));

  // show lists the files that last.
  function show(files) {
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
    const { module, url } = await load();
    worker = new Worker(url);
    worker.onmessage = heard;
    worker.onerror = (e) => {
      for (const { reject } of waiting.values()) reject(new Error(`the program ended: ${e.message}. Reload the page`));
      waiting.clear();
    };
    const { files } = await ask({ module });
    show(files);
    const { value } = await run(['flags', '--json']);
    const { choices } = value.find((c) => c.command === 'plan').flags.find((f) => f.name === 'mechanism');
    $('mechanism').append(...choices.map((c) => el('option', { value: c }, c)));
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
