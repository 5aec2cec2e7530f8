package loss

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
)

// A distribution that is written out has the bounds of the pair that it is of.
func TestDiscreteIsThePairItIsOf(t *testing.T) {
	for _, epsilon := range []float64{.1, 1, 5} {
		q := 1 / (1 + math.Exp(epsilon))
		p := must.Get(ParseDiscrete(fmt.Appendf(nil, `{"losses":[[%v,%v],[%v,%v]]}`, epsilon, 1-q, -epsilon, q)))(t)
		of := PurePair{epsilon}
		for name, pair := range map[string][2]float64{"pure": {p.PureEpsilon(), epsilon},
			"rdp 2": {p.RDP(2), of.RDP(2)}, "rdp 30": {p.RDP(30), of.RDP(30)}, "zcdp": {p.ZCDP(), of.ZCDP()},
			"delta 0": {p.Delta(0), of.Delta(0)}, "delta": {p.Delta(epsilon / 2), of.Delta(epsilon / 2)}} {
			if !(pair[0] >= pair[1]*(1-1e-8)) || pair[0] > pair[1]*1.002 {
				t.Errorf("ε = %v, %s: %v for %v", epsilon, name, pair[0], pair[1])
			}
		}
	}
	// 0.1 + 0.2 is not 0.3, and an infinite loss leaves δ alone
	leak := must.Get(ParseDiscrete([]byte(`[{"losses":[[0,0.7],[0.01,0.1],[-0.01,0.1]],"infinite":0.1},` +
		`{"losses":[[0,1]]}]`)))(t)
	if d := leak.Delta(1); d < .1 || d > .1000001 || !math.IsInf(leak.PureEpsilon(), 1) || !math.IsInf(leak.RDP(2), 1) ||
		!math.IsInf(leak.ZCDP(), 1) {
		t.Error(leak, leak.Delta(1))
	}
	if s := leak.String(); !strings.Contains(s, "4 losses") {
		t.Error(s)
	}
}

func TestWhatIsNoDistribution(t *testing.T) {
	for _, text := range []string{``, `{}`, `[]`, `{"losses":[]}`, `{"losses":[[0,1]],"x":1}`, `{"losses":[[0]]}`,
		`{"losses":[[0,1,2]]}`, `{"losses":[[0,.5]]}`, `{"losses":[[0,"1"]]}`, `{"losses":[[-1,1]]}`,
		`{"losses":[[0,-1],[1,2]]}`, `{"losses":[[1e9,1]]}`, `{"losses":[[0,1]],"infinite":-0.1}`,
		`{"losses":[[0,1]],"losses":[[1,1]]}`, `{"losses":[[-1,0.8],[1,0.2]]}`, `{"losses":[[0,0]],"infinite":1}`,
		`[{"losses":[[0,1]]},{"losses":[[0,1]]},{"losses":[[0,1]]}]`} {
		if p, err := ParseDiscrete([]byte(text)); err == nil {
			t.Errorf("%s: %v", text, p)
		}
	}
}

// What the parser takes has bounds that agree: the profile falls, the divergence rises, and neither is above what the
// largest loss allows.
func FuzzDiscrete(f *testing.F) {
	f.Add([]byte(`{"losses":[[1,0.7310585786300049],[-1,0.2689414213699951]]}`))
	f.Add([]byte(`[{"losses":[[0,0.9]],"infinite":0.1},{"losses":[[0,1]]}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParseDiscrete(b)
		if err != nil {
			return
		}
		pure, last := p.PureEpsilon(), 1+1e-8
		for e := 0.; e < 4; e++ {
			d := p.Delta(e)
			if !(d >= 0 && d <= last+1e-8) || e >= pure && d > 0 {
				t.Fatalf("δ(%v) = %v after %v, pure %v", e, d, last, pure)
			}
			last = d
		}
		if a, b, z := p.RDP(2), p.RDP(9), p.ZCDP(); !(a >= 0 && a <= b*(1+1e-6)+1e-12 && b <= pure*(1+1e-6)+1e-12 &&
			z >= b/9*(1-1e-6)) {
			t.Fatalf("RDP %v, %v, zCDP %v, pure %v", a, b, z, pure)
		}
		if math.IsNaN(float64(cert.Number(p.ZCDP()))) {
			t.Fatal("no number")
		}
	})
}
