package eval

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// ConfusionMatrix counts rows by true and by most probable class. It reads private data.
type ConfusionMatrix struct {
	Classes []string
	Counts  [][]int64 // [true][predicted]
}

// Confusion counts, for every pair of classes, C_jk = #{i: y_i = j, argmax p_i = k}; ties go to the first class. Errors: *InputError,
// also when there are not as many names as probabilities.
func Confusion(probs [][]float64, labels []int, names []string) (*ConfusionMatrix, error) {
	c, err := count(probs, labels)
	if err != nil {
		return nil, err
	}
	if len(c.Counts) != len(names) {
		return nil, &InputError{"classes", fmt.Sprintf("%d names for %d probabilities", len(names), len(c.Counts)), "one name per class"}
	}
	c.Classes = names
	return c, nil
}

// count is Confusion without names.
func count(probs [][]float64, labels []int) (*ConfusionMatrix, error) {
	if err := checkProbs(probs, labels); err != nil {
		return nil, err
	}
	c := &ConfusionMatrix{Counts: make([][]int64, len(probs[0]))}
	for j := range c.Counts {
		c.Counts[j] = make([]int64, len(c.Counts))
	}
	for i, p := range probs {
		c.Counts[labels[i]][floats.MaxIdx(p)]++
	}
	return c, nil
}

// right is the number of rows on the diagonal.
func (c *ConfusionMatrix) right() (n int64) {
	for j := range c.Counts {
		n += c.Counts[j][j]
	}
	return n
}

// balanced is the mean recall r_j over the classes present and its standard error √(Σ_j r_j(1−r_j)/n_j) / J'.
func (c *ConfusionMatrix) balanced() (value, se float64) {
	sum, variance, present := 0.0, 0.0, 0.0
	for j, row := range c.Counts {
		total := int64(0)
		for _, n := range row {
			total += n
		}
		if total > 0 {
			recall := float64(row[j]) / float64(total)
			sum += recall
			variance += recall * (1 - recall) / float64(total)
			present++
		}
	}
	return sum / present, math.Sqrt(variance) / present
}

// Table shows true classes in rows and predicted ones in columns.
func (c *ConfusionMatrix) Table() *table.Table {
	t := table.New("Confusion matrix (private: do not publish)", append([]string{"true class"}, c.Classes...)...)
	for j, row := range c.Counts {
		cells := []any{c.Classes[j]}
		for _, n := range row {
			cells = append(cells, n)
		}
		t.Add(cells...)
	}
	return t
}
