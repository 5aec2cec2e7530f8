package model_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// tallied are models of every kind on tallyFrame.
var tallied = []model.Model{
	model.Categorical("c"), model.NaiveBayes("c", "wide", "x"),
	model.Network("c", model.Node("wide"), model.Node("c", "wide"), model.Node("x", "c", "wide")),
	model.Exponential("x").WithRange(.01, 9), model.LaplaceScale("x", 3.3).WithRange(.01, 9),
	model.NormalPrecision("x", .1).WithRange(.01, 9), model.LinearRegression("y", "x"), model.Mean("x"),
	model.MeanSD("y"), model.Means("x", "y"), model.GroupMeans("x", "c"), model.Poisson("z"),
	model.Mean("m"), model.GroupMeans("m", "c"),
}

func tallyFrame(t testing.TB, n int, seed uint64) *frame.Frame {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var labels []string
	for i := range 300 {
		labels = append(labels, fmt.Sprint("w", i))
	}
	some := frame.Real("m", 0, 10)
	some.Missing, some.OnMissing = []string{"?"}, frame.MissingOmitted
	s := &frame.Schema{Dataset: "tally", Columns: []frame.Column{frame.Categorical("c", "no", "yes"),
		frame.Categorical("wide", labels...), frame.Real("x", 0, 2, 10), frame.Integer("y", -5, 0, 5),
		frame.Integer("z", 0, 9), some}}
	m := make([]float64, n)
	c, wide, x, y, z := make([]string, n), make([]string, n), make([]float64, n), make([]int, n), make([]int, n)
	for i := range n {
		c[i], wide[i] = []string{"no", "yes"}[r.IntN(2)], labels[r.IntN(len(labels))]
		x[i], y[i], z[i] = math.Min(10, r.ExpFloat64()*3), r.IntN(11)-5, r.IntN(10)
		if m[i] = x[i]; z[i] > 6 {
			m[i] = math.NaN()
		}
	}
	return must.Get(frame.FromColumns(s, map[string]any{"c": c, "wide": wide, "x": x, "y": y, "z": z, "m": m}))(t)
}

func newTally(t testing.TB, sh *model.Shape) *model.Tally {
	t.Helper()
	return must.Get(model.NewTally(access.Mine(), sh))(t)
}

func tallyShape(t testing.TB, f *frame.Frame, m model.Model) *model.Shape {
	t.Helper()
	return must.Get(model.NewShape(f.Schema(), m, f.Len(), true, ""))(t)
}

// opened are all numbers of sealed statistics.
func opened(st *model.Statistics) string {
	key := access.Mine()
	return fmt.Sprint(st.Open(key), st.OpenSums(key), st.OpenWhole(key), st.AtBounds(key), st.Rows(key))
}

// Blocks, groups and parts in any order give the bits that a frame's count gives.
func TestTalliesDoNotDependOnOrderOrParts(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		f := tallyFrame(t, rapid.IntRange(1, 500).Draw(r, "n"), rapid.Uint64().Draw(r, "seed"))
		m := tallied[rapid.IntRange(0, len(tallied)-1).Draw(r, "model")]
		sh := tallyShape(t, f, m)
		want := must.Get(model.Count(sh, f))(t)
		src := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "order"), 0))
		idx := src.Perm(f.Len())
		all := newTally(t, sh)
		var sum []int64
		for len(idx) > 0 {
			part, cut := newTally(t, sh), src.IntN(len(idx))
			g := must.Get(f.Rows(idx[cut:]))(t)
			if idx = idx[:cut]; src.IntN(2) == 0 {
				addBlock(t, part, g)
			} else {
				addGroups(t, part, g)
			}
			if src.IntN(2) == 0 {
				must.Do(t, all.Merge(part))
				continue
			}
			numbers := part.Numbers(access.Mine())
			if sum == nil {
				sum = make([]int64, len(numbers))
			}
			for i, v := range numbers {
				sum[i] += v
			}
		}
		if sum != nil {
			must.Do(t, all.AddNumbers(access.Mine(), sum))
		}
		got := must.Get(all.Statistics(f.Selection()))(t)
		if opened(got) != opened(want) {
			r.Fatalf("%s: %s, want %s", m, opened(got), opened(want))
		}
	})
}

func addBlock(t testing.TB, tally *model.Tally, f *frame.Frame) {
	t.Helper()
	codes, values := make([]frame.Codes, len(tally.Columns())), make([][]float64, len(tally.Columns()))
	for i, c := range tally.Columns() {
		if tally.Values(i) {
			values[i], _ = f.Values(c.Name)
		} else {
			codes[i], _ = f.Codes(c.Name)
		}
	}
	must.Do(t, tally.Block(f.Len(), codes, values))
}

