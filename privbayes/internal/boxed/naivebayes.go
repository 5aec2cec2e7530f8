package boxed

import "math"

// Naive is a naive Bayes network of binary nodes, public in all its parts: one class and Features features, every conditional in
// [w, 1−w], symmetric Beta(Alpha, Alpha) priors, N = Records records (public).
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
		return &ParameterError{"prior count", m.Alpha, "0 < prior count < ∞"}
	}
	return nil
}

// Epsilon is the exact record-level ε of one draw from prior × likelihood^η on the box with floor w (η = 1: the posterior), over all
// data sets of n records and all replacements, inflated by 1e-11:
//
//	max{ d·stay(0, n−1),  max_{s+f=n−1} stay(s, f) + d·(enter(s) + leave(f)) }
//
// with the terms of evidence. The first case keeps the class and changes every feature; in the second the class changes, s and f
// being the other records' classes, and every feature's record moves between cells that are worst when empty of the other value.
// It equals enumeration over all data sets (d = 1, n ≤ 4; d = 2, n ≤ 3). Errors: *ParameterError, *EmptyBoxError.
// Source: theory/networks.md §3.4 (i).
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

// Floor is calibration B: the smallest floor w, within 1e-12, at which N draws have N·ε(n, w) ≤ eps. It lies below the floor of
// Floors: the box is wider because n is known. The answer is checked by Epsilon itself. Errors: *ParameterError.
// Source: theory/networks.md §3.5.
func (m Naive) Floor(eps float64, draws int) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	states := make([]int, m.Features+1)
	for i := range states {
		states[i] = 2
	}
	safe, err := Floors(eps, states, draws)
	if err != nil {
		return 0, err
	}
	least := 1e-12 // no target needs a wider box
	return lastSafe(least, safe[0], 1e-12, func(w float64) (float64, error) {
		one, err := m.Epsilon(w, 1)
		return float64(draws)*one - eps, err
	})
}

// Power is calibration C at known n: the largest power η ≤ 1, within 1e-12, at which N draws from prior × likelihood^η on the box with
// floor w have N·ε(n, w, η) ≤ eps. Errors: *ParameterError, *EmptyBoxError. Source: theory/networks.md §3.5.
func (m Naive) Power(eps, w float64, draws int) (float64, error) {
	if err := m.check(); err != nil {
		return 0, err
	}
	ell, err := LogRange(w, 2)
	if err != nil {
		return 0, err
	}
	safe, err := Power(eps, float64(m.Features+1)*ell, draws)
	if err != nil {
		return 0, err
	}
	return lastSafe(1, safe, 1e-12, func(eta float64) (float64, error) {
		one, err := m.Epsilon(w, eta)
		return float64(draws)*one - eps, err
	})
}
