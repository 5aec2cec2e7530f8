package sampling

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// refusal is an error that names a parameter.
type refusal struct {
	parameter string
	err       error
}

func TestBadInput(t *testing.T) {
	f := must[*Family](t)(NewGrid(5, false, 2))
	for _, c := range append(refusedFamilies(f), refusedGames(t, f)...) {
		wantParameterError(t, c.err, c.parameter)
	}
	nan := math.NaN()
	if f.Posterior(7) != nil || !math.IsNaN(f.Distance(0, 7)) || !math.IsNaN(Kappa(-1)) || !math.IsNaN(RangeTV(nan)) {
		t.Error("outside the domain")
	}
}

func refusedFamilies(f *Family) []refusal {
	nan, ctx := math.NaN(), context.Background()
	one := [][]float64{{0}}
	return []refusal{
		{"parameters", second(NewFamily(nil, one, one, nil))},
		{"data sets", second(NewFamily([]float64{1}, nil, nil, nil))},
		{"rows of distances", second(NewFamily([]float64{1}, one, nil, nil))},
		{"multiplicities", second(NewFamily([]float64{1}, one, one, []float64{1, 2}))},
		{"multiplicity[0]", second(NewFamily([]float64{1}, one, one, []float64{0}))},
		{"prior[0]", second(NewFamily([]float64{-1}, one, one, nil))},
		{"prior", second(NewFamily([]float64{0}, one, one, nil))},
		{"log-likelihoods[0]", second(NewFamily([]float64{1, 1}, one, one, nil))},
		{"log-likelihood[0][0]", second(NewFamily([]float64{1}, [][]float64{{math.Inf(-1)}}, one, nil))},
		{"distances[0]", second(NewFamily([]float64{1}, one, [][]float64{{}}, nil))},
		{"distance[0][0]", second(NewFamily([]float64{1}, one, [][]float64{{1}}, nil))},
		{"distance[0][1]", second(NewFamily([]float64{1}, [][]float64{{0}, {0}}, [][]float64{{0, 1}, {2, 0}}, nil))},
		{"n", second(NewGrid(5, false, 0))},
		{"steps", second(NewGrid(1, false, 1))},
		{"weights", second(NewBernoulli([]float64{.5}, nil, 1))},
		{"theta[0]", second(NewBernoulli([]float64{1}, []float64{1}, 1))},
		{"prior", second(f.Restrict(.1))},
		{"L0", second(f.BestC(.1))},
		{"L0", second(f.BestC(nan))},
		{"x", second(f.Robustness(-1, 0, 2))},
		{"y", second(f.Robustness(0, 3, 2))},
		{"rho", second(f.Worst(.5, 2))},
		{"L", second(f.Randomised(.5, 2, 1))},
		{"rho", second(f.Randomised(2, 2, 0))},
		{"epsilon", second(HockeyStick([]float64{1}, []float64{1}, -1))},
		{"sum of q", second(HockeyStick([]float64{1}, []float64{.5}, 0))},
		{"outcomes of q", second(HockeyStick([]float64{1}, nil, 0))},
		{"outcomes", second(RectangleHockeyStick(nil, nil, nil, nil, 0))},
		{"k", second(GroupDelta(1, .1, 0))},
		{"responses", second(FixedBar(0, 1, .1))},
		{"queries", second(AdaptiveBar(2, 0, 1, .1))},
		{"samples", second(FixedBar(2, 0, .1))},
		{"delta", second(FixedBar(2, 1, 1))},
		{"outcomes", second(FiniteBar(0, 1, .1))},
		{"delta", second(PaperBar(1, nan))},
		{"samples", second(LeastBar(0, .1))},
		{"samples", second(ExpectedBar(2, 0))},
		{"u", third(HalfSetsFailure(2, 1, .5))},
		{"delta", second(MaxParts(0))},
		{"delta", second(EmpiricalRadius(1, .1))},
		{"p", second(BinomialTail(2, 1, .1))},
		{"samples", second(MultinomialTail([]float64{.5, .5}, 0, .1))},
		{"samples", second(MultinomialTail(make1(12), 1000, .1))},
		{"radius", third(WorstBinomialTail(1, 0))},
		{"L*rho", second(Samples(0, .1))},
		{"delta", second(Samples(1, .5))},
		{"L*rho", second(ErrorFloor(nan, 1))},
		{"samples", second(ErrorFloor(1, 0))},
		{"nats", second(KLFloor(-1))},
		{"rho", second(LeCam(-1, 1, 1))},
		{"L", third(LeCamBest(0, 1))},
		{"width", second(f.Minimax(ctx, 0))},
		{"x", second(f.Contest(9, 0))},
		{"p[0], q[0]", second(NewContest("", []float64{1, 0}, []float64{0, 1}))},
		{"L*rho", second(TwoPointContest(0))},
		{"k", second(BetaContest(5, 5, 1, 1, .1, .9))},
		{"[l, u]", second(BetaContest(5, 0, 1, 1, .9, .1))},
	}
}

