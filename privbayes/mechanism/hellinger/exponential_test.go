package hellinger

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// shapeOf is a single posterior with a prior hyperparameter per level.
func shapeOf(t testing.TB, n int, alpha ...float64) *model.Shape {
	t.Helper()
	return modelShape(t, model.Categorical("c0").WithPrior(alpha...), n, len(alpha))
}

func modelShape(t testing.TB, m model.Model, n int, levels ...int) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "toy"}
	for i, l := range levels {
		cats := make([]string, l)
		for c := range cats {
			cats[c] = fmt.Sprint(c)
		}
		s.Columns = append(s.Columns, frame.Categorical(fmt.Sprint("c", i), cats...))
	}
	return must.Get(model.NewShape(s, m, n, true, ""))(t)
}

func planOf(t testing.TB, e Exponential, sh *model.Shape, target dp.Request) *mechanism.Plan {
	t.Helper()
	return must.Get(e.Plan(t.Context(), sh, target))(t)
}

// golden is what an independent enumeration in another language found for one prior, n, ε and mode, at δ = 1e-5 for
// smooth modes.
type golden struct {
	Prior      []float64 `json:"prior"`
	N          int       `json:"n"`
	Eps        float64   `json:"eps"`
	Mech       string    `json:"mech"`
	Pure       float64   `json:"pure"`
	DeltaAtEps float64   `json:"delta_at_eps"`
	Range      float64   `json:"range"`
}

//go:embed testdata/exact.json
var exactJSON []byte

func goldens(t testing.TB) (rows []golden) {
	t.Helper()
	must.Do(t, json.Unmarshal(exactJSON, &rows))
	return rows
}

// The notes' modes at their own rate κ = ε/2 spend what the independent enumeration found.
func TestNominalModesAgainstGoldens(t *testing.T) {
	modes := map[string]Exponential{
		"GS": New().Global(), "LS": New().Local(), "LS+": New().LocalPlus(), "smooth n+1": New().Smooth(SizeNPlusOne),
		"smooth |R|": New().Smooth(SizeCandidate),
	}
	checked := 0
	for _, r := range goldens(t) {
		e, ok := modes[r.Mech]
		if !ok || testing.Short() && (r.N > 50 || r.Eps != 1) {
			continue
		}
		target := dp.AsPublished(r.Eps)
		if e.scale == smoothScale {
			target = dp.AsPublished(r.Eps, 1e-5)
		}
		p := planOf(t, e, shapeOf(t, r.N, r.Prior...), target)
		got := p.Certified()
		if got.Notion != dp.Pure || !(float64(got.Epsilon) >= r.Pure && float64(got.Epsilon) <= r.Pure+1e-9) {
			t.Errorf("%s, prior %v, n = %d, ε = %v: certified %s, exact pure ε %v", r.Mech, r.Prior, r.N, r.Eps, got,
				r.Pure)
		}
		if e.scale == smoothScale {
			checks := p.Certificate().All()
			if d := float64(checks[len(checks)-1].Value); math.Abs(d-r.DeltaAtEps) > 1e-9*r.DeltaAtEps+1e-12 {
				t.Errorf("%s, prior %v, n = %d: δ(%v) = %v, golden %v", r.Mech, r.Prior, r.N, r.Eps, d, r.DeltaAtEps)
			}
		}
		checked++
	}
	if checked < 40 {
		t.Fatalf("only %d rows", checked)
	}
}

