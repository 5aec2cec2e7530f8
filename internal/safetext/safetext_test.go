package safetext_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// What a hostile or careless author may put into a name, by what it does.
var refused = map[string]string{
	"empty":                  "",
	"line feed":              "person\n1-DP, replace-one",
	"carriage return":        "person, arithmetic: ideal\r0.01-DP, exact",
	"tab":                    "a\tb",
	"escape sequence":        "person\x1b[2K\x1b[1A",
	"C1 control":             "person\u009b2K",
	"null":                   "a\x00",
	"delete":                 "a\x7f",
	"next line":              "a\u0085b",
	"line separator":         "a\u2028b",
	"paragraph separator":    "a\u2029b",
	"right-to-left override": "person\u202e txet",
	"embedding":              "\u202aperson\u202c",
	"isolate":                "\u2066person\u2069",
	"left-to-right mark":     "person\u200e",
	"Arabic letter mark":     "person\u061c",
	"zero width space":       "per\u200bson",
	"non-joiner in Latin":    "per\u200cson",
	"joiner in Latin":        "per\u200dson",
	"joiner in Arabic":       "می\u200dخواهم",
	"non-joiner at the end":  "می\u200c",
	"joined emoji":           "👩\u200d👧",
	"word joiner":            "per\u2060son",
	"invisible times":        "a\u2062b",
	"byte order mark":        "\ufeffperson",
	"soft hyphen":            "per\u00adson",
	"variation selector":     "a\ufe0f",
	"variation selector 17":  "a\U000e0100",
	"tag":                    "a\U000e0041",
	"Hangul filler":          "a\u3164",
	"half-width filler":      "a\uffa0",
	"Hangul choseong":        "a\u115f",
	"Hangul jungseong":       "a\u1160",
	"Khmer vowel":            "a\u17b4",
	"Mongolian selector":     "a\u180b",
	"grapheme joiner":        "a\u034fb",
	"blank Braille":          "a\u2800b",
	"object":                 "a\ufffcb",
	"private use":            "a\ue000",
	"unassigned":             "a\U0003ffff",
	"not UTF-8":              "a\xff",
	"leading space":          " person",
	"trailing space":         "person ",
	"no-break space":         "a\u00a0b",
	"thin space":             "a\u2009b",
	"Ogham space":            "a\u1680b",
	"ideographic at an end":  "a\u3000",
	"mark first":             "\u0301a",
	"marks without end":      "a" + strings.Repeat("\u0301", 9),
	"too long":               strings.Repeat("a", safetext.MaxRunes+1),
}

// Names of real languages and data sets.
var accepted = []string{
	"person", "member of Congress", "<=50K", "[0, 10)", `3/4" pipe`, `back\slash`, "a, b; c", "100 %", "naïve", "na\u0131ve", "Ελλάδα", "Москва", "Հայաստան",
	"שלום", "העיר", "مرحبا", "می\u200cخواهم", "کتاب\u200cها", "हिन्दी", "क्\u200dष", "क्\u200cष", "ශ්\u200dරී", "ന്\u200d", "বাংলা", "தமிழ்", "ไทย", "ភាសាខ្មែរ", "မြန်မာ", "བོད་ཡིག",
	"東京", "東京\u3000都", "한국어", "日本語", "Việt Nam", "e\u0301", "🙂", "🇩🇪", "½", "m²", "∞", "person, arithmetic: exact", "person of up to 10 rows", "'quoted'", "1", "-",
	strings.Repeat("é", safetext.MaxRunes),
}

