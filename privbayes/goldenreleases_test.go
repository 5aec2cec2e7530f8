package privbayes_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

var updateGolden = flag.Bool("update-golden", false,
	"rewrite releases.jsonl.gz and releases_within_bins.jsonl.gz in testdata from the releases drawn now")

const (
	goldenReleases = "testdata/releases.jsonl.gz"
	goldenWithin   = "testdata/releases_within_bins.jsonl.gz"
	goldenStated   = "testdata/releases_with_statements.jsonl.gz"
)

// goldenSchema has a column for every kind of model, with few levels: the files stay short.
const goldenSchema = `{"dataset": "golden", "unit": "person", "columns": [
	{"name": "a", "kind": "categorical", "categories": ["no", "yes"]},
	{"name": "b", "kind": "categorical", "categories": ["low", "middle", "high"]},
	{"name": "c", "kind": "categorical", "categories": ["no", "yes"]},
	{"name": "u", "kind": "real", "edges": [0, 2, 5, 10]},
	{"name": "v", "kind": "real", "edges": [0, 5, 10]}]}`

// goldenFrame is a table of 40 rows that depend on each other a little.
func goldenFrame(t testing.TB) *privbayes.Frame {
	t.Helper()
	return goldenRows(t, goldenSchema)
}

// goldenRows is that table under a schema.
func goldenRows(t testing.TB, schema string) *privbayes.Frame {
	t.Helper()
	s := must.Get(privbayes.ParseSchema([]byte(schema)))(t)
	var csv strings.Builder
	csv.WriteString("a,b,c,u,v\n")
	for i := range 40 {
		a, b := []string{"no", "yes"}[i*i%7%2], []string{"low", "middle", "high"}[(i+i*i%5)%3]
		c := []string{"no", "yes"}[(i*3+i*i%7)%4/2]
		u := float64(i*37%100) / 10
		fmt.Fprintf(&csv, "%s,%s,%s,%.1f,%.1f\n", a, b, c, u, (u+float64(i*53%100)/10)/2)
	}
	return privbayes.ReadFrame(strings.NewReader(csv.String()), s)
}

// goldenMechanisms are all mechanisms with the options that change what is drawn or released.
func goldenMechanisms() map[string]privbayes.Mechanism {
	out := map[string]privbayes.Mechanism{
		"geometric": privbayes.Geometric(), "discrete Gaussian": privbayes.DiscreteGaussian(),
		"k-norm": privbayes.KNorm().WithPostProcess(counts.Project), "Laplace": privbayes.Laplace(),
		"by size": privbayes.BySize(), "Fourier": privbayes.Fourier(),
		"Fourier, non-negative": privbayes.Fourier().WithNonNegative(0.9),
		"Hellinger":             privbayes.Hellinger(), "Hellinger, global": privbayes.Hellinger().Global(),
		"Hellinger, permute-and-flip": privbayes.Hellinger().PermuteAndFlip(),
		"Dirichlet":                   privbayes.Dirichlet(), "Dirichlet, raw": privbayes.Dirichlet().Raw(),
		"Dirichlet, average":        privbayes.Dirichlet().Raw().WithCalibration(dirichlet.Average(1)),
		"Dirichlet, by size":        privbayes.Dirichlet().BySize(),
		"Dirichlet, separate prior": privbayes.Dirichlet().WithSeparatePrior(),
		"records":                   privbayes.SyntheticRecords(20), "MAP": privbayes.MAP(),
		"MAP, coarse": privbayes.MAP().WithGrid(12, 2), "MAP, posterior": privbayes.MAP().WithPosteriorScore(),
		"posterior sample":       privbayes.PosteriorSample(2),
		"posterior sample, trim": privbayes.PosteriorSample(1).ByBounds(),
		"linear sampler":         privbayes.LinearSampler(2), "moments": privbayes.SufficientStatistics().Continuous(),
		"moments on a lattice":        privbayes.SufficientStatistics(),
		"moments, plain":              privbayes.SufficientStatistics().Continuous().Plain(),
		"moments on a lattice, plain": privbayes.SufficientStatistics().Plain(),
	}
	posts := map[string]counts.PostProcess{
		"clamp": counts.Clamp, "consistent": counts.Consistent,
		"posterior mean": counts.PosteriorMean, "flat": counts.FlatPosteriorMean,
	}
	for name, p := range posts {
		out["geometric, "+name] = privbayes.Geometric().WithPostProcess(p)
		out["discrete Gaussian, "+name] = privbayes.DiscreteGaussian().WithPostProcess(p)
	}
	out["noisy sums"] = privbayes.NoisySums()
	out["Fisher scoring"] = privbayes.FisherScoring().Anyway()
	out["by size, consistent"] = privbayes.BySize().WithPostProcess(counts.Consistent)
	out["k-norm, posterior mean"] = privbayes.KNorm().WithPostProcess(counts.PosteriorMean)
	out["Laplace, posterior mean"] = privbayes.Laplace().WithPostProcess(counts.PosteriorMean)
	return out
}

