package frame

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/label"
)

// RowStep is one of the steps that chose rows, read from what [Frame.Lineage] says of it.
type RowStep struct {
	Name     string       // Split, SplitByKey, Holdout, Head, Rows, Where, WithoutN, Append or AppendDisjoint
	train    bool         // of Split, SplitByKey and Holdout: the first part
	fraction float64      // of Split and SplitByKey
	of       [2][]RowStep // of Append and AppendDisjoint: the steps of the two frames
	rows     int          // of Head and Holdout
	byHash   bool         // of Split: every unit by its own hash, where n is private

	hidesN, usesN bool
	unit          int
}

// ParseRowSteps reads steps in the forms that Frame.Lineage writes, such as those of a release file. A step that has
// none of them is an argument error, which quotes it.
func ParseRowSteps(lineage []string) ([]RowStep, error) {
	var out []RowStep
	for _, text := range lineage {
		p := stepText{rest: text}
		s, ok := p.step(0)
		if !ok || p.rest != "" {
			return nil, domain.Refuse("ParseRowSteps", "step", label.Short(text), `a step in a form of Lineage, such as `+
				`"Split(0.7, 1), train"`)
		}
		out = append(out, s)
	}
	return out, nil
}

// HidesN reports whether n is private after the step: after Where, which chose rows by their values, SplitByKey, which
// did by their keys, WithoutN, and Split by hash.
func (s RowStep) HidesN() bool { return s.hidesN }

// Most is the most rows that a step leaves, where it says so: the number of Head, and of the test part of Holdout.
func (s RowStep) Most() (rows int, ok bool) {
	return s.rows, s.Name == "Head" || s.Name == "Holdout" && !s.train
}

// UsesN reports whether one of the steps chose rows by how many there are: Holdout, Head, Rows, and Split but where it
// went by hash. Where n is private after all, as under add-remove adjacency, one unit more would change which others
// were chosen.
func UsesN(steps []RowStep) bool {
	return slices.ContainsFunc(steps, func(s RowStep) bool { return s.usesN })
}

// UnitRows is how many rows of a unit there are at most after the steps, if it may have one in every frame that was
// read: the sum of both in Append, the larger in AppendDisjoint.
func UnitRows(steps []RowStep) int {
	for _, s := range slices.Backward(steps) {
		if s.unit > 0 {
			return s.unit
		}
	}
	return 1
}

// known notes what follows from a step; that of a deep one is asked for once.
func (s RowStep) known() RowStep {
	switch s.Name {
	case "Where", "SplitByKey", withoutN:
		s.hidesN = true
	case "Split":
		s.usesN, s.hidesN = !s.byHash, s.byHash
	case "Append", "AppendDisjoint":
		hides := func(steps []RowStep) bool { return slices.ContainsFunc(steps, RowStep.HidesN) }
		s.usesN, s.hidesN = UsesN(s.of[0]) || UsesN(s.of[1]), hides(s.of[0]) || hides(s.of[1])
		a, b := UnitRows(s.of[0]), UnitRows(s.of[1])
		if s.unit = max(a, b); s.Name == "Append" {
			s.unit = min(a+b, math.MaxInt32)
		}
	default:
		s.usesN = true
	}
	return s
}

// stepText is what is left of a text.
type stepText struct{ rest string }

// deepest is how many frames may be appended to appended ones.
const deepest = 64

func (p *stepText) step(depth int) (RowStep, bool) {
	s, ok := p.bare(depth)
	return s.known(), ok
}

func (p *stepText) bare(depth int) (s RowStep, ok bool) {
	if depth > deepest {
		return s, false
	}
	name, _, _ := strings.Cut(p.rest, "(")
	for _, bare := range []string{rowsStep, withoutN} {
		if p.is(bare) && !p.is(bare+"(") {
			return RowStep{Name: bare}, p.word(bare)
		}
	}
	s.Name = name
	if !p.word(name + "(") {
		return s, false
	}
	switch name {
	case "Split":
		var share string
		share, ok = p.until(", ")
		s.fraction, ok = fraction(share, ok)
		ok = ok && p.whole(nil, ")")
		s.byHash = p.word(byHash)
		if s.byHash && p.word(byColumns) {
			ok = ok && p.digits(8)
		}
		return s, ok && p.part(&s)
	case "SplitByKey":
		if !p.quoted() || !p.word(", ") {
			return s, false
		}
		var share string
		share, ok = p.until(", ")
		s.fraction, ok = fraction(share, ok)
		return s, ok && p.whole(nil, ")") && p.part(&s)
	case "Holdout":
		return s, p.whole(&s.rows, ", ") && p.whole(nil, ")") && p.part(&s)
	case "Head":
		return s, p.whole(&s.rows, ")")
	case "Where":
		return s, p.where()
	case "Append", "AppendDisjoint":
		if s.of[0], ok = p.frame(depth + 1); !ok || !p.word("; ") {
			return s, false
		}
		if p.word("twice)") {
			s.of[1] = s.of[0]
			return s, true
		}
		if !p.word("and ") {
			return s, false
		}
		s.of[1], ok = p.frame(depth + 1)
		return s, ok && p.word(")")
	}
	return s, false
}

// frame reads the steps of an appended frame.
func (p *stepText) frame(depth int) (steps []RowStep, ok bool) {
	if p.word("all rows") {
		return nil, true
	}
	for {
		s, ok := p.step(depth)
		if !ok {
			return nil, false
		}
		if steps = append(steps, s); !p.word(", ") {
			return steps, true
		}
	}
}

// where reads a column and the labels that pass.
func (p *stepText) where() bool {
	if !p.quoted() || !p.word(" is ") {
		return false
	}
	if p.word(")") { // no label passes
		return true
	}
	for p.quoted() {
		if p.word(")") {
			return true
		}
		if !p.word(" or ") {
			return false
		}
	}
	return false
}

func (p *stepText) is(word string) bool { return strings.HasPrefix(p.rest, word) }

func (p *stepText) word(word string) (ok bool) {
	p.rest, ok = strings.CutPrefix(p.rest, word)
	return ok
}

func (p *stepText) until(end string) (text string, ok bool) {
	text, p.rest, ok = strings.Cut(p.rest, end)
	return text, ok
}

// whole reads a number without a sign.
func (p *stepText) whole(to *int, end string) bool {
	text, ok := p.until(end)
	if to == nil {
		_, err := strconv.ParseUint(text, 10, 64)
		return ok && err == nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	*to = int(n)
	return ok && err == nil
}

// digits reads hexadecimal digits.
func (p *stepText) digits(n int) bool {
	text := p.rest[:min(n, len(p.rest))]
	p.rest = p.rest[len(text):]
	return len(text) == n && strings.Trim(text, "0123456789abcdef") == ""
}

// fraction reads a share of the rows as Split writes it.
func fraction(text string, ok bool) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, ok && err == nil && x >= 0 && x <= 1 && fmt.Sprint(x) == text
}

func (p *stepText) part(s *RowStep) bool {
	s.train = p.word(", train")
	return s.train || p.word(", test")
}

// quoted reads what label.Quote writes: between the quotes there is no third.
func (p *stepText) quoted() bool {
	if !p.word(`"`) {
		return false
	}
	inside, ok := p.until(`"`)
	text, err := strconv.Unquote(`"` + inside + `"`)
	return ok && err == nil && label.Quote(text) == `"`+inside+`"`
}
