package quantiles

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// omitting is a shape of n rows, some of which may have no value.
func omitting(t *testing.T, n int, p ...float64) *model.Shape {
	t.Helper()
	wage := frame.Integer("wage", 0, 20)
	wage.Missing, wage.OnMissing = []string{"NA"}, frame.MissingOmitted
	s := &frame.Schema{Dataset: "some", Columns: []frame.Column{wage}}
	return must.Get(model.NewShape(s, model.Quantiles("wage", p...), n, true, ""))(t)
}

// Plans of data of which some rows have no value verify, whatever is private about how many, and say that records
// without a value were visited; rows without a value change nothing of what is drawn.
func TestRowsWithoutValue(t *testing.T) {
	few := make([]int64, 21)
	few[2], few[5], few[9] = 20, 30, 10
	for _, m := range []mechanism.Mechanism{EM(), Joint(), Histogram()} {
		for _, target := range []dp.Request{dp.PureDP(2), dp.ZCDP(1), dp.PureDP(2).Under(dp.AddRemove)} {
			var points [][][]int64
			for _, rows := range []int{60, 60_000} {
				sh := omitting(t, rows, .25, .5)
				p := must.Get(m.Plan(t.Context(), sh, target))(t)
				v := p.Certificate().Verify(t.Context())
				if !v.OK() || !strings.Contains(p.Certificate().Checks[0].Scope, "without") || len(p.Expected()) > 0 {
					t.Errorf("%v, %v: %v, %v, expected %v", m, target, v, p.Certificate().Checks[0].Scope, p.Expected())
				}
				st := must.Get(model.FromWhole(sh, rows, few))(t)
				d := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(3)))(t)
				points = append(points, d.Raw)
			}
			if !slices.EqualFunc(points[0], points[1], slices.Equal[[]int64]) {
				t.Errorf("%v, %v: %v with 60 rows, %v with more that have no value", m, target, points[0], points[1])
			}
		}
	}
}

// Whole laws, records without a value among the data and their changes: the loss is at most ε under both adjacencies;
// with the sensitivity of a record that comes to have a value, which a replaced record exceeds, it is above.
func TestRowsWithoutValueAgainstEnumeration(t *testing.T) {
	law := func(of func([]int64) []float64) func([]int64) []float64 {
		return func(counts []int64) []float64 { return of(counts[:len(counts)-1]) } // the last have no value
	}
	for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
		for _, r := range []ranks{{[]int64{1}, 2}, {[]int64{9}, 10}, {[]int64{1}, 3}} {
			for n := int64(0); n <= 5; n++ {
				if got := realised(4, n, adj, law(one(t, r, .5, r.sensitivity(0, adj)))); got > 1+rounding() {
					t.Errorf("%v, %v, n = %d: realised %v", r, adj, n, got)
				}
			}
		}
		r := ranks{[]int64{1, 2}, 3}
		if got := realised(4, 2, adj, law(jointLaw(t, r, 2, .5, r.jointSensitivity(adj)))); got > 1+1e-9 {
			t.Errorf("%v jointly, %v: realised %v", r, adj, got)
		}
		for joint, q := range map[bool]changeParams{
			false: {A: []int64{9}, B: 10, Adjacency: adj, N: 6, Omit: true},
			true:  {A: []int64{1, 2}, B: 3, Joint: true, Adjacency: adj, N: 6, Omit: true},
		} {
			of := ranks{q.A, q.B}
			visit := of.farthest
			if joint {
				visit = of.farthestJoint
			}
			with := must.Get(visit(t.Context(), q))(t)
			q.Omit = false
			if less := must.Get(visit(t.Context(), q))(t); with.Value != 1 || with.Work <= less.Work {
				t.Errorf("%v, %v: %+v, without such records %+v", of, adj, with, less)
			}
		}
	}
	r := ranks{[]int64{1}, 2} // a record that is added moves the cost by half of b
	if got := realised(6, 5, dp.ReplaceOne, law(one(t, r, .5, r.sensitivity(0, dp.AddRemove)))); got <= 1 {
		t.Errorf("replaced records charged as added ones: realised %v is not above 1", got)
	}
}

// What needs the number of rows with a value is refused by the column's name.
func TestEndsNeedEveryValue(t *testing.T) {
	sh := omitting(t, 1000, .5)
	for _, m := range []Exponential{EM().WithIntervals(), Joint().WithIntervals()} {
		_, err := m.Plan(t.Context(), sh, dp.PureDP(1))
		var e *mechanism.UnsupportedError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), `"wage"`) {
			t.Errorf("%v: %v", m, err)
		}
	}
	var e *dp.ParameterError
	if _, _, err := Around(sh, .5, 1, .05); !errors.As(err, &e) {
		t.Errorf("Around: %v", err)
	}
}
