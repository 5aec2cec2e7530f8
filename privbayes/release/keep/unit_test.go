package keep_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
)

// moved is the largest change of the log-probability of a release where rows of eight move to another category.
func moved(t *testing.T, p *mechanism.Plan, rows int64) float64 {
	t.Helper()
	law := func(table ...int64) map[string]float64 {
		out := map[string]float64{}
		if !p.OutputLaw([][]int64{table}, func(raw [][]int64, q float64) { out[fmt.Sprint(raw)] += q }) {
			t.Fatal("no law")
		}
		return out
	}
	loss, y := 0.0, law(6-rows, 2+rows)
	for raw, q := range law(6, 2) {
		if y[raw] > 0 { // both laws are walked up to a tail of 1e-13, where the ratio of geometric noise is constant
			loss = math.Max(loss, math.Abs(math.Log(q/y[raw])))
		}
	}
	return loss
}

// What a ledger admits costs one of its units at most the limit, by the laws of the releases. A mutant that charges
// every release as one about the ledger's unit, as if nobody compared units, admits ε for a visit, which is 4ε for a
// patient of four.
func TestALedgerHoldsForItsUnit(t *testing.T) {
	visit := &frame.Schema{Dataset: "d", Unit: "visit", Columns: []frame.Column{frame.Categorical("a", "x", "y")}}
	patient := visit.Clone()
	patient.Unit, patient.UnitKey, patient.RowsPerUnit, patient.PadUnits = "patient", "id", 4, true
	patient.Columns[0].Pad = "x"
	spent := func(check bool) (loss float64, refused int) {
		b := must.Get(budget.New("d", budget.UnitOf(patient), dp.PureDP(1)))(t)
		for i, s := range []*frame.Schema{patient, visit} {
			sh, err := model.NewShape(s, model.Categorical("a"), 8, true, "")
			if err != nil {
				t.Fatal(err)
			}
			p := must.Get(counts.Geometric().Plan(t.Context(), sh, dp.PureDP(.5)))(t)
			if check {
				st := must.Get(model.FromCounts(sh, [][]int64{{6, 2}}))(t)
				_, _, err = keep.Request{Plan: p, Statistics: st, Budget: b}.Draw(t.Context())
			} else { // the mutant
				err = b.Charge("d", budget.Charge{ID: fmt.Sprint(i), Level: p.Certified().Parameters, Unit: b.Unit()})
			}
			var unit *budget.UnitError
			if errors.As(err, &unit) {
				refused++
			} else if err != nil {
				t.Fatal(err)
			} else {
				loss += moved(t, p, 4)
			}
		}
		return loss, refused
	}
	if loss, refused := spent(true); loss > 1 || loss < .4 || refused != 1 {
		t.Errorf("a limit of 1: loss %v, %d refused", loss, refused)
	}
	if loss, _ := spent(false); loss < 2 {
		t.Errorf("the mutant passes: loss %v", loss)
	}
}
