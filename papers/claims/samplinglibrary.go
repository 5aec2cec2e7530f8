package claims

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/papers/families"
)

// floors and sizes that the library's closed forms are tried at.
var (
	floorsVisited = []float64{.05, .2}
	sizesVisited  = []int{1, 2, 5, 10}
)

func libraryPure(t *trial, c float64) error {
	for _, floor := range floorsVisited {
		l := math.Log((1 - floor) / floor)
		for _, n := range sizesVisited {
			f, err := families.NewTrimmedBeta(n, 1, 1, floor, 1-floor)
			if err != nil {
				return err
			}
			most := 0.0
			for k := range n {
				a, b := float64(k), float64(n-k)
				most = math.Max(most, math.Max(rowLoss(a+1, b-1, a, b, floor), rowLoss(a, b, a+1, b-1, floor)))
				for i := range 41 { // no interior point does better
					p := floor + (1-2*floor)*float64(i)/40
					v := math.Log(p/(1-p)) + betaEvidence(a, b, floor) - betaEvidence(a+1, b-1, floor)
					t.f.require(math.Abs(v) <= f.Epsilon(), "θ = %v, k = %d", p, k)
				}
			}
			t.bound(c*f.Epsilon(), most, float64(n), "floor %v, n = %d", floor, n)
			t.printed(near(f.Epsilon(), most, 1e-7), float64(n), "floor %v, n = %d: %v, not %v", floor, n, f.Epsilon(),
				most)
			t.printed(most >= l*(1-1e-12) && most <= 2*l, float64(n), "ε = %v outside [L, 2L]", most)
		}
	}
	t.f.number("[.05, .95], n = 10", math.Max(rowLoss(1, 9, 0, 10, .05), rowLoss(0, 10, 1, 9, .05)), 4.79026566967,
		1e-10)
	t.attained(1e-7)
	return nil
}

// betaDensity is ln of the posterior density of k of n ones at p.
func betaDensity(k, n int, floor, p float64) float64 {
	a, b := float64(k), float64(n-k)
	return a*math.Log(p) + b*math.Log1p(-p) - betaEvidence(a, b, floor)
}

func libraryProfile(t *trial, c float64) error {
	for _, floor := range floorsVisited {
		for _, n := range sizesVisited {
			f, err := families.NewTrimmedBeta(n, 1, 1, floor, 1-floor)
			if err != nil {
				return err
			}
			for _, eps := range []float64{0, .5, 1, 2} {
				most := 0.0
				for k := range n {
					for _, way := range [][2]int{{k, k + 1}, {k + 1, k}} {
						zp, zq := betaEvidence(float64(way[0]), float64(n-way[0]), floor),
							betaEvidence(float64(way[1]), float64(n-way[1]), floor)
						logit := func(t float64) float64 { return 1 / (1 + math.Exp(-t)) }
						// ln ratio = ±logit + const: the tail from where it is ε, by quadrature
						sign := float64(way[0] - way[1])
						cut := logit(sign * (eps + zp - zq))
						lo, hi := math.Max(floor, cut), 1-floor
						if sign < 0 {
							lo, hi = floor, math.Min(cut, 1-floor)
						}
						if lo >= hi {
							continue
						}
						most = math.Max(most, num.Integrate24(func(p float64) float64 {
							kp := float64(way[0])*math.Log(p) + float64(n-way[0])*math.Log1p(-p) - zp
							kq := float64(way[1])*math.Log(p) + float64(n-way[1])*math.Log1p(-p) - zq
							return math.Exp(kp) - math.Exp(eps+kq)
						}, lo, hi, 4))
					}
				}
				v := families.Profile(f, eps)
				t.bound(c*v, most, float64(n), "floor %v, n = %d, ε = %v", floor, n, eps)
				t.printed(math.Abs(v-most) < 1e-8*most+1e-12, float64(n), "floor %v, n = %d, ε = %v: %v, not %v",
					floor, n, eps, v, most)
			}
		}
	}
	f, err := families.NewUntrimmedBeta(10, 1, 1)
	if err != nil {
		return err
	}
	t.f.number("untrimmed, α = 1, n = 10: δ(0)", f.Profile(0), neighbourTV(1, 11), 1e-9)
	t.attained(1e-7)
	return nil
}

