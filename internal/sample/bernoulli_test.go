package sample_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/sample"
)

type bernoulli func(src rand.Source, num, den uint64) bool

// acceptance is the exact probability that a Bernoulli(exp(−num/den)) run says true, num ≤ den: every value of every
// trial is played to the shipped code. The k-th trial reads one uniform on {0, …, k·den−1} (none when k·den = 1, it
// then has value 0); a run that asks for another word goes on. The runs that pass trial k have probability below 1/k!,
// so 25 trials leave 1e-25.
func acceptance(f bernoulli, num, den uint64) float64 {
	total, alive := new(big.Rat), big.NewRat(1, 1)
	var prefix []uint64
	for k := uint64(1); k <= 25; k++ {
		n := k * den
		if n == 1 {
			continue
		}
		yes, on, onWord := int64(0), int64(0), uint64(0)
		for j := range n {
			// The middle word of value j, never rejected: j·2^64/n + 2^63/n.
			q, _ := divide(j, n)
			word := q + (1<<63)/n
			w := &tape{script: append(prefix[:len(prefix):len(prefix)], word)}
			verdict := f(w, num, den)
			switch {
			case w.over:
				on, onWord = on+1, word
			case verdict:
				yes++
			}
		}
		share := new(big.Rat).Mul(alive, big.NewRat(yes, int64(n)))
		total.Add(total, share)
		alive.Mul(alive, big.NewRat(on, int64(n)))
		prefix = append(prefix, onWord)
	}
	p, _ := total.Float64()
	return p
}

// tape plays a script; past its end it notes the fact and plays top words, which end the run at once.
type tape struct {
	script []uint64
	read   int
	over   bool
}

func (t *tape) Uint64() uint64 {
	if t.read == len(t.script) {
		t.over = true
		return math.MaxUint64
	}
	t.read++
	return t.script[t.read-1]
}

// divide is j·2^64 / n, j < n: quotient and remainder.
func divide(j, n uint64) (q, r uint64) {
	x := new(big.Int).Lsh(new(big.Int).SetUint64(j), 64)
	quo, rem := x.QuoRem(x, new(big.Int).SetUint64(n), new(big.Int))
	return quo.Uint64(), rem.Uint64()
}

// linear and unscaled are mutants: the first trial alone, 1 − x, and trials of Bernoulli(x) instead of Bernoulli(x/k),
// 1/(1+x).
func linear(src rand.Source, num, den uint64) bool { return sample.Uniform(src, den) >= num }

func unscaled(src rand.Source, num, den uint64) bool {
	for k := uint64(1); ; k++ {
		if sample.Uniform(src, k*den)/k >= num {
			return k%2 == 1
		}
	}
}

func TestBernoulliExpIsExactByEnumeration(t *testing.T) {
	for den := uint64(1); den <= 9; den++ {
		for num := range den + 1 {
			want := math.Exp(-float64(num) / float64(den))
			if got := acceptance(sample.BernoulliExp, num, den); math.Abs(got-want) > 1e-15 {
				t.Errorf("P(true) for exp(−%d/%d) = %v, want %v", num, den, got, want)
			}
			for name, mutant := range map[string]bernoulli{"1 − x": linear, "1/(1+x)": unscaled} {
				if num == 0 || num == den { // no difference at 0; the second mutant never ends at 1
					continue
				}
				if got := acceptance(mutant, num, den); math.Abs(got-want) < 1e-3 {
					t.Errorf("mutant %s passes for exp(−%d/%d): %v", name, num, den, got)
				}
			}
		}
	}
}

// Frequencies within 6.5 standard errors for exponents of every size, and the mutant 1 − x outside.
func TestBernoulliExpFrequency(t *testing.T) {
	src := source(9)
	for _, c := range [][2]uint64{{0, 1}, {1, 1}, {1, 2}, {3, 2}, {7, 5}, {5, 1}, {1 << 62, 1<<62 + 1},
		{1 << 62, math.MaxUint64}, {math.MaxUint64, math.MaxUint64}, {math.MaxUint64, 1 << 63}, {math.MaxUint64, 1}} {
		p := math.Exp(-float64(c[0]) / float64(c[1]))
		hits := 0
		for range draws {
			if sample.BernoulliExp(src, c[0], c[1]) {
				hits++
			}
		}
		se := math.Sqrt(p*(1-p)/draws) + 1e-12
		if d := math.Abs(float64(hits)/draws-p) / se; d > tooFar {
			t.Errorf("exp(−%d/%d): %v standard errors off", c[0], c[1], d)
		}
		if first := math.Max(0, 1-float64(c[0])/float64(c[1])); c[0] > 0 && math.Abs(first-p)/se < tooFar && p > 1e-3 {
			t.Errorf("1 − x passes for exp(−%d/%d): no power", c[0], c[1])
		}
	}
	if sample.BernoulliExp(src, 1, 0) {
		t.Error("exp(−∞) happened")
	}
}

func BenchmarkBernoulliExp(b *testing.B) {
	src := source(1)
	for b.Loop() {
		sample.BernoulliExp(src, 3, 7)
	}
}
