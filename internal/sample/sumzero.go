package sample

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
)

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
