package numbers

import (
	"context"
	"errors"
	"flag"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/quantiles"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

var rounds = flag.Int("rounds", 10, "how often 50 runs are made of every cell, each time with the next seed")

const command = "go test ./papers/study/numbers -run 'TestFull|TestRates' -write -rounds 9 -timeout 3h"

// TestFull makes results.json, some ten minutes of one processor; it runs only when asked to, and writes after every
// round.
func TestFull(t *testing.T) {
	all := &Result{}
	full.Run(t, "results.json", false, all, func(ctx context.Context, save func()) error {
		all.Library, all.Command, all.Seed = full.Library, command, 2026
		for round := range *rounds {
			r, err := Run(ctx, Options{Seed: all.Seed + uint64(round), Runs: 50})
			if err != nil {
				return err
			}
			all.add(r)
			save()
		}
		t.Log(all, all.Wrong())
		return nil
	})
}

// TestRates adds the rates' errors to results.json.
func TestRates(t *testing.T) {
	all := &Result{}
	full.Run(t, "results.json", true, all, func(ctx context.Context, save func()) (err error) {
		if all.Rates, err = Rates(ctx, 100, all.Seed); err != nil {
			return err
		}
		all.Library, all.Command = full.Library, command
		save()
		t.Log(all.Rates)
		return nil
	})
}

// The committed run is what it should be in every cell.
func TestCommitted(t *testing.T) {
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	if wrong := r.Wrong(); len(wrong) > 0 {
		t.Errorf("wrong: %q", wrong)
	}
	if r.Command != command || len(r.Rates) != len(noteErrors) {
		t.Errorf("%q, %d rates", r.Command, len(r.Rates))
	}
	names, sum, one, runs := map[string]bool{}, 0.0, 0.0, 0
	for _, c := range r.Curves {
		names[c.Name] = true
		if len(c.Cells) != 9 || c.Cells[0].Runs < 50 {
			t.Errorf("%s: %d cells of %d runs", c.Name, len(c.Cells), c.Cells[0].Runs)
		}
		if c.Kind == kinds[oneParameter] {
			sum, one, runs = sum+c.Mean(), one+1, runs+9*c.Cells[0].Runs
		}
	}
	for _, p := range problems() {
		for _, name := range p.parameters() {
			if !names[name] {
				t.Errorf("no %s", name)
			}
		}
	}
	// of the first rounds, chance alone takes the mean that far in one case of 2000
	if all := sum / one; math.Abs(all-simulate.Level) > math.Max(.005, 3.5*simulate.SE(runs)) {
		t.Errorf("one-sum models: %.4f on average", all)
	}
}

// A part of the run, live, and two posteriors that are wrong: one that takes the noise for less than it is, one that
// ignores the bounds, by the same criterion. The rates' errors are those of the committed run but for chance.
func TestLive(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: ExampleRun is a run that is quick")
	}
	o := Options{Problems: []string{"Poisson mean", "normal mean and sd", "population mean, beta"}, Sizes: []int{50},
		Epsilons: []float64{1}, Runs: 60, Seed: 7}
	ran := int64(0)
	o.Progress = func(done, total int64) { ran = total - done }
	right, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if ran != 0 {
		t.Errorf("progress ends %d before its total", ran)
	}
	if w := farOff(right); len(w) > 0 {
		t.Errorf("wrong: %q", w)
	}
	o.Problems, o.Overstated = []string{"exponential rate", "population mean, beta"}, 8
	o.Epsilons = []float64{.1}
	overstated, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if w := farOff(overstated); len(w) != 2 {
		t.Errorf("noise taken for an eighth of what it is is found in %q", w)
	}
	rates, err := Rates(t.Context(), 10, 7)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range rates[1:] { // six standard errors
		if e.Error > 1.1*e.Note*math.Sqrt(1+6.2*math.Sqrt(2.0/10)) {
			t.Errorf("%+v", e)
		}
	}
}

// One cell of the committed run, made again by its own seeds, is the same to the last interval.
func TestACommittedCellIsMadeAgain(t *testing.T) {
	c, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	again := &Result{}
	for round := range c.Rounds {
		r, err := Run(t.Context(), Options{Seed: c.Seed + uint64(round), Runs: 50, Problems: []string{c.Curves[0].Name},
			Sizes: []int{50}, Epsilons: []float64{1}})
		if err != nil {
			t.Fatal(err)
		}
		again.add(r)
	}
	got, want := again.Curves[0].Cells[0], c.Curves[0].Cells[1]
	if got.Held != want.Held || got.Runs != want.Runs || math.Abs(got.Width-want.Width) > 1e-9 {
		t.Errorf("%+v, committed %+v", got, want)
	}
}

// farOff are cells that a right posterior has with a probability below 1e-9 each: 6.2 standard errors.
func farOff(r *Result) (list []string) {
	for _, c := range r.Curves {
		for _, cell := range c.Cells {
			off := math.Abs(cell.Coverage() - simulate.Level)
			if c.Kind == kinds[modelFree] && cell.Coverage() > simulate.Level {
				off = 0 // wide by design
			}
			if c.Kind != kinds[oneParameter] {
				off -= .02
			}
			if off > 6.2*cell.SE() {
				list = append(list, c.Name)
			}
		}
	}
	return list
}

