package entry

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/totals"
)

// record is the whole of a draft.
func (d *draft) record() record {
	return record{
		{"url_slug", 0, d.slug()},
		{"deployment", 0, record{
			{"basic", 0, d.basic()},
			{"dp_variant", 0, record{
				{"variant_name", 2, d.variant()},
				{"data_domain", 3, d.domain()},
				{"unprotected_quantities", 3, d.unprotected()},
			}},
			{"privacy_loss", 0, record{
				{"privacy_unit", 2, d.unit()},
				{"privacy_unit_details", 3, d.adjacent()},
				{"number_of_privacy_units", 3, d.units()},
				{"privacy_parameters", 2, d.parameters()},
				{"privacy_parameters_details", 3, d.level()},
			}},
			{"deployment_model", 0, d.model()},
			{"implementation", 0, d.implementation()},
			{"administrative", 0, record{
				{"status", 0, "Draft"},
				{"registry_authors", 0, []any{ask("Who fills in this record?")}},
				{"tier", 0, d.tier},
			}},
		}},
	}
}

// ask is a question to people.
func ask(text string) string { return Question + text }

func isQuestion(text string) bool { return strings.HasPrefix(text, strings.TrimSpace(Question)) }

// slug is a name for an address: letters and digits of the data set's, and the beginning of the digest.
func (d *draft) slug() string {
	var b strings.Builder
	for _, r := range strings.ToLower(d.plan().Shape().Schema().Dataset) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	name := strings.Trim(b.String(), "_")
	if name == "" {
		name = "release"
	}
	return name + "_" + d.digest[:8]
}

func (d *draft) basic() record {
	return record{
		{"name", 1, ask("What is the product called?")},
		{"data_curators", 1, []any{record{
			{"data_curator_name", 1, ask("Who publishes it?")},
			{"data_curator_type", 1, ask("Government, Industry or Nonprofit?")},
		}}},
		{"description", 1, d.description()},
		{"intended_use", 1, ask("What is it for?")},
		{"data_product_type", 1, d.kind()},
		{"data_product_region", 1, ask("Which region do the data describe, and whose laws apply?")},
		{"data_product_sector", 1, ask("Technology, Healthcare, Education, Government, Energy or Finance? Remove if none.")},
		{"publication_date", 1, ask("When is it published, as YYYY-MM-DD?")},
	}
}

// kind is the registry's word for what is released: what predicts is a model, the rest are statistics.
func (d *draft) kind() string {
	sh := d.plan().Shape()
	if d.totals == nil && (sh.Words().Guess != "" || sh.Graph() != nil || sh.Linear() != nil) {
		return "Machine learning model"
	}
	return "Summary statistics"
}

// variant is the registry's name of the notion of the guarantee.
func (d *draft) variant() string {
	switch d.guarantee().Notion {
	case dp.Pure:
		return "Pure DP"
	case dp.Approximate:
		return "Approximate DP"
	case dp.Concentrated:
		return "Zero-concentrated DP"
	case dp.Renyi:
		return "Renyi DP"
	}
	return "Custom"
}

// parameters are those that the registry has: the order of Rényi and truncated concentrated DP stands in the details.
func (d *draft) parameters() record {
	g := d.guarantee()
	var out record
	if g.Epsilon != 0 {
		out = append(out, field{"epsilon", 2, float64(g.Epsilon)})
	}
	if g.Delta != 0 {
		out = append(out, field{"delta", 2, g.Delta})
	}
	if g.Rho != 0 {
		out = append(out, field{"rho", 2, g.Rho})
	}
	return out
}

// units is how many units there are where that is public: as many as rows where each has one, or is filled up.
func (d *draft) units() any {
	sh := d.plan().Shape()
	n, public := sh.N()
	_, rows := sh.Unit()
	switch {
	case public && rows <= 1:
		return n
	case public && sh.Schema().PadUnits:
		return n / rows
	}
	return ask("About how many units are there, from public knowledge and not from the data? An integer; remove if " +
		"nobody can say.")
}

