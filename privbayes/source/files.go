package source

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// csvFiles is a table in CSV files that is read for every answer and never kept.
type csvFiles struct {
	schema *frame.Schema
	paths  []string
	pins   []pin
	part   *Part

	mu   sync.Mutex
	size *Size
}

// pin is what a file was when the source was made.
type pin struct {
	file os.FileInfo
	size int64
	time time.Time
}

// Files is a table in CSV or CSV.gz files, read like frame.LoadShards reads them, but without keeping a row: memory
// does not grow with the table. Size reads the files once to count their records, and every call of Statistics reads
// them once more, on all processors; [Counted] reads them once for both, and [StatisticsOf] once for several shapes. A
// pattern such as "data/*.csv.gz" names the files that match it, in lexical order. The files are pinned: one that has
// another size or time later is refused with *model.ChangedError, and a file that is named twice, by another path or a
// link, right away. Errors: *frame.FileError, *frame.SchemaError, an argument error for no file or a file named twice.
func Files(s *frame.Schema, paths ...string) (Divisible, error) {
	if s == nil {
		return nil, domain.Refuse("Files", "schema", "none", "a public schema of the table")
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	f := &csvFiles{schema: s.Clone()}
	for _, path := range paths {
		found := []string{path}
		if _, err := os.Stat(path); err != nil && strings.ContainsAny(path, "*?[") {
			if found, err = filepath.Glob(path); err != nil || len(found) == 0 {
				return nil, &frame.FileError{File: path, Want: "a pattern that some file matches", Err: err}
			}
		}
		f.paths = append(f.paths, found...)
	}
	if len(f.paths) == 0 {
		return nil, domain.Refuse("Files", "paths", "none", "at least one file")
	}
	for _, path := range f.paths {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return nil, &frame.FileError{File: path, Want: "a readable CSV or CSV.gz file", Err: err}
		}
		if slices.ContainsFunc(f.pins, func(p pin) bool { return os.SameFile(p.file, info) }) {
			return nil, domain.Refuse("Files", "paths", safetext.Short(path)+" twice",
				"each file once, so that no row counts twice")
		}
		f.pins = append(f.pins, pin{info, info.Size(), info.ModTime()})
	}
	return f, nil
}

// unchanged compares the files with their pins.
func (f *csvFiles) unchanged() error {
	for i, path := range f.paths {
		info, err := os.Stat(path)
		p := f.pins[i]
		if err != nil || !os.SameFile(info, p.file) || info.Size() != p.size || !info.ModTime().Equal(p.time) {
			return &model.ChangedError{}
		}
	}
	return nil
}

func (f *csvFiles) Schema() *frame.Schema { return f.schema.Clone() }

func (f *csvFiles) Rows() frame.Selection {
	if f.part != nil {
		return frame.OfFiles(f.paths, f.part.Step())
	}
	return frame.OfFiles(f.paths)
}

// Part is the source of the rows of a part.
func (f *csvFiles) Part(p Part) (Source, error) {
	if f.part != nil {
		return nil, domain.Refuse("SplitByKey", "rows", f.part.Step().String(), "rows that are not divided yet")
	}
	if p.Column != f.schema.UnitKey && !f.schema.ExtraColumns {
		if _, _, err := f.schema.Column(p.Column); err != nil {
			return nil, err
		}
	}
	return &csvFiles{schema: f.schema, paths: f.paths, pins: f.pins, part: &p}, nil
}

// Size counts the records, or the units where their rows are capped.
func (f *csvFiles) Size(ctx context.Context) (Size, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.size != nil {
		return *f.size, nil
	}
	if f.part != nil {
		return Size{PrivateBy: frame.SplitByKey}, nil
	}
	size, err := f.count(ctx)
	if err == nil {
		err = f.unchanged()
	}
	if err != nil {
		return Size{}, err
	}
	f.size = &size
	return size, nil
}

func (f *csvFiles) count(ctx context.Context) (Size, error) {
	if err := f.unchanged(); err != nil {
		return Size{}, err
	}
	capped, public := f.schema.CapsRows()
	if !capped {
		rows, err := f.pass().Count(ctx, access.Mine())
		return Size{N: rows}, f.public(err)
	}
	if !public {
		return SizeOf(f.schema, 0, 0), nil
	}
	units, err := frame.NewUnitCap(access.Mine(), max(f.schema.RowsPerUnit, 1))
	if err != nil {
		return Size{}, err
	}
	p := f.pass()
	p.Texts, p.Keep = []string{f.schema.UnitKey}, func(texts [][]byte) (bool, error) {
		units.Add(texts[0])
		return false, nil
	}
	if _, err := p.Run(ctx, access.Mine()); err != nil {
		return Size{}, f.public(err)
	}
	return SizeOf(f.schema, 0, units.Units()), nil
}

