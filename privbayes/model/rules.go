package model

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Dependency says which value of one column goes with each value of another, as the state goes with the city.
type Dependency struct {
	From string            `json:"from"`
	To   string            `json:"to"`
	Map  map[string]string `json:"map"` // the level of To by the level of From
}

// Determines declares a functional dependency: a record with a level of the first column has the level of the second
// that the map gives it, such as {"Lyon": "France"} of city and country. All other combinations of the two are
// structural zeros, and none needs to be listed. A level that the map does not name may have any, as may a missing
// value; the second column may be missing with any. Further calls declare more.
//
// The map is public knowledge, as [LearnedModel.StructuralZeros] are: take it from a gazetteer, and never from the
// rows.
func (m LearnedModel) Determines(from, to string, of map[string]string) LearnedModel {
	m.settings.Dependencies = append(slices.Clip(m.settings.Dependencies), Dependency{from, to, maps.Clone(of)})
	return m
}

// Ordered declares that a record's values do not decrease from one column to the next, as start ≤ end. Combinations of
// bins in which no two values keep to it are structural zeros, and synthetic numbers of the others keep to it, too.
// Columns of numbers are compared by their values, dates by days; columns of categories must list the same categories,
// and are compared by the place in the list. A missing value is in order with any. Further calls declare more. It is
// public knowledge: declare what holds by definition.
func (m LearnedModel) Ordered(columns ...string) LearnedModel {
	m.settings.Ordered = append(slices.Clip(m.settings.Ordered), slices.Clone(columns))
	return m
}

