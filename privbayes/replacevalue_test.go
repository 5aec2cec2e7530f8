package privbayes_test

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// changedValue is the exact ε of the count tables of plans together, where one value of a column of one row is
// replaced: the most over the rows of three binary columns, Σ rate·|difference| over the cells.
func changedValue(column int, plans ...*mechanism.Plan) (worst float64) {
	for row := range 8 {
		sum := 0.0
		for _, p := range plans {
			rate := p.Pair().(loss.GeometricPair).Rate
			for _, t := range p.Shape().Tables() {
				if cell(t, row) != cell(t, row^1<<column) {
					sum += 2 * rate
				}
			}
		}
		worst = math.Max(worst, sum)
	}
	return worst
}

// cell is where a row of binary columns c0, c1, c2 is counted, a bit for each.
func cell(t model.Table, row int) (at int) {
	for _, name := range t.Columns {
		at = 2*at + row>>(name[1]-'0')&1
	}
	return at
}

// Under replace-value a ledger adds up releases of one class. A column that is the class of one release and a feature
// of another would be protected less than the sum says, by exact enumeration; such a release is refused, and costs
// nothing.
func TestLedgerUnderReplaceValueHasOneClass(t *testing.T) {
	target := privbayes.PureDP(.5).Under(privbayes.ReplaceValue)
	f := levelled(t, 60, 2, 2, 2)
	b := must.Get(privbayes.OpenBudget(filepath.Join(t.TempDir(), "b"), f.Data().Schema(),
		privbayes.PureDP(10).Under(privbayes.ReplaceValue)))(t)
	f = f.WithBudget(b)
	plan := func(class string, features ...string) *mechanism.Plan {
		return must.Get(f.Model(privbayes.NaiveBayes(class, features...)).Plan(privbayes.Geometric(), target))(t)
	}
	first, same, other := plan("c0", "c1", "c2"), plan("c0", "c2"), plan("c1", "c0", "c2")
	for column := 1; column < 3; column++ {
		if got := changedValue(column, first, same); got > 1+1e-12 {
			t.Errorf("one class: column %d costs %v of 1", column, got)
		}
	}
	if got := changedValue(1, first, other); got < 1.5-1e-12 {
		t.Errorf("two classes: enumeration finds %v, which is within the sum: there is no gap", got)
	}
	must.Do(t, f.Model(privbayes.NaiveBayes("c0", "c1", "c2")).Privatize(privbayes.Geometric(), target).Err())
	must.Do(t, f.Model(privbayes.NaiveBayes("c0", "c2")).Privatize(privbayes.Geometric(), target).Err())
	var class *budget.ClassError
	path := filepath.Join(t.TempDir(), "r.json")
	for _, m := range []*privbayes.Model{f.Model(privbayes.NaiveBayes("c1", "c0", "c2")),
		f.Model(privbayes.Categorical("c0")),
		f.Model(model.ContingencyTable("c0", "c1"))} {
		err := m.Privatize(privbayes.Geometric(), target, privbayes.KeepIn(path)).Err()
		if !errors.As(err, &class) || class.Column == "" || len(b.Charges()) != 2 {
			t.Errorf("%v, %d charges", err, len(b.Charges()))
		}
	}
	_, err := f.Publish("both", target, privbayes.Item(privbayes.NaiveBayes("c1", "c0"))).Privatize()
	if !errors.As(err, &class) {
		t.Error(err)
	}
	// a column under another name, or made from others, is not told apart by its name
	var named *dp.ParameterError
	renamed := f.Rename("c0", "x").Model(privbayes.Categorical("x")).Privatize(privbayes.Geometric(), target)
	if err := renamed.Err(); !errors.As(err, &named) || len(b.Charges()) != 2 {
		t.Error(err)
	}
}

// A value from which a column was made changes that column, too: two features for one.
func TestMadeColumnsUnderReplaceValue(t *testing.T) {
	made := levelled(t, 40, 2, 2).Derive("twin", []string{"c1"}, func(labels []string) string { return labels[0] })
	target := privbayes.PureDP(1).Under(privbayes.ReplaceValue)
	var rows *mechanism.RowsError
	if err := made.Model(privbayes.NaiveBayes("c0", "c1", "twin")).Privatize(privbayes.Geometric(),
		target).Err(); !errors.As(err,
		&rows) {
		t.Error(err)
	}
	must.Do(t, made.Model(privbayes.Categorical("twin")).Privatize(privbayes.Geometric(), target).Err())
}
