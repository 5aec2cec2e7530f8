// Command compare releases one table from every kind of source and writes, as JSON, the SHA-256 of each release and
// what reading took: the wages of data.CPS1988, forty times over, as CSV in memory, CSV files, Parquet files, DuckDB on
// the same, PostgreSQL grouped and by COPY, Beam on Prism, and Beam on Flink where PRIVBAYES_FLINK has a job server's
// address. PostgreSQL is at PRIVBAYES_POSTGRES. The releases are seeded, so they must be the same bytes; it fails
// otherwise.
//
//	COMPARE=bench/sources/same.json scripts/sources.sh compare
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"syscall"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sqlsource"
	"github.com/privbayes/privbayes-go/sources/beam"
	"github.com/privbayes/privbayes-go/sources/duckdb"
	"github.com/privbayes/privbayes-go/sources/parquet"
	"github.com/privbayes/privbayes-go/sources/pgsource"
)

// row is a line of the result.
type row struct {
	Source   string  `json:"source"`
	SHA256   string  `json:"sha256"`
	NSPerRow float64 `json:"ns_per_row"` // of this process's processors: size and statistics
}

const (
	shards = 8
	copies = 5 // of the table in a shard
)

func main() {
	beam.Worker()
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "compare")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, schema := data.CPS1988()
	plain, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	csv, err := io.ReadAll(plain)
	if err != nil {
		return err
	}
	head, body, _ := bytes.Cut(append(bytes.TrimRight(csv, "\n"), '\n'), []byte("\n"))
	shard := append(append(bytes.Clone(head), '\n'), bytes.Repeat(body, copies)...)
	var paths []string
	for i := range shards {
		paths = append(paths, filepath.Join(dir, fmt.Sprintf("wages-%d.csv", i)))
		if err := os.WriteFile(paths[i], shard, 0o600); err != nil {
			return err
		}
	}
	db, err := duckdb.Open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	columnar := filepath.Join(dir, "wages.parquet")
	if err := toParquet(ctx, strings.Split(string(head), ","), filepath.Join(dir, "wages-*.csv"), columnar); err != nil {
		return err
	}
	pg, closePG, err := postgres(ctx, strings.Split(string(head), ","), shard)
	if err != nil {
		return err
	}
	defer closePG()
	of := func(s source.Source, err error) func() (source.Source, error) {
		return func() (source.Source, error) { return s, err }
	}
	all := []struct {
		name string
		open func() (source.Source, error)
	}{
		{"frame, from CSV", nil},
		{"CSV files", func() (source.Source, error) { return source.Files(schema, paths...) }},
		{"Parquet", func() (source.Source, error) { return parquet.Open(ctx, schema, []string{columnar}) }},
		{"DuckDB on Parquet", func() (source.Source, error) { return db.Parquet(ctx, schema, columnar) }},
		{"DuckDB on CSV", func() (source.Source, error) { return db.CSV(ctx, schema, filepath.Join(dir, "wages-*.csv")) }},
		{"PostgreSQL, grouped there", of(sqlsource.New(pg, sqlsource.PostgreSQL, schema, "wages"), nil)},
		{"PostgreSQL, COPY", of(pgsource.New(pg, schema, "wages"), nil)},
		{"Beam on Prism, CSV", func() (source.Source, error) { return beam.Open(ctx, schema, beam.Prism(), paths...) }},
		{"Beam on Prism, Parquet", func() (source.Source, error) { return beam.Open(ctx, schema, beam.Prism(), columnar) }},
	}
	if at := os.Getenv("PRIVBAYES_FLINK"); at != "" {
		all = append(all, struct {
			name string
			open func() (source.Source, error)
		}{"Beam on Flink, CSV", func() (source.Source, error) {
			return beam.Open(ctx, schema, beam.Portable(at).WithFolder(dir), paths...)
		}})
	}
	var rows []row
	n := float64(shards * copies * bytes.Count(body, []byte("\n")))
	for _, one := range all {
		start := processor()
		frame := (*privbayes.Frame)(nil)
		if one.open == nil {
			frame = privbayes.LoadShards(paths, schema)
		} else {
			s, err := one.open()
			if err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
			frame = privbayes.From(ctx, s)
		}
		release, err := frame.Model(privbayes.NaiveBayes("region")).
			Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(12)).Release()
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		took := processor() - start
		b, err := release.JSON()
		if err != nil {
			return err
		}
		sum := sha256.Sum256(b)
		rows = append(rows, row{one.name, hex.EncodeToString(sum[:]), float64(took.Nanoseconds()) / n})
		if rows[0].SHA256 != rows[len(rows)-1].SHA256 {
			return fmt.Errorf("%s: another release than of %s", one.name, rows[0].Source)
		}
	}
	e := json.NewEncoder(out)
	e.SetIndent("", " ")
	return e.Encode(map[string]any{"date": time.Now().UTC().Format("2006-01-02"), "rows": int(n), "sources": rows})
}

// processor is what this process has taken of the processors.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// toParquet writes the files as one Parquet file of texts.
func toParquet(ctx context.Context, names []string, from, to string) error {
	for i, name := range names {
		names[i] = "'" + strings.TrimSpace(name) + "': 'VARCHAR'"
	}
	columns := strings.Join(names, ", ")
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, "COPY (FROM read_csv('"+from+"', auto_detect = false, header = true, delim = ',', "+
		"columns = {"+
		columns+"})) TO '"+to+"' (ROW_GROUP_SIZE 122880)")
	return err
}

// postgres makes the table from the shards.
func postgres(ctx context.Context, names []string, shard []byte) (db *sql.DB, done func(), err error) {
	url := os.Getenv("PRIVBAYES_POSTGRES")
	if url == "" {
		return nil, nil, fmt.Errorf("no PostgreSQL: scripts/sources.sh compare starts one")
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	defer conn.Close(ctx)
	for i, name := range names {
		names[i] = `"` + strings.TrimSpace(strings.Trim(name, "\"\r")) + `" text`
	}
	if _, err := conn.Exec(ctx, "DROP TABLE IF EXISTS wages; CREATE TABLE wages ("+strings.Join(names,
		", ")+")"); err != nil {
		return nil, nil, err
	}
	for range shards {
		if _, err := conn.PgConn().CopyFrom(ctx, bytes.NewReader(shard),
			"COPY wages FROM STDIN (FORMAT csv, HEADER)"); err != nil {
			return nil, nil, err
		}
	}
	if db, err = sql.Open("pgx", url); err != nil {
		return nil, nil, err
	}
	return db, func() { _ = db.Close() }, nil
}
