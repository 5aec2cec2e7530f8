package num

import (
	"math"
	"testing"

	"pgregory.net/rapid"
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
