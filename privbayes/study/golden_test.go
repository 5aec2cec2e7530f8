package study

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"
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
		if testing.Short() && i != 1 && i != 4 && i != 6 {
			continue
		}
		s := Setting{Prior: g.Prior, X: g.X, Epsilon: g.Eps, Delta: g.Delta}
		start := time.Now()
		out, err := Accuracy(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v %v: %v", s.Prior, s.X, time.Since(start))
		seen := map[string]bool{}
		for _, o := range out {
			want, ok := g.Mech[o.Name]
			if !ok {
				t.Errorf("%s is not in the reference", o.Name)
				continue
			}
			seen[o.Name] = true
			name := o.Name + " "
			fields := map[string]float64{"meanH": o.MeanH, "sdH": o.SDH, "meanL1": o.MeanL1, "rate": o.Rate, "beta": o.Beta, "S": o.Scale, "rho": o.Rho, "p_truth": o.ProbTruth}
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
