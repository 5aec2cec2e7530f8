package privbayes_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/synthetic"
)

// written is a set as it is written.
func written(t *testing.T, f *frame.Frame) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, f.WriteCSV(&b))
	return b.String()
}

// Sets of a learned release are those of its file, the same each time, and each another one; they tell what was
// measured, keep structural zeros, and take n̂ where n is private.
func TestSetsOfLearnedReleases(t *testing.T) {
	f := payroll(t, 400)
	for name, c := range map[string]struct {
		m      model.LearnedModel
		noise  mechanism.Mechanism
		target dp.Request
		pairs  int
	}{
		"star": {privbayes.MaxEntropy().Star("sex"), privbayes.LearnedGeometric(), privbayes.PureDP(4), 3},
		"private n": {privbayes.MaxEntropy().Always(), privbayes.LearnedGaussian(),
			privbayes.ZCDP(.5).Under(privbayes.AddRemove), 6},
		"cliques": {privbayes.Cliques(3).Always().Evenly(), privbayes.LearnedGeometric(), privbayes.PureDP(8), 6},
		"zeros": {privbayes.Tree().Always().StructuralZeros(map[string]string{"sex": "female", "union": "yes"}),
			privbayes.LearnedGeometric(), privbayes.PureDP(8), 6},
	} {
		r := must.Get(f.Learn(c.m).Privatize(c.noise, c.target, privbayes.Seeded(5)).Release())(t)
		sets := must.Get(r.SyntheticSets(t.Context(), 2, 200))(t)
		loaded := must.Get(release.Parse(t.Context(), must.Get(r.JSON())(t)))(t)
		again := must.Get(loaded.SyntheticSets(t.Context(), 2, 200))(t)
		one, two := written(t, must.Get(sets.Frame(0))(t)), written(t, must.Get(sets.Frame(1))(t))
		if one == two || one != written(t, must.Get(sets.Frame(0))(t)) || one != written(t, must.Get(again.Frame(0))(t)) {
			t.Errorf("%s: sets are not a function of the release and their number", name)
		}
		if name == "zeros" && strings.Contains(one, "female") && slices.ContainsFunc(strings.Split(one, "\n"),
			func(row string) bool { return strings.HasPrefix(row, "female") && strings.HasSuffix(row, "yes") }) {
			t.Error("a structural zero has records")
		}
		why, _ := must.Get(sets.Frame(0))(t).Public()
		if single, _ := must.Get(r.Synthesize(1, rand.NewPCG(1, 1)))(t).Public(); why != single ||
			!strings.Contains(why, "not private: seeded") {
			t.Errorf("%s: sets of a seeded release are %q", name, why)
		}
		if warned := len(sets.Warnings()) > 0; warned != (name != "star") || sets.Design().Records != r.Structure().Size {
			t.Errorf("%s: %v, %+v", name, sets.Warnings(), sets.Design())
		}
		dir := filepath.Join(t.TempDir(), "sets")
		must.Do(t, sets.Write(t.Context(), dir))
		about := must.Get(synthetic.Describe(dir))(t)
		if len(about.Measured) == 0 || len(about.Measured) > c.pairs || name == "star" && len(about.Measured) != c.pairs {
			t.Errorf("%s: %+v", name, about)
		}
		page := string(must.Get(os.ReadFile(filepath.Join(dir, "README.md")))(t))
		pair := about.Measured[0][0] + " × " + about.Measured[0][1]
		if !strings.Contains(page, pair) || !strings.Contains(page, "tell nothing") || strings.Contains(page, "{{") ||
			strings.Contains(page, "has the edges") || strings.Contains(page, "Pairs were chosen") == (name == "star") {
			t.Errorf("%s: %s", name, page)
		}
	}
}

// What has no list of noisy tables is refused, and a set ends with its context.
func TestSetsOfLearnedReleasesRefused(t *testing.T) {
	f := payroll(t, 400)
	naive := must.Get(f.Model(privbayes.NaiveBayes("sex")).Privatize(privbayes.Geometric(),
		privbayes.PureDP(1)).Release())(t)
	published := must.Get(f.Learn(privbayes.PrivBayes()).Privatize(privbayes.Laplace(),
		privbayes.AsPublished(1)).Release())(t)
	for _, r := range []*release.Release{naive, published} {
		if _, err := r.SyntheticSets(t.Context(), 2, 10); !errors.As(err, new(*dp.ParameterError)) {
			t.Error(err)
		}
		_, err := r.Plan().Bootstrap(t.Context(), nil, r.Model(), 10, nil, rand.NewPCG(1, 1))
		if !errors.As(err, new(*dp.ParameterError)) {
			t.Error(err)
		}
	}
	r := must.Get(f.Learn(privbayes.MaxEntropy().Star("sex")).Privatize(privbayes.LearnedGeometric(),
		privbayes.PureDP(1)).Release())(t)
	for _, bad := range [][2]int{{-1, 10}, {1001, 10}, {2, 1 << 30}} {
		if _, err := r.SyntheticSets(t.Context(), bad[0], bad[1]); !errors.As(err, new(*dp.ParameterError)) {
			t.Error(bad, err)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	sets := must.Get(r.SyntheticSets(ctx, 2, 10))(t)
	end()
	if _, err := sets.Frame(0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
