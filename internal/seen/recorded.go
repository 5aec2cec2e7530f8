package seen

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/figure"
)

const mostRecord = 16 << 20 // bytes

// Recorded is the record that a PNG of package plots carries: what stands in the picture, which can be drawn and
// inspected again. Error: *dp.ParameterError for a file without one.
func Recorded(png []byte) (*figure.Record, error) {
	refuse := func(what string) error {
		return domain.Refuse("seen", "picture", what, "a PNG that plots.PNG made, with its record")
	}
	if len(png) < 8 {
		return nil, refuse("too short")
	}
	for rest := png[8:]; len(rest) >= 12; {
		n := int64(binary.BigEndian.Uint32(rest))
		if n > int64(len(rest)-12) {
			return nil, refuse("cut")
		}
		body := rest[4 : 8+n]
		if packed, ok := bytes.CutPrefix(body, []byte("iTXtprivbayes\x00\x01\x00\x00\x00")); ok {
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