func TestErrors(t *testing.T) {
	var e *domain.Error
	for _, o := range []Options{{Runs: -1}, {Overstated: -2}, {Overstated: math.Inf(1)}, {Problems: []string{"none"}},
		{Sizes: []int{0}}} {
		if _, err := Run(t.Context(), o); !errors.As(err, &e) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Options{Runs: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Figures that are not what they should be are named.
func TestWrongIsNamed(t *testing.T) {
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Curves {
		for j := range r.Curves[i].Cells {
			r.Curves[i].Cells[j].Held = r.Curves[i].Cells[j].Runs * 8 / 10
		}
	}
	r.Rates[0].Error = 2 * r.Rates[0].Note
	if want := len(r.Curves) * 9; len(r.Wrong()) < want {
		t.Errorf("%d of %d named", len(r.Wrong()), want)
	}
}

// rmse is the root mean square error, over runs, of what of makes of rows.
func rmse(t *testing.T, runs int, truth func(rows []float64) float64, value func(src *dp.Stream) float64, n int,
	of func(rows []float64, src *dp.Stream) float64) float64 {
	t.Helper()
	src, square := dp.Seeded(12), 0.0
	for range runs {
		rows := make([]float64, n)
		for i := range rows {
			rows[i] = math.Min(value(src), 1)
		}
		square += math.Pow(of(rows, src)-truth(rows), 2) / float64(runs)
	}
	return math.Sqrt(square)
}

func mean(rows []float64) (m float64) {
	for _, x := range rows {
		m += x / float64(len(rows))
	}
	return m
}

// released is what a model estimates of rows by a mechanism at ε-DP.
func released(t *testing.T, m model.Model, bins int, mech mechanism.Mechanism, eps float64,
	read func(f *model.Fitted) (float64, error)) func(rows []float64, src *dp.Stream) float64 {
	t.Helper()
	var edges []float64
	for k := range bins + 1 {
		edges = append(edges, float64(k)/float64(bins))
	}
	c := frame.Real("x", edges...)
	s := &frame.Schema{Dataset: "simulated", Columns: []frame.Column{c}}
	return func(rows []float64, src *dp.Stream) float64 {
		sh, err := model.NewShape(s, m, len(rows), true, "")
		if err != nil {
			t.Fatal(err)
		}
		var st *model.Statistics
		if l := sh.Lattice(); l != nil {
			whole := make([]int64, l.Len())
			for _, x := range rows {
				l.Add(whole, []int64{l.At(0, x)}, 0)
			}
			st, err = model.FromWhole(sh, len(rows), whole)
		} else {
			table := make([]int64, bins)
			for _, x := range rows {
				table[min(int(x*float64(bins)), bins-1)]++
			}
			st, err = model.FromCounts(sh, [][]int64{table})
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := mech.Plan(t.Context(), sh, dp.PureDP(eps))
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Draw(t.Context(), st, "simulated", src)
		if err != nil {
			t.Fatal(err)
		}
		e, err := p.Estimate(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		f, err := model.Fit(sh, e)
		if err != nil {
			t.Fatal(err)
		}
		v, err := read(f)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Which release tells a mean, and which a median: the table of docs/reference/numbers.md, to within a factor of 1.5,
// which 30 runs keep to (the seed is fixed). A sum tells a mean and the exponential mechanism a median at any n and ε;
// the histogram has neither, and the shape.
func TestWhichReleaseTellsWhat(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: ExampleRun is a run that is quick")
	}
	skewed := func(src *dp.Stream) float64 { return math.Exp(.7*sample.Normal(src) - 2) }
	flat := func(src *dp.Stream) float64 { return sample.Float64(src) }
	middle := func(rows []float64) float64 {
		below := func(v float64) (k int) {
			for _, x := range rows {
				if x < v {
					k++
				}
			}
			return k
		}
		lo, hi := 0.0, 1.0
		for range 30 {
			if mid := (lo + hi) / 2; 2*below(mid) <= len(rows) {
				lo = mid
			} else {
				hi = mid
			}
		}
		return lo
	}
	first := func(f *model.Fitted) (float64, error) { return f.Draws().Mean()[0], nil }
	binned := func(f *model.Fitted) (float64, error) { return f.BinnedMean() }
	half := func(f *model.Fitted) (float64, error) { return f.BinnedQuantile(.5) }
	for _, c := range []struct {
		name  string
		value func(src *dp.Stream) float64
		n     int
		eps   float64
	}{{"skewed", skewed, 500, 1}, {"skewed", skewed, 500, .1}, {"skewed", skewed, 5000, 1}, {"flat", flat, 500, 1}} {
		sum := rmse(t, 30, mean, c.value, c.n, released(t, model.Mean("x"), 2, sums.New(), c.eps, first))
		hist := rmse(t, 30, mean, c.value, c.n, released(t, model.Histogram("x"), 16, counts.Geometric(), c.eps, binned))
		em := rmse(t, 30, middle, c.value, c.n, released(t, model.Quantiles("x", .5), 2, quantiles.EM(), c.eps, first))
		read := rmse(t, 30, middle, c.value, c.n, released(t, model.Histogram("x"), 16, counts.Geometric(), c.eps, half))
		t.Logf("%s, n = %d, ε = %v: mean by sum %.4f, by 16 bins %.4f; median by EM %.4f, by 16 bins %.4f", c.name, c.n,
			c.eps,
			sum, hist, em, read)
		if sum > hist || c.name == "skewed" && em > read {
			t.Errorf("%s, n = %d, ε = %v: the histogram wins", c.name, c.n, c.eps)
		}
	}
}
