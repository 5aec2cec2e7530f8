package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/model"
)

// numberFlags are the public inputs of models of numbers.
type numberFlags struct {
	bounds   string
	location float64
	radius   float64
	steps    int64
}

func (n *numberFlags) add(fs *flagSet) {
	fs.StringVar(&n.bounds, "range", "", "rates, poisson: the range of the parameter, such as 0.01,10")
	fs.Float64Var(&n.location, "location", 0, "laplace-scale, normal-precision: the known location")
	fs.Int64Var(&n.steps, "resolution", 0, "means, rates: steps K of the lattice that records are rounded to, if not the "+
		"usual")
	fs.Float64Var(&n.radius, "radius", 0, "linear-regression: bound on the norm of the weights, in scaled units, if "+
		"not 2")
}

// describe sets what was given.
func (n numberFlags) describe(d *model.Description) error {
	d.Resolution = n.steps
	if d.Center = n.location; n.radius != 0 {
		d.Radius = n.radius
	}
	if n.bounds == "" {
		return nil
	}
	low, high, comma := strings.Cut(n.bounds, ",")
	c1, err1 := strconv.ParseFloat(strings.TrimSpace(low), 64)
	c2, err2 := strconv.ParseFloat(strings.TrimSpace(high), 64)
	if !comma || err1 != nil || err2 != nil {
		return &usageError{fmt.Sprintf("--range %q; want the two ends of the parameter's range, such as 0.01,10",
			n.bounds)}
	}
	d.Range = []float64{c1, c2}
	return nil
}
