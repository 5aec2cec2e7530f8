package maxent

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestExpRow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	row := []float64{0, -0.0054, -0.00542, -math.Ln2 / 128, -math.Ln2, -689.9, -691, -1e300, math.Inf(-1)}
	for range 100000 {
		row = append(row, -690*r.Float64(), -r.Float64())
	}
	want := make([]float64, len(row))
	sum := 0.0
	for i, x := range row {
		if x > smallest {
			want[i] = math.Exp(x)
		}
		sum += want[i]
	}
	for i := range row {
		row[i] += 1234
	}
	for i := range row { // what adding left
		if x := row[i] - 1234; x > smallest {
			want[i] = math.Exp(x)
		}
	}
	got := expRow(row, 1234)
	if math.Abs(got-sum) > 1e-9*sum {
		t.Errorf("sum %v; want %v", got, sum)
	}
	for i := range row {
		if math.Abs(row[i]-want[i]) > 1e-15*want[i] {
			t.Fatalf("number %d is %v; want %v", i, row[i], want[i])
		}
	}
}

func BenchmarkExpRow(b *testing.B) {
	row, from := make([]float64, 1024), make([]float64, 1024)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range from {
		from[i] = -20 * r.Float64()
	}
	for b.Loop() {
		copy(row, from)
		expRow(row, 0)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/number")
}
