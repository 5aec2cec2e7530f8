package partition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// calibrated is a plain superset at a level.
func calibrated(level dp.Parameters, c Change, codes uint64, beta float64) (Superset, error) {
	l, err := CalibrateLevels(level, c, []uint64{codes}, nil, beta)
	return Superset{l.Rule, codes, beta}, err
}

// levels is a superset as the only level.
func (s Superset) levels() Levels {
	return Levels{Rule: s.Rule, Nodes: []uint64{s.Codes}, Beta: s.Beta}
}

// The least noisy counts that are released are those of the prototype; one lower would not do; the certificate holds.
func TestSupersetCuts(t *testing.T) {
	var g struct {
		Cuts []struct {
			Epsilon  float64
			Moved    int
			Million  int64 `json:"superset_1e6"`
			SixSigns int64 `json:"superset_36_6"`
		} `json:"partition_cuts"`
	}
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("testdata/superset.json"))(t), &g))
	if len(g.Cuts) < 12 {
		t.Fatal(g)
	}
	for _, c := range g.Cuts {
		for codes, want := range map[uint64]int64{1_000_000: c.Million, 2_176_782_336: c.SixSigns} {
			changes := []Change{{c.Moved, c.Moved}}
			if c.Moved%2 == 0 { // of a unit that is replaced
				changes = append(changes, Change{c.Moved / 2, c.Moved})
			}
			for _, change := range changes {
				level := dp.PureDP(c.Epsilon).Parameters
				s := must.Get(calibrated(level, change, codes, .05))(t)
				if s.Rule.Cut+1 != want || s.False() > .05 {
					t.Errorf("%+v, %d codes: released from %d on, want %d", c, codes, s.Rule.Cut+1, want)
				}
				cert := must.Get(s.levels().Certify(t.Context(), change, level))(t)
				if !cert.OK() || float64(cert.Checks[1].Value) < c.Epsilon*(1-1e-9) {
					t.Errorf("%+v: %v", c, cert)
				}
				if s.Rule.Cut--; s.False() <= .05 {
					t.Errorf("%+v: the cut %d would do", c, s.Rule.Cut)
				}
			}
		}
	}
	// Under (ε, δ) many counts compose, and the cut is lower.
	level, change := dp.ApproxDP(1, 1e-9).Parameters, Change{50, 50}
	s := must.Get(calibrated(level, change, 1_000_000, .05))(t)
	if s.Rule.Cut > 700 || s.Rule.Cut < 400 || !must.Get(s.levels().Certify(t.Context(), change, level))(t).OK() {
		t.Error(s)
	}
}

// choices walks through all random choices of a draw, with their probabilities.
type choices struct {
	script  []int
	at      int
	width   []int // of the choices that were made
	product *big.Rat
}

func (c *choices) choose(probabilities []*big.Rat) int {
	if c.at == len(c.script) {
		c.script = append(c.script, 0)
	}
	i := c.script[c.at]
	c.width = append(c.width, len(probabilities))
	c.at++
	c.product.Mul(c.product, probabilities[i])
	return i
}

// each runs f once for every run of choices.
func each(f func(c *choices)) {
	script := []int{}
	for {
		c := &choices{script: script, product: big.NewRat(1, 1)}
		f(c)
		script = c.script[:c.at]
		for len(script) > 0 && script[len(script)-1]+1 == c.width[len(script)-1] {
			script = script[:len(script)-1]
		}
		if len(script) == 0 {
			return
		}
		script[len(script)-1]++
	}
}

// ends are the values of a noise of q that are told apart: −end, …, end, and what lies beyond in the last of them.
type ends struct {
	q   *big.Rat
	end int64
}

// atLeast is P(Z ≥ z), z ≥ 1.
func (e ends) atLeast(z int64) *big.Rat {
	p := new(big.Rat).Quo(big.NewRat(1, 1), new(big.Rat).Add(big.NewRat(1, 1), e.q))
	for range z {
		p.Mul(p, e.q)
	}
	return p
}

// tail are the probabilities of from, …, end of noise that is at least from ≥ 1, or of all of it from −end on.
func (e ends) tail(from int64) (out []*big.Rat) {
	above := func(z int64) *big.Rat {
		if z >= 1 {
			return e.atLeast(z)
		}
		return new(big.Rat).Sub(big.NewRat(1, 1), e.atLeast(1-z))
	}
	sum := new(big.Rat)
	for z := from; z <= e.end; z++ {
		p := above(z)
		if z == -e.end {
			p = big.NewRat(1, 1)
		}
		if z < e.end {
			p = new(big.Rat).Sub(p, above(z+1))
		}
		out, sum = append(out, p), sum.Add(sum, p)
	}
	for i := range out {
		out[i] = new(big.Rat).Quo(out[i], sum)
	}
	return out
}

