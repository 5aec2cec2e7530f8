package csvscan

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Words of eight equal bytes.
const (
	ones   = 0x0101010101010101
	zeros  = 0x30 * ones // digits
	points = 0x2e * ones
	lows   = 0x7f * ones
	highs  = 0x80 * ones
)

// number reads fields that are numbers of at most seven characters.
type number struct {
	end      byte
	ends     uint64 // eight of them
	whole    []uint16
	edges    []float64
	min, max float64
	integer  bool
}

// sum8 is the number whose eight digits are the bytes of a word, the last digit on top.
func sum8(w uint64) uint64 {
	w = (w * (10<<8 + 1)) >> 8 & 0x00ff00ff00ff00ff    // pairs
	w = (w * (100<<16 + 1)) >> 16 & 0x0000ffff0000ffff // fours
	return (w * (10000<<32 + 1)) >> 32
}

// code reads whole numbers into codes.
func (n *number) code(b *Buffer, pos, row []uint, out []uint8, l int) int {
	row = row[:len(pos)]
	for ; uint(l) < uint(len(pos)); l++ {
		p := pos[l] & last
		w := b.at(p).word(0)
		k := digits(w)
		if byte(w>>(k&63)) != n.end || k == 0 {
			return l
		}
		v := sum8((w ^ zeros) << (-k & 63))
		if v >= uint64(len(n.whole)) || n.whole[v] == NoCode {
			return l
		}
		out[row[l]] = uint8(n.whole[v])
		pos[l] = p + k/8 + 1
	}
	return l
}

// value is code, and keeps the numbers.
func (n *number) value(b *Buffer, pos, row []uint, out []uint8, values []float64, l int) int {
	row = row[:len(pos)]
	for ; uint(l) < uint(len(pos)); l++ {
		p := pos[l] & last
		w := b.at(p).word(0)
		k := digits(w)
		if byte(w>>(k&63)) != n.end || k == 0 {
			return l
		}
		v := sum8((w ^ zeros) << (-k & 63))
		if v >= uint64(len(n.whole)) || n.whole[v] == NoCode {
			return l
		}
		out[row[l]] = uint8(n.whole[v])
		values[row[l]] = float64(int64(v))
		pos[l] = p + k/8 + 1
	}
	return l
}

// powers of ten, and their negatives.
var powers = [2][8]float64{{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7}, {-1, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7}}

// decimal reads numbers with or without sign and point. The one division rounds correctly.
func (n *number) decimal(b *Buffer, pos, row []uint, out []uint8, values []float64, l int) int {
	row = row[:len(pos)]
	for ; uint(l) < uint(len(pos)); l++ {
		p := pos[l] & last
		minus := uint(0)
		if b[p] == '-' {
			minus = 1
		}
		w := binary.LittleEndian.Uint64(b[p+minus : p+minus+8])
		e := w ^ n.ends
		k := uint(bits.TrailingZeros64(^((e&lows + lows) | e) & highs)) // of the end, plus 7
		if k == 64 || k == 7 {
			return l
		}
		k -= 7
		w = w<<(-k&63) | zeros>>k // the last character on top, zeros in front
		x := w ^ points
		behind := uint(0) // digits behind the point
		if m := ^((x&lows + lows) | x) & highs; m != 0 {
			at := uint(bits.TrailingZeros64(m)) &^ 7
			behind = 7 - at/8
			before := uint64(1)<<(at&63) - 1
			w = w&^(before<<8|0xff) | (w&before)<<8 | '0'
			if k == 8 {
				return l // a point alone
			}
		}
		// Digits are 0x30 … 0x39: the upper half is 3, and still is with 6 added.
		const upper = 0xf0 * ones
		if w&upper != zeros || (w+0x06*ones)&upper != zeros {
			return l
		}
		v := float64(int64(sum8(w&^upper)))/powers[minus][behind&7] + 0 // no negative zero
		if !(v >= n.min && v <= n.max) || n.integer && v != math.Trunc(v) {
			return l
		}
		code := 0
		for _, edge := range n.edges {
			if edge <= v {
				code++
			}
		}
		out[row[l]] = uint8(code)
		if values != nil {
			values[row[l]] = v
		}
		pos[l] = p + minus + k/8 + 1
	}
	return l
}
