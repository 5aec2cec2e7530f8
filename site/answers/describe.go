package answers

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Description is what a page offers once it knows the table: columns, models, mechanisms.
type Description struct {
	Dataset    string          `json:"dataset"`
	Unit       string          `json:"unit"`
	Columns    []Column        `json:"columns"`
	Models     []Fit           `json:"models"`     // that fit the column asked for; those that do not say why
	Model      string          `json:"model"`      // the one described, with what was completed
	Mechanisms []Offer         `json:"mechanisms"` // for the model asked for
	Measure    string          `json:"measure"`    // the error that is predicted, such as "a probability"
	Numbers    int             `json:"numbers"`    // that a release of counts or sums holds
	Schema     json.RawMessage `json:"schema"`     // as a file has it
	Missing    *Mistake        `json:"missing,omitempty"`
}

// Column is a column of the schema.
type Column struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Levels int    `json:"levels"`
}

// Fit is a kind of model, and why it does not fit if it does not.
type Fit struct {
	Kind string `json:"kind"`
	Why  string `json:"why,omitempty"`
}

// Offer is a mechanism with its choices.
type Offer struct {
	Title   string   `json:"title"`
	Choices []string `json:"choices"`
}

// Describe says what there is to choose. What is still missing of a question is part of the answer; an error is about
// the table itself.
func (q *Question) Describe(context.Context) (*Description, error) {
	s, g, err := q.schema()
	if err != nil {
		return nil, err
	}
	d := &Description{Dataset: s.Dataset, Unit: s.Unit, Schema: s.JSON()}
	for i := range s.Columns {
		c := &s.Columns[i]
		d.Columns = append(d.Columns, Column{c.Name, string(c.Kind), len(c.Labels())})
	}
	for _, kind := range model.Kinds() {
		if (kind == "network") != (g != nil) {
			continue
		}
		d.Models = append(d.Models, Fit{kind, q.fits(s, kind)})
	}
	sh, err := q.shape()
	if err != nil {
		d.Missing = &Mistake{"question", err.Error()}
		var m *Mistake
		if errors.As(err, &m) {
			d.Missing = m
		}
		return d, nil
	}
	d.Model, d.Measure = model.Expression(sh.Model()), sh.Words().Error
	for _, t := range sh.Tables() {
		d.Numbers += t.Cells()
	}
	for _, m := range catalog.All() {
		if m.Choices == nil {
			continue
		}
		o := Offer{Title: m.Title}
		for _, c := range q.fitting(m, sh) {
			o.Choices = append(o.Choices, c.Name)
		}
		if len(o.Choices) > 0 {
			d.Mechanisms = append(d.Mechanisms, o)
		}
	}
	return d, nil
}

// fits says why a kind of model does not fit the column asked for.
func (q *Question) fits(s *frame.Schema, kind string) (why string) {
	own := Question{Schema: q.Schema, Network: q.Network, Levels: q.Levels, Target: q.Target, Model: kind, N: 1}
	if own.Target == "" {
		own.Target = s.Columns[0].Name
	}
	if _, err := own.shape(); err != nil {
		return err.Error()
	}
	return ""
}
