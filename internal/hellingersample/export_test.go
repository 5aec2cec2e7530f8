package hellingersample

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/sample"
)

// Mixture, Shells, Enumerated and Uniform take their method, whichever Choose would take.
func Mixture(ctx context.Context, alpha []float64, x []int64, a float64, progress func(float64)) (Sampler, error) {
	return of(alpha, x, a, func(p problem) (Sampler, error) { return newMixture(ctx, p, progress) })
}

func Shells(alpha [2]float64, x [2]int64, a float64) (Sampler, error) {
	return of(alpha[:], x[:], a, func(p problem) (Sampler, error) { return newShells(p) })
}

func Enumerated(alpha []float64, x []int64, a float64) (Sampler, error) {
	return of(alpha, x, a, func(p problem) (Sampler, error) {
		if err := p.enumerable(); err != nil {
			return nil, err
		}
		return newEnumerated(p)
	})
}

func Uniform(alpha []float64, x []int64, a float64) (Sampler, error) {
	return of(alpha, x, a, func(p problem) (Sampler, error) { return &uniform{p}, nil })
}

func of(alpha []float64, x []int64, a float64, build func(problem) (Sampler, error)) (Sampler, error) {
	p, err := newProblem(alpha, x, a, a)
	if err != nil {
		return nil, err
	}
	return build(p)
}

// Envelope is the sum of the shells' sizes times envelopes, and their number: Envelope/Σ exp(−A·H) proposals are
// expected.
func Envelope(s Sampler) (sum float64, shells int) {
	for _, h := range s.(*shelled).shells {
		sum += float64(h.count) * math.Exp(-float64(h.env)/grid)
	}
	return sum, len(s.(*shelled).shells)
}

// StableLaw is p_0, …, p_{count−1}.
func StableLaw(a float64, count int) []float64 {
	out, s := make([]float64, count), newStable(a)
	for i := range out {
		out[i] = math.Exp(s.log())
		s.advance()
	}
	return out
}

// LogBC is one cell's φ(α+x, α+r).
func LogBC(alpha float64, x, r int64) float64 { return logBC(alpha, x, r) }

// ImpliedWeight is the weight of r in the law that the mixture draws: every table is the sampler's own, only the sums
// over the blocks and cells are taken here. It is exp(−A·H) up to a factor that r does not change.
func ImpliedWeight(s Sampler, r []int64) float64 {
	m := s.(*mixture)
	total := math.Exp(m.choice.LogWeight(0)) / float64(Count(m.n, m.dim()))
	same := true
	for i := range r {
		same = same && r[i] == m.x[i]
	}
	if same {
		total += math.Exp(m.choice.LogWeight(m.choice.Len() - 1))
	}
	for j := range m.blocks {
		b := &m.blocks[j]
		t, err := m.tables(j)
		if err != nil {
			panic(err)
		}
		l, cost := m.choice.LogWeight(j+1), 0.0
		for i := range r {
			k := int(r[i] - t.from[i])
			if k < 0 || k >= t.cells[i].Len() {
				l = math.Inf(-1)
				break
			}
			l += t.cells[i].LogWeight(k)
			cost += m.cells[i].cost[r[i]-m.cells[i].from]
			if i != b.rest {
				l -= math.Log(mass(t.cells[i]))
			}
		}
		if t.terms != nil && !math.IsInf(l, -1) {
			thinned := 0.0
			for k := range t.terms.Len() {
				thinned += math.Exp(t.terms.LogWeight(k) - float64(k)*cost)
			}
			l += math.Log(thinned / mass(t.terms))
		}
		total += math.Exp(l)
	}
	return total
}

func mass(w *sample.Weights) (sum float64) {
	for i := range w.Len() {
		sum += math.Exp(w.LogWeight(i))
	}
	return sum
}

// Mutants, played through the production path.
var (
	// WithoutAcceptance keeps every proposal of the shells or the uniform sampler.
	WithoutAcceptance = func(s Sampler) {
		switch s := s.(type) {
		case *shelled:
			s.a = 0
		case *uniform:
			s.a = 0
		}
	}
	// WithoutThinning takes the first N of each block for all.
	WithoutThinning = func(s Sampler) {
		everyTable(s, func(m *mixture, j int, t *tables) { t.terms = nil })
	}
	// WithoutLastCell keeps every proposal whose last cell is in its window.
	WithoutLastCell = func(s Sampler) {
		everyTable(s, func(m *mixture, j int, t *tables) {
			last := m.blocks[j].rest
			t.cells[last], _ = sample.NewWeights(make([]float64, t.cells[last].Len()))
		})
	}
	// WithoutNormalisers chooses blocks by p_N alone.
	WithoutNormalisers = func(s Sampler) {
		m := s.(*mixture)
		exponents := make([]float64, m.choice.Len())
		exponents[0] = m.a
		for j, b := range m.blocks {
			exponents[j+1] = math.Max(0, -b.stable.sum(b.end))
		}
		exponents[len(exponents)-1] = m.choice.Exponent(m.choice.Len() - 1)
		m.choice, _ = sample.NewWeights(exponents)
	}
)

func everyTable(s Sampler, mutate func(*mixture, int, *tables)) {
	m := s.(*mixture)
	for j := range m.blocks {
		t, err := m.tables(j)
		if err != nil {
			panic(err)
		}
		mutate(m, j, t)
	}
}
