package latent

import "math"

// RowPrior is how far the probability of one level is known beforehand. With row weights w, Σ w_r θ_r has the mean
// 1/Levels and the variance Centre + Row·Σ w_r².
type RowPrior struct {
	Levels      int
	Centre, Row float64
}

// SharedRows is the default prior of a node: see Problem.ShareRows.
func SharedRows(levels, rows int) RowPrior {
	mu := 1 / float64(levels)
	switch all := mu * (1 - mu); rows {
	case 1:
		return RowPrior{levels, 0, all / (2*rowWeight + 1)}
	case 2:
		return RowPrior{levels, 0, all / (rowWeight + 1)}
	default:
		centre := (1 - rowFloor) * (1 - rowFloor) * all / (2*rowWeight + 1)
		return RowPrior{levels, centre, (all - centre) / (rowWeight + 1)}
	}
}

// IndependentRows is Dirichlet(α, …, α) of every row.
func IndependentRows(levels int, alpha float64) RowPrior {
	mu := 1 / float64(levels)
	return RowPrior{levels, 0, mu * (1 - mu) / (float64(levels)*alpha + 1)}
}

// Variance is that of Σ w_r θ_r, squares being Σ w_r².
func (p RowPrior) Variance(squares float64) float64 { return p.Centre + p.Row*squares }

// Agree is the probability that two records which meet the same row agree, or two different rows.
func (p RowPrior) Agree(same bool) float64 {
	v := p.Centre
	if same {
		v += p.Row
	}
	return 1/float64(p.Levels) + float64(p.Levels)*v
}

// Coverage predicts, from public numbers only, how often a 95 % interval covers the node's marginal where the truth is
// 1/L + (1 − 1/L)/2 in every row: n/rows records a row, whose every cell is measured with noise of the given variance.
func (p RowPrior) Coverage(rows int, n, noise float64) float64 {
	r, mu := float64(rows), 1/float64(p.Levels)
	theta, k := mu+(1-mu)/2, n/float64(rows)
	v := (noise*(1-mu) + k*theta*(1-theta)) / (k * k)
	return Covers(p.Variance(1/r), v/r, (1-mu)/2)
}

// Covers is the coverage of a 95 % interval at a truth that is off the prior's mean by so much, a normal prior and a
// normal measurement with the given variances: with k = V/(P + V) and s² = PV/(P + V),
//
//	Φ((1.96·s − k·off)/((1 − k)·√V)) − Φ((−1.96·s − k·off)/((1 − k)·√V)).
func Covers(prior, noise, off float64) float64 {
	k, s := noise/(prior+noise), math.Sqrt(prior*noise/(prior+noise))
	below := func(z float64) float64 {
		return math.Erfc(-(z*s-k*off)/((1-k)*math.Sqrt(noise))/math.Sqrt2) / 2
	}
	return below(twoSided) - below(-twoSided)
}

// twoSided is the 0.975 quantile of the normal distribution.
const twoSided = 1.959963984540054

// Conflict is how many standard deviations the noisy share of one level, y of n records, is from the prior's mean:
// cells noisy counts were added up, each with noise of the given variance, and prior is the variance of the marginal.
// It also gives the variance of the measurement.
func (p RowPrior) Conflict(y, cells, n, noise, prior float64) (z, measured float64) {
	share := min(max(y/n, 0), 1)
	measured = (cells*noise + n*share*(1-share)) / (n * n)
	return (y/n - 1/float64(p.Levels)) / math.Sqrt(prior+measured), measured
}
