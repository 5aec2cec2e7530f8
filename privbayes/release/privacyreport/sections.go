package privacyreport

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// most is how many columns, steps and settings a list names, and mostFigures how many items have a picture.
const (
	most        = 40
	mostFigures = 40
)

func (d *draft) who() Section {
	return d.ask(Section{Heading: "Who"}, "controller", "contact", keyRunBy)
}

func (d *draft) purpose() Section {
	return d.ask(Section{Heading: "Purpose and legal basis"}, keyPurpose, "audience", keyPublished, "legal_basis")
}

func (d *draft) data() Section {
	sh, columns, reads := d.first().Shape(), d.columns(), "The model reads"
	if n := len(d.items); d.publication != nil {
		reads = "The " + table.Count(n, "item") + " of the publication read"
	}
	if d.totals != nil {
		reads = "The running totals read"
	}
	s := Section{Heading: "Data", Text: []string{
		fmt.Sprintf("The data set is called %s. %s %s: %s.", safetext.Quote(sh.Schema().Dataset), reads,
			table.Count(len(columns), "column"), safetext.List(names(columns), most))}}
	rows := "The number of rows is not published."
	if n, public := sh.N(); public {
		rows = fmt.Sprintf("The table has %s rows. This number is published.", number(float64(n)))
		if d.totals != nil {
			rows = fmt.Sprintf("After %s the table has %s rows. This number is published after every release.",
				safetext.Quote(d.totals.Through()), number(float64(n)))
		}
	} else if about := sh.Schema().ApproximateRows; about > 0 {
		rows += fmt.Sprintf(" From public knowledge it is about %s.", number(float64(about)))
	}
	s.Text = append(s.Text, rows)
	return d.ask(s, "collected")
}

func names(columns []frame.Column) (out []string) {
	for _, c := range columns {
		out = append(out, c.Name)
	}
	return out
}

func (d *draft) protected() Section {
	w, g, schema := d.words, d.Guarantee(), d.schema()
	capped := "The controller states this. The program checked no key."
	if schema.UnitKey != "" {
		capped = fmt.Sprintf("The program told them apart by %s and left out further rows while reading.",
			safetext.Quote(schema.UnitKey))
	}
	if schema.PadUnits {
		capped += " Shorter ones were filled up to this number."
	}
	if d.totals != nil {
		capped += " " + entry.Periods(d.totals)
	}
	return Section{Heading: "Who is protected", Text: []string{w.say(w.guard.Who), w.say(w.guard.Compared),
		w.say(fmt.Sprintf("Cap: at most %s of one {unit} counted. ", table.Count(g.RowsPerUnit, "row"))) + capped}}
}

func (d *draft) strength() Section {
	w, eps, delta := d.words, float64(d.numbers.Epsilon), d.numbers.Delta
	s := Section{Heading: "How strongly", Text: []string{
		w.factor(float64(d.numbers.Factor)), w.exception(delta),
		w.say(w.guard.Suspects),
		"After reading this " + d.kind() + " they can be " + sure(eps, delta) + ".",
	}}
	if w.guard.Known != "" {
		s.Text = append(s.Text, strings.ReplaceAll(w.say(w.guard.Known), "{after}", sure(twice(eps, delta))))
	}
	s.Text = append(s.Text, fmt.Sprintf("The guarantee is %s with %s.", w.stated.Name, amount(d.Guarantee().Parameters)))
	return s
}

func (d *draft) attack() Section {
	s := Section{Heading: "Best possible attack", Text: []string{attacked(d.numbers.AttackPower)}}
	s.Text = append(s.Text, d.words.attackedKnown(float64(d.numbers.Epsilon), d.numbers.Delta)...)
	if p := d.numbers.LimitPower; p != nil {
		s.Text = append(s.Text, fmt.Sprintf("If the whole budget is used%s, it is right in at most %s of 100.",
			strings.TrimPrefix(entry.Held(d.Budget, d.Guarantee()), ","), perCent(*p)))
	}
	return s
}

