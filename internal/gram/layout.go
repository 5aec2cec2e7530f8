package gram

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"
)

// Column is a column of a design: a product of powers of numbers in [−1, 1] and of indicators. The intercept is the
// empty product.
type Column struct {
	Powers []Power // by Of and Legendre
	Levels []Level // by Of, one a factor
}

// Power is u^Degree of the number Of or, where Legendre is 2 to 4, the same power of its Legendre polynomial.
type Power struct{ Of, Legendre, Degree int }

// Level is the indicator of a level of the factor Of, of so many levels.
type Level struct{ Of, Level, Levels int }

// At is the power at x.
func (p Power) At(x float64) float64 {
	x, out := legendre(p.Legendre, x), 1.
	for range p.Degree {
		out *= x
	}
	return out
}

func (c Column) one() bool { return len(c.Powers)+len(c.Levels) == 0 }

// Value is the column of a record: of each number its value in [−1, 1], of each factor its level.
func (c Column) Value(number map[int]float64, level map[int]int) float64 {
	out := 1.
	for _, p := range c.Powers {
		out *= p.At(number[p.Of])
	}
	for _, l := range c.Levels {
		if level[l.Of] != l.Level {
			return 0
		}
	}
	return out
}

// even reports whether a product is never negative.
func (c Column) even() bool {
	return !slices.ContainsFunc(c.Powers, func(p Power) bool { return p.Degree%2 == 1 })
}

// times is the product of two columns; ok is false where it is always 0, of two levels of one factor.
func (c Column) times(o Column) (out Column, ok bool) {
	out.Powers, out.Levels = slices.Clone(c.Powers), slices.Clone(c.Levels)
	for _, p := range o.Powers {
		same := func(q Power) bool { return q.Of == p.Of && q.Legendre == p.Legendre }
		if i := slices.IndexFunc(out.Powers, same); i >= 0 {
			out.Powers[i].Degree += p.Degree
		} else {
			out.Powers = append(out.Powers, p)
		}
	}
	for _, l := range o.Levels {
		i := slices.IndexFunc(out.Levels, func(m Level) bool { return m.Of == l.Of })
		if i < 0 {
			out.Levels = append(out.Levels, l)
		} else if out.Levels[i] != l {
			return out, false
		}
	}
	return out.sorted(), true
}

func (c Column) sorted() Column {
	slices.SortFunc(c.Powers, func(a, b Power) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Legendre, b.Legendre))
	})
	slices.SortFunc(c.Levels, func(a, b Level) int { return cmp.Compare(a.Of, b.Of) })
	return c
}

// Equal reports whether two columns are the same product.
func (c Column) Equal(o Column) bool {
	return slices.Equal(c.Powers, o.Powers) && slices.Equal(c.Levels, o.Levels)
}

// divides reports whether o is c times something in [−1, 1].
func (c Column) divides(o Column) bool {
	for _, p := range c.Powers {
		if !slices.ContainsFunc(o.Powers, func(q Power) bool {
			return q.Of == p.Of && q.Legendre == p.Legendre && q.Degree >= p.Degree
		}) {
			return false
		}
	}
	for _, l := range c.Levels {
		if !slices.Contains(o.Levels, l) {
			return false
		}
	}
	return true
}

// Number reports whether the column is a number in the first power, and which.
func (c Column) Number() (of int, ok bool) {
	ok = len(c.Powers) == 1 && len(c.Levels) == 0 && c.Powers[0].Degree == 1 && c.Powers[0].Legendre < 2
	if ok {
		of = c.Powers[0].Of
	}
	return of, ok
}

// interior is the mean of the product over independent uniform numbers and even factors.
func (c Column) interior() float64 {
	mean := 1.
	for _, l := range c.Levels {
		mean /= float64(l.Levels)
	}
	for i := 0; i < len(c.Powers); {
		j := i
		for j < len(c.Powers) && c.Powers[j].Of == c.Powers[i].Of {
			j++
		}
		own := c.Powers[i:j]
		mean *= quad.Fixed(func(x float64) float64 {
			out := 1.
			for _, p := range own {
				out *= p.At(x)
			}
			return out / 2
		}, -1, 1, 24, quad.Legendre{}, 1)
		i = j
	}
	return mean
}

