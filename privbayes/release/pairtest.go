package release

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/score"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Association is a test of whether two columns are independent.
type Association string

// The tests. All but ChiSquare compare two groups, the levels of a column that has two.
const (
	ChiSquare   Association = "chi-square"   // of any two columns
	TTest       Association = "t"            // difference of means; a number by the midpoints of its bins
	MannWhitney Association = "mann-whitney" // of ranks; levels in the order of the schema
	MedianTest  Association = "median"       // of the shares above the median
)

// Associations lists the tests.
func Associations() []Association { return []Association{ChiSquare, TTest, MannWhitney, MedianTest} }

// PairTest tests whether two columns of a learned structure are independent. It reads the release only, and may be
// published.
type PairTest struct {
	Test    Association `json:"test"`
	Columns [2]string   `json:"columns"` // the groups first, but for ChiSquare
	// Statistic is z of a difference, χ² of ChiSquare on DF degrees of freedom.
	Statistic float64 `json:"statistic"`
	DF        int     `json:"df,omitempty"`
	// Difference is of the second group from the first, by the noisy table: of means in the column's units, of mean ranks
	// as shares of all, of shares above the median. SE is its standard error under independence.
	Groups     [2]string `json:"groups,omitzero"`
	Difference float64   `json:"difference,omitempty"`
	SE         float64   `json:"se,omitempty"`
	// P is the probability of a statistic as far out under independence. Where the pair was chosen by the release,
	// Adjusted holds for whatever chose it among Pairs; else it is P.
	P        float64 `json:"p"`
	Adjusted float64 `json:"adjusted"`
	Chosen   bool    `json:"chosen"`
	Pairs    int     `json:"pairs,omitempty"`
	// Noise is the share of the noise in the variance of the statistic.
	Noise float64 `json:"noise"`
	about string
	notes []string
}

// TestPair tests whether two columns are independent, from the first noisy table that a learned structure measured of
// them, with the noise in the variance. Missing values are left out. Source: theory/structure.md §11.
//
// Of a pair that was given, as those of a star or by the joint table of all columns, p is that of the test. One that
// was chosen may have been so for what it looks like in these rows: with m pairs to choose from, Adjusted = 1 − (1 −
// p)^m bounds the probability that any pair without an association is chosen and rejected, whatever the rule of the
// choice (Šidák 1967); of ChiSquare m·p does. Where the choices also decide the noise of a table, [score.AnyNoise]
// takes the place of the first, and ChiSquare is not answered. It is no statement about chosen pairs alone. Name a
// question that is known beforehand in the plan: by Star.
//
// Errors: *NotAnsweredError for a pair that was not measured, has structural zeros, or nothing to compare;
// *dp.ParameterError for an unknown column or test, and for a release that learned no structure by noisy tables.
func (r *Release) TestPair(ctx context.Context, test Association, a, b string) (*PairTest, error) {
	if !slices.Contains(Associations(), test) {
		return nil, domain.Refuse("release", "test", safetext.Quote(string(test)), fmt.Sprint(Associations()))
	}
	m, err := r.firstMeasured(a, b)
	if err != nil {
		return nil, err
	}
	for _, z := range r.Structure().Zeros {
		if slices.Contains(z.Columns, a) && slices.Contains(z.Columns, b) {
			return nil, unanswered([]string{a, b}, "structural zeros say that they are not independent", "another pair")
		}
	}
	p, err := r.pairOf(ctx, m)
	if err != nil {
		return nil, err
	}
	t := &PairTest{Test: test, Chosen: !m.given, about: r.Caption()}
	if t.Chosen {
		t.Pairs = r.choices()
	}
	if err := p.test(t); err != nil {
		return nil, err
	}
	t.Adjusted = t.P
	switch {
	case !t.Chosen:
	case r.Structure().NoiseChosen && test == ChiSquare:
		return nil, unanswered([]string{a, b}, "what was chosen decides how much noise there is, for which no p of "+
			string(ChiSquare)+" is known", string(MannWhitney)+", "+string(MedianTest)+" or "+string(TTest))
	case r.Structure().NoiseChosen:
		t.Adjusted = score.AnyNoise(t.P, t.Pairs)
	case test == ChiSquare:
		t.Adjusted = math.Min(1, float64(t.Pairs)*t.P)
	default:
		t.Adjusted = -math.Expm1(float64(t.Pairs) * math.Log1p(-t.P))
	}
	return t, nil
}

