package privbayes_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/score"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// payroll is a table in which women earn less, regions say nothing, and every tenth wage is missing.
func payroll(t testing.TB, rows int) *privbayes.Frame {
	t.Helper()
	wage := frame.Integer("wage", 0, 10, 20, 30, 40)
	wage.Missing, wage.OnMissing = []string{""}, frame.MissingAsCategory
	s := &frame.Schema{Dataset: "pay", Columns: []frame.Column{frame.Categorical("sex", "female", "male"), wage,
		frame.Categorical("region", "north", "east", "south"), frame.Categorical("union", "no", "yes")}}
	var text strings.Builder
	text.WriteString("sex,wage,region,union\n")
	for r := range rows {
		sex, union := []string{"female", "male"}[r%2], []string{"no", "yes"}[r/7%2]
		pay := []string{"", "5", "15", "25", "35", "8", "12", "33", "22", "18"}
		if text.WriteString(sex + ","); r%20 < 2 {
			text.WriteString(pay[0])
		} else if r%2 == 0 && r%3 > 0 {
			text.WriteString(pay[1])
		} else {
			text.WriteString(pay[1+r/2%9])
		}
		text.WriteString("," + []string{"north", "east", "south"}[r/4%3] + "," + union + "\n")
	}
	f, err := frame.Read(t.Context(), strings.NewReader(text.String()), "pay", s)
	return privbayes.WrapFrame(f, err)
}

// Tests of measured pairs find what is there, in the release and in its file alike, in the units of the data, without
// the missing wages; a pair that is given has one p, a chosen one is adjusted for all pairs.
func TestPairsAreTested(t *testing.T) {
	f := payroll(t, 6000)
	star := must.Get(f.Learn(privbayes.MaxEntropy().Star("sex")).
		Privatize(privbayes.DiscreteGaussian(), privbayes.ZCDP(.5), privbayes.Seeded(1)).Release())(t)
	chosen := must.Get(f.Learn(privbayes.MaxEntropy().Always()).
		Privatize(privbayes.Geometric(), privbayes.PureDP(4), privbayes.Seeded(2)).Release())(t)
	for name, r := range map[string]*release.Release{"star": star, "chosen": chosen,
		"file": must.Get(release.Parse(t.Context(), must.Get(star.JSON())(t)))(t)} {
		for _, test := range release.Associations() {
			pair, err := r.TestPair(t.Context(), test, "wage", "sex")
			if err != nil || pair.P > 1e-6 || pair.Adjusted < pair.P || pair.Chosen != (name == "chosen") {
				t.Errorf("%s, %s: %+v, %v", name, test, pair, err)
			}
		}
		pay := must.Get(r.TestPair(t.Context(), privbayes.TTest, "sex", "wage"))(t)
		if pay.Groups != [2]string{"female", "male"} || pay.Difference < 6 || pay.Difference > 10 || pay.Noise > .2 {
			t.Errorf("%s: %+v", name, pay)
		}
		text := pay.String()
		for _, want := range []string{"Are sex and wage independent?", "of male from female", "< 0.0001"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in\n%s", name, want, text)
			}
		}
		must.Get(json.Marshal(pay))(t)
	}
	if pair, err := chosen.TestPair(t.Context(), privbayes.MannWhitney, "union", "sex"); err == nil &&
		math.Abs(pair.Adjusted-(1-math.Pow(1-pair.P, 6))) > 1e-12 || errors.As(err, new(*dp.ParameterError)) {
		t.Error(pair, err)
	}
	for _, test := range []release.Association{privbayes.ChiSquare, privbayes.MannWhitney, privbayes.MedianTest} {
		pair, err := star.TestPair(t.Context(), test, "sex", "region")
		if err != nil || pair.P < 1e-4 || pair.Adjusted != pair.P {
			t.Errorf("%s: %+v, %v", test, pair, err) // r/4 and r are not related
		}
	}
}

