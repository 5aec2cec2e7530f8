package claims

import (
	"math"
	"math/rand/v2"
)

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
	t.attained(1e-9)
	return nil
}
