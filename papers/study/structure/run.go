package structure

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	learn "github.com/privbayes/privbayes-go/privbayes/mechanism/structure"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Releases draws releases of one plan on a set, from seeds.
type Releases struct {
	set    *Set
	scorer *Scorer
	plan   *mechanism.Plan
	shape  *model.Shape
	st     *model.Statistics
}

// NewReleases plans releases of a learned model on the training rows of a set, with geometric noise where the target is
// pure and discrete Gaussian noise elsewhere. Errors: those of planning and counting.
func NewReleases(ctx context.Context, set *Set, j *Scorer, m model.LearnedModel, t dp.Request) (*Releases, error) {
	l := learn.DiscreteGaussian()
	if t.Notion == dp.Pure {
		l = learn.Geometric()
	}
	sh, err := model.NewShape(set.Train.Schema(), m.Classifying(set.Target), set.Train.Len(), t.Adjacency.PublicN(),
		"the study")
	if err != nil {
		return nil, err
	}
	r := &Releases{set: set, scorer: j, shape: sh}
	if r.plan, err = l.Plan(ctx, sh, t); err != nil {
		return nil, err
	}
	r.st, err = model.Count(sh, set.Train)
	return r, err
}

// Plan is what all of the releases have in common.
func (r *Releases) Plan() *mechanism.Plan { return r.plan }

// Trial is one release of a setting, judged.
type Trial struct {
	TV            [3]float64
	LogLikelihood float64
	Downstream    Downstream
	Binary        bool // the target has two levels, and there is a Downstream
	Declined      bool // nothing was chosen: learning was not expected to pay
	Edges, True   int
}

// Try draws the release of a seed and judges its network and a synthetic table. The same seed gives the same trial.
func (r *Releases) Try(ctx context.Context, seed uint64) (t Trial, err error) {
	drawn, err := r.plan.Draw(ctx, r.st, "study", dp.Seeded(seed))
	if err != nil {
		return t, err
	}
	e, err := r.plan.Estimate(ctx, drawn)
	if err != nil {
		return t, err
	}
	f, err := model.Fit(r.shape, e)
	if err != nil {
		return t, err
	}
	net := f.Network()
	t.Edges, t.True, t.Declined = len(e.Structure.Edges), r.scorer.TrueEdges(e.Structure.Edges), e.Structure.Declined != ""
	synthetic, err := dealt(r.scorer.Train, net, int(e.Structure.Size), seed)
	if err != nil {
		return t, err
	}
	if t.TV, err = r.scorer.Distances(synthetic); err != nil {
		return t, err
	}
	t.LogLikelihood = r.scorer.LogLikelihood(net)
	t.Downstream, t.Binary = r.scorer.Classify(synthetic)
	return t, nil
}

// dealt is a synthetic table in the columns of another.
func dealt(like *Coded, net *bayesnet.Net, rows int, seed uint64) (*Coded, error) {
	out := make([][]uint16, net.DAG().Len())
	for i := range out {
		out[i] = make([]uint16, rows)
	}
	if err := net.ExactCounts(rows, rand.NewPCG(seed, 901), out); err != nil {
		return nil, err
	}
	c := &Coded{Names: like.Names, Levels: like.Levels, Rows: rows, Columns: make([][]uint8, len(out))}
	for i, col := range out {
		codes := make([]uint8, rows)
		for r, k := range col {
			codes[r] = uint8(k)
		}
		c.Columns[slices.Index(like.Names, net.DAG().Node(i).Name)] = codes
	}
	return c, nil
}

// Delta is the δ of every (ε, δ) setting.
const Delta = 1e-9

// Setting is one line of the study: a table, a guarantee and what learns.
type Setting struct {
	Set        string  `json:"set"`
	Pure       bool    `json:"pure,omitempty"`
	ZCDP       bool    `json:"zcdp,omitempty"`
	ReplaceOne bool    `json:"replace_one,omitempty"` // else add-remove
	Learner    string  `json:"learner,omitempty"`     // "tree" or "cliques"; else maximum entropy
	Epsilon    float64 `json:"epsilon"`               // of zCDP the ρ
}

// Target is the guarantee.
func (s Setting) Target() dp.Request {
	t := dp.ApproxDP(s.Epsilon, Delta)
	switch {
	case s.Pure:
		t = dp.PureDP(s.Epsilon)
	case s.ZCDP:
		t = dp.ZCDP(s.Epsilon)
	}
	if s.ReplaceOne {
		return t.Under(dp.ReplaceOne)
	}
	return t.Under(dp.AddRemove)
}

