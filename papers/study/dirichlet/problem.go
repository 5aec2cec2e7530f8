package dirichlet

import (
	"context"
	"fmt"
	"sync"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Task is what is fitted.
type Task string

// The tasks.
const (
	NaiveBayes Task = "naive-bayes"
	Network    Task = "network"
)

// problem is one model on one split: its public shape, its private counts, and the held-out records.
type problem struct {
	task       Task
	shape      *model.Shape
	extended   *model.Shape // of naive Bayes: with the class counts as one more table
	statistics *model.Statistics
	withClass  *model.Statistics // of extended
	tables     [][]int64         // of shape
	rows       []int             // conditional distributions of every table
	class      []int64           // of naive Bayes: records of every class
	// of every table: the cell of every held-out record; of naive Bayes: the level of every feature
	test    [][]int
	labels  []int // of naive Bayes: the held-out classes
	records int   // held out
}

// sources reads every data set once.
type sources struct {
	mu     sync.Mutex
	frames map[string]*frame.Frame
}

func (s *sources) open(ctx context.Context, name string) (*frame.Frame, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.frames[name]; f != nil {
		return f, nil
	}
	r, schema, err := data.OpenStudy(name)
	if err != nil {
		return nil, err
	}
	f, err := frame.Read(ctx, r, name, schema)
	if err != nil {
		return nil, err
	}
	if s.frames == nil {
		s.frames = map[string]*frame.Frame{}
	}
	s.frames[name] = f
	return f, nil
}

// binner puts both parts of a split under the bins of the run.
type binner func(train, test *frame.Frame) (btrain, btest *frame.Frame, err error)

func (b Bins) binner() binner {
	return func(train, test *frame.Frame) (*frame.Frame, *frame.Frame, error) {
		if b == Quantile {
			return frame.QuantileSplit(train, test, QuantileBins)
		}
		return train, test, nil
	}
}

// split makes the problem of one seed.
func split(f *frame.Frame, name string, task Task, bin binner, seed int) (*problem, error) {
	train, test, err := f.Split(fraction, uint64(seed)+1)
	if err != nil {
		return nil, err
	}
	if train, test, err = bin(train, test); err != nil {
		return nil, err
	}
	info, err := data.StudyInfo(name)
	if err != nil {
		return nil, err
	}
	p := &problem{task: task, records: test.Len()}
	var m model.Model = model.NaiveBayes(info.Target, varying(train.Schema(), info.Target)...)
	if task == Network {
		if m, err = networkModel(name); err != nil {
			return nil, err
		}
	}
	if p.shape, err = model.NewShape(train.Schema(), m, train.Len(), true, ""); err != nil {
		return nil, err
	}
	if p.statistics, err = model.Count(p.shape, train); err != nil {
		return nil, err
	}
	p.tables = p.statistics.Open(seal.Mine())
	for _, t := range p.shape.Tables() {
		p.rows = append(p.rows, t.Cells()/t.Levels[len(t.Levels)-1])
	}
	if task == Network {
		return p, p.locate(test)
	}
	if err := p.extend(train, info.Target); err != nil {
		return nil, err
	}
	return p, p.hold(test, info.Target)
}

// constant is a feature that every record has at its first level: the first cells of its table are the class counts.
const constant = "(records)"

// extend adds the class counts as a table. Its second level holds no record; its noise is drawn and left out.
func (p *problem) extend(train *frame.Frame, target string) error {
	var err error
	if p.class, err = train.CountPrivate(target); err != nil {
		return err
	}
	s := p.shape.Schema().Clone()
	s.Columns = append(s.Columns, frame.Categorical(constant, "present", "absent"))
	if p.extended, err = model.NewShape(s, model.NaiveBayes(target, append(p.features(), constant)...), train.Len(),
		true, ""); err != nil {
		return err
	}
	last := make([]int64, 2*len(p.class))
	for j, c := range p.class {
		last[2*j] = c
	}
	p.withClass, err = model.FromCounts(p.extended, append(append([][]int64(nil), p.tables...), last))
	return err
}

// hold keeps the codes of the held-out records, features in the order of the tables.
func (p *problem) hold(test *frame.Frame, target string) error {
	for _, c := range append([]string{target}, p.features()...) {
		codes, err := test.Codes(c)
		if err != nil {
			return err
		}
		column := make([]int, p.records)
		for i := range column {
			column[i] = codes.At(i)
		}
		if p.labels == nil {
			p.labels = column
		} else {
			p.test = append(p.test, column)
		}
	}
	return nil
}

// varying lists the features with more than one level: quantile bins leave one of some.
func varying(s *frame.Schema, target string) (names []string) {
	for _, c := range s.Columns {
		if c.Name != target && c.Levels() > 1 {
			names = append(names, c.Name)
		}
	}
	return names
}

func (p *problem) features() (names []string) {
	for _, c := range p.shape.Columns()[1:] {
		names = append(names, c.Name)
	}
	return names
}

// locate finds the cell of every held-out record in every family's table.
func (p *problem) locate(test *frame.Frame) error {
	for _, t := range p.shape.Tables() {
		cells := make([]int, p.records)
		for k, name := range t.Columns {
			codes, err := test.Codes(name)
			if err != nil {
				return err
			}
			if codes.Levels != t.Levels[k] {
				return fmt.Errorf("study: column %q has %d levels in the held-out rows, %d in the shape", name,
					codes.Levels, t.Levels[k])
			}
			for i := range cells {
				cells[i] = cells[i]*t.Levels[k] + codes.At(i)
			}
		}
		p.test = append(p.test, cells)
	}
	return nil
}
