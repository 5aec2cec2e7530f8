package quantiles

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// Counting reads quantiles off noisy counts of a tree of intervals. Arithmetic: exact.
type Counting struct{ mechanism.Front }

// Histogram counts the records in a tree of intervals, or in one flat histogram, adds exact integer noise, makes the
// counts consistent and reads all quantiles off: the plain way, best where n·ε is small or many quantiles are asked
// for.
func Histogram() Counting { return Counting{counting().Front()} }

// countingSupports accepts Quantiles.
func countingSupports(sh *model.Shape) error {
	if sh.Ranks() == nil {
		return mechanism.Unsupported(sh.Model().String(), "Quantiles(column, p…); Geometric() for counts, NoisySums() for means")
	}
	return nil
}

// counted is what a plan of counts is made for.
type counted struct {
	ranks
	shape  *model.Shape
	target dp.Request
	rows   int // of a unit
	n      int // 0 where private
	known  bool
	points int64
}

func prepareCounts(_ context.Context, sh *model.Shape, t dp.Request) (*counted, error) {
	sh, err := shapeUnder(sh, t.Adjacency)
	if err != nil {
		return nil, err
	}
	p := &counted{shape: sh, target: t, points: sh.Lattice().Steps + 1}
	p.ranks = ranksOf(sh)
	p.n, p.known = sh.N()
	if _, p.rows = sh.Unit(); p.rows > maxRows {
		return nil, mechanism.Unsupported(fmt.Sprintf("units of %d rows", p.rows), fmt.Sprintf("at most %d", maxRows))
	}
	return p, nil
}

// shapeUnder is the shape that quantiles are planned with under an adjacency: n is public where no row is added.
func shapeUnder(sh *model.Shape, adj dp.Adjacency) (*model.Shape, error) {
	of := sh.Model().String()
	switch _, public := sh.N(); {
	case adj == dp.AddRemove:
		return sh.WithoutN(), nil
	case adj != dp.ReplaceOne && adj != dp.ReplaceValue:
		return nil, &sensitivity.AdjacencyError{Adjacency: adj, Model: of, Want: "replace-one, replace-value or " +
			"add-remove"}
	case !public:
		return nil, &sensitivity.AdjacencyError{Adjacency: adj, Model: of, Step: sh.PrivateNStep(),
			Want: "add-remove adjacency, under which n is private"}
	}
	return sh, nil
}

// countParams are what a release file keeps.
type countParams struct {
	Tree  tree        `json:"tree"`
	Noise noise.Named `json:"noise"`
}

// Valid checks parameters from a file: *dp.ParameterError.
func (q countParams) Valid() error {
	if err := q.Tree.Valid(); err != nil {
		return err
	}
	_, err := inRecords(q.Noise)
	return err
}

func counting() mechanism.Family[*counted, countParams] {
	return mechanism.Family[*counted, countParams]{
		Kind: "histogram-quantiles", Title: "Noisy histogram for quantiles", Supports: countingSupports,
		Prepare: prepareCounts, Calibrate: calibrateCounts, Certify: certifyCounts, NoNominal: true,
		Expect: func(_ context.Context, p *counted, q countParams) ([]mechanism.Expectation, error) {
			return p.expected(q)
		},
	}
}

// calibrateCounts chooses law and tree by the noise of one changed count, and finds the least noise for them.
func calibrateCounts(ctx context.Context, p *counted) (q countParams, err error) {
	least := math.Inf(1)
	var best noise.Family
	for _, f := range families {
		one, failed := leastNoise(ctx, f, 1, p.rows, p.target.Parameters)
		if failed != nil {
			if err == nil {
				err = failed
			}
			continue
		}
		for _, t := range p.trees() {
			v := noise.VarianceFor(one, t.changed(p.target.Adjacency))
			if e := p.rankError(t, v); e < least {
				least, best, q.Tree = e, f, t
			}
		}
	}
	if best == nil {
		return q, err
	}
	d, err := leastNoise(ctx, best, q.Tree.changed(p.target.Adjacency), p.rows, p.target.Parameters)
	if err != nil {
		return q, err
	}
	q.Noise, err = noise.NamedAs(best.Name(), d)
	return q, err
}

// trees are those to choose from: widths that are powers of two, the finest alone where n is private, and for each the
// branchings that make 1, 2, … levels.
func (p *counted) trees() (out []tree) {
	width := int64(1)
	for (tree{p.points, width, 2}).leaves() > maxLeaves {
		width *= 2
	}
	for ; ; width *= 2 {
		t := tree{Points: p.points, Width: width, Branching: 2}
		leaves := t.leaves()
		if len(out) > 0 && (!p.known || leaves < 8) {
			return out
		}
		for levels := 1; levels <= maxLevels; levels++ {
			t.Branching = max(2, int64(math.Ceil(math.Pow(float64(leaves), 1/float64(levels))-1e-9)))
			out = append(out, t)
			if t.Branching == 2 {
				break
			}
		}
	}
}

// spread is how far a rank is off, in leaves, because records are not spread evenly within a leaf: measured on
// lognormal values, and less on others.
const spread = .5

// rankError is about the root mean square error of a rank as a share of n; where n is private, of the count.
func (p *counted) rankError(t tree, variance float64) float64 {
	e := variance * t.variance()
	if !p.known {
		return math.Sqrt(e)
	}
	n := math.Max(float64(p.n), 1)
	e /= n * n
	if t.Width > 1 {
		e += math.Pow(spread/float64(t.leaves()), 2)
	}
	return math.Sqrt(e)
}

// countedRankErrorName names how far a released quantile's rank is off.
const countedRankErrorName = "rank error, share of n, root mean square"

func (p *counted) expected(q countParams) ([]mechanism.Expectation, error) {
	l, err := inRecords(q.Noise)
	if err != nil || !p.known || p.n == 0 {
		return nil, err
	}
	how := "closed form of least squares on the tree, averaged over ranks, before monotonicity"
	if q.Tree.Width > 1 {
		how += fmt.Sprintf("; and %g/%d for values unevenly spread within a leaf", spread, q.Tree.leaves())
	}
	return []mechanism.Expectation{{Name: countedRankErrorName,
		Value: math.Min(1, p.rankError(q.Tree, l.Variance())), How: how}}, nil
}
