package gotaframe

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

func schema() *frame.Schema {
	vote := frame.Categorical("vote", "y", "n")
	vote.Missing, vote.OnMissing = []string{"?"}, frame.MissingAsCategory
	age := frame.Integer("age", 0, 18, 65, 120)
	income := frame.Real("income", 0, 1000, 5000)
	income.Missing, income.OnMissing = []string{"NA", "-1"}, frame.MissingAsCategory
	trip := frame.Column{Name: "trip", Kind: frame.KindSequence, Categories: []string{"a", "b"}, Separator: ">",
		MaxLength: 3}
	return &frame.Schema{Dataset: "people", Columns: []frame.Column{vote, age, income, trip,
		frame.Date("day", "02.01.2006", "01.01.2020", "01.01.2021")}}
}

const csv = "income,vote,age,trip,day\n10.25,y,17,a>b,29.02.2020\nNA,n,18,,01.01.2020\n-1,?,120,b,01.01.2021\n" +
	"0.1,n,0,a>a>a,02.01.2020\n"

func read(t *testing.T) *frame.Frame {
	t.Helper()
	return must.Get(frame.Read(context.Background(), strings.NewReader(csv), "t.csv", schema()))(t)
}

func same(t *testing.T, a, b *frame.Frame) {
	t.Helper()
	if a.Len() != b.Len() || !a.Schema().Equal(b.Schema()) {
		t.Fatalf("%d rows, want %d, under the same schema", a.Len(), b.Len())
	}
	for _, name := range []string{"vote", "age", "income", "day"} {
		x, errX := a.Codes(name)
		y, errY := b.Codes(name)
		if errX != nil || errY != nil || !reflect.DeepEqual(x, y) {
			t.Errorf("%s: codes %v, want %v", name, x, y)
		}
	}
	x, _ := a.Values("income")
	y, _ := b.Values("income")
	for i := range x {
		if x[i] != y[i] && !(math.IsNaN(x[i]) && math.IsNaN(y[i])) {
			t.Errorf("income %v, want %v", x[i], y[i])
		}
	}
	p, _ := a.Sequences("trip")
	q, _ := b.Sequences("trip")
	if !reflect.DeepEqual(p, q) {
		t.Errorf("trip %v, want %v", p, q)
	}
}

func TestRoundTrip(t *testing.T) {
	f := read(t)
	var private *frame.PrivateRowsError
	if _, err := Of(f); !errors.As(err, &private) {
		t.Fatalf("private rows went out: %v", err)
	}
	public := must.Get(f.AsPublic("made up for a test"))(t)
	df := must.Get(Of(public))(t)
	if names := fmt.Sprint(df.Names()); names != "[vote age income trip day]" {
		t.Errorf("columns %s", names)
	}
	if r, c := df.Dims(); r != 4 || c != 5 {
		t.Fatalf("%d × %d", r, c)
	}
	g := must.Get(From(df, schema()))(t)
	same(t, g, f)
}

func TestFromStrings(t *testing.T) {
	df := dataframe.ReadCSV(strings.NewReader(csv), dataframe.DetectTypes(false), dataframe.NaNValues([]string{"NA"}))
	g := must.Get(From(df, schema()))(t)
	same(t, g, read(t))
}

func TestFromNumbersAsCategories(t *testing.T) {
	df := dataframe.New(series.New([]int{1, 0}, series.Int, "a"), series.New([]float64{2, 0.5}, series.Float, "b"),
		series.New([]bool{true, false}, series.Bool, "c"))
	s := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Categorical("a", "0", "1"),
		frame.Categorical("b", "0.5", "2"), frame.Categorical("c", "false", "true")}}
	f := must.Get(From(df, s))(t)
	for _, name := range []string{"a", "b", "c"} {
		if c, _ := f.Codes(name); !reflect.DeepEqual(c.U8, []uint8{1, 0}) {
			t.Errorf("%s: %v", name, c.U8)
		}
	}
}

func TestFromErrors(t *testing.T) {
	one := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Categorical("a", "x")}}
	col := func(name string, v ...string) series.Series { return series.New(v, series.String, name) }
	for _, c := range []struct {
		df dataframe.DataFrame
		is error
	}{
		{dataframe.New(col("b", "x")), &frame.ColumnError{}},
		{dataframe.New(col("a", "x"), col("b", "x")), &frame.ColumnError{}},
		{dataframe.New(col("a", "z")), &frame.ValueError{}},
		{dataframe.New(col("a", "NaN")), &frame.ValueError{}},
		{dataframe.DataFrame{Err: errors.New("broken")}, &frame.FileError{}},
	} {
		if _, err := From(c.df, one); !typed(err, c.is) {
			t.Errorf("%v, want %v", err, c.is)
		}
	}
	if _, err := From(dataframe.New(col("a", "x")), nil); !typed(err, &frame.SchemaError{}) {
		t.Error(err)
	}
}

func ExampleFrom() {
	df := dataframe.New(
		series.New([]string{"yes", "no", "yes"}, series.String, "smoker"),
		series.New([]int{34, 71, 18}, series.Int, "age"),
	)
	schema := &frame.Schema{Dataset: "survey", Columns: []frame.Column{
		frame.Categorical("smoker", "no", "yes"),
		frame.Integer("age", 18, 40, 65, 100),
	}}
	f, err := From(df, schema)
	if err != nil {
		fmt.Println(err)
		return
	}
	n, _ := f.PublicN()
	fmt.Println(n, f.Schema().Columns[1].Labels())
	// Output: 3 [[18, 40) [40, 65) [65, 100]]
}

// Synthetic records go out to gota as they are.
func ExampleOf() {
	schema := &frame.Schema{Dataset: "survey",
		Columns: []frame.Column{frame.Categorical("smoker", "no", "yes"), frame.Integer("age", 18, 40, 65, 100)}}
	f, err := frame.FromColumns(schema, map[string]any{"smoker": []string{"yes", "no"}, "age": []int{34, 71}})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = Of(f)
	fmt.Println(err)
	f, _ = f.AsPublic("an example in the documentation")
	df, err := Of(f)
	fmt.Println(df.Records(), err)
	// Output:
	// gotaframe.Of: the rows are private; want synthetic records, or rows that are published elsewhere and declared so by AsPublic
	// [[smoker age] [yes 34] [no 71]] <nil>
}

func ExampleTable() {
	t := table.New("Shares", "party", "share").Add("democrat", 0.61379).Add("republican", 0.38621)
	df, err := Table(t)
	fmt.Println(df.Records(), err)
	// Output: [[party share] [democrat 0.6138] [republican 0.3862]] <nil>
}

// What cannot become a data frame is refused.
func TestNothingGoesOut(t *testing.T) {
	var file *frame.FileError
	if _, err := Of(nil); !errors.As(err, &file) {
		t.Error(err)
	}
	if _, err := Table(nil); !errors.As(err, &file) {
		t.Error(err)
	}
	if df, err := Table(&table.Table{Columns: []string{"a", "b"}, Rows: [][]string{{"1"}}}); err != nil ||
		fmt.Sprint(df.Records()) != "[[a b] [1 ]]" {
		t.Error(df, err)
	}
}

// typed reports whether err is, or wraps, an error of the type of want.
func typed(err, want error) bool {
	return errors.As(err, reflect.New(reflect.TypeOf(want)).Interface())
}
