package parquet

import "encoding/binary"

// runs reads the format's hybrid of run-length and bit-packed numbers: indices into a dictionary, and levels. The bytes
// must be followed by eight more in memory.
type runs struct {
	b      []byte
	i      int
	width  uint
	same   int    // of a run of equal numbers, how many are left
	value  uint32 // its number
	packed int    // of a bit-packed run, how many are left
	bit    int    // place of the next in bits
	after  int    // where the bit-packed run ends
}

// maxWidth is that of a dictionary of 2^24 entries.
const maxWidth = 24

func newRuns(b []byte, width uint) runs { return runs{b: b, width: width} }

// head reads the head of the next run: false if there is none, or none that fits.
func (r *runs) head() bool {
	h, n := binary.Uvarint(r.b[min(r.i, len(r.b)):])
	if n <= 0 || h>>1 == 0 || h>>1 > 1<<31 {
		return false
	}
	r.i += n
	if h&1 == 0 {
		bytes := int(r.width+7) / 8
		if bytes > len(r.b)-r.i {
			return false
		}
		r.value = 0
		for k := range bytes {
			r.value |= uint32(r.b[r.i+k]) << (8 * k)
		}
		r.i += bytes
		r.same = int(h >> 1)
		return true
	}
	bytes := int(h>>1) * int(r.width)
	r.packed, r.bit, r.after = int(h>>1)*8, 8*r.i, r.i+bytes
	if left := len(r.b) - r.i; bytes > left { // the last run may be cut behind its last number
		r.packed, r.after = min(r.packed, 8*left/int(r.width)), len(r.b)
	}
	r.i = r.after
	return r.packed > 0
}

// load is the word at a byte of the data or behind it.
func (r *runs) load(at int) uint64 { return binary.LittleEndian.Uint64(r.b[at : at+8 : cap(r.b)]) }

// entry is what an index of a dictionary stands for: the code in the low 16 bits, or why there is none.
type entry = uint32

const (
	refused    entry = 1 << 30 // the dictionary's value does not fit the schema
	outOfRange entry = 1 << 31 // no such index
)

// codes decodes len(dst) indices into codes by a table of at least 2^min(width, 8) entries. It returns all entries met,
// or-ed; short is true if the data ended.
func codes[C uint8 | uint16](r *runs, dst []C, table []entry) (met entry, short bool) {
	for len(dst) > 0 {
		switch {
		case r.width == 0:
			r.same, r.value = len(dst), 0
		case r.same == 0 && r.packed == 0 && !r.head():
			return met, true
		}
		if n := min(r.same, len(dst)); n > 0 {
			e := outOfRange
			if int64(r.value) < int64(len(table)) {
				e = table[r.value]
			}
			met |= e
			c := C(e)
			for i := range dst[:n] {
				dst[i] = c
			}
			r.same -= n
			dst = dst[n:]
			continue
		}
		n := min(r.packed, len(dst))
		if r.width <= 8 {
			met |= narrow(r, dst[:n], (*[256]entry)(table))
		} else {
			met |= wide(r, dst[:n], table)
		}
		r.packed -= n
		dst = dst[n:]
	}
	return met, false
}

// narrow decodes bit-packed indices of at most eight bits: eight of them, which begin at a byte, come from one word.
func narrow[C uint8 | uint16](r *runs, dst []C, table *[256]entry) (met entry) {
	w, mask := r.width, uint64(1)<<r.width-1
	bit := r.bit
	for len(dst) > 0 && bit&7 != 0 { // a block ended within eight
		e := table[uint8(r.load(bit>>3)>>(bit&7)&mask)]
		met |= e
		dst[0], dst = C(e), dst[1:]
		bit += int(w)
	}
	for len(dst) >= 8 {
		x := r.load(bit >> 3)
		d := (*[8]C)(dst)
		e0, e1 := table[uint8(x&mask)], table[uint8(x>>w&mask)]
		x >>= 2 * w
		e2, e3 := table[uint8(x&mask)], table[uint8(x>>w&mask)]
		x >>= 2 * w
		e4, e5 := table[uint8(x&mask)], table[uint8(x>>w&mask)]
		x >>= 2 * w
		e6, e7 := table[uint8(x&mask)], table[uint8(x>>w&mask)]
		d[0], d[1], d[2], d[3] = C(e0), C(e1), C(e2), C(e3)
		d[4], d[5], d[6], d[7] = C(e4), C(e5), C(e6), C(e7)
		met |= e0 | e1 | e2 | e3 | e4 | e5 | e6 | e7
		bit += 8 * int(w)
		dst = dst[8:]
	}
	for i := range dst {
		e := table[uint8(r.load(bit>>3)>>(bit&7)&mask)]
		met |= e
		dst[i] = C(e)
		bit += int(w)
	}
	r.bit = bit
	return met
}

// wide decodes bit-packed indices of nine bits and more.
func wide[C uint8 | uint16](r *runs, dst []C, table []entry) (met entry) {
	mask := uint64(1)<<r.width - 1
	bit := r.bit
	for i := range dst {
		k, e := r.load(bit>>3)>>(bit&7)&mask, outOfRange
		if k < uint64(len(table)) {
			e = table[k]
		}
		met |= e
		dst[i] = C(e)
		bit += int(r.width)
	}
	r.bit = bit
	return met
}

// numbers decodes len(dst) numbers as they are; false if the data ended.
func (r *runs) numbers(dst []uint32) bool {
	mask := uint64(1)<<r.width - 1
	for len(dst) > 0 {
		switch {
		case r.width == 0:
			r.same, r.value = len(dst), 0
		case r.same == 0 && r.packed == 0 && !r.head():
			return false
		}
		n := min(r.same, len(dst))
		if n > 0 {
			for i := range dst[:n] {
				dst[i] = r.value
			}
			r.same -= n
		} else {
			n = min(r.packed, len(dst))
			for i := range dst[:n] {
				dst[i] = uint32(r.load(r.bit>>3) >> (r.bit & 7) & mask)
				r.bit += int(r.width)
			}
			r.packed -= n
		}
		dst = dst[n:]
	}
	return true
}

// levels decodes len(dst) levels of one bit and says how many are 1; false if the data ended or a level is above 1.
func (r *runs) levels(dst []bool) (present int, ok bool) {
	for len(dst) > 0 {
		if r.same == 0 && r.packed == 0 && !r.head() {
			return present, false
		}
		n := min(r.same, len(dst))
		if n > 0 {
			if r.value > 1 {
				return present, false
			}
			for i := range dst[:n] {
				dst[i] = r.value == 1
			}
			present += int(r.value) * n
			r.same -= n
		} else {
			n = min(r.packed, len(dst))
			for i := range dst[:n] {
				one := r.b[r.bit>>3]>>(r.bit&7)&1 == 1
				if one {
					present++
				}
				dst[i] = one
				r.bit++
			}
			r.packed -= n
		}
		dst = dst[n:]
	}
	return present, true
}
