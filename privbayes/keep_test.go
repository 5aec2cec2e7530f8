package privbayes_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

func TestKeptReleasesAreDrawnOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "votes.release.json")
	ledger, err := privbayes.OpenBudget(filepath.Join(dir, "votes.budget"), schemaIn(data.Votes()), privbayes.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	train, _ := votes()
	model := train.WithBudget(ledger).Model(privbayes.NaiveBayes("Class"))
	var first []byte
	for i := range 3 {
		p := model.Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.KeepIn(path)) // secure randomness
		if p.Err() != nil || p.Loaded() != (i > 0) {
			t.Fatal(i, p.Err(), p.Loaded())
		}
		b := must.Get(os.ReadFile(path))(t)
		if i == 0 {
			first = b
		} else if !bytes.Equal(first, b) {
			t.Fatal("the kept file changed")
		}
	}
	if n := len(ledger.Charges()); n != 1 {
		t.Errorf("%d charges", n)
	}
	// what differs is named, and no more than that
	geometric, eps, keep := privbayes.Geometric(), privbayes.PureDP(1), privbayes.KeepIn(path)
	half, _ := train.Split(0.5, 2)
	for field, p := range map[string]*privbayes.Privatized{
		"target":         model.Privatize(geometric, privbayes.PureDP(0.5), keep),
		"mechanism":      model.Privatize(privbayes.Consistent(), eps, keep),
		"model.alpha":    train.Model(privbayes.NaiveBayes("Class").WithPrior(2)).Privatize(geometric, eps, keep),
		"model.features": train.Model(privbayes.NaiveBayes("Class", "V3")).Privatize(geometric, eps, keep),
		"model":          train.WithBudget(ledger).Model(privbayes.Binary("Class")).Privatize(geometric, eps, keep),
		"n":              half.Model(privbayes.NaiveBayes("Class")).Privatize(geometric, eps, keep),
		"schema":         train.Select("Class", "V1").Model(privbayes.NaiveBayes("Class")).Privatize(geometric, eps, keep),
		"data set": privbayes.ReadFrame(data.Iris()).Model(privbayes.NaiveBayes("Species")).Privatize(geometric, eps,
			keep),
	} {
		var kept *privbayes.KeptError
		if !errors.As(p.Err(), &kept) || kept.Field != field || kept.Have == kept.Want {
			t.Errorf("%s: %v", field, p.Err())
		}
		if s := p.Err().Error(); field == "schema" &&
			!strings.Contains(s, `column 3 is "V2", categorical, with levels n, y, unrecorded; want one of 2 columns`) {
			t.Error(s)
		}
	}
	var over *budget.ExceededError
	if p := model.Privatize(privbayes.Geometric(), privbayes.PureDP(1)); !errors.As(p.Err(), &over) {
		t.Error("a second release fitted a spent budget:", p.Err())
	}
}

// A crash between charge and write: the release cannot be written, and the budget stays charged.
func TestFailureAfterTheChargeStaysCharged(t *testing.T) {
	dir := t.TempDir()
	ledger, err := privbayes.OpenBudget(filepath.Join(dir, "votes.budget"), schemaIn(data.Votes()), privbayes.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	train, _ := votes()
	ctx, cancel := context.WithCancel(t.Context())
	p := train.WithBudget(ledger).Model(privbayes.NaiveBayes("Class")).
		Privatize(cancelling{privbayes.Geometric(), cancel}, privbayes.PureDP(1), privbayes.WithContext(ctx))
	if !errors.Is(p.Err(), context.Canceled) {
		t.Fatal(p.Err())
	}
	if _, err := p.Release(); err == nil {
		t.Error("a release that was not drawn to its end was handed out")
	}
	if n := len(ledger.Charges()); n != 1 {
		t.Errorf("%d charges after a failure behind the charge", n)
	}
}

// cancelling ends the context once the plan is made, so that the draw fails.
type cancelling struct {
	privbayes.Mechanism
	cancel context.CancelFunc
}

func (c cancelling) Plan(ctx context.Context, s *model.Shape, t privbayes.Target) (*privbayes.Plan, error) {
	defer c.cancel()
	return c.Mechanism.Plan(ctx, s, t)
}

// A path where nothing can be kept is seen before the charge.
func TestKeepInAnImpossiblePlaceCostsNothing(t *testing.T) {
	dir := t.TempDir()
	ledger, err := privbayes.OpenBudget(filepath.Join(dir, "votes.budget"), schemaIn(data.Votes()), privbayes.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	train, _ := votes()
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink(filepath.Join(dir, "nowhere", "r.json"), link); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{link, dir, filepath.Join(dir, "votes.budget", "r.json")} {
		var fe *release.FileError
		p := train.WithBudget(ledger).Model(privbayes.NaiveBayes("Class")).Privatize(privbayes.Geometric(),
			privbayes.PureDP(1), privbayes.KeepIn(path))
		if !errors.As(p.Err(), &fe) {
			t.Errorf("%s: %v", path, p.Err())
		}
	}
	if n := len(ledger.Charges()); n != 0 {
		t.Errorf("%d charges", n)
	}
}

// A folder that does not exist is seen before the charge: a typing error costs nothing.
func TestKeepInAMissingFolderCostsNothing(t *testing.T) {
	dir := t.TempDir()
	ledger, err := privbayes.OpenBudget(filepath.Join(dir, "votes.budget"), schemaIn(data.Votes()), privbayes.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	train, _ := votes()
	p := train.WithBudget(ledger).Model(privbayes.NaiveBayes("Class")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.KeepIn(filepath.Join(dir, "missing", "r.json")))
	var e *release.FileError
	if !errors.As(p.Err(), &e) || !strings.Contains(e.Error(), "a folder that exists") || len(ledger.Charges()) != 0 {
		t.Errorf("%v, %d charges", p.Err(), len(ledger.Charges()))
	}
}

func TestConcurrentKeepersShareOneRelease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	train, _ := votes()
	model := train.Model(privbayes.NaiveBayes("Class"))
	ids, wg, mu := map[string]bool{}, sync.WaitGroup{}, sync.Mutex{}
	for range 8 {
		wg.Go(func() {
			r, err := model.Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.KeepIn(path)).Release()
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			ids[r.ID()] = true
		})
	}
	wg.Wait()
	if len(ids) != 1 {
		t.Errorf("%d different releases were handed out", len(ids))
	}
}

// A kept release is of its rows: the other half of a table, as large, does not get it.
func TestKeptReleasesAreOfTheirRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	kept := func(f *privbayes.Frame) error {
		return f.Model(privbayes.Binary("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(1),
			privbayes.Seeded(1), privbayes.KeepIn(path)).Err()
	}
	a, b := privbayes.ReadFrame(data.Votes()).Head(434).Split(0.5, 1)
	must.Do(t, kept(a))
	if err := kept(a); err != nil {
		t.Error("the same rows:", err)
	}
	var other *privbayes.KeptError
	if err := kept(b); !errors.As(err, &other) || other.Field != "rows" {
		t.Error(err)
	}
}