// subsets are the sets of m of n numbers.
func subsets(n, m uint64) (out [][]uint64) {
	for bits := range uint64(1) << n {
		var set []uint64
		for i := range n {
			if bits>>i&1 == 1 {
				set = append(set, i)
			}
		}
		if uint64(len(set)) == m {
			out = append(out, set)
		}
	}
	return out
}

// binomial are the probabilities of 0, …, n among n.
func binomial(n int, p *big.Rat) (out []*big.Rat) {
	for m := range n + 1 {
		x := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(m)))
		for i := range n {
			if i < m {
				x.Mul(x, p)
			} else {
				x.Mul(x, new(big.Rat).Sub(big.NewRat(1, 1), p))
			}
		}
		out = append(out, x)
	}
	return out
}

// enumerated is the distribution of what a draw releases, by the text of it. Its choices have the cut of tail.
func (e ends) enumerated(tailCut int64, draw func(c randomBits) []Cell) map[string]*big.Rat {
	out := map[string]*big.Rat{}
	noise, excess, p := e.tail(-e.end), e.tail(tailCut+1), e.atLeast(tailCut+1)
	each(func(c *choices) {
		got := draw(randomBits{
			noise: func() int64 { return int64(c.choose(noise)) - e.end },
			above: func(n uint64) uint64 { return uint64(c.choose(binomial(int(n), p))) },
			among: func(n, m uint64) []uint64 {
				sets := subsets(n, m)
				even := make([]*big.Rat, len(sets))
				for i := range even {
					even[i] = big.NewRat(1, int64(len(sets)))
				}
				return sets[c.choose(even)]
			},
			excess: func() int64 { return int64(c.choose(excess)) },
		})
		text := fmt.Sprint(got)
		if out[text] == nil {
			out[text] = new(big.Rat)
		}
		out[text].Add(out[text], c.product)
	})
	return out
}

// naive gives noise to every code of a superset.
func naive(codes uint64, cut int64, held []Cell, noise func() int64) (out []Cell) {
	for place := range codes {
		n := int64(0)
		if i := slices.IndexFunc(held, func(h Cell) bool { return h.Place == place }); i >= 0 {
			n = held[i].Count
		}
		if y := n + noise(); y > cut {
			out = append(out, Cell{place, y})
		}
	}
	return out
}

// apart is the largest difference of two distributions.
func apart(a, b map[string]*big.Rat) float64 {
	most := 0.
	for _, of := range [][2]map[string]*big.Rat{{a, b}, {b, a}} {
		for text, p := range of[0] {
			q := of[1][text]
			if q == nil {
				q = new(big.Rat)
			}
			d, _ := new(big.Rat).Sub(p, q).Float64()
			most = math.Max(most, math.Abs(d))
		}
	}
	return most
}

// heldSets are all ways in which units hold codes, at most two of each.
func heldSets(codes uint64) (out [][]Cell) {
	each(func(c *choices) {
		var held []Cell
		for place := range codes {
			third := []*big.Rat{big.NewRat(1, 3), big.NewRat(1, 3), big.NewRat(1, 3)}
			if n := c.choose(third); n > 0 {
				held = append(held, Cell{place, int64(n)})
			}
		}
		out = append(out, held)
	})
	return out
}

