// Package sourcetest checks that sources of one table give the same releases: for the tests of every source.
package sourcetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// CSV is a table of 240 rows under Schema: bins and bounds, missing values of both kinds, an alias, clamped values,
// dates, text that needs quotes, and a person's number, p001 to p080, with one to five rows each, which the schema does
// not name.
func CSV() string {
	var b strings.Builder
	b.WriteString("id,class,colour,age,wage,seen\n")
	state := uint64(1)
	next := func(n int) int {
		state = state*6364136223846793005 + 1442695040888963407
		return int(state>>33) % n
	}
	for row := range 240 {
		person := row
		if row >= 80 {
			person = next(80)
		}
		fields := []string{"p" + digits(person%80+1, 3), []string{"good", "bad", "g"}[next(3)],
			[]string{"red", `"blue, pale"`, "green", "?"}[next(4)], digits(18+next(80), 1),
			digits(next(1300), 1) + "." + digits(next(100), 2), "2024-0" + digits(1+next(9), 1) + "-" + digits(10+next(19), 2)}
		if next(7) == 0 {
			fields[3] = "-9"
		}
		b.WriteString(strings.Join(fields, ",") + "\n")
	}
	return b.String()
}

func digits(n, width int) string {
	b, _ := json.Marshal(n)
	return strings.Repeat("0", max(0, width-len(b))) + string(b)
}

// schemaJSON is the schema of CSV.
const schemaJSON = `{
 "dataset": "sources", "unit": "visit", "extra_columns": true,
 "columns": [
  {"name": "class", "kind": "categorical", "categories": ["good", "bad"],
   "aliases": [{"category": "good", "texts": ["g"]}]},
  {"name": "colour", "kind": "categorical", "categories": ["red", "blue, pale", "green"], "missing": ["?"],
   "on_missing": "category"},
  {"name": "age", "kind": "integer", "edges": [18, 30, 45, 60, 100], "missing": ["-9"], "on_missing": "category"},
  {"name": "wage", "kind": "real", "edges": [0, 250.5, 500, 1000], "on_out_of_domain": "clamp"},
  {"name": "seen", "kind": "integer", "date": "2006-01-02", "date_edges": ["2024-01-01", "2024-04-01", "2024-12-31"]}
 ]
}`

// Schema is the schema of CSV.
func Schema(t testing.TB) *frame.Schema {
	t.Helper()
	return must.Get(privbayes.ParseSchema([]byte(schemaJSON)))(t)
}

// Units is the schema of CSV with at most k rows of a person, enforced by the number "id"; padded to k rows if asked
// for.
func Units(t testing.TB, k int, pad bool) *frame.Schema {
	t.Helper()
	s := Schema(t)
	s.Unit, s.UnitKey, s.RowsPerUnit, s.PadUnits = "person", "id", k, pad
	for i, text := range []string{"bad", "?", "-9", "0", "2024-01-01"} {
		if pad {
			s.Columns[i].Pad = text
		}
	}
	return s
}

// Weighted is a schema of CSV whose wages are weights: of its own, or of units.
func Weighted(s *frame.Schema) *frame.Schema {
	s.Columns = slices.DeleteFunc(s.Columns, func(c frame.Column) bool { return c.Name == "wage" })
	s.Weight = &frame.Weight{Column: "wage", Min: "0", Max: "1000", Step: "0.5", Clamp: true, Computed: frame.FromDesign}
	return s.Clone()
}

// Frame is the table in memory.
func Frame(t testing.TB) *frame.Frame { return FrameUnder(t, Schema(t)) }

// FrameUnder is the table in memory, read under one of the schemas.
func FrameUnder(t testing.TB, s *frame.Schema) *frame.Frame {
	t.Helper()
	return must.Get(frame.Read(t.Context(), strings.NewReader(CSV()), "sources.csv", s))(t)
}

// models are one of every kind: tables of one, two and three columns, a sum, second moments of numbers and of classes,
// learned structures: all pairs of columns, maybe with the joint table of all, means, and products of a formula.
func models() []privbayes.ModelSpec {
	return []privbayes.ModelSpec{
		privbayes.Categorical("colour"),
		privbayes.NaiveBayes("class"),
		privbayes.Network("class", privbayes.Node("class"), privbayes.Node("age", "class"),
			privbayes.Node("colour", "class", "age"), privbayes.Node("wage", "age")),
		privbayes.Exponential("wage").WithRange(.0001, 1),
		privbayes.LinearRegression("wage", "seen"),
		privbayes.LogisticRegression("class", "seen", "colour"),
		privbayes.MaxEntropy().Of("class", "age", "colour", "wage").Always(),
		privbayes.MaxEntropy().Of("class", "age", "colour", "wage"), // the joint table of all is counted, too
		privbayes.Tree().Of("class", "colour", "wage").Always(),
		privbayes.PrivBayes().Degree(1),
		privbayes.Mean("age"), // of the rows that have one
		privbayes.GroupMeans("age", "class"),
		privbayes.Linear("wage ~ seen*colour + I(seen^2)"),
		privbayes.Logistic("class ~ seen*colour + I(wage^2) + wage"),
		privbayes.LogisticRegression("class", "colour"), // counted once more, in the table of both
	}
}

