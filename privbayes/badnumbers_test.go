package privbayes_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

var digits = regexp.MustCompile(`[0-9.]+`)

// wages is a frame of a wage between 0 and 100 in ten bins, of a group with a level that nobody has, and of a word.
func wages(t *testing.T, values ...string) *privbayes.Frame {
	t.Helper()
	edges := make([]float64, 11)
	for i := range edges {
		edges[i] = float64(10 * i)
	}
	wage := frame.Real("wage", edges...)
	wage.OnOutOfDomain = frame.DomainClamp
	s := &frame.Schema{Dataset: "wages", Columns: []frame.Column{wage, frame.Categorical("group", "a", "b", "nobody"),
		frame.Categorical("word", "yes", "no")}}
	text := "wage,group,word\n"
	for i, v := range values {
		text += fmt.Sprintf("%s,%s,yes\n", v, []string{"a", "b"}[i%2])
	}
	path := filepath.Join(t.TempDir(), "wages.csv")
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return privbayes.LoadFrame(path, s)
}

// What is wrong with a question about numbers is refused before anything is drawn, by a typed error that names the
// column and the value.
func TestBadQuestionsAboutNumbers(t *testing.T) {
	f := wages(t, "1", "20", "30", "44")
	eps := privbayes.PureDP(1)
	for name, c := range map[string]struct {
		model privbayes.ModelSpec
		mech  privbayes.Mechanism
		words []string
	}{
		"a mean of categories":       {privbayes.Mean("word"), privbayes.NoisySums(), []string{"word"}},
		"means of categories":        {privbayes.Means("wage", "word"), privbayes.NoisySums(), []string{"word"}},
		"a spread of categories":     {privbayes.MeanSD("group"), privbayes.NoisySums(), []string{"group"}},
		"a quantile of categories":   {privbayes.Quantiles("word", .5), privbayes.QuantileEM(), []string{"word"}},
		"groups of a number":         {privbayes.GroupMeans("wage", "wage"), privbayes.NoisySums(), []string{"wage"}},
		"a mean of nothing":          {privbayes.Mean("salary"), privbayes.NoisySums(), []string{"salary"}},
		"the quantile at 0":          {privbayes.Quantiles("wage", 0), privbayes.QuantileEM(), []string{"0"}},
		"the quantile at 1":          {privbayes.Quantiles("wage", 1), privbayes.QuantileEM(), []string{"1"}},
		"the quantile at 1.5":        {privbayes.Quantiles("wage", 1.5), privbayes.QuantileEM(), []string{"1.5"}},
		"the quantile at NaN":        {privbayes.Quantiles("wage", math.NaN()), privbayes.QuantileEM(), []string{"NaN"}},
		"quantiles that do not rise": {privbayes.Quantiles("wage", .5, .5), privbayes.JointQuantiles(), []string{"0.5"}},
		"a rate of categories":       {privbayes.Exponential("word"), privbayes.NoisySums(), []string{"word"}},
		"a histogram of words":       {privbayes.Quantiles("group", .5), privbayes.HistogramQuantiles(), []string{"group"}},
		"steps of a lattice":         {privbayes.Mean("wage").WithResolution(-1), privbayes.NoisySums(), []string{"-1"}},
		"steps beyond the sampler": {privbayes.Mean("wage").WithResolution(1 << 62), privbayes.NoisySums(),
			[]string{"4611686018427387904"}},
		"more quantiles than points": {privbayes.Quantiles("wage", .2, .4, .6, .8).WithResolution(2),
			privbayes.JointQuantiles(), []string{"wage"}},
	} {
		p := f.Model(c.model).Privatize(c.mech, eps)
		r, err := p.Release()
		var parameter *dp.ParameterError
		var of *model.Error
		var unsupported *mechanism.UnsupportedError
		var step *privbayes.StepError
		switch {
		case err == nil || r != nil:
			t.Errorf("%s: released", name)
		case !errors.As(err, &parameter) && !errors.As(err, &of) && !errors.As(err, &unsupported) &&
			!errors.As(err, &step):
			t.Errorf("%s: %T %v", name, err, err)
		}
		for _, w := range c.words {
			if err != nil && !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not name %q", name, err, w)
			}
		}
	}
}

// Bounds that are equal or swapped, or no numbers, are no schema.
func TestBadBounds(t *testing.T) {
	for _, edges := range [][]float64{{5, 5}, {10, 0}, {0, math.NaN()}, {math.Inf(-1), 3}, {0, math.Inf(1)}, {7}} {
		s := &frame.Schema{Dataset: "wages", Columns: []frame.Column{frame.Real("wage", edges...)}}
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "wage") {
			t.Errorf("edges %v: %v", edges, err)
		}
	}
}

// Odd but legal data is released: bounds may clip more than half of the rows, a group may have no row. How many
// values were clipped is not told: the release reads as one of other data does but for its numbers.
func TestOddNumbersAreReleased(t *testing.T) {
	f := wages(t, "-40", "1e6", "1e9", "-3", "50", "60")
	for _, m := range []privbayes.ModelSpec{privbayes.Mean("wage"), privbayes.GroupMeans("wage", "group"),
		privbayes.MeanSD("wage")} {
		r, err := f.Model(m).Privatize(privbayes.NoisySums(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
		if err != nil {
			t.Errorf("%v: %v", m, err)
			continue
		}
		within := must.Get(wages(t, "40", "16", "19", "3", "50", "60").Model(m).Privatize(privbayes.NoisySums(),
			privbayes.PureDP(1), privbayes.Seeded(1)).Release())(t)
		if a, b := digits.ReplaceAllString(r.Caption(), ""), digits.ReplaceAllString(within.Caption(), ""); a != b {
			t.Errorf("%v tells clipped values: %q, %q", m, a, b)
		}
	}
	// What is no finite number is refused where the schema has no value for it, by column and value.
	for _, v := range []string{"NaN", "-Inf", "+Inf"} {
		if err := wages(t, "1", v).Err(); err == nil || !strings.Contains(err.Error(), "wage") ||
			!strings.Contains(err.Error(), v) {
			t.Errorf("%s: %v", v, err)
		}
	}
}
