package discovery

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// asked is what a release of a column is asked for, and what is proved of it.
type asked struct {
	target      dp.Request
	schema      *frame.Schema
	column      *frame.Column
	guarantee   dp.Guarantee
	certificate *cert.Certificate
}

// ask refuses targets and schemas under which nothing is found.
func ask(target dp.Request, s *frame.Schema, what string, find func(*frame.Schema) (*frame.Column, error)) (a asked,
	err error) {
	if target.NominalScale {
		return a, domain.Refuse("discovery", "level", "a target refined by AsPublished",
			"a level that the whole has to meet")
	}
	if s.FixedStrata() != nil {
		return a, domain.Refuse("discovery", "schema", `"strata" with "moves": false`, "a schema without: "+what+
			" are found under the adjacency of all their releases")
	}
	if s.Weighted() != nil {
		s = s.Unweighted() // units are counted as they are
	}
	c, err := find(s)
	if err != nil {
		return a, err
	}
	return asked{target: target, schema: s.Clone(), column: c}, nil
}

// certified takes a certificate, and the guarantee that follows from it.
func (a *asked) certified(c *cert.Certificate, level dp.Request) error {
	if a.certificate = c; !c.OK() {
		return &mechanism.CheckError{Certificate: c}
	}
	a.guarantee = dp.Guarantee{Parameters: level.Parameters, Adjacency: a.target.Adjacency, Arithmetic: dp.Exact,
		Unit: a.schema.UnitName(), RowsPerUnit: max(a.schema.RowsPerUnit, 1)}
	return nil
}

// Certified is the proved guarantee.
func (a *asked) Certified() dp.Guarantee { return a.guarantee }

// Certificate holds its checks.
func (a *asked) Certificate() *cert.Certificate { return a.certificate }

// Column is the column of which something is released.
func (a *asked) Column() string { return a.column.Name }

// Warnings lists what is dangerous about the level.
func (a *asked) Warnings() warning.List {
	return a.guarantee.Parameters.Warnings(warning.Size{Rows: a.schema.ApproximateRows, Declared: true})
}

// aboutSchema says that a weight of the schema is not used, and that releases under a schema which caps the rows of a
// unit need another adjacency than this one.
func (a *asked) aboutSchema(t *table.Table) {
	if capped, publicN := a.schema.CapsRows(); capped && !publicN && a.target.Adjacency.PublicN() {
		t.Note("The schema caps the rows of a unit, so their number is private. Releases under a schema with what is found " +
			"here need add-remove. Plan this one under add-remove, too.")
	}
	if a.schema.Weight != nil {
		t.Note("Counts are of units as they are: the weight of the schema is not used.")
	}
}

// chances is a table of the probability with which a noisy count reaches a cut, from the least count on.
func chances(title, of, is string, least, cut int64, sd float64, kept func(n int64) float64) *table.Table {
	t := table.New(title, "units of "+of, "it is "+is+" with probability")
	last, step := least-1, int64(sd)+1
	for _, n := range []int64{0, 1, cut / 2, cut - step, cut, cut + step, cut + 3*step, 2*cut - 1} {
		if n > last {
			t.Add(n, kept(n))
			last = n
		}
	}
	return t
}

// field is what is compared.
type field struct{ name, have, want string }

// differs says in which field a kept release was asked for in another way: *keep.Error, or nil.
func (a *asked) differs(path string, h *asked, more ...field) error {
	for _, of := range append([]field{
		{"data set", h.schema.Dataset, a.schema.Dataset}, {"column", h.column.Name, a.column.Name},
		{"target", h.target.Parameters.Apart(a.target.Parameters), a.target.Parameters.Apart(h.target.Parameters)},
		{"adjacency", h.target.Adjacency.String(), a.target.Adjacency.String()},
		{"schema", "digest " + h.schema.Digest(), "digest " + a.schema.Digest()},
	}, more...) {
		if of.have != of.want {
			return &keep.Error{Path: path, Field: of.name, Have: safetext.Quote(of.have), Want: safetext.Quote(of.want)}
		}
	}
	return nil
}

// differentRule says that two plans that were asked for in one way have other rules: *keep.Error, or nil.
func differentRule(path string, have, want json.Marshaler, haveRule, wantRule string) error {
	a, errA := json.Marshal(have)
	b, errB := json.Marshal(want)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		return &keep.Error{Path: path, Field: "rule", Have: haveRule, Want: wantRule}
	}
	return nil
}

// fits refuses a schema that is not of the data set and the unit of the release: *dp.ParameterError.
func (a *asked) fits(s *frame.Schema, c *frame.Column) error {
	unit := s.UnitName()
	if s.Weighted() != nil {
		unit = s.Unweighted().UnitName()
	}
	for _, of := range []field{
		{"data set", s.Dataset, a.schema.Dataset}, {"unit", unit, a.schema.UnitName()},
		{"unit_key", s.UnitKey, a.schema.UnitKey},
		{"rows_per_unit", strconv.Itoa(max(s.RowsPerUnit, 1)), strconv.Itoa(max(a.schema.RowsPerUnit, 1))},
		{"missing marks of the column", fmt.Sprintf("%q", c.Missing), fmt.Sprintf("%q", a.column.Missing)},
	} {
		if of.have != of.want {
			return domain.Refuse("discovery", of.name, safetext.Quote(of.have), safetext.Quote(of.want)+
				", for which the release was made")
		}
	}
	return nil
}

// Request is a draw.
type Request struct {
	frame.Input                // the table
	Budget      *budget.Budget // charged before the draw; may be nil
	Seed        *uint64        // nil: secure randomness
	Path        string         // file that keeps what is found; empty: it is not kept
}

