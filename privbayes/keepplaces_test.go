package privbayes_test

import (
	crand "crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/privbayes/privbayes-go/internal/journal"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

func smallModel(t *testing.T, dir string) (*privbayes.Model, *privbayes.Budget) {
	t.Helper()
	train, _ := votes()
	ledger, err := privbayes.OpenBudget(filepath.Join(dir, "votes.budget"), train.Data().Schema(), privbayes.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	return train.WithBudget(ledger).Model(privbayes.Binary("Class")), ledger
}

// Programs that keep in one file at the same time share one release and pay once.
func TestConcurrentKeepersPayOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	ids, wg, mu := map[string]int{}, sync.WaitGroup{}, sync.Mutex{}
	for range 6 {
		model, _ := smallModel(t, dir) // each opens the ledger as a program of its own
		wg.Go(func() {
			r, err := model.Privatize(privbayes.Geometric(), privbayes.PureDP(.5), privbayes.KeepIn(path)).Release()
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			ids[r.ID()]++
		})
	}
	wg.Wait()
	_, after := smallModel(t, dir)
	if len(ids) != 1 || len(after.Charges()) != 1 {
		t.Errorf("%d releases, %d charges", len(ids), len(after.Charges()))
	}
	left, err := filepath.Glob(filepath.Join(dir, "r.json*"))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// noLocks is a file system without locks: within one program there is one all the same.
type noLocks struct{ journal.Files }

type unlocked struct{ journal.File }

func (unlocked) TryLock() (bool, error) { return false, errors.ErrUnsupported }

func (n noLocks) OpenFile(name string, flag int, perm fs.FileMode) (journal.File, error) {
	f, err := n.Files.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return unlocked{f}, nil
}

func TestConcurrentKeepersWithoutLocks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "r.json")
	model, ledger := smallModel(t, dir)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := model.Privatize(privbayes.Geometric(), privbayes.PureDP(.5),
				privbayes.OnFiles(noLocks{journal.OS}), privbayes.KeepIn(path)).Err(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(ledger.Charges()); n != 1 {
		t.Errorf("%d charges", n)
	}
}

// failingWrites fails when what was drawn is written.
type failingWrites struct{ journal.Files }

type failingFile struct{ journal.File }

func (f failingFile) WriteAt(b []byte, at int64) (int, error) {
	if at == 8192 && len(b) < 1<<15 {
		return 0, errInjected
	}
	return f.File.WriteAt(b, at)
}

func (w failingWrites) OpenFile(name string, flag int, perm fs.FileMode) (journal.File, error) {
	f, err := w.Files.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return failingFile{f}, nil
}

// What could not be written is in the error: saved elsewhere, and put in its place later, it is the release of its
// charge. Until then nobody draws another under it.
func TestAnUnwrittenReleaseCanBeTakenAndSaved(t *testing.T) {
	dir := t.TempDir()
	path, elsewhere := filepath.Join(dir, "r.json"), filepath.Join(dir, "elsewhere.json")
	model, ledger := smallModel(t, dir)
	keep := func(opts ...privbayes.Option) *privbayes.Privatized {
		return model.Privatize(privbayes.Geometric(), privbayes.PureDP(.5), append(opts, privbayes.KeepIn(path))...)
	}
	p := keep(privbayes.OnFiles(failingWrites{journal.OS}))
	var unwritten *privbayes.UnwrittenError
	if !errors.As(p.Err(), &unwritten) || !errors.Is(p.Err(), errInjected) || unwritten.Path != path {
		t.Fatal(p.Err())
	}
	if _, err := p.Release(); err == nil {
		t.Error("the error does not stick")
	}
	if !strings.Contains(p.String(), "no one has seen it") {
		t.Error(p)
	}
	r := must.Get(unwritten.Release())(t)
	var refused *privbayes.DraftError
	if err := keep().Err(); !errors.As(err, &refused) || refused.Path != path {
		t.Error("after a release was handed out:", err)
	}
	must.Do(t, r.Save(elsewhere))
	must.Do(t, os.Rename(elsewhere, path))
	again, err := keep().Release()
	if err != nil || again.ID() != r.ID() || len(ledger.Charges()) != 1 {
		t.Errorf("%v, %d charges", err, len(ledger.Charges()))
	}
	if _, err := os.Lstat(journal.Path(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the draft is still there:", err)
	}
}

// A draw that nobody took out of its error is made again under its charge; then the first one stays unseen.
func TestADrawThatWasReplacedStaysUnseen(t *testing.T) {
	dir := t.TempDir()
	model, ledger := smallModel(t, dir)
	path := filepath.Join(dir, "r.json")
	var unwritten *privbayes.UnwrittenError
	if p := model.Privatize(privbayes.Geometric(), privbayes.PureDP(.5), privbayes.OnFiles(failingWrites{journal.OS}),
		privbayes.KeepIn(path)); !errors.As(p.Err(), &unwritten) {
		t.Fatal(p.Err())
	}
	// another plan does not take the draft
	var refused *privbayes.DraftError
	if p := model.Privatize(privbayes.Geometric(), privbayes.PureDP(.4), privbayes.KeepIn(path)); !errors.As(p.Err(),
		&refused) {
		t.Error(p.Err())
	}
	if p := model.Privatize(privbayes.Geometric(), privbayes.PureDP(.5), privbayes.KeepIn(path)); p.Err() != nil ||
		len(ledger.Charges()) != 1 {
		t.Fatal(p.Err(), len(ledger.Charges()))
	}
	if r, err := unwritten.Release(); r != nil || !errors.Is(err, journal.ErrSuperseded) {
		t.Error(r, err)
	}
}

// The random source fails before anything is charged, whether or not the release is kept; the budget is as it was and
// no draft is left.
func TestAFailingRandomSourceChargesNothing(t *testing.T) {
	dir := t.TempDir()
	model, ledger := smallModel(t, dir)
	old := crand.Reader
	defer func() { crand.Reader = old }()
	for name, source := range map[string]io.Reader{
		"fails": iotest.ErrReader(errInjected), "ends": strings.NewReader("short"),
		"stuck": strings.NewReader(strings.Repeat("a", 1<<12)),
	} {
		for _, opts := range [][]privbayes.Option{nil, {privbayes.KeepIn(filepath.Join(dir, "r.json"))}} {
			crand.Reader = source
			p := model.Privatize(privbayes.Geometric(), privbayes.PureDP(.5), opts...)
			var typed *dp.RandomnessError
			if !errors.As(p.Err(), &typed) || len(ledger.Charges()) != 0 {
				t.Errorf("%s: %v, %d charges", name, p.Err(), len(ledger.Charges()))
			}
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "r.json*")); err != nil || len(left) != 0 {
		t.Error("left behind:", left, err)
	}
	// one that fails after the stream has its key: for the draft's own names and keys, nothing is charged either
	crand.Reader = io.MultiReader(io.LimitReader(old, 64), iotest.ErrReader(errInjected))
	p := model.Privatize(privbayes.Geometric(), privbayes.PureDP(.5), privbayes.KeepIn(filepath.Join(dir, "r.json")))
	if !errors.Is(p.Err(), errInjected) || len(ledger.Charges()) != 0 {
		t.Errorf("%v, %d charges", p.Err(), len(ledger.Charges()))
	}
}
