package networks

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/privbayes/privbayes-go/internal/parity"
)

var write = flag.Bool("write", false, "write figure1.json")

// figure1Cases are the full runs that figure1.json holds.
func figure1Cases() []Classification {
	eps := []float64{.1, .3, 1, 2, 3, 10, 30, 100}
	return []Classification{{Epsilons: eps, Seed: 2016}, {Epsilons: eps, Seed: 2016, Hard: true}}
}

// TestFigure1Full makes figure1.json; it takes a minute or two and runs only when asked to.
func TestFigure1Full(t *testing.T) {
	if !*write {
		t.Skip("with -write only")
	}
	var all []*Figure1Result
	for _, c := range figure1Cases() {
		r, err := Figure1(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(r.Table())
		all = append(all, r)
	}
	b, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("figure1.json", append(b, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

var _ = []any{fmt.Sprint, math.Abs, rand.New, context.Background, parity.NewSpectrum}
