package export_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/export"
)

// rows are a public table of three columns of categories and two of numbers.
func rows(t *testing.T) *frame.Frame {
	s := &frame.Schema{Dataset: "small", Columns: []frame.Column{frame.Categorical("a", "yes", "no"),
		frame.Categorical("b", "low", "mid", "high"), frame.Categorical("c", "x", "y", "z"), frame.Real("u", 0, 10),
		frame.Real("v", 0, 1)}}
	var text strings.Builder
	text.WriteString("a,b,c,u,v\n")
	for range 20 {
		text.WriteString("yes,low,x,1,0.1\nno,mid,y,4,0.5\nyes,high,y,9,0.8\n")
	}
	return must.Get(frame.Read(t.Context(), strings.NewReader(text.String()), "small", s))(t)
}

// made draws a release from a seed.
func made(t *testing.T, m model.Model, by mechanism.Mechanism, want dp.Request) *release.Release {
	t.Helper()
	return of(t, rows(t), m, by, want)
}

// of is made of a table.
func of(t *testing.T, f *frame.Frame, m model.Model, by mechanism.Mechanism, want dp.Request) *release.Release {
	t.Helper()
	sh := must.Get(model.NewShape(f.Schema(), m, f.Len(), true, ""))(t)
	plan := must.Get(by.Plan(t.Context(), sh, want))(t)
	drawn := must.Get(plan.Draw(t.Context(), must.Get(model.Count(sh, f))(t), "id", dp.Seeded(1)))(t)
	return must.Get(release.New(t.Context(), plan, drawn))(t)
}

func star() model.NetworkModel {
	return model.Network("b", model.Node("b"), model.Node("a", "b"), model.Node("c", "b"))
}

// Every form of every release is there or refused with what has it, and a program names its data and its levels.
func TestForms(t *testing.T) {
	pure, approximate := dp.PureDP(1), dp.ApproxDP(1, 1e-6)
	chain := model.Network("a", model.Node("a"), model.Node("b", "a"), model.Node("c", "b"))
	for _, c := range []struct {
		name, forms, says string
		made              *release.Release
	}{
		{"table", "stan numpyro", "low, mid, high", made(t, model.Categorical("b"), counts.Geometric(), pure)},
		{"naive Bayes", "bif json stan numpyro", "Classes: a = yes, no", made(t, model.NaiveBayes("a", "b", "c"),
			counts.DiscreteGaussian(), approximate)},
		{"star", "bif json stan numpyro", "Classes: b = low, mid, high", made(t, star(), counts.Geometric(), pure)},
		{"chain", "bif json", "", made(t, chain, counts.Geometric(), pure)},
		{"mean", "stan numpyro", "The sum of 60 rows", made(t, model.Mean("u"), sums.New().Geometric(), pure)},
		{"means", "", "", made(t, model.Means("u", "v"), sums.New(), pure)},
		{"regression", "stan numpyro", "Coefficients: intercept, v", made(t, model.Linear("u ~ v"),
			regression.SufficientStatistics(), approximate)},
		{"factor", "", "", made(t, model.Linear("u ~ v + a"), regression.SufficientStatistics(), approximate)},
		{"add-remove", "stan numpyro", "n is private", made(t, model.Categorical("b"), counts.Geometric(),
			pure.Under(dp.AddRemove))},
	} {
		for _, form := range export.Forms() {
			files, err := export.To(c.made, form)
			if !strings.Contains(c.forms, string(form)) {
				var refused *export.UnsupportedError
				if !errors.As(err, &refused) || refused.Want == "" || refused.To != form {
					t.Errorf("%s to %s: %v", c.name, form, err)
				}
				continue
			}
			must.Do(t, err)
			if form.Program() && (len(files) != 2 || files[1].Name != "data.json" || !strings.Contains(files[0].Text, c.says) ||
				!strings.Contains(files[0].Text, "not private")) {
				t.Errorf("%s to %s: %v", c.name, form, files)
			}
			if form == export.BIF {
				_, net, err := bayesnet.ReadBIF(strings.NewReader(files[0].Text))
				if err != nil || net.DAG().Len() != 3 {
					t.Errorf("%s: %v", c.name, err)
				}
			}
		}
	}
	if _, err := export.To(nil, export.BIF); err == nil {
		t.Error("no release was exported")
	}
	if _, err := export.To(made(t, star(), counts.Geometric(), pure), "xml"); err == nil {
		t.Error("xml")
	}
}

// Names of columns and categories, which come with a release, change nothing of a program: they end no comment and no
// string, declare no encoding, by which Python would read its comments as code, and are no site of the likelihood.
func TestHostileNames(t *testing.T) {
	const class, label = "coding:unicode_escape", "a\\nprint(1)\\n# \"\"\" ' */ coding=utf-7"
	encoding := regexp.MustCompile(`coding[:=]`) // what PEP 263 looks for in comments of the first two lines
	for _, m := range []model.Model{model.NaiveBayes(class, "released"), model.Categorical(class),
		model.Categorical("released")} {
		s := &frame.Schema{Dataset: "coding:x", Columns: []frame.Column{frame.Categorical(class, "p", "q"),
			frame.Categorical("released", label, "no")}}
		text := class + ",released\np,no\nq,no\n"
		r := of(t, must.Get(frame.Read(t.Context(), strings.NewReader(text), "small", s))(t), m, counts.Geometric(),
			dp.PureDP(1))
		for _, form := range []export.Form{export.Stan, export.NumPyro} {
			program := must.Get(export.To(r, form))(t)[0].Text
			for line := range strings.Lines(program) {
				line = strings.TrimSpace(line)
				if (line[:min(1, len(line))] == "#" || strings.HasPrefix(line, "//")) && encoding.MatchString(line) {
					t.Errorf("%s: %s", form, line)
				}
				if line == `numpyro.factor("released", log_likelihood(*prior()))` {
					t.Errorf("a column has the name of a site: %s", line)
				}
			}
			if form == export.Stan && strings.Contains(program, "*/") {
				t.Errorf("a comment ends: %s", program)
			}
		}
	}
}

