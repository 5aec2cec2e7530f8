package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	goccy "github.com/goccy/go-yaml"

	"github.com/privbayes/privbayes-go/privbayes/release/entry"
)

// byOther reads with a parser that does not take U+0085, U+2028 and U+2029 for ends of lines, as YAML 1.2 says; byYAML
// takes them for such, as YAML 1.1 says.
func byOther(text []byte) (v any, err error) {
	err = goccy.UnmarshalWithOptions(text, &v, goccy.Strict())
	return v, err
}

// The two parsers differ where a record could hide fields, which is why both stand here.
func TestParsersDiffer(t *testing.T) {
	for _, end := range []string{"\u0085", "\u2028", "\u2029"} {
		text := []byte("epsilon: 1.0\nnote: x # hidden" + end + "delta: 0.5\n")
		one, err := byYAML(text)
		if err != nil {
			t.Fatal(err)
		}
		other, err := byOther(text)
		if err != nil {
			t.Fatal(err)
		}
		if len(one.(map[string]any)) != 3 || len(other.(map[string]any)) != 2 {
			t.Errorf("%q: %v and %v", end, one, other)
		}
	}
}

// corpus are records, and parts that mutations put into them.
var (
	corpus = []string{"a: 1\nb:\n  - \"x\"\n  - c: |-\n      t\n      u\n    d: 'e'\n",
		`{"a": [1, {"b": "c"}], "d": -0.5}`,
		"# note\nepsilon: 1.0 # one\ndelta: 1.0e-07\ntext: |-\n  - a: 1\n\n    # not a comment\n  b\n" +
			"list:\n  -\n    x: 'it''s'\n  - plain text\n",
		"a:\r\n  b: \"\\u00e9\\n\\\"\"\r\n  c: -12\r\nd: Approximate DP # as certified\r\n", "a: \"\"\nb: ''\n"}
	parts = []string{"\n", " ", "  ", "\t", "\r", "\r\n", "\u0085", "\u2028", "\u2029", "\ufeff", "\u00a0", "\u3000",
		":", ": ", "#", " #", " # ", "-", "- ", "\"", "'", "\\", "|", "|-", "|+", ">", "&a ", "*a", "!!str ", "!",
		"<<: ", "{", "}", "[", "]", ",", "? ", "---", "...", "%", "@", "`", "~", "null", "no", "yes", "true", "0", "1",
		"1_000", "0o7", "010", "0x1", ".5", "1e-1", "1.0e-1", "1.", "+1", ".inf", ".nan", "1:30", "2024-01-01",
		"\nz: 2024-01-01\n", "a", "b: 2\n", "A: 2\n", "\na: 1", "\n  ", "\n    x", "é", "\\/", "\\ud83d", "\\n",
		"\\x41", "\n\n", " |-\n   x", "=", "..", "e"}
)

// mutated is a record with some of its parts changed.
func mutated(r *rand.Rand) []byte {
	text := corpus[r.IntN(len(corpus))]
	for range 1 + r.IntN(3) {
		at, to := r.IntN(len(text)+1), 0
		switch r.IntN(4) {
		case 0: // left out
			to = min(len(text), at+1+r.IntN(4))
			text = text[:at] + text[to:]
		case 1: // stands twice
			to = min(len(text), at+1+r.IntN(12))
			text = text[:to] + text[at:to] + text[to:]
		default:
			text = text[:at] + parts[r.IntN(len(parts))] + text[at:]
		}
	}
	return []byte(text)
}

// disagreement says where one of the parsers reads a text, which a reader has accepted, otherwise.
func disagreement(text []byte, read func([]byte) (map[string]any, error)) error {
	for _, other := range []func([]byte) (any, error){byYAML, byOther} {
		own, err := read(text)
		if err != nil {
			return nil
		}
		if v, err := other(text); err != nil || !reflect.DeepEqual(inFloats(v), any(own)) {
			return fmt.Errorf("%q is read as\n%#v and\n%#v, %v", text, own, v, err)
		}
	}
	return nil
}

// takesNEL is a reader that takes U+0085 for a character like any other: the fault that the reader had.
func takesNEL(text []byte) (map[string]any, error) {
	const stand = "\u00b6"
	return entry.Read(bytes.ReplaceAll(text, []byte("\u0085"), []byte(stand)))
}

// endsAtCR is a reader that takes a lone carriage return for a blank.
func endsAtCR(text []byte) (map[string]any, error) {
	return entry.Read(bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte(" ")))
}

// takesDates is a reader that reads unquoted words that others take for something else, as texts.
func takesDates(text []byte) (map[string]any, error) {
	return entry.Read(bytes.ReplaceAll(text, []byte(": 2024-01-01"), []byte(`: "2024-01-01"`)))
}

// What the reader accepts, both parsers read in the same way; readers with the faults are caught by the same search.
func TestRecordsAreReadOneWay(t *testing.T) {
	readers := map[string]struct {
		read  func([]byte) (map[string]any, error)
		right bool
	}{"": {entry.Read, true}, "U+0085": {takesNEL, false}, "CR": {endsAtCR, false}, "dates": {takesDates, false}}
	for name, c := range readers {
		r := rand.New(rand.NewPCG(33, 1))
		accepted := 0
		var err error
		for range 20000 {
			text := mutated(r)
			if _, e := c.read(text); e == nil {
				accepted++
				if err = disagreement(text, c.read); err != nil {
					break
				}
			}
		}
		if (err == nil) != c.right || c.right && accepted < 2000 {
			t.Errorf("%s: %d accepted, %v", name, accepted, err)
		}
	}
}

func FuzzRecordsAreReadOneWay(f *testing.F) {
	for _, text := range corpus {
		f.Add([]byte(text))
		for _, part := range parts {
			f.Add([]byte(text + part))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := disagreement(text, entry.Read); err != nil {
			t.Error(err)
		}
	})
}

// The command refuses what the library's reader would take and a reader of YAML does not, or reads otherwise.
func TestReadAlike(t *testing.T) {
	for text, want := range map[string]string{"a: 1 # x\u0085b: 2\n": "differ", "a: 1\n---\na: 1\n": "second document",
		"a: 1\na: 1\n": "already defined", "a: 2": "differ", "a: 1": ""} {
		err := readAlike([]byte(text), func([]byte) (map[string]any, error) { return map[string]any{"a": 1.0}, nil }, byYAML)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