func (d *draft) spent() Section {
	s := Section{Heading: "Budget"}
	used := fmt.Sprintf("This %s uses %s.", d.kind(), amount(d.Guarantee().Parameters))
	switch {
	case d.totals != nil:
		used += " It was charged once, for all its periods together, those to come included. The later ones add nothing."
	case d.publication != nil:
		used += " It was charged once, for all its items together."
		if len(d.publication.Plan().Slots()) > 0 {
			used += " A part of that is set aside for later releases, which add nothing to it."
		}
	case d.items[0].Slot() != nil:
		used += " It is contained in the charge of the publication that set it aside, and adds nothing to that."
	}
	if d.Budget == nil {
		s.Text = []string{used, "No budget file was given, so this page does not know of other releases, nor of what is " +
			"left."}
		return d.ask(s, keyOther)
	}
	left := d.Budget.Left()
	s.Text = []string{
		fmt.Sprintf("Limit for all releases from these data together: %s%s. It was fixed before the first of them.",
			amount(d.Budget.Limit()), entry.Held(d.Budget, d.Guarantee())),
		used,
		fmt.Sprintf("Releases so far: %d. Together they use %s.", len(d.charges), amount(d.Budget.Spent())),
		fmt.Sprintf("Left: %s.", remaining(left)),
	}
	if d.schema().Design != nil {
		line, err := d.Budget.Amplified(d.first().Shape())
		text := "The schema says how rows were sampled, and nothing follows of that: " + safetext.Line(fmt.Sprint(err))
		if err == nil {
			text = line.String()
			text = strings.ToUpper(text[:1]) + text[1:]
		}
		s.Text = append(s.Text, text+".")
	}
	if slices.ContainsFunc(d.charges, func(c budget.Charge) bool { return c.Tool != "" }) {
		s.Text = append(s.Text, "The budget file has releases of other tools. Nobody here has checked what was stated for "+
			"them. What is used together is true only if it is.")
	}
	t := table.New("Releases in the budget file", "date", "release", "what", "uses", "by", "why")
	for _, c := range d.charges {
		day := c.Info["time"]
		uses := amount(c.Level)
		if c.Seeded {
			uses += ", fixed seed: not private"
		}
		if c.Tool != "" {
			uses += ", not checked here"
		}
		if c.Slot != nil {
			uses += ", in the charge of " + safetext.Word(c.Slot.Publication[:min(12, len(c.Slot.Publication))])
		}
		if c.Part != nil {
			uses += ", of the part " + c.Part.String() + " alone"
		}
		id := []rune(c.ID)
		t.Add(day[:min(len(day), 10)], safetext.Word(string(id[:min(12, len(id))])), safetext.Unmixed(c.What), uses,
			c.Info["who"], c.Info["why"])
	}
	s.Tables = []*table.Table{t}
	return s
}

// remaining is what a budget has left.
func remaining(left budget.Remainder) string {
	l := dp.Parameters{Notion: left.Notion, Rho: left.Rho, Order: left.Order}
	l.Epsilon, l.Delta = cert.Number(left.Epsilon), left.Delta
	text := amount(l)
	if left.Notion == dp.Approximate && left.Rho > 0 {
		text += fmt.Sprintf(", or %s (ρ) for one zero-concentrated release", table.Number(left.Rho))
	}
	return text
}

