package num

// ClopperPearson is the exact confidence interval of a probability of which k of n independent draws came true, 0 ≤ k ≤
// n and n ≥ 1: each end is wrong with probability at most α, 0 < α < 1/2. The ends are rounded outward.
//
//	lower: I_p(k, n−k+1) = α, or 0 for k = 0;   upper: 1 − I_p(k+1, n−k) = α, or 1 for k = n
//
// Source: Clopper and Pearson 1934. The error is that of [RootBracket].
func ClopperPearson(k, n int, alpha float64) (lower, upper float64, err error) {
	lower, upper = 0, 1
	if k > 0 {
		if lower, _, err = RootBracket(func(p float64) float64 {
			tail, _ := BetaTails(float64(k), float64(n-k+1), p, 1-p)
			return tail - alpha
		}, 0, 1, 0); err != nil {
			return 0, 0, err
		}
	}
	if k < n {
		if _, upper, err = RootBracket(func(p float64) float64 {
			_, tail := BetaTails(float64(k+1), float64(n-k), p, 1-p)
			return tail - alpha
		}, 0, 1, 0); err != nil {
			return 0, 0, err
		}
	}
	return lower, upper, nil
}
