package sqlsource

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

func twoColumns(t testing.TB) *frame.Schema {
	t.Helper()
	s := &frame.Schema{Dataset: "two", Columns: []frame.Column{frame.Categorical("a", "x", "y"), frame.Integer("b", 0, 5, 10)}}
	must.Do(t, s.Validate())
	return s
}

// pair is the table of both columns, of n rows or of a private number.
func pair(t testing.TB, n int, public bool) *model.Shape {
	t.Helper()
	return must.Get(model.NewShape(twoColumns(t), model.NaiveBayes("a"), n, public, "Where"))(t)
}

// tells lists the ways in which an error shows the secret.
func tells(err error) (ways []string) {
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		shown := fmt.Sprintf(verb, err)
		if strings.Contains(shown, secret) || strings.Contains(shown, fmt.Sprintf("%x", secret)) {
			ways = append(ways, verb)
		}
	}
	for e := errors.Unwrap(err); e != nil; e = errors.Unwrap(e) {
		ways = append(ways, tells(e)...)
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			ways = append(ways, tells(e)...)
		}
	}
	var coded interface{ SQLState() string }
	if errors.As(err, &coded) {
		ways = append(ways, "SQLState")
	}
	return ways
}

// logged is what a function writes to the log and to the standard streams.
func logged(t testing.TB, do func()) string {
	t.Helper()
	var b bytes.Buffer
	log.SetOutput(&b)
	defer log.SetOutput(os.Stderr)
	r, w := must.Get2(os.Pipe())(t)
	out, errs := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = w, w
	func() {
		defer func() { os.Stdout, os.Stderr = out, errs }()
		do()
	}()
	_ = w.Close()
	written := must.Get(io.ReadAll(r))(t)
	return b.String() + string(written)
}

// copied is a Copy of a driver that fails with a value in its error.
func (f *fake) copied(context.Context, *sql.Conn, string, int, func([][]byte) error) error {
	return f.at("copy")
}

// Wherever a driver fails, by an error or by a panic, and in every dialect: neither the error nor its chain, in any
// format, nor the log show what it said.
func TestErrorsOfDriversAreNotShown(t *testing.T) {
	ctx := t.Context()
	for _, d := range []Dialect{PostgreSQL, DuckDB, SQLite} {
		for _, place := range places {
			for _, panics := range []bool{false, true} {
				name := fmt.Sprintf("%s, %s, panic %v", d, place, panics)
				if place == "settings" && d != PostgreSQL || panics && (strings.HasSuffix(place, "value") ||
					place == "more columns") {
					continue // there it cannot fail so
				}
				f := &fake{dialect: d, fails: place, panics: panics, n: 3, groups: [][]driver.Value{{int64(0), "x", int64(1), int64(3)}}}
				s := New(f.open(t), d, twoColumns(t), "t")
				var errs []error
				out := logged(t, func() {
					ask := func(err error) {
						if err != nil {
							errs = append(errs, err)
						}
					}
					_, err := s.Size(ctx)
					ask(err)
					_, err = s.WithGroups(1<<20).Statistics(ctx, pair(t, 3, true))
					ask(err)
					_, err = s.ByRows().Statistics(ctx, pair(t, 1, true))
					ask(err)
					_, err = s.WithCopy(f.copied).Statistics(ctx, pair(t, 0, true))
					ask(err)
					snap, end, err := s.Snapshot(ctx)
					ask(err)
					if err == nil {
						_, err = snap.Size(ctx)
						ask(err)
						ask(end())
					}
				})
				if f.reached[place] == 0 {
					t.Fatalf("%s: never came there", name)
				}
				if len(errs) == 0 {
					t.Fatalf("%s: no error", name)
				}
				for _, err := range errs {
					if ways := tells(err); len(ways) > 0 {
						t.Errorf("%s: the error shows a value by %s", name, strings.Join(ways, ", "))
					}
				}
				if strings.Contains(out, secret) {
					t.Errorf("%s: the log shows a value", name)
				}
			}
		}
	}
}

// The test above sees the ways in which errors tell: it would reject wrapping, a detail kept in a field, and a joined
// error.
func TestLeaksAreSeen(t *testing.T) {
	l := &leak{secret, ""}
	for name, err := range map[string]error{
		"text": errors.New(secret), "wrapped": fmt.Errorf("column a: %w", l),
		"joined": errors.Join(io.EOF, l), "field": &hidden{cause: secret}, "cause": &kept{l},
	} {
		if len(tells(err)) == 0 {
			t.Errorf("%s is not seen", name)
		}
	}
	if ways := tells(&source.Failure{Source: "t", Doing: "counting", Want: "rows"}); len(ways) > 0 {
		t.Errorf("a public error is said to tell by %v", ways)
	}
}

// hidden keeps the driver's text where only %+v and %#v show it.
type hidden struct{ cause string }

func (*hidden) Error() string { return "column a" }

// kept shows nothing, and unwraps.
type kept struct{ cause error }

func (*kept) Error() string   { return "column a" }
func (k *kept) Unwrap() error { return k.cause }
