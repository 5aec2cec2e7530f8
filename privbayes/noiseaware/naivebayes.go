package noiseaware

import (
	"math"
	"sort"

	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"

	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// naiveBayes takes the class totals N_j as latent. Given them, the tables of different features are independent and so
// are the rows of a table, so the evidence of the row of class j in table k,
//
//	L_jk(N) = N!·Γ(A)/Γ(A + N)·Σ over counts f with total N of ∏ Γ(α + f_c)/(Γ(α)·f_c!)·P(y_jkc | f_c),
//
// is a convolution, and P(N_1, …, N_J | y) ∝ ∏_j [Γ(α + N_j)/N_j!·∏_k L_jk(N_j)] on ΣN_j = n is again a product
// conditioned on a total: the posterior of the class is exact. That of a row is the mixture over N_j of its posterior
// given N_j. Rows are convolved about guessed class totals, which are moved to the posterior means until the tails cut
// do not matter (recentre).
func (p *Posterior) naiveBayes(r *release.Release, z noise.Probabilities, raw [][]int64, e *effort) error {
	sh := r.Plan().Shape()
	alpha, classes := sh.Model().Prior().At(0), sh.Classes()
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
			return &WorkError{"keeping weights of the class totals", float64(top) * float64(max(levels, classes)),
				maxNumbers}
		}
	}
	once := 0.0 // what one convolution of all rows takes at least
	for _, t := range sh.Tables() {
		once += float64(classes) * float64(top+1) * float64(perTotal+t.Levels[1]*(perWeight+3*perTilted))
	}
	if err := e.needs(once); err != nil {
		return err
	}
	guess := classGuess(r.Estimate().Class, top, public)
	var rows [][]*sums
	var class *countLaws
	var totals []window
	err = recentre(func(cut float64) (left float64, err error) {
		low, high := make([][]float64, classes), make([][]float64, classes)
		for j := range classes {
			low[j], high[j] = logWeights(z, alpha, nil, top, e), logWeights(z, alpha, nil, top, e)
		}
		if rows, err = classEvidence(sh, z, raw, guess, top, cut, low, high, e); err != nil {
			return 0, err
		}
		sum, target := alpha*float64(classes), 0
		for _, g := range guess {
			target += g
		}
		upper, err := p.level(high, top, public, target, sum, e)
		if err != nil {
			return 0, err
		}
		for j := range classes {
			for n, w := range upper.law(j, e).all() {
				for k := range rows {
					left += w * rows[k][j].short(n)
				}
			}
		}
		if class, err = p.level(low, top, public, target, sum, e); err != nil {
			return 0, err
		}
		means := make([]float64, classes)
		totals = totals[:0]
		for j := range classes {
			totals = append(totals, class.law(j, e))
			means[j], _ = totals[j].moments()
		}
		guess = classGuess(means, top, public)
		return left, e.failed()
	})
	if err != nil {
		return err
	}
	for k := range rows { // what the mixtures of rows will take
		for j, s := range rows[k] {
			for _, c := range s.cells {
				e.spend(perPart * float64(len(totals[j].p)) * float64(len(c.p)))
			}
		}
	}
	if err := e.failed(); err != nil {
		return err
	}
	for j := range classes {
		p.add(names[0], j, alpha, alpha*float64(classes-1), func() []part { return class.parts(j) })
	}
	for k, t := range sh.Tables() {
		c := t.Levels[1]
		for j := range classes {
			for i := range c {
				p.add(names[1+k*classes+j], i, alpha, alpha*float64(c-1),
					func() []part { return rows[k][j].parts(i, totals[j], nil) })
				p.params[len(p.params)-1].at = place{t.Columns[1], names[0].Labels[j], j, i}
			}
		}
	}
	p.total += " The class totals are latent too, and shared by all features."
	return nil
}

// classEvidence makes the rows of all tables, [table][class], centred at guessed class totals, and adds their
// log-evidence of every total, from below and from above, to the weights of the class totals.
func classEvidence(sh *model.Shape, z noise.Probabilities, raw [][]int64, guess []int, top int, cut float64, low,
	high [][]float64, e *effort) ([][]*sums, error) {
	alpha := sh.Model().Prior().At(0)
	rows := make([][]*sums, len(raw))
	for k, t := range sh.Tables() {
		c := t.Levels[1]
		for j := range low {
			row := make([][]float64, c)
			for i := range c {
				row[i] = logWeights(z, alpha, &raw[k][j*c+i], top, e)
			}
			s, err := newSums(row, guess[j], top, cut, e)
			if err != nil {
				return nil, err
			}
			rows[k] = append(rows[k], s)
			for n := range low[j] {
				if n%often == 0 && !e.spend(perTotal*float64(min(often, top+1-n))) {
					return nil, e.err
				}
				l, u := s.logTotal(n)
				urn := logUrn(alpha*float64(c), n)
				low[j][n] += l + urn
				high[j][n] += u + urn
			}
		}
	}
	return rows, nil
}

// classGuess rounds estimated class totals to whole numbers, with total n where it is public. It only centres the
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
