package partition

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// branches is a tree by how many children each node has, level by level.
type branches [][]uint64

func (b branches) Depth() int { return len(b) + 1 }

func (b branches) Nodes(level int) (n uint64) {
	if level == 0 {
		return uint64(len(b[0]))
	}
	for _, m := range b[level-1] {
		n += m
	}
	return n
}

func (b branches) Children(level int, place uint64) (first, n uint64) {
	if level == len(b) {
		return 0, 0
	}
	for _, m := range b[level][:place] {
		first += m
	}
	return first, b[level][place]
}

// small has two nodes, the first of two codes and the second of one. At γ = 1 and this β one node that gets noise has
// the cut 0, and two or three have 1.
var small, smallLevels = branches{{2, 1}}, Levels{Rule: Rule{Plain, 1, 1, 1}, Nodes: []uint64{2, 3}, Beta: .6}

// heldBy are the counts of data, in which each unit is the set of codes that it holds. It counts once in a node.
func heldBy(units []int) [][]Cell {
	var nodes [2]int64
	var codes [3]int64
	for _, u := range units {
		for code := range codes {
			codes[code] += int64(u >> code & 1)
		}
		nodes[0] += int64(min(u&3, 1))
		nodes[1] += int64(u >> 2)
	}
	cells := func(n []int64) (out []Cell) {
		for place, k := range n {
			if k > 0 {
				out = append(out, Cell{uint64(place), k})
			}
		}
		return out
	}
	return [][]Cell{cells(nodes[:]), cells(codes[:])}
}

// refinedByTruth is a draw that counts the children of nodes that units hold, whatever was released.
func refinedByTruth(choose func(s Superset) randomBits, held [][]Cell) [][]Cell {
	shown, _ := smallLevels.draw(choose, branches{{0, 0}}, [][]Cell{held[0], nil})
	noised := below(small, 0, held[0])
	s, _ := smallLevels.At(1, max(1, noised.many()))
	var inside []Cell
	for _, h := range held[1] {
		if rank, in := noised.rank(h.Place); in {
			inside = append(inside, Cell{rank, h.Count})
		}
	}
	s.Codes = noised.many()
	return [][]Cell{shown[0], s.sparse(choose(s), inside)}
}

// released is the distribution of a draw, as fractions, by its text. Counts from an end on are one output.
func (e ends) released(held [][]Cell, draw func(choose func(s Superset) randomBits, held [][]Cell) [][]Cell,
) map[string]*big.Rat {
	out := map[string]*big.Rat{}
	each(func(c *choices) {
		got := draw(func(s Superset) randomBits {
			e := e.shared(s.Rule.Num)
			noise, excess, p := e.tail(-e.end), e.tail(s.Rule.Cut+1), e.atLeast(s.Rule.Cut+1)
			return randomBits{
				noise: func() int64 { return int64(c.choose(noise)) - e.end },
				above: func(n uint64) uint64 { return uint64(c.choose(binomial(int(n), p))) },
				among: func(n, m uint64) []uint64 {
					sets := subsets(n, m)
					return sets[c.choose(slices.Repeat([]*big.Rat{big.NewRat(1, int64(len(sets)))}, len(sets)))]
				},
				excess: func() int64 { return int64(c.choose(excess)) },
			}
		}, held)
		e.adds(out, got, c.product)
	})
	return out
}

// adds adds a probability to that of an output.
func (e ends) adds(out map[string]*big.Rat, got [][]Cell, p *big.Rat) {
	for _, cells := range got {
		for i := range cells {
			cells[i].Count = min(cells[i].Count, e.end)
		}
	}
	text := fmt.Sprint(got)
	if out[text] == nil {
		out[text] = new(big.Rat)
	}
	out[text].Add(out[text], p)
}

// shared is the noise of a level of a share: q^share.
func (e ends) shared(share uint64) ends {
	q := e.q
	for range share - 1 {
		q = new(big.Rat).Mul(q, e.q)
	}
	return ends{q, e.end}
}

