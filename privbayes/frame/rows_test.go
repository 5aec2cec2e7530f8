package frame

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Rows that are public are shown and written, and read back as the same rows; private ones are not.
func TestPublicRowsAreShownAndWritten(t *testing.T) {
	text := "city,income,vote,age,trip\n" + strings.Repeat("Ulm,1,y,17,a\nBern,4321,n,77,b>c\n", 8)
	f := mustRead(t, text, people())
	var refused *PrivateRowsError
	if err := f.WriteCSV(new(bytes.Buffer)); !errors.As(err, &refused) || f.Parts() != nil {
		t.Fatal(err)
	}
	if strings.Contains(table.HTML(f), "4321") {
		t.Error("a private frame shows a row")
	}
	open, err := f.AsPublic("made up")
	if err != nil {
		t.Fatal(err)
	}
	if s := open.String(); !strings.Contains(s, "4321") || !strings.Contains(s, "public frame under") ||
		!strings.Contains(s, "16 rows in all") {
		t.Error(s)
	}
	var b bytes.Buffer
	if err := open.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	again := mustRead(t, b.String(), people())
	for _, c := range people().Columns {
		if c.Kind == KindSequence {
			continue
		}
		x, err := f.Codes(c.Name)
		y, again := again.Codes(c.Name)
		if err != nil || again != nil || x.Len() != y.Len() {
			t.Fatal(err, again)
		}
		for i := range x.Len() {
			if x.At(i) != y.At(i) {
				t.Fatalf("%s of row %d is %d, was %d", c.Name, i, y.At(i), x.At(i))
			}
		}
	}
	if !strings.Contains(b.String(), "b>c") {
		t.Error(b.String())
	}
}