func TestCheck(t *testing.T) {
	for what, text := range refused {
		var e *safetext.Error
		if err := safetext.Check(text); !errors.As(err, &e) || e.Text != text {
			t.Errorf("%s: %q passes: %v", what, text, err)
		} else if hiddenIn(err.Error()) {
			t.Errorf("%s: the error shows it raw: %q", what, err)
		}
	}
	for _, text := range accepted {
		if err := safetext.Check(text); err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{"", "two\nlines\r\nof\ttext", " spaces ", "no\u00a0break"} {
		if err := safetext.CheckProse(text); err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{"a\rb", "a\x1b[1A", "a\u202eb", "a\u200bb"} {
		if safetext.CheckProse(text) == nil || safetext.CheckLine(text) == nil {
			t.Errorf("%q is prose", text)
		}
	}
	if safetext.CheckLine("a\nb") == nil || safetext.CheckLine(strings.Repeat("long ", 1000)) != nil {
		t.Error("a line is one of any length")
	}
}

// hiddenIn is a second opinion on what must not reach a terminal, written from general categories alone; joiners are
// looked at elsewhere.
func hiddenIn(text string) bool {
	if !utf8.ValidString(text) {
		return true
	}
	for _, r := range text {
		if r == '\u200c' || r == '\u200d' {
			continue
		}
		if unicode.In(
			r,
			unicode.C,
			unicode.Zl,
			unicode.Zp,
			unicode.Variation_Selector,
			unicode.Other_Default_Ignorable_Code_Point,
		) ||
			r == 0x2800 {
			return true
		}
	}
	return false
}

func anyText() *rapid.Generator[string] {
	odd := []string{
		`"`,
		`\`,
		"'",
		"''",
		"“",
		"″",
		"＂",
		"״",
		"\n",
		"\r",
		"\x1b",
		"\u202e",
		"\u200b",
		"\xff",
		"\u0301",
		"\u3000",
		"\u00a0",
		"\ufeff",
		"\U000e0041",
		"é",
		" ",
		"\\u0022",
		"\u200c",
		"ی",
		"`",
		"´",
	}
	for _, s := range refused {
		if len(s) < 100 {
			odd = append(odd, s)
		}
	}
	odd = append(odd, accepted[:10]...)
	return rapid.OneOf(rapid.String(), rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(odd), 0, 6).Draw(t, "parts"), "")
	}))
}

