package publication

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// reserved are slots of the three kinds.
func reserved() []dp.Slot {
	return []dp.Slot{{Name: "pure", Level: dp.PureDP(.7).Parameters}, {Name: "rho", Level: dp.ZCDP(.08).Parameters},
		{Name: "both", Level: dp.ApproxDP(.4, .03).Parameters}}
}

// finite is a mechanism of finitely many outputs on two neighbouring data sets.
type finite struct{ p, q []float64 }

// delta is δ(ε) of a mechanism, of the worse order.
func (f finite) delta(epsilon float64) float64 {
	a, b := 0., 0.
	for i, p := range f.p {
		a += math.Max(0, p-math.Exp(epsilon)*f.q[i])
		b += math.Max(0, f.q[i]-math.Exp(epsilon)*p)
	}
	return math.Max(a, b)
}

// has reports whether a mechanism has a level: its loss, its profile, or its divergences at orders up to 1000.
func (f finite) has(l dp.Parameters) bool {
	if l.Notion == dp.Approximate {
		return f.delta(float64(l.Epsilon)) <= l.Delta
	}
	if l.Notion == dp.Pure {
		return f.delta(float64(l.Epsilon)) <= 1e-15
	}
	for order := 1.001; order < 1000; order *= 1.3 {
		for _, o := range [][2][]float64{{f.p, f.q}, {f.q, f.p}} {
			sum := 0.
			for i := range o[0] {
				sum += math.Pow(o[0][i], order) * math.Pow(o[1][i], 1-order)
			}
			if math.Log(sum)/(order-1) > order*l.Rho {
				return false
			}
		}
	}
	return true
}

// within mixes two distributions with their mean until they have a level, and no more than that.
func within(f finite, l dp.Parameters) finite {
	at := func(share float64) (out finite) {
		for i := range f.p {
			m := (f.p[i] + f.q[i]) / 2
			out.p, out.q = append(out.p, m+share*(f.p[i]-m)), append(out.q, m+share*(f.q[i]-m))
		}
		return out
	}
	lo, hi := 0., 1.
	for range 30 {
		if middle := (lo + hi) / 2; at(middle).has(l) {
			lo = middle
		} else {
			hi = middle
		}
	}
	return at(lo)
}

// anyOf is a random mechanism of three outputs with a level.
func anyOf(r *rand.Rand, l dp.Parameters) finite {
	weights := func() []float64 {
		out, sum := make([]float64, 3), 0.
		for i := range out {
			out[i] = math.Pow(r.Float64(), 4) + 1e-9
			sum += out[i]
		}
		for i := range out {
			out[i] /= sum
		}
		return out
	}
	return within(finite{weights(), weights()}, l)
}

// worst is the mechanism that dominates all of pure ε, or of ε and δ.
func worst(l dp.Parameters) finite {
	up, down := (1-l.Delta)/(1+math.Exp(-float64(l.Epsilon))), (1-l.Delta)/(1+math.Exp(float64(l.Epsilon)))
	return finite{[]float64{l.Delta, up, down, 0}, []float64{0, down, up, l.Delta}}
}

// game are the outputs of all slots together, where the mechanism in each is chosen after seeing those before it.
func game(slots []dp.Slot, choose func(at int, seen []int) finite) finite {
	all := finite{}
	var play func(seen []int, p, q float64)
	play = func(seen []int, p, q float64) {
		if len(seen) == len(slots) {
			all.p, all.q = append(all.p, p), append(all.q, q)
			return
		}
		m := choose(len(seen), seen)
		for i := range m.p {
			play(append(seen[:len(seen):len(seen)], i), p*m.p[i], q*m.q[i])
		}
	}
	play(nil, 1, 1)
	return all
}

// excess is by how much a mechanism exceeds the profile of a list of slots.
func excess(t *testing.T, f finite, slots []dp.Slot) (most float64) {
	t.Helper()
	pair := must.Get(list(nil, slots))(t)
	for _, epsilon := range []float64{0, .3, .7, 1, 1.5} {
		most = math.Max(most, f.delta(epsilon)-pair.Delta(epsilon))
	}
	return most
}

