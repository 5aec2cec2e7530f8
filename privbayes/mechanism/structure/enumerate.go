package structure

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// choiceLaw is the law of the sampler. Tests put others in its place.
var choiceLaw = sample.Selection.LogProbs

// noiseLaw is the law of the noise on a count. Tests put laws in its place that look at the count.
var noiseLaw = func(l noise.Distribution, _ int64) noise.Distribution { return l }

// smallInstance is a release over a few columns whose outputs can be listed: the learner of production under scripted
// decisions.
type smallInstance struct {
	sampler
	n       int
	records int  // of the data set that is played: private, and read by wrong components in tests alone
	window  int  // one-way counts are listed this far beyond 0 and n; 0: by classes of equal ratio, under a public n
	single  bool // of one-way tables one output is listed, a 1 in every cell
	listed  int  // so many outputs of every other table are listed: all records in one cell; 0: nothing depends on them
	batched bool // reports are listed, and all tables have one output each
}

func newSmallInstance(q *problem, p params, n, window int) (*smallInstance, error) {
	l, err := q.laws(p)
	if err != nil {
		return nil, err
	}
	for i := range l.columns {
		l.columns[i] = remember(l.columns[i])
	}
	for i := range l.phases {
		l.phases[i].noise = remember(l.phases[i].noise)
	}
	return &smallInstance{sampler: sampler{q, l}, n: n, window: window}, nil
}

// remembered is a law whose numbers are asked for again and again.
type remembered struct {
	noise.Distribution
	variance float64
	probs    map[int64]float64
}

func remember(l noise.Distribution) *remembered {
	return &remembered{l, l.Variance(), map[int64]float64{}}
}

func (r *remembered) Variance() float64 { return r.variance }

func (r *remembered) LogProb(z int64) float64 {
	p, ok := r.probs[z]
	if !ok {
		p = r.Distribution.LogProb(z)
		r.probs[z] = p
	}
	return p
}

// path is one list of outputs: the one-way tables and the choices, with its log-probability and the private tables that
// were measured on it. Those have noise of their own, on which nothing of a tree depends.
type path struct {
	logP     float64
	measured [][]int64
	rho      []float64 // of batches: that of a count of every measured table that moves by one
}

// script plays one path: the decisions made so far, and for each how many there are.
type script struct {
	*smallInstance
	made, of []int
	at       int
	columns  int // one-way tables that are still to come
	path
}

// decide is the next decision among some.
func (s *script) decide(among int) int {
	if s.at == len(s.made) {
		s.made, s.of = append(s.made, 0), append(s.of, among)
	}
	s.at++
	return s.made[s.at-1]
}

// noise lists the noisy counts of one-way tables, and keeps other tables for later.
func (s *script) noise(l noise.Distribution, counts []int64) []int64 {
	out := make([]int64, len(counts))
	if s.batched {
		return s.once(l, counts)
	}
	if s.columns == 0 && s.listed > 0 {
		out[s.decide(min(s.listed, len(counts)))] = int64(s.n)
		for i, v := range out {
			s.logP += noiseLaw(l, counts[i]).LogProb(v - counts[i])
		}
		return out
	}
	if s.columns == 0 {
		copy(out, counts)
		s.measured = append(s.measured, counts)
		return out
	}
	s.columns--
	for i, c := range counts {
		l := noiseLaw(l, c)
		low, high := int64(-s.window), int64(s.n+s.window)
		if s.single {
			out[i] = 1
			s.logP += l.LogProb(1 - c)
			continue
		}
		v := low + int64(s.decide(int(high-low)+1))
		switch z := v - c; {
		case s.window == 0 && s.n > 0 && v == low: // everything up to 0 is taken as 0
			s.logP += l.LogTail(-z)
		case s.window == 0 && s.n > 0 && v == high:
			s.logP += l.LogTail(z)
		default:
			s.logP += l.LogProb(z)
		}
		out[i] = v
	}
	return out
}

// choose lists the candidates that may be chosen.
func (s *script) choose(law sample.Selection, scores []int64, may func(i int) bool) int {
	var which []int
	var of []int64
	for i, v := range scores {
		if may(i) {
			which, of = append(which, i), append(of, v)
		}
	}
	k := s.decide(len(which))
	s.logP += choiceLaw(law, of)[k]
	return which[k]
}

// outputs lists the paths of a data set, in the order that all data sets have.
func (t *smallInstance) outputs(ctx context.Context, records []int) (out []path, err error) {
	ctx = cert.WithProgress(ctx, nil) // the rounds are none that a user waits for
	data, made, of := t.count(records), []int(nil), []int(nil)
	t.records = len(records)
	for {
		s := &script{smallInstance: t, made: made, of: of, columns: len(t.levels)}
		if _, err := t.run(ctx, data, s); err != nil {
			return nil, err
		}
		out = append(out, s.path)
		made, of = s.made, s.of
		for len(made) > 0 && made[len(made)-1] == of[len(made)-1]-1 {
			made, of = made[:len(made)-1], of[:len(made)-1]
		}
		if len(made) == 0 {
			return out, nil
		}
		made[len(made)-1]++
	}
}