func refusedGames(t *testing.T, f *Family) []refusal {
	c := must[*Contest](t)(f.Contest(0, 1))
	ctx, one := context.Background(), [][]float64{{0}}
	return []refusal{
		{"contest", second(Play(ctx, nil, dp.Seeded(1), PlayOptions{Samples: []int{1}, Trials: 1}))},
		{"source", second(Play(ctx, c, nil, PlayOptions{Samples: []int{1}, Trials: 1}))},
		{"number of N", second(Play(ctx, c, dp.Seeded(1), PlayOptions{Trials: 1}))},
		{"trials", second(Play(ctx, c, dp.Seeded(1), PlayOptions{Samples: []int{1}}))},
		{"N", second(Play(ctx, c, dp.Seeded(1), PlayOptions{Samples: []int{2, 2}, Trials: 1}))},
		{"error", second(Play(ctx, c, dp.Seeded(1), PlayOptions{Samples: []int{1}, Trials: 1, Error: 1}))},
		{"data", second(f.Answers(ctx, dp.Seeded(1), AnswerOptions{Data: 5, Samples: 1, Trials: 1}))},
		{"source", second(f.Answers(ctx, nil, AnswerOptions{Samples: 1, Trials: 1}))},
		{"rows of the utility", second(f.Answers(ctx, dp.Seeded(1),
			AnswerOptions{Samples: 1, Trials: 1, Query: Utility{}}))},
		{"eta", second(ShiftBar(-1, 2, 1, .1))},
		{"delta", second(ShiftBar(1, 2, 1, 0))},
		{"C", third(SamplesStochastic(.5, 1, 1, 1, .1))},
		{"eta", second(PriorShift(-1))},
		{"prior[0]", second(f.Shift([]float64{0, 1, 1, 1}))},
		{"probability of all data sets under θ[0]",
			second(must[*Family](t)(NewFamily([]float64{1}, [][]float64{{-1}}, one, nil)).Shift([]float64{1}))},
		{"rows of the utility", second(f.Cost(ctx, nil, 2, 1, .1))},
		{"responses of row 0", second(f.Cost(ctx, Utility{{}, {}, {}, {}}, 2, 1, .1))},
		{"utility[0][0]", second(f.Cost(ctx, Utility{{2}, {0}, {0}, {0}}, 2, 1, .1))},
		{"samples", second(f.Cost(ctx, estimate(5), 2, 100_000, .1))},
		{"values of L", second(f.Costs(ctx, estimate(5), nil, []int{1}, .1, nil))},
		{"number of grids", third(Figure1(false))},
		{"rounds", third(DuelFigure(c, nil))},
		{"costs", third(CostFigure(nil))},
	}
}

func second[T any](_ T, err error) error { return err }

