package claims

import "math"

// settled reports that a mutant is refuted: it needs no more cases.
func (t *trial) settled(k float64) bool { return k != 1 && t.refuted > 0 }

// near reports whether a and b agree to a relative tolerance, or are the same infinity.
func near(a, b, relative float64) bool {
	return a == b || math.Abs(a-b) <= relative*math.Max(math.Abs(a), math.Abs(b))
}
