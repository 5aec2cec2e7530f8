package discovery

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/partition"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Format is the version of the file of categories that this library writes and reads.
const Format = "privbayes-categories-1"

// mostCount is the largest noisy count: all programs read such numbers exactly.
const mostCount = 1 << 53

// file is the JSON form: all of it public.
type file struct {
	header
	Categories []string `json:"categories"`
	Counts     []int64  `json:"counts"`         // noisy, above the cut
	Cuts       []int64  `json:"cuts,omitempty"` // of the levels at which nodes got noise, where there are several
}

// JSON is the file of the categories.
func (f *Found) JSON() ([]byte, error) {
	plan, err := json.Marshal(f.plan)
	if err != nil {
		return nil, err
	}
	return release.Encode(file{f.header(Format, plan), append([]string{}, f.categories...),
		append([]int64{}, f.counts...), f.cuts})
}

// IsFile reports whether bytes are of a file of categories, by its format.
func IsFile(b []byte) bool { return release.HasFormat(b, Format) }

// Parse reads a file's bytes. The plan is certified again, and the categories have to be such as it lists. Errors:
// *release.FileError.
func Parse(ctx context.Context, b []byte) (*Found, error) {
	var f file
	if err := release.DecodeAs(b, Format, "JSON of categories", &f); err != nil {
		return nil, err
	}
	p, err := parsePlan(ctx, f.Plan)
	if err != nil {
		return nil, badPlan(ctx, err)
	}
	out := &Found{plan: p, categories: f.Categories, counts: f.Counts, cuts: f.Cuts}
	if out.drawn, err = f.read(&p.asked); err != nil {
		return nil, err
	}
	if len(f.Categories) != len(f.Counts) {
		return nil, &release.FileError{Field: "counts", Want: "one of every category"}
	}
	for i, c := range f.Categories {
		if !p.lists(c) || i > 0 && c <= f.Categories[i-1] {
			return nil, &release.FileError{Field: fmt.Sprintf("categories.%d", i), Want: "texts that may be listed, in " +
				"their order"}
		}
		cut := p.ruleOf(c, f.Cuts).Cut
		if f.Counts[i] <= cut || f.Counts[i] > mostCount {
			return nil, &release.FileError{Field: fmt.Sprintf("counts.%d", i), Want: fmt.Sprintf("a number above the cut, %d, "+
				"and at most 2^53", cut)}
		}
	}
	if err := p.follows(out); err != nil {
		return nil, &release.FileError{Field: "cuts", Want: "levels of which each follows from the one before", Err: err}
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
	return f.verify(ctx, f.plan.of(), "these categories"), nil
}

// largest are the m largest counts, in the order of the texts where they are equal.
func largest(all []Count, m int) []Count {
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b Count) int { return cmp.Compare(b.Value, a.Value) })
	return out[:min(m, len(out))]
}

// RangeFormat is the version of the file of a range that this library writes and reads.
const RangeFormat = "privbayes-range-1"

// rangeFile is the JSON form: all of it public.
type rangeFile struct {
	header
	Low   *float64 `json:"low,omitempty"` // of the range; no ends where none was found
	High  *float64 `json:"high,omitempty"`
	Noisy []int64  `json:"noisy_counts"` // of all octaves, from the least numbers on
}

// JSON is the file of the range.
func (r *Range) JSON() ([]byte, error) {
	plan, err := json.Marshal(r.plan)
	if err != nil {
		return nil, err
	}
	f := rangeFile{header: r.header(RangeFormat, plan), Noisy: append([]int64{}, r.noisy...)}
	if low, high, err := r.Bounds(); err == nil {
		f.Low, f.High = &low, &high
	}
	return release.Encode(f)
}

// IsRange reports whether bytes are of a file of a range, by its format.
func IsRange(b []byte) bool { return release.HasFormat(b, RangeFormat) }

// ParseRange reads a file's bytes. The plan is certified again, and the range has to follow from the noisy counts.
// Errors: *release.FileError.
func ParseRange(ctx context.Context, b []byte) (*Range, error) {
	var f rangeFile
	if err := release.DecodeAs(b, RangeFormat, "JSON of a range", &f); err != nil {
		return nil, err
	}
	p, err := parseRangePlan(ctx, f.Plan)
	if err != nil {
		return nil, badPlan(ctx, err)
	}
	out := &Range{plan: p, noisy: f.Noisy}
	if out.drawn, err = f.read(&p.asked); err != nil {
		return nil, err
	}
	if len(f.Noisy) != partition.OctaveCount {
		return nil, &release.FileError{Field: "noisy_counts", Want: fmt.Sprintf("%d, one of every octave",
			partition.OctaveCount)}
	}
	for i, y := range f.Noisy {
		if y < -mostCount || y > mostCount {
			return nil, &release.FileError{Field: fmt.Sprintf("noisy_counts.%d", i), Want: "a number within ±2^53"}
		}
	}
	low, high, err := out.Bounds()
	switch {
	case err != nil && (f.Low != nil || f.High != nil):
		return nil, &release.FileError{Field: "low", Want: "none: no noisy count reaches the cut"}
	case err == nil && (f.Low == nil || f.High == nil || *f.Low != low || *f.High != high):
		return nil, &release.FileError{Field: "low", Want: fmt.Sprintf("low %s and high %s, which follow from the noisy "+
			"counts", number(low), number(high))}
	}
	return out, nil
}

// LoadRange reads a file of a range. Errors: *release.FileError.
func LoadRange(ctx context.Context, path string) (*Range, error) {
	return release.LoadAs(ctx, path, ParseRange)
}

// VerifyRange derives the certificate again. Errors: *release.FileError.
func VerifyRange(ctx context.Context, b []byte) (*cert.Verification, error) {
	r, err := ParseRange(ctx, b)
	if err != nil {
		return nil, err
	}
	return r.verify(ctx, r.plan.of(), "these bounds"), nil
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
