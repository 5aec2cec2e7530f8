package privbayes_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/privbayes/privbayes-go/internal/journal"
)

// fault is what goes wrong at one step of a disk.
type fault int

const (
	none        fault = iota
	fails             // the step fails, a write after half of its sectors; later ones work
	failsDone         // the step is done and reports a failure
	broken            // the step and all later ones fail
	crashBefore       // the program ends before the step, a write after half of its sectors
	crashAfter        // the program ends after the step
)

var errInjected = errors.New("injected fault")

// crash is what a program panics with when it ends at a step.
type crash struct{}

// disk is a file system in memory that knows what would be there after a loss of power, and can fail or end the program
// at each step. A sector of 512 bytes is written whole or not at all.
type disk struct {
	mu             sync.Mutex
	names, durable map[string]*inode
	steps, at      int // steps so far; the one at which kind happens, from 1
	kind           fault
	dead           bool
	capacity       int  // bytes, 0 for no limit
	noLinks        bool // the file system has no hard links
	lastStays      bool // after a loss of power the last write is there, without those before it that were not synced
	noSync         bool // a mutant: it says that it synced
	forgets        bool // a mutant: an old draft is not found
	renames        bool // a mutant: an old draft has another name in its head
	noMarks        bool // a mutant: the mark that a draw was shown is not written
}

type inode struct {
	data, synced []byte
	last         []byte // the last write since the last sync
	lastAt       int
	locked       bool
}

// afterLoss is what a loss of power leaves.
func (d *disk) afterLoss(n *inode) []byte {
	b := bytes.Clone(n.synced)
	if d.lastStays && len(n.last) > 0 {
		b = append(b, make([]byte, max(0, n.lastAt+len(n.last)-len(b)))...)
		copy(b[n.lastAt:], n.last)
	}
	return b
}

func newDisk() *disk { return &disk{names: map[string]*inode{}, durable: map[string]*inode{}} }

// step counts a step, and says whether it is done and what it reports. It is called with the lock held.
func (d *disk) step() (do bool, err error) {
	if d.dead {
		return false, errInjected
	}
	if d.steps++; d.steps != d.at && (d.kind != broken || d.at == 0 || d.steps < d.at) {
		return true, nil
	}
	switch d.kind {
	case fails, broken:
		return false, errInjected
	case failsDone:
		return true, errInjected
	case crashBefore:
		d.dead = true
		panic(crash{})
	case crashAfter:
		d.dead = true
		return true, errInjected // whoever called step ends the program when it is done
	}
	return true, nil
}

// end ends the program after a step, if it is to.
func (d *disk) end() {
	if d.dead && d.kind == crashAfter {
		panic(crash{})
	}
}

// reboot starts the machine again: locks are free, and with lose what was not synced is gone.
func (d *disk) reboot(lose bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if lose {
		d.names = maps.Clone(d.durable)
	}
	for _, n := range d.names {
		n.locked = false
		if lose {
			n.data = d.afterLoss(n)
			n.synced, n.last = bytes.Clone(n.data), nil
		}
	}
	d.dead, d.steps, d.at, d.kind = false, 0, 0, none
}

func (d *disk) do(f func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	do, report := d.step()
	if !do {
		return report
	}
	err := f()
	d.end()
	return errors.Join(err, report)
}

func (d *disk) used() (n int) {
	for _, i := range d.names {
		n += len(i.data)
	}
	return n
}

func missing(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist} }

