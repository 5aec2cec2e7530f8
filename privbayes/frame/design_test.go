package frame

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// drawn is surveyed with rows that were drawn by themselves; without weights by simple random sampling.
func drawn() *Schema {
	s := surveyed()
	s.Design = &Design{Method: Poisson, Rate: "1/10", Secret: true}
	s.Weight.Min, s.Weight.Max, s.Weight.Step = "10", "40", "0.5"
	return s
}

func simple() *Schema {
	s := drawn()
	s.Weight, s.Design.Method = nil, SimpleRandom
	return s
}

// Every design of which nothing follows, or less than it says, is an error that names the field.
func TestDesignRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *Schema)
		field  string
	}{
		"clusters":             {func(s *Schema) { s.Design.Method = "clusters" }, "design.method"},
		"systematic":           {func(s *Schema) { s.Design.Method = "systematic" }, "design.method"},
		"not secret":           {func(s *Schema) { s.Design.Secret = false }, "design.secret"},
		"rate above 1":         {func(s *Schema) { s.Design.Rate = "11/10" }, "design.rate"},
		"rate above 1, .":      {func(s *Schema) { s.Design.Rate = "1.1" }, "design.rate"},
		"rate 0":               {func(s *Schema) { s.Design.Rate = "0" }, "design.rate"},
		"no rate":              {func(s *Schema) { s.Design.Rate = "" }, "design.rate"},
		"half a rate":          {func(s *Schema) { s.Design.Rate = "1/" }, "design.rate"},
		"signed":               {func(s *Schema) { s.Design.Rate = "+1/10" }, "design.rate"},
		"exponent":             {func(s *Schema) { s.Design.Rate = "1e-1" }, "design.rate"},
		"too fine":             {func(s *Schema) { s.Design.Rate = "1/1000000000000001" }, "design.rate"},
		"below 1/min":          {func(s *Schema) { s.Weight.Min = "9.5" }, "design.rate"},
		"min 0":                {func(s *Schema) { s.Weight.Min = "0" }, "design.rate"},
		"below 1/min, .":       {func(s *Schema) { s.Design.Rate = "0.099999999" }, "design.rate"},
		"set aside, too":       {func(s *Schema) { s.Weight.Min, s.Weight.Unused = "9.5", true }, "design.rate"},
		"clamp":                {func(s *Schema) { s.Weight.Clamp = true }, "design"},
		"respondents":          {func(s *Schema) { s.Weight.Computed = FromRespondents }, "design"},
		"census":               {func(s *Schema) { s.Weight, s.Sampling = nil, Census }, "sampling"},
		"srs, unequal":         {func(s *Schema) { s.Design.Method = SimpleRandom }, "design.method"},
		"a key":                {func(s *Schema) { s.UnitKey, s.RowsPerUnit = "id", 4 }, "design"},
		"exact n":              {func(s *Schema) { s.ApproximateRows = 5012 }, "about_rows"},
		"srs, units":           {func(s *Schema) { *s = *simple(); s.RowsPerUnit = 2 }, "rows_per_unit"},
		"units of many":        {func(s *Schema) { s.RowsPerUnit = 1025 }, "rows_per_unit"},
		"inferred":             {func(s *Schema) { *s = *simple(); s.Inferred = true }, "design"},
		"population, no words": {func(s *Schema) { *s = *simple(); s.Design = nil }, "population"},
	} {
		s := drawn()
		c.change(s)
		var e *SchemaError
		if err := s.Validate(); !errors.As(err, &e) || e.Field != c.field || e.Want == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, s := range []*Schema{drawn(), simple()} {
		if again := must.Get(ParseSchema(s.JSON()))(t); !again.Equal(s) || s.Clone().Design == s.Design ||
			!strings.Contains(s.String(), "rate 1/10 at most") {
			t.Errorf("read again: %s", again.JSON())
		}
	}
}

// The probability with which a unit is drawn: of private n by the rate and the rows of a unit, of public n by n.
func TestInclusion(t *testing.T) {
	equal := func(s *Schema) *Schema { s.Weight = nil; return s }
	units := drawn()
	units.RowsPerUnit = 4
	decimal := drawn()
	decimal.Design.Rate = "0.25"
	for name, c := range map[string]struct {
		s      *Schema
		n      int
		public bool
		want   *big.Rat
	}{
		"one row":                 {drawn(), 0, false, big.NewRat(1, 10)},
		"a decimal":               {decimal, 0, false, big.NewRat(1, 4)},
		"four rows":               {units, 0, false, big.NewRat(3439, 10000)}, // 1 − .9⁴, and not .1
		"simple random":           {simple(), 5000, true, big.NewRat(1, 20)},
		"the rate at most":        {simple(), 10000, true, big.NewRat(1, 10)},
		"drawn alone, n public":   {equal(drawn()), 5000, true, nil}, // with one probability each: "srs"
		"drawn alone, n private":  {equal(drawn()), 5000, false, big.NewRat(1, 10)},
		"simple random, nobody":   {simple(), 0, true, new(big.Rat)},
		"more than the rate":      {simple(), 10001, true, nil},
		"more than there are":     {simple(), 100001, true, nil},
		"simple random, n hidden": {simple(), 0, false, nil},
		"unequal, n public":       {drawn(), 5000, true, nil},
		"units, n public":         {equal(units.Clone()), 5000, true, nil},
		"no design":               {surveyed(), 5000, false, nil},
		"no population": {func() *Schema { s := simple(); s.Population = 0; return s }(), 5000,
			true, nil},
		"not validated": {func() *Schema { s := drawn(); s.Design.Secret = false; return s }(), 0, false, nil},
	} {
		got, err := c.s.Inclusion(c.n, c.public)
		var e *SchemaError
		if c.want == nil && !errors.As(err, &e) || c.want != nil && (err != nil || got.Cmp(c.want) != 0) {
			t.Errorf("%s: %v %v, want %v", name, got, err, c.want)
		}
	}
}
