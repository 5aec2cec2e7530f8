package noise

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// Family is the noise distributions of one name, of which a plan takes the least that meets its level.
type Family interface {
	// Name stands in files. That of a family from elsewhere begins with its module's path.
	Name() string
	// Least is the least noise for the level, rounded toward privacy, on counts of which one unit changes cells, each by
	// at most rows; met is false where the widest noise, which is returned then, does not meet it.
	Least(ctx context.Context, cells, rows int, want dp.Parameters) (d Distribution, met bool, err error)
	// Parse reads the JSON of a distribution, strictly. Errors: those of JSON, *dp.ParameterError.
	Parse(text []byte) (Distribution, error)
}

// OneParameter is a family with one parameter, whose distributions have the parameter as their JSON.
type OneParameter struct {
	Named  string
	Search Search // but for its Pair
	// Of is the distribution of a parameter: *dp.ParameterError outside the sampler's range.
	Of func(r Rational) (Distribution, error)
	// PairAt is the pair of a distribution of any parameter x.
	PairAt func(x float64, cells, rows int) loss.Pair
}

// Name is its name in files.
func (f OneParameter) Name() string { return f.Named }

// Least searches.
func (f OneParameter) Least(ctx context.Context, cells, rows int, want dp.Parameters) (Distribution, bool, error) {
	s := f.Search
	s.Pair = func(x float64) loss.Pair { return f.PairAt(x, cells, rows) }
	r, met, err := s.Least(ctx, want)
	if err != nil {
		return nil, false, err
	}
	d, err := f.Of(r)
	return d, met, err
}

// Parse reads a parameter.
func (f OneParameter) Parse(text []byte) (Distribution, error) {
	var r Rational
	if err := cert.Decode(text, &r); err != nil {
		return nil, domain.Refuse("noise", f.Named, safetext.Short(string(text)), "its parameter, {\"num\": …, \"den\": …}")
	}
	if err := r.Valid(); err != nil {
		return nil, err
	}
	return f.Of(r)
}

// families are the distributions that files name.
var families = map[string]Family{}

func init() {
	for _, f := range []Family{GeometricFamily, GaussianFamily, LaplaceFamily} {
		Register(f)
	}
}

// Register makes a family known to whoever reads files. It panics where the name is empty or taken: a programming error
// at start-up.
func Register(f Family) {
	if _, taken := families[f.Name()]; taken || f.Name() == "" {
		panic("noise: a family without a name of its own: " + f.Name())
	}
	families[f.Name()] = f
}

// Named is a distribution in a file: the name of its family, and its JSON.
type Named struct {
	Family string          `json:"law"`
	Params json.RawMessage `json:"size"`
}

// NamedAs is a distribution of a family, for a file.
func NamedAs(family string, d Distribution) (Named, error) {
	text, err := json.Marshal(d)
	return Named{family, text}, err
}

// Distribution reads it: *dp.ParameterError of an unknown family, the errors of its Parse.
func (n Named) Distribution() (Distribution, error) {
	f, ok := families[n.Family]
	if !ok {
		return nil, domain.Refuse("noise", "law", safetext.Short(n.Family),
			strings.Join([]string{GeometricFamily.Named, GaussianFamily.Named, "or a family whose package is imported"}, ", "))
	}
	return f.Parse(n.Params)
}

// of is a distribution of a sampler that was checked.
func of[D Distribution](d D, err error) (Distribution, error) {
	if err != nil {
		return nil, err
	}
	return d, nil
}

// shown says a parameter.
func shown(symbol string, r Rational) string {
	return fmt.Sprintf("%s = %s = %.6g", symbol, r, r.Float())
}
