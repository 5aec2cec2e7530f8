package latent

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"testing"
)

// priorCases are golden cases of a program of its own, which sums over all data tables and integrates over centres.
type priorCases struct {
	Exact []struct {
		Name, Prior string
		S           float64
		Levels      []int
		Parents     [][]int
		N           int64
		Tables      []struct {
			Vars []int
			Y    []int64
			Rate float64
		}
		Mean, SD [][][]float64
		Last     float64 `json:"p_mean"`
		LastSD   float64 `json:"p_sd"`
	}
}

func priorGoldens(t testing.TB, into any) {
	t.Helper()
	b, err := os.ReadFile("testdata/prior.json")
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// lastIs is P(last node = 0) of CPTs, by all records.
func lastIs(l *Layout, theta [][]float64) (out float64) {
	k := len(l.p.Levels)
	x := make([]int, k)
	var walk func(i int, p float64)
	walk = func(i int, p float64) {
		if i == k {
			if x[k-1] == 0 {
				out += p
			}
			return
		}
		v, at := l.order[i], 0
		for _, u := range l.p.Parents[v] {
			at = at*l.p.Levels[u] + x[u]
		}
		for x[v] = range l.p.Levels[v] {
			walk(i+1, p*theta[v][at*l.p.Levels[v]+x[v]])
		}
	}
	walk(0, 1)
	return out
}

// Means and standard deviations of all entries, and of a probability of the last node, under centres, independent rows
// and rows weighed by their number, are those of enumeration; each differs from the others' by more.
func TestPriorsByEnumeration(t *testing.T) {
	var golden priorCases
	priorGoldens(t, &golden)
	const sweeps = 6000
	means := map[string]map[string][]float64{}
	for _, g := range golden.Exact {
		if testing.Short() && g.Prior != "shared" {
			continue
		}
		p := &Problem{Levels: g.Levels, Parents: g.Parents, N: g.N}
		for _, m := range g.Tables {
			t := Table{Vars: m.Vars, Spread: spread(m.Rate, 0)}
			for _, y := range m.Y {
				t.Cells = append(t.Cells, Geometric(y, 1, m.Rate))
			}
			p.Tables = append(p.Tables, t)
		}
		switch p.ShareRows(); g.Prior {
		case "one":
			p.Alpha, p.Shared = symmetric(g.Levels, 1), nil
		case "bdeu":
			for v, rows := range g.Mean {
				p.Alpha[v] = slices.Repeat([]float64{g.S / float64(len(rows)*g.Levels[v])}, g.Levels[v])
			}
			p.Shared = nil
		}
		l := layout(t, p)
		mean, sd, _ := moments(l, Every, sweeps)
		var wantMean, wantSD []float64
		for v := range g.Mean {
			wantMean, wantSD = append(wantMean, slices.Concat(g.Mean[v]...)...), append(wantSD, slices.Concat(g.SD[v]...)...)
		}
		dm, ds := apart(mean, wantMean), apart(sd, wantSD)
		sum, square := 0.0, 0.0
		for k := range 4 {
			c := l.chain(9 + k)
			for range 2 * sweeps {
				c.Sweep(never)
				x, draws := lastIs(l, c.Draw()), float64(8*sweeps)
				sum, square = sum+x/draws, square+x*x/draws
			}
		}
		dp := max(math.Abs(sum-g.Last), math.Abs(math.Sqrt(square-sum*sum)-g.LastSD))
		t.Logf("%s, %s: %.4f %.4f %.4f", g.Name, g.Prior, dm, ds, dp)
		if dm > .008 || ds > .006 || dp > .012 {
			t.Errorf("%s, %s: off by %.4f in a mean, %.4f in a standard deviation, %.4f of the last node", g.Name, g.Prior,
				dm, ds, dp)
		}
		if means[g.Name] == nil {
			means[g.Name] = map[string][]float64{}
		}
		means[g.Name][g.Prior] = wantMean
	}
	for name, m := range means {
		if m["one"] != nil && apart(m["one"], m["shared"]) < .02 {
			t.Errorf("%s: the priors are not told apart", name)
		}
	}
}

// sharedStates are tables with a centre on a grid, for a node of two levels, whose centre is uniform.
type sharedStates struct {
	l     *Layout
	cum   []float64 // of every grid point and table
	at    []struct{ grid, state int }
	grid  []*states
	p     map[string]float64 // of tables and bins of the centre
	total float64
}

const (
	gridPoints = 192
	gridBins   = 8
)

// sharedCase is a problem whose node 1 has three rows that share a centre, and a child, with exact draws of its
// posterior: at every point of the grid the tables are enumerated with the rows' own prior.
func sharedCase(t testing.TB) *sharedStates {
	p := &Problem{Levels: []int{3, 2, 2}, Parents: [][]int{nil, {0}, {1}}, N: 3}
	for _, m := range []struct {
		vars []int
		y    []int64
	}{{[]int{0, 1}, []int64{2, 0, -1, 1, 0, 2}}, {[]int{1, 2}, []int64{1, 2, 0, 1}}} {
		t := Table{Vars: m.vars, Spread: 2}
		for _, y := range m.y {
			t.Cells = append(t.Cells, Geometric(y, 1, .5))
		}
		p.Tables = append(p.Tables, t)
	}
	p.ShareRows()
	s := &sharedStates{l: layout(t, p), p: map[string]float64{}}
	var logs []float64
	for k := range gridPoints {
		m := (float64(k) + .5) / gridPoints
		fixed := *p
		fixed.Shared = nil
		fixed.Alpha = [][]float64{p.Alpha[0], {.05 + .9*m, .05 + .9*(1-m)}, p.Alpha[2]}
		s.grid = append(s.grid, enumerate(t, layout(t, &fixed), p.N))
		logs = append(logs, s.grid[k].evidence)
	}
	most := slices.Max(logs)
	for k, e := range s.grid {
		for i, q := range e.p {
			w := q * math.Exp(logs[k]-most)
			s.total += w
			s.cum = append(s.cum, s.total)
			s.at = append(s.at, struct{ grid, state int }{k, i})
			s.p[keyOf(e.counts[i], k*gridBins/gridPoints)] += w
		}
	}
	return s
}

// keyOf is small counts and a bin.
func keyOf(counts []int64, bin int) string {
	out := make([]byte, 0, len(counts)+1)
	for _, n := range counts {
		out = append(out, byte(n))
	}
	return string(append(out, byte(bin)))
}

// transitions is that of states.
func (s *sharedStates) transitions(draws int, move func(c *Chain)) (law, balance, moved float64) {
	c, r := s.l.chain(1), rand.New(rand.NewPCG(7, 8))
	counts, pairs := map[string]float64{}, map[[2]string]float64{}
	key := func() string {
		return keyOf(c.counts, min(int(math.Exp(c.shares[1].log[0])*gridBins), gridBins-1))
	}
	for range draws {
		at := s.at[min(sort.SearchFloat64s(s.cum, r.Float64()*s.total), len(s.at)-1)]
		copy(c.counts, s.grid[at.grid].counts[at.state])
		m := (float64(at.grid) + r.Float64()) / gridPoints
		c.shares[1] = newCentre([]float64{math.Log(m), math.Log1p(-m)})
		from := key()
		move(c)
		to := key()
		counts[to]++
		if from != to {
			pairs[[2]string{from, to}]++
			moved++
		}
	}
	chi, df, restP, restN := 0.0, -1.0, 0.0, 0.0
	for k, p := range s.p {
		if e := p / s.total * float64(draws); e >= 5 {
			chi, df = chi+(counts[k]-e)*(counts[k]-e)/e, df+1
		} else {
			restP, restN = restP+e, restN+counts[k]
		}
	}
	law = normal(chi+(restN-restP)*(restN-restP)/restP, df+1)
	chi, df = 0, 0
	for pair, n := range pairs {
		back := pairs[[2]string{pair[1], pair[0]}]
		if n+back >= 10 && (pair[0] < pair[1] || back == 0) {
			chi, df = chi+(n-back)*(n-back)/(n+back), df+1
		}
	}
	return law, normal(chi, df), moved / float64(draws)
}

// Each move alone leaves the joint posterior of tables and centre as it is; a move with one part broken does not. Chi-
// square tests as in TestEveryKernelAlone.
func TestMovesWithACentre(t *testing.T) {
	s, draws := sharedCase(t), 60_000
	if testing.Short() {
		draws = 20_000
	}
	moves := map[string]func(c *Chain){"centres": func(c *Chain) { c.moveCentres() }}
	for name, move := range kernels {
		if name != "sizes" && name != "records" {
			moves[name] = move
		}
	}
	for name, move := range moves {
		law, balance, moved := s.transitions(draws, move)
		if law > 6.5 || balance > 6.5 || moved < .01 {
			t.Errorf("%s: law %.1f, balance %.1f, moved %.2f", name, law, balance, moved)
		}
	}
	even := newCentre([]float64{-math.Ln2, -math.Ln2})
	for name, broken := range map[string]func(c *Chain){
		"swaps without their ratio": func(c *Chain) {
			c.shares[1].level = even.level
			c.exchange()
		},
		"swaps without descendants": func(c *Chain) {
			h := c.blockMoves[1]
			defer func() { c.blockMoves[1] = h }()
			c.blockMoves[1].below, c.blockMoves[1].late, c.blockMoves[1].merges = nil, h.all, false
			c.exchange()
		},
		"a centre without its exponent": func(c *Chain) {
			alpha := c.p.Alpha[1]
			defer func() { c.p.Alpha[1] = alpha }()
			c.p.Alpha[1] = []float64{0, 0}
			c.moveCentres()
		},
		"rows weighed at 1/L": func(c *Chain) {
			c.shares[1].level = even.level
			c.picked()
		},
		"a in the family and not in the urn": func(c *Chain) {
			c.shares[1].a = even.a
			for range 6 {
				c.jump()
			}
		},
	} {
		law, balance, _ := s.transitions(200_000, broken)
		if max(law, balance) <= 6.5 {
			t.Errorf("%s: passes: law %.1f, balance %.1f", name, law, balance)
		}
		t.Logf("%s: law %.1f, balance %.1f", name, law, balance)
	}
}

// Rows are drawn given a, floor and all: with no record and a centre of .02 a row's mean is .068. 40,000 draws of three
// rows have a standard error of .0006 in the mean, and the limit is 6.5 of those; without the floor it is off by 80.
func TestRowsAreDrawnWithTheFloor(t *testing.T) {
	p := &Problem{Levels: []int{3, 2}, Parents: [][]int{nil, {0}}, N: 0}
	p.ShareRows()
	c := layout(t, p).chain(1)
	c.shares[1] = newCentre([]float64{math.Log(.02), math.Log(.98)})
	const draws = 40_000
	mean := 0.0
	for range draws {
		theta := c.Draw()[1]
		mean += (theta[0] + theta[2] + theta[4]) / (3 * draws)
	}
	off := math.Abs(mean-.068) / math.Sqrt(.068*.932/2/(3*draws))
	if off > 6.5 || math.Abs(mean-.02) < 6.5*.0006 {
		t.Errorf("mean %.5f, off by %.1f standard errors", mean, off)
	}
	sum, square := 0.0, 0.0 // of the prior: Var = .81/12 + (1/4 − .81/12)/2
	for k := range draws {
		x := c.Prior(rand.NewPCG(uint64(k), 3))[1][0]
		sum, square = sum+x/draws, square+x*x/draws
	}
	if v := square - sum*sum; math.Abs(v-.15875) > .005 {
		t.Errorf("the prior's rows have variance %.4f", v)
	}
}
