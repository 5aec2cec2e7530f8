package steps

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/gram"
)

// contribution is what a record adds to (G, A/cut): x·r and xxᵀ·k.
type contribution struct {
	x    []float64
	r, k float64
}

// apart is the squared length of the difference of two contributions; a nil row is no record.
func apart(a, b contribution) float64 {
	aa, bb, ab := dot(a.x, a.x), dot(b.x, b.x), 0.
	if len(a.x) == len(b.x) {
		ab = dot(a.x, b.x)
	}
	return a.r*a.r*aa + b.r*b.r*bb - 2*a.r*b.r*ab + a.k*a.k*aa*aa + b.k*b.k*bb*bb - 2*a.k*b.k*ab*ab
}

// maps are the map of records and mutants of it.
var maps = map[string]func(f Family, p Point, columns []float64, y float64) (r, k float64){
	"": func(f Family, p Point, columns []float64, y float64) (r, k float64) {
		a, b := f.Weigh(p, columns, y)
		return float64(a) / unit, float64(b) / float64(p.Cut)
	},
	"ω = 1": func(f Family, p Point, columns []float64, y float64) (r, k float64) {
		_, b := f.Weigh(p, columns, y)
		m, _, _ := f.at(p.Index(columns))
		return y - m, float64(b) / float64(p.Cut)
	},
	"weights not cut": func(f Family, p Point, columns []float64, y float64) (r, k float64) {
		a, _ := f.Weigh(p, columns, y)
		_, _, b := f.at(p.Index(columns))
		return float64(a) / unit, b * unit / float64(p.Cut)
	},
}

// grids are the records of designs: numbers at five places, every level.
var grids = []struct {
	words []string
	terms float64
}{
	{[]string{"1", "x"}, 2}, {[]string{"1", "x", "z"}, 3}, {[]string{"1", "x", "z", "xz"}, 4},
	{[]string{"1", "x", "X"}, 3}, {[]string{"1", "a", "b"}, 2}, {[]string{"1", "x", "a", "b", "xa", "xb"}, 4},
	{[]string{"1", "a", "b", "c", "ac", "bc"}, 4},
}

func gridOf(columns []gram.Column) (out [][]float64) {
	places := []float64{-1, -.5, 0, .5, 1}
	for _, x := range places {
		for _, z := range places {
			for a := range 3 {
				for c := range 2 {
					var row []float64
					for _, col := range columns {
						row = append(row, col.Value(map[int]float64{'x': x, 'z': z}, map[int]int{1: a, 2: c}))
					}
					out = append(out, row)
				}
			}
		}
	}
	return out
}

// worst is the greatest squared change by all pairs of records of all grids, where one is replaced and where one is
// added, over so many points.
func worst(f Family, responses []float64, points int, of func(Family, Point, []float64, float64) (r, k float64)) (
	replace, add float64, pairs int) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, g := range grids {
		columns := columnsOf(g.words...)
		rows := gridOf(columns)
		for range points {
			p := Point{Cut: max(LeastCut, int64(math.Exp(-6*r.Float64())*float64(f.first())))}
			size := math.Exp(6*r.Float64()) / 2
			for range columns {
				p.Beta = append(p.Beta, onGrid(size*r.NormFloat64()))
			}
			seen := map[[3]float64]bool{}
			var list []contribution
			for _, row := range rows {
				for _, y := range responses {
					c := contribution{make([]float64, len(row)), 0, 0}
					sum := 0.
					for j, v := range row {
						c.x[j] = v / math.Sqrt(g.terms)
						sum = 7*sum + v
					}
					c.r, c.k = of(f, p, row, y)
					if key := [3]float64{sum, c.r, c.k}; !seen[key] {
						seen[key] = true
						list = append(list, c)
					}
				}
			}
			pairs += len(list) * (len(list) + 1) / 2
			for i, a := range list {
				add = math.Max(add, apart(a, contribution{}))
				for _, b := range list[:i] {
					replace = math.Max(replace, apart(a, b))
				}
			}
		}
	}
	return replace, add, pairs
}

// families with the responses they are tried with.
func families(t testing.TB) map[string]struct {
	Family
	y []float64
} {
	few, err := Poisson(2)
	many, err2 := Poisson(100)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	return map[string]struct {
		Family
		y []float64
	}{"logistic": {Logistic, []float64{-1, 1}}, "Poisson, Y = 2": {few, []float64{0, 1, 2}},
		"Poisson, Y = 100": {many, []float64{0, 1, 50, 100}}}
}

