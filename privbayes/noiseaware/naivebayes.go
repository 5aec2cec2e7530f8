package noiseaware

import (
	"math"
	"slices"
	"sort"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
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

// conditioned is the law of every count given that they add up to n: ∝ w_i(f)·Σ over the other counts with total n − f.
// left bounds the total variation distance to the exact law that cutting tails makes:
//
//	P(some f_i in a tail | total n) ≤ P(some f_i in a tail)/P(total n).
//
// s holds the partial totals; nil where there are two counts.
func conditioned(logw [][]float64, n int, e *effort) (laws []window, s *sums, left float64, err error) {
	if len(logw) == 2 { // no convolution: the second count is n minus the first
		l := make([]float64, n+1)
		for f := range l {
			l[f] = logw[0][f] + logw[1][n-f]
		}
		a := tilted(l, 0, tailCut, e).trim()
		if err := e.failed(); err != nil {
			return nil, nil, 0, err
		}
		b := window{n - a.hi(), make([]float64, len(a.p))}
		for i, p := range a.p {
			b.p[len(a.p)-1-i] = p
		}
		return []window{a, b}, nil, 2 * tailCut, nil
	}
	err = recentre(func(cut float64) (float64, error) { // the tilt is right at once; only tails may be too short
		if s, err = newSums(logw, n, n, cut, e); err != nil {
			return 0, err
		}
		left = s.cuts / s.total().at(n)
		return left, nil
	})
	if err != nil {
		return nil, nil, 0, err
	}
	reserved := e.reserved()
	for i := range logw {
		laws = append(laws, s.given(i, n, reserved))
	}
	return laws, s, left, reserved.failed()
}

// maxLeft is the posterior probability that cutting tails may leave out. It is 1e-20 in practice.
const maxLeft = 1e-12

// tailCuts are tried in turn.
var tailCuts = []float64{tailCut, tailCut, tailCut, 1e-50, 1e-50, 1e-100, 1e-200, 1e-280}

// given is the law of count i given the total.
func (s *sums) given(i, n int, e *effort) window {
	c := s.cells[i]
	return c.given(s.others(i, n-c.hi(), n-c.lo, e), n)
}

// given is the law of a count with law c given that with an independent one it adds up to n.
func (c window) given(others window, n int) window {
	out, sum := window{c.lo, make([]float64, len(c.p))}, 0.0
	for j, p := range c.p {
		out.p[j] = p * others.at(n-c.lo-j)
		sum += out.p[j]
	}
	if sum > 0 {
		for j := range out.p {
			out.p[j] /= sum
		}
	}
	return out
}

// free are counts whose total N is latent, under the flat prior P(N) ∝ 1 on N = 0, 1, 2, …; A is the sum of the cells'
// hyperparameters. The tilt must be right where the posterior of N is, which is found by going to its mean; left bounds
// the total variation distance that cut tails make, see recentre.
func free(logw [][]float64, target int, sum float64, e *effort) (s *sums, law window, left float64, err error) {
	most := 0
	for _, l := range logw {
		most += len(l) - 1
	}
	err = recentre(func(cut float64) (float64, error) {
		if s, err = newSums(logw, target, most, cut, e); err != nil {
			return 0, err
		}
		low, high := make([]float64, most+1), make([]float64, most+1)
		for n := range low {
			if n%often == 0 && !e.spend(perTotal*float64(min(often, len(low)-n))) {
				return 0, e.err
			}
			l, u := s.logTotal(n)
			low[n], high[n] = l+logUrn(sum, n), u+logUrn(sum, n)
		}
		left = 0
		for n, p := range tilted(high, 0, tailCut, e).p {
			left += p * s.short(n)
		}
		law = tilted(low, 0, tailCut, e).trim()
		mean, _ := law.moments()
		target = int(mean)
		return left, e.failed()
	})
	return s, law, left, err
}

// recentre repeats step, which goes on from where the last one came to, until what it leaves out is at most maxLeft,
// with ever smaller tails cut.
//
// Evidence of a total is known from below and from above. Normalised laws made of weights l ≤ w ≤ u are at most 1 −
// Σl/Σu = E_u[1 − l/u] apart in total variation from that of w: what step returns.
func recentre(step func(cut float64) (left float64, err error)) error {
	left := math.Inf(1)
	for _, cut := range tailCuts {
		var err error
		if left, err = step(cut); err != nil || left <= maxLeft {
			return err
		}
	}
	return &WorkError{"the posterior's mass in cut tails", left, maxLeft}
}

// parts are the mixture terms of count i, given a law of the total.
func (s *sums) parts(i int, totals window, e *effort) []part {
	return mixed(s.cells[i], s.others(i, 0, math.MaxInt, e), totals, e)
}

// mixed are the mixture terms of a count with law c beside an independent one, given a law of their total.
func mixed(c, others, totals window, e *effort) []part {
	var out []part
	for k, weight := range totals.p {
		if weight < leastTotal {
			continue
		}
		if !e.spend(perPart * float64(len(c.p))) {
			return []part{{p: []float64{1}}}
		}
		g := c.given(others, totals.lo+k).trim()
		q := part{total: totals.lo + k, lo: g.lo, p: make([]float64, len(g.p))}
		for j, p := range g.p {
			q.p[j] = weight * p
		}
		out = append(out, q)
	}
	return out
}

// leastTotal is the posterior probability below which a total is left out of a mixture; with 1e4 totals that is 1e-12
// in all.
const leastTotal = 1e-16

// Predict gives the probability of every class for every row of x, in the order of the target's labels: that of a new
// record given the noisy counts y and, under naive Bayes, its features x_1, …, x_K. With the latent class totals N_j,
// on which everything else is independent,
//
//	P(j | x, y) ∝ Σ_{N_j} P(N_j | y)·E[θ_j | N_j, y]·∏_k E[θ_{k, x_k | j} | N_j, y],
//
// so a class with few or noisy records counts for less. For Binary and Categorical models it is the mean of θ in every
// row; for contingency tables and networks it is E[P(j, x | θ) | y]/E[P(x | θ) | y], of networks over the draws. The
// target's own values in x are not used. Class totals of posterior probability below 1e-16 are left out. Errors: those
// of model.Shape.Accepts.
func (p *Posterior) Predict(x *frame.Frame) ([][]float64, error) {
	if err := p.shape.Accepts(x); err != nil {
		return nil, err
	}
	if p.joint != nil {
		return p.predictJoint(x)
	}
	classes := p.shape.Classes()
	if p.shape.Joint() { // E[θ_{j,x} | y], scaled
		cells := make([]float64, len(p.params))
		for i, q := range p.params {
			cells[i] = q.Law().Mean()
		}
		flat, err := p.shape.GivenOthers(cells, x)
		return slices.Collect(slices.Chunk(flat, classes)), err
	}
	codes := make([]frame.Codes, len(p.shape.Columns())-1)
	for k, c := range p.shape.Columns()[1:] {
		var err error
		if codes[k], err = x.Codes(c.Name); err != nil {
			return nil, err
		}
	}
	laws := p.predictive()
	out := make([][]float64, x.Len())
	level := make([]int, len(codes))
	known := map[string][]float64{} // rows with the same features have the same answer
	key := make([]byte, 0, 2*len(codes))
	for i := range out {
		key = key[:0]
		for k := range codes {
			level[k] = codes[k].At(i)
			key = append(key, byte(level[k]), byte(level[k]>>8))
		}
		answer, ok := known[string(key)]
		if !ok {
			answer = make([]float64, classes)
			for j := range answer {
				answer[j] = laws[j].logProbability(level)
			}
			all := num.LogSumExp(answer)
			for j := range answer {
				answer[j] = math.Exp(answer[j] - all)
			}
			known[string(key)] = answer
		}
		out[i] = append([]float64(nil), answer...)
	}
	return out, nil
}

// classLaw is what prediction needs of one class: for every total N_j that matters, log P(N_j | y)·E[θ_j | N_j, y] and
// log E[θ_{kc|j} | N_j, y].
type classLaw struct {
	class   []float64
	feature [][][]float64 // [feature][level][total]
}

func (c *classLaw) logProbability(level []int) float64 {
	sum := append([]float64(nil), c.class...)
	for k, l := range level {
		for i, v := range c.feature[k][l] {
			sum[i] += v
		}
	}
	return num.LogSumExp(sum)
}

// makePredictive takes the class laws from the mixtures of all parameters.
func (p *Posterior) makePredictive() []*classLaw {
	classes := p.shape.Classes()
	levels := p.levels
	if levels == nil {
		levels = p.params
	}
	out := make([]*classLaw, classes)
	for j := range out {
		w := levels[j].Law().expected()
		c := &classLaw{class: logs(w.p)}
		out[j] = c
		at := classes
		for _, t := range p.shape.Tables() {
			if len(t.Levels) < 2 { // the target's own counts
				continue
			}
			given := make([][]float64, t.Levels[1])
			for l := range given {
				given[l] = p.params[at+j*t.Levels[1]+l].Law().given(w.lo, len(w.p))
			}
			c.feature = append(c.feature, given)
			at += classes * t.Levels[1]
		}
	}
	return out
}

// expected is Σ_N P(f, N | y)·E[θ | f, N] for every count f.
func (m *Mixture) expected() window {
	w := merge(m.parts)
	clear(w.p)
	for _, q := range m.parts {
		for i, p := range q.p {
			w.p[q.lo+i-w.lo] += p * (q.alpha + float64(q.lo+i)) / (q.alpha + q.rest + float64(q.total))
		}
	}
	return w
}

// given is log E[θ | N, y] for k totals N from first on; −∞ for those left out.
func (m *Mixture) given(first, k int) []float64 {
	out := make([]float64, k)
	for i := range out {
		out[i] = math.Inf(-1)
	}
	for _, q := range m.parts {
		i := q.total - first
		if i < 0 || i >= k {
			continue
		}
		mean := 0.0
		for f, p := range q.p {
			mean += p * (q.alpha + float64(q.lo+f))
		}
		out[i] = math.Log(mean / (q.up[len(q.up)-1] * (q.alpha + q.rest + float64(q.total))))
	}
	return out
}

func logs(p []float64) []float64 {
	out := make([]float64, len(p))
	for i, v := range p {
		out[i] = math.Log(v)
	}
	return out
}
