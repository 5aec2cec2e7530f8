package warning

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// The limits that figures are held against.
const (
	// MostEpsilon: at ε = 10 the odds of any suspicion about one unit may grow by e^10, twenty-two thousand times.
	MostEpsilon = 10.0
	// ReferenceDelta is the δ at which levels without a δ are read as (ε, δ)-DP, to compare them with MostEpsilon.
	ReferenceDelta = 1e-6
	// LeastWeight is the least weight of a record in a posterior, against its full weight of 1, that raises no warning.
	LeastWeight = 0.5
	// MostNoise is the greatest mean noise of a mean, as a share of the public range, that raises no warning.
	MostNoise = 0.1
)

// remedies are the sentences that say in Go what to do, the last of their warnings.
var remedies = map[Kind]string{
	KindNotKept:      `Add KeepIn("name.release.json").`,
	KindNoBudget:     "Open one with OpenBudget, and bind it with WithBudget.",
	KindSingleSet:    "Draw twenty with SyntheticSets and Combine what each says.",
	KindTrainingRows: "Split before Model, and evaluate on the other part.",
}

// InWords is the list with other sentences in place of those that say in Go what to do: for programs that are not used
// from Go. Kinds without such a sentence stay as they are.
func (l List) InWords(of map[Kind]string) List {
	out := slices.Clone(l)
	for i, w := range out {
		if have, other := remedies[w.Kind], of[w.Kind]; have != "" && other != "" {
			out[i].Text = strings.TrimSuffix(w.Text, have) + other
		}
	}
	return out
}

// Size is the public number of rows, or the one that the schema declares; zero where there is neither.
type Size struct {
	Rows     int
	Declared bool
}

// Known reports whether there is a size.
func (s Size) Known() bool { return s.Rows > 0 }

func (s Size) String() string {
	if s.Declared {
		return fmt.Sprintf("about %d rows, as the schema declares", s.Rows)
	}
	return fmt.Sprintf("n = %d", s.Rows)
}

