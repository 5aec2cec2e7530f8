package hellingersample

// Prospect says before any data is read what [Choose] will take for a prior, n and a bound on the rate: the method's
// name and the Slack of its draws. Errors are those of Choose, except the context's.
func Prospect(alpha []float64, n int64, bound float64) (name string, slack float64, err error) {
	x := make([]int64, len(alpha))
	if len(x) > 0 {
		x[0] = n // any data set of n records: neither choice nor slack depends on it
	}
	p, err := newProblem(alpha, x, 0, bound)
	if err != nil {
		return "", 0, err
	}
	var s Sampler
	switch {
	case p.dim() == 2:
		s = &Shelled{problem: p}
	case p.enumerable() == nil:
		s = &enumerated{problem: p}
	case bound <= chooseUniformBelow:
		s = &uniform{p}
	default:
		if err := p.mixable(); err != nil {
			return "", 0, err
		}
		s = &mixture{problem: p}
	}
	return s.Name(), s.Slack(), nil
}