// choices is how many pairs a round could choose from.
func (r *Release) choices() int {
	l := r.plan.Shape().Learning()
	if l.Weights == nil {
		return len(l.Pairs)
	}
	n := 0
	for _, u := range l.Weights {
		if u > 0 {
			n++
		}
	}
	return n
}

// pair is the noisy table of two columns without missing values, with the margins of the fit.
type pair struct {
	score.Association
	of [2]frame.Column
}

// pairOf makes the pair of a measured table.
func (r *Release) pairOf(ctx context.Context, m measuredTable) (p pair, err error) {
	columns := r.plan.Shape().Columns()
	p.of = [2]frame.Column{columns[m.columns[0]], columns[m.columns[1]]}
	fitted, err := r.fittedTable(ctx, m.columns)
	if err != nil {
		return p, err
	}
	rows, width, all := present(p.of[0]), present(p.of[1]), p.of[1].Levels()
	p.Rows, p.Columns = make([]float64, rows), make([]float64, width)
	total := 0.0
	for g := range rows {
		p.Cells = append(p.Cells, m.cells[g*all:g*all+width]...)
		for x, v := range fitted[g*all : g*all+width] {
			p.Rows[g], p.Columns[x], total = p.Rows[g]+v, p.Columns[x]+v, total+v
		}
	}
	for _, shares := range [][]float64{p.Rows, p.Columns} {
		for i := range shares {
			shares[i] /= total
		}
	}
	_, k := r.plan.Shape().Unit()
	p.N, p.Variance, p.Kurtosis, p.Alike = r.Structure().Size*total, m.variance, m.kurtosis, float64(k)
	return p, nil
}

// present is how many levels of a column are values.
func present(c frame.Column) int {
	if c.HasMissing() {
		return c.Levels() - 1
	}
	return c.Levels()
}

// swapped is the pair with the columns exchanged.
func (p pair) swapped() pair {
	out, width := p, len(p.Columns)
	out.of, out.Rows, out.Columns = [2]frame.Column{p.of[1], p.of[0]}, p.Columns, p.Rows
	out.Cells = make([]float64, len(p.Cells))
	for i, y := range p.Cells {
		out.Cells[i%width*len(p.Rows)+i/width] = y
	}
	return out
}

// test fills in what a test finds.
func (p pair) test(t *PairTest) error {
	names := []string{p.of[0].Name, p.of[1].Name}
	if t.Test == ChiSquare {
		if len(p.Rows) > len(p.Columns) { // matrices of fewer rows
			p = p.swapped()
		}
		var ok bool
		if t.Statistic, t.DF, t.P, ok = p.ChiSquare(); !ok || t.DF == 0 {
			return unanswered(names, "a column of one level, or a table without noise and records", "other columns")
		}
		t.Columns = [2]string(names)
		var sampling, noise float64
		for g := range p.Rows {
			for x := range p.Columns {
				sampling += p.N * p.Alike * p.Rows[g] * p.Columns[x] * (1 - p.Rows[g]) * (1 - p.Columns[x])
				noise += p.Variance * (1 - p.Rows[g])
			}
		}
		t.Noise = noise / (sampling + noise)
		p.warn(t)
		return nil
	}
	if len(p.Rows) != 2 && len(p.Columns) == 2 {
		p = p.swapped()
	}
	if len(p.Rows) != 2 || p.Rows[0]*p.Rows[1] == 0 {
		return unanswered(names, "the test compares two groups", "a column of two levels that are not missing, or "+
			string(ChiSquare))
	}
	scores, err := p.scores(t.Test)
	if err != nil {
		return err
	}
	u, sampling, noise := p.Trend(scores)
	if !(sampling+noise > 0) {
		return unanswered(names, "one value in all records", "other columns")
	}
	labels, size := p.of[0].Labels(), p.N*p.Rows[0]*p.Rows[1]
	t.Columns, t.Groups = [2]string{p.of[0].Name, p.of[1].Name}, [2]string{labels[0], labels[1]}
	t.Difference, t.SE = u/size, math.Sqrt(sampling+noise)/size
	t.Statistic, t.Noise = u/math.Sqrt(sampling+noise), noise/(sampling+noise)
	t.P = 2 * distuv.UnitNormal.Survival(math.Abs(t.Statistic))
	p.warn(t)
	return nil
}

