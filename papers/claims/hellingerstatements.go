package claims

import (
	"context"
	"math"
)

func init() {
	register(
		Claim{
			ID: "hellinger/08", Document: NoteB, Place: "Statement I, x ≥ x₀", Verdict: Holds,
			Statement: "beta(1,1): H of the edge to the right grows with x from the middle on",
			True:      "for every prior, the edges grow away from posterior mean ½: ln g is concave",
			Source:    "theory/hellinger.md §4", check: statementOneRight,
		},
		Claim{
			ID: "hellinger/09", Document: NoteB, Place: "Statement I, x ≤ x₀", Verdict: Corrected,
			Statement:      "beta(1,1): H(x, x+1) > H(x+1, x+2) for all x ≤ x₀ = n/2",
			True:           "H(x, x−1) < H(x−1, x−2) for all x ≤ x₀",
			Counterexample: "n = 2, x = x₀ − 1 = 0 (equality)",
			Source:         "theory/hellinger.md §4", check: statementOneLeft,
		},
		Claim{
			ID: "hellinger/10", Document: NoteB, Place: "Statement II", Verdict: Corrected,
			Statement:      "beta(1,1): the local sensitivity at x ≥ x₀ is H(x, x+1)",
			True:           "at x = n there is no x + 1, and LS(n) = H(n, n−1); elsewhere it holds",
			Counterexample: "n = 1, x = 1",
			Source:         "theory/hellinger.md §4", check: statementTwo,
		},
		Claim{
			ID: "hellinger/11", Document: NoteB, Place: "Statement III", Verdict: Corrected,
			Statement:      "beta(1,1): the local sensitivity is least in the middle and greatest at the corners",
			True:           "for n ≥ 4; for n = 2 and 3 it is the same everywhere",
			Counterexample: "n = 2: LS = 0.408606716899 at x = 0, 1, 2",
			Source:         "theory/hellinger.md §4", check: statementThree,
		},
		Claim{
			ID: "hellinger/12", Document: NoteB, Place: "Statements I–III, other priors", Verdict: Corrected,
			Statement:      "the same for beta(a, b) with the middle at x₀ = n/2",
			True:           "with the middle where the posterior mean is ½: a + k = b + n − k",
			Counterexample: "beta(7,4), n = 20: LS is least at k = 8 and 9, not 10; at k = 9 it is H(9, 10) > H(9, 8)",
			Source:         "theory/hellinger.md §4", check: statementsOtherPriors,
		},
	)
}

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

func statementOneRight(_ context.Context, f *Finding) error {
	for n := 2; n <= longest; n++ {
		e := edges(n, 1, 1)
		for k := n / 2; k+1 < n; k++ {
			f.trial().printed(e[k] < e[k+1], float64(n), "n = %d, x = %d", n, k)
		}
		for _, p := range [][2]float64{{7, 4}, {.3, .3}, {.01, 30}, {100, 1}} {
			e := edges(n, p[0], p[1])
			for k := range n - 1 { // |a + k − (a+b+n−1)/2| grows or shrinks
				middle := (p[0] + p[1] + float64(n) - 1) / 2
				near, far := math.Abs(p[0]+float64(k)-middle), math.Abs(p[0]+float64(k+1)-middle)
				f.trial().printed(math.Abs(near-far) < 1e-9 || (near < far) == (e[k] < e[k+1]), float64(n),
					"prior %v, n = %d, k = %d", p, n, k)
			}
		}
	}
	return nil
}

func statementOneLeft(_ context.Context, f *Finding) error {
	first := -1
	for n := 2; n <= longest; n++ {
		e := edges(n, 1, 1)
		fails := false
		for x := 0; 2*x <= n && x+1 < n; x++ {
			fails = fails || !(e[x] > e[x+1]*(1+1e-13))
		}
		if fails && first < 0 {
			first = n
		}
		f.trial().printed(!fails, float64(n), "n = %d, x = x₀ − 1 = %d (equality)", n, n/2-1)
		f.require(fails, "n = %d: holds as printed", n)
		for x := 2; 2*x <= n; x++ {
			f.trial().repaired(e[x-1] < e[x-2], "corrected form, n = %d, x = %d", n, x)
		}
	}
	f.number("smallest n at which it fails", float64(first), 2, 0)
	return nil
}

func statementTwo(_ context.Context, f *Finding) error {
	for n := 1; n <= longest; n++ {
		s, e := space(n, 1, 1), edges(n, 1, 1)
		for x := (n + 1) / 2; x <= n; x++ {
			ls, _, _ := s.Local([]int64{int64(x), int64(n - x)})
			want := e[n-1]
			if x < n {
				want = e[x]
			}
			f.trial().printed(x < n && math.Abs(ls-e[min(x, n-1)]) < 1e-14, float64(n), "n = %d, x = %d", n, x)
			f.trial().repaired(math.Abs(ls-want) < 1e-14, "n = %d, x = %d: LS = %v", n, x, ls)
		}
	}
	return nil
}

func statementThree(_ context.Context, f *Finding) error {
	for n := 1; n <= longest; n++ {
		s := space(n, 1, 1)
		ls := make([]float64, n+1)
		least, most := math.Inf(1), 0.0
		for x := range ls {
			ls[x], _, _ = s.Local([]int64{int64(x), int64(n - x)})
			least, most = math.Min(least, ls[x]), math.Max(most, ls[x])
		}
		if n > 1 {
			f.trial().printed(most > least*(1+1e-9), float64(n), "n = %d: LS = %.12f at x = 0, 1, 2", n, least)
		}
		if n <= 3 {
			f.require(most-least < 1e-15, "n = %d: not constant", n)
			continue
		}
		f.trial().repaired(ls[n/2] == least && ls[0] == most && most > least*(1+1e-9), "n = %d", n)
	}
	v, _, _ := space(2, 1, 1).Local([]int64{1, 1})
	f.number("LS for n = 2", v, .408606716899, 5e-13)
	v, _, _ = space(3, 1, 1).Local([]int64{1, 2})
	f.number("LS for n = 3", v, .387016211566, 5e-13)
	return nil
}

func statementsOtherPriors(_ context.Context, f *Finding) error {
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
		f.Cases++
	}
	f.require(len(at) == 2 && at[0] == 8 && at[1] == 9 && e[9] > e[8], "least at %v", at)
	f.trial().printed(len(at) == 1 && at[0] == 10, 20, "beta(7,4), n = 20: LS is least at k = %d and %d, not 10; at "+
		"k = 9 it is H(9, 10) > H(9, 8)", at[0], at[len(at)-1])
	f.number("H(9, 10)", e[9], .1288356, 5e-8)
	f.number("H(9, 8)", e[8], .1285516, 5e-8)
	for n := 4; n <= longest; n++ { // the corrected middle
		s := space(n, 7, 4)
		for k := int64(1); k < int64(n); k++ {
			_, from, _ := s.Local([]int64{k, int64(n) - k})
			a, b := 7+float64(k), 4+float64(n)-float64(k)
			f.trial().repaired(a == b || (from == 0) == (a < b), "n = %d, k = %d: the record leaves cell %d", n, k,
				from)
		}
	}
	return nil
}
