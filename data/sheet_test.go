package data

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

var le = binary.LittleEndian

// rec is a record: kind, length, data.
func rec(kind int, parts ...any) []byte {
	d := pack(parts...)
	return append(le.AppendUint16(le.AppendUint16(nil, uint16(kind)), uint16(len(d))), d...)
}

func pack(parts ...any) []byte {
	var b []byte
	for _, p := range parts {
		switch v := p.(type) {
		case int:
			b = le.AppendUint16(b, uint16(v))
		case uint32:
			b = le.AppendUint32(b, v)
		case float64:
			b = le.AppendUint64(b, math.Float64bits(v))
		case byte:
			b = append(b, v)
		case string:
			b = append(b, v...)
		case []byte:
			b = append(b, v...)
		}
	}
	return b
}

// text is a shared text in 8 bits per character.
func text(s string) []byte { return pack(len(s), byte(0), s) }

// workbook puts a list of texts and the records of a sheet into a workbook stream.
func workbook(sst []byte, cells ...[]byte) []byte {
	head := rec(recBOF, biff8, subGlobals, 0, 0)
	entry := func(at int) []byte { return rec(recBoundSheet, uint32(at), byte(0), byte(0), byte(4), byte(0), "Data") }
	at := len(head) + len(entry(0)) + len(sst) + 4
	b := slices.Concat(head, entry(at), sst, rec(recEOF), rec(recBOF, biff8, subSheet, 0, 0), rec(0x0200, make([]byte, 14)))
	return slices.Concat(b, slices.Concat(cells...), rec(recEOF))
}

// compound puts a stream into a compound file with 512-byte sectors: header, table of sectors, directory, then the stream, and a mini
// stream where it is short.
func compound(name string, stream []byte) []byte {
	const sector = 512
	sectors := func(n int) int { return (n + sector - 1) / sector }
	small := len(stream) < oleCutoff
	data := sectors(len(stream))
	fatSectors := 1
	for fatSectors*128 < fatSectors+2+data {
		fatSectors++
	}
	dir, first := fatSectors, fatSectors+2 // one sector for the directory, one for the mini table
	fat := make([]uint32, fatSectors*128)
	for i := range fat {
		fat[i] = 0xFFFFFFFF
	}
	for i := range fatSectors {
		fat[i] = 0xFFFFFFFD
	}
	fat[dir], fat[dir+1] = oleEnd, oleEnd
	for i := range data {
		fat[first+i] = uint32(first + i + 1)
	}
	fat[first+data-1] = oleEnd

	h := make([]byte, sector)
	le.PutUint64(h, 0xE11AB1A1E011CFD0)
	copy(h[24:], pack(0x3E, 3, 0xFFFE, 9, 6))
	le.PutUint32(h[44:], uint32(fatSectors))
	le.PutUint32(h[48:], uint32(dir))
	le.PutUint32(h[56:], oleCutoff)
	le.PutUint32(h[60:], uint32(dir+1))
	le.PutUint32(h[64:], 1)
	le.PutUint32(h[68:], oleEnd)
	for i := range 109 {
		n := uint32(0xFFFFFFFF)
		if i < fatSectors {
			n = uint32(i)
		}
		le.PutUint32(h[76+4*i:], n)
	}
	entry := func(name string, kind byte, start, size int) []byte {
		e := make([]byte, oleEntry)
		for i, u := range utf16.Encode([]rune(name)) {
			le.PutUint16(e[2*i:], u)
		}
		le.PutUint16(e[64:], uint16(2*len(name)+2))
		e[66] = kind
		le.PutUint32(e[116:], uint32(start))
		le.PutUint32(e[120:], uint32(size))
		return e
	}
	root, start := entry("Root Entry", oleRootT, oleEnd, 0), first
	mini := bytes.Repeat([]byte{0xFF}, sector)
	if small {
		root, start = entry("Root Entry", oleRootT, first, (len(stream)+63)/64*64), 0
		for i := range (len(stream) + 63) / 64 {
			le.PutUint32(mini[4*i:], uint32(i+1))
		}
		le.PutUint32(mini[4*((len(stream)+63)/64-1):], oleEnd)
	}
	b := h
	for _, v := range fat {
		b = le.AppendUint32(b, v)
	}
	b = slices.Concat(b, root, entry(name, oleStreamT, start, len(stream)), make([]byte, sector-2*oleEntry), mini, stream)
	return append(b, make([]byte, data*sector-len(stream))...)
}

