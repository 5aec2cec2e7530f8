// Package linked measures how near synthetic households with their persons are to those they were learned from: by one
// wide row a household, and by two networks of which that of the persons knows nothing of households.
//
// Households are simulated by the stages of life. Both tables are read as a user reads them, and the synthetic ones are
// the two tables that a release writes. Rows of the table: theory/tables.md §4.
package linked

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Point is how many households there are, the most persons of each, and ρ of zero-concentrated privacy.
type Point struct {
	Households, Most int
	Rho              float64
	Recipe           string // wide or apart
}

// Cell is the mean of the errors at a point, and the mean of so many other households, which is the error of sampling.
type Cell struct {
	Point
	Runs  int
	Mean  Errors
	Again Errors
}

// Result is the outcome of a run.
type Result = simulate.Results[Cell]

//go:embed results.json
var committed []byte

// Committed is the full run.
func Committed() (*Result, error) { return simulate.Committed[Result](committed) }

// Points are those of the full run: at (1, 10⁻⁹), and at a tenth of the rows.
func Points() (out []Point) {
	for _, p := range []Point{{40_000, 6, .015, ""}, {4_000, 3, .15, ""}} {
		for _, p.Recipe = range []string{"wide", "apart"} {
			out = append(out, p)
		}
	}
	return out
}

// Run releases households of a point so many times, others each time. Errors: those of releasing; ctx's.
func Run(ctx context.Context, p Point, runs int, seed uint64) (Cell, error) {
	c := Cell{Point: p}
	for i := range runs {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		same := Point{p.Households, p.Most, p.Rho, ""} // both recipes see the same households
		src := simulate.Stream("linked", seed, same, i)
		real, again := households(src, p.Households, p.Most), households(src, p.Households, p.Most)
		made, err := p.released(real, seed+uint64(i))
		if err != nil {
			return c, err
		}
		c.Runs++
		c.Mean, c.Again = c.Mean.plus(Compared(real, made), runs), c.Again.plus(Compared(real, again), runs)
	}
	return c, nil
}

// released are synthetic households by the recipe.
func (p Point) released(list []household, seed uint64) ([]household, error) {
	if p.Recipe == "wide" {
		return p.wide(list, seed)
	}
	return p.apart(list, seed)
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
		persons.Places, persons.Order = true, "-age"
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

// released learns the columns of a frame under add-remove and releases them with discrete Gaussian noise.
func released(f *frame.Frame, rho float64, seed uint64) (*release.Release, error) {
	return privbayes.WrapFrame(f, nil).WithoutN().Learn().Privatize(privbayes.DiscreteGaussian(),
		privbayes.ZCDP(rho).Under(privbayes.AddRemove), privbayes.Seeded(seed)).Release()
}

// wide is one row a household.
func (p Point) wide(list []household, seed uint64) ([]household, error) {
	parents, children := columnsOf(list)
	f, err := frame.TablesFromColumns(p.schema(true), parents, children)
	if err != nil {
		return nil, err
	}
	r, err := released(f, p.Rho, seed)
	if err != nil {
		return nil, err
	}
	h, c, err := privbayes.SynthesizeTables(r, len(list), dp.Seeded(seed))
	if err != nil {
		return nil, err
	}
	return joined(h, c)
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
		r, err := released(*part, p.Rho*[]float64{.35, .65}[i], seed)
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
