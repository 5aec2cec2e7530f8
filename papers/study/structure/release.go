package structure

import (
	"context"
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
	if err := net.Deal(rows, rand.NewPCG(seed, 901), out); err != nil {
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
