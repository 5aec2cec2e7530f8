// The log in which the files of the page "release" last: records one after the other in a file of the browser, appended
// and never changed. What was flushed is there after a crash; of what was not, a beginning may be.
//
// A record is 16 bytes (mark, length of the body, bytes of the log that were flushed when it was written, CRC-32 of all
// but the mark) and the body: a line of JSON, then bytes. All numbers are of 4 bytes, the first one most significant.
//
// A log most of which is of the past is compacted when it is opened: what makes its files is written to a second file,
// the spare, and copied over the log once it is on disk. A log that is no longer than a whole spare, and differs from
// it, was not copied to its end, and is copied again. A longer one is older or has later records, and is left as it is.
'use strict';
const Log = (() => { // eslint-disable-line no-unused-vars
  const mark = 0x50425231; // PBR1
  const head = 16;
  const most = 1 << 30; // bytes of the log
  const least = 1 << 20; // bytes of a log that is compacted
  const first = { op: 'log', format: 1 };
  const last = { op: 'whole' }; // the end of what a log was compacted to

  const table = Uint32Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c;
  });
  function crc(c, bytes) {
    for (let i = 0; i < bytes.length; i++) c = table[(c ^ bytes[i]) & 255] ^ (c >>> 8);
    return c;
  }
  const sumOf = (record) => ~crc(crc(~0, record.subarray(4, 12)), record.subarray(head)) >>> 0;

  function encoded(what, bytes, flushed) {
    const line = new TextEncoder().encode(`${JSON.stringify(what)}\n`);
    const record = new Uint8Array(head + line.length + bytes.length);
    const view = new DataView(record.buffer);
    view.setUint32(0, mark);
    view.setUint32(4, line.length + bytes.length);
    view.setUint32(8, flushed);
    record.set(line, head);
    record.set(bytes, head + line.length);
    view.setUint32(12, sumOf(record));
    return record;
  }

  // decoded gives the record that begins at a place, or null if none does.
  function decoded(all, at) {
    const view = new DataView(all.buffer, all.byteOffset);
    if (at + head > all.length || view.getUint32(at) !== mark) return null;
    const end = at + head + view.getUint32(at + 4);
    if (end > all.length) return null;
    const record = all.subarray(at, end);
    if (sumOf(record) !== view.getUint32(at + 12)) return null;
    const line = record.indexOf(10, head);
    return { end, flushed: view.getUint32(at + 8), bytes: record.slice(line + 1),
      what: JSON.parse(new TextDecoder().decode(record.subarray(head, line))) };
  }

  function contents(handle) {
    const all = new Uint8Array(handle.getSize());
    if (handle.read(all, { at: 0 }) !== all.length) throw new Error('the log of this page cannot be read');
    return all;
  }
  function put(handle, bytes, at) {
    for (let n = 0; n < bytes.length;) {
      const wrote = handle.write(bytes.subarray(n), { at: at + n });
      if (!(wrote > 0)) throw new Error('nothing was written');
      n += wrote;
    }
  }
  // whole reports whether a spare was written to its end.
  function whole(bytes) {
    for (let r = decoded(bytes, 0); r; r = decoded(bytes, r.end)) {
      if (r.end === bytes.length) return r.what.op === last.op;
    }
    return false;
  }

  // compact makes records the log: the spare is on disk before the log is touched.
  function compact(handle, spare, records) {
    spare.truncate(0);
    let end = 0;
    const append = (record) => {
      put(spare, record, end);
      end += record.length;
    };
    for (const { what, bytes = new Uint8Array() } of [{ what: first }, ...records]) append(encoded(what, bytes, 0));
    spare.flush();
    append(encoded(last, new Uint8Array(), end)); // it says that all before it is on disk
    spare.flush();
    copy(spare, handle);
  }
  function copy(spare, handle) {
    const bytes = contents(spare);
    handle.truncate(0);
    put(handle, bytes, 0);
    handle.flush();
    return bytes;
  }

  // open reads a log of an access handle, record by record, to the last that is whole. What follows was never flushed,
  // and is cut off; where it was flushed, the log is damaged, charges may be missing, and it is refused.
  // records gives those that make the files that were read.
  function open(handle, each, spare, records) {
    let all = contents(handle);
    const kept = contents(spare);
    if (whole(kept) && all.length <= kept.length && kept.some((b, i) => b !== all[i])) all = copy(spare, handle);
    let end = 0;
    for (let r = decoded(all, 0); r; r = decoded(all, end)) {
      if (end === 0 && (r.what.op !== first.op || r.what.format !== first.format)) {
        throw new Error('the log of this page was written by another version of it; reload the page, or use that one');
      }
      if (end > 0 && r.what.op !== last.op) each(r.what, r.bytes);
      end = r.end;
    }
    for (let at = end; at < all.length; at++) {
      if (decoded(all, at)?.flushed > end || end === 0 && at > 100) { // the first record is shorter
        throw new Error('the log of this page is damaged, so that charges may be missing from its budgets: nothing is ' +
          'released. Open the budget file that you saved, in another browser profile');
      }
    }
    if (end < all.length) handle.truncate(end);
    if (end > least && records().reduce((size, r) => size + (r.bytes?.length ?? 0) + 200, 0) < end / 2) {
      compact(handle, spare, records());
      end = handle.getSize();
    }
    let flushed = 0; // nothing that was read is known to be on disk
    let broken = false; // what a write or a flush that failed left behind is not known

    function attempt(f) {
      if (broken) throw new Error('an earlier write to the log failed');
      broken = true;
      const value = f();
      broken = false;
      return value;
    }
    // append writes a record, which lasts when it is flushed.
    function append(what, bytes = new Uint8Array()) {
      const record = encoded(what, bytes, flushed);
      if (end + record.length > most) throw new Error('the log is full');
      attempt(() => put(handle, record, end));
      end += record.length;
    }
    function flush() {
      if (flushed === end) return;
      attempt(() => handle.flush());
      flushed = end;
    }
    if (end === 0) append(first);
    flush();
    return { append, flush, size: () => end };
  }
  return { open };
})();
