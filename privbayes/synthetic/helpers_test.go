package synthetic

import (
	"fmt"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// pair is a network of two columns with hostile names: an exposure and an outcome.
func pair(t testing.TB) *bayesnet.Net {
	t.Helper()
	d := must.Get(bayesnet.NewDAG([]bayesnet.Node{
		{Name: `smoke "<now>"`, States: []string{"no, never", `y'es\n`}},
		{Name: "ill", States: []string{"no", "да"}, Parents: []string{`smoke "<now>"`}},
	}))(t)
	return must.Get(bayesnet.NewNet(d, [][]float64{{.6, .4}, {.7, .3, .4, .6}}))(t)
}

// setsOf draws all sets from one network; drawn counts the calls.
func setsOf(t testing.TB, net *bayesnet.Net, m, rows int, drawn *int) *Sets {
	t.Helper()
	return must.Get(New(Spec{Sets: m, Rows: rows, Records: 100, Graph: net.DAG(), Title: "a test",
		Public: "ε = 1, n = 100",
		Draw: func(set, rows int) (*frame.Frame, error) {
			if drawn != nil {
				*drawn++
			}
			return model.Simulate(fmt.Sprint("set ", set), net, rows, dp.Seeded(uint64(set)))
		}}))(t)
}
