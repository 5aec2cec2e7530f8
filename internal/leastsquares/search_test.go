package leastsquares

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
)

// lattice is k of one coordinate, in rational arithmetic: (v − mid)/half in floating point, as Design says, clipped,
// and rounded to the nearest k·2^−22, ties to even.
func lattice(v, mid, half float64) int64 {
	t, _ := clip((v - mid) / half)
	x := new(big.Rat).SetFloat64(t)
	x.Mul(x, big.NewRat(1<<latticeBits, 1))
	two := new(big.Int).Lsh(x.Denom(), 1)
	k := new(big.Int).Add(new(big.Int).Lsh(x.Num(), 1), x.Denom())
	tie := new(big.Int).Mod(k, two).Sign() == 0
	k.Div(k, two) // ⌊x + ½⌋
	if tie && k.Bit(0) == 1 {
		k.Sub(k, big.NewInt(1))
	}
	return k.Int64()
}

func TestSumsAreExactInEveryOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d, n := rapid.IntRange(1, 5).Draw(r, "d"), rapid.IntRange(0, 700).Draw(r, "n")
		intercept := rapid.Bool().Draw(r, "intercept")
		ranges := make([]Range, d)
		for i := range ranges {
			ranges[i] = Range{-3 * float64(i+1), 7}
		}
		design, err := NewDesign(ranges, Range{0, 100}, intercept)
		if err != nil {
			t.Fatal(err)
		}
		src := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
		x, y, exact := make([][]float64, d), make([]float64, n), make([][]int64, n)
		for i := range n {
			if intercept {
				exact[i] = append(exact[i], 1<<latticeBits)
			}
			for j := range x {
				v := src.Float64()*30 - 10
				if i%5 == 0 {
					v = design.mid[j] + design.half[j]*(math.Trunc(v*1000)+.5)/(1<<latticeBits) // ties
				}
				x[j] = append(x[j], v)
				exact[i] = append(exact[i], lattice(v, design.mid[j], design.half[j]))
			}
			y[i] = src.Float64()*120 - 10
			exact[i] = append(exact[i], lattice(y[i], design.yMid, design.yHalf))
		}
		all, parts := sums(t, design), sums(t, design)
		if err := all.Add(x, y); err != nil {
			t.Fatal(err)
		}
		for len(y) > 0 { // in reverse, some rows one by one
			cut := src.IntN(len(y))
			tail := make([][]float64, d)
			for j := range x {
				tail[j] = slices.Clone(x[j][cut:])
				slices.Reverse(tail[j])
				x[j] = x[j][:cut]
			}
			last := slices.Clone(y[cut:])
			slices.Reverse(last)
			y = y[:cut]
			for ; len(last)%3 > 0; last = last[1:] {
				row := make([]float64, d)
				for j := range tail {
					row[j], tail[j] = tail[j][0], tail[j][1:]
				}
				if err := parts.AddRow(row, last[0], 1); err != nil {
					t.Fatal(err)
				}
			}
			if err := parts.Add(tail, last); err != nil {
				t.Fatal(err)
			}
		}
		at := 0
		for i := range design.Dim() + 1 {
			for j := i; j <= design.Dim(); j++ {
				want := new(big.Int)
				for _, k := range exact {
					want.Add(want, big.NewInt(k[i]*k[j]))
				}
				got := all.sums[at]
				value := new(big.Int).Add(new(big.Int).Lsh(big.NewInt(got.Hi), 64), new(big.Int).SetUint64(got.Lo))
				if value.Cmp(want) != 0 || parts.sums[at] != got {
					r.Fatalf("sum %d, %d: %v and %v in parts, want %v", i, j, value, parts.sums[at], want)
				}
				at++
			}
		}
		if !slices.Equal(all.Moments(), parts.Moments()) {
			r.Fatal("moments differ")
		}
	})
}

