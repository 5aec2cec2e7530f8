package claims

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/num"
)

// exactOsc is osc(B) for two coordinates and more.
func exactOsc(radius float64) (float64, error) { return leastsquares.Osc(radius, 2) }

// regressionPrinted is the printed 2L(w) at its largest over the ball of that radius, where ‖w‖₁ ≤ √d·‖w‖₂, for σ² = 1.
func regressionPrinted(n, d, radius float64) float64 { return n * (1 + (2*math.Sqrt(d)+d)*radius) }

// regressionLevel compares the printed level, at the supremum of L(w) over the unit ball, with the exact one.
func regressionLevel(t *trial, factor float64) error {
	osc, err := leastsquares.Osc(1, 2)
	if err != nil {
		return err
	}
	for _, n := range []float64{1, 10, 1000} {
		for _, d := range []float64{1, 2, 14} {
			t.bound(factor*regressionPrinted(n, d, 1)*2*math.Sqrt2, osc, n*d, "n = %v, d = %v", n, d)
		}
	}
	t.f.number("osc(1)", osc, 4, 1e-9)
	return nil
}

func regressionGradients(t *trial, printed float64) error {
	f := func(x, y, w float64) float64 { return -(y - w*x) * (y - w*x) / 2 }
	const h = 1e-5
	for i := -2; i <= 2; i++ {
		for j := -2; j <= 2; j++ {
			for k := -2; k <= 2; k++ {
				x, y, w := float64(i)/2, float64(j)/2, float64(k)/2
				dx, dy := (f(x+h, y, w)-f(x-h, y, w))/(2*h), (f(x, y+h, w)-f(x, y-h, w))/(2*h)
				px, py := (x*w*w-y*w)/2, (y-w*x)/2
				if printed == 0 {
					px, py = (y-w*x)*w, -(y - w*x)
				}
				same := math.Abs(px-dx) < 1e-6 && math.Abs(py-dy) < 1e-6
				size := math.Abs(x)*100 + math.Abs(math.Abs(y)-1)*10 + math.Abs(math.Abs(w)-1)
				t.printed(same, size, "d = 1, x = %v, y = %v, w = %v, σ = 1: (%.2g, %.2g), not (%.2g, %.2g)", x, y, w,
					px, py, dx, dy)
				t.repaired(math.Abs((y-w*x)*w-dx) < 1e-6 && math.Abs(-(y-w*x)-dy) < 1e-6, "x = %v, y = %v, w = %v", x,
					y, w)
			}
		}
	}
	return nil
}

func regressionLipschitz(t *trial, factor float64) error {
	f := func(x, y, w float64) float64 { return -(y - w*x) * (y - w*x) / 2 }
	best := map[float64]float64{} // the greatest slope found for each bound of w
	for _, w := range []float64{.5, 1, 2} {
		printed := factor * (1 + 3*w) / 2
		for i := -10; i <= 10; i++ {
			for j := -10; j <= 10; j++ {
				for _, step := range [][2]float64{{.1, 0}, {0, -.1}, {.1, -.1}} {
					x, y := float64(i)/10, float64(j)/10
					u, v := x+step[0], y+step[1]
					if math.Abs(u) > 1+1e-9 || math.Abs(v) > 1+1e-9 {
						continue
					}
					rho := math.Hypot(step[0], step[1])
					gap := math.Abs(f(x, y, w) - f(u, v, w))
					t.printed(gap <= printed*rho, w*100-gap, "n = d = 1, w = %v, (%.1f, %.1f) to (%.1f, %.1f): %.3f "+
						"> %.3f", w, x, y, u, v, gap, printed*rho)
					t.repaired(gap <= (1+w)*math.Sqrt(1+w*w)*rho*(1+1e-12), "w = %v: %v", w, gap/rho)
					best[w] = math.Max(best[w], gap/rho)
				}
			}
		}
	}
	// tight: the slope at x = −1, y = 1 along (w, −1)
	for _, b := range []float64{.5, 1, 3, 10} {
		const h = 1e-6
		n := math.Hypot(b, 1)
		slope := (f(-1, 1, b) - f(-1+h*b/n, 1-h/n, b)) / h
		t.repaired(near(math.Abs(slope), (1+b)*math.Sqrt(1+b*b), 1e-4), "B = %v: slope %v", b, slope)
	}
	t.f.number("correct L at B = 10", 11*math.Sqrt(101), 110.5486, 1e-4)
	return nil
}

// lemmaGaussian is the lemma's: XᵀX + ridge·I, and the mean.
func lemmaGaussian(rows []float64, n, d int, ridge float64) (*mat.SymDense, *mat.VecDense, error) {
	a := mat.NewSymDense(d, nil)
	rhs := mat.NewVecDense(d, nil)
	for i := range n {
		for j := range d {
			rhs.SetVec(j, rhs.AtVec(j)+rows[3*i+j]*rows[3*i+2])
			for k := j; k < d; k++ {
				a.SetSym(j, k, a.At(j, k)+rows[3*i+j]*rows[3*i+k])
			}
		}
	}
	for j := range d {
		a.SetSym(j, j, a.At(j, j)+ridge)
	}
	var mean mat.VecDense
	return a, &mean, mean.SolveVec(a, rhs)
}

