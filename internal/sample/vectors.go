package sample

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Cube is noise for d sums, each of which a record changes by at most ε/γ steps:
//
//	P(z) ∝ e^{−γ·max_i |z_i|} on Z^d,  γ = Num/Den > 0,
//
// the K-norm mechanism (Hardt, Talwar 2010) of the cube. Values come from [NewCube] or satisfy what it checks.
type Cube struct {
	Dim      int
	Num, Den uint64
}

// MaxCube bounds the sums of a cube, and with them the proposals that a draw rejects.
const MaxCube = 256

// NewCube checks 1 ≤ d ≤ [MaxCube] and γ as NewTwoSidedGeometric does. Errors: *[ParameterError].
func NewCube(d int, num, den uint64) (Cube, error) {
	if d < 1 || d > MaxCube {
		return Cube{}, domain.Refuse("sample", "d", d, "1 to 256 sums")
	}
	_, err := NewTwoSidedGeometric(num, den)
	return Cube{d, num, den}, err
}

// Draw is exact. The norm m = max|z_i| has the weight of the shell, (2m+1)^d − (2m−1)^d times e^{−γm}; written as
// layers, z is uniform in a cube {−m, …, m}^d whose radius has the weight (2m+1)^d·e^{−γm}(1 − e^{−γ}). That radius is
// a sum of d + 1 geometric numbers, of weight C(m+d, d)·e^{−γm}, kept with probability
//
//	∏_{i=1..d} (2m+1)/(2m+2i) = (2m+1)^d/(2^d·d!·C(m+d, d)) ≤ 1.
func (c Cube) Draw(src rand.Source, out []int64) {
	g := TwoSidedGeometric{c.Num, c.Den}
	for {
		m := int64(0)
		for range c.Dim + 1 {
			m += g.oneSided(src)
		}
		keep := true
		for i := int64(1); i <= int64(c.Dim) && keep; i++ {
			keep = Uniform(src, uint64(2*m+2*i)) < uint64(2*m+1)
		}
		if !keep {
			continue
		}
		for i := range out[:c.Dim] {
			out[i] = int64(Uniform(src, uint64(2*m+1))) - m
		}
		return
	}
}

// LogProb is log P(z): a cube of radius m holds z for every m ≥ max|z_i|, and Σ_m (2m+1)^d·e^{−γm} normalises.
func (c Cube) LogProb(z []int64) float64 {
	largest := int64(0)
	for _, v := range z {
		largest = max(largest, v, -v)
	}
	sum, scale := c.layers(func(float64) float64 { return 1 })
	return -c.rate()*float64(largest) - math.Log(sum) - scale - math.Log(-math.Expm1(-c.rate()))
}

func (c Cube) rate() float64 { return float64(c.Num) / float64(c.Den) }

// Variance is E z_1²: the mean of m(m+1)/3, the variance of a uniform number in {−m, …, m}, over the radius m.
func (c Cube) Variance() float64 {
	square, _ := c.layers(func(m float64) float64 { return m * (m + 1) / 3 })
	one, _ := c.layers(func(float64) float64 { return 1 })
	return square / one
}

// layers is e^{scale}·Σ_m f(m)·(2m+1)^d·e^{−γm}, for f of at most quadratic growth. Wide sums are an integral by
// Simpson's rule, with half of the first term added: they differ by less than 1e-9 of the whole.
func (c Cube) layers(f func(m float64) float64) (sum, scale float64) {
	g, d := c.rate(), float64(c.Dim)
	mode := math.Max(0, d/g-.5)
	scale = d*math.Log(2*mode+1) - g*mode
	end := math.Ceil(mode + 40*(math.Sqrt(d+1)+2)/g)
	term := func(m float64) float64 { return f(m) * math.Exp(d*math.Log(2*m+1)-g*m-scale) }
	if end < 1e5 {
		for m := 0.0; m <= end; m++ {
			sum += term(m)
		}
		return sum, scale
	}
	const panels = 4000
	h := end / panels
	for i := 0; i <= panels; i++ {
		w := 2.0
		switch {
		case i == 0 || i == panels:
			w = 1
		case i%2 == 1:
			w = 4
		}
		sum += w * term(float64(i)*h)
	}
	return sum*h/3 + term(0)/2, scale
}