func goldenModels() map[string]privbayes.ModelSpec {
	node := privbayes.Node
	return map[string]privbayes.ModelSpec{
		"binary": privbayes.Binary("a"), "categorical": privbayes.Categorical("b"),
		"contingency table":  privbayes.Table("c", "a"),
		"naive Bayes":        privbayes.NaiveBayes("a", "b", "c"),
		"network":            privbayes.Network("c", node("a"), node("b"), node("c", "a", "b"), node("v")),
		"exponential":        privbayes.Exponential("u").WithRange(0.05, 2),
		"Laplace scale":      privbayes.LaplaceScale("u", 4).WithRange(0.05, 2),
		"normal precision":   privbayes.NormalPrecision("u", 5).WithRange(0.05, 2),
		"linear regression":  privbayes.LinearRegression("v", "u"),
		"formula":            privbayes.Linear("v ~ u*a + poly(u, 2)"),
		"logistic":           privbayes.LogisticRegression("a", "u", "b"),
		"formula of classes": privbayes.Logistic("a ~ u*b + I(u^2)"),
		"formula of counts":  privbayes.PoissonRegression("u ~ b + poly(v, 2)"),
		"mean":               privbayes.Mean("u"),
		"means":              privbayes.Means("u", "v"),
		"mean and spread":    privbayes.MeanSD("u"),
		"means by group":     privbayes.GroupMeans("u", "b"),
		"learned pairs":      privbayes.MaxEntropy().Always().Evenly(),
		"learned tree":       privbayes.Tree().Of("a", "b", "c").Size(40).Evenly(),
		"learned cliques":    privbayes.Cliques(3).Always().Classifying("c").Evenly(),
		"public star":        privbayes.Tree().Star("b").Evenly(),
		"joint table":        privbayes.MaxEntropy().Of("a", "b", "c").Size(400).Evenly(),
	}
}

// goldenCase names a release and draws it.
type goldenCase struct {
	name      string
	model     privbayes.ModelSpec
	mechanism privbayes.Mechanism
	target    privbayes.Target
}

func goldenCases() []goldenCase {
	var out []goldenCase
	mechanisms, models := goldenMechanisms(), goldenModels()
	for _, mech := range slices.Sorted(maps.Keys(mechanisms)) {
		for _, m := range slices.Sorted(maps.Keys(models)) {
			if _, learns := models[m].(model.LearnedModel); learns && mech != "geometric" && mech != "discrete Gaussian" {
				continue // their noise, and not the post-processing, is all that a learner takes
			}
			for _, adjacency := range []dp.Adjacency{privbayes.ReplaceOne, privbayes.AddRemove,
				privbayes.ReplaceValue} {
				for i, target := range []privbayes.Target{privbayes.PureDP(1), privbayes.ApproxDP(1, 1e-6)} {
					name := fmt.Sprintf("%s / %s / %s / %s", mech, m, adjacency, []string{"1-DP", "(1, 1e-6)-DP"}[i])
					out = append(out, goldenCase{name, models[m], mechanisms[mech], target.Under(adjacency)})
				}
			}
		}
	}
	return out
}

