package mechanism

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Family is a mechanism as its mathematics: the parameters P of a distribution, and for a problem Q, which a shape and
// a target pose,
//
//	calibrate   the parameters that spend the target and no more,
//	certify     what releases at given parameters have, with the checks that show it,
//	expect      the errors that they make.
//
// Planning, predicting and planning again from a file follow from these three: [Front] has them. All of it reads public
// inputs only. Errors of the mechanism (*UnsupportedError, *UnmetTarget) that name none get its title.
type Family[Q, P any] struct {
	// the registered kind, and the name for people
	Kind, Title string
	// Supports accepts shapes; nil: those of every model made of count tables
	Supports func(sh *model.Shape) error
	// Prepare poses the problem of a shape that is supported
	Prepare   func(ctx context.Context, sh *model.Shape, t dp.Request) (Q, error)
	Calibrate func(ctx context.Context, q Q) (P, error)
	Certify   func(ctx context.Context, q Q, p P) (Spec, error)
	// Expect is nil where nothing is cheaper than a plan
	Expect func(ctx context.Context, q Q, p P) ([]Expectation, error)
	// there is no paper's mode: a nominal target is refused, in files, too
	NoNominal bool
	// Read reads parameters from a file; nil: as JSON, strictly, and what their method Valid refuses
	Read func(params json.RawMessage) (P, error)
	// Of is the mechanism that the parameters of a file say, with its options; nil: this one
	Of func(p P) (Family[Q, P], error)
}

// Plan calibrates and certifies.
func (f Family[Q, P]) Plan(ctx context.Context, sh *model.Shape, t dp.Request) (*Plan, error) {
	q, p, err := f.calibrated(ctx, sh, t)
	if err != nil {
		return nil, err
	}
	return f.certified(ctx, t, q, p)
}

// expected calibrates like Plan and predicts the errors, without the certificate where that is cheaper.
func (f Family[Q, P]) expected(ctx context.Context, sh *model.Shape, t dp.Request) ([]Expectation, error) {
	q, p, err := f.calibrated(ctx, sh, t)
	switch {
	case err != nil:
		return nil, err
	case f.Expect != nil:
		return f.Expect(ctx, q, p)
	}
	plan, err := f.certified(ctx, t, q, p)
	if err != nil {
		return nil, err
	}
	return plan.Expected(), nil
}

// Rebuild certifies given parameters, usually from a file. Those of a paper's own mode must be the paper's: no target
// is held against what they give, so that a file could name any ε as the nominal one.
func (f Family[Q, P]) Rebuild(ctx context.Context, sh *model.Shape, t dp.Request, p P) (*Plan, error) {
	q, err := f.prepared(ctx, sh, t)
	if err != nil {
		return nil, err
	}
	if t.NominalScale {
		if err := f.nominal(ctx, q, t, p); err != nil {
			return nil, err
		}
	}
	return f.certified(ctx, t, q, p)
}

// nominal requires the parameters to be those that the paper's formula gives for the target.
func (f Family[Q, P]) nominal(ctx context.Context, q Q, t dp.Request, p P) error {
	paper, err := f.Calibrate(ctx, q)
	if err != nil {
		return f.named(err)
	}
	have, errA := json.Marshal(p)
	want, errB := json.Marshal(paper)
	var a, b any
	if err := errors.Join(errA, errB, json.Unmarshal(have, &a), json.Unmarshal(want, &b)); err != nil {
		return err
	}
	if !near(a, b) {
		return &NominalError{Mechanism: f.Title, Target: t.Parameters, Have: string(have), Want: string(want)}
	}
	return nil
}

// near compares two JSON values, numbers to a relative 1e-9 as two machines may compute them.
func near(a, b any) bool {
	switch x := a.(type) {
	case float64:
		y, ok := b.(float64)
		return ok && (x == y || math.Abs(x-y) <= 1e-9*math.Max(math.Abs(x), math.Abs(y)))
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, near)
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, near)
	}
	return a == b
}

// NominalError is a plan of a paper's own mode whose parameters are not the paper's at the ε that it names.
type NominalError struct {
	Mechanism  string
	Target     dp.Parameters
	Have, Want string // parameters, JSON
}

func (e *NominalError) Error() string {
	return fmt.Sprintf("mechanism: %s: at the nominal %s the paper's parameters are %s; have %s", e.Mechanism, e.Target,
		safetext.Clip(safetext.Line(e.Want), 500), safetext.Clip(safetext.Line(e.Have), 500))
}

func (f Family[Q, P]) prepared(ctx context.Context, sh *model.Shape, t dp.Request) (q Q, err error) {
	if err := t.Valid(); err != nil {
		return q, err
	}
	if err := rowsAllow(sh, t.Adjacency); err != nil {
		return q, err
	}
	if err := f.supports(sh); err != nil {
		return q, err
	}
	if sh.Passing() {
		return q, f.named(Unsupported("one more reading of rows", "the shape of a model"))
	}
	q, err = f.Prepare(ctx, sh, t)
	if err == nil && t.NominalScale && f.NoNominal {
		err = &UnsupportedError{What: "a nominal scale: it has no paper mode", Use: "PureDP, ApproxDP, RenyiDP or ZCDP"}
	}
	return q, f.named(err)
}

