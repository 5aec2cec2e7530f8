package survey

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// golden is a case of testdata/intervals.json: released boxes, a row for every kind of box and a column for every
// stratum or cell, and the 95 % interval of two other implementations.
type golden struct {
	Name, Of       string
	Boxes          [][]float64
	Sizes, Weights []float64
	D              int
	Rate, Alpha    float64
	Normal         float64 // the standard deviation of normal noise, in place of a rate
	Want           [2]float64
	Estimate       *float64
	Tolerance      float64
}

// six are the boxes of column g.
func (c golden) six(g int) (b Six) {
	for j := range 3 {
		b.Weight[j], b.Rest[j] = c.Boxes[j][g], c.Boxes[j+3][g]
	}
	return b
}

func (c golden) interval(n Noise, level float64) Interval {
	one := func(i, g int) Boxes { return Boxes{c.Boxes[i][g], c.Boxes[i+1][g]} }
	var strata []Stratum
	var shares []ShareCell
	var means []MeanCell
	for g, size := range c.Sizes {
		switch c.Of {
		case "calibrated share":
			shares = append(shares, ShareCell{Size: size, Own: one(0, g), Others: one(2, g)})
		case "calibrated mean":
			means = append(means, MeanCell{Size: size, Boxes: c.six(g)})
		default:
			strata = append(strata, Stratum{size, c.Weights[g]})
		}
	}
	switch c.Of {
	case "six":
		return MeanSix(c.six(0), n, c.Alpha, level)
	case "five":
		var b Five
		for i := range b {
			b[i] = c.Boxes[i][0]
		}
		return MeanFive(b, n, level)
	case "share":
		return Share(one(0, 0), one(2, 0), c.D, n, c.Alpha, level)
	case "total":
		return Total(one(0, 0), n, level)
	case "strata share":
		return StrataShare(c.Boxes[0], strata, n, level)
	case "strata mean":
		return StrataMean(c.Boxes[0], c.Boxes[1], strata, n, level)
	case "calibrated share":
		return CalibratedShare(shares, n, c.Alpha, level).Interval
	case "calibrated mean":
		return CalibratedMean(means, n, c.Alpha, level).Interval
	}
	return Interval{Lower: math.NaN()}
}

func goldens(t testing.TB) (list []golden) {
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("testdata/intervals.json"))(t), &list))
	return list
}

// The intervals are those of two other implementations, and the estimates where there are any.
func TestGoldenIntervals(t *testing.T) {
	list := goldens(t)
	if len(list) != 21 {
		t.Fatalf("%d cases", len(list))
	}
	for _, c := range list {
		n := Laplace(c.Rate)
		if c.Normal > 0 {
			n = Gaussian(c.Normal)
		}
		got := c.interval(n, .95)
		if off := math.Max(math.Abs(got.Lower-c.Want[0]), math.Abs(got.Upper-c.Want[1])); !(off <= c.Tolerance) {
			t.Errorf("%s: [%.12g, %.12g], want %.12g, off by %.1e", c.Name, got.Lower, got.Upper, c.Want, off)
		}
		if c.Estimate != nil && !(got.Shown && math.Abs(got.Estimate-*c.Estimate) <= c.Tolerance) {
			t.Errorf("%s: estimate %v, shown %v, want %v", c.Name, got.Estimate, got.Shown, *c.Estimate)
		}
	}
}
