package budget_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// sampled is a schema whose rows were drawn.
func sampled(method frame.Method, rate string, population int64) *frame.Schema {
	return &frame.Schema{Dataset: "votes", Population: population,
		Design:  &frame.Design{Method: method, Rate: rate, Secret: true},
		Columns: []frame.Column{frame.Categorical("a", "x", "y")}}
}

// shapeOf is that of a release of n rows, or of a private number of them for n < 0.
func shapeOf(t *testing.T, s *frame.Schema, n int, steps ...frame.RowStep) *model.Shape {
	sh := must.Get(model.NewShape(s, model.ContingencyTable("a"), max(n, 0), n >= 0, "add-remove adjacency"))(t)
	return sh.OfRows(steps...)
}

// charged is a budget for the schema's rows with some charges of pure ε.
func charged(t *testing.T, s *frame.Schema, limit dp.Request, eps ...float64) *budget.Budget {
	b := must.Get(budget.New("votes", budget.UnitOf(s), limit))(t)
	for i, e := range eps {
		c := charge(fmt.Sprint("r", i), dp.PureDP(e).Under(limit.Adjacency))
		c.Unit, c.Design = budget.UnitOf(s), s.DesignName(0)
		must.Do(t, b.Charge("votes", c))
	}
	return b
}

// claim is the level about the population that production code states for charges of some ε.
func claim(t *testing.T, s *frame.Schema, n int, eps ...float64) float64 {
	adj := dp.ReplaceOne
	if n < 0 {
		adj = dp.AddRemove
	}
	a := must.Get(charged(t, s, dp.PureDP(9).Under(adj), eps...).Amplified(shapeOf(t, s, n)))(t)
	return float64(a.Spent.Epsilon)
}

// counted is the dist of a count in a sample, of units with values 0 or 1 that are drawn with some probabilities each;
// given that n of them are drawn where n ≥ 0.
func counted(n int, values []int, rates ...float64) []float64 {
	dist, all := make([]float64, len(values)+1), 0.
	for set := range 1 << len(values) {
		p, count := 1., 0
		for i, v := range values {
			if set>>i&1 == 1 {
				p, count = p*rates[i], count+v
			} else {
				p *= 1 - rates[i]
			}
		}
		if n < 0 || bits.OnesCount(uint(set)) == n {
			dist[count], all = dist[count]+p, all+p
		}
	}
	for i := range dist {
		dist[i] /= all
	}
	return dist
}

// realised is the largest loss, in either direction, of releases of one count with two-sided geometric noise.
func realised(p, q []float64, eps ...float64) (most float64) {
	outcome := make([]int, len(eps))
	var try func(i int)
	at := func(dist []float64) (sum float64) {
		for count, mass := range dist {
			for i, e := range eps {
				mass *= math.Exp(-e * math.Abs(float64(outcome[i]-count)))
			}
			sum += mass
		}
		return sum
	}
	try = func(i int) {
		if i == len(eps) {
			most = math.Max(most, math.Abs(math.Log(at(p)/at(q))))
			return
		}
		for outcome[i] = -40; outcome[i] <= 40; outcome[i]++ {
			try(i + 1)
		}
	}
	try(0)
	return most
}

func ones(n int, value int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = value
	}
	return out
}

func same(n int, rate float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = rate
	}
	return out
}

// The exact loss between neighbouring populations, over all samples, is at most what is stated, and attained. The
// numbers are the golden ones.
func TestAmplifiedIsEnumerated(t *testing.T) {
	golden := map[string]float64{"0.1 0.5": .062854723473734, "0.5 0.5": .2809298036201646, "0.1 1": .15856507874043757,
		"0.5 1": .6201145069582878, "0.1 2": .49402870804419763, "0.5 2": 1.4337808304830446, "2/6 0.5": .1957644807495349,
		"2/6 1": .4528324252639493, "2/6 2": 1.140932477553779}
	for key, want := range golden {
		var rate string
		var eps, got, stated float64
		_, _ = fmt.Sscan(key, &rate, &eps)
		if rate == "2/6" {
			stated = claim(t, sampled(frame.SimpleRandom, "1/2", 6), 2, eps)
			for a := range 6 { // so many have a 1 among the other five
				values := append(ones(a, 1), ones(5-a, 0)...)
				got = math.Max(got, realised(counted(2, append(values, 0), same(6, .5)...),
					counted(2, append(values, 1), same(6, .5)...), eps))
			}
		} else {
			q := map[string]float64{"0.1": .1, "0.5": .5}[rate]
			stated = claim(t, sampled(frame.Poisson, rate, 0), -1, eps)
			for n := range 6 {
				got = math.Max(got, realised(counted(-1, ones(n, 1), same(n, q)...),
					counted(-1, ones(n+1, 1), same(n+1, q)...), eps))
			}
		}
		if got > stated+1e-12 || got < stated-1e-9 || math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: realised %v, stated %v, golden %v", key, got, stated, want)
		}
	}
}

