package data

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
)

// Records of the workbook stream, as Microsoft publishes them ([MS-XLS], section 2.3): those that a sheet of texts and numbers needs.
const (
	recEOF        = 0x000A
	recFilePass   = 0x002F // encrypted
	recContinue   = 0x003C
	recBoundSheet = 0x0085
	recMulRK      = 0x00BD
	recSST        = 0x00FC // the texts of all cells
	recLabelSST   = 0x00FD
	recNumber     = 0x0203
	recRK         = 0x027E
	recBOF        = 0x0809
	// Cells that the reader does not know are refused rather than skipped.
	recFormula = 0x0006
	recLabel   = 0x0204
	recBoolErr = 0x0205
	recRString = 0x00D6
)

const (
	biff8      = 0x0600
	subGlobals = 0x0005
	subSheet   = 0x0010
)

// The kinds of cells.
const (
	cellNone = iota
	cellText
	cellNumber
)

// sheetCell is a cell, rows and columns from 0.
type sheetCell struct {
	row, col int
	kind     int
	text     string
	number   float64
}

// String tells what is in the cell.
func (c sheetCell) String() string {
	switch c.kind {
	case cellText:
		return strconv.Quote(c.text)
	case cellNumber:
		return strconv.FormatFloat(c.number, 'g', -1, 64)
	}
	return "nothing"
}

func (c sheetCell) place() string { return fmt.Sprintf("row %d, column %d", c.row+1, c.col+1) }

// readSheet returns the cells with texts and numbers of the first sheet of a workbook stream of Excel 97 to 2003 (BIFF8). Formulas,
// encryption and older versions are refused. Error: *SheetError.
func readSheet(b []byte) ([]sheetCell, error) {
	r := &records{b: b}
	if err := r.begin(subGlobals); err != nil {
		return nil, err
	}
	var texts []string
	at := int64(-1)
	for {
		kind, d, err := r.next()
		if err != nil {
			return nil, err
		}
		switch kind {
		case recFilePass:
			return nil, &SheetError{"a password", "no encryption"}
		case recBoundSheet:
			if len(d) < 6 {
				return nil, short("sheet entry")
			}
			if at < 0 && d[5] == 0 { // the first worksheet
				at = int64(binary.LittleEndian.Uint32(d))
			}
		case recSST:
			if texts, err = r.sharedTexts(d); err != nil {
				return nil, err
			}
		}
		if kind == recEOF {
			break
		}
	}
	if at < 0 || at >= int64(len(b)) {
		return nil, &SheetError{"no worksheet", "one"}
	}
	r.at = int(at)
	if err := r.begin(subSheet); err != nil {
		return nil, err
	}
	return r.cells(texts)
}

// records walks through a stream of records: kind, length, data.
type records struct {
	b  []byte
	at int
}

func (r *records) next() (kind int, data []byte, err error) {
	if r.at+4 > len(r.b) {
		return 0, nil, &SheetError{"an end without the end record", "whole sheets"}
	}
	kind, n := int(binary.LittleEndian.Uint16(r.b[r.at:])), int(binary.LittleEndian.Uint16(r.b[r.at+2:]))
	from := r.at + 4
	if from+n > len(r.b) {
		return 0, nil, short(fmt.Sprintf("record %#04x", kind))
	}
	r.at = from + n
	return kind, r.b[from:r.at], nil
}

func (r *records) begin(want int) error {
	kind, d, err := r.next()
	if err != nil {
		return err
	}
	if kind != recBOF || len(d) < 4 {
		return &SheetError{fmt.Sprintf("record %#04x first", kind), "a begin record"}
	}
	if v, sub := int(binary.LittleEndian.Uint16(d)), int(binary.LittleEndian.Uint16(d[2:])); v != biff8 || sub != want {
		return &SheetError{fmt.Sprintf("version %#04x, part %#04x", v, sub), fmt.Sprintf("version %#04x, part %#04x", biff8, want)}
	}
	return nil
}

func short(what string) error { return &SheetError{"a " + what + " that is cut short", "a whole one"} }

