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

// Table makes a table of rows with their header, of whole numbers and nulls, or of texts.
func Table(t testing.TB, db *sql.DB, name string, typed bool, rows [][]string) {
	t.Helper()
	cells := Cells(typed, rows)
	columns, values := make([]string, len(rows[0])), []string{}
	for j, column := range rows[0] {
		columns[j] = `"` + column + `" text`
		for _, row := range cells {
			if _, whole := row[j].(int64); whole {
				columns[j] = `"` + column + `" bigint`
			}
		}
	}
	for _, row := range cells {
		texts := make([]string, len(row))
		for j, v := range row {
			if texts[j] = "NULL"; v != nil {
				texts[j] = "'" + strings.ReplaceAll(fmt.Sprint(v), "'", "''") + "'"
			}
		}
		values = append(values, "("+strings.Join(texts, ",")+")")
	}
	statement := "DROP TABLE IF EXISTS " + name + "; CREATE TABLE " + name + " (" + strings.Join(columns, ", ") + ")"
	if len(values) > 0 {
		statement += "; INSERT INTO " + name + " VALUES " + strings.Join(values, ",")
	}
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// LinkedDatabase checks that two tables of a database are the frame of the two CSV files that mean the same, whatever
// their types.
func LinkedDatabase(t *testing.T, db *sql.DB, d sqlsource.Dialect) {
	t.Helper()
	for _, typed := range []bool{false, true} {
		Linked(t, func(s *frame.Schema, parents, children [][]string) (*frame.Frame, error) {
			Table(t, db, "households", typed, parents)
			Table(t, db, "persons", typed, children)
			return sqlsource.Tables(t.Context(), db, d, s, []string{"households"}, []string{"persons"})
		})
	}
}
