package learnednetworks

import (
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
)

const (
	// falseAlarm is how often the live test may fail where what it supposes holds.
	falseAlarm = 1e-9
	// lowest is the coverage that the live test supposes of its point: .95, less what the selection and the dependence
	// of draws may take. Nothing proves it; TestCommitted compares it with what 300 releases had.
	lowest = .93
)

// fewest is the x with k·KL(x ‖ p) = −ln alarm below p: the mean of k independent shares in [0, 1] of expectation p or
// more is at most x with probability alarm at most (Hoeffding's bound).
func fewest(k int, p, alarm float64) float64 {
	lo, hi := 0.0, p
	for range 60 {
		x := (lo + hi) / 2
		kl := (1 - x) * math.Log((1-x)/(1-p))
		if x > 0 {
			kl += x * math.Log(x/p)
		}
		if float64(k)*kl > -math.Log(alarm) {
			lo = x
		} else {
			hi = x
		}
	}
	return lo
}

// The law of the sharpest case, shares of 0 and 1: P(Bin(k, p) ≤ kx) summed term by term.
func TestBound(t *testing.T) {
	for _, k := range []int{20, 60, 300} {
		x, p := fewest(k, lowest, falseAlarm), 0.0
		for j := range k + 1 {
			if float64(j) <= float64(k)*x {
				a, _ := math.Lgamma(float64(k + 1))
				b, _ := math.Lgamma(float64(j + 1))
				c, _ := math.Lgamma(float64(k - j + 1))
				p += math.Exp(a - b - c + float64(j)*math.Log(lowest) + float64(k-j)*math.Log(1-lowest))
			}
		}
		if p > falseAlarm || x < .3 || x >= lowest {
			t.Error(k, x, p)
		}
	}
}

// livePoint is where edges are strong and the noise is wide, so that a wrong law of the noise shows.
var livePoint = Spec{Population: "strong", Learner: "tree", Records: 1000, Epsilon: .1}

// A part of the study live: with strong edges the intervals of what was learned hold the truth, and neither the naive
// ones do nor those of a posterior that takes the noise for a tenth of what it is, if that explains the counts at all.
// The shares of a release are in [0, 1] and independent over releases, so that the bound holds whatever the dependence
// within one.
func TestCoverLive(t *testing.T) {
	const replicates = 40
	s := livePoint
	right, err := Cover(t.Context(), s, replicates, 7)
	if err != nil {
		t.Fatal(err)
	}
	s.Overstated = 10
	wrong, err := Cover(t.Context(), s, replicates, 7)
	var unexplained *noiseaware.EvidenceError
	refused := errors.As(err, &unexplained) // the wrong law is found out before it has an interval
	if err != nil && !refused {
		t.Fatal(err)
	}
	if refused {
		wrong = &Point{Of: map[Quantity]Coverage{}}
	}
	for _, q := range []Quantity{Margins, Pairs} {
		c := right.Of[q]
		least := fewest(c.Releases, lowest, falseAlarm/2)
		if right.NotConverged > 0 || c.Aware <= least {
			t.Errorf("%s: want above %.3f: %+v", q, least, c)
		}
		if c.Naive > least || wrong.Of[q].Aware > least {
			t.Errorf("%s: naive or wrong intervals are not found: %+v, %+v", q, c, wrong.Of[q])
		}
		t.Logf("%s: %.3f, naive %.3f, wrong %.3f, bound %.3f", q, c.Aware, c.Naive, wrong.Of[q].Aware, least)
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	var e *dp.ParameterError
	s := Spec{Population: "strong", Learner: "tree", Records: 100, Epsilon: 1}
	for _, f := range []func(s *Spec){func(s *Spec) { s.Population = "x" }, func(s *Spec) { s.Learner = "x" },
		func(s *Spec) { s.Epsilon = -1 }} {
		bad := s
		f(&bad)
		if _, err := Cover(t.Context(), bad, 2, 1); !errors.As(err, &e) {
			t.Error(bad, err)
		}
	}
	if _, err := Cover(t.Context(), s, 1, 1); !errors.As(err, &e) {
		t.Error(err)
	}
}
