package quantiles

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
)

// sequences calls f with all e_1 ≤ … ≤ e_m below c.
func eachSequence(c, m int, f func([]int)) {
	at := make([]int, m)
	var fill func(i, from int)
	fill = func(i, from int) {
		if i == m {
			f(at)
			return
		}
		for e := from; e < c; e++ {
			at[i] = e
			fill(i+1, e)
		}
	}
	fill(0, 0)
}

// cost is Σ_i |b·(F(e_{i+1}) − F(e_i)) − τ_i| at positions e_1 ≤ … ≤ e_m: the law has log-probability −x·cost plus a
// constant.
func (l *jointDistribution) cost(positions []int) int64 {
	var cost, at int64
	for i, gap := range l.gaps {
		next := l.total
		if i < len(positions) {
			next = l.below[positions[i]]
		}
		cost += distance(next-at, gap)
		at = next
	}
	return cost
}

// logProbability is the log-probability of positions in floats, from the sums that draws are made with.
func (l *jointDistribution) logProbability(positions []int) float64 {
	s := sumsOf(l, newQuick(l.x, l.most()))
	first := s.weights(l, 0, 0)
	var total scaled
	for _, w := range first {
		total = total.plus(w)
	}
	x, _ := l.x.Float64()
	return -x*float64(l.cost(positions)) - math.Log(float64(total.m)) - float64(total.e)*math.Ln2
}

// brute is the log-probability of every sequence, by the formula.
func brute(l *jointDistribution) map[string]float64 {
	x, _ := l.x.Float64()
	logs, most := map[string]float64{}, math.Inf(-1)
	eachSequence(len(l.below), l.ranks(), func(at []int) {
		v := -x * float64(l.cost(at))
		logs[key(at)], most = v, math.Max(most, v)
	})
	sum := 0.0
	for _, v := range logs {
		sum += math.Exp(v - most)
	}
	for k := range logs {
		logs[k] -= most + math.Log(sum)
	}
	return logs
}

func key(at []int) string {
	b := make([]byte, len(at))
	for i, e := range at {
		b[i] = byte(e)
	}
	return string(b)
}

func anyJointDistribution(t *rapid.T) *jointDistribution {
	c, m := rapid.IntRange(1, 9).Draw(t, "candidates"), rapid.IntRange(1, 4).Draw(t, "ranks")
	b := rapid.Int64Range(1, 12).Draw(t, "b")
	below := make([]int64, c)
	at := int64(0)
	for e := range below {
		at += rapid.Int64Range(0, 3).Draw(t, "records")
		below[e] = at
	}
	n := at + rapid.Int64Range(0, 4).Draw(t, "above")
	gaps := rapid.SliceOfN(rapid.Int64Range(0, b*n+2), m+1, m+1).Draw(t, "gaps")
	x := big.NewRat(rapid.Int64Range(1, 400).Draw(t, "num"), rapid.Int64Range(1, 400).Draw(t, "den"))
	return must.Get(newJointDistribution(x, b, below, n, gaps))(t)
}

func TestSumsAreThoseOfAllSequences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyJointDistribution(t)
		all := brute(l)
		eachSequence(len(l.below), l.ranks(), func(at []int) {
			if got, want := l.logProbability(at), all[key(at)]; math.Abs(got-want) > 1e-11*(1+math.Abs(want)) {
				t.Fatalf("log P(%v) = %v, want %v", at, got, want)
			}
		})
	})
}

// Both numbers of digits give the same sums within the errors that they claim.
func TestSumsAgreeInAllDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyJointDistribution(t)
		a, b := sumsOf(l, newQuick(l.x, l.most())), sumsOf(l, newCareful(l.x, l.most(), 200))
		slack := float64(a.operations(l)) * 0x1p-62
		for i := range a.after {
			for e := range a.after[i] {
				r, _ := a.wide(a.after[i][e]).over(b.after[i][e], 200).Float64()
				if math.Abs(r-1) > slack {
					t.Fatalf("sum %d of candidate %d: ratio %v off by more than %v", i, e, r, slack)
				}
			}
		}
	})
}

// script plays words first and then those of a generator.
type script struct {
	words []uint64
	rest  rand.Source
}

func (s *script) Uint64() uint64 {
	if len(s.words) > 0 {
		w := s.words[0]
		s.words = s.words[1:]
		return w
	}
	return s.rest.Uint64()
}

// Bits that fall on a boundary between two candidates are left open by the first level, and the bits after them decide
// as the boundary in 400 digits says.
func TestBoundariesAreDecidedByMoreBits(t *testing.T) {
	l := must.Get(newJointDistribution(big.NewRat(3, 7), 2, []int64{0, 1, 1, 3, 4, 6}, 7, []int64{5, 4, 5}))(t)
	exact := sumsOf(l, newCareful(l.x, l.most(), 400))
	weights := exact.weights(l, 0, 0)
	var total, sum wide
	for _, w := range weights {
		total = exact.plus(total, w)
	}
	for e, w := range weights[:len(weights)-1] {
		sum = exact.plus(sum, w)
		place := sum.over(total, 400)
		words := make([]uint64, 3)
		for i := range words {
			place.SetMantExp(place, 64)
			whole, _ := place.Int(nil)
			words[i] = whole.Uint64()
			place.Sub(place, new(big.Float).SetPrec(400).SetInt(whole))
		}
		for _, way := range []struct {
			last uint64
			want int
		}{{words[1] - 1, e}, {words[1] + 1, e + 1}} {
			u := newUniform(&script{words: []uint64{words[0], way.last}})
			if got := l.level(0).locate(l, 0, 0, u); got != -1 {
				t.Fatalf("boundary after %d: 64 bits decide for %d", e, got)
			}
			got := l.draw(&script{words: []uint64{words[0], way.last}, rest: rand.NewPCG(1, 2)})[0]
			if got != way.want {
				t.Errorf("boundary after %d, next word %d: drew %d, want %d", e, way.last, got, way.want)
			}
		}
	}
}

