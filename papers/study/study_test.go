package study_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/papers/study"
)

func TestWrongSettingsAreNamed(t *testing.T) {
	good := study.Setting{Prior: []float64{1, 2}, X: []int64{3, 4}, Epsilon: 1, Delta: 0.1}
	for _, c := range []struct {
		field string
		spoil func(s *study.Setting)
	}{
		{"len(Prior)", func(s *study.Setting) { s.Prior = []float64{1} }},
		{"len(Prior)", func(s *study.Setting) { s.Prior = make([]float64, 4) }},
		{"len(X)", func(s *study.Setting) { s.X = []int64{1, 2, 3} }},
		{"Prior[1]", func(s *study.Setting) { s.Prior = []float64{1, math.NaN()} }},
		{"Prior[0]", func(s *study.Setting) { s.Prior = []float64{0, 1} }},
		{"X[0]", func(s *study.Setting) { s.X = []int64{-1, 2} }},
		{"X[1]", func(s *study.Setting) { s.X = []int64{1, math.MaxInt64} }},
		{"ΣX", func(s *study.Setting) { s.X = []int64{0, 0} }},
		{"ΣX", func(s *study.Setting) { s.X = []int64{study.MaxN2, 1} }},
		{"ΣX", func(s *study.Setting) { s.Prior, s.X = []float64{1, 1, 1}, []int64{study.MaxN3, 1, 0} }},
		{"Epsilon", func(s *study.Setting) { s.Epsilon = math.Inf(1) }},
		{"Epsilon", func(s *study.Setting) { s.Epsilon = study.MinEpsilon / 2 }},
		{"Epsilon", func(s *study.Setting) { s.Epsilon = study.MaxEpsilon * 2 }},
		{"Delta", func(s *study.Setting) { s.Delta = 0 }},
	} {
		s := good
		c.spoil(&s)
		_, err := study.Accuracy(t.Context(), s)
		var e *study.SettingError
		if !errors.As(err, &e) || e.Field != c.field || !strings.Contains(err.Error(), c.field) {
			t.Errorf("%+v: error %v, want one about %s", s, err, c.field)
		}
	}
	for name, err := range map[string]error{
		"labels":      second(study.Compare(t.Context(), good, map[string]string{"EM locale": "x"})),
		"len(ts)":     second(study.AccuracyBound(t.Context(), good, nil)),
		"ts[1]":       second(study.AccuracyBound(t.Context(), good, []float64{0, math.NaN()})),
		"ΣX":          second(study.Figure1(t.Context(), good.Prior, 9, good.X)),
		"len(alphas)": second(study.AgainstPrior(t.Context(), []float64{1}, good.X, 1)),
		"alphas[1]":   second(study.AgainstPrior(t.Context(), []float64{1, 1}, good.X, 1)),
		"epsilons[0]": second(study.AgainstEpsilon(t.Context(), good.Prior, good.X, []float64{-1, 1})),
		"Epsilon":     second(study.AgainstEpsilon(t.Context(), good.Prior, good.X, []float64{1, 1000})),
	} {
		var e *study.SettingError
		if !errors.As(err, &e) || e.Field != name {
			t.Errorf("error %v, want one about %s", err, name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestACancelledContextStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := study.NotesSettings()[4]
	for _, err := range []error{
		second(study.Accuracy(ctx, s)), second(study.Figure3(ctx, nil)),
		second(study.AccuracyBound(ctx, s, []float64{1})),
		second(study.Figure1(ctx, s.Prior, s.N(), s.X)), second(study.AgainstPrior(ctx, []float64{1, 2}, s.X, 1)),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
	}
}

// The maximum over candidates is attained at x and at its farthest neighbours, and nowhere else.
func TestFigure1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(2, 3).Draw(t, "d")
		prior, x, n := make([]float64, d), make([]int64, d), int64(1)
		for i := range prior {
			prior[i] = rapid.Float64Range(0.05, 20).Draw(t, "alpha")
			x[i] = rapid.Int64Range(0, 8).Draw(t, "x")
			n += x[i]
		}
		x[0]++
		c, err := study.Figure1(t.Context(), prior, n, x)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(c.Max-c.Local) > 1e-12*c.Local {
			t.Fatalf("maximum %v, local sensitivity %v", c.Max, c.Local)
		}
		seen := map[string]bool{}
		for _, r := range c.Argmax {
			far := int64(0)
			for i := range r {
				far += max(r[i]-x[i], 0)
			}
			if far > 1 {
				t.Fatalf("%v attains the maximum at x = %v, prior %v", r, x, prior)
			}
			seen[string(rune(far))] = seen[string(rune(far))] || far == 0 || slices.Equal(r, c.Y)
		}
		if !seen["\x00"] || !seen["\x01"] || c.RunnerUp >= c.Max {
			t.Fatalf("argmax %v, want %v and %v; runner-up %v of %v", c.Argmax, x, c.Y, c.RunnerUp, c.Max)
		}
		if err := c.Figure.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestTheAccuracyBoundHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := study.Setting{
			Prior:   []float64{rapid.Float64Range(0.1, 9).Draw(t, "a"), rapid.Float64Range(0.1, 9).Draw(t, "b")},
			X:       []int64{rapid.Int64Range(0, 40).Draw(t, "x"), rapid.Int64Range(1, 40).Draw(t, "y")},
			Epsilon: rapid.Float64Range(0.5, 40).Draw(t, "epsilon"), Delta: 0.1,
		}
		rows, err := study.AccuracyBound(t.Context(), s, []float64{-2, 0, 0.5, 2, 6})
		if err != nil || len(rows) != 15 {
			t.Fatal(len(rows), err)
		}
		for _, r := range rows {
			size := math.Log(float64(s.N() + 1))
			if math.Abs(r.Threshold-2*r.S/s.Epsilon*(size+r.T)) > 1e-12*(1+math.Abs(r.Threshold)) ||
				r.Bound != math.Exp(-r.T) {
				t.Fatalf("%+v", r)
			}
			if r.Exact > r.Bound || r.Vacuous && r.Exact != 0 {
				t.Fatalf("%+v", r)
			}
		}
	})
}

