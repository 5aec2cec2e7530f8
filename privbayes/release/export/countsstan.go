package export

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
)

//go:embed programs/counts.stan
var countsStan string

// stanWriter writes the blocks of a program, in any order of their statements.
type stanWriter struct{ transformed, parameters, shares, prior, likelihood, named strings.Builder }

func line(b *strings.Builder, format string, values ...any) { fmt.Fprintf(b, format+"\n", values...) }

// stan is the program of a star. Its structure stands in the program and its numbers in the data.
func (s *star) stan() string {
	var w stanWriter
	if s.data.Classes > 1 {
		w.simplex("root", fmt.Sprintf("P(%s)", s.class), s.data.Classes, s.data.LargestClass, "alpha_class")
	} else {
		line(&w.shares, "  vector[1] log_root = rep_vector(0, 1);")
	}
	w.rows(s)
	w.likelihoodOf(s)
	cells := len(s.data.Y)
	alphas := len(s.data.Alpha)
	return countsStan + fmt.Sprintf(`data {
  vector[%d] y;
  vector[%[1]d] measured;
  real unit;
  real log_p0;
  real rate;
  real precision;
  vector[%d] alpha_class;
  vector[%d] alpha;
}
transformed data {
%s}
parameters {
%s}
transformed parameters {
%s}
model {
  // ---- The prior: another one may take its place.
%s  // ---- End of the prior.
  {
%s  }
}
generated quantities {
%s}
`, cells, s.data.Classes, alphas, w.transformed.String(), w.parameters.String(), w.shares.String(), w.prior.String(),
		w.likelihood.String(), w.named.String())
}

// simplex declares a distribution with a Dirichlet prior.
func (w *stanWriter) simplex(name, words string, levels, largest int, alpha string) {
	line(&w.parameters, "  vector[%d] x_%s; // %s", levels-1, name, comment(words))
	line(&w.shares, "  vector[%d] log_%s = shares(x_%[2]s, %[3]d);", levels, name, largest+1)
	line(&w.prior, "  target += dirichlet_log_shares(log_%s, %s);", name, alpha)
	line(&w.named, "  vector[%d] %s = exp(log_%[2]s); // %s", levels, name, comment(words))
}

// rows declares the distributions of all tables.
func (w *stanWriter) rows(s *star) {
	at := 1
	for k, t := range s.tables {
		levels := s.data.Levels[k]
		alpha := fmt.Sprintf("segment(alpha, %d, %d)", at, levels)
		at += levels
		if s.data.Shared[k] == 1 { // rows of one table share a centre
			w.simplex(fmt.Sprintf("centre_%d", k+1), "centre of "+t.name, levels, s.data.LargestCentre[k], alpha)
			alpha = fmt.Sprintf("%g + 0.9 * exp(log_centre_%d)", .1/float64(levels), k+1)
		}
		for j := range s.labels {
			w.simplex(fmt.Sprintf("row_%d_%d", k+1, j+1), fmt.Sprintf("P(%s): %s", s.row(t, j),
				strings.Join(t.labels, ", ")), levels, s.data.Largest[k][j], alpha)
		}
	}
}

// likelihoodOf sums the counts out: those of a row given its total, then the totals of the classes.
func (w *stanWriter) likelihoodOf(s *star) {
	b := &w.likelihood
	mean := float64(s.data.Low+s.data.High)/2 + 1
	cell, d := 0, s.data
	line(b, "    // Cells are Poisson given their sum; log_mean per record, which is taken out again, keeps sums from 0.")
	line(b, "    real log_mean = %.17g;", math.Log(mean))
	for j := range s.labels {
		line(b, "    vector[%d] total_%d = counting(%d, %[1]d);", d.TotalLength[j], j+1, d.TotalLow[j])
		line(b, "    vector[%d] evidence_%d = total_%[2]d * (log_root[%[2]d] + log_mean) - lgamma(total_%[2]d + 1);",
			d.TotalLength[j], j+1)
	}
	for k, levels := range d.Levels {
		for j := range s.labels {
			tilt := math.Log(float64(d.TotalLow[j]) + float64(d.TotalLength[j])/2)
			low := int64(0)
			line(b, "    { // %s", comment(s.row(s.tables[k], j)))
			for l := range levels {
				rate := w.cell(s, cell, fmt.Sprintf("log_row_%d_%d[%d]", k+1, j+1, l+1), tilt)
				next, wide := s.sums(cell-l, cell, j, levels)
				if l == 0 {
					line(b, "      vector[%d] sum_0 = segment(weight_%d, %d, %[1]d) + counting(%[4]d, %[1]d) * (%[5]s);", wide,
						cell+1, next-d.CellLow[cell]+1, next, rate)
				} else {
					line(b, "      vector[%d] sum_%d = convolve(sum_%d, %d, weight_%d + counting(%d, %d) * (%s), %[6]d, "+
						"%[9]d, %[1]d);", wide, l, l-1, low, cell+1, d.CellLow[cell], d.Length[cell], rate, next)
				}
				low = next
				cell++
			}
			line(b, "      evidence_%d += segment(%s, %d, %d) + lgamma(total_%[1]d + 1) - %.17[5]g * total_%[1]d;", j+1,
				fmt.Sprintf("sum_%d", levels-1), d.TotalLow[j]-low+1, d.TotalLength[j], tilt)
			line(b, "    }")
		}
	}
	w.together(s)
}

// sums are the sums of the cells from first to cell, of a row, that can become totals of class j, and how many there
// are. Others could drown them.
func (s *star) sums(first, cell, j, levels int) (low, length int64) {
	d := s.data
	high := int64(0)
	least, most := d.TotalLow[j], d.TotalLow[j]+d.TotalLength[j]-1
	for c := first; c < first+levels; c++ {
		from, to := d.CellLow[c], d.CellLow[c]+d.Length[c]-1
		if c <= cell {
			low, high = low+from, high+to
		} else {
			least, most = least-to, most-from
		}
	}
	low, high = max(low, least), min(high, most)
	return low, high - low + 1
}

// cell declares the weights of a cell's counts, and gives what its share is taken to be next to their slope.
func (w *stanWriter) cell(s *star, cell int, share string, tilt float64) (rate string) {
	low, length := s.data.CellLow[cell], s.data.Length[cell]
	slope := math.Log(float64(low) + float64(length)/2)
	line(&w.transformed, "  vector[%d] weight_%d = weights(y[%[2]d], measured[%[2]d], %[3]d, %[1]d, %.17[4]g, unit, "+
		"log_p0, rate, precision);", length, cell+1, low, slope)
	return fmt.Sprintf("%s + %.17g", share, tilt-slope)
}

// together adds the classes up to n.
func (w *stanWriter) together(s *star) {
	b, d := &w.likelihood, s.data
	name, low, length := "evidence_1", d.TotalLow[0], d.TotalLength[0]
	line(b, "    {")
	for j := 1; j < d.Classes; j++ {
		next := low + d.TotalLow[j]
		wide := min(length+d.TotalLength[j]-1, d.High-next+1)
		line(b, "    vector[%d] all_%d = convolve(%s, %d, evidence_%d, %d, %d, %[1]d);", wide, j, name, low, j+1,
			d.TotalLow[j], next)
		name, low, length = fmt.Sprintf("all_%d", j), next, wide
	}
	records := d.High - d.Low + 1
	line(b, "    target += log_sum_exp(segment(%s, %d, %d) + lgamma(counting(%d, %[3]d) + 1)", name, d.Low-low+1, records,
		d.Low)
	line(b, "                          - log_mean * counting(%d, %d));", d.Low, records)
	line(b, "    }")
}
