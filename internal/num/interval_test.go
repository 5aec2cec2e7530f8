package num

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
)

// halfRatioDigits is L(t) at the exact float64 t, 30 digits from 120-digit arithmetic.
var halfRatioDigits = []struct {
	t    float64
	want string
}{
	{5e-324, "-371.647671017765931069981935547"},
	{1e-300, "-344.815399006182152503097458609"},
	{1e-09, "-9.78926797693479981934340878224"},
	{2e-08, "-8.29140186649739654825456111767"},
	{0.01, "-1.7439209671181752884754862682"},
	{0.3, "-0.341751914255269946255868414875"},
	{0.5, "-0.225791352644727432363097614947"},
	{1.0, "-0.120782237635245222345518445782"},
	{2.0, "-0.0618907198070534950761213910464"},
	{4.0, "-0.0311700789455580897255669764032"},
	{7.0, "-0.0178420497790246924544870321888"},
	{11.99, "-0.010422339105082877244710309566"},
	{15.99, "-7.8161134036109659688093956171e-3"},
	{16.0, "-7.81122991996762445901680106391e-3"},
	{25.5, "-4.90164682161703627134982019884e-3"},
	{1000.0, "-1.24999994791668229165480842456e-4"},
	{1000000.0, "-1.24999999999994791666666668229e-7"},
	{500000000.0, "-2.49999999999999999958333333333e-10"},
	{1e12, "-1.24999999999999999999999994792e-13"},
}

// edgeDigits is edge(p, q) at exact float64, 30 digits. The distances 0.4632…, 0.2399…, 0.3888…, … are those of the
// pairs Dirichlet(2, 1)–(1, 2), (7, 4)–(8, 3), (1.5, 2.5)–(2.5, 1.5) and so on.
var edgeDigits = []struct {
	p, q float64
	want string
}{
	{1.0, 1.0, "0.463251375176104242921379833795"},
	{7.0, 3.0, "0.239992747797131182990196250041"},
	{1.5, 1.5, "0.388810541064957337274283337499"},
	{501.0, 500.0, "0.0223467264964283995420643929671"},
	{500001.0, 500000.0, "7.07106339245510864060639920747e-4"},
	{500000001.0, 500000000.0, "2.23606797610224721269040380092e-5"},
	{1.0, 1e9, "0.337302645495140390583689842973"},
	{4.0, 5.0, "0.233629480708875275610211277434"},
	{4.0, 506.0, "0.175865644447415146305118975481"},
	{0.01, 11.0, "0.909473081495195928670450210479"},
	{41.0, 36.0, "0.080620103982171779366432016258"},
	{1e-09, 1e-09, "0.999999998429203676326574907106"},
	{1e12, 3e14, "3.54142156014585196680616363752e-7"},
}

const widest = 1e-13

func TestEnclosuresHoldTheDigits(t *testing.T) {
	worst := 0.0
	for _, r := range halfRatioDigits {
		x := LogGammaHalfRatioEnclosure(r.t)
		if !holds(t, x, r.want) || relativeWidth(x) > widest {
			t.Errorf("L(%g) = [%.17g, %.17g], relative width %.2g; want %s within", r.t, x.Lo, x.Hi, relativeWidth(x),
				r.want)
		}
		worst = math.Max(worst, relativeWidth(x))
	}
	for _, r := range edgeDigits {
		x := HellingerEdgeEnclosure(r.p, r.q)
		if !holds(t, x, r.want) || relativeWidth(x) > widest {
			t.Errorf("edge(%g, %g) = [%.17g, %.17g], relative width %.2g; want %s within", r.p, r.q, x.Lo, x.Hi,
				relativeWidth(x), r.want)
		}
		worst = math.Max(worst, relativeWidth(x))
	}
	t.Logf("widest: %.2g", worst)
}

