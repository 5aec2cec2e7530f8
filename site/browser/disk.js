// The files of the page "release" over a disk that a test can stop at any write or flush: what a program that dies at each
// of them leaves behind, and what the next one makes of it. It runs the program itself, in node.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const assert = require('node:assert/strict');

const statics = path.join(__dirname, '..', 'static');

// Disk is what an access handle writes to, with the spare of a log. What was not flushed is lost, torn or kept when the
// program dies.
class Disk {
  constructor(bytes = new Uint8Array(), spare = new Uint8Array(), log = null) {
    this.durable = bytes;
    this.now = bytes;
    this.steps = [];
    this.diesAt = Infinity; // number of the write, cut or flush that does not take place
    this.log = log; // of a spare, whose steps are those of the log
    this.spare = log ? null : new Disk(spare, undefined, this);
  }

  step(what) {
    if (this.log) {
      this.log.step(what);
      return;
    }
    if (this.steps.length + 1 >= this.diesAt) {
      this.dead = true;
      throw new Error('died');
    }
    this.steps.push(what);
  }

  getSize() { return this.now.length; }

  read(to, { at }) {
    to.set(this.now.subarray(at, at + to.length));
    return Math.min(to.length, this.now.length - at);
  }

  write(bytes, { at }) {
    this.step('write');
    const next = new Uint8Array(Math.max(this.now.length, at + bytes.length));
    next.set(this.now);
    next.set(bytes, at);
    this.now = next;
    return bytes.length;
  }

  truncate(size) {
    this.step('cut');
    this.now = this.now.slice(0, size);
  }

  flush() {
    this.step('flush');
    this.durable = this.now;
  }

  // left is the disk that the next program finds.
  left(how) {
    const [log, spare] = [this, this.spare].map(({ durable, now }) => {
      if (how !== 'torn') return how === 'lost' ? durable : now;
      const same = durable.findIndex((b, i) => b !== now[i]);
      const from = same < 0 ? durable.length : same;
      return now.slice(0, from + Math.ceil((now.length - from) * 0.6));
    });
    return new Disk(log, spare);
  }
}

// made gives Log and Files, as they are or with faults: [file, text, text in its place].
function made(fault = []) {
  const text = ['log.js', 'files.js'].map((name) => {
    const is = fs.readFileSync(path.join(statics, name), 'utf8');
    if (fault[0] !== name) return is;
    assert.ok(is.includes(fault[1]), `${name} has no ${fault[1]}`);
    return is.replace(fault[1], fault[2]);
  }).join('\n');
  return new Function(`${text}; return { Log, Files };`)();
}

// filesOf are the files of a disk.
const filesOf = ({ Log, Files }, disk, slice) => Files((each, records) =>
  Log.open(disk, each, disk.spare, records), slice);

const table = `answer,age\n${Array.from({ length: 200 }, (_, i) => `${i % 3 ? 'yes' : 'no'},${18 + i % 70}`).join('\n')}\n`;
const schema = JSON.stringify({ dataset: 'survey', unit: 'person', columns: [
  { name: 'answer', kind: 'categorical', categories: ['yes', 'no'] },
  { name: 'age', kind: 'integer', edges: [18, 40, 65, 120] }] });

const encoded = (text, from, to) => new TextEncoder().encode(text).slice(from, to);

// program runs a command over a disk: { code, out, err }, or { died: true }.
async function program({ module, slice = encoded, ...with_ }, disk, args) {
  const files = filesOf(with_, disk, slice);
  files.choose('/in/table.csv', Object.assign(new String(table), { size: table.length }));
  let died;
  const death = new Promise((done) => { died = done; });
  globalThis.fs = Object.fromEntries(Object.entries(files.fs).map(([name, f]) => [name, typeof f !== 'function' ? f :
    (...all) => {
      const callback = all.at(-1);
      if (typeof callback !== 'function') return f(...all);
      if (disk.dead) return undefined;
      return f(...all.slice(0, -1), (...answer) => { if (disk.dead) died({ died: true }); else callback(...answer); });
    }]));
  const go = new Go();
  go.argv = ['privbayes', ...args];
  let code = 0;
  go.exit = (c) => { code = c; };
  const end = WebAssembly.instantiate(module, go.importObject).then((i) => go.run(i)).then(async () => ({ code,
    ...await files.ended(), names: files.list().map((f) => f.path) }));
  return Promise.race([end, death]);
}

