// The files that the program sees: what Go's package os calls in a browser. Below /vault they last, in the log; fsync,
// rename and unlink return when that is on disk, so that a name or a file that a program was told of is there
// after a crash. Below /in is the table, which is read by pieces from the file that was chosen, and nowhere written.
// The rest is memory.
'use strict';
// Files makes them: open is called with what applies a record of the log, and with what gives the records that make the
// files, and gives the log; slice reads bytes of a chosen file.
function Files(open, slice) { // eslint-disable-line no-unused-vars
  const piece = 4 << 20; // bytes of the table that are read at a time
  const folders = ['/', '/in', '/tmp', '/vault'];
  const names = new Map(); // path: node
  const nodes = new Map(); // number: node, of those that last
  const opened = new Map(); // descriptor: { node, path, at, append }
  const said = { 1: [], 2: [] }; // what was written to standard output and standard error
  let number = 1;
  let descriptor = 3;
  let failed = false; // a write to the log, after which there is no other

  const failure = (code) => Object.assign(new Error(code), { code });
  const lasting = (path) => path.startsWith('/vault/');
  const node = (n) => ({ number: n, bytes: new Uint8Array(), size: 0, time: 0 });

  function sized(f, size) {
    if (size > f.bytes.length) {
      const more = new Uint8Array(Math.max(size, 2 * f.bytes.length, 1024));
      more.set(f.bytes.subarray(0, f.size));
      f.bytes = more;
    }
    if (size < f.size) f.bytes.fill(0, size, f.size);
    f.size = size;
  }

  // applied are the changes that a record of the log can be. The same functions change the files and replay the log.
  const applied = {
    file({ path, file, time }) {
      const f = node(file);
      f.time = time;
      number = Math.max(number, file + 1);
      names.set(path, f);
      if (lasting(path)) nodes.set(file, f);
    },
    write({ file, at, time }, bytes, f = nodes.get(file)) {
      sized(f, Math.max(f.size, at + bytes.length));
      f.bytes.set(bytes, at);
      f.time = time;
    },
    size({ file, size, time }, _, f = nodes.get(file)) {
      sized(f, size);
      f.time = time;
    },
    rename({ from, path }) {
      const f = names.get(from);
      names.delete(from);
      names.set(path, f);
    },
    unlink({ path }) { names.delete(path); },
  };
  // records are those that make the files that last.
  const records = () => [...names].filter(([path]) => lasting(path)).flatMap(([path, f]) => [
    { what: { op: 'file', path, file: f.number, time: f.time } },
    { what: { op: 'write', file: f.number, at: 0, time: f.time }, bytes: f.bytes.subarray(0, f.size) }]);
  const log = open((what, bytes) => applied[what.op](what, bytes), records);

  // change makes a change; one that lasts is in the log before.
  function change(lasts, what, bytes, f) {
    if (lasts) {
      try {
        log.append(what, bytes);
      } catch {
        failed = true;
        throw failure('EIO');
      }
    }
    applied[what.op](what, bytes, f);
  }
  function flush() {
    try {
      log.flush();
    } catch {
      failed = true;
      throw failure('EIO');
    }
  }

  const whole = (path) => (path.startsWith('/') ? path : `/vault/${path}`).replace(/\/+$/, '') || '/';
  function named(path) {
    const f = names.get(whole(path));
    if (!f) throw failure('ENOENT');
    return f;
  }
  function held(fd) {
    const h = opened.get(fd);
    if (!h) throw failure('EBADF');
    return h;
  }
  function stat(f) {
    const time = f?.time ?? 0;
    return { dev: 1, ino: f?.number ?? 0, mode: f ? 0o100600 : 0o40700, nlink: 1, uid: 0, gid: 0, rdev: 0,
      size: f?.size ?? 0, blksize: 4096, blocks: 0, atimeMs: time, mtimeMs: time, ctimeMs: time, isDirectory: () => !f };
  }
  const statOf = (path) => stat(folders.includes(whole(path)) ? null : named(path));

  function chosen(f, at, length) {
    const from = Math.floor(at / piece) * piece;
    if (f.from !== from) {
      f.piece = slice(f.chosen, from, Math.min(from + piece, f.size));
      f.from = from;
    }
    return f.piece.subarray(at - from, at - from + length);
  }

  const constants = { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024,
    O_DIRECTORY: 65536 };
  const fs = {
    open(name, flags) {
      const path = whole(name);
      if (!folders.includes(path)) {
        const there = names.get(path);
        const makes = flags & constants.O_CREAT;
        if (there && makes && flags & constants.O_EXCL) throw failure('EEXIST');
        if (!there && !makes) throw failure('ENOENT');
        if (there?.chosen && flags & (constants.O_WRONLY | constants.O_RDWR)) throw failure('EACCES');
        if (!there) {
          if (!/^\/(vault|tmp)\/[^/]+$/.test(path)) throw failure('ENOENT');
          change(lasting(path), { op: 'file', path, file: number, time: Date.now() });
        } else if (flags & constants.O_TRUNC && there.size) {
          change(lasting(path), { op: 'size', file: there.number, size: 0, time: Date.now() }, undefined, there);
        }
      }
      opened.set(descriptor, { node: names.get(path), path, at: 0, append: flags & constants.O_APPEND });
      return descriptor++;
    },
    close(fd) {
      held(fd);
      opened.delete(fd);
    },
    read(fd, buffer, offset, length, position) {
      if (fd === 0) return 0;
      const h = held(fd);
      const f = h.node;
      if (!f) throw failure('EISDIR');
      const at = Number(position ?? h.at);
      const n = Math.min(length, f.size - at);
      if (n <= 0) return 0;
      const bytes = f.chosen ? chosen(f, at, n) : f.bytes.subarray(at, at + n);
      buffer.set(bytes, offset);
      if (position == null) h.at += bytes.length;
      return bytes.length;
    },
    write(fd, buffer, offset, length, position) {
      const bytes = buffer.slice(offset, offset + length);
      if (fd in said) {
        said[fd].push(bytes);
        return length;
      }
      const h = held(fd);
      const at = h.append ? h.node.size : Number(position ?? h.at);
      change(lasting(h.path), { op: 'write', file: h.node.number, at, time: Date.now() }, bytes, h.node);
      if (position == null) h.at = at + length;
      return length;
    },
    ftruncate(fd, size) {
      const h = held(fd);
      change(lasting(h.path), { op: 'size', file: h.node.number, size, time: Date.now() }, undefined, h.node);
    },
    fsync(fd) {
      if (lasting(held(fd).path)) flush();
    },
    rename(from, to) {
      const [a, b] = [whole(from), whole(to)];
      named(a);
      if (lasting(a) !== lasting(b)) throw failure('EXDEV');
      change(lasting(a), { op: 'rename', from: a, path: b });
      if (lasting(a)) flush();
    },
    unlink(name) {
      named(name);
      const path = whole(name);
      change(lasting(path), { op: 'unlink', path });
      if (lasting(path)) flush();
    },
    fstat: (fd) => stat(held(fd).node),
    stat: statOf,
    lstat: statOf,
    readdir(name) {
      const below = whole(name).replace(/\/?$/, '/');
      return [...names.keys(), ...folders].filter((p) => p.startsWith(below) && p.length > below.length)
        .map((p) => p.slice(below.length)).filter((p) => !p.includes('/'));
    },
    chmod() {},
    fchmod() {},
    readlink() { throw failure('EINVAL'); },
  };
  // go is fs as Go calls it: the result, or the error, goes to the callback that comes last.
  const go = { constants,
    writeSync(fd, bytes) {
      said[fd].push(bytes.slice());
      return bytes.length;
    } };
  for (const name of ['open', 'close', 'read', 'write', 'ftruncate', 'fsync', 'rename', 'unlink', 'fstat', 'stat',
    'lstat', 'readdir', 'chmod', 'fchmod', 'readlink', 'chown', 'fchown', 'lchown', 'mkdir', 'rmdir', 'link', 'symlink',
    'truncate', 'utimes']) {
    go[name] = (...args) => {
      const callback = args.pop();
      let value;
      try {
        if (!fs[name]) throw failure('ENOSYS');
        value = fs[name](...args);
      } catch (e) {
        callback(typeof e.code === 'string' ? e : failure('EIO')); // those of a browser's errors are numbers
        return;
      }
      callback(null, value);
    };
  }

  async function text(fd) {
    const all = await new Blob(said[fd]).text();
    said[fd] = [];
    return all;
  }
  return {
    fs: go,
    // choose makes the chosen file one to read.
    choose(path, file) {
      names.set(path, { number: number++, chosen: file, size: file.size, time: file.lastModified ?? 0, from: -1 });
    },
    // put makes or replaces a file: one that lasts is on disk when put returns, whole or not at all.
    put(path, bytes) {
      const at = lasting(path) ? `${path}.put` : path;
      const fd = fs.open(at, constants.O_CREAT | constants.O_TRUNC | constants.O_WRONLY);
      fs.write(fd, bytes, 0, bytes.length, 0);
      fs.close(fd);
      if (at !== path) fs.rename(at, path);
    },
    get(path) {
      const f = names.get(path);
      return f ? f.bytes.slice(0, f.size) : null;
    },
    failed: () => failed,
    list: () => [...names.keys()].filter(lasting).map((path) => ({ path, size: names.get(path).size })).sort((a, b) =>
      (a.path < b.path ? -1 : 1)),
    // ended is after a run of the program: what it wrote to its outputs; what it left open or in /tmp is gone.
    async ended() {
      opened.clear();
      for (const path of names.keys()) if (path.startsWith('/tmp/')) names.delete(path);
      return { out: await text(1), err: await text(2) };
    },
  };
}