// count makes the tables of records, each the place of a cell of all columns, the last running fastest.
func (t *smallInstance) count(records []int) tables {
	codes := make([][]int, len(records))
	for r, cell := range records {
		codes[r] = make([]int, len(t.levels))
		for i := len(t.levels) - 1; i >= 0; i-- {
			codes[r][i] = cell % t.levels[i]
			cell /= t.levels[i]
		}
	}
	return func(columns []int) ([]int64, error) {
		size := 1
		for _, v := range columns {
			size *= t.levels[v]
		}
		out := make([]int64, size)
		for _, c := range codes {
			at := 0
			for _, v := range columns {
				at = at*t.levels[v] + c[v]
			}
			out[at]++
		}
		if len(columns) == 1 {
			return out[:t.measured(columns[0])], nil
		}
		return out, nil
	}
}

// epsilon is the exact pure ε of the release: the largest log-ratio of two neighbouring data sets, over all of them and
// all outputs; that of a measured table is the noise's rate for every count that differs.
func (t *smallInstance) epsilon(ctx context.Context, rate float64) (worst float64, pairs int64, err error) {
	pairs, err = t.neighbours(ctx, func(a, b []path) { worst = math.Max(worst, ratio(a, b, rate)) })
	return worst, pairs, err
}

// neighbours visits the laws of all neighbouring data sets, in both orders.
func (t *smallInstance) neighbours(ctx context.Context, visit func(a, b []path)) (pairs int64, err error) {
	cells := 1
	for _, k := range t.levels {
		cells *= k
	}
	laws := map[string][]path{}
	law := func(x []int) ([]path, error) {
		key := fmt.Sprint(x)
		if l, ok := laws[key]; ok {
			return l, nil
		}
		l, err := t.outputs(ctx, recordsOf(x))
		laws[key] = l
		return l, err
	}
	space := finite.Space{Cells: cells, N: t.n, Adjacency: t.target.Adjacency}
	for x, y := range space.Neighbours() {
		a, err := law(x)
		if err != nil {
			return pairs, err
		}
		b, err := law(y)
		if err != nil {
			return pairs, err
		}
		visit(a, b)
		if pairs++; t.target.Adjacency == dp.AddRemove {
			visit(b, a)
			pairs++
		}
		if ctx.Err() != nil {
			return pairs, ctx.Err()
		}
	}
	return pairs, nil
}

// recordsOf lists the cell of every record of a histogram.
func recordsOf(x []int) (out []int) {
	for cell, count := range x {
		out = append(out, slices.Repeat([]int{cell}, count)...)
	}
	return out
}

// ratio is the largest log-ratio of two laws with the same list of outputs.
func ratio(a, b []path, rate float64) (worst float64) {
	if len(a) != len(b) {
		return math.Inf(1) // an output of one that the other cannot have
	}
	for i, p := range a {
		if math.IsInf(p.logP, -1) {
			continue
		}
		loss := p.logP - b[i].logP
		for k, t := range p.measured {
			if len(t) != len(b[i].measured[k]) {
				return math.Inf(1)
			}
			loss += rate * float64(distance(t, b[i].measured[k]))
		}
		worst = math.Max(worst, loss)
	}
	return worst
}

// units yields the data sets with a unit of some rows replaced or, under add-remove, gone, each once: of two rows
// neighbours of neighbours, which most ways lead to twice.
func units(s finite.Space, x []int, rows int) iter.Seq[[]int] {
	if rows < 2 {
		return s.Around(x)
	}
	return func(yield func(z []int) bool) {
		seen := map[string]bool{}
		for y := range s.Around(x) {
			for z := range units(s, y, rows-1) {
				if key := fmt.Sprint(z); !seen[key] {
					seen[key] = true
					if !yield(z) {
						return
					}
				}
			}
		}
	}
}

// unitRows refuses units of so many rows that listing them takes long, or that are more than there are records.
func unitRows(rows, n int) error {
	if rows < 0 || rows > min(n, 2) {
		return domain.Refuse("structure", "rows", rows, fmt.Sprintf("0 to %d", min(n, 2)))
	}
	return nil
}

// within refuses work above the limit of the context.
func within(ctx context.Context, work float64) error {
	if work > float64(cert.WorkLimit(ctx)) {
		return cert.ErrWorkLimit
	}
	return nil
}

