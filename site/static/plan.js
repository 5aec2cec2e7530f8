// The page "plan": public facts in, a certified plan, its expected error and the comparison of all mechanisms out.
'use strict';
(() => {
  const { el, engine, load } = PrivBayes;
  const $ = (id) => document.getElementById(id);
  const presets = JSON.parse($('plan-presets').textContent);
  const quick = engine(); // single plans, one after the other
  const slow = engine(); // comparisons and searches, which can be stopped
  const field = (name) => $(`plan-${name}`);
  let table = {}; // schema, network or levels, with preset and file
  let described = null;
  let turn = 0; // of the question without its level: a new one makes the curve anew
  let curve = []; // [level, error] in the order of levels
  let busySince = Infinity; // since when the quick engine works
  let pending = null;

  // The question as the form has it.
  function question(op, more = {}) {
    const q = { op, ...table, model: field('model').value, target: field('column').value };
    q.n = Math.max(0, Math.round(Number(field('n').value) || 0));
    q.notion = field('notion').value;
    q.level = Number(field('level').value);
    if (q.notion === 'approx') q.delta = Number(field('delta').value);
    if (q.notion === 'renyi' || q.notion === 'tcdp') q.order = Number(field('order').value);
    q.adjacency = field('adjacency').value;
    if (q.adjacency === 'add-remove') q.n = 0;
    const features = field('features').value.split(',').map((s) => s.trim()).filter(Boolean);
    if (features.length) q.features = features;
    const range = field('range').value.split(',').map(Number).filter((x) => x > 0);
    if (range.length === 2) q.range = range;
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

  // problem shows what is wrong, at the field that it is about if there is one.
  function problem(text) {
    $('plan-problem').textContent = text || '';
    $('plan-problem').hidden = !text;
  }

  // describe asks what there is to choose, then plans. Whatever was asked before is void.
  async function describe(keep = {}) {
    const mine = ++turn;
    curve = [];
    slow.stop();
    pending = null;
    if (performance.now() - busySince > 1500) quick.stop();
    form();
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
        problem(`${described.missing.field}: ${described.missing.want}`);
        return;
      }
      problem('');
      link();
      await live(mine);
    } catch (e) {
      if (mine === turn && !e.stopped) problem(e.message);
    }
  }

  function mechanisms(keep) {
    const list = described.mechanisms || [];
    options(field('mechanism'), list.map((m) => [m.title, m.title]), keep.mechanism);
    const own = list.find((m) => m.title === field('mechanism').value);
    options(field('choice'), (own ? own.choices : []).map((c) => [c, c]), keep.choice);
    $('plan-measure').textContent = described.measure || '';
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
      put(level, p.error);
      point(p);
      problem('');
    } catch (e) {
      if (mine === turn && !e.stopped) {
        problem(e.message);
        $('plan-result').replaceChildren();
      }
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
      : `Expected error of ${p.measure}: ${digits(p.error)} at ${symbol()} = ${p.level}. Certified: ${p.certified}.`;
    const rows = p.lines.map((l) => el('tr', {}, el('th', { scope: 'row' }, l.item), el('td', {}, l.value)));
    const head = [['mechanism', `${p.mechanism} (${p.choice})`], ['certified', p.certified],
      ['textbook', p.textbook], ['expected error of ' + p.measure, p.error == null ? 'no formula' :
        `${digits(p.error)} (${p.how})`]].map(([a, b]) => el('tr', {}, el('th', { scope: 'row' }, a), el('td', {}, b)));
    const checks = el('ol', { class: 'pb-checks' }, ...p.checks.map((c) => el('li', {},
      el('p', { class: 'pb-statement' }, c.statement),
      el('p', {}, c.sentence, ' ', el('a', { href: `docs/certificates.html#${c.anchor}` }, 'What this means')))));
    const open = $('plan-certificate') && $('plan-certificate').open;
    $('plan-result').replaceChildren(
      ...(p.warnings || []).map((w) => el('p', { class: 'pb-warning' }, `Warning: ${w}`)),
      el('div', { class: 'pb-scroll' }, el('table', {}, el('tbody', {}, ...head, ...rows))),
      el('details', { id: 'plan-certificate', open }, el('summary', {}, `The certificate: ${p.checks.length} checks`),
        checks));
    copies();
  }

  // draw makes the curve: both axes logarithmic, with a table twin below.
  function draw() {
    const w = 560, h = 300, left = 62, right = 12, top = 12, bottom = 44;
    const ns = 'http://www.w3.org/2000/svg';
    const s = (name, attributes, text) => {
      const e = document.createElementNS(ns, name);
      for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
      if (text != null) e.textContent = text;
      return e;
    };
    const points = curve.filter((p) => p[1] > 0);
    const svg = $('plan-curve');
    svg.replaceChildren();
    svg.setAttribute('viewBox', `0 0 ${w} ${h}`);
    if (points.length < 2) {
      svg.setAttribute('aria-label', 'no curve: the error is not predicted');
      $('plan-curve-table').replaceChildren();
      return;
    }
    const x0 = Math.floor(Math.log10(points[0][0])), x1 = Math.ceil(Math.log10(points[points.length - 1][0]));
    const errors = points.map((p) => Math.log10(p[1]));
    let y0 = Math.floor(Math.min(...errors)), y1 = Math.ceil(Math.max(...errors));
    if (y0 === y1) y1++;
    const px = (v) => left + (w - left - right) * (Math.log10(v) - x0) / Math.max(1, x1 - x0);
    const py = (v) => top + (h - top - bottom) * (y1 - Math.log10(v)) / (y1 - y0);
    for (let k = y0; k <= y1; k++) {
      const y = py(10 ** k);
      svg.append(s('line', { x1: left, x2: w - right, y1: y, y2: y, class: 'pb-grid' }),
        s('text', { x: left - 6, y: y + 4, 'text-anchor': 'end' }, String(Number((10 ** k).toPrecision(1)))));
    }
    for (let k = x0; k <= x1; k++) {
      const x = px(10 ** k);
      svg.append(s('line', { x1: x, x2: x, y1: top, y2: h - bottom, class: 'pb-grid' }),
        s('text', { x, y: h - bottom + 18, 'text-anchor': 'middle' }, String(Number((10 ** k).toPrecision(1)))));
    }
    svg.append(s('text', { x: (left + w - right) / 2, y: h - 6, 'text-anchor': 'middle' }, `${symbol()} (logarithmic)`));
    svg.append(s('text', { x: 14, y: (top + h - bottom) / 2, 'text-anchor': 'middle',
      transform: `rotate(-90 14 ${(top + h - bottom) / 2})` }, 'expected error'));
    svg.append(s('polyline', { points: points.map((p) => `${px(p[0])},${py(p[1])}`).join(' '), class: 'pb-line' }));
    const level = Number(field('level').value);
    const own = points.find((p) => p[0] === level);
    if (own) svg.append(s('circle', { cx: px(own[0]), cy: py(own[1]), r: 6, class: 'pb-here' }));
    const last = points[points.length - 1];
    svg.setAttribute('aria-label', `expected error of ${described.measure} against ${symbol()}: from ` +
      `${digits(points[0][1])} at ${points[0][0]} to ${digits(last[1])} at ${last[0]}`);
    $('plan-curve-table').replaceChildren(
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, symbol()), el('th', { scope: 'col' }, 'expected error'))),
      el('tbody', {}, ...points.map((p) => el('tr', {}, el('td', {}, String(p[0])), el('td', {}, digits(p[1]))))));
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

  // long runs what may take seconds, with progress and a way out.
  async function long(q, words, part) {
    slow.stop();
    $('plan-cancel').hidden = false;
    $('plan-bar').hidden = false;
    $('plan-bar').removeAttribute('value');
    $('plan-status').textContent = words;
    try {
      return await slow.ask(q, { part: (p) => {
        if (p.kind !== 'progress') part(p);
        else if (p.share > 0) {
          $('plan-bar').value = p.share;
          if (p.text) $('plan-status').textContent = `${words} ${p.text}`;
        }
      } });
    } finally {
      $('plan-cancel').hidden = true;
      $('plan-bar').hidden = true;
    }
  }

  async function compare() {
    const body = $('plan-rows');
    const total = (described.mechanisms || []).length;
    body.replaceChildren();
    $('plan-rows-table').hidden = false;
    let rows = 0;
    const show = (r) => {
      rows++;
      $('plan-status').textContent = `Compared ${rows} of ${total} mechanisms …`;
      const cells = r.refused
        ? [el('td', { colspan: 4, class: 'pb-refused' }, (r.left_out ? 'left out: ' : 'does not apply: ') + r.refused)]
        : [el('td', {}, r.choice), el('td', {}, digits(r.error) + (r.se ? ` ± ${digits(r.se)}` : '')),
          el('td', {}, r.how), el('td', {}, r.certified)];
      const tr = el('tr', {}, el('th', { scope: 'row' }, r.mechanism), ...cells, el('td', {}, r.refused ? '' :
        el('button', { type: 'button', 'aria-label': `plan with ${r.mechanism}`, onclick: () => take(r) }, 'plan it')));
      tr.dataset.error = r.error ?? '';
      tr.dataset.mechanism = r.mechanism;
      body.append(tr);
    };
    try {
      const c = await long(question('compare'), 'Comparing the mechanisms …', show);
      $('plan-status').textContent = c.reason;
      for (const tr of body.children) {
        if (tr.dataset.mechanism === c.best) tr.classList.add('pb-best');
      }
      const sorted = [...body.children].sort((a, b) => (a.dataset.error === '' ? Infinity : Number(a.dataset.error)) -
        (b.dataset.error === '' ? Infinity : Number(b.dataset.error)));
      body.append(...sorted);
      document.documentElement.dataset.compared = c.best || 'none';
    } catch (e) {
      $('plan-status').textContent = e.stopped ? `Cancelled after ${rows} mechanisms.` : e.message;
    }
  }

  function take(r) {
    describe({ mechanism: r.mechanism, choice: r.choice });
    $('plan-answer').focus();
  }

  async function solve(what) {
    const error = Number(field('error').value);
    try {
      const words = what === 'n' ? 'Looking for n …' : `Looking for ${symbol()} …`;
      const s = await long(question('solve', { for: what, error }), words, () => {});
      if (what === 'n') field('n').value = s.value;
      else setLevel(Number(s.value.toPrecision(4)));
      $('plan-status').textContent = `An expected error of ${digits(s.point.error)} is reached at ` +
        `${what === 'n' ? `n = ${s.value}` : `${symbol()} = ${Number(s.value.toPrecision(4))}`}.`;
      document.documentElement.dataset.solved = JSON.stringify(s.value);
      await describe({});
    } catch (e) {
      $('plan-status').textContent = e.stopped ? 'Cancelled.' : e.message;
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
      table = { levels: Math.round(Number(field('levels').value)) };
      describe({ target: '', model: 'categorical' });
    }
  }

  async function read(file) {
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

  function level(x) {
    if (!(x > 0)) return;
    setLevel(x);
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
    field(name).addEventListener('change', () => describe(name === 'mechanism' ? { choice: '' } : {}));
  }
  field('slider').addEventListener('input', (e) => level(Number((10 ** Number(e.target.value)).toPrecision(2))));
  field('level').addEventListener('change', (e) => level(Number(e.target.value)));
  $('plan-compare').addEventListener('click', compare);
  $('plan-solve-level').addEventListener('click', () => solve('level'));
  $('plan-solve-n').addEventListener('click', () => solve('n'));
  $('plan-cancel').addEventListener('click', () => {
    slow.stop();
    $('plan-compare').focus();
  });
  for (const what of ['go', 'command']) {
    $(`plan-copy-${what}`).addEventListener('click', () => copy($(`plan-${what}`).textContent,
      what === 'go' ? 'The Go code is copied.' : 'The command is copied.'));
  }
  $('plan-copy-link').addEventListener('click', () => {
    link();
    copy(location.href, 'The link is copied.');
  });
  $('plan-save').addEventListener('click', () => {
    const a = el('a', { href: URL.createObjectURL(new Blob([JSON.stringify(described.schema, null, 1)])),
      download: table.file || 'table.schema.json' });
    a.click();
  });
  async function copy(text, said) {
    try {
      await navigator.clipboard.writeText(text);
      $('plan-copied').textContent = said;
    } catch {
      $('plan-copied').textContent = 'The browser does not allow copying: mark the text and copy it.';
    }
  }
  window.addEventListener('hashchange', follow);

  $('plan-answer').textContent = 'Loading the planner …';
  load().then(() => quick.start()).then(() => {
    document.documentElement.dataset.engine = 'ready';
    $('plan-fields').disabled = false;
    follow();
  }, (e) => {
    $('plan-answer').textContent = `The planner could not be loaded: ${e.message}. It needs a browser of 2023 or later.`;
  });
})();
