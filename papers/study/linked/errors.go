package linked

import (
	"fmt"
	"math"
)

// Errors are how far synthetic households are from those they were learned from: the mean total variation over tables
// of two columns of a parent (with the number of children), of a child, of a parent and a child, and of two siblings;
// that of the number of children; and the mean absolute error of the shares that answer twelve questions.
type Errors struct{ Parent, Child, Across, Sibling, Number, Questions float64 }

// MarshalText writes the errors in the order of the fields.
func (e Errors) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%.4f %.4f %.4f %.4f %.4f %.4f", e.Parent, e.Child, e.Across, e.Sibling, e.Number,
		e.Questions), nil
}

// UnmarshalText reads what MarshalText wrote.
func (e *Errors) UnmarshalText(text []byte) error {
	_, err := fmt.Sscan(string(text), &e.Parent, &e.Child, &e.Across, &e.Sibling, &e.Number, &e.Questions)
	return err
}

// tables are distributions over pairs of columns, by their kind.
type tables map[string]map[[4]int]float64

// add counts a pair of values of columns a and b.
func (t tables) add(kind string, a, b, x, y int) {
	if t[kind] == nil {
		t[kind] = map[[4]int]float64{}
	}
	t[kind][[4]int{a, b, x, y}]++
}

// tablesOf counts all pairs.
func tablesOf(list []household) tables {
	t := tables{}
	for _, h := range list {
		parent := append(h.parent[:], len(h.children))
		t.add("number", 0, 0, len(h.children), 0)
		for a, x := range parent {
			for b := range a {
				t.add("parent", a, b, x, parent[b])
			}
			for _, c := range h.children {
				for b, y := range c {
					t.add("across", a, b, x, y)
				}
			}
		}
		for i, c := range h.children {
			for a, x := range c {
				for b := range a {
					t.add("child", a, b, x, c[b])
				}
				for k, other := range h.children {
					for b := 0; k != i && b <= a; b++ {
						t.add("sibling", a, b, x, other[b])
					}
				}
			}
		}
	}
	return t
}

// distance is the mean total variation over the pairs of a kind.
func (t tables) distance(o tables, kind string) float64 {
	sums := map[[2]int][2]float64{}
	for i, side := range []tables{t, o} {
		for k, n := range side[kind] {
			s := sums[[2]int{k[0], k[1]}]
			s[i] += n
			sums[[2]int{k[0], k[1]}] = s
		}
	}
	gap := 0.
	for k, n := range t[kind] {
		s := sums[[2]int{k[0], k[1]}]
		gap += math.Abs(n/s[0] - o[kind][k]/math.Max(s[1], 1))
	}
	for k, n := range o[kind] {
		if _, both := t[kind][k]; !both {
			gap += n / sums[[2]int{k[0], k[1]}][1]
		}
	}
	return gap / 2 / float64(len(sums))
}

// answers are the shares of households of which twelve things hold.
func answers(list []household) (out [12]float64) {
	for _, h := range list {
		number := func(is func(c codes) bool) (n int) {
			for _, c := range h.children {
				n += bit(is(c))
			}
			return n
		}
		young := number(func(c codes) bool { return c[0] == 0 })
		child := number(func(c codes) bool { return c[0] <= 2 })
		grown := func(sex int) int { return number(func(c codes) bool { return c[0] >= 4 && c[1] == sex }) }
		retired := number(func(c codes) bool { return c[2] == 5 })
		for i, yes := range []bool{
			young > 0, child > 0, len(h.children) > 0 && number(func(c codes) bool { return c[0] < 8 }) == 0,
			number(func(c codes) bool { return c[2] == 1 || c[2] == 2 }) == 0, grown(0)+grown(1) == 1 && child > 0,
			child >= 2, grown(0) > 0 && grown(1) > 0,
			number(func(c codes) bool { return c[3] == 1 }) > 0 && number(func(c codes) bool { return c[3] >= 2 }) > 0,
			retired > 0 && child > 0, h.parent[1] <= 1 && young > 0, retired >= 2, h.parent[2] == 1 && child == 0,
		} {
			out[i] += float64(bit(yes)) / float64(len(list))
		}
	}
	return out
}

// Compared are the errors of synthetic households.
func Compared(real, synthetic []household) (e Errors) {
	t, o := tablesOf(real), tablesOf(synthetic)
	e = Errors{t.distance(o, "parent"), t.distance(o, "child"), t.distance(o, "across"), t.distance(o, "sibling"),
		t.distance(o, "number"), 0}
	a, b := answers(real), answers(synthetic)
	for i := range a {
		e.Questions += math.Abs(a[i]-b[i]) / float64(len(a))
	}
	return e
}