// chiSquare compares draws with a law; its tail beyond df + 9·√(2·df) + 40 has probability below 1e-9.
func chiSquare(draw func() []int, law map[string]float64, draws int) (stat, limit float64) {
	seen := map[string]int{}
	for range draws {
		seen[key(draw())]++
	}
	df, rest, restSeen := 0, 0.0, 0
	for k, logP := range law {
		expect := math.Exp(logP) * float64(draws)
		if expect < 10 {
			rest, restSeen = rest+expect, restSeen+seen[k]
			continue
		}
		d := float64(seen[k]) - expect
		stat, df = stat+d*d/expect, df+1
	}
	if rest > 10 {
		d := float64(restSeen) - rest
		stat, df = stat+d*d/rest, df+1
	}
	return stat, float64(df) + 9*math.Sqrt(2*float64(df)) + 40
}

// Draws follow the law at every level, and not that of half the rate: false alarm below 1e-9.
func TestDrawsFollowTheLaw(t *testing.T) {
	x := big.NewRat(1, 6)
	below, gaps := []int64{0, 0, 1, 2, 2, 5, 8}, []int64{8, 8, 8}
	l := must.Get(newJointDistribution(x, 3, below, 8, gaps))(t)
	law := brute(l)
	src := rand.NewPCG(7, 7)
	stat, limit := chiSquare(func() []int { return l.draw(src) }, law, 40000)
	if stat > limit {
		t.Errorf("chi-square %.1f > %.1f", stat, limit)
	}
	coarse := &jointDistribution{x: l.x, b: l.b, below: l.below, total: l.total, gaps: l.gaps,
		levels: []level{sumsOf(l, newCareful(l.x, l.most(), 14))}} // its digits rarely tell
	stat, limit = chiSquare(func() []int { return coarse.draw(src) }, law, 10000)
	if stat > limit {
		t.Errorf("from few digits on: chi-square %.1f > %.1f", stat, limit)
	}
	half := must.Get(newJointDistribution(big.NewRat(1, 12), 3, below, 8, gaps))(t)
	if stat, limit := chiSquare(func() []int { return half.draw(src) }, law, 40000); stat <= limit {
		t.Errorf("half the rate is not noticed: chi-square %.1f ≤ %.1f", stat, limit)
	}
}

// A thousand billion records, at a rate that makes exponents of 2^40: 64 bits, and more digits where they are asked
// for.
func TestLargeExponents(t *testing.T) {
	const n = 1e12
	l := must.Get(newJointDistribution(big.NewRat(2, 1), 4, []int64{0, n / 5, n / 4, n / 2, n - n/4, n}, n,
		[]int64{n, 2 * n, n}))(t)
	l.levels = []level{sumsOf(l, newCareful(l.x, l.most(), 12))} // too few digits to tell
	if got := l.draw(rand.NewPCG(1, 1)); got[0] != 2 || got[1] != 4 || len(l.levels) < 2 {
		t.Errorf("drew %v at level %d, want [2 4] from the second level on", got, len(l.levels))
	}
}

func TestLargeLaws(t *testing.T) {
	below := make([]int64, 20000)
	for e := range below {
		below[e] = int64(e) * 50
	}
	l, err := newJointDistribution(big.NewRat(1, 40), 10, below, 1e6, []int64{1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6,
		1e6})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range l.draw(rand.NewPCG(1, 1)) {
		if want := 2000 * (i + 1); e < want-20 || e > want+20 {
			t.Errorf("decile %d at candidate %d, want %d or so", i+1, e, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	x := big.NewRat(1, 2)
	for name, err := range map[string]error{
		"no rate":       failure(newJointDistribution(nil, 1, []int64{0}, 1, []int64{1, 1})),
		"rate 0":        failure(newJointDistribution(new(big.Rat), 1, []int64{0}, 1, []int64{1, 1})),
		"b":             failure(newJointDistribution(x, 0, []int64{0}, 1, []int64{1, 1})),
		"no candidates": failure(newJointDistribution(x, 1, nil, 1, []int64{1, 1})),
		"no rank":       failure(newJointDistribution(x, 1, []int64{0}, 1, []int64{1})),
		"out of order":  failure(newJointDistribution(x, 1, []int64{1, 0}, 1, []int64{1, 1})),
		"more than n":   failure(newJointDistribution(x, 1, []int64{0, 3}, 2, []int64{1, 1})),
		"negative":      failure(newJointDistribution(x, 1, []int64{-1, 3}, 5, []int64{1, 1})),
		"negative gap":  failure(newJointDistribution(x, 1, []int64{0, 3}, 5, []int64{-1, 1})),
		"large rate":    failure(newJointDistribution(big.NewRat(1<<40, 1), 1, []int64{0, 3}, 5, []int64{1, 1})),
		"overflow":      failure(newJointDistribution(x, 1<<60, []int64{0, 3}, 5, []int64{1, 1})),
	} {
		var e *domain.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v, want a *domain.Error", name, err)
		}
	}
}

func failure[T any](_ T, err error) error { return err }

func BenchmarkNineOf1e5(b *testing.B) {
	below := make([]int64, 1e5)
	for e := range below {
		below[e] = int64(e) / 10
	}
	for b.Loop() {
		l := must.Get(newJointDistribution(big.NewRat(1, 40), 10, below, 1e4, []int64{1e4, 1e4, 1e4, 1e4, 1e4, 1e4, 1e4, 1e4,
			1e4, 1e4}))(b)
		l.draw(rand.NewPCG(1, 1))
	}
}