// cells reads the records of a sheet up to its end.
func (r *records) cells(texts []string) ([]sheetCell, error) {
	var out []sheetCell
	le := binary.LittleEndian
	for {
		kind, d, err := r.next()
		if err != nil {
			return nil, err
		}
		switch kind {
		case recEOF:
			return out, nil
		case recFormula, recLabel, recBoolErr, recRString:
			return nil, &SheetError{fmt.Sprintf("a cell of kind %#04x", kind), "numbers and shared texts"}
		case recLabelSST, recNumber, recRK, recMulRK:
			least := map[int]int{recLabelSST: 10, recNumber: 14, recRK: 10, recMulRK: 12}[kind]
			if len(d) < least {
				return nil, short("cell")
			}
		default:
			continue
		}
		c := sheetCell{row: int(le.Uint16(d)), col: int(le.Uint16(d[2:])), kind: cellNumber}
		switch kind {
		case recLabelSST:
			i := int64(le.Uint32(d[6:]))
			if i >= int64(len(texts)) {
				return nil, &SheetError{fmt.Sprintf("text %d in %s", i, c.place()), fmt.Sprintf("one of %d texts", len(texts))}
			}
			c.kind, c.text = cellText, texts[i]
			out = append(out, c)
		case recNumber:
			c.number = math.Float64frombits(le.Uint64(d[6:]))
			out = append(out, c)
		case recRK:
			c.number = rk(le.Uint32(d[6:]))
			out = append(out, c)
		case recMulRK: // row, first column, (format, number)…, last column
			for v := d[4 : len(d)-2]; len(v) >= 6; v = v[6:] {
				c.number = rk(le.Uint32(v[2:]))
				out = append(out, c)
				c.col++
			}
			if last := int(le.Uint16(d[len(d)-2:])); c.col != last+1 {
				return nil, &SheetError{fmt.Sprintf("numbers to column %d", c.col), fmt.Sprintf("to column %d, as the record says", last+1)}
			}
		}
	}
}

// rk is a number in 30 bits: bit 0 divides by 100; bit 1 chooses a signed whole number or the upper bits of a float64.
func rk(v uint32) float64 {
	var x float64
	if v&2 != 0 {
		x = float64(int32(v) >> 2)
	} else {
		x = math.Float64frombits(uint64(v&^3) << 32)
	}
	if v&1 != 0 {
		x /= 100
	}
	return x
}

// sharedTexts reads the texts of the workbook: the record and the ones that continue it.
func (r *records) sharedTexts(d []byte) ([]string, error) {
	parts := [][]byte{d}
	for r.at+4 <= len(r.b) && int(binary.LittleEndian.Uint16(r.b[r.at:])) == recContinue {
		_, more, err := r.next()
		if err != nil {
			return nil, err
		}
		parts = append(parts, more)
	}
	t := &textReader{parts: parts}
	t.skip(4) // how often the texts are used
	n := int64(t.uint(4))
	if n > int64(len(r.b)) {
		return nil, &SheetError{fmt.Sprintf("%d texts", n), "fewer texts than bytes"}
	}
	var out []string
	for range n {
		s := t.text()
		if t.short {
			return nil, short("list of texts")
		}
		out = append(out, s)
	}
	return out, nil
}

// textReader reads over the borders of continued records.
type textReader struct {
	parts [][]byte
	short bool
}

// have moves to the next part where this one is used up; false at the end.
func (t *textReader) have() bool {
	for len(t.parts) > 0 && len(t.parts[0]) == 0 {
		t.parts = t.parts[1:]
	}
	t.short = t.short || len(t.parts) == 0
	return !t.short
}

func (t *textReader) byte() byte {
	if !t.have() {
		return 0
	}
	c := t.parts[0][0]
	t.parts[0] = t.parts[0][1:]
	return c
}

func (t *textReader) uint(bytes int) (v uint32) {
	for i := range bytes {
		v |= uint32(t.byte()) << (8 * i)
	}
	return v
}

func (t *textReader) skip(n int64) {
	for n > 0 && t.have() {
		k := min(n, int64(len(t.parts[0])))
		t.parts[0], n = t.parts[0][k:], n-k
	}
}

// text reads one text: length, flags, characters, formatting. Where its characters go on in another record, that one starts with the
// flags anew.
func (t *textReader) text() string {
	n, flags := int(t.uint(2)), t.byte()
	var rich, extra int64
	if flags&8 != 0 {
		rich = int64(t.uint(2))
	}
	if flags&4 != 0 {
		extra = int64(t.uint(4))
	}
	var u []uint16
	for len(u) < n && !t.short {
		if len(t.parts) > 0 && len(t.parts[0]) == 0 {
			if !t.have() {
				break
			}
			flags = t.byte()
		}
		if flags&1 != 0 {
			u = append(u, uint16(t.uint(2)))
		} else {
			u = append(u, uint16(t.byte()))
		}
	}
	t.skip(4*rich + extra)
	return string(utf16.Decode(u))
}
