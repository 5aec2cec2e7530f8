package advise

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// terms are the equal terms of the comparison.
func (a *Advice) terms() string {
	n, _ := a.shape.N()
	s := fmt.Sprintf("%s, n = %d, %s", a.shape.Model(), n, a.targets[0].Adjacency)
	if t := a.targets[0]; t.Delta > 0 {
		s += fmt.Sprintf(", δ = %g", t.Delta)
	}
	return s
}

// prior says where the data come from.
func (a *Advice) prior() string {
	source := a.shape.Words().Source
	if strings.Contains(source, "%") {
		return fmt.Sprintf(source, a.options.Prior)
	}
	return source
}

func (a *Advice) caption() string {
	return fmt.Sprintf("%s. Error against the estimate without privacy; data: %s. Public: no data was read.", a.terms(),
		a.prior())
}

// leastError is below any error: an error of 0 has a standard error of 0.
const leastError = 1e-300

// subject is what the rows are: mechanisms, or models.
func (a *Advice) subject() string {
	if slices.ContainsFunc(a.families, func(f Family) bool { return f.Model != nil }) {
		return "model"
	}
	return "mechanism"
}

// Table has a row for every mechanism that applies somewhere, with the best free choice, how the error was found, and
// the error at every target; below it the recommendations, where the best changes, and the terms.
func (a *Advice) Table() *table.Table {
	head := []string{a.subject(), "best free choice", "found by", "arithmetic"}
	for _, t := range a.targets {
		head = append(head, t.Parameters.String())
	}
	t := table.New("Expected error of "+a.Measure()+", by "+a.subject(), head...)
	refused := 0
	for m, f := range a.families {
		var choices, hows []string
		arithmetic, cells, left := "", []any{}, false
		for i := range a.targets {
			r := a.rows[i][m]
			if r.LeftOut {
				left = true
				cells = append(cells, "left out")
				continue
			}
			if r.Refused != "" {
				cells = append(cells, "–")
				continue
			}
			arithmetic = string(r.Certified.Arithmetic)
			choices, hows = once(choices, r.Choice), once(hows, string(r.How))
			if r.How == Simulation {
				cells = append(cells, fmt.Sprintf("%s ± %s", table.Number(r.Error),
					table.Number(math.Round(r.SE/math.Max(r.Error, leastError)*1000)/1000*r.Error)))
			} else {
				cells = append(cells, table.Number(r.Error))
			}
		}
		if len(choices) == 0 {
			if !left {
				refused++
			}
			continue
		}
		t.Add(append([]any{f.Title, strings.Join(choices, "; "), strings.Join(hows, "; "), arithmetic}, cells...)...)
	}
	for i := range a.targets {
		t.Note(a.Reason(i))
	}
	for _, c := range a.Crossovers() {
		t.Note(fmt.Sprintf("Near %s = %s the best changes from %s to %s.", symbol(a.targets[0]), table.Number(c.Level),
			c.From, c.To))
	}
	if refused > 0 {
		verb := " do"
		if refused == 1 {
			verb = " does"
		}
		t.Note(table.Count(refused, a.subject()) + verb + " not apply at any of these levels; NotApplicable says why.")
	}
	for _, line := range append(a.LeftOut(), a.reduced()...) {
		t.Note(line)
	}
	return t.Note(a.caption())
}

// LeftOut names what was not compared although it may apply, a sentence for each with the reason: what it would take of
// Options.Time or Memory. None if everything was compared.
func (a *Advice) LeftOut() []string {
	return a.lines(func(r Row) string {
		if !r.LeftOut {
			return ""
		}
		return fmt.Sprintf("left out: %s, because %s", r.Mechanism, r.Refused)
	}, "More Options.Time or Memory compares it.")
}

// reduced names what was compared with fewer data sets or choices than asked for.
func (a *Advice) reduced() []string {
	return a.lines(func(r Row) string {
		if r.Reduced == "" {
			return ""
		}
		return fmt.Sprintf("%s: %s", r.Mechanism, r.Reduced)
	}, "That keeps within the time.")
}

