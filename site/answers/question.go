package answers

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Question is what a page knows when it asks about a plan: public facts only. Exactly one of Schema, Network, Preset
// with one of these, and Levels says what the table is.
type Question struct {
	Op      string          `json:"op"`
	Schema  json.RawMessage `json:"schema,omitempty"`  // as in schema files
	Network string          `json:"network,omitempty"` // BIF text
	Levels  int             `json:"levels,omitempty"`  // one column of so many categories
	Preset  string          `json:"preset,omitempty"`  // the name under which the command line knows schema or network
	File    string          `json:"file,omitempty"`    // name of the file that was dropped

	Model    string    `json:"model,omitempty"` // a kind; network where there is one
	Target   string    `json:"target,omitempty"`
	Features []string  `json:"features,omitempty"`
	Range    []float64 `json:"range,omitempty"`
	Location float64   `json:"location,omitempty"`
	N        int       `json:"n,omitempty"` // public number of records; 0 under add-remove

	Notion    string  `json:"notion,omitempty"` // pure, approx, zcdp, tcdp or renyi
	Level     float64 `json:"level,omitempty"`  // ε, or ρ of zcdp and tcdp
	Delta     float64 `json:"delta,omitempty"`
	Order     float64 `json:"order,omitempty"` // λ of renyi, ω of tcdp
	Adjacency string  `json:"adjacency,omitempty"`

	Mechanism string `json:"mechanism,omitempty"` // a title of advise.Families
	Choice    string `json:"choice,omitempty"`    // of its choices; empty: the first

	Error   float64 `json:"error,omitempty"`   // solve: the error that may be made
	For     string  `json:"for,omitempty"`     // solve: "level" or "n"
	Seconds float64 `json:"seconds,omitempty"` // compare: what all rows may take, on the command line's machine
}

// Mistake is a question that is not yet complete or not right: which field, and what is wanted.
type Mistake struct {
	Field string `json:"field"`
	Want  string `json:"want"`
}

func (e *Mistake) Error() string { return e.Field + ": " + e.Want }

// mostLevels bounds a table that is given by its number of categories.
const mostLevels = 65536

// schema is the table's public description, and the graph where it comes from a network.
func (q *Question) schema() (*frame.Schema, *bayesnet.DAG, error) {
	given := 0
	for _, set := range []bool{len(q.Schema) > 0, q.Network != "", q.Levels != 0} {
		if set {
			given++
		}
	}
	if given != 1 {
		return nil, nil, &Mistake{"table", "want one of a schema, a network and a number of categories"}
	}
	switch {
	case q.Network != "":
		d, _, err := bayesnet.ReadBIF(strings.NewReader(q.Network))
		if err != nil {
			return nil, nil, err
		}
		return model.SchemaOf(q.name(), d), d, nil
	case len(q.Schema) > 0:
		s, err := frame.ParseSchema(q.Schema)
		return s, nil, err
	case q.Levels < 2 || q.Levels > mostLevels:
		return nil, nil, &Mistake{"categories", fmt.Sprintf("want 2 to %d", mostLevels)}
	}
	cats := make([]string, q.Levels)
	for i := range cats {
		cats[i] = strconv.Itoa(i + 1)
	}
	return &frame.Schema{Dataset: "unnamed", Columns: []frame.Column{frame.Categorical("value", cats...)}}, nil, nil
}

// name is the data set's name where the description has none.
func (q *Question) name() string {
	name, _, _ := strings.Cut(q.File, ".")
	if q.Preset != "" {
		name = q.Preset
	}
	if name == "" {
		name = "unnamed"
	}
	return name
}

