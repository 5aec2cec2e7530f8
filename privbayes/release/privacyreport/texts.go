package privacyreport

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// The sentences that depend on the guarantee stand in one table by privacy definition and adjacency. A sentence depends
// on one of the two alone, so the table has a row for every definition and a column for every adjacency. In braces:
//
//	{unit}       the privacy unit          {rows}   the row, or all rows, of one unit
//	{is}, {it is}  verb and pronoun of it  {row}    row or rows
//	{rare}, {after}  numbers               {class}  the column that replace-value does not protect

// definitions are the names of privacy definitions, and how their guarantee is stated as a factor.
var definitions = map[dp.Notion]struct{ Name, Stated string }{
	dp.Pure:        {"pure differential privacy", "This holds without exception."},
	dp.Approximate: {"approximate differential privacy", "A probability of at most {rare} is added to this bound."},
	dp.Concentrated: {"zero-concentrated differential privacy",
		"The guarantee itself is stronger. This bound follows from it, with an added probability of at most {rare}."},
	dp.TruncatedConcentrated: {"truncated concentrated differential privacy",
		"This bound follows from the guarantee, with an added probability of at most {rare}."},
	dp.Renyi: {"Rényi differential privacy",
		"This bound follows from the guarantee, with an added probability of at most {rare}."},
}

// neighbours are the sentences of one adjacency.
type neighbours struct {
	Who, Compared string // who is protected, and against which other tables
	Had           string // the change, in “would have been as likely, …”
	Suspects      string // what somebody suspects
	Known         string // what follows of somebody who is known to be in the table; empty where it is the same
	Singled       string // the answer about singling out
	Published     string // what the adjacency leaves unprotected
}

var adjacencies = map[dp.Adjacency]neighbours{
	dp.ReplaceOne: {
		Who: "One {unit} is protected, with everything in {rows}.",
		Compared: "The guarantee compares the table with every table in which {rows} of one {unit} {is} replaced by any " +
			"other {row}.",
		Had: "had {rows} of any one {unit} been any other",
		Suspects: "Suppose someone suspects something about {rows} of one {unit} with probability 10 %. Suppose they " +
			"know all other rows.",
		Singled:   "{Rows} of one {unit} cannot be told from any other {row} beyond the bounds above.",
		Published: "The number of rows: it is the same in all tables that are compared.",
	},
	dp.AddRemove: {
		Who: "One {unit} is protected: being in the table at all, and everything in {rows}.",
		Compared: "The guarantee compares the table with every table to which {rows} of one {unit} {is} added, or from " +
			"which {it is} removed.",
		Had: "had {rows} of any one {unit} been added or left out",
		Suspects: "Suppose someone suspects with probability 10 % that one {unit} is in the table, with certain {row}. " +
			"Suppose they know all other rows.",
		Known: "If it is known that the {unit} is in the table, a suspicion about {rows} may grow more. They can then " +
			"be {after}.",
		Singled: "Tables with and without {rows} of one {unit} cannot be told apart beyond the bounds above.",
	},
	dp.WithinStrata: {
		Who: "One {unit} is protected, with everything in {rows} but the stratum.",
		Compared: "The guarantee compares the table with every table in which {rows} of one {unit} {is} replaced by any " +
			"other {row} of the same stratum.",
		Had: "had {rows} of any one {unit} been any other of its stratum",
		Suspects: "Suppose someone suspects something about {rows} of one {unit} with probability 10 %. Suppose they " +
			"know all other rows, and the stratum.",
		Singled: "{Rows} of one {unit} cannot be told from any other {row} of its stratum beyond the bounds above.",
		Published: "The stratum of every {unit}, and the number of rows in every stratum: they are the same in all tables " +
			"that are compared.",
	},
	dp.ReplaceValue: {
		Who: "One value of one {unit} is protected{in another}.{not all}",
		Compared: "The guarantee compares the table with every table in which one value, in {rows} of one {unit}, is " +
			"replaced by any other.",
		Had: "had one value in {rows} of any one {unit}{in another} been any other",
		Suspects: "Suppose someone suspects something about one value of one {unit} with probability 10 %. Suppose they " +
			"know everything else.",
		Singled:   "A value of one {unit} cannot be told from any other value beyond the bounds above.{not all}",
		Published: "The number of rows{and class}, and what several values of a row say together.",
	},
}

// underMetric are the sentences of an adjacency by a distance between tables.
var underMetric = neighbours{
	Who: "Differences between tables are protected, in proportion to their distance.",
	Compared: "The guarantee compares the table with every table at distance 1. At a distance of 2 the bounds hold " +
		"twice over.",
	Had: "had the table been any other at distance 1",
	Suspects: "Suppose someone suspects with probability 10 % that the table is a certain one, and not another at " +
		"distance 1.",
	Singled: "Two tables at distance 1 cannot be told apart beyond the bounds above.",
}

// fixed is what no guarantee covers.
var fixed = []string{
	"That the data were collected, the questions, the columns with their categories and bounds, and the model.",
	"What is true of groups. It says something about everyone in a group, whether in the table or not.",
	"What is published elsewhere about the same people, and what others combine with it.",
	"Running time, memory and access to the computer.",
	"Anyone who sees the raw table, and the people who run the program.",
}

