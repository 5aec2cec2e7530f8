package frame

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"time"

	"golang.org/x/text/unicode/norm"
)

// column holds the encoded values of one column.
type column struct {
	codes  Codes      // empty for sequences
	values *packed    // numeric columns: the value, NaN where missing
	seqs   [][]uint16 // sequences
}

// encoder turns the texts of one column into codes.
type encoder struct {
	col       Column
	dict      dict    // categories and missing marks
	missing   int32   // the code of a missing value
	absent    float64 // its value
	other     int32   // code for values out of the domain, or codeNone
	values    []mark  // missing marks that are values of the kind
	special   bool    // not a plain number: a mark is one, a date, a decimal comma, or thousands
	comma     bool
	thousands byte // the mark between groups of digits, or 0
	trim      bool // blanks at the ends are left out
	format    *Format
	clock     bool            // a date's layout has the time of day
	truths    map[bool]string // once asked for
	scratch   []byte
	unmarked  *dict // of texts between quotes, where marks between quotes are values
	numeric   bool
	integer   bool
	wide      bool // more than 256 codes
	inner     []float64
	separator []byte
	texts     []string // in dict
	codes     []int32  // of them
	marks     int      // where in texts the missing marks begin
	out       part     // of the rows since the last clear
	items     []uint16 // chunk that sequences are cut from
}

// newEncoder prepares a column of a validated, filled schema.
func newEncoder(c Column) *encoder {
	e := &encoder{col: c, missing: codeMissing, absent: math.NaN(), other: codeNone, wide: c.Levels() > 256,
		numeric: c.Numeric(), integer: c.Kind == KindInteger, clock: hasClock(c.Date)}
	if c.Kind == KindSequence {
		e.separator = []byte(c.Separator)
	}
	if c.Numeric() {
		e.inner = c.Edges[1 : len(c.Edges)-1]
	}
	switch {
	case c.HasMissing():
		e.missing = int32(c.Levels() - 1)
	case c.OnMissing == MissingImputed:
		e.missing, e.absent = e.bin(*c.Impute), *c.Impute
	}
	var texts []string
	var codes []int32
	put := func(t string, code int32) {
		texts, codes = append(texts, t), append(codes, code)
		if n := norm.NFC.String(t); n != t {
			texts, codes = append(texts, n), append(codes, code)
		}
	}
	for i, t := range c.Categories {
		put(t, int32(i))
		if c.OnOutOfDomain == DomainOther && t == c.Other {
			e.other = int32(i)
		}
	}
	for _, a := range c.Aliases {
		i := int32(slices.Index(c.Categories, a.Category))
		for _, t := range a.Texts {
			put(t, i)
		}
	}
	if c.QuotedMissing != "" {
		d := newDict(texts, codes)
		e.unmarked = &d
	}
	e.marks = len(texts)
	for _, t := range c.Missing {
		put(t, e.missing)
	}
	e.readMarks(nil)
	e.dict, e.texts, e.codes = newDict(texts, codes), texts, codes
	e.out.codes.Levels = c.Levels()
	return e
}

// find is the code of a text that is a category, an alias or a mark: the same text to Unicode (NFC).
func (e *encoder) find(b []byte) int32 {
	code := e.dict.find(b)
	if code == codeNone && !norm.NFC.IsNormal(b) {
		return e.dict.find(norm.NFC.Bytes(b))
	}
	return code
}

// add encodes one text; false if it does not fit, see why.
func (e *encoder) add(b []byte) bool {
	if e.trim {
		b = bytes.TrimSpace(b)
	}
	if !e.numeric {
		if e.separator != nil {
			return e.addSequence(b)
		}
		code := e.category(b)
		if code < 0 {
			return false
		}
		e.push(code)
		return true
	}
	if e.special {
		return e.addSpecial(b)
	}
	x, exact, ok := parseDecimal(b)
	if !ok {
		return e.addMissing(e.find(b))
	}
	if !exact && e.integer {
		x = whole(x, b)
	}
	return e.addNumber(x)
}

// addSpecial encodes one text of a numeric column that is not always a plain number.
func (e *encoder) addSpecial(b []byte) bool {
	if code := e.find(b); code != codeNone {
		return e.addMissing(code)
	}
	x, plain, exact, ok := e.parseAs(b, e.comma, e.thousands)
	switch {
	case !ok:
		return false
	case e.markOf(x, plain) >= 0:
		return e.addMissing(e.missing)
	case !exact && e.integer:
		x = whole(x, plain)
	}
	return e.addNumber(x)
}

// addMarked encodes a text of a record with quotes; quoted says whether the text stood between them.
func (e *encoder) addMarked(b []byte, quoted bool) bool {
	if !quoted || e.unmarked == nil {
		return e.add(b)
	}
	marked, values := e.dict, e.values
	e.dict, e.values = *e.unmarked, nil
	ok := e.add(b)
	e.dict, e.values = marked, values
	return ok
}

// written reads texts as a format writes them. It is nil for plain CSV.
func (e *encoder) written(f *Format) *encoder {
	if e.format, e.trim = f, f.trims(); !e.numeric || e.col.Date != "" || f == nil {
		return e
	}
	e.comma, e.thousands = f.comma(), f.grouping()
	e.special = e.special || e.comma || e.thousands != 0
	return e
}

// category is the code of a text of a categorical column; negative if it does not fit.
func (e *encoder) category(b []byte) int32 {
	code := e.find(b)
	if code == codeNone && e.col.Within != nil {
		code = e.deepest(b)
	}
	if code == codeNone {
		return e.other
	}
	return code
}

func (e *encoder) addMissing(code int32) bool {
	if code < 0 {
		return false
	}
	e.out.values = append(e.out.values, e.absent)
	e.push(code)
	return true
}

