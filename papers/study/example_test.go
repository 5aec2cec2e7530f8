package study_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/papers/study"
)

func ExampleAccuracy() {
	s := study.NotesSettings()[0]
	outcomes, err := study.Accuracy(context.Background(), s)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Label)
	for _, o := range outcomes {
		switch o.Name {
		case study.EMGlobal, study.EMLocal, study.KNorm, study.LaplacePerCell:
			fmt.Printf("%-26s E[H] = %.6f, median %.4f\n", o.Name, o.MeanH, o.Q50)
		}
	}
	// Output:
	// beta(7,4), n = 500, balanced
	// EM global                  E[H] = 0.831824, median 1.0000
	// EM local                   E[H] = 0.146198, median 0.0937
	// K-norm geometric + project E[H] = 0.059736, median 0.0313
	// Laplace per cell b=2/eps   E[H] = 0.093216, median 0.0718
}

func ExampleAccuracyTable() {
	s := study.Setting{Prior: []float64{1, 1}, X: []int64{6, 4}, Epsilon: 2, Delta: 0.01, Label: "ten coins"}
	outcomes, err := study.Accuracy(context.Background(), s)
	if err != nil {
		fmt.Println(err)
		return
	}
	t := study.AccuracyTable(s, outcomes)
	fmt.Println(t.Title, len(t.Rows))
	// Output: Exact accuracy: ten coins 20
}

func ExampleNotesSettings() {
	for _, s := range study.NotesSettings()[:4] {
		fmt.Println(s.Label, s.X, s.Epsilon, s.Delta)
	}
	// Output:
	// beta(7,4), n = 500, balanced [250 250] 0.5 1e-05
	// beta(7,4), n = 500, prior-proportional [318 182] 0.5 1e-05
	// beta(7,4), n = 300, balanced [150 150] 0.5 1e-05
	// beta(7,4), n = 300, prior-proportional [191 109] 0.5 1e-05
}

func ExampleNotesBeta() {
	fmt.Printf("%.13f\n", study.NotesBeta(0.8, 0.8, 100))
	// Output: 0.0699407108115
}

func ExampleFigure1() {
	c, err := study.Figure1(context.Background(), []float64{7, 4, 5}, 100, []int64{44, 25, 31})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("maximum %.9f at %v, next %.9f\n", c.Max, c.Argmax, c.RunnerUp)
	// Output: maximum 0.088908667 at [[44 24 32] [44 25 31]], next 0.088602829
}

func ExampleAccuracyBound() {
	s := study.NotesSettings()[0]
	rows, err := study.AccuracyBound(context.Background(), s, []float64{1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range rows {
		fmt.Printf("%s: P[H ≥ %.3f] = %.4f ≤ %.4f\n", r.Mechanism, r.Threshold, r.Exact, r.Bound)
	}
	// Output:
	// EM global: P[H ≥ 5.077] = 0.0000 ≤ 0.3679
	// EM local: P[H ≥ 0.904] = 0.0177 ≤ 0.3679
	// EM smooth N=n: P[H ≥ 0.904] = 0.0177 ≤ 0.3679
}

func ExampleBoundTable() {
	s := study.NotesSettings()[0]
	rows, err := study.AccuracyBound(context.Background(), s, []float64{0, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(study.BoundTable(s, rows).Rows[0][6])
	// Output: no: bound ≥ 1
}

func ExampleCompare() {
	s := study.Setting{Prior: []float64{7, 4}, X: []int64{30, 20}, Epsilon: 1, Delta: 1e-5, Label: "fifty coins"}
	c, err := study.Compare(context.Background(), s, map[string]string{study.KNorm: "1-DP"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(study.Distances(c).Title)
	fmt.Println(strings.ReplaceAll(study.Distances(c).Caption, "; ", "\n"))
	// Output:
	// K-norm is the most accurate, by Hellinger distance
	// Exact, nothing simulated. x = [30 20], prior [7 4], n = 50
	// nominal ε = 1, δ = 1e-5
	// replace-one. Privacy: K-norm: 1-DP.
}

func ExampleFigure2() {
	figures, err := study.Figure2(context.Background(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range figures {
		fmt.Println(c.Setting.Label, len(c.Outcomes))
	}
	// Output:
	// beta(7,4), n = 500, balanced 12
	// beta(7,4), n = 500, prior-proportional 12
	// beta(7,4), n = 300, balanced 12
	// beta(7,4), n = 300, prior-proportional 12
}

func ExampleAgainstPrior() {
	f, err := study.AgainstPrior(context.Background(), []float64{1, 10}, []int64{30, 20}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range f.Series {
		fmt.Printf("%-18s %.4f\n", s.Name, s.Y)
	}
	// Output:
	// EM Δg              [0.6070 0.2894]
	// EM Sγ 0.25         [0.3412 0.1990]
	// EM LS+             [0.3702 0.2134]
	// geometric = K-norm [0.0847 0.0724]
}

func ExampleAgainstEpsilon() {
	f, err := study.AgainstEpsilon(context.Background(), []float64{1, 1}, []int64{30, 20}, []float64{0.5, 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range f.Series {
		fmt.Printf("%-18s %.4f\n", s.Name, s.Y)
	}
	// Output:
	// EM Δg              [0.6910 0.4268]
	// EM Sγ 0.25         [0.5581 0.1348]
	// EM LS+             [0.5758 0.1512]
	// geometric = K-norm [0.1841 0.0277]
	// Laplace            [0.2878 0.0773]
}

func ExampleOrigin() {
	for _, row := range study.Origin().Rows {
		fmt.Println(row[0], "is", row[3])
	}
	// Output:
	// 0.239992747797 is H(Dir(7,4,5), Dir(8,3,5)) = edge(3, 7)
	// 0.0699407108115 is β(ε = δ = 0.8, N = n = 100)
	// 0.0677791100173 is β(ε = δ = 0.8, N = n = 120)
	// 0.0677791100173 is β of n = 120, printed again
}
