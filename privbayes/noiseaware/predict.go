package noiseaware

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Predict gives the probability of every class for every row of x, in the order of the target's labels: that of a new
// record given the noisy counts y and, under naive Bayes, its features x_1, …, x_K. With the latent class totals N_j,
// on which everything else is independent,
//
//	P(j | x, y) ∝ Σ_{N_j} P(N_j | y)·E[θ_j | N_j, y]·∏_k E[θ_{k, x_k | j} | N_j, y],
//
// so a class with few or noisy records counts for less. For Binary and Categorical models it is the mean of θ in every
// row; for networks it is E[P(j, x | θ) | y]/E[P(x | θ) | y] over the draws. The target's own values in x are not used.
// Class totals of posterior probability below 1e-16 are left out. Errors: those of model.Shape.Accepts.
func (p *Posterior) Predict(x *frame.Frame) ([][]float64, error) {
	if err := p.shape.Accepts(x); err != nil {
		return nil, err
	}
	if p.joint != nil {
		return p.predictJoint(x)
	}
	classes := p.shape.Classes()
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
			w.p[q.lo+i-w.lo] += p * (m.alpha + float64(q.lo+i)) / (m.alpha + m.rest + float64(q.total))
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
			mean += p * (m.alpha + float64(q.lo+f))
		}
		out[i] = math.Log(mean / (q.up[len(q.up)-1] * (m.alpha + m.rest + float64(q.total))))
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
