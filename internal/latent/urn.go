package latent

import "math"

// urn is how many of k draws from an urn are of the first colour, when the urn starts with a and b and every draw adds
// one of its colour (Pólya), a, b ≥ 1; or, with −a and −b, takes it out, k ≤ a + b: the hypergeometric law. From one
// number to the next the probability goes by
//
//	P(x + 1)/P(x) = (a + x)(k − x)/((x + 1)(b + k − x − 1)),
//
// log-concave for such a and b: terms are summed from the largest down to 1e-20 of it on both sides, so that no gamma
// function is taken and rounding does not grow with the counts.
func (c *Chain) urn(k int64, a, b float64) int64 {
	lo, hi := int64(0), k
	if a < 0 || b < 0 || a == 0 || b == 0 {
		lo, hi = max(0, k+int64(b)), min(k, -int64(a))
	}
	if lo >= hi {
		return lo
	}
	m := float64(k)
	mode := lo
	if s := a + b - 2; s != 0 {
		mode = min(max(int64(math.Floor((m*(a-1)-(b-1))/s))+1, lo), hi)
	}
	up, down := c.higher[:0], c.lower[:0]
	total := 1.0
	for x, p := float64(mode), 1.0; x < float64(hi); x++ {
		p *= (a + x) * (m - x) / ((x + 1) * (b + m - x - 1))
		if p < 1e-20 {
			break
		}
		up = append(up, p)
		total += p
	}
	for x, p := float64(mode), 1.0; x > float64(lo); x-- {
		p *= x * (b + m - x) / ((a + x - 1) * (m - x + 1))
		if p < 1e-20 {
			break
		}
		down = append(down, p)
		total += p
	}
	c.higher, c.lower = up, down
	u := c.rng.Float64()*total - 1
	if u < 0 {
		return mode
	}
	for i := range max(len(up), len(down)) {
		if i < len(up) {
			if u -= up[i]; u < 0 {
				return mode + int64(i) + 1
			}
		}
		if i < len(down) {
			if u -= down[i]; u < 0 {
				return mode - int64(i) - 1
			}
		}
	}
	return mode
}