func (d *draft) model() record {
	several := d.ledger != nil && len(d.ledger.Charges()) > 1
	release, source := "One release", ask("Static, or Dynamic where new data come in over time?")
	if several || d.totals != nil {
		release = "Many releases"
	}
	if d.totals != nil {
		source = "Dynamic"
	}
	return record{
		{"model_name", 2, "Central"},
		{"model_name_details", 3, "Who holds the table runs the mechanism on it and publishes its output. Nothing of the " +
			"table leaves before."},
		{"trust_assumptions", 3, ask("Who sees the table, who the release, and what are they trusted with? What may an " +
			"adversary know besides?")},
		{"actors", 3, ask("Who holds the data, who runs the release, who are the data subjects and the users?")},
		{"release_type", 2, release},
		{"release_type_details", 3, ask("Are further releases from these data planned, within which budget?")},
		{"data_source_type", 2, source},
		{"access_type", 2, "Non-interactive"},
		{"access_type_details", 3, "The release is a file. Queries to it are answered from the file, at no further privacy " +
			"loss."},
	}
}

func (d *draft) implementation() record {
	return record{
		{"preprocessing_and_hyperparameter_tuning", 3, ask("Were schema, categories, bounds, bins, mechanism and privacy " +
			"parameters chosen without looking at these data? If not, by what, and was it accounted for? What was done to the " +
			"table before?")},
		{"mechanisms", 3, d.mechanism()},
		{"composition", 3, d.composition()},
		{"post_processing", 3, "The file keeps the output of the mechanism as it was drawn. Estimates, posteriors, " +
			"predictions, intervals and synthetic records are functions of it and of public choices."},
		{"justification", 3, ask("Why differential privacy, why this unit, these parameters and this mechanism?")},
		{"utility", 3, d.utility()},
		{"additional_information", 1, d.additional()},
	}
}

// The texts of a draft that follow from the release. Match looks for them, so they depend on nothing else.

// shownColumns is how many columns and settings a text names.
const shownColumns = 40

func (d *draft) description() string {
	sh := d.plan().Shape()
	if d.totals != nil {
		return fmt.Sprintf("The numbers of rows so far after every period, with noise, in one file: %s on the data set %s.",
			d.plan().Title(), safetext.Quote(sh.Schema().Dataset))
	}
	return fmt.Sprintf("A Bayesian posterior with its numbers, in one file: %s on the data set %s.", sh.Model(),
		safetext.Quote(sh.Schema().Dataset))
}

// unit is what one record is about.
func (d *draft) unit() string {
	g := d.guarantee()
	if g.RowsPerUnit > 1 {
		return fmt.Sprintf("%s, of at most %d rows", safetext.Unit(g.Unit, safetext.Quote), g.RowsPerUnit)
	}
	return safetext.Unit(g.Unit, safetext.Quote)
}

// adjacent says which tables are neighbours.
func (d *draft) adjacent() string {
	g := d.guarantee()
	rows := "the row"
	if g.RowsPerUnit > 1 {
		rows = fmt.Sprintf("the rows, at most %d,", g.RowsPerUnit)
	}
	unit := safetext.Unit(g.Unit, safetext.Quote)
	switch g.Adjacency {
	case dp.ReplaceOne:
		return fmt.Sprintf("Two tables are adjacent when one comes from the other by replacing %s of one %s with any "+
			"others: both have the same number of rows.", rows, unit)
	case dp.WithinStrata:
		return fmt.Sprintf("Two tables are adjacent when one comes from the other by replacing %s of one %s with another "+
			"row of the same stratum, a level of %s: both have the same number of rows in every stratum.", rows, unit,
			safetext.Quote(d.plan().Shape().Schema().Strata.Column))
	case dp.AddRemove:
		return fmt.Sprintf("Two tables are adjacent when one comes from the other by adding or removing %s of one %s.", rows,
			unit)
	case dp.ReplaceValue:
		return fmt.Sprintf("Two tables are adjacent when one comes from the other by replacing one value of a feature in %s "+
			"of one %s: the class is not protected, nor more than one value.", rows, unit)
	}
	return fmt.Sprintf("The privacy loss between two tables is at most the parameter times their distance by %s.",
		g.Adjacency)
}