// Levels that are stated too low are found: by single charges, by the rate of a row's own weight, by that of one row of
// several, and by the rate where n is known.
func TestAmplifiedMutantsAreRejected(t *testing.T) {
	poisson := sampled(frame.Poisson, "1/10", 0)
	two := realised(counted(-1, nil), counted(-1, ones(1, 1), .1), 1, 1)
	if stated, each := claim(t, poisson, -1, 1, 1), claim(t, poisson, -1, 1); two > stated+1e-12 ||
		math.Abs(two-.4940287080441834) > 1e-6 || 2*each > two-.15 {
		t.Errorf("two releases: realised %v, stated %v, twice one %v", two, stated, 2*each)
	}

	unequal := sampled(frame.Poisson, "1/2", 0)
	unequal.Weight = &frame.Weight{Column: "w", Min: "2", Max: "10", Step: "1", Computed: frame.FromDesign}
	most := realised(counted(-1, ones(1, 1), .1), counted(-1, ones(2, 1), .1, .5), 1)
	if stated := claim(t, unequal, -1, 1); most > stated+1e-12 || most < stated-1e-9 ||
		claim(t, poisson, -1, 1) > most-.4 {
		t.Errorf("unequal rates: realised %v, stated %v", most, stated)
	}
	unequal.Design.Rate = "1/10" // that of the row with the greatest weight
	var bad *frame.SchemaError
	if _, err := unequal.Inclusion(0, false); !errors.As(err, &bad) {
		t.Error("a rate below one over the smallest weight:", err)
	}

	units := sampled(frame.Poisson, "1/10", 0)
	units.RowsPerUnit = 4
	any1 := 1 - math.Pow(.9, 4) // the unit counts once, if any of its rows is drawn
	four := realised(counted(-1, nil), counted(-1, ones(1, 1), any1), 1)
	if stated := claim(t, units, -1, 1); four > stated+1e-12 || math.Abs(four-.464) > .001 ||
		claim(t, poisson, -1, 1) > four-.3 {
		t.Errorf("units of four rows: realised %v, stated %v", four, stated)
	}

	// five of six were drawn, at a rate of a half: given that, everybody was with 5/6
	known := realised(counted(5, ones(6, 0), same(6, .5)...), counted(5, append(ones(5, 0), 1), same(6, .5)...), 1)
	if stated := claim(t, sampled(frame.SimpleRandom, "5/6", 6), 5, 1); known > stated+1e-12 || known < stated-1e-9 {
		t.Errorf("n known: realised %v, stated %v", known, stated)
	}
	half := sampled(frame.Poisson, "1/2", 6)
	if _, err := half.Inclusion(5, true); !errors.As(err, &bad) || claim(t, half, -1, 1) > known-.2 {
		t.Error("more rows than the rate says:", err)
	}
	// one of three was drawn, of whom one has a rate of .9 and two of .1: that one, with .98
	told := realised(counted(1, ones(3, 0), .9, .1, .1), counted(1, []int{1, 0, 0}, .9, .1, .1), 1)
	unequal.Weight, unequal.Design.Rate, unequal.Population = nil, "9/10", 3 // of which no weight tells
	if _, err := unequal.Inclusion(1, true); !errors.As(err, &bad) ||
		claim(t, sampled(frame.SimpleRandom, "1/2", 3), 1, 1) > told-.5 {
		t.Error("unequal rates and n known:", told, err)
	}
}

