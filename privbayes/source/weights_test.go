package source_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// BenchmarkWeights reads a million rows of a CSV file with weights, and the same rows with the weight set aside.
func BenchmarkWeights(b *testing.B) {
	const n = 1_000_000
	s := must.Get(frame.ParseSchema([]byte(`{"dataset": "survey", "sampling": "sample", "weight": {"column": "w",
		"min": "0.5", "max": "400", "step": "0.5", "computed": "design"}, "columns": [
		{"name": "region", "kind": "categorical", "categories": ["north", "south", "east", "west"]},
		{"name": "sex", "kind": "categorical", "categories": ["f", "m"]},
		{"name": "age", "kind": "integer", "min": 0, "max": 100},
		{"name": "income", "kind": "real", "min": 0, "max": 10000}]}`)))(b)
	rng, text := rand.New(rand.NewPCG(1, 2)), strings.Builder{}
	text.WriteString("region,sex,age,income,w\n")
	for range n {
		fmt.Fprintf(&text, "%s,%s,%d,%.1f,%.1f\n", []string{"north", "south", "east", "west"}[rng.IntN(4)],
			[]string{"f", "m"}[rng.IntN(2)], rng.IntN(101), 10000*rng.Float64(), .5+.5*float64(rng.IntN(799)))
	}
	path := filepath.Join(b.TempDir(), "survey.csv")
	must.Do(b, os.WriteFile(path, []byte(text.String()), 0o600))
	plain := s.Unweighted()
	plain.ExtraColumns = true // the weight stays in the file
	for _, m := range []struct {
		name  string
		model model.Model
	}{{"mean", model.Mean("income")}, {"group means", model.GroupMeans("income", "region")},
		{"table", model.ContingencyTable("region", "sex")}} {
		for _, c := range []struct {
			name string
			s    *frame.Schema
		}{{"weighted", s}, {"set aside", plain}} {
			files := must.Get(source.Files(c.s, path))(b)
			sh := must.Get(source.Shape(files, must.Get(files.Size(b.Context()))(b), m.model))(b)
			b.Run(m.name+", "+c.name, func(b *testing.B) {
				for b.Loop() {
					must.Get(files.Statistics(b.Context(), sh))(b)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
	}
}