// Rates at which small releases are enumerated whatever the plan's are: at small ones slack hides mistakes.
var (
	largeRate = noise.Rational{Num: 3, Den: 1}
	tenth     = noise.Rational{Num: 13, Den: 128}
)

// releaseParams: a whole release of a tree over three binary columns under replace-one or two under add-remove, or of
// cliques or rounds of pairs over three.
type releaseParams struct {
	Column    noise.Rational `json:"column"`
	Choose    noise.Rational `json:"choose"`
	Noise     noise.Rational `json:"noise"`
	Flip      bool           `json:"flip"`
	N         int            `json:"n"`
	Plain     bool           `json:"plain,omitempty"`      // two choices without stop or corrections
	AddRemove bool           `json:"add_remove,omitempty"` // n is private, sizes are estimated, and one decides
	Cliques   bool           `json:"cliques,omitempty"`    // under replace-one
	Pairs     bool           `json:"pairs,omitempty"`      // three rounds, of which the last may be bound by the cap
	Weights   []int64        `json:"weights,omitempty"`    // of the pairs
	Kept      bool           `json:"kept,omitempty"`       // corrections by kept noise
}

// smallInstance is the release. Under add-remove one-way counts from −1 to n + 1 are listed; of cliques, on whose
// tables later choices depend, two outputs of every table, and of pairs one of every table.
func (p releaseParams) smallInstance() (*smallInstance, error) {
	for _, r := range []noise.Rational{p.Column, p.Choose, p.Noise} {
		if err := r.Valid(); err != nil {
			return nil, err
		}
	}
	if p.N < 1 || p.N > 3 || p.AddRemove && (p.N > 2 || p.Plain || p.Cliques) || p.Cliques && (p.N > 2 || p.Pairs) ||
		p.Pairs && p.N > 2 {
		return nil, domain.Refuse("structure", "n", p.N, "1 to 3; of cliques, of pairs or under add-remove 1 or 2")
	}
	q := &problem{noise: geometric, target: dp.PureDP(1), levels: []int{2, 2, 2},
		pairs: [][2]int{{0, 1}, {0, 2}, {1, 2}}, set: model.Tree().Settings(), n: p.N, rows: 1, publicN: true, plain: p.Plain}
	phases, window, listed := []phase{{Rounds: 2, Choose: &p.Choose, Noise: p.Noise}}, 0, 0
	switch {
	case p.Pairs:
		q.set, phases[0].Rounds, listed = model.MaxEntropy().Always().MaxCells(4).Settings(), 3, 1
		if p.AddRemove {
			q.publicN, q.n, q.target = false, 0, dp.PureDP(1).Under(dp.AddRemove)
		}
	case p.AddRemove:
		q.levels, q.pairs, phases[0].Rounds, window = q.levels[:2], q.pairs[:1], 1, 1
		q.publicN, q.n, q.gated = false, 0, true
		q.target = dp.PureDP(6 * math.Ln2 / .7).Under(dp.AddRemove) // learning pays from two records on
	case p.Cliques:
		q.set, phases, listed = model.Cliques(3).Always().Settings(), append(phases, phases[0]), 2
	}
	if p.Weights != nil {
		w, err := weightsOf(p.Weights, len(q.pairs))
		if err != nil {
			return nil, err
		}
		q.weights, q.top = w, slices.Max(w)
	}
	t, err := newSmallInstance(q, params{Columns: []noise.Rational{p.Column, p.Column, p.Column}[:len(q.levels)],
		Phases: phases, Flip: p.Flip, Kept: p.Kept}, p.N, window)
	if err == nil {
		t.listed, t.single = listed, p.Pairs
	}
	return t, err
}

// allowed is what the composition says of the release, where one row moves two scores apart by the span.
func (p releaseParams) allowed(span float64) float64 {
	column, choose, noise := p.Column.Float(), span*p.Choose.Float(), p.Noise.Float()
	switch {
	case p.Pairs && p.AddRemove:
		return 3*column + 3*(choose+noise)
	case p.Pairs:
		return 3*column + 3*(choose+2*noise)
	case p.AddRemove:
		return 2*column + choose + noise
	case p.Cliques:
		return 3*column + 4*(choose+2*noise)
	}
	return 3*column + 2*(choose+2*noise)
}

// releaseChecker derives the exact pure ε of the whole release, from records up, by the learner and the laws of
// production.
var releaseChecker = cert.Define("structure/release", func(ctx context.Context, p releaseParams) (cert.Outcome, error) {
	t, err := p.smallInstance()
	if err != nil {
		return cert.Outcome{}, err
	}
	if err := within(ctx, 1e5*math.Pow(float64(p.N), 4)); err != nil {
		return cert.Outcome{}, err
	}
	worst, pairs, err := t.epsilon(ctx, p.Noise.Float())
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: pairs}, err
})