func (f Family[Q, P]) calibrated(ctx context.Context, sh *model.Shape, t dp.Request) (q Q, p P, err error) {
	if q, err = f.prepared(ctx, sh, t); err != nil {
		return q, p, err
	}
	p, err = f.Calibrate(ctx, q)
	return q, p, f.named(err)
}

// certified makes the plan. Its level is what the dominating pair spends, where none is stated. Errors: those of New.
func (f Family[Q, P]) certified(ctx context.Context, t dp.Request, q Q, p P) (*Plan, error) {
	s, err := f.Certify(ctx, q, p)
	if err != nil {
		return nil, f.named(err)
	}
	if s.Title == "" { // as of a paper's own mode
		s.Title = f.Title
	}
	s.Mechanism, s.Target, s.Params = f.Kind, t, p
	if s.Certificate == nil {
		s.Certificate = &cert.Certificate{Title: s.Title + ", " + s.Shape.Model().String(), Checks: s.Checks}
	}
	if s.Level == (dp.Parameters{}) && s.Pair != nil {
		meets := false
		s.Level, meets, err = loss.Spend(ctx, s.Pair, t)
		switch {
		case err != nil:
			return nil, err
		case !meets && !t.NominalScale: // as of a file whose parameters were edited
			unmet := &UnmetTarget{Mechanism: s.Title, Target: t.Parameters, Certified: s.Level, Reachable: "more noise"}
			if !s.Certificate.OK() {
				unmet.failed = &CheckError{s.Certificate}
			}
			return nil, unmet
		}
	}
	return New(s)
}

// named gives errors that say what a mechanism cannot do its title.
func (f Family[Q, P]) named(err error) error {
	var unsupported *UnsupportedError
	var unmet *UnmetTarget
	if errors.As(err, &unsupported) && unsupported.Mechanism == "" {
		unsupported.Mechanism = f.Title
	}
	if errors.As(err, &unmet) && unmet.Mechanism == "" {
		unmet.Mechanism = f.Title
	}
	return err
}

func (f Family[Q, P]) supports(sh *model.Shape) error {
	if f.Supports == nil {
		return f.named(CountsOnly(sh))
	}
	return f.named(f.Supports(sh))
}

// Valid is what parameters check themselves for when they come from a file.
type Valid interface{ Valid() error }

// read reads the parameters of a file.
func (f Family[Q, P]) read(raw json.RawMessage) (p P, err error) {
	if f.Read != nil {
		return f.Read(raw)
	}
	if err := DecodeParams(f.Kind, raw, &p); err != nil {
		return p, err
	}
	if v, ok := any(p).(Valid); ok {
		err = v.Valid()
	}
	return p, err
}

// rebuild certifies the parameters of a file by the mechanism that they say.
func (f Family[Q, P]) rebuild(ctx context.Context, sh *model.Shape, t dp.Request, raw json.RawMessage) (*Plan, error) {
	p, err := f.read(raw)
	if err == nil && f.Of != nil {
		f, err = f.Of(p)
	}
	if err != nil {
		return nil, err
	}
	return f.Rebuild(ctx, sh, t, p)
}

// Front is a [Family] as a [Mechanism]: what it is called, what it supports, its plans and predictions, and its
// [Descriptor]. A mechanism without options is a Front; the type of one with options embeds it, and makes it again with
// every change by [FrontOf]. The zero value supports nothing.
type Front struct{ face *face }

type face struct{ of func() mathematics }

// mathematics is a Family of any problem and parameters.
type mathematics interface {
	about() (kind, title string)
	supports(sh *model.Shape) error
	Plan(ctx context.Context, sh *model.Shape, t dp.Request) (*Plan, error)
	expected(ctx context.Context, sh *model.Shape, t dp.Request) ([]Expectation, error)
	rebuild(ctx context.Context, sh *model.Shape, t dp.Request, params json.RawMessage) (*Plan, error)
}

// Fronted is a mechanism that is, or embeds, a [Front].
type Fronted interface {
	Mechanism
	rebuild(ctx context.Context, sh *model.Shape, t dp.Request, params json.RawMessage) (*Plan, error)
}

// FrontOf is the front of a family that is asked for when it is needed: a family that binds methods of the mechanism
// that embeds the front.
func FrontOf[Q, P any](of func() Family[Q, P]) Front {
	return Front{&face{func() mathematics { return of() }}}
}

// Front is the family as a mechanism.
func (f Family[Q, P]) Front() Front { return FrontOf(func() Family[Q, P] { return f }) }

func (f Family[Q, P]) about() (kind, title string) { return f.Kind, f.Title }

// family is the front's, which refuses everything where there is none.
func (m Front) family() mathematics {
	if m.face == nil {
		return Family[int, int]{Supports: func(*model.Shape) error {
			return &UnsupportedError{Mechanism: "the zero value", What: "anything", Use: "the function that makes the mechanism"}
		}}
	}
	return m.face.of()
}

