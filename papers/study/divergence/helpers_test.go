package divergence

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// golden holds values of 30- and 45-digit arithmetic; −1 stands for a value that is not defined or not known.
type golden struct {
	Tails []struct {
		P                []float64
		Beta, Alpha, Eta float64
		Theorem2         float64 `json:"thm2"`
		Theorem2W        float64 `json:"thm2_w"`
		Star, Simple     float64
		Chernoff, Exact  float64
	}
	Records []struct {
		Cells                  int
		Epsilon, Eta, R, Alpha float64
		BestR                  float64 `json:"best_r"`
		BestAlpha              float64 `json:"best_alpha"`
		OneHot                 float64 `json:"one_hot"`
		Theorem2, Star, Best   float64
	}
	Gains []struct {
		Hist              []float64
		Epsilon, R, Alpha float64
		BestR             float64 `json:"best_r"`
		BestAlpha         float64 `json:"best_alpha"`
		EKL               float64 `json:"ekl"`
		BestEKL           float64 `json:"best_ekl"`
	}
}

func load(t testing.TB) (g golden) {
	t.Helper()
	raw, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

// must fails the test on an error; use as must[T](t)(f(x)).
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s = %.16g, want %.16g within %g", what, got, want, tol)
	}
}

// shares are the probabilities of a histogram.
func shares(hist []float64) []float64 {
	sum, p := 0.0, make([]float64, len(hist))
	for _, x := range hist {
		sum += x
	}
	for i, x := range hist {
		p[i] = x / sum
	}
	return p
}

func uniform(d int) []float64 {
	p := make([]float64, d)
	for i := range p {
		p[i] = 1 / float64(d)
	}
	return p
}

// exceed counts the draws of q ~ Dir(βp + α) with KL(p‖q) > η.
func exceed(seed uint64, draws int, p []float64, beta, alpha, eta float64) int {
	src := dp.Seeded(seed)
	u, logs := make([]float64, len(p)), make([]float64, len(p))
	for i, x := range p {
		u[i] = beta*x + alpha
	}
	over := 0
	for range draws {
		sample.LogDirichlet(src, u, logs)
		kl := 0.0
		for i, x := range p {
			if x > 0 {
				kl += x * (math.Log(x) - logs[i])
			}
		}
		if kl > eta {
			over++
		}
	}
	return over
}

// refutes reports whether k of n draws contradict Pr ≤ bound at a false-alarm rate of 1e-9: by Chernoff, if the bound
// holds, the probability of at least k is at most exp(−n·kl(k/n‖bound)).
func refutes(k, n int, bound float64) bool {
	share := float64(k) / float64(n)
	return share > bound && float64(n)*coins(share, 1-share, bound, 1-bound) > 9*math.Ln10
}
