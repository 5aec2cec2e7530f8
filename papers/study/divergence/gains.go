package divergence

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/klrisk"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Gain is the loss of one calibration on one histogram.
type Gain struct {
	Calibration
	KL, Spread float64 // mean and standard deviation of KL(p‖q), nats
	LogLoss    float64 // mean cross-entropy −Σ p_i ln q_i, nats
	Factor     float64 // mean KL of the first calibration divided by this one
}

// HistogramGains is how calibrations compare on one histogram. It depends on the counts.
type HistogramGains struct {
	Name    string
	Records float64
	Gains   []Gain
}

// Gains compares calibrations on one histogram of counts by the exact moments of KL(p‖q), p the shares of the counts
// and q ~ Dir(r·f + α):
//
//	E KL = Σ_{p_i>0} p_i[ln p_i − ψ(rf_i + α)] + ψ(rN + dα),  Var KL = Σ p_i²ψ′(rf_i + α) − ψ′(rN + dα).
//
// The first calibration, such as Algorithm 1, is what the factors are relative to. Choosing r or α by this on private
// counts breaks the guarantee. Private, like the counts: do not publish, unless they are public.
//
// Errors: fewer than two cells, no record, a negative or infinite count, no calibration, r or α ≤ 0: *ParameterError.
func Gains(name string, counts []float64, calibrations []Calibration) (*HistogramGains, error) {
	args := []domain.Argument{cells(len(counts)),
		domain.Arg("calibrations", len(calibrations), len(calibrations) > 0, "at least one")}
	total := 0.0
	for i, f := range counts {
		args = append(args, domain.Arg(fmt.Sprintf("counts[%d]", i), f, f >= 0 && domain.Finite(f),
			"a finite count ≥ 0"))
		total += f
	}
	args = append(args, domain.Positive("records", total))
	for _, c := range calibrations {
		args = append(args, domain.Positive("r of "+c.Name, c.R), domain.Positive("alpha of "+c.Name, c.Alpha))
	}
	if err := check("Gains", args...); err != nil {
		return nil, err
	}
	p := make([]float64, len(counts))
	for i, f := range counts {
		p[i] = f / total
	}
	g := &HistogramGains{Name: name, Records: total}
	for _, c := range calibrations {
		kl := klrisk.ExpectedKL(p, total, c.R, c.Alpha)
		g.Gains = append(g.Gains, Gain{
			Calibration: c, KL: kl, Spread: math.Sqrt(klrisk.VarKL(p, total, c.R, c.Alpha)),
			LogLoss: klrisk.ExpectedLogLoss(p, total, c.R, c.Alpha),
		})
		last := &g.Gains[len(g.Gains)-1]
		last.Factor = g.Gains[0].KL / last.KL
	}
	return g, nil
}

// Table shows the gains.
func (g *HistogramGains) Table() *table.Table {
	t := table.New("Expected divergence of one draw: "+g.Name, "calibration", "r", "α", "E KL", "s.d.", "E log-loss",
		"gain")
	for _, c := range g.Gains {
		t.Add(c.Name, c.R, c.Alpha, c.KL, c.Spread, c.LogLoss, c.Factor)
	}
	return t.Note(fmt.Sprintf("Nats, exact; %s records. Gain: E KL of the first row divided by this row's. Depends "+
		"on the counts: private unless they are public.", table.Number(g.Records)))
}