// What the line says, as text and JSON. The limit stays the guarantee.
func TestAmplifiedIsShown(t *testing.T) {
	s := sampled(frame.Poisson, "1/10", 0)
	b := charged(t, s, dp.ApproxDP(2, 1e-6).Under(dp.AddRemove), .25, .75)
	a := must.Get(b.Amplified(shapeOf(t, s, -1, frame.RowStep{Name: "WithoutN"})))(t)
	want := "for one who does not know who was sampled: ln(1+q(e^Σε −1)), " +
		"q = 1/10: ε = 0.1586, δ = 0 for the ε = 1, " +
		"δ = 0 used, and ε = 0.4941, δ = 1e-7 for the limit ε = 2, δ = 1e-6. All charges of the budget are of rows " +
		"drawn by the design of this release, and that takes them to be of one and the same sample. The guarantee of " +
		"record is the limit: it holds also for those who know that a person took part"
	if a.String() != want || a.Limit.Delta < 1e-7 || a.Spent.Epsilon >= a.Limit.Epsilon || b.Spent().Epsilon != 1 {
		t.Errorf("%s\n%+v", a, a)
	}
	text := string(must.Get(json.Marshal(a))(t))
	if !strings.HasPrefix(text, `{"rate":"1/10","spent":{"notion":"approximate"`) || strings.Contains(text, "sampled") {
		t.Error(text)
	}
	s.RowsPerUnit = 20
	if a = must.Get(charged(t, s, dp.PureDP(1).Under(dp.AddRemove)).Amplified(shapeOf(t, s, -1)))(t); a.Rate != "0.8785" ||
		a.Spent.Epsilon != 0 { // 1 − .9^20 = .87842…
		t.Errorf("%+v", a)
	}
}

// Of no budget, release or design that does not fit is a level stated.
func TestAmplifiedRefuses(t *testing.T) {
	poisson, srs := sampled(frame.Poisson, "1/10", 0), sampled(frame.SimpleRandom, "1/2", 6)
	none := sampled(frame.Poisson, "1/10", 0)
	none.Design = nil
	add := func(r dp.Request) dp.Request { return r.Under(dp.AddRemove) }
	with := func(b *budget.Budget, change func(c *budget.Charge)) *budget.Budget {
		c := charge("more", dp.PureDP(.1).Under(dp.ReplaceOne))
		c.Design = srs.DesignName(0)
		change(&c)
		must.Do(t, b.Charge("votes", c))
		return b
	}
	other, held := sampled(frame.Poisson, "1/10", 0), sampled(frame.Poisson, "1/10", 0)
	other.Dataset = "other"
	held.Weight = &frame.Weight{Column: "w", Min: "10", Max: "20", Step: "1", Computed: frame.FromRespondents}
	for name, c := range map[string]struct {
		b    *budget.Budget
		sh   *model.Shape
		want string
	}{
		"ρ":             {charged(t, poisson, add(dp.ZCDP(1))), shapeOf(t, poisson, -1), "no level about the population"},
		"tCDP":          {charged(t, poisson, add(dp.TCDP(1, 9))), shapeOf(t, poisson, -1), "no level about the population"},
		"Rényi":         {charged(t, poisson, add(dp.RenyiDP(4, 1))), shapeOf(t, poisson, -1), "no level about"},
		"no design":     {charged(t, none, add(dp.PureDP(1))), shapeOf(t, none, -1), "how rows were drawn"},
		"another":       {charged(t, poisson, add(dp.PureDP(1))), shapeOf(t, other, -1), "other"},
		"replace-value": {charged(t, srs, dp.PureDP(1).Under(dp.ReplaceValue)), shapeOf(t, srs, 2), "add-remove, or"},
		"as given":      {charged(t, held, add(dp.PureDP(1))), shapeOf(t, poisson, -1), "unit"},
		"seeded": {with(charged(t, srs, dp.PureDP(1)), func(c *budget.Charge) { c.Seeded = true }), shapeOf(t, srs, 2),
			"private releases alone"},
		"a part": {with(charged(t, srs, dp.PureDP(1)), func(c *budget.Charge) {
			c.Part = &budget.Part{Rule: "quarter", Name: "1"}
		}), shapeOf(t, srs, 2), "number of rows of a part"},
		"some rows": {charged(t, srs, dp.PureDP(1)), shapeOf(t, srs, 2, frame.RowStep{Name: "Head", Count: 2}), "all rows"},
		"private n": {charged(t, srs, dp.PureDP(1)), shapeOf(t, srs, -1), "all rows"},
		"hidden n":  {charged(t, srs, add(dp.PureDP(1))), shapeOf(t, srs, 2), "replace-one"},
		"appended": {charged(t, poisson, add(dp.PureDP(1))), shapeOf(t, poisson, -1, frame.RowStep{Name: "Append"}),
			"one sample"},
		"not known": {charged(t, poisson, add(dp.PureDP(1))), shapeOf(t, poisson, -1, frame.RowStep{}), "one sample"},
		"a charge of before": {with(charged(t, srs, dp.PureDP(1), .1), func(c *budget.Charge) { c.Design = "" }),
			shapeOf(t, srs, 2), `the charge of release more does not say how its rows were drawn (as of rows that ` +
				`steps chose, of other tools and of earlier versions); want charges of rows drawn as "srs, 2 rows, rate 1/2, ` +
				`of 6" alone`},
		"another tool's": {with(charged(t, srs, dp.PureDP(1)), func(c *budget.Charge) { c.Tool, c.Design = "tool 1", "" }),
			shapeOf(t, srs, 2), "charge of release more does not say"},
		"another number of rows": {with(charged(t, srs, dp.PureDP(1)), func(c *budget.Charge) {
			c.Design = srs.DesignName(3)
		}), shapeOf(t, srs, 2), `more is of rows drawn as "srs, 3 rows, rate 1/2, of 6"; want`},
		"another rate": {with(charged(t, srs, dp.PureDP(1)), func(c *budget.Charge) {
			c.Design = sampled(frame.SimpleRandom, "1/3", 6).DesignName(0)
		}), shapeOf(t, srs, 2), `more is of rows drawn as "srs, rate 1/3, of 6"`},
		"another population": {with(charged(t, srs, dp.PureDP(1)), func(c *budget.Charge) {
			c.Design = sampled(frame.SimpleRandom, "1/2", 8).DesignName(0)
		}), shapeOf(t, srs, 2), `"srs, rate 1/2, of 8"; want charges`},
		"n above q·N": {charged(t, srs, dp.PureDP(1)), shapeOf(t, srs, 4), "at least 4/6"},
	} {
		a, err := c.b.Amplified(c.sh)
		var p *dp.ParameterError
		var s *frame.SchemaError
		var m *budget.MismatchError
		var u *budget.UnitError
		var d *budget.DesignError
		if a != nil || !errors.As(err, &p) && !errors.As(err, &d) && !errors.As(err, &s) &&
			!errors.As(err, &m) && !errors.As(err, &u) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v %v, want %s", name, a, err, c.want)
		}
	}
}