// The sparse draw has the distribution of noise on all codes, as fractions, for all that up to three codes are held by.
// Broken ones have not.
func TestSparseIsNaive(t *testing.T) {
	for _, cut := range []int64{0, 1} {
		e := ends{big.NewRat(2, 5), cut + 2}
		broken := map[string]bool{}
		for _, codes := range []uint64{1, 2, 3} {
			for _, held := range heldSets(codes) {
				s := Superset{Rule{Plain, 1, 1, cut}, codes, .5}
				want := e.enumerated(cut, func(c randomBits) []Cell { return naive(codes, cut, held, c.noise) })
				draw := func(c randomBits) []Cell { return s.sparse(c, held) }
				// Noise beyond its ends counts as at them, in both.
				if d := apart(want, e.enumerated(cut, draw)); d != 0 {
					t.Fatalf("%d codes, cut %d, held %v: apart by %v", codes, cut, held, d)
				}
				for name, m := range map[string]func(c randomBits) []Cell{
					"empty codes not noised": func(c randomBits) []Cell {
						c.above = func(uint64) uint64 { return 0 }
						return s.sparse(c, held)
					},
					"always the first empty codes": func(c randomBits) []Cell {
						c.among = func(_, m uint64) []uint64 { return subsets(m, m)[0] }
						return s.sparse(c, held)
					},
					"held codes among the empty": func(c randomBits) []Cell {
						more := s
						more.Codes += uint64(len(held))
						return more.sparse(c, held)
					},
					"empty codes at the cut": func(c randomBits) []Cell {
						c.excess = func() int64 { return 0 }
						return s.sparse(c, held)
					},
				} {
					if apart(want, e.enumerated(cut, m)) > 0 {
						broken[name] = true
					}
				}
				if cut > 0 && apart(want, e.enumerated(cut-1, draw)) > 0 {
					broken["cut one lower"] = true
				}
			}
		}
		if want := 4 + int(cut); len(broken) != want {
			t.Errorf("cut %d: rejected are only %v", cut, broken)
		}
	}
}

// worstRatio is e^ε of a draw over all that three codes are held by, and all ways in which moved counts change by one:
// all of them up, or as many up as down.
func worstRatio(e ends, cut int64, moved int, replaced bool, draw func(held []Cell, c randomBits) []Cell) float64 {
	const codes = 3
	dists := map[string]map[string]*big.Rat{}
	dist := func(n [codes]int64) map[string]*big.Rat {
		var held []Cell
		for place, k := range n {
			if k > 0 {
				held = append(held, Cell{uint64(place), k})
			}
		}
		text := fmt.Sprint(n)
		if dists[text] == nil {
			dists[text] = e.enumerated(cut, func(c randomBits) []Cell {
				got := draw(held, c)
				for i := range got { // larger counts are one output: their noise is one
					got[i].Count = min(got[i].Count, e.end)
				}
				return got
			})
		}
		return dists[text]
	}
	most := 1.
	for _, held := range heldSets(codes) {
		var n [codes]int64
		for _, h := range held {
			n[h.Place] = h.Count
		}
		other := n
		for i := range moved {
			if other[i]++; replaced && i >= moved/2 {
				other[i] -= 2
			}
		}
		if slices.Min(other[:]) < 0 || slices.Max(other[:]) > 2 {
			continue
		}
		a, b := dist(n), dist(other)
		for _, of := range [][2]map[string]*big.Rat{{a, b}, {b, a}} {
			for text, p := range of[0] {
				q := of[1][text]
				if q == nil || q.Sign() == 0 {
					return math.Inf(1)
				}
				r, _ := new(big.Rat).Quo(p, q).Float64()
				most = math.Max(most, r)
			}
		}
	}
	return most
}

// e^ε is that of as many counts as a unit moves, exactly; broken releases exceed what is charged for them.
func TestSupersetByEnumeration(t *testing.T) {
	e, cut := ends{big.NewRat(1, 2), 3}, int64(1) // 1/q = 2 of one count
	s := Superset{Rule{Plain, 1, 1, cut}, 3, .5}
	right := func(held []Cell, c randomBits) []Cell { return s.sparse(c, held) }
	silent := func(held []Cell, c randomBits) []Cell {
		c.above = func(uint64) uint64 { return 0 }
		return s.sparse(c, held)
	}
	exactOnes := func(held []Cell, c randomBits) (out []Cell) {
		for _, y := range s.sparse(c, held) {
			if i := slices.IndexFunc(held, func(h Cell) bool { return h.Place == y.Place }); i >= 0 {
				y.Count = held[i].Count
			}
			out = append(out, y)
		}
		return out
	}
	for _, c := range []struct {
		name     string
		moved    int
		replaced bool
		draw     func(held []Cell, c randomBits) []Cell
		charged  float64
		within   bool
	}{
		{"add-remove, one code", 1, false, right, 2, true}, {"add-remove, two codes", 2, false, right, 4, true},
		{"replace-one, one code", 2, true, right, 4, true},
		{"replace-one charged as add-remove", 2, true, right, 2, false},
		{"two codes of a unit charged as one", 2, false, right, 2, false},
		{"empty codes not noised", 1, false, silent, 2, false}, {"exact counts", 1, false, exactOnes, 2, false},
	} {
		got := worstRatio(e, cut, c.moved, c.replaced, c.draw)
		if (got <= c.charged*(1+1e-12)) != c.within || c.within && got < c.charged*(1-1e-12) {
			t.Errorf("%s: e^ε = %v, charged %v", c.name, got, c.charged)
		}
	}
	a := must.Get(ChangeOf(3, dp.ReplaceOne))(t)
	r := must.Get(calibrated(dp.PureDP(1).Parameters, a, 100, .05))(t).Rule
	if x := r.parameter(); x > 1./6 || x < 1./6-1e-9 {
		t.Error(x)
	}
}

