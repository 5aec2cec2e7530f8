package privbayes_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// casesPerShape is how many questions one random shape is asked: to make a shape takes time.
const casesPerShape = 10

// randomCases are count cases in an order that is a function of the seed: shapes, mechanisms and targets from all
// corners, crossed.
func randomCases(seed uint64, count int) []hostileCase {
	r := rand.New(rand.NewPCG(seed, 13))
	fixed, out := hostileMechanisms(), []hostileCase(nil)
	for len(out) < count {
		shape := randomShape(r)
		for range casesPerShape {
			m := fixed[r.IntN(len(fixed))]
			if r.IntN(3) == 0 {
				m = randomMechanism(r)
			}
			out = append(out, hostileCase{shape, m, randomTarget(r)})
		}
	}
	return out[:count]
}

func oneOf[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// randomShape is a model of any kind with numbers from the edges of what is allowed.
func randomShape(r *rand.Rand) hostileShape {
	const most = 1_000_000_000_000_000
	n := oneOf(r, 0, 1, 2, 50, 10_000, 10_000, 1_000_000, 10_000_000, most)
	rows := oneOf(r, 1, 1, 1, 3, 64, 1<<30)
	prior := oneOf(r, 0, 0, .5, 1e-6, 1e9)
	kind := r.IntN(10)
	seed := r.Uint64()
	publicN := r.IntN(5) > 0
	alpha := cmp.Or(prior, 1) // as without one
	counted := func(what string, s *frame.Schema, m model.Model) hostileShape {
		name := fmt.Sprintf("%s, n = %d (public: %t), %d rows a unit, prior %g", what, n, publicN, rows, prior)
		s.RowsPerUnit = rows
		return hostileShape{name, func() (*frame.Schema, model.Model, int) {
			if publicN {
				return s, m, n
			}
			return s, m, -1
		}}
	}
	switch {
	case kind < 2:
		levels := oneOf(r, 2, 2, 3, 5, 17, 40, 300, 5_000, 60_000)
		return counted(fmt.Sprintf("%d levels", levels), schemaOf(1, levels), model.Categorical("c0").WithPrior(alpha))
	case kind < 4:
		class, k, levels := oneOf(r, 2, 2, 3, 20, 500, 60_000), oneOf(r, 1, 3, 20, 300, 3_000),
			oneOf(r, 2, 2, 3, 8, 60, 2_000)
		return counted(fmt.Sprintf("naive Bayes, class of %d, %d of %d", class, k, levels),
			schemaOf(1, append([]int{class}, repeat(k, levels)...)...), model.NaiveBayes("c0").WithPrior(alpha))
	case kind < 7:
		k, levels, width := oneOf(r, 3, 6, 25, 60, 300, 1_000), oneOf(r, 2, 2, 2, 3, 8), oneOf(r, 1, 2, 3, 6, 12, 20)
		parents := lastOnes(width)
		what := "band"
		switch r.IntN(3) {
		case 1:
			what = "scattered"
			parents = func(i int) (out []int) {
				q := rand.New(rand.NewPCG(seed, uint64(i)))
				for range q.IntN(width + 1) {
					if i > 0 {
						if p := q.IntN(i); !contains(out, p) {
							out = append(out, p)
						}
					}
				}
				return out
			}
		case 2:
			what, width = "collider", min(width, k-1)
			parents = func(i int) (out []int) {
				if i == 0 {
					for p := range width {
						out = append(out, p+1)
					}
				}
				return out
			}
		}
		return counted(fmt.Sprintf("network (%s %x), %d of %d, width %d", what, seed&0xffff, k, levels, width),
			schemaOf(1, repeat(k, levels)...), networkOf(k, parents).WithPrior(alpha))
	case kind < 9:
		low, high := oneOf(r, 1e-9, 1e-3, .1), oneOf(r, 1., 10, 1e3, 1e9)
		m, what := model.LaplaceScale("c0", 0).WithRange(low, high), "Laplace scale"
		switch r.IntN(3) {
		case 1:
			m, what = model.Exponential("c0").WithRange(low, high), "exponential"
		case 2:
			m, what = model.NormalPrecision("c0", 0).WithRange(low, high), "normal precision"
		}
		return counted(fmt.Sprintf("%s in [%g, %g]", what, low, high), regressionOf(1), m.WithPrior(alpha))
	default:
		d := oneOf(r, 1, 3, 30, 300, 1_500, 2_900, 4_000)
		return counted(fmt.Sprintf("regression on %d", d), regressionOf(d),
			model.LinearRegression("c0").WithPrior(alpha))
	}
}

// randomMechanism has settings that the list of fixed ones lacks.
func randomMechanism(r *rand.Rand) hostileMechanism {
	n := oneOf(r, 1, 2, 30, 5_000, 1_000_000, 1<<40)
	switch r.IntN(8) {
	case 0:
		size, depth := oneOf(r, 2, 3, 40, 255, 4096, 65_535, 65_536, 70_000), oneOf(r, 1, 2, 8, 30)
		return hostileMechanism{fmt.Sprintf("MAP, %d × %d", size, depth), privbayes.MAP().WithGrid(size, depth)}
	case 1:
		trim := oneOf(r, 0., 1e-12, .01, .3)
		return hostileMechanism{fmt.Sprintf("posterior sample of %d, trim %g", n, trim),
			privbayes.PosteriorSample(n).WithBounds(trim)}
	case 2:
		return hostileMechanism{fmt.Sprintf("posterior sample of %d by trim", n), privbayes.PosteriorSample(n).ByBounds()}
	case 3:
		return hostileMechanism{fmt.Sprintf("posterior sample of %d for any n", n),
			privbayes.PosteriorSample(n).ForAnyN()}
	case 4:
		b := oneOf(r, .01, .5, .999)
		return hostileMechanism{fmt.Sprintf("Fourier, raised %g", b), privbayes.Fourier().WithNonNegative(b)}
	case 5:
		a := oneOf(r, 1e-6, 1, 1e6)
		return hostileMechanism{fmt.Sprintf("Dirichlet, average %g", a),
			privbayes.Dirichlet().Raw().WithCalibration(dirichlet.Average(a))}
	case 6:
		return hostileMechanism{fmt.Sprintf("synthetic records, %d", n), privbayes.SyntheticRecords(n)}
	default:
		p := oneOf(r, counts.Clamp, counts.Project, counts.PosteriorMean, counts.Consistent)
		return hostileMechanism{"Laplace, " + string(p), counts.Laplace().WithPostProcess(p)}
	}
}

// randomTarget is a level of any notion, at the edges of its numbers, under any adjacency.
func randomTarget(r *rand.Rand) hostileTarget {
	list := hostileTargets()
	t := list[r.IntN(len(list))]
	if r.IntN(2) == 0 {
		e, d := oneOf(r, 1e-9, 1e-3, .1, 1, 8, 300, 1e6), oneOf(r, 1e-300, 1e-30, 1e-9, 1e-3, .5)
		switch r.IntN(5) {
		case 0:
			t = hostileTarget{fmt.Sprintf("ε = %g", e), dp.PureDP(e)}
		case 1:
			t = hostileTarget{fmt.Sprintf("ε = %g, δ = %g", e, d), dp.ApproxDP(e, d)}
		case 2:
			order := oneOf(r, 1.0001, 2, 16, 1e6)
			t = hostileTarget{fmt.Sprintf("Rényi %g, ε = %g", order, e), dp.RenyiDP(order, e)}
		case 3:
			t = hostileTarget{fmt.Sprintf("zCDP %g", e), dp.ZCDP(e)}
		default:
			order := oneOf(r, 1.0001, 2, 16, 1e6)
			t = hostileTarget{fmt.Sprintf("tCDP %g up to %g", e, order), dp.TCDP(e, order)}
		}
	}
	switch r.IntN(4) {
	case 0:
		return hostileTarget{t.name + ", add-remove", t.Under(dp.AddRemove)}
	case 1:
		return hostileTarget{t.name + ", replace-value", t.Under(dp.ReplaceValue)}
	}
	return t
}
