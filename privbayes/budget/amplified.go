package budget

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Amplified is what all releases of a budget together tell those who do not know who was drawn. It is no guarantee of
// record: whoever knows that a person took part, such as the person, the household or the field staff, has
// that of the budget, and the budget counts nothing else.
type Amplified struct {
	Rate string `json:"rate"` // the largest probability with which a unit was drawn
	// Spent is the level of what was charged, if that was fixed beforehand; Limit that of all charges within the limit,
	// however they are chosen.
	Spent dp.Parameters `json:"spent"`
	Limit dp.Parameters `json:"limit"`

	spent, limit dp.Parameters // of the sample
}

// Amplified is the level about the population from which the rows of a release were drawn, by the schema's Design: see
// frame.Schema.Inclusion and dp.Parameters.Amplified. Charges say by which design their rows were drawn, and how many
// where that is public, and all are of this one. That they are of one draw by it, and not of two, is for the caller to
// know. It is of the total of the budget, never of single charges. The shape is that of a release of the sample: its
// number of rows is used where it is public. Errors: *MismatchError and *UnitError for a release that the budget is not
// about; *DesignError for a charge with another design or none; *frame.SchemaError where the design gives no
// probability; *dp.ParameterError for limits of ρ or a Rényi ε, charges that are not private, other neighbours than
// add-remove and replace-one, rows that are not the sample's, and parts of a table whose number of rows is public.
func (b *Budget) Amplified(sh *model.Shape) (*Amplified, error) {
	s := sh.Schema()
	if err := b.For(s.Dataset, UnitOf(s)); err != nil {
		return nil, err
	}
	n, public := sh.N()
	rows, charges := sh.Rows(), b.Charges()
	const of = "amplified"
	switch adj := b.limit.Adjacency; {
	case adj != dp.AddRemove && adj != dp.ReplaceOne:
		return nil, domain.Refuse(of, "neighbours", adj.String(), "add-remove, or replace-one")
	case b.unit != UnitOf(s):
		return nil, &UnitError{b.dataset, b.unit, UnitOf(s)}
	case slices.ContainsFunc(charges, func(c Charge) bool { return c.Seeded }):
		return nil, domain.Refuse(of, "charges", "one that was drawn from a seed", "private releases alone")
	case adj == dp.AddRemove:
		public = false
		if slices.ContainsFunc(rows, func(r frame.RowStep) bool {
			return !r.Known() || strings.HasPrefix(r.Name, "Append")
		}) {
			return nil, domain.Refuse(of, "rows", sh.RowsText(), "those of one sample, of which none were appended")
		}
	case !public || len(rows) > 0:
		return nil, domain.Refuse(of, "rows", "chosen by steps, or of private number", "a release of all rows of the "+
			"sample, whose number is then public")
	case slices.ContainsFunc(charges, func(c Charge) bool { return c.Part != nil }):
		return nil, domain.Refuse(of, "charges", "one of a part of the table", "those of all rows: under replace-one the "+
			"number of rows of a part is public")
	}
	sampled := 0
	if public {
		sampled = n
	}
	if err := oneDesign(charges, s.DesignName(sampled), s.DesignName(0)); err != nil {
		return nil, err
	}
	q, err := s.Inclusion(n, public)
	if err != nil {
		return nil, err
	}
	a := &Amplified{Rate: q.RatString(), spent: b.Spent(), limit: b.Limit()}
	if a.Spent, err = a.spent.Amplified(q); err == nil {
		a.Limit, err = a.limit.Amplified(q)
	}
	if err != nil {
		return nil, err
	}
	if q.Denom().BitLen() > 50 { // of units of several rows
		up, _ := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).SetRat(q).Float64()
		a.Rate = table.Number(fourUp(up))
	}
	return a, nil
}

// DesignError says that a charge is not known to be of the sample that a level about the population is for: its rows
// were drawn by another design, or it does not say by which, as charges of rows that steps chose or appended, of other
// tools and of earlier versions.
type DesignError struct {
	Release    string // of the charge
	Have, Want string // as of frame.Schema.DesignName; Have is "" where the charge says none
}

func (e *DesignError) Error() string {
	have := "does not say how its rows were drawn (as of rows that steps chose, of other tools and of earlier versions)"
	if e.Have != "" {
		have = "is of rows drawn as " + safetext.Quote(e.Have)
	}
	return fmt.Sprintf("budget: the charge of release %s %s; want charges of rows drawn as %s alone, since what is said "+
		"of those who do not know who was sampled is of one sample", safetext.Word(e.Release), have, safetext.Quote(e.Want))
}

// oneDesign is a *DesignError where a charge is not known to be of rows that were drawn by a design. A charge that does
// not say how many were, as of another tool, has the name unsaid.
func oneDesign(charges []Charge, want, unsaid string) error {
	for _, c := range charges {
		if want != "" && c.Design != want && c.Design != unsaid {
			return &DesignError{c.ID, c.Design, want}
		}
	}
	return nil
}

// validDesign returns a *ParameterError for the name of a design that cannot be shown.
func (c Charge) validDesign() error {
	if c.Design == "" {
		return nil
	}
	return validText("design", c.Design, safetext.CheckTitle)
}

// fourUp is x ≥ 0 with four significant digits, rounded up, so that what is shown is true.
func fourUp(x float64) float64 {
	text := strconv.FormatFloat(x, 'e', 3, 64)
	near, _ := strconv.ParseFloat(text, 64)
	if near < x {
		_, exponent, _ := strings.Cut(text, "e")
		unit, _ := strconv.ParseFloat("1e"+exponent, 64)
		near += unit / 1000
	}
	return near
}

// shownUp is a level as text that is true.
func shownUp(l dp.Parameters) string {
	l.Epsilon, l.Delta = cert.Number(fourUp(float64(l.Epsilon))), fourUp(l.Delta)
	return l.String()
}

// String is the line, with the guarantee of record.
func (a *Amplified) String() string {
	return fmt.Sprintf("for one who does not know who was sampled: ln(1+q(e^Σε −1)), q = %s: %s for the %s used, and %s "+
		"for the limit %s. All charges of the budget are of rows drawn by the design of this release, and that takes them "+
		"to be of one and the same sample. The guarantee of record is the limit: it holds also for those who know that a "+
		"person took part",
		a.Rate, shownUp(a.Spent), a.spent, shownUp(a.Limit), a.limit)
}

// LevelOf is the level at which the budget counts a mechanism of which a dominating pair is known, such as that of
// another tool: in the privacy definition of the limit, or under an (ε, δ) limit the Rényi divergence at the order of
// the conversion. Errors: *NotionError where the pair has none, such as that of an infinite loss: state an (ε, δ) of
// it.
func (b *Budget) LevelOf(p loss.Pair) (dp.Parameters, error) {
	want := b.limit.Parameters
	if want.Notion == dp.Approximate {
		want = dp.Parameters{Notion: dp.Renyi, Order: b.account.conversion.Order}
		if want.Order == 0 {
			want = dp.Parameters{Notion: dp.Pure}
		}
	}
	l := loss.LevelOf(p, want)
	if math.IsInf(float64(l.Epsilon), 1) || math.IsInf(l.Rho, 1) {
		return l, &NotionError{Limit: b.limit.Parameters, Charge: l, Err: &dp.ConversionError{From: dp.Approximate,
			To: want.Notion}}
	}
	return l, l.Valid()
}
