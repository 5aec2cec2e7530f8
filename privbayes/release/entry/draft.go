package entry

import (
	"strings"
	"unicode"

	"github.com/privbayes/privbayes-go/privbayes/dp"
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
	for _, r := range strings.ToLower(d.release.Plan().Shape().Schema().Dataset) {
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
	sh := d.release.Plan().Shape()
	if sh.Words().Guess != "" || sh.Graph() != nil || sh.Linear() != nil {
		return "Machine learning model"
	}
	return "Summary statistics"
}

// variant is the registry's name of the notion of the guarantee.
func (d *draft) variant() string {
	switch d.release.Guarantee().Notion {
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
	g := d.release.Guarantee()
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
	sh := d.release.Plan().Shape()
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
	release := "One release"
	if several {
		release = "Many releases"
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
		{"data_source_type", 2, ask("Static, or Dynamic where new data come in over time?")},
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
