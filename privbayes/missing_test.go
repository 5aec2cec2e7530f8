package privbayes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// paid is a table of wages by group, of which those in the given places are missing.
func paid(t testing.TB, path, on string, unit, rows int, missing map[int]bool) *privbayes.Frame {
	t.Helper()
	wage := frame.Real("wage", 0, 50, 100)
	wage.Missing, wage.OnMissing = []string{"NA"}, on
	if on == frame.MissingImputed {
		wage = wage.ImputedAs(10)
	}
	text := "wage,group\n"
	for i := range rows {
		value := fmt.Sprint(20 + i)
		if missing[i] {
			value = "NA"
		}
		text += fmt.Sprintf("%s,%s\n", value, []string{"a", "b"}[i%2])
	}
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return privbayes.LoadFrame(path, &frame.Schema{Dataset: "secret", RowsPerUnit: unit,
		Columns: []frame.Column{wage, frame.Categorical("group", "a", "b")}})
}

// Whatever becomes of missing numbers, for every adjacency, notion, unit and step: what is said before the noise, and
// all that is said of the release but its numbers, does not tell how many are missing.
func TestMissingNumbersDoNotShow(t *testing.T) {
	dir, turn, drawn := t.TempDir(), 0, 0
	all := func(f *privbayes.Frame) *privbayes.Frame { return f }
	present := func(f *privbayes.Frame) *privbayes.Frame { return f.Present("wage") }
	for _, on := range []string{frame.MissingOmitted, frame.MissingAsCategory, frame.MissingImputed} {
		for _, u := range units {
			for _, c := range []secretCase{
				{model: privbayes.Mean("wage"), mechanism: privbayes.NoisySums(), step: frameStep{"all", all}},
				{model: privbayes.GroupMeans("wage", "group"), mechanism: privbayes.NoisySums(), step: frameStep{"all", all}},
				{model: privbayes.Quantiles("wage", .5), mechanism: privbayes.QuantileEM(), step: frameStep{"all", all}},
				{model: privbayes.Quantiles("wage", .4, .7).WithResolution(8), mechanism: privbayes.JointQuantiles(),
					step: frameStep{"all", all}},
				{model: privbayes.Quantiles("wage", .5), mechanism: privbayes.HistogramQuantiles(),
					step: frameStep{"all", all}},
				{model: privbayes.Mean("wage"), mechanism: privbayes.NoisySums(), step: frameStep{"Present", present}},
				{model: privbayes.Quantiles("wage", .5), mechanism: privbayes.QuantileEM(),
					step: frameStep{"Present", present}},
			} {
				turn++
				target := []privbayes.Target{privbayes.PureDP(1), privbayes.ApproxDP(1, 1e-6), privbayes.ZCDP(.1)}[turn%3]
				c.target, c.rows, c.mechanism = target.Under(u.adj), u.rows, remember(c.mechanism, true)
				seen := func(rows int, missing map[int]bool) *transcript {
					entries := must.Get(os.ReadDir(dir))(t)
					for _, e := range entries {
						_ = os.RemoveAll(filepath.Join(dir, e.Name()))
					}
					path := filepath.Join(dir, "table.csv")
					o := &observer{dir: dir, secretCase: c, seen: &transcript{},
						frame: c.step.take(paid(t, path, on, u.rows, rows, missing))}
					_ = os.Remove(path)
					o.beforeDraw()
					if o.planned {
						o.release()
					}
					return o.seen
				}
				rows := 14
				a := seen(rows, map[int]bool{1: true})
				if u.adj == dp.AddRemove {
					rows += u.rows
				}
				for name, b := range map[string]*transcript{
					"a neighbour":      seen(rows, map[int]bool{1: true, rows - 1: true, rows - u.rows: true}),
					"another data set": seen(rows, map[int]bool{0: true, 2: true, 3: true, 4: true, 5: true, 6: true, 8: true}),
				} {
					for _, d := range differences(a, b) {
						t.Errorf("%s, %s, %s of units of %d, %s, %s: %s shows in %s", on, c.model, c.target.Adjacency, c.rows,
							c.target.Parameters, c.step.name, name, d)
					}
				}
				if a.parts["release"] != "" {
					drawn++
				}
			}
		}
	}
	if drawn < 20 {
		t.Errorf("%d chains were drawn", drawn)
	}
}
