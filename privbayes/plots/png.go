package plots

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"

	"github.com/privbayes/privbayes-go/privbayes/eval"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// PNG renders a figure for notebooks: paletted, so that it is small, and the same bytes for the same figure. Errors:
// *eval.FigureError.
func PNG(f *eval.Figure) ([]byte, error) {
	p, err := build(f)
	if err != nil {
		return nil, err
	}
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(110))
	layout(p, f, draw.New(c))
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&b, paletted(c.Image())); err != nil {
		return nil, fmt.Errorf("plots: %w", err)
	}
	return b.Bytes(), nil
}

// paletted rounds each channel to 16 levels and keeps the first 256 colours; a figure has fewer.
func paletted(m image.Image) image.Image {
	r := m.Bounds()
	out := image.NewPaletted(r, nil)
	index := map[color.RGBA]uint8{}
	round := func(v uint32) uint8 { return uint8((v>>8 + 8) / 17 * 17) }
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			cr, cg, cb, _ := m.At(x, y).RGBA()
			k := color.RGBA{round(cr), round(cg), round(cb), 255}
			i, ok := index[k]
			if !ok {
				if len(out.Palette) < 256 {
					i = uint8(len(out.Palette))
					out.Palette = append(out.Palette, k)
				} else {
					i = uint8(out.Palette.Index(k))
				}
				index[k] = i
			}
			out.SetColorIndex(x, y, i)
		}
	}
	return out
}