// Name is the registered kind.
func (m Front) Name() string {
	kind, _ := m.family().about()
	return kind
}

// Title is the mechanism's name for people.
func (m Front) Title() string {
	_, title := m.family().about()
	return title
}

// Supports says why a shape cannot be released, and which mechanisms can: *UnsupportedError.
func (m Front) Supports(sh *model.Shape) error { return m.family().supports(sh) }

// Plan calibrates to the target and certifies the release. Errors: those of [Mechanism].
func (m Front) Plan(ctx context.Context, sh *model.Shape, t dp.Request) (*Plan, error) {
	return m.family().Plan(ctx, sh, t)
}

// Expect calibrates like Plan and predicts the errors, without the certificate where that is cheaper. Errors are those
// of Plan.
func (m Front) Expect(ctx context.Context, sh *model.Shape, t dp.Request) ([]Expectation, error) {
	return m.family().expected(ctx, sh, t)
}

func (m Front) rebuild(ctx context.Context, sh *model.Shape, t dp.Request, params json.RawMessage) (*Plan, error) {
	return m.family().rebuild(ctx, sh, t, params)
}

// Choice is a mechanism with its free choices made: its post-processing, or a public setting such as a number of draws.
type Choice struct {
	Name      string // such as "clamp" or "N = 10"
	Mechanism Mechanism
	Go        string // the expression that makes it, as users of package privbayes write it
}

// Options are what a command line may say of a mechanism beside its name.
type Options struct {
	Nominal bool    // the paper's own mode
	Delta   float64 // of the target; 0 without
	Count   int     // synthetic records, or draws
}

// Descriptor describes a mechanism to all who list, name, compare or rebuild mechanisms. Package catalog lists those of
// the library.
type Descriptor struct {
	Kind  string // the registered kind, as in files; several descriptors of the library may share one
	Name  string // in the façade, such as "Geometric"
	Flag  string // on the command line, such as "geometric"
	Title string // of a row that compares mechanisms
	Short string // the same in a figure's legend

	// New makes it from a command line.
	New func(o Options) Mechanism
	// Choices are what a comparison tries on a shape, taking the best at every target: none where the mechanism is for
	// other models. Choosing among them costs nothing: it is done on public inputs. Nil: no row of its own.
	Choices func(sh *model.Shape) []Choice
	// Rebuild plans again from a file.
	Rebuild Rebuild
}

// Describe describes a mechanism that has a [Front], by what the front says: the kind, the title, how to rebuild. It
// has one row in comparisons of the shapes that it supports, unless its Choices are set afterwards. Name is the Go
// expression that makes it, but for its parentheses.
func Describe(m Fronted, name, flag, short string) Descriptor {
	return Descriptor{Kind: m.Name(), Name: name, Flag: flag, Title: m.Title(), Short: short, Rebuild: m.rebuild,
		New: func(Options) Mechanism { return m },
		Choices: func(sh *model.Shape) []Choice {
			if m.Supports(sh) != nil {
				return nil
			}
			return []Choice{{Name: "usual", Mechanism: m, Go: name + "()"}}
		}}
}

// Rebuild plans again from a release file's public parameters, without calibrating.
type Rebuild func(ctx context.Context, sh *model.Shape, t dp.Request, params json.RawMessage) (*Plan, error)

var registry = map[string]Rebuild{}

// Register makes the kind of a descriptor known to ParsePlan, so that files with it load and verify. It panics without
// kind or Rebuild, and when the kind is taken: these are programming errors at start-up. The mechanisms of this library
// are registered by package catalog; one from elsewhere registers itself, in an init function, under a kind that begins
// with its module's path.
func Register(d Descriptor) {
	if d.Kind == "" || d.Rebuild == nil {
		panic("mechanism: a descriptor without kind or Rebuild: " + d.Kind + " " + d.Title)
	}
	if _, taken := registry[d.Kind]; taken {
		panic("mechanism: registered twice: " + d.Kind)
	}
	registry[d.Kind] = d.Rebuild
}

// Cost is about what planning and drawing take, estimated from public inputs before anything is allocated. A step is 4
// ns of one core; the estimates are fitted to what was measured on shapes of two to some thousand cells, and are right
// within a factor of about three where they matter, above some ten milliseconds.
type Cost struct {
	Plan  float64 // steps of one plan with its certificate
	Draw  float64 // steps of one draw with its estimate
	Bytes float64 // memory that a plan or a draw takes at once, whichever is more
}

// Costed is a mechanism that says what it takes. Package advise leaves out what a comparison cannot afford, by these
// numbers and not by a clock, so that the same question has the same answer everywhere; a mechanism that does not say
// is given a share of the time.
type Costed interface {
	Cost(sh *model.Shape, t dp.Request) Cost
}

// StructureSteps is about what a check of a shape's structure takes, how many counts a record changes: by the tables,
// up to the limit at which it is by a bound.
func StructureSteps(sh *model.Shape) float64 {
	tables := len(sh.Tables())
	if tables <= 1 {
		return 0
	}
	return math.Min(4e5*float64(tables), 2e7)
}
