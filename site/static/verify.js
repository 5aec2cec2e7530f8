// The page "verify": a release file in, every line of its certificate derived again.
'use strict';
(() => {
  const { el, engine, load } = PrivBayes;
  const mostBytes = 32 * 1024 * 1024; // as package answers has it: a longer file is not even read
  const $ = (id) => document.getElementById(id);
  const worker = engine();
  let turn = 0;
  let ready = false;

  function say(text, busy = false) {
    $('verify-status').textContent = text;
    $('verify-cancel').hidden = !busy;
    $('verify-bar').hidden = !busy;
    if (busy) $('verify-bar').removeAttribute('value');
  }

  const unloaded = (e) => say(`The checker could not be loaded: ${e.message}. It needs a browser of 2023 or later.`);

  async function verify(file) {
    const mine = ++turn;
    worker.stop();
    $('verify-verdict').replaceChildren();
    if (file.size > mostBytes) {
      say('');
      show(file, {
        outcome: 'too large', headline: 'This file takes more than a page may.',
        reason: `The file has ${file.size} bytes; this page reads up to ${mostBytes}.`,
        advice: 'Run the command line, which has room for it: privbayes verify FILE',
      });
      return;
    }
    if (!ready) say(`${file.name} waits until the checker has arrived.`, true);
    try {
      await load();
      if (mine !== turn) return;
      say(`Deriving the certificate of ${file.name} again …`, true);
      const start = performance.now();
      const bytes = new Uint8Array(await file.arrayBuffer());
      const verdict = await worker.ask({ op: 'verify' }, {
        file: bytes,
        part: (p) => {
          if (mine !== turn || p.kind !== 'progress') return;
          $('verify-bar').value = p.share;
          $('verify-status').textContent = `Deriving: ${Math.round(100 * p.share)} % of this step, ` +
            `${((performance.now() - start) / 1000).toFixed(0)} s`;
        },
      });
      if (mine !== turn) return;
      const ms = performance.now() - start;
      say('');
      show(file, verdict, ms);
    } catch (e) {
      if (mine !== turn) return;
      if (e.unloaded) {
        unloaded(e);
        return;
      }
      say('');
      show(file, { outcome: 'unreadable', headline: 'This file could not be verified here.', reason: e.message,
        advice: 'The command line may have room for it: privbayes verify FILE' });
    }
  }

  const words = { verified: 'verified', 'not private': 'not private', failed: 'not verified', unreadable: 'no release', 'too large': 'too large' };

  function show(file, v, ms) {
    const box = el('section', { class: `pb-verdict pb-${v.outcome.replace(' ', '-')}`, 'aria-labelledby': 'pb-headline' });
    box.dataset.outcome = v.outcome;
    if (ms !== undefined) box.dataset.ms = Math.round(ms);
    box.append(el('h2', { id: 'pb-headline', tabindex: '-1' },
      el('span', { class: 'pb-tag' }, words[v.outcome] || v.outcome), ' ', v.headline));
    box.append(el('p', { class: 'pb-file' }, file.name + (v.title ? `: ${v.title}` : '')));
    for (const w of v.warnings || []) box.append(el('p', { class: 'pb-warning' }, `Warning: ${w}`));
    if (v.reason) box.append(el('p', { class: 'pb-reason' }, v.reason));
    if (v.advice) box.append(el('p', {}, v.advice));
    if (v.checks && v.checks.length) {
      box.append(el('ol', { class: 'pb-checks' }, ...v.checks.map(check)));
    }
    for (const n of v.notes || []) box.append(el('p', {}, n));
    box.append(el('p', { class: 'pb-last' }, el('span', { class: 'pb-tag' }, words[v.outcome] || v.outcome), ' ', v.headline));
    $('verify-verdict').replaceChildren(box);
    $('pb-headline').focus();
  }

  function check(c) {
    const item = el('li', { class: c.status === 'FAILED' ? 'pb-bad' : '' },
      el('p', { class: 'pb-statement' }, el('span', { class: 'pb-tag' }, c.status), ' ', c.statement),
      el('p', {}, c.sentence, ' ', el('a', { href: `docs/reference/certificates.html#${c.anchor}` }, 'What this means')),
      el('p', { class: 'pb-numbers' }, `stated ${c.stated} · derived now ${c.derived} · at most ${c.bound}`));
    if (c.theorem) item.append(el('p', { class: 'pb-numbers' }, `Rests on the ${c.theorem}.`));
    if (c.program) item.append(el('p', { class: 'pb-numbers' }, `As programmed, it rests on the ${c.program}.`));
    return item;
  }

  const drop = $('verify-drop');
  $('verify-file').addEventListener('change', (e) => {
    if (e.target.files.length) verify(e.target.files[0]);
    e.target.value = '';
  });
  for (const name of ['dragenter', 'dragover']) {
    drop.addEventListener(name, (e) => {
      e.preventDefault();
      drop.classList.add('pb-over');
    });
  }
  for (const name of ['dragleave', 'drop']) drop.addEventListener(name, () => drop.classList.remove('pb-over'));
  drop.addEventListener('drop', (e) => {
    e.preventDefault();
    if (e.dataTransfer.files.length) verify(e.dataTransfer.files[0]);
  });
  $('verify-cancel').addEventListener('click', () => {
    turn++; // whatever is under way, also the reading of the file, is no longer asked for
    worker.stop();
    say('Cancelled. Nothing was found out about the file.');
    $('verify-file').focus();
  });

  // A file may be chosen before the checker is there: it waits.
  say('Loading the checker. You can choose a file now.');
  $('verify-bar').hidden = false;
  load((share) => {
    if (!ready) $('verify-bar').value = share;
  }).then(() => worker.start()).then(() => {
    ready = true;
    document.documentElement.dataset.engine = 'ready';
    if (turn === 0) say('Ready. From here on this page needs no network.');
  }, unloaded);
})();