func addGroups(t testing.TB, tally *model.Tally, f *frame.Frame) {
	t.Helper()
	for row := range f.Len() {
		var codes []int32
		var values []float64
		for _, c := range tally.Columns() {
			k, _ := f.Codes(c.Name)
			codes = append(codes, int32(k.At(row)))
			v, err := f.Values(c.Name)
			if err != nil {
				v = make([]float64, f.Len())
			}
			values = append(values, v[row])
		}
		must.Do(t, tally.Group(codes, values, 1))
	}
	must.Do(t, tally.Group(make([]int32, len(tally.Columns())), make([]float64, len(tally.Columns())), 0))
}

// What a row adds to the sum of a rate is in the public range that its sensitivity is the width of, and within a step
// of 2^−61 of the range's upper end from the statistic; the sum of many is their exact sum, rounded once.
func TestRateSumsAreExactAndWithinTheirRange(t *testing.T) {
	for _, m := range tallied[3:6] {
		f := tallyFrame(t, 2000, 3)
		sh := tallyShape(t, f, m)
		r := sh.Rate()
		statistic, low, high := r.Statistic, r.Least, r.Most
		values := must.Get(f.Values("x"))(t)
		one := must.Get(model.NewShape(f.Schema(), m, 1, true, ""))(t)
		exact, slack := new(big.Float).SetPrec(400), 0.0
		for _, x := range append([]float64{0, 10, .1, 3.3, math.SmallestNonzeroFloat64}, values...) {
			tally := newTally(t, one)
			must.Do(t, tally.Group(nil, []float64{x}, 1))
			st := must.Get(tally.Statistics(frame.Selection{}))(t)
			got := st.OpenSums(access.Mine())[0]
			if got < low || got > high || math.Abs(got-statistic(x)) > math.Ldexp(high, -61) {
				t.Errorf("%s: x = %v adds %v, T = %v in [%v, %v]", m, x, got, statistic(x), low, high)
			}
		}
		for _, x := range values {
			exact.Add(exact, big.NewFloat(statistic(x)))
			slack += math.Ldexp(high, -61)
		}
		st := must.Get(model.Count(sh, f))(t)
		want, _ := exact.Float64()
		if got := st.OpenSums(access.Mine())[0]; math.Abs(got-want) > slack+want*0x1p-53 {
			t.Errorf("%s: Σ T = %v, want %v", m, got, want)
		}
	}
}

func TestTalliesRefuse(t *testing.T) {
	f := tallyFrame(t, 10, 1)
	for _, m := range []model.Model{tallied[1], tallied[6]} {
		sh := tallyShape(t, f, m)
		if _, err := model.NewTally(access.Key{}, sh); !errors.Is(err, model.ErrSealed) {
			t.Error("without the key:", err)
		}
		tally := newTally(t, sh)
		if tally.Numbers(access.Key{}) != nil || !errors.Is(tally.AddNumbers(access.Key{}, nil), model.ErrSealed) {
			t.Error("numbers without the key")
		}
		columns := len(tally.Columns())
		refused := []error{
			tally.Block(3, nil, nil), tally.Block(3, make([]frame.Codes, columns), make([][]float64, columns)),
			tally.Group(make([]int32, columns-1), make([]float64, columns-1), 1),
			tally.Group(make([]int32, columns), make([]float64, columns), -1),
			tally.Group(make([]int32, columns), make([]float64, columns), 1<<60),
			tally.AddNumbers(access.Mine(), []int64{1}), tally.Merge(nil),
			tally.Merge(newTally(t, tallyShape(t, f, tallied[0]))),
		}
		if sh.Counts() {
			refused = append(refused, tally.Group(slices.Repeat([]int32{-1}, columns), nil, 1),
				tally.Group(slices.Repeat([]int32{300}, columns), nil, 1))
		}
		for i, err := range refused {
			if err == nil {
				t.Errorf("%s: case %d is taken", m, i)
			}
		}
		addBlock(t, tally, f)
		must.Do(t, tally.Group(make([]int32, columns), make([]float64, columns), 1))
		var changed *model.ChangedError
		if _, err := tally.Statistics(f.Selection()); !errors.As(err, &changed) {
			t.Errorf("%s: a row too many: %v", m, err)
		}
		if sh.Counts() { // a number of a table changed on the way
			lost := newTally(t, sh)
			addBlock(t, lost, f)
			numbers := lost.Numbers(access.Mine())
			numbers[1]++
			again := newTally(t, sh)
			must.Do(t, again.AddNumbers(access.Mine(), numbers))
			if _, err := again.Statistics(f.Selection()); !errors.As(err, &changed) {
				t.Errorf("%s: a count too many: %v", m, err)
			}
		}
	}
}
