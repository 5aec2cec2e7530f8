package duckdb_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/sources/duckdb"
)

// A CSV file counted by DuckDB, in this process.
func ExampleDB_CSV() {
	ctx := context.Background()
	path := filepath.Join(os.TempDir(), fmt.Sprintf("smokers-%d.csv", os.Getpid()))
	if err := os.WriteFile(path, []byte("smokes\n"+strings.Repeat("yes\nno\nno\nno\n", 250)), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(path)
	db, err := duckdb.Open(ctx, duckdb.WithThreads(2))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	schema := &privbayes.Schema{Dataset: "smokers", Columns: []privbayes.Column{frame.Categorical("smokes", "yes", "no")}}
	smokers, err := db.CSV(ctx, schema, path)
	if err != nil {
		fmt.Println(err)
		return
	}
	release, err := privbayes.From(ctx, smokers).Model(privbayes.Binary("smokes")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", release.Model().Target().Mean()[0])
	// Output:
	// 0.251
}
