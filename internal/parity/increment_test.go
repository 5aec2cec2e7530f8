package parity

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"pgregory.net/rapid"
)

// Reference values from an independent implementation, double precision.
func TestGammaIncrementGolden(t *testing.T) {
	for _, tc := range []struct {
		k           int
		delta, want float64
	}{
		{34, 0.1, 41.65395118982595}, {33, 0.1, 40.542743062800824}, {8, 0.05, 13.148113802432116},
		{6, 0.01, 13.108483652767926},
	} {
		if got, err := GammaIncrement(tc.k, tc.delta); !near(got, tc.want, 2e-13) || err != nil {
			t.Errorf("%+v: %v, %v", tc, got, err)
		}
	}
	for _, delta := range []float64{1e-300, 1e-9, 0.3, 0.5, 0.999999} { // k = 1 is exponential
		if got, err := GammaIncrement(1, delta); !near(got/-math.Log(delta), 1, 1e-13) || err != nil {
			t.Errorf("k = 1, δ = %v: %v, %v", delta, got, err)
		}
	}
}

func TestGammaIncrementInverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := int(math.Exp(rapid.Float64Range(0, math.Log(1e7)).Draw(t, "ln k")))
		delta := math.Exp(rapid.Float64Range(-30, -1e-6).Draw(t, "ln δ"))
		x, err := GammaIncrement(k, delta)
		if err != nil {
			t.Fatal(err)
		}
		tail, err := GammaTail(k, x)
		if err != nil || !near(tail/delta, 1, 1e-10) {
			t.Fatalf("k = %d, δ = %v: x = %v with tail %v, %v", k, delta, x, tail, err)
		}
		if ref := mathext.GammaIncRegComp(float64(k), x); k < 1e4 && !near(tail/ref, 1, 1e-10) {
			t.Fatalf("k = %d, x = %v: tail %v, reference %v", k, x, tail, ref)
		}
	})
}

func TestGammaTail(t *testing.T) {
	for _, tc := range []struct {
		k       int
		x, want float64
	}{
		{1, 0, 1}, {5, math.Inf(1), 0}, {1, 2, math.Exp(-2)}, {2, 3, 4 * math.Exp(-3)},
		{3, 0.5, math.Exp(-0.5) * 1.625},
		{1 << 20, 1, 1},
	} {
		if got, err := GammaTail(tc.k, tc.x); !near(got, tc.want, 1e-15) || err != nil {
			t.Errorf("%+v: %v, %v", tc, got, err)
		}
	}
}

// The claim of Corollary 3 holds from t = ½ on and fails below: on eight coefficients at t = 0.03.
func TestTextbookIncrement(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4, 8, 21, 34, 142, 935, 10000} {
		for tt := 0.5; tt < 6; tt += 0.05 {
			b, err := TextbookIncrement(size, tt)
			if err != nil || !b.Holds || b.Failure > b.Claimed || b.Increment != 2*tt*float64(size) {
				t.Fatalf("|N| = %d, t = %v: %+v, %v", size, tt, b, err)
			}
		}
	}
	if b, err := TextbookIncrement(8, 0.03); err != nil || b.Holds || b.Failure <= b.Claimed {
		t.Errorf("%+v, %v", b, err)
	}
	// where the bound first holds: 0.184 for 2, 0.339 for 4, 0.425 for 10
	for size, t0 := range map[int]float64{2: 0.184, 4: 0.339, 10: 0.425, 34: 0.469} {
		below, _ := TextbookIncrement(size, t0-0.001)
		above, _ := TextbookIncrement(size, t0+0.001)
		if below.Failure <= below.Claimed || above.Failure > above.Claimed {
			t.Errorf("|N| = %d: %+v, %+v", size, below, above)
		}
	}
	exact, err := GammaIncrement(34, 0.1)
	b, _ := TextbookIncrement(34, math.Log(10))
	if err != nil || b.Increment < 3.7*exact {
		t.Errorf("%v against %v, %v", b.Increment, exact, err)
	}
}

func TestFourierBound(t *testing.T) {
	// naive Bayes with 16 features, s = 2, t = 1, δ = 0.05, ε = 1
	paper := FourierBound{Size: 34, Sensitivity: 68, Epsilon: 1, Delta: 0.05, Cells: 4, Increment: 4 * 34 * 34}
	got, err := paper.Paper()
	if !near(got, 6398.0092411022815, 1e-14) || err != nil {
		t.Error(got, err)
	}
	paper.Increment = 0
	loose, _ := paper.Paper()
	sharp, err := paper.Parseval()
	if !near(sharp, 595.9556223156478, 1e-14) || err != nil || sharp > loose {
		t.Error(sharp, err)
	}
}

func TestDomains(t *testing.T) {
	good := FourierBound{Size: 34, Sensitivity: 68, Epsilon: 1, Delta: 0.05, Cells: 4}
	change := func(f func(*FourierBound)) func() error {
		return func() error {
			b := good
			f(&b)
			_, err := b.Paper()
			_, err2 := b.Parseval()
			if err == nil || err2 == nil {
				return nil
			}
			return err
		}
	}
	for name, do := range map[string]func() error{
		"tail k":      func() error { _, err := GammaTail(0, 1); return err },
		"tail x":      func() error { _, err := GammaTail(1, -1); return err },
		"tail NaN":    func() error { _, err := GammaTail(1, math.NaN()); return err },
		"k":           func() error { _, err := GammaIncrement(MaxShape+1, 0.5); return err },
		"δ 0":         func() error { _, err := GammaIncrement(1, 0); return err },
		"δ 1":         func() error { _, err := GammaIncrement(1, 1); return err },
		"t":           func() error { _, err := TextbookIncrement(1, 0); return err },
		"t infinite":  func() error { _, err := TextbookIncrement(1, math.Inf(1)); return err },
		"size":        func() error { _, err := TextbookIncrement(0, 1); return err },
		"cells":       change(func(b *FourierBound) { b.Cells = 0 }),
		"|N|":         change(func(b *FourierBound) { b.Size = 3 }),
		"sensitivity": change(func(b *FourierBound) { b.Sensitivity = math.NaN() }),
		"ε":           change(func(b *FourierBound) { b.Epsilon = 0 }),
		"δ":           change(func(b *FourierBound) { b.Delta = 1 }),
		"increment":   change(func(b *FourierBound) { b.Increment = -1 }),
	} {
		if err := do(); !sameType(err, new(ValueError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
