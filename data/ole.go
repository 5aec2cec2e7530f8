package data

import (
	"encoding/binary"
	"fmt"
	"unicode/utf16"
)

// SheetError says that an .xls workbook is not as expected.
type SheetError struct{ Found, Want string }

func (e *SheetError) Error() string {
	return fmt.Sprintf("the .xls workbook has %s, want %s", e.Found, e.Want)
}

// Numbers of the compound file format, as Microsoft publishes it ([MS-CFB], sections 2.1 to 2.6).
const (
	oleHeader   = 512
	oleEnd      = 0xFFFFFFFE // end of a chain
	oleMaxIndex = 0xFFFFFFFA // sector numbers are below
	oleEntry    = 128        // bytes of a directory entry
	oleCutoff   = 4096       // shorter streams are in the mini stream
	oleStreamT  = 2
	oleRootT    = 5
)

// ole is a compound file: sectors chained by a table.
type ole struct {
	b      []byte
	sector int
	fat    []uint32
	mini   []byte // the mini stream, 64-byte sectors
	minFAT []uint32
}

// oleStream returns one stream of a compound file, the container of .xls. Every chain is bounded by the number of sectors, so a loop
// ends in an error. Error: *SheetError.
func oleStream(b []byte, name string) ([]byte, error) {
	o, err := openOLE(b)
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	dir, err := o.chain(le.Uint32(b[48:]), -1)
	if err != nil {
		return nil, err
	}
	var found []byte
	for ; len(dir) >= oleEntry; dir = dir[oleEntry:] {
		e := dir[:oleEntry]
		start, size := le.Uint32(e[116:]), int64(le.Uint32(e[120:]))
		switch kind := e[66]; {
		case kind == oleRootT && size > 0:
			if o.mini, err = o.chain(start, size); err != nil {
				return nil, err
			}
			table, err := o.chain(le.Uint32(b[60:]), -1)
			if err != nil {
				return nil, err
			}
			o.minFAT = words(table)
		case kind == oleStreamT && entryName(e) == name:
			found = e
		}
	}
	if found == nil {
		return nil, &SheetError{"no such stream", "a stream " + name}
	}
	start, size := le.Uint32(found[116:]), int64(le.Uint32(found[120:]))
	if size < oleCutoff {
		return follow(o.mini, 0, 64, o.minFAT, start, size)
	}
	return o.chain(start, size)
}

func openOLE(b []byte) (*ole, error) {
	le := binary.LittleEndian
	if len(b) < oleHeader || le.Uint64(b) != 0xE11AB1A1E011CFD0 {
		return nil, &SheetError{"another first bytes", "those of a compound file (.xls of Excel 97 to 2003)"}
	}
	shift, mini, cutoff := le.Uint16(b[30:]), le.Uint16(b[32:]), le.Uint32(b[56:])
	if shift != 9 && shift != 12 || mini != 6 || cutoff != oleCutoff {
		return nil, &SheetError{fmt.Sprintf("sectors of 2^%d and 2^%d bytes, cutoff %d", shift, mini, cutoff), "2^9 or 2^12, 2^6, and 4096"}
	}
	o := &ole{b: b, sector: 1 << shift}
	// The table itself is in sectors that the header lists: 109 in place, more in a chain of their own.
	list := words(b[76:oleHeader])
	next, per := le.Uint32(b[68:]), o.sector/4
	for range len(b)/o.sector + 1 {
		if next >= oleMaxIndex {
			break
		}
		s, err := o.at(next)
		if err != nil {
			return nil, err
		}
		w := words(s)
		list, next = append(list, w[:per-1]...), w[per-1]
	}
	for _, n := range list {
		if n >= oleMaxIndex {
			continue
		}
		s, err := o.at(n)
		if err != nil {
			return nil, err
		}
		if len(o.fat) > len(b)/4 {
			return nil, &SheetError{"a sector table longer than the file", "a table of its sectors"}
		}
		o.fat = append(o.fat, words(s)...)
	}
	return o, nil
}

// at is one sector; sector 0 follows the header, which fills one sector.
func (o *ole) at(n uint32) ([]byte, error) {
	from := (int64(n) + 1) * int64(o.sector)
	if from+int64(o.sector) > int64(len(o.b)) {
		return nil, &SheetError{fmt.Sprintf("a link to sector %d", n), fmt.Sprintf("sectors within its %d bytes", len(o.b))}
	}
	return o.b[from : from+int64(o.sector)], nil
}

// chain joins the sectors from start on, cut to size unless that is negative.
func (o *ole) chain(start uint32, size int64) ([]byte, error) {
	return follow(o.b, o.sector, o.sector, o.fat, start, size)
}

// follow joins the sectors of a chain in b; they start after skip bytes.
func follow(b []byte, skip, sector int, table []uint32, start uint32, size int64) ([]byte, error) {
	if size > int64(len(b)) {
		return nil, &SheetError{fmt.Sprintf("a stream of %d bytes", size), fmt.Sprintf("at most the %d there are", len(b))}
	}
	var out []byte
	for n, steps := start, 0; n != oleEnd && (size < 0 || int64(len(out)) < size); steps++ {
		from := int64(skip) + int64(n)*int64(sector)
		if int64(n) >= int64(len(table)) || from+int64(sector) > int64(len(b)) || steps > len(b)/sector {
			return nil, &SheetError{fmt.Sprintf("a chain that leads to sector %d after %d", n, steps), "a chain within the file that ends"}
		}
		out = append(out, b[from:from+int64(sector)]...)
		n = table[n]
	}
	if size < 0 {
		return out, nil
	}
	if int64(len(out)) < size {
		return nil, &SheetError{fmt.Sprintf("a stream that ends after %d bytes", len(out)), fmt.Sprintf("%d bytes", size)}
	}
	return out[:size], nil
}

func words(b []byte) []uint32 {
	w := make([]uint32, len(b)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return w
}

// entryName is the name of a directory entry; its length counts bytes with the final zero.
func entryName(e []byte) string {
	n := int(binary.LittleEndian.Uint16(e[64:]))/2 - 1
	if n < 0 || n > 31 {
		return ""
	}
	u := make([]uint16, n)
	for i := range u {
		u[i] = binary.LittleEndian.Uint16(e[2*i:])
	}
	return string(utf16.Decode(u))
}
