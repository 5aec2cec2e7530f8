package posterior

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/table"
	"gonum.org/v1/gonum/mathext"
)

// SummaryRow is one component: mean, standard deviation and equal-tailed credible interval.
type SummaryRow struct {
	Label                  string
	Mean, SD, Lower, Upper float64
}

// Summary describes every component of a posterior at one credible level.
type Summary struct {
	Level float64
	Rows  []SummaryRow
}

// SummaryWith is the summary at level 0.95 with labels for the components; missing labels are numbers.
func (d *Dirichlet) SummaryWith(labels []string) Summary {
	s := Summary{Level: 0.95}
	for i := range d.alpha {
		b, label := d.Marginal(i), fmt.Sprint(i)
		if i < len(labels) {
			label = labels[i]
		}
		lo, hi := b.CredibleInterval(s.Level)
		s.Rows = append(s.Rows, SummaryRow{label, b.Mean(), b.SD(), lo, hi})
	}
	return s
}

// Summary is SummaryWith numbered components.
func (d *Dirichlet) Summary() Summary { return d.SummaryWith(nil) }

// Table shows the summary.
func (s Summary) Table() *table.Table {
	t := table.New("Posterior", "component", "mean", "sd", fmt.Sprintf("%g%% from", 100*s.Level), "to")
	for _, r := range s.Rows {
		t.Add(r.Label, r.Mean, r.SD, r.Lower, r.Upper)
	}
	return t
}

// KL is the Kullback–Leibler divergence of p from q in nats, both of the same dimension:
//
//	log B(q) − log B(p) + Σ (p_i − q_i)(ψ(p_i) − ψ(p₀)).
func KL(p, q *Dirichlet) float64 {
	sum := logB(q) - logB(p)
	psi0 := mathext.Digamma(p.total)
	for i, a := range p.alpha {
		sum += (a - q.alpha[i]) * (mathext.Digamma(a) - psi0)
	}
	return math.Max(0, sum)
}

// Hellinger is √(1 − BC) with BC = B((p+q)/2)/√(B(p)B(q)), without the factor 1/√2.
func Hellinger(p, q *Dirichlet) float64 {
	mid := &Dirichlet{alpha: p.Alpha(), total: (p.total + q.total) / 2}
	for i := range mid.alpha {
		mid.alpha[i] = (p.alpha[i] + q.alpha[i]) / 2
	}
	return math.Sqrt(math.Max(0, -math.Expm1(logB(mid)-(logB(p)+logB(q))/2)))
}

// logB is the logarithm of the multivariate beta function.
func logB(d *Dirichlet) float64 {
	sum := 0.0
	for _, a := range d.alpha {
		l, _ := math.Lgamma(a)
		sum += l
	}
	l, _ := math.Lgamma(d.total)
	return sum - l
}
