package utility

import (
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// DirichletCornerMax is the range of the divergence of one Dirichlet node, in nats:
//
//	max KL(Dir(α + D) ‖ Dir(α + z)), z ∈ {0, n}^r,
//
// in O(r log r) instead of 2^r: with k entries at n, the divergence is Σ_i d_i(z_i) − D(α. + kn), so for every k the
// best entries are those with the largest gain d_i(n) − d_i(0), and sorting the gains finds all k at once. d_i is the
// Bregman divergence of lnΓ.
//
// It depends on the exact counts: private, do not publish. Domain: r ≥ 2 positive α, as many counts in [0, n], n ≥ 1;
// otherwise a *ParameterError.
func DirichletCornerMax(alpha, counts []float64, n int) (float64, error) {
	args := append(priorArguments(alpha, n),
		domain.Arg("number of counts", len(counts), len(counts) == len(alpha), fmt.Sprint(len(alpha))))
	for i, c := range counts {
		args = append(args, count(fmt.Sprintf("counts[%d]", i), c, n))
	}
	if err := check("DirichletCornerMax", args...); err != nil {
		return 0, err
	}
	N, r := float64(n), len(alpha)
	gain, order := make([]float64, r), make([]int, r)
	for i, a := range alpha {
		x := a + counts[i]
		gain[i] = num.LogGammaBregman(a+N, x, N-counts[i]) - num.LogGammaBregman(a, x, -counts[i])
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case gain[i] > gain[j]:
			return -1
		case gain[i] < gain[j]:
			return 1
		}
		return 0
	})
	// Totals in one pass choose k; the divergence itself is then taken without cancellation.
	var base, total, moved float64
	for i, a := range alpha {
		base += num.LogGammaBregman(a, a+counts[i], -counts[i])
		total += a
		moved += counts[i]
	}
	best, bestK := -1.0, 0
	for k := 0; k <= r; k++ {
		h := float64(k)*N - moved
		if v := base - num.LogGammaBregman(total+float64(k)*N, total+moved, h); v > best {
			best, bestK = v, k
		}
		if k < r {
			base += gain[order[k]]
		}
	}
	y, x, h := slices.Clone(alpha), slices.Clone(alpha), make([]float64, r)
	for i := range alpha {
		x[i] += counts[i]
		h[i] = -counts[i]
	}
	for _, i := range order[:bestK] {
		y[i] += N
		h[i] += N
	}
	return num.DirichletKL(y, x, h), nil
}

// DirichletPublicRange bounds [DirichletCornerMax] over all counts in [0, n], without data, in nats:
//
//	Σ_i max{ D(α_i + n; α_i), D(α_i; α_i + n) },  D(y; x) = lnΓ(y) − lnΓ(x) − (y − x)ψ(x).
//
// The divergence is Σ D(α_i + z_i; α_i + D_i) minus such a term for the totals, which is not negative; each D grows as
// its arguments part. An upper bound, not the supremum: for two levels use [PublicRange]. Public. Domain: r ≥ 2
// positive α, n ≥ 1; otherwise a *ParameterError.
func DirichletPublicRange(alpha []float64, n int) (float64, error) {
	if err := check("DirichletPublicRange", priorArguments(alpha, n)...); err != nil {
		return 0, err
	}
	N, sum := float64(n), 0.0
	for _, a := range alpha {
		sum += max(num.LogGammaBregman(a+N, a, N), num.LogGammaBregman(a, a+N, -N))
	}
	return sum, nil
}

func priorArguments(alpha []float64, n int) []domain.Argument {
	args := []domain.Argument{domain.AtLeast("number of levels", len(alpha), 2), domain.AtLeast("n", n, 1)}
	for i, a := range alpha {
		args = append(args, domain.Positive(fmt.Sprintf("alpha[%d]", i), a))
	}
	return args
}
