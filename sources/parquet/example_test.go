package parquet_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	pq "github.com/parquet-go/parquet-go"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/sources/parquet"
)

// visit is a row of the examples' files.
type visit struct {
	Ill string `parquet:"ill,dict"`
	Age int64  `parquet:"age"`
}

// visits writes two files into a folder divided by year.
func visits() string {
	dir, err := os.MkdirTemp("", "visits")
	if err != nil {
		panic(err)
	}
	for _, year := range []string{"2023", "2024"} {
		var some []visit
		for i := range 500 {
			some = append(some, visit{[]string{"no", "no", "yes"}[i%3], int64(20 + i%60)})
		}
		folder := filepath.Join(dir, "year="+year)
		if err := os.Mkdir(folder, 0o700); err != nil {
			panic(err)
		}
		if err := pq.WriteFile(filepath.Join(folder, "part-0.parquet"), some); err != nil {
			panic(err)
		}
	}
	return dir
}

func ExampleOpen() {
	dir := visits()
	defer os.RemoveAll(dir)
	schema := &frame.Schema{Dataset: "visits", Columns: []frame.Column{
		{Name: "ill", Kind: frame.KindCategorical, Categories: []string{"no", "yes"}},
		{Name: "age", Kind: frame.KindInteger, Min: 18, Max: 100, Edges: []float64{18, 40, 60, 100}},
		{Name: "year", Kind: frame.KindCategorical, Categories: []string{"2023", "2024"}},
	}}
	ctx := context.Background()
	table, err := parquet.Open(ctx, schema, []string{dir}, parquet.Workers(2))
	if err != nil {
		fmt.Println(err)
		return
	}
	size, err := table.Size(ctx)
	fmt.Println(size.N, "rows", err)
	private := privbayes.From(ctx, table).Model(privbayes.NaiveBayes("ill")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1))
	release, err := private.Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(release.Guarantee().Adjacency, release.Randomness())
	// Output:
	// 1000 rows <nil>
	// replace-one seeded: not private
}
