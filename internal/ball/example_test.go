package ball_test

import (
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/ball"
)

func ExampleSampler_Draw() {
	precision := mat.NewSymDense(2, []float64{3, 1, 1, 2})
	law, err := ball.New(precision, []float64{4, -1}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	w := make([]float64, law.Dim())
	if _, err := law.Draw(rand.NewPCG(1, 2), w); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("tilt %.4f, inside: %v\n", law.Tilt(), w[0]*w[0]+w[1]*w[1] <= 1)
	// Output:
	// tilt 3.0679, inside: true
}
