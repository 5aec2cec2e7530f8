// Package journal prevents that a release is lost or made twice, whatever fails and wherever the program ends.
//
// A draft is next to the file that it will become. Its head, on disk before the budget is charged, holds the name of
// the release, so that the next try charges the same name, which is free, and room for the release, so that a full disk
// is noticed before anything is spent. The file is
//
//	0      head: the name of the release, a digest of its plan, the attempt; one line of JSON
//	4096   key: 32 bytes, zeros at first
//	8192   box: length, SHA-256 and content, encrypted; random bytes at first, with room left for the file itself
//
// What is drawn goes into the box under a key that is in memory only; when the box is on disk, one write of 32 bytes,
// which lie in one sector, adds the key. So at every moment either nobody can have read any of the draw, and to draw
// again under the same name is to draw for the first time; or all of it stands there, and nobody needs to draw again. A
// draw that was handed out without being kept leaves a mark in the place of the key, on disk before it is handed out;
// from then on nobody draws under that name.
//
// The room, and so the size of the draft until the key is there, depends on public facts only.
//
// A [Draft] has a [State] and a [Head]; [Files] is the file system that it needs, with locks and folders that are on
// disk when a call returns. Ledgers, reports and synthetic sets are written with the same functions.
package journal

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// State is how far a draft has come.
type State int

// The states of a draft.
const (
	Empty    State = iota // new, or the program ended before its room was made: nothing was charged
	Reserved              // it has a name and room; it may be charged, and nobody saw a draw
	Sealed                // it holds the whole release
	Shown                 // a release of this name was handed out and does not stand here
)

// Head names a draft.
type Head struct {
	Format  string `json:"format"`
	ID      string `json:"id"`      // of the release
	Plan    string `json:"plan"`    // digest of everything public that decides its law
	Attempt string `json:"attempt"` // random: of two that draw under one name, the later one counts
}

const format = "privbayes-draft-1"

const (
	keyAt = 4096
	boxAt = 8192
)

// Draft is an open draft. The caller has it alone until Close.
type Draft struct {
	files   Files
	file    File
	path    string // of the file that it becomes
	unlock  func()
	state   State
	head    Head
	key     key // of this attempt
	content []byte
}

// Path is where the draft of a file stands.
func Path(of string) string { return of + ".draft" }

// local locks drafts within this process where files have no locks.
var local sync.Map

// Open opens the draft of the file at path, or makes an empty one, and waits until it has it alone or ctx ends.
func Open(ctx context.Context, files Files, path string) (*Draft, error) {
	return open(ctx, files, path, os.O_RDWR|os.O_CREATE)
}