// Every site of NumPyro has a name of its own, also where columns or levels are called as the program calls others.
func TestSitesAreApart(t *testing.T) {
	levels := []string{"l", "l coordinates", "l coordinates'", "l prior"}
	s := &frame.Schema{Dataset: "small", Columns: []frame.Column{frame.Categorical("x", levels...),
		frame.Categorical("centre of y", levels...), frame.Categorical("y", levels...)}}
	text := "x,centre of y,y\nl,l,l\n"
	f := must.Get(frame.Read(t.Context(), strings.NewReader(text), "small", s))(t)
	program := must.Get(export.To(of(t, f, model.NaiveBayes("x", "centre of y", "y"), counts.Geometric(), dp.PureDP(1)),
		export.NumPyro))(t)[0].Text
	texts := regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	begin, end := strings.Index(program, "CLASS = "), strings.Index(program, "\nimport ")
	names := texts.FindAllString(program[begin:end], -1)
	if k := len(names); k != 1+2*(1+len(levels))+2 {
		t.Fatalf("%d names: %s", k, names)
	}
	sites := func(coordinates, prior string) (n int) {
		seen := map[string]bool{}
		for _, name := range names[:len(names)-2] {
			for _, end := range []string{"", coordinates, prior} {
				seen[strings.Trim(name, `"`)+strings.Trim(end, `"`)] = true
			}
		}
		return len(seen)
	}
	all := 3 * (len(names) - 2)
	if n := sites(names[len(names)-2], names[len(names)-1]); n != all {
		t.Errorf("%d sites for %d: %s", n, all, names)
	}
	if n := sites(" coordinates", " prior"); n == all {
		t.Error("the test does not tell ends that are those of a name")
	}
}

// numbers are what both programs of counts read.
type numbers struct {
	Low       int64     `json:"n_low"`
	Y         []int64   `json:"y"`
	CellLow   []int64   `json:"low"`
	Length    []int64   `json:"length"`
	Rate      float64   `json:"rate"`
	LogP0     float64   `json:"log_p0"`
	Alpha     []float64 `json:"alpha"`
	AlphaRoot []float64 `json:"alpha_class"`
	Shared    []int     `json:"shared"`
	TotalLow  []int64   `json:"total_low"`
	TotalLen  []int64   `json:"total_length"`
}

// The data of a star are the released integers in the order of table, class and level, its exact noise, the prior of
// noiseaware.OfNetwork, and windows that hold every count within 23 nats.
func TestStarData(t *testing.T) {
	r := made(t, star(), counts.Geometric(), dp.PureDP(4))
	files := must.Get(export.To(r, export.Stan))(t)
	var d numbers
	must.Do(t, json.Unmarshal([]byte(files[1].Text), &d))
	raw, tables := r.Raw(), r.Plan().Shape().Tables()
	cell := 0
	for k, table := range tables {
		levels := table.Cells() / 3
		for j := range 3 {
			for l := range levels {
				at := j*levels + l
				if table.Columns[1] == "b" {
					at = l*3 + j
				}
				if y := raw[k][at]; d.Y[cell] != y || d.CellLow[cell] > max(y, 0) || d.CellLow[cell]+d.Length[cell] <= min(y, 60) {
					t.Errorf("cell %d: %d of %d, counts from %d, %d of them", cell, d.Y[cell], y, d.CellLow[cell], d.Length[cell])
				}
				cell++
			}
		}
	}
	dist, _ := r.Plan().Noise()
	if d.Low != 60 || math.Abs(d.LogP0-d.Rate-dist.LogProb(1)) > 1e-12 || d.LogP0 != dist.LogProb(0) {
		t.Errorf("n = %d, rate %v", d.Low, d.Rate)
	}
	if d.AlphaRoot[0] != 2./3 || d.Alpha[0] != 1 || d.Alpha[2] != 2./3 || d.Shared[0] != 1 || d.Shared[1] != 1 {
		t.Errorf("prior %v, %v, %v", d.AlphaRoot, d.Alpha, d.Shared)
	}
	independent := made(t, star().WithPrior(3), counts.Geometric(), dp.PureDP(4))
	must.Do(t, json.Unmarshal([]byte(must.Get(export.To(independent, export.NumPyro))(t)[1].Text), &d))
	if d.AlphaRoot[0] != 3 || d.Alpha[4] != 3 || d.Shared[0] != 0 {
		t.Errorf("prior %v, %v, %v", d.AlphaRoot, d.Alpha, d.Shared)
	}
}

// A network in JSON has the released probabilities, those of naive Bayes given the class.
func TestNetworkJSON(t *testing.T) {
	r := made(t, model.NaiveBayes("a", "b", "c"), counts.Geometric(), dp.PureDP(1))
	file := must.Get(export.To(r, export.JSON))(t)[0]
	var got struct {
		Nodes []struct {
			Name    string
			Parents []string
			Rows    [][]float64
		}
	}
	must.Do(t, json.NewDecoder(bytes.NewReader([]byte(file.Text))).Decode(&got))
	all := r.Model().Posteriors()
	if len(got.Nodes) != 3 || got.Nodes[1].Parents[0] != "a" || got.Nodes[0].Rows[0][0] != all[0].Mean()[0] ||
		got.Nodes[2].Rows[1][2] != all[4].Mean()[2] {
		t.Errorf("%+v", got)
	}
}
