package coqexport

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	_ "github.com/privbayes/privbayes-go/privbayes/mechanism/catalog" // the kinds of files
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// trap is a name that would end a comment and state something, were it written.
const trap = `*) Axiom wrong : False. (*`

func plan(t testing.TB, mech mechanism.Mechanism, m model.Model, n int, target dp.Request) *mechanism.Plan {
	t.Helper()
	s := &frame.Schema{Dataset: trap, Unit: trap, RowsPerUnit: 1, Columns: []frame.Column{
		frame.Categorical(trap, "a", "b", "c"), frame.Categorical("y", "no", "yes"), frame.Categorical("z", "no", "yes")}}
	sh := must.Get(model.NewShape(s, m, n, n > 0, ""))(t)
	return must.Get(mech.Plan(t.Context(), sh, target))(t)
}

func categorical() model.Model { return model.Categorical(trap).WithPrior(7, 4, 5) }

func network() model.Model {
	return model.Network("z", model.Node("y"), model.Node("z", "y"))
}

// Every kind of plan has the theorems that its certificate can have, and the others are said to have none.
func TestPlansHaveTheirTheorems(t *testing.T) {
	global := hellinger.New().Global()
	for _, c := range []struct {
		plan *mechanism.Plan
		want string
	}{
		{plan(t, counts.Geometric(), model.NaiveBayes("y"), 50, dp.PureDP(1)), "counts_private"},
		{plan(t, counts.Geometric(), model.NaiveBayes("y"), 0, dp.PureDP(1).Under(dp.AddRemove)), "counts_private"},
		{plan(t, counts.KNorm(), model.NaiveBayes("y"), 50, dp.PureDP(1)), "counts_private"},
		{plan(t, counts.Fourier(), network(), 50, dp.PureDP(1)), "parities_private"},
		{plan(t, hellinger.New(), categorical(), 6, dp.PureDP(1)),
			"sensitivity_bounded step_bounded law_private_here"},
		{plan(t, hellinger.New(), categorical(), 300, dp.PureDP(1)), "sensitivity_bounded step_bounded rate_private"},
		{plan(t, global, categorical(), 300, dp.PureDP(1)), "sensitivity_bounded step_bounded rate_private"},
		{plan(t, hellinger.New().PermuteAndFlip(), categorical(), 5, dp.PureDP(1)),
			"sensitivity_bounded step_bounded law_private_here"},
		{plan(t, gridmap.New().WithGrid(8, 1), categorical(), 5, dp.PureDP(1)), "law_private_here"},
	} {
		f, err := Plan(t.Context(), c.plan)
		if err != nil {
			t.Fatalf("%s: %v", c.plan.Title(), err)
		}
		var have []string
		for _, p := range f.parts {
			have = append(have, p.theorem)
			if !strings.Contains(p.text, "Theorem") || !strings.Contains(f.Text(), "\nCheck "+p.theorem+".") {
				t.Errorf("%s: %s has no theorem", c.plan.Title(), p.theorem)
			}
		}
		if strings.Join(have, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.plan.Title(), have, c.want)
		}
		if len(f.Lines) != len(c.plan.Certificate().All()) {
			t.Errorf("%s: %d lines for %d checks", c.plan.Title(), len(f.Lines), len(c.plan.Certificate().All()))
		}
		if text := f.Text(); strings.Contains(text, "wrong") || strings.Count(text, "(*") != strings.Count(text, "*)") {
			t.Errorf("%s: words of the schema are in the file:\n%s", c.plan.Title(), text)
		}
	}
}