// What is asked in a slot may depend on all outputs before it: no adversary exceeds the profile that is certified. A
// list without a slot, a slot that is used twice, and a size that is chosen after seeing an output exceed it.
func TestSlotsByEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	slots := reserved()
	for range 60 {
		f := game(slots, func(at int, _ []int) finite { return anyOf(r, slots[at].Level) })
		if e := excess(t, f, slots); e > 1e-12 {
			t.Errorf("an adaptive choice exceeds the certified profile by %v", e)
		}
	}
	// the worst mechanisms, with the labels of their outputs turned by what was seen
	pair := []dp.Slot{slots[0], slots[2]}
	tight := game(pair, func(at int, seen []int) finite {
		f := worst(pair[at].Level)
		if at > 0 && seen[0] == 1 {
			f.p, f.q = []float64{f.p[3], f.p[2], f.p[1], f.p[0]}, []float64{f.q[3], f.q[2], f.q[1], f.q[0]}
		}
		return f
	})
	if e := excess(t, tight, pair); e > 1e-12 {
		t.Errorf("the worst mechanisms exceed the profile by %v", e)
	}
	if e := excess(t, tight, pair[:1]); e < .05 {
		t.Errorf("mutant: a slot that is not counted passes, by %v", e)
	}
	twice := []dp.Slot{slots[0], slots[0]}
	if e := excess(t, game(twice, func(int, []int) finite { return worst(slots[0].Level) }), twice[:1]); e < .05 {
		t.Errorf("mutant: a slot that is used twice passes, by %v", e)
	}
	sized := game(twice, func(at int, seen []int) finite { // the second slot has 0 or 2ε, ε in the mean
		if at == 0 {
			return worst(slots[0].Level)
		}
		if seen[0] == 2 {
			return finite{[]float64{1}, []float64{1}}
		}
		return worst(dp.PureDP(2 * .7).Parameters)
	})
	if e := excess(t, sized, twice); e < .01 {
		t.Errorf("mutant: a size that is chosen after seeing passes, by %v", e)
	}
}

// The certificate counts slots in full, under every kind of target; what they leave goes to the items.
func TestSlotsAreCountedInFull(t *testing.T) {
	items := []Item{Of(model.Categorical("sex")).Within(.01), Of(model.Categorical("region")).Within(.01)}
	for _, c := range []struct {
		target dp.Request
		slots  []Item
	}{
		{dp.PureDP(1), []Item{Reserve("a", dp.PureDP(.25)), Reserve("b", dp.PureDP(.25))}},
		{dp.ZCDP(.1), []Item{Reserve("a", dp.PureDP(.2)), Reserve("b", dp.ZCDP(.03))}},
		{dp.ApproxDP(1, 1e-6), []Item{Reserve("a", dp.PureDP(.05)), Reserve("b", dp.ZCDP(.003))}},
		{dp.ApproxDP(1, 1e-6), []Item{Reserve("a", dp.PureDP(.6))}},
		{dp.ApproxDP(1, 1e-6), []Item{Reserve("a", dp.ApproxDP(.3, 4e-7))}},
	} {
		p := must.Get(New(t.Context(), "slots", c.target, append(items[:2:2], c.slots...), shapes(5000)))(t)
		alone := must.Get(New(t.Context(), "none", c.target, items, shapes(5000)))(t)
		spent := func(p *Plan) float64 {
			l := p.Certified().Parameters
			return float64(l.Epsilon)/float64(c.target.Epsilon+1e-300)*l.Delta/(c.target.Delta+1e-300) +
				float64(l.Epsilon)*(1-math.Ceil(l.Delta))/float64(c.target.Epsilon+1e-300) + l.Rho/(c.target.Rho+1e-300)
		}
		if s := spent(p); s > 1 || s < .98 || len(p.Slots()) != len(c.slots) {
			t.Errorf("%v: %v of the target, %v", c.target, s, p.Slots())
		}
		if p.Factor() < 1.02*alone.Factor() {
			t.Errorf("%v: errors %v with slots, %v without", c.target, p.Factor(), alone.Factor())
		}
		// the mutant states less than is certified
		left, _, err := certify(t.Context(), c.target, p.plans(), nil)
		if whole := p.Certified().Parameters; err != nil || !(left.Epsilon < whole.Epsilon || left.Rho < whole.Rho ||
			left.Delta < .9*whole.Delta) {
			t.Errorf("a list without slots has %v, %v", left, err)
		}
		if v := p.Certificate().Verify(t.Context()); !v.OK() {
			t.Error(v)
		}
		text := p.String()
		if !strings.Contains(text, "reserved: ") || !strings.Contains(text, p.Slots()[0].Level.String()) {
			t.Error(text)
		}
	}
	both := append(items[:2:2], Reserve("a", dp.PureDP(.25)))
	needs := must.Get(NeedsOf(t.Context(), dp.PureDP(1), both, shapes(5000)))(t)
	if least := must.Get(NeedsOf(t.Context(), dp.PureDP(1), items, shapes(5000)))(t); math.Abs(float64(
		needs.Level.Epsilon-least.Level.Epsilon)-.25) > 1e-3 {
		t.Errorf("%v needed with a slot of .25, %v without", needs.Level, least.Level)
	}
}