// rkOf writes a whole number of 30 bits.
func rkOf(x int) uint32 { return uint32(int32(x)<<2) | 2 }

// Every kind of cell, texts over the border of a record in both widths, rich and extended texts; short and long streams.
func TestReadSheet(t *testing.T) {
	umlaut := pack(2, byte(1), int('ü'), int('x'))
	sst := slices.Concat(
		rec(recSST, uint32(9), uint32(5), text("ID"), pack(6, byte(0), "spl")),
		rec(recContinue, byte(1), int('i'), int('t')),
		rec(recContinue, byte(0), "!"),
		rec(recContinue, umlaut, pack(1, byte(8|4), 1, uint32(3), "r", uint32(7), "ext"), text("end")))
	cells := [][]byte{
		rec(recLabelSST, 0, 0, 15, uint32(0)), rec(recLabelSST, 0, 1, 15, uint32(1)), rec(recLabelSST, 0, 2, 15, uint32(2)),
		rec(recLabelSST, 0, 3, 15, uint32(3)), rec(recLabelSST, 0, 4, 15, uint32(4)),
		rec(recNumber, 1, 0, 15, -0.125), rec(recRK, 1, 1, 15, rkOf(-7)), rec(recRK, 1, 2, 15, rkOf(1234)|1),
		rec(recRK, 1, 3, 15, uint32(math.Float64bits(2.5)>>32)),
		rec(recMulRK, 2, 1, 15, rkOf(4), 15, rkOf(5), 15, rkOf(6), 3), rec(0x0201, 9, 9, 15),
	}
	texts := []string{"ID", "split!", "üx", "r", "end"}
	var want []sheetCell
	for i, s := range texts {
		want = append(want, sheetCell{0, i, cellText, s, 0})
	}
	for i, x := range []float64{-0.125, -7, 12.34, 2.5} {
		want = append(want, sheetCell{1, i, cellNumber, "", x})
	}
	for i := range 3 {
		want = append(want, sheetCell{2, 1 + i, cellNumber, "", float64(4 + i)})
	}
	for _, pad := range []int{0, 2000} { // mini stream, and sectors
		all := slices.Clone(cells)
		for range pad {
			all = append(all, rec(0x0208, make([]byte, 16)))
		}
		stream, err := oleStream(compound("Workbook", workbook(sst, all...)), "Workbook")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := readSheet(stream); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v %v, want %v", got, err, want)
		}
	}
}

