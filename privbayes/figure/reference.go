package figure

// drawReferences draws the dashed horizontal lines.
func (p *plane) drawReferences() {
	for _, h := range p.f.HLines {
		p.line(Stroke{Color: grey, Width: 1.1, Dashes: []float64{4, 3}}, p.data.minX, p.toY(h.Y), p.data.maxX,
			p.toY(h.Y))
	}
}

// nameReferences writes the name of each reference on its line, where it covers least of the data: at the right if it
// can be.
func (p *plane) nameReferences() {
	style := words(legendSize, grey)
	marks := p.obstacles()
	var taken []rect
	for i, h := range p.f.HLines {
		name := Fit(p, Printable(h.Name), style.Font, (p.data.maxX-p.data.minX)*0.9)
		if name == "" {
			continue
		}
		w, y := p.Width(name, style.Font), p.toY(h.Y)
		best, least := rect{}, -1
		for _, x := range []float64{p.data.maxX - w - 3, p.data.minX + 3, (p.data.minX + p.data.maxX - w) / 2} {
			for _, low := range []float64{y + 2, y - 2 - legendSize} {
				r := rect{x, low, x + w, low + legendSize}
				cost := 0
				for _, m := range marks {
					if r.near(m, 2) {
						cost++
					}
				}
				for j, o := range p.f.HLines {
					if at := p.toY(o.Y); j != i && at > r.minY-1 && at < r.maxY+1 {
						cost += 40
					}
				}
				for _, t := range taken {
					if r.minX < t.maxX && t.minX < r.maxX && r.minY < t.maxY && t.minY < r.maxY {
						cost += 10_000
					}
				}
				if r.minY < p.data.minY || r.maxY > p.data.maxY {
					cost += 1000
				}
				if least < 0 || cost < least {
					best, least = r, cost
				}
			}
		}
		taken = append(taken, best)
		p.Fill(backing, []Point{{X: best.minX, Y: best.minY}, {X: best.maxX, Y: best.minY},
			{X: best.maxX, Y: best.maxY}, {X: best.minX, Y: best.maxY}})
		p.Write(style, Point{X: best.minX, Y: best.minY + 1.5}, name)
	}
}

// near is whether a point lies in the rectangle or next to it.
func (r rect) near(p Point, slack float64) bool {
	return p.X > r.minX-slack && p.X < r.maxX+slack && p.Y > r.minY-slack && p.Y < r.maxY+slack
}

// obstacles are points along everything a name should not cover: lines, edges of bands, tops of bars.
func (p *plane) obstacles() []Point {
	const pieces = 24
	var out []Point
	along := func(pts []Point) {
		out = append(out, pts...)
		for i := 1; i < len(pts); i++ {
			a, b := pts[i-1], pts[i]
			for k := 1; k < pieces; k++ {
				t := float64(k) / pieces
				out = append(out, Point{X: a.X + t*(b.X-a.X), Y: a.Y + t*(b.Y-a.Y)})
			}
		}
	}
	for _, s := range p.f.Series {
		switch s.Kind {
		case Points, Bars:
			out = append(out, p.points(s.X, s.Y)...)
		default:
			along(p.path(s))
		}
		if s.Kind == Band {
			along(p.points(s.X, s.Lo))
			along(p.points(s.X, s.Hi))
		}
	}
	return out
}
