package noiseaware

import (
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// Every marginal against the sum over all tables of n records, for every noise, with the probabilities of the samplers.
func TestCategoricalByEnumeration(t *testing.T) {
	for _, k := range kinds {
		for _, c := range []struct {
			n     int
			alpha []float64
			raw   []int64 // in records
		}{
			{7, []float64{1, 1}, []int64{9, -2}},
			{6, []float64{0.3, 2.5}, []int64{-4, 10}},
			{6, []float64{1, 1, 1}, []int64{3, 1, 2}},
			{5, []float64{0.4, 2, 7.5}, []int64{-3, 6, 2}},
			{4, []float64{0.5, 0.01, 1, 3}, []int64{30, -20, -9, 3}},
			{0, []float64{1, 2, 3}, []int64{4, -3, -1}},
		} {
			d := len(c.alpha)
			p := plan(t, k.mech, categorical(t, d, c.n, c.alpha...), k.target)
			lp := logProb(t, p)
			raw := append([]int64(nil), c.raw...)
			if k.name == "laplace" {
				for i := range raw {
					raw[i] = raw[i]*noise.LaplaceSteps + 12345
				}
			}
			if d == 2 && k.name != "laplace" && k.name != "k-norm" {
				raw = raw[:1]
			}
			want, sum := make([]betas, d), 0.0
			for _, a := range c.alpha {
				sum += a
			}
			for _, f := range tables(d, c.n) {
				l := logUrnOf(c.alpha, f)
				for i, y := range raw {
					l += lp(y, f[i]) - lp(y, 0)
				}
				for i := range want {
					want[i].add(math.Exp(l), c.alpha[i]+float64(f[i]), sum-c.alpha[i]+float64(c.n-f[i]))
				}
			}
			got := posteriorOf(t, raws(t, p, raw))
			if len(got.Parameters()) != d {
				t.Fatalf("%d parameters", len(got.Parameters()))
			}
			for i, q := range got.Parameters() {
				same(t, fmt.Sprintf("%s n=%d d=%d θ_%d", k.name, c.n, d, i), q.Law(), &want[i], 1e-12)
			}
		}
	}
}

// Naive Bayes against the sum over all class totals and all tables with these totals.
func TestNaiveBayesByEnumeration(t *testing.T) {
	const n, j = 4, 2
	features := []int{2, 3}
	for _, k := range kinds {
		p := plan(t, k.mech, bayes(t, n, j, features...), k.target)
		lp := logProb(t, p)
		raw := [][]int64{{3, -1, 2, 0}, {1, 1, 0, 4, -3, 1}}
		if k.name == "laplace" {
			for _, r := range raw {
				for i := range r {
					r[i] = r[i]*noise.LaplaceSteps - 777
				}
			}
		}
		got := posteriorOf(t, raws(t, p, raw...))
		want := make([]betas, len(got.Parameters()))
		for _, class := range tables(j, n) {
			// evidence of every row, and of every cell's count in it
			type row struct {
				evidence float64
				cell     [][]float64 // [cell][count]
			}
			rows := map[[2]int]row{}
			all := math.Exp(logUrnOf(constant(1, j), class))
			for ft, c := range features {
				for cl := range j {
					r := row{cell: make([][]float64, c)}
					for i := range r.cell {
						r.cell[i] = make([]float64, n+1)
					}
					for _, f := range tables(c, class[cl]) {
						l := logUrnOf(constant(1, c), f)
						for i := range c {
							y := raw[ft][cl*c+i]
							l += lp(y, f[i]) - lp(y, 0)
						}
						r.evidence += math.Exp(l)
						for i := range c {
							r.cell[i][f[i]] += math.Exp(l)
						}
					}
					all *= r.evidence
					rows[[2]int{ft, cl}] = r
				}
			}
			for cl := range j {
				want[cl].add(all, 1+float64(class[cl]), 1+float64(n-class[cl]))
			}
			at := j
			for ft, c := range features {
				for cl := range j {
					r := rows[[2]int{ft, cl}]
					for i := range c {
						for f := 0; f <= class[cl]; f++ {
							want[at].add(all*r.cell[i][f]/r.evidence, 1+float64(f), float64(c-1)+float64(class[cl]-f))
						}
						at++
					}
				}
			}
		}
		for i, q := range got.Parameters() {
			same(t, fmt.Sprintf("%s %s %s", k.name, q.Name, q.Label), q.Law(), &want[i], 1e-12)
		}
	}
}

// Under add-remove adjacency n is latent: against the sum over n and all tables, far enough out.
func TestPrivateNByEnumeration(t *testing.T) {
	for _, k := range kinds[:4] {
		if k.name == "clamped geometric" {
			continue // its noise reaches too far to enumerate
		}
		target := k.target
		target.Epsilon *= 4
		p := plan(t, k.mech, categorical(t, 3, 5, 0.5, 1, 2).WithoutN(), target.Under(dp.AddRemove))
		lp, alpha, raw := logProb(t, p), []float64{0.5, 1, 2}, []int64{4, -1, 2}
		unit := int64(1)
		if k.name == "laplace" {
			unit = noise.LaplaceSteps
		}
		for i := range raw {
			raw[i] *= unit
		}
		const most = 34
		want := make([]betas, 3)
		for n := 0; n <= most; n++ {
			for _, f := range tables(3, n) {
				l := logUrnOf(alpha, f)
				for i, y := range raw {
					l += lp(y, f[i]) - lp(y, 0)
				}
				for i := range want {
					want[i].add(math.Exp(l), alpha[i]+float64(f[i]), 3.5-alpha[i]+float64(n-f[i]))
				}
			}
		}
		for i, q := range posteriorOf(t, raws(t, p, raw)).Parameters() {
			same(t, fmt.Sprintf("%s θ_%d", k.name, i), q.Law(), &want[i], 1e-12)
		}
	}
}

// With two classes and two features, a private n of naive Bayes against the sum over everything.
func TestPrivateNaiveBayesClassByEnumeration(t *testing.T) {
	p := plan(t, counts.Geometric(), bayes(t, 3, 2, 2, 2).WithoutN(), dp.PureDP(8).Under(dp.AddRemove))
	lp := logProb(t, p)
	raw := [][]int64{{2, 0, 1, 1}, {1, 2, -1, 1}}
	evidence := func(k, j, n int) float64 {
		s := 0.0
		for _, f := range tables(2, n) {
			l := logUrnOf(constant(1, 2), f)
			for i := range 2 {
				l += lp(raw[k][2*j+i], f[i])
			}
			s += math.Exp(l)
		}
		return s
	}
	var want betas
	for n := range 20 {
		for _, c := range tables(2, n) {
			w := math.Exp(logUrnOf(constant(1, 2), c))
			for j := range 2 {
				for k := range 2 {
					w *= evidence(k, j, c[j])
				}
			}
			want.add(w, 1+float64(c[0]), 1+float64(c[1]))
		}
	}
	same(t, "class", posteriorOf(t, raws(t, p, raw...)).Parameters()[0].Law(), &want, 1e-12)
}