func (e *encoder) addNumber(x float64) bool {
	if !(x >= e.col.Min && x <= e.col.Max) {
		if e.col.OnOutOfDomain != DomainClamp || x != x {
			return false
		}
		// A bound of a column of whole numbers need not be whole: the clamped value is the nearest one that is.
		lo, hi := e.col.Min, e.col.Max
		if e.integer {
			lo, hi = math.Ceil(lo), math.Floor(hi)
		}
		x = min(max(x, lo), hi)
	}
	if e.integer && x != math.Trunc(x) {
		return false
	}
	e.out.values = append(e.out.values, x)
	e.push(e.bin(x))
	return true
}

// bin is the number of inner edges that are at most x.
func (e *encoder) bin(x float64) int32 {
	if len(e.inner) > 24 {
		lo, hi := 0, len(e.inner)
		for lo < hi {
			if mid := (lo + hi) / 2; e.inner[mid] <= x {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		return int32(lo)
	}
	n := 0
	for _, edge := range e.inner {
		if edge <= x { // all of them: stopping early would be a branch guessed wrong
			n++
		}
	}
	return int32(n)
}

func (e *encoder) push(code int32) {
	if e.wide {
		e.out.codes.U16 = append(e.out.codes.U16, uint16(code))
	} else {
		e.out.codes.U8 = append(e.out.codes.U8, uint8(code))
	}
}

// one encodes one text and takes it back from what was appended; false if it does not fit.
func (e *encoder) one(b []byte, quoted bool) (code int32, value float64, ok bool) {
	e.out.clear()
	if !e.addMarked(b, quoted) {
		return 0, 0, false
	}
	if e.numeric {
		value = e.out.values[0]
	}
	return int32(e.out.codes.At(0)), value, true
}

// addSequence codes items between separators; an empty text is the empty sequence.
func (e *encoder) addSequence(b []byte) bool {
	if e.find(b) == codeMissing {
		return false
	}
	if len(b) == 0 {
		e.out.seqs = append(e.out.seqs, nil)
		return true
	}
	if bytes.Count(b, e.separator) >= e.col.MaxLength {
		return false
	}
	start := len(e.items)
	for more := true; more; {
		var item []byte
		item, b, more = bytes.Cut(b, e.separator)
		code := e.find(item)
		if code < 0 {
			e.items = e.items[:start]
			return false
		}
		e.items = append(e.items, uint16(code))
	}
	seq := e.items[start:len(e.items):len(e.items)]
	e.out.seqs = append(e.out.seqs, seq)
	if len(e.items) > 1<<16 {
		e.items = nil // old sequences keep their chunk
	}
	return true
}

// formatFloat writes a number the way it would stand in a file.
func formatFloat(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

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

// What values that are no texts mean, wherever they come from: columns in memory, Parquet, Arrow, databases.

// number encodes a number: NaN is a value that is not there, an infinite one fits no column, −0 is 0, and a number
// that is a missing mark is missing.
func (e *encoder) number(x float64) bool {
	x += 0
	switch {
	case math.IsNaN(x):
		return e.null()
	case math.IsInf(x, 0):
		return false
	case !e.numeric:
		return e.add([]byte(formatFloat(x)))
	case e.markOf(x, nil) >= 0:
		return e.addMissing(e.missing)
	}
	return e.addNumber(x)
}

// single is number for one of 32 bits.
func (e *encoder) single(x float32) bool {
	y, err := strconv.ParseFloat(formatSingle(x), 64)
	return err == nil && e.number(y)
}

// formatSingle is the shortest decimal text that gives the number of 32 bits back.
func formatSingle(x float32) string { return strconv.FormatFloat(float64(x)+0, 'f', -1, 32) }

// whole64 encodes a whole number, by its text where float64 has not all of its digits.
func (e *encoder) whole64(v int64) bool {
	if e.numeric && (e.col.Date != "" || -1<<53 <= v && v <= 1<<53) {
		return e.number(float64(v))
	}
	return e.add(strconv.AppendInt(nil, v, 10))
}

// null encodes a value that is not there: the missing category, where there is one, else as an empty field is.
func (e *encoder) null() bool {
	switch {
	case e.missing < 0:
		return e.add(nil)
	case e.numeric:
		return e.addMissing(e.missing)
	}
	e.push(e.missing)
	return true
}

// truths are the texts of truth values.
var truths = map[bool][]string{false: {"false", "False", "FALSE", "0"}, true: {"true", "True", "TRUE", "1"}}

// truth is the first of the texts of a truth value that the column reads, or else the first.
func (e *encoder) truth(v bool) string {
	if e.truths == nil {
		e.truths = map[bool]string{}
		for v, texts := range truths {
			at := max(0, slices.IndexFunc(texts, func(text string) bool { return e.probe().add([]byte(text)) }))
			e.truths[v] = texts[at]
		}
	}
	return e.truths[v]
}

// probe is another encoder of the same column that has encoded nothing.
func (e *encoder) probe() *encoder {
	p := newEncoder(e.col).written(e.format)
	p.values, p.special = e.values, e.special
	return p
}

// dayOf is the day of a time in a column of dates.
func (e *encoder) dayOf(t time.Time) (days float64, ok bool) {
	y, m, d := t.Date()
	midnight := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	if e.col.Date == "" || !e.clock && !t.Equal(midnight) {
		return 0, false
	}
	return math.Floor(float64(midnight.Unix()) / secondsPerDay), true
}

// hasClock reports whether a layout writes the time of day.
func hasClock(layout string) bool {
	day := time.Date(2001, 11, 23, 0, 0, 0, 0, time.UTC)
	return layout != "" && day.Format(layout) != day.Add(13*time.Hour+14*time.Minute+15*time.Second).Format(layout)
}
