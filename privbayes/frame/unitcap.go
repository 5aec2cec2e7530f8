package frame

import (
	"crypto/md5"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/seal"
)

// UnitCap keeps at most k rows of every unit, and says which. It is given the rows in any order; rows of one unit that
// agree in the texts of all columns of the schema are one entry with a number of copies. Which rows stay is a public
// function of the unit's own rows, so that no unit decides about another's: with
//
//	inner = md5(key ␟ text_1 ␟ … ␟ text_m),   rank_j = md5("j:" ‖ inner),
//
// digests in lower-case hexadecimal, ␟ the byte 0x1F, the columns in the order of the schema, and j = 1, 2, … the
// number of a copy, the k rows of the unit with the least ranks in bytewise order stay. A database can follow the rule:
//
//	copy = ROW_NUMBER() OVER (PARTITION BY key, all columns)
//	ROW_NUMBER() OVER (PARTITION BY key ORDER BY md5(copy || ':' || inner) COLLATE "C") <= k
//
// so that every source keeps the same rows where it writes values alike. A text that is null is empty. The choice is as
// good as random, but not secret. Not safe for concurrent use: have one for every goroutine, and Merge.
type UnitCap struct {
	k       int
	units   map[unitID]int32
	entries map[entryKey]int32
	list    []entry
	rows    []int // of every unit
}

type entryKey struct {
	unit  int32
	inner [md5.Size]byte
}

type entry struct {
	entryKey
	copies int
}

// NewUnitCap is empty. The key of package seal keeps it inside this module. Errors: ErrSealed, *dp.ParameterError for k
// below 1.
func NewUnitCap(key seal.Key, k int) (*UnitCap, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	if k < 1 {
		return nil, domain.Refuse("NewUnitCap", "rows per unit", k, "at least 1")
	}
	c := &UnitCap{k: k}
	c.Reset()
	return c, nil
}

// Reset forgets all rows: for tables in which the rows of a unit stand together, where memory need not hold more than
// one.
func (c *UnitCap) Reset() {
	c.units, c.entries, c.list, c.rows = map[unitID]int32{}, map[entryKey]int32{}, c.list[:0], c.rows[:0]
}

// unitBetween stands between texts.
const unitBetween = 0x1f

// Add adds a row of a unit, by the texts of its columns in the order of the schema. It returns the row's entry, and
// whether that is new: entries are numbered from 0.
func (c *UnitCap) Add(key []byte, texts ...[]byte) (entry int, isNew bool) {
	buf := append(make([]byte, 0, 128), key...)
	for _, t := range texts {
		buf = append(append(buf, unitBetween), t...)
	}
	return c.add(unitOf(key), md5.Sum(buf), 1)
}

func (c *UnitCap) add(unit unitID, inner [md5.Size]byte, copies int) (int, bool) {
	u, known := c.units[unit]
	if !known {
		u = int32(len(c.rows))
		c.units[unit], c.rows = u, append(c.rows, 0)
	}
	c.rows[u] += copies
	key := entryKey{u, inner}
	at, known := c.entries[key]
	if !known {
		at = int32(len(c.list))
		c.entries[key], c.list = at, append(c.list, entry{entryKey: key})
	}
	c.list[at].copies += copies
	return int(at), !known
}

// Merge adds the rows of another: entries[i] is the entry here of its entry i.
func (c *UnitCap) Merge(o *UnitCap) (entries []int) {
	names := o.names()
	for _, e := range o.list {
		at, _ := c.add(names[e.unit], e.inner, e.copies)
		entries = append(entries, at)
	}
	return entries
}

// names are the units by their numbers.
func (c *UnitCap) names() []unitID {
	names := make([]unitID, len(c.rows))
	for name, u := range c.units {
		names[u] = name
	}
	return names
}

// Units is the number of units so far. It is private, but where every unit has exactly k rows in the end.
func (c *UnitCap) Units() int { return len(c.rows) }

// Kept is how many copies of every entry stay.
func (c *UnitCap) Kept() []int {
	kept, of := make([]int, len(c.list)), make([][]int32, len(c.rows))
	for i, e := range c.list {
		if c.rows[e.unit] <= c.k {
			kept[i] = e.copies
		} else {
			of[e.unit] = append(of[e.unit], int32(i))
		}
	}
	type ranked struct {
		rank  [md5.Size]byte
		entry int32
	}
	var all []ranked
	for _, entries := range of {
		if entries == nil {
			continue
		}
		all = all[:0]
		for _, i := range entries {
			for j := range c.list[i].copies {
				all = append(all, ranked{rankOf(j+1, c.list[i].inner), i})
			}
		}
		slices.SortFunc(all, func(a, b ranked) int { return slices.Compare(a.rank[:], b.rank[:]) })
		for _, r := range all[:c.k] {
			kept[r.entry]++
		}
	}
	return kept
}

// rankOf is the rank of a copy: its bytes are in the order of their hexadecimal digits.
func rankOf(number int, inner [md5.Size]byte) [md5.Size]byte {
	text := append(strconv.AppendInt(make([]byte, 0, 64), int64(number), 10), ':')
	return md5.Sum(hex.AppendEncode(text, inner[:]))
}
