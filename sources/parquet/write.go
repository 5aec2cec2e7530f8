package parquet

import (
	"fmt"
	"io"

	pq "github.com/parquet-go/parquet-go"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// table is the schema of a file: its columns in their order, where a group of the library sorts them by name.
type table struct {
	pq.Group
	names []string
}

// Fields are the columns in their order.
func (t table) Fields() (out []pq.Field) {
	of := map[string]pq.Field{}
	for _, f := range t.Group.Fields() {
		of[f.Name()] = f
	}
	for _, name := range t.names {
		out = append(out, of[name])
	}
	return out
}

// Write writes rows as a Parquet file, compressed by Snappy, which Open reads. A column holds float64, int64 or text,
// by its first value that is not nil; nil is null, and a column of nothing else is text. Errors: *dp.ParameterError for
// two columns of one name, a row of another length or a value of another type; those of out.
func Write(out io.Writer, names []string, rows [][]any) error {
	columns := table{pq.Group{}, names}
	kinds := make([]string, len(names))
	for j, name := range names {
		if columns.Group[name] != nil {
			return domain.Refuse("parquet", "column", name, "a name that no other column has")
		}
		kinds[j] = "string"
		for _, row := range rows {
			if len(row) != len(names) {
				return domain.Refuse("parquet", "row", len(row), fmt.Sprintf("%d values", len(names)))
			}
			if row[j] != nil {
				kinds[j] = fmt.Sprintf("%T", row[j])
				break
			}
		}
		switch kinds[j] {
		case "float64":
			columns.Group[name] = pq.Optional(pq.Leaf(pq.DoubleType))
		case "int64":
			columns.Group[name] = pq.Optional(pq.Int(64))
		default:
			columns.Group[name] = pq.Optional(pq.String())
		}
	}
	w := pq.NewWriter(out, pq.NewSchema("table", columns), pq.Compression(&pq.Snappy))
	for _, values := range rows {
		if len(values) != len(names) {
			return domain.Refuse("parquet", "row", len(values), fmt.Sprintf("%d values", len(names)))
		}
		var row pq.Row
		for j, v := range values {
			level := 1
			switch have := fmt.Sprintf("%T", v); {
			case v == nil:
				level = 0
			case have != kinds[j] || have != "string" && have != "float64" && have != "int64":
				return domain.Refuse("parquet", names[j], have, kinds[j]+", or nil, and of these float64, int64 or string")
			}
			row = append(row, pq.ValueOf(v).Level(0, level, j))
		}
		if _, err := w.WriteRows([]pq.Row{row}); err != nil {
			return err
		}
	}
	return w.Close()
}
