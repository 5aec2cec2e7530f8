package noiseaware

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/latent"
	"github.com/privbayes/privbayes-go/internal/parity"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// parities are noisy coefficients. With two states everywhere φ_g = Σ_records (−1)^{⟨g,x⟩} is an integer and the noisy
// number is y = (n − φ_g)/2 + Z, so
//
//	−γ|y − (n − φ_g)/2| = −(γ/2)·|(n − 2y) − φ_g|:
//
// one more linear statistic of the counts. With more, u_j of the Helmert basis is a constant √(r/(j(j+1))) times the
// integers 1 (below j), −j (at j) and 0 (above), so φ_γ is a constant c times an integer statistic, and y is round(c/h·
// statistic) + Z on the lattice of step h.
func (s *setting) parities(ctx context.Context, r *release.Release, z *mechanism.ParityNoise) error {
	raw := r.Raw()
	if len(raw) != 1 || len(raw[0]) != z.Spectrum.Size()-1 || s.problem.Latent {
		return &UnsupportedError{name(r.Plan()), "a list of other integers", "one for each coefficient but the first, " +
			"and a public n"}
	}
	rate := noise.FormOf(z.Noise).Rate // as Fourier adds it
	for i, y := range raw[0] {
		support, function := z.Spectrum.Index(i + 1)
		m := latent.Linear{Vars: support}
		scale := 1.0
		for k, v := range support {
			levels := s.problem.Levels[v]
			m.Function = append(m.Function, helmertIntegers(levels, function[k]))
			scale *= parity.Helmert(levels)[function[k]][0]
		}
		if z.Step > 0 {
			m.Term = latent.Rounded(y, scale/z.Step, rate)
			m.Spread = noise.SD(z.Noise) * z.Step / scale
		} else {
			m.Term = latent.Geometric(s.problem.N-2*y, 1, rate/2)
			m.Spread = 2 * noise.SD(z.Noise)
		}
		s.problem.Sums = append(s.problem.Sums, m)
	}
	return s.explainedParities(ctx, raw[0], z)
}

// helmertIntegers is u_j over its value at 0: 1 below j, −j at j, 0 above, 1 ≤ j < levels.
func helmertIntegers(levels, j int) []int64 {
	out := make([]int64, levels)
	for x := range j {
		out[x] = 1
	}
	out[j] = -int64(j)
	return out
}

// What is looked at of parities: margins of up to parityCells cells, and parityWork products in all. Others are not
// refused.
const (
	parityCells = 1 << 8
	parityWork  = 5e7
)

// coefficients are those of one set of variables: the noisy φ by function.
type coefficients struct {
	vars      []int
	functions [][]int
	phi       []float64
}

// explainedParities refuses noisy coefficients that no table explains: |φ_γ| ≤ n·max|u_γ|, and counts of a margin all
// of whose coefficients are there, f(x) = Σ_γ φ_γ·u_γ(x)/(number of cells), are 0 to n. A sum of noises times weights
// has a moment generating function of at most that of the same number times the largest weight. Errors: *EvidenceError,
// the context's.
func (s *setting) explainedParities(ctx context.Context, raw []int64, z *mechanism.ParityNoise) error {
	n, step, rounding := float64(s.problem.N), 2.0, 0.0 // φ = n − 2(y − Z)
	if z.Step > 0 {
		step, rounding = z.Step, z.Step/2
	}
	sets := map[string]*coefficients{}
	var order []*coefficients
	looked := 0.0
	for i, y := range raw {
		vars, function := z.Spectrum.Index(i + 1)
		key := fmt.Sprint(vars)
		c := sets[key]
		if c == nil {
			c = &coefficients{vars: slices.Clone(vars)}
			sets[key], order = c, append(order, c)
			looked += float64(s.cellsOf(vars))
		}
		phi := n - 2*float64(y)
		if z.Step > 0 {
			phi = z.Step * float64(y)
		}
		c.functions, c.phi = append(c.functions, slices.Clone(function)), append(c.phi, phi)
	}
	looked += float64(len(raw))
	logp, work := impossible-math.Log(looked), 0.0
	one := step*noise.Reach(z.Noise, 1, logp) + rounding
	for _, c := range order {
		for i, phi := range c.phi {
			most := n
			for k, v := range c.vars {
				most *= largest(parity.Helmert(s.problem.Levels[v])[c.functions[i][k]])
			}
			if math.Abs(phi) > most+one {
				return &EvidenceError{"parities", fmt.Sprintf("a noisy coefficient of %.6g", phi),
					fmt.Sprintf("at most %.6g for n = %d within the noise's reach, probability at least 1e-30", most,
						s.problem.N)}
			}
		}
		cells := s.cellsOf(c.vars)
		if work += float64(cells) * float64(cells); cells > parityCells || work > parityWork {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		parts := s.within(c.vars, sets)
		if parts == nil {
			continue
		}
		if err := s.explainedCells(c.vars, parts, step, rounding, noise.Reach(z.Noise, cells-1, logp)); err != nil {
			return err
		}
	}
	return nil
}

func largest(u []float64) float64 {
	out := 0.0
	for _, x := range u {
		out = max(out, math.Abs(x))
	}
	return out
}

func (s *setting) cellsOf(vars []int) int {
	out := 1
	for _, v := range vars {
		out *= s.problem.Levels[v]
	}
	return out
}

// within are the coefficients of all subsets of variables but the empty one; nil where some are not there.
func (s *setting) within(vars []int, sets map[string]*coefficients) (out []*coefficients) {
	for m := 1; m < 1<<len(vars); m++ {
		var subset []int
		wanted := 1
		for k, v := range vars {
			if m>>k&1 == 1 {
				subset, wanted = append(subset, v), wanted*(s.problem.Levels[v]-1)
			}
		}
		if wanted == 0 {
			continue // a constant
		}
		c := sets[fmt.Sprint(subset)]
		if c == nil || len(c.phi) != wanted {
			return nil
		}
		out = append(out, c)
	}
	return out
}

// explainedCells looks at every cell of a margin; far is the reach of as many noises.
func (s *setting) explainedCells(vars []int, parts []*coefficients, step, rounding, far float64) error {
	cells, n := s.cellsOf(vars), float64(s.problem.N)
	bases, x := make([][][]float64, len(s.problem.Levels)), make([]int, len(s.problem.Levels))
	for _, v := range vars {
		bases[v] = parity.Helmert(s.problem.Levels[v])
	}
	for c := range cells {
		for i, rest := len(vars)-1, c; i >= 0; i-- {
			x[vars[i]] = rest % s.problem.Levels[vars[i]]
			rest /= s.problem.Levels[vars[i]]
		}
		count, most, weight := n, 0.0, 0.0
		for _, p := range parts {
			for i, phi := range p.phi {
				u := 1.0
				for k, v := range p.vars {
					u *= bases[v][p.functions[i][k]][x[v]]
				}
				count, most, weight = count+phi*u, max(most, math.Abs(u)), weight+math.Abs(u)
			}
		}
		off := (step*most*far + weight*rounding) / float64(cells)
		if count /= float64(cells); count+off < 0 || count-off > n {
			return &EvidenceError{"parities", fmt.Sprintf("coefficients that make a count of %.6g records", count),
				fmt.Sprintf("numbers within the noise's reach of %s, probability at least 1e-30", countsUpTo(s.problem.N))}
		}
	}
	return nil
}
