package frame_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/quantiles"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/weighted"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// line is a row of a table with the key of its unit.
type line struct{ id, colour, smoker, age, weight string }

func (l line) text() string {
	return strings.Join([]string{l.id, l.colour, l.smoker, l.age, l.weight}, ",") + "\n"
}

// crossing is a pipeline from a table to statistics: how units are declared, the source, the steps, the model.
type crossing struct {
	schema *frame.Schema
	adj    dp.Adjacency
	source int
	cut    int    // of the parts
	part   string // of a source that is divided by key
	steps  []crossStep
	model  model.Model
	mech   mechanism.Mechanism
}

type crossStep struct {
	name string
	take func(f *frame.Frame) (*frame.Frame, error)
}

// fault is one that is planted: in the frame after a step, or by forgetting the steps before planning.
type fault struct {
	plant  func(step string, f *frame.Frame, lines []line) *frame.Frame
	forget bool
}

// drawCrossing draws a pipeline.
func drawCrossing(r *rand.Rand) *crossing {
	s := &frame.Schema{Dataset: "d", RowsPerUnit: 1, ExtraColumns: true, Columns: []frame.Column{
		frame.Categorical("colour", "red", "green", "blue"), frame.Categorical("smoker", "yes", "no"),
		drawAge(r)}}
	s.RowsPerUnit = 1 + r.IntN(3)
	if r.IntN(4) > 0 {
		s.UnitKey = "id"
		if s.RowsPerUnit > 1 && r.IntN(3) > 0 {
			s.PadUnits = true
			s.Columns[0].Pad, s.Columns[1].Pad, s.Columns[2].Pad = "red", "no", "0"
		}
	}
	c := &crossing{schema: s, adj: []dp.Adjacency{dp.ReplaceOne, dp.AddRemove}[r.IntN(2)], source: r.IntN(5),
		cut: r.IntN(4)}
	switch c.source {
	case 3:
		c.part, c.adj = []string{"id", "colour"}[r.IntN(2)], dp.AddRemove
	case 4:
		c.schema = linked(s.Columns)
	}
	for range r.IntN(4) {
		c.steps = append(c.steps, drawStep(r, max(1, s.RowsPerUnit)))
	}
	if c.adj == dp.AddRemove && r.IntN(2) == 0 {
		c.steps = append([]crossStep{{"WithoutN", withoutN}}, c.steps...)
	}
	smoker := model.Node("smoker", "colour")
	switch r.IntN(5) {
	case 0:
		c.model, c.mech = model.Categorical("colour"), counts.Geometric()
	case 1:
		c.model, c.mech = model.NaiveBayes("smoker", "colour", "age"), counts.Geometric()
	case 2:
		c.model, c.mech = model.Network("smoker", model.Node("colour"), smoker, model.Node("age", "smoker")), counts.Geometric()
	case 3:
		c.model, c.mech = model.Mean("age"), sums.New().Geometric()
	case 4:
		c.model, c.mech = model.Quantiles("age", .5), quantiles.EM()
	}
	if c.source != 4 && r.IntN(3) == 0 {
		c.weigh(r)
	}
	return c
}

// weigh gives rows weights, which may be 0 as those of rows that pad a unit are, outside of the bounds, or missing.
func (c *crossing) weigh(r *rand.Rand) {
	c.schema.Weight = &frame.Weight{Column: "w", Min: "0", Max: "4", Step: "0.5", Clamp: true, Missing: "1.5",
		Computed: []frame.Computed{frame.FromDesign, frame.FromRespondents}[r.IntN(2)]}
	c.mech = weighted.New()
	c.model = []model.Model{model.Mean("age"), model.GroupMeans("age", "colour"), model.ContingencyTable("colour",
		"smoker"), model.Total("age"), model.Total("age", "smoker"), model.Quantiles("age")}[r.IntN(6)]
}

// linked makes the same columns of two tables: parents with a colour and children who smoke and have an age, of which
// two stay. Of several parents with one key one stays, and children without a parent are left out.
func linked(cols []frame.Column) *frame.Schema {
	smokes, years, age := cols[1], cols[2], frame.Column{Name: "age", OnMissing: cols[2].OnMissing, Impute: cols[2].Impute}
	smokes.Name, years.Name = "smokes", "years"
	return &frame.Schema{Dataset: "d", Unit: "household", Tables: []frame.Linked{
		{Name: "parents", Key: "id", Duplicates: "drop", ExtraColumns: true, Columns: cols[:1]},
		{Name: "children", Of: "parents", Key: "id", AtMost: 2, Orphans: "drop",
			Columns: []frame.Column{smokes, years}, PerUnit: []frame.UnitColumn{
				{Column: frame.Column{Name: "smoker"}, Is: "any", Of: "smokes", Where: []string{"yes"}},
				{Column: age, Is: "max", Of: "years"}}}}}
}

