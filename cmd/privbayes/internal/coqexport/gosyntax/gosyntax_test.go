package gosyntax

import (
	"errors"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

func samplers(t *testing.T) map[string]string { return goFiles(t, "internal/sample") }

var names = []string{"Uniform", "bernoulliExpUnit", "BernoulliExp", "TwoSidedGeometric.oneSided",
	"TwoSidedGeometric.Draw", "squared128", "wide.isWord", "wide.less", "wide.plus", "wide.minus", "wide.appended",
	"wide.bitLen", "uniformWide", "bernoulliExpWide", "DiscreteGaussian.exponent", "DiscreteGaussian.accept",
	"DiscreteGaussian.scale", "DiscreteGaussian.Draw"}

// One token changed anywhere in the samplers changes the trees. The first cannot be seen by draws: it rejects one word
// of 2^64 more. Names and comments are no change.
func TestEveryTokenCounts(t *testing.T) {
	kept := must.Get(Functions(samplers(t), names...))(t)
	for _, c := range []struct{ from, to string }{
		{"lo < threshold", "lo <= threshold"}, {"if lo < n {", "if lo > n {"}, {"-n % n", "n % n"}, {"n <= 1", "n < 1"},
		{"num > den; num -= den", "num >= den; num -= den"}, {"num -= den", "num += den"},
		{"bernoulliExpUnit(src, 1, 1) {\n\t\t\treturn false", "bernoulliExpUnit(src, 1, 2) {\n\t\t\treturn false"},
		{"k := uint64(1); ; k++", "k := uint64(2); ; k++"}, {"over == 0", "over != 0"},
		{"Uniform(src, k) == 0 &&", "Uniform(src, k) == 0 ||"}, {"Uniform(src, den) < num", "Uniform(src, k) < num"},
		{"k%2 == 1", "k%2 == 0"}, {"if !ok", "if ok"}, {"maxUnits = 1 << 22", "maxUnits = 1 << 21"},
		{"u := Uniform(src, g.Den)", "u := Uniform(src, g.Num)"}, {"u + g.Den*v", "u + g.Num*v"},
		{"v++", "v--"}, {"continue", "return 0"}, {"src.Uint64()>>63 == 0", "src.Uint64()>>62 == 0"},
		{"if z != 0", "if z == 0"}, {"return -z", "return z"},
		{"TwoSidedGeometric{1, t}", "TwoSidedGeometric{t, 1}"}, {"uint64(max(y, -y))", "uint64(max(y, y))"},
		{"if g.accept(", "if !g.accept("},
		{"2*hi, lo)", "hi, lo)"}, {"Add64(h0, l1, 0)", "Add64(h0, l1, 1)"}, {"hi*hi + h1 + c, mid", "hi*hi + h1, mid"},
		{"h1 + c, mid, l0", "h1 + c, l0, mid"}, {"x.hi == 0 && x.mid", "x.lo == 0 && x.mid"},
		{"tb := t * g.Den", "tb := t * g.Num"}, {"Sub64(lo, g.Num, 0)", "Sub64(lo, g.Den, 0)"},
		{"hi, borrow = bits.Sub64(hi, 0, borrow)", "hi, borrow = bits.Sub64(hi, 0, lo)"}, {"borrow != 0", "borrow == 0"},
		{"hi, _ = bits.Sub64", "_, hi = bits.Sub64"}, {"squared128(hi, lo)", "squared128(lo, hi)"},
		{"Mul64(lower, 2*g.Num)", "Mul64(lower, g.Num)"}, {"wide{mid: upper", "wide{hi: upper"},
		{"num.isWord() && den", "den.isWord() && den"}, {"num, den := g.exponent", "den, num := g.exponent"},
		{"BernoulliExp(src, num.lo, den.lo)", "BernoulliExp(src, num.lo, den.mid)"},
		{"bernoulliExpWide(src, num, den)\n}", "bernoulliExpWide(src, den, num)\n}"}, {"s*s > q", "s*s >= q"},
		{"x.mid != y.mid", "x.mid == y.mid"}, {"return x.hi < y.hi", "return y.hi < x.hi"},
		{"y.mid, c)", "y.mid, 0)"}, {"x.hi - y.hi - b", "x.hi - y.hi"},
		{"x.mid<<left | x.lo>>right", "x.mid<<left | x.mid>>right"},
		{"uint(64 - s)", "uint(63 - s)"}, {"w>>right}", "w<<right}"}, {"64 + bits.Len64", "63 + bits.Len64"},
		{"minus(wide{lo: 1})", "minus(wide{lo: 2})"}, {"left > 0; left -= 64", "left > 0; left -= 63"},
		{"min(left, 64)", "min(left, 63)"}, {"if x.less(n)", "if n.less(x)"}, {"den.less(num); num", "num.less(den); num"},
		{"n = n.plus(den)\n", "n = n.plus(num)\n"}, {"!u.less(num)", "u.less(num)"},
		{"uniformWide(src, n)", "uniformWide(src, den)"},
		{"(s+1)*(s+1) <= q", "(s+1)*(s+1) < q"}, {"return s + 1", "return s"},
	} {
		s, found := samplers(t), false
		for name, text := range s {
			changed := strings.Replace(text, c.from, c.to, 1)
			found = found || changed != text
			s[name] = changed
		}
		got, err := Functions(s, names...)
		if !found || err == nil && got == kept {
			t.Errorf("%q for %q: found %v, %v", c.to, c.from, found, err)
		}
	}
	s := samplers(t)
	for name, text := range s {
		s[name] = strings.ReplaceAll(text, "// Uniform is uniform", "// It is uniform")
	}
	if got, err := Functions(s, names...); err != nil || got != kept {
		t.Error("a comment changes the trees", err)
	}
}

// What has no tree is refused, and nothing is guessed.
func TestRefused(t *testing.T) {
	for _, body := range []string{
		"x := 1.5; return uint64(x)", "x := []uint64{n}; return x[0]", "switch n { case 1: return 2 }; return 0",
		"for { break }; return n", "again: for { continue again }", "goto end; end: return n", "x, y := n, n; return x + y",
		"if x := n; x > 1 { return x }; x := n; return x", "return n & 1", "return n ^ 1", "return min(n, 2, 3)",
		"switch { case n > 1, n > 3: return 2 }; return 0",
		"switch { case n > 1: fallthrough; case n > 3: return 2 }; return 0",
		"switch x := n; { case x > 1: return 2 }; return 0", "switch { default: return 1 }", "return n << int64(n)",
		"var x, y uint64; return x + y", "var x uint64 = n; return x", "return Uniform(src, n) + none(n)",
		"if Uniform(src, n) > n { return 1 }; return 0", "n, _ = Uniform(src, n), n; return n",
		"x := uint32(n); return uint64(x)",
		"f := func() uint64 { return n }; return f()", "global = n; return n", "Uniform(src, n); return n",
		"defer Uniform(src, n); return n",
		"if n > 1 { return 1 } else if n > 0 { return 0 }; return n", "n *= 2; return n", "p := &n; return *p",
		"x := pair{a: n, b: Uniform(src, n)}; return x.a", "x := pair{n, n}; y := pair{n, n}; y = x; return y.a",
	} {
		text := "package sample\nimport \"math/rand/v2\"\nvar global uint64\ntype pair struct{ a, b uint64 }\n" +
			"func Uniform(src rand.Source, n uint64) uint64 {\n" + body + "\n}\n"
		if got, err := Functions(map[string]string{"a.go": text}, "Uniform"); !errors.As(err, new(*UnsupportedError)) {
			t.Errorf("%s: %v\n%s", body, err, got)
		}
	}
	for _, text := range []string{"package sample", "package sample; func Uniform() {}",
		"package sample; func Uniform(x float64) bool { return true }",
		"package sample; func Uniform[T any](x T) bool { return true }",
		"package sample; func Uniform() (a, b bool) { return }",
		"package sample; func Uniform() (x float64, b bool) { return 1, true }",
		"package sample; func Uniform(x bool) (bool, bool) { return Uniform(x), x }"} {
		if got, err := Functions(map[string]string{"a.go": text}, "Uniform"); !errors.As(err, new(*UnsupportedError)) {
			t.Errorf("%s: %v\n%s", text, err, got)
		}
	}
	if _, err := Functions(map[string]string{"a.go": "package"}, "Uniform"); err == nil {
		t.Error("broken text")
	}
}

// What would be written as something else is refused: a source that is no parameter, functions that are named as what
// the machine does or as a method is in Coq, those of other packages, receivers that a call changes, and parameters
// without names, whose arguments would move.
func TestNothingIsMistaken(t *testing.T) {
	const head = "package sample\nimport (\n\"math/bits\"\n\"math/rand/v2\"\nbits2 \"other/bits\"\n)\n" +
		"var global rand.Source\n" +
		"var held struct{ src rand.Source }\ntype pair struct{ a, b uint64 }\ntype both struct{ pair }\ntype word uint64\n" +
		"type wide struct{ word }\nfunc (p *pair) next() uint64 { p.a++; return p.a }\n" +
		"func (p pair) rate() float64 { return .5 }\n" +
		"func (x word) up() uint64 { return 1 }\nfunc pair_up(x uint64) uint64 { return x }\n" +
		"func half(x uint64) float64 { return .5 }\nfunc split(x uint64) (uint64, float64) { return x, .5 }\n"
	const by = "func f(src rand.Source, n uint64) uint64 { "
	for _, text := range []string{
		by + "return global.Uint64() }", by + "return Uniform(global, n) }", by + "return Uniform(held.src, n) }",
		by + "return Uniform(rand.NewPCG(1, 2), n) }", by + "return bits2.Mul64(n, n) }", by + "return bits.Unknown(n) }",
		by + "return Mul64(n, n) }\nfunc Mul64(x, y uint64) uint64 { return x }",
		by + "return Uint64() }\nfunc Uint64() uint64 { return 4 }",
		by + "return max(n, n) }\nfunc max(x, y uint64) uint64 { return x }",
		by + "return max(n, n, n) }", by + "return max(n) }",
		by + "x := pair{n, n}; y := x.next(); return x.a + y }", by + "return pair_up(n) }",
		by + "x := pair{n, n}; if x.rate() < 1 { return 0 }; return n }", by + "if half(n) == 1 { return 0 }; return n }",
		by + "if split(n) == 1 { return 0 }; return n }", by + "x := wide{word(n)}; return x.up() }",
		by + "return n >> int64(n) }", "func f(a, b rand.Source) uint64 { return a.Uint64() + b.Uint64() }",
		"func f(rand.Source, uint64) uint64 { return 1 }", "func (pair) f(n uint64) uint64 { return n }",
		by + "return n }\nfunc f(src rand.Source, n uint64) uint64 { return 1 }", "func f() uint64 { return init() }",
		by + "src = fresh(src); return src.Uint64() }\nfunc fresh(src rand.Source) rand.Source { return src }",
		by + "switch {}; return n }", "func f(n uint64) uint8 { return 255 }",
	} {
		name := "f"
		if strings.HasPrefix(text, "func (pair)") {
			name = "pair.f"
		}
		text = head + text + "\nfunc Uniform(src rand.Source, n uint64) uint64 { return n }\n"
		if got, err := Functions(map[string]string{"a.go": text}, name); !errors.As(err, new(*UnsupportedError)) {
			t.Errorf("%s: %v\n%s", text[len(head):], err, got)
		}
	}
	tagged := "//go:build amd64\n\npackage sample\n\nfunc f(n uint64) uint64 { return n }\n"
	if got, err := Functions(map[string]string{"a.go": tagged}, "f"); !errors.As(err, new(*UnsupportedError)) {
		t.Errorf("a file of one machine: %v\n%s", err, got)
	}
	const kept = "package sample\nimport \"math/rand/v2\"\nfunc f(bits rand.Source, x int64) int64 { return max(x, -1) }"
	if got, err := Functions(map[string]string{"a.go": kept}, "f"); err != nil || !strings.Contains(got, "(Num (-1))") {
		t.Errorf("%v\n%s", err, got)
	}
}