// room is the disk space that is set aside before the draw. How much is needed follows from the data, and is not asked.
const room = 1 << 24

// work is a draw under one charge, of which parse, load, same and draw are given.
func work[T keep.Artifact](plan json.Marshaler, a *asked, what string, r Request, w keep.Work[T]) keep.Work[T] {
	public, err := json.Marshal(plan)
	w.Public, w.Dataset, w.Budget, w.Seed, w.Path = public, a.schema.Dataset, r.Budget, r.Seed, r.Path
	w.Charge = budget.Charge{What: what, Level: a.guarantee.Parameters, Adjacency: a.guarantee.Adjacency,
		Unit: budget.UnitOf(a.schema), State: budget.Adaptive, Design: a.schema.DesignName(0)}
	w.Room = func() (int64, error) { return int64(3*len(public)) + room, err }
	return w
}

// drawn is what is common to all that was drawn.
type drawn struct {
	of     *asked
	id     string  // in ledgers
	seed   *uint64 // nil: secure randomness
	about  warning.List
	loaded bool
}

func drawnBy(of *asked, id string, src *dp.Stream) drawn {
	d := drawn{of: of, id: id}
	if s, ok := src.Seed(); ok {
		d.seed = &s
	}
	return d
}

// ID is the name of the draw in ledgers.
func (d *drawn) ID() string { return d.id }

// Loaded reports whether what was drawn came from the file it was kept in.
func (d *drawn) Loaded() bool { return d.loaded }

// Randomness is "secure" or "seeded: not private".
func (d *drawn) Randomness() string {
	if d.seed != nil {
		return dp.Seeded(*d.seed).String()
	}
	return "secure"
}

// Guarantee is that of the plan, or none, with the reason, for a draw from a seed or under a schema inferred from data.
func (d *drawn) Guarantee() dp.Guarantee {
	g := d.of.guarantee
	switch {
	case d.seed != nil:
		g.Parameters = dp.NotPrivate("seeded")
	case d.of.schema.Inferred:
		g.Parameters = dp.NotPrivate("schema inferred from data")
	}
	return g
}

// Warnings lists what is dangerous about the level, and about the run that made the release.
func (d *drawn) Warnings() warning.List { return d.of.Warnings().And(d.about) }

// guaranteed notes the guarantee of the plan, and that of the draw where it is another.
func (d *drawn) guaranteed(t *table.Table) *table.Table {
	d.of.aboutSchema(t)
	t.Note("Guarantee: " + d.of.guarantee.String() + ".")
	if g := d.Guarantee(); g.Notion == dp.None {
		t.Note("This draw: " + g.Parameters.String() + ".")
	}
	return t
}

// by is the release as a schema names it.
func (d *drawn) by(what string, most int) *frame.Found {
	g, s := d.of.guarantee, d.of.schema
	return &frame.Found{What: what, Release: d.id, Epsilon: float64(g.Epsilon), Delta: g.Delta, Rho: g.Rho, Order: g.Order,
		Adjacency: g.Adjacency.String(), Unit: s.UnitName(), UnitKey: s.UnitKey, AtMost: most}
}

// into is a schema with a column in the place of the one of its name. Other columns may still be unknown.
func (d *drawn) into(s *frame.Schema, c frame.Column) (*frame.Schema, error) {
	out := s.Clone()
	_, at, err := out.Column(c.Name)
	if err != nil {
		return nil, err
	}
	out.Columns[at] = c
	if d.Guarantee().Notion == dp.None {
		out.Inferred = true // by a draw that is not private
	}
	return frame.ParseSchema(out.JSON())
}

// header is what files of both formats begin with.
type header struct {
	Format    string          `json:"format"`
	Library   string          `json:"library"`
	ID        string          `json:"id"` // of the draw, in ledgers
	Guarantee dp.Guarantee    `json:"guarantee"`
	Plan      json.RawMessage `json:"plan"`
	Seed      *uint64         `json:"seed,omitempty"` // of a seeded draw
}

func (d *drawn) header(format string, plan json.RawMessage) header {
	return header{format, release.Version, d.id, d.Guarantee(), plan, d.seed}
}

// read is the draw of a header under the plan that it has: *release.FileError.
func (h header) read(a *asked) (drawn, error) {
	d := drawn{of: a, id: h.ID, seed: h.Seed}
	if !safetext.IsWord(h.ID) {
		return d, &release.FileError{Field: "id", Want: "an identifier of letters a to z, digits and _ . : -"}
	}
	if have, want := h.Guarantee, d.Guarantee(); !release.SameGuarantee(have, want) {
		return d, &release.FileError{Field: "guarantee", Want: want.Apart(have.Parameters) + ", which follows from the plan"}
	}
	return d, nil
}

// badPlan is the error of a plan in a file.
func badPlan(ctx context.Context, err error) error {
	return cmp.Or(ctx.Err(), error(&release.FileError{Field: "plan", Want: "one that meets its target", Err: err}))
}

// verify derives a certificate again.
func (d *drawn) verify(ctx context.Context, of, what string) *cert.Verification {
	v := d.of.certificate.Verify(ctx)
	v.Title = fmt.Sprintf("%s, %s", of, d.of.guarantee)
	v.Notes = append(v.Notes, "What is released under a schema with "+what+" is charged besides.")
	v.Warn(d.Warnings()...)
	if g := d.Guarantee(); g.Notion == dp.None {
		v.NoGuarantee(g.Parameters.String())
	}
	return v
}
