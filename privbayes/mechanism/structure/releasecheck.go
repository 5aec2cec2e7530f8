package structure

import (
	"context"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

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
}

// smallInstance is the release. Under add-remove one-way counts from −1 to n + 1 are listed; of cliques, on whose tables later
// choices depend, two outputs of every table, and of pairs one of every table.
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
	t, err := newSmallInstance(q, params{Columns: []noise.Rational{p.Column, p.Column, p.Column}[:len(q.levels)], Phases: phases,
		Flip: p.Flip}, p.N, window)
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
