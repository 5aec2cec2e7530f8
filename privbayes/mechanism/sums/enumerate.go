package sums

import (
	"context"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// records are the integers of every possible record of a small design: the production's, or a mutant's.
func (d design) records() (out [][]int64) {
	width, groups := 1, 1
	switch d.Kind {
	case columns, columnsCount:
		width = d.Width
	case groupHalves:
		groups = d.Width
	}
	places := make([]int64, width)
	for {
		for g := range groups {
			z := make([]int64, d.dims())
			d.record(places, g, z)
			out = append(out, z)
		}
		i := 0
		for ; i < width; i++ {
			if places[i]++; places[i] <= d.Steps {
				break
			}
			places[i] = 0
		}
		if i == width {
			return out
		}
	}
}

// oneColumn reports whether two records of a small design differ in one column at most.
func (d design) oneColumn(a, b []int64) bool {
	differ := 0
	for i, v := range a {
		if v != b[i] {
			differ++
		}
	}
	return d.Kind != columns || differ <= 1
}

// moves visits what replacing, adding or removing one record can do.
func (d design) moves(adj dp.Adjacency, records [][]int64, visit func(z []int64)) {
	z := make([]int64, len(records[0]))
	for _, a := range records {
		if adj == dp.AddRemove {
			visit(a)
			continue
		}
		for _, b := range records {
			if adj == dp.ReplaceValue && !d.oneColumn(a, b) {
				continue
			}
			for i := range z {
				z[i] = a[i] - b[i]
			}
			visit(z)
		}
	}
}

// farthest is the greatest norm of what one record can do.
func (d design) farthest(adj dp.Adjacency, records [][]int64, gauge func(z []int64) float64) cert.Outcome {
	out := cert.Outcome{Method: cert.Enumeration}
	d.moves(adj, records, func(z []int64) {
		out.Value, out.Work = math.Max(out.Value, gauge(z)), out.Work+1
	})
	return out
}

// dataset is one data set: how often each record is there, and the sums.
type dataset struct {
	counts []int
	sums   []int64
}

// datasets are all data sets of n records.
func datasets(records [][]int64, n int) (out []dataset) {
	for x := range finite.Histograms(len(records), n) {
		s := dataset{slices.Clone(x), make([]int64, len(records[0]))}
		for k, c := range x {
			for j, v := range records[k] {
				s.sums[j] += int64(c) * v
			}
		}
		out = append(out, s)
	}
	return out
}

// apart is the number of records in which two data sets of one size differ.
func (a dataset) apart(b dataset) int {
	sum := 0
	for i, c := range a.counts {
		sum += max(c-b.counts[i], 0)
	}
	return sum
}

// enumeration is what whole releases are enumerated for: every data set of up to n records, every neighbour, and every
// output in a box.
type enumeration struct {
	records [][]int64
	n, rows int
	adj     dp.Adjacency
	differ  func(a, b []int64) bool // whether one record may become the other
	// exponent is −log P(z) of the noise, up to a constant that does not depend on the data
	exponent func(z []int64) float64
	box      int64
}

// largestLoss is the greatest |log P_x(o) − log P_y(o)|. With order2 it is the greatest Rényi divergence of order 2 in
// its place, summed over the box.
func (e enumeration) largestLoss(ctx context.Context, order2 bool) (cert.Outcome, error) {
	out := cert.Outcome{Method: cert.Enumeration}
	compare := func(a, b dataset) error {
		v, work := e.compare(a.sums, b.sums, order2)
		out.Value, out.Work = math.Max(out.Value, v), out.Work+work
		if out.Work > cert.WorkLimit(ctx) {
			return cert.ErrWorkLimit
		}
		return ctx.Err()
	}
	for n := 1; n <= e.n; n++ {
		list := datasets(e.records, n)
		for i, a := range list {
			if e.adj == dp.AddRemove {
				for less := 1; less <= min(e.rows, n); less++ {
					for _, b := range datasets(e.records, n-less) {
						if contains(a, b) {
							if err := compare(a, b); err != nil {
								return out, err
							}
						}
					}
				}
				continue
			}
			for _, b := range list[:i] {
				if a.apart(b) > e.rows || !e.reachable(a, b) {
					continue
				}
				if err := compare(a, b); err != nil {
					return out, err
				}
			}
		}
	}
	return out, nil
}

// contains reports whether b is a part of a.
func contains(a, b dataset) bool {
	for i, c := range b.counts {
		if c > a.counts[i] {
			return false
		}
	}
	return true
}

// reachable reports whether the records in which two data sets differ, at most two, may become each other.
func (e enumeration) reachable(a, b dataset) bool {
	if e.differ == nil {
		return true
	}
	var from, to [][]int64
	for i, c := range a.counts {
		for range max(c-b.counts[i], 0) {
			from = append(from, e.records[i])
		}
		for range max(b.counts[i]-c, 0) {
			to = append(to, e.records[i])
		}
	}
	if len(from) == 1 {
		return e.differ(from[0], to[0])
	}
	return len(from) == 0 || e.differ(from[0], to[0]) && e.differ(from[1], to[1]) ||
		e.differ(from[0], to[1]) && e.differ(from[1], to[0])
}

// compare visits every output in the box about both sums.
func (e enumeration) compare(x, y []int64, order2 bool) (value float64, work int64) {
	d := len(x)
	lo, hi := make([]int64, d), make([]int64, d)
	for i := range lo {
		lo[i], hi[i] = min(x[i], y[i])-e.box, max(x[i], y[i])+e.box
	}
	o, a, b := append([]int64(nil), lo...), make([]int64, d), make([]int64, d)
	mass, square := 0.0, 0.0
	for {
		for i := range o {
			a[i], b[i] = o[i]-x[i], o[i]-y[i]
		}
		p, q := e.exponent(a), e.exponent(b)
		if order2 {
			mass += math.Exp(-q)
			square += math.Exp(q - 2*p)
		} else {
			value = math.Max(value, math.Abs(p-q))
		}
		work++
		i := 0
		for ; i < d; i++ {
			if o[i]++; o[i] <= hi[i] {
				break
			}
			o[i] = lo[i]
		}
		if i == d {
			break
		}
	}
	if order2 { // Σ P²/Q, P and Q with the same constant
		value = math.Log(square / mass)
	}
	return value, work
}
