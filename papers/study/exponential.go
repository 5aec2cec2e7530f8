package study

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// em is the exponential mechanism P[r] ∝ exp(−rate·H(x, r)).
func (b *bench) em(rate float64) law { return b.gibbs(b.h, rate) }

// gibbs is P[r] ∝ exp(−rate·score(r)).
func (b *bench) gibbs(score []float64, rate float64) law {
	p := make([]float64, len(score))
	for k, s := range score {
		p[k] = math.Exp(-(rate * s))
	}
	z := total(func(yield func(float64) bool) {
		for _, w := range p {
			if !yield(w) {
				return
			}
		}
	})
	for k := range p {
		p[k] /= z
	}
	return law{b.h, b.l1, p}
}

// distance is the exponential mechanism with score dist(x, r) = ½‖x − r‖₁, whose sensitivity is 1.
func (b *bench) distance() law {
	half := make([]float64, len(b.l1))
	for k, v := range b.l1 {
		half[k] = v / 2
	}
	return b.gibbs(half, b.Epsilon/2)
}

// flip is permute-and-flip (McKenna and Sheldon 2020) with the score −H: report-noisy-max with exponential noise, so
// that with a_r = exp(−rate·(H_r − min H))
//
//	P[r] = a_r ∫_0^1 Π_{s≠r} (1 − t·a_s) dt.
//
// The integrand falls like exp(−t·Σa): panels grow geometrically from ¼/Σa, and what is below e^−745 is nothing in
// float64.
func (b *bench) flip(rate float64) law {
	a, sum := make([]float64, len(b.h)), 0.0
	least := math.Inf(1)
	for _, h := range b.h {
		least = math.Min(least, h)
	}
	for k, h := range b.h {
		a[k] = math.Exp(-rate * (h - least))
		sum += a[k]
	}
	p := make([]float64, len(a))
	nodes, weights := num.GaussLegendre24()
	for lo, hi := 0.0, math.Min(1, 0.25/sum); lo < 1; lo, hi = hi, math.Min(1, 1.5*hi) {
		half := (hi - lo) / 2
		for i, u := range nodes {
			t, log := lo+half*(1+u), 0.0
			for _, v := range a {
				log += math.Log1p(-t * v)
			}
			if log < -745 {
				break // and so at every later node
			}
			w := weights[i] * half * math.Exp(log)
			for k, v := range a {
				p[k] += w * v / (1 - t*v)
			}
		}
		if sum*hi > 800 {
			break
		}
	}
	return law{b.h, b.l1, p}
}

// NotesBeta is the smoothing parameter of the notes,
//
//	β = ln(1 + ε/(2 ln(2N/δ))) = ln(1 − ε/(2 ln(δ/(2N)))),
//
// with N = n + 1 in their lemma and N = n in their printed figures; the tail step of the proof needs N = |R|, the
// number of candidates. NaN unless ε > 0, 0 < δ < 1 and N ≥ 1. Source: notes, Lemma 2.2; theory/hellinger.md §0 rows 6
// and 15.
func NotesBeta(epsilon, delta, candidates float64) float64 {
	if !(epsilon > 0 && delta > 0 && delta < 1 && candidates >= 1) {
		return math.NaN()
	}
	return math.Log1p(epsilon / (2 * math.Log(2*candidates/delta)))
}

// correctedBeta is β = ln(1 + κ/ln(|R|/δ)), κ = ε/3, of Theorem C.
func correctedBeta(epsilon, delta, candidates float64) float64 {
	return math.Log1p(epsilon / 3 / math.Log(candidates/delta))
}
