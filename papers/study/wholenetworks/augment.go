package wholenetworks

import (
	"math"
	"math/rand/v2"
)

// augment is data augmentation in the manner of Ju, Awan, Gong and Rao, "Data augmentation MCMC for Bayesian inference
// from privatized data" (2022), written for tables of counts: the latent records and the rows of the network are drawn
// in turn. Each record is proposed from the network as it stands and accepted with the ratio of the noise's
// probabilities, which only the cells that it leaves and enters change. A sweep is n such steps.
type augment struct {
	*noisy
	rng    *rand.Rand
	src    rand.Source
	theta  tables
	x      [][]uint8
	f      [][]int64 // counts of the measured tables
	family [][]float64
	order  []int
	parent [][]int
	levels []int
	next   []uint8
}

// newAugment starts at records of a network.
func newAugment(s *noisy, theta tables, src rand.Source) *augment {
	a := &augment{noisy: s, rng: rand.New(src), src: src, theta: theta, order: s.dag.Order(),
		next: make([]uint8, s.dag.Len())}
	for v := range s.dag.Len() {
		a.parent, a.levels = append(a.parent, s.dag.Parents(v)), append(a.levels, s.dag.Arity(v))
		a.family = append(a.family, make([]float64, s.dag.FamilyCells(v)))
	}
	for t := range s.y {
		a.f = append(a.f, make([]int64, len(s.y[t])))
	}
	for range s.n {
		a.propose()
		x := append([]uint8(nil), a.next...)
		a.x = append(a.x, x)
		for t, vars := range s.vars {
			a.f[t][cell(s.dag, vars, x)]++
		}
	}
	return a
}

// row is the place of a record's row of node v.
func (a *augment) row(v int, x []uint8) (i int) {
	for _, u := range a.parent[v] {
		i = i*a.levels[u] + int(x[u])
	}
	return i * a.levels[v]
}

// propose draws a record from the network.
func (a *augment) propose() {
	for _, v := range a.order {
		lo, l, u := a.row(v, a.next), 0, a.rng.Float64()
		for ; l < a.levels[v]-1; l++ {
			if u -= a.theta[v][lo+l]; u < 0 {
				break
			}
		}
		a.next[v] = uint8(l)
	}
}

func (a *augment) sweep() tables {
	for _, x := range a.x {
		a.propose()
		log := 0.0
		for t, vars := range a.vars {
			i, j := a.at(vars, x), a.at(vars, a.next)
			if i == j {
				continue
			}
			// |y − f| one record less at i, one more at j
			if a.y[t][i] >= a.f[t][i] {
				log -= a.rate[t]
			} else {
				log += a.rate[t]
			}
			if a.y[t][j] > a.f[t][j] {
				log += a.rate[t]
			} else {
				log -= a.rate[t]
			}
		}
		if log < 0 && a.rng.Float64() >= math.Exp(log) {
			continue
		}
		for t, vars := range a.vars {
			a.f[t][a.at(vars, x)]--
			a.f[t][a.at(vars, a.next)]++
		}
		copy(x, a.next)
	}
	for v := range a.family {
		clear(a.family[v])
		for _, x := range a.x {
			a.family[v][a.row(v, x)+int(x[v])]++
		}
	}
	a.theta = dirichlets(a.dag, a.family, a.src)
	return a.theta
}

func (a *augment) at(vars []int, x []uint8) (i int) {
	for _, v := range vars {
		i = i*a.levels[v] + int(x[v])
	}
	return i
}