func sums(t testing.TB, d *Design) *Sums {
	t.Helper()
	s, err := NewSums(d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The rounded rows are in the unit ball, which is what the sensitivity of the moments is proved for; the moments are
// those of the rows to the lattice's step. Sums in floating point, the mutant, do depend on the order.
// addScaled adds the rows of a design, given by columns.
func addScaled(m *Moments, d *Design, x [][]float64, y []float64) error {
	row, out := make([]float64, len(x)), make([]float64, d.Dim()+1)
	for i := range y {
		for j := range x {
			row[j] = x[j][i]
		}
		if _, err := d.Row(row, y[i], out); err != nil {
			return err
		}
		if err := m.AddRows(out); err != nil {
			return err
		}
	}
	return nil
}

func TestRoundedRowsAreInTheUnitBall(t *testing.T) {
	for _, d := range []int{1, 2, 3, 7, 50} {
		design := mustDesign(t, d, true)
		s, whole := sums(t, design), mustMoments(t, design.Dim(), nil)
		x, corner := make([]float64, d), make([][]float64, d)
		for j := range x {
			x[j] = 1e9 * float64(1-2*(j%2))
			corner[j] = []float64{x[j]}
		}
		if err := s.AddRow(x, -1e9, 1); err != nil {
			t.Fatal(err)
		}
		must.Do(t, addScaled(whole, design, corner, []float64{-1e9}))
		unit := new(big.Rat).SetFloat64(design.unit)
		norm, at := new(big.Rat), 0
		for i := range design.Dim() {
			p := s.sums[at]
			square := new(big.Rat).SetFrac(new(big.Int).SetUint64(p.Lo), new(big.Int).Lsh(big.NewInt(1), 2*latticeBits))
			norm.Add(norm, square.Mul(square, unit).Mul(square, unit))
			at += design.Dim() + 1 - i
		}
		if norm.Cmp(big.NewRat(1, 1)) > 0 {
			t.Errorf("d = %d: the squared norm is %v, above 1", d, norm.FloatString(20))
		}
		if got, want := s.Moments()[0], whole.XX().At(0, 0); math.Abs(got-want) > 1e-15 {
			t.Errorf("d = %d: %v, want %v", d, got, want)
		}
	}
	rows := randomRows(3, 5000, 4)
	design, cols := mustDesign(t, 3, false), columnsOf(rows, 4)
	forward, back := mustMoments(t, 3, nil), mustMoments(t, 3, nil)
	a, b := sums(t, design), sums(t, design)
	for _, c := range []struct {
		m *Moments
		s *Sums
	}{{forward, a}, {back, b}} {
		if addScaled(c.m, design, cols[:3], cols[3]) != nil || c.s.Add(cols[:3], cols[3]) != nil {
			t.Fatal("adding failed")
		}
		for j := range cols {
			slices.Reverse(cols[j])
		}
	}
	if slices.Equal(forward.Stack(), back.Stack()) {
		t.Error("sums in floating point do not depend on the order: the test sees nothing")
	}
	if !slices.Equal(a.Moments(), b.Moments()) {
		t.Error("exact sums depend on the order")
	}
	for i, v := range a.Moments()[:3] {
		if want := forward.XX().At(0, i); math.Abs(v-want) > 5000*math.Ldexp(1, -latticeBits) {
			t.Errorf("moment %d is %v, want %v", i, v, want)
		}
	}
}

func TestSumsRefuse(t *testing.T) {
	design := mustDesign(t, 2, true)
	s := sums(t, design)
	for i, err := range []error{s.Add(make([][]float64, 1), nil), s.Add([][]float64{{1}, {1, 2}}, []float64{1}),
		s.AddRow([]float64{1}, 1, 1), s.AddRow([]float64{1, 2}, 1, -1)} {
		if err == nil {
			t.Errorf("case %d is taken", i)
		}
	}
}

func BenchmarkSums(b *testing.B) {
	const n = 20000
	rows := randomRows(10, n, 1)
	cols, design := columnsOf(rows, 11), mustDesign(b, 10, false)
	s, err := NewSums(design)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := s.Add(cols[:10], cols[10]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}

// Without floor it solves the system; a floor raises what lies below, and only that.
func TestLogit(t *testing.T) {
	s := mat.NewSymDense(2, []float64{5, 1, 1, 2})
	w, raised, err := Logit(s, []float64{3, -1}, 1, 0)
	if err != nil || raised != 0 {
		t.Fatal(raised, err)
	}
	for i := range 2 { // (S + I)w = 2.4 s
		got := s.At(i, 0)*w[0] + s.At(i, 1)*w[1] + w[i]
		if want := 2.4 * []float64{3, -1}[i]; math.Abs(got-want) > 1e-12 {
			t.Errorf("row %d: %v, want %v", i, got, want)
		}
	}
	indefinite := mat.NewSymDense(2, []float64{4, 0, 0, -3})
	w, raised, err = Logit(indefinite, []float64{5, 5}, 1, 2)
	if err != nil || raised != 1 || math.Abs(w[0]-2.4) > 1e-12 || math.Abs(w[1]-4) > 1e-12 {
		t.Error(w, raised, err)
	}
	var e *domain.Error
	for i, f := range []func() error{
		func() error { _, _, err := Logit(s, []float64{1}, 1, 0); return err },
		func() error { _, _, err := Logit(s, []float64{1, 1}, 0, 0); return err },
		func() error { _, _, err := Logit(s, []float64{1, 1}, 1, math.NaN()); return err },
		func() error { _, _, err := Logit(s, []float64{1, math.Inf(1)}, 1, 0); return err },
		func() error { _, _, err := Logit(nil, nil, 1, 0); return err },
	} {
		if err := f(); !errors.As(err, &e) {
			t.Errorf("case %d: %v", i, err)
		}
	}
}

func TestOscGolden(t *testing.T) {
	raw, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		Osc []struct {
			D      int
			B, Osc float64
		}
	}
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	for _, r := range g.Osc {
		got, err := Osc(r.B, r.D)
		// the reference rows for d = 1, B > 1 are maxima over a grid: below the truth by up to 1e-7
		if err != nil || got < r.Osc || got > r.Osc*(1+1e-7) {
			t.Errorf("osc(%g), d = %d: %.15g, %v; want %.15g", r.B, r.D, got, err, r.Osc)
		}
	}
	// theory/networks.md §7
	for _, r := range []struct{ b, osc float64 }{{3, 12}, {6, 25.2320}, {8, 41.1569}, {10, 61.1190}} {
		if got, err := Osc(r.b, 1); err != nil || math.Abs(got-r.osc) > 6e-5 {
			t.Errorf("osc(%g), d = 1: %g, %v; want %g", r.b, got, err, r.osc)
		}
	}
}

// The search over records and weights comes within 1e-6 of the formula and never above; neither a formula 1 % smaller
// nor the paper's Lipschitz constant read as 2L·ρ at half size would survive.
func TestSearchMeetsOsc(t *testing.T) {
	ctx := context.Background()
	for _, d := range []int{1, 2, 3, 6} {
		for _, b := range []float64{.25, .9, 1, 1.5, 3, 5.2, 5.8, 10} {
			osc, err := Osc(b, d)
			if err != nil {
				t.Fatal(err)
			}
			found, err := Search(ctx, b, d, 60, 7)
			if err != nil {
				t.Fatal(err)
			}
			if found.Value > osc*(1+1e-12) {
				t.Errorf("d %d, B %g: found %.15g above osc %.15g at %+v", d, b, found.Value, osc, found)
			}
			if found.Value < osc*(1-1e-6) {
				t.Errorf("d %d, B %g: found only %.15g of osc %.15g", d, b, found.Value, osc)
			}
			if norm := math.Sqrt(dot(found.W, found.W)); norm > b*(1+1e-15) || math.Abs(found.Y) > 1 ||
				dot(found.X, found.X) > 1+1e-14 {
				t.Errorf("d %d, B %g: %+v is not feasible", d, b, found)
			}
		}
	}
	cancelled, stop := context.WithCancel(ctx)
	stop()
	if _, err := Search(cancelled, 1, 2, 5, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled search: %v", err)
	}
}

// An intercept outside the budget — coordinate 1 beside ‖x‖ ≤ 1 — exceeds the certificate; inside it, as Design puts
// it, the same records do not.
func TestInterceptInsideTheBudget(t *testing.T) {
	const b = 1
	osc, err := Osc(b, 2)
	if err != nil {
		t.Fatal(err)
	}
	design, err := NewDesign([]Range{{-1, 1}}, Range{-1, 1}, true)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, 3)
	if _, err := design.Row([]float64{1}, 1, row); err != nil {
		t.Fatal(err)
	}
	p := newPoint(2)
	copy(p.w, []float64{math.Sqrt(.5), math.Sqrt(.5)})
	copy(p.wStar, scaled(p.w, -1))
	p.y[0], p.y2[0] = 1, -1
	for name, x := range map[string][]float64{"inside": row[:2], "outside": {1, 1}} {
		copy(p.x, x)
		copy(p.x2, x)
		if v := p.value(b); (v <= osc*(1+1e-12)) != (name == "inside") {
			t.Errorf("intercept %s: %g, certified %g", name, v, osc)
		}
	}
}

func TestParameterErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ctx := context.Background()
	var p *domain.Error
	for i, f := range []func() error{
		func() error { _, err := Osc(0, 2); return err },
		func() error { _, err := Osc(nan, 2); return err },
		func() error { _, err := Osc(inf, 2); return err },
		func() error { _, err := Osc(1, 0); return err },
		func() error { _, err := Search(ctx, 0, 1, 1, 1); return err },
		func() error { _, err := Search(ctx, 1, 0, 1, 1); return err },
		func() error { _, err := Search(ctx, 1, 1, 0, 1); return err },
		func() error { _, err := NewMoments(0); return err },
		func() error { _, err := NewDesign(nil, Range{0, 1}, false); return err },
		func() error { _, err := NewDesign([]Range{{1, 1}}, Range{0, 1}, false); return err },
		func() error { _, err := NewDesign([]Range{{0, inf}}, Range{0, 1}, false); return err },
		func() error { _, err := NewDesign([]Range{{0, 1}}, Range{nan, 1}, false); return err },
		func() error { _, _, err := Repair(nil, 0); return err },
	} {
		if err := f(); !errors.As(err, &p) || p.Parameter == "" || p.Want == "" {
			t.Errorf("case %d: %v", i, err)
		}
	}
}
