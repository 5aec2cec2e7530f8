package arrow_test

import (
	"context"
	"fmt"

	apache "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/sources/arrow"
)

func ExampleRecords() {
	b := array.NewRecordBuilder(memory.DefaultAllocator, apache.NewSchema([]apache.Field{
		{Name: "ill", Type: &apache.DictionaryType{IndexType: apache.PrimitiveTypes.Int8,
			ValueType: apache.BinaryTypes.String}},
		{Name: "age", Type: apache.PrimitiveTypes.Int64},
	}, nil))
	for i := range 1000 {
		if err := b.Field(0).AppendValueFromString([]string{"no", "no", "yes"}[i%3]); err != nil {
			fmt.Println(err)
		}
		b.Field(1).(*array.Int64Builder).Append(int64(20 + i%60))
	}
	schema := &frame.Schema{Dataset: "visits", Columns: []frame.Column{
		{Name: "ill", Kind: frame.KindCategorical, Categories: []string{"no", "yes"}},
		{Name: "age", Kind: frame.KindInteger, Min: 18, Max: 100, Edges: []float64{18, 40, 60, 100}},
	}}
	ctx := context.Background()
	table, err := arrow.Records(schema, []apache.RecordBatch{b.NewRecordBatch()})
	if err != nil {
		fmt.Println(err)
		return
	}
	size, err := table.Size(ctx)
	fmt.Println(size.N, "rows", err)
	release, err := privbayes.From(ctx, table).Model(privbayes.NaiveBayes("ill")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(release.Guarantee().Adjacency, release.Randomness())
	// Output:
	// 1000 rows <nil>
	// replace-one seeded: not private
}
