package budget_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// The sequence of charges whose loss a rule that converts at the best order afterwards lets through: with ZCDP(.01236)
// or the (ε, δ) charge, whichever suits the output of the first, δ(1) is 1.21e-5 (TestRulesThatFail). Now no path gets
// that far.
func TestChargesOfTheCounterexample(t *testing.T) {
	first, second, third := dp.ZCDP(.01819), dp.ZCDP(.01236), dp.ApproxDP(1e-6, 9.9767e-6)
	for _, c := range []struct {
		name    string
		options []budget.Option
		charges []dp.Request
		fits    []bool
	}{
		{"half of δ converts: the leak is refused", nil, []dp.Request{first, third}, []bool{true, false}},
		{"half of δ converts: the second does not fit", nil, []dp.Request{first, second}, []bool{true, false}},
		{"all of δ converts: the leak is refused", []budget.Option{budget.ConvertWithDelta(1e-5)},
			[]dp.Request{first, second, third}, []bool{true, true, false}},
		{"the leak first", nil, []dp.Request{third, first}, []bool{true, false}},
		{"a leak of the other half", nil, []dp.Request{first, dp.ApproxDP(1e-6, 5e-6), dp.ApproxDP(1e-6, 1e-12)},
			[]bool{true, true, false}},
	} {
		b := must.Get(budget.New("d", budget.Unit{}, dp.ApproxDP(1, 1e-5), c.options...))(t)
		for i, target := range c.charges {
			err := b.Charge("d", charge(fmt.Sprint(i), target))
			var over *budget.ExceededError
			if c.fits[i] != (err == nil) || err != nil && !errors.As(err, &over) {
				t.Errorf("%s: %s: %v", c.name, target.Parameters, err)
			}
			if err != nil && over.Left != b.Left() {
				t.Errorf("%s: left %+v, the error says %+v", c.name, b.Left(), over.Left)
			}
		}
	}
}

// A fresh ledger takes one (ε, δ) charge of all of it: the conversion is paid only when it is needed.
func TestTheConversionIsPaidOnce(t *testing.T) {
	limit := dp.ApproxDP(1, 1e-6)
	b := must.Get(budget.New("d", budget.Unit{}, limit))(t)
	must.Do(t, b.Charge("d", charge("a", limit)))
	if l := b.Left(); l.Epsilon != 0 || l.Delta != 0 || l.Rho != 0 || l.Converted {
		t.Errorf("left: %+v", l)
	}
	b = must.Get(budget.New("d", budget.Unit{}, limit))(t)
	c, before := b.Conversion(), b.Left()
	for i := range 3 {
		must.Do(t, b.Charge("d", charge(fmt.Sprint(i), dp.ZCDP(.001))))
	}
	after := b.Left()
	if !after.Converted || before.Converted || math.Abs(before.Rho-after.Rho-.003) > 1e-15 || after.Delta != 5e-7 {
		t.Errorf("left %+v, then %+v", before, after)
	}
	if want := 1 - c.Cost() - .003*c.Order; math.Abs(after.Epsilon-want) > 1e-14 {
		t.Errorf("ε = %v left, want %v", after.Epsilon, want)
	}
}

// What is left fits, and a little more does not, under every limit and after any charges.
func TestLeftIsWhatFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps, delta := math.Exp(rapid.Float64Range(-3, 3).Draw(t, "ln ε")),
			math.Exp(rapid.Float64Range(-30, -1).Draw(t, "ln δ"))
		limit := rapid.SampledFrom([]dp.Request{dp.PureDP(eps), dp.ApproxDP(eps, delta), dp.ZCDP(eps),
			dp.RenyiDP(1+eps, eps), dp.TCDP(eps, 9)}).Draw(t, "limit")
		b := must.Get(budget.New("d", budget.Unit{}, limit))(t)
		for i := range rapid.IntRange(0, 4).Draw(t, "charges") {
			share := rapid.Float64Range(.01, .6).Draw(t, "share")
			l := rapid.SampledFrom([]dp.Request{dp.PureDP(eps * share), dp.ApproxDP(eps*share, delta*share),
				dp.ZCDP(eps * share / 10), dp.RenyiDP(1e9, eps*share)}).Draw(t, "charge")
			_ = b.Charge("d", charge(fmt.Sprint(i), l)) // what does not fit, or is of another notion, is refused
		}
		left, conversion := b.Left(), b.Conversion()
		try := func(id string, fits bool, l dp.Request) {
			if l.Valid() != nil {
				return // nothing is left of it
			}
			other := must.Get(budget.New("d", budget.Unit{}, limit))(t)
			for _, c := range b.Charges() {
				must.Do(t, other.Charge("d", c))
			}
			if err := other.Charge("d", charge(id, l)); (err == nil) != fits {
				t.Fatalf("left %+v of %s; %s: %v", left, limit.Parameters, l.Parameters, err)
			}
		}
		const more = 1 + 1e-9
		add := func(x, limit float64) float64 { return math.Max(x*more, x+1e-12*limit) }
		switch limit.Notion {
		case dp.Pure:
			try("pure", true, dp.PureDP(left.Epsilon))
			try("pure", false, dp.PureDP(add(left.Epsilon, eps)))
		case dp.Approximate:
			try("pure", true, dp.PureDP(left.Epsilon))
			try("pure", false, dp.PureDP(add(left.Epsilon, eps)))
			try("approximate", true, dp.ApproxDP(left.Epsilon, left.Delta))
			try("approximate", false, dp.ApproxDP(left.Epsilon, add(left.Delta, delta)))
			try("renyi", true, dp.RenyiDP(conversion.Order, left.Renyi))
			try("renyi", false, dp.RenyiDP(conversion.Order, add(left.Renyi, eps)))
			try("zcdp", true, dp.ZCDP(left.Rho))
			try("zcdp", false, dp.ZCDP(add(left.Rho, eps)))
		case dp.Renyi:
			try("renyi", true, dp.RenyiDP(limit.Order, left.Epsilon))
			try("renyi", false, dp.RenyiDP(limit.Order, add(left.Epsilon, eps)))
			try("zcdp", true, dp.ZCDP(left.Rho))
			try("zcdp", false, dp.ZCDP(add(left.Rho, eps)))
		default:
			try("zcdp", true, dp.ZCDP(left.Rho))
			try("zcdp", false, dp.ZCDP(add(left.Rho, eps)))
		}
	})
}

