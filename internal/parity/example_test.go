package parity

import "fmt"

// Three variables in a chain, families {0, 1} and {1, 2}, and six records.
func Example() {
	s, err := NewSpectrum([]int{2, 2, 2}, [][]int{{0, 1}, {1, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	phi, err := s.Coefficients([][]int64{{3, 0, 1, 2}, {1, 3, 2, 0}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, v := range phi {
		support, _ := s.Index(i)
		fmt.Println(support, v)
	}
	odd, exact, z, _ := s.OddSensitivity(0)
	fmt.Println("one record moves", odd, "of", s.Size()-1, "parities:", exact, z)
	// Output:
	// [] 6
	// [1] 2
	// [0] 0
	// [0 1] 4
	// [2] 0
	// [1 2] -4
	// one record moves 4 of 5 parities: true [1 0 1]
}

// Noisy tables that disagree on variable 1, made consistent with a total of 10.
func ExampleSpectrum_Project() {
	s, err := NewSpectrum([]int{2, 2, 2}, [][]int{{0, 1}, {1, 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	tables, err := s.Project([][]float64{{3.5, -1.25, 2, 4}, {1, 6.5, -.75, 2.25}}, nil, 10)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range tables {
		fmt.Println(t)
	}
	variance, _ := s.MarginVariance([]int{0, 1}, nil)
	fmt.Println("variance of a cell, in units of the noise:", variance)
	// Output:
	// [4.34375 -1.21875 2.84375 4.03125]
	// [0.84375 6.34375 -0.09375 2.90625]
	// variance of a cell, in units of the noise: 0.625
}
