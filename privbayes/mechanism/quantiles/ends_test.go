package quantiles

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// endShape is a column in [0, 1] on a lattice of 256 points.
func endShape(t *testing.T, n int, sampling frame.Sampling, p ...float64) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "pop", Sampling: sampling, Columns: []frame.Column{frame.Real("x", 0, 1)}}
	return must.Get(model.NewShape(s, model.Quantiles("x", p...).WithResolution(127), n, true, ""))(t)
}

// populations are given by their quantiles on the lattice.
var populations = []struct {
	name     string
	quantile func(u float64) int64
}{
	{"uniform", func(u float64) int64 { return int64(math.Ceil(u*128)) - 1 }},
	{"square", func(u float64) int64 { return int64(math.Ceil(u*u*128)) - 1 }},
	{"half zeros", func(u float64) int64 { return int64(math.Ceil(max(2*u-1, 1e-9)*128)) - 1 }},
	{"two values", func(u float64) int64 { return map[bool]int64{true: 40, false: 100}[u <= .5] }},
}

// held is how often a mechanism's intervals hold the quantile of the population, and of the rows.
func held(t *testing.T, p *problem, q params, quantile func(u float64) int64, share float64,
	src *dp.Stream) (population, rows int) {
	t.Helper()
	d := &sampler{p, q}
	draws := rand.New(src)
	for range times {
		counts := make([]int64, p.points)
		for range p.n {
			counts[quantile(1-draws.Float64())]++
		}
		st := must.Get(model.FromWhole(p.shape, p.n, counts))(t)
		out := must.Get(d.Draw(t.Context(), mechanism.Open(access.Mine(), st), src))(t)
		own := d.threes(out.Raw[0])[0]
		upTo, of := int64(0), int64(0)
		for ; float64(upTo+counts[of]) < share*float64(p.n); of++ {
			upTo += counts[of]
		}
		if v := quantile(share); own[0] <= v && v <= own[2] {
			population++
		}
		if own[0] <= of && of <= own[2] {
			rows++
		}
	}
	return population, rows
}

// times are tried, and refuted reports whether so many that hold rule out, at 1e-11, that they do with a probability.
const times = 120

func refuted(t *testing.T, hold int, with float64) bool {
	t.Helper()
	_, upper := must.Get2(num.ClopperPearson(hold, times, 1e-11))(t)
	return upper < with
}

// ready is a problem and its parameters.
func ready(t *testing.T, m Exponential, sh *model.Shape, target dp.Request) (*problem, params) {
	t.Helper()
	p := must.Get(m.prepare(t.Context(), sh, target))(t)
	q := must.Get(calibrate(t.Context(), p))(t)
	return p.at(q), q
}

// Intervals hold the quantile of the population at least in .95 of the draws, and of the rows in .99, at small and at
// large n·ε, with ties, too (false alarm below 1e-9 over all cases).
func TestEndsHold(t *testing.T) {
	src := dp.Seeded(11)
	for _, m := range []Exponential{EM().WithIntervals(), Joint().WithIntervals()} {
		for _, c := range []struct {
			n       int
			epsilon float64
		}{{300, .2}, {1000, 2}, {1000, 100}} {
			if m.joint && c.n*int(c.epsilon) != 2000 {
				continue
			}
			list := populations
			if m.joint { // slower, and the one that ties might fool
				list = list[2:]
			}
			for _, of := range list {
				for _, share := range []float64{.5, .9} {
					p, q := ready(t, m, endShape(t, c.n, "", share), dp.PureDP(c.epsilon))
					population, rows := held(t, p, q, of.quantile, share, src)
					if refuted(t, population, .95) || refuted(t, rows, .99) {
						t.Errorf("%s, %s, n = %d, ε = %v, p = %v: population %d, rows %d", m.Title(), of.name, c.n,
							c.epsilon, share, population, rows)
					}
				}
			}
		}
	}
}

// Of a census the ends leave out the sampling of rows: they hold the quantile of the rows, and not the population's.
// Ends that leave out the noise of draws do not hold that of the rows either.
func TestWhatEndsLeaveOut(t *testing.T) {
	src, uniform := dp.Seeded(12), populations[0].quantile
	for _, m := range []Exponential{EM().WithIntervals(), Joint().WithIntervals()} {
		p, q := ready(t, m, endShape(t, 1000, frame.Census, .5), dp.PureDP(.2))
		if _, rows := held(t, p, q, uniform, .5, src); refuted(t, rows, .95) {
			t.Errorf("%s of a census: rows %d", m.Title(), rows)
		}
		p.around(0) // a mutant: the draws' noise is left out
		if _, rows := held(t, p, q, uniform, .5, src); !refuted(t, rows, .95) {
			t.Errorf("%s without room for the draws holds the rows' in %d: the test tells nothing", m.Title(), rows)
		}
	}
	p, q := ready(t, EM().WithIntervals(), endShape(t, 20000, frame.Census, .5), dp.PureDP(100))
	if population, _ := held(t, p, q, uniform, .5, src); !refuted(t, population, .95) {
		t.Errorf("an interval of a census holds the population's in %d: the test tells nothing", population)
	}
}

