package parity

import (
	"os"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// network is a structure for tests: the parents of every node.
type network struct {
	arities []int
	parents [][]int
}

func binaryNet(parents ...[]int) network {
	n := network{parents: parents}
	for range parents {
		n.arities = append(n.arities, 2)
	}
	return n
}

func (n network) families() [][]int {
	out := make([][]int, len(n.parents))
	for i, ps := range n.parents {
		out[i] = append(slices.Clone(ps), i)
		slices.Sort(out[i])
	}
	return out
}

// binary is the same structure with two states everywhere.
func (n network) binary() network { return binaryNet(n.parents...) }

func (n network) spectrum(t testing.TB) *Spectrum {
	t.Helper()
	return must.Get(NewSpectrum(n.arities, n.families()))(t)
}

func naiveBayes(d int) network {
	p := make([][]int, d+1)
	for i := 1; i <= d; i++ {
		p[i] = []int{0}
	}
	return binaryNet(p...)
}

func complete(k int) network {
	p := make([][]int, k)
	for i := range p {
		for j := range i {
			p[i] = append(p[i], j)
		}
	}
	return binaryNet(p...)
}

var (
	chain3   = binaryNet(nil, []int{0}, []int{1})
	collider = binaryNet(nil, nil, []int{0, 1})
	diamond  = binaryNet(nil, []int{0}, []int{0}, []int{1, 2})
	asia     = binaryNet(nil, []int{0}, nil, []int{2}, []int{2}, []int{1, 3}, []int{5}, []int{4, 5})
	triangle = network{arities: []int{2, 2, 2}, parents: [][]int{{2}, {0}, {1}}} // {02}, {01}, {12}: pairs of a cycle
)

func with(n network, arities ...int) network { return network{arities, n.parents} }

// structure is the graph of a published network.
func structure(t testing.TB, name string) network {
	t.Helper()
	folder := "../../data/testdata/networks/"
	if slices.Contains(data.NetworkNames(), name) {
		folder = "../../data/networks/"
	}
	file := must.Get(os.Open(folder + name + ".bif"))(t)
	defer file.Close()
	dag, _ := must.Get2(bayesnet.ReadBIF(file))(t)
	var n network
	for v := range dag.Len() {
		n.arities, n.parents = append(n.arities, dag.Arity(v)), append(n.parents, dag.Parents(v))
	}
	return n
}

// |N| and odd(N) of the networks.
func TestSizesAndOdd(t *testing.T) {
	for _, tc := range []struct {
		name      string
		net       func() network
		size, odd int
	}{
		{"NB1", func() network { return naiveBayes(1) }, 4, 2},
		{"NB2", func() network { return naiveBayes(2) }, 6, 4},
		{"NB4", func() network { return naiveBayes(4) }, 10, 8},
		{"NB16", func() network { return naiveBayes(16) }, 34, 32},
		{"NB3000", func() network { return naiveBayes(3000) }, 6002, 6000},
		{"edgeless", func() network { return binaryNet(nil, nil, nil) }, 4, 3},
		{"chain3", func() network { return chain3 }, 6, 4},
		{"collider", func() network { return collider }, 8, 4},
		{"diamond", func() network { return diamond }, 11, 7},
		{"asia", func() network { return asia }, 21, 14},
		{"complete5", func() network { return complete(5) }, 32, 16},
		{"asia.bif", func() network { return structure(t, "asia").binary() }, 21, 14},
		{"cancer", func() network { return structure(t, "cancer").binary() }, 12, 8},
		{"sachs", func() network { return structure(t, "sachs").binary() }, 39, 26},
		{"child", func() network { return structure(t, "child").binary() }, 57, 39},
		{"insurance", func() network { return structure(t, "insurance").binary() }, 140, 92},
		{"alarm", func() network { return structure(t, "alarm").binary() }, 142, 93},
		{"win95pts", func() network { return structure(t, "win95pts").binary() }, 935, 524},
		{"hepar2", func() network { return structure(t, "hepar2").binary() }, 529, 387},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n := tc.net()
			s := n.spectrum(t)
			odd, exact, z, err := s.OddSensitivity(0)
			if s.Size() != tc.size || odd != int64(tc.odd) || !exact || err != nil {
				t.Fatalf("|N| = %d, odd = %d, exact %v, error %v; want %d, %d", s.Size(), odd, exact, err, tc.size,
					tc.odd)
			}
			if got, err := s.OddCount(z); got != odd || err != nil {
				t.Errorf("the witness has %d, error %v", got, err)
			}
			sens, exact, x, y, err := s.HelmertSensitivity(0)
			d := distance(s.oneRecord(t, n, x), s.oneRecord(t, n, y))
			if sens != 2*float64(odd) || d != sens || !exact || err != nil {
				t.Errorf("Helmert %v, at its pair %v, exact %v, error %v", sens, d, exact, err)
			}
			bound, exact, z, err := s.OddSensitivity(1)
			if exact || z != nil || err != nil || bound < odd || bound > int64(s.Size()-1) {
				t.Errorf("fallback %d, exact %v, witness %v, error %v", bound, exact, z, err)
			}
		})
	}
}