// Releases are seeded releases of every kind of model on a source, as they would be saved, under replace-one adjacency
// where the size is public and under add-remove.
func Releases(t testing.TB, s source.Source) [][]byte {
	t.Helper()
	var out [][]byte
	add := func(p *privbayes.Privatized) {
		t.Helper()
		r := must.Get(p.Release())(t)
		b := must.Get(r.JSON())(t)
		out = append(out, b)
	}
	all := privbayes.From(t.Context(), s)
	size := must.Get(s.Size(t.Context()))(t)
	_, public := size.Public()
	if s.Schema().Weighted() != nil {
		weighted(all, public, add)
		return out
	}
	for i, m := range models() {
		switch {
		case i == 6:
			add(all.Model(m).Privatize(planned{privbayes.LearnedGaussian()}, privbayes.ZCDP(2).Under(privbayes.AddRemove),
				privbayes.Seeded(12)))
		case i == 7 && public:
			p := all.Model(m).Privatize(planned{privbayes.LearnedGeometric()}, privbayes.PureDP(20), privbayes.Seeded(13))
			add(p)
			if r, err := p.Release(); err == nil && s.Schema().RowsPerUnit == 1 && !wholeTable(r) {
				t.Errorf("%s: the joint table of all columns is not measured: %s", m, r.Plan().Setting("decision"))
			}
		case i == 8:
			add(all.Model(m).Privatize(planned{privbayes.LearnedGeometric()}, privbayes.PureDP(20).Under(privbayes.AddRemove),
				privbayes.Seeded(14)))
		case i == 9 && public:
			add(all.Model(m).Privatize(planned{privbayes.LearnedAsPublished()}, privbayes.PureDP(5), privbayes.Seeded(15)))
		case i > 11:
			regressions(all.Model(m), i, public, add)
		case i > 9:
			if public {
				add(all.Model(m).Privatize(planned{privbayes.NoisySums()}, privbayes.PureDP(5), privbayes.Seeded(16)))
			}
			add(all.Model(m).Privatize(planned{privbayes.NoisySums()}, privbayes.ZCDP(2).Under(privbayes.AddRemove),
				privbayes.Seeded(17)))
		case i < 3:
			if public {
				add(all.Model(m).Privatize(planned{privbayes.Geometric()}, privbayes.PureDP(5), privbayes.Seeded(7)))
			}
			add(all.Model(m).Privatize(planned{privbayes.DiscreteGaussian()}, privbayes.ZCDP(2).Under(privbayes.AddRemove),
				privbayes.Seeded(8)))
		case i == 3 && public && s.Schema().RowsPerUnit == 1:
			add(all.Model(m).Privatize(planned{privbayes.PosteriorSample(2)}, privbayes.ApproxDP(50, 1e-3),
				privbayes.Seeded(9)))
		case i == 4 && public:
			add(all.Model(m).Privatize(planned{privbayes.SufficientStatistics()}, privbayes.ApproxDP(5, 1e-3),
				privbayes.Seeded(10)))
		case i == 5 && public:
			add(all.Model(m).Privatize(planned{privbayes.SufficientStatistics()}, privbayes.PureDP(5), privbayes.Seeded(11)))
			add(all.Model(m).Privatize(planned{privbayes.FisherScoring().Anyway()}, privbayes.ApproxDP(5, 1e-3),
				privbayes.Seeded(18)))
		case i == 5:
			add(all.Model(m).Privatize(planned{privbayes.SufficientStatistics()}, privbayes.PureDP(5).Under(privbayes.AddRemove),
				privbayes.Seeded(11)))
			add(all.Model(m).Privatize(planned{privbayes.FisherScoring()}, privbayes.ApproxDP(5,
				1e-3).Under(privbayes.AddRemove),
				privbayes.Seeded(18)))
		case i == 4:
			add(all.Model(m).Privatize(planned{privbayes.SufficientStatistics().Continuous()},
				privbayes.ApproxDP(5, 1e-3).Under(privbayes.AddRemove), privbayes.Seeded(10)))
		}
	}
	return out
}

