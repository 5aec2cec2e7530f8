package quantiles

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// anyTree draws trees with leaves of several points and last nodes with fewer children.
func anyTree(r *rapid.T) tree {
	t := tree{Points: rapid.Int64Range(2, 60).Draw(r, "points"), Branching: rapid.Int64Range(2, 9).Draw(r, "branching")}
	t.Width = rapid.Int64Range(1, (t.Points+1)/2).Draw(r, "width")
	must.Do(r, t.Valid())
	return t
}

// design is the matrix of which leaves every node holds, the leaves' rows first.
func design(t tree) *mat.Dense {
	leaves := int(t.leaves())
	out := mat.NewDense(t.count(), leaves, nil)
	one := tree{Points: t.leaves(), Width: 1, Branching: t.Branching}
	at := make([]int64, leaves)
	for j := range at {
		at[j] = 1
		row := 0
		for _, level := range one.sums(at) {
			for _, c := range level {
				out.Set(row, j, float64(c))
				row++
			}
		}
		at[j] = 0
	}
	return out
}

// The two passes solve the normal equations, with the total as a constraint where it is known.
func TestConsistentIsLeastSquares(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		tr, known := anyTree(r), rapid.Bool().Draw(r, "known")
		x := design(tr)
		rows, leaves := x.Dims()
		src := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
		y, noisy := mat.NewVecDense(rows, nil), make([][]int64, 0)
		for row := 0; len(noisy) < tr.levels(); {
			level := make([]int64, tr.sizes()[len(noisy)])
			for i := range level {
				level[i] = src.Int64N(200) - 50
				y.SetVec(row, float64(level[i]))
				row++
			}
			noisy = append(noisy, level)
		}
		total := float64(src.Int64N(3000))
		size := leaves
		if known {
			size++ // a Lagrange multiplier of Σ = total
		}
		normal, right := mat.NewDense(size, size, nil), mat.NewVecDense(size, nil)
		for i := range leaves {
			for j := range leaves {
				normal.Set(i, j, mat.Dot(x.ColView(i), x.ColView(j)))
			}
			right.SetVec(i, mat.Dot(x.ColView(i), y))
			if known {
				normal.Set(i, leaves, 1)
				normal.Set(leaves, i, 1)
			}
		}
		if known {
			right.SetVec(leaves, total)
		}
		var want mat.VecDense
		must.Do(r, want.SolveVec(normal, right))
		for i, v := range tr.consistent(noisy, total, known) {
			if math.Abs(v-want.AtVec(i)) > 1e-7 {
				r.Fatalf("leaf %d: %v, want %v", i, v, want.AtVec(i))
			}
		}
	})
}

// The predicted variance is that of the least squares' covariance, averaged over places: where all nodes have all their
// children, to rounding.
func TestVarianceOfPrefixes(t *testing.T) {
	for _, tr := range []tree{{64, 1, 64}, {64, 1, 8}, {64, 1, 4}, {64, 1, 2}, {81, 1, 3}} {
		x := design(tr)
		_, leaves := x.Dims()
		bordered := mat.NewDense(leaves+1, leaves+1, nil)
		for i := range leaves {
			for j := range leaves {
				bordered.Set(i, j, mat.Dot(x.ColView(i), x.ColView(j)))
			}
			bordered.Set(i, leaves, 1)
			bordered.Set(leaves, i, 1)
		}
		var inverse mat.Dense
		must.Do(t, inverse.Inverse(bordered))
		const within = 200
		sum := 0.0
		for leaf := range leaves {
			w := mat.NewVecDense(leaves+1, nil)
			for i := range leaf {
				w.SetVec(i, 1)
			}
			for k := range within {
				w.SetVec(leaf, (float64(k)+.5)/within)
				sum += mat.Inner(w, &inverse, w) / within / float64(leaves)
			}
		}
		if got := tr.variance(); math.Abs(got/sum-1) > 1e-4 {
			t.Errorf("%+v: %v, want %v", tr, got, sum)
		}
	}
}

// Without noise the quantiles are those of the data, leaf by leaf; with any noise they increase and are points.
func TestQuantilesOfCounts(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		tr := anyTree(r)
		counts := rapid.SliceOfN(rapid.Int64Range(0, 5), int(tr.Points), int(tr.Points)).Draw(r, "counts")
		n := int64(0)
		for _, c := range counts {
			n += c
		}
		q := ranks{[]int64{1, 3, 5, 9}, 10}
		known := rapid.Bool().Draw(r, "known")
		noisy := tr.sums(counts)
		got := tr.quantiles(tr.consistent(noisy, float64(n), known), q, float64(n), known)
		for i, v := range got {
			if n == 0 {
				break
			}
			upTo, want := int64(0), int64(0)
			for want = range tr.Points {
				if upTo += counts[want]; q.b*upTo >= q.a[i]*n {
					break
				}
			}
			// a rank that is reached exactly may round to the next leaf that holds records
			if v/tr.Width != want/tr.Width && q.b*upTo != q.a[i]*n {
				r.Fatalf("quantile %d/%d of %v in %+v: point %d, want the leaf of %d", q.a[i], q.b, counts, tr, v, want)
			}
		}
		for _, level := range noisy {
			for i := range level {
				level[i] += rapid.Int64Range(-30, 30).Draw(r, "noise")
			}
		}
		last := int64(0)
		for _, v := range tr.quantiles(tr.consistent(noisy, float64(n), known), q, float64(n), known) {
			if v < last || v >= tr.Points {
				r.Fatalf("point %d after %d of %d", v, last, tr.Points)
			}
			last = v
		}
	})
}

