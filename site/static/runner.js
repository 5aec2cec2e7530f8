// The worker of the page "release": it has the files, and runs the program, once for each command. The page sends the
// compiled module, then { id, args, choose, put, get } or { id, add }; it gets { id, ... }.
'use strict';
const slice = (file, from, to) => new Uint8Array(new FileReaderSync().readAsArrayBuffer(file.slice(from, to)));
const patience = 3000; // ms that a tab waits for one that is being closed
let files;
let module;
let turn = Promise.resolve();

// handle opens a file of the log, which nobody else can open until this worker ends.
async function handle(name) {
  const folder = await navigator.storage.getDirectory();
  const file = await folder.getFileHandle(name, { create: true });
  for (const start = performance.now(); ;) {
    try {
      return await file.createSyncAccessHandle();
    } catch (e) {
      if (e.name !== 'NoModificationAllowedError' || performance.now() - start > patience) throw e;
      await new Promise((done) => { setTimeout(done, 100); });
    }
  }
}

// alone takes the lock of the page until the worker ends.
function alone() {
  return new Promise((yes, no) => {
    navigator.locks.request('privbayes release', { signal: AbortSignal.timeout(patience) }, () => {
      yes();
      return new Promise(() => {});
    }).catch(no);
  });
}

async function begin(m) {
  module = m.module;
  try {
    await alone();
    const [log, spare] = [await handle('privbayes.log'), await handle('privbayes.log.spare')];
    files = Files((each, records) => Log.open(log, each, spare, records), slice);
  } catch (e) {
    if (['NoModificationAllowedError', 'AbortError', 'TimeoutError'].includes(e.name)) {
      throw new Error('another tab of this browser has this page open, and with it the budgets. Close one of the two');
    }
    if (e.name === 'Error') throw e;
    throw new Error(`this browser gives the page no place where a budget lasts (${e.name}); private windows often do ` +
      'not');
  }
  globalThis.fs = files.fs;
  return { files: files.list() };
}

async function run(m) {
  if (m.choose) files.choose('/in/table.csv', m.choose);
  for (const [path, bytes] of Object.entries(m.put ?? {})) files.put(path, bytes);
  const go = new Go();
  go.argv = ['privbayes', ...m.args];
  go.env = { HOME: '/tmp', TMPDIR: '/tmp', TERM: 'dumb' };
  let code = 0;
  go.exit = (c) => { code = c; };
  const instance = await WebAssembly.instantiate(module, go.importObject);
  let file = null;
  let said;
  try {
    await go.run(instance);
    if (m.get) file = files.get(m.get);
  } finally {
    go._scheduledTimeouts.forEach((timeout) => clearTimeout(timeout)); // they would wake a program that has ended
    said = await files.ended();
  }
  const memory = instance.exports.mem.buffer.byteLength;
  return { code, ...said, file, memory, files: files.list(), failed: files.failed() };
}

// add takes a file that was saved earlier. A budget file only grows: of two, one must begin with the other, and the longer
// one counts. Any other file must be the one that is there, or new.
function add({ name, bytes }) {
  const path = `/vault/${name}`;
  const have = files.get(path) ?? new Uint8Array();
  const [short, long] = have.length < bytes.length ? [have, bytes] : [bytes, have];
  const grows = name.endsWith('.budget');
  if (!short.every((b, i) => b === long[i]) || !grows && short.length && short.length < long.length) {
    throw new Error(`${name} is another file than the one of this name in this browser. Neither was changed`);
  }
  if (long === bytes) files.put(path, bytes);
  return { files: files.list() };
}

onmessage = ({ data: m }) => {
  turn = turn.then(async () => {
    try {
      let done;
      if (m.module) done = await begin(m);
      else if (m.add) done = add(m.add);
      else if (m.args) done = await run(m);
      else done = { file: files.get(m.get) };
      postMessage({ id: m.id, ...done });
    } catch (e) {
      postMessage({ id: m.id, fault: e.message });
    }
  });
};