// The enclosures hold what the floating-point functions answer, up to the error these state.
func TestEnclosuresHoldTheFloat(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := math.Exp(rapid.Float64Range(-700, 700).Draw(r, "ln p"))
		if rapid.Bool().Draw(r, "usual") {
			p = math.Exp(rapid.Float64Range(-8, 8).Draw(r, "ln p"))
		}
		q := p * math.Exp(rapid.Float64Range(-5, 5).Draw(r, "ln q/p"))
		for name, c := range map[string]struct {
			x    Interval
			want float64
		}{
			"L":    {LogGammaHalfRatioEnclosure(p), LogGammaHalfRatio(p)},
			"edge": {HellingerEdgeEnclosure(p, q), math.Sqrt(-math.Expm1(LogGammaHalfRatio(p) + LogGammaHalfRatio(q)))},
		} {
			slack := 2e-15 * math.Abs(c.want)
			if !(c.x.Lo-slack <= c.want && c.want <= c.x.Hi+slack) || !(relativeWidth(c.x) <= widest) {
				r.Errorf("%s(%g, %g) = [%.17g, %.17g], without %.17g", name, p, q, c.x.Lo, c.x.Hi, c.want)
			}
		}
	})
}

// The signs of the asymptotic series alternate, as an enveloping series' do, and its floats are those of the fractions.
func TestHalfRatioSeriesAlternates(t *testing.T) {
	for k, c := range halfRatioFraction {
		if sign := math.Pow(-1, float64(k+1)); c[0]*sign <= 0 || c[1] <= 0 || c[0]/c[1] != halfRatioCoef[k] {
			t.Errorf("coefficient %d is %v", k, c)
		}
	}
}

// Moving a coefficient by 1e-12 of itself, or dropping the rest's bound, must be seen: the digits leave the enclosure.
func TestEnclosureIsNarrowEnoughToFail(t *testing.T) {
	for _, r := range halfRatioDigits[2:] {
		x := LogGammaHalfRatioEnclosure(r.t)
		off := Interval{x.Lo * (1 - 1e-12), x.Hi * (1 - 1e-12)}
		if holds(t, off, r.want) {
			t.Errorf("L(%g): an enclosure that is off by 1e-12 still passes", r.t)
		}
	}
}

var sinkInterval Interval

func BenchmarkHellingerEdgeEnclosure(b *testing.B) {
	for b.Loop() {
		sinkInterval = HellingerEdgeEnclosure(1, 7.5)
	}
}

// holds reports whether x holds the decimal number want.
func holds(t testing.TB, x Interval, want string) bool {
	t.Helper()
	w, _ := must.Get2(big.ParseFloat(want, 10, 400, big.ToNearestEven))(t)
	return new(big.Float).SetFloat64(x.Lo).Cmp(w) <= 0 && w.Cmp(new(big.Float).SetFloat64(x.Hi)) <= 0
}

// relativeWidth is the width of x in units of its larger end.
func relativeWidth(x Interval) float64 { return x.Width() / math.Max(math.Abs(x.Lo), math.Abs(x.Hi)) }

// pointGolden holds f(x) at exact float64 x to 30 digits.
var pointGolden = []struct {
	f    string
	x    float64
	want string
}{
	{"log", 2, "0.69314718055994530941723212145817656807550013436026"},
	{"log1p", 1e-20, "9.9999999999999994514827145421e-21"},
	{"log1p", -1e-10, "-1.00000000005000003643553065247e-10"},
	{"log1p", 0.1, "0.0953101798043248650904204170315"},
	{"log1p", -0.25, "-0.287682072451780927439219005994"},
	{"log1p", 0.26, "0.231111720963386636326127506363"},
	{"log1p", 1, "0.693147180559945309417232121458"},
	{"log1p", -0.9, "-2.30258509299404590606259637972"},
	{"log1p", 3.5, "1.50407739677627407337325835239"},
	{"log1p", 1e10, "23.0258509300404568401749145468"},
	{"log1p", 1e300, "690.775527898213705257902196661"},
	{"expm1", 1e-20, "9.999999999999999451582714542095716511811e-21"},
	{"expm1", -1e-10, "-0.00000000009999999999500000364338639785211468477979"},
	{"expm1", 0.1, "0.1051709180756476309466388234587796577417"},
	{"expm1", -0.3, "-0.2591817793182821257083917640553480151237"},
	{"expm1", 0.36, "0.4333294145603402386799067362369842902598"},
	{"expm1", 1, "1.718281828459045235360287471352662497757"},
	{"expm1", -0.9, "-0.5934303402594008971442057075149475817713"},
	{"expm1", 3.5, "32.11545195869231375065324935038861629247"},
	{"expm1", -40, "-0.9999999999999999957516457447084110046708"},
	{"exp", -40, "4.24835425529158899532923478286e-18"},
	{"exp", 700, "1.01423205473500450945532959523e+304"},
	{"exp", -700, "9.85967654375977085670537294785e-305"},
}

