package families

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/logratio"
)

// golden is a section of the oracle's values; numbers are strings there.
func golden[T any](t *testing.T, section string) T {
	t.Helper()
	raw, err := os.ReadFile("testdata/sampling.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(all[section], &out); err != nil {
		t.Fatalf("%s: %v", section, err)
	}
	return out
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	if s == "inf" {
		return math.Inf(1)
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// bound requires got in [want, want(1 + 3e-9)]: an inflated bound, never below the truth (up to the 15 digits of the
// golden value).
func bound(t *testing.T, what string, got float64, want string) {
	t.Helper()
	boundWithin(t, what, got, want, 3e-9)
}

func boundWithin(t *testing.T, what string, got float64, want string, rel float64) {
	t.Helper()
	w := number(t, want)
	if math.IsInf(w, 1) && math.IsInf(got, 1) {
		return
	}
	if !(got >= w*(1-1e-13)-1e-15 && got <= w*(1+rel)+1e-14) {
		t.Errorf("%s: %.15g, want %s", what, got, want)
	}
}

func near(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	if !(math.Abs(got-want) <= rel*math.Max(1e-300, math.Abs(want))) {
		t.Errorf("%s: %.15g, want %.15g", what, got, want)
	}
}

// arguments parses "alpha=1,n=10".
func arguments(t *testing.T, key string) map[string]string {
	out := map[string]string{}
	for _, part := range strings.Split(key, ",") {
		name, value, _ := strings.Cut(part, "=")
		out[name] = value
	}
	return out
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestGoldenBoundedRange(t *testing.T) {
	for w, want := range golden[map[string]string](t, "kappa") {
		near(t, "κ("+w+")", logratio.BoundedRange(number(t, w)).KL(), number(t, want), 1e-13)
	}
	for w, want := range golden[map[string]string](t, "tv_range_tanh_w_over_4") {
		near(t, "TV at "+w, logratio.BoundedRange(number(t, w)).TV(), number(t, want), 1e-13)
		near(t, "δ(0) at "+w, logratio.BoundedRange(number(t, w)).Delta(0), number(t, want), 1e-13)
	}
	for key, want := range golden[map[string]string](t, "bounded_range_renyi_sup") {
		a := arguments(t, key)
		bound(t, key, logratio.BoundedRange(number(t, a["w"])).Renyi(number(t, a["order"])), want)
	}
	// κ is one function on both sides of its switch to a series.
	for _, w := range []float64{1e-8, 1e-4, 9.99e-3, 1.001e-2, .02} {
		near(t, "κ small", logratio.BoundedRange(w).KL(), w*w/8*(1-w*w/72), 1e-8)
	}
}

func TestGoldenFiniteBernoulli(t *testing.T) {
	for key, row := range golden[map[string]map[string]string](t, "finite_bernoulli") {
		a := strings.Split(key, ",") // K=5,uniform,n=1
		k, n := number(t, a[0][2:]), number(t, a[2][2:])
		f := must(NewGridBernoulli(int(n), int(k), a[1] == "exp"))
		bound(t, key+" ε", f.Epsilon(), row["eps"])
		bound(t, key+" TV", Profile(f, 0), row["tv"])
		// Rényi divergences decrease to the Kullback–Leibler divergence.
		if d := Renyi(f, 1+1e-5); !(d >= number(t, row["kl"]) && d < number(t, row["kl"])*(1+1e-3)) {
			t.Errorf("%s KL: %v, want %s", key, d, row["kl"])
		}
	}
}

func TestGoldenFigure1(t *testing.T) {
	type figure struct {
		Levels   []string `json:"levels"`
		Mass     []string `json:"cum_mass"`
		CLeast   string   `json:"c_star_at_smallest_level"`
		CLog     string   `json:"c_star_at_ln1.5"`
		Expected string   `json:"E_ell"`
		Check    string   `json:"E_ell_check_le"`
	}
	for key, row := range golden[map[string]figure](t, "fig1") {
		k := 5
		if strings.HasPrefix(key, "Delta=0.05") {
			k = 20
		}
		f := must(NewGridBernoulli(1, k, strings.HasSuffix(key, "exp")))
		levels := f.Levels()
		if len(levels) != len(row.Levels) {
			t.Fatalf("%s: %d levels, want %d", key, len(levels), len(row.Levels))
		}
		for i, l := range levels {
			near(t, key+" level", 1+l.L, 1+number(t, row.Levels[i]), 1e-13)
			near(t, key+" mass", l.Mass, number(t, row.Mass[i]), 1e-13)
		}
		near(t, key+" c*", must(f.BestC(f.LeastL0())), number(t, row.CLeast), 1e-12)
		near(t, key+" c* at ln 1.5", must(f.BestC(math.Log(1.5))), number(t, row.CLog), 1e-12)
		near(t, key+" E ℓ", f.ExpectedL(), number(t, row.Expected), 1e-12)
		near(t, key+" L0 + 1/c", f.LeastL0()+1/must(f.BestC(f.LeastL0())), number(t, row.Check), 1e-12)
		if c := must(f.BestC(f.Uniform())); !math.IsInf(c, 1) {
			t.Errorf("%s: c*(L) = %v, want ∞", key, c)
		}
	}
}

func TestGoldenTrimmedBeta(t *testing.T) {
	for key, raw := range golden[map[string]map[string]any](t, "trimmed_beta") {
		row := map[string]string{}
		for k, v := range raw {
			row[k] = fmt.Sprint(v)
		}
		a := arguments(t, key)
		l, alpha, n := number(t, a["l"]), number(t, a["alpha"]), number(t, a["n"])
		f := must(NewTrimmedBeta(int(n), alpha, alpha, l, 1-l))
		bound(t, key+" ε", f.Epsilon(), row["eps"])
		near(t, key+" osc", f.Oscillation(), number(t, row["two_L"]), 1e-13)
		near(t, key+" 2L", f.Paper().Epsilon, number(t, row["two_L"]), 1e-13)
		for _, x := range []string{"0", "0.5", "1"} {
			bound(t, key+" δ("+x+")", Profile(f, number(t, x)), row["delta_at_"+x])
		}
		for _, o := range []string{"2", "8"} {
			bound(t, key+" Rényi "+o, Renyi(f, number(t, o)), row["renyi_"+o])
		}
	}
}

func TestGoldenTempering(t *testing.T) {
	for key, want := range golden[map[string]string](t, "tempering_pure") {
		a := arguments(t, key)
		l, alpha := number(t, a["l"]), number(t, a["alpha"])
		f := must(NewTrimmedBeta(int(number(t, a["n"])), alpha, alpha, l, 1-l))
		r := must(f.PowerFor(number(t, a["eps"])))
		if w := number(t, want); !(r <= w && r > w*(1-1e-8)) {
			t.Errorf("%s: %.15g, want %s from below", key, r, want)
		}
	}
}

func TestGoldenUntrimmedBeta(t *testing.T) {
	for key, row := range golden[map[string]map[string]string](t, "untrimmed_beta") {
		a := arguments(t, key)
		alpha, n := number(t, a["alpha"]), number(t, a["n"])
		f := must(NewUntrimmedBeta(int(n), alpha, alpha))
		if !math.IsInf(f.Epsilon(), 1) || !math.IsInf(f.Oscillation(), 1) {
			t.Errorf("%s: ε = %v", key, f.Epsilon())
		}
		bound(t, key+" TV", Profile(f, 0), row["tv_closed"])
		near(t, key+" TV closed", BetaNeighbourTV(alpha, alpha+n), number(t, row["tv_closed"]), 1e-12)
		near(t, key+" J", BetaNeighbourJeffreys(alpha, alpha+n), number(t, row["jeffreys"]), 1e-13)
		for _, x := range []string{"0.1", "0.5", "1", "2"} {
			bound(t, key+" δ("+x+")", Profile(f, number(t, x)), row["delta_at_"+x])
		}
		for _, o := range []string{"1.5", "2", "8", "16"} {
			bound(t, key+" Rényi "+o, Renyi(f, number(t, o)), row["renyi_"+o])
		}
	}
	for key, row := range golden[map[string][]string](t, "untrimmed_beta_tv_limits") {
		a := number(t, key)
		near(t, key+" n = 1", BetaNeighbourTV(a, a+1), number(t, row[0]), 1e-12)
		near(t, key+" n → ∞", BetaNeighbourTV(a, a+1e9), number(t, row[1]), 1e-6)
	}
}

func TestGoldenTruncatedGamma(t *testing.T) {
	for key, row := range golden[map[string]map[string]string](t, "truncated_gamma") {
		name, rest, _ := strings.Cut(key, ",")
		a := arguments(t, rest)
		n, lambda := int(number(t, a["n"])), number(t, a["lambda"])
		c1, c2, delta := number(t, a["c1"]), number(t, a["c2"]), number(t, a["Delta"])
		f := must(NewExponential(n, lambda, c1, c2, delta))
		if name == "normal_precision" {
			f = must(NewNormalPrecision(n, lambda, c1, c2, 0, math.Sqrt(2*delta)))
		}
		bound(t, key+" ε", f.Epsilon(), row["eps"])
		near(t, key+" osc", f.Oscillation(), number(t, row["osc"]), 1e-13)
		// The pair with all other statistics 0: S from −Δ to 0.
		for _, e := range []string{"0", "0.25"} {
			up, down := logratio.Hockey(f.posterior(n), -delta, delta, number(t, e))
			near(t, key+" δ at "+e, math.Max(up, down), number(t, row["delta"+e+"_pair_s0"]), 1e-9)
			if p := Profile(f, number(t, e)); p < math.Max(up, down) {
				t.Errorf("%s: profile %v below a pair's %v", key, p, math.Max(up, down))
			}
		}
		var r [3]float64
		logratio.LogRatios(f.posterior(n), -delta, []float64{delta, 2 * delta, -delta}, r[:])
		near(t, key+" Rényi", math.Max(r[1]-2*r[0], r[2]+r[0]), number(t, row["renyi2_pair_s0"]), 1e-11)
		// Laplace with |μ| ≤ B has the same law.
		if name == "exp" {
			near(t, key+" Laplace", must(NewLaplace(n, lambda, c1, c2, delta/4, delta*3/4)).Epsilon(), f.Epsilon(),
				1e-12)
		}
	}
}

func TestGoldenRest(t *testing.T) {
	row := golden[map[string]string](t, "mvn")
	near(t, "ρ on the unit ball", replacedNorm(2, 1), number(t, row["max_rho_unit_ball"]), 1e-13)
	near(t, "MVN osc", must(NewMVNPrecision(1, 2, .5, 2, 1)).Oscillation(), number(t, row["osc_eig_in_[.5,2]_R1_d2"]),
		1e-13)
	for key, want := range golden[map[string]string](t, "bn_record") {
		a := arguments(t, key)
		nodes := make([]NetworkNode, int(number(t, a["K"])))
		for k := range nodes {
			nodes[k].States = 2
		}
		f := must(NewNetwork(int(number(t, a["n"])), nodes, 1, number(t, a["eps0"]), OneRecord))
		bound(t, key, f.Epsilon(), want)
	}
	for key, want := range golden[map[string]string](t, "gaussian_mean_mu_gdp") {
		n := int(number(t, arguments(t, key)["n"]))
		near(t, key, must(NewNormalMean(n, 1, 0, 1, .5)).Mu(1), number(t, want), 1e-12)
	}
}

func TestGoldenMarkov(t *testing.T) {
	for floor, rows := range map[float64]map[int]float64{ // theory/sampling.md §16
		.1: {2: 2.197224577, 3: 4.587820548, 4: 5.129096066, 6: 5.74487491, 8: 6.065107255, 10: 6.322324946,
			12: 6.586172733},
		.2: {2: 1.386294361, 3: 2.885917408, 4: 3.207906793, 6: 3.644547144, 8: 3.889848108, 10: 4.038060857,
			12: 4.212394558},
	} {
		for length, want := range rows {
			f := must(NewMarkov(2, 1, length, 1, floor, OneStep))
			near(t, fmt.Sprintf("ε₀ = %v, T = %d", floor, length), f.Epsilon(), want, 3e-9)
			if f.Epsilon() > f.Oscillation() || f.Oscillation() > f.Paper().Epsilon {
				t.Errorf("T = %d: ε %v, osc %v, paper %v", length, f.Epsilon(), f.Oscillation(), f.Paper().Epsilon)
			}
		}
	}
}
