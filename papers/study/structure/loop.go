package structure

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/junction"
	"github.com/privbayes/privbayes-go/internal/maxent"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// Loop are the constants of the rounds of theory/structure.md §8, to be varied. A run of it is a trial on a public
// table and no release: its selections are drawn in floating point.
type Loop struct {
	Pure        bool    // the budget is ε, noise geometric, selection permute-and-flip; else ρ, Gaussian, exponential
	ReplaceOne  bool    // two cells of a table move, else one
	Columns     float64 // share of the budget for the tables of single columns
	Select      float64 // share of a round for its selection
	Rounds      int     // 0: twice the number of columns
	Batch       int     // rounds between fits; 0: 1
	Cap         int     // cells of a clique
	Steps, Last int     // of the fit in a round, and at the end
}

// Default are the constants of the note.
func Default(pure, replaceOne bool) Loop {
	l := Loop{Pure: pure, ReplaceOne: replaceOne, Columns: .2, Select: .12, Batch: 1, Cap: 1 << 14, Steps: 40, Last: 300}
	if pure {
		l.Select = .15
	}
	return l
}

// moves is how many cells of a table one record moves, and the range of two scores.
func (l Loop) moves() float64 {
	if l.ReplaceOne {
		return 2
	}
	return 1
}

// noisy draws one noisy table at a part of the budget, and tells the variance.
func (l Loop) noisy(table []int64, budget float64, src rand.Source) ([]float64, float64, error) {
	var draw func(rand.Source) int64
	var variance float64
	if l.Pure {
		g, err := sample.NewTwoSidedGeometric(uint64(math.Round(budget/l.moves()*(1<<30))), 1<<30)
		if err != nil {
			return nil, 0, err
		}
		draw, variance = g.Draw, g.Variance()
	} else {
		g, err := sample.NewDiscreteGaussian(uint64(math.Round(l.moves()/(2*budget)*(1<<20))), 1<<20)
		if err != nil {
			return nil, 0, err
		}
		draw, variance = g.Draw, g.Sigma2()
	}
	out := make([]float64, len(table))
	for i, c := range table {
		out[i] = float64(c + draw(src))
	}
	return out, variance, nil
}

// deviation is the mean of |Z|.
func (l Loop) deviation(budget float64) float64 {
	if l.Pure {
		q := math.Exp(-budget / l.moves())
		return 2 * q / (1 - q*q)
	}
	return math.Sqrt(l.moves() / (math.Pi * budget))
}

// eta is the rate of a selection.
func (l Loop) eta(budget float64) float64 {
	if l.Pure {
		return budget / l.moves()
	}
	return math.Sqrt(8*budget) / l.moves()
}

// running is the state of a run.
type running struct {
	Loop
	c        *Coded
	src      rand.Source
	rng      *rand.Rand
	step     float64 // the budget of a round
	pairs    [][]int
	tables   [][]int64
	model    *maxent.Model
	base     []float64 // scores of the last fit
	measured map[int]bool
	illegal  map[int]bool
	fresh    map[int]bool // measured since the last fit
	scopes   [][]int
}

// Run learns from a table with a budget, ε or ρ, and tells which pairs were measured.
func (l Loop) Run(ctx context.Context, c *Coded, budget float64, src rand.Source) (*maxent.Model, [][2]int, error) {
	rounds := l.Rounds
	if rounds == 0 {
		rounds = 2 * len(c.Levels)
	}
	r := &running{Loop: l, c: c, src: src, rng: rand.New(src), step: budget * (1 - l.Columns) / float64(rounds),
		pairs: subsets(len(c.Levels), 2), measured: map[int]bool{}, illegal: map[int]bool{}, fresh: map[int]bool{}}
	r.base = make([]float64, len(r.pairs))
	if err := r.begin(ctx, budget); err != nil {
		return nil, nil, err
	}
	for k := range rounds {
		if k%max(l.Batch, 1) == 0 {
			if err := r.score(); err != nil {
				return nil, nil, err
			}
		}
		if err := r.measure(ctx); err != nil {
			return nil, nil, err
		}
		steps := l.Steps
		if k == rounds-1 {
			steps = l.Last
		} else if (k+1)%max(l.Batch, 1) != 0 {
			continue
		}
		if _, err := r.model.Fit(ctx, steps); err != nil {
			return nil, nil, err
		}
	}
	var edges [][2]int
	for _, s := range r.scopes {
		edges = append(edges, [2]int{s[0], s[1]})
	}
	return r.model, edges, nil
}

