package structure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// shape is a table of columns with the given levels.
func shape(t testing.TB, m model.LearnedModel, n int, levels ...int) *model.Shape {
	t.Helper()
	return shapeOfUnits(t, m, n, 1, levels...)
}

func shapeOfUnits(t testing.TB, m model.LearnedModel, n, rows int, levels ...int) *model.Shape {
	t.Helper()
	s := schema(levels...)
	s.RowsPerUnit = rows
	return must.Get(model.NewShape(s, m, n, true, ""))(t)
}

// schema has a column c0, c1, … for each number of levels.
func schema(levels ...int) *frame.Schema {
	s := &frame.Schema{Dataset: "test", RowsPerUnit: 1}
	for i, k := range levels {
		cats := make([]string, k)
		for c := range cats {
			cats[c] = fmt.Sprint("v", c)
		}
		s.Columns = append(s.Columns, frame.Categorical(fmt.Sprint("c", i), cats...))
	}
	return s
}

// put changes one component of production for a test.
func put[T any](t *testing.T, where *T, what T) {
	t.Helper()
	old := *where
	*where = what
	cert.Forget()
	t.Cleanup(func() {
		*where = old
		cert.Forget()
	})
}

// plans makes the plans whose certificates the mutants must not get: of a tree.
func plans(t *testing.T, adj dp.Adjacency) error {
	t.Helper()
	return plansOf(t, model.Tree(), adj, 1)
}

func plansOf(t *testing.T, m model.LearnedModel, adj dp.Adjacency, rows int) error {
	t.Helper()
	sh := shapeOfUnits(t, m.Always(), 200, rows, 2, 2, 3)
	_, err := Geometric().Plan(t.Context(), sh, dp.PureDP(2).Under(adj))
	return err
}

// Wrong scores, spans and laws get no plan: a check of the certificate fails. The right ones do, in the same test.
func TestMutantsGetNoPlan(t *testing.T) {
	rounded := func(n, m []int64, c func(m []int64) float64) int64 {
		return int64(2 * math.RoundToEven((float64(distance(n, m))-c(m))/2))
	}
	private := func(n, m []int64, c func(m []int64) float64) int64 { return distance(n, m) - int64(math.Round(c(n))) }
	mutants := map[string]struct {
		adj    dp.Adjacency
		mutate func(t *testing.T)
	}{
		"sensitivity 1 under replace-one": {dp.ReplaceOne, func(t *testing.T) {
			put(t, &spanOf, func(dp.Adjacency) float64 { return 2 })
		}},
		"the distance to the product of private margins": {dp.ReplaceOne, func(t *testing.T) {
			put(t, &scoreOf, func(n, _ []int64, _ func([]int64) float64) int64 { return privateProduct(n) })
		}},
		"normalised mutual information at the sensitivity of the plain one": {dp.ReplaceOne, func(t *testing.T) {
			put(t, &scoreOf, func(n, _ []int64, _ func([]int64) float64) int64 { return normalised(n) })
		}},
		"a sensitivity of 0": {dp.ReplaceOne, func(t *testing.T) {
			put(t, &spanOf, func(dp.Adjacency) float64 { return 1e-3 })
		}},
		"the number of edges from the data, free": {dp.ReplaceOne, func(t *testing.T) {
			put(t, &choiceLaw, func(s sample.Selection, scores []int64) []float64 {
				out, top := s.LogProbs(scores), int64(math.MinInt64)
				for _, v := range scores[:len(scores)-1] {
					top = max(top, v)
				}
				if top > 0 { // go on, whatever the coins say
					out[len(out)-1] = math.Inf(-1)
				}
				return out
			})
		}},
		"a score rounded with its correction, replace-one": {dp.ReplaceOne, func(t *testing.T) {
			put(t, &scoreOf, rounded)
		}},
		"a score rounded with its correction, add-remove": {dp.AddRemove, func(t *testing.T) {
			put(t, &scoreOf, rounded)
		}},
		"noise kept of the private counts, replace-one": {dp.ReplaceOne, func(t *testing.T) { put(t, &scoreOf, private) }},
		"noise kept of the private counts, add-remove":  {dp.AddRemove, func(t *testing.T) { put(t, &scoreOf, private) }},
		"a table redrawn until no count is below 0": {dp.ReplaceOne, func(t *testing.T) {
			put(t, &noiseLaw, func(l noise.Distribution, count int64) noise.Distribution { return redrawn{l, count} })
		}},
		"a table with less noise": {dp.AddRemove, func(t *testing.T) {
			put(t, &noiseLaw, func(noise.Distribution, int64) noise.Distribution {
				l,
					_ := geometric.Of(rational(30, 1))
				return l
			})
		}},
		"public tables of the private size": {dp.AddRemove, func(t *testing.T) {
			size := spied(t)
			put(t, &sizeOf, func(*learner) int64 { return max(size(), 1) })
		}},
		"the private size decides": {dp.AddRemove, func(t *testing.T) {
			size := spied(t)
			put(t, &decisive, func(*learner) float64 { return float64(size()) })
		}},
		"a stop that counts the private records": {dp.AddRemove, func(t *testing.T) {
			put(t, &scored, func(s *learner, ctx context.Context, k int, c candidate, of tables) (int64, error) {
				if !c.stop {
					return s.score(ctx, k, c, of)
				}
				n, err := of([]int{0})
				return -2 * (n[0] + n[1]), err
			})
		}},
		"a law at twice the rate": {dp.ReplaceOne, func(t *testing.T) {
			put(t, &choiceLaw, func(s sample.Selection, scores []int64) []float64 {
				return sample.Selection{Num: 2 * s.Num, Den: s.Den, Flip: s.Flip}.LogProbs(scores)
			})
		}},
	}
	for name, m := range mutants {
		t.Run(name, func(t *testing.T) {
			must.Do(t, plans(t, m.adj))
			m.mutate(t)
			var failed *mechanism.CheckError
			if err := plans(t, m.adj); !errors.As(err, &failed) {
				t.Errorf("a plan was made: %v", err)
			}
		})
	}
}

