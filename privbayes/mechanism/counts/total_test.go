package counts

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// everyPost lists every mechanism of the room with every post-processing that it may be asked for.
func everyPost() []mechanism.Mechanism {
	out := []mechanism.Mechanism{Fourier(), Fourier().WithNonNegative(0.9)}
	for _, p := range []PostProcess{PosteriorMean, FlatPosteriorMean, Clamp, Clip, Project, Consistent} {
		out = append(out, Geometric().WithPostProcess(p), DiscreteGaussian().WithPostProcess(p),
			Laplace().WithPostProcess(p), KNorm().WithPostProcess(p), BySize().WithPostProcess(p))
	}
	return out
}

// extremes are raw numbers that noise of the plan can reach, and far beyond: k counts, the same for all or alone, or
// with signs in turn.
func extremes(k int) [][]int64 {
	var out [][]int64
	for _, v := range []int64{0, 1, -1, 49, 51, -300, 300, 1 << 24, -(1 << 24), 1 << 61, -(1 << 61)} {
		all, alone, turns := make([]int64, k), make([]int64, k), make([]int64, k)
		for i := range all {
			all[i], turns[i] = v, v*int64(1-2*(i%2))
		}
		alone[k-1] = v
		out = append(out, all, alone, turns)
	}
	return out
}

// A release that fails after the draw has been paid for: whatever the noise, post-processing gives counts that a
// posterior takes.
func TestEveryDrawHasAnEstimate(t *testing.T) {
	graph := bayesnet.Asia().DAG()
	asia := netShape(t, graph, 50)
	every := must.Get(model.NewShape(model.SchemaOf("net", graph),
		model.NetworkOf(graph.Node(0).Name, graph).WithEveryFamily(), 50, true, ""))(t)
	shapes := map[string]*model.Shape{
		"binary": smallShape(t, model.Binary("c0"), 50, 2), "categorical": smallShape(t, model.Categorical("c0"), 50, 5),
		"two categories": smallShape(t, model.Categorical("c0"), 50, 2),
		"naive Bayes":    smallShape(t, model.NaiveBayes("c0"), 50, 2, 3, 2), "network": asia,
		"network, every family": every, "no records": smallShape(t, model.Binary("c0"), 0, 2),
	}
	planned := 0
	for name, sh := range shapes {
		for _, m := range everyPost() {
			for _, target := range []dp.Request{dp.PureDP(1e-3), dp.ApproxDP(1e-2, 1e-6),
				dp.PureDP(1).Under(dp.AddRemove)} {
				if target.Notion == dp.Approximate && (m.Name() == "laplace" || testing.Short()) {
					continue // a slow plan for the same post-processing
				}
				p, err := m.Plan(context.Background(), sh, target)
				if err != nil {
					var no *mechanism.UnsupportedError
					var params *dp.ParameterError
					var unmet *mechanism.UnmetTarget
					if !errors.As(err, &no) && !errors.As(err, &params) && !errors.As(err, &unmet) {
						t.Errorf("%s, %s, %s: %v", m.Title(), name, target.Parameters, err)
					}
					continue
				}
				planned++
				estimateExtremes(t, p, m.Name() == "k-norm")
			}
		}
	}
	if planned < 200 {
		t.Errorf("only %d plans", planned)
	}
}

// A binary count near n, noised above it: both cells of the estimate stay counts, whatever the seed.
func TestClippedBinaryNeverFails(t *testing.T) {
	sh := smallShape(t, model.Binary("c0"), 20, 2)
	st := must.Get(model.FromCounts(sh, [][]int64{{19, 1}}))(t)
	for _, m := range []Noise{Geometric(), DiscreteGaussian(), Laplace()} {
		p := must.Get(m.WithPostProcess(Clip).Plan(t.Context(), sh, dp.ApproxDP(0.5, 1e-3)))(t)
		above := 0
		for seed := range uint64(300) {
			d := must.Get(p.Draw(t.Context(), st, "x", dp.Seeded(seed)))(t)
			if z, _ := p.Noise(); d.Raw[0][0] > 20*z.Unit() {
				above++
			}
			e := must.Get(p.Estimate(t.Context(), d))(t)
			if _, err := model.Fit(sh, e); err != nil {
				t.Fatalf("%s, seed %d: %v", p.Title(), seed, err)
			}
		}
		if above < 30 {
			t.Errorf("%s: only %d draws above n", p.Title(), above)
		}
	}
}

// estimateExtremes gives a plan every extreme draw of its form; sumZero keeps each table's total at n, as K-norm noise
// does.
func estimateExtremes(t *testing.T, p *mechanism.Plan, sumZero bool) {
	t.Helper()
	tables := drawnForm(t, p)
	n, _ := p.Shape().N()
	for e := range extremes(1) {
		raw := make([][]int64, len(tables))
		for i, k := range tables {
			raw[i] = extremes(k)[e]
			if sumZero {
				for _, y := range raw[i][1:] {
					raw[i][0] -= y
				}
				raw[i][0] += int64(n) - extremes(k)[e][0]
			}
		}
		est, err := p.Estimate(t.Context(), &mechanism.Drawn{ID: "x", Output: mechanism.Output{Raw: raw}})
		if err != nil {
			t.Errorf("%s, %s, %v: %v", p.Title(), p.Shape().Model(), raw, err)
			continue
		}
		for _, table := range append(append([][]float64(nil), est.Tables...), est.Class) {
			for _, v := range table {
				if !(v >= 0) || math.IsInf(v, 1) {
					t.Errorf("%s, %s, n = %d: %v is estimated as %v", p.Title(), p.Shape().Model(), n, raw, est)
					return
				}
			}
		}
		if _, err := model.Fit(p.Shape(), est); err != nil {
			t.Errorf("%s, %s, %v: %v", p.Title(), p.Shape().Model(), raw, err)
		}
	}
}

// drawnForm is how many raw numbers a plan draws in each table.
func drawnForm(t *testing.T, p *mechanism.Plan) []int {
	t.Helper()
	sh := p.Shape()
	counts := make([][]int64, len(sh.Tables()))
	n, _ := sh.N()
	for i, tb := range sh.Tables() {
		counts[i] = make([]int64, tb.Cells())
		counts[i][0] = int64(n) // all records alike
	}
	st := must.Get(model.FromCounts(sh, counts))(t)
	d := must.Get(p.Draw(t.Context(), st, "form", dp.Seeded(1)))(t)
	out := make([]int, len(d.Raw))
	for i, r := range d.Raw {
		out[i] = len(r)
	}
	return out
}