// draw gives the file of the release; ok is false where the mechanism does not support the combination, by a typed
// error.
func (c goldenCase) draw(t testing.TB, f *privbayes.Frame) (file []byte, ok bool) {
	t.Helper()
	r, err := f.Model(c.model).Privatize(c.mechanism, c.target, privbayes.Seeded(11)).Release()
	var unsupported *mechanism.UnsupportedError
	var unmet *mechanism.UnmetTarget
	var adjacency *sensitivity.AdjacencyError
	var not *model.Error
	if errors.As(err, &unsupported) || errors.As(err, &unmet) || errors.As(err, &adjacency) || errors.As(err, &not) {
		return nil, false
	}
	if err != nil {
		t.Errorf("%s: %v", c.name, err)
		return nil, false
	}
	if file, err = r.JSON(); err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	return file, true
}

type goldenLine struct {
	Name    string          `json:"name"`
	Release json.RawMessage `json:"release"`
}

// Files written by an earlier state of the library load, verify, and come out again byte for byte from the same seed.
func TestReleasesStayAsTheyWere(t *testing.T) {
	f := goldenFrame(t)
	if *updateGolden {
		writeGolden(t, f, goldenReleases, goldenCases())
	}
	kept := readGolden(t, goldenReleases)
	if len(kept) < 200 {
		t.Fatalf("only %d releases are kept", len(kept))
	}
	seen := 0
	for i, c := range goldenCases() {
		want, have := kept[c.name]
		if testing.Short() && i%21 != 0 {
			if have {
				seen++
			}
			continue
		}
		got, ok := c.draw(t, f)
		if ok != have {
			t.Errorf("%s: released %v, kept %v", c.name, ok, have)
			continue
		}
		if !ok {
			continue
		}
		seen++
		if !bytes.Equal(compactJSON(t, got), want) {
			difference := firstDifference(string(want), string(compactJSON(t, got)))
			t.Errorf("%s: another release than the kept one:\n%s", c.name, difference)
		}
		if seen%4 != 0 {
			continue // verification has tests of its own
		}
		if v, err := release.VerifyBytes(t.Context(), got); err != nil || !v.OK() {
			t.Errorf("%s: %v\n%v", c.name, err, v)
		}
	}
	if seen != len(kept) {
		t.Errorf("%d of %d kept releases were looked at", seen, len(kept))
	}
}

// alike reports whether two values of JSON are the same but for the rounding of numbers, and of lists of such.
func alike(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, alike)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, alike)
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(a))
	}
	return a == b
}

// stayAsTheyWere draws cases again, which are those of a kept file, byte for byte. The kept ones load, verify and are
// written again as they were; also, which may be nil, looks at each.
func stayAsTheyWere(t *testing.T, path string, f *privbayes.Frame, cases []goldenCase,
	also func(name string, r *release.Release)) {
	t.Helper()
	if *updateGolden {
		writeGolden(t, f, path, cases)
	}
	kept := readGolden(t, path)
	for _, c := range cases {
		got, ok := c.draw(t, f)
		if !ok {
			t.Errorf("%s: no release", c.name)
			continue
		}
		if now, want := compactJSON(t, got), kept[c.name]; !bytes.Equal(now, want) {
			t.Errorf("%s: another release than the kept one:\n%s", c.name, firstDifference(string(want), string(now)))
			continue
		}
		if r := asItWas(t, c.name, kept[c.name]); also != nil {
			also(c.name, r)
		}
	}
	if len(kept) != len(cases) {
		t.Errorf("%d releases are kept, want %d", len(kept), len(cases))
	}
}

// asItWas loads a kept file, which verifies and comes out again byte for byte; where a fit of maximum entropy is
// computed anew from its potentials, but for rounding: its sums were taken in another order once.
func asItWas(t *testing.T, name string, want []byte) *release.Release {
	t.Helper()
	r, err := release.Parse(t.Context(), want)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	file, err := r.JSON()
	var kept, written any
	must.Do(t, errors.Join(json.Unmarshal(want, &kept), json.Unmarshal(compactJSON(t, file), &written)))
	fitted := bytes.Contains(want, []byte(`"potentials"`)) && alike(kept, written)
	if err != nil || !bytes.Equal(compactJSON(t, file), want) && !fitted {
		difference := firstDifference(string(want), string(compactJSON(t, file)))
		t.Errorf("%s: %v, another file than the kept one:\n%s", name, err, difference)
	}
	if v, err := release.VerifyBytes(t.Context(), want); err != nil || !v.OK() {
		t.Errorf("%s: %v\n%v", name, err, v)
	}
	return r
}