var points = flag.Int("points", 40, "so many points of each design")

// Every pair of records of every grid, at random points near and far and cuts from .005: (G, A/cut) moves by at most √5
// where a record is replaced and √2 where it is added, which is attained. The claim fails for ω = 1 and for weights
// that are not cut.
func TestSensitivity(t *testing.T) {
	points := *points
	if testing.Short() {
		points = 6
	}
	for name, f := range families(t) {
		replace, add, pairs := worst(f.Family, f.y, points, maps[""])
		t.Logf("%s: squares %.6f of 5 and %.6f of 2 in %d pairs", name, replace, add, pairs)
		if replace > SquaredReplace*(1+1e-12) || add > SquaredAdd*(1+1e-12) {
			t.Errorf("%s: squares %v and %v beyond %v and %v", name, replace, add, SquaredReplace, SquaredAdd)
		}
		if replace < .85*SquaredReplace || add < .999*SquaredAdd {
			t.Errorf("%s: squares %v and %v: the records tried are too tame", name, replace, add)
		}
		for _, mutant := range []string{"ω = 1", "weights not cut"} {
			replace, add, _ := worst(f.Family, f.y, points, maps[mutant])
			if replace <= SquaredReplace || add <= SquaredAdd {
				t.Errorf("%s, %s: squares %v and %v pass", name, mutant, replace, add)
			}
		}
	}
}

// Two rows of the unit ball next to each other reach √5: residuals 1 and −1, one weight full, one none.
func TestSensitivityIsAttained(t *testing.T) {
	p := Point{Beta: []float64{0, 2000}, Cut: LeastCut}
	record := func(angle, y float64) contribution {
		c := contribution{x: []float64{math.Cos(angle), math.Sin(angle)}}
		c.r, c.k = maps[""](Logistic, p, c.x, y)
		return c
	}
	if got := apart(record(0, 1), record(.01, -1)); got > SquaredReplace || got < 4.999 {
		t.Errorf("square %v, want 5 almost", got)
	}
}

// Noise on distinct products with variance by their places makes the length that of the whole matrix.
func TestDistinctProductsHaveTheLengthOfAll(t *testing.T) {
	for _, g := range grids {
		columns := columnsOf(g.words...)
		entries := gram.Layout(columns, g.terms, 0).Entries
		for _, row := range gridOf(columns) {
			sum := 0.
			for _, e := range entries {
				v := row[e.Places[0][0]] * row[e.Places[0][1]]
				sum += float64(e.Ordered()) * v * v
			}
			if want := math.Pow(dot(row, row), 2); math.Abs(sum-want) > 1e-12*want {
				t.Fatalf("%v: %v, want %v", g.words, sum, want)
			}
		}
	}
}

// Whatever the record and the point, the residual is in [−1, 1], the weight in [0, cut], and the index is exact.
func TestContributionsAreBounded(t *testing.T) {
	list := families(t)
	rapid.Check(t, func(t *rapid.T) {
		f := list[rapid.SampledFrom([]string{"logistic", "Poisson, Y = 2", "Poisson, Y = 100"}).Draw(t, "family")]
		p := Point{Cut: rapid.Int64Range(LeastCut, f.first()).Draw(t, "cut"), First: rapid.Bool().Draw(t, "first")}
		d := rapid.IntRange(1, 60).Draw(t, "columns")
		var row []float64
		want := new(big.Rat)
		for j := range d {
			most := int64(mostSlopes * grid / max(1, d-1))
			if j == 0 {
				most = mostIntercept * grid
			}
			p.Beta = append(p.Beta, float64(rapid.Int64Range(-most, most).Draw(t, "beta"))/grid)
			row = append(row, float64(rapid.Int64Range(-2*unit, 2*unit).Draw(t, "column"))/(2*unit))
			want.Add(want, new(big.Rat).Mul(new(big.Rat).SetFloat64(p.Beta[j]), new(big.Rat).SetFloat64(row[j])))
		}
		if new(big.Rat).SetFloat64(p.Index(row)).Cmp(want) != 0 {
			t.Fatalf("index %v, want %v", p.Index(row), want)
		}
		r, k := f.Weigh(p, row, rapid.Float64Range(-1e9, 1e9).Draw(t, "response"))
		if r < -unit || r > unit || k < 0 || k > p.Cut || p.First && k != p.Cut {
			t.Fatalf("residual %v, weight %v of %v", r, k, p.Cut)
		}
	})
}
