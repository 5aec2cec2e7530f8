package structure

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	shown "github.com/privbayes/privbayes-go/privbayes/table"
)

// Statements say how far the fitted model is from the rows. After all else the last fit gives a public table M of every
// pair, in whole records, and the distances ‖N − M‖₁ of the private tables are released with noise. They move as those
// of the report of a batch do (batches.go): by √m·k or √m·2k in ℓ₂, whatever the M are. Under pure ε, to which all m
// distances would cost m times as much, the pair with the largest is chosen by permute-and-flip, and its distance alone
// is released (theory/structure.md §13).

// statementShare is what they take of the budget, an ε or a ρ; of a pure ε the choice has half of it.
const statementShare = .05

// statements are the public parameters.
type statements struct {
	Distances int             `json:"distances"`        // m
	Choose    *noise.Rational `json:"choose,omitempty"` // x of the choice of the worst pair; none: all are released
	Noise     noise.Rational  `json:"noise"`            // of a distance
}

// Valid checks parameters from a file: *dp.ParameterError.
func (p *statements) Valid() error {
	if p.Distances < 1 || p.Distances > 1<<24 {
		return domain.Refuse("structure", "statements", p.Distances, "1 to 2^24 distances")
	}
	if p.Choose != nil {
		if err := p.Choose.Valid(); err != nil {
			return err
		}
	}
	return p.Noise.Valid()
}

// released is how many distances are.
func (p *statements) released() int {
	if p.Choose != nil {
		return 1
	}
	return reportCounts(p.Distances)
}

// scaledStatements are the parameters at a budget, and what they take of it.
func (q *problem) scaledStatements(budget float64) (p *statements, spent float64) {
	if !q.set.Statements {
		return nil, 0
	}
	spent = statementShare * budget
	p = &statements{Distances: len(q.reported())}
	measures := spent
	if q.pure() && p.Distances > 1 {
		measures = spent / 2
		x := math.Min(measures/q.distanceSpan(), noise.GeometricFamily.Search.High)
		r := noise.Dyadic(x, rateBits, false).Reduced()
		p.Choose = &r
	}
	r := q.noise.rate(measures, q.pure(), p.released(), distanceMove(q))
	if q.noise.unbounded {
		r += smooth
	}
	p.Noise = q.noise.rounded(r)
	return p, spent
}

// distanceSpan is how much one unit moves two distances apart: they have no weights.
func (q *problem) distanceSpan() float64 { return 2 * float64(distanceMove(q)) }

// statementParts lists what statements spend.
func (q *problem) statementParts(p *statements) (out []loss.Repeat) {
	if p == nil {
		return nil
	}
	if p.Choose != nil {
		out = append(out, loss.Repeat{Pair: loss.PurePair{Epsilon: p.Choose.Float() * q.distanceSpan()}, Times: 1})
	}
	move := distanceMove(q)
	if q.noise.unbounded && p.Noise.Float() > 2*smooth { // as of sums within bins: see withinPair
		return append(out, loss.Repeat{Pair: smoothed(p.Noise, math.Sqrt(float64(p.released()))*float64(move)), Times: 1})
	}
	return append(out, loss.Repeat{Pair: q.noise.pair(p.Noise, p.released(), move), Times: 1})
}

// statementRho is what they spend by the standard formula, under discrete Gaussian noise.
func (q *problem) statementRho(p *statements) float64 {
	if p == nil {
		return 0
	}
	k := float64(distanceMove(q))
	return float64(p.released()) * k * k / (2 * p.Noise.Float())
}

// statementLaw is the exact distribution of statements.
type statementLaw struct {
	statements
	choose sample.Selection
	noise  noise.Distribution
}

func (q *problem) statementLaw(p *statements) (*statementLaw, error) {
	if p == nil {
		return nil, nil
	}
	z, err := q.noise.Of(p.Noise)
	if err != nil {
		return nil, err
	}
	l := &statementLaw{statements: *p, noise: z}
	if p.Choose != nil {
		l.choose, err = sample.NewSelection(p.Choose.Num, p.Choose.Den, true)
	}
	return l, err
}

// fitsStatements checks the layout of parameters from a file.
func fitsStatements(p, want *statements) error {
	if (p == nil) != (want == nil) ||
		p != nil && (p.Distances != want.Distances || (p.Choose == nil) != (want.Choose == nil)) {
		return domain.Refuse("structure", "statements", statementWords(p), statementWords(want)+
			", which follow from model and target")
	}
	return nil
}

func statementWords(p *statements) string {
	switch {
	case p == nil:
		return "none"
	case p.Choose != nil:
		return fmt.Sprintf("the worst of %d distances", p.Distances)
	}
	return shown.Count(p.Distances, "distance")
}