func (d *draft) published() Section {
	holds := fmt.Sprintf("for the model %s. It also holds the plan and its certificate", d.first().Shape().Model())
	if d.publication != nil {
		holds = fmt.Sprintf("for %s. The guarantee on this page is that of all items together. The file also holds the "+
			"plans, and the certificate of the whole", table.Count(len(d.items), "item"))
	}
	if d.totals != nil {
		holds = fmt.Sprintf("for %s, until %s. The guarantee on this page is that of all periods together. The file also "+
			"holds the plan and its certificate", d.first().Title(), safetext.Quote(d.totals.Through()))
	}
	s := Section{Heading: "What is published", Text: []string{
		fmt.Sprintf("The %s file holds %s with noise, %s.", d.kind(), table.Count(d.count(), "number"), holds),
		"This page, the " + d.kind() + " file and everything computed from the file alone may be published. The raw table " +
			"may not.",
		d.aboutRows()}}
	if d.selection != nil {
		s.Text = append(s.Text, fmt.Sprintf("The release was chosen among candidates by its synthetic rows: %s. The "+
			"guarantee on this page is that of the whole choice. How many were tried or refused is published nowhere.",
			d.selection.Plan().Rules().Stop))
		s.Tables = append(s.Tables, d.selection.Table())
	}
	if d.sets != nil {
		s.Text = append(s.Text, fmt.Sprintf("A folder of %s of %s rows each was made from the %s. It uses no "+
			"further budget.",
			table.Count(d.sets.Sets(), "synthetic set"), number(float64(d.sets.Rows)), d.kind()))
	}
	if d.publication != nil {
		if names := d.publication.Agreeing(); len(names) > 0 {
			s.Text = append(s.Text, fmt.Sprintf("Tables of the same rows are made to agree, after the noise, and at no further "+
				"cost in privacy: those of %s. Their estimates are from the counts of all items that measure what they do; the "+
				"column \"its own counts\" is from those of the item alone. Shares in a class of naive Bayes, bands of all shares "+
				"at once, and the other items are from their own numbers.", safetext.List(names, most)))
		}
	}
	if d.totals != nil {
		s.Tables = append(append(s.Tables, d.totals.Table()), d.totals.Parts()...)
		return s
	}
	for _, i := range d.items {
		s.Tables = append(s.Tables, i.summary())
		if f, err := i.Figure(); err == nil && d.publication != nil && len(s.Tables) <= mostFigures &&
			len(f.Rows) <= most { // those without intervals have none
			s.figures = append(s.figures, make([]*figure.Forest, len(s.Tables)-len(s.figures))...)
			s.figures[len(s.Tables)-1] = f
		}
		own, details := i.Summary().Title, i.Details().Title
		for _, p := range i.Parts() {
			if p.Title == own || p.Title == details && d.publication != nil {
				continue
			}
			if len(s.List) == most {
				s.List = append(s.List, "Further tables, which privbayes show lists.")
				return s
			}
			s.List = append(s.List, fmt.Sprintf("Table in the file: %s (%s).", i.says(p.Title),
				table.Count(len(p.Rows), "row")))
		}
	}
	return s
}

// aboutRows says what results are about. Rows whose weight was set aside are no sample in which all count alike.
func (d *draft) aboutRows() string {
	s := d.schema()
	if s.Weight != nil && s.Weighted() == nil {
		return about[""] + " They have weights, which were set aside."
	}
	return about[s.Sampling]
}

// about says whether results are about the rows or about a population.
var about = map[frame.Sampling]string{
	frame.Census: "The results are about these rows. The controller states that they are the whole population.",
	frame.Sample: "The results are about the population. The controller states that the rows are an independent sample " +
		"of it.",
	"": "The results are about these rows. They are about a larger population only if the rows are an independent " +
		"sample of it.",
}