// domain lists the tables that could have been.
func (d *draft) domain() string {
	sh := d.plan().Shape()
	var b strings.Builder
	fmt.Fprintf(&b, "Tables of %s under this schema:", rowsOf(sh.N()))
	columns := sh.Columns()
	for i, c := range columns {
		if i == shownColumns {
			fmt.Fprintf(&b, "\n- %d further columns", len(columns)-i)
			break
		}
		fmt.Fprintf(&b, "\n- %s: %s", safetext.Quote(c.Name), values(c))
	}
	return b.String()
}

func rowsOf(n int, public bool) string {
	if public {
		return fmt.Sprintf("%d rows", n)
	}
	return "any number of rows"
}

// values says what a column may hold.
func values(c frame.Column) string {
	missing := ""
	switch c.OnMissing {
	case frame.MissingAsCategory:
		missing = ", or missing"
	case frame.MissingOmitted:
		missing = ", or missing, which is omitted"
	case frame.MissingImputed:
		missing = ", or missing, which is read as " + table.Number(*c.Impute)
	}
	return present(c) + missing
}

// present says what values a column has.
func present(c frame.Column) string {
	switch {
	case len(c.Categories) > 0:
		return fmt.Sprintf("%d categories", len(c.Categories))
	case c.Min < c.Max && len(c.Edges) > 2:
		return fmt.Sprintf("%s from %s to %s, in %d bins", c.Kind, table.Number(c.Min), table.Number(c.Max), len(c.Edges)-1)
	case c.Min < c.Max:
		return fmt.Sprintf("%s from %s to %s", c.Kind, table.Number(c.Min), table.Number(c.Max))
	}
	return string(c.Kind)
}

// unprotected lists what stands in the file and no noise covers.
func (d *draft) unprotected() string {
	sh, g := d.plan().Shape(), d.guarantee()
	lines := []string{"- The schema: names, categories, bounds and bins of the columns, and the unit. The guarantee " +
		"takes them for chosen without the data."}
	for _, c := range sh.Schema().Columns {
		if by := c.FoundBy(); by != "" {
			lines = append(lines, "- But "+by+", whose privacy loss adds to that of this release.")
		}
	}
	if n, public := sh.N(); public {
		lines = append(lines, fmt.Sprintf("- The number of rows, n = %d.", n))
	}
	if g.Adjacency == dp.WithinStrata {
		lines = append(lines, "- The stratum of every row, and how many rows every stratum has.")
	}
	if g.RowsPerUnit > 1 {
		lines = append(lines, fmt.Sprintf("- The number of rows of a unit, where it is at most %d, the bound of the "+
			"guarantee.",
			g.RowsPerUnit))
	}
	if g.Adjacency == dp.ReplaceValue {
		lines = append(lines, "- The class of every row, and whatever more than one value of a row tells.")
	}
	if sh.Graph() != nil {
		lines = append(lines, "- The graph of the network, unless another release made it.")
	}
	return strings.Join(append(lines, "- Model, prior, mechanism and its settings, which are public choices."), "\n")
}

// level is the guarantee in full, and what else is said of it.
func (d *draft) level() string {
	p, g := d.plan(), d.guarantee()
	text := fmt.Sprintf("Certified: %s. Logarithms are natural.", g)
	switch g.Arithmetic {
	case dp.Exact:
		text += "\nSampling is exact: integers are drawn by integer samplers, parameters are rounded toward privacy, " +
			"so that the guarantee is the program's."
	case dp.Ideal:
		text += "\nSampling is in floating point; the guarantee is proved for real numbers."
	}
	switch {
	case d.totals != nil:
		return text + fmt.Sprintf("\nAsked for: %s, of all periods together, those to come included. %s",
			p.Target().Parameters, Periods(d.totals))
	case d.chosen != nil:
		return text + fmt.Sprintf("\nAsked for: %s, of the whole choice. A candidate by itself has %s.",
			d.chosen.Plan().Target().Parameters, d.release.Plan().Certified().Parameters)
	}
	return text + fmt.Sprintf("\nAsked for: %s. The usual formula would claim %s.", p.Target().Parameters,
		d.release.Plan().StandardFormula().Level)
}

