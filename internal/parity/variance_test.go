package parity

import (
	"math"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// MarginVariance, FourierVariance and RawVariance are the sums of squares of the linear maps they stand for.
func TestVariancesAreThoseOfTheMaps(t *testing.T) {
	n := with(diamond, 2, 3, 2, 4)
	fams := n.families()
	s := n.spectrum(t)
	sets := [][]int{nil, {0}, {1}, {3}, {0, 1}, {1, 2}, {1, 3}, {1, 2, 3}}
	ls, fourier := map[int][]float64{}, map[int][]float64{}
	add := func(to map[int][]float64, phi []float64) {
		for k, set := range sets {
			f := slices.IndexFunc(fams, func(f []int) bool { return subset(set, f) })
			m := marginOf(n.arities, fams[f], set, must.Get(s.Tables(phi))(t)[f])
			if to[k] == nil {
				to[k] = make([]float64, len(m))
			}
			for c, v := range m {
				to[k][c] += v * v
			}
		}
	}
	zero := make([][]float64, len(fams))
	for i, cells := range s.Cells() {
		zero[i] = make([]float64, cells)
	}
	for i := range zero {
		for c := range zero[i] {
			zero[i][c] = 1
			phi := must.Get(s.ProjectCoefficients(zero, nil, 0))(t)
			add(ls, phi)
			zero[i][c] = 0
		}
	}
	for g := 1; g < s.Size(); g++ {
		phi := make([]float64, s.Size())
		phi[g] = 1
		add(fourier, phi)
	}
	for k, set := range sets {
		a, err := s.MarginVariance(set, nil)
		b, err2 := s.FourierVariance(set)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		for c := range ls[k] {
			if !near(ls[k][c], a, 1e-13) || !near(fourier[k][c], b, 1e-13) {
				t.Errorf("set %v: %v, %v; by the maps %v, %v", set, a, b, ls[k][c], fourier[k][c])
			}
		}
	}
	if v, err := s.RawVariance(3, []int{2}); v != 12 || err != nil {
		t.Error(v, err)
	}
	if v, err := s.RawVariance(3, nil); v != 24 || err != nil {
		t.Error(v, err)
	}
}

// Root-mean-square standard deviation of a cell times ε: least squares on the maximal families (L1 sensitivity 2M),
// Fourier with exact sensitivity and with the paper's. A binary projection that forgets that the total is known fails
// here.
func TestNoiseOfTheNetworks(t *testing.T) {
	for _, tc := range []struct {
		name               string
		net                network
		ls, fourier, paper float64
	}{
		{"NB16", naiveBayes(16), 32.1, 39.4, 48.8},
		{"asia", asia, 13.6, 15.8, 28.0},
		{"sachs", structure(t, "sachs").binary(), 15.2, 24.9, 42.0},
		{"alarm", structure(t, "alarm").binary(), 63.0, 89.9, 160.4},
		{"win95pts", structure(t, "win95pts").binary(), 133.1, 322.3, 680.4},
	} {
		all := tc.net.spectrum(t)
		fams := tc.net.families()
		var released [][]int
		for _, i := range all.Maximal() {
			released = append(released, fams[i])
		}
		s := must.Get(NewSpectrum(tc.net.arities, released))(t)
		odd, _, _, _ := all.OddSensitivity(0)
		var cells, ls, fourier, paper float64
		for i, f := range fams {
			r := float64(all.Cells()[i])
			a, err := s.MarginVariance(f, nil)
			b, err2 := all.FourierVariance(f)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			cells += r
			ls += r * a
			fourier += r * b
			paper += r / r // noise on φ_0 too
		}
		laplace := func(sum, scale float64) float64 { return math.Sqrt(2*sum/cells) * scale }
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"least squares", laplace(ls, 2*float64(len(released))), tc.ls},
			{"Fourier", laplace(fourier, 2*float64(odd)), tc.fourier},
			{"Fourier, paper", laplace(paper, 2*float64(all.Size())), tc.paper},
		} {
			if math.Abs(c.got-c.want) > 0.051 {
				t.Errorf("%s, %s: %.2f, want %.1f", tc.name, c.what, c.got, c.want)
			}
		}
	}
}

// Where least squares is noisier than a family's own table: Y → X with 2 and many states, a node with many root
// parents.
func TestProjectionCanBeNoisier(t *testing.T) {
	for _, tc := range []struct {
		parents, child int
		want           float64 // standard deviation of a root cell against Algorithm 1
	}{
		{1, 9, 1.06}, {1, 100, 3.54}, {8, 2, 1.26},
	} {
		arities := append(slices.Repeat([]int{2}, tc.parents), tc.child)
		var all []int
		for v := range arities {
			all = append(all, v)
		}
		s := must.Get(NewSpectrum(arities, [][]int{all}))(t)
		v, err := s.MarginVariance([]int{0}, nil)
		if got := math.Sqrt(v) / float64(len(arities)); err != nil || math.Abs(got-tc.want) > 0.006 {
			t.Errorf("%+v: %v, error %v", tc, got, err)
		}
	}
}
