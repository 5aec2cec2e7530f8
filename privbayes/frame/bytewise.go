//go:build !verifier

package frame

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// bytewise is an encoding of one byte a character; nil for others.
func bytewise(enc Encoding) encoding.Encoding {
	switch enc {
	case Latin1:
		return charmap.ISO8859_1
	case Windows1252:
		return charmap.Windows1252
	}
	return nil
}
