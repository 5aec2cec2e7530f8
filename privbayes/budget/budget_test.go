package budget_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

func charge(id string, t dp.Request) budget.Charge {
	return budget.Charge{ID: id, What: "test", Level: t.Parameters, Adjacency: t.Adjacency}
}

func TestLedgerOutlivesTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	b := must.Get(budget.Open(path, "votes", budget.Unit{}, dp.PureDP(1)))(t)
	for i := range 10 { // ten charges of 0.1 fit 1, whatever the rounding of their sum
		if err := b.Charge("votes", charge(fmt.Sprint("r", i), dp.PureDP(0.1))); err != nil {
			t.Fatal(i, err)
		}
	}
	again := must.Get(budget.Open(path, "votes", budget.Unit{}, dp.PureDP(1)))(t)
	if err := again.Charge("votes", charge("r3", dp.PureDP(0.1))); err != nil {
		t.Error("charging a release twice is not free:", err)
	}
	var over *budget.ExceededError
	if err := again.Charge("votes", charge("new", dp.PureDP(0.01))); !errors.As(err, &over) {
		t.Error("an exhausted budget gave", err)
	}
	if again.Limit() != dp.PureDP(1).Parameters {
		t.Error(again.Limit())
	}
	if n := len(again.Charges()); n != 10 {
		t.Error(n, "charges")
	}
	if _, err := budget.Open(path, "votes", budget.Unit{}, dp.PureDP(2)); err == nil {
		t.Error("a ledger opened with another limit")
	}
	if _, err := budget.Open(path, "other", budget.Unit{}, dp.PureDP(1)); err == nil {
		t.Error("a ledger opened for another data set")
	}
}

func TestBudgetRefusesWhatDoesNotCompose(t *testing.T) {
	b := must.Get(budget.New("votes", budget.Unit{}, dp.PureDP(1)))(t)
	for name, c := range map[string]budget.Charge{
		"another adjacency": charge("a", dp.PureDP(0.1).Under(dp.AddRemove)),
		"zCDP under pure":   charge("b", dp.ZCDP(0.01)),
		"approx under pure": charge("c", dp.ApproxDP(0.1, 1e-6)),
	} {
		if err := b.Charge("votes", c); err == nil {
			t.Error(name, "was charged")
		}
	}
	if err := b.Charge("other", charge("d", dp.PureDP(0.1))); err == nil {
		t.Error("another data set was charged")
	}
	if s := b.Spent(); s.Epsilon != 0 {
		t.Error("a refusal cost", s)
	}
}

func TestZCDPChargesComposeBeforeConversion(t *testing.T) {
	b := must.Get(budget.New("votes", budget.Unit{}, dp.ApproxDP(3, 1e-6)))(t)
	for i := range 8 {
		if err := b.Charge("votes", charge(fmt.Sprint(i), dp.ZCDP(0.01))); err != nil {
			t.Fatal(i, err)
		}
	}
	c := b.Conversion()
	want := .08*c.Order + c.Cost()
	if s := b.Spent(); math.Abs(float64(s.Epsilon)-want) > 1e-12 || s.Delta != 5e-7 {
		t.Errorf("8 × 0.01-zCDP spend %s, want ρλ + c = %v and half of δ", s, want)
	}
}

