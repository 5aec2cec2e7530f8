package figure

import (
	"image/color"
	"strings"
	"unicode"
)

// Font is a size of the sans-serif font, regular or bold.
type Font struct {
	Size float64
	Bold bool
}

// The extents of the font, Liberation Sans, over its size.
const (
	ascent  = 1854.0 / 2048
	descent = 434.0 / 2048
)

// height is the height of a line of text.
func (f Font) height() float64 { return ascent*f.Size + descent*f.Size }

// advance is the width of the characters from the blank to the tilde in Liberation Sans, regular and bold, which has
// those of Arial and Helvetica, in units of 1/2048 of the size.
var advance = [2][95]int{{
	569, 569, 727, 1139, 1139, 1821, 1366, 391, 682, 682, 797, 1196, 569, 682, 569, 569, 1139, 1139, 1139, 1139, 1139,
	1139, 1139, 1139, 1139, 1139, 569, 569, 1196, 1196, 1196, 1139, 2079, 1366, 1366, 1479, 1479, 1366, 1251, 1593,
	1479, 569, 1024, 1366, 1139, 1706, 1479, 1593, 1366, 1593, 1479, 1366, 1251, 1479, 1366, 1933, 1366, 1366, 1251,
	569, 569, 569, 961, 1139, 682, 1139, 1139, 1024, 1139, 1139, 569, 1139, 1139, 455, 455, 1024, 455, 1706, 1139, 1139,
	1139, 1139, 682, 1024, 569, 1139, 1024, 1479, 1024, 1024, 1024, 684, 532, 684, 1196,
}, {
	569, 682, 971, 1139, 1139, 1821, 1479, 487, 682, 682, 797, 1196, 569, 682, 569, 569, 1139, 1139, 1139, 1139, 1139,
	1139, 1139, 1139, 1139, 1139, 682, 682, 1196, 1196, 1196, 1251, 1997, 1479, 1479, 1479, 1479, 1366, 1251, 1593,
	1479, 569, 1139, 1479, 1251, 1706, 1479, 1593, 1366, 1593, 1479, 1366, 1251, 1479, 1366, 1933, 1366, 1366, 1251,
	682, 569, 682, 1196, 1139, 682, 1139, 1251, 1139, 1251, 1139, 682, 1251, 1251, 569, 569, 1139, 569, 1821, 1251,
	1251, 1251, 1251, 797, 1139, 682, 1251, 1139, 1593, 1139, 1139, 1024, 797, 573, 797, 1196,
}}

// beyond are the widths of other characters that figures use, regular and bold.
var beyond = map[rune][2]int{
	'–': {1139, 1139}, '—': {2048, 2048}, '−': {1196, 1196}, '×': {1196, 1196}, '·': {682, 682}, '±': {1124, 1124},
	'≤': {1124, 1124}, '≥': {1124, 1124}, '≠': {1124, 1124}, '≈': {1124, 1124}, '∞': {1460, 1460}, '√': {1124, 1124},
	'∑': {1460, 1460}, '…': {2048, 2048}, '→': {2048, 2048}, '←': {2048, 2048}, '‖': {846, 1019}, '′': {384, 491},
	'‘': {455, 569}, '’': {455, 569}, '“': {682, 1024}, '”': {682, 1024}, '°': {819, 819}, '½': {1708, 1708},
	'ℓ': {662, 1001}, 'α': {1184, 1259}, 'β': {1178, 1250}, 'γ': {1024, 1139}, 'δ': {1140, 1242}, 'ε': {913, 972},
	'λ': {1024, 1139}, 'μ': {1180, 1253}, 'ξ': {917, 912}, 'π': {1413, 1568}, 'ρ': {1165, 1267}, 'σ': {1264, 1401},
	'τ': {809, 914}, 'θ': {1139, 1107}, 'φ': {1328, 1465}, 'ψ': {1460, 1543}, 'ω': {1599, 1730}, 'Δ': {1368, 1472},
	'Θ': {1593, 1593}, 'Σ': {1266, 1229}, 'Φ': {1634, 1681}, 'Ω': {1531, 1642}, 'Λ': {1368, 1366}, '\u202f': {340, 340},
	'\u00a0': {569, 569}, 'ï': {569, 569},
}

