package noiseaware

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// impossible is the logarithm of the probability below which noise does not reach.
var impossible = math.Log(1e-30)

// beyond bounds ln P(|Z_1 + … + Z_m| ≥ t) of independent noises, t in steps: with the moment generating function at γ/2
// for geometric noise, P ≤ 2e^{−γt/2}·E[e^{γZ/2}]^m, and 2e^{−t²/(2mσ²)} for discrete Gaussian noise, which is
// sub-Gaussian (Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy", 2020). One geometric
// noise has P(|Z| ≥ t) ≤ 2e^{−γt}.
func beyond(z mechanism.CountNoise, m int, t float64) float64 {
	switch {
	case t <= 0 || m == 0:
		return 0
	case z.Sigma2 > 0:
		return math.Ln2 - t*t/(2*float64(m)*z.Sigma2)
	case m == 1:
		return math.Ln2 - z.Rate*t
	}
	s := z.Rate / 2 // E e^{sZ} = (1−q)²/((1−qe^s)(1−qe^{−s})), q = e^{−2s}
	return math.Ln2 - s*t + float64(m)*(2*math.Log(-math.Expm1(-2*s))-math.Log(-math.Expm1(-s))-
		math.Log(-math.Expm1(-3*s)))
}

// noisyTable are the noisy numbers of a table, in steps of the noise's lattice.
type noisyTable struct {
	name string
	y    []int64
	all  bool // every cell was measured
	law  mechanism.CountNoise

	columns []string // of the table
}

// explained refuses noisy numbers that no tables explain: a cell that the noise cannot have moved so far from 0 … n,
// and sums of tables that are too far from n, or, where n is latent, from another table's. n < 0 is latent.
func explained(n int64, tables []noisyTable) error {
	first := -1
	for i, t := range tables {
		sum, unit := 0.0, float64(t.law.Unit)
		for _, y := range t.y {
			sum += float64(y)
			off := max(-float64(y), 0)
			if n >= 0 {
				off = max(off, float64(y)-float64(n)*unit)
			}
			if beyond(t.law, 1, off) < impossible {
				return &EvidenceError{label.Short(t.name), fmt.Sprintf("a noisy count of %.6g records", float64(y)/unit),
					fmt.Sprintf("numbers within the noise's reach of %s, probability at least 1e-30", countsUpTo(n))}
			}
		}
		switch {
		case !t.all:
		case n >= 0 && beyond(t.law, len(t.y), math.Abs(sum-float64(n)*unit)) < impossible:
			return &EvidenceError{label.Short(t.name), fmt.Sprintf("noisy counts that add up to %.6g", sum/unit),
				fmt.Sprintf("a sum within the noise's reach of n = %d", n)}
		case n >= 0:
		case first < 0:
			first = i
		default:
			u := tables[first]
			other := 0.0
			for _, y := range u.y {
				other += float64(y)
			}
			// one of them is at least half of the way off
			half := math.Abs(sum/unit-other/float64(u.law.Unit)) / 2
			if max(beyond(t.law, len(t.y), half*unit), beyond(u.law, len(u.y), half*float64(u.law.Unit))) < impossible {
				return &EvidenceError{label.Short(t.name), fmt.Sprintf("noisy counts that add up to %.6g, and to %.6g "+
					"in %s", sum/unit, other/float64(u.law.Unit), label.Short(u.name)),
					"tables of the same records"}
			}
		}
	}
	return nil
}

func countsUpTo(n int64) string {
	if n < 0 {
		return "0 or more"
	}
	return fmt.Sprintf("0 to n = %d", n)
}
