package steps

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/internal/num"
)

// records is how many public pseudo-records stand for the private rows.
const records = 256

// shape is how a number is spread about its conditional mean: a beta distribution on [−1, 1], or the two-point
// distribution of the same mean and variance with an atom at −1 or at +1. The two-point distributions are the ends of
// every expectation with a third derivative of one sign. Source: Karlin and Studden, "Tchebycheff Systems", 1966.
type shape int

const (
	beta shape = 0
	low  shape = -1
	high shape = 1
)

// variable is a number or a factor of a design, with its base columns.
type variable struct {
	of      int
	number  bool
	bent    bool // a number that is in a column in a power of 2 or more
	columns []int
	levels  []int // of a factor: those of its columns, then the reference
}

// variables of a design, in the order of their base columns. Error: a column of a variable that has no base column.
func variables(columns []gram.Column) (out []variable, err error) {
	find := func(of int, number bool) int {
		return slices.IndexFunc(out, func(v variable) bool { return v.of == of && v.number == number })
	}
	for j, c := range columns {
		if of, ok := c.Number(); ok {
			out = append(out, variable{of: of, number: true, columns: []int{j}})
		} else if len(c.Powers) == 0 && len(c.Levels) == 1 {
			at := find(c.Levels[0].Of, false)
			if at < 0 {
				at, out = len(out), append(out, variable{of: c.Levels[0].Of})
			}
			out[at].columns, out[at].levels = append(out[at].columns, j), append(out[at].levels, c.Levels[0].Level)
		}
	}
	for _, c := range columns {
		degree := map[int]int{}
		for _, p := range c.Powers {
			degree[p.Of] += p.Degree * max(p.Legendre, 1)
		}
		for _, p := range c.Powers {
			at := find(p.Of, true)
			if at < 0 {
				return nil, domain.Refuse("steps", "number", p.Of, "a column of its own, so that its moments are known")
			}
			out[at].bent = out[at].bent || degree[p.Of] > 1
		}
		for _, l := range c.Levels {
			at := find(l.Of, false)
			if at < 0 || len(out[at].columns) != l.Levels-1 {
				return nil, domain.Refuse("steps", "factor", l.Of, "a column of each level but one, so that shares are known")
			}
		}
	}
	for i := range out {
		for l := 0; !out[i].number && len(out[i].levels) <= len(out[i].columns); l++ {
			if !slices.Contains(out[i].levels, l) {
				out[i].levels = append(out[i].levels, l)
			}
		}
	}
	return out, nil
}

