package dirichlet

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// urn draws cells with probability proportional to integer weights, and adds one record's weight to the drawn cell.
type urn struct {
	weights []uint64
	total   uint64
}

// newURN starts with r·count + α in every cell, in units of 2^−20.
func newURN(counts []int64, rate, shape int64) *urn {
	u := &urn{weights: make([]uint64, len(counts))}
	for i, c := range counts {
		u.weights[i] = uint64(rate)*uint64(c) + uint64(shape)
		u.total += u.weights[i]
	}
	return u
}

func (u *urn) draw(src rand.Source) int {
	x := sample.Uniform(src, u.total)
	i := 0
	for x >= u.weights[i] {
		x -= u.weights[i]
		i++
	}
	u.weights[i] += 1 << urnBits
	u.total += 1 << urnBits
	return i
}

// urnSampler releases the codes of the synthetic records, one list per column, the target first.
type urnSampler struct {
	*problem
	q urnParams
}

// Draw fills the columns record by record: for naive Bayes the class from the first table's margin, then every feature
// from the row of its class.
func (d *urnSampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	tables := data.Tables()
	out := make([][]int64, len(d.shape.Columns()))
	for c := range out {
		out[c] = make([]int64, d.q.Records)
	}
	if len(out) == 1 {
		u := newURN(tables[0], d.q.Rate, d.q.Shape)
		for i := range out[0] {
			out[0][i] = int64(u.draw(src))
		}
		return mechanism.Output{Raw: out}, nil
	}
	levels := d.blocks[0].levels
	class := newURN(classCounts(tables[0], levels), d.q.Rate, d.q.Shape*int64(levels))
	rows := make([][]*urn, len(tables))
	for k, cells := range tables {
		for lo := 0; lo < len(cells); lo += d.blocks[k].levels {
			rows[k] = append(rows[k], newURN(cells[lo:lo+d.blocks[k].levels], d.q.Rate, d.q.Shape))
		}
	}
	for i := range d.q.Records {
		if i%4096 == 0 && ctx.Err() != nil {
			return mechanism.Output{}, ctx.Err()
		}
		j := class.draw(src)
		out[0][i] = int64(j)
		for k := range rows {
			out[k+1][i] = int64(rows[k][j].draw(src))
		}
	}
	return mechanism.Output{Raw: out}, nil
}

// Estimate counts the synthetic records and scales them to n in all; where n is private, they stand for themselves.
func (d *urnSampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	raw := drawn.Raw
	cols := d.shape.Columns()
	if len(raw) != len(cols) {
		return model.Estimate{}, domain.Refuse("dirichlet", "raw", fmt.Sprintf("%d columns", len(raw)), fmt.Sprint(len(cols)))
	}
	for c, codes := range raw {
		if len(codes) != d.q.Records {
			return model.Estimate{}, domain.Refuse("dirichlet", "raw", fmt.Sprintf("%d records", len(codes)),
				fmt.Sprint(d.q.Records))
		}
		for _, v := range codes {
			if v < 0 || v >= int64(cols[c].Levels()) {
				return model.Estimate{}, domain.Refuse("dirichlet", "raw", v, fmt.Sprintf("codes of %s", cols[c].Name))
			}
		}
	}
	scale := 1.0
	if _, public := d.shape.N(); public {
		scale = d.n / float64(d.q.Records)
	}
	e := model.Estimate{}
	if len(cols) > 1 {
		e.Class = make([]float64, cols[0].Levels())
		for _, y := range raw[0] {
			e.Class[y] += scale
		}
	}
	for k, t := range d.shape.Tables() {
		est := make([]float64, t.Cells())
		for i := range d.q.Records {
			cell := raw[0][i]
			if len(cols) > 1 {
				cell = cell*int64(cols[k+1].Levels()) + raw[k+1][i]
			}
			est[cell] += scale
		}
		for i := range est {
			est[i] = math.Min(est[i], scale*float64(d.q.Records)) // the sum of equal parts may round up
		}
		e.Tables = append(e.Tables, est)
	}
	return e, nil
}
