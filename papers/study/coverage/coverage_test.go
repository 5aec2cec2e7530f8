package coverage

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

const command = "go test ./papers/study/coverage -run TestFull -write"

// TestFull makes results.json; it takes a few minutes and runs only when asked to.
func TestFull(t *testing.T) {
	r := &Result{}
	full.Run(t, "results.json", false, r, func(ctx context.Context, save func()) error {
		done, err := Run(ctx, Options{Seed: 2026})
		if err != nil {
			return err
		}
		*r = *done
		r.Library, r.Command = full.Library, command
		save()
		t.Log(r)
		return nil
	})
}

// wrongPoints says which noise-aware coverages of a result are further than 6.5 standard errors from 0.95: none of a
// right posterior, but for a probability of 1e-10 a point.
func wrongPoints(r *Result) (wrong []string) {
	for _, c := range r.Curves {
		for _, p := range c.Points {
			if math.Abs(p.Aware-simulate.Level) > 6.5*r.SE() {
				wrong = append(wrong, c.Name)
			}
		}
	}
	return wrong
}

// The committed run: noise-aware coverage is right everywhere, naive coverage is not at small ε, and the two meet at
// large ε.
func TestCommitted(t *testing.T) {
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Curves) != 5 || r.Runs < 4000 || r.Command != command {
		t.Fatalf("%d curves, %d runs, %q", len(r.Curves), r.Runs, r.Command)
	}
	if w := wrongPoints(r); len(w) > 0 {
		t.Errorf("coverage off by more than 6.5 s.e.: %v", w)
	}
	for _, c := range r.Curves {
		first, last := c.Points[0], c.Points[len(c.Points)-1]
		if first.Naive > simulate.Level-20*r.SE() {
			t.Errorf("%s: naive coverage %.4f at ε = %g", c.Name, first.Naive, first.Epsilon)
		}
		if math.Abs(last.AwareWidth/last.NaiveWidth-1) > 0.1 {
			t.Errorf("%s: widths %g and %g at ε = %g", c.Name, last.NaiveWidth, last.AwareWidth, last.Epsilon)
		}
		for i := 1; i < len(c.Points); i++ {
			if c.Points[i].AwareWidth > c.Points[i-1].AwareWidth*1.02 {
				t.Errorf("%s: intervals widen from ε = %g to %g", c.Name, c.Points[i-1].Epsilon, c.Points[i].Epsilon)
			}
		}
	}
	for _, f := range []interface{ Validate() error }{r.Figure(), r.Widths()} {
		if err := f.Validate(); err != nil {
			t.Error(err)
		}
	}
	if rows := strings.Count(table.Text(r), "naive Bayes, n = 100, class"); rows != len(r.Curves[0].Points) {
		t.Errorf("%d rows", rows)
	}
}

