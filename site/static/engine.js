// Package answers for a page: the module is fetched and compiled once, when the page loads; from then on nothing is
// fetched, and nothing is ever sent. Each PrivBayes.engine() is a worker that can be stopped at any time.
'use strict';
const PrivBayes = (() => {
  const base = document.currentScript.src.replace(/[^/]*$/, '');
  // planner, verifier or privbayes; what runs it in a worker; the digests of the module, gzipped or not, where a page insists
  const { module, worker: runs = 'worker.js', integrity = '' } = document.currentScript.dataset;
  let loaded;
  let heard = () => {}; // gets the share of the module that has arrived

  async function wasm() {
    const response = await fetch(`${base}${module}.wasm.gz`, { integrity });
    if (!response.ok) throw new Error(`${response.status} for ${module}.wasm.gz`);
    // Compiled while it arrives. Where a server unzipped it already, the magic number of gzip is missing.
    const reader = response.body.getReader();
    let first = (await reader.read()).value ?? new Uint8Array();
    const length = Number(response.headers.get('content-length'));
    let got = 0;
    const zipped = first[0] === 0x1f;
    const rest = new ReadableStream({
      async pull(to) {
        const { value, done } = first ? { value: first } : await reader.read();
        first = null;
        got += value?.length ?? 0;
        if (zipped && length) heard(got / length);
        if (done) to.close();
        else to.enqueue(value);
      },
    });
    return WebAssembly.compileStreaming(new Response(zipped ? rest.pipeThrough(new DecompressionStream('gzip')) : rest,
      { headers: { 'content-type': 'application/wasm' } }));
  }

  async function script() {
    const texts = await Promise.all(['wasm_exec.js', ...runs.split(' ')].map(async (name) => {
      const response = await fetch(base + name);
      if (!response.ok) throw new Error(`${response.status} for ${name}`);
      return response.text();
    }));
    return URL.createObjectURL(new Blob(texts, { type: 'text/javascript' }));
  }

  // load fetches what there is to fetch; all pages call it at once, and say when it failed. part gets the share so far.
  function load(part) {
    if (part) heard = part;
    loaded ??= Promise.all([wasm(), script()]).then(([module, url]) => ({ module, url }),
      (e) => { throw Object.assign(e, { unloaded: true }); });
    return loaded;
  }

  const stopped = (reason) => Object.assign(new Error(reason), { stopped: true });

  function engine() {
    let worker = null;
    let next = 1;
    let epoch = 0; // a question of an earlier one was stopped before it reached the worker
    const open = new Map();

    async function start() {
      const { module, url } = await load();
      if (worker) return worker;
      worker = new Worker(url);
      worker.onmessage = (e) => hear(e.data);
      worker.onerror = (e) => stop(e.message || 'the worker failed');
      worker.postMessage({ module });
      return worker;
    }

    function hear(m) {
      if (m.stopped) {
        stop('it ran out of memory, or failed');
        return;
      }
      const asked = open.get(m.id);
      if (!asked) return;
      const said = JSON.parse(m.text);
      if (said.kind === 'done' || said.kind === 'error') open.delete(m.id);
      if (said.kind === 'done') asked.resolve(said.answer);
      else if (said.kind === 'error') asked.reject(Object.assign(new Error(said.text), { field: said.field }));
      else asked.part(said);
    }

    // ask gives the answer to a question; part gets what is known earlier.
    async function ask(question, { file = null, part = () => {} } = {}) {
      const mine = epoch;
      const w = await start();
      if (mine !== epoch) throw stopped('cancelled');
      return new Promise((resolve, reject) => {
        const id = next++;
        open.set(id, { resolve, reject, part });
        w.postMessage({ id, question: JSON.stringify(question), file });
      });
    }

    // stop ends whatever runs, at once. The next question starts a new worker.
    function stop(reason = 'cancelled') {
      epoch++;
      if (worker) worker.terminate();
      worker = null;
      for (const asked of open.values()) asked.reject(stopped(reason));
      open.clear();
    }

    return { ask, stop, start };
  }

  // el makes an element: attributes, then children (texts or elements). Texts are never read as HTML.
  function el(name, attributes = {}, ...children) {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith('on')) e.addEventListener(key.slice(2), value);
      else if (value === true) e.setAttribute(key, '');
      else if (value !== false && value != null) e.setAttribute(key, value);
    }
    e.append(...children.filter((c) => c != null));
    return e;
  }

  return { load, engine, el };
})();
