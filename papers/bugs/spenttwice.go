package bugs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// ledger is what a session needs of a budget: leave to draw, and a note that it has drawn.
type ledger interface {
	before(id string) error // fails when the budget is spent
	after(id string) error
}

// lateLedger keeps the charge in memory until the draw is done, and writes it then.
type lateLedger struct{ path string }

func (l *lateLedger) before(string) error {
	if b, err := os.ReadFile(l.path); err == nil && len(b) > 0 {
		return &budget.ExceededError{Dataset: "votes", Limit: dp.PureDP(1).Parameters, Spent: dp.PureDP(1).Parameters,
			Request: dp.PureDP(1).Parameters}
	}
	return nil
}

func (l *lateLedger) after(id string) error { return os.WriteFile(l.path, []byte(id), 0o600) }

// syncedLedger is the library's: the charge is on disk before the draw.
type syncedLedger struct{ path string }

func (l *syncedLedger) before(id string) error {
	b, err := budget.Open(l.path, "votes", budget.Unit{}, dp.PureDP(1))
	if err != nil {
		return err
	}
	return b.Charge("votes", budget.Charge{ID: id, What: "geometric noise on a count", Level: dp.PureDP(1).Parameters,
		State: budget.Adaptive})
}

func (l *syncedLedger) after(string) error { return nil }

// sessions is how often a session starts, draws, shows its release and ends in a crash.
const sessions = 2

// crashes lets sessions draw at 1-DP from a budget of 1-DP, each ended by a crash right after its release was seen, and
// counts the releases that came out.
func crashes(open func() ledger, src *dp.Stream) (released int, err error) {
	for range sessions {
		var spent *budget.ExceededError
		switch err := open().before(src.Identifier()); {
		case err == nil:
			released++ // drawn and shown; the session ends here, and after is never called
		case !errors.As(err, &spent):
			return 0, err
		}
	}
	return released, nil
}

// spentTwice is a budget whose ledger is written after the draw. A session that ends in between, or a second one beside
// it, finds the budget untouched.
func spentTwice() Bug {
	const eps, n = 1.0, 4
	b := Bug{
		ID: "spent-twice", Mechanism: "a count with geometric noise at ε = 1, from a budget of ε = 1, in sessions " +
			"that crash",
		Symptom: "the ledger is written after the draw: a session that ends in between leaves the budget unspent",
		Claimed: dp.PureDP(eps).Parameters, How: "dp.OpenBudget, sessions that crash; audit.Run on the releases that came " +
			"out",
		Counterexample: "2 sessions, a crash after each draw; counts [0 4] and [1 3], output (0, 0)",
		Remedy:         "charge and sync first, then draw; a draw that fails stays charged",
	}
	b.Spent = level(b.Claimed, sessions*eps)
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		dir, err := os.MkdirTemp("", "gallery")
		if err != nil {
			return verdict{}, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		path := filepath.Join(dir, "votes.ledger")
		open := func() ledger { return &syncedLedger{path} }
		if defect {
			open = func() ledger { return &lateLedger{path: path} }
		}
		k, err := crashes(open, dp.Seeded(2))
		if err != nil {
			return verdict{}, err
		}
		t := table.New("Sessions that crash after the draw", "sessions", "budget", "each release", "releases that "+
			"came out")
		t.Add(sessions, eps, eps, k)
		return releases(ctx, b, k, n, eps, t, fmt.Sprintf("%d sessions, a crash after each draw", sessions))
	}
	return b
}

// releases audits k independent releases of a count with geometric noise at ε, made where one was claimed.
func releases(ctx context.Context, b Bug, k, n int, eps float64, t *table.Table, how string) (verdict, error) {
	outputs := 1
	for range k {
		outputs *= n + 1
	}
	v, err := enumeratedJoint(ctx, audit.Subject{
		Name: b.Mechanism, Space: space(2, n, dp.ReplaceOne), Claim: b.Claimed,
		Mechanism: audit.FromFunc(outputs, func(x []int) []float64 { return product(geometric(x[0], n, eps), k) }),
	}, n+1, k)
	if err != nil {
		return verdict{}, err
	}
	v.counterexample = how + "; " + v.counterexample
	v.evidence = append([]*table.Table{t}, v.evidence...)
	return v, nil
}
