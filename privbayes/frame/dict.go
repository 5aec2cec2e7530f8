package frame

import "encoding/binary"

// dict maps the texts of a column to codes: categories to theirs, a missing mark to the missing category or to
// codeMissing. Texts are found by a collision-free hash of their ends and length, in one probe and without allocating.
type dict struct {
	slots []slot
	shift uint
	mul   uint64
	all   map[string]int32 // instead of slots, where no collision-free table was found
}

type slot struct {
	text       string
	head, tail uint64 // first eight bytes, zero-padded; the last eight of a longer text
	code       int32  // codeNone in an empty slot
}

// Codes of texts that have none.
const (
	codeNone    = -1 // not in the domain
	codeMissing = -2 // a missing mark, where missing is an error
)

func newDict(texts []string, codes []int32) dict {
	all := make(map[string]int32, len(texts))
	for i, t := range texts {
		all[t] = codes[i]
	}
	if len(texts) > 1024 {
		return dict{all: all}
	}
	bits := uint(2)
	for 1<<bits < 2*len(texts) {
		bits++
	}
	for ; bits <= 14; bits++ {
		mul := uint64(0x9e3779b97f4a7c15)
		for range 16 {
			if d, ok := tryDict(all, bits, mul); ok {
				return d
			}
			mul = mul*0xd1342543de82ef95 + 2 // stays odd
		}
	}
	return dict{all: all}
}

func tryDict(all map[string]int32, bits uint, mul uint64) (dict, bool) {
	d := dict{slots: make([]slot, 1<<bits), shift: 64 - bits, mul: mul}
	for i := range d.slots {
		d.slots[i].code = codeNone
	}
	for t, code := range all {
		head, tail := ends([]byte(t))
		s := &d.slots[d.hash(head, tail, len(t))]
		if s.code != codeNone {
			return d, false
		}
		*s = slot{t, head, tail, code}
	}
	return d, true
}

// headMask keeps the first n bytes of a little-endian word.
var headMask = [9]uint64{0, 1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1, 1<<40 - 1, 1<<48 - 1, 1<<56 - 1, 1<<64 - 1}

// ends returns the first eight bytes of b, zero-padded, and the last eight where b is longer. Where the buffer goes on
// behind the field there are two loads and no branch on the length, which differs from field to field.
func ends(b []byte) (head, tail uint64) {
	if cap(b) >= 8 {
		over := len(b) - 8
		short := over >> 63     // all ones below eight bytes
		beyond := over &^ short // max(len, 8) − 8; min and max would be branches
		b = b[:beyond+8]
		head = binary.LittleEndian.Uint64(b) & headMask[8+over&short]
		return head, binary.LittleEndian.Uint64(b[beyond:]) & uint64(-beyond>>63)
	}
	for i, c := range b {
		head |= uint64(c) << (8 * i)
	}
	return head, 0
}

func (d *dict) hash(head, tail uint64, n int) uint64 {
	return ((head ^ tail*0xff51afd7ed558ccd) + uint64(n)) * d.mul >> (d.shift & 63)
}

// find returns the code of a text, codeMissing or codeNone.
func (d *dict) find(b []byte) int32 {
	if d.slots == nil {
		if code, ok := d.all[string(b)]; ok {
			return code
		}
		return codeNone
	}
	head, tail := ends(b)
	s := &d.slots[d.hash(head, tail, len(b))]
	// Head, tail and length leave no doubt up to sixteen bytes. An empty slot answers codeNone whatever it is compared
	// with.
	if s.head != head || s.tail != tail || len(s.text) != len(b) || len(b) > 16 && s.text != string(b) {
		return codeNone
	}
	return s.code
}