// The calibrated multiplier m = κ/(ε/2) of theory/hellinger.md §7; the shipped κ may stay 2e-4 below it.
func TestCalibrationAgainstGoldens(t *testing.T) {
	for _, c := range []struct {
		e     Exponential
		n     int
		alpha []float64
		eps   float64
		m     float64
	}{
		{New().Global(), 500, []float64{7, 4}, .5, 1.91493}, {New().Local(), 500, []float64{7, 4}, .5, 1.34334},
		{New().Reciprocal(.1), 500, []float64{7, 4}, .5, 1.84590}, {New(), 500, []float64{7, 4}, .5, 1.82760},
		{New().Reciprocal(.5), 500, []float64{7, 4}, .5, 1.49359},
		{New().Reciprocal(.5), 500, []float64{1, 1}, 2, 1.89621},
	} {
		p := planOf(t, c.e, shapeOf(t, c.n, c.alpha...), dp.PureDP(c.eps))
		var got params
		must.Do(t, json.Unmarshal(p.Params(), &got))
		if m := got.Tables[0].Kappa / (c.eps / 2); !(m <= c.m+1e-5 && m >= c.m*(1-3e-4)) {
			t.Errorf("%s: m = %.6f, golden %.5f", c.e.Title(), m, c.m)
		}
		if e := float64(p.Certified().Epsilon); e > c.eps || e < 0.999*c.eps {
			t.Errorf("%s: certified %v of %v", c.e.Title(), e, c.eps)
		}
	}
}

// DL(7,4,5) at the notes' ε = 0.8: what the local mode really spends (theory/hellinger.md §5), with a raised work
// limit.
func TestLocalModeOfTheNotes(t *testing.T) {
	if testing.Short() {
		t.Skip("enumerates 8e7 pairs × outputs")
	}
	ctx := cert.WithWorkLimit(t.Context(), 200_000_000)
	p := must.Get(New().Local().Plan(ctx, shapeOf(t, 100, 7, 4, 5), dp.AsPublished(.8)))(t)
	if e := float64(p.Certified().Epsilon); math.Abs(e-.843842) > 1e-6 {
		t.Errorf("exact pure ε = %v, want .843842", e)
	}
	b := must.Get(json.Marshal(p))(t)
	// a file made under a raised limit certifies again under the default one
	if q, err := mechanism.ParsePlan(context.Background(), b); err != nil || q.Certified() != p.Certified() {
		t.Error(q, err)
	}
}

// Where nothing is proved, nothing is claimed.
func TestUnprovedModesClaimNothing(t *testing.T) {
	ctx := cert.WithWorkLimit(t.Context(), 1000)
	for _, e := range []Exponential{New().Local(), New().Smooth(SizeN), New().Smooth(SizeNPlusOne)} {
		p := must.Get(e.Plan(ctx, shapeOf(t, 40, 1, 1, 1), dp.AsPublished(1, 1e-5)))(t)
		if p.Certified().Notion != dp.None || p.Certified().Reason == "" {
			t.Errorf("%s claims %s", e.Title(), p.Certified())
		}
	}
	for _, c := range []struct {
		e    Exponential
		want dp.Parameters
	}{
		{New().Global(), dp.Parameters{Notion: dp.Pure, Epsilon: 1}},
		{New().LocalPlus(), dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number((1 + math.Sqrt(1+2*1.11730*1.11730)) / 2)}},
		{New().Smooth(SizeCandidate), dp.Parameters{Notion: dp.Approximate, Epsilon: 1.5, Delta: 5e-6}},
	} {
		target := dp.AsPublished(1, 1e-5)
		p := must.Get(c.e.Plan(ctx, shapeOf(t, 40, 1, 1, 1), target))(t)
		got := p.Certified()
		if got.Notion != c.want.Notion || math.Abs(float64(got.Epsilon-c.want.Epsilon)) > 1e-4 ||
			math.Abs(got.Delta-c.want.Delta) > 1e-9 {
			t.Errorf("%s: certified %s, want %s", c.e.Title(), got, c.want)
		}
	}
}

