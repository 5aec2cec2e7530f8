package claims

import "math"

// The constants of Theorem 4.2.
const (
	paperKappa = 4.91081
	paperOmega = 1.25643
)

// theorem42M is the M of Theorem 4.2.
func theorem42M(c, l0, delta, ratio float64) float64 {
	e := math.Exp(-paperOmega)
	last := math.Log(math.Exp(-l0*delta*c)/(math.Exp(-paperOmega*(1-delta))-e) + math.Exp(l0*(1-delta)*c))
	return (paperKappa/c + l0*(1/(1-e)+1) + math.Log(ratio) + last) * ratio
}

// boxTV is the total variation between the posteriors of bits under the uniform prior on [w, 1 − w], one record each,
// which differ in all of them: ½∫|Π 2θ − Π 2(1 − θ)|.
func boxTV(bits int, w float64) float64 {
	const steps = 60
	sum := 0.0
	var add func(left int, p, q float64)
	add = func(left int, p, q float64) {
		if left == 0 {
			sum += math.Abs(p-q) / 2
			return
		}
		for i := range steps {
			x := w + (1-2*w)*(float64(i)+.5)/steps
			add(left-1, p*2*x/steps, q*2*(1-x)/steps)
		}
	}
	add(bits, 1, 1)
	return sum
}

// networkTheorem42 takes, for one bit with prior Beta(a, a), the best L0, c and δ that meet the theorem's assumptions,
// and for trimmed bits L0 = ln((1−w)/w), from which every c will do.
func networkTheorem42(t *trial, factor float64) error {
	starts := []float64{.02, .05, .1, .2, .5, 1, 2, 4}
	for _, a := range []float64{2, 5, 20, 100, 1000} {
		best := math.Inf(1)
		for _, l0 := range starts {
			c := rateFrom(a, a, l0)
			if delta := 1 - 1/c; delta > 0 && c < 1e6 { // ρ = 1 ≤ (1 − δ)c
				best = math.Min(best, theorem42M(c, l0, delta, 2))
			}
		}
		t.f.require(!math.IsInf(best, 1) && best > 2*math.Ln2, "α = %v: M = %v", a, best)
		t.bound(math.Sqrt(factor*best/2), neighbourTV(a, a+1), a, "Beta(%v, %v)", a, a)
	}
	rates := []float64{1.5, 2, 5, 10, 100, 1000, 1e4}
	for bits := 1; bits <= 3; bits++ {
		k := float64(bits)
		for _, w := range []float64{.1, .3, .45, .49} {
			best, l := math.Inf(1), math.Log((1-w)/w)
			for _, c := range rates {
				if c > k { // ρ ≤ K = (1 − δ)c
					best = math.Min(best, theorem42M(c, l, 1-k/c, math.Pow(2*(1-w), k)))
				}
			}
			for differ := 1; differ <= bits; differ++ { // the others tilt both posteriors alike
				bound, truth := math.Sqrt(factor*best/2*float64(differ)), boxTV(differ, w)
				t.bound(bound, truth, 10*k, "%d bits trimmed at %v, %d differ", bits, w, differ)
				t.f.require(differ > 1 || near(truth, .5-w, 1e-9), "trimmed at %v: %v", w, truth)
			}
			if w == .49 && bits == 1 {
				one := math.Sqrt(factor * best / 2)
				t.f.number("bound for a bit trimmed at 0.49", one, .282*math.Sqrt(factor), .002)
				bound41 := math.Tanh(l / 2) // of a density ratio within e^{±L}, one draw
				t.f.require(bound41 < one || factor < 1, "w = %v: %v and %v", w, bound41, one)
			}
		}
	}
	t.f.number("TV of one bit, α = 2", neighbourTV(2, 3), .375, 1e-12)
	for k := 2.; k <= 6; k++ { // untrimmed bits
		for _, c := range rates {
			for _, l0 := range starts {
				if c > k {
					m := theorem42M(c, l0, 1-k/c, math.Exp2(k))
					t.f.require(math.Sqrt(m/2) > 1, "K = %v, c = %v, L0 = %v: M = %v", k, c, l0, m)
				}
			}
		}
	}
	t.f.number("e^ω − 1 − 2ω", math.Expm1(paperOmega)-2*paperOmega, 0, 1e-5)
	t.f.number("2ω/(1 − e^−ω)²", 2*paperOmega/math.Pow(-math.Expm1(-paperOmega), 2), paperKappa, 1e-5)
	return nil
}

// orderOfM divides M by the printed order and by the corrected one.
func orderOfM(t *trial, constant float64) error {
	for _, l0 := range []float64{.1, 1, 2} {
		for _, delta := range []float64{.1, .5, .9} {
			for _, ratio := range []float64{2, 4, 64} {
				for _, c := range []float64{2, 5, 10, 100, 300} {
					m := theorem42M(c, l0, delta, ratio)
					order := (1/c + math.Log(ratio) + l0) * ratio
					size := c + 10*math.Abs(l0-1) + 10*math.Abs(delta-.5) + ratio
					t.printed(m <= constant*order, size, "L0 = %v, δ = %v, C = %v, c = %v: %.1f times the order", l0,
						delta, ratio, c, m/order)
					t.repaired(m <= 5*(1/c+math.Log(ratio)+l0*(1+(1-delta)*c)+1-math.Log(delta))*ratio,
						"L0 = %v, δ = %v, C = %v, c = %v: %v", l0, delta, ratio, c, m)
				}
			}
		}
	}
	at := func(c float64) float64 { return theorem42M(c, 1, .5, 2) / ((1/c + math.Ln2 + 1) * 2) }
	t.f.number("M ÷ order at c = 10, L0 = 1, δ = ½, C = 2", at(10), 4.79, .02)
	t.f.number("M ÷ order at c = 700", at(700), 208, .5)
	t.f.number("growth from c = 600 to 1200", at(1200)/at(600), 2, .03)
	return nil
}
