package budget

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// person is where a unit of the enumeration is, and which of two values it has.
type person struct{ part, value int }

// released are the histograms of two cells that a ledger was charged for: each of one part, or of all data (-1).
type released struct {
	part int
	rate float64
}

// exactLoss is the largest loss between neighbouring tables of n units in some parts, over all outputs of geometric
// noise on every cell: Σ rate·|difference|, which is attained. With its size stated a histogram of a part tells tables
// apart in which the part has another size.
func exactLoss(a dp.Adjacency, parts, n int, list []released) (worst float64) {
	var tables func(rest int, table []person, each func([]person))
	tables = func(rest int, table []person, each func([]person)) {
		if rest == 0 {
			each(table)
			return
		}
		for p := range parts {
			for v := range 2 {
				tables(rest-1, append(table, person{p, v}), each)
			}
		}
	}
	between := func(x, y []person) {
		sum := 0.0
		for _, r := range list {
			for v := range 2 {
				count := func(table []person) (c float64) {
					for _, u := range table {
						if u.value == v && (r.part < 0 || u.part == r.part) {
							c++
						}
					}
					return c
				}
				sum += r.rate * math.Abs(count(x)-count(y))
			}
		}
		worst = math.Max(worst, sum)
	}
	tables(n, nil, func(x []person) {
		if a == dp.AddRemove {
			between(x, x[1:])
			return
		}
		for p := range parts {
			for v := range 2 {
				between(x, append([]person{{p, v}}, x[1:]...))
			}
		}
	})
	return worst
}

// ledgerFor charges the histograms, each of the part that label says.
func ledgerFor(t *testing.T, a dp.Adjacency, list []released, label func(part int) *Part) *Budget {
	b := must.Get(New("d", Unit{}, dp.PureDP(1e3).Under(a)))(t)
	for i, r := range list {
		c := Charge{ID: fmt.Sprint(i), Level: dp.PureDP(r.rate).Parameters, Adjacency: dp.AddRemove, Part: label(r.part)}
		if c.Part == nil && a == dp.ReplaceOne { // two cells change
			c.Level, c.Adjacency = dp.PureDP(2*r.rate).Parameters, a
		}
		must.Do(t, b.Charge("d", c))
	}
	return b
}

func byPart(part int) *Part {
	if part < 0 {
		return nil
	}
	return &Part{Rule: "region", Name: fmt.Sprint("r", part)}
}

// What a ledger says of parts is at least what enumeration finds, and for these histograms the same. The parts of
// .5, .3 and .8 are those of theory/ledger.md §5.
func TestPartsAgainstEnumeration(t *testing.T) {
	three := []released{{0, .5}, {1, .3}, {2, .8}}
	for name, c := range map[string]struct {
		a     dp.Adjacency
		parts int
		list  []released
		want  float64
	}{
		"add-remove":               {dp.AddRemove, 3, three, .8},
		"replace-one":              {dp.ReplaceOne, 3, three, 1.6},
		"two parts":                {dp.ReplaceOne, 2, []released{{0, .8}, {1, .3}}, 1.6},
		"equal parts":              {dp.ReplaceOne, 2, []released{{0, .5}, {1, .5}}, 1},
		"one part twice":           {dp.AddRemove, 2, []released{{0, .5}, {0, .25}, {1, .6}}, .75},
		"and all data":             {dp.AddRemove, 2, []released{{0, .5}, {-1, .25}, {1, .6}}, .85},
		"replace-one and all data": {dp.ReplaceOne, 2, []released{{0, .5}, {-1, .25}, {1, .6}}, 1.7},
	} {
		exact := exactLoss(c.a, c.parts, 3, c.list)
		got := float64(ledgerFor(t, c.a, c.list, byPart).Spent().Epsilon)
		if math.Abs(exact-c.want) > 1e-12 || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: enumerated %v, in the ledger %v, want %v", name, exact, got, c.want)
		}
		sum := float64(ledgerFor(t, c.a, c.list, func(int) *Part { return nil }).Spent().Epsilon)
		if sum < got+.04 {
			t.Errorf("%s: parts that are ignored give %v for %v", name, sum, got)
		}
	}
	// mutants: a part that is charged twice is taken for two; the two worst parts alone are counted (1.3 for 1.6); the
	// worst part by its add-remove level (.8)
	twice := []released{{0, .5}, {0, .25}, {1, .6}}
	if got, exact := float64(ledgerFor(t, dp.AddRemove, twice, func(part int) *Part {
		twice[0].part++
		return &Part{Rule: "region", Name: fmt.Sprint(twice[0].part)}
	}).Spent().Epsilon), exactLoss(dp.AddRemove, 2, 2, []released{{0, .5}, {0, .25}, {1, .6}}); got >= exact {
		t.Errorf("a part under three names: %v, enumerated %v", got, exact)
	}
	if exact := exactLoss(dp.ReplaceOne, 3, 2, three); exact <= .8+.5 {
		t.Error("the two worst parts together are no mutant:", exact)
	}
}

// Random charges: the ledger is never below enumeration, under both adjacencies.
func TestRandomPartsAgainstEnumeration(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var list []released
		for range 1 + src.IntN(5) {
			list = append(list, released{src.IntN(4) - 1, float64(1+src.IntN(9)) / 16})
		}
		for _, a := range []dp.Adjacency{dp.AddRemove, dp.ReplaceOne} {
			exact, got := exactLoss(a, 3, 2, list), float64(ledgerFor(t, a, list, byPart).Spent().Epsilon)
			if got < exact-1e-12 || got > exact+1e-12 {
				t.Fatalf("%v %v: %v, enumerated %v", a, list, got, exact)
			}
		}
	}
}

