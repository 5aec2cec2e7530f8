package nbtool

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"strings"

	"golang.org/x/image/draw"
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

// shrink scales a picture down to w × h pixels on white.
func shrink(src image.Image, w, h int) *image.RGBA {
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(dst, dst.Bounds(), image.White, image.Point{}, draw.Src)
	draw.BiLinear.Scale(dst, dst.Bounds(), src, src.Bounds(), draw.Over, nil)
	return dst
}

// encode writes a picture as PNG.
func encode(m image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, m)
	return b.Bytes(), err
}

// samePixels tells whether the PNG shows the picture. Pixels are compared, not bytes: how PNG is compressed may change
// with the Go release, and the last digit of a colour with the machine.
func samePixels(file []byte, want *image.RGBA) bool {
	got, err := png.Decode(bytes.NewReader(file))
	if err != nil || got.Bounds() != want.Bounds() {
		return false
	}
	flat := image.NewRGBA(got.Bounds())
	draw.Draw(flat, flat.Bounds(), got, got.Bounds().Min, draw.Src)
	for i, v := range want.Pix {
		if d := int(v) - int(flat.Pix[i]); d < -1 || d > 1 {
			return false
		}
	}
	return true
}