// In two batches what is chosen decides the noise of a table. There p is adjusted for any noise, χ² of a chosen pair is
// refused, and shares have intervals of the rows alone. Such a release with sums within bins loads and verifies, and one
// whose sums or report are edited does not.
func TestBatchesWithSumsAndTests(t *testing.T) {
	regions := []string{"north", "east", "south", "west", "centre", "isles"}
	s := &frame.Schema{Dataset: "areas", Columns: []frame.Column{frame.Categorical("sex", "female", "male"),
		frame.Integer("wage", 0, 10, 20, 30, 40, 50, 60), frame.Categorical("born", regions...),
		frame.Categorical("lives", regions...), frame.Categorical("works", regions...)}}
	columns := map[string]any{}
	var sex, born, lives, works []string
	var wage []int
	for r := range 6000 {
		sex, wage = append(sex, []string{"female", "male"}[r%2]), append(wage, r*7%31+r%2*25)
		born, lives = append(born, regions[r*r%6]), append(lives, regions[r/5%6])
		works = append(works, regions[(r/5+r%11/9)%6])
	}
	columns["sex"], columns["wage"], columns["born"], columns["lives"], columns["works"] = sex, wage, born, lives, works
	made, err := frame.FromColumns(s, columns)
	f := privbayes.WrapFrame(made, err)
	p := f.Learn(privbayes.MaxEntropy().Always().Size(1_000_000)).
		Privatize(privbayes.DiscreteGaussian(), privbayes.ApproxDP(4, 1e-9).Under(privbayes.AddRemove), privbayes.Seeded(3))
	r := must.Get(p.Release())(t)
	if got := r.Plan().Setting("algorithm"); !strings.HasPrefix(got, "two batches") || len(r.Estimate().Within) != 1 {
		t.Fatal(got, r.Estimate().Within)
	}
	file := must.Get(r.JSON())(t)
	if v, err := release.VerifyBytes(t.Context(), file); err != nil || !v.OK() {
		t.Errorf("%v, %v", v, err)
	}
	chosen := r.Structure().Rounds[0].Columns
	pair := must.Get(r.TestPair(t.Context(), privbayes.MannWhitney, "sex", "wage"))(t)
	if want := score.AnyNoise(pair.P, pair.Pairs); !pair.Chosen || pair.Adjusted != want || pair.Pairs != 10 {
		t.Errorf("%+v: want %v", pair, want)
	}
	var no *release.NotAnsweredError
	if _, err := r.TestPair(t.Context(), privbayes.ChiSquare, chosen[0], chosen[1]); !errors.As(err, &no) {
		t.Error(err)
	}
	for _, s := range must.Get(r.MeasuredShares(t.Context(), .95, "sex", "wage"))(t) {
		if s.Population != nil || s.Rows == nil {
			t.Errorf("%+v", s)
		}
	}
	var draw struct {
		Draw struct {
			Within [][]int64 `json:"within"`
			Rounds []struct {
				Counts []int64 `json:"counts"`
			} `json:"rounds"`
		} `json:"draw"`
	}
	must.Do(t, json.Unmarshal(file, &draw))
	text := string(compactJSON(t, file))
	for name, list := range map[string][]int64{"sums": draw.Draw.Within[0], "report": draw.Draw.Rounds[0].Counts} {
		whole := string(must.Get(json.Marshal(list))(t))
		for _, other := range [][]int64{list[1:], append([]int64{list[0] + 1_000_000}, list[1:]...)} {
			edited := strings.Replace(text, whole, string(must.Get(json.Marshal(other))(t)), 1)
			if v, err := release.VerifyBytes(t.Context(), []byte(edited)); edited == text || err == nil && v.OK() {
				t.Errorf("%s: %d of %d numbers verify", name, len(other), len(list))
			}
		}
	}
}