// begin measures the tables of all columns and fits them.
func (r *running) begin(ctx context.Context, budget float64) error {
	singles, err := r.c.counts(subsets(len(r.c.Levels), 1))
	if err != nil {
		return err
	}
	if r.tables, err = r.c.counts(r.pairs); err != nil {
		return err
	}
	power, sum := 2./3, 0.0
	if r.Pure {
		power = 1. / 2
	}
	for _, k := range r.c.Levels {
		sum += math.Pow(float64(k), power)
	}
	n, total, weight := float64(r.c.Rows), 0.0, 0.0
	y, variance := make([][]float64, len(singles)), make([]float64, len(singles))
	for i, t := range singles {
		k := float64(r.c.Levels[i])
		if y[i], variance[i], err = r.noisy(t, r.Columns*budget*math.Pow(k, power)/sum, r.src); err != nil {
			return err
		}
		w := 1 / (variance[i] * k)
		for _, v := range y[i] {
			total += v * w
		}
		weight += w
	}
	if !r.ReplaceOne { // n is private: what the noisy tables say of it
		n = math.Max(1, math.Round(total/weight))
	}
	if r.model, err = maxent.New(r.c.Levels, n); err != nil {
		return err
	}
	for i := range y {
		if err := r.model.Add([]int{i}, y[i], variance[i]); err != nil {
			return err
		}
	}
	_, err = r.model.Fit(ctx, r.Steps)
	return err
}

// score makes the scores of all pairs by the fit.
func (r *running) score() error {
	clear(r.fresh)
	n, noise := r.model.Total(), r.deviation((1-r.Select)*r.step)
	for i, p := range r.pairs {
		law, err := r.model.Pair(p[0], p[1])
		if err != nil {
			return err
		}
		penalty := noise * float64((r.c.Levels[p[0]]-1)*(r.c.Levels[p[1]]-1)) / 2
		if !r.measured[i] {
			penalty += poissonDeviation(law, n) / 2
		}
		r.base[i] = halfDistance(r.tables[i], wholes(law, n)) - math.Round(penalty)
	}
	return nil
}

// measure chooses a pair and adds its noisy table to the model.
func (r *running) measure(ctx context.Context) error {
	noisy := make([]float64, len(r.pairs))
	order := make([]int, len(r.pairs))
	for i, s := range r.base {
		g := r.rng.ExpFloat64() // permute-and-flip
		if !r.Pure {
			g = -math.Log(g) // Gumbel: the exponential mechanism
		}
		order[i], noisy[i] = i, r.eta(r.Select*r.step)*s+g
	}
	slices.SortFunc(order, func(a, b int) int {
		if noisy[a] > noisy[b] {
			return -1
		}
		return 1
	})
	pick, err := r.first(ctx, order)
	if err != nil {
		return err
	}
	if !r.measured[pick] {
		r.scopes = append(r.scopes, r.pairs[pick])
	}
	r.measured[pick], r.fresh[pick] = true, true
	table, variance, err := r.noisy(r.tables[pick], (1-r.Select)*r.step, r.src)
	if err != nil {
		return err
	}
	return r.model.Add(r.pairs[pick], table, variance)
}

// first is the first pair of an order that the fit can compute with.
func (r *running) first(ctx context.Context, order []int) (int, error) {
	for _, i := range order {
		if r.fresh[i] || r.illegal[i] {
			continue
		}
		if r.measured[i] {
			return i, nil
		}
		_, err := junction.Build(ctx, r.c.Levels, append(slices.Clip(r.scopes), r.pairs[i]), r.Cap)
		var wide *junction.WidthError
		if !errors.As(err, &wide) {
			return i, err
		}
		r.illegal[i] = true
	}
	return 0, errors.New("structure: no pair that the fit can compute with")
}

// wholes are whole numbers near n·p that add up to n: largest remainders.
func wholes(p []float64, n float64) []int64 {
	out, left := make([]int64, len(p)), int64(n)
	order, rest := make([]int, len(p)), make([]float64, len(p))
	for i, x := range p {
		f := math.Floor(n * x)
		out[i], rest[i], order[i] = int64(f), n*x-f, i
		left -= int64(f)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case rest[a] > rest[b]:
			return -1
		case rest[a] < rest[b]:
			return 1
		}
		return 0
	})
	for _, i := range order[:max(0, min(int(left), len(order)))] {
		out[i]++
	}
	return out
}

// halfDistance is ½‖a − b‖₁.
func halfDistance(a, b []int64) float64 {
	sum := int64(0)
	for i := range a {
		sum += max(a[i]-b[i], b[i]-a[i])
	}
	return float64(sum) / 2
}

// poissonDeviation is Σ E|Pois(m) − m| = Σ 2e^{−m} m^(⌊m⌋+1)/⌊m⌋!, m = n·p: what sampling alone makes of a distance.
func poissonDeviation(p []float64, n float64) float64 {
	sum := 0.0
	for _, x := range p {
		if m := n * x; m > 0 {
			f := math.Floor(m)
			lg, _ := math.Lgamma(f + 1)
			sum += 2 * math.Exp((f+1)*math.Log(m)-m-lg)
		}
	}
	return sum
}
