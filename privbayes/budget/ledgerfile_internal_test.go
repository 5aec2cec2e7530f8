package budget

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// failing is a file on a full disk: it takes some bytes of a write, and fails at a chosen step.
type failing struct {
	*os.File
	at string
}

var errFull = errors.New("no space left")

func (f *failing) WriteAt(b []byte, off int64) (int, error) {
	if f.at == "write" {
		n, err := f.File.WriteAt(b[:len(b)/2], off)
		return n, errors.Join(err, errFull)
	}
	return f.File.WriteAt(b, off)
}

func (f *failing) Sync() error {
	if f.at == "sync" {
		f.at = ""
		return errFull
	}
	return f.File.Sync()
}

func (f *failing) Truncate(size int64) error {
	if f.at == "sync and truncate" {
		return errFull
	}
	return f.File.Truncate(size)
}

// A charge that cannot be written leaves the ledger as it was; where that fails too, the budget takes no more charges.
func TestAFailedWriteIsTakenBack(t *testing.T) {
	for _, at := range []string{"write", "sync", "sync and truncate"} {
		path := filepath.Join(t.TempDir(), "l")
		b := must.Get(Open(path, "d", Unit{}, dp.PureDP(1)))(t)
		before := must.Get(os.ReadFile(path))(t)
		f := must.Get(os.OpenFile(path, os.O_RDWR, 0))(t)
		var le *LedgerError
		if err := b.ledger.write(&failing{f, at}, before, len(before), []byte("{\"note\":\"x\"}\n")); !errors.As(err,
			&le) || !errors.Is(err, errFull) {
			t.Errorf("%s: %v", at, err)
		}
		must.Do(t, f.Close())
		after := must.Get(os.ReadFile(path))(t)
		err := b.Charge("d", Charge{ID: "a", Level: dp.PureDP(.1).Parameters})
		if at == "sync and truncate" {
			if !errors.As(err, &le) || !errors.Is(err, errFull) {
				t.Errorf("%s: a charge gave %v", at, err)
			}
			continue
		}
		if string(after) != string(before) || err != nil {
			t.Errorf("%s: the file is\n%s; the next charge gave %v", at, after, err)
		}
	}
}

// The folder is synced before the head is written, and only for a new file: a ledger with a head has a name that
// survives a crash.
func TestTheFolderOfANewLedgerIsSynced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	open := func(sync func(string) error) (*Budget, error) {
		b := must.Get(New("d", Unit{}, dp.PureDP(1)))(t)
		b.ledger = &ledger{path: path, sync: sync}
		return b, b.ledger.update(b, func(have []Charge) ([]Charge, error) { return have, nil })
	}
	var le *LedgerError
	if _, err := open(func(string) error { return errFull }); !errors.As(err, &le) || !errors.Is(err, errFull) {
		t.Error("a folder that cannot be synced:", err)
	}
	if raw, err := os.ReadFile(path); err != nil || len(raw) != 0 {
		t.Errorf("the head is there: %q, %v", raw, err)
	}
	synced := 0
	count := func(dir string) error {
		if dir != filepath.Dir(path) {
			t.Error("synced", dir)
		}
		if raw, err := os.ReadFile(path); err != nil || len(raw) != 0 {
			t.Errorf("the head came first: %q, %v", raw, err)
		}
		synced++
		return nil
	}
	for range 2 {
		b := must.Get(open(count))(t)
		must.Do(t, b.Charge("d", Charge{ID: "a", Level: dp.PureDP(.1).Parameters}))
	}
	if synced != 1 {
		t.Errorf("synced %d times", synced)
	}
}
