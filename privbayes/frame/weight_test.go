package frame

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

func surveyed() *Schema {
	return &Schema{Dataset: "survey", Sampling: Sample, ApproximateRows: 5000, Population: 100000,
		Weight:  &Weight{Column: "w", Min: "0.5", Max: "40", Step: "0.25", Computed: FromDesign},
		Columns: []Column{Categorical("a", "x", "y")}}
}

// The golden lattice, and halves that floating point would round down.
func TestWeightSteps(t *testing.T) {
	l := must.Get(surveyed().Weight.Steps())(t)
	if l.High != 160 || l.Low != 2 {
		t.Errorf("steps from %d to %d", l.Low, l.High)
	}
	for text, want := range map[string]int64{"0.3": 2, "12.375": 50, "12.12": 48, "55": 160, "0.625": 3, "NaN": 2} {
		x, _ := strconv.ParseFloat(text, 64)
		if got := l.At(x); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	tenths := must.Get((&Weight{Column: "w", Min: "0", Max: "1", Step: "0.1", Computed: FromDesign}).Steps())(t)
	for text, want := range map[string]int64{"0.15": 2, "0.25": 3, "0.35": 4, "0.1499999": 1, "0.05": 1, "0": 0,
		"0.04999999999999999": 0, "0.05000000000000001": 1, "0.9499999": 9, "0.95": 10} {
		x, _ := strconv.ParseFloat(text, 64)
		if got := tenths.At(x); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// Every misuse of a weight is an error that names the field.
func TestWeightRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *Schema)
		field  string
	}{
		"no max":          {func(s *Schema) { s.Weight.Max = "" }, "weight.max"},
		"max 0":           {func(s *Schema) { s.Weight.Max, s.Weight.Min = "0", "0" }, "weight.max"},
		"negative":        {func(s *Schema) { s.Weight.Min = "-1" }, "weight.min"},
		"min above":       {func(s *Schema) { s.Weight.Min = "41" }, "weight.min"},
		"not whole":       {func(s *Schema) { s.Weight.Step = "0.3" }, "weight.step"},
		"step 0":          {func(s *Schema) { s.Weight.Step = "0" }, "weight.step"},
		"too fine":        {func(s *Schema) { s.Weight.Step = "0.000001" }, "weight.step"},
		"exponent":        {func(s *Schema) { s.Weight.Max = "1e3" }, "weight.max"},
		"not computed":    {func(s *Schema) { s.Weight.Computed = "" }, "weight.computed"},
		"raked":           {func(s *Schema) { s.Weight.Computed = "raked" }, "weight.computed"},
		"census":          {func(s *Schema) { s.Sampling = Census }, "sampling"},
		"no weight":       {func(s *Schema) { s.Weight = nil }, "population"},
		"negative people": {func(s *Schema) { s.Population = -1 }, "population"},
		"too many people": {func(s *Schema) { s.Population = 200001 }, "population"},
		"missing outside": {func(s *Schema) { s.Weight.Missing = "41" }, "weight.missing"},
		"no column":       {func(s *Schema) { s.Weight.Column = "" }, "weight.column"},
		"a column":        {func(s *Schema) { s.Columns = append(s.Columns, Real("w", 0, 40)) }, "weight"},
		"a column, set aside": {func(s *Schema) {
			s.Weight.Unused, s.Weight.Computed, s.Columns = true, FromRespondents, append(s.Columns, Real("w", 0, 40))
		}, "weight"},
		"padded":   {func(s *Schema) { s.UnitKey, s.PadUnits, s.RowsPerUnit = "id", true, 2 }, "pad_units"},
		"chose":    {func(s *Schema) { s.Weight.Chose = true }, "weight.chose"},
		"the key":  {func(s *Schema) { s.UnitKey = "w" }, "unit_key"},
		"inferred": {func(s *Schema) { s.Inferred = true }, "weight"},
	} {
		s := surveyed()
		c.change(s)
		var e *SchemaError
		if err := s.Validate(); !errors.As(err, &e) || e.Field != c.field {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{`"max": 40`, `"most": "4"`} {
		_, err := ParseSchema([]byte(`{"dataset": "s", "columns": [{"name": "a", "kind": "categorical",
			"categories": ["x"]}], "weight": {"column": "w", ` + text + `}}`))
		var e *SchemaError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", text, err)
		}
	}
	s := surveyed()
	if again := must.Get(ParseSchema(s.JSON()))(t); !again.Equal(s) || len(again.Columns) != 2 {
		t.Errorf("read again: %s", again.JSON())
	}
	s.Weight.Computed = FromRespondents
	if s.UnitName() != "person; "+HeldAsGiven || s.Unweighted().UnitName() != "person" {
		t.Errorf("unit %q, unweighted %q", s.UnitName(), s.Unweighted().UnitName())
	}
	if s.UnitKey = "id"; s.Unweighted().UnitName() != s.UnitName() {
		t.Errorf("rows of a unit are chosen by weights, too, and its unit is %q", s.Unweighted().UnitName())
	}
}

// Rows are read with their weights, which steps keep.
func TestWeightsAreRead(t *testing.T) {
	read := func(s *Schema, text string) (*Frame, error) {
		return Read(t.Context(), strings.NewReader(text), "s", s)
	}
	var e *ValueError
	for _, text := range []string{"a,w\nx,41\n", "a,w\nx,\n", "a,w\nx,-1\n", "a,w\nx,much\n"} {
		if _, err := read(surveyed(), text); !errors.As(err, &e) || e.Column != "w" ||
			strings.Contains(err.Error(), "on_") || !strings.Contains(err.Error(), `in "weight"`) && text != "a,w\nx,much\n" {
			t.Errorf("%q: %v", text, err)
		}
	}
	if f := must.Get(read(surveyed().Unweighted(), "a,w\nx,much\n"))(t); len(f.Schema().Columns) != 1 {
		t.Errorf("rows under a weight that is set aside: %v", f)
	}
	s := surveyed()
	s.Weight.Clamp, s.Weight.Missing = true, "1"
	f := must.Get(read(s, "a,w\nx,41\ny,\nx,0.1\n"))(t)
	w := must.Get(must.Get(f.Select("a"))(t).Values("w"))(t)
	if len(w) != 3 || w[0] != 40 || w[1] != 1 || w[2] != .5 {
		t.Errorf("weights %v", w)
	}
	for name, err := range map[string]error{
		"Rename": changed(f.Rename("w", "v")), "Cut": changed(f.Cut("w", .5, 3, 40)),
	} {
		if err == nil {
			t.Errorf("%s changed the weight", name)
		}
	}
	g := must.Get(f.Unweighted())(t)
	if _, err := g.Values("w"); err == nil || g.Schema().Weighted() != nil || g.Schema().Validate() != nil {
		t.Error("unweighted rows have weights")
	}
	if _, err := g.Unweighted(); err == nil {
		t.Error("unweighted twice")
	}
}

func changed(_ *Frame, err error) error { return err }

// FuzzWeight declares any weight and reads any text as one: typed errors that name the field or the column, and steps
// that are those of the shortest decimal, moved into the bounds and rounded in rationals.
func FuzzWeight(f *testing.F) {
	for _, x := range [][5]string{{"0.5", "40", "0.25", "", "12.375"}, {"0", "1", "0.1", "0.5", "NA"},
		{"0", "1", "0.1", "", "0.15"}, {"0", "1", "1", "1", "NaN"}, {"0", "1", "1", "", "Inf"}, {"1", "0", "1", "", "-1"},
		{"-1", "1", "1", "", "1e308"}, {"0", "1e308", "1", "NaN", "5e-324"}, {"0", "1", "2", "", "0.5"},
		{"0.000000001", "0.016777216", "0.000000001", "0.01", "0.0050000005"},
		{"0", "999999999", "333333333", "", "166666666.5"}, {"0", "1", "0.5", "2", `"NA"`}, {"", "", "", "", ""}} {
		f.Add(x[0], x[1], x[2], x[3], x[4], true)
		f.Add(x[0], x[1], x[2], x[3], x[4], false)
	}
	f.Fuzz(func(t *testing.T, low, high, step, missing, text string, clamp bool) {
		s := surveyed()
		s.Population = 0
		s.Weight = &Weight{Column: "w", Min: low, Max: high, Step: step, Missing: missing, Clamp: clamp,
			Computed: FromDesign}
		var refused *SchemaError
		if err := s.Validate(); err != nil {
			if !errors.As(err, &refused) || !strings.HasPrefix(refused.Field, "weight.") {
				t.Fatalf("%+v: %v", s.Weight, err)
			}
			return
		}
		l := must.Get(s.Weight.Steps())(t)
		if l.Low < 0 || l.Low > l.High || l.High > maxWeightSteps {
			t.Fatalf("%+v: steps %+v", s.Weight, l)
		}
		fr, err := Read(t.Context(), strings.NewReader("a,w\nx,"+text+"\n"), "s", s)
		var value *ValueError
		var file *FileError
		var column *ColumnError
		switch {
		case errors.As(err, &value):
			if value.Column != "w" && !strings.ContainsAny(text, ",\"\r\n") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		case errors.As(err, &file), errors.As(err, &column):
			return
		case err != nil:
			t.Fatalf("%q: %v", text, err)
		}
		for _, x := range must.Get(fr.Values("w"))(t) {
			if got, want := l.At(x), stepsOf(x, low, high, step); got != want || got < l.Low || got > l.High {
				t.Fatalf("%+v: %v is %d steps, want %d", s.Weight, x, got, want)
			}
		}
	})
}

// stepsOf rounds a weight in rationals.
func stepsOf(x float64, low, high, step string) int64 {
	rational := func(text string) *big.Rat { r, _ := new(big.Rat).SetString(text); return r }
	w := rational(strconv.FormatFloat(x, 'f', -1, 64))
	if w.Cmp(rational(low)) < 0 {
		w = rational(low)
	}
	if w.Cmp(rational(high)) > 0 {
		w = rational(high)
	}
	w.Quo(w, rational(step)).Add(w, big.NewRat(1, 2))
	return new(big.Int).Div(w.Num(), w.Denom()).Int64()
}