// Advance is the width of one character. One that the table lacks counts as a figure, and a wide one as the size.
func (f Font) Advance(r rune) float64 {
	bold := 0
	if f.Bold {
		bold = 1
	}
	w := 1139
	if known, ok := beyond[r]; ok {
		w = known[bold]
	} else if r >= ' ' && r <= '~' {
		w = advance[bold][r-' ']
	} else if r >= 0x2e80 {
		w = 2048
	}
	return float64(w) / 2048 * f.Size
}

// Run is a part of a text that is written in one size: exponents are small and raised.
type Run struct {
	Text string
	Font Font
	Rise float64 // above the line, in points
}

// Runs splits a text at its exponents, whose characters the font lacks.
func Runs(text string, f Font) []Run {
	if !strings.ContainsAny(text, "⁰¹²³⁴⁵⁶⁷⁸⁹⁻") {
		return []Run{{text, f, 0}}
	}
	var out []Run
	up := false
	for _, r := range text {
		plain, raise := r, r == '⁻'
		if raise {
			plain = '−'
		}
		for k, s := range superscripts {
			if r == s {
				plain, raise = rune('0'+k), true
			}
		}
		if len(out) == 0 || raise != up {
			run := Run{Font: f}
			if raise {
				run.Font.Size, run.Rise = .7*f.Size, .36*f.Size
			}
			out, up = append(out, run), raise
		}
		out[len(out)-1].Text += string(plain)
	}
	return out
}

// Width is that of a text, in points: the sum of its characters, which stand apart as the table says, whatever their
// neighbours.
func (f Font) Width(text string) (w float64) {
	for _, run := range Runs(text, f) {
		for _, r := range run.Text {
			w += run.Font.Advance(r)
		}
	}
	return w
}

// Text is how words are written: in a font and a colour, placed by their box and turned.
type Text struct {
	Font
	Color color.RGBA
	// where the place is in the box of the words: 0 at its left or bottom, −½ in its middle, −1 at its right or top
	X, Y  float64
	Angle float64 // radians, counterclockwise
}

// Baseline is how far the baseline of a text is above its place.
func (t Text) Baseline() float64 { return t.height()*t.Y - ascent*t.Size + t.Size }

// box is where a text that is not turned stands.
func (t Text) box(at Point, text string) rect {
	w, base := t.Width(text), at.Y+t.Baseline()
	x := at.X + t.X*w
	return rect{x, base - descent*t.Size, x + w, base + .74*t.Size}
}

// printable drops what a picture cannot show and XML must not hold.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, " "))
}

// fitted cuts a text to a width.
func fitted(s string, f Font, width float64) string {
	if s = printable(s); f.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	lo, hi := 0, len(runes) // the longest start that fits with an ellipsis, by bisection
	for lo < hi {
		if mid := (lo + hi + 1) / 2; f.Width(string(runes[:mid])+"…") <= width {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return string(runes[:lo]) + "…"
}

// wrapped breaks a text into lines that fit the width, at most limit of them; what does not fit ends in an ellipsis.
func wrapped(s string, f Font, width float64, limit int) []string {
	var lines []string
	line := ""
	blank := func(r rune) bool { return r == ' ' } // narrow blanks and those that break no line are not
	for _, w := range strings.FieldsFunc(printable(s), blank) {
		switch longer := strings.TrimSpace(line + " " + w); {
		case f.Width(longer) <= width:
			line = longer
		case line == "":
			line = fitted(w, f, width)
		default:
			lines = append(lines, line)
			line = fitted(w, f, width)
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	if len(lines) > limit {
		lines = append(lines[:limit-1:limit-1], fitted(lines[limit-1]+" …", f, width))
	}
	return lines
}