func TestElementaryEnclosures(t *testing.T) {
	f := map[string]func(Interval) Interval{"log": Interval.Log, "log1p": Interval.Log1p, "exp": Interval.Exp,
		"expm1": Interval.Expm1}
	for _, r := range pointGolden {
		x := f[r.f](Point(r.x))
		if !holds(t, x, r.want) || relativeWidth(x) > 1e-14 {
			t.Errorf("%s(%g) = [%.17g, %.17g], relative width %.2g; want %s within", r.f, r.x, x.Lo, x.Hi,
				relativeWidth(x), r.want)
		}
	}
	if !holds(t, ln2, pointGolden[0].want) || relativeWidth(ln2) > 5e-16 {
		t.Errorf("ln 2 is not in %v", ln2)
	}
	low, _, _ := big.ParseFloat(pointGolden[0].want, 10, 400, big.ToNearestEven)
	if !holds(t, ln2Low, low.Sub(low, new(big.Float).SetFloat64(ln2High)).Text('g', 45)) {
		t.Errorf("the rest of ln 2 is not in %v", ln2Low)
	}
}

// Interval arithmetic holds the exact rational result, and the elementary functions agree with the mathematics library.
func TestIntervalsHoldTheExactResult(t *testing.T) {
	number := rapid.Custom(func(r *rapid.T) float64 {
		m := math.Copysign(rapid.Float64Range(0.5, 1).Draw(r, "m"), rapid.Float64Range(-1, 1).Draw(r, "sign"))
		return math.Ldexp(m, rapid.IntRange(-200, 200).Draw(r, "e")) // products stay finite and normal
	})
	rapid.Check(t, func(r *rapid.T) {
		a, b := number.Draw(r, "a"), number.Draw(r, "b")
		x, y := new(big.Rat).SetFloat64(a), new(big.Rat).SetFloat64(b)
		in := func(name string, got Interval, want *big.Rat) {
			lo, hi := new(big.Rat).SetFloat64(got.Lo), new(big.Rat).SetFloat64(got.Hi)
			if lo.Cmp(want) > 0 || want.Cmp(hi) > 0 {
				r.Errorf("%g %s %g is not in %v", a, name, b, got)
			}
		}
		p, q := Point(a), Point(b)
		in("+", p.Add(q), new(big.Rat).Add(x, y))
		in("−", p.Sub(q), new(big.Rat).Sub(x, y))
		in("×", p.Mul(q), new(big.Rat).Mul(x, y))
		in("÷", p.Div(q), new(big.Rat).Quo(x, y))
		if s := p.Mul(p).Sqrt(); !s.Contains(math.Abs(a)) {
			r.Errorf("√(%g²) is not in %v", a, s)
		}
		near := func(name string, got Interval, want float64) {
			if !got.Contains(want) && !got.Contains(Up(want)) && !got.Contains(Down(want)) ||
				!(relativeWidth(got) < 2e-14 || got.Width() < 1e-300) {
				r.Errorf("%s(%g) = [%.17g, %.17g], want %.17g", name, a, got.Lo, got.Hi, want)
			}
		}
		near("log", Point(math.Abs(a)).Log(), math.Log(math.Abs(a)))
		near("log1p", Point(math.Abs(a)).Log1p(), math.Log1p(math.Abs(a)))
		c := math.Remainder(a, 20)
		near("exp", Point(c).Exp(), math.Exp(c))
		near("expm1", Point(c).Expm1(), math.Expm1(c))
	})
}

