package model

import (
	"math"
	"math/bits"
)

// Boxes say into which boxes a row of a weighted table deals its tokens. With t = ω/W its weight and x = k/K its value,
//
//	BoxesShare   A = t, Q = t(1−t)                                          of its cell, or point
//	BoxesMean    B_j = t·b_j, Q_j = t(1−t)·b_j, b = ((1−x)², 2x(1−x), x²)   of its group
//	BoxesTotal   A = z, Q = z(1−z), z = t·x                                 of its group
type Boxes string

// The boxes of shares and tables, of means, and of totals.
const (
	BoxesShare Boxes = "share"
	BoxesMean  Boxes = "mean"
	BoxesTotal Boxes = "total"
)

// Each is how many boxes a cell or a group has; 0 of unknown ones.
func (b Boxes) Each() int {
	switch b {
	case BoxesShare, BoxesTotal:
		return 2
	case BoxesMean:
		return 6
	}
	return 0
}

// Tokens say how many tokens, of T, a row deals to every box: what the box is of it times T, rounded down, in exact
// integers. So a row deals at most T in all, as t + t(1−t) ≤ 1. Limits: W ≤ 2^24, K ≤ 2^22, T ≤ 2^28.
type Tokens struct {
	Boxes   Boxes
	W, K, T int64
}

// MaxTokens is the most that a row deals. Sums are kept for every power of two from LeastTokens on to it, since a
// release chooses T by its ε: a row's tokens at T/2 are half of those at T, rounded down.
const (
	MaxTokens   = 1 << maxTokenBits
	LeastTokens = 1 << 10
	tokenLevels = 19

	maxTokenBits = 28
)

// Deal writes what a row of ω steps of weight at place k deals to the boxes of its cell or group: those of A or B
// first, then those of Q.
func (t Tokens) Deal(w, k int64, out []int64) {
	d := t.dealer()
	d.deal(w, k, out)
}

// dealer deals by constants that all rows share: they are divided once.
type dealer struct {
	Tokens
	of        int64   // 1, or K²
	one, rest float64 // T/(W·of), and 1/W
}

func (t Tokens) dealer() dealer {
	d := dealer{Tokens: t, of: 1}
	if t.Boxes == BoxesMean {
		d.of = t.K * t.K
	}
	d.one, d.rest = float64(t.T)/(float64(t.W)*float64(d.of)), 1/float64(t.W)
	return d
}

// deal is Deal.
func (d *dealer) deal(w, k int64, out []int64) {
	one := d.one * float64(w)
	rest := one * (float64(d.W-w) * d.rest)
	switch d.Boxes {
	case BoxesTotal:
		out[0] = d.part(w, k, d.W, d.K)
		out[1] = d.Tokens.rest(out[0])
	case BoxesMean:
		out = out[:6]
		for j, b := range [3]int64{(d.K - k) * (d.K - k), 2 * k * (d.K - k), k * k} {
			out[j], out[3+j] = d.both(w, b, one, rest)
		}
	default:
		out[0], out[1] = d.both(w, 1, one, rest)
	}
}

// both are the tokens of a row in a box of A or B and in that of Q, b of K² or of 1: floors of numbers that are about
// one·b and rest·b.
func (d *dealer) both(w, b int64, one, rest float64) (first, second int64) {
	first, sure := floorOf(one * float64(b))
	if !sure {
		first = d.part(w, b, d.W, d.of)
	}
	if second, sure = floorOf(rest * float64(b)); !sure {
		second = d.part(w*(d.W-w), b, d.W*d.W, d.of)
	}
	return first, second
}

// rest is a(T − a)/T, rounded down: of totals, whose second box is a function of the first. T ≤ 2^28.
func (t Tokens) rest(a int64) int64 { return a * (t.T - a) / t.T }