// Guarantee is the target in few words.
func (s Setting) Guarantee() string {
	out := fmt.Sprintf("(%g, %g)", s.Epsilon, Delta)
	switch {
	case s.Pure:
		out = fmt.Sprintf("%g, pure", s.Epsilon)
	case s.ZCDP:
		out = fmt.Sprintf("ρ = %g", s.Epsilon)
	}
	if s.ReplaceOne {
		out += ", replace-one"
	}
	return out
}

// Model is what learns, without sums within bins: the study is about the tables of pairs alone.
func (s Setting) Model() model.LearnedModel {
	switch s.Learner {
	case "tree":
		return model.Tree().Evenly()
	case "cliques":
		return model.Cliques(3).Evenly()
	}
	return model.MaxEntropy().Evenly()
}

// Score is a mean over repeats with its standard error.
type Score struct {
	Mean float64 `json:"mean"`
	SE   float64 `json:"se"`
}

// Outcome is what the releases of a setting gave.
type Outcome struct {
	TV            [3]Score `json:"tv"` // columns, pairs, triples
	LogLikelihood Score    `json:"log_likelihood"`
	Accuracy      *Score   `json:"accuracy,omitempty"` // of targets of two levels
	AUC           *Score   `json:"auc,omitempty"`
	Edges         Score    `json:"edges"`
	TrueEdges     *Score   `json:"true_edges,omitempty"`
}

// Result is what a setting gave where learning is never declined, and beside it what every column by itself gives at
// the same guarantee. Declined says what the plan decides: then the latter is what a user gets.
type Result struct {
	Setting
	Repeats  int  `json:"repeats"`
	Rows     int  `json:"rows"` // for training
	Declined bool `json:"declined,omitempty"`
	Outcome
	Columns *Outcome `json:"columns,omitempty"`
}

// scoreOf is the mean of some numbers.
func scoreOf(x []float64) Score {
	s := Score{}
	for _, v := range x {
		s.Mean += v / float64(len(x))
	}
	if len(x) > 1 {
		for _, v := range x {
			s.SE += (v - s.Mean) * (v - s.Mean)
		}
		s.SE = math.Sqrt(s.SE / float64(len(x)-1) / float64(len(x)))
	}
	return s
}

// outcome is that of some trials.
func outcome(trials []Trial) (o Outcome) {
	mean := func(of func(t Trial) (v float64, ok bool)) *Score {
		var x []float64
		for _, t := range trials {
			if v, ok := of(t); ok {
				x = append(x, v)
			}
		}
		if len(x) == 0 {
			return nil
		}
		s := scoreOf(x)
		return &s
	}
	for k := range o.TV {
		o.TV[k] = *mean(func(t Trial) (float64, bool) { return t.TV[k], true })
	}
	o.LogLikelihood = *mean(func(t Trial) (float64, bool) { return t.LogLikelihood, true })
	o.Edges = *mean(func(t Trial) (float64, bool) { return float64(t.Edges), true })
	o.Accuracy = mean(func(t Trial) (float64, bool) { return t.Downstream.Accuracy, t.Binary })
	o.AUC = mean(func(t Trial) (float64, bool) { return t.Downstream.AUC, t.Binary })
	o.TrueEdges = mean(func(t Trial) (float64, bool) { return float64(t.True), t.True >= 0 })
	return o
}

// Repeat draws the releases of a setting, with seeds 1, 2, …, of the usual model, or where its plan declines to learn
// of one that always learns; and under add-remove of one whose public size lets no learning pay. Errors: those of
// planning and releasing.
func (s Setting) Repeat(ctx context.Context, set *Set, j *Scorer, repeats int) (r Result, err error) {
	r = Result{Setting: s, Repeats: repeats, Rows: j.Train.Rows}
	if r.Declined, err = s.decision(ctx, set, j); err != nil {
		return r, err
	}
	m := s.Model()
	if r.Declined {
		m = m.Always()
	}
	learned, err := s.repeated(ctx, set, j, m, repeats)
	if err != nil {
		return r, err
	}
	if r.Outcome = outcome(learned); s.ReplaceOne {
		return r, nil
	}
	none, err := s.repeated(ctx, set, j, s.Model().Size(1), repeats)
	if err != nil {
		return r, err
	}
	o := outcome(none)
	r.Columns = &o
	return r, nil
}

// decision reports whether the usual model declines to learn in a release.
func (s Setting) decision(ctx context.Context, set *Set, j *Scorer) (declined bool, err error) {
	trials, err := s.repeated(ctx, set, j, s.Model(), 1)
	return err == nil && trials[0].Declined, err
}

func (s Setting) repeated(ctx context.Context, set *Set, j *Scorer, m model.LearnedModel, repeats int) (out []Trial,
	err error) {
	releases, err := NewReleases(ctx, set, j, m, s.Target())
	if err != nil {
		return nil, err
	}
	for k := range repeats {
		t, err := releases.Try(ctx, uint64(k+1))
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}
