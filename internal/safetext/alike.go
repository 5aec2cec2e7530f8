package safetext

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Same is a text's compatibility form (NFKC): two names with one form are the same name in different encodings, such as
// é in one character and in two, or ﬁ and fi.
func Same(text string) string {
	if plain(text) {
		return text
	}
	return norm.NFKC.String(text)
}

// Likeness says how two different texts are easily taken for each other.
type Likeness string

// The kinds of likeness.
const (
	Case    Likeness = "differ only in case"
	Letters Likeness = "look alike" // letters of another script, or characters that many fonts draw alike
)

// Pair is two texts of a list that are easily taken for each other, by their places: First < Second.
type Pair struct {
	First, Second int
	Likeness      Likeness
}

// Alike lists, in the order of the list, every text that is easily taken for an earlier one, with the first such.
func Alike(texts []string) []Pair {
	var out []Pair
	cases, exact, folded := map[string]int{}, map[string]int{}, map[string]int{}
	for i, text := range texts {
		kinds := []struct {
			seen map[string]int
			key  string
			like Likeness
		}{{cases, fold(text), Case}, {exact, skeleton(text, true), Letters},
			{folded, fold(skeleton(text, false)), Letters}}
		found := false
		for _, k := range kinds {
			first, ok := k.seen[k.key]
			switch {
			case !ok:
				k.seen[k.key] = i
			case !found && texts[first] != text:
				out, found = append(out, Pair{first, i, k.like}), true
			}
		}
	}
	return out
}

// fold removes differences of case: the least rune of every orbit of simple case folding in the decomposed text, ß as
// ss.
func fold(text string) string {
	return strings.ReplaceAll(strings.Map(func(r rune) rune {
		least := r
		for s := unicode.SimpleFold(r); s != r; s = unicode.SimpleFold(s) {
			least = min(least, s)
		}
		return least
	}, norm.NFKD.String(text)), "ß", "SS")
}

// Letters that most fonts draw alike, each above the Latin letter or digit that stands for it: capitals and small
// letters of Cyrillic, Greek and Armenian, and a few of Latin's own. It is the part of Unicode's list of confusables
// (UTS 39) that a reader of European scripts meets; it does not cover other scripts, mathematical alphabets (they are
// equal under NFKC), accents or sequences of letters but rn.
const (
	looks = "АВЕЅІЈКМНОРСТУХҮҺԚԜӀ" + "аеѕіјорсухһԁԛԝүӏгп" + "ЗЬ" +
		"ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϺͿϜ" + "αγηικνορτυχωϲϳ" +
		"ՏՕԼՍօոսհյցզ" +
		"ɑɡıƖǀ"
	means = "ABESIJKMHOPCTYXYhQWI" + "aesijopcyxhdqwylrn" + "3b" +
		"ABEZHIKMNOPTYXCMJF" + "aynikvoptuxwcj" +
		"SOLUonuhjgq" +
		"agill"
)

var alike = func() map[rune]rune {
	m, to := map[rune]rune{}, []rune(means)
	for i, r := range []rune(looks) {
		m[r] = to[i]
	}
	return m
}()

// Unmixed is a text in which every letter that looks like a Latin one and is of another script is escaped where it
// stands in a word with Latin letters, so that no word of a program's is taken for another: g\u0435ometric. Words of
// one script stay as they are.
func Unmixed(text string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.M, r) }
	latin := func(r rune) bool { return r < 0x80 && unicode.IsLetter(r) }
	for len(text) > 0 {
		n := strings.IndexFunc(text, func(r rune) bool { return !word(r) })
		if n < 0 {
			n = len(text)
		}
		part := text[:n]
		mixed := strings.ContainsFunc(part, latin)
		for i, r := range part {
			if _, looks := alike[r]; looks && mixed {
				escape(&b, part, i, r)
			} else {
				b.WriteRune(r)
			}
		}
		text = text[n:]
		n = strings.IndexFunc(text, word)
		if n < 0 {
			n = len(text)
		}
		b.WriteString(text[:n])
		text = text[n:]
	}
	return b.String()
}

// skeleton replaces what looks alike by one of its kind. With figures, 0 is the letter O, and 1, I and | are l. Joiners
// are dropped.
func skeleton(text string, figures bool) string {
	s := strings.Map(func(r rune) rune {
		if r == zwj || r == zwnj {
			return -1
		}
		if a, ok := alike[r]; ok {
			r = a
		}
		if figures {
			switch r {
			case '0':
				return 'O'
			case '1', 'I', '|':
				return 'l'
			}
		}
		return r
	}, norm.NFD.String(text))
	return strings.ReplaceAll(norm.NFKC.String(s), "m", "rn")
}