// What has no answer is refused by a typed error that says what has one.
func TestPairsWithoutAnAnswer(t *testing.T) {
	f := payroll(t, 3000)
	learned := func(m model.LearnedModel) *release.Release {
		return must.Get(f.Learn(m).Privatize(privbayes.Geometric(), privbayes.PureDP(3), privbayes.Seeded(1)).Release())(t)
	}
	star := learned(privbayes.MaxEntropy().Star("sex"))
	zeros := learned(privbayes.MaxEntropy().Always().StructuralZeros(map[string]string{"sex": "female", "union": "yes"}))
	for name, c := range map[string]struct {
		r       *release.Release
		test    release.Association
		a, b    string
		refused bool // by *dp.ParameterError
		says    string
	}{
		"not measured":      {star, privbayes.ChiSquare, "wage", "region", false, "want a pair that was measured: "},
		"structural zeros":  {zeros, privbayes.ChiSquare, "sex", "union", false, "structural zeros"},
		"no number":         {star, privbayes.TTest, "sex", "region", false, "the mean of region"},
		"an unknown column": {star, privbayes.ChiSquare, "sex", "wages", true, `"wage"`},
		"an unknown test":   {star, "anova", "sex", "wage", true, "mann-whitney"},
		"one column":        {star, privbayes.ChiSquare, "sex", "sex", true, "twice"},
	} {
		_, err := c.r.TestPair(t.Context(), c.test, c.a, c.b)
		var no *release.NotAnsweredError
		var bad *dp.ParameterError
		if errors.As(err, &no) == c.refused || errors.As(err, &bad) != c.refused || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	given := must.Get(f.Model(privbayes.Categorical("sex")).Privatize(privbayes.Geometric(), privbayes.PureDP(3),
		privbayes.Seeded(1)).Release())(t)
	var bad *dp.ParameterError
	if _, err := given.TestPair(t.Context(), privbayes.ChiSquare, "sex", "wage"); !errors.As(err, &bad) {
		t.Error(err)
	}
	if _, err := star.MeasuredShares(t.Context(), 1, "sex"); !errors.As(err, new(*dp.ParameterError)) {
		t.Error(err)
	}
}

// The shares of a measured pair add up, hold the rows' own, and are those that a joint table of all columns has as
// sums.
func TestMeasuredSharesOfPairs(t *testing.T) {
	f := payroll(t, 3000)
	star := must.Get(f.Learn(privbayes.MaxEntropy().Star("sex")).
		Privatize(privbayes.DiscreteGaussian(), privbayes.ZCDP(.5), privbayes.Seeded(1)).Release())(t)
	joint := must.Get(f.Learn(privbayes.MaxEntropy()).
		Privatize(privbayes.DiscreteGaussian(), privbayes.ZCDP(5), privbayes.Seeded(1)).Release())(t)
	if rounds := joint.Structure().Rounds; len(rounds) != 1 || len(rounds[0].Columns) != 4 {
		t.Fatal("the joint table was not measured:", rounds)
	}
	counts := must.Get(must.Get(f.Data().AsPublic("made up in this test"))(t).Counts("sex", "wage"))(t)
	for _, r := range []*release.Release{star, joint} {
		shares := must.Get(r.MeasuredShares(t.Context(), 1-1e-9, "sex", "wage"))(t)
		sum := 0.0
		for i, s := range shares {
			if share := float64(counts[i]) / 3000; s.Rows.Lower > share || s.Rows.Upper < share || s.Of != "sex × wage" {
				t.Errorf("%+v: %v", s, share)
			}
			sum += s.Estimate
		}
		if math.Abs(sum-1) > .01 || len(shares) != 10 || shares[1].Label != "female, [10, 20)" {
			t.Error(sum, shares)
		}
	}
}

// The share of a column comes from the least noisy table that nothing chose. Where one table of all columns was
// measured, its sums have less noise than the column's own table, which took little of the level: over 200 releases of
// known shares the intervals are narrow, no estimate is moved far to lie in one, and they cover. The column's own
// table, in the place of the sums, would be ten times too wide.
func TestColumnsHaveTheLeastNoisyTable(t *testing.T) {
	f := payroll(t, 3000)
	held, all := 0, 0
	for seed := range uint64(200) {
		r := must.Get(f.Learn(privbayes.MaxEntropy()).
			Privatize(privbayes.Geometric(), privbayes.PureDP(2), privbayes.Seeded(seed)).Release())(t)
		structure := r.Structure()
		if len(structure.Rounds) != 1 || !structure.Rounds[0].Given {
			t.Fatal("the joint table was not measured:", structure.Rounds)
		}
		share := must.Get(r.MeasuredShares(t.Context(), .95, "sex"))(t)[0]
		noise := structure.Measured[0].Noise // of sex by itself
		if own := 2 * 1.96 * math.Sqrt(noise.Variance()) / 3000; share.Rows.Upper-share.Rows.Lower > own/10 ||
			math.Abs(share.Estimate-.5) > .02 {
			t.Fatalf("%+v, by the column's own table %v wide", share, own)
		}
		if all++; share.Rows.Lower <= .5 && .5 <= share.Rows.Upper {
			held++
		}
	}
	if least := 166; held < least { // fewer with probability 1e-9 at most, of 200 at .95: one-sided
		t.Errorf("%d of %d intervals hold the share", held, all)
	}
}
