package synthetic

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Estimate is what one set says about a quantity: its value, and the square of the standard error that the analyst's
// method gives for as many real records.
type Estimate struct{ Value, Variance float64 }

// Design says how sets were drawn.
type Design struct {
	Records float64 // of the private table: the public n, or the n̂ that the release says
	Rows    int     // of each set
}

func (d Design) check() error {
	return domain.Check("synthetic", "Combine", domain.Positive("Records", d.Records),
		domain.AtLeast("Rows", d.Rows, 1))
}

// EstimateError is an estimate that cannot be combined.
type EstimateError struct {
	Set  int // from 1; 0: the sets together
	Got  string
	Want string
}

func (e *EstimateError) Error() string {
	of := "the sets together"
	if e.Set > 0 {
		of = fmt.Sprintf("set %d", e.Set)
	}
	return fmt.Sprintf("synthetic: %s: %s; want %s", of, e.Got, e.Want)
}

// Combined is the answer of m sets.
type Combined struct {
	Rule            Rule
	Value           float64 // q̄, the mean of the estimates
	Variance        float64 // its squared standard error by the rule
	Freedom         float64 // degrees of freedom of the t law; +Inf: normal
	Between, Within float64 // b and ū
	Fallback        bool    // T_f was not positive

	design Design
	sets   int
}

// Combine is the answer by FullySynthetic. It needs sets that are independent draws given the release, as SyntheticSets
// makes, estimates that are nearly normal, and a quantity that the network expresses; the last two nobody can see from
// estimates. Refused are *EstimateError: fewer than two sets, values or variances that are no finite numbers (a
// logarithm of an empty cell), negative variances, and estimates without any variance. *dp.ParameterError for a design
// without records.
func Combine(d Design, sets ...Estimate) (*Combined, error) {
	return CombineBy(FullySynthetic, d, sets...)
}

// CombineBy is Combine by another rule. Errors: as Combine, *dp.ParameterError for an unknown rule, *EstimateError for
// more than one set by Naive.
func CombineBy(r Rule, d Design, sets ...Estimate) (*Combined, error) {
	of, least := ruleOf(r)
	if of == nil {
		var names []string
		for _, k := range append(Rules(), Naive) {
			names = append(names, string(k))
		}
		return nil, domain.Refuse("synthetic", "rule", string(r), "one of "+strings.Join(names, ", "))
	}
	if r == Naive && len(sets) > 1 {
		return nil, &EstimateError{0, table.Count(len(sets), "set"), "one for rule naive, which takes it for the table"}
	}
	return combine(r, of, least, d, sets)
}

// combine takes the arithmetic of the rule, for tests of a wrong one.
func combine(r Rule, of func(moments) law, least int, d Design, sets []Estimate) (*Combined, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	if len(sets) < least {
		return nil, &EstimateError{0, table.Count(len(sets), "set"), fmt.Sprintf("at least %d for rule %s: one set does "+
			"not show how far its answer is from the private table's", least, r)}
	}
	x, err := momentsOf(d, sets)
	if err != nil {
		return nil, err
	}
	l := of(x)
	if !(l.variance > 0) || math.IsInf(l.variance, 1) {
		return nil, &EstimateError{0, fmt.Sprintf("a squared standard error of %v", l.variance), "a finite one above 0: " +
			"estimates with standard errors of their own"}
	}
	return &Combined{Rule: r, design: d, sets: len(sets), Value: x.mean, Variance: l.variance, Freedom: l.df,
		Between: x.b, Within: x.within, Fallback: l.fallback}, nil
}

func momentsOf(d Design, sets []Estimate) (x moments, err error) {
	x = moments{m: float64(len(sets)), ratio: float64(d.Rows) / d.Records}
	for i, s := range sets {
		switch {
		case !domain.Finite(s.Value):
			return x, &EstimateError{i + 1, fmt.Sprintf("an estimate of %v", s.Value), "a finite number, as from larger " +
				"sets, or an estimate that bears empty cells"}
		case !domain.Finite(s.Variance) || s.Variance < 0:
			return x, &EstimateError{i + 1, fmt.Sprintf("a squared standard error of %v", s.Variance),
				"a finite number ≥ 0"}
		}
		x.mean += s.Value / x.m
		x.within += s.Variance / x.m
	}
	if len(sets) > 1 {
		for _, s := range sets {
			x.b += (s.Value - x.mean) * (s.Value - x.mean) / (x.m - 1)
		}
	}
	return x, nil
}

// SE is the standard error of the value, √Variance.
func (c *Combined) SE() float64 { return math.Sqrt(c.Variance) }

// Interval is value ± quantile·SE for a level in (0, 1); infinite where the degrees of freedom are so few that the
// quantile is beyond the floating-point range. Errors: *dp.ParameterError.
func (c *Combined) Interval(level float64) (lower, upper float64, err error) {
	if !(level > 0 && level < 1) {
		return 0, 0, domain.Refuse("synthetic", "level", level, "a level of intervals above 0 and below 1")
	}
	w := quantile(c.Freedom, (1-level)/2) * c.SE()
	return c.Value - w, c.Value + w, nil
}

