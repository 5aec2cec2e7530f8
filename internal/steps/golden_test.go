package steps

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/gram"
)

// goldenCase is a case of a program of its own at 40 digits; pseudo-records of two.
type goldenCase struct {
	Name  string
	Given struct {
		G, Delta, Rate, Mean, Variance float64
		Y                              int
		Records, Moments               [][]float64
		Weights, Pilot, U              []float64
		Columns                        string
	}
	Want json.RawMessage
}

func goldens(t *testing.T, name string) (out []goldenCase) {
	b, err := os.ReadFile("testdata/golden.json")
	var all []goldenCase
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Name == name {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		t.Fatal("no case of", name)
	}
	return out
}

func (g goldenCase) want(t *testing.T, into any) {
	if err := json.Unmarshal(g.Want, into); err != nil {
		t.Fatal(err)
	}
}

func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s: %.17g, want %.17g", what, got, want)
	}
}

// columnsOf reads letters: 1 the intercept, x to z numbers, X to Z their squares, a and b two levels of a factor of
// three, c of another of two; xz is a product.
func columnsOf(words ...string) (out []gram.Column) {
	for _, w := range words {
		c := gram.Column{}
		for _, b := range w {
			switch {
			case b == 'a' || b == 'b':
				c.Levels = append(c.Levels, gram.Level{Of: 1, Level: 1 + int(b-'a'), Levels: 3})
			case b == 'c':
				c.Levels = append(c.Levels, gram.Level{Of: 2, Level: 1, Levels: 2})
			case b >= 'X' && b <= 'Z':
				c.Powers = append(c.Powers, gram.Power{Of: int(b) + 'x' - 'X', Degree: 2})
			case b != '1':
				c.Powers = append(c.Powers, gram.Power{Of: int(b), Degree: 1})
			}
		}
		out = append(out, c)
	}
	return out
}

func TestGoldenExcess(t *testing.T) {
	for _, g := range goldens(t, "logistic_h") {
		var want float64
		g.want(t, &want)
		near(t, "h", excess(g.Given.G < 0, (1-math.Abs(g.Given.G))/2, g.Given.Delta), want, 1e-13)
		// ω(μ(t + δ) − m) = a·h, as the map of a record has them
		at := 2 * math.Atanh(g.Given.G)
		m, omega, a := Logistic.at(at)
		near(t, "a·h", omega*(math.Tanh((at+g.Given.Delta)/2)-m)/a, want, 1e-13)
	}
}

func TestGoldenCounts(t *testing.T) {
	for _, g := range goldens(t, "poisson_cut") {
		var want struct{ Mean, Variance float64 }
		g.want(t, &want)
		mean, variance := cutPoisson(g.Given.Rate, float64(g.Given.Y))
		near(t, "mean", mean, want.Mean, 1e-13)
		near(t, "variance", variance, want.Variance, 1e-12)
		f, err := Poisson(g.Given.Y)
		if err != nil {
			t.Fatal(err)
		}
		mean, _ = f.table.mean(math.Log(g.Given.Rate))
		near(t, "mean of the table", mean, want.Mean, 1e-8)
		if v := f.table.spread(math.Log(g.Given.Rate)); math.Abs(v-want.Variance) > 1e-4*want.Variance+1e-10 {
			t.Errorf("variance of the table: %v, want %v", v, want.Variance)
		}
	}
}

func TestGoldenMeans(t *testing.T) {
	for _, g := range goldens(t, "step_map") {
		var want []float64
		g.want(t, &want)
		s := step{d: &Design{Terms: 1, Family: Logistic}, w: g.Given.Pilot}
		var rows [][]float64
		for i, r := range g.Given.Records {
			for range int(g.Given.Weights[i]) {
				rows = append(rows, r)
			}
		}
		s.under(rows, Point{Beta: g.Given.Pilot, Cut: unit})
		got := make([]float64, 2)
		s.mean(g.Given.U, got)
		for j, v := range want {
			near(t, "m(u)", got[j], v, 4e-6) // the pseudo-records' A has 1e-7 of its trace added
		}
	}
}

