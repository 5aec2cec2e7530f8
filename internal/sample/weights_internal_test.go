package sample

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// script plays a first word and then words of a generator.
type script struct {
	first uint64
	left  bool
	rest  *rand.ChaCha8
}

func (s *script) Uint64() uint64 {
	if s.left {
		s.left = false
		return s.first
	}
	return s.rest.Uint64()
}

// span is the numbers of words below which groups 0..j are certain and above which they are excluded, from exact sums.
func span(list []group, top, j int) (certain, excluded *big.Int) {
	sum := new(big.Rat)
	for _, g := range list[:j+1] {
		part := new(big.Rat).SetInt(new(big.Int).SetUint64(g.count))
		sum.Add(sum, part.Quo(part, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(g.shift)))))
	}
	sum.Mul(sum, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(64-top))))
	floor, rest := new(big.Int).QuoRem(sum.Num(), sum.Denom(), new(big.Int))
	ceil := new(big.Int).Set(floor)
	if rest.Sign() > 0 {
		ceil.Add(ceil, big.NewInt(1))
	}
	return floor, ceil
}

var groupLists = [][]group{
	{{0, 1}},
	{{0, 1}, {1, 1}, {2, 1}},
	{{0, 3}, {1, 5}, {7, 1}},
	{{0, 1}, {63, 1}},
	{{0, 1}, {64, 1}, {65, 1}},
	{{0, 1}, {70, 3}, {100, 5_000_000}, {130, 7}, {200, 1}, {5000, 1}},
	{{0, 1 << 61}, {1, 3}, {200, 1}},
	{{0, 5_000_000}, {3, 4_000_000}, {90, 5_000_000}, {1_400_000, 1}},
}

// The words at the edges of every group must fall where the exact sums say; words on an edge may fall on either side,
// and only they may ask for more words.
func TestGroupsOwnTheirWords(t *testing.T) {
	for _, list := range groupLists {
		g := newGroups(list)
		seen := func(w *big.Int) (int, bool) {
			src := &script{rest: rand.NewChaCha8([32]byte{1})}
			return g.locate(src, w.Uint64()), w.IsUint64()
		}
		from := new(big.Int)
		for j := range list {
			certain, excluded := span(list, g.top, j)
			for _, delta := range []int64{0, 1, 2} {
				w := new(big.Int).Add(from, big.NewInt(delta))
				if w.Cmp(certain) < 0 {
					if got, ok := seen(w); ok && got != j {
						t.Errorf("%v: word %v is in group %d, want %d", list, w, got, j)
					}
				}
				w.Sub(certain, big.NewInt(delta+1))
				if w.Cmp(from) >= 0 {
					if got, ok := seen(w); ok && got != j {
						t.Errorf("%v: word %v is in group %d, want %d", list, w, got, j)
					}
				}
			}
			from = excluded
		}
		if got, ok := seen(new(big.Int).Add(from, big.NewInt(1))); ok && got != -1 {
			t.Errorf("%v: a word past the sum is in group %d", list, got)
		}
	}
}

// A word that straddles edges: the second word must split it in the exact proportions. {1, 2^−64·…}: the word at 1
// holds the deep groups alone.
func TestGroupsSplitAWord(t *testing.T) {
	list := []group{{0, 1}, {64, 1}, {65, 1}, {66, 3}}
	g := newGroups(list) // top = 1: one unit of the first word is 2^−63, the deep groups hold ½ + ¼ + ⅜ of one
	if g.top != 1 {
		t.Fatal("top", g.top)
	}
	for top := range uint64(16) {
		var want int
		switch {
		case top < 8:
			want = 1
		case top < 12:
			want = 2
		default:
			want = 3
		}
		src := &script{first: top<<60 | 5, left: true, rest: rand.NewChaCha8([32]byte{2})}
		if got := g.locate(src, 1<<63); got != want {
			t.Errorf("second word %x…: group %d, want %d", top, got, want)
		}
	}
	for top := range uint64(4) { // the next unit: ⅛ more of group 3, then past the sum
		want := -1
		if top == 0 {
			want = 3
		}
		src := &script{first: top<<61 | 5, left: true, rest: rand.NewChaCha8([32]byte{2})}
		if got := g.locate(src, 1<<63+1); got != want {
			t.Errorf("second word %x… of the next unit: group %d, want %d", top, got, want)
		}
	}
}

// A point held at the edge for 5000 bits is still settled.
func TestGroupsSettleDeepPoints(t *testing.T) {
	g := newGroups(groupLists[5])
	if j := g.refine(zeros{}, 1<<uint(64-g.top)); j != 1 { // V = 1 exactly: the first point of the second group
		t.Error("group", j)
	}
	h := newGroups([]group{{0, 1}, {5000, 1}})
	if j := h.locate(zeros{}, 1<<uint(64-h.top)); j != 1 {
		t.Error("group", j)
	}
	src := &script{first: 1, left: true, rest: rand.NewChaCha8([32]byte{3})}
	if j := h.locate(src, 1<<uint(64-h.top)); j != -1 {
		t.Error("a point past the sum is in group", j)
	}
}

type zeros struct{}

func (zeros) Uint64() uint64 { return 0 }
