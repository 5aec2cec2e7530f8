package frame

import (
	"math"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Within is a public superset of the categories of an open column: a list of codes, or all texts of some lengths over
// an alphabet. Categories are then released at pure ε. Values that are not in it count as others.
type Within struct {
	Codes []string `json:"codes,omitempty"` // at most a million, each once
	// Without Codes: all texts of Shortest to Length signs of Alphabet, at most 2^32 in all. Shortest is Length if 0.
	// Alphabet has ASCII letters, digits and marks. A-Z, or 2-7, stands for what lies between two letters of one case, or
	// two digits. A dash that is itself a sign stands first or last.
	Length   int    `json:"length,omitempty"`
	Shortest int    `json:"shortest,omitempty"`
	Alphabet string `json:"alphabet,omitempty"`
	// Levels are numbers of leading characters, increasing. Codes that begin alike are counted together at each, and
	// codes that are not listed stand under the longest beginning that is, as "12*". All codes then have one length, or
	// Codes lists them. The whole code is the last level and is not in Levels.
	Levels []int `json:"levels,omitempty"`
	// Shares are the parts of ε that each level has and, as the last, whole codes: whole numbers. Without them all have
	// the same.
	Shares []int `json:"shares,omitempty"`
	// Beta bounds the probability that any code is listed that nobody holds; 0.05 if 0.
	Beta float64 `json:"beta,omitempty"`
}

// The largest supersets, and the bound on false categories unless the schema says another.
const (
	mostCodes   = 1_000_000
	mostTexts   = 1 << 32
	defaultBeta = .05
)

// AnyFalse is the bound on the probability that a code is listed which nobody holds.
func (w *Within) AnyFalse() float64 {
	if w.Beta == 0 {
		return defaultBeta
	}
	return w.Beta
}

func (w *Within) clone() *Within {
	if w == nil {
		return nil
	}
	out := *w
	out.Codes, out.Levels, out.Shares = slices.Clone(w.Codes), slices.Clone(w.Levels), slices.Clone(w.Shares)
	return &out
}

// signs are the signs of the alphabet in their order, none of one that is wrong.
func (w *Within) signs() (signs []byte) {
	a := w.Alphabet
	for i := 0; i < len(a); i++ {
		first, last := a[i], a[i]
		switch {
		case i+2 < len(a) && a[i+1] == '-':
			last, i = a[i+2], i+2
			if !isRange(first, last) {
				return nil
			}
		case first == '-' && i > 0 && i+1 < len(a):
			return nil
		}
		for s := first; s <= last; s++ {
			if s <= ' ' || s > '~' || slices.Contains(signs, s) {
				return nil
			}
			signs = append(signs, s)
		}
	}
	slices.Sort(signs)
	return signs
}

// isRange reports whether signs lie between two of an alphabet: letters of one case, or digits.
func isRange(first, last byte) bool {
	return slices.ContainsFunc([]string{"AZ", "az", "09"}, func(all string) bool {
		return all[0] <= first && first < last && last <= all[1]
	})
}

// lengths are those of texts over an alphabet.
func (w *Within) lengths() (least, most int) {
	if w.Shortest == 0 {
		return w.Length, w.Length
	}
	return w.Shortest, w.Length
}

// size is how many codes there are, approximately where there are very many.
func (w *Within) size() (sum float64) {
	if len(w.Codes) > 0 {
		return float64(len(w.Codes))
	}
	least, most := w.lengths()
	if least < 1 || most > longText {
		return math.Inf(1)
	}
	for l := least; l <= most; l++ {
		sum += math.Pow(float64(len(w.signs())), float64(l))
	}
	return sum
}

// Size is how many codes there are, of a valid superset.
func (w *Within) Size() uint64 { return uint64(math.Min(w.size(), 1<<53)) }

// sort puts codes in their order, which Place and At go by.
func (w *Within) sort() {
	if w != nil && !slices.IsSorted(w.Codes) {
		slices.Sort(w.Codes)
	}
}

// Place is the number of a text, from 0 on, and whether it is one of the superset of a column as OpenColumn returns it.
func (w *Within) Place(text string) (place uint64, in bool) {
	if len(w.Codes) > 0 {
		i, found := slices.BinarySearch(w.Codes, text)
		return uint64(i), found
	}
	least, most := w.lengths()
	if len(text) < least || len(text) > most {
		return 0, false
	}
	signs := w.signs()
	base, before, size := uint64(len(signs)), uint64(0), uint64(1)
	for l := 1; l <= len(text); l++ {
		if size *= base; l >= least && l < len(text) {
			before += size
		}
	}
	for i := range len(text) {
		s, known := slices.BinarySearch(signs, text[i])
		if !known {
			return 0, false
		}
		place = place*base + uint64(s)
	}
	return before + place, true
}

// At is the text of a place.
func (w *Within) At(place uint64) string {
	if len(w.Codes) > 0 {
		return w.Codes[place]
	}
	signs := w.signs()
	base, size := uint64(len(signs)), uint64(1)
	length, _ := w.lengths()
	for range length {
		size *= base
	}
	for ; place >= size; length++ {
		place, size = place-size, size*base
	}
	text := make([]byte, length)
	for i := length - 1; i >= 0; i-- {
		text[i], place = signs[place%base], place/base
	}
	return string(text)
}

// star ends the name of all codes that begin alike.
const star = "*"

// coarse is the name of the codes that begin with a text.
func coarse(begins string) string { return begins + star }

// beginning has the first characters of a text, or all of one that has no more.
func beginning(text string, length int) string {
	for i := range text {
		if length == 0 {
			return text[:i]
		}
		length--
	}
	return text
}

// deepest is the category of a code that is not one itself: the one of the longest beginning. It is codeNone where
// there is none, and for other texts.
func (e *encoder) deepest(b []byte) int32 {
	w := e.col.Within
	text := norm.NFC.String(string(b))
	if _, in := w.Place(text); !in {
		return codeNone
	}
	for _, length := range slices.Backward(w.Levels) {
		if code := e.dict.find([]byte(coarse(beginning(text, length)))); code != codeNone {
			return code
		}
	}
	return codeNone
}

// ReadCodes is the superset of the lines of a text, each a code; empty lines are none. Errors: *SchemaError for more
// than a million.
func ReadCodes(text string) (*Within, error) {
	w := &Within{}
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			continue
		}
		if w.Codes = append(w.Codes, line); len(w.Codes) > mostCodes {
			return nil, bad("within", "more than a million lines", "a code in each line, at most 1000000")
		}
	}
	if len(w.Codes) == 0 {
		return nil, bad("within", "no line", "a code in each line")
	}
	return w, nil
}
