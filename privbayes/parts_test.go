package privbayes_test

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
)

// Releases of parts of the data: under add-remove the budget counts the part that has used most, under replace-one a
// release that hides the part's size counts twice, where a unit stays and where two parts share one that moves. A
// release that states its part's size counts as one of all data.
func TestReleasesOfParts(t *testing.T) {
	for _, c := range []struct {
		ledger, release dp.Adjacency
		want            []float64 // after quarters 1, 1 again, 2, and all data
	}{
		{privbayes.AddRemove, privbayes.AddRemove, []float64{.25, .5, .5, .75}},
		{privbayes.ReplaceOne, privbayes.AddRemove, []float64{.5, 1, 1, 0}},
		{privbayes.ReplaceOne, privbayes.ReplaceOne, []float64{.25, .5, .75, 1}},
	} {
		dir := t.TempDir()
		table := levelled(t, 40, 2, 3)
		b := must.Get(privbayes.OpenBudget(filepath.Join(dir, "b"), table.Data().Schema(),
			privbayes.PureDP(10).Under(c.ledger)))(t)
		table = table.WithBudget(b)
		target := privbayes.PureDP(.25).Under(c.release)
		for i, f := range []*privbayes.Frame{table.Part("quarter", "1"), table.Part("quarter", "1"), table.Part("quarter",
			"2"),
			table} {
			if c.want[i] == 0 { // other neighbours than the budget's
				continue
			}
			p := f.Model(privbayes.NaiveBayes("c0")).Privatize(privbayes.Geometric(), target)
			if err := p.Err(); err != nil {
				t.Fatal(c.ledger, i, err)
			}
			if got := float64(b.Spent().Epsilon); math.Abs(got-c.want[i]) > 1e-12 {
				t.Errorf("%v in %v, %d: %v, want %v", c.release, c.ledger, i, got, c.want[i])
			}
			if text := must.Get(p.Release())(t).Plan().Shape().RowsText(); (text == "") != (i == 3) ||
				i < 3 && !strings.HasPrefix(text, `"Part(`) {
				t.Error(text)
			}
		}
		if text := b.String(); !strings.Contains(text, "no unit is in two of them") || !strings.Contains(text, "quarter 1") {
			t.Error(text)
		}
	}
}

// A kept release is of its part; a publication is charged to one, too; a second part is refused.
func TestPartsOfFilesAndPublications(t *testing.T) {
	dir := t.TempDir()
	table := levelled(t, 40, 2, 3)
	target := privbayes.PureDP(.25).Under(privbayes.AddRemove)
	b := must.Get(privbayes.OpenBudget(filepath.Join(dir, "b"), table.Data().Schema(), privbayes.PureDP(10).Under(
		privbayes.AddRemove)))(t)
	table = table.WithBudget(b)
	kept := func(f *privbayes.Frame) error {
		return f.Model(privbayes.Categorical("c1")).Privatize(privbayes.Geometric(), target,
			privbayes.KeepIn(filepath.Join(dir, "r.json"))).Err()
	}
	must.Do(t, kept(table.Part("region", "north")))
	must.Do(t, kept(table.Part("region", "north")))
	var other *keep.Error
	if err := kept(table.Part("region", "south")); !errors.As(err, &other) || !strings.Contains(other.Have, "north") {
		t.Error(err)
	}
	_, err := table.Part("region", "south").Publish("p", target, privbayes.Item(privbayes.Categorical("c0"))).Privatize()
	must.Do(t, err)
	if c := b.Charges(); len(c) != 2 || c[1].Part.Name != "south" || b.Spent().Epsilon != .25 {
		t.Error(b)
	}
	if r := must.Get(privbayes.LoadRelease(filepath.Join(dir, "r.json")))(t); len(r.Plan().Shape().Rows()) != 1 {
		t.Error(r)
	} else if rule, name, ok := r.Plan().Shape().Rows()[0].InPart(); !ok || rule != "region" || name != "north" {
		t.Error(rule, name)
	}
	must.Get(privbayes.Verify(filepath.Join(dir, "r.json")))(t)
	var wrong *dp.ParameterError
	for _, f := range []*privbayes.Frame{table.Part("", "x"), table.Part("a", "x\ny"), table.Part("a", "b").Part("c",
		"d")} {
		if err := f.Err(); !errors.As(err, &wrong) {
			t.Error(err)
		}
	}
}