// mechanism says what was drawn, and how its guarantee is known.
func (d *draft) mechanism() string {
	p := d.plan()
	var b strings.Builder
	fmt.Fprintf(&b, "%s, by privbayes %s (https://github.com/privbayes/privbayes-go).", p.Title(), d.library)
	for i, s := range p.Settings() {
		if i == shownColumns {
			break
		}
		fmt.Fprintf(&b, "\n- %s: %s", s.Name, safetext.Line(s.Value))
	}
	if d.chosen != nil {
		r := d.chosen.Plan().Rules()
		fmt.Fprintf(&b, "\nIt was chosen among candidates: %s. Criteria of the synthetic rows, each tested with noise:",
			r.Stop)
		for _, name := range r.Criteria.Names() {
			b.WriteString("\n- " + safetext.Line(name))
		}
		b.WriteString("\nHow many candidates were tried or refused is published nowhere.")
	}
	b.WriteString("\nThe random numbers are a ChaCha8 stream keyed by the operating system. The draw is one file, made " +
		"once: nobody can time it by questions.\nThe certificate:")
	var seen []string
	for _, c := range d.certificate().All() {
		line := fmt.Sprintf("\n- %s (%s)", safetext.Line(c.Statement), c.Method)
		if !slices.Contains(seen, line) {
			seen = append(seen, line)
			b.WriteString(line)
		}
	}
	b.WriteString("\nAnyone who has the file derives these again: privbayes verify RELEASE.")
	return b.String()
}

// id is the name of the whole in ledgers.
func (d *draft) id() string {
	switch {
	case d.totals != nil:
		return d.totals.ID()
	case d.chosen != nil:
		return d.chosen.ID()
	}
	return d.release.ID()
}

// certificate is that of the whole.
func (d *draft) certificate() *cert.Certificate {
	if d.chosen != nil {
		return d.chosen.Plan().Certificate()
	}
	return d.plan().Certificate()
}

// Periods says which rows the guarantee of running totals takes for one unit's, and what every release states.
func Periods(t *totals.Totals) string {
	rows := "The rows of a unit are counted in all periods together, those that were taken out or replaced included. A " +
		"row keeps its period."
	if t.Plan().Target().Adjacency.PublicN() {
		rows += " The number of rows at every release is public. Tables that are compared have as many rows in every period."
	}
	return rows
}

// composition says what else was released from the data set, where a ledger knows.
func (d *draft) composition() string {
	if d.ledger == nil {
		return ask("What else was released from these data, and what do all releases spend together? A budget file " +
			"fills this in: privbayes entry RELEASE --budget BUDGET.")
	}
	b := d.ledger
	var practice int
	for _, c := range b.Charges() {
		if c.Seeded {
			practice++
		}
	}
	text := fmt.Sprintf("A ledger, written before every draw, has %s on the data set %s. Together they spend %s of a "+
		"limit of %s%s, which holds however each was chosen after seeing the earlier ones.",
		table.Count(len(b.Charges()), "charge"), safetext.Quote(b.Dataset()), b.Spent(), b.Limit(), Held(b, d.guarantee()))
	if practice > 0 {
		text += fmt.Sprintf(" Of these %d were drawn from seeds, for practice: they are not private.", practice)
	}
	return text
}

// utility is the error that was expected before the draw.
func (d *draft) utility() any {
	var lines []string
	for _, e := range d.plan().Expected() {
		lines = append(lines, fmt.Sprintf("- %s: %s%s (%s)", safetext.Line(e.Name), table.Number(e.Value), suffix(e.Unit),
			e.How))
	}
	if lines == nil {
		return ask("How accurate is the product, and how is that known without further privacy loss?")
	}
	return "Expected before the draw, without data:\n" + strings.Join(lines, "\n")
}

func suffix(unit string) string {
	if unit == "" {
		return ""
	}
	return " " + safetext.Line(unit)
}

// additional is where the record names its release: there is no field for it.
func (d *draft) additional() string {
	return d.named() + "\nWhether this record and that file belong together, and whether the file has the guarantee it " +
		"states: privbayes verify FILE --entry THIS."
}

// named is the line that Match looks for.
func (d *draft) named() string {
	return fmt.Sprintf("The release %s is the file with SHA-256 %s. Checks: %s.", safetext.Word(d.id()), d.digest,
		table.Count(len(d.certificate().All()), "check"))
}
