package csvscan

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
)

const (
	mostWords = 4 // of a text with what stands behind it
	mostTexts = 192
)

// texts finds the code of a field among texts, each with the separator behind it. One byte of the field, at a place
// that every text has, chooses eight others, and their hash chooses the one text that the field may be.
type texts struct {
	at    uint // place of the byte that chooses
	words int  // compared
	mul   uint64
	by    [256]choice
	slots [256]text
}

// choice says which bytes tell apart the texts that have the same byte at texts.at.
type choice struct {
	mask  uint64
	place uint
	shift uint8 // added to the hash, so that no two choices meet
}

// text is one of the texts, as words of eight bytes; the masks clear what does not belong to it.
type text struct {
	word, mask [mostWords]uint64
	length     uint16
	code       uint8
}

// newTexts prepares texts that end with the given bytes. It leaves out what no plain field can be, and is nil if the
// texts are too many or too long, or no such choice tells them apart.
func newTexts(fields []string, codes []int32, sep byte, end string, lone, quoted bool) *texts {
	all := map[string]uint8{}
	for i, f := range fields {
		if strings.ContainsAny(f, "\"\r\n") || !quoted && (strings.IndexByte(f, sep) >= 0 || lone && f == "") {
			continue
		}
		if codes[i] < 0 || codes[i] > 255 {
			return nil
		}
		if quoted {
			f = `"` + f + `"`
		}
		all[f+end] = uint8(codes[i])
	}
	t := &texts{}
	shortest := 8 * mostWords
	var sorted []string
	for f := range all {
		if len(f) > 8*mostWords {
			return nil
		}
		sorted = append(sorted, f)
		shortest = min(shortest, len(f))
		t.words = max(t.words, (len(f)+7)/8)
	}
	if len(sorted) == 0 || len(sorted) > mostTexts {
		return nil
	}
	slices.Sort(sorted)
	best := len(sorted) + 1
	for at := range shortest {
		if by, most := choices(sorted, at); most < best {
			t.at, t.by, best = uint(at), by, most
		}
	}
	if best > len(sorted) {
		return nil
	}
	t.mul = 0x9e3779b97f4a7c15
	for range 64 {
		if t.place(sorted, all) {
			return t
		}
		t.mul = t.mul*0xd1342543de82ef95 + 2 // stays odd
	}
	return nil
}

// groups are the texts by their byte at a place.
func groups(sorted []string, at int) (by [256][]string) {
	for _, f := range sorted {
		by[f[at]] = append(by[f[at]], f)
	}
	return by
}

// choices finds eight bytes that tell each group apart. It returns the size of the largest group too, or more than
// there are texts if it finds none.
func choices(sorted []string, at int) (out [256]choice, most int) {
	for b, group := range groups(sorted, at) {
		if len(group) == 0 {
			continue
		}
		most = max(most, len(group))
		shortest := 8 * mostWords
		for _, f := range group {
			shortest = min(shortest, len(f))
		}
		found := false
		for place := 0; place == 0 || place < shortest && !found; place++ {
			mask := ^uint64(0) >> (8 * (8 - min(8, shortest-place)))
			seen := map[uint64]bool{}
			for _, f := range group {
				seen[load(f, place)&mask] = true
			}
			if found = len(seen) == len(group); found {
				out[b] = choice{mask: mask, place: uint(place)}
			}
		}
		if !found {
			return out, len(sorted) + 2
		}
	}
	return out, most
}

// place gives every text a slot of its own, the largest group first; false if there is none.
func (t *texts) place(sorted []string, codes map[string]uint8) bool {
	var some text
	var taken [256]bool
	by := groups(sorted, int(t.at))
	order := make([]int, 256)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(by[b]) - len(by[a]) })
	for _, b := range order {
		c := &t.by[b]
		free := func(shift int) bool {
			used := taken
			for _, f := range by[b] {
				h := t.hash(load(f, int(c.place))&c.mask, uint8(shift))
				if used[h] {
					return false
				}
				used[h] = true
			}
			taken = used
			return true
		}
		shift := 0
		for ; shift < 256 && !free(shift); shift++ {
		}
		if shift == 256 {
			return false
		}
		c.shift = uint8(shift)
		for _, f := range by[b] {
			x := text{length: uint16(len(f)), code: codes[f]}
			for w := range x.word {
				if rest := len(f) - 8*w; rest > 0 {
					x.mask[w] = ^uint64(0) >> (8 * (8 - min(8, rest)))
					x.word[w] = load(f, 8*w) & x.mask[w]
				}
			}
			t.slots[t.hash(load(f, int(c.place))&c.mask, c.shift)] = x
			some = x
		}
	}
	for i := range t.slots {
		if !taken[i] {
			t.slots[i] = some // to be compared with what is no text at all
		}
	}
	return true
}

