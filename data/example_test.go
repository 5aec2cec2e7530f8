package data_test

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

func ExampleVotes() {
	r, schema := data.Votes()
	f, err := frame.Read(context.Background(), r, "votes.csv", schema)
	if err != nil {
		fmt.Println(err)
		return
	}
	n, public := f.PublicN()
	fmt.Println(n, public, schema.Unit)
	fmt.Println(schema.Columns[4].Labels(), schema.Columns[4].Description)
	// Output:
	// 435 true member of Congress
	// [n y unrecorded] vote on physician fee freeze; unrecorded: neither yea nor nay
}

func ExampleInfo() {
	d, err := data.Info("iris")
	fmt.Println(d.Rows, d.Columns, d.Licence, err)
	// Output: 150 5 CC BY 4.0 (UCI); R is GPL-2 <nil>
}

func ExampleNames() {
	fmt.Println(data.Names())
	// Output: [votes breast_cancer wine iris penguins spam cps1988 german_credit]
}

func ExampleExternal() {
	_, err := data.External("no-such-file.csv")
	fmt.Printf("%T\n", err)
	// Output: *data.NotFoundError
}