// Of one draw the probability of being t records off is at most L·e^{−rate·t}, of a joint one N·e^{−rate·(t − m·h)}, h
// half of the fullest cell: by enumeration of all data of six records on four points, every placing of a joint draw.
// Half of the exponent would not do.
func TestReachAgainstEnumeration(t *testing.T) {
	r, n, points := ranks{[]int64{2, 5, 7}, 9}, int64(6), 4
	far := func(counts []int64, i, v int) float64 { // records that rank i is off at a point
		below := int64(0)
		for _, c := range counts[:v] {
			below += c
		}
		want := float64(r.a[i]*n) / float64(r.b)
		return max(float64(below)-want, want-float64(below+counts[v]), 0)
	}
	const rate = 1.5
	tight := 0.0
	histograms(points, n, func(counts []int64) {
		for i := range r.a {
			logs := one(t, ranks{r.a[i : i+1], r.b}, rate, r.b)(counts)
			for limit := 1.0; limit < float64(n); limit++ {
				sum := 0.0
				for v, logP := range logs {
					if far(counts, i, v) >= limit {
						sum += math.Exp(logP)
					}
				}
				if sum > float64(points)*math.Exp(-rate*limit)+1e-12 {
					t.Errorf("%v, rank %d: off by %v with %.3g", counts, i, limit, sum)
				}
				tight = max(tight, sum/(float64(points)*math.Exp(-2*rate*limit)))
			}
		}
	})
	if tight <= 1 {
		t.Error("twice the rate would do: the enumeration tells nothing")
	}
	const cells = 2
	p := &problem{m: Joint(), points: int64(points), ranks: r}
	outcomes := p.outcomes(cells, len(r.a))
	src := rand.NewPCG(1, 2)
	histograms(points, 4, func(counts []int64) {
		n = 4
		below, _ := placed(t.Context(), counts, cells, func(k uint64) uint64 { return src.Uint64() % k })
		fullest := int64(0)
		for e := range below[1:] {
			fullest = max(fullest, below[e+1]-below[e])
		}
		l := must.Get(r.joint(below, n, rate, r.jointSensitivity(dp.ReplaceOne)))(t)
		off := map[float64]float64{}
		eachSequence(len(below), len(r.a), func(at []int) {
			worst := 0.0
			for i, e := range at {
				worst = max(worst, far(counts, i, e/(cells+1)))
			}
			off[worst] += math.Exp(l.logProbability(at))
		})
		for limit := 1.0; limit < float64(n); limit++ {
			sum := 0.0
			for w, probability := range off {
				if w >= limit {
					sum += probability
				}
			}
			if sum > math.Exp(outcomes-rate*(limit-3*float64(fullest)/2))+1e-9 {
				t.Errorf("%v: off by %v with %.3g", counts, limit, sum)
			}
		}
	})
}

// No cell holds more than fullest says, by the exact tail of the Binomial for all records in one point; one record per
// cell and a standard deviation would not do.
func TestFullestCell(t *testing.T) {
	tail := func(n, cells int, k float64) float64 {
		sum, q := 0.0, 1/float64(cells)
		for j := int(k) + 1; j <= n; j++ {
			all, _ := math.Lgamma(float64(n) + 1)
			in, _ := math.Lgamma(float64(j) + 1)
			out, _ := math.Lgamma(float64(n-j) + 1)
			sum += math.Exp(all - in - out + float64(j)*math.Log(q) + float64(n-j)*math.Log(1-q))
		}
		return float64(cells) * sum
	}
	for _, n := range []int{1, 5, 40, 1000, 5000} {
		for _, cells := range []int{4, 16, 256} {
			k := fullest(n, cells, .001)
			if p := tail(n, cells, k); p > .001 {
				t.Errorf("%d records in %d cells: more than %v with %.3g", n, cells, k, p)
			}
			if mean := float64(n) / float64(cells); n >= 1000 && tail(n, cells, mean+math.Sqrt(mean)) < .001 {
				t.Errorf("%d records in %d cells: a standard deviation would do", n, cells)
			}
		}
	}
}