// lines are the sentences of the rows that have one, each with its targets where it does not hold at all of them.
func (a *Advice) lines(sentence func(Row) string, end string) (list []string) {
	where := map[string][]string{}
	for m := range a.families {
		for i, t := range a.targets {
			s := sentence(a.rows[i][m])
			if s == "" {
				continue
			}
			if where[s] == nil {
				list = append(list, s)
			}
			where[s] = append(where[s], t.Parameters.String())
		}
	}
	for i, s := range list {
		at := ""
		if levels := where[s]; len(levels) < len(a.targets) {
			at = "At " + strings.Join(levels, ", ") + ": "
		}
		list[i] = at + s + ". " + end
	}
	return list
}

// once appends a word that is not there yet.
func once(list []string, word string) []string {
	if slices.Contains(list, word) {
		return list
	}
	return append(list, word)
}

// Detail has everything about target i: for every mechanism that applies the choice, the error and how it was found,
// the divergence, what theory predicts before post-processing, and the level that is certified, in which arithmetic.
func (a *Advice) Detail(i int) *table.Table {
	t := table.New("At "+a.targets[i].Parameters.String(), a.subject(), "best free choice", "error of "+a.Measure(),
		"± s.e.", "found by", "data sets", "KL, nats", "predicted", "predicted by", "certified")
	for _, r := range a.rows[i] {
		if r.Refused == "" {
			t.Add(r.Mechanism, r.Choice, r.Error, r.SE, string(r.How), r.Sets, number(r.KL), number(r.Expected),
				r.ExpectedHow, fmt.Sprintf("%s, %s", r.Certified.Parameters, r.Certified.Arithmetic))
		}
	}
	for _, line := range append(a.LeftOut(), a.reduced()...) {
		t.Note(line)
	}
	t.Note("Predicted: by theory for the plan, before post-processing, empty where there is no formula.")
	return t.Note(a.caption())
}

// number leaves a cell empty for NaN.
func number(x float64) any {
	if math.IsNaN(x) {
		return nil
	}
	return x
}

// NotApplicable says why mechanisms do not apply at target i, or are left out.
func (a *Advice) NotApplicable(i int) *table.Table {
	t := table.New("What does not apply at "+a.targets[i].Parameters.String(), a.subject(), "why")
	for _, r := range a.rows[i] {
		switch {
		case r.LeftOut:
			t.Add(r.Mechanism, "left out: "+r.Refused)
		case r.Refused != "":
			t.Add(r.Mechanism, r.Refused)
		}
	}
	return t
}

// drawnSeries is the number of mechanisms that a figure has room for.
const drawnSeries = 6

// Figure draws error against level for the mechanisms that come closest to the best somewhere, at most six: a line,
// with a band of two standard errors where it is simulated. The table has all of them.
func (a *Advice) Figure() *figure.Figure {
	caption := a.caption()
	if list := a.LeftOut(); len(list) > 0 {
		caption += " " + strings.Join(list, " ")
	}
	f := &figure.Figure{
		Title: "Expected error of " + a.Measure(), XLabel: symbol(a.targets[0]), YLabel: "mean absolute error",
		LogX: true, LogY: true,
		Caption: caption,
	}
	for _, m := range a.closest() {
		s := figure.Series{Name: a.families[m].short, Kind: figure.Band}
		for i, t := range a.targets {
			if r := a.rows[i][m]; r.Refused == "" && r.Error > 0 {
				s.X, s.Y = append(s.X, scale(t)), append(s.Y, r.Error)
				s.Lo, s.Hi = append(s.Lo, math.Max(r.Error/2, r.Error-2*r.SE)), append(s.Hi, r.Error+2*r.SE)
			}
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// closest are the families that apply at two targets or more (one, if there is only one), by their least ratio to the
// best, at most six.
func (a *Advice) closest() []int {
	ratio := make([]float64, len(a.families))
	var list []int
	for m := range a.families {
		ratio[m] = math.Inf(1)
		applies := 0
		for i := range a.targets {
			r := a.rows[i][m]
			if least, ok := a.least(i, ""); ok && r.Refused == "" && r.Error > 0 {
				ratio[m] = math.Min(ratio[m], r.Error/least.Error)
				applies++
			}
		}
		if applies >= min(2, len(a.targets)) {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(x, y int) int {
		switch {
		case ratio[x] < ratio[y]:
			return -1
		case ratio[x] > ratio[y]:
			return 1
		}
		return 0
	})
	list = list[:min(len(list), drawnSeries)]
	slices.Sort(list)
	return list
}

// String shows the table and the warnings as text.
func (a *Advice) String() string { return table.Text(a) }
