package coverage

import (
	"errors"
	"fmt"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Beside pairs the points that both runs have, and Only keeps curves by name.
func TestBesideAndOnly(t *testing.T) {
	c, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	one, err := c.Only("naive Bayes, n = 100, class", "Beta, n = 50")
	if err != nil || len(one.Curves) != 2 || one.Curves[1].Name != "Beta, n = 50" || one.Runs != c.Runs ||
		len(c.Curves) < 4 {
		t.Fatalf("%v, %v", one, err)
	}
	live := &Result{Runs: 7, Curves: []Curve{{Name: "Beta, n = 50", Points: []Point{
		{Epsilon: 0.1, Naive: 0.25, Aware: 0.75}, {Epsilon: 0.123, Naive: 1}}}}}
	b, err := live.Beside()
	if err != nil {
		t.Fatal(err)
	}
	rows := b.Table().Rows
	if len(rows) != 2 {
		t.Fatalf("%d rows: the committed results have no ε = 0.123", len(rows))
	}
	for _, p := range one.Curves[1].Points {
		if p.Epsilon == 0.1 {
			for i, want := range []string{"0.25 0.75", fmt.Sprintf("%.4g %.4g", p.Naive, p.Aware)} {
				if got := fmt.Sprintf("%v %v", rows[i][4], rows[i][5]); got != want {
					t.Errorf("row %d: %s, want %s", i, got, want)
				}
			}
		}
	}
	var e *domain.Error
	if _, err := c.Only("Gamma"); !errors.As(err, &e) || e.Value != "Gamma" {
		t.Error(err)
	}
	live.Curves[0].Name = "another"
	if _, err := live.Beside(); !errors.As(err, &e) {
		t.Error(err)
	}
}