// Wide operands: whatever points are chosen inside, the result at them is inside.
func TestIntervalsIncludePoints(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		pick := func(name string) (Interval, float64) {
			a, b := rapid.Float64Range(-9, 9).Draw(r, name), rapid.Float64Range(-9, 9).Draw(r, name)
			x := Interval{math.Min(a, b), math.Max(a, b)}
			at := x.Lo + rapid.Float64Range(0, 1).Draw(r, name)*(x.Hi-x.Lo)
			return x, math.Min(math.Max(at, x.Lo), x.Hi)
		}
		x, a := pick("x")
		y, b := pick("y")
		for name, c := range map[string]struct {
			got  Interval
			want float64
		}{
			"+": {x.Add(y), a + b}, "−": {x.Sub(y), a - b}, "×": {x.Mul(y), a * b}, "neg": {x.Neg(), -a},
			"exp": {x.Exp(), math.Exp(a)}, "expm1": {x.Expm1(), math.Expm1(a)},
		} {
			if !c.got.Contains(c.want) && math.Abs(c.want) > 1e-300 {
				if !c.got.Contains(Up(c.want)) && !c.got.Contains(Down(c.want)) {
					r.Errorf("%s of %v and %v is %v, without %g", name, x, y, c.got, c.want)
				}
			}
		}
		if d := x.Div(y); b != 0 && !d.Contains(a/b) {
			r.Errorf("%v ÷ %v is %v, without %g", x, y, d, a/b)
		}
		if a > 0 && !x.Log().Contains(math.Log(a)) && x.Lo != x.Hi && x.Lo < a && a < x.Hi {
			r.Errorf("ln of %v is %v, without %g", x, x.Log(), math.Log(a))
		}
	})
}

func TestIntervalEdges(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct{ got, want Interval }{
		"1/[-1,1]":    {Point(1).Div(Interval{-1, 1}), wholeLine},
		"∞−∞":         {Point(inf).Sub(Point(inf)), wholeLine},
		"exp(1000)":   {Point(1000).Exp(), Interval{1.6e308, inf}},
		"exp(-1000)":  {Point(-1000).Exp(), Interval{0, math.SmallestNonzeroFloat64}},
		"√[-1,0]":     {Interval{-1, 0}.Sqrt(), Interval{0, math.SmallestNonzeroFloat64}},
		"expm1(-∞)":   {Point(-inf).Expm1(), Interval{-1, Up(-1)}},
		"L(0)":        {LogGammaHalfRatioEnclosure(0), Point(-inf)},
		"L(∞)":        {LogGammaHalfRatioEnclosure(inf), Point(0)},
		"log of [0,∞": {Interval{0, inf}.Log(), wholeLine},
	} {
		if c.got != c.want {
			t.Errorf("%s = %v, want %v", name, c.got, c.want)
		}
	}
	for name, x := range map[string]Interval{
		"√-1": Point(-1).Sqrt(), "log -1": Point(-1).Log(), "log1p -2": Point(-2).Log1p(), "log 0": Point(0).Log(),
		"log1p -1": Point(-1).Log1p(), "exp NaN": nanInterval.Exp(),
		"expm1 NaN": nanInterval.Expm1(), "NaN·1": nanInterval.Mul(unit), "1/NaN": unit.Div(nanInterval),
		"L(-1)":       LogGammaHalfRatioEnclosure(-1),
		"edge(-1, 2)": HellingerEdgeEnclosure(-1, 2),
	} {
		if !x.isNaN() {
			t.Errorf("%s = %v, want NaN", name, x)
		}
	}
}
