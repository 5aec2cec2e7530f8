package study

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"
)

// golden is an independent enumeration of the same laws, in double precision.
type golden struct {
	Prior      []float64
	X          []int64
	Eps, Delta float64
	GS, LS     float64
	LSplus     float64
	SizeR      float64
	Mech       map[string]map[string]float64
}

func goldens(t testing.TB) []golden {
	t.Helper()
	b, err := os.ReadFile("testdata/accuracy.json")
	if err != nil {
		t.Fatal(err)
	}
	var out []golden
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func close8(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s = %.14g, want %.14g (off by %.2g)", what, got, want, got-want)
	}
}

func TestAccuracyAgreesWithTheReference(t *testing.T) {
	cases := goldens(t)
	for i, g := range cases {
		if Brief() && i != 1 && i != 4 && i != 6 {
			continue
		}
		s := Setting{Prior: g.Prior, X: g.X, Epsilon: g.Eps, Delta: g.Delta}
		out, err := Accuracy(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, o := range out {
			want, ok := g.Mech[o.Name]
			if !ok {
				t.Errorf("%s is not in the reference", o.Name)
				continue
			}
			seen[o.Name] = true
			name := o.Name + " "
			fields := map[string]float64{"meanH": o.MeanH, "sdH": o.SDH, "meanL1": o.MeanL1, "rate": o.Rate,
				"beta": o.Beta, "S": o.Scale, "rho": o.Rho, "p_truth": o.ProbTruth}
			for f, got := range fields {
				if w, ok := want[f]; ok {
					close8(t, name+f, got, w, 1e-9)
				}
			}
		}
		for name := range g.Mech {
			if !seen[name] {
				t.Errorf("%s is missing", name)
			}
		}
	}
}

// Candidates at equal distance have H that differ in the last digits, so that a quantile can be either of two numbers:
// the reference's quantiles are checked through our distribution function.
func TestQuantilesAgreeWithTheReferenceThroughTheCDF(t *testing.T) {
	const slack = 1e-9
	for i, g := range goldens(t) {
		if Brief() && i != 1 && i != 4 && i != 6 {
			continue
		}
		b := mustBench(t, Setting{Prior: g.Prior, X: g.X, Epsilon: g.Eps, Delta: g.Delta})
		for _, m := range mechanisms() {
			want, ok := g.Mech[m.name]
			if m.law == nil || !ok {
				continue
			}
			l, _ := m.law(b)
			o := l.outcome(m.name)
			check := func(what string, v []float64, q, level float64) {
				below, reached := 0.0, 0.0
				for k, x := range v {
					if x < q-slack {
						below += l.p[k]
					}
					if x <= q+slack {
						reached += l.p[k]
					}
				}
				if reached < level-slack || below > level+slack {
					t.Errorf("case %d, %s, %s: %v is no quantile at %v: P[<] = %v, P[≤] = %v", i, m.name, what, q,
						level, below, reached)
				}
			}
			for _, c := range []struct {
				field string
				own   float64
				level float64
			}{{"q05", o.Q05, 0.05}, {"q25", o.Q25, 0.25}, {"q50", o.Q50, 0.5}, {"q75", o.Q75, 0.75},
				{"q95", o.Q95, 0.95}} {
				check("reference "+c.field, l.h, want[c.field], c.level)
				check("own "+c.field, l.h, c.own, c.level)
			}
			check("reference q50L1", l.l1, want["q50L1"], 0.5)
			check("own q95L1", l.l1, o.Q95L1, 0.95)
		}
	}
}

// The agreement above is worth something only if it fails for a rate that is wrong by one part in a million.
func TestTheReferenceRejectsAWrongRate(t *testing.T) {
	g := goldens(t)[6]
	b := mustBench(t, Setting{Prior: g.Prior, X: g.X, Epsilon: g.Eps, Delta: g.Delta})
	l, p := mechanisms()[0].law(b)
	want := g.Mech[EMGlobal]["meanH"]
	if got := l.outcome("").MeanH; math.Abs(got-want) > 1e-9 {
		t.Errorf("E[H] = %v, want %v", got, want)
	}
	if got := b.em(p.rate * (1 + 1e-6)).outcome("").MeanH; math.Abs(got-want) < 1e-9 {
		t.Error("a wrong rate goes unnoticed")
	}
}

// Brief leaves out the repetitions of slow cases: with -short, and under the race detector, which makes them several
// times slower.
func Brief() bool { return testing.Short() || underRace }

func mustBench(t testing.TB, s Setting) *bench {
	t.Helper()
	b, err := newBench(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
