// The page "plan": public facts in, a certified plan, its expected error and the comparison of all mechanisms out.
'use strict';
const Plan = (() => {
  const { el, engine, load } = PrivBayes;
  const $ = (id) => document.getElementById(id);
  const presets = JSON.parse($('plan-presets').textContent);
  const quick = engine(); // single plans, one after the other
  const field = (name) => $(`plan-${name}`);
  let table = {}; // schema, network or levels, with preset and file
  let described = null;
  let turn = 0; // of the question without its level: a new one makes the curve anew
  let curve = []; // [level, error] in the order of levels
  let measure = ''; // what the curve's errors are errors of
  let busySince = Infinity; // since when the quick engine works
  let pending = null;
  const heard = []; // who is told that another question is asked
  let auto = true; // nobody chose the mechanism: one that cannot meet the level gives way to the next

  // The question as the form has it.
  function question(op, more = {}) {
    const q = { op, ...table, model: field('model').value, target: field('column').value };
    q.n = Number(field('n').value);
    q.notion = field('notion').value;
    q.level = Number(field('level').value);
    if (q.notion === 'approx') q.delta = Number(field('delta').value);
    if (q.notion === 'renyi' || q.notion === 'tcdp') q.order = Number(field('order').value);
    q.adjacency = field('adjacency').value;
    if (q.adjacency === 'add-remove') q.n = 0;
    const features = field('features').value.split(',').map((s) => s.trim()).filter(Boolean);
    if (features.length) q.features = features;
    if (field('range').value.trim()) q.range = field('range').value.split(',').map(Number);
    if (field('mechanism').value) q.mechanism = field('mechanism').value;
    if (field('choice').value) q.choice = field('choice').value;
    return { ...q, ...more };
  }

  const symbol = () => (['zcdp', 'tcdp'].includes(field('notion').value) ? 'ρ' : 'ε');
  const digits = (x) => (x == null ? 'no formula' : Number(x.toPrecision(3)).toString());

  function options(select, list, keep) {
    const before = keep ?? select.value;
    select.replaceChildren(...list.map(([value, text, disabled, why]) =>
      el('option', { value, disabled, title: why }, text)));
    if (list.some(([value, , disabled]) => value === before && !disabled)) select.value = before;
    else select.value = (list.find(([, , disabled]) => !disabled) || [''])[0];
  }

  // What the fields of numbers may hold, where they are asked for.
  const whole = (low, high) => (x) => Number.isInteger(x) && x >= low && x <= high;
  const wants = {
    levels: [() => field('table').value === 'levels', whole(2, 65536), 'categories: want a whole number from 2 to 65536'],
    n: [() => field('adjacency').value !== 'add-remove', whole(1, 1e15), 'n: want the number of records, a whole number from 1'],
    level: [() => true, (x) => x > 0 && x < Infinity, 'want a number above 0'],
    delta: [() => field('notion').value === 'approx', (x) => x > 0 && x < 1, 'δ: want a number above 0 and below 1'],
    order: [() => ['renyi', 'tcdp'].includes(field('notion').value), (x) => x > 1 && x < Infinity, 'want a number above 1'],
  };
  const ranged = (text) => {
    const [low, high, ...more] = text.split(',').map((t) => (t.trim() ? Number(t) : NaN));
    return !more.length && low > 0 && high > low && high < Infinity;
  };

  // wrong says what is wrong with the fields, and marks those that are; '' if nothing is.
  function wrong() {
    let first = '';
    const mark = (name, ok, why) => {
      if (ok) field(name).removeAttribute('aria-invalid');
      else field(name).setAttribute('aria-invalid', 'true');
      if (!ok && !first) first = why;
    };
    for (const [name, [asked, good, why]] of Object.entries(wants)) {
      const prefix = { level: `${symbol()}: `, order: field('notion').value === 'tcdp' ? 'ω: ' : 'λ: ' }[name] || '';
      mark(name, !asked() || (field(name).value.trim() !== '' && good(Number(field(name).value))), prefix + why);
    }
    const range = field('range').value;
    mark('range', !range.trim() || ranged(range), 'range: want two numbers, 0 < low < high, such as 0.01,10');
    return first;
  }

  // empty takes back every answer, and says why there is none.
  function empty(why) {
    for (const id of ['plan-answer', 'plan-command', 'plan-go', 'plan-copy-note']) $(id).textContent = '';
    $('plan-result').replaceChildren();
    problem(why);
  }

  // problem shows what is wrong.
  function problem(text) {
    $('plan-problem').textContent = text || '';
    $('plan-problem').hidden = !text;
  }

  // describe asks what there is to choose, then plans. Whatever was asked before is void.
  async function describe(keep = {}) {
    const mine = ++turn;
    curve = [];
    for (const f of heard) f(keep.same);
    pending = null;
    if (performance.now() - busySince > 1500) quick.stop();
    form();
    const bad = wrong();
    if (bad) {
      draw();
      empty(bad);
      return;
    }
    try {
      const q = question('describe');
      if (keep.target !== undefined) q.target = keep.target;
      if (keep.model !== undefined) q.model = keep.model;
      const first = await ask(q);
      if (mine !== turn) return;
      described = first;
      options(field('column'), first.columns.map((c) => [c.name, `${c.name} (${c.kind}, ${c.levels})`]), q.target);
      options(field('model'), first.models.map((m) => [m.kind, m.kind, Boolean(m.why), m.why]), q.model);
      const chosen = question('describe');
      described = await ask(chosen);
      if (mine !== turn) return;
      mechanisms(keep);
      if (described.missing) {
        draw();
        empty(`${described.missing.field}: ${described.missing.want}`);
        return;
      }
      problem('');
      link();
      await live(mine);
    } catch (e) {
      if (mine === turn && !e.stopped) empty(e.message);
    }
  }

  function mechanisms(keep) {
    const list = described.mechanisms || [];
    const before = field('mechanism').value;
    options(field('mechanism'), list.map((m) => [m.title, m.title]), keep.mechanism);
    if (keep.mechanism) auto = false;
    else if (field('mechanism').value !== before) auto = true;
    choices(keep.choice);
    $('plan-measure').textContent = described.measure || '';
  }

  function choices(keep) {
    const own = (described.mechanisms || []).find((m) => m.title === field('mechanism').value);
    options(field('choice'), (own ? own.choices : []).map((c) => [c, c]), keep);
  }

  // next takes the next mechanism of the list in place of one that nobody chose.
  function next() {
    const select = field('mechanism');
    if (!auto || select.selectedIndex + 1 >= select.options.length) return false;
    select.selectedIndex++;
    choices('');
    link();
    return true;
  }

  // form hides what the notion and the adjacency do not need.
  function form() {
    const notion = field('notion').value;
    $('plan-delta-row').hidden = notion !== 'approx';
    $('plan-order-row').hidden = notion !== 'renyi' && notion !== 'tcdp';
    $('plan-order-label').textContent = notion === 'tcdp' ? 'ω, the highest order' : 'λ, the order';
    $('plan-n-row').hidden = field('adjacency').value === 'add-remove';
    for (const e of document.querySelectorAll('.pb-symbol')) e.textContent = symbol();
  }

  async function ask(q) {
    busySince = performance.now();
    try {
      return await quick.ask(q);
    } finally {
      busySince = Infinity;
    }
  }

  // live plans at the level of the slider, then fills the curve from the nearest levels on.
  async function live(mine) {
    await here(mine);
    const at = Math.log10(Number(field('level').value));
    const levels = [];
    for (let x = -2; x <= 1.001; x += 0.1875) levels.push(x);
    levels.sort((a, b) => Math.abs(a - at) - Math.abs(b - at));
    for (const x of levels) {
      if (pending) await here(mine);
      if (mine !== turn) return;
      const level = Number((10 ** x).toPrecision(3));
      try {
        const p = await ask(question('point', { level }));
        if (mine !== turn) return;
        put(level, p.error);
      } catch (e) {
        if (e.stopped || mine !== turn) return;
      }
    }
    document.documentElement.dataset.curve = String(curve.length);
  }

  // here plans at the level shown; while one plan is made, only the last of the levels asked for waits.
  async function here(mine) {
    pending = null;
    const level = Number(field('level').value);
    try {
      const p = await ask(question('point'));
      if (mine !== turn) return;
      measure = p.measure;
      put(level, p.error);
      point(p);
      problem('');
    } catch (e) {
      if (mine !== turn || e.stopped) return;
      if (curve.length === 0 && next()) {
        await here(mine);
        return;
      }
      empty(e.message);
    }
  }

  function put(level, error) {
    curve = curve.filter((p) => p[0] !== level);
    if (error != null) curve.push([level, error]);
    curve.sort((a, b) => a[0] - b[0]);
    draw();
  }

  function point(p) {
    $('plan-answer').textContent = p.error == null
      ? `${p.certified}. No formula predicts the error of this mechanism: compare the mechanisms below.`
      : `Expected error of ${p.measure}: ${digits(p.error)} at ${symbol()} = ${p.level}. Guarantee: ${p.certified}.`;
    PrivBayes.planned($('plan-result'), p, digits);
    copies();
  }

  function draw() {
    PrivBayes.curve($('plan-curve'), $('plan-curve-table'), curve, Number(field('level').value), symbol(),
      measure);
  }

  async function copies() {
    const mine = turn, level = field('level').value;
    try {
      const c = await quick.ask(question('copy'));
      if (mine !== turn || level !== field('level').value) return;
      $('plan-go').textContent = c.go;
      $('plan-command').textContent = c.command;
      $('plan-copy-note').textContent = c.note || '';
    } catch (e) {
      if (!e.stopped && mine === turn) $('plan-copy-note').textContent = e.message;
    }
  }

  function setLevel(x) {
    field('level').value = x;
    field('slider').value = Math.max(-2, Math.min(1, Math.log10(x)));
    field('slider').setAttribute('aria-valuetext', `${symbol()} = ${x}`);
  }

  // The permalink: the fragment stays in the browser, so a schema may be in it where it is short.
  const kept = ['column', 'model', 'n', 'notion', 'level', 'delta', 'order', 'adjacency', 'features', 'range',
    'mechanism', 'choice', 'error'];
  function link() {
    const p = new URLSearchParams();
    if (table.preset) p.set('table', table.preset);
    else if (table.levels) p.set('levels', table.levels);
    else {
      const text = table.network || JSON.stringify(table.schema);
      if (text.length < 8000) p.set(table.network ? 'network' : 'schema', text);
      if (table.file) p.set('file', table.file);
    }
    for (const name of kept) if (field(name).value) p.set(name, field(name).value);
    history.replaceState(null, '', `#${p}`);
    document.documentElement.dataset.link = String(Date.now());
  }

  function follow() {
    const p = new URLSearchParams(location.hash.slice(1));
    for (const name of ['n', 'notion', 'delta', 'order', 'adjacency', 'features', 'range', 'error']) {
      if (p.has(name)) field(name).value = p.get(name);
    }
    if (Number(p.get('level')) > 0) setLevel(Number(p.get('level')));
    else if (p.has('level')) field('level').value = p.get('level');
    const preset = presets.find((s) => s.name === p.get('table')) || (p.toString() ? null : presets[0]);
    if (preset) take0(preset, p.has('n'));
    else if (p.has('levels')) table = { levels: Number(p.get('levels')) };
    else if (p.has('schema')) {
      try {
        table = { schema: JSON.parse(p.get('schema')), file: p.get('file') || undefined };
      } catch {
        problem('the link holds no schema that can be read');
      }
    } else if (p.has('network')) table = { network: p.get('network'), file: p.get('file') || undefined };
    field('table').value = table.preset || (table.levels ? 'levels' : 'file');
    if (table.levels) field('levels').value = table.levels;
    rows();
    describe({ target: p.get('column') ?? (preset ? preset.target : ''), model: p.get('model') ?? (preset ? preset.model :
      ''), mechanism: p.get('mechanism') ?? undefined, choice: p.get('choice') ?? undefined });
  }

  function take0(preset, keepN) {
    table = { preset: preset.name };
    if (preset.schema) table.schema = preset.schema;
    else table.network = preset.network;
    if (!keepN && preset.rows) field('n').value = preset.rows;
  }

  function rows() {
    $('plan-levels-row').hidden = field('table').value !== 'levels';
    $('plan-file-row').hidden = field('table').value !== 'file';
  }

  function pick() {
    rows();
    const name = field('table').value;
    const preset = presets.find((s) => s.name === name);
    if (preset) {
      take0(preset, false);
      describe({ target: preset.target, model: preset.model });
    } else if (name === 'levels') {
      table = { levels: Number(field('levels').value) };
      describe({ target: '', model: 'categorical' });
    }
  }

  // read takes a file. What was asked before is void, so that no late answer hides what is said of the file.
  async function read(file) {
    turn++;
    if (file.size > 8 * 1024 * 1024) {
      problem(`${file.name} has ${file.size} bytes; a schema or network of up to 8 MiB is read here`);
      return;
    }
    const text = await file.text();
    if (text.trimStart().startsWith('{')) {
      try {
        table = { schema: JSON.parse(text), file: file.name };
      } catch (e) {
        problem(`${file.name} is no JSON: ${e.message}`);
        return;
      }
      if (table.schema.nbformat || table.schema.plan) {
        problem(`${file.name} is no schema${table.schema.plan ? ': a release goes to the page that verifies' : ''}`);
        return;
      }
    } else if (/^\s*(\/\/.*\n|\s)*network\b/.test(text)) table = { network: text, file: file.name };
    else {
      problem(`${file.name} is neither a schema in JSON nor a network in BIF. The rows of a table are not needed here, and not read.`);
      return;
    }
    field('table').value = 'file';
    rows();
    describe({ target: '', model: 'naive-bayes', mechanism: '' });
  }

  // level takes a level that was typed or slid to. After a wrong one everything is asked anew.
  function level(x) {
    if (wrong() || !$('plan-problem').hidden) {
      if (x > 0) setLevel(x);
      describe({ same: true });
      return;
    }
    setLevel(x);
    for (const f of heard) f(false);
    for (const e of document.querySelectorAll('.pb-symbol')) e.textContent = symbol();
    link();
    if (busySince === Infinity && !pending) here(turn);
    else pending = true;
  }

  // While a curve is drawn, its loop takes the level that waits; else here does.
  setInterval(() => {
    if (pending && busySince === Infinity) here(turn);
  }, 60);

  field('table').append(...presets.map((s) => el('option', { value: s.name }, s.title)),
    el('option', { value: 'levels' }, 'one column with so many categories'),
    el('option', { value: 'file' }, 'a schema (JSON) or network (BIF) of yours'));
  field('table').addEventListener('change', pick);
  field('levels').addEventListener('change', pick);
  field('file').addEventListener('change', (e) => {
    if (e.target.files.length) read(e.target.files[0]);
    e.target.value = '';
  });
  const drop = $('plan');
  drop.addEventListener('dragover', (e) => e.preventDefault());
  drop.addEventListener('drop', (e) => {
    e.preventDefault();
    if (e.dataTransfer.files.length) read(e.dataTransfer.files[0]);
  });
  for (const name of ['column', 'model', 'n', 'notion', 'delta', 'order', 'adjacency', 'features', 'range',
    'mechanism', 'choice']) {
    field(name).addEventListener('change', () => {
      if (name === 'mechanism') auto = false;
      describe(name === 'mechanism' ? { choice: '', same: true } : { same: name === 'choice' });
    });
  }
  field('slider').addEventListener('input', (e) => {
    const x = Number((10 ** Number(e.target.value)).toPrecision(2));
    field('level').value = x; // a wrong one is gone
    level(x);
  });
  field('level').addEventListener('change', (e) => level(Number(e.target.value)));
  window.addEventListener('hashchange', follow);

  $('plan-answer').textContent = 'Loading the planner …';
  load().then(() => quick.start()).then(() => {
    document.documentElement.dataset.engine = 'ready';
    $('plan-fields').disabled = false;
    follow();
  }, (e) => {
    $('plan-answer').textContent = `The planner could not be loaded: ${e.message}. It needs a browser of 2023 or later.`;
  });

  return { question, describe, wrong, link, setLevel, symbol, digits, described: () => described,
    file: () => table.file, onNew: (f) => heard.push(f) };
})();
