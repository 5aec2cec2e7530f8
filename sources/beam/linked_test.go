package beam

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
)

// census writes households, some twice, and persons, some without a household, into files whose rows lie in any order,
// and gives patterns of them.
func census(t *testing.T) (parents, children string, f *frame.Frame) {
	t.Helper()
	dir, all := t.TempDir(), [2]string{"hid,region\n", "of,age,income,job\n"}
	var files [2][3]string
	for i := range 60 {
		key := i * 7 % 40
		rows := [2][]string{{fmt.Sprintf("%d,%s\n", key, []string{"n", "s"}[i/13%2])}, nil}
		for k := range i % 5 {
			rows[1] = append(rows[1], fmt.Sprintf("%d,%d,%s,%s\n", (key+k*11)%45, (i+k)%4, []string{"NA", "3", "20"}[(i+k)%3],
				[]string{`"a, b"`, "it's"}[k%2]))
		}
		for table, some := range rows {
			for k, row := range some {
				files[table][(i+k)%3] += row
				all[table] += row
			}
		}
	}
	for table, name := range []string{"h", "p"} {
		head, _, _ := strings.Cut(all[table], "\n")
		for i, text := range files[table] {
			put(t, filepath.Join(dir, fmt.Sprintf("%s-%d.csv", name, i)), head+"\n"+text)
		}
	}
	f, err := frame.ReadTables(t.Context(), []frame.Shard{{Name: "h", Reader: strings.NewReader(all[0])},
		{Name: "p", Reader: strings.NewReader(all[1])}}, sourcetest.Census(t, "drop"))
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "h-*.csv"), filepath.Join(dir, "p-*.csv"), f
}

func openTables(t *testing.T, link, parents, children string) *Source {
	t.Helper()
	table, err := OpenTables(t.Context(), sourcetest.Census(t, link), Prism(), []string{parents}, []string{children})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// Two tables in several files give the numbers of the frame, and its size; orphans that the schema refuses are refused
// without their key.
func TestLinkedTablesGiveTheNumbersOfTheFrameOnPrism(t *testing.T) {
	parents, children, f := census(t)
	table := openTables(t, "drop", parents, children)
	if size, err := table.Size(t.Context()); err != nil || size.PrivateBy != "" || size.N != f.Len() {
		t.Errorf("size %+v, %v; of the frame %d", size, err, f.Len())
	}
	for _, m := range []model.Model{model.ContingencyTable("region", "size", "infant"), model.Mean("earned"),
		model.ContingencyTable("age_1", "age_2", "job_1", "job_2"), model.ContingencyTable("least", "income_1", "income_2")} {
		sh, err := model.NewShape(table.Schema(), m, f.Len(), true, "")
		if err != nil {
			t.Fatal(err)
		}
		want, err := source.OfFrame(f).Statistics(t.Context(), sh)
		got, other := table.Statistics(t.Context(), sh)
		if err := errors.Join(err, other); err != nil || !sourcetest.Equal(want, got) {
			t.Errorf("%s: %v, or other numbers than of the frame", m, err)
		}
	}
	_, err := openTables(t, "refuse", parents, children).Size(t.Context())
	var outside *frame.OutOfDomainError
	if !errors.As(err, &outside) || outside.Column != "hid" && outside.Column != "of" {
		t.Errorf("%v, want an *OutOfDomainError of a key", err)
	}
}

// Every unit by itself gives the one row that it gives among all others, an orphan none; a worker that joins file by
// file would give other rows.
func TestAUnitOfTwoTablesIsOneRow(t *testing.T) {
	parents, children, f := census(t)
	table := openTables(t, "drop", parents, children)
	columns := []string{"region", "size", "infant", "age_1", "age_2", "income_1"}
	sh, err := model.NewShape(table.schema, model.ContingencyTable(columns...), 0, false, "test")
	if err != nil {
		t.Fatal(err)
	}
	shape, err := sh.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	n := len(table.parts)
	b := &bench{readRows{shape, table.schema.JSON(), n}, capUnits{Shape: shape, Schema: table.schema.JSON(), Parts: n}}
	all, read := b.grouped(t, table.parts)
	sum, units := slices.Clone(read.numbers), 0
	for unit, rows := range all {
		out := b.capped(t, map[string][][]byte{unit: rows})
		if out.numbers[0] > 1 || out.counted[n] != -int64(len(rows)) {
			t.Errorf("%d rows of a unit", out.numbers[0])
		}
		units += int(out.numbers[0])
		for i, v := range out.numbers {
			sum[i] += v
		}
	}
	tally, err := model.NewTally(access.Mine(), sh)
	if err == nil {
		err = tally.Frame(access.Mine(), f)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := tally.Numbers(access.Mine())
	if whole := b.capped(t, all).numbers; !slices.Equal(whole, want) || !slices.Equal(sum, want) || units != f.Len() ||
		len(all) <= units {
		t.Errorf("%d units of %d keys; or other numbers than of the frame, which has %d", units, len(all), f.Len())
	}
	var apart []int64 // the mutant
	for k := range 3 {
		some, _ := b.grouped(t, []part{table.parts[k], table.parts[3+k]})
		numbers := b.capped(t, some).numbers
		if apart == nil {
			apart = make([]int64, len(numbers))
		}
		for i, v := range numbers {
			apart[i] += v
		}
	}
	if slices.Equal(apart, want) {
		t.Error("joining file by file would do")
	}
}

// What is not two tables in different files is refused before a run.
func TestLinkedTablesRefused(t *testing.T) {
	parents, children, _ := census(t)
	s := sourcetest.Census(t, "drop")
	if _, err := OpenTables(t.Context(), s, Prism(), []string{parents}, []string{children, parents}); err == nil {
		t.Error("files of both tables")
	}
	var schema *frame.SchemaError
	if _, err := OpenTables(t.Context(), sourcetest.Schema(t), Prism(), []string{parents},
		[]string{children}); !errors.As(err, &schema) {
		t.Errorf("one table: %v", err)
	}
	changed := s.Clone()
	changed.Columns = changed.Columns[1:]
	_, err := OpenTables(t.Context(), changed, Prism(), []string{parents}, []string{children})
	if !errors.As(err, &schema) {
		t.Errorf("columns that do not follow, which no worker could join: %v", err)
	}
	s.Tables[1].Format = &frame.Format{Decimal: ",", Separator: ";"}
	if _, err := OpenTables(t.Context(), s, Prism(), []string{parents}, []string{children}); !errors.As(err, &schema) {
		t.Errorf("a decimal comma: %v", err)
	}
}