// words fill the sentences.
type words struct {
	fill   *strings.Replacer
	unit   string
	guard  neighbours
	stated struct{ Name, Stated string }
}

// wordsOf are the words of a guarantee of plans together.
func wordsOf(plans []entry.Plan, g dp.Guarantee) words {
	w := words{unit: safetext.Unit(g.Unit, safetext.Word), stated: definitions[g.Notion]}
	var known bool
	if w.guard, known = adjacencies[g.Adjacency]; !known {
		w.guard = underMetric
	}
	rows, row, is, it := "the row", "row", "is", "it is"
	if g.RowsPerUnit > 1 {
		rows, row, is, it = fmt.Sprintf("all rows (at most %d)", g.RowsPerUnit), "rows", "are", "they are"
	}
	another, notAll, class := "", "", "" // what replace-value leaves out
	if list := unprotected(plans); len(list) > 0 {
		first := safetext.List(list, most)
		if sh := plans[0].Shape(); len(plans) == 1 && sh.Classifies() && sh.Graph() == nil {
			first = "the class " + first
		}
		another, class = " in a column other than "+first, ", "+first+" of every row"
		notAll = " The guarantee does not cover " + first + ", nor several values together."
	} else if len(plans) > 1 {
		notAll = " The guarantee does not cover several values together."
	}
	w.fill = strings.NewReplacer("{unit}", w.unit, "{rows}", rows, "{row}", row, "{is}", is, "{it is}", it,
		"{in another}", another, "{not all}", notAll, "{and class}", class, "{Rows}", strings.ToUpper(rows[:1])+rows[1:])
	return w
}

// unprotected are the columns that replace-value leaves out: the first of every model of several columns.
func unprotected(plans []entry.Plan) (out []string) {
	for _, p := range plans {
		if columns := p.Shape().Columns(); len(columns) > 1 && !slices.Contains(out, columns[0].Name) {
			out = append(out, columns[0].Name)
		}
	}
	return out
}

// say fills a sentence. It does so in one pass, so that what looks like a name in braces in a name stays as it is.
func (w words) say(text string) string { return w.fill.Replace(text) }

// amount is a level with its symbols in brackets: "1 (ε)".
func amount(l dp.Parameters) string {
	n := table.Number
	switch l.Notion {
	case dp.Pure:
		return n(float64(l.Epsilon)) + " (ε)"
	case dp.Approximate:
		return fmt.Sprintf("%s (ε) and %s (δ)", n(float64(l.Epsilon)), n(l.Delta))
	case dp.Concentrated:
		return n(l.Rho) + " (ρ)"
	case dp.TruncatedConcentrated:
		return fmt.Sprintf("%s (ρ, up to order ω = %s)", n(l.Rho), n(l.Order))
	case dp.Renyi:
		return fmt.Sprintf("%s (ε, at order λ = %s)", n(float64(l.Epsilon)), n(l.Order))
	}
	return l.String()
}

// number is a whole number with spaces between its thousands, at which no line breaks.
func number(x float64) string {
	digits := strconv.FormatFloat(math.Round(x), 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "\u00a0" + digits[i:]
	}
	return digits
}

// upward is a positive bound to three digits, rounded up: 2.72, 22 100. From a million on it has a power of ten.
func upward(x float64) string {
	if math.IsInf(x, 1) {
		return "any number of"
	}
	exponent := math.Floor(math.Log10(x))
	scaled := math.Ceil(x/math.Pow(10, exponent-2)) / 100 // 1 to 10
	if x >= 1e6 {
		return fmt.Sprintf("%.2f·10^%.0f", scaled, exponent)
	}
	value := scaled * math.Pow(10, exponent)
	if value >= 1000 {
		return number(value)
	}
	return strconv.FormatFloat(value, 'f', max(0, 2-int(exponent)), 64)
}

// perCent is a probability as "13.6", rounded up.
func perCent(p float64) string {
	return strconv.FormatFloat(math.Min(100, math.Ceil(1000*p)/10), 'f', 1, 64)
}

// sure is a bound on a suspicion, and the probability with which it does not hold.
func sure(eps, delta float64) string {
	p, exception := suspicion(eps, delta)
	text := "at most " + perCent(p) + " % sure"
	if perCent(p) == "100.0" {
		return "almost sure: here the guarantee gives no useful bound"
	}
	if exception > 0 {
		text += ", except with a probability of at most " + oneIn(exception)
	}
	return text
}

// oneIn is a small probability as "1 in 1 000 000": two digits, rounded up.
func oneIn(p float64) string {
	n := 1 / p * (1 + 1e-12) // 1/(2·10⁻⁶) is 500 000, not 499 999
	power := math.Max(0, math.Floor(math.Log10(n))-1)
	if power > 10 {
		return fmt.Sprintf("1 in 10^%.0f", power+1)
	}
	unit := math.Pow(10, power)
	return "1 in " + number(math.Max(1, math.Floor(n/unit))*unit)
}
