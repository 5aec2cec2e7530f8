package release

import (
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// TermTest tests whether all coefficients of a term of a regression are 0. It reads the release only, and may be
// published.
type TermTest struct {
	Term         model.Term `json:"term"`
	Response     string     `json:"response"`
	Coefficients []SignTest `json:"coefficients"`
	// Statistic is mᵀC⁻¹m of the posterior mean m and covariance C of the K coefficients.
	Statistic float64 `json:"statistic"`
	K         int     `json:"k"`
	// P is the probability that a χ² of K ≥ 2 degrees exceeds the statistic; of one coefficient it is its own.
	P      float64  `json:"p"`
	Draws  int      `json:"draws"`
	Shared []string `json:"shared,omitempty"` // other terms with a column of this one
	about  string
}

// SignTest is a coefficient in the units of the data: mean and standard deviation of its posterior, the posterior
// probability that it is positive, and p = 2·min(P(w > 0), P(w < 0)).
type SignTest struct {
	Name     string  `json:"name"`
	Estimate float64 `json:"estimate"`
	SD       float64 `json:"sd"`
	Positive float64 `json:"positive"`
	P        float64 `json:"p"`
}

// Test tests a term of a linear regression, or of a logistic one by FisherScoring or ContingencyTable, by the posterior
// draws given what was released: of one coefficient p = 2·min(P(w > 0), P(w < 0)), with P = (N·share + ½)/(N + 1) of N
// draws, of more coefficients the probability that χ²_k exceeds mᵀC⁻¹m. The prior is centred at 0, so that where the
// noise drowns the data the test rejects less often than its level. p does not hold where the term was chosen by this
// same release.
// Source: theory/glm.md §6.
//
// Errors: those of [model.Fitted.TermDraws] and Joint; *dp.ParameterError for a release without such draws; of
// [model.Fitted.Unsampled], where chains do not agree, or wait until Sample runs them.
func (r *Release) Test(term model.Term) (*TermTest, error) {
	if r.est.Sampling == nil {
		return nil, domain.Refuse("release", "test", r.plan.Title()+", "+r.plan.Shape().Model().String(),
			"a linear regression by SufficientStatistics(), or a logistic or Poisson one by FisherScoring(), or "+
				"ContingencyTable(); two columns are tested in a learned structure that measured them")
	}
	if err := r.fitted.Unsampled(); err != nil {
		return nil, err
	}
	d, shared, err := r.fitted.TermDraws(term)
	if err != nil {
		return nil, err
	}
	t := &TermTest{Term: term, Response: r.plan.Shape().Model().Target(), K: len(d.Names), Draws: d.Len(), Shared: shared,
		about: r.Caption()}
	if t.Statistic, t.P, err = d.Joint(); err != nil {
		return nil, err
	}
	for i, mean := range d.Mean() {
		c := SignTest{Name: d.Names[i], Estimate: mean, Positive: d.Positive(i)}
		for _, v := range d.Values {
			c.SD += (v[i] - mean) * (v[i] - mean) / float64(d.Len()-1)
		}
		c.SD, c.P = math.Sqrt(c.SD), 2*math.Min(c.Positive, 1-c.Positive)
		t.Coefficients = append(t.Coefficients, c)
	}
	if t.K == 1 {
		t.P = t.Coefficients[0].P
	}
	return t, nil
}

// leastShown is the least p of several coefficients that is shown: further out the draws say nothing of the tail.
const leastShown = 1e-4

// Table shows the coefficients of the term, and of several the joint test.
func (t *TermTest) Table() *table.Table {
	out := table.New("Test of "+safetext.Quote(string(t.Term))+" for "+safetext.Word(t.Response), "coefficient",
		"estimate", "sd", "P(positive)", "p")
	for _, c := range t.Coefficients {
		decimals, positive, p := table.Decimals(c.SD), table.Fixed(c.Positive, 3), table.Number(c.P)
		if least := 1 / float64(t.Draws); c.P < 1.5*least { // all draws have one sign
			positive, p = "< "+table.Number(least), "< "+table.Number(2*least)
			if c.Estimate > 0 {
				positive = "> " + table.Number(1-least)
			}
		}
		out.Add(safetext.Line(c.Name), table.Fixed(c.Estimate, decimals), table.Fixed(c.SD, decimals), positive, p)
	}
	if t.K > 1 {
		p := "= " + table.Number(t.P)
		if t.P < leastShown {
			p = "< " + table.Number(leastShown)
		}
		out.Note(fmt.Sprintf("All %d are 0: χ² = %s on %d degrees of freedom, p %s, by a normal approximation of the "+
			"posterior.", t.K, table.Number(t.Statistic), t.K, p))
	}
	out.Note(fmt.Sprintf("P(positive) is a posterior probability that includes the noise of the release. p is twice that "+
		"of the less probable sign, by %d draws.", t.Draws))
	out.Note("Not valid where the term was chosen by this same release, such as for its small p.")
	if len(t.Shared) > 0 {
		out.Note("Other terms with the same columns: " + safetext.Line(strings.Join(t.Shared, ", ")) + ". The coefficients " +
			"above hold at 0, or at the reference level, of what they are multiplied by there.")
	}
	return out.Note(t.about + ".")
}

// String shows the test as text.
func (t *TermTest) String() string { return table.Text(t) }
