package frame

import (
	"bytes"
	"fmt"
	"testing"
	"testing/iotest"

	"github.com/privbayes/privbayes-go/internal/filecases"
)

// FuzzFormats reads texts under formats with marks, blanks and separators of all kinds: in chunks, byte by byte and by
// the careful reader alone, the frames are equal, or the errors.
func FuzzFormats(f *testing.F) {
	for _, c := range filecases.Load(f, "testdata/cases/*.txt") {
		if len(c.File) < 2000 {
			f.Add(c.File, uint8(0), uint16(5))
			f.Add(c.File, uint8(7), uint16(3))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, form uint8, size uint16) {
		format := &Format{Trim: form&1 != 0}
		if form&2 != 0 {
			format.Thousands = ","
		}
		if form&4 != 0 {
			format.Separator, format.Decimal, format.Thousands = ";", ",", " "
		}
		category := Categorical("c", "a", "x", "Köln")
		category.Missing, category.OnMissing = []string{"", "NA"}, MissingAsCategory
		s := &Schema{Dataset: "d", ExtraColumns: true, Format: format,
			Columns: []Column{Real("x", -1e6, 0, 1e6), category}}
		want, wantErr := sameReading(t, text, s, int(size)%2000+1)
		got, err := Read(t.Context(), iotest.OneByteReader(bytes.NewReader(text)), "t.csv", s)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || err == nil && !sameFrame(got, want) {
			t.Fatalf("byte by byte: %v; at once: %v\n%q", err, wantErr, text)
		}
	})
}
