package bayesnet_test

import (
	"bytes"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

func BenchmarkSampleAlarm(b *testing.B) {
	const n = 100_000
	net, src := load(b, "alarm"), seeded(1)
	out := draw(b, net, n, src)
	for b.Loop() {
		must.Do(b, net.Sample(n, src, out))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/record")
}

// All marginals of a network, one query each; water is the widest of the files.
func BenchmarkQuery(b *testing.B) {
	for _, name := range []string{"alarm", "water", "andes"} {
		b.Run(name, func(b *testing.B) {
			net := load(b, name)
			for b.Loop() {
				for i := range net.DAG().Len() {
					must.Get(net.Marginal(i))(b)
				}
			}
		})
	}
}

func BenchmarkPredictAlarm(b *testing.B) {
	const n = 1000
	net := load(b, "alarm")
	columns := draw(b, net, n, seeded(1))
	rows := make([][]int, n)
	for r := range rows {
		for i := range columns {
			rows[r] = append(rows[r], int(columns[i][r]))
		}
	}
	for b.Loop() {
		must.Get(net.Predict(0, rows))(b)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}

func BenchmarkReadBIF(b *testing.B) {
	var text bytes.Buffer
	must.Do(b, load(b, "alarm").WriteBIF(&text))
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		must.Get2(bayesnet.ReadBIF(bytes.NewReader(text.Bytes())))(b)
	}
}