func TestReadSheetRefuses(t *testing.T) {
	one := rec(recSST, uint32(1), uint32(1), text("ID"))
	good := compound("Workbook", workbook(one, rec(recLabelSST, 0, 0, 15, uint32(0))))
	read := func(b []byte) error {
		s, err := oleStream(b, "Workbook")
		if err == nil {
			_, err = readSheet(s)
		}
		return err
	}
	if err := read(good); err != nil {
		t.Fatal(err)
	}
	sheet := func(cell ...[]byte) []byte { return compound("Workbook", workbook(one, cell...)) }
	change := func(at int, v uint32) []byte {
		b := slices.Clone(good)
		le.PutUint32(b[at:], v)
		return b
	}
	for name, b := range map[string][]byte{
		"nothing": nil, "text": []byte(strings.Repeat("ID,X1\n", 200)), "half": good[:700], "header": good[:512],
		"older Excel": compound("Book", workbook(one)), "formula": sheet(rec(recFormula, make([]byte, 22))),
		"text that is not there": sheet(rec(recLabelSST, 0, 0, 15, uint32(1))), "short number": sheet(rec(recNumber, 0, 0, 15)),
		"columns disagree": sheet(rec(recMulRK, 0, 0, 15, rkOf(1), 15, rkOf(2), 5)),
		"password":         compound("Workbook", workbook(rec(recFilePass, 0))),
		"texts cut short":  compound("Workbook", workbook(rec(recSST, uint32(1), uint32(2), text("ID")))),
		"many texts":       compound("Workbook", workbook(rec(recSST, uint32(1), uint32(math.MaxUint32)))),
		"no end":           compound("Workbook", rec(recBOF, biff8, subGlobals, 0, 0)),
		"no sheet":         compound("Workbook", slices.Concat(rec(recBOF, biff8, subGlobals, 0, 0), rec(recEOF))),
		"version 5":        compound("Workbook", slices.Concat(rec(recBOF, 0x0500, subGlobals, 0, 0), rec(recEOF))),
		"no begin":         compound("Workbook", rec(recEOF)), "cut record": compound("Workbook", []byte{9, 8, 16, 0, 0, 6}),
		"odd sectors": change(30, 3), "directory outside": change(48, 99), "table outside": change(76, 99),
		"directory loop": change(512+4, 1), "list loop outside": change(68, 99),
	} {
		var e *SheetError
		if err := read(b); !errors.As(err, &e) || e.Error() == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// creditSheet writes a workbook like the original from the lines of the table.
func creditSheet(header string, rows []string) []byte {
	names := strings.Split(header, ",")
	names[len(names)-1] = strings.ReplaceAll(names[len(names)-1], "_", " ")
	var texts [][]byte
	var cells [][]byte
	label := func(row, col int, s string) {
		cells = append(cells, rec(recLabelSST, row, col, 15, uint32(len(texts))))
		texts = append(texts, text(s))
	}
	for i, n := range names {
		label(0, i+1, "X"+n)
	}
	label(1, 0, "ID")
	for i, n := range names {
		label(1, i+1, n)
	}
	for r, line := range rows {
		d := pack(r+2, 0, 15, rkOf(r+1))
		last := 0
		for _, f := range strings.Split(line, ",") {
			x := 0
			for _, c := range strings.TrimPrefix(f, "-") {
				x = 10*x + int(c-'0')
			}
			if f[0] == '-' {
				x = -x
			}
			d = append(d, pack(15, rkOf(x))...)
			last++
		}
		cells = append(cells, rec(recMulRK, d, last))
	}
	sst := rec(recSST, uint32(len(texts)), uint32(len(texts)), slices.Concat(texts...))
	return compound("Workbook", workbook(sst, cells...))
}

// The table of CreditCard survives the way through a sheet built from it. That the conversion of the original sheet is right is for the
// checksum of the table to say, each time it is fetched.
func TestCreditCard(t *testing.T) {
	o, err := StudyInfo("creditcard")
	if err != nil {
		t.Fatal(err)
	}
	want, header, rows := tableLines(t, o)
	got, err := creditCardCSV(creditSheet(header, rows), o.Rows)
	if err != nil {
		t.Fatal(err)
	}
	if err := verify(got, Member{o.File, o.CSVBytes, o.CSVSHA256}); err != nil || !bytes.Equal(got, want) {
		t.Error(err)
	}
}

func TestCreditCardRefuses(t *testing.T) {
	header := strings.Repeat("A,", 23) + "default_payment_next_month"
	row := strings.Repeat("-5,", 23) + "1"
	if got, err := creditCardCSV(creditSheet(header, []string{row, row}), 2); err != nil || string(got) != header+"\n"+row+"\n"+row+"\n" {
		t.Fatalf("%q %v", got, err)
	}
	for name, c := range map[string]struct {
		header string
		rows   []string
	}{
		"a row missing": {header, []string{row}}, "a row more": {header, []string{row, row, row}},
		"a column missing": {header[2:], []string{row[3:], row[3:]}}, "a column more": {"A," + header, []string{"1," + row, row}},
		"a cell missing": {header, []string{row, row[3:]}},
	} {
		var e *SheetError
		if _, err := creditCardCSV(creditSheet(c.header, c.rows), 2); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzSheet(f *testing.F) {
	header := strings.Repeat("A,", 23) + "B"
	row := strings.Repeat("-5,", 23) + "1"
	f.Add(creditSheet(header, []string{row, row}))
	f.Add(compound("Workbook", workbook(rec(recSST, uint32(1), uint32(1), text("ID")), rec(recLabelSST, 0, 0, 15, uint32(0)))))
	f.Fuzz(func(t *testing.T, b []byte) {
		var e *SheetError
		if _, err := creditCardCSV(b, 2); err != nil && !errors.As(err, &e) {
			t.Errorf("%T %v", err, err)
		}
	})
}

// The workbook stream alone, which random changes of a compound file seldom reach.
func FuzzWorkbookStream(f *testing.F) {
	f.Add(workbook(rec(recSST, uint32(1), uint32(1), text("ID")), rec(recLabelSST, 0, 0, 15, uint32(0)), rec(recMulRK, 0, 0, 15, rkOf(1), 0)))
	f.Fuzz(func(t *testing.T, b []byte) {
		var e *SheetError
		cells, err := readSheet(b)
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%T %v", err, err)
		}
		if len(cells) > len(b)/6 {
			t.Errorf("%d cells from %d bytes", len(cells), len(b))
		}
	})
}
