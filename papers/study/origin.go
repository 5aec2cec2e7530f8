package study

import (
	"math"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// PrintedConstant is a number that the notes print, with what it is.
type PrintedConstant struct {
	Printed, Where, CalledThere string
	Is                          string
	Value                       float64 // of what it is
	Truth                       float64 // of what it is called there, or of what belongs there
	TruthIs                     string
}

// PrintedConstants recomputes the constants in the captions of Figures 3 and 4 of the notes:
//
//   - 0.239992747797, the "global sensitivity" of DL(7,4,5), is edge(3, 7) = H(Dir(7,4,5), Dir(8,3,5)), the distance of
//     two priors; the global sensitivity is edge(4, 5), smaller, so that the mechanism with the printed number is
//     private but noisier than it need be;
//   - 0.0699407108115 and 0.0677791100173, called bounds of smooth sensitivity, are the parameters β for ε = δ = 0.8
//     and N = n = 100, 120. Figure 4, n = 150, repeats the number of n = 120; its own is 0.0653087964221843.
//
// Source: theory/hellinger.md §0, rows 5 and 6.
func PrintedConstants() []PrintedConstant {
	alpha := []float64{7, 4, 5}
	p, _ := posterior.NewDirichlet(alpha)
	q, _ := posterior.NewDirichlet([]float64{8, 3, 5})
	space, _ := hellinger.New(alpha, 100)
	global, _, _ := space.Global()
	beta := func(n float64) float64 { return NotesBeta(0.8, 0.8, n) }
	return []PrintedConstant{
		{"0.239992747797", "Figures 3 and 4", "global sensitivity", "H(Dir(7,4,5), Dir(8,3,5)) = edge(3, 7)",
			posterior.Hellinger(p, q), global, "Δ_g = edge(4, 5), every n ≥ 1"},
		{"0.0699407108115", "Figure 3a, n = 100", "bound of the smooth sensitivity", "β(ε = δ = 0.8, N = n = 100)",
			beta(100), beta(101), "β of the lemma, N = n + 1"},
		{"0.0677791100173", "Figure 3b, n = 120", "bound of the smooth sensitivity", "β(ε = δ = 0.8, N = n = 120)",
			beta(120), beta(121), "β of the lemma, N = n + 1"},
		{"0.0677791100173", "Figure 4, n = 150", "bound of the smooth sensitivity", "β of n = 120, printed again",
			beta(120), beta(150), "β(ε = δ = 0.8, N = n = 150)"},
	}
}

// Origin shows [PrintedConstants] with all their digits.
func Origin() *table.Table {
	t := table.New("Where the printed constants come from", "printed", "where", "called", "is", "recomputed",
		"difference", "what belongs there", "its value")
	digits := func(x float64) string { return strconv.FormatFloat(x, 'g', 15, 64) }
	for _, c := range PrintedConstants() {
		printed, _ := strconv.ParseFloat(c.Printed, 64)
		t.Add(c.Printed, c.Where, c.CalledThere, c.Is, digits(c.Value), math.Abs(c.Value-printed), c.TruthIs,
			digits(c.Truth))
	}
	return t.Note("edge(p, q) = √(1 − g(p)g(q)), g(t) = Γ(t + ½)/(Γ(t)√t), is the distance of posteriors that differ " +
		"in one record.")
}
