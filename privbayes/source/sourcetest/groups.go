package sourcetest

import (
	"context"
	"encoding/csv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// Groups is a source as a database makes one: it groups equal texts of the shape's columns, in an order of its own,
// encodes every group once, and adds up several parts as workers send them.
type Groups struct {
	Records [][]string // of CSV, without its header
	schema  *frame.Schema
	head    []string
	seed    uint64
	workers int
	parts   []source.Part
}

// NewGroups is the table of CSV under a schema, its rows in the order of a seed, in as many parts as there are workers.
func NewGroups(t testing.TB, s *frame.Schema, seed uint64, workers int) *Groups {
	t.Helper()
	all := must.Get(csv.NewReader(strings.NewReader(CSV())).ReadAll())(t)
	return &Groups{Records: all[1:], schema: s, head: all[0], seed: seed, workers: workers}
}

// Schema is the one that it was made with.
func (g *Groups) Schema() *frame.Schema { return g.schema }

// rows are those of its part.
func (g *Groups) rows() (out [][]string) {
	for _, row := range g.Records {
		if !slices.ContainsFunc(g.parts, func(p source.Part) bool { return !p.Keeps([]byte(row[0])) }) {
			out = append(out, row)
		}
	}
	return out
}

// Part divides the rows by the person's number.
func (g *Groups) Part(p source.Part) (source.Source, error) {
	if p.Column != g.head[0] {
		return nil, &frame.ColumnError{Step: "SplitByKey", Column: p.Column, Have: g.head}
	}
	part := *g
	part.parts = append(slices.Clone(g.parts), p)
	return &part, nil
}

// Size counts rows and units.
func (g *Groups) Size(context.Context) (source.Size, error) {
	if len(g.parts) > 0 {
		return source.Size{PrivateBy: "SplitByKey"}, nil
	}
	units := map[string]bool{}
	for _, row := range g.rows() {
		units[row[0]] = true
	}
	return source.SizeOf(g.schema, len(g.rows()), len(units)), nil
}

// Rows names the table, and the steps of the parts.
func (g *Groups) Rows() frame.Selection {
	var steps []frame.RowStep
	for _, p := range g.parts {
		steps = append(steps, p.Step())
	}
	return frame.Chosen("sources.csv", steps...)
}

// Sealed keeps the type in this module.
func (g *Groups) Sealed(access.Key) {}

// Statistics counts the rows.
func (g *Groups) Statistics(_ context.Context, sh *model.Shape) (*model.Statistics, error) {
	all, err := model.NewTally(access.Mine(), sh)
	if err != nil {
		return nil, err
	}
	if g.schema.UnitKey != "" {
		if err := g.units(all, sh); err != nil {
			return nil, err
		}
		return all.Statistics(g.Rows())
	}
	r := rand.New(rand.NewPCG(g.seed, 0))
	var sum []int64
	for w := range g.workers {
		found := map[string]int64{}
		for i, row := range g.rows() {
			if i%g.workers != w {
				continue
			}
			var key []string
			for _, c := range all.Columns() {
				for k, name := range g.head {
					if name == c.Name {
						key = append(key, row[k])
					}
				}
			}
			found[strings.Join(key, "\x00")]++
		}
		var keys []string
		for k := range found {
			keys = append(keys, k)
		}
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		part, err := model.NewTally(access.Mine(), sh)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			texts := strings.Split(key, "\x00")
			codes, values := make([]int32, len(texts)), make([]float64, len(texts))
			for i, c := range all.Columns() {
				coder, err := frame.NewCoder(access.Mine(), g.schema, c.Name)
				if err != nil {
					return nil, err
				}
				var ok bool
				if codes[i], values[i], ok = coder.Text([]byte(texts[i])); !ok {
					return nil, coder.Refusal("sources.csv")
				}
			}
			if err := part.Group(codes, values, found[key]); err != nil {
				return nil, err
			}
		}
		if w%2 == 1 {
			if err := all.Merge(part); err != nil {
				return nil, err
			}
			continue
		}
		numbers := part.Numbers(access.Mine())
		if sum == nil {
			sum = make([]int64, len(numbers))
		}
		for i, n := range numbers {
			sum[i] += n
		}
	}
	if err := all.AddNumbers(access.Mine(), sum); err != nil {
		return nil, err
	}
	return all.Statistics(g.Rows())
}

// units adds the rows that stay, from parts that are read apart.
func (g *Groups) units(all *model.Tally, sh *model.Shape) error {
	var parts []*source.Units
	for range g.workers {
		u, err := source.NewUnits(access.Mine(), g.schema, sh)
		if err != nil {
			return err
		}
		parts = append(parts, u)
	}
	r := rand.New(rand.NewPCG(g.seed, 1))
	for _, i := range r.Perm(len(g.rows())) {
		var texts [][]byte
		for _, name := range g.schema.Names() {
			texts = append(texts, []byte(g.rows()[i][slices.Index(g.head, name)]))
		}
		if err := parts[r.IntN(g.workers)].Row("sources.csv", []byte(g.rows()[i][0]), texts...); err != nil {
			return err
		}
	}
	for _, p := range parts[1:] {
		parts[0].Merge(p)
	}
	return parts[0].AddTo(all)
}
