package mechanism

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/internal/score"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Shares are score intervals ([score.Share]) of the shares of one distribution, from counts with noise of one variance.
type Shares struct {
	N        float64
	Alike    float64 // how many times the variance of independent rows
	Variance float64 // of a count's noise
	Fixed    bool    // the counts add up to N
	OfTotal  float64 // the variance of N, where that is noisy
	Normal   bool    // the noise of a count is normal; else its distribution lies between Laplace's and the normal
	Level    float64
}

// List is the share of every level.
func (s Shares) List(counts []float64) (out []Interval) {
	for k := range counts {
		out = append(out, s.Share(counts, k, k+1))
	}
	return out
}

// Share is that of the levels from one to before another.
func (s Shares) Share(counts []float64, from, to int) Interval {
	in, rest := 0.0, 0.0
	for i, y := range counts {
		if from <= i && i < to {
			in += y
		} else {
			rest += y
		}
	}
	return s.Pooled(in, rest, float64(to-from), float64(len(counts)))
}

// Totals are the shares of the levels of every column of a contingency table, each of the sum of its cells; none for
// other models.
func (s Shares) Totals(sh *model.Shape, cells []float64) (out []Interval) {
	if !sh.Joint() {
		return nil
	}
	all, d := floats.Sum(cells), float64(len(cells))
	for i, c := range sh.Columns() {
		for _, count := range sh.Tables()[0].Margin(cells, i) {
			out = append(out, s.Pooled(count, all-count, d/float64(c.Levels()), d))
		}
	}
	return out
}

// Pooled is the share of k of d levels together, from the sum of their counts and that of the rest.
func (s Shares) Pooled(count, rest, k, d float64) Interval {
	q := score.Share{Normal: s.Normal, Alike: s.Alike, Fixed: s.Fixed, Count: count, Rest: rest}
	if s.Fixed {
		q.Count += (s.N - q.Count - q.Rest) * k / d
		q.Rest, q.Size = s.N-q.Count, s.N+math.Sqrt(s.OfTotal)/2
		q.Own = math.Sqrt(s.Variance*k*(1-k/d) + s.OfTotal*math.Pow(math.Max(k/d, 1-k/d), 2))
	} else {
		q.Size = math.Max(q.Count+q.Rest, 0) + math.Sqrt(s.Variance*d)/2
		q.Own, q.Other = math.Sqrt(s.Variance*k), math.Sqrt(s.Variance*(d-k))
	}
	return s.of(q)
}

// Correlated is the share of one kind of records from their count and that of the rest, with the variances of their
// noise and the covariance.
func (s Shares) Correlated(count, rest, own, other, covariance float64) Interval {
	total := math.Max(own+other+2*covariance, 0) // 0 but for rounding, where n is public
	return s.of(score.Share{Normal: s.Normal, Alike: s.Alike, Count: count, Rest: rest, Own: math.Sqrt(own),
		Other: math.Sqrt(other), Both: covariance, Size: math.Max(count+rest, 0) + math.Sqrt(total)/2})
}

// of is an interval by a test, for Laplace and normal noise.
func (s Shares) of(q score.Share) Interval {
	wider := func(of func(q score.Share) (lower, upper float64)) *Range {
		var r Range
		r.Lower, r.Upper = of(q)
		if n := q; !q.Normal { // the noise of several counts lies between one's and the normal
			n.Normal = true
			lower, upper := of(n)
			r.Lower, r.Upper = math.Min(r.Lower, lower), math.Max(r.Upper, upper)
		}
		return &r
	}
	return Interval{
		Population: wider(func(q score.Share) (float64, float64) { return q.Interval(s.Level) }),
		Rows:       wider(func(q score.Share) (float64, float64) { return q.OfRows(s.Level) })}
}