func TestOriginOfThePrintedConstants(t *testing.T) {
	for i, c := range study.PrintedConstants() {
		printed := []float64{0.239992747797, 0.0699407108115, 0.0677791100173, 0.0677791100173}[i]
		truth := []float64{0.23362948070888, 0.0698191876427854, 0.0676838956061728, 0.0653087964221843}[i]
		if math.Abs(c.Value-printed) > 6e-13 || math.Abs(c.Truth-truth) > 1e-14 {
			t.Errorf("%s: %v, %v", c.Printed, c.Value, c.Truth)
		}
		if c.Where == "" || c.CalledThere == "" || c.Is == "" || c.TruthIs == "" || c.Is == c.CalledThere {
			t.Errorf("%+v lacks words", c)
		}
	}
	if text := study.Origin().String(); !strings.Contains(text, "0.0653087964221843") {
		t.Error(text)
	}
}

func TestFiguresOfTheNotes(t *testing.T) {
	labels := map[string]string{study.EMLocal: "0.8438-DP"}
	c, err := study.Compare(t.Context(), study.NotesSettings()[4], labels)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Outcomes) != 11 || !strings.Contains(study.Distances(c).Caption, "EM LS: 0.8438-DP") ||
		!strings.Contains(c.Table.String(), "0.8438-DP") {
		t.Errorf("%d mechanisms, caption %q", len(c.Outcomes), study.Distances(c).Caption)
	}
	two, err := study.Figure2(t.Context(), nil)
	if err != nil || len(two) != 4 || len(two[0].Outcomes) != 12 {
		t.Fatal(len(two), err)
	}
	for _, f := range []*study.Comparison{c, two[0], two[3]} {
		for _, want := range []string{"ε = ", "δ = ", "n = ", "replace-one"} {
			if h := study.Distances(f); !strings.Contains(h.Caption, want) {
				t.Errorf("caption %q lacks %q", h.Caption, want)
			}
		}
		for _, o := range f.Outcomes {
			if len([]rune(o.Short)) > 16 || o.Privacy == "" {
				t.Errorf("%q: short name %q, privacy %q", o.Name, o.Short, o.Privacy)
			}
		}
		if _, err := study.Distances(f).SVG(); err != nil {
			t.Error(err)
		}
		if _, err := study.Records(f).SVG(); err != nil {
			t.Error(err)
		}
	}
	if study.Brief() {
		return
	}
	four, err := study.Figure4(t.Context(), nil)
	if err != nil || len(four) != 2 || four[0].Setting.N() != 150 {
		t.Error(len(four), err)
	}
}

