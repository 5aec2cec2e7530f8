// Package discovery releases the categories of a column without a public list, or a range of a column of numbers
// without public bounds, with noisy counts, under one charge and in one file: what then becomes the public list or the
// bounds of the column. Package partition has the mechanisms.
//
// A schema declares such columns with "kind": "open" and with "bounds": "unknown". It reads no table until the
// categories or the bounds are in it; [Found.AddTo] and [Range.AddTo] put them there, with the release that found them.
// Where an open column states a public superset of its categories, "within", pure ε will do.
package discovery

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/partition"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Plan is a release of categories, certified before any row is read. It is public and immutable.
type Plan struct {
	asked
	most   int
	change partition.Change
	rule   partition.Rule
	tree   *frame.Hierarchy // of a public superset; nil without
}

// New plans the release of the categories of an open column, of which a unit has at most most: those of a unit with
// more are chosen by a hash. The target is (ε, δ) under replace-one or add-remove, or any where the column states a
// public superset. It reads no data. Errors: *dp.ParameterError, *frame.SchemaError, *frame.ColumnError.
func New(ctx context.Context, target dp.Request, s *frame.Schema, column string, most int) (*Plan, error) {
	p, err := head(target, s, column, most)
	if err != nil {
		return nil, err
	}
	if p.tree != nil {
		l := p.levels()
		l, err = partition.CalibrateLevels(target.Parameters, p.change, l.Nodes, l.Shares, l.Beta)
		p.rule = l.Rule
	} else {
		p.rule, err = partition.Calibrate(target.Parameters, p.change)
	}
	if err != nil {
		return nil, err
	}
	return p, p.certify(ctx)
}

// head refuses what no release of categories can be, and says what one unit changes.
func head(target dp.Request, s *frame.Schema, column string, most int) (*Plan, error) {
	if err := target.Valid(); err != nil {
		return nil, err
	}
	a, err := ask(target, s, "categories", func(s *frame.Schema) (*frame.Column, error) { return s.OpenColumn(column) })
	if err != nil {
		return nil, err
	}
	if target.Notion != dp.Approximate && a.column.Within == nil {
		return nil, domain.Refuse("discovery", "level", target.Parameters, "(ε, δ): at δ = 0 no category that one unit "+
			"alone has may ever be listed, so none may; name the categories in the schema, or a public superset of them, "+
			`"within"`)
	}
	change, err := partition.ChangeOf(most, target.Adjacency)
	if err != nil {
		return nil, err
	}
	if s.UnitKey == "" && most != 1 {
		return nil, domain.Refuse("discovery", "categories of a unit", most, `1: without a "unit_key" a unit is one row`)
	}
	if rows := s.ApproximateRows; rows > 0 && target.Delta*float64(rows) >= 1 {
		return nil, domain.Refuse("discovery", "δ", target.Delta, fmt.Sprintf("far below 1 in %d, the rows that the schema "+
			"declares: else a release of one random row would do", rows))
	}
	p := &Plan{asked: a, most: most, change: change}
	if w := a.column.Within; w != nil {
		p.tree = w.Hierarchy()
	}
	return p, nil
}

// certify certifies the rule.
func (p *Plan) certify(ctx context.Context) error {
	if p.tree != nil {
		c, err := p.levels().Certify(ctx, p.change, p.target.Parameters)
		if err != nil {
			return err
		}
		return p.certified(c, p.target)
	}
	c, err := partition.Certify(ctx, p.rule, p.change, p.target.Parameters)
	if err != nil {
		return err
	}
	return p.certified(c, dp.ApproxDP(float64(p.target.Epsilon), float64(c.Checks[1].Value)))
}

// AtMost is the most categories of a unit that count.
func (p *Plan) AtMost() int { return p.most }

// Cut is the noisy count above which a category is listed: from Cut + 1 units on one is, with probability a half. With
// levels it is that of the first, and so are Chance and SD.
func (p *Plan) Cut() int64 { return p.rule.Cut }

// Chance is the probability that a category of n units is listed.
func (p *Plan) Chance(n int64) float64 { return p.first().Kept(n) }

// SD is the standard deviation of the noise of a count, before it is known that the category is listed.
func (p *Plan) SD() float64 { return p.first().SD() }

// planFile is the JSON form of a plan.
type planFile struct {
	Target dp.Request      `json:"target"`
	Schema json.RawMessage `json:"schema"`
	Column string          `json:"column"`
	AtMost int             `json:"at_most"`
	Rule   partition.Rule  `json:"rule"`
}

// MarshalJSON writes what defines the plan.
func (p *Plan) MarshalJSON() ([]byte, error) {
	return json.Marshal(planFile{p.target, p.schema.JSON(), p.column.Name, p.most, p.rule})
}

// parsePlan reads what MarshalJSON wrote and certifies it again.
func parsePlan(ctx context.Context, b []byte) (*Plan, error) {
	var f planFile
	if err := cert.Decode(b, &f); err != nil {
		return nil, err
	}
	s, err := frame.ParseSchema(f.Schema)
	if err != nil {
		return nil, err
	}
	p, err := head(f.Target, s, f.Column, f.AtMost)
	if err != nil {
		return nil, err
	}
	p.rule = f.Rule
	return p, p.certify(ctx)
}

// of says what is released.
func (p *Plan) of() string {
	return fmt.Sprintf("categories of %s, at most %d of a unit", safetext.Quote(p.column.Name), p.most)
}

// Table shows how many units a category needs.
func (p *Plan) Table() *table.Table {
	least := int64(1)
	if p.column.Within != nil {
		least = 0
	}
	t := chances("Plan: "+p.of(), "a category", "listed", least, p.rule.Cut+1, p.rule.SD(), p.rule.Kept)
	if p.deep() {
		t = p.levelsTable()
	} else {
		t.Note(fmt.Sprintf("Listed are categories with a noisy count above %d. Noise of a count: %s, standard deviation "+
			"%.3g.", p.rule.Cut, p.rule.Noise, p.rule.SD()))
	}
	p.aboutSchema(t)
	p.aboutSuperset(t)
	if p.schema.ApproximateRows == 0 && p.target.Notion == dp.Approximate {
		t.Note(`δ has to be far below 1 in the number of units; "about_rows" in the schema has it checked.`)
	}
	return t.Note("Guarantee: " + p.guarantee.String() + ".")
}

// String shows the plan as text.
func (p *Plan) String() string { return table.Text(p) }