// weighted are releases of the population that weighted rows stand for.
func weighted(all *privbayes.Frame, public bool, add func(*privbayes.Privatized)) {
	for _, m := range []privbayes.ModelSpec{privbayes.Mean("age"), privbayes.GroupMeans("age", "class"),
		privbayes.Table("class", "colour"), privbayes.Total("age", "colour")} {
		if public {
			add(all.Model(m).Privatize(planned{privbayes.Tokens()}, privbayes.PureDP(5), privbayes.Seeded(20)))
		}
		add(all.Model(m).Privatize(planned{privbayes.Tokens()}, privbayes.ZCDP(2).Under(privbayes.AddRemove),
			privbayes.Seeded(21)))
	}
}

// regressions are releases of a formula, and of a logistic regression on factors, by their places among the models.
func regressions(m *privbayes.Model, i int, public bool, add func(*privbayes.Privatized)) {
	by, target := privbayes.Mechanism(privbayes.SufficientStatistics()), privbayes.ApproxDP(5, 1e-3)
	switch i {
	case 13:
		by = privbayes.FisherScoring().Anyway()
	case 14:
		by, target = privbayes.ContingencyTable().Anyway(), privbayes.PureDP(5)
	}
	if public {
		add(m.Privatize(planned{by}, target, privbayes.Seeded(18)))
	}
	add(m.Privatize(planned{by}, target.Under(privbayes.AddRemove), privbayes.Seeded(19)))
}

// plans are those that were made: of sources that agree the plan is one.
var plans = struct {
	sync.Mutex
	made map[string]*mechanism.Plan
}{made: map[string]*mechanism.Plan{}}

// planned is a mechanism that plans once for a shape and a target.
type planned struct{ privbayes.Mechanism }

// Plan is that of the mechanism, made now or before.
func (m planned) Plan(ctx context.Context, sh *privbayes.Shape, target dp.Request) (*mechanism.Plan, error) {
	shape, err := json.Marshal([]any{sh, target})
	if err != nil {
		return nil, err
	}
	n, public := sh.N()
	key := fmt.Sprint(m.Name(), m.Title(), string(shape), n, public, sh.PrivateNStep(), sh.Rows())
	plans.Lock()
	defer plans.Unlock()
	if p := plans.made[key]; p != nil {
		return p, nil
	}
	p, err := m.Mechanism.Plan(ctx, sh, target)
	if err == nil {
		plans.made[key] = p
	}
	return p, err
}

// wholeTable reports whether a table of all columns was measured.
func wholeTable(r *privbayes.Release) bool {
	s := r.Structure()
	return s != nil && slices.ContainsFunc(s.Rounds, func(round model.Round) bool {
		return len(round.Columns) == len(s.Columns)
	})
}

// Same checks that two sources of one table give the same releases, byte for byte, and that the second, which
// has no rows in memory, refuses to learn from tables of three columns.
func Same(t testing.TB, a, b source.Source) {
	t.Helper()
	if a.Schema().Weighted() == nil {
		noTriples(t, b)
	}
	x, y := Releases(t, a), Releases(t, b)
	if len(x) != len(y) {
		t.Fatalf("%d releases of one source, %d of the other: one has a public size", len(x), len(y))
	}
	for i := range x {
		if !bytes.Equal(x[i], y[i]) {
			t.Errorf("release %d differs between the sources", i)
		}
	}
}

// noTriples checks that learners of tables of three columns are refused by a typed error that says what works instead.
func noTriples(t testing.TB, s source.Source) {
	t.Helper()
	refuses := func(m privbayes.ModelSpec, noise privbayes.Mechanism, target privbayes.Target, says ...string) {
		t.Helper()
		err := privbayes.From(t.Context(), s).Model(m).Privatize(noise, target, privbayes.Seeded(16)).Err()
		var refused *mechanism.StatisticsError
		if !errors.As(err, &refused) {
			t.Fatalf("%s from a source: %v", m, err)
		}
		for _, want := range append(says, "rows in memory", "Tree() and MaxEntropy() learn from a source") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s from a source: %v; want %s", m, err, want)
			}
		}
	}
	refuses(privbayes.Cliques(3).Always(), privbayes.Geometric(), privbayes.PureDP(5).Under(privbayes.AddRemove),
		"Cliques(3)", "Cliques(2)")
	if size, err := s.Size(t.Context()); err != nil {
		t.Fatal(err)
	} else if _, public := size.Public(); public {
		refuses(privbayes.PrivBayes().Degree(2), privbayes.Laplace(), privbayes.PureDP(5), "PrivBayes().Degree(2)",
			"PrivBayes().Degree(1)", "3 columns")
	}
}

// Equal reports whether two statistics hold the same numbers.
func Equal(a, b *model.Statistics) bool {
	key := access.Mine()
	return reflect.DeepEqual(a.Open(key), b.Open(key)) && reflect.DeepEqual(a.OpenSums(key), b.OpenSums(key)) &&
		reflect.DeepEqual(a.OpenWhole(key), b.OpenWhole(key)) && reflect.DeepEqual(a.OpenWithin(key), b.OpenWithin(key))
}
