package gosyntax

import (
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// rateFunctions compute the rate of a Hellinger plan.
var rateFunctions = []struct {
	folder string
	names  []string
}{
	{"internal/num", []string{"Up"}},
	{"internal/hellinger", []string{"Rho"}},
	{"privbayes/mechanism/hellinger", []string{"space.rho", "theorem1"}},
}

// goFiles are the files of a folder of the checkout by name, without its tests.
func goFiles(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range must.Get(filepath.Glob(filepath.Join("../../../../..", folder, "*.go")))(t) {
		if !strings.HasSuffix(name, "_test.go") {
			out[filepath.Base(name)] = string(must.Get(os.ReadFile(name))(t))
		}
	}
	return out
}

// floatMutants are changes of one token, or of one call, in what computes the rate. Those of a step up and of the last
// factors are below what tests of values see.
var floatMutants = []struct{ from, to string }{
	{"math.Nextafter(x, math.Inf(1)) }", "math.Nextafter(x, math.Inf(-1)) }"},
	{"{ return math.Nextafter(x, math.Inf(1)) }", "{ return x }"},
	{"gamma >= 0 &&", "gamma > 0 &&"}, {"gamma >= 0 &&", "gamma <= 0 &&"}, {"gamma >= 0 &&", "gamma >= 0 ||"},
	{"diameter <= 1)", "diameter < 1)"}, {"diameter <= 1)", "diameter <= 2)"},
	{"if !(gamma", "if (gamma"}, {"NaN()\n\t}\n\troot", "Inf(-1)\n\t}\n\troot"},
	{"num.Up(1 + num.Up(math.Sqrt", "(1 + num.Up(math.Sqrt"}, {"num.Up(math.Sqrt", "(math.Sqrt"},
	{"math.Sqrt(num.Up(1+", "math.Sqrt((1+"}, {"math.Sqrt(num", "(num"}, {"2*num.Up(gamma*gamma)", "2*(gamma*gamma)"},
	{"num.Up(1 + num.Up(math", "num.Up(1 - num.Up(math"}, {"num.Up(1+2*", "num.Up(1-2*"}, {"1+2*num", "2+2*num"},
	{"1+2*num", "1+1*num"}, {"Up(gamma*gamma)", "Up(gamma+gamma)"}, {"Up(gamma*gamma)", "Up(gamma*diameter)"},
	{"if gamma == 0", "if gamma != 0"}, {"if gamma == 0", "if gamma == 1"}, {"\t\treturn 2\n", "\t\treturn 1\n"},
	{"math.Min(num.Up(2+", "math.Min((2+"}, {"num.Up(2+num.Up(gamma*diameter))", "num.Up(2+(gamma*diameter))"},
	{"num.Up(2+num", "num.Up(1+num"}, {"num.Up(2+num", "num.Up(2-num"}, {"gamma*diameter", "gamma-diameter"},
	{"(gamma*diameter)), root)", "(gamma*diameter)), 2)"}, {"math.Min(num", "math.Max(num"},
	{"hellinger.Rho(g, 1)", "hellinger.Rho(g, 0)"}, {"hellinger.Rho(g, 1)", "hellinger.Rho(1, g)"},
	{"rho, _ := s.rho()", "_, rho := s.rho()"}, {"kappa*rho", "kappa+rho"}, {"kappa*rho", "rho*rho"},
	{"math.Nextafter(kappa*rho, math.Inf(1))", "math.Nextafter(kappa*rho, math.Inf(-1))"},
	{"math.Nextafter(kappa*rho, math.Inf(1))", "(kappa*rho)"}, {"+ 4*s.slack(kappa)\n", "- 4*s.slack(kappa)\n"},
	{"math.Inf(1)) + 4*s.slack(kappa)\n", "math.Inf(1)) + 2*s.slack(kappa)\n"},
	{"math.Inf(1)) + 4*s.slack(kappa)\n", "math.Inf(1)) * 4*s.slack(kappa)\n"},
	{"math.Inf(1)) + 4*s.slack(kappa)\n", "math.Inf(1)) + 4*s.slack(rho)\n"},
}

// One token changed anywhere in what computes the rate changes the trees. A comment is no change.
func TestEveryTokenOfTheRateCounts(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rateFunctions {
		sources := goFiles(t, r.folder)
		kept := must.Get(Floats(sources, r.names...))(t)
		trees := func(from, to string) (got string, changed bool, err error) {
			mutant := maps.Clone(sources)
			for name, text := range sources {
				if mutant[name] = strings.Replace(text, from, to, 1); mutant[name] != text {
					changed = true
				}
			}
			if changed {
				got, err = Floats(mutant, r.names...)
			}
			return got, changed, err
		}
		for _, c := range floatMutants {
			got, changed, err := trees(c.from, c.to)
			if changed && err == nil && got == kept {
				t.Errorf("%q for %q changes no tree", c.to, c.from)
			}
			seen[c.from] = seen[c.from] || changed
		}
		if got, changed, err := trees("// Up is the next", "// It is the next"); changed && (err != nil || got != kept) {
			t.Error("a comment changes the trees", err)
		}
	}
	for _, c := range floatMutants {
		if !seen[c.from] {
			t.Errorf("%q is in no file", c.from)
		}
	}
}

// What has no tree in floating point is refused: other numbers, constants with a fraction, divisions, loops, fields,
// and methods that are not of the function's own receiver.
func TestFloatsRefuse(t *testing.T) {
	const head = "package sample\nimport (\n\"math\"\nbits \"math/bits\"\nother \"other/math\"\n)\n" +
		"type space struct{ gamma float64; held }\ntype held struct{}\nfunc (h *held) far() float64 { return 1 }\n" +
		"type float32s float32\nfunc (s *space) slack(x float64) float64 { return x }\n" +
		"func (s *space) next() *space { return s }\nfunc (s *space) count() int { return 1 }\nvar all *space\n" +
		"func (s *space) both() (*space, float64) { return s, 1 }\nfunc (s space) width() float64 { return s.gamma }\n" +
		"func (s *space) far_off(x float64) float64 { return x }\n"
	const tail = "func twice(x float64) float64 { return 2 * x }\n"
	for _, body := range []string{
		"return x / x", "return -x", "return .5 * x", "return float64(float32(x))", "return float64(x)", "return max(x, x)",
		"n := 1; return float64(n)", "for x < 1 { x = x + x }; return x", "for { return x }", "return s.gamma",
		"return all.slack(x)", "return s.next().slack(x)", "return s.far()", "return float64(s.count())",
		"return twice(x)", "return other.Sqrt(x)", "return math.Exp(x)", "return float64(bits.Len64(1))", "x /= x; return x",
		"t := s; return t.slack(x)", "s = all; return s.slack(x)", "y := float32s(x); return float64(y)",
		"x++; x--; y := []float64{x}; return y[0]", "if x.y > 1 { return 1 }; return x", "return math.Inf(s.count())",
		"s = s.next(); return s.slack(x)", "s, x = s.both(); return s.slack(x)", "return s.width()", "return s.far_off(x)",
		"switch {}; return x", "defer s.slack(x); return x", "if x := x * x; x > 1 { return x }; return x", "return x * .1",
		"{ return x }", "return func() float64 { return x }()", "return math.FMA(x, x, x)", "y, x := x, x; return x - y",
		"up := math.Sqrt; return up(x)", "if math.Sqrt(x) >= x { return 1 }; return x",
	} {
		text := head + "func f(s *space, x float64) float64 { " + body + " }\n" + tail
		if got, err := Floats(map[string]string{"a.go": text}, "f"); !errors.As(err, new(*UnsupportedError)) {
			t.Errorf("%s: %v\n%s", body, err, got)
		}
	}
	for _, params := range []string{"n int", "x float32", "a, b *space", "x uint64", "x []float64", "x complex128"} {
		text := head + "func f(" + params + ") float64 { return 1 }\n"
		if got, err := Floats(map[string]string{"a.go": text}, "f"); !errors.As(err, new(*UnsupportedError)) {
			t.Errorf("%s: %v\n%s", params, err, got)
		}
	}
}

// What would be written as something else is refused: results that are not of float64, methods of a type that is named
// as a package, names that mean something else here, and files that are not of every build, where a constant could be
// another one.
func TestFloatsAreNotMistaken(t *testing.T) {
	const math, sum = "import \"math\"\n", "package sample\nfunc f(x float64) float64 { return two * x }\n"
	for _, text := range []string{
		"func f(x float64) float32 { return 16777217 }", "func f(x float64) (int, float64) { return 1, x }",
		"func f(x float64) any { return x }", "type float64 = float32\nfunc f(x float64) float64 { return x }",
		"type float64 float32\nfunc f(x float64) float64 { return x }", "func f[T float64](x T) T { return x }",
		"type space struct{}\nfunc (s *space) next() *space { return s }\nfunc f(s *space) *space { return s.next() }",
		"type num struct{}\nfunc (n *num) Up(x float64) float64 { return x }\n" +
			"func f(n *num, x float64) float64 { return n.Up(x) }",
		"type math struct{}\nfunc (m *math) Sqrt(x float64) float64 { return x }\n" +
			"func f(s *math, x float64) float64 { return s.Sqrt(x) }",
		"type math struct{ a float64 }\nfunc (m math) Sqrt() float64 { return m.a }\n" +
			"func f(m math) float64 { return m.Sqrt() }",
		"type held struct{}\nfunc (h *held) slack() float64 { return 1 }\ntype space = held\n" +
			"func f(s *space, x float64) float64 { return s.slack() }",
		math + "type held struct{}\nfunc (h *held) Sqrt(x float64) float64 { return x }\n" +
			"func f(x float64) float64 { var math *held; return math.Sqrt(x) }",
		"import num \"other/num\"\nfunc f(x float64) float64 { return num.Up(x) }",
		"import . \"math\"\nfunc f(x float64) float64 { return Sqrt(x) }",
	} {
		if got, err := Floats(map[string]string{"a.go": "package sample\n" + text + "\n"}, "f"); !errors.As(err,
			new(*UnsupportedError)) {
			t.Errorf("%s: %v\n%s", text, err, got)
		}
	}
	for name, text := range map[string]string{
		"b_linux.go": "const two = 2", "b_arm64.go": "const two = 2", "b_windows_amd64.go": "const two = 2",
		"_b.go": "const two = 2", ".b.go": "const two = 2", "b.go": "import \"C\"\nconst two = 2",
	} {
		of := map[string]string{"a.go": sum, name: "package sample\n" + text, "c.go": "package sample\nconst two = 3"}
		if got, err := Floats(of, "f"); !errors.As(err, new(*UnsupportedError)) {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
	of := map[string]string{"a.go": sum, "of_twos.go": "package sample\nconst two = 2\n"}
	got, err := Floats(of, "f")
	if err != nil || !strings.Contains(got, `(Mul (Num 2) (Var "x"))`) {
		t.Errorf("a constant: %v\n%s", err, got)
	}
	const renamed = "package sample\nimport num \"math\"\nimport math \"" + module + "num\"\n" +
		"func f(x float64) float64 { return num.Sqrt(math.Up(x)) }\n"
	got, err = Floats(map[string]string{"a.go": renamed}, "f")
	if err != nil || !strings.Contains(got, `(Call "math_Sqrt" [(Call "num_Up" [(Var "x")])])`) {
		t.Errorf("renamed packages: %v\n%s", err, got)
	}
}

// What proofs/lib/FloatProgram.v says of infinities, NaN, overflow and the least numbers is what Go does.
func TestFloatsOfTheMachine(t *testing.T) {
	largest, tiny := math.MaxFloat64, math.SmallestNonzeroFloat64
	inf, nan := math.Inf(1), math.NaN()
	half := math.Ldexp(1, 970) // of the last step: from here on sums are infinite
	for what, c := range map[string][2]float64{
		"next of 0": {math.Nextafter(0, inf), tiny}, "next of -tiny": {math.Nextafter(-tiny, inf), 0},
		"next of -0": {math.Nextafter(math.Copysign(0, -1), inf), tiny}, "next of NaN": {math.Nextafter(nan, inf), nan},
		"next of largest": {math.Nextafter(largest, inf), inf}, "next of inf": {math.Nextafter(inf, inf), inf},
		"next of -inf": {math.Nextafter(-inf, inf), -largest}, "next down": {math.Nextafter(inf, -inf), largest},
		"least, NaN": {math.Min(nan, 1), nan}, "least, NaN, inf": {math.Min(inf, nan), nan},
		"least, -inf": {math.Min(nan, -inf), -inf}, "least": {math.Min(inf, 2), 2}, "root": {math.Sqrt(-tiny), nan},
		"root of inf": {math.Sqrt(inf), inf}, "root of -inf": {math.Sqrt(-inf), nan}, "root of 0": {math.Sqrt(0), 0},
		"sum": {largest + half, inf}, "sum below": {largest + math.Nextafter(half, 0), largest},
		"inf - inf": {inf - inf, nan},
		"product":   {inf * 0 * inf, nan}, "sign": {inf * -tiny, -inf}, "overflow": {largest * -2, -inf},
		"least product": {tiny * math.Nextafter(.5, 1), tiny}, "half of it": {tiny * .5, 0},
		"fused, -inf": {math.FMA(largest, largest, -inf), -inf}, "fused": {math.FMA(largest, 2, -largest), largest},
		"fused, inf": {math.FMA(inf, 0, 1), nan}, "fused, NaN": {math.FMA(1, 1, nan), nan},
	} {
		if got, want := c[0], c[1]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("%s: %v, not %v", what, got, want)
		}
	}
	less := func(x, y float64) [3]bool { return [3]bool{x < y, x <= y, x == y} }
	if less(nan, nan) != [3]bool{} || less(nan, 1) != [3]bool{} || less(1, nan) != [3]bool{} ||
		less(-inf, inf) != [3]bool{true, true} || less(inf, inf) != [3]bool{false, true, true} {
		t.Error("comparisons")
	}
}

// Comparisons keep their direction, as of NaN none holds, and a function is named by its package.
func TestFloatComparisons(t *testing.T) {
	for from, want := range map[string]string{
		"x >= y": `(Le (Var "y") (Var "x"))`, "x <= y": `(Le (Var "x") (Var "y"))`, "x > y": `(Lt (Var "y") (Var "x"))`,
		"x < y": `(Lt (Var "x") (Var "y"))`, "!(x < y)": `(Not (Lt (Var "x") (Var "y")))`,
		"x != y": `(Not (Eq (Var "x") (Var "y")))`,
	} {
		text := "package sample\nfunc f(x, y float64) bool { return " + from + " }\n"
		got, err := Floats(map[string]string{"a.go": text}, "f")
		if err != nil || !strings.Contains(got, "Definition sample_f") || !strings.Contains(got, "Return "+want+"]") {
			t.Errorf("%s: %v\n%s", from, err, got)
		}
	}
	const text = "package sample\nfunc f(x float64) (y float64) { y += x; x -= 2; x++; return y * x }\n"
	got, err := Floats(map[string]string{"a.go": text}, "f")
	for _, want := range []string{`Assign ["y"] (Num 0)`, `Assign ["y"] (Add (Var "y") (Var "x"))`,
		`Assign ["x"] (Sub (Var "x") (Num 2))`, `Assign ["x"] (Add (Var "x") (Num 1))`, `(Mul (Var "y") (Var "x"))`} {
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("no %s: %v\n%s", want, err, got)
		}
	}
}
