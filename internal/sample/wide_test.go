package sample

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// The reference: the same algorithm in math/big, written without the package's 192-bit arithmetic.
func word(x uint64) *big.Int { return new(big.Int).SetUint64(x) }

func (x wide) big() *big.Int {
	z := word(x.hi)
	z.Lsh(z, 64).Or(z, word(x.mid))
	return z.Lsh(z, 64).Or(z, word(x.lo))
}

func refUniform(src rand.Source, n *big.Int) *big.Int {
	if n.IsUint64() {
		return word(Uniform(src, n.Uint64()))
	}
	length := new(big.Int).Sub(n, big.NewInt(1)).BitLen()
	for {
		x := new(big.Int)
		for left := length; left > 0; left -= 64 {
			w := src.Uint64()
			if left < 64 {
				w >>= 64 - left
			}
			x.Lsh(x, uint(min(left, 64))).Or(x, word(w))
		}
		if x.Cmp(n) < 0 {
			return x
		}
	}
}

func refUnit(src rand.Source, num, den *big.Int) bool {
	for k := uint64(1); ; k++ {
		n := new(big.Int).Mul(word(k), den)
		var ok bool
		if den.IsUint64() && !n.IsUint64() {
			ok = refUniform(src, word(k)).Sign() == 0 && refUniform(src, den).Cmp(num) < 0
		} else {
			ok = refUniform(src, n).Cmp(num) < 0
		}
		if !ok {
			return k%2 == 1
		}
	}
}

func refAccept(src rand.Source, g DiscreteGaussian, y, t uint64) bool {
	num, den := refExponent(g, y, t)
	for ; num.Cmp(den) > 0; num.Sub(num, den) {
		if !refUnit(src, word(1), word(1)) {
			return false
		}
	}
	return refUnit(src, num, den)
}

func refExponent(g DiscreteGaussian, y, t uint64) (num, den *big.Int) {
	num = word(y)
	num.Mul(num, word(t)).Mul(num, word(g.Den)).Sub(num, word(g.Num))
	den = word(2)
	den.Mul(den, word(g.Num)).Mul(den, word(g.Den)).Mul(den, word(t)).Mul(den, word(t))
	return num.Mul(num, num), den
}

// counted notes how many words were read.
type counted struct {
	rand.Source
	n int
}

func (c *counted) Uint64() uint64 { c.n++; return c.Source.Uint64() }

func twins(seed uint64) (a, b *counted) {
	return &counted{Source: rand.NewPCG(seed, 1)}, &counted{Source: rand.NewPCG(seed, 1)}
}

// sized draws integers of every bit length up to the given one: uniform ones are nearly always long.
func sized(bits int) *rapid.Generator[uint64] {
	return rapid.Custom(func(t *rapid.T) uint64 {
		top := uint64(1) << rapid.IntRange(0, bits).Draw(t, "bits")
		return rapid.OneOf(rapid.Just(top), rapid.Uint64Range(1, top)).Draw(t, "value")
	})
}

// The bounds in exponent's comment: over the whole domain the fraction is the big-integer one, so nothing overflowed.
func TestExponentNeverOverflows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := DiscreteGaussian{sized(62).Draw(t, "num"), sized(62).Draw(t, "den")}
		s := g.scale()
		y := rapid.OneOf(rapid.Uint64Range(0, s*(maxUnits+1)), rapid.Uint64Range(0, 4*s),
			rapid.Just(s*(maxUnits+1))).Draw(t, "y")
		num, den := g.exponent(y, s)
		wantNum, wantDen := refExponent(g, y, s)
		if num.big().Cmp(wantNum) != 0 || den.big().Cmp(wantDen) != 0 || den.hi != 0 {
			t.Fatalf("%+v at %d, scale %d: %v/%v, want %v/%v", g, y, s, num.big(), den.big(), wantNum, wantDen)
		}
		if q := new(big.Int).Sqrt(word(g.Num / g.Den)); q.Uint64()+1 != s {
			t.Fatalf("%+v: scale %d, want %v + 1", g, s, q)
		}
	})
}

// Word, 192-bit and big-integer paths: the same verdict from the same words, wherever they apply.
func TestPathsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := DiscreteGaussian{sized(62).Draw(t, "num"), sized(62).Draw(t, "den")}
		s := g.scale()
		y := rapid.Uint64Range(0, 4*s).Draw(t, "y")
		a, b := twins(rapid.Uint64().Draw(t, "seed"))
		if got, want := g.accept(a, y, s), refAccept(b, g, y, s); got != want || a.n != b.n {
			t.Fatalf("%+v at %d: %v after %d words, want %v after %d", g, y, got, a.n, want, b.n)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		num, den := sized(63).Draw(t, "num"), sized(63).Draw(t, "den")
		a, b := twins(rapid.Uint64().Draw(t, "seed"))
		got, want := bernoulliExpWide(a, wide{lo: num}, wide{lo: den}), BernoulliExp(b, num, den)
		if got != want || a.n != b.n {
			t.Fatalf("exp(−%d/%d): %v after %d words, want %v after %d", num, den, got, a.n, want, b.n)
		}
	})
}

// Whole draws agree with a draw whose acceptance is in big integers, on either side of every change of path.
func TestDrawsAgreeWithBigIntegers(t *testing.T) {
	for _, g := range []DiscreteGaussian{{1, 4}, {100, 1}, {1 << 28, 1}, {1 << 30, 1}, {1 << 31, 1}, {1 << 32, 3},
		{3435973902, 1 << 20}, {1 << 62, 1}, {1 << 62, 1 << 62}, {3, 1 << 62}} {
		a, b := twins(5)
		s := g.scale()
		for range 3000 {
			got, want := g.Draw(a), int64(0)
			for {
				want = TwoSidedGeometric{1, s}.Draw(b)
				if refAccept(b, g, uint64(max(want, -want)), s) {
					break
				}
			}
			if got != want || a.n != b.n {
				t.Fatalf("%+v: drew %d after %d words, big integers %d after %d", g, got, a.n, want, b.n)
			}
		}
	}
}

// The 2-word acceptance has the right probability: frequencies within 6.5 standard errors (8e-11), 1 − x outside.
func TestWideBernoulliFrequency(t *testing.T) {
	src := rand.NewPCG(8, 8)
	for _, c := range []struct{ num, den wide }{
		{wide{mid: 1}, wide{mid: 2, lo: 5}}, {wide{mid: 1 << 62}, wide{mid: 1 << 63}},
		{wide{mid: 3, lo: 1}, wide{mid: 2}}, {wide{lo: 1 << 63}, wide{mid: 1}},
	} {
		x, _ := new(big.Rat).SetFrac(c.num.big(), c.den.big()).Float64()
		p, hits := math.Exp(-x), 0.0
		for range 100_000 {
			if bernoulliExpWide(src, c.num, c.den) {
				hits++
			}
		}
		se := math.Sqrt(p * (1 - p) / 100_000)
		if d := math.Abs(hits/100_000-p) / se; d > 6.5 {
			t.Errorf("exp(−%v): %v standard errors off", x, d)
		}
		if math.Abs(math.Max(0, 1-x)-p) < 6.5*se {
			t.Errorf("1 − x passes for x = %v", x)
		}
	}
}
