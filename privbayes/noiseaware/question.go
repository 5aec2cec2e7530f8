package noiseaware

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// Event is a level for each of some columns: {"smoke": "yes", "lung": "no"}.
type Event map[string]string

// words are the levels in the order of the columns' names.
func (e Event) words() string {
	var out []string
	for _, c := range slices.Sorted(maps.Keys(e)) {
		out = append(out, safetext.Line(c)+" = "+safetext.Line(e[c]))
	}
	return strings.Join(out, ", ")
}

// key tells events apart whatever their names hold.
func (e Event) key() string {
	out := ""
	for _, c := range slices.Sorted(maps.Keys(e)) {
		out += fmt.Sprintf("%q=%q,", c, e[c])
	}
	return out
}

// Question is a number that every network over the columns has. Values come from [Probability] and what is made of
// those, and from [Function].
type Question struct {
	name    string
	key     string // equal for equal questions; a function's is its own
	compile func(d *bayesnet.DAG) (evaluator, error)
	ratio   bool // 1, not 0, is no effect
	heavy   bool // its posterior mean and variance need not exist: a ratio, and what is made of one
}

// evaluator finds the number; it is called from several goroutines.
type evaluator func(*bayesnet.Net) (float64, error)

// Probability is P(of | given): the share of records with the levels of among those with the levels given, all records
// where nothing is given. Several events given are taken together. Asking gives *bayesnet.Error for columns and levels
// that there are not, *dp.ParameterError for an empty event and for a column that is looked at and given.
func Probability(of Event, given ...Event) *Question {
	all := Event{}
	clash := ""
	for _, g := range given {
		for c, l := range g {
			if old, twice := all[c]; twice && old != l {
				clash = c
			}
			all[c] = l
		}
	}
	of = maps.Clone(of)
	name := "P(" + of.words() + ")"
	if len(all) > 0 {
		name = "P(" + of.words() + " | " + all.words() + ")"
	}
	return &Question{name: name, key: "P(" + of.key() + "|" + all.key() + ")" + clash,
		compile: func(d *bayesnet.DAG) (evaluator, error) {
			if clash != "" {
				return nil, domain.Refuse("noiseaware", "given", safetext.Short(clash)+" with two levels",
					"one level for every column")
			}
			return eventShare(d, of, all)
		}}
}

func eventShare(d *bayesnet.DAG, of, given Event) (evaluator, error) {
	if len(of) == 0 {
		return nil, domain.Refuse("noiseaware", "event", "empty", "a level of a column at least")
	}
	evidence, err := codes(d, given)
	if err != nil {
		return nil, err
	}
	hit, err := codes(d, of)
	if err != nil {
		return nil, err
	}
	joint := maps.Clone(evidence)
	for node, code := range hit {
		if _, both := given[d.Node(node).Name]; both {
			return nil, domain.Refuse("noiseaware", "event", safetext.Short(d.Node(node).Name)+" is looked at and given",
				"a column in one of them")
		}
		joint[node] = code
	}
	if len(hit) == 1 {
		for node, code := range hit {
			return func(net *bayesnet.Net) (float64, error) {
				p, err := net.Query([]int{node}, evidence)
				if err != nil {
					return 0, err
				}
				return p[code], nil
			}, nil
		}
	}
	return func(net *bayesnet.Net) (float64, error) {
		a, err := net.LogEvidence(joint)
		if err != nil || len(evidence) == 0 {
			return math.Exp(a), err
		}
		b, err := net.LogEvidence(evidence)
		return math.Exp(a - b), err
	}, nil
}

// codes are nodes and states by number: *bayesnet.Error.
func codes(d *bayesnet.DAG, e Event) (map[int]int, error) {
	out := map[int]int{}
	for name, level := range e {
		node, err := nodeOf(d, name)
		if err != nil {
			return nil, err
		}
		code := slices.Index(d.Node(node).States, level)
		if code < 0 {
			return nil, &bayesnet.Error{Node: name, Field: "level", Value: level, Want: oneOf(d.Node(node).States)}
		}
		out[node] = code
	}
	return out, nil
}

// Difference is a − b, as of two probabilities: the risk difference.
func Difference(a, b *Question) *Question {
	return both(a, b, "%s − %s", "-", false, func(x, y float64) float64 { return x - y })
}

// Ratio is a/b, as of two probabilities: the relative risk. Where b may be 0 its posterior mean is infinite, whatever
// the draws' average: Answers shows its median.
func Ratio(a, b *Question) *Question {
	return both(a, b, "%s / %s", "/", true, func(x, y float64) float64 { return x / y })
}

// OddsRatio is a/(1 − a) over b/(1 − b) of two probabilities. Answers shows its median; its Log has a mean.
func OddsRatio(a, b *Question) *Question {
	return both(a, b, "odds of %s / of %s", "or", true, func(x, y float64) float64 { return x / (1 - x) / (y / (1 - y)) })
}

func both(a, b *Question, name, sign string, ratio bool, of func(x, y float64) float64) *Question {
	if a == nil || b == nil {
		return &Question{name: "nothing", key: "nil", compile: func(*bayesnet.DAG) (evaluator, error) {
			return nil, domain.Refuse("noiseaware", "question", nil, "one from Probability or Function")
		}}
	}
	return &Question{name: fmt.Sprintf(name, a.name, b.name), key: "(" + a.key + ")" + sign + "(" + b.key + ")",
		ratio: ratio, heavy: ratio || a.heavy || b.heavy,
		compile: func(d *bayesnet.DAG) (evaluator, error) {
			f, err := a.compile(d)
			if err != nil {
				return nil, err
			}
			g, err := b.compile(d)
			if err != nil {
				return nil, err
			}
			return func(net *bayesnet.Net) (float64, error) {
				x, err := f(net)
				if err != nil {
					return 0, err
				}
				y, err := g(net)
				return of(x, y), err
			}, nil
		}}
}

// Function is any function of the network: it must depend on nothing else, be safe to call from several goroutines, and
// give a number for every network with probabilities above 0. Two of them are two questions, also under one name. Where
// it panics, asking gives a *PanicError.
func Function(name string, of func(*bayesnet.Net) float64) *Question {
	q := &Question{name: safetext.Line(name), compile: func(*bayesnet.DAG) (evaluator, error) {
		if of == nil {
			return nil, domain.Refuse("noiseaware", "function", nil, "a function of the network")
		}
		return func(net *bayesnet.Net) (x float64, err error) {
			defer recovered(name, &err)
			return of(net), nil
		}, nil
	}}
	q.key = fmt.Sprint("f", functions.Add(1))
	return q
}

// functions counts the functions that were made questions.
var functions atomic.Uint64

// Named is the same question under another name.
func (q *Question) Named(name string) *Question {
	c := *q
	c.name = safetext.Line(name)
	return &c
}

// String is the name.
func (q *Question) String() string { return q.name }

// Log is the natural logarithm of the question's number, as of an odds ratio; 0 where there is no effect.
func (q *Question) Log() *Question {
	return &Question{name: "ln " + q.name, key: "ln(" + q.key + ")", compile: func(d *bayesnet.DAG) (evaluator, error) {
		f, err := q.compile(d)
		if err != nil {
			return nil, err
		}
		return func(net *bayesnet.Net) (float64, error) {
			x, err := f(net)
			return math.Log(x), err
		}, nil
	}}
}

// Of is the question's number for one network, such as the truth of a simulation. Errors: as Answers.
func (q *Question) Of(net *bayesnet.Net) (float64, error) {
	f, err := q.compile(net.DAG())
	if err != nil {
		return 0, err
	}
	return f(net)
}
