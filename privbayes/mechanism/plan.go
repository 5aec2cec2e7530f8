package mechanism

import (
	"encoding/json"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Plan is a calibrated and certified release that has not been drawn. It is public, immutable and a function of schema, model, n,
// prior and target only.
type Plan struct {
	mechanism, title string
	shape            *model.Shape
	target           dp.Target
	params           json.RawMessage
	settings         []Setting
	certified        dp.Guarantee
	textbook         Textbook
	pair             dp.Pair
	certificate      *cert.Certificate
	expected         []Expectation
	drawer           drawer
}

// Setting is one public parameter of a plan, for people.
type Setting struct{ Name, Value string }

// Textbook is what the usual formula claims for the shipped parameters.
type Textbook struct {
	Level  dp.Level
	Source string
}

// Expectation is a predicted error, known before anything is spent.
type Expectation struct {
	Name  string
	Value float64
	Unit  string
	How   string // "closed form", "sum over the law", …
}

// drawer is the private side of a mechanism: what it measures, and what anyone may make of the measurements.
type drawer interface {
	draw(tables [][]int64, src *dp.Stream) [][]int64
	estimate(raw [][]int64) (model.Estimate, error)
}

// Mechanism is the registered kind.
func (p *Plan) Mechanism() string { return p.mechanism }

// Title is the mechanism's name for people.
func (p *Plan) Title() string { return p.title }

// Shape is what is released about what.
func (p *Plan) Shape() *model.Shape { return p.shape }

// Target is what was asked for.
func (p *Plan) Target() dp.Target { return p.target }

// Params is the JSON of the shipped parameters.
func (p *Plan) Params() json.RawMessage { return append(json.RawMessage(nil), p.params...) }

// Certified is the proved guarantee of the shipped parameters.
func (p *Plan) Certified() dp.Guarantee { return p.certified }

// Textbook is what the usual formula claims for the shipped parameters.
func (p *Plan) Textbook() Textbook { return p.textbook }

// Pair is the dominating pair of the release.
func (p *Plan) Pair() dp.Pair { return p.pair }

// Certificate holds the checks behind Certified.
func (p *Plan) Certificate() *cert.Certificate { return p.certificate }

// Expected lists predicted errors.
func (p *Plan) Expected() []Expectation { return append([]Expectation(nil), p.expected...) }

// Parts lists the sub-plans of a composite plan; these mechanisms have none.
func (p *Plan) Parts() []*Plan { return nil }

// Drawn is what a plan measured: raw noisy integers, before any clamping or projection. It may be published.
type Drawn struct {
	ID   string    `json:"id"`             // 128 random bits, fixed before the data was read
	Seed *uint64   `json:"seed,omitempty"` // present only if drawn from a seed: then it is not private
	Raw  [][]int64 `json:"raw"`            // the measured cells of each table
}

// Draw reads the private statistics once and adds the noise. The statistics must be of the plan's shape: *StatisticsError. The
// identifier is the release's name in a ledger; pass the one that was charged.
func (p *Plan) Draw(st *model.Statistics, id string, r *dp.Stream) (*Drawn, error) {
	have := st.Shape()
	if !p.certified.Adjacency.PublicN() {
		have = have.WithoutN()
	}
	if !have.Equal(p.shape) {
		return nil, &StatisticsError{describeShape(have), describeShape(p.shape)}
	}
	d := &Drawn{ID: id, Raw: p.drawer.draw(st.Open(seal.Key{}), r)}
	if seed, ok := r.Seed(); ok {
		d.Seed = &seed
	}
	return d, nil
}

func describeShape(s *model.Shape) string {
	n := "private n"
	if v, ok := s.N(); ok {
		n = fmt.Sprintf("n = %d", v)
	}
	return fmt.Sprintf("%s on %q, %s (shape %.8s)", s.Model(), s.Schema().Dataset, n, s.Digest())
}

// Estimate is the plan's post-processing of the raw numbers: a public function of both.
func (p *Plan) Estimate(d *Drawn) (model.Estimate, error) { return p.drawer.estimate(d.Raw) }

// Guarantee is the guarantee of a draw: the plan's, or none if the draw came from a seed or the schema from the data.
func (p *Plan) Guarantee(d *Drawn) dp.Guarantee {
	g := p.certified
	switch {
	case d.Seed != nil:
		g.Level = dp.NotPrivate("seeded")
	case p.shape.Schema().Inferred:
		g.Level = dp.NotPrivate("schema inferred from data")
	}
	return g
}

// Table shows target, certified and textbook levels, settings and expected errors.
func (p *Plan) Table() *table.Table {
	t := table.New("Plan: "+p.title, "item", "value")
	n := "private"
	if v, ok := p.shape.N(); ok {
		n = fmt.Sprint(v)
	}
	t.Add("model", p.shape.Model().String()).Add("data set", p.shape.Schema().Dataset).Add("n", n)
	t.Add("target", p.target.Level.String()).Add("certified", p.certified.String())
	t.Add("textbook", p.textbook.Level.String()+" ("+p.textbook.Source+")")
	for _, s := range p.settings {
		t.Add(s.Name, s.Value)
	}
	for _, e := range p.expected {
		v := table.Number(e.Value)
		if e.Unit != "" {
			v += " " + e.Unit
		}
		t.Add("expected "+e.Name, v+" ("+e.How+")")
	}
	return t.Note("A plan reads no data: it is public and costs nothing.")
}

// String shows the plan as text.
func (p *Plan) String() string { return p.Table().String() }

// HTML shows the plan as a table.
func (p *Plan) HTML() string { return p.Table().HTML() }