// drawAge is a column with missing values: of its own category, omitted, or read as a public number.
func drawAge(r *rand.Rand) frame.Column {
	c := frame.Integer("age", 0, 30, 100)
	c.Missing, c.OnMissing = []string{"-1"}, frame.MissingAsCategory
	switch r.IntN(4) {
	case 0:
		c.OnMissing = frame.MissingOmitted
	case 1, 2:
		return c.ImputedAs(40)
	}
	return c
}

func withoutN(f *frame.Frame) (*frame.Frame, error) { return f.WithoutN(), nil }

func drawStep(r *rand.Rand, unit int) crossStep {
	fraction, seed, second := []float64{0, .3, .5, .7, 1}[r.IntN(5)], uint64(r.IntN(3)), r.IntN(2) == 0
	k := unit * r.IntN(4)
	part := func(a, b *frame.Frame, err error) (*frame.Frame, error) {
		if second {
			return b, err
		}
		return a, err
	}
	return []crossStep{
		{"Split", func(f *frame.Frame) (*frame.Frame, error) { return part(f.Split(fraction, seed)) }},
		{"Split", func(f *frame.Frame) (*frame.Frame, error) { return part(f.Split(.5, seed)) }},
		{"Holdout", func(f *frame.Frame) (*frame.Frame, error) { return part(f.Holdout(k, seed)) }},
		{"Head", func(f *frame.Frame) (*frame.Frame, error) { return f.Head(k) }},
		{"Rows", func(f *frame.Frame) (*frame.Frame, error) {
			idx := []int{}
			for i := unit * int(seed); i < unit*int(seed)+k; i++ {
				idx = append(idx, i)
			}
			return f.Rows(idx)
		}},
		{"gaps", func(f *frame.Frame) (*frame.Frame, error) { return f.Rows([]int{4, 0, 2}) }},
		{"Where", func(f *frame.Frame) (*frame.Frame, error) {
			return f.Where("smoker", func(label string) bool { return (label == "yes") == second })
		}},
		{"Present", func(f *frame.Frame) (*frame.Frame, error) { return f.Present("age") }},
		{"Select", func(f *frame.Frame) (*frame.Frame, error) { return f.Select("age", "smoker", "colour") }},
		{"Collapse", func(f *frame.Frame) (*frame.Frame, error) { return f.Collapse("colour", "rest", "green") }},
		{"Append", func(f *frame.Frame) (*frame.Frame, error) { return f.Append(f) }},
		{"Append", func(f *frame.Frame) (*frame.Frame, error) {
			a, b, err := f.Split(.5, seed)
			if err != nil {
				return nil, err
			}
			return b.Append(a)
		}},
		{"AppendDisjoint", func(f *frame.Frame) (*frame.Frame, error) {
			a, b, err := f.Split(.5, seed)
			if err != nil {
				return nil, err
			}
			return a.AppendDisjoint(b)
		}},
	}[r.IntN(13)]
}

func drawLine(r *rand.Rand, id string) line {
	return line{id, []string{"red", "green", "blue"}[r.IntN(3)], []string{"yes", "no"}[r.IntN(2)],
		fmt.Sprint([]int{0, 20, 100, -1}[r.IntN(4)]), []string{"0", "0.3", "1", "2.25", "4", "9", ""}[r.IntN(7)]}
}

// drawNeighbours draws a table and one in which one unit is another: its rows, their number, their places and maybe its
// key; without a key, rows at the same places. Under add-remove the second has the unit no more.
func (c *crossing) drawNeighbours(r *rand.Rand) (x, y []line) {
	if c.schema.UnitKey == "" {
		for i := range 5 + r.IntN(7) {
			x = append(x, drawLine(r, fmt.Sprint("u", i)))
		}
		for i := range c.schema.RowsPerUnit { // also divided by key, a unit's rows are those of one key
			x[i].id = "u0"
		}
		r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
		if c.adj == dp.AddRemove {
			return x, slices.DeleteFunc(slices.Clone(x), func(l line) bool { return l.id == "u0" })
		}
		for _, l := range x {
			if l.id == "u0" {
				l = drawLine(r, "u0")
			}
			y = append(y, l)
		}
		return x, y
	}
	for i := range 3 + r.IntN(6) {
		for range 1 + r.IntN(4) {
			x = append(x, drawLine(r, fmt.Sprint("u", i)))
		}
	}
	r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
	y = slices.DeleteFunc(slices.Clone(x), func(l line) bool { return l.id == "u0" })
	if c.adj == dp.AddRemove {
		return x, y
	}
	key := []string{"u0", fmt.Sprint("new", r.IntN(9))}[r.IntN(2)]
	for range 1 + r.IntN(4) {
		y = slices.Insert(y, r.IntN(len(y)+1), drawLine(r, key))
	}
	return x, y
}

