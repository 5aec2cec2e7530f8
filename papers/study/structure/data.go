// Package structure is the study of learned structures: how near synthetic tables come to the table that they were
// learned from, on the four tables on which the constants of the algorithm were chosen and on tables that were held
// out, and whether plans decide well whether to learn at all.
//
// [Releases] are drawn from seeds by the plans of the library (package mechanism/structure): where a plan declines, by
// one that always learns, and next to both by one that never does, which releases every column by itself.
//
// A synthetic table of as many rows as were estimated is dealt from the fitted network (bayesnet.Net.ExactCounts) and scored
// against the training rows by the mean total variation of columns, pairs and triples, against held-out rows by
// log-likelihood and by a logistic regression trained on the synthetic rows, and, where a network made the rows, by its
// edges. [Committed] are the results of
//
//	go test ./papers/study/structure -run TestFull -write -timeout 0
//
// which needs Adult, Bank, Titanic and the networks of data.External. `make check` runs a small part live.
package structure

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Set is a table of the study with what is known of it.
type Set struct {
	Name        string
	Train, Test *frame.Frame
	Target      string      // the column that downstream classifiers predict
	Edges       [][2]string // of the network that made the rows, where there is one
}

// tuned are the tables on which the constants of the algorithm were chosen.
var tuned = []string{"adult", "alarm", "votes", "german"}

// Names lists the tables: the four on which the constants of the algorithm were chosen, then those that were held out.
func Names() []string {
	return []string{"adult", "alarm", "votes", "german", "shopper", "bank", "titanic", "child"}
}

// Load reads a table of the study. Adult, Titanic and the networks are not embedded: see data.External. Errors: those
// of reading, and a *data.NotFoundError.
func Load(ctx context.Context, name string) (*Set, error) {
	switch name {
	case "adult":
		return adult(ctx)
	case "votes":
		return embedded(ctx, name, "votes", "Class")
	case "german":
		return embedded(ctx, name, "german_credit", "class")
	case "shopper":
		return embedded(ctx, name, "shopper", "Revenue")
	case "titanic":
		return titanic(ctx)
	case "alarm":
		return network(name, "BP", 10000)
	case "bank":
		return original(ctx, name, "y")
	case "child":
		return network(name, "BirthAsphyxia", 10000)
	}
	return nil, fmt.Errorf("structure: no table %q; want one of %s", name, strings.Join(Names(), ", "))
}

func embedded(ctx context.Context, name, file, target string) (*Set, error) {
	r, schema, err := data.Open(file)
	if err != nil {
		return nil, err
	}
	f, err := frame.Read(ctx, r, file, schema)
	if err != nil {
		return nil, err
	}
	return split(name, f, target)
}

// original is a table of the Dirichlet study under its schema.
func original(ctx context.Context, name, target string) (*Set, error) {
	r, schema, err := data.OpenStudy(name)
	if err != nil {
		return nil, err
	}
	f, err := frame.Read(ctx, r, name, schema)
	if err != nil {
		return nil, err
	}
	return split(name, f, target)
}

// split takes seven tenths of the rows for training.
func split(name string, f *frame.Frame, target string) (*Set, error) {
	train, test, err := f.Split(0.7, 1)
	if err != nil {
		return nil, err
	}
	return &Set{Name: name, Train: train, Test: test, Target: target}, nil
}

// evenly cuts a range into bins of one width.
func evenly(lo, hi float64, bins int) []float64 {
	e := make([]float64, bins+1)
	for i := range e {
		e[i] = lo + (hi-lo)*float64(i)/float64(bins)
	}
	return e
}

// adult is UCI Adult with its own division of rows, all 14 features and 16 bins of one width for each number: public
// bounds, and values beyond them moved to the nearest.
func adult(ctx context.Context) (*Set, error) {
	r, schema, err := data.OpenStudy("adult")
	if err != nil {
		return nil, err
	}
	number := func(name string, lo, hi float64) frame.Column {
		c := frame.Integer(name, evenly(lo, hi, 16)...)
		c.OnOutOfDomain = frame.DomainClamp
		return c
	}
	columns := map[string]frame.Column{
		"age": number("age", 17, 97), "education-num": number("education-num", 1, 17),
		"capital-gain": number("capital-gain", 0, 100000), "capital-loss": number("capital-loss", 0, 4400),
		"hours-per-week": number("hours-per-week", 1, 100),
	}
	s := schema.Clone()
	for i, c := range s.Columns {
		if own, ok := columns[c.Name]; ok {
			s.Columns[i] = own
		}
	}
	at := slices.IndexFunc(s.Columns, func(c frame.Column) bool { return c.Name == "education" })
	s.Columns = slices.Insert(s.Columns, at, number("fnlwgt", 0, 1600000))
	f, err := frame.Read(ctx, r, "adult", s)
	if err != nil {
		return nil, err
	}
	rows := make([]int, f.Len())
	for i := range rows {
		rows[i] = i
	}
	train, err := f.Rows(rows[:32561])
	if err != nil {
		return nil, err
	}
	test, err := f.Rows(rows[32561:])
	return &Set{Name: "adult", Train: train, Test: test, Target: "income"}, err
}

