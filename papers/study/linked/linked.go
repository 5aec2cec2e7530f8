// Package linked measures how near synthetic households with their persons are to those they were learned from: by one
// wide row a household, with as many places as persons or fewer; and by two networks of which that of the persons knows
// nothing of households.
//
// Households are simulated by the stages of life, or are those of EU-SILC. They are read as a user reads them, and
// released. Rows of the table: theory/tables.md §4.
package linked

import (
	"cmp"
	_ "embed"
	"fmt"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Point is how many households there are, the most persons of each, and ρ of zero-concentrated privacy or an ε.
type Point struct {
	Households, Most int
	Rho              float64
	Recipe           string  // wide or apart
	Pure             float64 `json:",omitempty"` // ε, in place of ρ
	Survey           bool    `json:",omitempty"` // households of EU-SILC: see eusilc.R
	Places           int     `json:",omitempty"` // of wide rows, where they are fewer than Most
	Counted          bool    `json:",omitempty"` // all children are counted, those without a place drawn afterwards
	Ordered          bool    `json:",omitempty"` // nobody is older than who stands before: no such pair is possible
	Always           bool    `json:",omitempty"` // wide rows learn whatever the plan expects
	Run              int     // households and noise have seeds of their own
}

// Cell is the errors of one release, and those of so many other households, which are of sampling.
type Cell struct {
	Point
	Errors, Again Errors
}

// Result is the outcome of a run.
type Result = simulate.Results[Cell]

//go:embed results.json
var committed []byte

// Committed is the full run.
func Committed() (*Result, error) { return simulate.Committed[Result](committed) }

// Points are those of the full run.
func Points() (out []Point) {
	wide, apart := Point{Recipe: "wide"}, Point{Recipe: "apart"}
	four, ordered, always := wide, wide, wide
	four.Places, ordered.Ordered, always.Always = 4, true, true
	both, counted := four, four
	both.Ordered, counted.Counted = true, true
	of := func(runs int, at Point, recipes ...Point) {
		for _, p := range recipes {
			p.Households, p.Most, p.Rho, p.Pure, p.Survey = at.Households, at.Most, at.Rho, at.Pure, at.Survey
			for p.Run = range runs {
				out = append(out, p)
			}
		}
	}
	of(3, Point{Households: 40_000, Most: 6, Rho: .015}, wide)
	of(1, Point{Households: 40_000, Most: 6, Rho: .015}, apart)
	of(2, Point{Households: 40_000, Most: 6, Rho: .015}, ordered, counted)
	of(3, Point{Households: 10_000, Most: 8, Rho: .015}, wide, ordered, four, both, counted)
	few := Point{Households: 10_000, Most: 8, Pure: 1}
	of(3, few, wide, always, four, both, counted)
	of(3, Point{Households: 6000, Most: 6, Rho: .12, Survey: true}, wide, ordered, four, counted)
	for _, four.Places = range []int{3, 5, 6} {
		of(3, few, four)
	}
	of(4, Point{Households: 4000, Most: 3, Rho: .15}, wide, apart)
	return out
}

// Run releases the households of a point. Errors: those of releasing.
func Run(p Point, seed uint64) (c Cell, err error) {
	same := struct { // all recipes see the same households
		Households, Most int
		Rho              float64
		Recipe           string
	}{p.Households, p.Most, p.Rho, ""}
	seed += uint64(p.Run)
	src := simulate.Stream("linked", seed, same, 0)
	real, again := households(src, p.Households, p.Most), households(src, p.Households, p.Most)
	if p.Survey {
		if real, again, err = surveyed(src, p.Most); err != nil {
			return c, err
		}
	}
	recipe := p.wide
	if p.Recipe == "apart" {
		recipe = p.apart
	}
	made, err := recipe(real, seed)
	if err != nil {
		return c, err
	}
	return Cell{p, Compared(real, made), Compared(real, again)}, nil
}

// schema is that of both tables; wide rows have a place for each person.
func (p Point) schema(wide bool) *frame.Schema {
	of := func(list []column) (out []frame.Column) {
		for _, c := range list {
			out = append(out, frame.Categorical(c.name, c.labels()...))
		}
		return out
	}
	persons := frame.Linked{Name: "persons", Of: "households", Key: "hid", AtMost: p.Most, Columns: of(childColumns),
		PerUnit: []frame.UnitColumn{{Column: frame.Column{Name: "size"}, Is: "count"}}}
	if wide {
		persons.Places, persons.Order, persons.AtMost = true, "-age", cmp.Or(p.Places, p.Most)
	}
	return &frame.Schema{Dataset: "simulated", Unit: "household", Tables: []frame.Linked{
		{Name: "households", Key: "hid", Columns: of(parentColumns)}, persons}}
}

// columnsOf are both tables in memory.
func columnsOf(list []household) (parents, children map[string]any) {
	hid, of := []string(nil), []string(nil)
	p, c := map[string][]string{}, map[string][]string{}
	for i, h := range list {
		hid = append(hid, fmt.Sprint(i))
		for k, col := range parentColumns {
			p[col.name] = append(p[col.name], col.labels()[h.parent[k]])
		}
		for _, child := range h.children {
			of = append(of, fmt.Sprint(i))
			for k, col := range childColumns {
				c[col.name] = append(c[col.name], col.labels()[child[k]])
			}
		}
	}
	parents, children = map[string]any{"hid": hid}, map[string]any{"hid": of}
	for name, texts := range p {
		parents[name] = texts
	}
	for name, texts := range c {
		children[name] = texts
	}
	return parents, children
}

// read are the codes of some columns of a frame.
func read(f *frame.Frame, columns []column) ([]codes, error) {
	out := make([]codes, f.Len())
	for k, c := range columns {
		col, err := f.Codes(c.name)
		if err != nil {
			return nil, err
		}
		for i := range out {
			out[i][k] = col.At(i)
		}
	}
	return out, nil
}

// model is what is learned of a wide row: without what the order and the number of persons make impossible.
func (p Point) model() model.LearnedModel {
	m, ages := privbayes.MaxEntropy(), childColumns[0].labels()
	if p.Always {
		m = m.Always()
	}
	for i := 1; i < cmp.Or(p.Places, p.Most) && p.Ordered; i++ {
		for a, younger := range ages {
			for _, older := range ages[a+1:] {
				m = m.StructuralZeros(map[string]string{fmt.Sprint("age_", i): younger, fmt.Sprint("age_", i+1): older})
			}
		}
	}
	for k, persons := range (column{"persons", p.Most + 1}).labels() {
		for size := range p.Places + 1 {
			if p.Counted && size != min(k, p.Places) {
				m = m.StructuralZeros(map[string]string{"persons": persons, "size": fmt.Sprintf("[%d, %d)", size, size+1)})
			}
		}
	}
	return m
}

// released learns the columns of a frame under add-remove and releases them with a part of the budget.
func (p Point) released(f *frame.Frame, part float64, seed uint64) (*release.Release, error) {
	learned, seeded := privbayes.WrapFrame(f, nil).WithoutN().Learn(p.model()), privbayes.Seeded(seed)
	if p.Pure > 0 {
		return learned.Privatize(privbayes.Geometric(), privbayes.PureDP(p.Pure*part).Under(privbayes.AddRemove),
			seeded).Release()
	}
	return learned.Privatize(privbayes.DiscreteGaussian(), privbayes.ZCDP(p.Rho*part).Under(privbayes.AddRemove),
		seeded).Release()
}

// wide is one row a household.
func (p Point) wide(list []household, seed uint64) ([]household, error) {
	schema, persons := p.schema(true), column{"persons", p.Most + 1}
	parents, children := columnsOf(list)
	if p.Counted {
		schema.Tables[0].Columns = append(schema.Tables[0].Columns, frame.Categorical(persons.name, persons.labels()...))
		var of []string
		for _, h := range list {
			of = append(of, persons.labels()[len(h.children)])
		}
		parents[persons.name] = of
	}
	f, err := frame.TablesFromColumns(schema, parents, children)
	if err != nil {
		return nil, err
	}
	r, err := p.released(f, 1, seed)
	if err != nil {
		return nil, err
	}
	h, c, err := privbayes.SynthesizeTables(r, len(list), dp.Seeded(seed))
	if err != nil {
		return nil, err
	}
	made, err := joined(h, c)
	if err != nil || !p.Counted {
		return made, err
	}
	sizes, err := h.Codes(persons.name)
	if err != nil {
		return nil, err
	}
	life{rand.New(dp.Seeded(seed + 1))}.complete(made, sizes.At, p.Places)
	return made, nil
}

// complete draws the children that had no place. Which had one was chosen at random: they are as others at some place
// after one of the same age.
func (l life) complete(list []household, size func(i int) int, places int) {
	pool := map[[2]int][]codes{}
	key := func(h household, at int) [2]int {
		if at == 0 {
			return [2]int{0, -1}
		}
		return [2]int{at, h.children[at-1][0]}
	}
	for i, h := range list {
		for at := range h.children {
			if size(i) > places {
				pool[key(h, at)] = append(pool[key(h, at)], h.children[at])
			}
		}
	}
	for i := range list {
		h := &list[i]
		for kept := *h; len(kept.children) == places && len(h.children) < size(i); {
			like := pool[key(kept, l.IntN(places))]
			h.children = append(h.children[:len(h.children):len(h.children)], like[l.IntN(len(like))])
		}
	}
}

// joined are households of two tables with keys from 1 on.
func joined(parents, children *frame.Frame) ([]household, error) {
	rows, err := read(parents, parentColumns)
	if err != nil {
		return nil, err
	}
	out := make([]household, len(rows))
	for i, r := range rows {
		out[i].parent = r
	}
	persons, err := read(children, childColumns)
	if err != nil {
		return nil, err
	}
	keys, err := children.Values("hid")
	for i, r := range persons {
		h := &out[int(keys[i])-1]
		h.children = append(h.children, r)
	}
	return out, err
}

// apart are two networks. That of the parents with the number of children has 35 % of ρ, that of the children with the
// columns of their parents and that number 65 %. Each child is drawn by itself. Every child is protected alone, where a
// household would need more noise, so that what is counted here is too good.
func (p Point) apart(list []household, seed uint64) ([]household, error) {
	parents, children := columnsOf(list)
	f, err := frame.TablesFromColumns(p.schema(false), parents, children)
	if err != nil {
		return nil, err
	}
	size := column{"size", p.Most + 1}
	all := append(append(childColumns[:4:4], parentColumns...), size)
	schema, texts := &frame.Schema{Dataset: "simulated"}, map[string]any{}
	for k, c := range all {
		schema.Columns = append(schema.Columns, frame.Categorical(c.name, c.labels()...))
		var of []string
		for _, h := range list {
			for _, child := range h.children {
				of = append(of, c.labels()[append(append(child[:], h.parent[:]...), len(h.children))[k]])
			}
		}
		texts[c.name] = of
	}
	g, err := frame.FromColumns(schema, texts)
	if err != nil {
		return nil, err
	}
	for i, part := range []**frame.Frame{&f, &g} {
		r, err := p.released(*part, []float64{.35, .65}[i], seed)
		if err != nil {
			return nil, err
		}
		if *part, err = r.Synthesize([]int{len(list), 3 * len(list) * p.Most}[i], dp.Seeded(seed)); err != nil {
			return nil, err
		}
	}
	return matched(f, g)
}

// matched gives every parent children that were drawn with its columns and number, or with fewer of them where there
// are too few: without region and capital, or with the number alone.
func matched(parents, children *frame.Frame) ([]household, error) {
	var lists [2][]codes
	var sizes [2]frame.Codes
	var err error
	for i, f := range []*frame.Frame{parents, children} {
		if lists[i], err = read(f, parentColumns); err != nil {
			return nil, err
		}
		if sizes[i], err = f.Codes("size"); err != nil {
			return nil, err
		}
	}
	persons, err := read(children, childColumns)
	keys := func(c codes, size int) [][5]int {
		return [][5]int{{c[0], c[1], c[2], c[3], size}, {-1, c[1], c[2], -1, size}, {-1, -1, -1, -1, size}}
	}
	pool, used := map[[5]int][]int{}, make([]bool, len(persons))
	for i, c := range lists[1] {
		for _, key := range keys(c, sizes[1].At(i)) {
			pool[key] = append(pool[key], i)
		}
	}
	out := make([]household, len(lists[0]))
	for i, c := range lists[0] {
		out[i].parent = c
		for _, key := range keys(c, sizes[0].At(i)) {
			for len(out[i].children) < sizes[0].At(i) && len(pool[key]) > 0 {
				k := pool[key][0]
				if pool[key] = pool[key][1:]; !used[k] {
					out[i].children, used[k] = append(out[i].children, persons[k]), true
				}
			}
		}
	}
	return out, err
}
