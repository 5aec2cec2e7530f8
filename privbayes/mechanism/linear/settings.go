package linear

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

func (p *perturbing) settings(z shipped) []mechanism.Setting {
	law := fmt.Sprintf("Gaussian, σ = %.6g", z.Sigma)
	if z.Whole != nil {
		law = fmt.Sprintf("discrete Gaussian in integers, σ² = %s, steps of 2^−%d of a product", z.Whole,
			2*leastsquares.LatticeBits)
	}
	if name, rate := z.pure(); name != "" {
		law = fmt.Sprintf("%s in integers, rate %s, steps of 2^−%d of a product", name, rate, 2*leastsquares.LatticeBits)
	}
	released, moments := entries(p.dim), "XᵀX, Xᵀy, yᵀy"
	if z.integer() {
		released = len(p.whole)
	}
	out := []mechanism.Setting{{Name: "noise", Value: law}}
	if p.classes() {
		moments = "XᵀX, Xᵀy"
	}
	out = append(out, mechanism.Setting{Name: "moments", Value: fmt.Sprintf("%d: %s", released, moments)})
	if name, _ := z.pure(); name != "" {
		out = append(out, mechanism.Setting{Name: "sensitivity in the noise's norm", Value: fmt.Sprintf("%.6g",
			p.proposition().reach(name, p.rows))})
	} else {
		out = append(out, mechanism.Setting{Name: "L2 sensitivity", Value: fmt.Sprintf("%.6g", p.delta)})
	}
	floor := fmt.Sprintf("%.6g, public", p.floor(z))
	if p.classes() {
		return append(out, mechanism.Setting{Name: "eigenvalue floor", Value: floor},
			mechanism.Setting{Name: "estimate", Value: fmt.Sprintf("%g·(XᵀX + λI)⁻¹Xᵀy: biased where classes are nearly certain",
				leastsquares.LogitScale)},
			mechanism.Setting{Name: "λ", Value: fmt.Sprintf("%.6g", p.prior)})
	}
	if z.integer() && !p.m.plain {
		floor += ", for the scatter of the responses alone"
	}
	posterior := "noise-aware Gaussian on ‖w‖ ≤ B"
	if p.m.plain {
		posterior = "as if the noisy moments were true, on ‖w‖ ≤ B"
	}
	return append(out, mechanism.Setting{Name: "eigenvalue floor", Value: floor},
		mechanism.Setting{Name: "posterior", Value: posterior},
		mechanism.Setting{Name: "B", Value: fmt.Sprintf("%.6g", p.radius)},
		mechanism.Setting{Name: "b", Value: fmt.Sprintf("%.6g", p.prior)})
}
