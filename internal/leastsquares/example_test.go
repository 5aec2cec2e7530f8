package leastsquares_test

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/leastsquares"
)

func ExampleOsc() {
	for _, b := range []float64{.5, 1, 3} {
		osc, _ := leastsquares.Osc(b, 5)
		fmt.Printf("B = %g: σ² = %.3g for one draw at ε = 2\n", b, osc/2)
	}
	// Output:
	// B = 0.5: σ² = 1 for one draw at ε = 2
	// B = 1: σ² = 2 for one draw at ε = 2
	// B = 3: σ² = 8 for one draw at ε = 2
}

func ExampleSearch() {
	found, _ := leastsquares.Search(context.Background(), 3, 2, 20, 1)
	osc, _ := leastsquares.Osc(3, 2)
	fmt.Printf("found %.4f, certified %.4f\n", found.Value, osc)
	// Output:
	// found 16.0000, certified 16.0000
}

// Years of schooling and of experience, weekly wage: scaled by public bounds, and back.
func ExampleDesign() {
	design, err := leastsquares.NewDesign([]leastsquares.Range{{Lo: 0, Hi: 18}, {Lo: 0, Hi: 60}},
		leastsquares.Range{Lo: 0, Hi: 2000}, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	row := make([]float64, design.Dim()+1)
	clipped, _ := design.Row([]float64{18, 72}, 500, row)
	fmt.Printf("%.3f, %d clipped\n", row, clipped)
	intercept, slopes, _ := design.Coefficients([]float64{.1, .6, .3})
	fmt.Printf("%.1f + %.2f·schooling + %.2f·experience\n", intercept, slopes[0], slopes[1])
	// Output:
	// [0.577 0.577 0.577 -0.500], 1 clipped
	// 538.1 + 38.49·schooling + 5.77·experience
}

func ExampleMoments() {
	m, _ := leastsquares.NewMoments(2)
	_ = m.AddRows([]float64{
		.5, .5, 1,
		.5, -.5, 0,
	})
	fmt.Println(m.N(), m.XX().At(0, 0), m.XX().At(0, 1), m.XY(), m.YY())
	// Output:
	// 2 0.5 0 [0.5 0.5] 1
}
