package selection

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Format is the version of the selection file that this library writes and reads.
const Format = "privbayes-selection-1"

// MarshalJSON writes what defines the plan: target, rules and the candidate's plan.
func (p *Plan) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Target    dp.Request      `json:"target"`
		Rules     Rules           `json:"rules"`
		Candidate *mechanism.Plan `json:"candidate"`
	}{p.target, p.rules, p.candidate})
}

// file is the JSON form.
type file struct {
	Format    string          `json:"format"`
	Library   string          `json:"library"`
	ID        string          `json:"id"`
	Seed      *uint64         `json:"seed,omitempty"` // of a seeded selection
	Guarantee dp.Guarantee    `json:"guarantee"`      // of the whole
	Target    dp.Request      `json:"target"`
	Rules     Rules           `json:"rules"`
	Plan      json.RawMessage `json:"plan,omitempty"`    // of the candidates, where none was accepted
	Release   json.RawMessage `json:"release,omitempty"` // that was accepted, marked as a candidate
	Synthetic *uint64         `json:"synthetic_seed,omitempty"`
	Slacks    []int64         `json:"slacks,omitempty"` // the report
}

// JSON is the selection file.
func (s *Selection) JSON() ([]byte, error) {
	f := file{Format: Format, Library: release.Version, ID: s.id, Seed: s.drawnFrom, Guarantee: s.Guarantee(),
		Target: s.plan.target, Rules: s.plan.rules, Slacks: s.slacks}
	var err error
	if s.accepted != nil {
		f.Synthetic = &s.seed
		f.Release, err = s.accepted.JSON()
		f.Release = marked(f.Release, release.Format, candidateFormat)
	} else {
		f.Plan, err = json.Marshal(s.plan.candidate)
	}
	if err != nil {
		return nil, err
	}
	return release.Encode(f)
}

// candidateFormat stands in place of that of releases, so that what is cut out of the file is no release: its own level
// says nothing of the choice.
const candidateFormat = "privbayes-candidate-1"

// marked has the format of the bytes of a release changed.
func marked(b []byte, from, to string) []byte {
	return bytes.Replace(b, []byte(`"`+from+`"`), []byte(`"`+to+`"`), 1)
}

// IsFile reports whether bytes are of a selection file, by its format.
func IsFile(b []byte) bool { return release.HasFormat(b, Format) }

// decode reads the form.
func decode(b []byte) (f file, err error) {
	if err := release.DecodeAs(b, Format, "a JSON selection", &f); err != nil {
		return f, err
	}
	switch {
	case !safetext.IsWord(f.ID):
		return f, &release.FileError{Field: "id", Want: "an identifier of letters a to z, digits and _ . : -"}
	case (f.Release == nil) == (f.Plan == nil) || (f.Release == nil) != (f.Synthetic == nil):
		return f, &release.FileError{Field: "release", Want: "an accepted release with the seed of its rows, or the plan " +
			"of the candidates"}
	}
	return f, nil
}

// candidate is the accepted release as a file of its own would have it; nil where it is not marked.
func (f file) candidate() []byte {
	if !release.HasFormat(f.Release, candidateFormat) {
		return nil
	}
	return marked(f.Release, candidateFormat, release.Format)
}

// Parse reads a selection file's bytes. The candidate's plan and the whole are certified again: no number of the file
// is believed. Errors: *release.FileError.
func Parse(ctx context.Context, b []byte) (*Selection, error) {
	f, err := decode(b)
	if err != nil {
		return nil, err
	}
	return f.rebuild(ctx)
}

func (f file) rebuild(ctx context.Context) (*Selection, error) {
	wrong := func(field, want string, err error) error {
		return cmp.Or(ctx.Err(), error(&release.FileError{Field: field, Want: want, Err: err}))
	}
	out := &Selection{id: f.ID, drawnFrom: f.Seed, slacks: f.Slacks}
	var plan *mechanism.Plan
	var err error
	if f.Release == nil {
		if plan, err = mechanism.ParsePlan(ctx, f.Plan); err != nil {
			return nil, wrong("plan", "the plan of the candidates", err)
		}
	} else {
		if out.accepted, err = release.Parse(ctx, f.candidate()); err != nil {
			return nil, wrong("release", "a release", err)
		}
		seed, seeded := out.accepted.Seed()
		if out.accepted.ID() != candidateID(f.ID) || seeded != (f.Seed != nil) || seeded && seed != *f.Seed {
			return nil, wrong("release", "the one that was drawn with this selection", nil)
		}
		plan, out.seed = out.accepted.Plan(), *f.Synthetic
	}
	if err := head(f.Target, f.Rules, plan.Shape()); err != nil {
		return nil, wrong("rules", "what was asked for", err)
	}
	reported := 0
	if f.Rules.Report > 0 && out.accepted != nil {
		reported = len(f.Rules.Criteria.Names())
	}
	if len(f.Slacks) != reported {
		return nil, wrong("slacks", fmt.Sprint(reported), nil)
	}
	if out.plan, err = assemble(ctx, f.Target, f.Rules, plan); err != nil {
		return nil, wrong("target", "a level that the whole meets", err)
	}
	if f.Guarantee.Notion == dp.Approximate { // files from before a closer bound state a larger δ, and keep it
		out.plan.guarantee.Delta = math.Max(out.plan.guarantee.Delta, math.Min(f.Guarantee.Delta, f.Target.Delta))
	}
	if have, want := f.Guarantee, out.Guarantee(); !release.SameGuarantee(have, want) {
		return nil, wrong("guarantee", want.Apart(have.Parameters)+", which follows from the rules", nil)
	}
	return out, nil
}

// Load reads a selection file. Errors: *release.FileError.
func Load(ctx context.Context, path string) (*Selection, error) {
	return release.LoadAs(ctx, path, Parse)
}

// Verify derives the certificates of the candidate and of the whole again. Errors: *release.FileError.
func Verify(ctx context.Context, b []byte) (*cert.Verification, error) {
	f, err := decode(b)
	if err != nil {
		return nil, err
	}
	s, err := f.rebuild(ctx)
	if err != nil {
		return nil, err
	}
	v := (&cert.Certificate{Checks: s.plan.certificate.Checks}).Verify(ctx)
	own := s.plan.candidate.Certificate().Verify(ctx)
	if f.Release != nil {
		if own, err = release.VerifyBytes(ctx, f.candidate()); err != nil {
			return nil, err
		}
	}
	v.Include("a candidate", own)
	v.Title = fmt.Sprintf("selection, %s", s.plan.guarantee)
	v.Warn(s.Warnings()...)
	if g := s.Guarantee(); g.Notion == dp.None {
		v.NoGuarantee(g.Parameters.String())
	}
	return v, nil
}
