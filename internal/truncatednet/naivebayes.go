package truncatednet

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Naive is a naive Bayes network of binary nodes, public in all its parts: one class and Features features, every
// conditional in [w, 1−w], symmetric Beta(Alpha, Alpha) priors, N = Records records (public).
type Naive struct {
	Features int     // d ≥ 1
	Records  int     // n ≥ 1
	Alpha    float64 // prior counts, > 0
}

func (m Naive) check() error {
	if err := checkCount("features", m.Features); err != nil {
		return err
	}
	if err := checkCount("records", m.Records); err != nil {
		return err
	}
	if !(m.Alpha > 0) || math.IsInf(m.Alpha, 1) {
		return domain.Refuse("truncatednet", "prior count", m.Alpha, "0 < prior count < ∞")
	}
	return nil
}

// Epsilon is the exact record-level ε of one draw from prior × likelihood^η on the box with floor w (η = 1: the
// posterior), over all data sets of n records and all replacements, inflated by 1e-11:
//
//	max{ d·stay(0, n−1),  max_{s+f=n−1} stay(s, f) + d·(enter(s) + leave(f)) }
//
// with the terms of evidence. The first case keeps the class and changes every feature; in the second the class
// changes, s and f being the other records' classes, and every feature's record moves between cells that are worst when
// empty of the other value. It equals enumeration over all data sets (d = 1, n ≤ 4; d = 2, n ≤ 3). Errors:
// *domain.Error, *EmptyBoxError. Source: theory/networks.md §3.4 (i).
func (m Naive) Epsilon(w, eta float64) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	e, err := newEvidence(w, m.Alpha, eta)
	if err != nil {
		return 0, err
	}
	d, n := float64(m.Features), m.Records
	same := d * e.stay(0, n-1)
	change := largest(n-1,
		func(s int) float64 { return e.stay(s, n-1-s) + d*e.leave(n-1-s) },
		func(s int) float64 { return d * e.enter(s) })
	if e.err != nil {
		return 0, e.err
	}
	return math.Max(same, change) * margin, nil
}
