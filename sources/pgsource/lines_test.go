package pgsource

import (
	"bytes"
	"slices"
	"testing"
)

// escaped writes a field as PostgreSQL does in COPY's text format.
func escaped(field []byte) []byte {
	if field == nil {
		return []byte(`\N`)
	}
	letters := map[byte]byte{'\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v', '\\': '\\'}
	out := []byte{}
	for _, c := range field {
		if letters[c] != 0 {
			out = append(out, '\\', letters[c])
		} else {
			out = append(out, c)
		}
	}
	return out
}

// Rows of any fields come back as they were, however the server cuts them into messages.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a"), []byte(`\N`), []byte("\t\\\n"), false, 1)
	f.Add([]byte(""), []byte("x"), []byte(""), true, 3)
	f.Fuzz(func(t *testing.T, a, b, c []byte, null bool, cut int) {
		rows := [][][]byte{{a, b, c}, {c, a, b}, {b, c, a}}
		if null {
			rows[1][1] = nil
		}
		var text []byte
		for i, row := range rows {
			for k := range row {
				if row[k] == nil && (i != 1 || k != 1 || !null) {
					row[k] = []byte{}
				}
				if text = append(text, escaped(row[k])...); k < 2 {
					text = append(text, '\t')
				}
			}
			text = append(text, '\n')
		}
		at := 0
		l := newLines(3, func(fields [][]byte) error {
			for k, field := range fields {
				if !bytes.Equal(field, rows[at][k]) || (field == nil) != (rows[at][k] == nil) {
					t.Fatalf("row %d, field %d: %q, want %q", at, k, field, rows[at][k])
				}
			}
			at++
			return nil
		})
		for part := range slices.Chunk(text, 1+(cut%17+17)%17) {
			if _, err := l.Write(bytes.Clone(part)); err != nil {
				t.Fatal(err)
			}
		}
		if at != 3 || len(l.rest) != 0 {
			t.Fatalf("%d rows, %d bytes left", at, len(l.rest))
		}
	})
}

// What no server sends is refused: too few fields, too many, a backslash at the end.
func TestLinesThatAreNone(t *testing.T) {
	for _, text := range []string{"a\n", "a\tb\tc\n", "a\tb\\\n"} {
		l := newLines(2, func([][]byte) error { return nil })
		if _, err := l.Write([]byte(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