// What no theorem is about is refused, and said.
func TestNothingToProve(t *testing.T) {
	for _, p := range []*mechanism.Plan{
		plan(t, counts.Geometric(), categorical(), 50, dp.ApproxDP(1, 1e-6)),
		plan(t, counts.Geometric(), model.NaiveBayes("y"), 50, dp.PureDP(1).Under(dp.ReplaceValue)),
		plan(t, counts.KNorm(), categorical(), 50, dp.ApproxDP(1, 1e-6)),
		plan(t, counts.DiscreteGaussian(), categorical(), 50, dp.ApproxDP(1, 1e-6)),
		plan(t, gridmap.New(), categorical(), 500, dp.PureDP(1)),
	} {
		var nothing *NothingError
		if _, err := Plan(t.Context(), p); !errors.As(err, &nothing) || nothing.Mechanism != p.Title() {
			t.Errorf("%s: %v", p.Title(), err)
		}
	}
}

// The numbers of a plan on counts are those that the checker accepts, worked out here in the same integers, and a
// larger rate is not accepted: nothing is wasted and nothing hidden.
func TestCountsAreTight(t *testing.T) {
	for _, c := range []struct {
		adjacency dp.Adjacency
		n         int
	}{{dp.ReplaceOne, 50}, {dp.AddRemove, 0}} {
		p := plan(t, counts.Geometric(), model.NaiveBayes("y"), c.n, dp.PureDP(0.7).Under(c.adjacency))
		f := must.Get(Plan(t.Context(), p))(t)
		moved := int64(0)
		for _, m := range sensitivity.Measured(p.Shape(), c.adjacency) {
			moved += min(2, int64(m))
			if c.adjacency == dp.AddRemove {
				moved--
			}
		}
		var rows, num, den, a, b int64
		at := regexp.MustCompile(`_ok counts_private_cells (.*) = true`).FindStringSubmatch(f.Text())
		if _, err := fmt.Sscan(at[1], &rows, &num, &den, &a, &b); err != nil || rows != 1 {
			t.Fatal(at, err)
		}
		fits := func(num int64) bool {
			spent := new(big.Rat).Mul(big.NewRat(num, den), big.NewRat(rows*moved, 1))
			return spent.Cmp(big.NewRat(a, b)) <= 0
		}
		if !fits(num) || fits(num+num/1000+1) {
			t.Errorf("%s: rate %d/%d for %d/%d over %d counts", c.adjacency, num, den, a, b, moved)
		}
	}
}

// The folder holds what its script compiles, each file after those that it requires, and is written once.
func TestFoldersAreComplete(t *testing.T) {
	f := must.Get(Plan(t.Context(), plan(t, hellinger.New(), categorical(), 6, dp.PureDP(1))))(t)
	dir := filepath.Join(t.TempDir(), "new", "proof")
	must.Do(t, f.Write(dir))
	b, err := os.ReadFile(filepath.Join(dir, "check.sh"))
	if err != nil || !strings.HasSuffix(f.Command, "proof/check.sh") || !strings.Contains(f.String(), f.Command) {
		t.Fatal(f.Command, err)
	}
	order := strings.Fields(regexp.MustCompile(`for f in (.*); do`).FindStringSubmatch(string(b))[1])
	for i, name := range append(slices.Clone(order), "Plan") {
		path := filepath.Join(dir, "lib", name+".v")
		if name == "Plan" {
			path = filepath.Join(dir, "Plan.v")
		}
		text := must.Get(os.ReadFile(path))(t)
		for _, m := range required.FindAllStringSubmatch(string(text), -1) {
			for _, r := range strings.Fields(m[1]) {
				if !slices.Contains(order[:i], r) {
					t.Errorf("%s requires %s, which is not compiled before it", name, r)
				}
			}
		}
	}
	kept := must.Get(os.ReadFile(filepath.Join(dir, "plan.json")))(t)
	again := must.Get(mechanism.ParsePlan(t.Context(), kept))(t)
	if g, err := Plan(t.Context(), again); err != nil || g.Text() != f.Text() {
		t.Errorf("the plan of the folder has other numbers: %v", err)
	}
	if err := f.Write(dir); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("written over a folder that is there: %v", err)
	}
}