func (f *csvFiles) pass() frame.Pass {
	return frame.Pass{Schema: f.schema, Paths: f.paths,
		Sink: func() func(*frame.Block) error { return func(*frame.Block) error { return nil } }}
}

// Statistics reads the files once, into one tally for every goroutine.
func (f *csvFiles) Statistics(ctx context.Context, sh *model.Shape) (*model.Statistics, error) {
	t, err := f.read(ctx, sh)
	if err != nil {
		return nil, err
	}
	return t[0].Statistics(f.Rows())
}

// read is a tally of the files for each shape, which do not change meanwhile. Where rows are capped there is one shape.
func (f *csvFiles) read(ctx context.Context, shapes ...*model.Shape) ([]*model.Tally, error) {
	for _, sh := range shapes {
		if err := Fits(f, sh); err != nil {
			return nil, err
		}
	}
	if err := f.unchanged(); err != nil {
		return nil, err
	}
	t, err := f.tally(ctx, shapes)
	if err != nil {
		return nil, err
	}
	return t, f.unchanged()
}

func (f *csvFiles) tally(ctx context.Context, shapes []*model.Shape) ([]*model.Tally, error) {
	total, err := f.tallies(shapes)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, t := range total {
		for i, c := range t.shape.Columns() {
			wanted[c.Name] = wanted[c.Name] || t.Values(i)
		}
	}
	p, parts, failed := f.pass(), [][]columnTally{}, error(nil)
	p.Values = func(column string) bool { return wanted[column] }
	p.Sink = func() func(*frame.Block) error {
		part, err := f.tallies(shapes)
		if err != nil {
			failed = err
		}
		parts = append(parts, part)
		return func(b *frame.Block) error {
			for _, t := range part {
				if err := t.block(b); err != nil {
					return err
				}
			}
			return failed
		}
	}
	if err := capsPlainly(f.schema); err != nil {
		return nil, err
	}
	units, err := f.keeps(&p, shapes[0])
	if err != nil {
		return nil, err
	}
	if _, err := p.Run(ctx, access.Mine()); err != nil {
		return nil, f.public(err)
	}
	out := make([]*model.Tally, len(total))
	for i := range total {
		out[i] = total[i].Tally
		for _, part := range parts {
			if err := out[i].Merge(part[i].Tally); err != nil {
				return nil, err
			}
		}
	}
	if units != nil {
		return out, units.AddTo(out[0])
	}
	return out, nil
}

// columnTally is a tally, and the places of its columns in the schema.
type columnTally struct {
	*model.Tally
	shape  *model.Shape
	at     []int
	codes  []frame.Codes
	values [][]float64
}

// tallies are empty ones of the shapes.
func (f *csvFiles) tallies(shapes []*model.Shape) (out []columnTally, err error) {
	for _, sh := range shapes {
		k := len(sh.Columns())
		t := columnTally{shape: sh, at: make([]int, k), codes: make([]frame.Codes, k), values: make([][]float64, k)}
		if t.Tally, err = model.NewTally(access.Mine(), sh); err != nil {
			return nil, err
		}
		for i, c := range sh.Columns() {
			if _, t.at[i], err = f.schema.Column(c.Name); err != nil {
				return nil, err
			}
		}
		out = append(out, t)
	}
	return out, nil
}

// block adds rows. Values of a column that another model wants are left out.
func (t columnTally) block(b *frame.Block) error {
	for i, k := range t.at {
		if t.codes[i] = b.Codes[k]; t.Values(i) {
			t.values[i] = b.Values[k]
		}
	}
	return t.Block(b.Rows, t.codes, t.values)
}

// public takes the values and places of rows out of an error of reading: read the files as a frame to find them.
func (f *csvFiles) public(err error) error {
	var e *frame.ValueError
	switch {
	case !errors.As(err, &e):
		return err
	case e.Column == "": // a record as a whole
		return &frame.FileError{File: e.File, Want: e.Want}
	case e.Column == f.schema.UnitKey && e.Value == "":
		return noUnit(e.File, f.schema)
	}
	coder, failed := frame.NewCoder(access.Mine(), f.schema, e.Column)
	if failed != nil { // a sequence
		return &frame.OutOfDomainError{Source: e.File, Column: e.Column, Want: "a value of the column's domain"}
	}
	return coder.Refusal(e.File)
}

