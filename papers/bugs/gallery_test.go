package bugs

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/papers/families"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// near reports |a − b| ≤ relative·|b|, and equality for infinities.
func near(a, b, relative float64) bool {
	return a == b || math.Abs(a-b) <= relative*math.Abs(b)
}

// Every mutant is rejected and every right version accepted, by one checker and for one claim; what the gallery says
// without running is what running finds.
func TestAll(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range All() {
		f, err := b.Run(t.Context())
		if err != nil {
			t.Error(err)
			continue
		}
		if !f.Rejected {
			t.Errorf("%s: the defective version passes: %v", b.ID, f)
		}
		if !f.Accepted {
			t.Errorf("%s: the right version is rejected: %v", b.ID, f)
		}
		claimed := value(b.Claimed)
		if !(value(f.Spent) > 1.05*claimed) || !(value(f.RightSpent) <= claimed*(1+1e-6)) {
			t.Errorf("%s: claimed %v, spent %v, right version %v", b.ID, claimed, value(f.Spent), value(f.RightSpent))
		}
		if f.Claimed != b.Claimed || !near(value(f.Spent), value(b.Spent), 2e-9) || f.Spent.Notion != b.Claimed.Notion {
			t.Errorf("%s: found %v and %.13g, stated %v and %.13g", b.ID, f.Claimed, value(f.Spent), b.Claimed,
				value(b.Spent))
		}
		if f.Counterexample != b.Counterexample {
			t.Errorf("%s: counterexample %q, stated %q", b.ID, f.Counterexample, b.Counterexample)
		}
		if seen[b.ID] || b.Mechanism == "" || b.Symptom == "" || b.How == "" || b.Remedy == "" || len(f.Evidence) < 2 {
			t.Errorf("%q is incomplete, or not the only one of its name", b.ID)
		}
		seen[b.ID] = true
	}
}

// The named data sets are neighbours that attain the loss.
func TestConditionalFloorCounterexample(t *testing.T) {
	f, err := newClaimed(2, 0, .1, 2*math.Log(10))
	if err != nil {
		t.Fatal(err)
	}
	k, err := checkLoss(t.Context(), onePair{f, families.Data{{0, 0}, {0, 0}}, families.Data{{1, 0}, {0, 0}}}, 1)
	want, err2 := recordEpsilon(1, 2, .1)
	if err != nil || err2 != nil || k.OK() || !near(float64(k.Value), want, 1e-9) {
		t.Errorf("%v, want %v, errors %v, %v", k, want, err, err2)
	}
}

type onePair struct {
	claimedNetwork
	x, y families.Data
}

func (p onePair) Draw(rand.Source) families.Data                     { return p.x }
func (p onePair) Neighbour(rand.Source, families.Data) families.Data { return p.y }

func TestRun(t *testing.T) {
	tab, f, err := Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(tab.Rows) != len(All()) || len(Table().Rows) != len(All()) {
		t.Errorf("%d and %d rows for %d bugs", len(tab.Rows), len(Table().Rows), len(All()))
	}
	if err := f.Validate(); err != nil {
		t.Error(err)
	}
	for i, y := range f.Series[0].Y {
		if right := f.Series[1].Y[i]; y <= 1 || right > 1+1e-6 {
			t.Errorf("%s: %v and %v times the claim", f.XTicks[i], y, right)
		}
	}
	if !strings.Contains(tab.String(), "∞ (not private)") || strings.Count(tab.String(), "REJECTED") != len(All()) {
		t.Error(tab)
	}
}

func TestErrors(t *testing.T) {
	var unknown *UnknownError
	if _, err := Find("no such bug"); !errors.As(err, &unknown) || unknown.ID != "no such bug" {
		t.Errorf("Find: %v", err)
	}
	if _, err := (Bug{ID: "mine"}).Run(t.Context()); !errors.As(err, &unknown) || unknown.ID != "mine" {
		t.Errorf("Run of a bug that is not from All: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, id := range []string{"one-seed", "conditional-floor"} {
		b, err := Find(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s under a cancelled context: %v", id, err)
		}
	}
	if _, _, err := Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Run under a cancelled context: %v", err)
	}
}

// A ledger that cannot be used is an error, not a budget that is spent.
func TestBrokenLedger(t *testing.T) {
	if _, err := crashes(func() ledger { return &syncedLedger{t.TempDir()} }, dp.Seeded(1)); err == nil {
		t.Error("a directory is taken for a ledger")
	}
}

// Without a crash the late ledger works, which is why its defect goes unnoticed.
func TestLateLedgerWithoutCrash(t *testing.T) {
	path := t.TempDir() + "/late"
	first := &lateLedger{path}
	if err := first.before("a"); err != nil {
		t.Fatal(err)
	}
	if err := first.after("a"); err != nil {
		t.Fatal(err)
	}
	var spent *budget.ExceededError
	if err := (&lateLedger{path}).before("b"); !errors.As(err, &spent) {
		t.Errorf("a second session: %v", err)
	}
}
