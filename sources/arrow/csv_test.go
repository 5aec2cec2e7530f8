package arrow_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	apache "github.com/apache/arrow-go/v18/arrow"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/sources/arrow"
)

// written is the CSV of a source, read under a schema.
func written(t *testing.T, src *arrow.Source, s *frame.Schema) *frame.Frame {
	t.Helper()
	var b bytes.Buffer
	if err := src.CSV(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	f, err := frame.Read(t.Context(), &b, "written", s, frame.WithFormat(frame.Format{}))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestBytesAndCSV: a file and a stream in memory, and the CSV text of either, are the table, also under a schema whose
// files have another form and under one that caps the rows of a person.
func TestBytesAndCSV(t *testing.T) {
	head, body := rows(t)
	other := sourcetest.Schema(t)
	other.Format = &frame.Format{Separator: ";", Decimal: ","}
	for kinds, s := range map[string]*frame.Schema{"typed": sourcetest.Schema(t), "typed dictionaries": other,
		"dictionaries": sourcetest.Units(t, 2, false), "exact": sourcetest.Schema(t)} {
		some := batches(t, head, body, tables[kinds], 1000) // a file has one dictionary of a column
		plain := s.Clone()
		plain.Format = nil
		want := source.OfFrame(sourcetest.FrameUnder(t, plain))
		releases := sourcetest.Releases(t, want)
		for _, b := range [][]byte{file(t, some), stream(t, some)} {
			src, err := arrow.Bytes(t.Context(), s, "standard input", b)
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range sourcetest.Releases(t, source.OfFrame(written(t, src, plain))) {
				if !bytes.Equal(r, releases[i]) {
					t.Errorf("%s: release %d of the text differs from that of the frame", kinds, i)
				}
			}
			if s.Format == nil {
				sourcetest.Same(t, want, src)
			} else if got := written(t, src, s); got.Len() != len(body) {
				t.Errorf("%d of %d rows", got.Len(), len(body))
			}
		}
	}
}

// TestPartAsCSV: the two parts of a table have its rows, each in one of them.
func TestPartAsCSV(t *testing.T) {
	head, body := rows(t)
	s := sourcetest.Schema(t)
	train, err := source.NewPart("id", .6, 3)
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, p := range []source.Part{train, train.Rest()} {
		part, err := records(t, s, batches(t, head, body, nil, 31)).Part(p)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, written(t, part.(*arrow.Source), s).Len())
	}
	if sizes[0]+sizes[1] != len(body) || slices.Contains(sizes, 0) {
		t.Errorf("parts of %v rows of %d", sizes, len(body))
	}
}

// TestBytesRefused: bytes that are no whole table give the error of a file, which names them and shows no value.
func TestBytesRefused(t *testing.T) {
	head, body := rows(t)
	body[3][slices.Index(head, "colour")] = sourcetest.Secret
	s := sourcetest.Schema(t)
	one := stream(t, batches(t, head, body, map[string]kind{"colour": {of: text}}, 100))
	for name, b := range map[string][]byte{"empty": nil, "short": one[:3], "cut": one[:len(one)-8],
		"half": one[:len(one)/2], "CSV": []byte(sourcetest.CSV())} {
		_, err := arrow.Bytes(t.Context(), s, "standard input", b)
		var e *arrow.FileError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), "standard input") {
			t.Errorf("%s: %v", name, err)
		}
	}
	src, err := arrow.Bytes(t.Context(), s, "standard input", one)
	if err != nil {
		t.Fatal(err)
	}
	bad := stream(t, batches(t, head, nil, map[string]kind{"class": {of: apache.BinaryTypes.Binary}}, 9))
	if _, err := arrow.Bytes(t.Context(), s, "standard input", bad); err == nil {
		t.Error("a column of bytes is read")
	}
	var b bytes.Buffer
	if err := src.CSV(t.Context(), &b); err != nil || !strings.Contains(b.String(), sourcetest.Secret) {
		t.Errorf("the text of a value that does not fit is what is to be mended: %v", err)
	}
}