// legendre is the Legendre polynomial of degree 2 to 4, and else x.
func legendre(degree int, x float64) float64 {
	switch degree {
	case 2:
		return (3*x*x - 1) / 2
	case 3:
		return (5*x*x - 3) * x / 2
	case 4:
		return ((35*x*x-30)*x*x + 3) / 8
	}
	return x
}

// derivative has the terms of d column/du, each a column and its factor: the product rule, with P₂′ = 3u, P₃′ = 5P₂ + 1
// and P₄′ = 7P₃ + 3u.
func (c Column) derivative(of int) (by []Column, times []float64) {
	add := func(i int, factor float64, more ...Power) {
		rest := Column{Levels: c.Levels, Powers: slices.Clone(c.Powers)}
		if rest.Powers[i].Degree--; rest.Powers[i].Degree == 0 {
			rest.Powers = slices.Delete(rest.Powers, i, i+1)
		}
		next, _ := rest.times(Column{Powers: more})
		by, times = append(by, next), append(times, factor*float64(c.Powers[i].Degree))
	}
	for i, p := range c.Powers {
		if p.Of != of {
			continue
		}
		switch p.Legendre {
		case 2:
			add(i, 3, Power{of, 0, 1})
		case 3:
			add(i, 5, Power{of, 2, 1})
			add(i, 1)
		case 4:
			add(i, 7, Power{of, 3, 1})
			add(i, 3, Power{of, 0, 1})
		default:
			add(i, 1)
		}
	}
	return by, times
}

// Products are the distinct products of the columns of a design, the constant one left out where constant is false, and
// their places in XᵀX, in the order of the places.
func Products(columns []Column, constant bool) (products []Column, places [][][2]int) {
	for i, a := range columns {
		for j := i; j < len(columns); j++ {
			m, ok := a.times(columns[j])
			if !ok || m.one() && !constant {
				continue
			}
			k := slices.IndexFunc(products, m.Equal)
			if k < 0 {
				k, products, places = len(products), append(products, m), append(places, nil)
			}
			places[k] = append(places[k], [2]int{i, j})
		}
	}
	return products, places
}

// Layout is a problem of the columns without what was released: the entries of XᵀX in the order of [Products], their
// bounds, and the moves of the numbers. An intercept is column 0. Public is n; where it is 0 n is private, and the
// caller sets Cap.
func Layout(columns []Column, d float64, public float64) *Problem {
	intercept := columns[0].one()
	products, places := Products(columns, public == 0 || !intercept)
	p := &Problem{Dim: len(columns), Count: -1, N: public, D: d, Cap: public / d}
	index := func(c Column) int { return slices.IndexFunc(products, c.Equal) }
	for k, m := range products {
		p.Entries = append(p.Entries, Entry{Places: places[k], Even: m.even(), Interior: m.interior()})
		if m.one() {
			p.Count = k
			p.Bounds = append(p.Bounds, Bound{k, -1})
			continue
		}
		p.Bounds = append(p.Bounds, Bound{k, index(Column{})})
		for b, by := range products {
			if b != k && !by.one() && by.even() && by.divides(m) {
				p.Bounds = append(p.Bounds, Bound{k, b})
			}
		}
	}
	if !intercept {
		return p
	}
	if public > 0 {
		p.Fixed = p.Cap
	}
	for j, c := range columns {
		of, number := c.Number()
		if number || len(c.Powers) == 0 && len(c.Levels) == 1 {
			p.Base++
		}
		if !number {
			continue
		}
		square, _ := c.times(c)
		n := Number{Column: j, First: index(c), Second: index(square), Alone: true}
		for _, at := range places {
			for _, a := range at {
				n.Alone = n.Alone && (len(at) == 1 || a[0] != j && a[1] != j)
			}
		}
		n.Shift = shiftOf(columns, of)
		p.Numbers = append(p.Numbers, n)
	}
	return p
}

// shiftOf are the derivatives of all columns by a number; none where one of them is no column.
func shiftOf(columns []Column, of int) (out []Term) {
	for i, c := range columns {
		by, times := c.derivative(of)
		for k, b := range by {
			at := slices.IndexFunc(columns, b.Equal)
			if at < 0 {
				return nil
			}
			out = append(out, Term{i, at, times[k]})
		}
	}
	return out
}