// Releases of means from before squares were released, too, load. Their intervals of the population are those of the
// greatest variance there may be.
func TestMeansWithoutSquaresLoad(t *testing.T) {
	for name, want := range readGolden(t, "testdata/releases_without_squares.jsonl.gz") {
		list, how, err := asItWas(t, name, want).Intervals(t.Context(), .95)
		if err != nil || len(list) == 0 || !strings.Contains(how, "No squares") {
			t.Errorf("%s: %v, %s, %v", name, list, how, err)
		}
	}
}

// Releases of learned structures from before their files stated a bound load with that of their time.
func TestStructuresWithoutBoundsLoad(t *testing.T) {
	kept := readGolden(t, "testdata/releases_without_bounds.jsonl.gz")
	for name, want := range kept {
		l := asItWas(t, name, want).Plan().Shape().Learning()
		if l.MaxCells != 1<<14 || l.MaxWork != 0 || l.FitCells() != 1<<14 {
			t.Errorf("%s: %+v", name, l.LearnedSettings)
		}
	}
	if len(kept) < 8 {
		t.Errorf("%d releases are kept", len(kept))
	}
}

// Releases of learned structures from before choices knew what a fit keeps of the noise load, and their checks are
// those of their corrections.
func TestStructuresWithoutKeptNoiseLoad(t *testing.T) {
	kept := readGolden(t, "testdata/releases_without_kept_noise.jsonl.gz")
	for name, want := range kept {
		asItWas(t, name, want)
	}
	if len(kept) < 18 {
		t.Errorf("%d releases are kept", len(kept))
	}
}

// Releases whose fits ended elsewhere, from before fits began with the curvature of tables within tables and of the
// constants of tables, load.
func TestStructuresOfOtherFitsLoad(t *testing.T) {
	kept := readGolden(t, "testdata/releases_of_other_fits.jsonl.gz")
	for name, want := range kept {
		asItWas(t, name, want)
	}
	if len(kept) < 82 {
		t.Errorf("%d releases are kept", len(kept))
	}
}

// Releases with sums within bins stay as they were; those without, as all from before there were sums, have none.
func TestReleasesWithinBinsStayAsTheyWere(t *testing.T) {
	f, cases := goldenFrame(t), []goldenCase(nil)
	for name, m := range map[string]privbayes.ModelSpec{"pairs": privbayes.MaxEntropy().Always(),
		"star": privbayes.Tree().Star("b"), "one column": privbayes.MaxEntropy().Evenly("u").Size(40)} {
		for _, a := range []dp.Adjacency{privbayes.ReplaceOne, privbayes.AddRemove} {
			cases = append(cases, goldenCase{"geometric, " + name + ", " + a.String(), m, privbayes.Geometric(),
				privbayes.PureDP(1).Under(a)}, goldenCase{"discrete Gaussian, " + name + ", " + a.String(), m,
				privbayes.DiscreteGaussian(), privbayes.ApproxDP(1, 1e-6).Under(a)})
		}
	}
	slices.SortFunc(cases, func(a, b goldenCase) int { return strings.Compare(a.name, b.name) })
	stayAsTheyWere(t, goldenWithin, f, cases, func(name string, r *release.Release) {
		if n := len(r.Plan().Shape().Learning().Within); n == 0 || len(r.Estimate().Within) != n {
			t.Errorf("%s: sums of %d columns, means of %d", name, n, len(r.Estimate().Within))
		}
	})
	for name, b := range readGolden(t, "testdata/releases_without_bounds.jsonl.gz") {
		r := asItWas(t, name, b)
		if l := r.Plan().Shape().Learning(); l.WithinBins || len(l.Within) > 0 || r.Estimate().Within != nil {
			t.Errorf("%s: a file from before sums has some", name)
		}
	}
}