func (d *draft) before() Section {
	sh := d.first().Shape()
	s := Section{Heading: "What was done to the table before"}
	add := func(format string, args ...any) { s.List = append(s.List, fmt.Sprintf(format, args...)) }
	if links := sh.Schema().Links(); links != "" {
		add("Two tables were linked: %s.", links)
	}
	steps := sh.Schema().Steps
	for i, step := range steps {
		if i == most {
			add("%s more.", table.Count(len(steps)-i, "step"))
			break
		}
		add("Columns were made: %s.", safetext.Clip(step, 300))
	}
	if rows := sh.RowsText(); rows != "" {
		add("Rows were chosen: %s.", rows)
	} else {
		add("No step of the program chose among the rows.")
	}
	var stops, moved, other []string
	for _, c := range d.columns() {
		switch c.OnOutOfDomain {
		case frame.DomainClamp:
			moved = append(moved, c.Name)
		case frame.DomainOther:
			other = append(other, c.Name)
		default:
			stops = append(stops, c.Name)
		}
	}
	missing, how, rounds := d.missing()
	for _, kind := range []struct {
		names []string
		text  string
	}{
		{stops, "A value outside the domain stops the program, in"}, {moved, "A value outside the bounds was moved to " +
			"them, in"},
		{other, "A value outside the categories was counted in the category for others, in"},
		{missing, "Missing values were counted as a category, in"},
	} {
		if kind.names != nil {
			add("%s %s.", kind.text, safetext.List(kind.names, most))
		}
	}
	for _, how := range how {
		add("%s.", how)
	}
	if rounds {
		add("Numbers were rounded to a public grid. The settings below name its steps.")
	}
	if sh.Schema().ExtraColumns {
		add("Columns that the schema does not name were ignored.")
	}
	return d.ask(s, "preparation")
}

// missing are the columns whose missing values are a category, how others are treated, and whether numbers are rounded.
func (d *draft) missing() (counted, how []string, rounds bool) {
	once := func(list []string, text string) []string {
		if slices.Contains(list, text) {
			return list
		}
		return append(list, text)
	}
	for _, item := range d.items {
		sh := item.Plan().Shape()
		rounds = rounds || sh.Lattice() != nil
		for i, c := range sh.Columns() {
			if omits := i == 0 && sh.Lattice() != nil && sh.Lattice().Omits; c.HasMissing() && !omits {
				counted = once(counted, c.Name)
			}
		}
		for _, text := range sh.Missing() {
			if sh.Lattice() != nil && sh.Lattice().Omits { // rows of this item alone
				text = item.says(text)
			}
			how = once(how, text)
		}
	}
	return counted, how, rounds
}

func (d *draft) choices() Section {
	return d.ask(Section{Heading: "How bounds, categories, model and strength were chosen"}, "choices", keyLooked)
}

func (d *draft) notCovered() Section {
	s := Section{Heading: "What is not protected", List: append([]string(nil), fixed...)}
	w, g := d.words, d.Guarantee()
	if w.guard.Published != "" {
		s.List = append(s.List, w.say(w.guard.Published))
	}
	s.List = append(s.List, w.say("Several together, such as a family or a workplace: the privacy unit is one {unit}."))
	if slices.ContainsFunc(d.items, func(i item) bool { return i.Plan().Shape().Graph() != nil }) {
		s.List = append(s.List, "The graph of the network, where it was not learned with noise.")
	}
	if slices.ContainsFunc(d.items, func(i item) bool {
		l := i.Plan().Shape().Learning()
		return l != nil && len(l.Zeros) > 0
	}) {
		s.List = append(s.List, "The combinations that were declared impossible.")
	}
	if d.schema().UnitKey == "" {
		s.List = append(s.List, w.say(fmt.Sprintf("Rows of one {unit} beyond %d, if there are such.", g.RowsPerUnit)))
	}
	return s
}

func (d *draft) usefulness() Section {
	s := Section{Heading: "Usefulness"}
	if d.publication != nil {
		s.Tables = []*table.Table{d.publication.Plan().Table()}
		s.Tables[0].Title = "Known before: what was asked of every item, and its expected error"
		s.Tables[0].Notes = s.Tables[0].Notes[1:] // the guarantee stands above
	} else {
		s.List = d.expected()
	}
	for _, w := range d.Warnings().OfRelease().ButLevel() { // those of the level are red lines
		s.List = append(s.List, "Warning: "+w.Text)
	}
	s.Text = []string{"Intervals of the release stand in the table above. Its notes say what they include."}
	if d.publication != nil {
		s.Text = []string{"Intervals of all items stand in the tables above. Their notes say what they include."}
	}
	return s
}

// expected are the errors of a release that its plan knows.
func (d *draft) expected() (out []string) {
	for _, e := range d.first().Expected() {
		out = append(out, strings.TrimSpace(fmt.Sprintf("Known before the release: %s: %s %s", e.Name,
			table.Number(e.Value), e.Unit))+".")
	}
	return out
}

