package coqexport

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
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
		return part{}, "no theorem: permute-and-flip draws from another distribution", nil
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

// weighed draws from integer weights, flipped by coins.
type (
	weighed interface {
		Weights(x []int64) (*sample.Weights, error)
	}
	flipped interface {
		Coins(x []int64) (exponents []uint64, denominator uint64, err error)
	}
)

// Law is what a plan draws from, for every data set of n records in d cells: integer weights, or coins in units of
// 1/Unit.
type Law struct {
	Cells, Records int
	Epsilon        *big.Rat // that of neighbours
	Unit           uint64   // 0 for weights
	data           [][]int64
	numbers        [][]*big.Int
	rows           []string
}

// NewLaw asks a plan of one table for its law. Errors: those of the plan's sampler, where it draws in another way.
func NewLaw(p *mechanism.Plan, cells, records int, epsilon *big.Rat, coins bool) (*Law, error) {
	l := &Law{Cells: cells, Records: records, Epsilon: epsilon}
	sampler := p.Sampler(access.Mine())
	from, byWeights := sampler.(weighed)
	flips, byCoins := sampler.(flipped)
	if coins && !byCoins || !coins && !byWeights {
		return nil, errors.New("prove: the plan does not draw by integers")
	}
	for i := range int(hellingersample.Count(int64(records), cells)) {
		x, items, err := hellingersample.Unrank(i, int64(records), cells), []*big.Int(nil), error(nil)
		if coins {
			var exponents []uint64
			exponents, l.Unit, err = flips.Coins(x)
			for _, c := range exponents {
				items = append(items, new(big.Int).SetUint64(c))
			}
		} else {
			items, err = integers(from, x)
		}
		if err != nil {
			return nil, err
		}
		l.data, l.numbers = append(l.data, x), append(l.numbers, items)
		text := make([]string, len(items))
		for r, v := range items {
			text[r] = v.String()
		}
		l.rows = append(l.rows, "("+Numbers(x)+",\n"+List(text)+")")
	}
	return l, nil
}

// integers are the weights at x over their greatest common power of two.
func integers(from weighed, x []int64) ([]*big.Int, error) {
	w, err := from.Weights(x)
	if err != nil {
		return nil, err
	}
	top := int32(0)
	for r := range w.Len() {
		k, _ := w.Dyadic(r)
		top = max(top, k)
	}
	items := make([]*big.Int, w.Len())
	for r := range items {
		k, m := w.Dyadic(r)
		items[r] = new(big.Int).Lsh(new(big.Int).SetUint64(m), uint(top-k))
	}
	return items, nil
}

// Requires is the file of the checker.
func (l *Law) Requires() string {
	if l.Unit > 0 {
		return "FlipCheck"
	}
	return "Law"
}

// Text is the law with the theorem that it is private.
func (l *Law) Text() string {
	table := strings.Join(l.rows, ";\n")
	if l.Unit > 0 {
		return fmt.Sprintf("Definition coins : list (list Z * list Z) := [\n%s].\n%sDefinition private := "+
			"flip_private _ _ _ _ _ _ checked.\n", table, checked("checked",
			fmt.Sprintf("flip_ok %d %s %d %d coins", l.Unit, over(l.Epsilon), l.Cells, l.Records)))
	}
	return fmt.Sprintf("Definition laws : list (list Z * list Z) := [\n%s].\n(* the fraction is just below e^epsilon "+
		"*)\n%sDefinition private := law_private _ _ _ _ _ _ _ _ checked.\n", table, checked("checked",
		fmt.Sprintf("law_ok %d %s %s %d %d laws", terms(l.Epsilon), expBelow(l.Epsilon), over(l.Epsilon), l.Cells,
			l.Records)))
}

// Plain is the law of weights as the file that the extracted checker reads (proofs/program): the arguments of the
// theorem, then a line per data set.
func (l *Law) Plain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s %s %d %d\n", terms(l.Epsilon), expBelow(l.Epsilon), over(l.Epsilon), l.Cells, l.Records)
	for i, x := range l.data {
		b.WriteString(strings.Trim(fmt.Sprint(x), "[]") + " :")
		for _, w := range l.numbers[i] {
			b.WriteString(" " + w.String())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// terms are how many terms of the exponential series come close to e^x.
func terms(x *big.Rat) int {
	v, _ := x.Float64()
	return 30 + 4*int(max(v-2, 0))
}

// expBelow is a fraction just below e^x, the partial sum of the series cut after 18 decimals.
func expBelow(x *big.Rat) string {
	sum, term := big.NewRat(1, 1), big.NewRat(1, 1)
	for k := range int64(terms(x)) {
		term.Mul(term, x)
		term.Quo(term, big.NewRat(k+1, 1))
		sum.Add(sum, term)
	}
	den := new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)
	num := new(big.Int).Mul(sum.Num(), den)
	return num.Quo(num, sum.Denom()).String() + " " + den.String()
}

// The largest law of a plan that is written: so many data sets, and so many integers in all.
const (
	lawDataSets = 100
	lawNumbers  = 10_000
)

// law is all that a plan draws from, where it is small enough to be written.
func (w *writer) law(k cert.Check) (part, string, error) {
	n, public := w.plan.Shape().N()
	tables := w.plan.Shape().Tables()
	_, rows := w.plan.Shape().Unit()
	epsilon, ok := pure(w.plan.Target().Parameters)
	var q struct { // what the checks of all laws have
		N    int64 `json:"n"`
		Flip bool  `json:"permute_and_flip"`
	}
	if err := json.Unmarshal(k.Params, &q); err != nil {
		return part{}, "", err
	}
	switch {
	case !ok:
		return part{}, notPure, nil
	case len(tables) != 1 || !public || rows != 1:
		return part{}, "no theorem: distributions are written for one table with public n and one row per unit", nil
	case int64(n) != q.N:
		return part{}, "no theorem: it is about a smaller n", nil
	}
	d := tables[0].Cells()
	if sets := hellingersample.Count(int64(n), d); sets > lawDataSets {
		return part{}, fmt.Sprintf("no theorem here: a distribution of %d data sets is too large to write", sets), nil
	}
	l, err := NewLaw(w.plan, d, n, epsilon, q.Flip)
	switch {
	case err != nil:
		return part{}, "no theorem: the plan does not draw by integer weights", nil
	case len(l.rows)*len(l.numbers[0]) > lawNumbers:
		return part{}, "no theorem here: the distribution is too large to write", nil
	case q.Flip && !l.near():
		return part{}, "no theorem: that permute-and-flip needs the range only is on paper", nil
	}
	const name = "law_private_here"
	text := "(* All integers that the plan draws from. *)\n" + l.Text() + "Definition " + name + " := private.\n"
	return part{[]string{l.Requires()}, text, name}, "every data set of this n is there, and the distribution is " +
		"pure private for every event", nil
}

// near says whether the exponents of neighbours' coins differ by ε/2 at most, which is what FlipCheck accepts.
func (l *Law) near() bool {
	most := new(big.Rat).Mul(l.Epsilon, new(big.Rat).SetUint64(l.Unit))
	for i, x := range l.data {
		for j, y := range l.data {
			moved := int64(0)
			for c := range x {
				moved += max(x[c]-y[c], y[c]-x[c])
			}
			for r := range l.numbers[i] {
				d := new(big.Int).Sub(l.numbers[i][r], l.numbers[j][r])
				if moved <= 2 && new(big.Rat).SetInt(d.Lsh(d.Abs(d), 1)).Cmp(most) > 0 {
					return false
				}
			}
		}
	}
	return true
}
