package steps

import (
	"fmt"
	"math"
)

// ShapeError says that the intervals would rest on the distribution of the rows beyond its first two moments, which is
// not known.
type ShapeError struct {
	Column   int
	Distance float64 // in posterior deviations
	Most     float64 // that is let through
	Mean     bool    // of m(u) over the draws, and not of the mode of u
}

func (e *ShapeError) Error() string {
	what := "the mode"
	if e.Mean {
		what = "the mean of the step"
	}
	return fmt.Sprintf("steps: column %d: under another distribution of the rows, of the same means and covariances, %s "+
		"is %.3g posterior deviations away; want at most %g", e.Column, what, e.Distance, e.Most)
}

// settled is nil where both two-point distributions of the numbers have the mode of the beta distribution within a
// posterior deviation of every coefficient, and m(u), over the draws, within a deviation of m(u) in root mean square;
// or within half of one. The second sees what the first cannot, a mode near 0, where all shapes agree. It reads
// released numbers.
func (s *step) settled(first, last Released, u []float64, draws [][]float64) error {
	two, most := s.extremes(first, last)
	modes, means := s.modeDistances(two, u, deviations(draws)), s.meanDistances(two, draws)
	worst := ShapeError{Most: most}
	for j := range u {
		for _, e := range []ShapeError{{j, modes[j], most, false}, {j, means[j], most, true}} {
			if !(e.Distance <= worst.Distance) {
				worst = e
			}
		}
	}
	if worst.Distance <= most {
		return nil
	}
	return &worst
}

// modeDistances are, of every column, those of the mode of u under the one of others that is furthest away.
func (s *step) modeDistances(others []*step, u, spread []float64) []float64 {
	out := make([]float64, len(u))
	for _, other := range others {
		mode, _ := other.mode()
		for j := range out {
			out[j] = math.Max(out[j], math.Abs(mode[j]-u[j])/spread[j])
		}
	}
	return out
}

// meanDistances are those of m(u), over the draws, in root mean square.
func (s *step) meanDistances(others []*step, draws [][]float64) []float64 {
	const seen = 500 // draws
	thin := make([][]float64, 0, 2*seen)
	for k := 0; k < len(draws); k += max(1, len(draws)/seen) {
		thin = append(thin, draws[k])
	}
	own := s.means(thin)
	room := deviations(own)
	out := make([]float64, len(room))
	for _, other := range others {
		square := make([]float64, len(out))
		for k, m := range other.means(thin) {
			for j, v := range m {
				square[j] += (v - own[k][j]) * (v - own[k][j]) / float64(len(thin))
			}
		}
		for j := range out {
			out[j] = math.Max(out[j], math.Sqrt(square[j])/room[j])
		}
	}
	return out
}

// extremes are the step under the two-point distributions of the numbers with an atom at −1 and at +1, and how far
// away the result may be. Where the A that was released is off by more than four deviations of χ² from what the beta
// distribution predicts, and a two-point distribution, or its mixture with the beta one of a half or a quarter, has
// less than half of that misfit, the rows are known to be between the two. Then half a deviation is let through in
// place of one.
func (s *step) extremes(first, last Released) (two []*step, most float64) {
	free := float64(len(s.problem.Entries))
	one, own := s.d.rows(first, beta), s.misfit(s, first)
	least := own
	for _, l := range []shape{low, high} {
		all := s.d.rows(first, l)
		for _, every := range []int{1, 2, 4} {
			rows := make([][]float64, len(one))
			for i := range rows {
				if rows[i] = one[i]; i%every == 0 {
					rows[i] = all[i]
				}
			}
			other := *s
			other.under(rows, last.Point)
			if every == 1 {
				two = append(two, &other)
			}
			least = math.Min(least, s.misfit(&other, first))
		}
	}
	if own > free+4*math.Sqrt(2*free) && least < own/2 {
		return two, .5
	}
	return two, 1
}

// misfit is the sum, over the entries of A, of the squared distance between what was released and what the
// pseudo-records of another step predict, over its variance: of the noise of both steps, since the pseudo-records have
// the moments of the first one, and of the weights of n rows, n·E(w − E w)²x_i²x_j². If the prediction is right it has
// about the distribution of χ².
func (s *step) misfit(other *step, first Released) (sum float64) {
	start, cut := s.d.step(first), float64(first.Point.Cut)/unit
	n, rows := len(s.w), start.released[0]*s.d.Terms/cut
	mean := averageWeight(s.records)
	for k := range s.problem.Entries {
		e := &s.problem.Entries[k]
		i, j := e.Places[0][0], e.Places[0][1]
		predicted, sampling := 0., 0.
		for r := range other.records {
			o, own := &other.records[r], &s.records[r]
			predicted += o.weight * o.x[i] * o.x[j] * rows / records
			away := (own.weight - mean) * own.x[i] * own.x[j]
			sampling += away * away * rows / records
		}
		noise := e.Variance + start.noise[i*n+j]*(mean/cut)*(mean/cut)
		sum += (e.Noisy - predicted) * (e.Noisy - predicted) / (noise + sampling)
	}
	return sum
}

func averageWeight(list []pseudoRecord) (mean float64) {
	for i := range list {
		mean += list[i].weight / float64(len(list))
	}
	return mean
}

// means are m(u) at draws.
func (s *step) means(draws [][]float64) (out [][]float64) {
	for _, u := range draws {
		m := make([]float64, len(u))
		s.mean(u, m)
		out = append(out, m)
	}
	return out
}

// deviations are those of each column.
func deviations(rows [][]float64) []float64 {
	n, k := len(rows[0]), float64(len(rows))
	mean, out := make([]float64, n), make([]float64, n)
	for _, r := range rows {
		for j, v := range r {
			mean[j] += v / k
		}
	}
	for _, r := range rows {
		for j, v := range r {
			out[j] += (v - mean[j]) * (v - mean[j]) / k
		}
	}
	for j := range out {
		out[j] = math.Sqrt(out[j])
	}
	return out
}