// Slots that cannot be counted are typed errors.
func TestBadSlots(t *testing.T) {
	one := Of(model.Categorical("sex"))
	for name, c := range map[string]struct {
		target dp.Request
		items  []Item
	}{
		"no model":        {dp.PureDP(1), []Item{Reserve("a", dp.PureDP(.5))}},
		"no name":         {dp.PureDP(1), []Item{one, Reserve("", dp.PureDP(.5))}},
		"name of an item": {dp.PureDP(1), []Item{one, Reserve("sex", dp.PureDP(.5))}},
		"one name":        {dp.PureDP(1), []Item{one, Reserve("a", dp.PureDP(.1)), Reserve("a", dp.PureDP(.1))}},
		"all of it":       {dp.PureDP(1), []Item{one, Reserve("a", dp.PureDP(1))}},
		"more":            {dp.ApproxDP(1, 1e-6), []Item{one, Reserve("a", dp.PureDP(1.5))}},
		"rho under pure":  {dp.PureDP(1), []Item{one, Reserve("a", dp.ZCDP(.1))}},
		"delta under rho": {dp.ZCDP(1), []Item{one, Reserve("a", dp.ApproxDP(.1, 1e-9))}},
		"all of delta":    {dp.ApproxDP(1, 1e-6), []Item{one, Reserve("a", dp.ApproxDP(.1, 1e-6))}},
		"Rényi":           {dp.ApproxDP(1, 1e-6), []Item{one, Reserve("a", dp.RenyiDP(4, .1))}},
		"negative":        {dp.PureDP(1), []Item{one, Reserve("a", dp.PureDP(-1))}},
		"not a number":    {dp.PureDP(1), []Item{one, Reserve("a", dp.PureDP(math.NaN()))}},
		"a wish":          {dp.PureDP(1), []Item{one, Reserve("a", dp.PureDP(.1)).Within(.01)}},
		"nominal":         {dp.PureDP(1), []Item{one, Reserve("a", dp.AsPublished(.1))}},
		"adjacency":       {dp.PureDP(1), []Item{one, Reserve("a", dp.PureDP(.1).Under(dp.AddRemove))}},
		"replace-value":   {dp.PureDP(1).Under(dp.ReplaceValue), []Item{one, Reserve("a", dp.PureDP(.1))}},
	} {
		_, err := New(t.Context(), "slots", c.target, c.items, shapes(500))
		var e *dp.ParameterError
		if !errors.As(err, &e) || e.Want == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file has the slots, and none can be taken out, added or changed: the items were drawn with them.
func TestSlotsInFiles(t *testing.T) {
	f := rows(t, 500, 3)
	p := must.Get(New(t.Context(), "slots", dp.PureDP(1), []Item{Of(model.Categorical("sex")),
		Reserve("later", dp.PureDP(.25)), Reserve("last", dp.PureDP(.125))}, shapes(500)))(t)
	ledger := must.Get(budget.New("survey", budget.UnitOf(f.Schema()), dp.PureDP(1)))(t)
	out, _, err := p.Draw(t.Context(), Request{Statistics: counting(f), Budget: ledger})
	if err != nil {
		t.Fatal(err)
	}
	if c := ledger.Charges(); len(c) != 1 || len(c[0].Slots) != 2 || float64(c[0].Level.Epsilon) < .999 {
		t.Error(ledger)
	}
	b := must.Get(out.JSON())(t)
	back := must.Get(Parse(t.Context(), b))(t)
	slot := must.Get(back.Slot("later"))(t)
	if slot.Level != dp.PureDP(.25).Parameters || slot.Publication != out.ID() || slot.Title != "slots" ||
		slot.Request() != dp.PureDP(.25) {
		t.Errorf("%+v", slot)
	}
	if v := must.Get(VerifyBytes(t.Context(), b))(t); !v.OK() {
		t.Error(v)
	}
	for from, to := range map[string]string{`"name": "later"`: `"name": "other"`, `"epsilon": 0.25`: `"epsilon": 0.5`,
		`"name": "last"`: `"name": "later"`} {
		edited := bytes.Replace(b, []byte(from), []byte(to), 1)
		if bytes.Equal(edited, b) {
			t.Fatal(from)
		}
		if _, err := Parse(t.Context(), edited); !errors.As(err, new(*release.FileError)) {
			t.Errorf("%s as %s: %v", from, to, err)
		}
	}
	from := bytes.Index(b, []byte(`"slots": [`))
	cut := append(bytes.TrimRight(b[:from:from], " ,\n"), '}')
	if _, err := Parse(t.Context(), cut); !errors.As(err, new(*release.FileError)) {
		t.Errorf("without slots: %v", err)
	}
	if _, err := out.Slot("lost"); !errors.As(err, new(*dp.ParameterError)) {
		t.Error(err)
	}
}
