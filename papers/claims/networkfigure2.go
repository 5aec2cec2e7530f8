package claims

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/papers/study/regression"
)

// figure2s are the committed curves over b: the paper's draw, one at ε = 1, and the line without privacy.
func figure2s() (map[string][][]regression.Point, error) {
	out := map[string][][]regression.Point{}
	for name, read := range map[string]func() (*regression.Results, error){"cps1988": regression.Committed,
		"acs_gov2018": regression.CommittedSalaries} {
		r, err := read()
		if err != nil {
			return nil, err
		}
		for _, c := range r.ByPrior.Curves {
			out[name] = append(out[name], c.Points)
		}
		if len(out[name]) != 3 {
			return nil, fmt.Errorf("%s: %d curves", name, len(out[name]))
		}
	}
	return out, nil
}

func figure2Prior(t *trial, swapped bool) error {
	all, err := figure2s()
	if err != nil {
		return err
	}
	for name, curves := range all {
		for _, k := range []int{0, 2} {
			if swapped {
				k = 1 // calibrated to ε = 1 a wide ball is worse than a small one
			}
			for i := 1; i < len(curves[k]); i++ {
				p, q := curves[k][i-1], curves[k][i]
				t.printed(q.MSE >= p.MSE*(1-1e-4)-2*math.Hypot(p.SE, q.SE), q.X, "%s, b = %v: %v after %v", name, q.X, q.MSE,
					p.MSE)
				t.f.require(swapped || q.X > 10 || q.MSE < 1.01*p.MSE, "%s, b = %v: %v after %v", name, q.X, q.MSE,
					p.MSE)
			}
		}
	}
	return nil
}

func figure2Cost(t *trial, swapped bool) error {
	all, err := figure2s()
	if err != nil {
		return err
	}
	curve := 0
	if swapped {
		curve = 1
	}
	for name, curves := range all {
		for i, p := range curves[curve] {
			ratio := p.MSE / curves[2][i].MSE
			if p.X <= 10 {
				t.printed(ratio <= 1.05, p.X, "%s, b = %v: %.2f times", name, p.X, ratio)
				t.f.require(swapped || ratio <= 1.016 && p.Epsilon > 17, "%s, b = %v: %v", name, p.X, ratio)
				continue
			}
			t.outside(ratio <= 1.05, p.X+ratio, "%s, b = %v: %.2f times the error without privacy, at ε = %.3g", name,
				p.X, ratio, p.Epsilon)
		}
	}
	t.f.number("cps1988 at ε = 1, b = 10", all["cps1988"][1][2].MSE/all["cps1988"][2][2].MSE, 1.31, .01)
	t.f.number("acs_gov2018 at ε = 1, b = 10", all["acs_gov2018"][1][2].MSE/all["acs_gov2018"][2][2].MSE, 1.14, .01)
	return nil
}

// figure2Privacy takes the level of the appendix at its largest over the ball, where ‖w‖₁ = √d·B; swapped, it takes the
// exact ε of a draw in its place.
func figure2Privacy(t *trial, swapped bool) error {
	radii := []float64{.1, .25, 1, 3, 10, 30}
	for _, d := range []float64{2, 5, 14} {
		for i, small := range radii {
			for _, large := range radii[i+1:] {
				a, b := regressionPrinted(1, d, small), regressionPrinted(1, d, large)
				exactA, err := exactOsc(small)
				if err != nil {
					return err
				}
				exactB, err := exactOsc(large)
				if err != nil {
					return err
				}
				t.f.require(exactB > exactA && (large > 1 || near(exactB/exactA, large/small, 1e-9)),
					"B = %v and %v: ε = %v and %v", small, large, exactA, exactB)
				if swapped {
					a, b = exactA, exactB
				}
				off := b / a / (large / small)
				if small >= 1 {
					t.printed(b > a && off > .8 && off < 1.2, large+d, "d = %v, B = %v and %v: %.3g and %.3g", d, large,
						small, b, a)
					continue
				}
				t.outside(off > .8, 10*math.Abs(large-1)+d-small, "d = %v, B = %v and %v: the level falls %.3g times, "+
					"not %.3g", d, large, small, b/a, large/small)
			}
		}
	}
	t.f.number("level at B = 10 ÷ level at 1, d = 2", regressionPrinted(1, 2, 10)/regressionPrinted(1, 2, 1), 8.46, .005)
	t.f.number("level at B = 10 ÷ level at 1, d = 14", regressionPrinted(1, 14, 10)/regressionPrinted(1, 14, 1), 9.60,
		.005)
	ten, err := exactOsc(10)
	if err != nil {
		return err
	}
	one, err := exactOsc(1)
	if err != nil {
		return err
	}
	t.f.number("exact ε at B = 10 ÷ exact ε at 1", ten/one, 30.25, 1e-9)
	return nil
}
