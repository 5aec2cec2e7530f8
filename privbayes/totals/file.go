package totals

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Format is the version of the file of running totals that this library writes and reads.
const Format = "privbayes-totals-1"

// file is the JSON form. It holds no private number: the noise of a period is needed in no other.
type file struct {
	Format    string          `json:"format"`
	Library   string          `json:"library"`
	ID        string          `json:"id"`       // of the last draw, in ledgers
	Sequence  string          `json:"sequence"` // of the first one
	Guarantee dp.Guarantee    `json:"guarantee"`
	Plan      json.RawMessage `json:"plan"`
	Measured  []measurement   `json:"measured"`
	Totals    [][]Estimate    `json:"totals"` // after every period, at 95 %: for readers without the library
}

// measurement is y_t.
type measurement struct {
	Period string  `json:"period"`
	Seed   *uint64 `json:"seed,omitempty"` // of a seeded draw
	Y      []int64 `json:"y"`              // of every cell, in steps of 1/65536 of a row
}

// JSON is the file of the totals.
func (t *Totals) JSON() ([]byte, error) { return t.json(release.Version) }

func (t *Totals) json(library string) ([]byte, error) {
	plan, err := json.Marshal(t.plan)
	if err != nil {
		return nil, err
	}
	f := file{Format: Format, Library: library, ID: t.id, Sequence: t.sequence, Guarantee: t.Guarantee(),
		Plan: plan}
	for i, y := range t.y {
		label := t.plan.Periods()[i]
		f.Measured = append(f.Measured, measurement{label, t.seeds[i], y})
		e, err := t.After(label, .95)
		if err != nil {
			return nil, err
		}
		f.Totals = append(f.Totals, e)
	}
	return release.Encode(f)
}

// IsFile reports whether bytes are of a file of running totals, by its format.
func IsFile(b []byte) bool { return release.HasFormat(b, Format) }

// Parse reads a file's bytes. The sequence is certified again, and the totals are computed again: no number of the file
// is believed but the measurements. Errors: *release.FileError.
func Parse(ctx context.Context, b []byte) (*Totals, error) {
	var f file
	if err := release.DecodeAs(b, Format, "JSON of running totals", &f); err != nil {
		return nil, err
	}
	if !safetext.IsWord(f.ID) || !safetext.IsWord(f.Sequence) {
		return nil, &release.FileError{Field: "id", Want: "identifiers of letters a to z, digits and _ . : -"}
	}
	if !safetext.IsWord(strings.ReplaceAll(f.Library, "+", "-")) {
		return nil, &release.FileError{Field: "library", Want: "a version of letters a to z, digits and . - +"}
	}
	return f.rebuild(ctx, b)
}

func (f file) rebuild(ctx context.Context, b []byte) (*Totals, error) {
	wrong := func(field, want string, err error) error {
		return cmp.Or(ctx.Err(), error(&release.FileError{Field: field, Want: want, Err: err}))
	}
	var of planFile
	if err := cert.Decode(f.Plan, &of); err != nil || of.Shape == nil {
		return nil, wrong("plan", "target, shape and noise", err)
	}
	q, err := head(of.Target, of.Shape)
	if err != nil {
		return nil, wrong("plan", "that of a sequence", err)
	}
	out := &Totals{id: f.ID, sequence: f.Sequence}
	if out.plan, err = assemble(ctx, of.Target, of.Shape, q, of.Sigma2); err != nil {
		return nil, wrong("plan", "noise with which the sequence meets its target", err)
	}
	labels := out.plan.Periods()
	if len(f.Measured) < 1 || len(f.Measured) > len(labels) || len(f.Totals) != len(f.Measured) {
		return nil, wrong("measured", fmt.Sprintf("1 to %d periods, with their totals", len(labels)), nil)
	}
	for i, m := range f.Measured {
		if m.Period != labels[i] || len(m.Y) != out.plan.cells || (m.Seed == nil) != (f.Measured[0].Seed == nil) {
			return nil, wrong(fmt.Sprintf("measured.%d", i), fmt.Sprintf("%d numbers of the period %s, drawn like those of "+
				"the others", out.plan.cells, safetext.Quote(labels[i])), nil)
		}
		out.y, out.seeds = append(out.y, m.Y), append(out.seeds, m.Seed)
	}
	if have, want := f.Guarantee, out.Guarantee(); !release.SameGuarantee(have, want) {
		return nil, wrong("guarantee", want.Apart(have.Parameters)+", which follows from the plan", nil)
	}
	own, err := out.json(f.Library)
	if err != nil {
		return nil, err
	}
	return out, release.SameDocument(b, own)
}

// Load reads a file of running totals. Errors: *release.FileError.
func Load(ctx context.Context, path string) (*Totals, error) {
	return release.LoadAs(ctx, path, Parse)
}

// Verify derives the certificate of the sequence again. Errors: *release.FileError.
func Verify(ctx context.Context, b []byte) (*cert.Verification, error) {
	t, err := Parse(ctx, b)
	if err != nil {
		return nil, err
	}
	v := t.plan.certificate.Verify(ctx)
	v.Title = fmt.Sprintf("running totals, %s", t.plan.guarantee)
	v.Notes = append(v.Notes, fmt.Sprintf("period %d of %d; that no period was measured twice is in the budget's ledger, "+
		"not in this file", len(t.y), t.plan.change.Periods))
	v.Warn(t.Warnings()...)
	if g := t.Guarantee(); g.Notion == dp.None {
		v.NoGuarantee(g.Parameters.String())
	}
	return v, nil
}
