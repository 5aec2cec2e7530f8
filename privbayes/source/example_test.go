package source_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// A table in several files is counted where it lies: no row is kept.
func ExampleFiles() {
	dir, err := os.MkdirTemp("", "visits")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for month, rows := range []string{"yes\nno\nyes\n", "no\nno\nyes\nno\n"} {
		name := filepath.Join(dir, fmt.Sprintf("month%d.csv", month+1))
		if err := os.WriteFile(name, []byte("treated\n"+rows), 0o600); err != nil {
			fmt.Println(err)
			return
		}
	}
	schema := &frame.Schema{Dataset: "visits", Columns: []frame.Column{frame.Categorical("treated", "no", "yes")}}
	visits, err := source.Files(schema, filepath.Join(dir, "month*.csv"))
	if err != nil {
		fmt.Println(err)
		return
	}
	size, err := visits.Size(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	n, public := size.Public()
	fmt.Println(n, public)
	release := privbayes.From(context.Background(), visits).Model(privbayes.Categorical("treated")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1))
	fmt.Println(release.Err())
	// Output:
	// 7 true
	// <nil>
}