// What is wrong is refused, and so is what a file says; checks of a lower cut, a higher rate or less are false.
func TestSupersetRefuses(t *testing.T) {
	var argument *domain.Error
	one := Change{1, 1}
	for name, err := range map[string]error{
		"a tiny ρ": second(calibrated(dp.ZCDP(1e-24).Parameters, one, 10, .05)),
		"no codes": second(calibrated(dp.PureDP(1).Parameters, one, 0, .05)),
		"too many": second(calibrated(dp.PureDP(1).Parameters, one, 1<<32+1, .05)),
		"β":        second(calibrated(dp.PureDP(1).Parameters, one, 10, 1)),
		"tiny ε":   second(calibrated(dp.PureDP(1e-12).Parameters, one, 10, .05)),
		"no unit":  second(calibrated(dp.PureDP(1).Parameters, Change{0, 0}, 10, .05)),
	} {
		if !errors.As(err, &argument) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Certify(t.Context(), Rule{Plain, 1, 1, 9}, one, dp.ApproxDP(1, 1e-9).Parameters); err == nil {
		t.Error("noise of a superset without one")
	}
	level, s := dp.PureDP(1).Parameters, must.Get(calibrated(dp.PureDP(1).Parameters, one, 1000, .05))(t)
	for name, forge := range map[string]func(s *Superset, c *Change){
		"the rate": func(s *Superset, _ *Change) { s.Rule.Num += s.Rule.Num / 100 },
		"the cut":  func(s *Superset, _ *Change) { s.Rule.Cut-- },
		"codes":    func(s *Superset, _ *Change) { s.Codes *= 3 },
		"counts":   func(_ *Superset, c *Change) { c.Moved = 2 },
	} {
		f, c := s, one
		forge(&f, &c)
		if got, err := f.levels().Certify(context.Background(), c, level); err != nil || got.OK() {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	for _, raw := range []string{`{"noise": "geometric", "num": 0, "den": 1, "cut": 1}`,
		`{"noise": "truncated geometric", "num": 1, "den": 1, "cut": 1}`,
		`{"noise": "geometric", "num": 1, "den": 1, "cut": 100000}`} {
		if _, err := cert.Run(t.Context(), "partition/ratio", json.RawMessage(raw)); err == nil {
			t.Error(raw)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Intervals of listed codes cover, given that they are listed, from none that holds one on.
func TestSupersetIntervals(t *testing.T) {
	src := rand.NewChaCha8([32]byte{5})
	r := must.Get(calibrated(dp.PureDP(.5).Parameters, Change{1, 1}, 1000, .05))(t).Rule
	for _, n := range []int64{0, 3, r.Cut, r.Cut + 1, r.Cut + 40} {
		covered := 0.
		for y := r.Cut + 1; y < r.Cut+400; y++ {
			low, high := r.Interval(y, .9)
			if low <= n && n <= high {
				covered += math.Exp(r.logTail(y-n)-r.logTail(r.Cut+1-n)) * -math.Expm1(r.logTail(y+1-n)-r.logTail(y-n))
			}
		}
		if covered < .9 {
			t.Errorf("%d units: covered with %v", n, covered)
		}
	}
	// A million codes, of which seven are held by many, in a few milliseconds.
	var held []Cell
	for i := range uint64(7) {
		held = append(held, Cell{i * 100_000, 500})
	}
	s := must.Get(calibrated(dp.PureDP(1).Parameters, Change{1, 1}, 1_000_000, .05))(t)
	alone := 0
	for range 2000 {
		got := s.Draw(src, held)
		if len(got) < 7 || !slices.IsSortedFunc(got, func(a, b Cell) int { return int(a.Place) - int(b.Place) }) {
			t.Fatal(got)
		}
		alone += len(got) - 7
	}
	if mean := s.False() * 2000; math.Abs(float64(alone)-mean) > 6.5*math.Sqrt(mean) {
		t.Errorf("%d codes that nobody holds, %v in the mean", alone, mean)
	}
}
