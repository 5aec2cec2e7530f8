package sample

import "math"

// LogNorm is the logarithm of the normaliser
//
//	W_d = Σ_{Σz=0} exp(−γΣ|z_i|) = Σ_t e^{−2γt}·N_d(t) = Σ_{k<d} C(d−1, k)·C(d+k−1, k)·v^k,  v = 1/(e^{2γ} − 1),
//
// N_d(t) the number of z of sum zero and ½Σ|z_i| = t. The first form is (1−u)^d·F(d, d; 1; u), u = e^{−2γ}, by
// expanding ((1−u)/((1−qx)(1−q/x)))^d, q² = u; Pfaff's transformation makes it a sum of d positive terms. Absolute
// error about 1e-15·(d + |LogNorm|).
func (s SumZero) LogNorm() float64 { return s.logSums(s.d, 0) }

// logSums is the logarithm of W_m(t) = Σ_{z ∈ Z^m, Σz=t} exp(−γΣ|z_i|), t ≥ 0, m ≥ 1:
//
//	W_m(t) = q^t·C(t+m−1, t)·Σ_{k<m} (m)_k·C(m−1, k)/(t+1)_k·v^k,
//
// which is q^t·(1−u)^m·C(t+m−1, t)·F(m, m+t; t+1; u). All terms are positive.
func (s SumZero) logSums(m int, t float64) float64 {
	γ, M := s.Rate(), float64(m)
	v := 1 / math.Expm1(2*γ)
	l := logSeries(m, func(k float64) float64 { return (M + k) / (t + 1 + k) * ((M - 1 - k) / (k + 1)) * v }, nil)
	return l + logChoose(t+M-1, M-1) - γ*t
}

// logSeries is ln(1 + ρ_0 + ρ_0ρ_1 + …) of terms terms with ratios ρ_k = ratio(k) ≥ 0 that decrease in k. moment, if
// not nil, receives Σ k·term_k / Σ term_k.
func logSeries(terms int, ratio func(k float64) float64, moment *float64) float64 {
	const big, small = 0x1p+800, 0x1p-800
	sum, first, term, shift := 1.0, 0.0, 1.0, 0.0
	for k := 0.0; k < float64(terms-1); k++ {
		r := ratio(k)
		for term *= r; term > big || sum > big; shift++ {
			term, sum, first = term*small, sum*small, first*small
		}
		sum += term
		first += (k + 1) * term
		if r < 1 && term*(k+2) < 1e-18*sum*(1-r)*(1-r) { // what follows is below a geometric series
			break
		}
	}
	if moment != nil {
		*moment = first / sum
	}
	return math.Log(sum) + shift*800*math.Ln2
}

// HalfNormLaw is P(½Σ|Z_i| = t) = e^{−2γt}·N_d(t)/W_d, t = 0, 1, 2, …; 0 for other t. With k positive and j ≥ 0 other
// cells,
//
//	N_d(t) = Σ_{k≥1} C(d, k)·C(t−1, k−1)·C(t+d−k−1, d−k−1),  N_d(0) = 1.
//
// Relative error about 1e-14·(1 + ln N_d(t) + 2γt).
func (s SumZero) HalfNormLaw(t float64) float64 {
	if !(t >= 0) || t != math.Floor(t) || math.IsInf(t, 1) {
		return 0
	}
	return math.Exp(s.logHalfNormCount(t) - 2*s.Rate()*t - s.LogNorm())
}

// logHalfNormCount is ln N_d(t).
func (s SumZero) logHalfNormCount(t float64) float64 {
	D := float64(s.d)
	switch {
	case t == 0:
		return 0
	case s.d == 1:
		return math.Inf(-1)
	}
	terms := s.d - 1
	if t < D {
		terms = min(terms, int(t))
	}
	l := logSeries(terms, func(i float64) float64 { // from k = i + 1 to i + 2
		k := i + 1
		return (D - k) / (k + 1) * ((t - k) / k) * ((D - k - 1) / (t + D - k - 1))
	}, nil)
	return l + math.Log(D) + logChoose(t+D-2, D-2)
}

// MeanAbsolute is E|Z_1| = 2E[T]/d, T = ½Σ|Z_i|. With W_d = Σ_k c_k·v^k, v = u/(1−u),
//
//	E[T] = u·d ln W_d/du = E[K]/(1−u),  P(K = k) ∝ c_k·v^k,
//
// positive terms only.
func (s SumZero) MeanAbsolute() float64 {
	D, γ := float64(s.d), s.Rate()
	v, mean := 1/math.Expm1(2*γ), 0.0
	logSeries(s.d, func(k float64) float64 { return (D + k) / (k + 1) * ((D - 1 - k) / (k + 1)) * v }, &mean)
	return 2 / D * mean / -math.Expm1(-2*γ)
}

// Marginal is P(Z_1 = z) = e^{−γ|z|}·W_{d−1}(|z|)/W_d.
func (s SumZero) Marginal(z int64) float64 {
	t := math.Abs(float64(z))
	if s.d == 1 {
		if z == 0 {
			return 1
		}
		return 0
	}
	return math.Exp(s.logSums(s.d-1, t) - s.Rate()*t - s.LogNorm())
}

// logChoose is ln C(n, k), 0 ≤ k ≤ n. It uses the smaller of k and n − k, so that nothing large cancels when it is
// small.
func logChoose(n, k float64) float64 {
	k = math.Min(k, n-k)
	if k < 64 {
		l := 0.0
		for i := 1.0; i <= k; i++ {
			l += math.Log((n - k + i) / i)
		}
		return l
	}
	m := n - k // n ln n − k ln k − m ln m, from two ratios, then Stirling's series
	return k*math.Log(n/k) + m*math.Log1p(k/m) + 0.5*math.Log(n/(2*math.Pi*k*m)) +
		stirling(n) - stirling(k) - stirling(m)
}

// stirling is lnΓ(x+1) − [(x + ½) ln x − x + ½ ln 2π] for x ≥ 64.
func stirling(x float64) float64 {
	u := 1 / (x * x)
	return (1./12 - u*(1./360-u*(1./1260-u/1680))) / x
}
