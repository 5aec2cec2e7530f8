package sourcetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// Joiner reads two linked tables, each with its header, under a schema of [Census].
type Joiner func(s *frame.Schema, parents, children [][]string) (*frame.Frame, error)

// Joined is the joiner of sources, each opened under the schema of its table.
func Joined(t testing.TB, open func(own *frame.Schema, table string, rows [][]string) (source.Written, error)) Joiner {
	return func(s *frame.Schema, parents, children [][]string) (*frame.Frame, error) {
		var tables []source.Written
		for i, rows := range [][][]string{parents, children} {
			own, err := s.TableSchema(s.Tables[i].Name)
			if err != nil {
				return nil, err
			}
			src, err := open(own, own.UnitKey, rows)
			if err != nil {
				return nil, err
			}
			tables = append(tables, src)
		}
		return source.Tables(t.Context(), s, tables)
	}
}

// Cells are the rows of a table as Write of files of columns takes them. They are all texts, or whole numbers as such
// and "NA" as null.
func Cells(typed bool, rows [][]string) (cells [][]any) {
	whole := make([]bool, len(rows[0]))
	for j := range whole {
		whole[j] = typed && !slices.ContainsFunc(rows[1:], func(row []string) bool {
			_, err := strconv.Atoi(row[j])
			return err != nil && row[j] != "NA"
		})
	}
	for _, row := range rows[1:] {
		var out []any
		for j, text := range row {
			n, _ := strconv.ParseInt(text, 10, 64)
			switch {
			case typed && text == "NA":
				out = append(out, nil)
			case whole[j]:
				out = append(out, n)
			default:
				out = append(out, text)
			}
		}
		cells = append(cells, out)
	}
	return cells
}

// Census is a schema of households and their persons, of which two are kept, with a column of each kind and places.
// link is what happens to orphans and to double keys.
func Census(t testing.TB, link string) *frame.Schema { return census(t, link, "true") }

