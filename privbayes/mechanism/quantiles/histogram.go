package quantiles

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
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
		return none(sh)
	}
	return nil
}

// counted is what a plan of counts is made for.
type counted struct {
	ranks
	shape  *model.Shape
	target dp.Request
	rows   int // of a unit
	n      int // of rows with a value, 0 where private
	known  bool
	omits  bool // rows may have no value
	points int64
}

func prepareCounts(_ context.Context, sh *model.Shape, t dp.Request) (*counted, error) {
	sh, err := shapeUnder(sh, t.Adjacency)
	if err != nil {
		return nil, err
	}
	p := &counted{shape: sh, target: t, points: sh.Lattice().Steps + 1}
	p.ranks = ranksOf(sh)
	if p.omits = sh.Lattice().Omits; !p.omits { // else the number of rows with a value is private
		p.n, p.known = sh.N()
	}
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
		return nil, &sensitivity.AdjacencyError{Adjacency: adj, Model: of, Want: "replace-one, replace-value or add-remove"}
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

// tree is how the points of a lattice are counted: leaves of Width points each, and above them nodes of Branching
// children, up to the level that has at most Branching nodes. The root is not counted: where n is public it is n.
type tree struct {
	Points    int64 `json:"points"`
	Width     int64 `json:"width"`
	Branching int64 `json:"branching"`
}

// Limits of a tree: counts that a release keeps, and levels.
const (
	maxLeaves = 1 << 14
	maxLevels = 14
)

// Valid checks a tree from a file: *dp.ParameterError.
func (t tree) Valid() error {
	switch {
	case t.Points < 2 || t.Points > 1<<20:
		return domain.Refuse("quantiles", "points", t.Points, "2 to 2^20")
	case t.Width < 1 || 2*t.Width > t.Points+1 || t.leaves() > maxLeaves:
		return domain.Refuse("quantiles", "width", t.Width, "2 to 2^14 leaves")
	case t.Branching < 2 || t.Branching > maxLeaves:
		return domain.Refuse("quantiles", "branching", t.Branching, "2 to 2^14")
	}
	return nil
}

func (t tree) leaves() int64 { return (t.Points + t.Width - 1) / t.Width }

// sizes are the numbers of nodes of every level, the leaves first.
func (t tree) sizes() []int {
	out := []int{int(t.leaves())}
	for last := out[0]; int64(last) > t.Branching; out = append(out, last) {
		last = int((int64(last) + t.Branching - 1) / t.Branching)
	}
	return out
}

func (t tree) levels() int { return len(t.sizes()) }

// count is the number of counts released.
func (t tree) count() (n int) {
	for _, s := range t.sizes() {
		n += s
	}
	return n
}

// sums counts the records at every node, by those at every point.
func (t tree) sums(counts []int64) [][]int64 {
	sizes := t.sizes()
	out := make([][]int64, len(sizes))
	for l, size := range sizes {
		out[l] = make([]int64, size)
		from, width := counts, t.Width
		if l > 0 {
			from, width = out[l-1], t.Branching
		}
		for i, c := range from {
			out[l][int64(i)/width] += c
		}
	}
	return out
}

// children are the nodes of the level below that node i has, of size many.
func (t tree) children(i, size int) (first, end int) {
	return i * int(t.Branching), min((i+1)*int(t.Branching), size)
}

// variance is the variance of the count of records below a place of the lattice, averaged over places, where every
// count has noise of variance 1, n is known and the counts are made consistent. With V_0 = 1 and 1/V_l = 1 +
// 1/(b·V_{l−1}) the variances of the nodes' counts given their own subtrees, it is Σ_l V_l·(b − 1)/6.
func (t tree) variance() float64 {
	sum, v := 0.0, 1.0
	sizes := t.sizes()
	for l := range sizes {
		b := float64(t.Branching)
		if l == len(sizes)-1 {
			b = float64(sizes[l])
		}
		sum += v * math.Max(b-1, 0) / 6
		v = 1 / (1 + 1/(b*v))
	}
	return sum
}

// changed is how many counts of a tree one row changes by one: it is counted once on every level, and a row that is
// replaced may leave one node of every level and enter another.
func (t tree) changed(adj dp.Adjacency) int {
	if adj == dp.AddRemove {
		return t.levels()
	}
	return 2 * t.levels()
}

// families are the noise to choose from.
var families = []noise.Family{noise.GeometricFamily, noise.GaussianFamily}

// leastNoise is the least noise of a family at which changed counts meet the level.
func leastNoise(ctx context.Context, f noise.Family, changed, rows int, want dp.Parameters) (noise.Distribution,
	error) {
	d, met, err := f.Least(ctx, changed, rows, want)
	if err == nil && !met {
		err = mechanism.Unmet(ctx, want, d.Pair(changed, rows), "a weaker target")
	}
	return d, err
}

// inRecords reads noise of a file: of the families, whose pairs are proved, and of no other that somebody registered.
// Errors: *dp.ParameterError.
func inRecords(n noise.Named) (noise.Distribution, error) {
	for _, f := range families {
		if f.Name() == n.Family {
			return f.Parse(n.Params)
		}
	}
	return nil, domain.Refuse("quantiles", "law", safetext.Short(n.Family), families[0].Name()+" or "+families[1].Name())
}
