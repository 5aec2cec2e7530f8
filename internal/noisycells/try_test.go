package noisycells
import ("testing";"math/rand/v2";"time";"slices")
func TestTry(t *testing.T) {
	for _, c := range []struct{levels []int; n int; eps float64}{{[]int{2,3,2},1200,1}, {[]int{3,4},3600,.1}} {
		t0 := time.Now(); fails, sw, cov, tot := 0, 0, 0, 0
		for r := range 6 {
			src := rand.New(rand.NewPCG(uint64(r), 1))
			rows := crossed(c.levels...)
			p := Problem{Rows: rows, Rate: c.eps/2, N: float64(c.n), Deviation: slices.Repeat([]float64{1}, len(rows[0]))}
			q, beta := drawn(src, p, c.n)
			d, err := q.Sample(t.Context(), [32]byte{byte(r)})
			if err != nil { fails++; t.Log(err); continue }
			sw += d.Sweeps
			for j := range beta {
				var x []float64
				for _, w := range d.Weights { x = append(x, w[j]) }
				slices.Sort(x)
				tot++
				if x[len(x)/40] <= beta[j] && beta[j] <= x[len(x)-1-len(x)/40] { cov++ }
			}
		}
		t.Logf("%v fails %d, sweeps %d, %v each, covered %d of %d", c, fails, sw/6, time.Since(t0)/6, cov, tot)
	}
}
