package noisycells

import "math"

// marginal are means and standard deviations of β₀ and β₁ of two cells with rows (1, 0) and (1, 1), by quadrature over
// ln λ and log-odds of both, of a posterior with the given log-probability of a released count, power of λ in the
// prior, and a factor for the total or none.
func (p *Problem) marginal(logProbability func(r int64, mu, rate float64) float64, power float64, total bool) (mean,
	sd [2]float64) {
	const odds, means = 161, 120
	etas, logs := make([]float64, odds), make([]float64, means)
	for a := range etas {
		etas[a] = 24 * (float64(a)/(odds-1) - .5)
	}
	for i := range logs {
		logs[i] = -12 + 18*float64(i)/(means-1)
	}
	var cells [2][odds][means]float64
	for c := range cells {
		for a, eta := range etas {
			for i, log := range logs {
				lambda := math.Exp(log)
				cells[c][a][i] = math.Exp(logProbability(p.Second[c], lambda/(1+math.Exp(-eta)), p.Rate) +
					logProbability(p.First[c], lambda/(1+math.Exp(eta)), p.Rate) + (power+1)*log)
			}
		}
	}
	var sums [5]float64
	var with [means]float64
	for a, first := range etas {
		for j, second := range logs { // Σ over λ of the first cell
			with[j] = 0
			for i, log := range logs {
				weight := 1.
				if sum := math.Exp(log) + math.Exp(second); total {
					weight = math.Exp(p.N*math.Log(sum/p.N) - sum + p.N)
				}
				with[j] += cells[0][a][i] * weight
			}
		}
		for b, second := range etas {
			w := 0.
			for j, v := range with {
				w += v * cells[1][b][j]
			}
			beta := [2]float64{first, second - first}
			for j, v := range beta {
				w *= math.Exp(-v * v / (2 * p.Deviation[j] * p.Deviation[j]))
			}
			sums[4] += w
			for j, v := range beta {
				sums[j] += w * v
				sums[2+j] += w * v * v
			}
		}
	}
	for j := range mean {
		mean[j] = sums[j] / sums[4]
		sd[j] = math.Sqrt(sums[2+j]/sums[4] - mean[j]*mean[j])
	}
	return mean, sd
}