// read reads the lines from the source of the pipeline.
func (c *crossing) read(t *testing.T, lines []line) (*frame.Frame, error) {
	const head = "id,colour,smoker,age,w\n"
	text := func(lines []line) string {
		out := head
		for _, l := range lines {
			out += l.text()
		}
		return out
	}
	switch c.source {
	case 0:
		cols := map[string]any{}
		var id, colour, smoker []string
		var age []int
		var weight []float64
		for _, l := range lines {
			var n int
			w := math.NaN() // missing
			_, _ = fmt.Sscan(l.age, &n)
			_, _ = fmt.Sscan(l.weight, &w)
			weight = append(weight, w)
			id, colour, smoker, age = append(id, l.id), append(colour, l.colour), append(smoker, l.smoker), append(age, n)
		}
		cols["colour"], cols["smoker"], cols["age"] = colour, smoker, age
		if c.schema.UnitKey != "" {
			cols["id"] = id
		}
		if c.schema.Weight != nil {
			cols["w"] = weight
		}
		return frame.FromColumns(c.schema, cols)
	case 1:
		return frame.Read(t.Context(), strings.NewReader(text(lines)), "x.csv", c.schema)
	}
	cut := min(c.cut, len(lines))
	if c.source == 4 { // some parents have no child, and the first child no parent
		children := "id,smokes,years\norphan,yes,100\n"
		for _, l := range lines {
			if l.age != "20" {
				children += fmt.Sprintf("%s,%s,%s\n", l.id, l.smoker, l.age)
			}
		}
		return frame.ReadTables(t.Context(), []frame.Shard{{Name: "p.csv", Reader: strings.NewReader(text(lines))},
			{Name: "c.csv", Reader: strings.NewReader(children)}}, c.schema)
	}
	return frame.ReadShards(t.Context(), []frame.Shard{{Name: "a.csv", Reader: strings.NewReader(text(lines[:cut]))},
		{Name: "b.csv", Reader: strings.NewReader(text(lines[cut:]))}}, c.schema)
}

// outcome is what a pipeline makes of a table: public facts, and statistics where the plan was made.
type outcome struct {
	public []string
	err    error
	plan   *mechanism.Plan
	st     *model.Statistics
}

// run follows a pipeline. Its plans are kept, as they are functions of public facts.
func (c *crossing) run(t *testing.T, lines []line, plant fault, plans map[string]outcome) (out outcome) {
	say := func(format string, args ...any) { out.public = append(out.public, fmt.Sprintf(format, args...)) }
	var from source.Source
	if c.source == 3 {
		from = c.divided(t, lines)
	} else {
		f, err := c.read(t, lines)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range append([]crossStep{{"read", func(f *frame.Frame) (*frame.Frame, error) { return f, nil }}}, c.steps...) {
			if f, err = s.take(f); err != nil {
				say("%s: %v", s.name, err)
				out.err = err
				return out
			}
			if plant.plant != nil {
				f = plant.plant(s.name, f, lines)
			}
		}
		if say("%s", f.Lineage()); c.adj.PublicN() {
			say("%s", f.Table())
		}
		from = source.OfFrame(f)
	}
	size := must.Get(from.Size(t.Context()))(t)
	if c.adj.PublicN() {
		say("%+v", size)
	}
	sh, err := source.Shape(from, size, c.model)
	if err != nil {
		say("%v", err)
		return out
	}
	if plant.forget {
		sh = sh.OfRows()
	}
	id, _ := json.Marshal(sh)
	key := fmt.Sprint(string(id), c.adj)
	made, known := plans[key]
	if !known {
		made.plan, made.err = c.mech.Plan(t.Context(), sh, dp.PureDP(1).Under(c.adj))
		plans[key] = made
	}
	if made.err != nil {
		say("%v", made.err)
		return out
	}
	out.plan = made.plan
	public, err := json.Marshal(out.plan)
	say("%s %v %s", public, err, out.plan.Warnings())
	if out.st, err = from.Statistics(t.Context(), sh); err != nil {
		t.Fatal(err)
	}
	return out
}