// network draws rows of a published network.
func network(name, target string, n int) (*Set, error) {
	path, err := data.External("networks/" + name + ".bif")
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	_, net, err := bayesnet.ReadBIF(file)
	if err != nil {
		return nil, err
	}
	const tests = 5000
	codes := make([][]uint16, net.DAG().Len())
	for i := range codes {
		codes[i] = make([]uint16, n+tests)
	}
	if err := net.Sample(n+tests, rand.NewPCG(5, 5), codes); err != nil {
		return nil, err
	}
	s := model.SchemaOf(name, net.DAG())
	set := &Set{Name: name, Target: target}
	for i := range codes {
		for _, p := range net.DAG().Parents(i) {
			set.Edges = append(set.Edges, [2]string{net.DAG().Node(p).Name, net.DAG().Node(i).Name})
		}
	}
	if set.Train, err = coded(s, codes, 0, n); err != nil {
		return nil, err
	}
	set.Test, err = coded(s, codes, n, n+tests)
	return set, err
}

// coded makes a frame of categories from codes.
func coded(s *frame.Schema, codes [][]uint16, lo, hi int) (*frame.Frame, error) {
	cols := map[string]any{}
	for i, c := range s.Columns {
		labels, out := c.Labels(), make([]string, 0, hi-lo)
		for _, k := range codes[i][lo:hi] {
			out = append(out, labels[k])
		}
		cols[c.Name] = out
	}
	return frame.FromColumns(s, cols)
}

// titanic is the people on board by class, sex, age and fate.
func titanic(ctx context.Context) (*Set, error) {
	path, err := data.External("small/titanic.csv")
	if err != nil {
		return nil, err
	}
	f, err := frame.Load(ctx, path, titanicSchema())
	if err != nil {
		return nil, err
	}
	return split("titanic", f, "Survived")
}

func titanicSchema() *frame.Schema {
	return &frame.Schema{Dataset: "titanic", Columns: []frame.Column{
		frame.Categorical("Class", "1st", "2nd", "3rd", "Crew"), frame.Categorical("Sex", "Male", "Female"),
		frame.Categorical("Age", "Child", "Adult"), frame.Categorical("Survived", "No", "Yes"),
	}}
}

// Coded is a table as codes, one column of bytes for each variable: what the study compares.
type Coded struct {
	Names   []string
	Levels  []int
	Columns [][]uint8
	Rows    int
}

// Code takes the codes of all columns of a frame. Errors: those of frame.Frame.Codes, or a column of more than 256
// levels.
func Code(f *frame.Frame) (*Coded, error) {
	c := &Coded{Rows: f.Len()}
	for _, col := range f.Schema().Columns {
		codes, err := f.Codes(col.Name)
		if err != nil {
			return nil, err
		}
		if codes.U8 == nil && f.Len() > 0 {
			return nil, fmt.Errorf("structure: column %s has %d levels; want at most 256", col.Name, codes.Levels)
		}
		c.Names, c.Levels = append(c.Names, col.Name), append(c.Levels, codes.Levels)
		c.Columns = append(c.Columns, codes.U8)
	}
	return c, nil
}

// counts are the contingency tables of sets of columns.
func (c *Coded) counts(sets [][]int) ([][]int64, error) {
	counter, err := frame.NewCounter(c.Levels, sets)
	if err != nil {
		return nil, err
	}
	codes := make([]frame.Codes, len(c.Columns))
	for i, col := range c.Columns {
		codes[i] = frame.Codes{Levels: c.Levels[i], U8: col}
	}
	if err := counter.Add(codes, c.Rows); err != nil {
		return nil, err
	}
	return counter.Tables(), nil
}

// subsets are all sets of k of d columns, ascending.
func subsets(d, k int) [][]int {
	if k == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for last := k - 1; last < d; last++ {
		for _, s := range subsets(last, k-1) {
			out = append(out, append(s[:len(s):len(s)], last))
		}
	}
	return out
}

// distance is the total variation of two tables of counts, each divided by its total.
func distance(a, b []int64) float64 {
	na, nb := 0.0, 0.0
	for i := range a {
		na += float64(a[i])
		nb += float64(b[i])
	}
	sum := 0.0
	for i := range a {
		sum += math.Abs(float64(a[i])/na - float64(b[i])/nb)
	}
	return sum / 2
}