func TestGoldenLaws(t *testing.T) {
	for _, g := range goldens(t, "column_law") {
		var want struct{ Beta, Low, High []float64 }
		g.want(t, &want)
		mu := g.Given.Mean
		rho := g.Given.Variance / (1 - mu*mu)
		if want.Beta != nil {
			near(t, "α + β", 1/rho-1, want.Beta[0]+want.Beta[1], 1e-12)
			near(t, "α", (1/rho-1)*(1+mu)/2, want.Beta[0], 1e-12)
		}
		for l, w := range map[shape][]float64{low: want.Low, high: want.High} {
			for _, u := range []struct{ u, x float64 }{{w[1] * (1 - 1e-12), w[0]}, {w[1] * (1 + 1e-12), w[2]}} {
				near(t, "point", twoPoints(mu, rho, l, u.u), u.x, 1e-12)
			}
		}
	}
}

func TestGoldenPseudoRecords(t *testing.T) {
	for _, g := range goldens(t, "pseudo") {
		var want struct {
			Beta, Low, High [][]float64
			Shares          []float64
		}
		g.want(t, &want)
		var words []string
		for _, b := range g.Given.Columns {
			if b != ' ' {
				words = append(words, string(b))
			}
		}
		columns := columnsOf(words...)
		vars, err := variables(columns)
		if err != nil {
			t.Fatal(err)
		}
		var s []float64
		for _, row := range g.Given.Moments {
			s = append(s, row...)
		}
		for l, list := range map[shape][][]float64{beta: want.Beta, low: want.Low, high: want.High} {
			got := pseudo(columns, vars, s, l)
			for i, row := range list {
				for j, v := range row {
					if math.Abs(got[i][j+1]-v) > 1e-12 {
						t.Errorf("%v, shape %d, record %d: %.15f, want %.15f", g.Given.Columns, l, i+1, got[i][j+1], v)
					}
				}
			}
			for j, share := range want.Shares {
				sum := 0.
				for _, row := range got {
					sum += row[j+2] / records
				}
				if l == beta && sum != share {
					t.Errorf("share %d: %v, want %v", j, sum, share)
				}
			}
		}
	}
}

// Pseudo-records have about the means and covariances they are drawn from, under every distribution, and the squares of
// a number leave A of full rank: two points alone would not.
func TestPseudoRecordsHaveTheMoments(t *testing.T) {
	s := []float64{1, .1, -.2, .1, .3, .05, -.2, .05, .35}
	columns := columnsOf("1", "x", "z")
	vars, _ := variables(columns)
	for _, l := range []shape{beta, low, high} {
		got := moments(pseudo(columns, vars, s, l))
		for i, v := range got {
			if math.Abs(v-s[i]) > .02 {
				t.Errorf("shape %d: moment %d is %.3f, want %.3f", l, i, v, s[i])
			}
		}
	}
	columns = columnsOf("1", "x", "X")
	vars, _ = variables(columns)
	bent := []float64{1, .1, .3, .1, .3, .05, .3, .05, .2}
	rank := func(vars []variable) float64 {
		var e mat.EigenSym
		e.Factorize(mat.NewSymDense(3, moments(pseudo(columns, vars, bent, low))), false)
		return e.Values(nil)[0]
	}
	if v := rank(vars); v < 1e-3 {
		t.Errorf("least eigenvalue %v", v)
	}
	vars[0].bent = false
	if v := rank(vars); v > 1e-12 {
		t.Errorf("two points alone have least eigenvalue %v", v)
	}
}

// moments are Σ xxᵀ/n of rows.
func moments(rows [][]float64) []float64 {
	d := len(rows[0])
	out := make([]float64, d*d)
	for _, r := range rows {
		for i := range r {
			for j := range r {
				out[i*d+j] += r[i] * r[j] / float64(len(rows))
			}
		}
	}
	return out
}