// scores are those of a test.
func (p pair) scores(test Association) ([]float64, error) {
	switch c := p.of[1]; {
	case test == MannWhitney:
		return score.Midranks(p.Columns), nil
	case test == MedianTest:
		return score.AboveMedian(p.Columns), nil
	case !c.Numeric():
		return nil, unanswered([]string{p.of[0].Name, c.Name}, "the mean of "+safetext.Word(c.Name)+
			", which is no number", string(MannWhitney)+" or "+string(ChiSquare))
	default:
		scores := make([]float64, len(p.Columns))
		for x := range scores {
			scores[x] = (c.Edges[x] + c.Edges[x+1]) / 2
		}
		return scores, nil
	}
}

// leastExpected is the least expected count of a cell for which the normal law is taken without a warning, and
// mostNoise how many times the variance of sampling that of the noise may be.
const (
	leastExpected = 5
	mostNoise     = 1e4
)

// warn says where the normal law may be far off.
func (p pair) warn(t *PairTest) {
	least := p.N * slices.Min(p.Rows) * slices.Min(p.Columns)
	if t.Test == TTest || t.Test == MannWhitney || t.Test == MedianTest {
		least = p.N * slices.Min(p.Rows) / 2
	}
	if least < leastExpected && t.Noise < .9 { // noise smooths what is few
		t.notes = append(t.notes, fmt.Sprintf("A cell of the test has an expected count of %s: p is by the normal "+
			"distribution, which may be far off.", table.Number(least)))
	}
	if t.Noise > mostNoise/(mostNoise+1) {
		t.notes = append(t.notes, "The statistic is noise alone: nothing could be found at this budget.")
	}
}

// Table shows the test.
func (t *PairTest) Table() *table.Table {
	out := table.New("Are "+safetext.Word(t.Columns[0])+" and "+safetext.Word(t.Columns[1])+" independent?", "item",
		"value")
	switch t.Test {
	case ChiSquare:
		out.Add("test", fmt.Sprintf("χ² on %s", table.Count(t.DF, "degree"))+" of freedom")
	case TTest:
		out.Add("test", "t, difference of means")
	case MannWhitney:
		out.Add("test", "Mann–Whitney, difference of mean ranks")
	case MedianTest:
		out.Add("test", "median, difference of the shares above it")
	}
	if t.Test != ChiSquare {
		d := table.Decimals(t.SE)
		out.Add("difference", fmt.Sprintf("%s ± %s, of %s from %s", table.Fixed(t.Difference, d), table.Fixed(t.SE, d),
			safetext.Word(t.Groups[1]), safetext.Word(t.Groups[0])))
	}
	out.Add("statistic", t.Statistic)
	if out.Add("p", shownP(t.P)); t.Chosen {
		out.Add(fmt.Sprintf("p, adjusted for %s", table.Count(t.Pairs, "pair")), shownP(t.Adjusted))
		out.Note("The pair was chosen by this release. The adjusted p bounds the probability that any of these pairs is " +
			"chosen and rejected although its columns are independent.")
	}
	out.Note(fmt.Sprintf("Noise makes %s %% of the variance of the statistic. Missing values are left out.",
		table.Fixed(100*t.Noise, 0)))
	for _, note := range t.notes {
		out.Note(note)
	}
	return out.Note(t.about + ".")
}

// shownP is a p that is not smaller than the normal law can say.
func shownP(p float64) string {
	if p < leastShown {
		return "< " + table.Number(leastShown)
	}
	return table.Number(p)
}

// String shows the test as text.
func (t *PairTest) String() string { return table.Text(t) }
