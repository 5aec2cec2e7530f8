package figure

import (
	"image/color"
	"slices"
	"strings"
)

// The colours of words and lines. Each has its counterpart on a dark page; both have a contrast of at least 4.5 to
// their page.
var (
	ink    = color.RGBA{34, 34, 34, 255}
	grey   = color.RGBA{89, 89, 89, 255}
	light  = color.RGBA{226, 226, 226, 255} // grids
	ground = color.RGBA{255, 255, 255, 255} // the page, inside of dots
)

// Colours that are the same on a dark page: the band of private pictures with its words, and words on cells.
var (
	stamp   = color.RGBA{179, 38, 30, 255}
	onStamp = color.RGBA{254, 254, 254, 255}
	onLight = color.RGBA{0, 0, 0, 255}
)

// palette are the colours of names, after Okabe and Ito (2008), darkened so that words can have them: six, since nobody
// tells more apart.
var palette = []color.RGBA{
	{0, 114, 178, 255}, {194, 78, 0, 255}, {0, 122, 89, 255}, {170, 76, 138, 255}, {138, 106, 0, 255},
	{91, 95, 199, 255},
}

// dark are the counterparts of colours on a dark page.
var dark = map[color.RGBA]color.RGBA{
	ink: {230, 230, 230, 255}, grey: {169, 173, 180, 255}, light: {54, 59, 68, 255}, ground: {20, 24, 31, 255},
	palette[0]: {86, 180, 233, 255}, palette[1]: {240, 163, 94, 255}, palette[2]: {63, 195, 154, 255},
	palette[3]: {214, 143, 184, 255}, palette[4]: {217, 182, 74, 255}, palette[5]: {169, 174, 245, 255},
}

// Dark is the counterpart of a colour on a dark page; ok is false for one that stays as it is.
func Dark(c color.RGBA) (d color.RGBA, ok bool) {
	d, ok = dark[c]
	return d, ok
}

// tint is the light form of a colour for areas.
func tint(c color.RGBA) color.Color { return color.NRGBA{c.R, c.G, c.B, 70} }

// inky are words in names of what is known without noise: it is drawn in ink.
var inky = []string{"non-private", "not private", "without privacy", "without noise", "the rows", "true ", "truth"}

// usual are the colours that names have in every figure, by words in them; the first that fits counts.
var usual = []struct {
	word string
	hue  int
}{
	{"noise-aware", 0}, {"aware", 0}, {"noise accounted", 0}, {"released", 0}, {"noise ignored", 1}, {"naive reading", 1},
	{"naive interval", 1}, {"plain posterior", 1}, {"gaussian", 1}, {"geometric", 0}, {"laplace", 2}, {"sample", 3},
	{"k-norm", 4}, {"fourier", 5},
}

// hue is the usual colour of a name; −1 for none.
func hue(name string) int {
	name = strings.ToLower(name)
	if name == "naive" || strings.HasPrefix(name, "naive,") {
		return 1
	}
	for _, u := range usual {
		if strings.Contains(name, u.word) {
			return u.hue
		}
	}
	return -1
}

// colours gives each name its colour. It belongs to the name: the usual one if no other name before it in the alphabet
// has that, otherwise the next that is free. Names beyond six colours are grey.
func colours(names []string) map[string]color.RGBA {
	out, taken := map[string]color.RGBA{}, make([]bool, len(palette))
	sorted := slices.Clone(names)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	for _, n := range sorted {
		if slices.ContainsFunc(inky, func(w string) bool { return strings.Contains(strings.ToLower(n)+" ", w) }) {
			out[n] = ink
		} else if h := hue(n); h >= 0 && !taken[h] {
			out[n], taken[h] = palette[h], true
		}
	}
	for _, n := range sorted {
		if _, known := out[n]; known {
			continue
		}
		out[n] = grey
		if k := slices.Index(taken, false); k >= 0 {
			out[n], taken[k] = palette[k], true
		}
	}
	return out
}