func (d *draft) check() Section {
	name := "FILE"
	if plainFile.MatchString(d.File) {
		name = d.File[strings.LastIndexAny(d.File, `/\`)+1:]
	}
	second, command := "The second writes the machine-readable record of the release.", "privbayes entry "
	if d.publication != nil {
		second, command = "The second shows the items.", "privbayes show "
	}
	return Section{Heading: "How to check it", Text: []string{
		fmt.Sprintf("The first command computes the %s of the certificate again and trusts no number of the file.",
			table.Count(len(d.certificate().All()), "check")),
		second,
		"A check cannot show that the noise was generated this way, that these rows were used, or that the choices were " +
			"made without the data. The signature below answers for that."},
		Commands: []string{"privbayes verify " + name, command + name}}
}

// plainFile is a path whose last part can stand in a command as it is.
var plainFile = regexp.MustCompile(`^(.*[/\\])?[A-Za-z0-9_][A-Za-z0-9._-]*$`)

func (d *draft) standards() Section {
	w, n := d.words, d.numbers
	t := table.New("", "question", "answer")
	ofLimit := ""
	if d.Budget != nil {
		ofLimit = " of " + amount(d.Budget.Limit()) + entry.Held(d.Budget, d.Guarantee())
	}
	t.Add("NIST SP 800-226: unit and strength", fmt.Sprintf("%s; %s%s", w.unit, amount(d.Guarantee().Parameters),
		ofLimit))
	sampling := "sampled with integers"
	if d.Guarantee().Arithmetic == dp.Ideal {
		sampling = "sampled in floating point; the proof assumes real numbers"
	}
	t.Add("algorithm and correctness", fmt.Sprintf("%s, %s; certificate of %s", d.mechanisms(),
		sampling, table.Count(len(d.certificate().All()), "check")))
	bias := "no value is moved to a bound"
	for _, c := range d.columns() {
		if c.OnOutOfDomain == frame.DomainClamp {
			bias = "moving values to the bounds may bias results"
		}
	}
	t.Add("utility and bias", "small groups have the largest relative noise; "+bias)
	t.Add("trust model", "central: the controller holds the raw table and runs the program")
	t.Add("randomness and side channels", "the operating system's generator; timing is not covered")
	total := "the bounds above, added up over all releases"
	if d.Budget != nil {
		eps, _ := standard(d.Budget.Limit())
		total = "the factor at the limit of the budget, " + upward(num.Inflate(math.Exp(eps))) +
			entry.Held(d.Budget, d.Guarantee())
	}
	t.Add("WP 216: singling out", w.say(w.guard.Singled))
	t.Add("WP 216: linkability", fmt.Sprintf("Releases of these data, or a release and an outside table, cannot be "+
		"linked through one %s beyond %s.", w.unit, total))
	factor := float64(n.Factor)
	if w.guard.Known != "" { // that one is in the table may be known
		factor = num.Inflate(factor * factor)
	}
	t.Add("WP 216: inference", fmt.Sprintf("About one %s: at most the factor %s. About groups it is intended, and not "+
		"prevented.", w.unit, upward(factor)))
	settings := table.New("Noise and settings", "setting", "value")
	for _, i := range d.items {
		for _, set := range i.Plan().Settings() {
			if len(settings.Rows) < most {
				settings.Add(i.says(set.Name), set.Value)
			}
		}
	}
	s := Section{Heading: "NIST SP 800-226 and the three tests of WP 216", Tables: []*table.Table{t}, Text: []string{
		"Differential privacy supports the view that the publication is anonymous. Whether it is so in law is the " +
			"controller's decision."}}
	if len(settings.Rows) > 0 {
		s.Tables = append(s.Tables, settings)
	}
	return d.ask(s, "security")
}

func (d *draft) custody() Section {
	return d.ask(Section{Heading: "Raw table"}, "access", "retention")
}
