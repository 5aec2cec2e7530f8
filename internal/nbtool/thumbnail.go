package nbtool

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
)

// ThumbnailWidth is the width of a gallery picture in pixels.
const ThumbnailWidth = 280

// figures are the pictures that a cell put out, in order.
func (c Cell) figures() []Text {
	var fs []Text
	for _, o := range c.Outputs {
		if p := o.Data["image/png"]; p != "" {
			fs = append(fs, p)
		}
	}
	return fs
}

// thumbnail makes the small picture of a figure, which is PNG in base64.
func thumbnail(figure Text) (*image.RGBA, error) {
	b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(figure)), ""))
	if err != nil {
		return nil, fmt.Errorf("nbtool: figure: %w", err)
	}
	src, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("nbtool: figure: %w", err)
	}
	size := src.Bounds()
	w := min(ThumbnailWidth, size.Dx())
	h := max(1, (size.Dy()*w+size.Dx()/2)/size.Dx())
	return shrink(src, w, h), nil
}

// shrink scales a picture down to w × h pixels on white. Every pixel of the result is the mean over the rectangle of the source
// that it covers, pixels at the rim counted by the share of their area inside. All of it is integer arithmetic: the
// result is the same on every machine.
func shrink(src image.Image, w, h int) *image.RGBA {
	size := src.Bounds()
	page := image.NewRGBA(image.Rect(0, 0, size.Dx(), size.Dy()))
	draw.Draw(page, page.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(page, page.Bounds(), src, size.Min, draw.Over)
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	total := uint64(size.Dx()) * uint64(size.Dy()) // the area of one pixel of dst, in units of 1/w × 1/h of a source pixel
	columns, rows := covers(size.Dx(), w), covers(size.Dy(), h)
	for y, row := range rows {
		for x, column := range columns {
			var red, green, blue uint64
			for _, v := range row {
				for _, u := range column {
					p := page.Pix[v.at*page.Stride+4*u.at:]
					area := u.length * v.length
					red += area * uint64(p[0])
					green += area * uint64(p[1])
					blue += area * uint64(p[2])
				}
			}
			mean := func(s uint64) uint8 { return uint8((s + total/2) / total) }
			dst.SetRGBA(x, y, color.RGBA{R: mean(red), G: mean(green), B: mean(blue), A: 255})
		}
	}
	return dst
}

// share is a pixel of the source and the length of it that a pixel of the result covers, in units of 1/to.
type share struct {
	at     int
	length uint64
}

// covers lists, for each of to pixels along a side, the shares of the from pixels it covers.
func covers(from, to int) [][]share {
	out := make([][]share, to)
	for i := range out {
		for at := i * from / to; at < from && at*to < (i+1)*from; at++ {
			if l := min((at+1)*to, (i+1)*from) - max(at*to, i*from); l > 0 {
				out[i] = append(out[i], share{at, uint64(l)})
			}
		}
	}
	return out
}

// encode writes a picture as PNG.
func encode(m image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, m)
	return b.Bytes(), err
}

// samePixels tells whether the PNG shows the picture. Pixels are compared, not bytes: how PNG is compressed may change with the
// Go release.
func samePixels(file []byte, want *image.RGBA) bool {
	got, err := png.Decode(bytes.NewReader(file))
	if err != nil || got.Bounds() != want.Bounds() {
		return false
	}
	flat := image.NewRGBA(got.Bounds())
	draw.Draw(flat, flat.Bounds(), got, got.Bounds().Min, draw.Src)
	return bytes.Equal(flat.Pix, want.Pix)
}
