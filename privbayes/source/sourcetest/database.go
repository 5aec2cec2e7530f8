package sourcetest

import (
	"context"
	"database/sql"
	"encoding/csv"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sqlsource"
)

// Database checks a database that has the rows of CSV: of makes its source under a schema. Rows grouped in the
// database, read one by one, filtered, divided and capped give the releases of the frame: those of the way that a
// source takes by itself are compared byte by byte, and of the others what releases are made of.
func Database(t *testing.T, of func(s *frame.Schema) *sqlsource.Source) {
	t.Helper()
	ways := map[string]func(*sqlsource.Source) *sqlsource.Source{
		"grouped": func(s *sqlsource.Source) *sqlsource.Source { return s.WithGroups(1 << 20) },
		"by rows": (*sqlsource.Source).ByRows,
	}
	same := func(f *frame.Frame, src *sqlsource.Source) {
		t.Helper()
		Same(t, source.OfFrame(f), src)
		for _, m := range models() {
			want := numbers(t, source.OfFrame(f), m)
			for name, way := range ways {
				if got := numbers(t, way(src), m); got != want {
					t.Errorf("%s, %s: other statistics than of the frame", name, m)
				}
			}
		}
	}
	all := of(Schema(t))
	same(Frame(t), all)
	f, err := Frame(t).Where("colour", func(label string) bool { return label == "red" || label == "missing" })
	if err != nil {
		t.Fatal(err)
	}
	same(f, all.Where("colour", "red", "missing"))
	if f, err = Frame(t).Present("age"); err != nil {
		t.Fatal(err)
	}
	same(f, all.Present("age"))
	weights := Weighted(Schema(t))
	for _, way := range ways {
		Same(t, source.OfFrame(FrameUnder(t, weights)), way(of(weights)))
	}
	if _, err := all.Present("wage").Size(t.Context()); err == nil {
		t.Error("Present of a column in which no value is missing is accepted")
	}
	for _, u := range []struct {
		k   int
		pad bool
	}{{1, false}, {2, false}, {2, true}, {9, false}} {
		s := Units(t, u.k, u.pad)
		same(FrameUnder(t, s), of(s))
	}
	s := Units(t, 2, true)
	if f, err = FrameUnder(t, s).Where("class", func(label string) bool { return label == "bad" }); err != nil {
		t.Fatal(err)
	}
	same(f, of(s).Where("class", "bad"))
	parts(t, all)
	for _, way := range ways {
		parts(t, way(all))
	}
}

// parts checks both parts of a division by key against the rows that source.Part keeps.
func parts(t *testing.T, all *sqlsource.Source) {
	t.Helper()
	rows := must.Get(csv.NewReader(strings.NewReader(CSV())).ReadAll())(t)
	train := must.Get(source.NewPart("id", .6, 3))(t)
	for _, p := range []source.Part{train, train.Rest()} {
		text := strings.Builder{}
		w := csv.NewWriter(&text)
		for i, row := range rows {
			if i == 0 || p.Keeps([]byte(row[0])) {
				must.Do(t, w.Write(row))
			}
		}
		w.Flush()
		want := must.Get(frame.Read(t.Context(), strings.NewReader(text.String()), "part.csv", Schema(t)))(t)
		part := must.Get(all.Part(p))(t)
		if size, err := part.Size(t.Context()); err != nil || size.PrivateBy != "SplitByKey" {
			t.Errorf("%s: size %+v, %v", p.Step(), size, err)
		}
		for _, m := range []privbayes.ModelSpec{privbayes.NaiveBayes("class"), privbayes.Exponential("wage").WithRange(.1, 1),
			privbayes.LinearRegression("wage", "seen")} {
			if got, want := numbers(t, part, m), numbers(t, source.OfFrame(want), m); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: other statistics than of the rows of the part", p.Step(), m)
			}
		}
	}
}

// numbers are the statistics of a model on a source, with n taken as private.
func numbers(t *testing.T, s source.Source, m model.Model) string {
	t.Helper()
	sh := must.Get(model.NewShape(s.Schema(), m, 0, false, "test"))(t)
	st := must.Get(s.Statistics(t.Context(), sh))(t)
	return fmt.Sprint(st.Open(access.Mine()), st.OpenSums(access.Mine()), st.AtBounds(access.Mine()))
}

// Writing runs a statement again and again beside what follows, until its result is called. Error: the first of the
// statement.
func Writing(t testing.TB, db *sql.DB, statement string) (end func() error) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		var err error
		for err == nil && ctx.Err() == nil {
			_, err = db.ExecContext(t.Context(), statement)
		}
		failed <- err
	}()
	return func() error { stop(); return <-failed }
}