// A unit that moves is in two parts, which counts where moving costs more than staying; and a charge of a part that
// says nothing of moving counts for all data.
func TestMovingBetweenParts(t *testing.T) {
	of := func(name string, within, across float64) Charge {
		c := Charge{ID: name, Level: dp.PureDP(within).Parameters, Part: &Part{Rule: "region", Name: name}}
		if across > 0 {
			l := dp.PureDP(across).Parameters
			c.Part.Across = &l
		}
		return c
	}
	for want, list := range map[float64][]Charge{
		1.5:  {of("a", .5, .5), of("b", .75, .75), of("c", .75, .75)}, // one count: moving
		1.25: {of("a", 1.25, .5), of("b", .5, .5)},                    // staying
		2:    {of("a", .5, 2)},                                        // moving to where nothing was released
		1.75: {of("a", 1.25, .5), of("b", .5, 0)},                     // b counts for all
	} {
		b := must.Get(New("d", Unit{}, dp.PureDP(want)))(t)
		for _, c := range list {
			must.Do(t, b.Charge("d", c))
		}
		if got := float64(b.Spent().Epsilon); got != want || b.Left().Epsilon != 0 {
			t.Errorf("%v left %v, want %v", got, b.Left(), want)
		}
		if err := b.Charge("d", Charge{ID: "all", Level: dp.PureDP(.01).Parameters}); err == nil {
			t.Errorf("%v: a charge of all data was taken", want)
		}
	}
}

// Under (ε, δ) every number is bounded by itself: the sums of a ledger are within the limit where those of every part,
// or of every two, are. The reference goes through all of them.
func TestRankedSumsAreAllSums(t *testing.T) {
	src := rand.New(rand.NewPCG(3, 4))
	limits := 0
	for range 400 {
		a := []dp.Adjacency{dp.AddRemove, dp.ReplaceOne}[src.IntN(2)]
		b := must.Get(New("d", Unit{}, dp.ApproxDP(2, 1e-5).Under(a)))(t)
		var list []Charge
		level := func() dp.Parameters {
			switch src.IntN(3) {
			case 0:
				return dp.PureDP(float64(1+src.IntN(8)) / 8).Parameters
			case 1:
				return dp.ApproxDP(float64(1+src.IntN(8))/16, 1e-6*float64(1+src.IntN(4))).Parameters
			}
			return dp.ZCDP(.004 * float64(1+src.IntN(5))).Parameters
		}
		for i := range 1 + src.IntN(6) {
			c := Charge{ID: fmt.Sprint(i), Level: level(), Adjacency: a}
			if src.IntN(4) > 0 {
				c.Part = &Part{Rule: "r", Name: fmt.Sprint(src.IntN(4))}
				if across := level(); a == dp.ReplaceOne && src.IntN(3) > 0 {
					c.Part.Across = &across
				}
			}
			list = append(list, c)
		}
		sums := must.Get(b.account.spend(list))(t)
		got, want := b.account.fitAll(sums), everyUnitFits(t, b, list)
		if got != want {
			t.Fatalf("%v %+v: %v, want %v", a, list, got, want)
		}
		if !got {
			limits++
		}
	}
	if limits < 40 || limits > 360 {
		t.Errorf("%d of 400 do not fit", limits)
	}
}

// everyUnitFits goes through what a unit may be in: a part, two between which it moves, or none that was released.
func everyUnitFits(t *testing.T, b *Budget, list []Charge) bool {
	fits := func(counts func(c Charge) *dp.Parameters) bool {
		s := nothing()
		for _, c := range list {
			if l := counts(c); l != nil {
				must.Do(t, b.account.add(&s, *l))
			}
		}
		return b.account.fits(b.account.paid(s))
	}
	all := func(c Charge) bool {
		return c.Part == nil || b.limit.Adjacency == dp.ReplaceOne && c.Part.Across == nil
	}
	for i := range 5 {
		for j := range 5 {
			from, to := fmt.Sprint(i), fmt.Sprint(j)
			if !fits(func(c Charge) *dp.Parameters {
				switch {
				case all(c):
					return &c.Level
				case i == j && c.Part.Name == from:
					return &c.Level
				case i != j && b.limit.Adjacency == dp.ReplaceOne && (c.Part.Name == from || c.Part.Name == to):
					return c.Part.Across
				}
				return nil
			}) {
				return false
			}
		}
	}
	return true
}

// A part whose name is spelt in another way is the same part: its charges add up.
func TestPartsAreToldApartByMoreThanSpelling(t *testing.T) {
	for _, limit := range []dp.Request{dp.PureDP(5).Under(dp.AddRemove), dp.PureDP(5)} {
		b := must.Get(New("d", Unit{}, limit))(t)
		for i, name := range []string{"caf\u00e9 Q1", "cafe\u0301 Q1", "CAF\u00c9 q1", "caf\u00e9Q1", "Q2"} {
			if err := b.Charge("d", Charge{ID: fmt.Sprint(i), Level: dp.PureDP(.5).Parameters, Adjacency: dp.AddRemove,
				Part: &Part{Rule: "region", Name: name}}); err != nil {
				t.Fatal(err)
			}
		}
		want := cert.Number(2)
		if limit.Adjacency == dp.ReplaceOne {
			want = 4 // of one that stays
		}
		if got := b.Spent().Epsilon; got != want {
			t.Errorf("%v: %v, want %v", limit.Adjacency, got, want)
		}
	}
}
