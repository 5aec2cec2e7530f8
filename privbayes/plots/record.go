package plots

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"

	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// recordKey is the keyword of the text of a PNG that holds the record of the drawing, which internal/seen reads;
// descriptionKey that of what the picture shows, in words.
const (
	recordKey      = "privbayes"
	descriptionKey = "Description"
	header         = 8 + 12 + 13 // signature and IHDR
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