// greatest is the largest ratio of probabilities of two distributions.
func greatest(a, b map[string]*big.Rat) (most float64) {
	for _, of := range [][2]map[string]*big.Rat{{a, b}, {b, a}} {
		for text, p := range of[0] {
			q := of[1][text]
			if q == nil || q.Sign() == 0 {
				return math.Inf(1)
			}
			r, _ := new(big.Rat).Quo(p, q).Float64()
			most = max(most, r)
		}
	}
	return most
}

// Whole releases of all tables of at most two units, and all their neighbours, by enumeration in fractions. Refinement,
// cuts that follow from it and empty nodes are included. e^ε is that of the counts of all levels together, exactly.
// Broken releases exceed what is charged.
func TestLevelsByEnumeration(t *testing.T) {
	e := ends{big.NewRat(1, 2), 3} // 2 of one count
	shared := func(shares ...uint64) func(func(s Superset) randomBits, [][]Cell) [][]Cell {
		l := smallLevels
		l.Shares = shares
		return func(choose func(s Superset) randomBits, held [][]Cell) [][]Cell {
			shown, _ := l.draw(choose, small, held)
			return shown
		}
	}
	right := shared()
	ones, several := []int{1, 2, 4}, []int{1, 2, 4, 3, 5, 6} // sets of at most one code, and of at most two
	for _, c := range []struct {
		name     string
		units    []int
		replaced bool
		draw     func(choose func(s Superset) randomBits, held [][]Cell) [][]Cell
		charged  float64
		within   bool
	}{
		{"shares", ones, false, shared(1, 2), 8, true},
		{"shares, replaced", ones, true, shared(2, 1), 64, true},
		{"two codes, shares", several, false, shared(2, 1), 64, true},
		{"shares charged as equal ones", ones, false, shared(1, 2), 4, false},
		{"one code", ones, false, right, 4, true},
		{"one code, replaced", ones, true, right, 16, true},
		{"two codes", several, false, right, 16, true},
		{"levels not added", ones, false, right, 2, false},
		{"replace-one charged as add-remove", ones, true, right, 4, false},
		{"two codes charged as one", several, false, right, 4, false},
		{"refined by the private count", ones, false, refinedByTruth, 4, false},
	} {
		dists := map[string]map[string]*big.Rat{}
		dist := func(units ...int) map[string]*big.Rat {
			held := heldBy(units)
			text := fmt.Sprint(held)
			if dists[text] == nil {
				dists[text] = e.released(held, c.draw)
			}
			return dists[text]
		}
		most := 1.
		for _, u := range c.units {
			if c.replaced {
				for _, v := range c.units {
					most = max(most, greatest(dist(u), dist(v)), greatest(dist(4, 4, u), dist(4, 4, v)))
				}
				continue
			}
			most = max(most, greatest(dist(), dist(u)))
			for _, v := range c.units[:3] {
				most = max(most, greatest(dist(v), dist(v, u)))
			}
		}
		if (most <= c.charged*(1+1e-12)) != c.within || c.within && most < c.charged*(1-1e-12) {
			t.Errorf("%s: e^ε = %v, charged %v", c.name, most, c.charged)
		}
	}
}

// noiseOnAll is what the privacy of levels rests on: noise on all nodes of all levels, beforehand, and a function of
// it. It shares nothing with the draw but the least cuts.
func (e ends) noiseOnAll(l Levels, t Tree, held [][]Cell) map[string]*big.Rat {
	out := map[string]*big.Rat{}
	each(func(c *choices) {
		noisy := make([][]int64, t.Depth())
		for level := range noisy {
			noisy[level] = make([]int64, t.Nodes(level))
			e := e.shared(l.share(level))
			noise := e.tail(-e.end)
			for place := range noisy[level] {
				noisy[level][place] = int64(c.choose(noise)) - e.end
			}
			for _, h := range held[level] {
				noisy[level][h.Place] += h.Count
			}
		}
		looked := make([]bool, t.Nodes(0))
		for place := range looked {
			looked[place] = true
		}
		var shown [][]Cell
		for level := range noisy {
			many := uint64(0)
			for _, in := range looked {
				if in {
					many++
				}
			}
			if many == 0 {
				break
			}
			s, _ := l.At(level, many)
			var got []Cell
			next := make([]bool, t.Nodes(min(level+1, t.Depth()-1)))
			for place, in := range looked {
				if !in || noisy[level][place] <= s.Rule.Cut {
					continue
				}
				got = append(got, Cell{uint64(place), noisy[level][place]})
				first, n := t.Children(level, uint64(place))
				for i := range n {
					next[first+i] = true
				}
			}
			shown, looked = append(shown, got), next
		}
		e.adds(out, shown, c.product)
	})
	return out
}