// Targets beyond pure ε, several tables and several rows stay within the target and spend it.
func TestTargets(t *testing.T) {
	bayes := modelShape(t, model.NaiveBayes("c0"), 12, 2, 2, 3)
	for _, c := range []struct {
		e      Exponential
		sh     *model.Shape
		target dp.Request
		least  float64 // share of ε spent at the target's δ
	}{
		{New(), shapeOf(t, 20, 1, 1), dp.ApproxDP(1, 1e-6), .999}, {New(), shapeOf(t, 20, 1, 1, 1), dp.ZCDP(.1), .999},
		{New(), shapeOf(t, 20, 1, 2), dp.RenyiDP(4, .5), .999}, {New(), bayes, dp.PureDP(1), .999},
		{New().PermuteAndFlip(), bayes, dp.PureDP(1), .999},
		{New(), bayes, dp.ApproxDP(1, 1e-6), .999}, {New().ByTheorem(), bayes, dp.PureDP(1), .999},
		{New().Global().ByTheorem(), bayes, dp.PureDP(1), .999},
		{New().Smooth(SizeN), shapeOf(t, 20, 1, 1, 1), dp.ApproxDP(1, 1e-6), 0},
	} {
		p := planOf(t, c.e, c.sh, c.target)
		if !p.Certified().Satisfies(c.target.Parameters) {
			t.Errorf("%s: certified %s for %s", c.e.Title(), p.Certified(), c.target.Parameters)
		}
		if c.least == 0 {
			continue
		}
		share := 0.0
		switch c.target.Notion {
		case dp.Approximate:
			share = loss.EpsilonFor(p.Pair(), c.target.Delta) / float64(c.target.Epsilon)
		case dp.Concentrated:
			share = p.Certified().Rho / c.target.Rho
		default:
			share = float64(p.Certified().Epsilon / c.target.Epsilon)
		}
		if share < c.least || share > 1 {
			t.Errorf("%s on %s: spends %v of %s", c.e.Title(), c.sh.Model(), share, c.target.Parameters)
		}
	}
}

