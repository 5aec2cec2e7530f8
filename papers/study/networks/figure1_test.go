package networks

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// figure1Cases are the full runs that figure1.json holds.
func figure1Cases() []Classification {
	eps := []float64{.1, .3, 1, 1.4, 2, 3, 10, 30, 100}
	return []Classification{{Epsilons: eps, Seed: 2016}, {Epsilons: eps, Seed: 2016, Hard: true}}
}

// TestFigure1Full makes figure1.json; it takes a minute or two and runs only when asked to.
func TestFigure1Full(t *testing.T) {
	var all []*Figure1Result
	full.Run(t, "figure1.json", false, &all, func(ctx context.Context, save func()) error {
		for _, c := range figure1Cases() {
			r, err := Figure1(ctx, c)
			if err != nil {
				return err
			}
			t.Log(r.Table())
			all = append(all, r)
		}
		save()
		return nil
	})
}

// The committed outcomes are those of the full settings, with the ε that the printed sampler really spends, and a small
// part of them comes out again: the same data set, other splits.
func TestFigure1Committed(t *testing.T) {
	all, err := Figure1Committed()
	if err != nil || len(all) != 2 {
		t.Fatal(len(all), err)
	}
	for i, r := range all {
		c := figure1Cases()[i]
		if r.Seed != c.Seed || r.Splits != 100 || r.Train != 50 || r.Draws != PaperDraws || len(r.Curves) != 5 ||
			(r.Case == "hard") != c.Hard || math.Abs(r.T-.1267) > .003 {
			t.Errorf("%+v", r)
		}
		if err := r.Figure().Validate(); err != nil {
			t.Error(err)
		}
		if p, ok := r.At(PrintedSampler, 3); !ok || math.Abs(p.Epsilon-1932) > 1 {
			t.Errorf("the printed sampler at 3 spends %v", p.Epsilon)
		}
		if _, ok := r.At(PrintedSampler, 1); ok {
			t.Error("the printed sampler has an interval at ε = 1")
		}
		tries := 0.0
		for _, p := range r.Curves[1].Points {
			tries += p.Tries / float64(len(r.Curves[1].Points))
		}
		if tries <= 1 || tries > 1.111 { // at true cells of 0 it would be 1/0.9
			t.Errorf("Algorithm 2 takes %v runs", tries)
		}
	}
	c := figure1Cases()[1]
	c.Splits, c.Epsilons = 10, []float64{2, 30}
	again, err := Figure1(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, curve := range again.Curves {
		for _, p := range curve.Points {
			q, ok := all[1].At(curve.Name, p.X)
			// 6.5 standard errors, those of ten splits from the hundred: a false alarm in 1e10
			if se := q.Error * math.Sqrt(11); !ok || math.Abs(p.Mean-q.Mean) > 6.5*se+1e-9 {
				t.Errorf("%s at %v: %v, committed %v", curve.Name, p.X, p.Mean, q.Mean)
			}
		}
	}
	p, _ := all[1].At(PrintedSampler, 2) // and the test would see the honest draw in the printed one's place
	if q, _ := again.At(FairSampler, 2); math.Abs(p.Mean-q.Mean) < 6.5*p.Error*math.Sqrt(11) {
		t.Errorf("a fair draw looks like the printed sampler: %v and %v", q.Mean, p.Mean)
	}
}

// Algorithm 2 without noise gives back the tables, the increment apart, and its noise on a cell has the variance 2b²/4
// of four parities.
func TestAlgorithm2(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 2))
	var rows []record
	for range 50 {
		rows = append(rows, record{src.IntN(2), []int{src.IntN(2), src.IntN(3) / 2}})
	}
	c := countNaive(rows, 2)
	exact, ok := algorithm2(c, 1e12, 0, src)
	raised, _ := algorithm2(c, 1e12, 1e9, src) // 4·10⁹·36/10¹² = 0.144 records
	for y := range 2 {
		for v := range 2 {
			if math.Abs(exact.x[1][y][v]-c.x[1][y][v]) > 1e-9 || math.Abs(raised.x[1][y][v]-c.x[1][y][v]-.036) > 1e-9 {
				t.Errorf("cell %d %d: %v, raised %v, true %v", y, v, exact.x[1][y][v], raised.x[1][y][v], c.x[1][y][v])
			}
		}
	}
	if ok != (c.class[0] > 0 && c.class[1] > 0) {
		t.Error("non-negative tables are refused")
	}
	const draws = 20_000
	sum := 0.0
	for range draws {
		out, _ := algorithm2(c, 1, 0, src)
		sum += math.Pow(out.x[0][1][0]-c.x[0][1][0], 2)
	}
	want := 2. * 12 * 12 / 4                                                   // b = 2·6
	if se := want * math.Sqrt(3.25/draws); math.Abs(sum/draws-want) > 6.5*se { // kurtosis of four Laplace noises
		t.Errorf("variance of a cell %v, want %v", sum/draws, want)
	}
}

func ExampleFigure1() {
	r, err := Figure1(context.Background(), Classification{Features: 3, Examples: 100, Train: .5, Splits: 2,
		Epsilons: []float64{1, 3}, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range r.Curves {
		fmt.Println(c.Name, len(c.Points))
	}
	p, _ := r.At(PrintedSampler, 3)
	fmt.Printf("at ε = %g the printed sampler spends %.0f\n", p.X, p.Epsilon)
	// Output:
	// Algorithm 1 as printed 2
	// Algorithm 2 as printed 2
	// posterior sampler as printed 1
	// least squares, ε exact 2
	// posterior draw, ε exact 2
	// at ε = 3 the printed sampler spends 445
}

func ExampleFigure1Committed() {
	all, err := Figure1Committed()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range all {
		fmt.Println(r.Case, r.Splits, "splits")
	}
	// Output:
	// uniform 100 splits
	// hard 100 splits
}

func ExampleStealth() {
	fmt.Printf("%.2f\n", Stealth(16, .9, 1))
	// Output: 0.13
}

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
	np, err := model.FitPrivately(access.Mine(), st)
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
