package privbayes_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Households with a child under five, of a table of households and one of their persons: one household is the unit, and
// at most three of its persons are kept. Files are read by LoadTables(schema, "households.csv", "persons.csv").
func ExampleLoadTables() {
	schema, err := privbayes.ParseSchema([]byte(`{"dataset": "town", "unit": "household", "tables": [
		{"name": "households", "key": "hid", "columns": [
			{"name": "side", "kind": "categorical", "categories": ["north", "south"]}]},
		{"name": "persons", "of": "households", "key": "hid", "at_most": 3, "columns": [
			{"name": "age", "kind": "integer", "edges": [0, 5, 18, 100]}],
		 "per_unit": [{"name": "size", "is": "count"},
			{"name": "infant", "is": "any", "of": "age", "where": ["[0, 5)"]}]}]}`))
	if err != nil {
		fmt.Println(err)
	}
	households, persons := "hid,side\n", "hid,age\n"
	for i := range 400 {
		households += fmt.Sprintf("%d,%s\n", i, []string{"north", "south"}[i%2])
		for k := range i % 4 {
			persons += fmt.Sprintf("%d,%d\n", i, (i*37+k*41)%100)
		}
	}
	town := privbayes.WrapFrame(frame.ReadTables(context.Background(), []frame.Shard{
		{Name: "households", Reader: strings.NewReader(households)},
		{Name: "persons", Reader: strings.NewReader(persons)}}, schema))
	r, err := town.Model(privbayes.Binary("infant")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
	}
	for _, row := range r.Summary().Rows {
		fmt.Println(row)
	}
	// Output:
	// [no 0.930 0.903 – 0.954 0.924 – 0.941]
	// [yes 0.070 0.046 – 0.097 0.059 – 0.076]
}

// A release of households, with a place for each of their persons, becomes two tables again: 100 households with keys
// from 1 to 100, and their persons.
func ExampleSynthesizeTables() {
	r, err := release.Load(context.Background(), "testdata/release_with_places.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	households, persons, err := privbayes.SynthesizeTables(r, 100, dp.Seeded(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(households.Len(), "rows of", households.Schema().Names())
	fmt.Println("rows of", persons.Schema().Names())
	// Output:
	// 100 rows of [hid side]
	// rows of [hid age job]
}