// P is the two-sided p-value of the hypothesis that the quantity is null: P(|t| ≥ |value − null|/SE).
func (c *Combined) P(null float64) float64 {
	if c.Value == null {
		return 1
	}
	return 2 * tail(c.Freedom, math.Abs(c.Value-null)/c.SE())
}

// Between these degrees of freedom a t law is computed. Above them it is taken for the normal one, whose quantiles
// differ by a part in 1e7; below them its usual quantiles pass 1e100, and it says nothing.
const (
	fewest     = 1e-2
	normalFrom = 1e7
)

// tail is P(t > x), x ≥ 0.
func tail(df, x float64) float64 {
	if df > normalFrom {
		return distuv.UnitNormal.Survival(x)
	}
	if df < fewest {
		return .5
	}
	if math.IsInf(x*x, 1) {
		return 0
	}
	lower, _ := num.BetaTails(df/2, .5, df/(df+x*x), x*x/(df+x*x))
	return lower / 2
}

// quantile is the x with P(t > x) = p, p < ½: by halving in the logarithm of x, which few degrees of freedom make huge.
func quantile(df, p float64) float64 {
	if df > normalFrom {
		return -distuv.UnitNormal.Quantile(p)
	}
	lo, hi := -40.0, 354.0 // x² is finite
	if tail(df, math.Exp(hi)) > p {
		return math.Inf(1)
	}
	for range 80 {
		if mid := (lo + hi) / 2; tail(df, math.Exp(mid)) > p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Exp((lo + hi) / 2)
}

// Table shows the answer with its 95 % interval and what it is made of.
func (c *Combined) Table() *table.Table {
	t := table.New(fmt.Sprintf("Answer of %s by rule %s", table.Count(c.sets, "synthetic set"), c.Rule), "value",
		"standard error", "95 %", "degrees of freedom", "between sets (b)", "within sets (ū)")
	lo, hi, _ := c.Interval(0.95)
	df := "normal"
	if c.Freedom <= normalFrom {
		df = table.Number(c.Freedom)
	}
	between := any(c.Between)
	if c.sets == 1 {
		between = "unknown"
	}
	t.Add(c.Value, c.SE(), table.Number(lo)+" – "+table.Number(hi), df, between, c.Within)
	if c.Fallback {
		t.Note("The variance between sets is below that within: T_f is not positive, and (rows/n)·ū with normal " +
			"quantiles stands for it.")
	}
	if c.Rule == Naive {
		return t.Note(fmt.Sprintf("Misleading: one set of %d records is taken for the table. The noise of the release and "+
			"the sampling of the private table are left out; %s of several sets has them.", c.design.Rows, FullySynthetic))
	}
	return t.Note(fmt.Sprintf("%d records a set, for a table of %s. Valid for what the network expresses.",
		c.design.Rows, table.Number(c.design.Records)))
}

// String is the table as text.
func (c *Combined) String() string { return table.Text(c) }

// Level is a level of a column.
type Level struct{ Column, Level string }

func (l Level) String() string { return l.Column + " = " + l.Level }

// in is the code of the level, and the column's codes.
func (l Level) in(f *frame.Frame) (code int, codes frame.Codes, err error) {
	c, _, err := f.Schema().Column(l.Column)
	if err != nil {
		return 0, codes, err
	}
	for k, name := range c.Labels() {
		if name == l.Level {
			codes, err = f.Codes(l.Column)
			return k, codes, err
		}
	}
	return 0, codes, domain.Refuse("synthetic", "level of "+l.Column, fmt.Sprintf("%q", l.Level),
		fmt.Sprintf("one of %q", c.Labels()))
}

// Share is the share of records at a level, with variance p(1 − p)/rows.
func Share(of Level) func(*frame.Frame) (Estimate, error) {
	return func(f *frame.Frame) (Estimate, error) {
		code, codes, err := of.in(f)
		if err != nil {
			return Estimate{}, err
		}
		hits := 0
		for i := range f.Len() {
			if codes.At(i) == code {
				hits++
			}
		}
		p := float64(hits) / float64(f.Len())
		return Estimate{p, p * (1 - p) / float64(f.Len())}, nil
	}
}

// LogOddsRatio is the coefficient of the logistic regression of one level on another, ln(a·d/(b·c)) of their 2 × 2
// table, with variance 1/a + 1/b + 1/c + 1/d. An empty cell makes it infinite, which Combine refuses.
func LogOddsRatio(outcome, exposure Level) func(*frame.Frame) (Estimate, error) {
	return func(f *frame.Frame) (Estimate, error) {
		y, ys, err := outcome.in(f)
		if err != nil {
			return Estimate{}, err
		}
		x, xs, err := exposure.in(f)
		if err != nil {
			return Estimate{}, err
		}
		var n [2][2]float64
		for i := range f.Len() {
			n[bit(ys.At(i) == y)][bit(xs.At(i) == x)]++
		}
		e := Estimate{Value: math.Log(n[1][1]) + math.Log(n[0][0]) - math.Log(n[0][1]) - math.Log(n[1][0])}
		for _, row := range n {
			for _, k := range row {
				e.Variance += 1 / k
			}
		}
		return e, nil
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