func regressionConjugacy(t *trial, shift float64) error {
	r := rand.New(rand.NewPCG(6, 125))
	for range 200 {
		const d, sigma2, b = 2, .7, .4
		n := 1 + r.IntN(4)
		m, err := leastsquares.NewMoments(d)
		if err != nil {
			return err
		}
		var rows []float64
		for range n * (d + 1) {
			rows = append(rows, r.Float64()-.5)
		}
		if err := m.AddRows(rows); err != nil {
			return err
		}
		p, h, err := m.Gaussian(sigma2, b)
		if err != nil {
			return err
		}
		logPost := func(w []float64) float64 {
			v := -b * (w[0]*w[0] + w[1]*w[1]) / 2
			for i := range n {
				e := rows[3*i+2] - w[0]*rows[3*i] - w[1]*rows[3*i+1]
				v -= e * e / (2 * sigma2)
			}
			return v
		}
		a, mean, err := lemmaGaussian(rows, n, d, sigma2*b)
		if err != nil {
			return err
		}
		quad := func(w []float64) float64 {
			v := 0.0
			for j := range d {
				for k := range d {
					v -= (w[j] - mean.AtVec(j) - shift) * a.At(j, k) * (w[k] - mean.AtVec(k) - shift) / (2 * sigma2)
				}
			}
			return v
		}
		origin := []float64{0, 0}
		for range 5 {
			w := []float64{2*r.Float64() - 1, 2*r.Float64() - 1}
			want := logPost(w) - logPost(origin)
			t.printed(math.Abs(quad(w)-quad(origin)-want) < 1e-10, float64(n), "n = %d: %v, not %v", n,
				quad(w)-quad(origin), want)
			v := h[0]*w[0] + h[1]*w[1]
			for j := range d {
				for k := range d {
					v -= w[j] * p.At(j, k) * w[k] / 2
				}
			}
			t.printed(math.Abs(v-want) < 1e-10, float64(n), "the library's precision: %v, not %v", v, want)
		}
	}
	return nil
}

// regressionOsc searches records (x, y), (x′, y′) and weights w, w* in the plane by angles, with the angles that make
// one product ±min(B, 1) among them.
func regressionOsc(t *trial, factor float64) error {
	const steps = 24
	for _, radius := range []float64{.25, 1, 1.5, 3, 10} {
		angles := []float64{}
		for i := range steps {
			angles = append(angles, 2*math.Pi*float64(i)/steps)
		}
		special := math.Acos(math.Max(-1, -math.Min(radius, 1)/radius))
		angles = append(angles, special, -special, math.Pi-special, special-math.Pi)
		most := 0.0
		loss := func(y, p float64) float64 { return (y - p) * (y - p) / 2 }
		for _, b := range angles { // x along 0, x′ along b
			for _, w := range angles {
				for _, v := range angles {
					pw, pv := radius*math.Cos(w), radius*math.Cos(v)
					qw, qv := radius*math.Cos(w-b), radius*math.Cos(v-b)
					for _, y := range []float64{-1, 1} {
						for _, z := range []float64{-1, 1} {
							g := loss(z, qw) - loss(y, pw) - loss(z, qv) + loss(y, pv)
							most = math.Max(most, g)
						}
					}
				}
			}
			t.f.Cases++
		}
		osc, err := leastsquares.Osc(radius, 2)
		if err != nil {
			return err
		}
		t.bound(factor*osc, most, radius, "B = %v", radius)
		closed := 4 * radius
		if radius > 1 {
			closed = (1 + radius) * (1 + radius)
		}
		t.printed(near(osc, closed, 1e-8) && near(most, closed, 1e-9), radius, "B = %v: searched %v, formula %v",
			radius, most, closed)
	}
	for _, c := range [][2]float64{{1, 4}, {2, 8}, {5, 20}, {10, 61.11895003848754}} {
		osc, err := leastsquares.Osc(c[0], 1)
		if err != nil {
			return err
		}
		t.f.number("osc, d = 1", osc, c[1], 1e-6*c[1])
	}
	t.f.number("exact ε, d = B = σ = 1, prior N(0, 1), one record", oneRowEpsilon(), 2, 1e-6)
	t.attained(1e-8)
	return nil
}

// oneRowEpsilon is the exact ε of the posterior of one record on [−1, 1]: over x in tenths and y = ±1.
func oneRowEpsilon() float64 {
	most := 0.0
	type law struct{ a, b, z float64 } // ln density = −a w²/2 + b w − z
	var laws []law
	for i := -10; i <= 10; i++ {
		for _, y := range []float64{-1, 1} {
			x := float64(i) / 10
			l := law{a: 1 + x*x, b: x * y}
			l.z = math.Log(num.Integrate24(func(w float64) float64 { return math.Exp(-l.a*w*w/2 + l.b*w) }, -1, 1, 2))
			laws = append(laws, l)
		}
	}
	for _, p := range laws {
		for _, q := range laws {
			for k := range 41 {
				w := float64(k)/20 - 1
				most = math.Max(most, -(p.a-q.a)*w*w/2+(p.b-q.b)*w-p.z+q.z)
			}
		}
	}
	return most
}
