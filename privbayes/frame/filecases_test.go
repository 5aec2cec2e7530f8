package frame

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/privbayes/privbayes-go/internal/filecases"
	"github.com/privbayes/privbayes-go/internal/seal"
)

var updateCases = flag.Bool("update-cases", false, "rewrite the outputs of testdata/cases")

// Files as people have them: each is read, or named with what to do, and all ways to read agree. A case with the
// keyword "draft" also says what SchemaSkeleton writes.
func TestFileCases(t *testing.T) {
	filecases.Walk(t, "testdata/cases/*.txt", *updateCases, func(t *testing.T, c filecases.Case) (out []filecases.Output) {
		if c.Schema != nil {
			s, err := ParseSchema(c.Schema)
			if err != nil {
				out = append(out, filecases.Output{Key: "schema error", Text: err.Error() + "\n"})
			} else {
				out = append(out, readEveryWay(t, c.File, s))
			}
		}
		for _, want := range c.Want {
			if strings.HasPrefix(want.Key, "draft") {
				out = append(out, draftOf(c.File))
			}
		}
		return out
	})
}

// readEveryWay is what reading gives, and compares the ways.
func readEveryWay(t *testing.T, text []byte, s *Schema) filecases.Output {
	t.Helper()
	f, err := Read(t.Context(), bytes.NewReader(text), "t.csv", s)
	for _, size := range []int{1, 3, 7, 20, 64, 1000} {
		_, _ = sameReading(t, text, s, size)
	}
	want := shown(f, err)
	for name, r := range map[string]func() (*Frame, error){
		"byte by byte": func() (*Frame, error) {
			return Read(t.Context(), iotest.OneByteReader(bytes.NewReader(text)), "t.csv", s)
		},
		"data with its end": func() (*Frame, error) {
			return Read(t.Context(), iotest.DataErrReader(bytes.NewReader(text)), "t.csv", s)
		},
	} {
		if got := shown(r()); got != want {
			t.Errorf("%s:\n%v\nwant\n%v", name, got, want)
		}
	}
	v, checkErr := Check(t.Context(), bytes.NewReader(text), "t.csv", s)
	if err == nil && (checkErr != nil || v.Count() != 0) || err != nil && checkErr == nil && v.Count() == 0 {
		t.Errorf("check: %v, %v; reading: %v", v, checkErr, err)
	}
	passes(t, text, s, f, err)
	return want
}

// passes compares a Pass with the frame.
func passes(t *testing.T, text []byte, s *Schema, f *Frame, err error) {
	t.Helper()
	t.Chdir(t.TempDir())
	if e := os.WriteFile("t.csv", text, 0o600); e != nil {
		t.Fatal(e)
	}
	if capped, _ := s.CapsRows(); capped {
		return
	}
	p := Pass{Schema: s, Paths: []string{"t.csv"},
		Sink: func() func(*Block) error { return func(*Block) error { return nil } }}
	rows, passErr := p.Run(context.Background(), seal.Mine())
	if fmt.Sprint(passErr) != fmt.Sprint(err) || err == nil && rows != f.Len() {
		t.Errorf("a pass: %d rows, %v; reading: %v", rows, passErr, err)
	}
	n, countErr := p.Count(context.Background(), seal.Mine())
	if err == nil && (countErr != nil || n != rows) {
		t.Errorf("counting: %d rows, %v; want %d", n, countErr, rows)
	}
}

// shown is a frame row by row, or an error.
func shown(f *Frame, err error) filecases.Output {
	if err != nil {
		return filecases.Output{Key: fmt.Sprintf("error %T", err), Text: err.Error() + "\n"}
	}
	var b strings.Builder
	for row := range f.n {
		for i, c := range f.schema.Columns {
			if i > 0 {
				b.WriteString(" · ")
			}
			switch {
			case c.Kind == KindSequence:
				fmt.Fprint(&b, f.cols[i].seqs[row])
			case c.Numeric() && !math.IsNaN(f.cols[i].values.at(row)):
				b.WriteString(c.Text(f.cols[i].values.at(row)))
			default:
				b.WriteString(c.Labels()[f.cols[i].codes.At(row)])
			}
		}
		b.WriteByte('\n')
	}
	return filecases.Output{Key: "read", Text: b.String()}
}

func draftOf(text []byte) filecases.Output {
	b, err := SchemaSkeleton(bytes.NewReader(text), "t")
	if err != nil {
		return filecases.Output{Key: fmt.Sprintf("draft error %T", err), Text: err.Error() + "\n"}
	}
	return filecases.Output{Key: "draft", Text: string(b)}
}
