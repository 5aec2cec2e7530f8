package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Draws is a list of draws from a posterior, in the order drawn: every one a value for each named parameter. A list,
// not a set: equal draws count as often as they came.
type Draws struct {
	Names  []string    `json:"names"`
	Values [][]float64 `json:"values"` // draws × parameters
}

// valid checks the shape of the list: *Error.
func (d *Draws) valid(sh *Shape) error {
	for i, v := range d.Values {
		if len(v) != len(d.Names) {
			return wrong(sh.model, "", fmt.Sprintf("%d numbers in draw %d", len(v), i), fmt.Sprintf("%d", len(d.Names)))
		}
		for _, x := range v {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return wrong(sh.model, "", "a draw that is not finite", "finite parameters")
			}
		}
	}
	if len(d.Values) == 0 {
		return wrong(sh.model, "", "no draws", "at least one")
	}
	return nil
}

// Len is the number of draws.
func (d *Draws) Len() int { return len(d.Values) }

// Mean is the mean of every parameter over the draws.
func (d *Draws) Mean() []float64 {
	out := make([]float64, len(d.Names))
	for _, v := range d.Values {
		for i, x := range v {
			out[i] += x / float64(len(d.Values))
		}
	}
	return out
}

// Parameter is the draws of one parameter, in order; ok is false if there is none of that name.
func (d *Draws) Parameter(name string) (values []float64, ok bool) {
	i := slices.Index(d.Names, name)
	if i < 0 {
		return nil, false
	}
	for _, v := range d.Values {
		values = append(values, v[i])
	}
	return values, true
}

// Quantile is the p-quantile of parameter i over the draws, linear between order statistics.
func (d *Draws) Quantile(i int, p float64) float64 {
	values := make([]float64, len(d.Values))
	for k, v := range d.Values {
		values[k] = v[i]
	}
	slices.Sort(values)
	at := p * float64(len(values)-1)
	lo := int(math.Floor(at))
	hi := min(lo+1, len(values)-1)
	return values[lo] + (at-float64(lo))*(values[hi]-values[lo])
}

// summaryDraws is the number of draws from which a summary shows quantiles.
const summaryDraws = 20

// Summary is the mean, standard deviation and, from 20 draws on, the 2.5 % and 97.5 % quantiles of every parameter over
// the draws.
func (d *Draws) Summary() *table.Table {
	head := []string{"parameter", "mean", "sd"}
	if d.Len() >= summaryDraws {
		head = append(head, "2.5 %", "97.5 %")
	}
	t := table.New(fmt.Sprintf("Posterior sample of %d", d.Len()), head...)
	mean := d.Mean()
	for i, name := range d.Names {
		ss := 0.0
		for _, v := range d.Values {
			ss += (v[i] - mean[i]) * (v[i] - mean[i])
		}
		row := []any{name, mean[i]}
		if d.Len() > 1 {
			row = append(row, math.Sqrt(ss/float64(d.Len()-1)))
		} else {
			row = append(row, nil)
		}
		if d.Len() >= summaryDraws {
			row = append(row, d.Quantile(i, .025), d.Quantile(i, .975))
		}
		t.Add(row...)
	}
	return t.Note("What the draws show is the posterior as sampled: " +
		"trimmed or flattened where the mechanism needed it.")
}
