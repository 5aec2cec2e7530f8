package noiseaware

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// records reads rows under a shape's schema.
func records(t testing.TB, sh *model.Shape, rows string) *frame.Frame {
	t.Helper()
	var names []string
	for _, c := range sh.Schema().Columns {
		names = append(names, c.Name)
	}
	x, err := frame.Read(background, strings.NewReader(strings.Join(names, ",")+"\n"+rows), "rows", sh.Schema())
	must(t, err)
	return x
}

// The class of a new record against the sum over all class totals and all tables with these totals, for every noise.
// Features make the class totals matter: a classifier of posterior means differs.
func TestPredictByEnumeration(t *testing.T) {
	const n, j = 5, 2
	features := []int{2, 3}
	for _, k := range kinds {
		p := plan(t, k.mech, bayes(t, n, j, features...), k.target)
		lp, unit := logProb(t, p), int64(1)
		if k.name == "laplace" {
			unit = noise.LaplaceSteps
		}
		raw := [][]int64{{4, -1, 2, 0}, {1, 1, 1, 4, -3, 1}}
		for _, r := range raw {
			for i := range r {
				r[i] *= unit
			}
		}
		// joint[j][x0][x1] is Σ over latent counts of their weight times the probability of a new record
		var joint [j][2][3]float64
		for _, class := range tables(j, n) {
			evidence := math.Exp(logUrnOf(constant(1, j), class))
			var mean [2][j][3]float64 // E[θ | class totals]
			for ft, c := range features {
				for cl := range j {
					row := 0.0
					for _, f := range tables(c, class[cl]) {
						l := logUrnOf(constant(1, c), f)
						for i := range c {
							y := raw[ft][cl*c+i]
							l += lp(y, f[i]) - lp(y, 0)
						}
						row += math.Exp(l)
						for i := range c {
							mean[ft][cl][i] += math.Exp(l) * (1 + float64(f[i])) / float64(c+class[cl])
						}
					}
					evidence *= row
					for i := range c {
						mean[ft][cl][i] /= row
					}
				}
			}
			for cl := range j {
				for a := range 2 {
					for b := range 3 {
						joint[cl][a][b] += evidence * float64(
							1+class[cl],
						) / float64(
							j+n,
						) * mean[0][cl][a] * mean[1][cl][b]
					}
				}
			}
		}
		post := posteriorOf(t, raws(t, p, raw...))
		got, err := post.Predict(records(t, p.Shape(),
			"v0,v0,v0\nv1,v0,v1\nv0,v0,v2\nv0,v1,v0\nv0,v1,v1\nv0,v1,v2\nv1,v1,v2\n"))
		must(t, err)
		means := 0.0 // how far posterior means alone are off
		for i, at := range [][2]int{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {1, 2}} {
			a, b := at[0], at[1]
			want := joint[0][a][b] / (joint[0][a][b] + joint[1][a][b])
			near(t, fmt.Sprint(k.name, " P(class | ", a, b, ")"), got[i][0], want, 1e-12)
			near(t, "sum", got[i][0]+got[i][1], 1, 1e-12)
			plug := [2]float64{1, 1}
			for cl := range j {
				for _, q := range []int{cl, 2 + 2*cl + a, 6 + 3*cl + b} {
					plug[cl] *= post.params[q].Law().Mean()
				}
			}
			means = math.Max(means, math.Abs(plug[0]/(plug[0]+plug[1])-want))
		}
		if means < 1e-3 {
			t.Errorf("%s: posterior means are off by %.3g: the case shows nothing", k.name, means)
		}
	}
}

// A class by itself is predicted by its mean; a private n and hardly any noise agree with the released model.
func TestPredictLimits(t *testing.T) {
	sh := categorical(t, 3, 20)
	post := posteriorOf(t, raws(t, plan(t, counts.KNorm(), sh, dp.PureDP(1)), []int64{25, -8, 3}))
	got, err := post.Predict(records(t, sh, "v0\nv2\n"))
	must(t, err)
	for i := range got {
		for j, q := range post.Parameters() {
			near(t, "categorical", got[i][j], q.Law().Mean(), 1e-12)
		}
	}
	nb := bayes(t, 40, 2, 2, 3)
	for _, target := range []dp.Request{dp.PureDP(400), dp.PureDP(400).Under(dp.AddRemove)} {
		p := plan(t, counts.Geometric(), nb, target)
		r := raws(t, p, []int64{10, 5, 20, 5}, []int64{3, 4, 8, 20, 0, 5})
		x := records(t, nb, "v0,v0,v1\nv0,v1,v0\nv0,v1,v2\n")
		want, err := r.Predict(x)
		must(t, err)
		got, err := posteriorOf(t, r).Predict(x)
		must(t, err)
		for i := range want {
			near(t, target.Adjacency.String(), got[i][0], want[i][0], 1e-9)
		}
	}
	var m *model.MismatchError
	if _, err := post.Predict(records(t, nb, "v0,v0,v1\n")); !errors.As(err, &m) {
		t.Errorf("another schema: %v", err)
	}
}
