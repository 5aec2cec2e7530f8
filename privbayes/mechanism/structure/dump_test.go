package structure

import (
	"encoding/gob"
	"os"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

type dumped struct {
	Levels []int
	Total  float64
	Limit  int
	Vars   [][]int
	Y      [][]float64
	Var    []float64
}

func TestDump(t *testing.T) {
	const rows = 1_000_000
	levels, codes := dependent(100, rows)
	sh := shape(t, model.MaxEntropy(), rows, levels...)
	st := counted(t, sh, codes)
	p := must.Get(DiscreteGaussian().Plan(t.Context(), sh, dp.ApproxDP(1, 1e-9)))(t)
	sm := p.Sampler(access.Mine()).(*sampler)
	drawn := must.Get(sm.Draw(t.Context(), mechanism.Open(access.Mine(), st), dp.Seeded(1)))(t)
	s := must.Get(sm.replay(t.Context(), drawn))(t)
	d := dumped{Levels: s.levels, Total: float64(s.size), Limit: s.set.FitCells()}
	for _, x := range s.done {
		d.Vars, d.Y, d.Var = append(d.Vars, x.columns), append(d.Y, x.noisy), append(d.Var, x.variance)
	}
	f := must.Get(os.Create("/tmp/model.gob"))(t)
	must.Do(t, gob.NewEncoder(f).Encode(d))
	f.Close()
}
