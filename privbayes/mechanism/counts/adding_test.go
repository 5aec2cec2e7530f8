package counts

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// stranger is geometric noise that says nothing but what a distribution must say; its pair is that at a share of the
// rate.
type stranger struct {
	noise.Distribution
	share float64
}

func (z stranger) Pair(cells, rows int) loss.Pair {
	return loss.ShiftedGeometricPair{Rate: z.share * noise.FormOf(z.Distribution).Rate, Shift: rows, Cells: cells}
}

func (z stranger) MarshalJSON() ([]byte, error) { return json.Marshal(z.Distribution) }

func strangers(name string, share float64) noise.Family {
	return &noise.OneParameter{Named: name, Search: noise.Search{Low: 1e-6, High: 64, Bits: 30},
		Of: func(r noise.Rational) (noise.Distribution, error) {
			g, err := noise.NewGeometric(r)
			return stranger{g, share}, err
		},
		PairAt: func(x float64, cells, rows int) loss.Pair {
			return loss.ShiftedGeometricPair{Rate: share * x, Shift: rows, Cells: cells}
		}}
}

// Noise of another family is planned, filed and estimated as geometric noise is; a pair at half of what is spent fails
// its certificate, for one row and for units of three.
func TestNoiseOfAnotherFamily(t *testing.T) {
	honest, lying := strangers("example.com/test/honest", 1), strangers("example.com/test/lying", .5)
	for _, f := range []noise.Family{honest, lying} {
		noise.Register(f)
	}
	added := Adding(honest, "Noise of a stranger")
	d := added.Descriptor()
	mechanism.Register(d)
	for _, rows := range []int{1, 3} {
		sh := unitShape(t, model.Categorical("c0"), rows, 3)
		for _, target := range []dp.Request{dp.PureDP(1), dp.ApproxDP(1, 1e-6), dp.ZCDP(.1)} {
			p := must.Get(d.New(mechanism.Options{}).Plan(t.Context(), sh, target))(t)
			like := must.Get(Geometric().Plan(t.Context(), sh, target))(t)
			a, _ := p.ExpectedValue("absolute error of a count")
			b, _ := like.ExpectedValue("absolute error of a count")
			if !(a > b*(1-1e-3) && a < b*1.002) {
				t.Errorf("%s: error %v, of geometric noise %v", target.Parameters, a, b)
			}
			file := must.Get(json.Marshal(p))(t)
			again, err := mechanism.ParsePlan(t.Context(), file)
			if err != nil || again.Certificate().String() != p.Certificate().String() {
				t.Errorf("%s: %v", target.Parameters, err)
			}
			tables := [][]int64{{30, -2, 12}}
			x, errA := p.Sampler(access.Mine()).Estimate(t.Context(), mechanism.Output{Raw: tables})
			y, errB := like.Sampler(access.Mine()).Estimate(t.Context(), mechanism.Output{Raw: tables})
			must.Do(t, errors.Join(errA, errB))
			for i, v := range x.Tables[0] {
				if !(v > y.Tables[0][i]-.1 && v < y.Tables[0][i]+.1) {
					t.Errorf("%s: estimates %v, of geometric noise %v", target.Parameters, x.Tables[0], y.Tables[0])
				}
			}
			var failed *mechanism.CheckError
			if _, err := Adding(lying, "Lying noise").Plan(t.Context(), sh, target); !errors.As(err, &failed) {
				t.Errorf("%d rows, %s: a pair at half the rate: %v", rows, target.Parameters, err)
			}
		}
	}
}

// wrong is a stranger with a fault.
type wrong struct {
	stranger
	fault string
}

func (z wrong) LogProb(k int64) float64 {
	switch l := z.stranger.LogProb(k); z.fault {
	case "lacks a factor":
		return l - 40
	case "is not symmetric":
		return l + .1*math.Max(-1, math.Min(float64(k), 1))
	case "is NaN far out":
		if k > 20 {
			return math.NaN()
		}
		return l
	default:
		return l
	}
}

func (z wrong) LogTail(k int64) float64 {
	if z.fault == "has no tails" {
		return z.stranger.LogTail(k) - 60
	}
	return z.stranger.LogTail(k)
}

func (z wrong) Unit() int64 {
	switch z.fault {
	case "has no unit":
		return 0
	case "has a unit of 2^40":
		return 1 << 40
	}
	return 1
}

func (z wrong) Pair(cells, rows int) loss.Pair {
	switch z.fault {
	case "spends less than nothing":
		return generous{z.stranger.Pair(cells, rows)}
	case "spends as much on many counts as on one":
		return z.stranger.Pair(1, rows)
	}
	return z.stranger.Pair(cells, rows)
}

func (z wrong) MarshalJSON() ([]byte, error) {
	if z.fault == "has the JSON of another" {
		return []byte(`{"num":1,"den":1024}`), nil
	}
	return z.stranger.MarshalJSON()
}

// generous bounds nothing.
type generous struct{ loss.Pair }

func (generous) PureEpsilon() float64  { return -1 }
func (generous) Delta(float64) float64 { return -1 }
func (generous) RDP(float64) float64   { return -1 }
func (generous) ZCDP() float64         { return -1 }

// A distribution whose own probabilities say nothing of what is spent gets no plan, and nobody waits for one; without a
// fault it does.
func TestWrongDistributionsGetNoPlan(t *testing.T) {
	sh := unitShape(t, model.Categorical("c0"), 1, 3)
	for _, fault := range []string{"", "lacks a factor", "is not symmetric", "is NaN far out", "has no tails",
		"has no unit", "has a unit of 2^40", "spends less than nothing", "has the JSON of another",
		"spends as much on many counts as on one"} {
		f := strangers("example.com/test/wrong "+fault, 1).(*noise.OneParameter)
		of := f.Of
		f.Of = func(r noise.Rational) (noise.Distribution, error) {
			d, err := of(r)
			return wrong{d.(stranger), fault}, err
		}
		noise.Register(f)
		for _, target := range []dp.Request{dp.PureDP(1), dp.ApproxDP(1, 1e-6), dp.ZCDP(.1)} {
			_, err := Adding(f, "Noise of a stranger").Plan(t.Context(), sh, target)
			var parameter *dp.ParameterError
			var failed *mechanism.CheckError
			refused := errors.As(err, &parameter) || errors.As(err, &failed) || errors.Is(err, cert.ErrWorkLimit)
			if refused != (fault != "") || err != nil && !refused {
				t.Errorf("noise that %q, %s: %v", fault, target.Parameters, err)
			}
		}
	}
}