// divided is the table in files, divided by key.
func (c *crossing) divided(t *testing.T, lines []line) source.Source {
	path := filepath.Join(t.TempDir(), "x.csv")
	text := "id,colour,smoker,age,w\n"
	for _, l := range lines {
		text += l.text()
	}
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	from := must.Get(source.Files(c.schema, path))(t)
	part := must.Get(source.NewPart(c.part, .5, uint64(c.cut)))(t)
	return must.Get(from.Part(part))(t)
}

// loss is the greatest privacy loss between two statistics under the noise of their plan, which certifies 1-DP.
func loss(t *testing.T, c *crossing, x, y outcome) float64 {
	key, sh, total := access.Mine(), x.plan.Shape(), 0.
	if sh.Weighted() != nil {
		var params struct {
			Tokens int64
			Rate   noise.Rational
		}
		must.Do(t, json.Unmarshal(x.plan.Params(), &params))
		of := sh.Lattice().TokenSums(y.st.OpenWhole(key), params.Tokens)
		for i, v := range sh.Lattice().TokenSums(x.st.OpenWhole(key), params.Tokens) {
			total += math.Abs(float64(v - of[i]))
		}
		return total * params.Rate.Float()
	}
	if z, ok := x.plan.Noise(); ok {
		measured := sensitivity.Measured(sh, c.adj)
		for i, table := range x.st.Open(key) {
			for cell := range measured[i] {
				total += math.Abs(float64(table[cell] - y.st.Open(key)[i][cell]))
			}
		}
		return total * noise.FormOf(z).Rate * float64(z.Unit())
	}
	var params struct{ Rate float64 }
	must.Do(t, json.Unmarshal(x.plan.Params(), &params))
	if params.Rate > 0 { // quantiles: the score is a distance of ranks
		rank, most := 0., 0.
		for i, v := range x.st.OpenSums(key) {
			rank += v - y.st.OpenSums(key)[i]
			most = max(most, math.Abs(rank))
		}
		return 2 * params.Rate * most
	}
	_, rows := sh.Unit()
	if l := sh.Lattice(); l.Omits { // Bernstein's sums of the records with a value
		n, places, squares := change(x.st, y.st, 0), change(x.st, y.st, 2), change(x.st, y.st, 3)
		j := float64(l.Coarse)
		total = math.Abs(n*j*j-2*j*places+squares) + math.Abs(2*j*places-2*squares) + math.Abs(squares)
		if c.adj.PublicN() {
			total /= 2
		}
		return total / j / j / float64(rows)
	}
	steps := float64(sh.Lattice().Steps)
	d := float64(x.st.OpenWhole(key)[0] - y.st.OpenWhole(key)[0])
	if total = math.Abs(d); c.adj == dp.AddRemove { // the sum, and that of the distances to the upper bound
		total += math.Abs(steps*float64(x.st.Rows(key)-y.st.Rows(key)) - d)
	}
	return total / steps / float64(rows)
}

// change is by how much an integer sum of two statistics differs.
func change(x, y *model.Statistics, sum int) float64 {
	return float64(x.OpenWhole(access.Mine())[sum] - y.OpenWhole(access.Mine())[sum])
}

// crossings runs many pipelines on neighbours, until enough is found. It counts the comparisons of statistics, and
// lists what tells neighbours apart that is public, and losses above the certified one.
func crossings(t *testing.T, plant fault, enough func(worst float64, faults int) bool) (compared map[string]int,
	worst float64, faults []string) {
	t.Helper()
	r, plans := rand.New(rand.NewPCG(7, 7)), map[string]outcome{}
	compared = map[string]int{}
	for range manyCrossings {
		if enough(worst, len(faults)) {
			break
		}
		c := drawCrossing(r)
		a, b := c.drawNeighbours(r)
		x, y := c.run(t, a, plant, plans), c.run(t, b, plant, plans)
		var names []string
		for _, s := range c.steps {
			names = append(names, s.name)
		}
		name := fmt.Sprintf("%s, key %q, %d rows, padded %v, source %d, %v, %s", c.adj, c.schema.UnitKey,
			c.schema.RowsPerUnit, c.schema.PadUnits, c.source, names, c.model)
		var size *domain.Error
		if c.adj == dp.AddRemove && (errors.As(x.err, &size) || errors.As(y.err, &size)) {
			continue // a number beyond n is refused for the owner of the data: see docs/explanation/promise.md
		}
		if !slices.Equal(x.public, y.public) {
			faults = append(faults, fmt.Sprintf("%s: %q and %q", name, x.public, y.public))
			continue
		}
		if x.st == nil {
			compared["refused"]++
			continue
		}
		compared[fmt.Sprintf("%s, key %v", c.adj, c.schema.UnitKey != "")]++
		compared[c.model.String()]++
		if c.schema.Weight != nil {
			compared[fmt.Sprintf("%s, weights", c.adj)]++
		}
		if c.source == 4 {
			compared[fmt.Sprintf("%s, two tables", c.adj)]++
		}
		l := loss(t, c, x, y)
		if worst = max(worst, l); l > 1+1e-9 {
			faults = append(faults, fmt.Sprintf("%s: loss %.3g at certified 1", name, l))
		}
	}
	return compared, worst, faults
}

