// The files of the page "release", in node: the program dies at each write and flush of a release, and of a ledger that is
// opened; a log that is torn is cut, one that is damaged is refused; faults of the files are found.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const assert = require('node:assert/strict');
const zlib = require('node:zlib');
const { Disk, made, filesOf, program, opened, charged, deaths, replaced, compacted, draw, faults } = require('./disk.js');

const bytes = (text) => new TextEncoder().encode(text);

// whole reads every log that a disk can have after a tear: the files are those of a beginning.
function torn(with_) {
  const disk = new Disk();
  const files = filesOf(with_, disk);
  const sizes = [disk.getSize()];
  for (const text of ['a', 'bb', 'ccc']) {
    files.put('/vault/f', bytes(text));
    sizes.push(disk.getSize());
  }
  for (let n = 0; n <= disk.getSize(); n++) {
    const cut = new Disk(disk.now.slice(0, n));
    const found = filesOf(with_, cut).get('/vault/f');
    const last = sizes.findLastIndex((s) => s <= n);
    assert.equal(new TextDecoder().decode(found ?? new Uint8Array()), ['', 'a', 'bb', 'ccc'][Math.max(last, 0)], `cut at ${n}`);
  }
  return { disk, sizes };
}

// damaged changes each byte of what was flushed: the log is refused, or nothing of it is missing but the last records,
// which nothing follows that was flushed later.
function damaged(with_, { disk, sizes }) {
  let refused = 0;
  for (let at = 0; at < sizes[1]; at++) {
    const now = disk.now.slice();
    now[at] ^= 1;
    assert.throws(() => filesOf(with_, new Disk(now)), /damaged|version/, `byte ${at}`);
    refused++;
  }
  return refused;
}

module.exports = async (_, { html, check, times }) => {
  require(path.join(html, '_static', 'wasm_exec.js'));
  const zipped = fs.readFileSync(path.join(html, '_static', 'privbayes.wasm.gz'));
  const module = await WebAssembly.compile(zlib.gunzipSync(zipped));
  const sound = { module, ...made() };
  let begun;

  await check('a log that is torn anywhere gives a beginning, one that is damaged is refused', () => {
    const left = torn(sound);
    assert.ok(damaged(sound, left) > 100);
    const full = new Disk();
    const log = sound.Log.open(full, () => {}, full.spare, () => []);
    full.diesAt = full.steps.length + 1;
    assert.throws(() => log.append({ op: 'unlink', path: '/vault/f' }));
    full.diesAt = Infinity;
    assert.throws(() => log.flush() || log.append({ op: 'unlink', path: '/vault/f' }), /earlier write/);
  });

  await check('dead at each write and flush: one release under one charge', async () => {
    begun = new Disk((await opened(sound)).durable);
    const start = performance.now();
    const seen = await deaths(sound, begun);
    times['deaths in node'] = performance.now() - start;
    assert.ok(seen.steps.filter((s) => s === 'flush').length >= 8, `${seen.steps}`);
    assert.ok(seen.disks.size >= 20 && seen.charged >= 10 && seen.charged < seen.disks.size, `${seen.charged} of ${seen.disks.size}`);
    assert.ok(replaced(sound) >= 4);
  });

  await check('dead at each step of a log that is compacted: no file is lost', () => {
    assert.ok(compacted(sound) >= 8);
  });

  for (const [name, fault] of Object.entries(faults)) {
    await check(`${name} is found`, async () => {
      const faulty = { module, ...made(fault) };
      await assert.rejects(async () => {
        compacted(faulty);
        await deaths(faulty, begun);
        replaced(faulty);
      }, (e) => e instanceof assert.AssertionError);
    });
  }

  await check('a table that can no longer be read gives an error, no release and no charge', async () => {
    const slice = () => { throw new DOMException('the file is gone', 'NotFoundError'); }; // its code is a number
    const disk = new Disk(begun.durable);
    const done = await program({ ...sound, slice }, disk, draw('survey'));
    assert.notEqual(done.code, 0);
    assert.match(JSON.parse(done.err).error.text, /table\.csv/);
    assert.deepEqual(charged(sound, disk), { names: ['/vault/survey.budget'], ids: [] });
  });

  await check('randomness that repeats itself, or fails, gives no release', async () => {
    const { getRandomValues } = globalThis.crypto;
    const own = (f) => Object.defineProperty(globalThis.crypto, 'getRandomValues', { value: f, configurable: true });
    try {
      for (const [f, said] of [[(b) => b.fill(7), /repeats itself/], [() => { throw new Error('no randomness'); }, null]]) {
        const disk = new Disk(begun.durable);
        own(f);
        let done;
        try {
          done = await program(sound, disk, draw('survey'));
        } catch (e) {
          done = { code: -1, err: e.message, names: [] };
        }
        assert.notEqual(done.code, 0);
        if (said) assert.match(done.err, said);
        own(getRandomValues);
        const after = await program(sound, disk.left('lost'), ['budget', '/vault/survey.budget', '--json']);
        assert.deepEqual(JSON.parse(after.out).charges, []);
        assert.ok(!after.names.includes('/vault/survey.release.json'), `${after.names}`);
        const again = await program(sound, disk.left('lost'), draw('survey'));
        assert.equal(again.code, 0, again.err);
      }
    } finally {
      own(getRandomValues);
    }
  });
};
