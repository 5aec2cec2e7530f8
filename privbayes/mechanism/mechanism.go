// Package mechanism turns private statistics into results that may be published.
//
// A [Mechanism] plans from public inputs only: a shape and a requested privacy. The [Plan] is calibrated and certified
// before any budget is used. Only its Draw reads private statistics. Mechanisms register their kind, so that a release
// file can be planned and certified again from its public parameters.
//
// # Your own mechanism
//
// You can write a mechanism outside this module. State its mathematics as a [Family], sample in a [Sampler], to which
// [Plan.Draw] hands the private statistics, and call [Register] in an init function. The family's [Front] is the
// mechanism. Package privbayes then releases with it, and its files load and verify where your package is imported. The
// page docs/contributing/own_mechanism.md explains one step by step, and testdata/thirdparty has it whole.
package mechanism

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// Mechanism plans releases of models.
type Mechanism interface {
	// Name is the registered kind, such as "geometric".
	Name() string
	// Title is the name for people, such as "Geometric noise on counts".
	Title() string
	// Supports says why a shape cannot be released, and which mechanisms can: *UnsupportedError.
	Supports(s *model.Shape) error
	// Plan calibrates and certifies, reading public inputs only. Errors: *dp.ParameterError, *UnsupportedError,
	// *UnmetTarget, *sensitivity.AdjacencyError, *RowsError.
	Plan(ctx context.Context, s *model.Shape, t dp.Request) (*Plan, error)
}

// CountsOnly refuses models that are not made of count tables: *UnsupportedError.
func CountsOnly(s *model.Shape) error {
	if s.Counts() {
		return nil
	}
	if s.Learning() != nil {
		return Unsupported(s.Model().String(), "LearnedGeometric() or LearnedGaussian(), as Learn does")
	}
	return Unsupported(s.Model().String(), byMechanism(s.Model()))
}

// byMechanism names the mechanisms of a model that is not made of count tables.
func byMechanism(m model.Model) string {
	switch m.(type) {
	case model.LinearRegressionModel:
		return "SufficientStatistics() or LinearSampler(N)"
	case model.LinearModel:
		return "SufficientStatistics()"
	case model.LogisticRegressionModel:
		return "FisherScoring(), ContingencyTable() or SufficientStatistics()"
	case model.LogisticModel, model.PoissonRegressionModel:
		return "FisherScoring()"
	case model.QuantilesModel:
		return "QuantileEM() or JointQuantiles()"
	}
	return "NoisySums()"
}

// Expecter predicts errors without the certificate, for searches over many targets whose result is then planned.
type Expecter interface {
	// Expect calibrates like Plan and predicts the errors; its errors are those of Plan, which ctx ends, too.
	Expect(ctx context.Context, s *model.Shape, t dp.Request) ([]Expectation, error)
}

// Refined mechanisms say which of their options are set, as Go calls such as "WithPostProcess(counts.Clamp)". Whoever
// takes only the noise of a mechanism refuses them, so that none is lost in silence.
type Refined interface{ Refinements() []string }

// UnsupportedError says what a mechanism cannot do, and what can.
type UnsupportedError struct {
	Mechanism string // its title; a Family writes it
	What      string // the model, notion or arithmetic asked for
	Use       string
}

// Unsupported is an *UnsupportedError of the mechanism whose [Family] returns it.
func Unsupported(what, use string) error { return &UnsupportedError{What: what, Use: use} }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("mechanism: %s does not support %s; use %s", e.Mechanism, e.What, e.Use)
}

// UnmetTarget says that no parameters reach the target: what is certified at best, and a target that can be reached.
type UnmetTarget struct {
	Mechanism string
	Target    dp.Parameters
	Certified dp.Parameters
	Reachable string

	failed error // the *CheckError of parameters whose checks fail, too
}

// Unwrap is the *CheckError of the certificate, where its checks failed.
func (e *UnmetTarget) Unwrap() error { return e.failed }

func (e *UnmetTarget) Error() string {
	return fmt.Sprintf("mechanism: %s cannot meet %s: certified %s; reachable: %s", e.Mechanism,
		e.Target.Apart(e.Certified), e.Certified.Apart(e.Target), e.Reachable)
}

// Unmet is the *UnmetTarget of a search whose best is the pair: that takes the profile at one more place, which ctx
// ends.
func Unmet(ctx context.Context, want dp.Parameters, best loss.Pair, reachable string) error {
	certified := loss.LevelOf(loss.Until(ctx, best), want)
	if err := ctx.Err(); err != nil {
		return err
	}
	return &UnmetTarget{Target: want, Certified: certified, Reachable: reachable}
}

// StatisticsError says that statistics do not belong to a plan. It names public facts only.
type StatisticsError struct{ Have, Want string }

func (e *StatisticsError) Error() string {
	return fmt.Sprintf("mechanism: statistics are of %s; want %s, as planned", e.Have, e.Want)
}

// DecodeParams reads a kind's parameters strictly: an unknown field is an error.
func DecodeParams(kind string, raw json.RawMessage, to any) error {
	if err := cert.Decode(raw, to); err != nil {
		return fmt.Errorf("mechanism: parameters of %s: %w", kind, err)
	}
	return nil
}

type planJSON struct {
	Mechanism string          `json:"mechanism"`
	Shape     *model.Shape    `json:"shape"`
	Target    dp.Request      `json:"target"`
	Params    json.RawMessage `json:"params"`
}

