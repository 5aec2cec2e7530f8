package gram

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/mcmc"
)

// furthest is the greatest |z| of what was released. Chains of numbers that do not go together agree later than others.
func furthest(t *testing.T, p *Problem) (most float64, list []Prediction) {
	t.Helper()
	draws, err := Sample(mcmc.Contract{Sweeps: kept, RHat: 1.1, ESS: 50}.With(t.Context()), p, [32]byte{1})
	if err != nil {
		t.Fatal(err)
	}
	released := []float64{}
	for _, e := range p.Entries {
		released = append(released, e.Noisy)
	}
	released = append(append(released, p.XY...), p.YY)
	for k, v := range draws.Predicted {
		most = math.Max(most, math.Abs(v.Mean-released[k])/v.SD)
	}
	if len(draws.Predicted) != len(released) {
		t.Fatal(len(draws.Predicted), "predictions of", len(released))
	}
	return most, draws.Predicted
}

// Of many rows prior and cone add nothing: every number is predicted at itself, with its own noise and as much again of
// what it leaves unknown. So it is of a product that stands at one place; of s̃ and t̃ the variance is that of (1).
func TestPredictionsOfManyRows(t *testing.T) {
	const n, d, tau, sigma = 20000., 3., 25., .2
	r := rand.New(rand.NewPCG(5, 5))
	p := ofRows(r, columnsOf("1 x z"), d, n, tau, []float64{.1, .3, -.2}, sigma, -.9, .8, false)
	most, list := furthest(t, p)
	if most > .2 { // predicted means have a Monte Carlo error of about .05 deviations
		t.Errorf("a number is %.3f deviations from its prediction", most)
	}
	for k := range p.Entries {
		if ratio := list[k].SD / math.Sqrt(2*p.Entries[k].Variance); !(ratio > .9 && ratio < 1.1) {
			t.Errorf("entry %d: sd %.3f times the expected", k, ratio)
		}
	}
	s := p.Released()
	for j := range p.Dim {
		v := sigma*sigma*s[j*p.Dim+j] + tau*tau
		if ratio := list[len(p.Entries)+j].SD / math.Sqrt(2*v); !(ratio > .9 && ratio < 1.1) {
			t.Errorf("s̃ %d: sd %.3f times the expected", j, ratio)
		}
	}
}

// Numbers that no rows give together are seen, each by ten deviations: Σy² of a clipped response next to Σxy of the
// response itself, Σx² of another column, Σxz of columns in other units.
func TestPredictionsSeeOtherMoments(t *testing.T) {
	rows := func() *Problem {
		return ofRows(rand.New(rand.NewPCG(5, 6)), columnsOf("1 x z"), 3, 20000, 25, []float64{0, .9, .3}, .05, -1, 1, false)
	}
	if most, _ := furthest(t, rows()); most > .5 {
		t.Errorf("moments of one table: %.2f", most)
	}
	for name, spoil := range map[string]func(p *Problem){
		"response clipped": func(p *Problem) { p.YY /= 4 },
		"another column":   func(p *Problem) { p.Entries[2].Noisy /= 8 },
		"other units":      func(p *Problem) { p.Entries[3].Noisy = 1.5 * p.Entries[2].Noisy },
	} {
		p := rows()
		spoil(p)
		if most, _ := furthest(t, p); !(most > 10) {
			t.Errorf("%s: %.2f", name, most)
		}
	}
}
