package frame

import "encoding/binary"

// dict maps the texts of a column to codes: categories to theirs, a missing mark to the missing category or to codeMissing. Texts are
// found by a collision-free hash of their ends and length, in one probe and without allocating.
type dict struct {
	slots []slot
	shift uint
	mul   uint64
	all   map[string]int32 // instead of slots, where no collision-free table was found
}

type slot struct {
	text string
	head uint64 // first eight bytes, zero-padded
	code int32
	used bool
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
	for t, code := range all {
		head, h := d.hash([]byte(t))
		if d.slots[h].used {
			return d, false
		}
		d.slots[h] = slot{t, head, code, true}
	}
	return d, true
}

// headMask keeps the first n bytes of a little-endian word.
var headMask = [9]uint64{0, 1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1, 1<<40 - 1, 1<<48 - 1, 1<<56 - 1, 1<<64 - 1}

// ends returns the first eight bytes of b, zero-padded, and the last eight where b is longer.
func ends(b []byte) (head, tail uint64) {
	if len(b) > 8 {
		return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[len(b)-8:])
	}
	if cap(b) >= 8 { // the buffer goes on behind the field: one load
		return binary.LittleEndian.Uint64(b[:8]) & headMask[len(b)], 0
	}
	for i, c := range b {
		head |= uint64(c) << (8 * i)
	}
	return head, 0
}

func (d *dict) hash(b []byte) (head, h uint64) {
	head, tail := ends(b)
	return head, ((head ^ tail*0xff51afd7ed558ccd) + uint64(len(b))) * d.mul >> d.shift
}

// find returns the code of a text, codeMissing or codeNone.
func (d *dict) find(b []byte) int32 {
	if d.slots == nil {
		if code, ok := d.all[string(b)]; ok {
			return code
		}
		return codeNone
	}
	head, h := d.hash(b)
	s := &d.slots[h]
	if !s.used || s.head != head || len(s.text) != len(b) || len(b) > 8 && s.text != string(b) {
		return codeNone
	}
	return s.code
}
