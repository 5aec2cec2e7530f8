package structure

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// golden are values that another program computed, with its own arithmetic.
type golden struct {
	Sensitivity []struct {
		K1, K2, N   int
		NOfMovement int   `json:"n_of_movement"`
		ReplaceMin  int64 `json:"q_replace_min"`
		ReplaceMax  int64 `json:"q_replace_max"`
		AddMin      int64 `json:"l1_add_min"`
		AddMax      int64 `json:"l1_add_max"`
	}
	Selection []struct {
		Name     string
		Rows     [][]int
		Released []int `json:"released_ones"`
		Eta      string
		Counts   [][]int64
		Public   [][]int64
		Scores   []int64
		Laws     map[string]struct{ First, Sequence map[string]string }
	}
}

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	b, err := os.ReadFile("testdata/golden.json")
	if err == nil {
		err = json.Unmarshal(b, &g)
	}
	if err != nil || len(g.Sensitivity) != 20 || len(g.Selection) != 3 {
		t.Fatal(err)
	}
	return g
}

// Scores move by what the golden file says, and the tables M, scores and laws of choices are its.
func TestGoldenScoresAndChoices(t *testing.T) {
	g := readGolden(t)
	for _, c := range g.Sensitivity {
		if c.ReplaceMin != -1 || c.ReplaceMax != 1 || c.AddMin != -1 || c.AddMax != 1 {
			t.Errorf("%+v", c)
		}
		if cells := c.K1 * c.K2; cells <= 6 && c.NOfMovement <= 3 {
			for adj, want := range map[dp.Adjacency]float64{dp.ReplaceOne: 4, dp.AddRemove: 2} {
				k, err := scoreChecker.Check(t.Context(), cert.Check{Bound: cert.Number(want)},
					scoreParams{Cells: cells, N: c.NOfMovement, Adjacency: adj, Kept: true})
				if err != nil || float64(k.Value) != want {
					t.Errorf("%+v, %s: range %v, %v", c, adj, k.Value, err)
				}
			}
		}
	}
	for _, c := range g.Selection {
		n := int64(len(c.Rows))
		small := plainInstance(t, rational(1, 2), rational(1, 2), rational(1, 2), false, 2)
		var records []int
		for _, r := range c.Rows {
			records = append(records, 4*r[0]+2*r[1]+r[2])
		}
		count, margins := small.count(records), [][]int64{}
		for _, ones := range c.Released {
			margins = append(margins, []int64{n - int64(ones), int64(ones)})
		}
		names, scores := []string{"01", "02", "12"}, []int64{}
		for i, p := range small.pairs {
			counts, _ := count(p[:])
			m := productTable(margins[p[0]], margins[p[1]], n)
			scores = append(scores, scoreOf(counts, m, constant(0)))
			if fmt.Sprint(counts) != fmt.Sprint(c.Counts[i]) || fmt.Sprint(m) != fmt.Sprint(c.Public[i]) ||
				scores[i] != 2*c.Scores[i] {
				t.Errorf("%s, pair %s: N = %v, M = %v, L = %d", c.Name, names[i], counts, m, scores[i])
			}
		}
		var num, den uint64 = 0, 1
		if k, _ := fmt.Sscanf(c.Eta, "%d/%d", &num, &den); k == 0 {
			t.Fatal(c.Eta)
		}
		for name, l := range c.Laws {
			x := rational(num, 2*den)
			s := must.Get(phase{Choose: &x}.choice(name == "permute_and_flip"))(t)
			for i, lp := range choiceLaw(s, scores) {
				if want, _ := strconv.ParseFloat(l.First[names[i]], 64); math.Abs(math.Exp(lp)-want) > 1e-15*10 {
					t.Errorf("%s, %s: P(%s) = %v, want %v", c.Name, name, names[i], math.Exp(lp), want)
				}
			}
		}
	}
}

var ownGolden = []struct {
	columns, n      int
	noise, choose   noise.Rational // γ of all tables, x
	flip, add, kept bool
	epsilon         float64
	pairs           int64
}{
	{3, 2, rational(1, 8), rational(1, 8), false, false, false, 1.1129107611625515, 448},
	{3, 2, rational(1, 8), rational(1, 8), true, false, false, 1.2181190802504072, 448},
	{3, 2, rational(1, 8), rational(3, 1), false, false, false, 12.749999997730871, 448},
	{3, 3, rational(1, 8), rational(3, 1), false, false, false, 12.749999954423316, 2016},
	{2, 2, rational(1, 8), rational(3, 1), false, true, false, 3.3749999999641287, 40},
	{2, 2, rational(1, 8), rational(3, 1), true, true, false, 3.375, 40},
	{2, 2, rational(1, 4), rational(1, 4), false, true, false, 0.9386673938271503, 40},
	{3, 2, rational(1, 8), rational(1, 8), false, false, true, 1.091653073106984, 448},
	{3, 2, rational(1, 8), rational(1, 8), true, false, true, 1.203661413241834, 448},
	{3, 2, rational(1, 8), rational(3, 1), false, false, true, 12.74998161326023, 448},
	{2, 2, rational(1, 8), rational(3, 1), false, true, true, 3.374999709327703, 40},
	{2, 2, rational(1, 4), rational(1, 4), false, true, true, 0.9263906814033227, 40},
}

// Releases with stops and corrections, of all noise or of kept noise, and under add-remove, where sizes are estimated:
// values of a program of our own in another language, which shares nothing with this one.
func TestOwnGoldenReleases(t *testing.T) {
	for _, c := range ownGolden {
		q := &problem{noise: geometric, target: dp.PureDP(1), set: model.Tree().Settings(), n: c.n, rows: 1, publicN: true}
		window := 0
		if c.add {
			q.target, q.publicN, q.n, window = q.target.Under(dp.AddRemove), false, 0, 1
		}
		var columns []noise.Rational
		for i := range c.columns {
			q.levels, columns = append(q.levels, 2), append(columns, c.noise)
			for j := i + 1; j < c.columns; j++ {
				q.pairs = append(q.pairs, [2]int{i, j})
			}
		}
		small, err := newSmallInstance(q, params{Columns: columns, Phases: []phase{{Rounds: c.columns - 1, Choose: &c.choose,
			Noise: c.noise}}, Flip: c.flip, Kept: c.kept}, c.n, window)
		if err != nil {
			t.Fatal(err)
		}
		got, pairs, err := small.epsilon(t.Context(), c.noise.Float())
		if err != nil || math.Abs(got-c.epsilon) > 1e-11*c.epsilon || pairs != c.pairs {
			t.Errorf("%+v: ε = %.15g over %d pairs, %v", c, got, pairs, err)
		}
		bound := float64(c.columns)*c.noise.Float() + float64(c.columns-1)*(4*c.choose.Float()+2*c.noise.Float())
		if c.add {
			bound = float64(c.columns)*c.noise.Float() + float64(c.columns-1)*(2*c.choose.Float()+c.noise.Float())
		}
		if got > bound {
			t.Errorf("%+v: ε = %v above %v", c, got, bound)
		}
	}
}