// spec is the model on a schema.
func (q *Question) spec(s *frame.Schema, g *bayesnet.DAG) (model.Model, model.Description, error) {
	var none model.Description
	target := q.Target
	if target == "" && len(s.Columns) == 1 {
		target = s.Columns[0].Name
	}
	if g != nil {
		if target == "" {
			target = g.Node(0).Name
		}
		return model.NetworkOf(target, g), model.Description{Kind: "network", Target: target}, nil
	}
	if target == "" {
		return nil, none, &Mistake{"column", "want one of " + strings.Join(s.Names(), ", ")}
	}
	d, err := model.Describe(q.Model)
	if err != nil {
		return nil, none, err
	}
	d.Target, d.Features = target, q.Features
	if len(q.Range) > 0 {
		d.Range = q.Range
	}
	if q.Location != 0 {
		d.Center = q.Location
	}
	return completed(s, d)
}

// stockRange is the range of a rate's parameter where none is given.
var stockRange = []float64{.01, 10}

// completed is the model of a description, with a range or a group where its kind needs one that was not given.
func completed(s *frame.Schema, d model.Description) (model.Model, model.Description, error) {
	switch d.Kind {
	case "exponential", "laplace-scale", "normal-precision":
		if len(d.Range) == 0 {
			d.Range = stockRange
		}
	case "group-means":
		if len(d.Features) > 0 {
			break
		}
		for _, c := range s.Columns {
			if c.Kind == frame.KindCategorical && c.Name != d.Target {
				d.Features = []string{c.Name}
				break
			}
		}
	}
	m, err := d.Model()
	return m, d, err
}

// shape is the model on the table's description, with n where it is public.
func (q *Question) shape() (*model.Shape, error) {
	s, g, err := q.schema()
	if err != nil {
		return nil, err
	}
	m, _, err := q.spec(s, g)
	if err != nil {
		return nil, err
	}
	private := q.Adjacency == dp.AddRemove.String()
	if !private && q.N < 1 {
		return nil, &Mistake{"n", "want the number of records, which is public: a whole number from 1"}
	}
	return model.NewShape(s, m, q.N, !private, "under add-remove the number of records is private")
}

// target is the privacy asked for.
func (q *Question) target() (t dp.Request, err error) {
	switch q.Notion {
	case "", "pure":
		t = dp.PureDP(q.Level)
	case "approx":
		t = dp.ApproxDP(q.Level, q.Delta)
	case "zcdp":
		t = dp.ZCDP(q.Level)
	case "tcdp":
		t = dp.TCDP(q.Level, q.Order)
	case "renyi":
		t = dp.RenyiDP(q.Order, q.Level)
	default:
		return t, &Mistake{"notion", "want pure, approx, zcdp, tcdp or renyi"}
	}
	if q.Adjacency != "" {
		var a dp.Adjacency
		if err := a.UnmarshalText([]byte(q.Adjacency)); err != nil {
			return t, err
		}
		t = t.Under(a)
	}
	return t, t.Valid()
}

// chosen is the mechanism asked for, with its descriptor.
func (q *Question) chosen(sh *model.Shape) (c mechanism.Choice, d mechanism.Descriptor, err error) {
	var titles []string
	for _, d := range catalog.All() {
		if d.Choices == nil {
			continue
		}
		list := q.fitting(d, sh)
		if len(list) == 0 {
			continue
		}
		titles = append(titles, d.Title)
		if d.Title != q.Mechanism && q.Mechanism != "" {
			continue
		}
		i := max(0, slices.IndexFunc(list, func(c mechanism.Choice) bool { return c.Name == q.Choice }))
		return list[i], d, nil
	}
	return c, d, &Mistake{"mechanism", "want one of those for this model: " + strings.Join(titles, ", ")}
}

// fitting are a mechanism's choices that support a shape; the one that the command line makes comes first.
func (q *Question) fitting(d mechanism.Descriptor, sh *model.Shape) []mechanism.Choice {
	list := slices.DeleteFunc(d.Choices(sh), func(c mechanism.Choice) bool { return c.Mechanism.Supports(sh) != nil })
	usual := d.New(mechanism.Options{Delta: q.Delta, Count: 1})
	i := slices.IndexFunc(list, func(c mechanism.Choice) bool { return reflect.DeepEqual(c.Mechanism, usual) })
	if i > 0 {
		list[0], list[i] = list[i], list[0]
	}
	return list
}