func TestConcurrentChargesNeverOverspend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	var wg sync.WaitGroup
	var mu sync.Mutex
	granted := 0
	for i := range 40 {
		wg.Go(func() {
			b, err := budget.Open(path, "votes", budget.Unit{}, dp.PureDP(1))
			if err != nil {
				t.Error(err)
				return
			}
			if b.Charge("votes", charge(fmt.Sprint(i), dp.PureDP(0.1))) == nil {
				mu.Lock()
				granted++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if granted != 10 {
		t.Errorf("%d charges of 0.1 were granted from a budget of 1", granted)
	}
}

func TestDamagedLedgersAreRefused(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	b := must.Get(budget.Open(good, "votes", budget.Unit{}, dp.PureDP(1)))(t)
	must.Do(t, b.Charge("votes", charge("r", dp.PureDP(0.1))))
	raw := must.Get(os.ReadFile(good))(t)
	for name, text := range map[string]string{
		"unknown field": strings.Replace(string(raw), `"id"`, `"ID2"`, 1),
		"edited level":  strings.Replace(string(raw), `"epsilon":0.1`, `"epsilon":-1`, 1),
		"not a ledger":  "hello\n",
	} {
		p := filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		must.Do(t, os.WriteFile(p, []byte(text), 0o600))
		var le *budget.LedgerError
		if _, err := budget.Open(p, "votes", budget.Unit{}, dp.PureDP(1)); !errors.As(err, &le) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func ExampleBudget() {
	b, _ := budget.New("votes", budget.Unit{}, dp.PureDP(1))
	fmt.Println(b.Charge("votes", budget.Charge{ID: "first", What: "naive Bayes", Level: dp.PureDP(0.75).Parameters}))
	fmt.Println(b.Charge("votes", budget.Charge{ID: "second", What: "naive Bayes", Level: dp.PureDP(0.75).Parameters}))
	// Output:
	// <nil>
	// budget: the budget of "votes" has ε = 0.25 left of ε = 1, and this needs ε = 0.75; nothing was charged
}

// A release without a privacy level costs no budget anything, so no budget takes it.
func TestNotPrivateIsNotCharged(t *testing.T) {
	for _, limit := range []dp.Request{dp.PureDP(1), dp.ApproxDP(1, 1e-6), dp.ZCDP(1)} {
		b := must.Get(budget.Open(t.TempDir()+"/x.budget", "set", budget.Unit{}, limit))(t)
		err := b.Charge("set", budget.Charge{ID: "a", What: "x", Level: dp.NotPrivate("because")})
		var no *budget.UnchargeableError
		if !errors.As(err, &no) || len(b.Charges()) != 0 {
			t.Errorf("%s: %v, %d charges", limit.Parameters, err, len(b.Charges()))
		}
	}
}

// A charge that is already there pays for itself, not for a weaker release of the same name.
func TestANameIsNotAFreePass(t *testing.T) {
	b := must.Get(budget.Open(filepath.Join(t.TempDir(), "x.budget"), "set", budget.Unit{}, dp.PureDP(1)))(t)
	for _, c := range []struct {
		eps float64
		ok  bool
	}{{.1, true}, {.1, true}, {.05, true}, {100, false}} {
		err := b.Charge("set", charge("a", dp.PureDP(c.eps)))
		var no *budget.MismatchError
		if c.ok != (err == nil) || !c.ok && !errors.As(err, &no) {
			t.Errorf("ε = %v: %v", c.eps, err)
		}
	}
	if n := len(b.Charges()); n != 1 {
		t.Errorf("%d charges", n)
	}
}

// Nor under another order or notion, whose numbers alone do not say more: Rényi ε of order 2 pays for nothing at order
// 50.
func TestANameIsNotAFreePassAtAnotherOrder(t *testing.T) {
	for _, c := range []struct{ limit, paid, asked dp.Request }{
		{dp.ApproxDP(4, 1e-6), dp.RenyiDP(50, .1), dp.RenyiDP(60, .1)},
		{dp.ApproxDP(4, 1e-6), dp.TCDP(.001, 50), dp.TCDP(.001, 60)},
		{dp.RenyiDP(5, 1), dp.RenyiDP(5, .1), dp.RenyiDP(50, .1)},
		{dp.ApproxDP(4, 1e-6), dp.TCDP(.001, 50), dp.ZCDP(.001)},
		{dp.ApproxDP(4, 1e-6), dp.RenyiDP(50, .1), dp.PureDP(.1)},
	} {
		b := must.Get(budget.New("set", budget.Unit{}, c.limit))(t)
		must.Do(t, b.Charge("set", charge("a", c.paid)))
		var no *budget.MismatchError
		if err := b.Charge("set", charge("a", c.asked)); !errors.As(err, &no) || len(b.Charges()) != 1 {
			t.Errorf("%s for the price of %s: %v", c.asked.Parameters, c.paid.Parameters, err)
		}
	}
}

// Rényi charges of one order add, tCDP charges add up to the least ω, and the ledger says how each level came about.
func TestRenyiAndTruncatedCharges(t *testing.T) {
	charge := func(id string, l dp.Request) budget.Charge {
		return budget.Charge{ID: id, What: "x", Level: l.Parameters}
	}
	b, err := budget.New("d", budget.Unit{}, dp.RenyiDP(5, 1))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		target dp.Request
		fits   bool
	}{{dp.RenyiDP(5, .4), true}, {dp.RenyiDP(8, .4), true}, {dp.ZCDP(.04), true}, {dp.RenyiDP(5, .1), false}} {
		if err := b.Charge("d", charge(fmt.Sprint(i), c.target)); (err == nil) != c.fits {
			t.Errorf("%s: %v", c.target.Parameters, err)
		}
	}
	if got := float64(b.Spent().Epsilon); math.Abs(got-1) > 1e-9 {
		t.Error("spent", got)
	}
	b, err = budget.New("d", budget.Unit{}, dp.ApproxDP(4, 1e-6), budget.ConvertAtOrder(20), budget.ConvertWithDelta(1e-6))
	if err != nil {
		t.Fatal(err)
	}
	one := charge("a", dp.RenyiDP(20, .5))
	one.State = budget.ListDeclared
	if err := b.Charge("d", one); err != nil {
		t.Error(err)
	}
	alone := float64(b.Spent().Epsilon)
	want, err := dp.RenyiDP(20, .5).Parameters.At(dp.ApproxDP(1, 1e-6).Parameters)
	if err != nil || math.Abs(alone-float64(want.Epsilon)) > 1e-9 {
		t.Errorf("one Rényi charge spends %v, want %v (%v)", alone, want, err)
	}
	var order *budget.ConversionOrderError
	for _, low := range []dp.Request{dp.RenyiDP(10, .5), dp.TCDP(.02, 19)} {
		if err := b.Charge("d", charge("b", low)); !errors.As(err, &order) || order.Order != 20 {
			t.Error("a lower order:", err)
		}
	}
	for i, high := range []dp.Request{dp.TCDP(.02, 30), dp.ZCDP(.02), dp.RenyiDP(50, .4)} {
		if err := b.Charge("d", charge(fmt.Sprint("c", i), high)); err != nil {
			t.Error(err)
		}
		alone += .4
		if got := b.Spent(); math.Abs(float64(got.Epsilon)-alone) > 1e-12 || got.Delta != 1e-6 {
			t.Errorf("after %s: %s, want ε = %v", high.Parameters, got, alone)
		}
	}
	if s := b.String(); !strings.Contains(s, "declared") || !strings.Contains(s, "adaptive") {
		t.Error("the ledger does not name the modes:", s)
	}
	bad := charge("e", dp.PureDP(.1))
	bad.State = "exact"
	var param *dp.ParameterError
	if err := b.Charge("d", bad); !errors.As(err, &param) {
		t.Error("an unknown mode:", err)
	}
}

// tCDP is weaker than zCDP and stronger than what follows from it.
func TestTruncatedConversions(t *testing.T) {
	tcdp := dp.TCDP(.1, 9).Parameters
	for _, want := range []dp.Request{dp.RenyiDP(9, .9), dp.RenyiDP(3, .3), dp.TCDP(.1, 4), dp.ApproxDP(3, 1e-5)} {
		if !tcdp.Satisfies(want.Parameters) && want.Notion != dp.Renyi {
			t.Errorf("%s does not satisfy %s", tcdp, want.Parameters)
		}
	}
	for _, want := range []dp.Request{dp.RenyiDP(10, 100), dp.TCDP(.1, 10), dp.ZCDP(5), dp.PureDP(9)} {
		if tcdp.Satisfies(want.Parameters) {
			t.Errorf("%s satisfies %s", tcdp, want.Parameters)
		}
	}
	z := must.Get(dp.ZCDP(.1).Parameters.At(dp.ApproxDP(1, 1e-5).Parameters))(t)
	c, err := tcdp.At(dp.ApproxDP(1, 1e-5).Parameters)
	if err != nil || c.Epsilon < z.Epsilon*(1-1e-9) {
		t.Errorf("tCDP gives ε = %v, zCDP %v (%v)", c.Epsilon, z.Epsilon, err)
	}
	if !dp.ZCDP(.1).Parameters.Satisfies(tcdp) || dp.TCDP(.1, 1).Valid() == nil || dp.TCDP(0, 3).Valid() == nil {
		t.Error("zCDP is tCDP at every ω; ω > 1 and ρ > 0")
	}
}

// Orders just above 1: the conversion stays within ω.
func TestTruncatedConversionStaysBelowOmega(t *testing.T) {
	l, err := dp.TCDP(1e-3, 1+1e-6).Parameters.At(dp.ApproxDP(1, 1e-5).Parameters)
	if err != nil || float64(l.Epsilon) < 1.1e7 {
		t.Errorf("ε = %v (%v); at ω itself it is 1.15e7", l.Epsilon, err)
	}
}