// square reads a table as one of 2 rows and as many columns as it has.
func square(n []int64) (a, b []int64, total int64) {
	k := len(n) / 2
	a, b = make([]int64, 2), make([]int64, k)
	for i, v := range n {
		a[i/k], b[i%k], total = a[i/k]+v, b[i%k]+v, total+v
	}
	return a, b, total
}

// privateProduct is the distance to the product of the table's own margins.
func privateProduct(n []int64) int64 {
	a, b, total := square(n)
	sum := 0.0
	for i, v := range n {
		sum += math.Abs(float64(v) - float64(a[i/len(b)]*b[i%len(b)])/math.Max(float64(total), 1))
	}
	return int64(math.Round(sum))
}

// mutual is the mutual information of a table, and the smaller entropy of its margins, in bits.
func mutual(n []int64) (information, entropy float64) {
	a, b, total := square(n)
	log := func(x int64) float64 { return float64(x) / float64(total) * math.Log2(float64(x)/float64(total)) }
	sum := func(t []int64) (h float64) {
		for _, v := range t {
			if v > 0 {
				h -= log(v)
			}
		}
		return h
	}
	return sum(a) + sum(b) - sum(n), math.Min(sum(a), sum(b))
}

// normalised is the mutual information over the entropy, in units of which the paper's sensitivity of the plain one is
// 4.
func normalised(n []int64) int64 {
	_, _, total := square(n)
	i, h := mutual(n)
	if h == 0 {
		return 0
	}
	return int64(math.Round(4 * i / h / plainSensitivity(float64(total))))
}

// plainSensitivity is that of mutual information in bits with a binary column (Zhang et al. 2014, Lemma 1).
func plainSensitivity(n float64) float64 {
	if n <= 1 {
		return 1
	}
	return math.Log2(n)/n + (n-1)/n*math.Log2(n/(n-1))
}

// The bound of the paper holds for the plain score and fails for the normalised one, which moves by 1 whatever n is.
func TestNormalisedInformation(t *testing.T) {
	for n, times := range map[int64]float64{10: 2.13, 20: 3.49} {
		x, y := []int64{n - 1, 0, 0, 1}, []int64{n, 0, 0, 0}
		i, h := mutual(x)
		if j, _ := mutual(y); i-j > plainSensitivity(float64(n))*(1+1e-12) {
			t.Errorf("n = %d: the plain score moves by %v", n, i-j)
		}
		if got := i / h / plainSensitivity(float64(n)); math.Abs(got-times) > .005 {
			t.Errorf("n = %d: %v times the bound, want %v", n, got, times)
		}
	}
}

// The golden release with the sensitivity of one direction has twice what is claimed of it.
func TestSensitivityOneSpendsTwice(t *testing.T) {
	got, _, err := plainInstance(t, rational(1, 10), rational(12, 1), rational(1, 10), false, 3).epsilon(t.Context(), .1)
	if err != nil || got < 46.4 || got > 46.42 {
		t.Errorf("ε = %v, %v; 24.7 is claimed", got, err)
	}
}

// addRemove is a learner of two columns under add-remove that waits for the noisy size to decide.
func addRemove(t *testing.T, gated bool) *smallInstance {
	t.Helper()
	third, x := rational(1, 4), rational(1, 4)
	q := &problem{noise: geometric, target: dp.PureDP(1).Under(dp.AddRemove), set: model.Tree().Settings(), rows: 1,
		levels: []int{2, 2}, pairs: [][2]int{{0, 1}}, gated: gated}
	if gated { // a threshold between one and two records
		q.target = dp.PureDP(6 * math.Log(2) / .7).Under(dp.AddRemove)
	}
	return must.Get(newSmallInstance(q, params{Columns: []noise.Rational{third, third},
		Phases: []phase{{Rounds: 1, Choose: &x, Noise: third}}}, 2, 1))(t)
}