// Parabola is noise for (Σc, Σc²) of records c in {−M, …, M}, one of which is replaced:
//
//	P(d, e) ∝ e^{−ε‖(d, e)‖},  ε = Num/Den > 0,
//
// with the norm whose unit ball is the convex hull of the differences (c − c′, c² − c′²) of all c, c′ in [−M, M]: the
// K-norm mechanism (Hardt, Talwar 2010) of that set. See [ParabolaNorm]. Values come from [NewParabola] or satisfy what
// it checks.
type Parabola struct{ M, Num, Den uint64 }

// NewParabola checks 1 ≤ M ≤ 2^15, 1 ≤ Num < 2^40, and that the rates 4ε/(9M) and 4ε/(9M²) of the proposals fit the
// sampler of two-sided geometric noise. Errors: *[ParameterError].
func NewParabola(m, num, den uint64) (Parabola, error) {
	switch {
	case m == 0 || m > 1<<15:
		return Parabola{}, domain.Refuse("sample", "M", m, "1 ≤ M ≤ 2^15")
	case num == 0 || num >= 1<<40 || den == 0 || den > 1<<40/(9*m*m):
		return Parabola{}, domain.Refuse("sample", "ε", float64(num)/float64(den), "a numerator in [1, 2^40), a "+
			"denominator of at most 2^40/(9M²)")
	}
	_, err := NewTwoSidedGeometric(4*num, 9*m*m*den)
	return Parabola{m, num, den}, err
}

// ParabolaNorm is ‖(d, e)‖ as a fraction:
//
//	|e|/M²            where |e| ≥ M|d|,
//	d²/(2M|d| − |e|)  elsewhere.
//
// Differences of records lie in |e| ≤ |d|(2M − |d|), since e = d(c + c′) and |c + c′| ≤ 2M − |d|; that set is convex in
// |d| ≥ M only, and its hull adds the strips above and below |d| ≤ M. A point on the ray (d, e)/t of the curved part
// has |e|/t = (|d|/t)(2M − |d|/t), so that t = d²/(2M|d| − |e|). M ≤ 2^15 and |d|, |e| < 2^54 are assumed.
func ParabolaNorm(d, e int64, m uint64) (num, den *big.Int) {
	bd, be, bm := big.NewInt(max(d, -d)), big.NewInt(max(e, -e)), new(big.Int).SetUint64(m)
	reach := new(big.Int).Mul(bm, bd)
	if be.Cmp(reach) >= 0 {
		return be, bm.Mul(bm, bm)
	}
	return new(big.Int).Mul(bd, bd), reach.Sub(reach.Lsh(reach, 1), be)
}

// Draw is exact: independent two-sided geometric proposals at the rates a = 4ε/(9M) and b = 4ε/(9M²) are kept with
// probability e^{−(ε‖(d, e)‖ − a|d| − b|e|)}. The exponent is never negative, since 4|d|/(9M) + 4|e|/(9M²) ≤ ‖(d, e)‖:
// the hull's support function at (1, 1), in units of M and M², is max t(2 − t) + t = 9/4. About two in three are kept.
func (p Parabola) Draw(src rand.Source) (d, e int64) {
	first := TwoSidedGeometric{4 * p.Num, 9 * p.M * p.Den}
	second := TwoSidedGeometric{4 * p.Num, 9 * p.M * p.M * p.Den}
	for {
		d, e = first.Draw(src), second.Draw(src)
		if num, den := p.exponent(d, e); bernoulliExpBig(src, num, den) {
			return d, e
		}
	}
}

// exponent is ε(‖(d, e)‖ − 4|d|/(9M) − 4|e|/(9M²)) as a fraction.
func (p Parabola) exponent(d, e int64) (num, den *big.Int) {
	norm, under := ParabolaNorm(d, e, p.M)
	m := new(big.Int).SetUint64(p.M)
	square := new(big.Int).Mul(m, m)
	square.Mul(square, big.NewInt(9))
	less := m.Mul(m, big.NewInt(max(d, -d)))
	less.Add(less, big.NewInt(max(e, -e))).Lsh(less, 2) // 4M|d| + 4|e|, over 9M²
	if under.Sign() == 0 {                              // d = e = 0
		return new(big.Int), big.NewInt(1)
	}
	num = new(big.Int).Mul(norm, square)
	num.Sub(num, less.Mul(less, under)).Mul(num, new(big.Int).SetUint64(p.Num))
	return num, square.Mul(square, under).Mul(square, new(big.Int).SetUint64(p.Den))
}