func (t *texts) hash(x uint64, shift uint8) uint8 { return uint8(x*t.mul>>56) + shift }

// load is the word of a text at a place, with zeros behind its end.
func load(f string, place int) uint64 {
	var b [8]byte
	copy(b[:], f[place:])
	return binary.LittleEndian.Uint64(b[:])
}

// field is what stands at a place of the chunk, longer than any text.
type field [64]byte

// at is the field at p, a place of the chunk.
func (b *Buffer) at(p uint) *field { return (*field)(b[p : p+64]) }

// word is the word at a place of a field.
func (f *field) word(p uint) uint64 { return binary.LittleEndian.Uint64(f[p : p+8]) }

// find is the only text that a field can be.
func (t *texts) find(f *field) *text {
	by := &t.by[f[t.at&31]]
	return &t.slots[t.hash(f.word(by.place&31)&by.mask, by.shift)]
}

// match1 reads fields of texts of at most eight bytes, match2 of sixteen, and so on. They return the first stretch
// whose field is none of the texts.
func (t *texts) match1(b *Buffer, pos, row []uint, out []uint8, l int) int {
	row = row[:len(pos)]
	for ; uint(l) < uint(len(pos)); l++ {
		p := pos[l] & last
		f := b.at(p)
		x := t.find(f)
		if (f.word(0)^x.word[0])&x.mask[0] != 0 {
			return l
		}
		out[row[l]] = x.code
		pos[l] = p + uint(x.length)
	}
	return l
}

func (t *texts) match2(b *Buffer, pos, row []uint, out []uint8, l int) int {
	row = row[:len(pos)]
	for ; uint(l) < uint(len(pos)); l++ {
		p := pos[l] & last
		f := b.at(p)
		x := t.find(f)
		if (f.word(0)^x.word[0])&x.mask[0]|
			(f.word(8)^x.word[1])&x.mask[1] != 0 {
			return l
		}
		out[row[l]] = x.code
		pos[l] = p + uint(x.length)
	}
	return l
}

func (t *texts) match3(b *Buffer, pos, row []uint, out []uint8, l int) int {
	row = row[:len(pos)]
	for ; uint(l) < uint(len(pos)); l++ {
		p := pos[l] & last
		f := b.at(p)
		x := t.find(f)
		if (f.word(0)^x.word[0])&x.mask[0]|
			(f.word(8)^x.word[1])&x.mask[1]|
			(f.word(16)^x.word[2])&x.mask[2] != 0 {
			return l
		}
		out[row[l]] = x.code
		pos[l] = p + uint(x.length)
	}
	return l
}

func (t *texts) match4(b *Buffer, pos, row []uint, out []uint8, l int) int {
	row = row[:len(pos)]
	for ; uint(l) < uint(len(pos)); l++ {
		p := pos[l] & last
		f := b.at(p)
		x := t.find(f)
		if (f.word(0)^x.word[0])&x.mask[0]|
			(f.word(8)^x.word[1])&x.mask[1]|
			(f.word(16)^x.word[2])&x.mask[2]|
			(f.word(24)^x.word[3])&x.mask[3] != 0 {
			return l
		}
		out[row[l]] = x.code
		pos[l] = p + uint(x.length)
	}
	return l
}

// skip passes over fields of digits; others are for the slow way.
func skip(b *Buffer, pos []uint, end byte, l int) int {
	for ; uint(l) < uint(len(pos)); l++ {
		p := pos[l] & last
		w := b.at(p).word(0)
		n := digits(w)
		if byte(w>>(n&63)) != end {
			return l
		}
		pos[l] = p + n/8 + 1
	}
	return l
}

// digits is eight times the number of digits at the front of a word, or 57 for eight of them: what stands at that bit
// is then no separator.
func digits(w uint64) uint {
	t := w ^ zeros
	return uint(bits.TrailingZeros64(((t+0x7676767676767676)|t)&highs)) - 7
}
