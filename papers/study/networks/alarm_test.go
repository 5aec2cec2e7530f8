package networks

import (
	"fmt"
	"os"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// external reads a network that is not in this repository.
func external(t testing.TB, name string) *bayesnet.Net {
	t.Helper()
	f, err := os.Open(data.Need(t, "networks/"+name+".bif"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	_, net, err := bayesnet.ReadBIF(f)
	if err != nil {
		t.Fatal(err)
	}
	return net
}

// modelOf is the statistics of simulated records of a network.
func modelOf(t testing.TB, net *bayesnet.Net, records int) (*model.Shape, *model.Statistics) {
	t.Helper()
	d := net.DAG()
	f, err := Records(net, records, 1)
	if err != nil {
		t.Fatal(err)
	}
	sh, err := model.NewShape(f.Schema(), model.NetworkOf(d.Node(0).Name, d), records, true, "")
	if err != nil {
		t.Fatal(err)
	}
	st, err := model.Count(sh, f)
	if err != nil {
		t.Fatal(err)
	}
	return sh, st
}

// Alarm, 37 nodes with two to four states, from 100 000 simulated records at 1-DP: the error of the released cells is
// the one that the plan predicts without data, least squares lowers it, and the released network gives held-out records
// nearly the likelihood that the network fitted without privacy does.
func TestAlarm(t *testing.T) {
	records := 100_000
	if testing.Short() {
		records = 20_000
	}
	net := external(t, "alarm")
	sh, st := modelOf(t, net, records)
	np, err := model.FitPrivately(seal.Mine(), st)
	if err != nil {
		t.Fatal(err)
	}
	test, err := Records(net, 5000, 2)
	if err != nil {
		t.Fatal(err)
	}
	best, err := np.LogLikelihood(test)
	if err != nil {
		t.Fatal(err)
	}
	var noise []float64
	for _, m := range []mechanism.Mechanism{counts.Geometric().WithPostProcess(counts.Clamp),
		counts.Geometric().WithPostProcess(counts.Consistent)} {
		p, err := m.Plan(t.Context(), sh, dp.PureDP(1))
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Draw(t.Context(), st, "x", dp.Seeded(3))
		if err != nil {
			t.Fatal(err)
		}
		r, err := release.New(t.Context(), p, d)
		if err != nil {
			t.Fatal(err)
		}
		l, err := r.Model().LogLikelihood(test)
		if err != nil {
			t.Fatal(err)
		}
		sd, _ := p.ExpectedValue(counts.FamilyNoiseName)
		noise = append(noise, sd)
		t.Logf("%s: noise of a cell %.1f, held-out log-likelihood %.4f, without privacy %.4f",
			p.Setting("post-processing"), sd, l, best)
		if !(l > best-1.5) {
			t.Errorf("%s: log-likelihood %v against %v", p.Setting("post-processing"), l, best)
		}
	}
	if !(noise[1] < .9*noise[0]) {
		t.Errorf("least squares leaves noise %v of %v", noise[1], noise[0])
	}
}

// BenchmarkRelease draws and fits whole networks.
func BenchmarkRelease(b *testing.B) {
	for _, name := range []string{"alarm", "win95pts"} {
		net := external(b, name)
		sh, st := modelOf(b, net, 10_000)
		for _, m := range []mechanism.Mechanism{counts.Geometric().WithPostProcess(counts.Consistent),
			counts.Fourier()} {
			p, err := m.Plan(b.Context(), sh, dp.PureDP(1))
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%s", name, m.Name()), func(b *testing.B) {
				s := dp.Seeded(1)
				for b.Loop() {
					d, err := p.Draw(b.Context(), st, "x", s)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := release.New(b.Context(), p, d); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkAlarmTables counts all tables of alarm from encoded columns.
func BenchmarkAlarmTables(b *testing.B) {
	const records = 200_000
	net := external(b, "alarm")
	f, err := Records(net, records, 1)
	if err != nil {
		b.Fatal(err)
	}
	sh, err := model.NewShape(f.Schema(), model.NetworkOf(net.DAG().Node(0).Name, net.DAG()), records, true, "")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := model.Count(sh, f); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/row")
}
