package maxent

import (
	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/internal/junction"
)

// overlap is a table that was measured within a larger one, over some of its variables. What is added to all cells of
// the larger table that agree with a cell of the smaller, and taken off there, changes no probability, and only the
// ridge holds it. Along such a direction the objective is some hundred times flatter than along others. A minimiser
// that knows nothing of them takes four times as many steps.
type overlap struct {
	small, large []float64 // 1/scale of the cells, 0 where nothing can be: a direction, in scaled coordinates
	from, to     int       // where their cells begin
	at           []int32   // for every cell of the larger table the one of the smaller
	curvature    float64   // of the objective along a direction
}

// constant is a table whose potentials may all be moved by one number: that changes no probability either. Without its
// curvature the constants of many tables are what takes most steps.
type constant struct {
	free      []float64 // 1/scale of the cells, 0 where nothing can be
	from      int       // where they begin
	curvature float64   // of the objective along the direction: λσ² for each cell
}

// precondition is the inverse of the objective's curvature that a minimiser begins with, in scaled coordinates: 1 for
// each, and for every table, and every cell of a table within another, the inverse along its flat direction v,
//
//	H₀ = I + Σ u·uᵀ/λσ²K + Σ v·vᵀ/λ(σ² + m·σ′²),
//
// K the cells of a table, m those of the larger one for one of the smaller, σ² and σ′² their variances.
type precondition struct {
	overlaps  []overlap
	constants []constant
	along     []float64 // work: the slope along the directions of an overlap
	slope     []float64
}

// precondition finds the flat directions, those of constants if they are wanted.
func (o *objective) precondition(constants bool) *precondition {
	free, begin, most := make([][]float64, len(o.m.tables)), make([]int, len(o.m.tables)), 0
	p := &precondition{slope: make([]float64, len(o.flat))}
	k := 0
	for i, t := range o.m.tables {
		begin[i], free[i] = k, make([]float64, len(t.y))
		cells := 0
		for c, x := range o.m.tree.factors[i].sum {
			if x > 0 || len(o.m.zeros) == 0 {
				free[i][c] = 1 / o.scale[k]
				cells++
			}
			k++
		}
		if most = max(most, len(t.y)); constants {
			p.constants = append(p.constants, constant{free[i], begin[i], Ridge * t.variance * float64(cells)})
		}
	}
	p.along = make([]float64, most)
	for i, s := range o.m.tables {
		for j, t := range o.m.tables {
			if len(t.vars) <= len(s.vars) || !contains(t.vars, s.vars) {
				continue
			}
			m := junction.Cells(t.vars, o.m.levels) / len(s.y)
			p.overlaps = append(p.overlaps, overlap{
				small: free[i], large: free[j], from: begin[i],
				to: begin[j], at: places(o.m.levels, t.vars, s.vars),
				curvature: Ridge * (s.variance + float64(m)*t.variance),
			})
		}
	}
	return p
}

// apply replaces a slope by H₀ times it.
func (p *precondition) apply(d []float64) {
	copy(p.slope, d)
	for _, c := range p.constants {
		to := c.from + len(c.free)
		floats.AddScaled(d[c.from:to], floats.Dot(p.slope[c.from:to], c.free)/c.curvature, c.free)
	}
	for _, l := range p.overlaps {
		along := p.along[:len(l.small)]
		clear(along)
		for c, x := range p.slope[l.to : l.to+len(l.large)] {
			along[l.at[c]] += x * l.large[c]
		}
		for k, x := range p.slope[l.from : l.from+len(l.small)] {
			along[k] = (along[k] - x*l.small[k]) / l.curvature
			d[l.from+k] -= along[k] * l.small[k]
		}
		to := d[l.to : l.to+len(l.large)]
		for c, w := range l.large {
			to[c] += along[l.at[c]] * w
		}
	}
}
