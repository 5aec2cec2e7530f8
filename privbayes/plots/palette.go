package plots

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// exact is how many colours keep their value in a palette: fills, lines and words. The rest are blends at their edges.
const exact = 48

// paletted keeps the most frequent colours as they are, rounds the others to 16 levels a channel, and gives those
// beyond 256 the nearest in the palette. Equal pictures have equal palettes: ties in frequency go by value.
func paletted(m image.Image) image.Image {
	r := m.Bounds()
	pixels := make([]color.RGBA, 0, r.Dx()*r.Dy())
	counts := map[color.RGBA]int{}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			cr, cg, cb, _ := m.At(x, y).RGBA()
			k := color.RGBA{uint8(cr >> 8), uint8(cg >> 8), uint8(cb >> 8), 255}
			counts[k]++
			pixels = append(pixels, k)
		}
	}
	ordered := byFrequency(counts)
	out := image.NewPaletted(r, nil)
	index := make(map[color.RGBA]uint8, len(ordered))
	for i, k := range ordered[:min(len(ordered), exact)] {
		out.Palette = append(out.Palette, k)
		index[k] = uint8(i)
	}
	rounded := map[color.RGBA]int{}
	for _, k := range ordered[len(out.Palette):] {
		rounded[round(k)] += counts[k]
	}
	coarse := map[color.RGBA]uint8{}
	for _, k := range byFrequency(rounded) {
		i := len(out.Palette)
		if i < 256 {
			out.Palette = append(out.Palette, k)
		} else {
			i = out.Palette.Index(k)
		}
		coarse[k] = uint8(i)
	}
	for i, k := range pixels {
		at, ok := index[k]
		if !ok {
			at = coarse[round(k)]
			index[k] = at
		}
		out.Pix[i] = at // a new paletted image has no padding
	}
	return out
}

// round takes each channel to the nearest of 16 levels.
func round(c color.RGBA) color.RGBA {
	f := func(v uint8) uint8 { return uint8((int(v) + 8) / 17 * 17) }
	return color.RGBA{f(c.R), f(c.G), f(c.B), 255}
}

// byFrequency lists colours, the most frequent first.
func byFrequency(counts map[color.RGBA]int) []color.RGBA {
	out := make([]color.RGBA, 0, len(counts))
	for k := range counts {
		out = append(out, k)
	}
	value := func(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
	slices.SortFunc(out, func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], value(a)-value(b))
	})
	return out
}
