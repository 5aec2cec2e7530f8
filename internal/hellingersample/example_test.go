package hellingersample_test

import (
	"context"
	"fmt"

	hs "github.com/privbayes/privbayes-go/internal/hellingersample"
)

// The sampler that suits 3 cells and 100 records, at rate 20.
func ExampleChoose() {
	s, err := hs.Choose(context.Background(), []float64{7, 4, 5}, []int64{34, 33, 33}, 20, 25, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := s.Draw(source(1))
	fmt.Println(s.Name(), len(r), r[0]+r[1]+r[2], s.Slack() < 1e-10, err)
	// Output: enumeration of all candidates 3 100 true <nil>
}