// floorOf is x rounded down, and whether it surely is that of the number that x was computed for, in at most ten steps
// that each round by a part in 2^53: for x ≤ 2^28 they are within 4·10^-7 of each other.
func floorOf(x float64) (q int64, sure bool) {
	q = int64(x)
	r := x - float64(q)
	return q, r > 1e-6 && r < 1-1e-6
}

// part is T·a·b/(c·d), rounded down, a·b below 2^91: by one division after another, which rounds down the same.
func (t Tokens) part(a, b, c, d int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	carry, low := bits.Mul64(lo, uint64(t.T))
	hi, lo = hi*uint64(t.T)+carry, low
	if over, cd := bits.Mul64(uint64(c), uint64(d)); over == 0 && hi < cd {
		q, _ := bits.Div64(hi, lo, cd)
		return int64(q)
	}
	for _, by := range [2]uint64{uint64(c), uint64(d)} {
		high := hi / by
		low, _ := bits.Div64(hi%by, lo, by)
		hi, lo = high, low
	}
	return int64(lo)
}

// halves are the sums, over rows, of a box's tokens at every T: of v and of v/2, v/4, … rounded down. It keeps Σv and
// how often each of the lower bits of v is 1, eight of them a word, which has room for 255 rows: Σ⌊v/2^l⌋ is Σv less
// what the lower l bits are worth, over 2^l.
type halves struct {
	sum   int64
	lower [3]uint64
	rows  uint8                   // in lower
	ones  [tokenLevels - 1]uint32 // of all rows before
}

// spread has the bits of a byte, one in every byte of a word.
var spread = func() (out [256]uint64) {
	for b := range out {
		for i := range 8 {
			out[b] |= uint64(b>>i&1) << (8 * i)
		}
	}
	return out
}()

// add adds the tokens v of a row.
func (h *halves) add(v int64) {
	h.sum += v
	h.lower[0] += spread[v&255]
	h.lower[1] += spread[v>>8&255]
	h.lower[2] += spread[v>>16&255]
	if h.rows++; h.rows == math.MaxUint8 {
		h.spill()
	}
}

func (h *halves) spill() {
	for i := range h.ones {
		h.ones[i] += uint32(h.lower[i/8] >> (8 * (i % 8)) & 255)
	}
	h.lower, h.rows = [3]uint64{}, 0
}

// at is Σ⌊v/2^l⌋ for all l.
func (h *halves) at() (out [tokenLevels]int64) {
	h.spill()
	rest := h.sum
	for l := range out {
		if out[l] = rest >> l; l < len(h.ones) {
			rest -= int64(h.ones[l]) << l
		}
	}
	return out
}

// fewer are the tokens of a row at T/2^shift from those at T, in place.
func (t Tokens) fewer(dealt []int64, shift int) {
	for j := range dealt {
		dealt[j] >>= shift
	}
	if t.Boxes == BoxesTotal {
		t.T >>= shift
		dealt[1] = t.rest(dealt[0])
	}
}

// levelOf is the place of a number of tokens among those that sums are kept for; ok is false for others.
func levelOf(tokens int64) (level int, ok bool) {
	if tokens < LeastTokens || tokens > MaxTokens || tokens&(tokens-1) != 0 {
		return 0, false
	}
	return bits.TrailingZeros64(MaxTokens) - bits.TrailingZeros64(uint64(tokens)), true
}

// TokenSums are the sums of the boxes at T tokens a row, of all the whole sums of a weighted model; nil for another T.
func (l *Lattice) TokenSums(whole []int64, tokens int64) []int64 {
	level, ok := levelOf(tokens)
	dims := l.Tokens.Boxes.Each() * l.Groups
	if !ok || len(whole) != l.Len() {
		return nil
	}
	return whole[level*dims : (level+1)*dims]
}

// Box is the place of box j of a group among the sums: those of a mean stand together, of others all A come first.
func (l *Lattice) Box(group, j int) int {
	if l.Tokens.Boxes == BoxesMean {
		return 6*group + j
	}
	return j*l.Groups + group
}
