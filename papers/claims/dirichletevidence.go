package claims

import "math"

// DirichletPaper is the paper on the Dirichlet mechanism, by its title.
const DirichletPaper = "Dirichlet Mechanism for Differentially Private KL Divergence Minimization"

// ofDirichlet is constant for a row of the Dirichlet paper: the constant is 1 in the statement itself.
func ofDirichlet(c Claim, changed float64, run func(t *trial, k float64) error) Claim {
	c.Document = DirichletPaper
	return constant(c, 1, changed, run)
}

// settled reports that a mutant is refuted: it needs no more cases.
func (t *trial) settled(k float64) bool { return k != 1 && t.refuted > 0 }

// near reports whether a and b agree to a relative tolerance, or are the same infinity.
func near(a, b, relative float64) bool {
	return a == b || math.Abs(a-b) <= relative*math.Max(math.Abs(a), math.Abs(b))
}