// bernoulliExpBig is BernoulliExp for a fraction of big integers: with x = num/den ≤ 1 the k-th trial compares a
// uniform number below k·den with num.
func bernoulliExpBig(src rand.Source, num, den *big.Int) bool {
	rest := new(big.Int).Set(num)
	for ; rest.Cmp(den) > 0; rest.Sub(rest, den) {
		if !bernoulliExpUnit(src, 1, 1) {
			return false
		}
	}
	below := new(big.Int)
	for k := 1; ; k++ {
		if below.Add(below, den); uniformBig(src, below).Cmp(rest) >= 0 {
			return k%2 == 1
		}
	}
}

// uniformBig is uniform on {0, …, n−1}, exactly: as many random bits as n−1 has, drawn again when they are not below n.
func uniformBig(src rand.Source, n *big.Int) *big.Int {
	length := new(big.Int).Sub(n, big.NewInt(1)).BitLen()
	for {
		x, word := new(big.Int), new(big.Int)
		for left := length; left > 0; left -= 64 {
			s := min(left, 64)
			x.Lsh(x, uint(s)).Or(x, word.SetUint64(src.Uint64()>>(64-s)))
		}
		if x.Cmp(n) < 0 {
			return x
		}
	}
}

// SumZero is the law of K-norm noise for counts with a public total,
//
//	P(Z = z) ∝ exp(−γ·Σ|z_i|) on {z ∈ Z^d : Σ z_i = 0},  γ = Num/Den > 0.
//
// Moving one record changes ½Σ|z_i| by at most 1, so that γ = ε/2 gives ε. Values come from [NewSumZero].
type SumZero struct {
	d    int
	cell TwoSidedGeometric
}

// maxCells keeps the partial sums of draws, each within 2^53 + 2^31, away from the ends of int64 (see Draw).
const maxCells = 1 << 20

// NewSumZero checks 1 ≤ d ≤ 2^20 and the rate as [NewTwoSidedGeometric] does. Errors: *[ParameterError].
func NewSumZero(d int, num, den uint64) (SumZero, error) {
	if d < 1 || d > maxCells {
		return SumZero{}, domain.Refuse("sample", "d", d, "1 ≤ d ≤ 2^20")
	}
	cell, err := NewTwoSidedGeometric(num, den)
	return SumZero{d, cell}, err
}

// Dim is d.
func (s SumZero) Dim() int { return s.d }

// Rate is γ.
func (s SumZero) Rate() float64 { return s.cell.Rate() }

// Draw fills out, of length d, exactly: z_1, …, z_{d−1} are independent two-sided geometric at rate γ and z_d = −Σ is
// kept with probability exp(−γ|z_d|). A proposal is kept with probability about 0.56/√d when γ is small, and more when
// it is not.
//
// Exact but for cuts of probability below d·e^{−2^22}: those of [TwoSidedGeometric.Draw], and partial sums past 2^62,
// which are drawn again (512 cells at the end of their range would be needed). A wrong length of out is a
// *[ParameterError].
func (s SumZero) Draw(src rand.Source, out []int64) error {
	if len(out) != s.d {
		return domain.Refuse("sample", "length of out", len(out), "the number of cells")
	}
	for !s.propose(src, out) {
	}
	return nil
}

func (s SumZero) propose(src rand.Source, out []int64) bool {
	sum := int64(0)
	for i := range out[:s.d-1] {
		z := s.cell.Draw(src)
		out[i] = z
		if sum += z; sum > 1<<62 || sum < -1<<62 {
			return false
		}
	}
	out[s.d-1] = -sum
	hi, lo := bits.Mul64(uint64(max(sum, -sum)), s.cell.Num) // below 2^62·2^53
	if hi == 0 {
		return BernoulliExp(src, lo, s.cell.Den)
	}
	return bernoulliExpWide(src, wide{mid: hi, lo: lo}, wide{lo: s.cell.Den})
}

// LogWeight is −γ·Σ|z_i|, the log-probability plus [SumZero.LogNorm]; −Inf where Σ z_i ≠ 0 or the length is not d.
func (s SumZero) LogWeight(z []int64) float64 {
	sum, norm := int64(0), 0.0
	for _, v := range z {
		sum += v
		norm += math.Abs(float64(v))
	}
	if sum != 0 || len(z) != s.d {
		return math.Inf(-1)
	}
	return -s.Rate() * norm
}

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