func TestRefusals(t *testing.T) {
	sh := shapeOf(t, 10, 1, 1, 1)
	private := must.Get(model.NewShape(sh.Schema(), model.Categorical("c0"), 0, false, `Where("c0")`))(t)
	var no *mechanism.UnsupportedError
	var param *dp.ParameterError
	var bad *dp.ParameterError
	small := cert.WithWorkLimit(t.Context(), 10)
	for _, c := range []struct {
		name   string
		e      Exponential
		sh     *model.Shape
		target dp.Request
		as     any
	}{
		{"ε = 0", New(), sh, dp.PureDP(0), &param}, {"δ = 1", New(), sh, dp.ApproxDP(1, 1), &param},
		{"γ = 0", New().Reciprocal(0), sh, dp.PureDP(1), &bad},
		{"γ = NaN", New().Reciprocal(math.NaN()), sh, dp.PureDP(1), &bad},
		{"N = ?", New().Smooth("all"), sh, dp.ApproxDP(1, .1), &bad},
		{"smooth without δ", New().Smooth(SizeN), sh, dp.AsPublished(1), &param},
		{"add-remove", New(), sh, dp.PureDP(1).Under(dp.AddRemove), &no},
		{"replace-value", New(), sh, dp.PureDP(1).Under(dp.ReplaceValue), &no},
		{"local beyond enumeration", New().Local(), sh, dp.PureDP(1), &no},
		{"smooth beyond enumeration", New().Smooth(SizeN), sh, dp.PureDP(1), &no},
		{"too many candidates to flip", New().PermuteAndFlip(), shapeOf(t, 3000, 1, 1, 1, 1), dp.PureDP(1), &no},
		{"no sampler", New(), shapeOf(t, 1_000_000_000, make0(50)...), dp.PureDP(1), &no},
	} {
		if _, err := c.e.Plan(small, c.sh, c.target); !errors.As(err, c.as) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	var adj *sensitivity.AdjacencyError
	if _, err := New().Plan(t.Context(), private, dp.PureDP(1)); !errors.As(err, &adj) ||
		!errors.Is(err, frame.ErrPrivateN) {
		t.Error("private n:", err)
	}
}

func make0(d int) []float64 {
	a := make([]float64, d)
	for i := range a {
		a[i] = 1
	}
	return a
}

// n = 0 has one candidate, which costs nothing; n = 1 enumerates.
func TestTinySpaces(t *testing.T) {
	for _, n := range []int{0, 1, 2} {
		for _, e := range []Exponential{New(), New().Global(), New().PermuteAndFlip(), New().LocalPlus().ByTheorem()} {
			sh := shapeOf(t, n, .5, .5, 2)
			p := planOf(t, e, sh, dp.PureDP(1))
			st := must.Get(model.FromCounts(sh, [][]int64{{int64(n), 0, 0}}))(t)
			d := must.Get(p.Draw(t.Context(), st, "x", dp.Seeded(1)))(t)
			if _, err := p.Estimate(t.Context(), d); err != nil {
				t.Error(err)
			}
		}
	}
}

// edited is the plan's parameters after an edit.
func edited(t testing.TB, p *mechanism.Plan, edit func(*params)) json.RawMessage {
	t.Helper()
	var v params
	must.Do(t, json.Unmarshal(p.Params(), &v))
	edit(&v)
	return must.Get(json.Marshal(v))(t)
}

// Theorem C is about one row per unit: with more, the notes' mode claims nothing beyond enumeration. And it executes as
// what it proves, a δ, where the exact pure ε is larger than its ε.
func TestTheoremCIsForOneRow(t *testing.T) {
	sh := shapeOf(t, 200, 1, 1, 1)
	s := *sh.Schema()
	s.RowsPerUnit = 10
	ten := must.Get(model.NewShape(&s, sh.Model(), 200, true, ""))(t)
	ctx := cert.WithWorkLimit(t.Context(), 10)
	p := must.Get(New().Smooth(SizeCandidate).Plan(ctx, ten, dp.AsPublished(4, 1e-5)))(t)
	if p.Certified().Notion != dp.None {
		t.Errorf("ten rows per unit: certified %s", p.Certified())
	}
	p, err := New().Smooth(SizeN).Plan(t.Context(), shapeOf(t, 300, 100, 100, 10000), dp.ApproxDP(20, 1e-6))
	if err != nil {
		t.Fatal("a plan that Theorem C proves is refused:", err)
	}
	for _, k := range p.Certificate().All() {
		if k.Kind == "hellinger/theorem-c" && (k.Theorem == nil || k.Theorem.Name != "Smooth.smooth_private") {
			t.Error("the machine proof of Theorem C is not cited:", k)
		}
	}
	var no *mechanism.UnsupportedError
	if _, err := New().PermuteAndFlip().Plan(t.Context(), shapeOf(t, 1, make0(5000)...), dp.PureDP(1)); !errors.As(err,
		&no) {
		t.Error("5000 cells to flip:", err)
	}
}

// The rate of a plan is what the machine proof says of its numbers: the example of proofs/lib/RateFloat.v has γ, η, κ
// and the result, as integers over powers of two. Where the machine computes another η, only ρ is compared.
func TestRateOfTheMachineProof(t *testing.T) {
	text := string(must.Get(os.ReadFile("../../../proofs/lib/RateFloat.v"))(t))
	numbers := func(after string) (out []float64) {
		_, rest, _ := strings.Cut(text, after)
		rest, _, _ = strings.Cut(rest, "Proof.")
		for _, m := range regexp.MustCompile(`number (\d+) (\d+)`).FindAllStringSubmatch(rest, -1) {
			x := must.Get(strconv.ParseInt(m[1], 10, 64))(t)
			out = append(out, math.Ldexp(float64(x), -must.Get(strconv.Atoi(m[2]))(t)))
		}
		return out
	}
	rate, rho := numbers("Example rate_number"), numbers("Lemma rho_number")
	if len(rate) != 4 || len(rho) != 2 {
		t.Fatal("the proof has other numbers:", rate, rho)
	}
	gamma, eta, kappa := rate[0], rate[1], rate[2]
	s := must.Get(newSpace([]float64{1, 1, 1}, 20, reciprocalScale, gamma, 0))(t)
	if got, ok := s.rho(); !ok || got != rho[1] || gamma != rho[0] {
		t.Errorf("ρ = %x, in the proof %x", got, rho[1])
	}
	got := s.slack(kappa)
	if math.Abs(got-eta) > 1e-24 {
		t.Errorf("η = %x, in the proof %x", got, eta)
	}
	if v := theorem1(s, kappa); got == eta && v != rate[3] {
		t.Errorf("rate %x, in the proof %x", v, rate[3])
	}
}