// pseudo draws public pseudo-records, of equal weight, with about the moments s: the columns of each. Variables follow
// one another, the conditional mean of each linear in the columns before it; record i stands at the quasi-random points
// (½ + i·φ^{−j}) mod 1, φ^{J+1} = φ + 1, J variables. Under a two-point distribution a number that is bent keeps its
// beta value in every other record: 1, x and x² of two points have rank 2.
func pseudo(columns []gram.Column, vars []variable, s []float64, l shape) [][]float64 {
	d := len(columns)
	phi := 2.
	for range 60 {
		phi = math.Pow(1+phi, 1/float64(len(vars)+1))
	}
	numbers, levels := make([]map[int]float64, records), make([]map[int]int, records)
	base := make([][]float64, records) // values of the base columns so far, the intercept first
	for i := range base {
		numbers[i], levels[i], base[i] = map[int]float64{}, map[int]int{}, []float64{1}
	}
	known, step := []int{0}, 1.
	for _, v := range vars {
		step /= phi
		means, rest := conditional(s, d, known, v.columns, base)
		point := func(i int) float64 { return math.Mod(.5+step*float64(i+1), 1) }
		if v.number {
			for i, x := range v.draw(means, rest, l, point) {
				numbers[i][v.of], base[i] = x, append(base[i], x)
			}
		} else {
			for i := range base {
				level := v.level(means[i], point(i))
				levels[i][v.of] = level
				for _, own := range v.levels[:len(v.columns)] {
					base[i] = append(base[i], indicator(level == own))
				}
			}
		}
		known = append(known, v.columns...)
	}
	out := make([][]float64, records)
	for i := range out {
		out[i] = make([]float64, d)
		for j, c := range columns {
			out[i][j] = c.Value(numbers[i], levels[i])
		}
	}
	return out
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// conditional are the linear predictions of columns from known ones, a row a record, and the residual variance of the
// first column: zᵀ(S_zz/S₀₀ + 1e-6·I)⁻¹S_zj/S₀₀.
func conditional(s []float64, d int, known, columns []int, base [][]float64) (means [][]float64, rest float64) {
	k := len(known)
	of := func(i, j int) float64 { return s[i*d+j] / s[0] }
	zz, zj := mat.NewSymDense(k, nil), mat.NewDense(k, len(columns), nil)
	for a, i := range known {
		for b, j := range known[a:] {
			zz.SetSym(a, a+b, of(i, j))
		}
		zz.SetSym(a, a, zz.At(a, a)+1e-6)
		for b, j := range columns {
			zj.Set(a, b, of(i, j))
		}
	}
	var chol mat.Cholesky
	var slopes mat.Dense
	if !chol.Factorize(zz) || chol.SolveTo(&slopes, zj) != nil {
		slopes.ReuseAs(k, len(columns)) // moments of no rows: no prediction
	}
	rest = of(columns[0], columns[0])
	for a := range known {
		rest -= zj.At(a, 0) * slopes.At(a, 0)
	}
	for _, z := range base {
		row := make([]float64, len(columns))
		for b := range row {
			for a, v := range z {
				row[b] += v * slopes.At(a, b)
			}
		}
		means = append(means, row)
	}
	return means, rest
}

// draw gives a number to every record: mean μ_i and variance ρ(1 − μ_i²), ρ the residual variance over the mean of 1 −
// μ².
func (v variable) draw(means [][]float64, rest float64, l shape, point func(i int) float64) []float64 {
	room := 0.
	for _, m := range means {
		m[0] = math.Min(math.Max(m[0], -.98), .98)
		room += (1 - m[0]*m[0]) / float64(len(means))
	}
	rho := math.Min(math.Max(math.Max(rest, 1e-4)/room, 1e-3), .999)
	out := make([]float64, len(means))
	for i, m := range means {
		if l == beta || v.bent && i%2 == 1 {
			out[i] = betaQuantile(m[0], rho, point(i))
		} else {
			out[i] = twoPoints(m[0], rho, l, point(i))
		}
	}
	return out
}

// betaQuantile is that of the beta distribution on [−1, 1] of mean μ and variance ρ(1 − μ²): α + β = 1/ρ − 1.
func betaQuantile(mu, rho, u float64) float64 {
	k := 1/rho - 1
	return 2*num.InvRegIncBeta(math.Max(k*(1+mu)/2, 1e-3), math.Max(k*(1-mu)/2, 1e-3), u) - 1
}

// twoPoints is the quantile of the distribution of mean μ and variance v = ρ(1 − μ²) with an atom at s = ±1, of
// probability v/(v + (1 − sμ)²), and its other point at μ − sv/(1 − sμ). The atom has the smaller u.
func twoPoints(mu, rho float64, l shape, u float64) float64 {
	s, v := float64(l), rho*(1-mu*mu)
	if u < v/(v+(1-s*mu)*(1-s*mu)) {
		return s
	}
	return mu - s*v/(1-s*mu)
}

// level of a factor: by cumulated shares, floored at .002, the reference last.
func (v variable) level(shares []float64, u float64) int {
	rest, total := 1., 0.
	for i := range shares {
		shares[i] = math.Max(shares[i], .002)
		rest -= shares[i]
		total += shares[i]
	}
	total += math.Max(rest, .002)
	sum := 0.
	for i, p := range shares {
		if sum += p; u <= sum/total {
			return v.levels[i]
		}
	}
	return v.levels[len(shares)]
}