// Quotes hold what is between them: the text comes back by the rules of Go, and nothing inside looks like a double
// quote.
func TestQuoteIsUnambiguous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		q := safetext.Quote(text)
		if back, err := strconv.Unquote(q); err != nil || back != text {
			t.Fatalf("%q is shown as %s, which is %q: %v", text, q, back, err)
		}
		inside := q[1 : len(q)-1]
		if strings.ContainsAny(inside, "\"“”„‟″‴‶‷״＂ˮʺ˝〃〝〞〟❝❞") || strings.Contains(inside, "''") || hiddenIn(inside) {
			t.Fatalf("%q is shown as %s", text, q)
		}
		if s := safetext.Short(text); utf8.RuneCountInString(s) > 10*80+3 || hiddenIn(s) {
			t.Fatalf("%q is shown as %s", text, s)
		}
		for _, s := range []string{safetext.Line(text), safetext.Prose(text), safetext.Word(text), safetext.File(text)} {
			if hiddenIn(s) {
				t.Fatalf("%q is shown as %q", text, s)
			}
		}
		if safetext.Check(text) == nil && safetext.Line(text) != text {
			t.Fatalf("a good name changes: %q, %q", text, safetext.Line(text))
		}
	})
	for text, want := range map[string]string{
		"person": `"person"`, `say "no"`: `"say \u0022no\u0022"`, "a”b": `"a\u201db"`, "a''b": `"a'\u0027b"`,
		"it's": `"it's"`, `a\b`: `"a\\b"`, "a\n": `"a\n"`, "é": `"é"`,
		"کتاب\u200cها": "\"کتاب\u200cها\"", "a\u200cb": `"a\u200cb"`, "\u0301": `"\u0301"`, "\xff": `"\xff"`,
		"\x1b": `"\u001b"`, "\U000e0041": `"\U000e0041"`,
	} {
		if got := safetext.Quote(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	// the naive way lets a text close its quotes: the property has power
	if naive := `"` + `a" b` + `"`; strings.Count(naive, `"`) == 2 {
		t.Error("a text that closes its quotes is not seen")
	}
}

func TestSmallForms(t *testing.T) {
	for got, want := range map[string]string{
		safetext.Word("a1_b-2.c:3"): "a1_b-2.c:3", safetext.Word("a b"): `"a b"`, safetext.Word(""): `""`,
		safetext.File("/tmp/x.json"): "/tmp/x.json", safetext.File("a\nb"): `"a\nb"`,
		safetext.File("x, 1-DP"): `"x, 1-DP"`, safetext.Clip("abcdef", 3): "abc…", safetext.Clip(`a "bcd" e`, 4): `a "b…"`,
		safetext.Clip(`a "\"cd" e`, 5): `a "\"…"`, safetext.Clip(`"a" bcdef`, 5): `"a" b…`, safetext.Clip("äöü", 3): "äöü",
		safetext.Clip("abc", 3): "abc", safetext.Lines("a\nb\r"): "a\nb\\r",
		safetext.Prose("a\r\nb\tc\x1b"):         `a b c\u001b`,
		safetext.Short(strings.Repeat("a", 81)): `"` + strings.Repeat("a", 80) + `"…`,
		safetext.Line("tab\there"):              `tab\there`,
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want safetext.Likeness
	}{
		{"Male", "male", safetext.Case}, {"straße", "STRASSE", safetext.Case}, {"ΣΊΣΥΦΟΣ", "σίσυφος", safetext.Case},
		{"K", "\u212a", safetext.Case},
		{"scope", "ѕсоре", safetext.Letters}, {"AB", "АВ", safetext.Letters}, {"A", "Α", safetext.Letters},
		{"OSLO", "ՕՏԼՕ", safetext.Letters}, {"modern", "modem", safetext.Letters},
		{"O", "0", safetext.Letters}, {"type I", "type l", safetext.Letters}, {"type 1", "type I", safetext.Letters},
		{"Paypal", "раураӏ", safetext.Letters}, {"کتاب\u200cها", "کتابها", safetext.Letters},
		{"naïve", "naіve\u0308", ""}, {"yes", "no", ""}, {"L", "1", ""}, {"a", "á", ""}, {"V1", "V2", ""},
		{"S", "5", ""}, {"ж", "x", ""},
	} {
		pairs := safetext.Alike([]string{"other", c.a, c.b})
		switch {
		case c.want == "" && len(pairs) > 0, c.want != "" && (len(pairs) != 1 || pairs[0] != safetext.Pair{1, 2, c.want}):
			t.Errorf("%q and %q: %v, want %q", c.a, c.b, pairs, c.want)
		}
	}
	for a, b := range map[string]string{"é": "e\u0301", "ﬁne": "fine", "Ａ": "A", "m²": "m2", "Å": "\u212b", "①": "1"} {
		if safetext.Same(a) != safetext.Same(b) {
			t.Errorf("%q and %q are equal under NFKC", a, b)
		}
	}
	if safetext.Same("a") == safetext.Same("А") {
		t.Error("letters of two scripts are not equal")
	}
}

// A letter of another script in a Latin word is escaped; words of one script, and what stands between words, are not.
func TestUnmixed(t *testing.T) {
	for text, want := range map[string]string{
		"geometric noise":              "geometric noise",
		"g\u0435ometric noise":         `g\u0435ometric noise`,
		"Geometri\u0441 n\u043eise, 1": `Geometri\u0441 n\u043eise, 1`,
		"перепись, ε = 1, γ":           "перепись, ε = 1, γ",
		"counts of \"доход\"":          "counts of \"доход\"",
		"naïve Bayes, ı":               "naïve Bayes, ı", "dıgit": `d\u0131git`, "": "", "\u0435": "\u0435",
	} {
		if got := safetext.Unmixed(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// FuzzShow: nothing that is shown holds what a terminal would obey, and a quoted text comes back.
func FuzzShow(f *testing.F) {
	for _, s := range refused {
		f.Add(s)
	}
	for _, s := range accepted {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if back, err := strconv.Unquote(safetext.Quote(s)); err != nil || back != s {
			t.Fatalf("%q: %q, %v", s, back, err)
		}
		for _, shown := range []string{safetext.Quote(s), safetext.Line(s), safetext.Short(s)} {
			if hiddenIn(shown) {
				t.Fatalf("%q is shown as %q", s, shown)
			}
		}
		if safetext.Check(s) == nil && (hiddenIn(s) || strings.TrimSpace(s) != s || s == "") {
			t.Fatalf("%q passes", s)
		}
	})
}