// ruled calls a function for every pair of columns about which there is a rule, with the levels that may not meet.
func (m LearnedModel) ruled(sh *Shape, visit func(a, b int, never func(i, j int) bool) error) error {
	if err := m.placed(sh, visit); err != nil {
		return err
	}
	given := map[[2]int]map[string]string{}
	for _, d := range m.settings.Dependencies {
		a, b, err := m.ruledPair(sh, "a functional dependency", d.From, d.To)
		if err != nil {
			return err
		}
		if given[[2]int{a, b}] == nil {
			given[[2]int{a, b}] = map[string]string{}
		}
		to, err := m.dependency(sh, a, b, d.Map, given[[2]int{a, b}])
		if err != nil {
			return err
		}
		never := func(i, j int) bool { return to[i] >= 0 && to[i] != j && !absent(sh.columns[b], j) }
		if err := visit(a, b, never); err != nil {
			return err
		}
	}
	for _, list := range m.settings.Ordered {
		if len(list) < 2 {
			return wrong(m, strings.Join(list, ""), "an order of "+table.Count(len(list), "column"), "two columns or more")
		}
		for k, name := range list {
			for _, before := range list[:k] { // all of them: the column between may be missing, or wide
				if err := m.orderedPair(sh, before, name, visit); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// placed visits what the schema of a wide row says: at a place without a child all columns are missing, and at one with
// a child those that have no missing values of their own are not.
func (m LearnedModel) placed(sh *Shape, visit func(a, b int, never func(i, j int) bool) error) error {
	names := sh.columnNames()
	for _, p := range m.places(sh.schema) {
		a, b := slices.Index(names, p.By), slices.Index(names, p.Column)
		if a < 0 || b < 0 {
			continue
		}
		never := func(i, j int) bool {
			if none := i <= p.Before || p.Before < 0 && absent(sh.columns[a], i); none {
				return !absent(sh.columns[b], j)
			}
			return absent(sh.columns[b], j) && !p.Missing
		}
		if err := visit(a, b, never); err != nil {
			return err
		}
	}
	return nil
}

// places are those of a schema that the model keeps to.
func (m LearnedModel) places(s *frame.Schema) []frame.Place {
	if m.settings.Algorithm == Greedy {
		return nil
	}
	return s.Places()
}

// orderedPair visits two columns of an order.
func (m LearnedModel) orderedPair(sh *Shape, before, name string, visit func(a, b int, never func(i, j int) bool) error,
) error {
	a, b, err := m.ruledPair(sh, "an order", before, name)
	if err != nil {
		return err
	}
	lows, _, err := m.ends(sh, a, b)
	if err != nil {
		return err
	}
	_, highs, err := m.ends(sh, b, a)
	if err != nil {
		return err
	}
	return visit(a, b, func(i, j int) bool { return highs[j].before(lows[i]) })
}

// ruledPair finds the two columns of a rule.
func (m LearnedModel) ruledPair(sh *Shape, rule, from, to string) (a, b int, err error) {
	names := sh.columnNames()
	for i, name := range []string{from, to} {
		k := slices.Index(names, name)
		if k < 0 {
			return 0, 0, wrong(m, name, rule+" of no column of the model", safetext.OneOf(name, names))
		}
		if i == 0 {
			a = k
		}
		b = k
	}
	if a == b {
		return 0, 0, wrong(m, from, rule+" between a column and itself", "two columns")
	}
	return a, b, nil
}

// dependency is the code of column b by that of a, −1 where it may be any. What earlier calls gave is in given.
func (m LearnedModel) dependency(sh *Shape, a, b int, of, given map[string]string) ([]int, error) {
	from, to := sh.columns[a], sh.columns[b]
	if len(of) == 0 {
		return nil, wrong(m, from.Name, "a functional dependency without levels", `a map such as {"Lyon": "France"}`)
	}
	out := slices.Repeat([]int{-1}, from.Levels())
	for _, level := range slices.Sorted(maps.Keys(of)) {
		i, j := slices.Index(from.Labels(), level), slices.Index(to.Labels(), of[level])
		switch earlier, twice := given[level]; {
		case i < 0:
			return nil, wrong(m, from.Name, "a functional dependency of level "+safetext.Quote(level),
				safetext.OneOf(level, from.Labels()))
		case j < 0:
			return nil, wrong(m, to.Name, "level "+safetext.Quote(of[level])+" for "+safetext.Quote(level),
				safetext.OneOf(of[level], to.Labels()))
		case twice && earlier != of[level]:
			return nil, wrong(m, from.Name, fmt.Sprintf("%s with %s and with %s", safetext.Quote(level),
				safetext.Quote(earlier), safetext.Quote(of[level])), "one level of "+safetext.Quote(to.Name)+" for each")
		}
		given[level], out[i] = of[level], j
	}
	return out, nil
}

// absent reports whether a code is that of missing values.
func absent(c frame.Column, code int) bool { return c.HasMissing() && code == c.Levels()-1 }

// end is an end of the values of a level.
type end struct {
	value float64
	open  bool // an upper end that no value reaches
}

// before reports whether no value up to this end is as large as those from another on.
func (e end) before(low end) bool { return e.value < low.value || e.open && e.value == low.value }

// ends are the least and the greatest value of every level of column a, for an order with column b.
func (m LearnedModel) ends(sh *Shape, a, b int) (lows, highs []end, err error) {
	c, other := sh.columns[a], sh.columns[b]
	numbers := c.Numeric() && other.Numeric() && (c.Date == "") == (other.Date == "")
	categories := c.Kind == frame.KindCategorical && other.Kind == c.Kind && slices.Equal(c.Categories, other.Categories)
	if !numbers && !categories {
		return nil, nil, wrong(m, c.Name, "an order with "+safetext.Quote(other.Name),
			"two columns of numbers, two of dates, or two with the same categories in the same order")
	}
	for i := range c.Levels() {
		low, high := end{value: float64(i)}, end{value: float64(i)}
		switch {
		case absent(c, i): // in order with any
			low.value, high.value = math.Inf(-1), math.Inf(1)
		case c.Numeric():
			low.value, high = valuesOf(c, i)
		}
		lows, highs = append(lows, low), append(highs, high)
	}
	return lows, highs, nil
}

// valuesOf are the least value of a bin, and its upper end.
func valuesOf(c frame.Column, i int) (low float64, high end) {
	low, high = c.Edges[i], end{c.Edges[i+1], i+2 < len(c.Edges)}
	if i+2 == len(c.Edges) {
		high.value = c.Max
	}
	if c.Kind == frame.KindInteger {
		if low = math.Ceil(low); high.open {
			high = end{value: math.Ceil(high.value) - 1}
		}
	}
	return low, high
}

// ordered are the columns of a learned structure whose values are in order.
func (f *Fitted) ordered() [][]string {
	if f.of == nil {
		return nil
	}
	return f.of.Learning().Ordered
}

// orderTries is how often values of a record are drawn until they are in order. In bins that overlap a draw is in order
// with a probability of about a half, for two columns.
const orderTries = 1000

// inOrder draws values of some columns of numbers again, within their bins, in the records where they are not in order:
// so that what is drawn has the law of values that are. Where that hardly happens, as where two bins share an end, each
// value is the least that is in order.
func (s *Shape) inOrder(texts map[string][]string, names []string, codes [][]int, src rand.Source,
	within []WithinBins) error {
	var columns []int
	var spread []WithinBins
	var marks [][]float64
	for _, name := range names {
		i := slices.IndexFunc(s.columns, func(c frame.Column) bool { return c.Name == name })
		if !s.columns[i].Numeric() {
			return nil
		}
		m, err := s.schema.Marks(name)
		if err != nil {
			return err
		}
		w := evenly(s.columns[i])
		if k := slices.IndexFunc(within, func(w WithinBins) bool { return w.Column == name }); k >= 0 {
			w = within[k]
		}
		columns, spread, marks = append(columns, i), append(spread, w), append(marks, m)
	}
	for r := range texts[names[0]] {
		var some []int // of the columns, those with a value
		for k, i := range columns {
			if !absent(s.columns[i], codes[i][r]) && !slices.Contains(s.columns[i].Missing, texts[names[k]][r]) {
				some = append(some, k)
			}
		}
		if !s.mayCross(columns, some, codes, r) {
			continue
		}
		values := make([]float64, len(some))
		for try := 0; try == 0 || try < orderTries && !slices.IsSorted(values); try++ {
			for j, k := range some {
				values[j] = spread[k].draw(codes[columns[k]][r], src)
				for tries := 0; slices.Contains(marks[k], values[j]) && tries < orderTries; tries++ {
					values[j] = spread[k].draw(codes[columns[k]][r], src)
				}
			}
		}
		if !slices.IsSorted(values) {
			least := math.Inf(-1)
			for j, k := range some {
				low, _ := valuesOf(s.columns[columns[k]], codes[columns[k]][r])
				least = math.Max(least, low)
				values[j] = least
			}
		}
		for j, k := range some {
			texts[names[k]][r] = s.columns[columns[k]].Text(values[j])
		}
	}
	return nil
}

// mayCross reports whether values of a record may be out of order within its bins.
func (s *Shape) mayCross(columns, some []int, codes [][]int, r int) bool {
	most := math.Inf(-1)
	for _, k := range some {
		low, high := valuesOf(s.columns[columns[k]], codes[columns[k]][r])
		if low < most {
			return true
		}
		most = math.Max(most, high.value)
	}
	return false
}

// ruleTexts are the rules in words.
func (s LearnedSettings) ruleTexts() (out []string) {
	for _, d := range s.Dependencies {
		out = append(out, fmt.Sprintf("%s determines %s (%s)", plain(d.From), plain(d.To), table.Count(len(d.Map), "level")))
	}
	for _, list := range s.Ordered {
		out = append(out, strings.Join(plains(list), " ≤ "))
	}
	return out
}

// ruleCalls are the Go calls that declare the rules.
func (s LearnedSettings) ruleCalls(add func(method string, args ...string)) {
	for _, d := range s.Dependencies {
		add("Determines", safetext.Quote(d.From), safetext.Quote(d.To), stringMap(d.Map))
	}
	for _, list := range s.Ordered {
		add("Ordered", quoted(list)...)
	}
}

// stringMap is a map as a Go expression, in the order of its keys.
func stringMap(of map[string]string) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		words = append(words, safetext.Quote(name)+": "+safetext.Quote(of[name]))
	}
	return "map[string]string{" + strings.Join(words, ", ") + "}"
}