// Noise that is calibrated as shipped spends ε in whole releases, on every adjacency and for units of two rows; that of
// mutants spends more.
func TestMutantsOfTheTree(t *testing.T) {
	tr := tree{Points: 3, Width: 1, Branching: 2}
	spending := func(changed, rows int, adj dp.Adjacency, omit bool) float64 {
		l := must.Get(leastNoise(t.Context(), noise.GeometricFamily, changed, rows, dp.PureDP(1).Parameters))(t)
		out := must.Get(countLossParams{treeParams: treeParams{tr, adj, omit}, Rows: rows}.largestLoss(t.Context(), l))(t)
		return float64(out.Value)
	}
	spends := func(changed, rows int, adj dp.Adjacency) float64 {
		e := spending(changed, rows, adj, false)
		if with := spending(changed, rows, adj, true); with != e { // records without a value cost no more, and no less
			t.Errorf("%v, %d rows: ε = %v, %v with records without a value", adj, rows, e, with)
		}
		return e
	}
	for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.ReplaceValue, dp.AddRemove} {
		for _, rows := range []int{1, 2} {
			if e := spends(tr.changed(adj), rows, adj); e > 1+1e-12 || e < 1-1e-8 {
				t.Errorf("%v, %d rows: ε = %v", adj, rows, e)
			}
		}
	}
	if e := spends(tr.changed(dp.AddRemove), 1, dp.ReplaceOne); e < 1.99 {
		t.Errorf("replace-one charged as add-remove is not found: ε = %v", e)
	}
	if e := spends(2, 1, dp.ReplaceOne); e < 1.99 {
		t.Errorf("levels that are not charged are not found: ε = %v", e)
	}
	// the change that the certificate states
	for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
		for _, tr := range []tree{tr, {100, 3, 4}, {256, 1, 13}} {
			for _, omit := range []bool{false, true} {
				out, err := treeParams{tr, adj, omit}.farthest(t.Context())
				if err != nil || int(out.Value) != tr.changed(adj) {
					t.Errorf("%+v, %v, omit %v: %v changed, stated %d (%v)", tr, adj, omit, out.Value, tr.changed(adj), err)
				}
			}
		}
	}
}

func shapeOf(t *testing.T, n int) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Integer("k", 0, 1000)}}
	return must.Get(model.NewShape(s, model.Quantiles("k"), n, true, ""))(t)
}

// liars are geometric noise of somebody else, of any rate, with the pair of much noise.
type liars struct{ noise.Family }

func (liars) Name() string { return "example.com/test/liars" }

func (f liars) Parse(text []byte) (noise.Distribution, error) {
	d, err := f.Family.Parse(text)
	return lying{d}, err
}

type lying struct{ noise.Distribution }

func (lying) Pair(cells, _ int) loss.Pair { return loss.GeometricPair{Rate: .01, Cells: cells} }

// A file that asks for less noise than the target allows, or for another tree, is refused.
func TestForgedCounts(t *testing.T) {
	target := dp.PureDP(1)
	good := countParams{tree{Points: 1001, Width: 1, Branching: 32}, named(1, 4)}
	plan := func(q countParams) error {
		_, err := counting().Rebuild(t.Context(), shapeOf(t, 1000), target, q)
		return err
	}
	if err := plan(good); err != nil {
		t.Fatal(err) // two levels under replace-one: 4·γ = 1
	}
	noise.Register(liars{noise.GeometricFamily})
	for name, change := range map[string]func(q *countParams){
		"a pair that lies": func(q *countParams) {
			q.Noise = noise.Named{Family: liars{}.Name(), Params: named(9, 1).Params}
		},
		"less noise":      func(q *countParams) { q.Noise = named(9, 32) },
		"more levels":     func(q *countParams) { q.Tree.Branching = 16 },
		"another lattice": func(q *countParams) { q.Tree.Points = 1000 },
		"a Gaussian":      func(q *countParams) { q.Noise.Family = noise.GaussianFamily.Named },
	} {
		q := good
		if change(&q); plan(q) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, q := range map[string]countParams{
		"no points": {tree{0, 1, 2}, good.Noise}, "one leaf": {tree{10, 10, 2}, good.Noise},
		"no branching": {tree{10, 1, 1}, good.Noise}, "too many leaves": {tree{1 << 20, 1, 2}, good.Noise},
		"no law":                   {good.Tree, noise.Named{Family: "uniform", Params: good.Noise.Params}},
		"no noise":                 {good.Tree, noise.Named{Family: noise.GeometricFamily.Named}},
		"noise on a finer lattice": {good.Tree, noise.Named{Family: noise.LaplaceFamily.Named, Params: good.Noise.Params}},
	} {
		if q.Valid() == nil {
			t.Errorf("%s: valid", name)
		}
	}
}

// named is geometric noise in a file.
func named(num, den uint64) noise.Named {
	return noise.Named{Family: noise.GeometricFamily.Named, Params: fmt.Appendf(nil, `{"num":%d,"den":%d}`, num, den)}
}
