package synthetic_test

import (
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/synthetic"
)

// What the README of notebook 14's network shows runs, in Python and R, and gives what Combine gives: its example has
// no empty cell in any set, which the first edge and last levels have.
func TestReadmeOfAsia(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	levels := regexp.MustCompile(`row\["(\w+)"\] == "(\w+)"`)
	for _, adjacency := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
		patients := privbayes.Simulate("patients", bayesnet.Asia(), 2000, 1)
		r := must.Get(patients.Model(privbayes.NetworkOf("lung", bayesnet.Asia().DAG())).Privatize(privbayes.Geometric(),
			privbayes.PureDP(.5).Under(adjacency), privbayes.Seeded(1)).Release())(t)
		p := must.Get(noiseaware.OfNetwork(t.Context(), r))(t)
		sets, err := p.SyntheticSets(0, 0)
		path := filepath.Join(t.TempDir(), "sets")
		if err != nil || sets.Write(t.Context(), path) != nil {
			t.Fatal(err)
		}
		lines := synthetic.Program(t, path, "python")
		found := levels.FindAllStringSubmatch(lines, -1)
		if len(found) != 2 {
			t.Fatal(lines)
		}
		outcome, exposure := synthetic.Level{Column: found[0][1], Level: found[0][2]},
			synthetic.Level{Column: found[1][1], Level: found[1][2]}
		c := must.Get(sets.Analyse(t.Context(), synthetic.LogOddsRatio(outcome, exposure)))(t)
		lo, hi, _ := c.Interval(.95)
		want := []float64{c.Value, c.SE(), lo, hi, c.Freedom}
		for i, got := range synthetic.Run(t, path, python, lines) {
			if math.Abs(got-want[i]) > 1e-6*math.Abs(want[i]) {
				t.Errorf("%v, number %d: %v, want %v", adjacency, i, got, want[i])
			}
		}
		for i, got := range synthetic.RunR(t, path, synthetic.Program(t, path, "r")) {
			if math.Abs(got-want[i]) > 1e-4*math.Abs(want[i]) {
				t.Errorf("R, %v, number %d: %v, want %v", adjacency, i, got, want[i])
			}
		}
		var e *synthetic.EstimateError
		_, err = sets.Analyse(t.Context(), synthetic.LogOddsRatio(synthetic.Level{Column: "tub", Level: "no"},
			synthetic.Level{Column: "asia", Level: "no"}))
		if !errors.As(err, &e) {
			t.Errorf("%v: no set has an empty cell anywhere, so this tells nothing: %v", adjacency, err)
		}
	}
}

// Where an odds ratio has an empty cell the example is a share, of numbers a mean; of one set it is an estimate and no
// interval. All of them run.
func TestReadmeAlwaysRuns(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	two := []string{"no", "yes"}
	for name, c := range map[string]struct {
		columns []frame.Column
		tables  [][]float64
		shows   string
	}{
		"never together": {[]frame.Column{frame.Categorical("a", two...), frame.Categorical("b", two...)},
			[][]float64{{.5, .5}, {1, 0, .5, .5}}, "the share of records at a level"},
		"together": {[]frame.Column{frame.Categorical("a", two...), frame.Categorical("b", two...)},
			[][]float64{{.5, .5}, {.4, .6, .5, .5}}, "the log odds ratio"},
		"numbers": {[]frame.Column{frame.Integer("a", 0, 5, 10), frame.Real("b", 0, .5, 1)},
			[][]float64{{.5, .5}, {.4, .6, .5, .5}}, "the mean of a column"},
	} {
		for _, m := range []int{1, 5} {
			t.Run(fmt.Sprint(name, " ", m), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "sets")
				must.Do(t, ofColumns(t, c.columns, c.tables, m).Write(t.Context(), path))
				lines := synthetic.Program(t, path, "python")
				if !strings.Contains(lines, c.shows) {
					t.Errorf("want %s:\n%s", c.shows, lines)
				}
				got, inR := synthetic.Run(t, path, python, lines), synthetic.RunR(t, path, synthetic.Program(t, path, "r"))
				if len(got) != m { // an estimate, or the five numbers of combine
					t.Errorf("%v of %s", got, lines)
				}
				for i := range inR {
					if got[i] != inR[i] && math.Abs(got[i]-inR[i]) > 1e-4*math.Abs(got[i]) {
						t.Errorf("number %d: %v, in R %v", i, got[i], inR[i])
					}
				}
			})
		}
	}
}

// ofColumns are m sets of 50 records of a → b with the given tables.
func ofColumns(t *testing.T, columns []frame.Column, tables [][]float64, m int) *synthetic.Sets {
	t.Helper()
	sh := must.Get(model.NewShape(&frame.Schema{Dataset: "x", Columns: columns}, model.Network("a", model.Node("a"),
		model.Node("b", "a")), 50, true, ""))(t)
	net := must.Get(bayesnet.NewNet(sh.Graph(), tables))(t)
	return must.Get(synthetic.New(synthetic.Spec{Sets: m, Rows: 50, Records: 50, Graph: sh.Graph(), Title: "a test",
		Draw: func(set, rows int) (*frame.Frame, error) { return sh.RecordsOf(net, rows, dp.Seeded(uint64(set))) }}))(t)
}
