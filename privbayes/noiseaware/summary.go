package noiseaware

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Row summarises one probability or question: the naive posterior beside the noise-aware one.
type Row struct {
	Of, Label                         string // as in Parameter: Name, Label
	NaiveMean, NaiveLower, NaiveUpper float64
	Mean, SD, Lower, Upper            float64
	// Median says that NaiveMean and Mean are medians and SD is 0: of a question whose mean need not exist, a ratio of
	// which the lower part may be 0 (with α = 1, where the counts leave it open).
	Median bool
}

// Summary has a row for every probability, in the order of Parameters, with equal-tailed credible intervals of the
// given level in (0, 1): *dp.ParameterError.
func (p *Posterior) Summary(level float64) ([]Row, error) {
	if !(level > 0 && level < 1) {
		return nil, domain.Refuse("noiseaware", "level", level, "a level of intervals above 0 and below 1")
	}
	return Summaries(p.params, level), nil
}

// Summaries is Summary for chosen parameters; at a level outside (0, 1) the ends of intervals are NaN.
func Summaries(params []Parameter, level float64) []Row {
	out := make([]Row, len(params))
	for i, q := range params {
		m := q.Law()
		r := Row{Of: q.Name, Label: q.Label, NaiveMean: q.Naive.Mean(), Mean: m.Mean(), SD: m.SD()}
		r.NaiveLower, r.NaiveUpper = q.Naive.CredibleInterval(level)
		r.Lower, r.Upper = m.CredibleInterval(level)
		out[i] = r
	}
	return out
}

// CSV is the summary as RFC 4180 text with a header, numbers in full precision: *dp.ParameterError.
func (p *Posterior) CSV(level float64) (string, error) {
	list, err := p.Summary(level)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	put := func(of, label string, x ...float64) error {
		cells := []string{of, label}
		for _, v := range x {
			cells = append(cells, strconv.FormatFloat(v, 'g', -1, 64))
		}
		return w.Write(cells)
	}
	err = w.Write([]string{"of", "level", "naive_mean", "naive_lower", "naive_upper", "mean", "sd", "lower", "upper"})
	for _, r := range list {
		if err == nil {
			err = put(r.Of, r.Label, r.NaiveMean, r.NaiveLower, r.NaiveUpper, r.Mean, r.SD, r.Lower, r.Upper)
		}
	}
	w.Flush()
	return b.String(), err
}

// Choose lists the probabilities of one distribution, named as in Parameters ("" is the target): those of the given
// levels, or all. Errors: *dp.ParameterError.
func (p *Posterior) Choose(of string, levels ...string) ([]Parameter, error) {
	if of == "" {
		of = p.params[0].Name
	}
	var out []Parameter
	for _, q := range p.params {
		if q.Name == of && len(levels) == 0 {
			out = append(out, q)
		}
	}
	for _, label := range levels {
		q, ok := p.Parameter(of, label)
		if !ok {
			return nil, domain.Refuse("noiseaware", "level of "+of, fmt.Sprintf("%q", label), oneOf(p.names(of)))
		}
		out = append(out, q)
	}
	if len(out) == 0 {
		return nil, domain.Refuse("noiseaware", "distribution", fmt.Sprintf("%q", of), oneOf(p.names(of)))
	}
	return out, nil
}

func oneOf(names []string) string { return `one of "` + strings.Join(names, `", "`) + `"` }

// names lists the levels of a distribution or, if there is none of that name, the distributions.
func (p *Posterior) names(of string) (out []string) {
	last := ""
	for _, q := range p.params {
		if q.Name == of {
			out = append(out, q.Label)
		}
	}
	if out != nil {
		return out
	}
	for _, q := range p.params {
		if q.Name != last {
			out, last = append(out, q.Name), q.Name
		}
	}
	return out
}
