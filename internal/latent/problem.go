// Package latent samples the count tables of a network's records given noisy counts of them.
//
// n records x are independent draws of a Bayesian network whose CPT rows have Dirichlet priors; noisy numbers of tables
// over sets of columns are known, or of linear statistics of the records. With the junction forest of the families and
// the measured sets, cliques C and separators S, the state g are the tables of the cliques, consistent on separators,
// and all others are margins of these:
//
//	π(g) ∝ ∏_S∏_s g_S(s)!/∏_C∏_c g_C(c)! · ∏_v∏_pa Γ(A_v)/Γ(A_v + g_pa)·∏_l Γ(α_l + g_{v,pa,l})/Γ(α_l) · ∏ P(y | g),
//
// the first factor the number of data sets with the tables g (the empty separator of a root is n!), the second the
// probability of each, A_v the sum of α over the levels of v, the third the distribution of the noise. The posterior of
// the CPTs is the mixture of Dirichlet distributions with counts g. Where n is latent its prior is flat.
//
// The rows of some nodes share a centre, which is drawn with the tables ([Problem.Shared], docs/theory/prior.md).
//
// [NewLayout] makes what chains share, [Layout.NewChain] a [Chain]; its moves are slices along lines of tables, jumps
// of records from one level to another, swaps of two levels' records, and slices of centres ([Kernel]). They cost what
// the noise is wide and not what n is large. Source: docs/explanation/intervals.md.
package latent

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/junction"
)

// Problem is a network with a prior and noisy numbers of records drawn from it.
type Problem struct {
	Levels  []int
	Parents [][]int
	Alpha   [][]float64 // the prior of every row of a node, or of its rows' centre: a number > 0 for each level
	Shared  []bool      // the nodes whose rows share a centre; nil: none
	N       int64       // the records; of a latent number the estimate that chains start near
	Latent  bool        // the number of records is unknown, with the flat prior
	Tables  []Table
	Sums    []Linear
}

// Table is a measured table over variables, cells in mixed radix with the last variable fastest.
type Table struct {
	Vars   []int
	Cells  []Term  // of the first cells; the others were not measured
	Spread float64 // the noise's standard deviation in records
}

// Linear is a measured sum over records of ∏_i Function[i][state of Vars[i]].
type Linear struct {
	Vars     []int
	Function [][]int64
	Term     Term
	Spread   float64 // the noise's standard deviation in units of the sum
}

// Error is a problem that cannot be: the part of it, what was found, and what is wanted.
type Error struct{ Field, Value, Want string }

func (e *Error) Error() string {
	return fmt.Sprintf("latent: %s: %s; want %s", e.Field, e.Value, e.Want)
}

// maxCount bounds counts so that sums of them fit an int64 and steps of a lattice do.
const maxCount = 1 << 46

func (p *Problem) check() error {
	k := len(p.Levels)
	switch {
	case k == 0:
		return &Error{"levels", "no variable", "at least one"}
	case len(p.Parents) != k:
		return &Error{"parents", fmt.Sprint(len(p.Parents), " lists"), fmt.Sprint(k, ", one a variable")}
	case len(p.Alpha) != k:
		return &Error{"alpha", fmt.Sprint(len(p.Alpha), " lists"), fmt.Sprint(k, ", one a variable")}
	case p.Shared != nil && len(p.Shared) != k:
		return &Error{"shared", fmt.Sprint(len(p.Shared), " nodes"), fmt.Sprint(k, ", one a variable")}
	case p.N < 0 || p.N > maxCount:
		return &Error{"n", fmt.Sprint(p.N), fmt.Sprintf("0 to %d", int64(maxCount))}
	}
	for v, a := range p.Alpha {
		if len(a) != p.Levels[v] {
			return &Error{"alpha", fmt.Sprintf("%d numbers of variable %d", len(a), v), "one for each level"}
		}
		for _, x := range a {
			if !(x > 0) || math.IsInf(x, 1) {
				return &Error{"alpha", fmt.Sprintf("%v of variable %d", x, v), "finite numbers above 0"}
			}
		}
	}
	for i, t := range p.Tables {
		if cells := junction.Cells(t.Vars, p.Levels); len(t.Cells) > cells {
			return &Error{"table", fmt.Sprintf("%d numbers in table %d of %d cells", len(t.Cells), i, cells),
				"at most one a cell"}
		}
		if err := checkSpread(t.Spread); err != nil {
			return err
		}
	}
	for i, s := range p.Sums {
		if len(s.Function) != len(s.Vars) {
			return &Error{"sum", fmt.Sprintf("%d functions of %d variables in sum %d", len(s.Function), len(s.Vars), i),
				"one a variable"}
		}
		for j, f := range s.Function {
			if len(f) != p.Levels[s.Vars[j]] {
				return &Error{"sum", fmt.Sprintf("a function of %d states in sum %d", len(f), i), "one number a level"}
			}
		}
		if err := checkSpread(s.Spread); err != nil {
			return err
		}
	}
	return nil
}

func checkSpread(s float64) error {
	if !(s >= 0) || s > maxCount {
		return &Error{"spread", fmt.Sprint(s), fmt.Sprintf("0 to %d", int64(maxCount))}
	}
	return nil
}

// order is a topological order of the nodes; *Error for unknown parents and cycles.
func (p *Problem) order() ([]int, error) {
	waiting, children := make([]int, len(p.Levels)), make([][]int, len(p.Levels))
	for v, ps := range p.Parents {
		for _, u := range ps {
			if u < 0 || u >= len(p.Levels) || u == v {
				return nil, &Error{"parents", fmt.Sprintf("%d of variable %d", u, v), "other variables"}
			}
			children[u] = append(children[u], v)
		}
		waiting[v] = len(ps)
	}
	var out []int
	for v, w := range waiting {
		if w == 0 {
			out = append(out, v)
		}
	}
	for i := 0; i < len(out); i++ {
		for _, c := range children[out[i]] {
			if waiting[c]--; waiting[c] == 0 {
				out = append(out, c)
			}
		}
	}
	if len(out) < len(p.Levels) {
		return nil, &Error{"parents", "a cycle", "a directed acyclic graph"}
	}
	return out, nil
}

// family is the parents of v and v.
func (p *Problem) family(v int) []int {
	return append(append(make([]int, 0, len(p.Parents[v])+1), p.Parents[v]...), v)
}

// forest triangulates the families and the measured sets. *junction.WidthError when a clique has more cells than limit.
func (p *Problem) forest(ctx context.Context, limit int) (*junction.Forest, error) {
	var scopes [][]int
	for v := range p.Levels {
		scopes = append(scopes, p.family(v))
	}
	for _, t := range p.Tables {
		scopes = append(scopes, t.Vars)
	}
	for _, s := range p.Sums {
		scopes = append(scopes, s.Vars)
	}
	return junction.Build(ctx, p.Levels, scopes, limit)
}