func number(x float64) string {
	return strings.NewReplacer("e-0", "e-", "e+0", "e", "e+", "e").Replace(strconv.FormatFloat(x, 'g', 4, 64))
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// byFactor says how far odds may change at ε.
func byFactor(epsilon float64) string {
	factor := math.Exp(epsilon)
	if math.IsInf(factor, 1) {
		return "beyond any factor"
	}
	return "by a factor of " + number(factor)
}

// Epsilon warns of ε, which the words of its level name.
func Epsilon(epsilon float64, level string) Warning {
	return Warning{KindEpsilon, epsilon, MostEpsilon, fmt.Sprintf(
		"%s is above ε = %s and gives little protection: the odds of any claim about one unit may change %s.", level,
		number(MostEpsilon), byFactor(epsilon))}
}

// EpsilonAt warns of a level without a δ by the ε at ReferenceDelta of a zCDP level: its own, or the one that is as
// weak at its orders.
func EpsilonAt(epsilon float64, level, zcdp string) Warning {
	as := ""
	if zcdp != level {
		as = " is, at its orders, as weak as " + zcdp
	}
	return Warning{KindEpsilon, epsilon, MostEpsilon, fmt.Sprintf(
		"%s%s: that has ε = %s at δ = %s, above %s, and gives little protection: the odds of any claim about one "+
			"unit may change %s.", level, as, number(epsilon), number(ReferenceDelta), number(MostEpsilon),
		byFactor(epsilon))}
}

// Delta warns of δ for data of a size.
func Delta(delta float64, s Size) Warning {
	return Warning{KindDelta, delta, 1 / float64(s.Rows), fmt.Sprintf(
		"δ = %s is at least 1/n = %s (%s): publishing the whole record of someone picked at random would meet this "+
			"δ. Choose δ far below 1/n.",
		number(delta), number(1/float64(s.Rows)), s)}
}

// Tempered warns that a record weighs only part of a record in the posterior that was drawn from. weight is that part
// (at most that, if atMost); the prior outweighs that many records in some of all distributions.
func Tempered(weight float64, atMost bool, s Size, outweighed, all int) Warning {
	w := Warning{KindTempered, weight, LeastWeight, ""}
	about := ""
	if atMost {
		about = "at most "
	}
	switch {
	case !s.Known():
		w.Text = fmt.Sprintf("the posterior weighs every record as %s%s of one: it is flatter than the posterior of "+
			"the data.", about, number(weight))
		return w
	case s.Declared:
		w.Text = fmt.Sprintf("the posterior weighs %s%s of about %d records (the size that the schema declares): ",
			about, number(weight*float64(s.Rows)), s.Rows)
	default:
		w.Text = fmt.Sprintf("the posterior weighs %s%s of %s: ", about, number(weight*float64(s.Rows)),
			count(s.Rows, "record"))
	}
	switch {
	case outweighed == 0:
		w.Text += "it is flatter than the posterior of the data, and nearer to the prior."
	case outweighed == all:
		w.Text += "what you see is mostly the prior."
	default:
		w.Text += fmt.Sprintf("in %d of %d distributions the prior weighs more, and is most of what you see.",
			outweighed, all)
	}
	return w
}

// Bounds warns that a posterior was cut to a share of its range.
func Bounds(share float64) Warning {
	return Warning{KindBounds, share, LeastWeight, fmt.Sprintf(
		"the bounds leave only %s of the range of a probability, and determine the result. Use wider ones.", number(share))}
}

// Prior warns that a prior weighs more records than there are. what names it, worst is its weight in records,
// outweighed of total distributions are those where it does.
func Prior(what string, worst float64, s Size, outweighed, total int) Warning {
	text := fmt.Sprintf("%s weighs %s records, more than the data (%s): what you see is mostly the prior.", what,
		number(worst), s)
	if outweighed < total {
		text = fmt.Sprintf("%s weighs %s records, more than the data (%s): there, and in all %d of %d distributions "+
			"like it, what you see is mostly the prior.",
			what, number(worst), s, outweighed, total)
	}
	return Warning{KindPrior, worst, float64(s.Rows), text}
}

// Noise warns that the noise of the means of columns is, on average, more than MostNoise of the public range.
func Noise(columns []string, share float64, s Size) Warning {
	return Warning{KindNoise, share, MostNoise, fmt.Sprintf("at %s the noise of the means of %s is %s of the public "+
		"range, on average: what you see is mostly noise. A larger ε or narrower public bounds make it smaller.", s,
		listed(columns), number(share))}
}

// MonteCarlo warns that error bars hold the error of that many draws only. of says how the posterior that was drawn
// from differs from that of the data.
func MonteCarlo(draws int, of string) Warning {
	return Warning{Kind: KindMonteCarlo, Value: float64(draws), Text: fmt.Sprintf(
		"the ± of an answer is the Monte Carlo error of %s, not the error of the answer about the data: the "+
			"posterior that was drawn from is %s.", count(draws, "draw"), of)}
}

// Loaded warns that a release comes from a file.
func Loaded(path string, written time.Time) Warning {
	return Warning{Kind: KindLoaded, Text: fmt.Sprintf(
		"this release was loaded from %q, written on %s, and not made now: the data may have changed since.", path,
		written.UTC().Format("2006-01-02 15:04 MST"))}
}

// TrainingRows warns that of the test rows so many are training rows; how says it without a number, which is 0 where it
// is not public.
func TrainingRows(shared, test int, how string) Warning {
	w := Warning{Kind: KindTrainingRows, Value: float64(shared)}
	if shared > 0 {
		how = fmt.Sprintf("%d of the %s are among the rows that the release was made from", shared,
			count(test, "test row"))
	}
	w.Text = how + ": the scores are those of rows that the model has seen, not of new ones. " +
		remedies[KindTrainingRows]
	return w
}

// NNotPublic warns that a number of rows is shown under a guarantee that hides it.
func NNotPublic(n int, what string) Warning {
	return Warning{Kind: KindNNotPublic, Value: float64(n), Text: fmt.Sprintf("%s n = %d, which the guarantee treats "+
		"as private: publish it only if it was public before.", what, n)}
}

// NotKept warns that a release is drawn again whenever its cell runs.
func NotKept() Warning {
	return Warning{Kind: KindNotKept, Text: "this release is not saved: if the cell runs again, it adds new noise and " +
		"charges again. " + remedies[KindNotKept]}
}

// NoBudget warns that nothing adds up what releases spend.
func NoBudget() Warning {
	return Warning{Kind: KindNoBudget, Text: "This table has no budget file, so the total privacy loss of its " +
		"releases is not tracked. " + remedies[KindNoBudget]}
}

// SingleSet warns of a single synthetic set: analysed as if it were the table, it finds effects that are not there.
func SingleSet() Warning {
	return Warning{KindSingleSet, 1, 2, "One synthetic set: intervals and tests made from it leave out the noise of the " +
		"release and the sampling of the private table, and find effects that are not there. " +
		remedies[KindSingleSet]}
}

// LeastCoverage of 95 % intervals is what a plan of a network is held against, MostConflict the standard deviations
// that a noisy share may be from the prior's mean: one in a hundred is beyond them where the truth follows the prior.
const LeastCoverage, MostConflict = 0.9, 2.58

// PriorDecides warns, before anything is spent, that noise-aware intervals of the shares of columns are predicted to
// cover a truth far from even shares too rarely: coverage is the least of them, and times what would have to multiply
// ε, +Inf where no ε is enough.
func PriorDecides(columns []string, coverage, times float64) Warning {
	remedy := fmt.Sprintf("An ε %s times as large would do, or fewer parents", number(times))
	if math.IsInf(times, 1) {
		remedy = "No ε is enough: more records or fewer parents would do"
	}
	return Warning{KindPriorDecides, coverage, LeastCoverage, fmt.Sprintf("the prior decides the shares of %s: if they "+
		"are far from even, 95 %% intervals that account for the noise are predicted to cover them in %s of 100 "+
		"releases. %s.", listed(columns), number(math.Floor(100*coverage)), remedy)}
}

// PriorConflict warns that noisy counts of columns are far from what the prior holds probable: z standard deviations at
// most.
func PriorConflict(columns []string, z float64) Warning {
	return Warning{KindPriorConflict, z, MostConflict, fmt.Sprintf("the prior and the noisy counts disagree about %s "+
		"(by %s standard deviations, limit %s): intervals there are pulled toward even shares. Read the score interval "+
		"of the column, which has no prior.", listed(columns), number(z), number(MostConflict))}
}

// LeastKnown is how many standard deviations of its posterior the share of records with what a question gives must be
// above 0.
const LeastKnown = 2.0

// RareEvidence warns that the noisy counts hardly know how many records have what questions give, levels of columns:
// share and sd are the posterior mean and standard deviation of the worst such share.
func RareEvidence(columns []string, share, sd float64) Warning {
	return Warning{KindRareEvidence, share / sd, LeastKnown, fmt.Sprintf("the noisy counts hardly say how many records "+
		"have what is given of %s (a share of %s ± %s): intervals of what is asked about those records rest on the prior "+
		"and the graph, and may miss the true value in more than 5 of 100 releases. Give a more common level or fewer "+
		"columns.", listed(columns), number(share), number(sd))}
}

// listed names up to six columns.
func listed(columns []string) string {
	var out []string
	for i, c := range columns {
		if i == 6 {
			return fmt.Sprintf("%s and %d more", strings.Join(out, ", "), len(columns)-6)
		}
		out = append(out, safetext.Word(c))
	}
	return strings.Join(out, ", ")
}

// BinnedNumbers warns of the numeric columns of synthetic records that are drawn evenly within a bin, or nearly so,
// since noise hides most of what sums within bins tell.
func BinnedNumbers(columns []string) Warning {
	return Warning{Kind: KindBinnedNumbers, Value: float64(len(columns)), Text: fmt.Sprintf("Numbers are drawn evenly "+
		"within the public bins, or nearly so (%s): means, standard deviations, quantiles and slopes of them are those of "+
		"the bins, and may be far from the table's. Shares of bins are fit for analysis; for a mean or a quantile, "+
		"release that.", listed(columns))}
}

// LearnedRows warns of intervals given a structure that was learned from the same rows.
func LearnedRows() Warning {
	return Warning{KindLearnedRows, 1, 2, "The structure was learned from the same rows. Intervals treat it as known, " +
		"and their coverage is not promised. Treat edges as exploratory."}
}

// ZerosContradicted warns that the noisy tables have more records in cells that are declared impossible than noise
// would make there: noisy is their number, sd the standard deviation of its noise.
func ZerosContradicted(columns []string, cells int, noisy, sd float64) Warning {
	var names []string
	for _, c := range columns {
		names = append(names, safetext.Word(c))
	}
	return Warning{Kind: KindZerosContradicted, Value: noisy, Limit: sd, Text: fmt.Sprintf("the noisy tables have "+
		"%s ± %s records in %s of %s that are declared structural zeros: either records break the rule, or it is none. "+
		"The release gives them no probability.", number(noisy), number(sd), count(cells, "cell"),
		strings.Join(names, " × "))}
}

// Floor warns that some of the eigenvalues of released moments were below the public floor, about the size of the
// noise, and were raised to it; effect says what that does to the estimate.
func Floor(raised, of int, floor float64, effect string) Warning {
	return Warning{Kind: KindFloor, Value: float64(raised), Limit: floor,
		Text: fmt.Sprintf("in %d of the %d directions of the features the noise is larger than the information in the data: "+
			"%s. Use fewer features, tighter public bounds or a larger ε.", raised, of, effect)}
}

// MostDrowned is the greatest posterior standard deviation of a weight, over its prior one, that raises no warning.
const MostDrowned = 0.8

// NoiseDrowns warns that the posterior of these weights is little narrower than their prior.
func NoiseDrowns(weights []string) Warning {
	return Warning{Kind: KindNoiseDrowns, Value: float64(len(weights)), Limit: MostDrowned, Text: "the noise is larger " +
		"than the information in the data for " + listed(weights) + ": intervals there are about as wide as the prior. " +
		"Use fewer columns, tighter public bounds or a larger ε."}
}

// MostSteep is the greatest distance of a coefficient from 0, in deviations of its prior, that raises no warning.
const MostSteep = 3

// Steep warns that the prior pulls at these coefficients of a logistic regression, which lie beyond MostSteep of its
// deviations. Measured: theory/glm.md §3.
func Steep(coefficients []string) Warning {
	return Warning{Kind: KindSteep, Value: float64(len(coefficients)), Limit: MostSteep, Text: "the prior pulls at " +
		listed(coefficients) + ", more than three of its standard deviations from 0: the interval may miss the coefficient. " +
		"Tighter public bounds of the column make it smaller."}
}

// FewRows warns that a table of so many cells has, by its noisy counts, fewer rows than it takes.
func FewRows(rows, least float64, cells int) Warning {
	return Warning{Kind: KindFewRows, Value: rows, Limit: least, Text: fmt.Sprintf("the released counts add up to "+
		"%s rows, and a regression on %d cells takes about %s at this privacy: intervals rest partly on the prior of the "+
		"cells. Fewer levels or a larger ε avoid it.", number(math.Round(rows)), cells, number(math.Ceil(least)))}
}

// CoarseDegree is the degree of a formula from which on a warning is raised: at 2, a step is 2^−11 of a half-range.
const CoarseDegree = 3

// CoarseLattice warns, before anything is spent, that a formula of this degree takes numbers, which have names, rounded
// to multiples of steps, in their own units.
func CoarseLattice(numbers []string, steps []float64, degree int) Warning {
	var each []string
	for i, name := range numbers[:min(len(numbers), 6)] {
		each = append(each, fmt.Sprintf("%s to steps of %s", safetext.Word(name), number(steps[i])))
	}
	if more := len(numbers) - len(each); more > 0 {
		each = append(each, count(more, "more number"))
	}
	return Warning{Kind: KindCoarseLattice, Value: float64(degree), Limit: CoarseDegree, Text: fmt.Sprintf("the formula "+
		"has a term of degree %d, so that numbers are rounded before they are read: %s. Coefficients are those of the "+
		"rounded numbers. A lower degree or tighter public bounds make the steps smaller.", degree, strings.Join(each, ", "))}
}

// MostClipped is the greatest share of responses outside the bounds of their column that raises no warning by itself.
const MostClipped = 0.01

// ClippedResponses warns that a share of the responses lay outside the bounds of their column and was moved to them, so
// that slopes are those of the moved responses.
func ClippedResponses(column string, share float64) Warning {
	return Warning{Kind: KindClippedResponses, Value: share, Limit: MostClipped, Text: fmt.Sprintf("if the columns are "+
		"normal, at least %s %% of the values of %s were beyond its public bounds and were moved to them. Slopes are those "+
		"of the moved values, and flatter. Wider bounds of %s avoid it, with more noise.", number(100*share),
		safetext.Word(column), safetext.Word(column))}
}

// NoIntervals warns that a release has estimates without intervals.
func NoIntervals(reason error) Warning {
	return Warning{Kind: KindNoIntervals, Text: "No interval is shown: " +
		strings.TrimPrefix(reason.Error(), "regression: ") + ". The estimate stands alone."}
}

// MostOutside is the greatest share of a distribution outside the bounds of its column that raises no warning.
const MostOutside = 0.001

// FewEffective says that a weighted table has the information of few rows of equal weight.
func FewEffective(upper float64) Warning {
	return Warning{Kind: KindFewEffective, Value: upper, Text: fmt.Sprintf("The weights leave the information of fewer "+
		"than %.0f rows of equal weight. Intervals may hold less often than they say, where values follow the weight.",
		math.Floor(max(upper, 1))+1)}
}

// NoEstimate says of which parameters the weights are hardly more than noise.
func NoEstimate(of []string) Warning {
	return Warning{Kind: KindNoEstimate, Value: float64(len(of)), Text: "There is no estimate of " +
		safetext.List(of, 12) + ": the weights are hardly more than noise. The number shown is the middle of the " +
		"interval, and is no finding."}
}

// Outside warns that a share of a distribution, of values before they are moved to the bounds of their column, lies
// outside these; instead is the model of the values themselves.
func Outside(column string, share float64, of, instead string) Warning {
	return Warning{Kind: KindOutside, Value: share, Limit: MostOutside, Text: fmt.Sprintf("%s %% of the %s of %s lies "+
		"outside the bounds of the column. The estimate describes values before they are moved to the bounds, and holds "+
		"only if they follow that distribution. %s describes the values of the column.", number(100*share), of,
		safetext.Word(column), instead)}
}
