package discovery

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/partition"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

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
	if err := decode(b, RangeFormat, "a range", &f); err != nil {
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
