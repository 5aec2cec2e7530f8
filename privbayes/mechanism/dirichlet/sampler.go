package dirichlet

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/denoise"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/klrisk"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// sampler draws one vector of logarithms for every block: ln g of the gamma form, ln y of the simplex form. Small α
// make g and y underflow, their logarithms do not.
type sampler struct {
	*problem
	rate   float64
	shapes []float64 // α of every block
}

// Draw reads the tables once.
func (d *sampler) Draw(_ context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	tables := data.Tables()
	if d.m.prior {
		tables = append(append([][]int64(nil), tables...), classCounts(tables[0], d.blocks[0].levels))
	}
	out := make([][]float64, len(tables))
	for k, counts := range tables {
		out[k] = make([]float64, len(counts))
		for i, c := range counts {
			out[k][i] = d.rate*float64(max(c, int64(d.m.minCount))) + d.shapes[k]
		}
		if d.m.form == simplexForm {
			sample.LogDirichlet(src, append([]float64(nil), out[k]...), out[k])
			continue
		}
		for i, shape := range out[k] {
			out[k][i] = sample.LogGamma(src, shape)
		}
	}
	return mechanism.Output{Real: out}, nil
}

// classCounts are the row sums of a class × feature table.
func classCounts(cells []int64, levels int) []int64 {
	out := make([]int64, len(cells)/levels)
	for i, c := range cells {
		out[i/levels] += c
	}
	return out
}

// Estimate is ended by ctx.
func (d *sampler) Estimate(ctx context.Context, drawn mechanism.Output) (model.Estimate, error) {
	real := drawn.Real
	if len(real) != len(d.blocks) {
		return model.Estimate{}, domain.Refuse("dirichlet", "real", fmt.Sprintf("%d vectors", len(real)),
			fmt.Sprintf("%d, one per table", len(d.blocks)))
	}
	for k, b := range d.blocks {
		if len(real[k]) != b.rows*b.levels {
			return model.Estimate{}, domain.Refuse("dirichlet", "real",
				fmt.Sprintf("%d cells in table %d", len(real[k]), k+1), fmt.Sprint(b.rows*b.levels))
		}
		for _, v := range real[k] {
			if math.IsNaN(v) || math.IsInf(v, 1) {
				return model.Estimate{}, domain.Refuse("dirichlet", "real", v, "logarithms of draws")
			}
		}
	}
	if d.m.form == simplexForm {
		return d.parameters(real), nil
	}
	return d.counts(ctx, real)
}

// parameters takes y as the model's parameters, scaled to the n + α/r per cell records that they stand for.
func (d *sampler) parameters(real [][]float64) model.Estimate {
	e := model.Estimate{WithPrior: true}
	tables := len(d.shape.Tables())
	for k := range real {
		est, scale := make([]float64, len(real[k])), d.n+float64(len(real[k]))*d.shapes[k]/d.rate
		for i, v := range real[k] {
			est[i] = scale * math.Exp(v)
		}
		if k < tables {
			e.Tables = append(e.Tables, est)
		} else {
			e.Class = est
		}
	}
	if !d.shape.SharesClass() || d.m.prior {
		return e
	}
	// every table has its own draw of the class probabilities (Theorem D); their mean, weighted by the inverse numbers
	// of cells
	e.Class = make([]float64, d.shape.Classes())
	weights := 0.0
	for k, b := range d.blocks {
		w := 1 / float64(b.levels)
		weights += w
		for i, v := range real[k] {
			e.Class[i/b.levels] += w * math.Exp(v)
		}
	}
	for j := range e.Class {
		e.Class[j] *= d.n / weights
	}
	return e
}

// counts estimates every count by its posterior mean: within a row whose total is known or estimated, tilted to add up
// to it.
func (d *sampler) counts(ctx context.Context, real [][]float64) (e model.Estimate, err error) {
	progress := cert.NewProgress(ctx, 10*meanSteps*float64(d.shape.Cells()))
	tables := len(d.shape.Tables())
	noisy := make([][]float64, tables)
	for k := range noisy {
		for _, v := range real[k] {
			noisy[k] = append(noisy[k], (math.Exp(v)-d.shapes[k])/d.rate)
		}
	}
	top := math.Inf(1)
	if d.n > 0 || d.replaced {
		top = d.n
	}
	e.Class = model.ClassMargin(d.shape, noisy)
	if d.m.prior {
		e.Class = make([]float64, d.shape.Classes())
		if err := d.group(progress, tables, e.Class, real[tables], top, top); err != nil {
			return e, err
		}
	}
	for k := range noisy {
		est := make([]float64, len(real[k]))
		if e.Class == nil {
			if err := d.group(progress, k, est, real[k], top, top); err != nil {
				return e, err
			}
		}
		for j, total := range e.Class {
			levels := d.blocks[k].levels
			if err := d.group(progress, k, est[j*levels:(j+1)*levels], real[k][j*levels:(j+1)*levels], top,
				total); err != nil {
				return e, err
			}
		}
		e.Tables = append(e.Tables, est)
	}
	return e, nil
}

