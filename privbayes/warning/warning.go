// Package warning tells users, where it matters, that a guarantee may mean little or that a number may be misread.
// Warnings are typed, listed, and shown as text, HTML and Markdown.
//
// A warning is not an error: the work was done. Before a draw it is a function of public inputs only, so that it tells
// nothing about the data; after one it may also read what was released. A text that read private rows is a diagnostic
// and does not come here. Warnings are neither in a plan's JSON nor in a release file. They follow from both and are
// derived again on loading.
//
// Every warning has one function that makes it, so that figure, limit and sentence agree wherever it is shown; each
// Kind says when it is given. The page docs/reference/warnings.md says what to do about each.
package warning

import (
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Kind names what a warning is about; a program that lists warnings switches on it.
type Kind string

// The kinds of warning, with when each is given.
const (
	// KindEpsilon: ε above MostEpsilon in a certified level. Levels of zCDP, tCDP and Rényi privacy are read at δ =
	// ReferenceDelta: see dp.Parameters.Warnings.
	KindEpsilon Kind = "epsilon"
	// KindDelta: δ of at least 1/n, at which publishing a record picked at random would be allowed; n public or
	// declared.
	KindDelta Kind = "delta"
	// KindTempered: a draw from a posterior in which a record weighs less than LeastWeight.
	KindTempered Kind = "tempered"
	// KindBounds: a draw from a posterior that was cut to bounds of less than LeastWeight of its range.
	KindBounds Kind = "bounds"
	// KindPrior: a prior, or a mechanism's own pseudo-counts, that weighs more than all n records, n public or
	// declared.
	KindPrior Kind = "prior"
	// KindNoise: noise of a mean above MostNoise of the range of its column; n public or declared.
	KindNoise Kind = "noise"
	// KindMonteCarlo: an error bar that holds the Monte Carlo error of the draws only.
	KindMonteCarlo Kind = "monte-carlo"
	// KindFloor: moments of a regression in some directions of which the noise drowns the data.
	KindFloor Kind = "eigenvalue-floor"
	// KindNoiseDrowns: weights of a regression about which the release says little more than the prior.
	KindNoiseDrowns Kind = "noise-drowns"
	// KindSteep: coefficients of a logistic regression so far from 0 that the prior pulls at them.
	KindSteep Kind = "steep-coefficients"
	// KindFewRows: a regression on a table whose cells hold so few rows that the prior of the cells matters.
	KindFewRows Kind = "few-rows"
	// KindFewEffective: a weighted release whose effective sample size is below 30 at most.
	KindFewEffective Kind = "few-effective"
	// KindNoEstimate: a weighted release whose weights are hardly more than noise.
	KindNoEstimate Kind = "no-estimate"
	// KindCoarseLattice: a formula with a term of degree CoarseDegree or more, whose numbers are rounded to a coarse grid.
	KindCoarseLattice Kind = "coarse-lattice"
	// KindClippedResponses: responses of a regression that were moved to the bounds of their column, where that changes
	// its slopes.
	KindClippedResponses Kind = "responses-clipped"
	// KindNoIntervals: an estimate whose Markov chains did not agree, or were not run.
	KindNoIntervals Kind = "no-intervals"
	// KindOutside: a distribution of values before they are moved to the bounds, of which a part lies outside these.
	KindOutside Kind = "outside-bounds"
	// KindZerosContradicted: noisy tables that have records where the model declares structural zeros.
	KindZerosContradicted Kind = "zeros-contradicted"
	// KindLoaded: a release read from its file, not drawn now.
	KindLoaded Kind = "loaded"
	// KindTrainingRows: an evaluation on rows that the release was made from.
	KindTrainingRows Kind = "training-rows"
	// KindNNotPublic: a number of rows that is shown, though the guarantee hides it.
	KindNNotPublic Kind = "n-not-public"
	// KindNotKept: a release in a notebook that is drawn again whenever its cell runs.
	KindNotKept Kind = "not-kept"
	// KindNoBudget: a release that no budget adds up.
	KindNoBudget Kind = "no-budget"
	// KindSingleSet: a single synthetic set, which has no valid intervals.
	KindSingleSet Kind = "single-synthetic-set"
	// KindPriorDecides: a network with columns whose shares the prior decides at this noise, were they far from even.
	KindPriorDecides Kind = "prior-decides"
	// KindPriorConflict: noisy counts that the prior of a network holds improbable.
	KindPriorConflict Kind = "prior-conflict"
	// KindRareEvidence: a question about records that are so rare that noisy counts hardly know how many there are.
	KindRareEvidence Kind = "rare-evidence"
	// KindBinnedNumbers: synthetic numbers that are drawn evenly within public bins.
	KindBinnedNumbers Kind = "binned-numbers"
	// KindLearnedRows: intervals for a structure that was learned from the same rows.
	KindLearnedRows Kind = "learned-rows"
)

// ofRun are the kinds about this run of a program rather than about what was released.
var ofRun = []Kind{KindLoaded, KindNotKept, KindNoBudget}

// Warning is one thing to know.
type Warning struct {
	Kind  Kind    `json:"kind"`
	Value float64 `json:"value,omitempty"` // the figure that gave rise to it, in the unit of Kind; 0 if there is none
	Limit float64 `json:"limit,omitempty"` // what the figure was held against
	Text  string  `json:"text"`            // a sentence for people
}

// String is the sentence.
func (w Warning) String() string { return w.Text }

// List is several warnings, in the order in which they arose.
type List []Warning

// And appends those warnings of other lists that are not there yet, so that no display says a thing twice. The list
// itself stays.
func (l List) And(others ...List) List {
	out := slices.Clone(l)
	for _, o := range others {
		for _, w := range o {
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// ButLevel leaves out what is about a level of privacy, for those who say it of another one.
func (l List) ButLevel() List {
	return slices.DeleteFunc(slices.Clone(l), func(w Warning) bool { return w.Kind == KindEpsilon || w.Kind == KindDelta })
}

// OfRelease leaves out what is about this run of a program (a file's path and date, a missing budget), for what may be
// published.
func (l List) OfRelease() List {
	var out List
	for _, w := range l {
		if !slices.Contains(ofRun, w.Kind) {
			out = append(out, w)
		}
	}
	return out
}

// String has a line for each, none if there are no warnings.
func (l List) String() string {
	var b strings.Builder
	for _, w := range l {
		b.WriteString("warning: " + w.Text + "\n")
	}
	return b.String()
}

// HTML has a coloured box for each, by the class that notebooks and reports style.
func (l List) HTML() string {
	var b strings.Builder
	for _, w := range l {
		b.WriteString(`<div class="alert alert-block alert-warning"><b>Warning:</b> ` + safetext.HTML(w.Text) + "</div>\n")
	}
	return b.String()
}

// Style is the style sheet of HTML's boxes, for pages that bring none of their own.
const Style = ".alert-warning{background:#fcf8e3;border:1px solid #e0c98a;border-left:4px solid " +
	"#b8860b;color:#5f4a10;padding:.5rem .8rem;margin:.6rem 0}"

// Markdown has a quoted paragraph for each.
func (l List) Markdown() string {
	var b strings.Builder
	for _, w := range l {
		b.WriteString("> **Warning:** " + safetext.Markdown(w.Text) + "\n\n")
	}
	return b.String()
}
