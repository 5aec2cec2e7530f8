package discovery

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/strictjson"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Format is the version of the file of categories that this library writes and reads.
const Format = "privbayes-categories-1"

// mostCount is the largest noisy count: all programs read such numbers exactly.
const mostCount = 1 << 53

// file is the JSON form: all of it public.
type file struct {
	Format     string          `json:"format"`
	Library    string          `json:"library"`
	ID         string          `json:"id"` // of the draw, in ledgers
	Guarantee  dp.Guarantee    `json:"guarantee"`
	Plan       json.RawMessage `json:"plan"`
	Seed       *uint64         `json:"seed,omitempty"` // of a seeded draw
	Categories []string        `json:"categories"`
	Counts     []int64         `json:"counts"` // noisy, above the cut
}

// JSON is the file of the categories.
func (f *Found) JSON() ([]byte, error) {
	plan, err := json.Marshal(f.plan)
	if err != nil {
		return nil, err
	}
	return release.Encode(file{Format: Format, Library: release.Version, ID: f.id, Guarantee: f.Guarantee(), Plan: plan,
		Seed: f.seed, Categories: append([]string{}, f.categories...), Counts: append([]int64{}, f.counts...)})
}

// IsFile reports whether bytes are of a file of categories, by its format.
func IsFile(b []byte) bool { return release.HasFormat(b, Format) }

// Parse reads a file's bytes. The plan is certified again, and the categories have to be such as it lists. Errors:
// *release.FileError.
func Parse(ctx context.Context, b []byte) (*Found, error) {
	var f file
	if err := cmp.Or(strictjson.Shallow(b), strictjson.Unique(b, true)); err != nil {
		return nil, &release.FileError{Want: "JSON of categories", Err: err}
	}
	if !IsFile(b) {
		return nil, &release.FileError{Field: "format", Want: fmt.Sprintf("%q", Format)}
	}
	if err := cert.Decode(b, &f); err != nil {
		return nil, &release.FileError{Want: "the fields of " + Format, Err: err}
	}
	if !safetext.IsWord(f.ID) {
		return nil, &release.FileError{Field: "id", Want: "an identifier of letters a to z, digits and _ . : -"}
	}
	p, err := parsePlan(ctx, f.Plan)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), error(&release.FileError{Field: "plan", Want: "one that meets its target", Err: err}))
	}
	if len(f.Categories) != len(f.Counts) {
		return nil, &release.FileError{Field: "counts", Want: "one of every category"}
	}
	for i, c := range f.Categories {
		text, ok := p.column.Listed([]byte(c))
		if !ok || text != c || i > 0 && c <= f.Categories[i-1] {
			return nil, &release.FileError{Field: fmt.Sprintf("categories.%d", i), Want: "texts that may be listed, in " +
				"their order"}
		}
		if f.Counts[i] <= p.rule.Cut || f.Counts[i] > mostCount {
			return nil, &release.FileError{Field: fmt.Sprintf("counts.%d", i), Want: fmt.Sprintf("a number above the cut, %d, "+
				"and at most 2^53", p.rule.Cut)}
		}
	}
	out := &Found{plan: p, id: f.ID, seed: f.Seed, categories: f.Categories, counts: f.Counts}
	if have, want := f.Guarantee, out.Guarantee(); !release.SameGuarantee(have, want) {
		return nil, &release.FileError{Field: "guarantee", Want: want.Apart(have.Parameters) +
			", which follows from the plan"}
	}
	return out, nil
}

// Load reads a file of categories. Errors: *release.FileError.
func Load(ctx context.Context, path string) (*Found, error) { return release.LoadAs(ctx, path, Parse) }

// Verify derives the certificate again. Errors: *release.FileError.
func Verify(ctx context.Context, b []byte) (*cert.Verification, error) {
	f, err := Parse(ctx, b)
	if err != nil {
		return nil, err
	}
	v := f.plan.certificate.Verify(ctx)
	v.Title = fmt.Sprintf("%s, %s", f.plan.of(), f.plan.guarantee)
	v.Notes = append(v.Notes, "what is released under a schema with these categories is charged besides")
	v.Warn(f.Warnings()...)
	if g := f.Guarantee(); g.Notion == dp.None {
		v.NoGuarantee(g.Parameters.String())
	}
	return v, nil
}

// largest are the m largest counts, in the order of the texts where they are equal.
func largest(all []Count, m int) []Count {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b Count) int { return cmp.Compare(b.Value, a.Value) })
	return out[:min(m, len(out))]
}