// capsPlainly refuses schemas under which the text of a field is not all that decides what it means, where rows of
// units are capped by their texts: marks for missing values that are values between quotes, and marks in numbers
// but a decimal point. A frame reads them.
func capsPlainly(s *frame.Schema) error {
	if capped, _ := s.CapsRows(); !capped {
		return nil
	}
	const use = "none together with a unit key, or LoadShards, which keeps the rows"
	if f := s.Format; f != nil && (f.Decimal == "," || f.Thousands != "") {
		return &frame.SchemaError{Field: "format", Value: "a decimal comma, or a mark for thousands", Want: use}
	}
	for _, c := range s.Columns {
		if c.QuotedMissing != "" {
			return &frame.SchemaError{Column: c.Name, Field: "quoted_missing", Value: c.QuotedMissing, Want: use}
		}
	}
	return nil
}

// keeps makes a pass keep the rows of the part; where rows of units are capped, Units takes them instead.
func (f *csvFiles) keeps(p *frame.Pass, sh *model.Shape) (*Units, error) {
	var units *Units
	if capped, _ := f.schema.CapsRows(); capped {
		var err error
		if units, err = NewUnits(access.Mine(), f.schema, sh); err != nil {
			return nil, err
		}
		p.Texts = texts(f.schema)
	}
	if units == nil && f.part == nil {
		return nil, nil
	}
	if f.part != nil {
		p.Texts = append(p.Texts, f.part.Column)
	}
	name := f.paths[0]
	p.Keep = func(texts [][]byte) (bool, error) {
		if f.part != nil {
			last := len(texts) - 1
			if !f.part.Keeps(texts[last]) {
				return false, nil
			}
			texts = texts[:last]
		}
		if units == nil {
			return true, nil
		}
		return false, units.Row(name, texts[0], texts[1:]...)
	}
	return units, nil
}

// Sealed keeps the type inside this library.
func (*csvFiles) Sealed(access.Key) {}

// TallyFiles reads CSV files like the source of [Files] into a tally, for the workers of a cluster, each of which has
// some of a table's files. The key keeps it inside this library. Rows of a unit must not be capped, as they may stand
// in files that other workers have: *frame.SchemaError. Other errors are those of Files and of its Statistics.
func TallyFiles(ctx context.Context, key access.Key, s *frame.Schema, sh *model.Shape, paths ...string) (*model.Tally,
	error) {
	if !key.Opens() {
		return nil, model.ErrSealed
	}
	if capped, _ := s.CapsRows(); capped {
		return nil, &frame.SchemaError{Field: "unit_key", Value: s.UnitKey, Want: "none where some of the files are read"}
	}
	from, err := Files(s, paths...)
	if err != nil {
		return nil, err
	}
	t, err := from.(*csvFiles).read(ctx, sh)
	if err != nil {
		return nil, err
	}
	return t[0], nil
}

// UnitPass is a reading of a CSV file that gives take the unit of every row and the texts of all columns of the schema,
// as [Units.Row] wants them, for the workers of a cluster, which bring the rows of a unit together. What is given is
// valid during the call. The key keeps it inside this library. Errors: model.ErrSealed, *frame.SchemaError for a schema
// without a unit key or one that [Files] does not cap under. Those of the reading are those of the source of Files,
// with
// *frame.OutOfDomainError for a row without a unit, and those of take.
func UnitPass(key access.Key, s *frame.Schema, path string, take func(unit []byte, texts [][]byte) error) (frame.Pass,
	error) {
	if !key.Opens() {
		return frame.Pass{}, model.ErrSealed
	}
	if capped, _ := s.CapsRows(); !capped {
		return frame.Pass{}, &frame.SchemaError{Field: "unit_key", Value: "none", Want: "the column that names the unit"}
	}
	if err := capsPlainly(s); err != nil {
		return frame.Pass{}, err
	}
	p := (&csvFiles{schema: s, paths: []string{path}}).pass()
	p.Texts, p.Keep = texts(s), func(texts [][]byte) (bool, error) {
		if len(texts[0]) == 0 {
			return false, noUnit(path, s)
		}
		return false, take(texts[0], texts[1:])
	}
	return p, nil
}