// What is drawn, with empty nodes left out until they are listed, has the distribution of noise on all nodes of all
// levels, whatever the shares: exactly, of every output. With the shares of levels exchanged it has another.
func TestLevelsAreNoiseOnAllNodes(t *testing.T) {
	e := ends{big.NewRat(1, 2), 2} // no node is held by more
	for _, shares := range [][]uint64{nil, {1, 2}, {2, 1}} {
		l := smallLevels
		l.Shares = shares
		for _, units := range [][]int{nil, {1}, {4}, {3, 1}, {5, 6}} {
			held := heldBy(units)
			want := e.noiseOnAll(l, small, held)
			drawn := func(l Levels) map[string]*big.Rat {
				return e.released(held, func(choose func(s Superset) randomBits, held [][]Cell) [][]Cell {
					shown, _ := l.draw(choose, small, held)
					return shown
				})
			}
			if d := apart(drawn(l), want); d != 0 {
				t.Errorf("shares %v, units %v: %v from noise on all nodes", shares, units, d)
			}
			if shares == nil {
				continue
			}
			other := l
			if other.Shares = []uint64{shares[1], shares[0]}; apart(drawn(other), want) == 0 {
				t.Errorf("units %v: the shares %v exchanged are not told apart", units, shares)
			}
		}
	}
}