// manyCrossings take some ten seconds.
const manyCrossings = 2500

// Whatever steps, units, adjacencies, models and sources come together, one unit changes the statistics by no more than
// what the plan certifies, and nothing that is public. Planted again, three old faults are found: units known by the
// number of their first row, rows known by their places where n is private, and rows chosen by n under an adjacency
// that hides it.
func TestStepsCrossed(t *testing.T) {
	if testing.Short() {
		t.Skip("some ten seconds, of one goroutine")
	}
	compared, worst, faults := crossings(t, fault{}, func(float64, int) bool { return false })
	for _, f := range faults[:min(len(faults), 5)] {
		t.Error(f)
	}
	t.Logf("%v, worst loss %.6f", compared, worst)
	for what, k := range compared {
		if k < manyCrossings/100 {
			t.Errorf("%s: only %d comparisons", what, k)
		}
	}
	if len(compared) != 19 || math.Abs(worst-1) > 1e-6 {
		t.Errorf("worst loss %g over %v", worst, compared)
	}
	for name, plant := range map[string]fault{
		"units by first rows": {plant: func(step string, f *frame.Frame, lines []line) *frame.Frame {
			if step != "read" {
				return f
			}
			var keys []string
			for _, l := range lines {
				keys = append(keys, l.id)
			}
			return frame.Numbered(f, keys)
		}},
		"rows by place": {plant: func(step string, f *frame.Frame, _ []line) *frame.Frame {
			if step == "Where" || step == "Present" || step == "WithoutN" {
				return frame.Placed(f)
			}
			return f
		}},
		"steps forgotten": {forget: true},
	} {
		found := func(worst float64, faults int) bool { return faults > 2 && worst > 1.4 }
		if _, worst, faults := crossings(t, plant, found); !found(worst, len(faults)) {
			t.Errorf("%s: %d found, worst loss %.3g", name, len(faults), worst)
		}
	}
}

// Rows whose weight was set aside are the same whatever all weights are, wherever their guarantee is without the words
// of others' weights held as given: neither statistics nor public facts differ. With these words some differ, by rows
// of units with a key, and by what was split by contents: the words are not said without need.
func TestUnweightedCrossed(t *testing.T) {
	r, plans := rand.New(rand.NewPCG(8, 8)), map[string]outcome{}
	same, differ := 0, 0
	for range 1200 {
		c := drawCrossing(r)
		c.weigh(r)
		if c.source > 2 {
			continue // steps are taken of frames
		}
		c.schema.Weight.Computed = frame.FromRespondents
		c.model, c.mech = model.Categorical("colour"), counts.Geometric()
		c.steps = slices.Insert(c.steps, r.IntN(len(c.steps)+1), crossStep{"Unweighted", (*frame.Frame).Unweighted})
		a, _ := c.drawNeighbours(r)
		b := slices.Clone(a)
		for i := range b {
			b[i].weight = drawLine(r, "").weight
		}
		x, y := c.run(t, a, fault{}, plans), c.run(t, b, fault{}, plans)
		equal := slices.Equal(x.public, y.public) && (x.st == nil) == (y.st == nil) &&
			(x.st == nil || reflect.DeepEqual(x.st.Open(access.Mine()), y.st.Open(access.Mine())))
		words := x.plan == nil || strings.Contains(x.plan.Certified().Unit, frame.HeldAsGiven)
		switch {
		case !words && !equal:
			t.Fatalf("%v, %v: %q and %q", c.schema, c.steps, x.public, y.public)
		case !words:
			same++
		case !equal:
			differ++
		}
	}
	if same < 50 || differ < 20 {
		t.Errorf("%d tables go without the words, %d differ with them", same, differ)
	}
}