// Releases of moments from before their posterior was drawn by chains load and verify; written anew they have the seed
// of the chains in place of the draws, which nothing reads. What else is edited is refused.
func TestMomentsWithDrawsLoad(t *testing.T) {
	kept := readGolden(t, "testdata/releases_with_draws.jsonl.gz")
	for name, b := range kept {
		r, err := release.Parse(t.Context(), b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if v, err := release.VerifyBytes(t.Context(), b); err != nil || !v.OK() {
			t.Errorf("%s: %v\n%v", name, err, v)
		}
		file := must.Get(r.JSON())(t)
		if !bytes.Contains(compactJSON(t, file), []byte(`"artifact":{"kind":"chains","seed":"`)) {
			t.Errorf("%s: %s", name, file)
		}
		edited := bytes.Replace(b, []byte(`"adjacency":"replace-one"`), []byte(`"adjacency":"replace-value"`), 1)
		if _, err := release.Parse(t.Context(), edited); err == nil {
			t.Errorf("%s: another adjacency is read", name)
		}
	}
	if len(kept) == 0 {
		t.Error("no releases are kept")
	}
}

func firstDifference(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	around := func(s string) string { return s[max(0, i-80):min(len(s), i+80)] }
	return "kept: …" + around(a) + "…\nnow:  …" + around(b) + "…"
}

// later are citations that the kept files do not have: of what is programmed, and of draws of networks.
var later = regexp.MustCompile(`,"program":\{"theorem":\{[^}]*\}(,"assumes":"[^"]*")?\}` +
	`|,"theorem":\{"name":"NetworkDraw[^}]*\}(,"assumes":"[^"]*")?`)

// compactJSON is a release file without its blanks, under the name of the version that wrote the kept ones: a version
// changes that name, and nothing else.
func compactJSON(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	must.Do(t, json.Compact(&out, b))
	file := later.ReplaceAll(out.Bytes(), nil)
	return bytes.Replace(file, []byte(`"library":"`+release.Version+`"`), []byte(`"library":"0.1.0"`), 1)
}

func writeGolden(t testing.TB, f *privbayes.Frame, path string, cases []goldenCase) {
	t.Helper()
	var lines []goldenLine
	for _, c := range cases {
		if b, ok := c.draw(t, f); ok {
			lines = append(lines, goldenLine{c.name, b})
		}
	}
	keepGolden(t, path, lines)
}

func keepGolden(t testing.TB, path string, lines []goldenLine) {
	t.Helper()
	var out bytes.Buffer
	z := must.Get(gzip.NewWriterLevel(&out, gzip.BestCompression))(t)
	e := json.NewEncoder(z)
	e.SetEscapeHTML(false)
	for _, l := range lines {
		must.Do(t, e.Encode(l))
	}
	must.Do(t, errors.Join(z.Close(), os.WriteFile(path, out.Bytes(), 0o600)))
}

func readGolden(t testing.TB, path string) map[string][]byte {
	t.Helper()
	file := must.Get(os.Open(path))(t)
	defer func() { _ = file.Close() }()
	z := must.Get(gzip.NewReader(file))(t)
	out, d := map[string][]byte{}, json.NewDecoder(z)
	for {
		var l goldenLine
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out[l.Name] = compactJSON(t, l.Release)
	}
}

// Releases with statements are those that are kept, byte for byte, and kept files load with their distances.
func TestReleasesWithStatementsStayAsTheyWere(t *testing.T) {
	f, m := goldenFrame(t), privbayes.MaxEntropy().Always().Statements()
	cases := []goldenCase{
		{"all distances", m, privbayes.DiscreteGaussian(), privbayes.ApproxDP(1, 1e-6).Under(privbayes.AddRemove)},
		{"the worst", privbayes.Tree().Always().Statements(), privbayes.Geometric(), privbayes.PureDP(1)},
	}
	stayAsTheyWere(t, goldenStated, f, cases, func(name string, r *release.Release) {
		if list := must.Get(r.Distances(.95))(t); len(list) != len(r.Plan().Shape().Learning().Pairs) {
			t.Errorf("%s: %d distances", name, len(list))
		}
	})
}
