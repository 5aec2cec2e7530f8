package gram

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// columnsOf reads columns such as "1 x z xz xx f1 f2 xf1": letters a to e are factors of three levels with the level
// behind them, F of two; the others are numbers.
func columnsOf(text string) (out []Column) {
	for _, word := range strings.Fields(text) {
		c := Column{}
		for i := 0; i < len(word); i++ {
			switch b := word[i]; {
			case b == '1':
			case b == 'P':
				k, _ := strconv.Atoi(word[i+1 : i+2])
				c, _ = c.times(Column{Powers: []Power{{int(word[i+2]), k, 1}}})
				i += 2
			case b == 'F' || b >= 'a' && b <= 'f':
				levels := 3
				if b == 'F' {
					levels = 2
				}
				c, _ = c.times(Column{Levels: []Level{{int(b), int(word[i+1] - '0'), levels}}})
				i++
			default:
				c, _ = c.times(Column{Powers: []Power{{int(b), 0, 1}}})
			}
		}
		out = append(out, c)
	}
	return out
}

// drawGram draws the entries of S from the prior: θ, spreads, means and correlations of numbers, shares of factors, and
// flat products in the box; kept when S is positive definite.
func drawGram(r *rand.Rand, p *Problem, columns []Column) (f, s []float64) {
	products, _ := Products(columns, p.Count >= 0)
	at := func(a, b int) int {
		m, _ := columns[a].times(columns[b])
		for k := range products {
			if products[k].Equal(m) {
				return k
			}
		}
		return -1
	}
	d := p.Dim
	f, s = make([]float64, len(p.Entries)), make([]float64, d*d)
	for {
		for k := range f {
			f[k] = r.Float64()
			if !p.Entries[k].Even {
				f[k] = 2*f[k] - 1
			}
		}
		corner, theta := p.Cap, thetas[r.IntN(gridSize)]
		if p.Count >= 0 {
			corner *= r.Float64()
			f[p.Count] = 1
		}
		mean, sd := make([]float64, d), make([]float64, d)
		fits := true
		for _, n := range p.Numbers {
			j := n.Column
			mean[j], sd[j] = 2*r.Float64()-1, math.Abs(r.NormFloat64())*theta
			fits = fits && sd[j] <= 1
			f[n.First], f[n.Second] = mean[j], mean[j]*mean[j]+sd[j]*sd[j]
		}
		if !fits {
			continue
		}
		share := shares(r, columns)
		for j, v := range share {
			if v > 0 {
				f[at(0, j)] = v
			}
		}
		for i, a := range p.Numbers {
			for _, b := range p.Numbers[:i] {
				f[at(a.Column, b.Column)] = mean[a.Column]*mean[b.Column] + (2*r.Float64()-1)*sd[a.Column]*sd[b.Column]
			}
			for j := range share {
				if share[j] > 0 {
					f[at(a.Column, j)] = mean[a.Column]*share[j] + (r.Float64()-.5)*sd[a.Column]
				}
			}
		}
		for k := range f {
			f[k] *= corner
		}
		if !p.boxed(f) {
			continue
		}
		p.fill(f, s)
		if _, ok := factor(s, make([]float64, d*d), d); ok {
			return f, s
		}
	}
}

// shares are those of the levels of one factor, from a flat Dirichlet law; 0 for other columns.
func shares(r *rand.Rand, columns []Column) []float64 {
	share, total := make([]float64, len(columns)), r.ExpFloat64()
	for j, c := range columns {
		if len(c.Levels) == 1 && len(c.Powers) == 0 {
			share[j] = r.ExpFloat64()
			total += share[j]
		}
	}
	for j := range share {
		share[j] /= total
	}
	return share
}

// ofRows is a problem of n rows, x of which number may be on [low, high] only, with noise of deviation τ; w are the
// true weights.
func ofRows(r *rand.Rand, columns []Column, d, n, tau float64, w []float64, sigma, low, high float64,
	private bool) *Problem {
	public := n
	if private {
		public = 0
	}
	p := Layout(columns, d, public)
	k := p.Dim
	s := make([]float64, k*k)
	p.XY, p.Precision = make([]float64, k), make([]float64, k)
	x := make([]float64, k)
	for range int(n) {
		numbers, levels := map[int]float64{}, map[int]int{}
		for _, c := range columns {
			for _, q := range c.Powers {
				if _, ok := numbers[q.Of]; !ok {
					numbers[q.Of] = low + (high-low)*r.Float64()
				}
			}
			for _, l := range c.Levels {
				if _, ok := levels[l.Of]; !ok {
					levels[l.Of] = r.IntN(l.Levels)
				}
			}
		}
		y := sigma * r.NormFloat64()
		for j, c := range columns {
			x[j] = c.Value(numbers, levels) / math.Sqrt(d)
			y += x[j] * w[j]
		}
		y = math.Max(-1, math.Min(1, y))
		for i := range k {
			p.XY[i] += x[i] * y
			for j := range k {
				s[i*k+j] += x[i] * x[j]
			}
		}
		p.YY += y * y
	}
	f := make([]float64, len(p.Entries))
	p.take(s, f)
	for j := range k {
		p.Precision[j] = 1 / d
		if columns[j].one() {
			p.Precision[j] /= 25
		}
	}
	return p.noisy(r, f, tau)
}

// noisy releases entries and the moments with y.
func (p *Problem) noisy(r *rand.Rand, f []float64, tau float64) *Problem {
	for j := range p.XY {
		p.XY[j] += tau * r.NormFloat64()
	}
	p.YY += tau * r.NormFloat64()
	p.NoiseXY, p.NoiseY = tau*tau, tau*tau
	for k := range p.Entries {
		q := &p.Entries[k]
		q.Variance = tau * tau / float64(q.Ordered())
		q.Noisy = f[k] + math.Sqrt(q.Variance)*r.NormFloat64()
	}
	if p.Count >= 0 && p.N == 0 {
		p.Cap = math.Max(math.Max(p.Entries[p.Count].Noisy, 0)+8*tau, f[p.Count])
	}
	return p
}