// census is Census with places as the schema says.
func census(t testing.TB, link, places string) *frame.Schema {
	t.Helper()
	s, err := frame.ParseSchema([]byte(strings.NewReplacer("LINK", link, "PLACES", places).Replace(`{
	 "dataset": "census", "unit": "household", "tables": [
	 {"name": "households", "key": "hid", "duplicates": "LINK", "columns": [
	  {"name": "region", "kind": "categorical", "categories": ["n", "s"]}]},
	 {"name": "persons", "of": "households", "key": "of", "at_most": 2, "orphans": "LINK", "places": PLACES,
	  "order": "-age",
	  "columns": [{"name": "age", "kind": "integer", "edges": [0, 5, 18, 120]},
	   {"name": "income", "kind": "integer", "edges": [0, 10, 21], "missing": ["NA"], "on_missing": "category"},
	   {"name": "job", "kind": "categorical", "categories": ["a, b", "it's"]}],
	  "per_unit": [{"name": "size", "is": "count"}, {"name": "infant", "is": "any", "of": "age", "where": ["[0, 5)"]},
	   {"name": "least", "is": "min", "of": "income"}, {"name": "earned", "is": "sum", "of": "income"}]}]}`)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The headers of both tables.
var parentsHead, childrenHead = []string{"hid", "region"}, []string{"age", "of", "income", "job"}

func withHead(head []string, rows [][]string) [][]string {
	return slices.Concat([][]string{head}, rows)
}

// text is a table as CSV.
func text(rows [][]string) string {
	var b strings.Builder
	for _, r := range rows {
		for i, cell := range r {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%q", cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// linesOf are the header and the rows of a frame, which the tests take as public.
func linesOf(f *frame.Frame) (lines []string, err error) {
	if f, err = f.AsPublic("made for a test"); err != nil {
		return nil, err
	}
	records, err := f.Records()
	for _, r := range records {
		lines = append(lines, strings.Join(r, "|"))
	}
	return lines, err
}

// Linked checks that a joiner makes the frame of the CSV files that mean the same, with caps, order, orphans, double
// keys and missing values, and with fewer places than children. A unit moves its own row and no other, and what is
// refused is not quoted.
func Linked(t *testing.T, join Joiner) {
	t.Helper()
	both, random := []*frame.Schema{Census(t, "drop"), census(t, "drop", "1")}, rand.New(rand.NewPCG(4, 2))
	for round := range 8 {
		s := both[round%2]
		parents, children := someLinked(random, round*7)
		want, err := frame.ReadTables(t.Context(), []frame.Shard{{Name: "h", Reader: strings.NewReader(text(parents))},
			{Name: "p", Reader: strings.NewReader(text(children))}}, s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := join(s, parents, children)
		if err != nil {
			t.Fatal(err)
		}
		wantLines, err := linesOf(want)
		lines, other := linesOf(got)
		if err := errors.Join(err, other); err != nil {
			t.Fatal(err)
		}
		n, public := got.PublicN()
		if !slices.Equal(lines, wantLines) || !got.Schema().Equal(want.Schema()) || !public || n != want.Len() {
			t.Errorf("rows %q, n %d, public %v; want %q", lines, n, public, wantLines)
		}
	}
	if fault := LinkedFault(both[0], join); fault != "" {
		t.Error(fault)
	}
	s := Census(t, "refuse")
	for column, rows := range map[string][2][][]string{
		"of":  {{{"1", "n"}}, {{"3", "1", "NA", "it's"}, {"3", Secret, "NA", "it's"}}},
		"hid": {{{Secret, "n"}, {Secret, "s"}}, nil},
		"age": {{{"1", "n"}}, {{Secret, "1", "NA", "it's"}}},
	} {
		_, err := join(s, withHead(parentsHead, rows[0]), withHead(childrenHead, rows[1]))
		var e *frame.OutOfDomainError
		if !errors.As(err, &e) || e.Column != column {
			t.Errorf("%s: %v, want an *OutOfDomainError of it", column, err)
		}
		Quiet(t, column, err)
	}
}

// someLinked are tables of so many units, with orphans, double keys and equal rows among them, in any order.
func someLinked(random *rand.Rand, units int) (parents, children [][]string) {
	for range units * 3 / 2 {
		parents = append(parents, []string{fmt.Sprint(random.IntN(units)), []string{"n", "s"}[random.IntN(2)]})
	}
	for range units * 4 {
		children = append(children, []string{fmt.Sprint(random.IntN(4)), fmt.Sprint(random.IntN(units + 2)),
			[]string{"NA", "3", "20"}[random.IntN(3)], []string{"a, b", "it's"}[random.IntN(2)]})
	}
	return withHead(parentsHead, parents), withHead(childrenHead, children)
}

// LinkedFault is what an enumeration finds wrong with a joiner, "" if nothing. Units have one or two parents and up to
// three children, of which two stay. Of two units each has the row that it has alone, whatever the order of the rows
// and whatever orphans there are.
func LinkedFault(s *frame.Schema, join Joiner) string {
	rowsOf := func(reverse, orphans bool, units ...[2][][]string) ([]string, error) {
		var parents, children [][]string
		for _, u := range units {
			parents, children = append(parents, u[0]...), append(children, u[1]...)
		}
		if orphans {
			children = append(children, []string{"0", "9", "NA", "it's"}, []string{"70", "9", "20", "it's"})
		}
		if reverse {
			slices.Reverse(parents)
			slices.Reverse(children)
		}
		f, err := join(s, withHead(parentsHead, parents), withHead(childrenHead, children))
		if err != nil {
			return nil, err
		}
		lines, err := linesOf(f)
		return slices.Sorted(slices.Values(lines[1:])), err
	}
	alone := map[string]string{}
	for _, u := range append(unitsOf("1"), unitsOf("2")...) {
		rows, err := rowsOf(false, false, u)
		if err != nil || len(rows) != 1 {
			return "one unit has not one row"
		}
		alone[fmt.Sprint(u)] = rows[0]
	}
	for i, one := range unitsOf("1") {
		for k, other := range unitsOf("2") {
			if (i+k)%3 > 0 { // enough of them to find the mutants
				continue
			}
			want := []string{alone[fmt.Sprint(one)], alone[fmt.Sprint(other)]}
			slices.Sort(want)
			for _, how := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
				if rows, err := rowsOf(how[0], how[1], one, other); err != nil || !slices.Equal(rows, want) {
					return "a row is not that of its unit alone"
				}
			}
		}
	}
	return ""
}

// unitsOf are units of a key, each with its parents and children.
func unitsOf(key string) (units [][2][][]string) {
	for _, regions := range []string{"n", "ns"} {
		for infants := range 4 {
			for adults := range 4 - infants {
				u := [2][][]string{}
				for _, region := range regions {
					u[0] = append(u[0], []string{key, string(region)})
				}
				for range infants {
					u[1] = append(u[1], []string{"0", key, "NA", "it's"})
				}
				for range adults {
					u[1] = append(u[1], []string{"70", key, "20", "a, b"})
				}
				units = append(units, u)
			}
		}
	}
	return units
}
