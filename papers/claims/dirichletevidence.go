package claims

import "math"

// DirichletPaper is the paper on the Dirichlet mechanism, by its title.
const DirichletPaper = "Dirichlet Mechanism for Differentially Private KL Divergence Minimization"

// near reports whether a and b agree to a relative tolerance, or are the same infinity.
func near(a, b, relative float64) bool {
	return a == b || math.Abs(a-b) <= relative*math.Max(math.Abs(a), math.Abs(b))
}
