package counts

import "github.com/privbayes/privbayes-go/privbayes/mechanism"

// CellNoise is the noise of every table; none by unit, where the counts stand beside the moments of units.
func (c *countSampler) CellNoise() (out []mechanism.CellNoise) {
	if c.unitNoise != nil {
		return nil
	}
	for t, tb := range c.shape.Tables() {
		out = append(out, mechanism.CellNoise{Variance: c.cell(t), Law: c.laws[t], Once: c.measured[t] < tb.Cells()})
	}
	return out
}

// CellNoise knows that the noise keeps the total, so that counts of one table are not independent.
func (d *knormSampler) CellNoise() (out []mechanism.CellNoise) {
	for t := range d.shape.Tables() {
		out = append(out, mechanism.CellNoise{Variance: d.cell(t)})
	}
	return out
}
