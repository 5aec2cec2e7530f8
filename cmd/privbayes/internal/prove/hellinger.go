package prove

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/cert"
)

// tableParams are the parameters of the checks of one posterior, as the certificate has them.
type tableParams struct {
	Alpha []float64 `json:"alpha"`
	Prior []float64 `json:"prior"`
	N     int64     `json:"n"`
	Scale string    `json:"scale"`
	Gamma float64   `json:"gamma"`
	Kappa float64   `json:"kappa"`
	Flip  bool      `json:"permute_and_flip"`
}

// edge is the global sensitivity of the score, for three cells or more.
func (w *writer) edge(k cert.Check) (part, string, error) {
	var q tableParams
	if err := json.Unmarshal(k.Params, &q); err != nil {
		return part{}, "", err
	}
	if len(q.Prior) < 3 {
		return part{}, "no theorem: with two cells it depends on n", nil
	}
	s, err := hellinger.New(q.Prior, q.N)
	if err != nil {
		return part{}, "", err
	}
	cells := make([]string, len(q.Prior))
	for i, a := range q.Prior {
		cells[i] = Fraction(a)
	}
	name := w.name("sensitivity_bounded")
	u := rational(s.GlobalUpper())
	text := fmt.Sprintf("(* The prior, and the bound of the global sensitivity as u/2^s. *)\n"+
		"Definition %[1]s_prior : list (Z * Z) := %[2]s.\n%[3]sDefinition %[1]s := fun Gamma pos rec wendel =>\n"+
		"  prior_sound Gamma pos rec wendel _ _ _ _ %[1]s_checked.\n", name, List(cells), checked(name+"_checked",
		fmt.Sprintf("prior_ok 120 %s_prior %s %d", name, u.Num(), u.Denom().BitLen()-1)))
	return part{[]string{"EdgePrior"}, text, name}, "no two posteriors of neighbours are further apart, for every n", nil
}

// step is γ⁺, from the least hyperparameter.
func (w *writer) step(k cert.Check) (part, string, error) {
	var q tableParams
	if err := json.Unmarshal(k.Params, &q); err != nil {
		return part{}, "", err
	}
	s, err := hellinger.New(q.Prior, q.N)
	if err != nil {
		return part{}, "", err
	}
	least := q.Prior[0]
	for _, a := range q.Prior {
		least = math.Min(least, a)
	}
	name, u := w.name("step_bounded"), rational(s.GammaPlusUpper())
	text := fmt.Sprintf("(* The least hyperparameter, and the bound of gamma+ as u/2^s. *)\n%[2]sDefinition %[1]s := "+
		"fun Gamma pos rec wendel =>\n  step_sound Gamma pos rec wendel _ _ _ _ _ _ %[1]s_checked.\n", name,
		checked(name+"_checked", fmt.Sprintf("step_ok 400 128 %s %s %d", over(rational(least)), u.Num(),
			u.Denom().BitLen()-1)))
	return part{[]string{"StepCheck"}, text, name}, "T(α + 1) − T(α) is at most this at the least α; that it bounds how " +
		"1/LS⁺ moves is on paper", nil
}

// rate is the bound of Theorem 1 at the plan's rate, less the charge for floating point.
func (w *writer) rate(k cert.Check) (part, string, error) {
	var q tableParams
	if err := json.Unmarshal(k.Params, &q); err != nil {
		return part{}, "", err
	}
	gamma := q.Gamma
	switch {
	case q.Flip:
		return part{}, "no theorem: permute-and-flip draws from another law", nil
	case q.Scale == "global":
		gamma = 0
	case q.Scale != "reciprocal":
		s, err := hellinger.New(q.Alpha, q.N)
		if err != nil {
			return part{}, "", err
		}
		gamma = s.GammaPlusUpper()
	}
	spent := new(big.Rat).Mul(rational(q.Kappa), rational(hellinger.Rho(gamma, 1)))
	charge := new(big.Rat).Sub(rational(float64(k.Value)), spent)
	share := new(big.Rat).Sub(rational(float64(k.Bound)), charge)
	which := "rate_i"
	if 1+math.Sqrt(1+2*gamma*gamma) < 2+gamma {
		which = "rate_ii"
	}
	requires, uses := "Rate", which+"_private X outs some H S"
	if which == "rate_ii" && q.Scale == "reciprocal" {
		requires, uses = "Lipschitz", "reciprocal_private X outs LS dist theta"
	}
	takes := strings.TrimPrefix(uses[strings.Index(uses, " "):], " ")
	name := w.name("rate_private")
	text := fmt.Sprintf("(* kappa, gamma, and epsilon less the charge for floating point. *)\n%[2]sDefinition %[1]s := "+
		"fun %[3]s =>\n  %[4]s _ _ _ _ _ _ %[1]s_checked.\n", name,
		checked(name+"_checked", fmt.Sprintf("%s_ok %s %s %s", which, over(rational(q.Kappa)), over(rational(gamma)),
			over(share))), takes, uses)
	charged, _ := charge.Float64()
	return part{[]string{"Rate", requires}, text, name}, fmt.Sprintf(
		"the exponential mechanism at this κ and γ is pure private at ε less "+
			"the charge for floating point, %.2g, which is on paper", charged), nil
}