// The standard order leaves at most 5e-4 less zCDP, relatively, than the best; options outside their domain are
// refused.
func TestConversionOfALimit(t *testing.T) {
	for _, eps := range []float64{1e-3, .1, 1, 3, 10, 100, 1e4} {
		for _, delta := range []float64{1e-300, 1e-12, 1e-6, 1e-3, .3, .9} {
			b := must.Get(budget.New("d", budget.Unit{}, dp.ApproxDP(eps, delta)))(t)
			c := b.Conversion()
			got, best := b.Left().Rho, 0.0
			for l := -20.0; l < 40; l += 1e-3 {
				order := 1 + math.Exp(l)
				best = math.Max(best, (eps-budget.Conversion{Order: order, Delta: delta / 2}.Cost())/order)
			}
			if c.Delta != delta/2 || got < best*(1-5e-4) {
				t.Errorf("(%v, %v): %+v leaves ρ = %v, the best order %v", eps, delta, c, got, best)
			}
		}
	}
	if b, err := budget.New("d", budget.Unit{}, dp.ApproxDP(1, 1e-6)); err != nil || b.Conversion().Order != 23.3 {
		t.Errorf("order %v at (1, 1e-6) (%v)", b.Conversion().Order, err)
	}
	nan := math.NaN()
	for name, c := range map[string]struct {
		limit   dp.Request
		options []budget.Option
	}{
		"order 1":            {dp.ApproxDP(1, 1e-6), []budget.Option{budget.ConvertAtOrder(1)}},
		"order −3":           {dp.ApproxDP(1, 1e-6), []budget.Option{budget.ConvertAtOrder(-3)}},
		"infinite order":     {dp.ApproxDP(1, 1e-6), []budget.Option{budget.ConvertAtOrder(math.Inf(1))}},
		"order NaN":          {dp.ApproxDP(1, 1e-6), []budget.Option{budget.ConvertAtOrder(nan)}},
		"too costly":         {dp.ApproxDP(1, 1e-6), []budget.Option{budget.ConvertAtOrder(5)}},
		"more than δ":        {dp.ApproxDP(1, 1e-6), []budget.Option{budget.ConvertWithDelta(2e-6)}},
		"a negative share":   {dp.ApproxDP(1, 1e-6), []budget.Option{budget.ConvertWithDelta(-1e-7)}},
		"a share NaN":        {dp.ApproxDP(1, 1e-6), []budget.Option{budget.ConvertWithDelta(nan)}},
		"nothing to convert": {dp.PureDP(1), []budget.Option{budget.ConvertAtOrder(5)}},
		"exact draws":        {dp.PureDP(1).RequireExact(), nil},
		"a paper's mode":     {dp.AsPublished(1), nil},
	} {
		var param *dp.ParameterError
		if _, err := budget.New("d", budget.Unit{}, c.limit, c.options...); !errors.As(err, &param) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Fields that a notion does not use are no part of a level.
func TestStrayParameters(t *testing.T) {
	for _, good := range []dp.Request{dp.PureDP(1), dp.ApproxDP(1, .1), dp.RenyiDP(2, 1), dp.ZCDP(1), dp.TCDP(1, 2)} {
		if err := good.Valid(); err != nil {
			t.Error(good.Parameters, err)
		}
		bad := []dp.Parameters{good.Parameters, good.Parameters, good.Parameters, good.Parameters, good.Parameters}
		used := 0
		for i, set := range []func(*dp.Parameters){
			func(l *dp.Parameters) { l.Epsilon = -.1 }, func(l *dp.Parameters) { l.Delta = -.1 },
			func(l *dp.Parameters) { l.Order = -3 },
			func(l *dp.Parameters) { l.Rho = math.Inf(1) }, func(l *dp.Parameters) { l.Reason = "because" },
		} {
			set(&bad[i])
			var param *dp.ParameterError
			if err := bad[i].Valid(); !errors.As(err, &param) {
				t.Errorf("%+v: %v", bad[i], err)
			} else {
				used++
			}
		}
		if used != 5 {
			t.Error(good.Parameters, used)
		}
	}
	if err := dp.NotPrivate("because").Valid(); err != nil {
		t.Error(err)
	}
}

// What would make a charge mean something else, or look like it, is refused, and costs nothing.
func TestMalformedChargesAreRefused(t *testing.T) {
	b := must.Get(budget.New("d", budget.Unit{}, dp.PureDP(1)))(t)
	good := charge("a", dp.PureDP(.1))
	for name, change := range map[string]func(*budget.Charge){
		"empty id":           func(c *budget.Charge) { c.ID = "" },
		"line feed in id":    func(c *budget.Charge) { c.ID = "a\nb" },
		"escape in id":       func(c *budget.Charge) { c.ID = "a\x1b[2K" },
		"override in what":   func(c *budget.Charge) { c.What = "x \u202e y" },
		"zero width in what": func(c *budget.Charge) { c.What = "x\u200by" },
		"bytes in id":        func(c *budget.Charge) { c.ID = "a\xff" },
		"negative rows":      func(c *budget.Charge) { c.Unit.Rows = -1 },
		"too many words":     func(c *budget.Charge) { c.What = strings.Repeat("x", 1<<14+1) },
		"unknown state":      func(c *budget.Charge) { c.State = "free" },
		"negative δ":         func(c *budget.Charge) { c.Level.Delta = -.1 },
		"no notion":          func(c *budget.Charge) { c.Level.Notion = "" },
		"foreign adjacency":  func(c *budget.Charge) { c.Adjacency = dp.ReplaceValue },
		"foreign metric":     func(c *budget.Charge) { c.Adjacency = dp.UnderMetric("m") },
		"no level":           func(c *budget.Charge) { c.Level = dp.NotPrivate("x") },
	} {
		c := good
		change(&c)
		if err := b.Charge("d", c); err == nil {
			t.Error(name, "was charged")
		}
	}
	if s := b.Spent(); s.Epsilon != 0 || len(b.Charges()) != 0 {
		t.Error("refusals cost", s)
	}
	for _, name := range []string{"a\nb", "a\u2066b"} {
		var param *dp.ParameterError
		if _, err := budget.New(name, budget.Unit{}, dp.PureDP(1)); !errors.As(err, &param) {
			t.Errorf("data set %q: %v", name, err)
		}
		if _, err := budget.New("d", budget.Unit{}, dp.PureDP(1).Under(dp.UnderMetric(name))); !errors.As(err, &param) {
			t.Errorf("metric %q: %v", name, err)
		}
	}
}

// The figures of theory/ledger.md §2: what half of δ costs against all of it, and what the textbook's order costs
// against the best, in percent of the zCDP that fits at δ = 1e-6.
func TestFiguresOfTheDefaults(t *testing.T) {
	left := func(eps float64, options ...budget.Option) float64 {
		b := must.Get(budget.New("d", budget.Unit{}, dp.ApproxDP(eps, 1e-6), options...))(t)
		return b.Left().Rho
	}
	for _, c := range []struct{ eps, half, textbook float64 }{{.1, 7.4, 15.8}, {1, 5.8, 6.0}, {3, 5.0, 2.9},
		{10, 3.9, .9}} {
		tail := math.Log(2 / 1e-6)
		rho := math.Pow(math.Sqrt(tail+c.eps)-math.Sqrt(tail), 2) // ρ + 2√(ρ ln(1/δ_c)) = ε
		standard := left(c.eps)
		half := 100 * (1 - standard/left(c.eps, budget.ConvertWithDelta(1e-6)))
		textbook := 100 * (1 - left(c.eps, budget.ConvertAtOrder(1+math.Sqrt(tail/rho)))/standard)
		if math.Abs(half-c.half) > .06 || math.Abs(textbook-c.textbook) > .06 {
			t.Errorf("ε = %v: half of δ costs %.2f %%, the textbook's order %.2f %%", c.eps, half, textbook)
		}
	}
	b, err := budget.New("d", budget.Unit{}, dp.ApproxDP(1, 1e-6))
	if err != nil || math.Abs(b.Conversion().Cost()-.4656) > 5e-5 {
		t.Errorf("c = %v (%v)", b.Conversion().Cost(), err)
	}
}
