package frame

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// RowStep is one of the steps that chose the rows of a frame: what the program asked for, and nothing about the rows,
// so it is public. String writes it in words, which are also its JSON and stand so in release files:
//
//	Split(0.7, 1), train        Split(0.5, 1) by hash of columns 1f2e3d4c, test      SplitByKey("id", 0.7, 3), train
//	Holdout(30, 1), test        Head(10)       Rows       WithoutN       Where("a" is "x" or "y")
//	Part("quarter" is "2026-Q1")
//	Present("a")   Append(Head(3), WithoutN; and all rows)               AppendDisjoint(all rows; twice)
type RowStep struct {
	Name     string       // that of a function, as above; "": not known
	Column   string       // of SplitByKey, Where and Present; of Part the rule
	Labels   []string     // of Where: those that pass; of Part its name
	Fraction float64      // of Split and SplitByKey: the share of the first part
	Count    int          // of Holdout: the rows of the second part; of Head
	Seed     uint64       // of Split, SplitByKey and Holdout
	Test     bool         // of these: the second part
	byHash   bool         // of Split: every unit by its own hash, as n is private
	Columns  string       // of Split by the contents of rows: which columns these are of, eight hexadecimal digits
	Of       [2][]RowStep // of Append and AppendDisjoint: the steps of the two frames
	twice    bool         // of these: the second frame is the first once more, and has no steps here

	text string // of a step that is not known
	made string // of Where and Present: the steps that made the columns, after which a label may mean other rows
}

// cloneSteps copies steps whole, so that nobody who reads them can change them.
func cloneSteps(steps []RowStep) []RowStep {
	steps = slices.Clone(steps)
	for i := range steps {
		s := &steps[i]
		s.Labels = slices.Clone(s.Labels)
		s.Of = [2][]RowStep{cloneSteps(s.Of[0]), cloneSteps(s.Of[1])}
	}
	return steps
}

// The names of steps that are asked for by name.
const (
	stepSplit, stepHoldout, stepHead, stepWhere = "Split", "Holdout", "Head", "Where"
	stepRows, stepWithoutN, stepPresent         = "Rows", "WithoutN", "Present"
	stepAppend, stepDisjoint, stepPart          = "Append", "AppendDisjoint", "Part"
	// SplitByKey is the step of the parts of a source: see source.Part.
	SplitByKey = "SplitByKey"
)

// Known reports whether the step is one that this version knows: a file may hold others, of which nothing follows.
func (s RowStep) Known() bool { return s.Name != "" }

// String is the step in words.
func (s RowStep) String() string {
	switch s.Name {
	case "":
		return s.text
	case stepRows, stepWithoutN:
		return s.Name
	case stepHead:
		return fmt.Sprintf("Head(%d)", s.Count)
	case stepWhere, stepPart:
		labels := make([]string, len(s.Labels))
		for i, l := range s.Labels {
			labels[i] = safetext.Quote(l)
		}
		return fmt.Sprintf("%s(%s is %s)", s.Name, safetext.Quote(s.Column), strings.Join(labels, " or "))
	case stepPresent:
		return fmt.Sprintf("Present(%s)", safetext.Quote(s.Column))
	case stepAppend, stepDisjoint:
		second := "twice"
		if !s.twice {
			second = "and " + stepsText(s.Of[1])
		}
		return fmt.Sprintf("%s(%s; %s)", s.Name, stepsText(s.Of[0]), second)
	}
	how, part := fmt.Sprint(s.Fraction), ", train"
	switch s.Name {
	case stepHoldout:
		how = strconv.Itoa(s.Count)
	case SplitByKey:
		how = safetext.Quote(s.Column) + ", " + how
	}
	if s.Test {
		part = ", test"
	}
	if s.byHash {
		part = " by hash" + part
		if s.Columns != "" {
			part = strings.Replace(part, ",", " of columns "+s.Columns+",", 1)
		}
	}
	return fmt.Sprintf("%s(%s, %d)%s", s.Name, how, s.Seed, part)
}

// stepsText says which rows a frame holds.
func stepsText(steps []RowStep) string {
	if len(steps) == 0 {
		return "all rows"
	}
	words := make([]string, len(steps))
	for i, s := range steps {
		words[i] = s.String()
	}
	return strings.Join(words, ", ")
}

