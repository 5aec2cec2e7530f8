package frame

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"sync"
)

// unitID stands for a unit: the first 16 bytes of the SHA-256 of its key. Two keys share it with no chance worth
// counting, also where someone tries. Where no key is declared it stands for a row: see rowIDs.
type unitID [16]byte

func unitOf(key []byte) unitID {
	sum := sha256.Sum256(key)
	return unitID(sum[:16])
}

// at is where a seed puts a unit, as good as a random number for each of both:
//
//	SHA-256("privbayes split" ‖ seed, 8 bytes, least first ‖ the unit's 16 bytes ‖ nth, 8 bytes, of a later split)
//
// where nth is 0 for the first split of a table, 1 for one of its parts: else a part that is split by the same seed
// would go to one side. It depends on the unit and on what is public alone. Units are ordered by these bytes, and those
// that are decided about one by one go to the first part where share is below the fraction.
func (u unitID) at(seed, nth uint64) [sha256.Size]byte {
	b := append(binary.LittleEndian.AppendUint64([]byte("privbayes split"), seed), u[:]...)
	if nth > 0 {
		b = binary.LittleEndian.AppendUint64(b, nth)
	}
	return sha256.Sum256(b)
}

// share is a number in [0, 1): the first 53 bits.
func (u unitID) share(seed, nth uint64) float64 {
	sum := u.at(seed, nth)
	return float64(binary.BigEndian.Uint64(sum[:8])>>11) / (1 << 53)
}

// identity says whose the rows of a table are: by their keys, known when it was read, or by their contents, found when
// somebody asks.
type identity struct {
	once    sync.Once
	ids     []unitID
	find    func() []unitID
	columns string // whose contents say it, as columnsID; "" for keys
}

func (w *identity) of() []unitID {
	if w.find != nil {
		w.once.Do(func() { w.ids = w.find() })
	}
	return w.ids
}

// byContents tells the rows of a frame apart by what they hold now. Columns that are dropped later still count.
func (f *Frame) byContents() *identity {
	n, s, cols := f.n, f.schema, f.cols
	return &identity{find: func() []unitID { return rowIDs(n, s, cols) }, columns: columnsID(s)}
}

// columnsID stands for the columns of a schema, public as they are: eight hexadecimal digits of a SHA-256. The same
// rows with other columns are divided in another way, and the steps of a release say so.
func columnsID(s *Schema) string {
	text, _ := json.Marshal(s.Columns) // of numbers and texts
	return shortID(string(text))
}

func shortID(text string) string {
	id := unitOf([]byte(text))
	return hex.EncodeToString(id[:4])
}

// columnsOf are those by whose contents rows are told apart, "" where keys do.
func (f *Frame) columnsOf() string {
	if f.who == nil {
		return columnsID(f.schema)
	}
	return f.who.columns
}

// oneNaN is every missing number.
const oneNaN = 0x7ff8000000000001

// rowIDs are the rows of a table by contents and number of the copy: the first 16 bytes of SHA-256(contents ‖ number,
// 8 bytes), where contents are the first 16 bytes of the SHA-256 of the row's values in the order of the columns:
//
//	a category    its code, 4 bytes
//	a number      its IEEE 754 bits, 8 bytes, after clamping; −0 is 0, and a missing one 0x7ff8000000000001
//	a sequence    the number of its items, 4 bytes, and their codes, 4 bytes each
//
// all least first, and the number of a copy is how many equal rows stand before it. So it does not matter where a row
// stands or how its file wrote it, and without one of several equal rows the others stay the same set.
func rowIDs(n int, s *Schema, cols []column) []unitID {
	values := make([][]float64, len(cols))
	for i, c := range s.Columns {
		if c.Numeric() {
			values[i] = cols[i].values.all()
		}
	}
	copies, out, b := map[unitID]uint64{}, make([]unitID, n), []byte(nil)
	for i := range n {
		b = b[:0]
		for k, c := range cols {
			switch {
			case values[k] != nil:
				bits := math.Float64bits(values[k][i] + 0)
				if math.IsNaN(values[k][i]) {
					bits = oneNaN
				}
				b = binary.LittleEndian.AppendUint64(b, bits)
			case c.seqs != nil:
				b = binary.LittleEndian.AppendUint32(b, uint32(len(c.seqs[i])))
				for _, code := range c.seqs[i] {
					b = binary.LittleEndian.AppendUint32(b, uint32(code))
				}
			default:
				b = binary.LittleEndian.AppendUint32(b, uint32(c.codes.At(i)))
			}
		}
		contents := unitOf(b)
		out[i] = unitOf(binary.LittleEndian.AppendUint64(contents[:], copies[contents]))
		copies[contents]++
	}
	return out
}

// whose is the unit of every row: by key, or by the contents that it had when n became private, or has now.
func (f *Frame) whose() []unitID {
	if f.who == nil {
		return f.byContents().of()
	}
	ids := f.who.of()
	if f.slots == nil {
		return ids
	}
	return pick(ids, f.slots)
}
