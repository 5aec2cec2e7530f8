package frame

import (
	"math"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// quantileDistinct is the largest number of distinct numbers of a column that quantile binning leaves as they are, one
// bin each.
const quantileDistinct = 30

// QuantileSchema puts quantile bins, computed FROM THE DATA, in place of the public bins of every integer and real
// column: the binning of the experiments of the Dirichlet mechanism, for comparison with published numbers only. It
// reads private rows, so the schema has Inferred set and nothing made under it is private.
//
// The rule, column by column, on the values that are not missing (n of them):
//
//	at most 30 distinct values         one bin per value
//	heavy values                       while the i-th most frequent value left (i = 1, 2, …) occurs more than n/3^i
//	                                   times, it is set apart
//	at most 30 distinct values left    one bin per value
//	else                               a bin per heavy value, and (q_{k−1}, q_k] for the k/bins quantiles q_k of the
//	                                   values left
//
// with quantiles by linear interpolation between order statistics and equal edges merged. A heavy value inside a
// quantile bin splits it. Every edge is written as the smallest value of the data in its bin; the first and last bin
// reach to the bounds of the column, so that every frame read under the old schema fits the new one. Categories stay as
// they are. [Frame.Under] puts train and test under it.
//
// Errors: *dp.ParameterError unless 2 ≤ bins ≤ 65536; *PrivateNError where n is private. Source: theory of the
// Dirichlet mechanism, section 5.
func QuantileSchema(train *Frame, bins int) (*Schema, error) {
	return quantileSchema("QuantileSchema", train, nil, bins)
}

// QuantileSplit bins train and test as the experiments of the Dirichlet mechanism do: the bins of [QuantileSchema] on
// train, and of every categorical column, and of every numeric one with at most 30 distinct values, only what occurs in
// train or test. Both frames come back under that one schema, which is not private. Errors are those of QuantileSchema
// for both frames; *dp.ParameterError if their schemas differ.
func QuantileSplit(train, test *Frame, bins int) (qtrain, qtest *Frame, err error) {
	if !train.schema.Equal(test.schema) {
		return nil, nil, domain.Refuse("QuantileSplit", "schema of test", test.schema.Digest()[:12],
			"that of train, "+train.schema.Digest()[:12])
	}
	s, err := quantileSchema("QuantileSplit", train, test, bins)
	if err != nil {
		return nil, nil, err
	}
	if qtrain, err = train.Under(s); err != nil {
		return nil, nil, err
	}
	qtest, err = test.Under(s)
	return qtrain, qtest, err
}

// quantileSchema bins by train. With a test frame it also leaves out what occurs in neither.
func quantileSchema(step string, train, test *Frame, bins int) (*Schema, error) {
	if bins < 2 || bins > maxLevels {
		return nil, domain.Refuse(step, "bins", strconv.Itoa(bins), "2 to 65536, such as 10")
	}
	for _, f := range []*Frame{train, test} {
		if f != nil && f.privateBy != "" {
			return nil, &PrivateNError{step, f.privateBy}
		}
	}
	s := train.Schema()
	s.Inferred = true
	for i := range s.Columns {
		c := &s.Columns[i]
		switch {
		case c.Numeric():
			starts := quantileStarts(train.cols[i].values.all(), bins)
			if test != nil {
				if both, _ := runs(known(slices.Concat(train.cols[i].values.all(),
					test.cols[i].values.all()))); len(both) <= quantileDistinct {
					starts = both
				}
			}
			c.setStarts(starts)
			c.Description = "quantile bins, computed from data"
		case test != nil && c.Kind == KindCategorical:
			c.keepObserved(train.cols[i].codes, test.cols[i].codes)
			c.Description = "categories that occur in the data"
		}
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s.filled(), nil
}

// keepObserved leaves out the categories that no code names; one stays, at least, and so does the one that others
// become.
func (c *Column) keepObserved(codes ...Codes) {
	seen := make([]bool, c.Levels())
	for _, cs := range codes {
		for i := range cs.Len() {
			seen[cs.At(i)] = true
		}
	}
	if c.HasMissing() && !seen[len(c.Categories)] {
		c.OnMissing, c.MissingCategory = "", ""
	}
	kept := make([]string, 0, len(c.Categories))
	for i, name := range c.Categories {
		if seen[i] || name == c.Other {
			kept = append(kept, name)
		}
	}
	if len(kept) > 0 {
		c.Categories = kept
	} else {
		c.Categories = c.Categories[:1]
	}
}

// setStarts makes one bin per start, the first one reaching down to Min and the last one up to Max.
func (c *Column) setStarts(starts []float64) {
	lo, hi := c.Min, c.Max
	c.Edges = []float64{lo}
	for i, x := range starts {
		if i > 0 && x > lo {
			c.Edges = append(c.Edges, x)
		}
	}
	if last := c.Edges[len(c.Edges)-1]; last == hi { // the largest value has a bin of its own: give it width
		hi = math.Nextafter(hi, math.Inf(1))
		if c.Kind == KindInteger {
			hi = last + 1
		}
	}
	c.Max = hi
	c.Edges = append(c.Edges, hi)
}

// quantileStarts gives the smallest value of every bin, increasing; it is empty without values.
func quantileStarts(values []float64, bins int) []float64 {
	v := known(values)
	distinct, counts := runs(v)
	if len(distinct) <= quantileDistinct {
		return distinct
	}
	heavy := heavyValues(counts, len(v))
	if len(distinct)-len(heavy) <= quantileDistinct {
		return distinct
	}
	apart := make([]bool, len(distinct))
	for _, i := range heavy {
		apart[i] = true
	}
	rest := make([]float64, 0, len(v))
	for i, x := range distinct {
		for range counts[i] {
			if !apart[i] {
				rest = append(rest, x)
			}
		}
	}
	edges := make([]float64, 0, bins-1)
	for k := 1; k < bins; k++ {
		edges = append(edges, quantile(rest, k, bins))
	}
	// A bin starts at the smallest value, at the first value above a quantile, at a heavy value, and at the value after
	// it. No quantile of the values left lies below all of them, so the smallest value has a bin of its own only where
	// it is heavy or where the second smallest is above a quantile.
	starts := []float64{distinct[0]}
	k := 0
	for i, x := range distinct[1:] {
		above := false
		for k < len(edges) && edges[k] < x {
			above = true
			k++
		}
		if above || apart[i] || apart[i+1] {
			starts = append(starts, x)
		}
	}
	return starts
}

// known sorts the values that are not missing.
func known(values []float64) []float64 {
	v := make([]float64, 0, len(values))
	for _, x := range values {
		if x == x {
			v = append(v, x)
		}
	}
	slices.Sort(v)
	return v
}

// runs lists the distinct values of a sorted slice and how often each occurs.
func runs(v []float64) (distinct []float64, counts []int) {
	for i, x := range v {
		if i == 0 || x != v[i-1] {
			distinct, counts = append(distinct, x), append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	return distinct, counts
}

// heavyValues gives the places of the values that occur more than n/3, n/9, n/27, … times, by falling frequency.
func heavyValues(counts []int, n int) []int {
	order := make([]int, len(counts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return counts[b] - counts[a] })
	share := float64(n)
	for i, at := range order {
		if share /= 3; float64(counts[at]) <= share {
			return order[:i]
		}
	}
	return order
}

// quantile is the k/bins quantile of sorted values: linear interpolation at place (n−1)·k/bins.
func quantile(v []float64, k, bins int) float64 {
	place := float64(len(v)-1) * float64(k) / float64(bins)
	i := int(place)
	if i+1 >= len(v) {
		return v[len(v)-1]
	}
	return v[i] + (v[i+1]-v[i])*(place-float64(i))
}