func libraryRenyi(t *trial, c float64) error {
	for _, floor := range floorsVisited {
		for _, n := range sizesVisited {
			f, err := families.NewTrimmedBeta(n, 1, 1, floor, 1-floor)
			if err != nil {
				return err
			}
			for _, order := range []float64{1.5, 2, 8} {
				most := 0.0
				for k := range n {
					for _, way := range [][2]int{{k, k + 1}, {k + 1, k}} {
						p0, q0 := betaDensity(way[0], n, floor, .5), betaDensity(way[1], n, floor, .5)
						moment := num.Integrate24(func(p float64) float64 {
							l := math.Log(p / .5)
							m := math.Log1p(-p) - math.Log(.5)
							kp := p0 + float64(way[0])*l + float64(n-way[0])*m
							kq := q0 + float64(way[1])*l + float64(n-way[1])*m
							return math.Exp(order*kp + (1-order)*kq)
						}, floor, 1-floor, 6)
						most = math.Max(most, math.Log(moment)/(order-1))
					}
				}
				t.bound(c*f.Renyi(order), most, float64(n), "floor %v, n = %d, order %v", floor, n, order)
				t.printed(near(f.Renyi(order), most, 1e-7), float64(n), "floor %v, n = %d, order %v: %v, not %v",
					floor, n, order, f.Renyi(order), most)
			}
		}
	}
	for _, alpha := range []float64{1, 2, 16} {
		f, err := families.NewUntrimmedBeta(10, alpha, alpha)
		if err != nil {
			return err
		}
		for _, order := range []float64{1.5, 1.99, 2, 2.99, 3, 16.9, 17} {
			t.printed(math.IsInf(f.Renyi(order), 1) == (order >= 1+alpha), alpha, "order %v at α = %v", order, alpha)
		}
	}
	t.attained(1e-7)
	return nil
}

func libraryRange(t *trial, c float64) error {
	r := rand.New(rand.NewPCG(6, 46))
	for range 20000 {
		k := 2 + r.IntN(3)
		p, q := make([]float64, k), make([]float64, k)
		spread, a, b := math.Exp(-3+4*r.Float64()), 0.0, 0.0
		for i := range p {
			q[i] = math.Exp(3 * r.NormFloat64())
			p[i] = q[i] * math.Exp(spread*r.NormFloat64())
			a, b = a+p[i], b+q[i]
		}
		for i := range p {
			p[i], q[i] = p[i]/a, q[i]/b
		}
		lo, hi := lossRange(p, q)
		w := logratio.BoundedRange(hi - lo)
		t.bound(c*w.Epsilon(), math.Max(hi, -lo), hi-lo, "ε at range %v", hi-lo)
		t.printed(totalVariation(p, q) <= w.TV()*(1+1e-9)+1e-14, hi-lo, "TV at range %v", hi-lo)
		t.printed(klDivergence(p, q) <= w.KL()*(1+1e-9)+1e-14 && w.KL() <= w.ZCDP(), hi-lo, "KL at range %v", hi-lo)
	}
	for _, w := range []float64{.5, 1.5, 4} { // Rényi: two points attain it
		for _, order := range []float64{2, 8} {
			most := 0.0
			for i := 1; i < 4000; i++ {
				v := 1 / (1 + math.Exp(10-20*float64(i)/4000))
				z := v*math.Exp(w) + 1 - v
				p, q := []float64{v * math.Exp(w) / z, (1 - v) / z}, []float64{v, 1 - v}
				sum := 0.0
				for j := range p {
					sum += math.Pow(p[j], order) * math.Pow(q[j], 1-order)
				}
				most = math.Max(most, math.Log(sum)/(order-1))
			}
			bound := logratio.BoundedRange(w).Renyi(order)
			t.bound(bound, most, w, "Rényi %v at range %v", order, w)
			t.printed(near(bound, most, 1e-4) && bound <= order*w*w/8, w, "Rényi %v at range %v: %v, not %v", order, w,
				bound, most)
		}
	}
	t.attained(1e-3)
	return nil
}

