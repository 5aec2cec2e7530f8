package dirichlet

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// quick is a run on the data set that the repository holds.
func quick() Options {
	return Options{Data: []string{"spam"}, Epsilons: []float64{1}, Methods: []string{MLE, "gauss_fix"}, Seeds: 3}
}

func written(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A run that was interrupted goes on where it was and ends with the same bytes.
func TestResume(t *testing.T) {
	whole, err := Run(context.Background(), quick())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.json")
	ctx, cancel := context.WithCancel(context.Background())
	o := quick()
	o.Workers = 1
	o.Save = func(r *Report) error { return r.Save(path) }
	o.Progress = func(Progress) { cancel() }
	if _, err := Run(ctx, o); !IsStopped(err) {
		t.Fatal(err)
	}
	if o.Resume, err = ReadFile(path); err != nil {
		t.Fatal(err)
	}
	before := len(o.Resume.Cells)
	if before < 1 || before > 2 {
		t.Fatalf("%d cells after the interruption", before)
	}
	var last Progress
	calls := 0
	o.Progress = func(p Progress) { last = p; calls++ }
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if last.Done != 3 || last.Total != 3 || last.Kept != before || calls != 3-before {
		t.Errorf("%+v after %d calls", last, calls)
	}
	if written(t, r) != written(t, whole) {
		t.Error("the resumed report is another one")
	}
	back, err := ReadFile(path)
	if err != nil || !reflect.DeepEqual(back, r) {
		t.Errorf("%v: the saved report is another one", err)
	}
	more := quick()
	more.Seeds, more.Resume = 4, whole
	if r, err := Run(context.Background(), more); err != nil || len(r.Cells) != 4 || len(whole.Cells) != 3 {
		t.Error("more splits:", err)
	}
}

func TestResumeRefusesOtherSettings(t *testing.T) {
	old, err := Run(context.Background(),
		Options{Data: []string{"spam"}, Epsilons: []float64{1}, Methods: []string{MLE}, Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Report, *Options){
		"bins":     func(_ *Report, o *Options) { o.Bins = Quantile },
		"methods":  func(_ *Report, o *Options) { o.Methods = []string{MLE, "gauss_fix"} },
		"epsilons": func(_ *Report, o *Options) { o.Epsilons = []float64{2} },
		"version":  func(r *Report, _ *Options) { r.Version = "0.0.0" },
		"data":     func(r *Report, _ *Options) { r.Data = map[string]string{"spam": "0"} },
	} {
		changed := *old
		o := Options{Data: []string{"spam"}, Epsilons: []float64{1}, Methods: []string{MLE}, Seeds: 1, Resume: &changed}
		change(&changed, &o)
		var want *SettingsError
		if _, err := Run(context.Background(), o); !errors.As(err, &want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBadOptions(t *testing.T) {
	var option *domain.Error
	for _, o := range []Options{
		{Bins: "square"}, {Seeds: -1}, {Seeds: 1001}, {Workers: -1}, {Workers: 1000}, {Methods: []string{"none"}},
		{Methods: []string{MLE, MLE}},
		{Epsilons: []float64{1, 1}}, {Epsilons: []float64{-1}}, {Epsilons: []float64{1e9}},
		{Data: []string{"spam", "spam"}},
	} {
		if _, err := Run(context.Background(), o); !errors.As(err, &option) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	var name *data.NameError
	if _, err := Run(context.Background(), Options{Data: []string{"none"}}); !errors.As(err, &name) {
		t.Error(err)
	}
	if _, err := Results("square"); !errors.As(err, &option) {
		t.Error(err)
	}
	if _, err := Families("spam"); !errors.As(err, &option) {
		t.Error(err)
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestReadRefuses(t *testing.T) {
	r, err := Run(context.Background(), Options{Data: []string{"spam"}, Epsilons: []float64{1, 2, 3},
		Methods: []string{"lap_paper"}, Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	good := written(t, r)
	if _, err := Read(strings.NewReader(good)); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"", "{}", strings.Replace(good, `"bins"`, `"bin"`, 1),
		strings.Replace(good, `"epsilons": [`, `"epsilons": [0.5,`, 1), good[:len(good)/2],
	} {
		if _, err := Read(strings.NewReader(bad)); err == nil {
			t.Errorf("read %.40q…", bad)
		}
	}
}

// Save's error ends a run and is returned.
func TestSaveFails(t *testing.T) {
	failure := errors.New("no space")
	o := quick()
	o.Save = func(*Report) error { return failure }
	if r, err := Run(context.Background(), o); !errors.Is(err, failure) || len(r.Cells) == 3 {
		t.Errorf("%v after %d cells", err, len(r.Cells))
	}
	o.Save = func(r *Report) error { return r.Save(filepath.Join(t.TempDir(), "no", "folder", "x.json")) }
	if _, err := Run(context.Background(), o); err == nil {
		t.Error("saved into a folder that is not there")
	}
}

// Scores of known parameters, by hand: two classes, one feature.
func TestScore(t *testing.T) {
	p, _, err := tiny()
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if d := got - want; d > 1e-12 || d < -1e-12 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	s := p.score(p.uniform())
	// ln 2 for the half of the records whose class is sure, 0 for the others
	near("KL", s[KL], 0.34657359027997264)
	near("CE", s[CrossEntropy], 0.693147180559945) // ln 2
	near("accuracy", s[Accuracy], 0.5)             // ties go to the first class
}

func BenchmarkScore(b *testing.B) {
	var src sources
	f, err := src.open(context.Background(), "spam")
	if err != nil {
		b.Fatal(err)
	}
	p, err := split(f, "spam", NaiveBayes, Public.binner(), 0)
	if err != nil {
		b.Fatal(err)
	}
	q := p.mle()
	for b.Loop() {
		p.score(q)
	}
}

// FuzzRead reads any bytes as a report to go on with: an error, or a report that survives being written, and whose
// tables are made without a panic.
func FuzzRead(f *testing.F) {
	small := Report{Study: studyName, Settings: Settings{Bins: Public, Order: Order, Epsilons: []float64{1, 2},
		Methods: []string{"laplace"}}, Data: map[string]string{"adult": "00"},
		Cells: []Cell{{Task: NaiveBayes, Data: "adult", Scores: map[string]Values{"laplace": {KL: {1, 2}}}}}}
	var b bytes.Buffer
	if err := small.Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"study":"` + studyName + `","cells":[{"task":"x","scores":{"":{"":[1]}}}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := r.Write(&first); err != nil {
			t.Fatal(err)
		}
		again, err := Read(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("%s: %v", first.Bytes(), err)
		}
		if err := again.Write(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("%s became %s, %v", first.Bytes(), second.Bytes(), err)
		}
		_ = r.Summary().String()
		for _, m := range []Metric{KL, CrossEntropy, Accuracy, LogLikelihood} {
			if table, err := r.Table(m); err == nil {
				_ = table.String()
			}
		}
		_, _ = newReport(Options{Data: []string{"adult"}, Bins: Public, Resume: r})
	})
}

// tiny is a problem of four records: class a with x = 0, 0 and class b with x = 0, 1, which are also held out.
func tiny() (*problem, *frame.Frame, error) {
	s := &frame.Schema{Dataset: "tiny", Columns: []frame.Column{frame.Categorical("y", "a", "b"),
		frame.Categorical("x", "0", "1")}}
	f, err := frame.FromColumns(s, map[string]any{"y": []string{"a", "a", "b", "b"}, "x": []string{"0", "0", "0", "1"}})
	if err != nil {
		return nil, nil, err
	}
	p := &problem{task: NaiveBayes, records: 4, rows: []int{2}, class: []int64{2, 2}}
	if p.shape, err = model.NewShape(s, model.NaiveBayes("y"), 4, true, ""); err != nil {
		return nil, nil, err
	}
	if p.tables, err = f.TablesPrivate([][]string{{"y", "x"}}); err != nil {
		return nil, nil, err
	}
	return p, f, p.hold(f, "y")
}

// uniform parameters know nothing.
func (p *problem) uniform() parameters {
	half := -math.Ln2
	return parameters{tables: [][]float64{{half, half, half, half}}, class: []float64{half, half}}
}

// Deciles: bins (q_{k−1}, q_k], equal deciles merged, as by hand.
func TestDecileStarts(t *testing.T) {
	ten := make([]float64, 0, 101)
	for i := range 101 {
		ten = append(ten, float64(100-i))
	}
	for name, c := range map[string]struct{ values, want []float64 }{
		"0 to 100":                {ten, []float64{11, 21, 31, 41, 51, 61, 71, 81, 91}},
		"a value of many":         {[]float64{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3}, []float64{1, 2, 3}},
		"one value":               {[]float64{7, 7, 7}, nil},
		"missing ones":            {[]float64{math.NaN(), 1, math.NaN(), 2}, []float64{2}},
		"the largest has its own": {[]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 5}, []float64{5}},
	} {
		if got := decileStarts(c.values); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if got := decileStarts(nil); got != nil {
		t.Error(got)
	}
}

// Both parts of a split come under deciles of the training part, at most ten levels a number and none of them empty.
func TestDecileSplit(t *testing.T) {
	var src sources
	f, err := src.open(context.Background(), "spam")
	if err != nil {
		t.Fatal(err)
	}
	train, test, err := f.Split(fraction, 1)
	if err != nil {
		t.Fatal(err)
	}
	q, h, err := Decile.binner()(train, test)
	if err != nil {
		t.Fatal(err)
	}
	if q.Len() != train.Len() || h.Len() != test.Len() || !q.Schema().Equal(h.Schema()) || !q.Schema().Inferred {
		t.Error("another number of rows, or another schema")
	}
	for _, c := range q.Schema().Columns {
		if !c.Numeric() {
			continue
		}
		codes, err := q.Codes(c.Name)
		if err != nil {
			t.Fatal(err)
		}
		held := make([]int, c.Levels())
		for i := range q.Len() {
			held[codes.At(i)]++
		}
		if len(held) > QuantileBins || slices.Contains(held, 0) {
			t.Errorf("%s: %v", c.Name, held)
		}
	}
}