func (d *disk) OpenFile(name string, flag int, _ fs.FileMode) (journal.File, error) {
	var f journal.File
	err := d.do(func() error {
		n, there := d.names[name]
		switch {
		case !there && flag&os.O_CREATE == 0:
			return missing("open", name)
		case there && flag&os.O_EXCL != 0:
			return &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
		case !there:
			n = &inode{}
			d.names[name] = n
		case d.forgets && name == journal.Path(kept) && !n.locked:
			n.data = nil
		}
		f = &handle{d, n, name, false}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d *disk) ReadFile(name string) (b []byte, err error) {
	err = d.do(func() error {
		n, there := d.names[name]
		if !there {
			return missing("read", name)
		}
		b = bytes.Clone(n.data)
		return nil
	})
	return b, err
}

func (d *disk) Lstat(name string) (i fs.FileInfo, err error) {
	err = d.do(func() error {
		n, there := d.names[name]
		if !there {
			return missing("lstat", name)
		}
		i = info{n, name, int64(len(n.data))}
		return nil
	})
	return i, err
}

func (d *disk) SameFile(a, b fs.FileInfo) bool { return a.(info).n == b.(info).n }

func (d *disk) Link(have, want string) error {
	return d.do(func() error {
		n, there := d.names[have]
		_, taken := d.names[want]
		switch {
		case d.noLinks:
			return &os.LinkError{Op: "link", Old: have, New: want, Err: syscall.EPERM}
		case !there:
			return missing("link", have)
		case taken:
			return &os.LinkError{Op: "link", Old: have, New: want, Err: fs.ErrExist}
		}
		d.names[want] = n
		return nil
	})
}

func (d *disk) Rename(from, to string) error {
	return d.do(func() error {
		n, there := d.names[from]
		if !there {
			return missing("rename", from)
		}
		delete(d.names, from)
		d.names[to] = n
		return nil
	})
}

func (d *disk) Remove(name string) error {
	return d.do(func() error {
		if _, there := d.names[name]; !there {
			return missing("remove", name)
		}
		delete(d.names, name)
		return nil
	})
}

func (d *disk) SyncDir(string) error {
	return d.do(func() error {
		if !d.noSync {
			d.durable = maps.Clone(d.names)
		}
		return nil
	})
}

type handle struct {
	d    *disk
	n    *inode
	name string
	mine bool
}

func (h *handle) ReadAt(b []byte, at int64) (n int, err error) {
	err = h.d.do(func() error {
		if at < int64(len(h.n.data)) {
			n = copy(b, h.n.data[at:])
		}
		if h.d.renames && at == 0 && h.name == journal.Path(kept) {
			if i := bytes.Index(b[:n], []byte(`"id":"`)); i >= 0 {
				copy(b[i+6:], "another")
			}
		}
		if n < len(b) {
			return io.EOF
		}
		return nil
	})
	if err != nil && errors.Is(err, io.EOF) && !errors.Is(err, errInjected) {
		err = io.EOF
	}
	return n, err
}

func (h *handle) WriteAt(b []byte, at int64) (int, error) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if h.d.steps+1 == h.d.at && (h.d.kind == fails || h.d.kind == crashBefore) && !h.d.dead {
		h.write(b[:len(b)/2/512*512], at)
	}
	do, err := h.d.step()
	if !do {
		return 0, err
	}
	if h.d.capacity > 0 && h.d.used()+max(0, int(at)+len(b)-len(h.n.data)) > h.d.capacity {
		return 0, syscall.ENOSPC
	}
	if !(h.d.noMarks && len(b) == 32 && bytes.Equal(b, bytes.Repeat([]byte{0xff}, 32))) {
		h.write(b, at)
	}
	h.d.end()
	return len(b), err
}

func (h *handle) write(b []byte, at int64) {
	if len(b) == 0 {
		return
	}
	if grow := int(at) + len(b) - len(h.n.data); grow > 0 {
		h.n.data = append(h.n.data, make([]byte, grow)...)
	}
	copy(h.n.data[at:], b)
	h.n.last, h.n.lastAt = bytes.Clone(b), int(at)
}

func (h *handle) Truncate(size int64) error {
	return h.d.do(func() error {
		if size < int64(len(h.n.data)) {
			h.n.data = h.n.data[:size:size]
		}
		return nil
	})
}

func (h *handle) Sync() error {
	return h.d.do(func() error {
		if !h.d.noSync {
			h.n.synced, h.n.last = bytes.Clone(h.n.data), nil
		}
		return nil
	})
}

func (h *handle) Stat() (i fs.FileInfo, err error) {
	err = h.d.do(func() error {
		i = info{h.n, h.name, int64(len(h.n.data))}
		return nil
	})
	return i, err
}

func (h *handle) TryLock() (ok bool, err error) {
	err = h.d.do(func() error {
		ok = !h.n.locked
		h.n.locked = h.n.locked || ok
		h.mine = h.mine || ok
		return nil
	})
	return ok && err == nil, err
}

// Close frees the lock, whatever it reports.
func (h *handle) Close() error {
	err := h.d.do(func() error { return nil })
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if h.mine {
		h.n.locked, h.mine = false, false
	}
	return err
}

type info struct {
	n    *inode
	name string
	size int64
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return 0o600 }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return false }
func (i info) Sys() any           { return nil }
