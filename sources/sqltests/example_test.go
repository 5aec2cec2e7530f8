package sqltests

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/privbayes/source/sqlsource"
)

// A table of an SQLite file, counted where it is.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	db, err := sql.Open("sqlite", filepath.Join(dir, "patients.db"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	for _, statement := range []string{"CREATE TABLE patients (smokes text)",
		"WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < 500) " +
			"INSERT INTO patients SELECT CASE WHEN i % 5 = 0 THEN 'yes' ELSE 'no' END FROM k"} {
		if _, err := db.Exec(statement); err != nil {
			fmt.Println(err)
			return
		}
	}
	schema := &privbayes.Schema{Dataset: "patients", Columns: []privbayes.Column{frame.Categorical("smokes", "yes", "no")}}
	patients := sqlsource.New(db, sqlsource.SQLite, schema, "patients")
	release, err := privbayes.From(context.Background(), patients).Model(privbayes.Binary("smokes")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", release.Model().Target().Mean()[0])
	// Output:
	// 0.203
}

// More groups than a source takes are refused, by their number alone.
func TestGroupsAreLimited(t *testing.T) {
	db := sqlite(t)
	fill(t, db, "visits", sourcetest.CSV())
	s := sourcetest.Schema(t)
	sh, err := model.NewShape(s, privbayes.NaiveBayes("class"), 0, false, "test")
	if err != nil {
		t.Fatal(err)
	}
	var groups *sqlsource.GroupsError
	if _, err := sqlsource.New(db, sqlsource.SQLite, s, "visits").WithGroups(1).Statistics(t.Context(), sh); !errors.As(err,
		&groups) || groups.Limit != 1 {
		t.Errorf("%v, want a *GroupsError at 1", err)
	}
}