func TestSweeps(t *testing.T) {
	f, err := study.AgainstEpsilon(t.Context(), []float64{7, 4, 5}, []int64{30, 25, 28}, []float64{0.5, 1, 4})
	if err != nil {
		t.Fatal(err)
	}
	p, err := study.AgainstPrior(t.Context(), []float64{0.5, 1, 20}, []int64{60, 50}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Series) != 6 || len(p.Series) != 4 {
		t.Errorf("%d and %d lines", len(f.Series), len(p.Series))
	}
	for _, s := range append(f.Series, p.Series...) {
		if len(s.Y) != 3 || s.Y[0] <= s.Y[2] {
			t.Errorf("%s does not fall: %v", s.Name, s.Y)
		}
	}
	if err := errors.Join(f.Validate(), p.Validate()); err != nil {
		t.Error(err)
	}
}

// In the printed regime every Hellinger exponential mechanism is less accurate than noise on the counts
// (theory/hellinger.md §0, row 20).
func TestNoiseOnCountsWinsInTheNotesSettings(t *testing.T) { // one of each prior
	for i, s := range study.NotesSettings() {
		if i != 1 && i != 6 {
			continue
		}
		outcomes, err := study.Accuracy(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		laplace, knorm := math.Inf(1), math.Inf(1)
		for _, o := range outcomes {
			switch o.Name {
			case study.LaplacePerCell:
				laplace = o.MeanH
			case study.KNorm:
				knorm = o.MeanH
			}
		}
		for _, o := range outcomes {
			if (strings.HasPrefix(o.Name, "EM") || strings.HasPrefix(o.Name, "PF")) && o.MeanH <= max(laplace, knorm) {
				t.Errorf("%s: %s has E[H] = %v, Laplace %v, K-norm %v", s.Label, o.Name, o.MeanH, laplace, knorm)
			}
		}
		if text := study.AccuracyTable(s, outcomes).CSV(); !strings.Contains(text, study.KNorm) {
			t.Error(text)
		}
	}
}

// Every mechanism stands in the outcomes, in one order, those of two cells only there; quantiles rise.
func TestAccuracyListsTheMechanisms(t *testing.T) {
	names := []string{
		study.EMGlobal, study.EMLocal, study.EMSmoothN, study.EMSmoothN1, study.EMSmoothR, study.EMSmoothProved,
		study.EMReciprocal010, study.EMReciprocal025, study.EMReciprocal050, study.EMReciprocal100, study.EMLocalPlus,
		study.EMLocalPlus2,
		study.PFGlobal, study.PFReciprocal, study.EMDistance, study.KNorm, study.GeometricClamp, study.LaplaceOneCell,
		study.LaplacePerCell, study.DiscreteLaplace,
	}
	for _, s := range []study.Setting{
		{Prior: []float64{7, 4}, X: []int64{12, 8}, Epsilon: 1, Delta: .1},
		{Prior: []float64{7, 4, 5}, X: []int64{4, 2, 3}, Epsilon: 1, Delta: .1},
	} {
		out, err := study.Accuracy(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range out {
			got = append(got, o.Name)
			if !slices.IsSorted([]float64{o.Q05, o.Q25, o.Q50, o.Q75, o.Q95}) ||
				!slices.IsSorted([]float64{o.Q05L1, o.Q25L1, o.Q50L1, o.Q75L1, o.Q95L1}) {
				t.Errorf("%+v", o)
			}
		}
		want := names
		if len(s.X) == 3 {
			want = slices.DeleteFunc(slices.Clone(names),
				func(n string) bool { return n == study.GeometricClamp || n == study.LaplaceOneCell })
		}
		if !slices.Equal(got, want) {
			t.Errorf("mechanisms %q, want %q", got, want)
		}
	}
}