func (d *sampler) group(progress *cert.Progress, k int, est, logs []float64, top, total float64) (err error) {
	fill := func(tau float64) (sum float64) {
		for i, v := range logs {
			if err == nil {
				err = progress.Step(meanSteps)
			}
			if err != nil {
				return total // which ends the search
			}
			est[i] = d.mean(k, v, top, tau)
			sum += est[i]
		}
		return sum
	}
	if math.IsInf(total, 1) {
		fill(0)
		return err
	}
	denoise.FitTotal(total, math.Sqrt(d.shapes[k])/d.rate, fill)
	return err
}

// nearlyGaussian is an α from which the gamma law of a count's draw is replaced by the Gaussian of the same mean and
// variance in estimates: a public approximation that costs accuracy of the estimate only, and little of it.
const nearlyGaussian = 200

// mean estimates one count.
func (d *sampler) mean(k int, log, top, tau float64) float64 {
	if top == 0 {
		return 0
	}
	alpha := d.shapes[k]
	var mean float64
	if alpha < nearlyGaussian {
		mean = klrisk.GammaMean(log, d.rate, alpha, top, tau)
	} else {
		y := (math.Exp(log) - alpha) / d.rate
		variance := (alpha + d.rate*math.Min(math.Max(y, 0), top)) / (d.rate * d.rate)
		mean = denoise.Gaussian(y, top, variance, tau)
	}
	return math.Min(math.Max(mean, 0), top)
}

// Vector is the Dirichlet mechanism on any vector f ≥ 0 of a fixed length, such as weighted counts: neighbours differ
// by at most Delta2 in ℓ₂ and DeltaInf in every cell, which the user declares from public knowledge.
type Vector struct {
	Cells            int     // ≥ 2
	Delta2, DeltaInf float64 // Δ₂ ≥ Δ∞ > 0
}

// VectorPlan is a calibrated release of a vector.
type VectorPlan struct {
	Vector
	Target      dp.Request
	Certified   dp.Parameters
	Pair        loss.VectorPair // Corollary A4
	Rate, Shape float64         // r and α
}

// Plan finds the smallest α at the given r > 0 that meets the target: (λ, ε)-Rényi, (ρ, ω)-truncated concentrated or
// (ε, δ). The adjacency is the user's, behind the declared Δ₂ and Δ∞. Errors: *dp.ParameterError,
// *mechanism.UnsupportedError, *mechanism.UnmetTarget.
func (v Vector) Plan(r float64, t dp.Request) (*VectorPlan, error) {
	if err := t.Valid(); err != nil {
		return nil, err
	}
	if v.Cells < 2 || !(v.DeltaInf > 0) || !(v.Delta2 >= v.DeltaInf) ||
		v.Delta2 > v.DeltaInf*math.Sqrt(float64(v.Cells))*(1+1e-12) {
		return nil, domain.Refuse("dirichlet", "vector", fmt.Sprintf("%d cells, Δ₂ = %v, Δ∞ = %v", v.Cells, v.Delta2,
			v.DeltaInf), "at least 2 cells and 0 < Δ∞ ≤ Δ₂ ≤ √cells·Δ∞")
	}
	if err := validPair(r, 1); err != nil {
		return nil, err
	}
	title := "Dirichlet mechanism on a vector"
	if t.ExactOnly || t.NominalScale || t.Notion == dp.Pure || t.Notion == dp.Concentrated {
		return nil, &mechanism.UnsupportedError{Mechanism: title, What: "exact arithmetic, nominal scales, pure ε-DP " +
			"or zCDP", Use: "RenyiDP, TCDP or ApproxDP"}
	}
	pair := func(alpha float64) loss.VectorPair {
		return loss.VectorPair{Rate: r, Shape: alpha, Delta2: v.Delta2, DeltaInf: v.DeltaInf}
	}
	meets := func(alpha float64) bool { return loss.Meets(pair(alpha), t.Parameters) }
	if !meets(maxShape) {
		return nil, &mechanism.UnmetTarget{Mechanism: title, Target: t.Parameters,
			Certified: loss.LevelOf(pair(maxShape), t.Parameters), Reachable: "a weaker target, or a smaller r"}
	}
	alpha := noise.Least(minShape, maxShape, meets)
	return &VectorPlan{Vector: v, Target: t, Certified: loss.LevelOf(pair(alpha), t.Parameters), Pair: pair(alpha),
		Rate: r, Shape: alpha}, nil
}

// Draw returns the logarithms of one draw from Dirichlet(r·f + α). Every call spends the plan's level. Errors:
// *dp.ParameterError.
func (p *VectorPlan) Draw(f []float64, src *dp.Stream) ([]float64, error) {
	if len(f) != p.Cells {
		return nil, domain.Refuse("dirichlet", "vector", fmt.Sprintf("a vector of %d cells", len(f)), fmt.Sprintf("%d",
			p.Cells))
	}
	u, out := make([]float64, len(f)), make([]float64, len(f))
	for i, x := range f {
		if !(x >= 0) || math.IsInf(x, 1) {
			return nil, domain.Refuse("dirichlet", "vector", fmt.Sprintf("cell %d is negative or not finite", i), "f ≥ 0")
		}
		u[i] = p.Rate*x + p.Shape
	}
	sample.LogDirichlet(src, u, out)
	return out, nil
}