func third[A, B any](_ A, _ B, err error) error { return err }

func make1(n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = 1 / float64(n)
	}
	return p
}

// Extremes keep their meaning.
func TestExtremes(t *testing.T) {
	near(t, "κ small", Kappa(1e-9), 1e-18/8, 1e-12)
	near(t, "κ large", Kappa(1000), 999-math.Log(1000), 1e-12)
	near(t, "κ negligible u", Kappa(1e5), 1e5-1-math.Log(1e5), 1e-12)
	if Kappa(0) != 0 || !math.IsInf(Kappa(math.Inf(1)), 1) || RangeTV(math.Inf(1)) != 1 {
		t.Error("κ or TV at 0 or ∞")
	}
	f := must[Floor](t)(ErrorFloor(800, 1_000_000))
	if f.Floor != 0 || f.Hellinger != 0 || f.Pure != 0 {
		t.Errorf("%+v", f)
	}
	if f := must[Floor](t)(ErrorFloor(0, 5)); math.Abs(f.Floor-.5) > 1e-9 {
		t.Errorf("%+v", f)
	}
	// Data sets at distance 0 with different likelihoods: nothing is promised, nothing is NaN.
	g := must[*Family](t)(NewFamily([]float64{1, 1}, [][]float64{{0, -1}, {-1, 0}}, [][]float64{{0, 0}, {0, 0}}, nil))
	r := must[Robustness](t)(g.Robustness(0, 1, g.Uniform()))
	if !math.IsInf(r.KLBound, 1) || r.TVBound != 1 || !(r.TV > 0) {
		t.Errorf("%+v", r)
	}
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(math.Abs(want), 1e-300)) {
		t.Errorf("%s = %.16g, want %.16g within %g", what, got, want, tol)
	}
}

// must fails the test on an error; use as must(t)(f(x)).
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func wantParameterError(t *testing.T, err error, parameter string) {
	t.Helper()
	var p *ParameterError
	if !errors.As(err, &p) || p.Parameter != parameter || p.Error() == "" {
		t.Errorf("error %v, want a *ParameterError about %s", err, parameter)
	}
}

// golden reads the reference values: 34-digit arithmetic, independent of this code.
func golden(t *testing.T, row string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/sampling.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows map[string]json.RawMessage
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(rows[row], into); err != nil {
		t.Fatal(row, err)
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The worked example of the theory file: Θ = {.2, .4, .6, .8}, three bits, one sample. Values: minimax risk by linear
// programming.
func TestMinimaxOfThreeBits(t *testing.T) {
	f := must[*Family](t)(NewGrid(5, false, 3))
	r := must[Risk](t)(f.Minimax(context.Background(), 1e-6))
	if r.Lo > .6190291262 || r.Hi < .6190291262 || r.Hi-r.Lo > 1e-6 {
		t.Errorf("%+v", r)
	}
	near(t, "deterministic", r.Deterministic, .72, 1e-12)
	v, _, _, err := f.LeCam(1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "Le Cam", v, .41, 1e-12)
	if v > r.Lo {
		t.Errorf("Le Cam %v above the risk %v", v, r.Lo)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Minimax(ctx, 1e-9); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestLeCamHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFamily(t)
		v, x, y, err := f.LeCam(1)
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Minimax(context.Background(), 1e-2)
		if err != nil {
			t.Fatal(err)
		}
		if r.Lo > r.Hi+1e-12 || v > r.Hi+1e-12 || !math.IsNaN(r.Deterministic) && r.Deterministic < r.Lo-1e-12 {
			t.Fatalf("Le Cam %v, risk %+v", v, r)
		}
		general, err := LeCam(f.Distance(x, y), f.Uniform(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if general > v*(1+1e-9)+1e-12 {
			t.Fatalf("ρ/(1+e^{Lρ}) = %v above %v, pair %d, %d", general, v, x, y)
		}
	})
}
