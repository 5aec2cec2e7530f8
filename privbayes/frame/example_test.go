package frame_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

var survey = &frame.Schema{
	Dataset: "survey",
	Columns: []frame.Column{
		frame.Categorical("smoker", "no", "yes"),
		frame.Integer("age", 18, 40, 65, 100),
	},
}

const answers = "age,smoker\n34,yes\n71,no\n18,yes\n52,no\n"

func read() *frame.Frame {
	f, err := frame.Read(context.Background(), strings.NewReader(answers), "survey.csv", survey)
	if err != nil {
		fmt.Println(err)
	}
	return f
}

func ExampleParseSchema() {
	s, err := frame.ParseSchema([]byte(`{"dataset": "survey", "columns": [
		{"name": "smoker", "kind": "categorical", "categories": ["no", "yes"]},
		{"name": "age", "kind": "integer", "edges": [18, 40, 65, 100]}]}`))
	fmt.Println(s.Equal(survey), err)
	// Output: true <nil>
}

func ExampleSchema_Validate() {
	s := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Real("income", 0, 5000, 1000)}}
	fmt.Println(s.Validate())
	// Output: schema column "income": edges is 5000 before 1000; want strictly increasing edges
}

func ExampleColumn_Labels() {
	fmt.Println(frame.Real("share", 0, 0.5, 1).Labels())
	c := frame.Categorical("vote", "y", "n")
	c.Missing, c.OnMissing = []string{"?"}, frame.MissingAsCategory
	fmt.Println(c.Labels(), c.Levels())
	// Output:
	// [[0, 0.5) [0.5, 1]]
	// [y n missing] 3
}

func ExampleRead() {
	f := read()
	fmt.Print(f)
	_, err := frame.Read(context.Background(), strings.NewReader("smoker,age\nno,17\n"), "survey.csv", survey)
	fmt.Println(err)
	// Output:
	// private frame under the schema of "survey"
	// column  kind         levels  domain            missing  out of domain  description
	// ------  -----------  ------  ----------------  -------  -------------  -----------
	// smoker  categorical       2  no, yes           refused  refused
	// age     integer           3  18 to 100, whole  refused  refused
	// n = 4 (public); 2 columns; unit: "person"
	// survey.csv line 2, column "age": found "17"; want a whole number from 18 to 100
}

func ExampleLoad() {
	path := filepath.Join(os.TempDir(), "no such table.csv")
	_, err := frame.Load(context.Background(), path, survey)
	var e *frame.FileError
	fmt.Println(errors.As(err, &e), errors.Is(err, os.ErrNotExist))
	// Output: true true
}

func ExampleFromColumns() {
	f, err := frame.FromColumns(survey, map[string]any{"smoker": []string{"yes", "no"}, "age": []int{40, 39}})
	if err != nil {
		fmt.Println(err)
		return
	}
	codes, _ := f.Codes("age")
	fmt.Println(codes.At(0), codes.At(1), codes.Levels)
	// Output: 1 0 3
}

func ExampleFrame_Split() {
	train, test, err := read().Split(0.75, 1)
	n, public := train.PublicN()
	fmt.Println(n, public, test.Len(), err)
	// Output: 3 true 1 <nil>
}

func ExampleFrame_Holdout() {
	train, test, err := read().Holdout(1, 1)
	fmt.Println(train.Len(), test.Len(), err)
	// Output: 3 1 <nil>
}

func ExampleFrame_Where() {
	f, err := read().Where("age", func(bin string) bool { return bin == "[18, 40)" })
	if err != nil {
		fmt.Println(err)
		return
	}
	_, public := f.PublicN()
	fmt.Println(public, f.PrivateNStep())
	_, err = f.Head(1)
	fmt.Println(err)
	// Output:
	// false Where("age")
	// Head needs a public number of rows, and Where("age") made it private; use Split, which needs none
}

func ExampleFrame_Select() {
	f, err := read().Select("age")
	fmt.Println(f.Schema().Names(), err)
	_, err = read().Select("agee")
	fmt.Println(err)
	// Output:
	// [age] <nil>
	// Select: no column "agee"; have "smoker", "age"; did you mean "age"?
}

func ExampleFrame_CountPrivate() {
	counts, err := read().CountPrivate("smoker", "age")
	fmt.Println(counts, err) // private: do not publish
	// Output: [0 1 1 2 0 0] <nil>
}

func ExampleInferSchema() {
	s, err := frame.InferSchema(strings.NewReader("x,y\na,1\nb,NA\n"), "exploration")
	fmt.Println(s.Inferred, s.Columns[0].Categories, s.Columns[1].Labels(), err)
	// Output: true [a b] [1 missing] <nil>
}
