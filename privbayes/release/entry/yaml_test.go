package entry

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// What is written as YAML is read as what is written as JSON.
func TestYAMLIsReadAsJSON(t *testing.T) {
	texts := rapid.OneOf(rapid.String().Filter(inBasicPlane), rapid.StringMatching(`[a-z:#'"\-\\|> ]{0,12}`),
		rapid.StringMatching(`- [a-z"]{1,8}(\n[a-z:#-]{1,5}){1,3}`), rapid.SampledFrom([]string{"", "~", "null", "1e3", "true",
			"a\n\nb", " a\nb", "a\nb\n", "a\u2028b\nc", "\x00\nx", "|", "- a\n- b", "# a\nb: 1"}))
	name := rapid.StringMatching(`[abcdefgh_][abcdefgh_23]{0,5}x`)
	var value func(depth int) *rapid.Generator[any]
	fields := func(depth int) *rapid.Generator[record] {
		return rapid.Custom(func(t *rapid.T) record {
			var r record
			for _, n := range rapid.SliceOfNDistinct(name, 1, 4, rapid.ID[string]).Draw(t, "names") {
				r = append(r, field{n, 0, value(depth).Draw(t, n)})
			}
			return r
		})
	}
	value = func(depth int) *rapid.Generator[any] {
		return rapid.Custom(func(t *rapid.T) any {
			kind := rapid.IntRange(0, 4).Draw(t, "kind")
			switch {
			case kind == 0:
				return rapid.Float64Range(-1e300, 1e300).Draw(t, "number")
			case kind == 1:
				return rapid.Int().Draw(t, "integer") % 1e9
			case kind == 2 && depth > 0:
				return fields(depth-1).Draw(t, "record")
			case kind == 3 && depth > 0:
				var list []any
				for range rapid.IntRange(1, 3).Draw(t, "items") {
					if rapid.Bool().Draw(t, "block") {
						list = append(list, fields(depth-1).Draw(t, "item"))
						continue
					}
					list = append(list, texts.Draw(t, "item"))
				}
				return list
			}
			return texts.Draw(t, "text")
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		e := &Entry{fields: fields(3).Draw(t, "fields")}
		asJSON := must.Get(e.JSON())(t)
		want := must.Get(Read(asJSON))(t)
		have, err := Read(e.YAML())
		if err != nil || !reflect.DeepEqual(have, want) {
			t.Fatalf("%v\n%s\n%s", err, e.YAML(), asJSON)
		}
	})
}

// inBasicPlane leaves out what JSON and YAML cannot both escape: what is not visible beyond U+FFFF.
func inBasicPlane(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return r > 0xffff && safetext.CheckLine("a"+string(r)) != nil
	})
}

// Numbers are such in YAML 1.1, too: with a point, and a sign in the exponent.
func TestNumbers(t *testing.T) {
	for want, v := range map[string]any{"1.0": 1.0, "1.0e-06": 1e-6, "2.5e-10": 2.5e-10, "0.1": 0.1, "1.0e+21": 1e21, "435": 435} {
		if have := number(v); have != want {
			t.Errorf("%v is written %s; want %s", v, have, want)
		}
	}
}

// The reader refuses or reads; what it reads is what JSON can hold.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"a: 1\nb:\n  - \"x\"\n  - c: |-\n      t\n      u\n    d: 'e'\n", "{\"a\": [1, {\"b\": null}]}", "a: &b 1", "-", "- - a",
		"a:\n- b\n", "a: |\n", "\ufeffa: 1", "a: \"\\u00e9\" # c"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := Read(b)
		if err != nil {
			if len(err.Error()) > 2000 || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%q", err)
			}
			return
		}
		again, err := json.Marshal(v)
		if err != nil || bytes.TrimSpace(again) == nil {
			t.Errorf("%q is read as %#v: %v", b, v, err)
		}
		leaves(v)
	})
}