// Shown is the step as it may stand in one line with a guarantee: in its words where they quote nothing but a plain
// key, else, and where they are a file's own text, between quotes.
func (s RowStep) Shown() string {
	text := s.String()
	plain := !strings.Contains(text, `"`) || s.Name == SplitByKey && !strings.Contains(text, `\`)
	if s.Known() && plain {
		return text
	}
	return safetext.Quote(text)
}

// same reports whether two steps choose the same rows of one frame.
func (s RowStep) same(o RowStep) bool { return s.String() == o.String() && s.made == o.made }

// divides reports whether the step is one of the two parts of a division.
func (s RowStep) divides() bool {
	return s.Name == stepSplit || s.Name == SplitByKey || s.Name == stepHoldout
}

// HidesN reports whether n is private after the step: after Where and Present, which chose rows by their values,
// SplitByKey, which did by their keys, WithoutN, and Split by hash.
func (s RowStep) HidesN() bool {
	return s.Name == stepWhere || s.Name == stepPresent || s.Name == SplitByKey || s.Name == stepWithoutN || s.byHash ||
		slices.ContainsFunc(s.Of[0], RowStep.HidesN) || slices.ContainsFunc(s.Of[1], RowStep.HidesN)
}

// Most is the most rows that a step leaves, where it says so: the number of Head, and of the test part of Holdout.
func (s RowStep) Most() (rows int, ok bool) {
	return s.Count, s.Name == stepHead || s.Name == stepHoldout && s.Test
}

// InPart are the rule and the name of the part of the data that all rows are in, where Part said so.
func (s RowStep) InPart() (rule, name string, ok bool) {
	if s.Name != stepPart || len(s.Labels) != 1 {
		return "", "", false
	}
	return s.Column, s.Labels[0], true
}

// UsesN reports whether one of the steps chose rows by how many there are: Holdout, Head, Rows, and Split but where it
// went by hash. Where n is private after all, as under add-remove adjacency, one unit more would change which others
// were chosen.
func UsesN(steps []RowStep) bool {
	return slices.ContainsFunc(steps, func(s RowStep) bool {
		return s.Name == stepSplit && !s.byHash || s.Name == stepHoldout || s.Name == stepHead || s.Name == stepRows ||
			UsesN(s.Of[0]) || UsesN(s.Of[1])
	})
}

// UnitRows is how many rows of a unit there are at most after the steps, if it may have one in every frame that was
// read: the sum of both in Append, the larger in AppendDisjoint.
func UnitRows(steps []RowStep) int {
	for _, s := range slices.Backward(steps) {
		if s.Name != stepAppend && s.Name != stepDisjoint {
			continue
		}
		a := UnitRows(s.Of[0])
		b := a
		if !s.twice {
			b = UnitRows(s.Of[1])
		}
		if s.Name == stepDisjoint {
			return max(a, b)
		}
		return min(a+b, math.MaxInt32)
	}
	return 1
}

// splits counts the steps that divide by a seed, in which a later one differs from the first.
func splits(steps []RowStep) (n uint64) {
	for _, s := range steps {
		if n += splits(s.Of[0]) + splits(s.Of[1]); s.Name == stepSplit || s.Name == stepHoldout {
			n++
		}
	}
	return n
}

// MarshalText writes the step in words.
func (s RowStep) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a step in words. It has no error: a text that no step of this version is written in is kept as it
// is, and is not Known.
func (s *RowStep) UnmarshalText(words []byte) error {
	p := stepWords{string(words)}
	step, ok := p.step(0)
	if !ok || step.String() != string(words) {
		step = RowStep{text: string(words)}
	}
	*s = step
	return nil
}

// stepWords is what is left of the words of a step. It takes some that String does not write: who reads compares.
type stepWords struct{ rest string }

// deepest is how many frames may be appended to appended ones.
const deepest = 64

func (p *stepWords) step(depth int) (s RowStep, ok bool) {
	s.Name = p.take("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
	if s.Name == stepRows || s.Name == stepWithoutN {
		return s, true
	}
	if depth > deepest || !p.word("(") {
		return s, false
	}
	switch s.Name {
	case stepHead:
		return s, p.count(&s.Count) && p.word(")")
	case stepWhere, stepPart:
		ok = p.quoted(&s.Column) && p.word(" is ")
		for ok && !p.word(")") {
			var l string
			ok = (s.Labels == nil || p.word(" or ")) && p.quoted(&l)
			s.Labels = append(s.Labels, l)
		}
		return s, ok && (s.Name != stepPart || len(s.Labels) == 1)
	case stepPresent:
		return s, p.quoted(&s.Column) && p.word(")")
	case stepAppend, stepDisjoint:
		ok = p.frame(&s.Of[0], depth+1) && p.word("; ")
		if s.twice = p.word("twice"); !s.twice {
			ok = ok && p.word("and ") && p.frame(&s.Of[1], depth+1)
		}
		return s, ok && p.word(")")
	case stepSplit:
		ok = p.fraction(&s.Fraction)
	case SplitByKey:
		ok = p.quoted(&s.Column) && p.word(", ") && p.fraction(&s.Fraction)
	case stepHoldout:
		ok = p.count(&s.Count)
	}
	ok = ok && p.word(", ")
	seed, err := strconv.ParseUint(p.take(digits), 10, 64)
	ok = ok && err == nil && p.word(")")
	if s.Seed, s.byHash = seed, s.Name == stepSplit && p.word(" by hash"); s.byHash && p.word(" of columns ") {
		s.Columns = p.take(digits + "abcdef")
		ok = ok && len(s.Columns) == 8
	}
	s.Test = p.word(", test")
	return s, ok && (s.Test || p.word(", train"))
}

const digits = "0123456789"

// frame reads the steps of an appended frame.
func (p *stepWords) frame(steps *[]RowStep, depth int) bool {
	if p.word("all rows") {
		return true
	}
	for {
		s, ok := p.step(depth)
		if *steps = append(*steps, s); !ok || !p.word(", ") {
			return ok
		}
	}
}

func (p *stepWords) word(word string) (ok bool) {
	p.rest, ok = strings.CutPrefix(p.rest, word)
	return ok
}

// take takes the characters of a set that come next.
func (p *stepWords) take(set string) string {
	taken := p.rest[:len(p.rest)-len(strings.TrimLeft(p.rest, set))]
	p.rest = p.rest[len(taken):]
	return taken
}

// count reads a number of rows.
func (p *stepWords) count(n *int) bool {
	k, err := strconv.ParseUint(p.take(digits), 10, 31)
	*n = int(k)
	return err == nil
}

// fraction reads a share of rows.
func (p *stepWords) fraction(x *float64) (ok bool) {
	y, err := strconv.ParseFloat(p.take(digits+".e+-"), 64)
	*x = y
	return err == nil && y >= 0 && y <= 1
}

// quoted reads what safetext.Quote writes: between the quotes there is no third.
func (p *stepWords) quoted(text *string) bool {
	if !p.word(`"`) {
		return false
	}
	inside, rest, ended := strings.Cut(p.rest, `"`)
	plain, err := strconv.Unquote(`"` + inside + `"`)
	*text, p.rest = plain, rest
	return ended && err == nil
}