const draw = (out) => ['release', '--schema', schema, '--data', '/in/table.csv', '--target', 'answer', '--epsilon', '1',
  '--budget', '/vault/survey.budget', '--out', `/vault/${out}.release.json`, '--json'];

async function opened(with_) {
  const disk = new Disk();
  const done = await program(with_, disk, ['budget', '/vault/survey.budget', '--schema', schema, '--epsilon', '1']);
  assert.equal(done.code, 0, done.err);
  return disk;
}

// charged are the names of the releases that the ledger of a disk has, read without the program, which would mend it.
function charged(with_, disk) {
  const files = filesOf(with_, disk);
  const names = files.list().map((f) => f.path).filter((name) => !name.endsWith('.tmp'));
  const text = new TextDecoder().decode(files.get('/vault/survey.budget') ?? new Uint8Array());
  return { names, ids: [...text.matchAll(/^\{"id":"([0-9a-f]{32})"/gm)].map((m) => m[1]) };
}

// recovered is what must hold of a disk on which a release was begun: the next try ends with one release under one
// charge, and no second one is made.
async function recovered(with_, disk) {
  const before = charged(with_, disk);
  const finished = before.names.includes('/vault/survey.release.json') &&
    !before.names.includes('/vault/survey.release.json.draft');
  assert.ok(!finished || before.ids.length, 'a release without its charge');
  const first = await program(with_, disk, draw('survey'));
  assert.equal(first.code, 0, first.err);
  const { id } = JSON.parse(first.out);
  const after = charged(with_, disk);
  assert.deepEqual(after, { names: ['/vault/survey.budget', '/vault/survey.release.json'], ids: [id] });
  assert.deepEqual(before.ids, before.ids.length ? [id] : [], 'another release than the one that was charged');
  const second = await program(with_, disk, draw('other'));
  assert.equal(second.code, 1, `a second release: ${second.out}${second.err}`);
  return { charged: before.ids.length, finished };
}

// deaths dies before each write and flush of a release on a disk with a ledger, and looks at what is left.
async function deaths(with_, begun) {
  const seen = { disks: new Set(), charged: 0, finished: 0 };
  for (let at = 1; ; at++) {
    const disk = new Disk(begun.durable);
    disk.diesAt = at;
    let ended;
    try {
      ended = await program(with_, disk, draw('survey'));
    } catch (e) {
      if (!disk.dead) throw e;
      ended = { died: true };
    }
    if (!ended.died) {
      assert.equal(ended.code, 0, ended.err);
      const left = await recovered(with_, disk.left('lost'));
      assert.ok(left.finished && left.charged, 'what was told is gone');
      return { ...seen, steps: disk.steps };
    }
    for (const how of ['lost', 'torn']) {
      const left = disk.left(how);
      if (seen.disks.has(left.now.length)) continue; // the same records as at an earlier step
      seen.disks.add(left.now.length);
      let found;
      try {
        found = await recovered(with_, left);
      } catch (e) {
        throw new assert.AssertionError({ message: `dead before step ${at}, what was not flushed ${how}: ${e.message}` });
      }
      seen.charged += found.charged;
      seen.finished += found.finished ? 1 : 0;
    }
  }
}

// replaced dies before each write and flush of a ledger that is opened over a shorter one: either is there, whole.
function replaced(with_) {
  const [short, long] = ['one\n', 'one\ntwo\n'].map((t) => new TextEncoder().encode(t));
  const over = (disk) => filesOf(with_, disk);
  const begun = new Disk();
  over(begun).put('/vault/a.budget', short);
  for (let at = 1; ; at++) {
    const disk = new Disk(begun.durable);
    disk.diesAt = at;
    try {
      over(disk).put('/vault/a.budget', long);
      assert.deepEqual(over(disk.left('lost')).get('/vault/a.budget'), long, 'what was told is gone');
      return at - 1;
    } catch (e) {
      if (!disk.dead) throw e;
    }
    for (const how of ['lost', 'torn', 'kept']) {
      const found = over(disk.left(how)).get('/vault/a.budget');
      assert.ok([short, long].some((b) => Buffer.compare(b, found ?? new Uint8Array()) === 0), `dead before step ${at}, ${how}`);
    }
  }
}

// compacted dies before each step of the opening of a log most of which is of the past: no file is lost. Then it damages
// the beginning of the log, which the spare must not hide: charges came after it.
function compacted(with_) {
  const text = (disk, path) => new TextDecoder().decode(filesOf(with_, disk).get(path) ?? new Uint8Array());
  const put = (files, path, content) => files.put(path, new TextEncoder().encode(content));
  const before = new Disk();
  const files = filesOf(with_, before);
  for (const digit of '1234') put(files, '/vault/r.json', digit.repeat(4e5));
  put(files, '/vault/a.budget', 'one\n');
  const begun = new Disk(before.durable, before.spare.durable);
  assert.ok(begun.getSize() > 1.1e6, `${begun.getSize()}`);
  for (let at = 1; ; at++) {
    const disk = new Disk(begun.durable, begun.spare.durable);
    disk.diesAt = at;
    try {
      put(filesOf(with_, disk), '/vault/a.budget', 'one\ntwo\n');
    } catch (e) {
      if (!disk.dead) throw e;
    }
    for (const how of disk.dead ? ['lost', 'torn', 'kept'] : ['lost']) {
      const left = disk.left(how);
      const budgets = ['one\ntwo\n', ...disk.dead ? ['one\n'] : []];
      assert.ok(budgets.includes(text(left, '/vault/a.budget')), `dead before step ${at}, ${how}: a budget is gone`);
      assert.equal(text(left, '/vault/r.json'), '4'.repeat(4e5), `dead before step ${at}, ${how}`);
    }
    if (disk.dead) continue;
    assert.ok(disk.getSize() < 4.1e5, `${disk.getSize()} bytes are left of ${begun.getSize()}`);
    const damaged = new Disk(disk.durable.slice(), disk.spare.durable);
    damaged.now[50] ^= 1;
    assert.throws(() => filesOf(with_, damaged), /damaged/);
    return at - 1;
  }
}

const renames = "change(lasting(a), { op: 'rename', from: a, path: b });";
const faults = {
  'a flush that does not record': ['log.js', 'attempt(() => handle.flush());', ''],
  'a ledger in memory': ['files.js', "change(lasting(h.path), { op: 'write'",
    "change(lasting(h.path) && !h.path.endsWith('.budget'), { op: 'write'"],
  'a rename that is forgotten': ['files.js', renames, renames.replace('lasting(a)', 'false')],
  'a rename that copies and then truncates': ['files.js', renames,
    `const f = names.get(a);
      change(lasting(b), { op: 'file', path: b, file: number, time: f.time });
      change(lasting(b), { op: 'write', file: number - 1, at: 0, time: f.time }, f.bytes.slice(0, f.size), names.get(b));
      change(lasting(a), { op: 'size', file: f.number, size: 0, time: f.time }, undefined, f);`],
  'a log that is compacted before its spare is on disk': ['log.js', `spare.flush();
    copy(spare, handle);`, `copy(spare, handle);
    spare.flush();`],
  'a spare that takes the place of later records': ['log.js', 'all.length <= kept.length && ', ''],
  'a spare that is not looked at': ['log.js', 'if (whole(kept)', 'if (false'],
};

module.exports = { Disk, made, filesOf, program, opened, charged, deaths, replaced, compacted, draw, faults };