func TestSpectrumAccessors(t *testing.T) {
	arities, families := []int{2, 3, 1, 2, 5}, [][]int{{1}, {0, 1, 2}, {}, {1, 3}, {0, 1}, {1, 3}, {2}}
	s := must.Get(NewSpectrum(arities, families))(t)
	if !slices.Equal(s.Arities(), arities) || !slices.EqualFunc(s.Families(), families, slices.Equal) || s.Binary() {
		t.Error(s.Arities(), s.Families(), s.Binary())
	}
	if !slices.Equal(s.Maximal(), []int{1, 3}) || !slices.Equal(s.Cells(), []int{3, 6, 1, 6, 6, 6, 1}) ||
		s.Size() != 6+3 {
		t.Error(s.Maximal(), s.Cells(), s.Size())
	}
	if got := s.Containing([]int{0, 1}); !slices.Equal(got, []int{1, 4}) {
		t.Error(got)
	}
	var owners []int
	for i := range s.Size() {
		owners = append(owners, s.Owner(i))
	}
	if !slices.Equal(owners, []int{1, 1, 1, 1, 1, 1, 3, 3, 3}) || s.Owner(-1) != -1 || s.Owner(9) != -1 {
		t.Error(owners)
	}
	support, function := s.Index(8)
	if !slices.Equal(support, []int{1, 3}) || !slices.Equal(function, []int{2, 1}) {
		t.Error(support, function)
	}
	for _, i := range []int{-1, 0, 9} {
		if support, function := s.Index(i); support != nil || function != nil {
			t.Error(i, support, function)
		}
	}
	// Only the constant: nothing can change.
	none := must.Get(NewSpectrum(nil, [][]int{{}}))(t)
	odd, exact, _, err := none.OddSensitivity(0)
	phi, err2 := none.Coefficients([][]int64{{12}})
	if none.Size() != 1 || odd != 0 || !exact || err != nil || err2 != nil || !slices.Equal(phi, []int64{12}) {
		t.Error(none.Size(), odd, exact, err, phi, err2)
	}
}

// Many families over the same parents, and a large one: no cost beyond their tables.
func TestLargeFamilies(t *testing.T) {
	arities := slices.Repeat([]int{2}, 220)
	var families [][]int
	parents := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for v := 20; v < 220; v++ {
		families = append(families, append(slices.Clone(parents), v))
	}
	var wide []int
	for v := range 18 {
		wide = append(wide, v)
	}
	s := must.Get(NewSpectrum(arities, append(families, wide)))(t)
	if want := 1<<18 + 200<<10; s.Size() != want {
		t.Errorf("|N| = %d, want %d", s.Size(), want)
	}
	// Flipping every child and none of the common parents makes all sets with a child odd, and half of the wide cube
	// besides.
	odd, exact, z, err := s.OddSensitivity(0)
	if got, _ := s.OddCount(z); odd != got || !exact || err != nil || odd != 1<<17+200<<10 {
		t.Error(odd, got, exact, err)
	}
}
