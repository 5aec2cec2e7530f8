package mechanism

import (
	"context"
	"encoding/json"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

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

// Describe describes a mechanism that has a [Front], by what the front says: the kind, the title, how to rebuild. It has
// one row in comparisons of the shapes that it supports, unless its Choices are set afterwards. Name is the Go expression
// that makes it, but for its parentheses.
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
