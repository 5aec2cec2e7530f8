package plots

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// recordKey is the keyword of the text of a PNG that holds the record of the drawing; descriptionKey that of what the
// picture shows, in words.
const (
	recordKey      = "privbayes"
	descriptionKey = "Description"
	header         = 8 + 12 + 13 // signature and IHDR
	mostRecord     = 16 << 20
)

// described puts a picture's record and its words behind the header of its PNG.
func described(png []byte, r *figure.Record) ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Write(png[:header])
	for _, t := range []struct {
		key  string
		text []byte
	}{{descriptionKey, []byte(r.Alt)}, {recordKey, text}} {
		var packed bytes.Buffer
		z, _ := zlib.NewWriterLevel(&packed, zlib.BestCompression) // the level is one that there is
		_, _ = z.Write(t.text)                                     // a buffer takes all
		_ = z.Close()
		chunk := append([]byte("iTXt"+t.key+"\x00\x01\x00\x00\x00"), packed.Bytes()...)
		out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-4)))
		out.Write(chunk)
		out.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk)))
	}
	out.Write(png[header:])
	return out.Bytes(), nil
}

// Recorded is the record that a PNG of this package carries: what stands in the picture, which can be drawn and
// inspected again. Error: *dp.ParameterError for a file without one.
func Recorded(png []byte) (*figure.Record, error) {
	refuse := func(what string) error {
		return domain.Refuse("plots", "picture", what, "a PNG that PNG made, with its record")
	}
	if len(png) < header {
		return nil, refuse("too short")
	}
	for rest := png[8:]; len(rest) >= 12; {
		n := int64(binary.BigEndian.Uint32(rest))
		if n > int64(len(rest)-12) {
			return nil, refuse("cut")
		}
		body := rest[4 : 8+n]
		if packed, ok := bytes.CutPrefix(body, []byte("iTXt"+recordKey+"\x00\x01\x00\x00\x00")); ok {
			z, err := zlib.NewReader(bytes.NewReader(packed))
			if err != nil {
				return nil, refuse(err.Error())
			}
			text, err := io.ReadAll(io.LimitReader(z, mostRecord))
			if err != nil {
				return nil, refuse(err.Error())
			}
			return figure.ParseRecord(text)
		}
		rest = rest[12+n:]
	}
	return nil, refuse("without a record")
}
