package latent

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"testing"
)

// golden is a small network with noisy tables and the moments of its posterior by enumeration of all joint tables, by
// a program of its own; reject are the means that wrong models give.
type golden struct {
	Name     string
	Levels   []int
	Parents  [][]int
	Alpha    float64
	N        int64
	Latent   bool
	Measured []struct {
		Vars         []int
		Y            []int64
		Rate, Sigma2 float64
	}
	Mean, SD, Lower, Upper []float64
	Reject                 map[string][]float64
}

func goldens(t testing.TB) []golden {
	t.Helper()
	b, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var out []golden
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func symmetric(levels []int, alpha float64) [][]float64 {
	out := make([][]float64, len(levels))
	for v, r := range levels {
		out[v] = slices.Repeat([]float64{alpha}, r)
	}
	return out
}

func spread(rate, sigma2 float64) float64 {
	if sigma2 > 0 {
		return math.Sqrt(sigma2)
	}
	return math.Sqrt(2*math.Exp(-rate)) / (1 - math.Exp(-rate))
}

func (g *golden) problem() *Problem {
	p := &Problem{Levels: g.Levels, Parents: g.Parents, Alpha: symmetric(g.Levels, g.Alpha), N: g.N, Latent: g.Latent}
	for _, m := range g.Measured {
		t := Table{Vars: m.Vars, Spread: spread(m.Rate, m.Sigma2)}
		for _, y := range m.Y {
			if m.Sigma2 > 0 {
				t.Cells = append(t.Cells, Gaussian(y, 1, m.Sigma2))
			} else {
				t.Cells = append(t.Cells, Geometric(y, 1, m.Rate))
			}
		}
		p.Tables = append(p.Tables, t)
	}
	return p
}

func layout(t testing.TB, p *Problem) *Layout {
	t.Helper()
	l, err := NewLayout(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func seed(k int) [32]byte { return [32]byte{byte(k), byte(k >> 8), 7} }

// chain starts at data from the prior.
func (l *Layout) chain(k int) *Chain {
	r := rand.New(rand.NewPCG(uint64(k), 1))
	return l.NewChain(l.Prior(r), max(l.p.N, 1), seed(k))
}

// moments are the mean and the standard deviation of every CPT entry over sweeps of four chains, of Dirichlet moments
// given the tables, and the Beta laws that they are of.
func moments(l *Layout, k Kernel, sweeps int) (mean, sd []float64, laws []betas) {
	var square []float64
	for chain := range 4 {
		c := l.chain(chain + 1)
		c.Use(k)
		for s := range sweeps + sweeps/10 {
			c.Sweep(never)
			if s < sweeps/10 {
				continue
			}
			i := 0
			for v, r := range l.p.Levels {
				counts := make([]int64, len(l.rows[v].configs)*r)
				c.Family(v, counts)
				for lo := 0; lo < len(counts); lo += r {
					total := 0.0
					alpha := c.Alpha(v)
					for x := range r {
						total += alpha[x] + float64(counts[lo+x])
					}
					for x := range r {
						if i == len(mean) {
							mean, square, laws = append(mean, 0), append(square, 0), append(laws, betas{})
						}
						a := alpha[x] + float64(counts[lo+x])
						laws[i][[2]float64{a, total - a}]++
						mean[i] += a / total
						square[i] += a / total * (a + 1) / (total + 1)
						i++
					}
				}
			}
		}
	}
	for i := range mean {
		mean[i] /= float64(4 * sweeps)
		sd = append(sd, math.Sqrt(max(square[i]/float64(4*sweeps)-mean[i]*mean[i], 0)))
	}
	return mean, sd, laws
}

func never() bool { return false }

func apart(a, b []float64) (worst float64) {
	for i := range a {
		worst = max(worst, math.Abs(a[i]-b[i]))
	}
	return worst
}

// states are all tables of a problem with their posterior probabilities, by enumeration of the joint tables of all
// variables: no clique, no separator.
type states struct {
	keys   []string
	index  map[string]int
	p      []float64
	counts [][]int64
	totals [][]int64

	evidence float64 // logarithm, up to a constant
}

// enumerate lists the states of n records, or of 0 … n for a latent number.
func enumerate(t testing.TB, l *Layout, n int64) *states {
	t.Helper()
	c := l.chain(1)
	k, cells := len(l.p.Levels), 1
	for _, r := range l.p.Levels {
		cells *= r
	}
	config := func(i int) []int {
		x := make([]int, k)
		for v := k - 1; v >= 0; v-- {
			x[v] = i % l.p.Levels[v]
			i /= l.p.Levels[v]
		}
		return x
	}
	s := &states{index: map[string]int{}}
	var logs []float64
	joint := make([]int64, cells)
	visit := func() {
		clear(c.counts)
		clear(c.totals)
		log, total := 0.0, int64(0)
		for i, m := range joint {
			c.add(config(i), m)
			total += m
			log -= lgamma(float64(m) + 1)
		}
		log += lgamma(float64(total) + 1)
		for v, r := range l.p.Levels {
			rows := len(l.rows[v].configs)
			fam := make([]int64, rows*r)
			for i, m := range joint {
				x, at := config(i), 0
				for _, u := range l.p.Parents[v] {
					at = at*l.p.Levels[u] + x[u]
				}
				fam[at*r+x[v]] += m
			}
			for lo := 0; lo < len(fam); lo += r {
				a, m := 0.0, 0.0
				for x := range r {
					al, f := l.p.Alpha[v][x], float64(fam[lo+x])
					a, m = a+al, m+f
					log += lgamma(al+f) - lgamma(al)
				}
				log += lgamma(a) - lgamma(a+m)
			}
		}
		for _, m := range l.p.Tables {
			f := make([]int64, len(m.Cells))
			for i, n := range joint {
				x, at := config(i), 0
				for _, v := range m.Vars {
					at = at*l.p.Levels[v] + x[v]
				}
				if at < len(f) {
					f[at] += n
				}
			}
			for i := range f {
				log += m.Cells[i].at(f[i])
			}
		}
		for _, m := range l.p.Sums {
			total := int64(0)
			for i, n := range joint {
				x, value := config(i), int64(1)
				for j, v := range m.Vars {
					value *= m.Function[j][x[v]]
				}
				total += n * value
			}
			log += m.Term.at(total)
		}
		key := fmt.Sprint(c.counts)
		i, known := s.index[key]
		if !known {
			i = len(s.keys)
			s.index[key] = i
			s.keys, logs = append(s.keys, key), append(logs, math.Inf(-1))
			s.counts, s.totals = append(s.counts, slices.Clone(c.counts)), append(s.totals, slices.Clone(c.totals))
		}
		logs[i] = max(logs[i], log) + math.Log1p(math.Exp(-math.Abs(logs[i]-log)))
	}
	var fill func(i int, left int64)
	fill = func(i int, left int64) {
		if i == cells-1 {
			joint[i] = left
			visit()
			return
		}
		for m := int64(0); m <= left; m++ {
			joint[i] = m
			fill(i+1, left-m)
		}
	}
	for m := int64(0); m <= n; m++ {
		if l.p.Latent || m == n {
			fill(0, m)
		}
	}
	most, sum := slices.Max(logs), 0.0
	defer func() { s.evidence = most + math.Log(sum) }()
	for i := range logs {
		s.p = append(s.p, math.Exp(logs[i]-most))
		sum += s.p[i]
	}
	for i := range s.p {
		s.p[i] /= sum
	}
	return s
}

// add puts k copies of a record into all tables.
func (c *Chain) add(x []int, k int64) {
	for t := range c.tabs {
		c.counts[c.tabs[t].cell(x)] += k
	}
	for s := range c.sums {
		c.totals[s] += k * c.sums[s].value(x)
	}
}

func lgamma(x float64) float64 { y, _ := math.Lgamma(x); return y }

// transitions starts at draws from the posterior, makes one move, and tests that what comes out has the posterior's
// law and that every pair of states is passed as often one way as the other: two chi-square statistics as standard
// normal numbers (Wilson and Hilferty), each above 6.5 with probability about 4e-11 for a kernel that is right.
func (s *states) transitions(c *Chain, r *rand.Rand, draws int, move func()) (law, balance, moved float64) {
	cum := make([]float64, len(s.p))
	total := 0.0
	for i, p := range s.p {
		total += p
		cum[i] = total
	}
	counts := make([]float64, len(s.p))
	pairs := map[[2]int]float64{}
	for range draws {
		i := min(sort.SearchFloat64s(cum, r.Float64()*total), len(cum)-1)
		copy(c.counts, s.counts[i])
		copy(c.totals, s.totals[i])
		move()
		j, ok := s.index[fmt.Sprint(c.counts)]
		if !ok { // a latent number of records above those enumerated
			j = i
		}
		counts[j]++
		if i != j {
			pairs[[2]int{i, j}]++
			moved++
		}
	}
	chi, df, restP, restN := 0.0, -1.0, 0.0, 0.0
	for i, n := range counts {
		if e := s.p[i] * float64(draws); e >= 5 {
			chi, df = chi+(n-e)*(n-e)/e, df+1
		} else {
			restP, restN = restP+e, restN+n
		}
	}
	if restP >= 5 {
		chi, df = chi+(restN-restP)*(restN-restP)/restP, df+1
	}
	law = normal(chi, df)
	chi, df = 0, 0
	for pair, n := range pairs {
		back := pairs[[2]int{pair[1], pair[0]}]
		if n+back >= 10 && (pair[0] < pair[1] || back == 0) {
			chi, df = chi+(n-back)*(n-back)/(n+back), df+1
		}
	}
	return law, normal(chi, df), moved / float64(draws)
}

// normal makes a chi-square statistic a standard normal one.
func normal(chi, df float64) float64 {
	if df <= 0 {
		return 0
	}
	return (math.Cbrt(chi/df) - (1 - 2/(9*df))) / math.Sqrt(2/(9*df))
}