// A ledger file keeps the design of every charge. One of before reads, pays again for what it paid for, and gives no
// level about the population; a charge of another design under the same name is another release.
func TestLedgersKeepDesigns(t *testing.T) {
	s := sampled(frame.SimpleRandom, "0.5", 6)
	open := func(path string) *budget.Budget {
		return must.Get(budget.Open(path, "votes", budget.UnitOf(s), dp.PureDP(2)))(t)
	}
	c := charge("r", dp.PureDP(.5))
	c.Unit, c.Design = budget.UnitOf(s), s.DesignName(0)
	for name, design := range map[string]string{"now": c.Design, "before": ""} {
		path := filepath.Join(t.TempDir(), name)
		paid := c
		paid.Design = design
		must.Do(t, open(path).Charge("votes", paid))
		if text := string(must.Get(os.ReadFile(path))(t)); strings.Contains(text, `"design":"srs, rate 1/2, of 6"`) !=
			(design != "") || strings.Contains(text, `"design":""`) {
			t.Errorf("%s: %s", name, text)
		}
		b := open(path)
		must.Do(t, b.Charge("votes", c)) // the file of the release is used again
		if charges := b.Charges(); len(charges) != 1 || charges[0].Design != design || b.Spent().Epsilon != .5 {
			t.Errorf("%s: %+v", name, charges)
		}
		var e *budget.DesignError
		if _, err := b.Amplified(shapeOf(t, s, 2)); (err == nil) != (design != "") || err != nil &&
			(!errors.As(err, &e) || e.Release != "r") {
			t.Errorf("%s: %v", name, err)
		}
		other := c
		other.Design = "poisson, rate 1/2"
		var m *budget.MismatchError
		if err := b.Charge("votes", other); (err == nil) != (design == "") || err != nil && !errors.As(err, &m) {
			t.Errorf("%s: charged under another design: %v", name, err)
		}
		other.Design = ""
		if err := b.Charge("votes", other); design != "" && (err == nil || !strings.Contains(err.Error(),
			"without a sampling design")) {
			t.Errorf("%s: charged under no design: %v", name, err)
		}
	}
	var p *dp.ParameterError
	c.Design = "two\nlines"
	if err := open(filepath.Join(t.TempDir(), "l")).Charge("votes", c); !errors.As(err, &p) {
		t.Error(err)
	}
	for rate, want := range map[string]string{"2/4": "srs, rate 1/2, of 6", "0.50": "srs, rate 1/2, of 6",
		"1/3": "srs, rate 1/3, of 6", "7/6": ""} {
		if s.Design.Rate = rate; s.DesignName(0) != want {
			t.Errorf("rate %s: %q, want %q", rate, s.DesignName(0), want)
		}
	}
}
