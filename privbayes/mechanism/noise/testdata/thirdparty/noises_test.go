package noises_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/noises"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
)

type added struct {
	family noise.Family
	of     counts.Noise
	target dp.Request
	edit   string // of its parameters in a file: what is made less
	less   string
}

var all = map[string]added{
	"staircase": {noises.StaircaseFamily, noises.OnStairs, privbayes.PureDP(4), `("epsilon": *\{\s*"num": *)(\d+)`,
		"${1}9${2}"},
	"Skellam": {noises.SkellamFamily, noises.OfPoissons, privbayes.ApproxDP(2, 1e-5), `("noise": *\{\s*"num": *)\d`,
		"${1}"},
}

// From a plan to a file that another reader verifies, with estimates, intervals that know the noise, and advice.
func TestTheWholeWay(t *testing.T) {
	for name, c := range all {
		votes := privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class"))
		path := filepath.Join(t.TempDir(), "votes.release.json")
		drawn, err := votes.Privatize(c.of, c.target, privbayes.KeepIn(path)).Release()
		if err != nil {
			t.Fatal(name, err)
		}
		loaded, err := privbayes.LoadRelease(path)
		if err != nil || loaded.ID() != drawn.ID() {
			t.Fatal(name, err)
		}
		verdict, err := privbayes.Verify(path)
		if err != nil || !verdict.OK() {
			t.Fatal(name, verdict, err)
		}
		for _, r := range verdict.Results {
			if r.Status != cert.Rederived {
				t.Errorf("%s: %+v", name, r)
			}
		}
		sum := 0.0
		for _, c := range loaded.Estimate().Class {
			sum += c
		}
		if n := 435.0; math.Abs(sum-n) > 1 {
			t.Errorf("%s: estimates of %v records", name, sum)
		}
		posterior, err := noiseaware.OfContext(t.Context(), loaded)
		if err != nil {
			t.Fatal(name, err)
		}
		// 267 of 435 are democrats: within an interval whose miss has probability 1e-9
		q := posterior.Parameters()[0]
		if l, u := q.Law().CredibleInterval(1 - 1e-9); !(l < 267.0/435 && 267.0/435 < u && u-l < .9) {
			t.Errorf("%s: %v to %v", name, l, u)
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		forged := regexp.MustCompile(c.edit).ReplaceAll(file, []byte(c.less))
		if string(forged) == string(file) {
			t.Fatalf("%s: nothing to edit in\n%.600s", name, file)
		}
		if err := os.WriteFile(path, forged, 0o600); err != nil {
			t.Fatal(err)
		}
		if verdict, err := privbayes.Verify(path); err == nil && verdict.OK() {
			t.Errorf("%s: less noise than the target takes passes", name)
		}
	}
}

// Advice compares them with the library's own.
func TestAdvice(t *testing.T) {
	sh, err := privbayes.ReadFrame(data.Votes()).Model(privbayes.Categorical("Class")).Shape()
	if err != nil {
		t.Fatal(err)
	}
	a, err := privbayes.AdviseWith(t.Context(), privbayes.AdviseOptions{Data: 50,
		Mechanisms: []mechanism.Mechanism{privbayes.Geometric(), noises.OnStairs}}, sh, privbayes.PureDP(4))
	if err != nil {
		t.Fatal(err)
	}
	var _ *advise.Advice = a
	if text := fmt.Sprint(a); !strings.Contains(text, "Staircase") {
		t.Error(text)
	}
}

// What is drawn has the probabilities that are stated: shares of 16 bins of 100,000 draws within 6.5 standard errors,
// of which one exceeds with probability 3e-9. Those of the library's geometric noise of the same variance are not.
func TestDrawsHaveTheLaw(t *testing.T) {
	const draws, bins = 100_000, 16
	for name, c := range all {
		d, met, err := c.family.Least(t.Context(), 2, 1, c.target.Parameters)
		if err != nil || !met {
			t.Fatal(name, met, err)
		}
		width := int64(noise.SD(d)/2) + 1
		place := func(z int64) int { return int(min(max(z/width+bins/2, 0), bins-1)) }
		worst := func(p noise.Probabilities) (most float64) {
			want, have := make([]float64, bins), make([]float64, bins)
			for z := -40 * width; z <= 40*width; z++ {
				want[place(z)] += math.Exp(p.LogProb(z))
			}
			src := dp.Seeded(1)
			for range draws {
				have[place(d.Draw(src))]++
			}
			for i, w := range want {
				if w*draws > 20 {
					most = max(most, math.Abs(have[i]-draws*w)/math.Sqrt(draws*w*(1-w)))
				}
			}
			return most
		}
		if off := worst(d); off > 6.5 {
			t.Errorf("%s: %v standard errors off", name, off)
		}
		other, err := noise.NewGeometric(noise.Dyadic(math.Sqrt(2/d.Variance()), 20, false))
		if err != nil {
			t.Fatal(err)
		}
		if off := worst(other); off < 6.5 {
			t.Errorf("%s: geometric noise passes, %v standard errors off", name, off)
		}
		sum, square := 0.0, 0.0
		for z := -60 * width; z <= 60*width; z++ {
			p := math.Exp(d.LogProb(z))
			sum, square = sum+p, square+p*float64(z*z)
			if tail := math.Exp(d.LogTail(z)) - math.Exp(d.LogTail(z+1)); math.Abs(tail-p) > 1e-11 {
				t.Fatalf("%s: P(%d) = %v, by tails %v", name, z, p, tail)
			}
		}
		if math.Abs(sum-1) > 1e-9 || math.Abs(square/d.Variance()-1) > 1e-6 {
			t.Errorf("%s: probabilities add up to %v, variance %v of %v", name, sum, square, d.Variance())
		}
	}
}

// lying is staircase noise that states the pair of half its ε.
type lying struct{ noise.Distribution }

func (z lying) Pair(cells, rows int) loss.Pair {
	e := z.Distribution.Pair(1, 1).PureEpsilon()
	return loss.GeometricPair{Rate: e / 2 * float64(rows), Cells: cells}
}

func (z lying) MarshalJSON() ([]byte, error) { return json.Marshal(z.Distribution) }

type liars struct{ noise.Family }

func (liars) Name() string { return "example.com/noises/lying" }

func (f liars) Least(ctx context.Context, cells, rows int, want dp.Parameters) (noise.Distribution, bool, error) {
	want.Epsilon *= 2
	d, met, err := f.Family.Least(ctx, cells, rows, want)
	return lying{d}, met, err
}

func (f liars) Parse(text []byte) (noise.Distribution, error) {
	d, err := f.Family.Parse(text)
	return lying{d}, err
}

// A pair that does not dominate is found by the enumeration of the certificate.
func TestAWrongPairIsFound(t *testing.T) {
	f := liars{noises.StaircaseFamily}
	noise.Register(f)
	votes := privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class"))
	var failed *mechanism.CheckError
	if _, err := votes.Plan(counts.Adding(f, "Lying noise"), privbayes.PureDP(4)); !errors.As(err, &failed) {
		t.Errorf("a pair at half the loss: %v", err)
	}
}
