package noiseaware

import (
	"math"
	"sort"

	"github.com/privbayes/privbayes-go/privbayes/release"
)

// naiveBayes takes the class totals N_j as latent. Given them, the tables of different features are independent and so are the rows of a
// table, so the evidence of the row of class j in table k,
//
//	L_jk(N) = N!·Γ(A)/Γ(A + N)·Σ over counts f with total N of ∏ Γ(α + f_c)/(Γ(α)·f_c!)·P(y_jkc | f_c),
//
// is a convolution, and P(N_1, …, N_J | y) ∝ ∏_j [Γ(α + N_j)/N_j!·∏_k L_jk(N_j)] on ΣN_j = n is again a product conditioned on a total:
// the posterior of the class is exact. That of a row is the mixture over N_j of its posterior given N_j.
func (p *Posterior) naiveBayes(r *release.Release, z noise, raw [][]int64) error {
	sh := r.Plan().Shape()
	alpha, classes := sh.Model().Alpha.At(0), sh.Classes()
	names := r.Model().Posteriors()
	levels := 0
	var all []int64
	for k, t := range sh.Tables() {
		levels = max(levels, t.Levels[1])
		all = append(all, raw[k]...)
	}
	top, public, err := size(r, z, all, alpha*float64(levels), max(levels, classes))
	if err != nil {
		return err
	}
	if !public { // a class total is the sum of its row
		if top *= levels; float64(top)*float64(max(levels, classes)) > maxNumbers {
			return &WorkError{"keeping weights of the class totals", float64(top) * float64(max(levels, classes)), maxNumbers}
		}
	}
	guess := classGuess(r.Estimate().Class, top, public)
	logw := make([][]float64, classes) // of the class totals
	rows := make([][]*sums, len(raw))
	for j := range classes {
		logw[j] = z.logWeights(alpha, nil, top)
	}
	for k, t := range sh.Tables() {
		c := t.Levels[1]
		for j := range classes {
			row := make([][]float64, c)
			for i := range c {
				row[i] = z.logWeights(alpha, &raw[k][j*c+i], top)
			}
			s, err := newSums(row, guess[j], top)
			if err != nil {
				return err
			}
			rows[k] = append(rows[k], s)
			for n := range logw[j] {
				logw[j][n] += s.logTotal(n) + logUrn(alpha*float64(c), n)
			}
		}
	}
	target := 0
	for _, g := range guess {
		target += g
	}
	class, err := p.level(logw, top, public, target, alpha*float64(classes))
	if err != nil {
		return err
	}
	for j := range classes {
		p.add(names[0], j, alpha, alpha*float64(classes-1), func() []part { return class.parts(j) })
	}
	totals := make([]window, classes)
	for j := range totals {
		totals[j] = class.law(j)
	}
	for k, t := range sh.Tables() {
		c := t.Levels[1]
		for j := range classes {
			for i := range c {
				p.add(names[1+k*classes+j], i, alpha, alpha*float64(c-1), func() []part { return rows[k][j].parts(i, totals[j]) })
			}
		}
	}
	p.total += " The class totals are latent too, and shared by all features."
	return nil
}

// classGuess rounds estimated class totals to whole numbers, with total n where it is public. It only centres the windows of the
// convolutions.
func classGuess(est []float64, n int, public bool) []int {
	out, sum := make([]int, len(est)), 0.0
	for _, e := range est {
		sum += e
	}
	left := n
	for j, e := range est {
		if public && sum > 0 {
			e *= float64(n) / sum
		}
		out[j] = int(math.Floor(math.Min(math.Max(e, 0), float64(n))))
		left -= out[j]
	}
	if !public {
		return out
	}
	order := make([]int, len(out)) // the largest classes take what rounding left
	for j := range order {
		order[j] = j
	}
	sort.SliceStable(order, func(a, b int) bool { return out[order[a]] > out[order[b]] })
	for i := 0; left > 0; i++ {
		share := 1
		if sum <= 0 {
			share = (left + len(order) - 1) / len(order)
		}
		out[order[i%len(order)]] += share
		left -= share
	}
	return out
}
