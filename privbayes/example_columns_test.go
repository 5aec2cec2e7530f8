package privbayes_test

import (
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// The function is asked for every combination of public labels, and the answers stand in the schema.
func ExampleFrame_Derive() {
	schema := &privbayes.Schema{Dataset: "survey", Columns: []privbayes.Column{frame.Integer("age", 0, 18, 65, 120)}}
	f := privbayes.ReadFrame(strings.NewReader("age\n12\n40\n70\n"), schema).
		Derive("votes", []string{"age"}, func(labels []string) string {
			if labels[0] == "[0, 18)" {
				return "no"
			}
			return "yes"
		})
	derived := f.Data().Schema()
	fmt.Println(derived.Names(), derived.Columns[1].Categories)
	fmt.Println(derived.Steps[0])
	// Output:
	// [age votes] [no yes]
	// Derive("votes" from "age": "[0, 18)" → "no"; "[18, 65)" → "yes"; "[65, 120]" → "yes")
}

// A table that is not public is refused.
func ExampleFrame_Lookup() {
	town := frame.Categorical("town", "Ulm", "Bern")
	people := privbayes.ReadFrame(strings.NewReader("town\nUlm\nBern\n"),
		&privbayes.Schema{Dataset: "people", Columns: []privbayes.Column{town}})
	lands := privbayes.ReadFrame(strings.NewReader("town,land\nUlm,D\nBern,CH\n"),
		&privbayes.Schema{Dataset: "lands", Columns: []privbayes.Column{town, frame.Categorical("land", "D", "CH")}})
	fmt.Println(people.Lookup("town", lands).Err() != nil)
	fmt.Println(people.Lookup("town", lands.AsPublic("an atlas")).Data().Schema().Names())
	// Output:
	// true
	// [town land]
}

// All that does not fit is listed, for the data holder.
func ExampleFrame_Check() {
	schema := &privbayes.Schema{Dataset: "survey", Columns: []privbayes.Column{frame.Categorical("sex", "f", "m")}}
	v, err := privbayes.ReadFrame(strings.NewReader("sex\nf\nM\nm\nM\n"), schema).Check()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range v.List() {
		fmt.Printf("%s: %d times %q, first in line %d\n", x.Column, x.Count, x.Value, x.Line)
	}
	// Output: sex: 2 times "M", first in line 3
}