// A live run reproduces a committed point to the last digit, when it is asked for the same one.
func TestLive(t *testing.T) {
	want, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	done := int64(0)
	got, err := Run(t.Context(), Options{Problems: Problems()[:1],
		Epsilons: []float64{want.Curves[0].Points[0].Epsilon}, Runs: want.Runs, Seed: want.Seed,
		Progress: func(d, total int64) { done = total - d }})
	if err != nil {
		t.Fatal(err)
	}
	a, b := got.Curves[0].Points[0], want.Curves[0].Points[0]
	if math.Abs(a.Naive-b.Naive) > 1e-9 || math.Abs(a.Aware-b.Aware) > 1e-9 ||
		math.Abs(a.AwareWidth-b.AwareWidth) > 1e-9 {
		t.Errorf("live %+v, committed %+v", a, b)
	}
	if done != 0 {
		t.Errorf("progress ends %d before its total", done)
	}
	again, err := Run(t.Context(), Options{Problems: Problems()[3:], Epsilons: []float64{1}, Runs: 5, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	twice, err := Run(t.Context(), Options{Problems: Problems()[3:], Epsilons: []float64{1}, Runs: 5, Seed: 3})
	if err != nil || !reflect.DeepEqual(again, twice) {
		t.Errorf("the same seed gives %v and %v, %v", again, twice, err)
	}
}

// Taking the noise for one of half its variance is rejected at the same threshold, and the right noise passes there.
func TestHalfTheVarianceIsRejected(t *testing.T) {
	for _, o := range []Options{
		{Problems: Problems()[:1], Epsilons: []float64{0.1}, Runs: 5000, Seed: 7},
		{Problems: Problems()[2:3], Epsilons: []float64{0.1}, Runs: 3000, Seed: 7},
	} {
		right, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		o.Overstated = math.Sqrt2
		wrong, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if len(wrongPoints(right)) != 0 || len(wrongPoints(wrong)) != 1 {
			t.Errorf("right: %+v, wrong: %+v, s.e. %.4f", right.Curves, wrong.Curves, right.SE())
		}
	}
}

// A problem of one's own runs like those of the figure; its curves are those of the target and, under naive Bayes, of
// the first feature.
func TestOwnProblem(t *testing.T) {
	for curves, p := range map[int]Problem{
		1: {Name: "three", Records: 20, Levels: 3, Mechanism: counts.Geometric()},
		2: {Name: "two features", Records: 20, Levels: 2, Features: []int{2, 3}, Mechanism: counts.DiscreteGaussian()},
	} {
		r, err := Run(t.Context(), Options{Problems: []Problem{p}, Epsilons: []float64{1}, Runs: 4, Seed: 1})
		if p.Features != nil {
			if err == nil {
				t.Error("discrete Gaussian noise met a pure target")
			}
			p.Mechanism = counts.Geometric()
			r, err = Run(t.Context(), Options{Problems: []Problem{p}, Epsilons: []float64{1}, Runs: 4, Seed: 1})
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Curves) != curves || !strings.HasPrefix(r.Curves[0].Name, p.Name) || len(r.Curves[0].Points) != 1 {
			t.Errorf("%d records, %d levels, features %v: %+v", p.Records, p.Levels, p.Features, r.Curves)
		}
	}
}

func TestErrors(t *testing.T) {
	var e *domain.Error
	for _, o := range []Options{{Runs: -1}, {Overstated: -2}, {Overstated: math.Inf(1)}} {
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

// Beside pairs the points that both runs have, and Only keeps curves by name.
func TestBesideAndOnly(t *testing.T) {
	c, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	one, err := c.Only("naive Bayes, n = 100, class", "Beta, n = 50")
	if err != nil || len(one.Curves) != 2 || one.Curves[1].Name != "Beta, n = 50" || one.Runs != c.Runs ||
		len(c.Curves) < 4 {
		t.Fatalf("%v, %v", one, err)
	}
	live := &Result{Runs: 7, Curves: []Curve{{Name: "Beta, n = 50", Points: []Point{
		{Epsilon: 0.1, Naive: 0.25, Aware: 0.75}, {Epsilon: 0.123, Naive: 1}}}}}
	b, err := live.Beside()
	if err != nil {
		t.Fatal(err)
	}
	rows := b.Table().Rows
	if len(rows) != 2 {
		t.Fatalf("%d rows: the committed results have no ε = 0.123", len(rows))
	}
	for _, p := range one.Curves[1].Points {
		if p.Epsilon == 0.1 {
			for i, want := range []string{"0.25 0.75", fmt.Sprintf("%.4g %.4g", p.Naive, p.Aware)} {
				if got := fmt.Sprintf("%v %v", rows[i][4], rows[i][5]); got != want {
					t.Errorf("row %d: %s, want %s", i, got, want)
				}
			}
		}
	}
	var e *domain.Error
	if _, err := c.Only("Gamma"); !errors.As(err, &e) || e.Value != "Gamma" {
		t.Error(err)
	}
	live.Curves[0].Name = "another"
	if _, err := live.Beside(); !errors.As(err, &e) {
		t.Error(err)
	}
}