// state measures the distances of a fit to all that was measured. What it reads of private tables goes to the coins,
// and nowhere else.
func (s *learner) state(ctx context.Context, table tables, c coins) (*mechanism.Distances, error) {
	if s.laws.statements == nil {
		return nil, nil
	}
	if err := s.final(ctx); err != nil {
		return nil, err
	}
	list, out, exact := s.reported(), &mechanism.Distances{}, []int64(nil)
	for _, one := range list {
		m, err := s.fitted(one)
		if err != nil {
			return nil, err
		}
		n, err := table(one.columns)
		if err != nil {
			return nil, err
		}
		out.Of, exact = append(out.Of, m), append(exact, reportedDistance(n, m))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.laws.statements.Choose != nil {
		i := c.choose(s.laws.statements.choose, exact, func(int) bool { return true })
		out.Worst, exact = i+1, exact[i:i+1]
	}
	out.Noisy = c.report(s.laws.statements.noise, exact)
	return out, nil
}

// fitted is the public table M of a pair, by the last fit.
func (s *learner) fitted(c candidate) ([]int64, error) {
	p, err := s.fit.Pair(c.columns[0], c.columns[1])
	if err != nil {
		return nil, err
	}
	return rounded(p, s.size), nil
}

// readDistances checks distances of a file: *dp.ParameterError. Its tables M are those of the fit where it was made:
// what another fit, or another machine, makes of the same numbers may differ, and is counted in [learner.distancesOf].
func (s *learner) readDistances(d *mechanism.Distances) error {
	refuse := func(have any, want string) error {
		return domain.Refuse("structure", "distances", fmt.Sprint(have), want)
	}
	l := s.laws.statements
	if (d == nil) != (l == nil) {
		return refuse(map[bool]string{true: "none", false: "distances"}[d == nil], "those of a plan with statements, and "+
			"none of others")
	}
	if d == nil {
		return nil
	}
	list, many, worst := s.reported(), l.Distances, 0
	if l.Choose != nil {
		many, worst = 1, l.Distances
	}
	if len(d.Of) != len(list) || len(d.Noisy) != many || d.Worst < min(worst, 1) || d.Worst > worst {
		return refuse(fmt.Sprintf("%d tables, %d distances, worst %d", len(d.Of), len(d.Noisy), d.Worst),
			fmt.Sprintf("%d tables, %d distances, worst up to %d", len(list), many, worst))
	}
	for i, m := range d.Of {
		sum, cells := int64(0), s.levels[list[i].columns[0]]*s.levels[list[i].columns[1]]
		for _, v := range m {
			if v < 0 || v > s.size-sum {
				return refuse(fmt.Sprintf("a count %d in table %d", v, i+1), fmt.Sprintf("counts that add up to %d", s.size))
			}
			sum += v
		}
		if len(m) != cells || sum != s.size {
			return refuse(fmt.Sprintf("table %d, %d counts that add up to %d", i+1, len(m), sum),
				fmt.Sprintf("%d counts that add up to %d", cells, s.size))
		}
	}
	for _, v := range d.Noisy {
		if v < -mostReport || v > mostReport {
			return refuse(v, fmt.Sprintf("a distance of up to %d", mostReport))
		}
	}
	return nil
}

// distancesOf are distances with what the fit differs by from the tables they are to.
func (s *learner) distancesOf(d *mechanism.Distances) (*model.Distances, error) {
	if d == nil {
		return nil, nil
	}
	l, columns := s.laws.statements, s.shape.Columns()
	out := &model.Distances{Noise: l.noise, Worst: d.Worst}
	if l.Choose != nil {
		out.Rate = l.Choose.Float()
	}
	for i, c := range s.reported() {
		p, err := s.fit.Pair(c.columns[0], c.columns[1])
		if err != nil {
			return nil, err
		}
		one := model.PairDistance{Columns: [2]string{columns[c.columns[0]].Name, columns[c.columns[1]].Name}}
		for k, v := range d.Of[i] {
			one.Apart += math.Abs(float64(v) - p[k]*float64(s.size))
		}
		switch {
		case d.Worst == 0:
			one.Noisy = d.Noisy[i]
		case d.Worst == i+1:
			one.Noisy = d.Noisy[0]
		}
		out.Pairs = append(out.Pairs, one)
	}
	return out, nil
}

// statementSettings are the parameters for people.
func (q *problem) statementSettings(p *statements) []mechanism.Setting {
	if p == nil {
		return nil
	}
	value := fmt.Sprintf("distances of %s from the fit, %g %% of the budget, %s%s", shown.Count(p.Distances, "pair"),
		100*statementShare, q.noise.words, brief(p.Noise))
	if p.Choose != nil {
		value = fmt.Sprintf("the worst of %s, by permute-and-flip at x = %s, and its distance from the fit, %s%s; %g %% of "+
			"the budget together", shown.Count(p.Distances, "pair"), brief(*p.Choose), q.noise.words, brief(p.Noise),
			100*statementShare)
	}
	return []mechanism.Setting{{Name: "statements", Value: value}}
}

// statementExpectations are the errors of a distance.
func (q *problem) statementExpectations(p *statements) []mechanism.Expectation {
	if p == nil {
		return nil
	}
	return []mechanism.Expectation{{Name: "absolute error of a pair's distance from the fit, as total variation",
		Value: q.noise.meanAbsolute(p.Noise.Float()) / 2, Unit: "records", How: "closed form"}}
}
