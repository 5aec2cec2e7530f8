package claims

import (
	"context"
	"math"
)

// edges of beta(a, b): H(k, k+1) for k = 0 … n−1.
func edges(n int, a, b float64) []float64 {
	s := space(n, a, b)
	out := make([]float64, n)
	for k := range out {
		out[k] = s.Distance([]int64{int64(k), int64(n - k)}, []int64{int64(k + 1), int64(n - k - 1)})
	}
	return out
}

const longest = 60 // n up to which the statements are executed

// statementOneRight turns the inequality where turned.
func statementOneRight(_ context.Context, f *Finding, turned bool) error {
	for n := 2; n <= longest; n++ {
		e := edges(n, 1, 1)
		for k := n / 2; k+1 < n; k++ {
			f.trial().printed((e[k] < e[k+1]) != turned, float64(n), "n = %d, x = %d", n, k)
		}
		for m := 0; n%2 == 0 && n/2+m+3 <= n; m++ { // the constants of the induction step, as printed
			v, w := float64(n), float64(2*m)
			c1 := (v - w - 1) / (v + w + 3) / math.Sqrt((v-w)/(v+w+2))
			c2 := (v - w - 3) / (v + w + 5) / math.Sqrt((v-w-2)/(v+w+6))
			f.trial().proof(c1 <= c2, float64(n), "§2.2.1, the induction: from A·c₁ > B·c₂ it concludes A > B, and c₁ = "+
				"%.3f > c₂ = %.3f at n = %d, m = %d", c1, c2, n, m)
		}
		for _, p := range [][2]float64{{7, 4}, {.3, .3}, {.01, 30}, {100, 1}} { // the true form
			e := edges(n, p[0], p[1])
			for k := range n - 1 { // |a + k − (a+b+n−1)/2| grows or shrinks
				middle := (p[0] + p[1] + float64(n) - 1) / 2
				near, far := math.Abs(p[0]+float64(k)-middle), math.Abs(p[0]+float64(k+1)-middle)
				f.require(math.Abs(near-far) < 1e-9 || (near < far) == (e[k] < e[k+1]), "prior %v, n = %d, k = %d", p, n,
					k)
			}
		}
	}
	return nil
}

// statementOneLeft takes the mirror image for the printed line where mirrored.
func statementOneLeft(_ context.Context, f *Finding, mirrored bool) error {
	for n := 2; n <= longest; n++ {
		e := edges(n, 1, 1)
		for x := 0; 2*x <= n && x+1 < n && !mirrored; x++ {
			f.trial().printed(e[x] > e[x+1]*(1+1e-13), float64(n)+float64(x)/100, "n = %d, x = x₀ − %d = %d: the two "+
				"distances are equal", n, n/2-x, x)
		}
		for x := 2; 2*x <= n; x++ {
			if mirrored {
				f.trial().printed(e[x-1] < e[x-2], float64(n), "n = %d, x = %d", n, x)
			}
			f.trial().repaired(e[x-1] < e[x-2], "corrected form, n = %d, x = %d", n, x)
		}
	}
	return nil
}

// statementTwo leaves the corners out where inner.
func statementTwo(_ context.Context, f *Finding, inner bool) error {
	for n := 1; n <= longest; n++ {
		s, e := space(n, 1, 1), edges(n, 1, 1)
		for x := 0; x <= n; x++ {
			ls, _, _ := s.Local([]int64{int64(x), int64(n - x)})
			corner, want := x == 0 || x == n, 0.0
			switch {
			case x == 0:
				want = e[0]
			case x == n:
				want = e[n-1]
			case 2*x >= n:
				want = e[x]
			default:
				want = e[x-1]
			}
			if !corner || !inner {
				f.trial().printed(!corner && math.Abs(ls-want) < 1e-14, float64(n)-float64(x)/100, "n = %d, x = %d", n, x)
			}
			f.trial().repaired(math.Abs(ls-want) < 1e-14, "n = %d, x = %d: LS = %v", n, x, ls)
		}
	}
	return nil
}

// statementThree tests every x, from n = first on.
func statementThree(_ context.Context, f *Finding, first int) error {
	for n := 1; n <= longest; n++ {
		s := space(n, 1, 1)
		ls := make([]float64, n+1)
		for x := range ls {
			ls[x], _, _ = s.Local([]int64{int64(x), int64(n - x)})
		}
		for x := range ls {
			middle := n / 2
			if x == n/2 || x == (n+1)/2 {
				continue
			}
			strictly := ls[x] > ls[middle]*(1+1e-12)
			if n >= first {
				f.trial().printed(strictly, float64(n), "n = %d, x = %d: both are %.12f", n, x, ls[x])
			}
			if n >= 4 {
				f.trial().repaired(strictly, "n = %d, x = %d", n, x)
			} else {
				f.require(near(ls[x], ls[middle], 1e-14), "n = %d is constant", n)
			}
		}
	}
	return nil
}

// statementsOtherPriors takes n/2 for the middle of every prior; the true middle where centred.
func statementsOtherPriors(_ context.Context, f *Finding, centred bool) error {
	for _, p := range [][2]float64{{1, 1}, {7, 4}, {.3, 2}} {
		for n := 4; n <= longest; n++ {
			s := space(n, p[0], p[1])
			for k := 1; k < n; k++ {
				_, from, _ := s.Local([]int64{int64(k), int64(n - k)})
				up := from == 1 // the record leaves the second cell: the farther neighbour is k + 1
				a, b := float64(k), float64(n-k)
				if centred {
					a, b = a+p[0], b+p[1]
				}
				if a == b {
					continue
				}
				neighbour := "x − 1"
				if up {
					neighbour = "x + 1"
				}
				ok := up == (a > b)
				if p == [2]float64{1, 1} {
					f.trial().printed(ok, float64(n), "n = %d, x = %d: %s", n, k, neighbour)
				} else {
					f.trial().outside(ok, float64(n)+100*math.Abs(p[0]-7), "beta(%v,%v), n = %d: at x = %d the farther "+
						"neighbour is %s", p[0], p[1], n, k, neighbour)
				}
			}
		}
	}
	s, e := space(20, 7, 4), edges(20, 7, 4)
	least, at := math.Inf(1), []int64{}
	for k := int64(0); k <= 20; k++ {
		ls, _, _ := s.Local([]int64{k, 20 - k})
		switch {
		case ls < least*(1-1e-13):
			least, at = ls, []int64{k}
		case ls < least*(1+1e-13):
			at = append(at, k)
		}
	}
	f.require(len(at) == 2 && at[0] == 8 && at[1] == 9 && e[9] > e[8], "least at %v", at)
	f.number("H(9, 10), beta(7,4), n = 20", e[9], .1288356, 5e-8)
	f.number("H(9, 8)", e[8], .1285516, 5e-8)
	return nil
}