// MarshalJSON writes what defines the plan: mechanism, shape, target and parameters. Everything else follows from
// these.
func (p *Plan) MarshalJSON() ([]byte, error) {
	return json.Marshal(planJSON{p.spec.Mechanism, p.spec.Shape, p.spec.Target, p.params})
}

// ParsePlan reads what MarshalJSON wrote and certifies it again: no number of the file is believed.
func ParsePlan(ctx context.Context, b []byte) (*Plan, error) {
	var j planJSON
	if err := cert.Decode(b, &j); err != nil {
		return nil, fmt.Errorf("mechanism: plan: %w", err)
	}
	if j.Shape == nil {
		return nil, errors.New("mechanism: plan: want a shape")
	}
	r, ok := registry[j.Mechanism]
	if !ok {
		return nil, &cert.UnknownError{What: "mechanism", Name: j.Mechanism}
	}
	if err := j.Target.Valid(); err != nil {
		return nil, err
	}
	return r(ctx, j.Shape, j.Target, j.Params)
}

// NeedPublicN refuses what a mechanism whose law is shaped by n cannot account for: an adjacency other than replace-one
// and units of several rows (*UnsupportedError), a private number of records (*sensitivity.AdjacencyError), and no
// records at all (*dp.ParameterError). It returns n.
func NeedPublicN(s *model.Shape, t dp.Request) (n int, err error) {
	n, public := s.N()
	_, rows := s.Unit()
	switch {
	case t.Adjacency != dp.ReplaceOne:
		return 0, Unsupported(t.Adjacency.String()+" adjacency: n shapes the distribution that is drawn and "+
			"must be public", "replace-one, or Geometric()")
	case !public:
		return 0, &sensitivity.AdjacencyError{Adjacency: t.Adjacency, Model: s.Model().String(), Step: s.PrivateNStep(),
			Want: "a public number of records, which shapes the distribution that is drawn from; or Geometric() under " +
				"add-remove"}
	case rows > 1:
		return 0, Unsupported(fmt.Sprintf("units of %d rows", rows), "one row a unit, or counts with "+
			"noise, such as Geometric()")
	case n < 1:
		return 0, domain.Refuse("mechanism", "n", n, "at least one record")
	}
	return n, nil
}

// RowsError says that rows were chosen in a way that an adjacency does not go with.
type RowsError struct {
	Rows      string // the public steps, or the part of the schema that chose them
	Adjacency dp.Adjacency
	Why, Want string
}

func (e *RowsError) Error() string {
	return fmt.Sprintf("mechanism: %s under %s adjacency: %s; want %s", e.Rows, e.Adjacency, e.Why, e.Want)
}

// DomainAllows refuses an adjacency other than that under which the categories or bounds of a column were found in the
// data: *RowsError. Both releases are then about the same change of the data, and their levels compose.
func DomainAllows(sh *model.Shape, adj dp.Adjacency) error {
	for _, c := range sh.Columns() {
		if f := c.Found; f != nil && f.Adjacency != adj.String() {
			return &RowsError{f.Noun() + " of column " + safetext.Short(c.Name), adj, "release " + safetext.Word(f.Release) +
				" found them under " + safetext.Word(f.Adjacency), "that adjacency, or " + f.Noun() + " that are public"}
		}
	}
	return nil
}

// strataAllow refuses another adjacency than replace-one within strata where how many units each stratum has is public,
// and this one where no strata are: *RowsError.
func strataAllow(sh *model.Shape, adj dp.Adjacency) error {
	switch fixed := sh.Schema().FixedStrata() != nil; {
	case fixed && adj != dp.WithinStrata:
		return &RowsError{`"strata" with "moves": false`, adj, "how many rows each stratum has is public, which is the " +
			"same in all neighbours only where a unit stays in its stratum", dp.WithinStrata.String() + `, or "moves": true`}
	case !fixed && adj == dp.WithinStrata:
		return &RowsError{"rows without strata", adj, "there is nothing that a unit stays in", `"strata" with "moves": ` +
			"false in the schema, or replace-one, which implies it in a budget"}
	}
	return nil
}

// rowsAllow refuses an adjacency under which one unit would decide which rows of others were chosen, or a value which
// other values of its unit count: *RowsError. It reads public facts only.
func rowsAllow(sh *model.Shape, adj dp.Adjacency) error {
	if !adj.PublicN() && frame.UsesN(sh.Rows()) {
		return &RowsError{sh.RowsText(), adj, "rows were chosen by how many there are, which is hidden, and one unit more " +
			"or less would change which others were chosen", "WithoutN() before the first of these steps, after which Split " +
			"sends every unit by its own hash; or replace-one"}
	}
	if err := cmp.Or(DomainAllows(sh, adj), strataAllow(sh, adj)); err != nil {
		return err
	}
	if sh.Schema().Links() != "" && adj == dp.ReplaceValue {
		return &RowsError{`"tables" of the schema`, adj, "one value of a child may change several columns of its unit",
			"replace-one or add-remove"}
	}
	if capped, _ := sh.Schema().CapsRows(); capped && adj == dp.ReplaceValue {
		return &RowsError{`"unit_key" of the schema`, adj,
			"which rows of a unit are kept follows from their values, so one " +
				"value changed may bring in other rows", "replace-one or add-remove"}
	}
	step := sh.Schema().StepOf(frame.StepDerive, frame.StepGroupBy, frame.StepLookup)
	if step != "" && adj == dp.ReplaceValue && len(sh.Columns()) > 1 {
		return &RowsError{"columns made by " + safetext.Short(step), adj, "one value that is replaced may change several " +
			"columns, those that were made from it", "replace-one, or a model of one column"}
	}
	return nil
}