// Under add-remove the size of public tables and the decision come from what was paid for. With the private number of
// records neighbours have tables of different totals, and one of them decides where the other does not.
func TestPrivateSizesAreSeen(t *testing.T) {
	bound := 2*.25 + 2*.25 + .25
	right, _, err := addRemove(t, true).epsilon(t.Context(), .25)
	if err != nil || right > bound {
		t.Fatalf("ε = %v, %v", right, err)
	}
	t.Run("decision", func(t *testing.T) {
		small := addRemove(t, true)
		if k := small.gate().kappa() / learnAt; k <= 1 || k > 2 {
			t.Fatalf("threshold %v", k)
		}
		put(t, &decisive, func(*learner) float64 { return float64(small.records) })
		if got, _, err := small.epsilon(t.Context(), .25); err != nil || !math.IsInf(got, 1) {
			t.Errorf("a decision by the private size: ε = %v, %v", got, err)
		}
	})
	t.Run("totals", func(t *testing.T) {
		small := addRemove(t, false)
		put(t, &sizeOf, func(*learner) int64 { return max(int64(small.records), 1) })
		put(t, &scoreOf, func(n, m []int64, _ func([]int64) float64) int64 { return distance(n, m) })
		got, _, err := small.epsilon(t.Context(), .25)
		if err != nil || got <= right {
			t.Errorf("public tables of the private size: ε = %v, with the right one %v: %v", got, right, err)
		}
	})
}

// redrawn is noise that is drawn again until the count is not negative: no longer a shift of one law.
type redrawn struct {
	noise.Distribution
	count int64
}

func (r redrawn) LogProb(z int64) float64 {
	if z < -r.count {
		return math.Inf(-1)
	}
	return r.Distribution.LogProb(z) - r.Distribution.LogTail(-r.count)
}

// A table redrawn until no cell is negative is above its ε.
func TestRedrawnTables(t *testing.T) {
	l := must.Get(geometric.Of(rational(1, 2)))(t)
	worst := func(of func(c int64) noise.Distribution) (out float64) {
		for a := int64(0); a <= 8; a++ { // counts a, b to a + 1, b − 1
			for b := int64(1); a+b <= 8; b++ {
				for y := int64(0); y < 40; y++ {
					for z := int64(0); z < 40; z++ {
						p := of(a).LogProb(y-a) + of(b).LogProb(z-b)
						q := of(a+1).LogProb(y-a-1) + of(b-1).LogProb(z-b+1)
						out = math.Max(out, math.Abs(p-q))
					}
				}
			}
		}
		return out
	}
	if got := worst(func(int64) noise.Distribution { return l }); got > 1+1e-12 {
		t.Errorf("ε = %v", got)
	}
	if got := worst(func(c int64) noise.Distribution { return redrawn{l, c} }); got < 1.2 {
		t.Errorf("redrawn: ε = %v", got)
	}
}

// Permute-and-flip has no bounded range: its Kullback–Leibler divergence is above ε²/8, and no file with it is accepted
// but under pure ε.
func TestPermuteAndFlipIsChargedPureEpsilon(t *testing.T) {
	s, worst := sample.Selection{Num: 1, Den: 4, Flip: true}, 0.0
	for a := int64(-40); a <= 40; a += 2 {
		for m := range 9 { // up to 9 equal others
			p, q := []int64{a}, []int64{a + 2}
			for range m + 1 {
				p, q = append(p, 2), append(q, 0)
			}
			for _, pair := range [][2][]int64{{p, q}, {q, p}} {
				x, y := s.LogProbs(pair[0]), s.LogProbs(pair[1])
				kl := 0.0
				for i := range x {
					kl += math.Exp(x[i]) * (x[i] - y[i])
				}
				worst = math.Max(worst, kl)
			}
		}
	}
	// Two candidates that are one apart change places: a/2 and 1 − a/2 with a = e^{−1/2}.
	a := math.Exp(-.5)
	if want := (1 - a) * math.Log((2-a)/a); math.Abs(worst-want) > 1e-12 || want < .3272 {
		t.Errorf("KL = %v; %v is the largest on these scores, 1/8 is claimed of a bounded range", worst, want)
	}
	sh := shape(t, model.Tree().Always(), 200, 2, 2, 3)
	p := must.Get(Geometric().Plan(t.Context(), sh, dp.ZCDP(.5)))(t)
	var q params
	must.Do(t, mechanism.DecodeParams("test", p.Params(), &q))
	q.Flip = true
	var refused *dp.ParameterError
	if _, err := Geometric().mathematics().Rebuild(t.Context(), sh, dp.ZCDP(.5), q); !errors.As(err, &refused) {
		t.Errorf("a file with permute-and-flip under zCDP: %v", err)
	}
}

var _ cert.Check
