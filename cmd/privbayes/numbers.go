package main

import (
	"flag"
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
}

func (n *numberFlags) add(fs *flag.FlagSet) {
	fs.StringVar(&n.bounds, "range", "", "rates: the range of the parameter, such as 0.01,10")
	fs.Float64Var(&n.location, "location", 0, "laplace-scale, normal-precision: the known location")
	fs.Float64Var(&n.radius, "radius", 2, "linear-regression: bound on the norm of the weights, in scaled units")
}

// model is the model of numbers of that name; known is false if there is none.
func (n numberFlags) model(kind, target, features string) (m model.Model, known bool, err error) {
	switch model.Kind(kind) {
	case model.KindLinearRegression:
		m = model.LinearRegression(target).WithRadius(n.radius)
		if features != "" {
			m.Features = strings.Split(features, ",")
		}
		return m, true, nil
	case model.KindExponential:
		m = model.Exponential(target)
	case model.KindLaplaceScale:
		m = model.LaplaceScale(target, n.location)
	case model.KindNormalPrecision:
		m = model.NormalPrecision(target, n.location)
	default:
		return m, false, nil
	}
	low, high, comma := strings.Cut(n.bounds, ",")
	c1, err1 := strconv.ParseFloat(strings.TrimSpace(low), 64)
	c2, err2 := strconv.ParseFloat(strings.TrimSpace(high), 64)
	if !comma || err1 != nil || err2 != nil {
		return m, true, &usageError{fmt.Sprintf("--range %q; want the two ends of the parameter's range, such as 0.01,10", n.bounds)}
	}
	return m.WithRange(c1, c2), true, nil
}
