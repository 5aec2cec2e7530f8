package privbayes_test

import (
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// A schema of one's own, as JSON and in code: both say the same.
func ExampleParseSchema() {
	schema, err := privbayes.ParseSchema([]byte(`{"dataset": "survey", "columns": [
		{"name": "answer", "kind": "categorical", "categories": ["yes", "no"]},
		{"name": "age", "kind": "integer", "edges": [18, 40, 65, 120]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	code := &privbayes.Schema{Dataset: "survey", Columns: []privbayes.Column{
		frame.Categorical("answer", "yes", "no"),
		frame.Integer("age", 18, 40, 65, 120),
	}}
	fmt.Println(schema.Equal(code))
	fmt.Print(privbayes.ReadFrame(strings.NewReader("answer,age\nyes,31\nno,77\n"), code))

	_, err = privbayes.ParseSchema([]byte(`{"dataset": "survey", "columns": [
		{"name": "answer", "kind": "categorical", "levels": ["yes", "no"]}]}`))
	fmt.Println(err)
	// Output:
	// true
	// private frame under the schema of "survey"
	// column  kind         levels  domain            missing  out of domain  description
	// ------  -----------  ------  ----------------  -------  -------------  -----------
	// answer  categorical       2  yes, no           refused  refused
	// age     integer           3  18 to 120, whole  refused  refused
	// n = 2 (public); 2 columns; unit: "person"
	// schema: field "levels" is unknown; want a field of a schema; did you mean "categories"?
}