func open(ctx context.Context, files Files, path string, flag int) (*Draft, error) {
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d, err := tryOpen(files, path, flag)
		if d != nil || err != nil {
			return d, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// tryOpen is nil without an error if another has the draft, or had it and took it away.
func tryOpen(files Files, path string, flag int) (*Draft, error) {
	at := Path(path)
	if info, err := files.Lstat(at); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: at, Err: errors.New("not a file")}
	}
	f, err := files.OpenFile(at, flag, 0o600)
	if err != nil {
		return nil, err
	}
	d := &Draft{files: files, file: f, path: path, unlock: func() {}}
	switch locked, err := f.TryLock(); {
	case errors.Is(err, errors.ErrUnsupported):
		if _, taken := local.LoadOrStore(at, true); taken {
			return nil, f.Close()
		}
		d.unlock = func() { local.Delete(at) }
	case err != nil:
		return nil, errors.Join(err, f.Close())
	case !locked:
		return nil, f.Close()
	}
	mine, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if there, err := files.Lstat(at); err != nil || !files.SameFile(mine, there) {
		return nil, errors.Join(gone(err), d.Close())
	}
	if err := d.read(mine.Size()); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// read finds the state. A head that is not whole was never on disk when something was charged.
func (d *Draft) read(size int64) error {
	head := make([]byte, keyAt)
	n, err := d.file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	line, _, whole := bytes.Cut(head[:n], []byte("\n"))
	if !whole || json.Unmarshal(line, &d.head) != nil || d.head.Format != format || d.head.ID == "" {
		d.head = Head{}
		return nil
	}
	d.state = Reserved
	var k key
	if n, err := d.file.ReadAt(k[:], keyAt); n == 0 || k == (key{}) {
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		return nil
	}
	d.state = Shown
	if content, ok := k.readBox(d.file, boxAt, size); ok {
		d.state, d.content = Sealed, content
	}
	// Whoever wrote the key, or the mark, may have ended before its sync, or been told that it failed. What is read may
	// then be in memory only; it is written again, as a sync that failed once says nothing about what it left behind
	// when it is asked again.
	if err := writeAll(d.file, k[:], keyAt); err != nil {
		return err
	}
	return d.file.Sync()
}

// State is how far the draft has come.
func (d *Draft) State() State { return d.state }

// Head names the draft; it is zero while the draft is Empty.
func (d *Draft) Head() Head { return d.head }

// Content is the release of a Sealed draft.
func (d *Draft) Content() []byte { return d.content }

// Reserve names the draft, makes room for a content of so many bytes and for the file made of it, and returns when all
// of it is on disk. Without it nothing may be charged or drawn; what is drawn then is sealed or shown under this
// attempt.
func (d *Draft) Reserve(id, plan string, room int64) error {
	if d.state > Reserved {
		return errors.New("draft: a draft that holds a draw has no room for another")
	}
	attempt, err := newKey()
	if err == nil {
		d.key, err = newKey() // now, so that a source of randomness that fails later does not matter
	}
	if err != nil {
		return err
	}
	h := Head{Format: format, ID: id, Plan: plan, Attempt: fmt.Sprintf("%x", attempt[:16])}
	line, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if len(line) >= 512 {
		return fmt.Errorf("draft: a head of %d bytes; want one that a single sector holds", len(line))
	}
	info, err := d.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < boxAt+2*room {
		if err := d.fill(boxAt + 2*room); err != nil {
			return err
		}
	}
	sector := make([]byte, 512)
	copy(sector, append(line, '\n'))
	if err := writeAll(d.file, sector, 0); err != nil {
		return err
	}
	if err := d.file.Sync(); err != nil {
		return err
	}
	if err := d.files.SyncDir(filepath.Dir(d.path)); err != nil {
		return err
	}
	d.state, d.head = Reserved, h
	return nil
}

// fill takes the room with random bytes: a file system that compresses gives no room for zeros, and they would show how
// long a box is.
func (d *Draft) fill(end int64) error {
	if err := writeAll(d.file, make([]byte, 512), keyAt); err != nil {
		return err
	}
	var seed key
	if _, err := io.ReadFull(rand.Reader, seed[:]); err != nil {
		return err
	}
	s, buffer := seed.stream(), make([]byte, min(chunk, end-boxAt))
	for at := int64(boxAt); at < end; at += int64(len(buffer)) {
		buffer = buffer[:min(int64(len(buffer)), end-at)]
		s.XORKeyStream(buffer, buffer)
		if err := writeAll(d.file, buffer, at); err != nil {
			return err
		}
	}
	return nil
}

// Seal puts what was drawn into the draft, from where it cannot be lost.
func (d *Draft) Seal(content []byte) error {
	if d.state != Reserved || d.key == (key{}) {
		return errors.New("draft: nothing was reserved by this attempt, or a draw is here")
	}
	if err := d.key.writeBox(d.file, content, boxAt); err != nil {
		return err
	}
	if err := d.file.Sync(); err != nil {
		return err
	}
	if err := writeAll(d.file, d.key[:], keyAt); err != nil {
		return err
	}
	if err := d.file.Sync(); err != nil {
		return err
	}
	d.state, d.content = Sealed, content
	return nil
}

// Publish makes the file of a sealed draft and takes the draft away. If it fails the draft is as it was, and Publish
// can be tried again.
func (d *Draft) Publish() error {
	if d.state != Sealed {
		return errors.New("draft: nothing to publish")
	}
	// the room behind the box is for the file
	if err := d.file.Truncate(boxAt + boxHead + int64(len(d.content))); err != nil {
		return err
	}
	if Nameless(d.files, d.path) {
		if err := d.files.Remove(d.path); err != nil {
			return err
		}
	}
	if err := WriteNew(d.files, d.path, d.content, 0o644); err != nil {
		return err
	}
	_ = d.Remove() // the file is there; a draft that stays is taken away by the next program that finds both
	return nil
}

// Remove takes the draft away.
func (d *Draft) Remove() error { return d.files.Remove(Path(d.path)) }

// Close gives the draft free for others.
func (d *Draft) Close() error {
	d.unlock()
	return d.file.Close()
}

// Clear takes away the draft of a file that exists, once the folder is on disk. What cannot be taken away, or is in
// use, stays: it does no harm.
func Clear(files Files, path string) {
	if _, err := files.Lstat(Path(path)); err != nil {
		return
	}
	d, err := tryOpen(files, path, os.O_RDWR)
	if d == nil || err != nil {
		return
	}
	if _, err := files.Lstat(path); err == nil {
		_ = d.Obsolete()
	}
	_ = d.Close()
}

// Obsolete takes away the draft of a file that exists, once the folder is on disk: who made the file may have ended
// before that.
func (d *Draft) Obsolete() error {
	if err := d.files.SyncDir(filepath.Dir(d.path)); err != nil {
		return err
	}
	return d.Remove()
}

// ErrSuperseded says that another draw took the place of one that was not kept, which therefore must not be seen.
var ErrSuperseded = errors.New("another draw took its place, or its draft is gone")

// Show must return without an error before a draw that could not be sealed may be handed out: afterwards nobody draws
// under its name. The error is ErrSuperseded if somebody did already.
func Show(ctx context.Context, files Files, path, attempt string) error {
	d, err := open(ctx, files, path, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrSuperseded
	}
	if err != nil {
		return err
	}
	err = d.show(attempt)
	return errors.Join(err, d.Close())
}

func (d *Draft) show(attempt string) error {
	switch {
	case d.state == Empty, d.head.Attempt != attempt:
		return ErrSuperseded
	case d.state != Reserved:
		return nil // the key got to the disk after all, or the draw was shown before
	}
	if err := writeAll(d.file, bytes.Repeat([]byte{0xff}, len(key{})), keyAt); err != nil {
		return err
	}
	if err := d.file.Sync(); err != nil {
		return err
	}
	d.state = Shown
	return nil
}