// The rate of all levels together meets the level of privacy, whatever its notion and the shares; the certificate says
// so, and is false for a higher rate, a lower cut, one level fewer or another unit.
func TestLevelsCalibrated(t *testing.T) {
	nodes := []uint64{169, 28561, 62748517}
	for name, level := range map[string]dp.Parameters{"pure": dp.PureDP(1).Parameters, "ρ": dp.ZCDP(.1).Parameters,
		"(ε, δ)": dp.ApproxDP(1, 1e-9).Parameters, "Rényi": dp.RenyiDP(8, 1).Parameters} {
		for _, shares := range [][]uint64{nil, {1, 2, 4}} {
			for _, c := range []Change{{1, 1}, {2, 4}} {
				l := must.Get(CalibrateLevels(level, c, nodes, shares, .05))(t)
				got := must.Get(l.Certify(t.Context(), c, level))(t)
				spent := float64(got.Checks[1].Value)
				near := 1 - 1e-6
				if level.Notion == dp.Approximate { // a digit of the rate more is as much as δ
					near = .1
				}
				if !got.OK() || l.False() > .05 || spent < float64(loss.Allowed(level))*near {
					t.Errorf("%s, shares %v, %+v: %v", name, shares, c, got)
				}
				for name, forge := range map[string]func(l *Levels, c *Change){
					"rate":  func(l *Levels, _ *Change) { l.Rule.Num += l.Rule.Num / 100 },
					"level": func(l *Levels, _ *Change) { l.Rule.Num += l.Rule.Num / 2 },
					"unit":  func(_ *Levels, c *Change) { c.Most, c.Moved = c.Most+1, 2*c.Most+2 },
				} {
					f, d := l, c
					forge(&f, &d)
					if got, err := f.Certify(t.Context(), d, level); err != nil || got.OK() {
						t.Errorf("%s: %v %v", name, got, err)
					}
				}
			}
		}
	}
	one := Change{1, 1}
	l := must.Get(CalibrateLevels(dp.PureDP(1).Parameters, one, nodes, nil, .05))(t)
	if third := l.Rule.parameter(); third > 1./3 || third < 1./3-1e-9 {
		t.Error(third)
	}
	cut := l
	cut.Rule.Cut -= 12
	if got, err := cut.Certify(t.Context(), one, dp.PureDP(1).Parameters); err != nil || got.OK() {
		t.Error(got, err)
	}
	var argument *domain.Error
	for name, err := range map[string]error{
		"no level":     second(CalibrateLevels(dp.PureDP(1).Parameters, one, nil, nil, .05)),
		"a share of 0": second(CalibrateLevels(dp.PureDP(1).Parameters, one, nodes, []uint64{1, 0, 1}, .05)),
		"two shares":   second(CalibrateLevels(dp.PureDP(1).Parameters, one, nodes, []uint64{1, 1}, .05)),
		"many":         second(CalibrateLevels(dp.PureDP(1).Parameters, one, []uint64{2, 1 << 33}, nil, .05)),
	} {
		if !errors.As(err, &argument) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Nodes that are listed lie in listed ones, above cuts that follow from what is listed; other lists are refused. Of
// nodes that nobody holds hardly any is listed: with a probability of 1e-9 a right draw has more.
func TestLevelsDraw(t *testing.T) {
	tree := branches{slices.Repeat([]uint64{10}, 10), slices.Repeat([]uint64{1000}, 100)}
	l := must.Get(CalibrateLevels(dp.PureDP(1).Parameters, Change{1, 1}, []uint64{10, 100, 100_000}, nil, .05))(t)
	held := [][]Cell{{{3, 500}, {7, 60}}, {{31, 400}, {38, 100}, {70, 60}}, {{31_007, 390}, {31_900, 10}, {38_000, 100},
		{70_001, 60}}}
	src := rand.NewChaCha8([32]byte{9})
	nobodys := 0
	for range 500 {
		shown, cuts := l.Draw(src, tree, held)
		if err := l.Check(tree, padded(shown, 3), cuts); err != nil {
			t.Fatal(shown, cuts, err)
		}
		for level, cells := range shown {
			for _, c := range cells {
				if !slices.ContainsFunc(held[level], func(h Cell) bool { return h.Place == c.Place }) {
					nobodys++
				}
			}
		}
	}
	if nobodys > 70 { // 25 in the mean, at most
		t.Errorf("%d nodes that nobody holds", nobodys)
	}
	shown, cuts := l.Draw(rand.NewChaCha8([32]byte{1}), tree, held)
	for name, forge := range map[string]func(shown [][]Cell, cuts []int64){
		"another parent": func(shown [][]Cell, _ []int64) { shown[0] = shown[0][1:] },
		"a low count":    func(shown [][]Cell, cuts []int64) { shown[2][0].Count = cuts[2] },
		"a low cut":      func(_ [][]Cell, cuts []int64) { cuts[2]-- },
		"first cut":      func(_ [][]Cell, cuts []int64) { cuts[0]-- },
		"twice":          func(shown [][]Cell, _ []int64) { shown[0] = append(shown[0], shown[0][0]) },
	} {
		var f [][]Cell
		for _, cells := range shown {
			f = append(f, slices.Clone(cells))
		}
		g := slices.Clone(cuts)
		if forge(f, g); l.Check(tree, f, g) == nil {
			t.Errorf("%s passes", name)
		}
	}
	if l.Check(tree, shown, cuts) != nil || l.Check(tree, shown, cuts[:2]) == nil ||
		l.Check(tree, shown, append(cuts, 9)) == nil || l.Check(tree, shown[:2], cuts) == nil {
		t.Error("the number of levels is not checked")
	}
}

// padded has empty levels where none got noise.
func padded(shown [][]Cell, depth int) [][]Cell {
	return append(shown, make([][]Cell, depth-len(shown))...)
}