func libraryNormal(t *trial, factor float64) error {
	for _, n := range []int{1, 10, 100} {
		for _, c := range [][3]float64{{1, 1, 1}, {2, .5, 3}} { // σ, τ, B
			sigma, tau, bound := c[0], c[1], c[2]
			f, err := families.NewNormalMean(n, sigma, 0, tau, bound)
			if err != nil {
				return err
			}
			v := 1 / (1/(tau*tau) + float64(n)/(sigma*sigma))
			shift := v * 2 * bound / (sigma * sigma) // of the posterior mean, records in [−B, B]
			mu := shift / math.Sqrt(v)
			t.bound(factor*f.Mu(1), mu, float64(n), "n = %d, %v", n, c)
			t.printed(near(f.Mu(1), mu, 1e-8), float64(n), "n = %d, %v: μ = %v, not %v", n, c, f.Mu(1), mu)
			for _, eps := range []float64{0, .5, 2} { // N(shift, v) against N(0, v), by quadrature
				cut := v*eps/shift + shift/2
				sd := math.Sqrt(v)
				density := func(x, m float64) float64 {
					return math.Exp(-(x-m)*(x-m)/(2*v)) / (sd * math.Sqrt(2*math.Pi))
				}
				delta := num.Integrate24(func(x float64) float64 {
					return density(x, shift) - math.Exp(eps)*density(x,
						0)
				}, cut, math.Max(cut, shift)+12*sd, 40)
				got := f.Profile(eps)
				t.printed(math.Abs(got-delta) < 1e-8*delta+1e-13, float64(n), "n = %d, ε = %v: %v, not %v", n, eps,
					got, delta)
			}
		}
	}
	t.attained(1e-7)
	return nil
}

// leCam compares the bound with the least risk: for two data sets it is the Bayes risk of the equal prior; for the four
// sums of three bits, by symmetry, the greatest Bayes risk over one number.
func leCam(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 44))
	for range 2000 {
		g := randomFamily(r)
		g.pairs(func(x, y int) {
			p, q, rho := g.posterior(x), g.posterior(y), g.rho(x, y)
			bound := rho / 2 * (1 - totalVariation(p, q))
			// guesses among {x, y}: nature mixes (w, 1−w); each θ is guessed best: a lower bound of the minimax risk,
			// equal at its maximum
			risk := 0.0
			for k := range 101 {
				w, sum := float64(k)/100, 0.0
				for i := range p {
					sum += math.Min(w*p[i], (1-w)*q[i])
				}
				risk = math.Max(risk, sum*rho)
			}
			t.bound(risk, k*bound, rho, "pair %d, %d", x, y)
			t.f.require(bound >= rho/(1+math.Exp(g.uniform()*rho))*(1-1e-12), "Assumption 1's form at ρ = %v", rho)
		})
	}
	thetas := []float64{.2, .4, .6, .8}
	post := make([][]float64, 4)
	for s := range post {
		sum := 0.0
		for _, p := range thetas {
			v := math.Pow(p, float64(s)) * math.Pow(1-p, float64(3-s))
			post[s], sum = append(post[s], v), sum+v
		}
		for i := range post[s] {
			post[s][i] /= sum
		}
	}
	bayes := func(a float64) float64 {
		w, total := []float64{a, .5 - a, .5 - a, a}, 0.0
		for i := range thetas {
			best := math.Inf(1)
			for guess := range 4 {
				cost := 0.0
				for s := range 4 {
					cost += w[s] * post[s][i] * math.Abs(float64(s-guess))
				}
				best = math.Min(best, cost)
			}
			total += best
		}
		return total
	}
	risk, most := 0.0, 0.0
	for k := range 500001 {
		risk = math.Max(risk, bayes(float64(k)/1e6))
	}
	for x := range 4 {
		for y := range x {
			most = math.Max(most, float64(x-y)/2*(1-totalVariation(post[x], post[y])))
		}
	}
	t.f.require(most <= risk, "Le Cam %v above the minimax risk %v", most, risk)
	t.f.number("Θ = {.2, .4, .6, .8}, n = 3: minimax risk", risk, .6190291262, 2e-6)
	t.f.number("Le Cam's bound there", most, .41, 5e-3)
	lo, hi, err := num.RootBracket(func(z float64) float64 { return 1 + math.Exp(z) - z*math.Exp(z) }, 1, 2, 1e-14)
	t.f.number("best ρ·L", (lo+hi)/2, 1.278464543, 1e-9)
	t.f.number("risk there · L", lo/(1+math.Exp(lo)), .2784645428, 1e-9)
	t.attained(1e-9)
	return err
}
