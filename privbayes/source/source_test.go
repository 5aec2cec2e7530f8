package source_test

import (
	"context"
	"encoding/csv"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/internal/sourcetest"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// groups is a source as a database makes one: it groups equal texts of the shape's columns, in an order of its own,
// encodes every group once, and adds up several parts as workers send them.
type groups struct {
	schema  *frame.Schema
	head    []string
	rows    [][]string
	seed    uint64
	workers int
}

func newGroups(t testing.TB, seed uint64, workers int) *groups {
	return groupsUnder(t, sourcetest.Schema(t), seed, workers)
}

func groupsUnder(t testing.TB, s *frame.Schema, seed uint64, workers int) *groups {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(sourcetest.CSV())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return &groups{s, all[0], all[1:], seed, workers}
}

func (g *groups) Schema() *frame.Schema { return g.schema }

func (g *groups) Size(context.Context) (source.Size, error) {
	units := map[string]bool{}
	for _, row := range g.rows {
		units[row[0]] = true
	}
	return source.SizeOf(g.schema, len(g.rows), len(units)), nil
}

func (g *groups) Rows() frame.Selection { return frame.Chosen("sources.csv") }

func (g *groups) Sealed(seal.Key) {}

func (g *groups) Statistics(_ context.Context, sh *model.Shape) (*model.Statistics, error) {
	all, err := model.NewTally(seal.Mine(), sh)
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
		for i, row := range g.rows {
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
		part, err := model.NewTally(seal.Mine(), sh)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			texts := strings.Split(key, "\x00")
			codes, values := make([]int32, len(texts)), make([]float64, len(texts))
			for i, c := range all.Columns() {
				coder, err := frame.NewCoder(seal.Mine(), g.schema, c.Name)
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
		numbers := part.Numbers(seal.Mine())
		if sum == nil {
			sum = make([]int64, len(numbers))
		}
		for i, n := range numbers {
			sum[i] += n
		}
	}
	if err := all.AddNumbers(seal.Mine(), sum); err != nil {
		return nil, err
	}
	return all.Statistics(g.Rows())
}

// units adds the rows that stay, from parts that are read apart.
func (g *groups) units(all *model.Tally, sh *model.Shape) error {
	var parts []*source.Units
	for range g.workers {
		u, err := source.NewUnits(seal.Mine(), g.schema, sh)
		if err != nil {
			return err
		}
		parts = append(parts, u)
	}
	r := rand.New(rand.NewPCG(g.seed, 1))
	for _, i := range r.Perm(len(g.rows)) {
		var texts [][]byte
		for _, text := range g.rows[i][1:] {
			texts = append(texts, []byte(text))
		}
		if err := parts[r.IntN(g.workers)].Row("sources.csv", []byte(g.rows[i][0]), texts...); err != nil {
			return err
		}
	}
	for _, p := range parts[1:] {
		parts[0].Merge(p)
	}
	return parts[0].AddTo(all)
}

func TestCappedReleasesAreTheSameFromEverySource(t *testing.T) {
	for _, c := range []struct {
		k   int
		pad bool
	}{{1, false}, {2, false}, {2, true}, {9, false}} {
		s := sourcetest.Units(t, c.k, c.pad)
		f := sourcetest.FrameUnder(t, s)
		if n, public := f.PublicN(); public != (c.k == 1 || c.pad) || public && n != 80*c.k {
			t.Errorf("%+v: n = %d, public %v", c, n, public)
		}
		sourcetest.Same(t, source.OfFrame(f), groupsUnder(t, s, 5, 3))
	}
}

func TestReleasesAreTheSameFromEverySource(t *testing.T) {
	f := source.OfFrame(sourcetest.Frame(t))
	for _, workers := range []int{1, 2, 7} {
		sourcetest.Same(t, f, newGroups(t, uint64(workers), workers))
	}
}

// A mutant that loses a row or counts one twice is refused, since the size is public; with a row in place of another it
// gives other releases.
func TestSourcesThatAreWrong(t *testing.T) {
	short := newGroups(t, 1, 2)
	size := len(short.rows)
	m := privbayes.NaiveBayes("class")
	sh, err := source.Shape(short, source.Size{N: size}, m)
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range [][][]string{short.rows[1:], append(short.rows, short.rows[0])} {
		short.rows = rows
		var changed *model.ChangedError
		if _, err := short.Statistics(t.Context(), sh); !errors.As(err, &changed) {
			t.Errorf("%d rows of %d: %v", len(rows), size, err)
		}
	}
	other := newGroups(t, 1, 2)
	other.rows[0] = []string{"p001", "bad", "red", "20", "1", "2024-01-01"}
	a, b := sourcetest.Releases(t, source.OfFrame(sourcetest.Frame(t))), sourcetest.Releases(t, other)
	same := 0
	for i := range a {
		if string(a[i]) == string(b[i]) {
			same++
		}
	}
	if same > 0 {
		t.Errorf("%d of %d releases do not notice another row", same, len(a))
	}
}

func TestARefusalNamesTheColumnOnly(t *testing.T) {
	g := newGroups(t, 1, 1)
	g.rows[5][2] = "SECRET-9f3"
	p := privbayes.From(t.Context(), g).Model(privbayes.Categorical("colour")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1))
	var refused *frame.OutOfDomainError
	if !errors.As(p.Err(), &refused) || refused.Column != "colour" || strings.Contains(p.Err().Error(), "SECRET") {
		t.Error(p.Err())
	}
}
