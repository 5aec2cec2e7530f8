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
	// Output: [votes breast_cancer wine iris penguins spam cps1988 german_credit shopper births2019 nhanes2009]
}

func ExampleExternal() {
	_, err := data.External("no-such-file.csv")
	fmt.Printf("%T\n", err)
	// Output: *data.NotFoundError
}

func ExampleStudySchema() {
	s, err := data.StudySchema("adult")
	if err != nil {
		fmt.Println(err)
		return
	}
	hours, _, err := s.Column("hours-per-week")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(s.Columns), s.ExtraColumns, hours.Edges)
	// Output: 14 true [0 10 20 25 30 35 40 41 45 50 60 99]
}

func ExampleStudyInfo() {
	o, err := data.StudyInfo("bank")
	fmt.Println(o.PaperName, o.Rows, o.Features, o.Classes, o.Target, o.Licence, o.DOI, err)
	// Output: Bank 41188 20 2 y CC BY 4.0 10.24432/C5K306 <nil>
}

func ExampleStudyNames() {
	fmt.Println(data.StudyNames())
	// Output: [creditcard thyroid shopper digit german bank spam adult]
}

func ExampleOpenStudy() {
	r, s, err := data.OpenStudy("spam") // embedded, so it is always there
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := frame.Read(context.Background(), r, "spam.csv", s)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Len(), "rows")
	// Output: 4601 rows
}
