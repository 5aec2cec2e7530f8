package logratio

// Evidence is ln ∫ e^{h(s,t)} dt and E_s η.
func Evidence(k Density, s float64) (value, slope float64) {
	lo, hi := k.Ends()
	value = LogMass(k, s, lo, hi)
	_, sum := Integral(k, s, 0, lo, hi, one)
	_, first := Integral(k, s, 0, lo, hi, func(eta float64) float64 { return eta })
	return value, first / sum
}
