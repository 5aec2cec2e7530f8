package noiseaware

import (
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// place says which probability a parameter is: of a level of the target, or of a feature given a class.
type place struct {
	feature, class string // empty: the target's
	j, level       int    // the numbers of class and level
}

func (at place) conditional() bool { return at.feature != "" }

func oneFeature(params []Parameter) bool {
	return !slices.ContainsFunc(params, func(q Parameter) bool { return q.at.feature != params[0].at.feature })
}

func oneClass(params []Parameter) bool {
	return !slices.ContainsFunc(params, func(q Parameter) bool { return q.at.class != params[0].at.class })
}

// ByClass lists, under naive Bayes, the probability of one level of a feature given each class. Errors:
// *dp.ParameterError.
func (p *Posterior) ByClass(feature, level string) ([]Parameter, error) {
	return p.across("feature", feature, level, func(at place) string { return at.feature })
}

// ByFeature lists, under naive Bayes, the probability of one level given a class, of every feature that has such a
// level. Errors: *dp.ParameterError.
func (p *Posterior) ByFeature(class, level string) ([]Parameter, error) {
	return p.across("class", class, level, func(at place) string { return at.class })
}

func (p *Posterior) across(what, name, level string, of func(place) string) ([]Parameter, error) {
	var out []Parameter
	var names, levels []string
	for _, q := range p.params {
		switch {
		case !q.at.conditional():
		case of(q.at) != name:
			names = append(names, of(q.at))
		case q.Label != level:
			levels = append(levels, q.Label)
		default:
			out = append(out, q)
		}
	}
	switch {
	case len(out) > 0:
		return out, nil
	case len(levels) > 0:
		return nil, domain.Refuse("noiseaware", "level given "+name, fmt.Sprintf("%q", level), oneOf(distinct(levels)))
	case len(names) > 0:
		return nil, domain.Refuse("noiseaware", what, fmt.Sprintf("%q", name), oneOf(distinct(names)))
	}
	return nil, domain.Refuse("noiseaware", what, fmt.Sprintf("%q", name), "a release of a NaiveBayes model")
}

// distinct keeps the first of equal names.
func distinct(names []string) (out []string) {
	for _, s := range names {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Place says which probability this is, by numbers: of a level of a feature given a class, or, with feature "", of a
// level of the target. Numbers follow the order of the schema's categories or bins.
func (q Parameter) Place() (feature string, class, level int) {
	return q.at.feature, q.at.j, q.at.level
}
