package noiseaware

import (
	"math"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// farthest is what numbers beyond it, infinite ones too, are shown as: the odds of an event whose probability rounds
// to 1.
const farthest = 1e200

func shown(x float64) float64 { return min(max(x, -farthest), farthest) }

// Rows are means, standard deviations and equal-tailed intervals of a level in (0, 1): *dp.ParameterError. Of ratios,
// and of what is made of them but for logarithms, they are medians without a standard deviation, as Row.Median says;
// also where an average is no finite number. Numbers beyond ±1e200 are given as that.
func (a *Answers) Rows(level float64) ([]Row, error) {
	if !(level > 0 && level < 1) {
		return nil, domain.Refuse("noiseaware", "level", level, "a level of intervals above 0 and below 1")
	}
	out := make([]Row, len(a.List))
	for i, q := range a.List {
		r := Row{Of: q.question.name, NaiveMean: q.Naive.Mean(), Mean: q.Mean(), SD: q.SD()}
		r.Median = q.question.heavy || !domain.Finite(r.NaiveMean) || !domain.Finite(r.Mean) || !domain.Finite(r.SD)
		if r.Median {
			r.NaiveMean, r.Mean, r.SD = shown(q.Naive.Quantile(.5)), shown(q.Quantile(.5)), 0
		}
		r.NaiveLower, r.NaiveUpper = q.Naive.CredibleInterval(level)
		r.Lower, r.Upper = q.CredibleInterval(level)
		for _, x := range []*float64{&r.NaiveLower, &r.NaiveUpper, &r.Lower, &r.Upper} {
			*x = shown(*x)
		}
		out[i] = r
	}
	return out, nil
}

// medians says whether some rows have medians, and whether all do.
func medians(rows []Row) (some, all bool) {
	all = true
	for _, r := range rows {
		some, all = some || r.Median, all && r.Median
	}
	return some, all
}

// Table shows every question with its naive and its noise-aware mean and 95 % interval, and how well the draws know it.
// Of ratios it shows medians: see Rows.
func (a *Answers) Table() *table.Table {
	rows, _ := a.Rows(tableLevel)
	some, all := medians(rows)
	center := "mean"
	switch {
	case all:
		center = "median"
	case some:
		center = "mean or median"
	}
	heads := []string{"question", "naive " + center, "naive 95 %", center, "sd", "95 %", "R-hat", "ESS"}
	if all {
		heads = append(heads[:4:4], heads[5:]...)
	}
	t := table.New("Answers given the noisy counts", heads...)
	for i, r := range rows {
		naive, at, sd := any(r.NaiveMean), any(r.Mean), any(r.SD)
		if r.Median && !all {
			naive, at, sd = table.Number(r.NaiveMean)+" (median)", table.Number(r.Mean)+" (median)", "-"
		}
		cells := []any{r.Of, naive, interval(r.NaiveLower, r.NaiveUpper), at, sd, interval(r.Lower, r.Upper),
			a.List[i].RHat, table.Number(a.List[i].ESS)}
		if all {
			cells = append(cells[:4:4], cells[5:]...)
		}
		t.Add(cells...)
	}
	t.Note("naive: the posterior as if the released estimates were the counts.")
	if some {
		t.Note("Of a ratio the median is shown and no sd: where a count may be 0 its mean is infinite. Its Log has both.")
	}
	return t.Note(a.caption)
}

// String is the table as text.
func (a *Answers) String() string { return table.Text(a) }

// Forest draws every question's mean and 95 % interval, naive above noise-aware; of ratios the median, and where all
// are positive ratios on a logarithmic axis. Whatever the answers are, there is a range to draw; only the height limits
// it, to some 90 questions.
func (a *Answers) Forest() *figure.Forest {
	rows, _ := a.Rows(tableLevel)
	some, all := medians(rows)
	f := &figure.Forest{Title: "Means and 95 % credible intervals", Caption: a.caption, XLabel: "value",
		Series: []string{"naive", "noise-aware"}}
	switch {
	case all:
		f.Title = "Medians and 95 % credible intervals"
	case some:
		f.Title = "Means, of ratios medians, and 95 % credible intervals"
	}
	ratios := true
	for i, r := range rows {
		ratios = ratios && a.List[i].question.ratio && min(r.NaiveLower, r.Lower) >= 0
	}
	least := -farthest
	if ratios {
		least = 1 / farthest // of a logarithmic axis
		f.LogX, f.Reference = true, &figure.Reference{Name: "no effect", Y: 1}
	}
	for _, r := range rows {
		m := []figure.Mark{{At: r.NaiveMean, From: r.NaiveLower, To: r.NaiveUpper}, {At: r.Mean, From: r.Lower, To: r.Upper}}
		for j := range m {
			m[j] = figure.Mark{At: max(m[j].At, least), From: max(m[j].From, least), To: max(m[j].To, least)}
		}
		f.Rows = append(f.Rows, figure.ForestRow{Name: r.Of, Marks: m})
	}
	if !wide(f) {
		for _, r := range f.Rows {
			for j, m := range r.Marks {
				r.Marks[j] = figure.Mark{At: rounded(m.At), From: rounded(m.From), To: rounded(m.To)}
			}
		}
	}
	return f
}

// wide says whether the marks of a forest spread enough for an axis: a constant that was computed in several ways
// differs in its last digits only.
func wide(f *figure.Forest) bool {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, r := range f.Rows {
		for _, m := range r.Marks {
			lo, hi = min(lo, m.At, m.From), max(hi, m.At, m.To)
		}
	}
	return f.Reference != nil || hi-lo > 1e-11*max(math.Abs(lo), math.Abs(hi)) && hi-lo > 1e-280
}

// rounded is x to nine digits.
func rounded(x float64) float64 {
	if math.Abs(x) < 1e-200 {
		return 0
	}
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 8, 64), 64) // its own writing
	return y
}