// The certificate composes every draw: whole releases of a quantile with both ends, enumerated on all data of four
// records on five points, spend at most ε and nearly all of it; at the rate of two draws, as if one were forgotten,
// they spend more.
func TestEveryDrawIsCharged(t *testing.T) {
	three := ranks{[]int64{9, 10, 11}, 20}
	const points, n = 5, 4
	spent := func(rate float64) float64 {
		return realised(points, n, dp.ReplaceOne, func(counts []int64) []float64 {
			out := []float64{0}
			for i := range three.a {
				logs := one(t, ranks{three.a[i : i+1], three.b}, rate, three.b)(counts)
				var next []float64
				for _, sum := range out {
					for _, logP := range logs {
						next = append(next, sum+logP)
					}
				}
				out = next
			}
			return out
		})
	}
	sh := endShape(t, 20000, "", .5)
	p, q := ready(t, EM().WithIntervals(), sh, dp.PureDP(1))
	if len(p.a) != 3 {
		t.Fatalf("%d draws", len(p.a))
	}
	if got := spent(q.Rate); got > 1 || got < .6 {
		t.Errorf("a release spends %v of 1", got)
	}
	forgotten := 2.0 / 3
	if got := spent(q.Rate / forgotten / forgotten); got <= 1 {
		t.Errorf("at 9/4 of the rate a release spends %v: the enumeration tells nothing", got)
	}
	q.Rate /= forgotten
	q.Rate *= 1 - 1e-9
	var unmet *mechanism.UnmetTarget
	if _, err := EM().WithIntervals().mathematics().Rebuild(t.Context(), sh, dp.PureDP(1), q); !errors.As(err, &unmet) {
		t.Errorf("the rate of two draws: %v", err)
	}
	for _, target := range []dp.Request{dp.PureDP(1), dp.ZCDP(.1), dp.ApproxDP(.5, 1e-6), dp.RenyiDP(8, .3),
		dp.PureDP(1).Under(dp.ReplaceValue)} {
		for _, m := range []Exponential{EM(), Joint()} {
			pl := must.Get(m.WithIntervals().Plan(t.Context(), sh, target))(t)
			got, most := loss.Spent(pl.Pair(), target.Parameters), float64(loss.Allowed(target.Parameters))
			if !pl.Certificate().OK() || got > most {
				t.Errorf("%s, %v: %v", m.Title(), target, cert.Number(got))
			}
		}
	}
}

// Releases with intervals are planned again from their files with the same ranks, say what they are about, and a plan
// whose ends leave the range says so.
func TestEndsOfPlans(t *testing.T) {
	for _, m := range []Exponential{EM().WithIntervals(), Joint().WithIntervals()} {
		for _, n := range []int{5, 400, 20000} {
			sh := endShape(t, n, "", .1, .5)
			pl := must.Get(m.Plan(t.Context(), sh, dp.PureDP(1)))(t)
			var q params
			must.Do(t, mechanism.DecodeParams(pl.Mechanism(), pl.Params(), &q))
			plain := must.Get(Exponential{joint: m.joint}.mathematics().Of(q))(t)
			again, err := plain.Rebuild(t.Context(), sh, dp.PureDP(1), q)
			if err != nil || again.Setting("intervals") != pl.Setting("intervals") || again.Numbers() != pl.Numbers() {
				t.Fatalf("%s: planned again: %v", pl.Params(), err)
			}
			counts := make([]int64, 128)
			counts[100] = int64(n)
			st := must.Get(model.FromWhole(sh, n, counts))(t)
			d := must.Get(pl.Draw(t.Context(), st, "id", dp.Seeded(4)))(t)
			list, how, ok, err := pl.Intervals(t.Context(), d, .9)
			if err != nil || !ok || len(list) != 2 {
				t.Fatal(list, err)
			}
			e := must.Get(pl.Estimate(t.Context(), d))(t)
			for i, v := range e.Draws.Mean() {
				if r := list[i].Population; v < r.Lower || v > r.Upper || list[i].Rows == nil {
					t.Errorf("%s, n = %d: %v is not in %v", m.Title(), n, v, r)
				}
			}
			if short := strings.Contains(how, "too small"); short != (n < 20000) {
				t.Errorf("%s, n = %d: %s", m.Title(), n, how)
			}
			if _, _, ok, _ := pl.Intervals(t.Context(), d, .99); ok {
				t.Errorf("%s: intervals of a level that was not drawn for", m.Title())
			}
		}
	}
	var unsupported *mechanism.UnsupportedError
	sh := endShape(t, 100, "", .1, .2, .3, .4, .5, .6, .7)
	if _, err := Joint().WithIntervals().Plan(t.Context(), sh, dp.PureDP(1)); !errors.As(err, &unsupported) {
		t.Errorf("seven quantiles at once: %v", err)
	}
	for name, sh := range map[string]*model.Shape{"no records": endShape(t, 0, "", .5),
		"a private n": endShape(t, 9, "", .5)} {
		target := dp.PureDP(1)
		if name == "a private n" {
			target = target.Under(dp.AddRemove)
		}
		if _, err := EM().WithIntervals().Plan(t.Context(), sh, target); !errors.As(err, &unsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
