// The worker that runs package answers. The page sends the compiled module once, then questions.
// engine.js puts Go's wasm_exec.js in front of this text, so that a new worker needs no server.
'use strict';
const waiting = [];
let ready = false;
globalThis.privbayesTell = (id, text) => postMessage({ id, text });
globalThis.privbayesReady = () => {
  ready = true;
  waiting.splice(0).forEach(put);
};
function put(m) {
  globalThis.privbayesAsk(m.id, m.question, m.file);
}
onmessage = async (e) => {
  const m = e.data;
  if (!m.module) {
    if (ready) put(m);
    else waiting.push(m);
    return;
  }
  const go = new Go();
  const instance = await WebAssembly.instantiate(m.module, go.importObject);
  go.run(instance).then(() => postMessage({ id: 0, stopped: true }));
};
