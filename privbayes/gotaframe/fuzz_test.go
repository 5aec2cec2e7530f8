package gotaframe

import (
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// FuzzFrom makes a gota data frame of any cells, each column of a type, and encodes it: a frame or a typed error, never
// a panic. What was encoded goes out and comes back to the same codes.
func FuzzFrom(f *testing.F) {
	f.Add(csv, "fsiss")
	f.Add("vote,age,income,trip,day\ny,1,1e3,a>b>c,01.02.2020\nNaN,,,,\n", "ssss")
	f.Add("vote,age,income,trip,day\n0,1,2,3,4\n", "bbbb")
	f.Add("age,vote,income,trip,day,age\n999999999999999999999,n,Inf,,\n", "fifs")
	f.Fuzz(func(t *testing.T, text, kinds string) {
		lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
		names := strings.Split(lines[0], ",")
		cells := make([][]string, len(names))
		for _, line := range lines[1:] {
			fields := strings.Split(line, ",")
			for i := range cells {
				v := ""
				if i < len(fields) {
					v = fields[i]
				}
				cells[i] = append(cells[i], v)
			}
		}
		var cols []series.Series
		for i, name := range names {
			kind := series.String
			if i < len(kinds) {
				switch kinds[i] {
				case 'f':
					kind = series.Float
				case 'i':
					kind = series.Int
				case 'b':
					kind = series.Bool
				}
			}
			cols = append(cols, series.New(cells[i], kind, name))
		}
		fr, err := From(dataframe.New(cols...), schema())
		if err != nil {
			for _, want := range []error{&frame.SchemaError{}, &frame.ColumnError{}, &frame.ValueError{}, &frame.FileError{},
				&domain.Error{}} {
				if typed(err, want) {
					return
				}
			}
			t.Fatalf("%T %v", err, err)
		}
		if fr, err = fr.AsPublic("fuzzed"); err != nil {
			t.Fatal(err)
		}
		df, err := Of(fr)
		if err != nil {
			if fr.Len() == 0 { // gota has no data frame without rows
				return
			}
			t.Fatal(err)
		}
		again := must.Get(From(df, schema()))(t)
		same(t, fr, again)
	})
}
