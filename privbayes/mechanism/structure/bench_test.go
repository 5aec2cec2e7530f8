package structure

import (
	"math/rand/v2"
	"runtime/metrics"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// dependent are the codes of columns of 2 to 16 levels, each dependent on one or two of the five before it.
func dependent(columns, rows int) (levels []int, codes []frame.Codes) {
	r := rand.New(rand.NewPCG(11, uint64(columns)))
	for i := range columns {
		l, col := 2+r.IntN(15), make([]uint8, rows)
		var near, far []uint8
		if i > 0 {
			near, far = codes[max(0, i-1-r.IntN(5))].U8, codes[max(0, i-1-r.IntN(5))].U8
		}
		for k := range col {
			switch {
			case i > 0 && r.IntN(2) == 0:
				col[k] = near[k] % uint8(l)
			case i > 0 && r.IntN(3) == 0:
				col[k] = (far[k] + 1) % uint8(l)
			default:
				col[k] = uint8(min(r.IntN(l), r.IntN(l)))
			}
		}
		levels, codes = append(levels, l), append(codes, frame.Codes{Levels: l, U8: col})
	}
	return levels, codes
}

// BenchmarkHundredColumns learns from 100 columns of a million rows in memory: the tables of all pairs, the plan with
// its certificate, a draw and the network that a file gives. It reports the parts and the bytes that were alive for
// each cell of the table, whose codes take one.
func BenchmarkHundredColumns(b *testing.B) {
	const rows = 1_000_000
	levels, codes := dependent(100, rows)
	for b.Loop() {
		var parts [4]float64
		done := b.Elapsed()
		most := 0.0
		lap := func(i int) {
			parts[i], done = (b.Elapsed() - done).Seconds(), b.Elapsed()
			live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
			metrics.Read(live)
			most = max(most, float64(live[0].Value.Uint64()))
		}
		sh := shape(b, model.MaxEntropy(), rows, levels...)
		st := counted(b, sh, codes)
		lap(0)
		p := must.Get(DiscreteGaussian().Plan(b.Context(), sh, dp.ApproxDP(1, 1e-9)))(b)
		lap(1)
		drawn := must.Get(p.Sampler(access.Mine()).Draw(b.Context(), mechanism.Open(access.Mine(), st), dp.Seeded(1)))(b)
		lap(2)
		must.Get(p.Sampler(access.Mine()).Estimate(b.Context(), drawn))(b)
		lap(3)
		b.ReportMetric(most/float64(rows*len(levels)), "live-bytes/cell")
		for i, name := range []string{"count-s", "plan-s", "draw-s", "fit-s"} {
			b.ReportMetric(parts[i], name)
		}
	}
}
