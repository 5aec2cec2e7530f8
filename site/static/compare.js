// The long questions of the page "plan": the comparison of all mechanisms, row by row, and the search backwards. They run
// in a worker of their own, with progress, and can be cancelled.
'use strict';
(() => {
  const { el, engine } = PrivBayes;
  const $ = (id) => document.getElementById(id);
  const slow = engine();

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
    if (Plan.wrong()) {
      Plan.describe({});
      return;
    }
    const body = $('plan-rows');
    const total = (Plan.described().mechanisms || []).length;
    body.replaceChildren();
    $('plan-rows-table').hidden = false;
    let rows = 0;
    const show = (r) => {
      rows++;
      $('plan-status').textContent = `Compared ${rows} of ${total} mechanisms …`;
      const cells = r.refused
        ? [el('td', { colspan: 4, class: 'pb-refused' }, (r.left_out ? 'left out: ' : 'does not apply: ') + r.refused)]
        : [el('td', {}, r.choice), el('td', {}, Plan.digits(r.error) + (r.se ? ` ± ${Plan.digits(r.se)}` : '')),
          el('td', {}, r.how), el('td', {}, r.certified)];
      const tr = el('tr', {}, el('th', { scope: 'row' }, r.mechanism), ...cells, el('td', {}, r.refused ? '' :
        el('button', { type: 'button', 'aria-label': `plan with ${r.mechanism}`, onclick: () => take(r) }, 'plan it')));
      tr.dataset.error = r.error ?? '';
      tr.dataset.mechanism = r.mechanism;
      body.append(tr);
    };
    try {
      const c = await long(Plan.question('compare'), 'Comparing the mechanisms …', show);
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
    Plan.describe({ mechanism: r.mechanism, choice: r.choice, same: true });
    $('plan-answer').focus();
  }

  async function solve(what) {
    const error = Number($('plan-error').value);
    const good = $('plan-error').value.trim() !== '' && error > 0 && error < Infinity;
    if (good) $('plan-error').removeAttribute('aria-invalid');
    else $('plan-error').setAttribute('aria-invalid', 'true');
    if (!good || Plan.wrong()) {
      $('plan-status').textContent = good ? '' : 'The error that may be made: want a number above 0.';
      if (good) Plan.describe({});
      return;
    }
    try {
      const words = what === 'n' ? 'Looking for n …' : `Looking for ${Plan.symbol()} …`;
      const s = await long(Plan.question('solve', { for: what, error }), words, () => {});
      if (what === 'n') $('plan-n').value = s.value;
      else Plan.setLevel(Number(s.value.toPrecision(4)));
      $('plan-status').textContent = `An expected error of ${Plan.digits(s.point.error)}, of ${s.point.measure}, is ` +
        `reached at ${what === 'n' ? `n = ${s.value}` : `${Plan.symbol()} = ${Number(s.value.toPrecision(4))}`}.`;
      document.documentElement.dataset.solved = JSON.stringify(s.value);
      await Plan.describe({});
    } catch (e) {
      $('plan-status').textContent = e.stopped ? 'Cancelled.' : e.message;
    }
  }

  // What is compared is of a question that is gone once another is asked; of the same one, another mechanism may be shown.
  Plan.onNew((same) => {
    if (same) return;
    slow.stop();
    $('plan-rows').replaceChildren();
    $('plan-rows-table').hidden = true;
  });
  $('plan-compare').addEventListener('click', compare);
  $('plan-solve-level').addEventListener('click', () => solve('level'));
  $('plan-solve-n').addEventListener('click', () => solve('n'));
  $('plan-cancel').addEventListener('click', () => {
    slow.stop();
    $('plan-compare').focus();
  });
})();
