package parquet

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pierrec/lz4/v4"
)

// Pages in Hadoop's framing of LZ4, of one block or several, and bare blocks under its number give their bytes; what is
// cut or longer is refused.
func TestHadoopLZ4(t *testing.T) {
	plain := []byte(strings.Repeat("some page of a column, over and over; ", 500))
	block := func(b []byte) []byte {
		out := make([]byte, lz4.CompressBlockBound(len(b)))
		n, err := lz4.CompressBlock(b, out, nil)
		if err != nil || n == 0 {
			t.Fatal(n, err)
		}
		return out[:n]
	}
	framed := func(parts ...[]byte) (out []byte) {
		for _, p := range parts {
			packed := block(p)
			out = binary.BigEndian.AppendUint32(out, uint32(len(p)))
			out = append(binary.BigEndian.AppendUint32(out, uint32(len(packed))), packed...)
		}
		return out
	}
	random := rand.New(rand.NewPCG(33, 5))
	for name, src := range map[string][]byte{"one": framed(plain), "two": framed(plain[:7000], plain[7000:]), "bare": block(plain)} {
		got, err := uncompress(codecHadoopLZ4, nil, src, len(plain))
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s: %v, or other bytes", name, err)
		}
		for range 50 {
			if _, err := uncompress(codecHadoopLZ4, nil, src[:random.IntN(len(src))], len(plain)); err == nil {
				t.Errorf("%s: a part is taken for the whole", name)
			}
		}
		if _, err := uncompress(codecHadoopLZ4, nil, src, len(plain)-1); err == nil {
			t.Errorf("%s: another length is taken", name)
		}
	}
	if _, err := uncompress(3, nil, plain, 10); err == nil || !strings.Contains(err.Error(), "LZO") {
		t.Errorf("%v, want LZO by name", err)
	}
}

// Types that are not read have their names in refusals.
func TestTypesByName(t *testing.T) {
	for want, l := range map[string]leaf{
		"BYTE_ARRAY of BSON":         {element: element{kind: typeByteArray, logical: logical{id: logicalBSON}, converted: -1}},
		"FIXED_LEN_BYTE_ARRAY of UU": {element: element{kind: typeFixed, logical: logical{id: 14}, converted: -1}},
		"INT64 of TIME_MICROS":       {element: element{kind: typeInt64, converted: 8}},
		"older kind of timestamp":    {element: element{kind: typeInt96, converted: -1}},
		"depends on the zone": {element: element{kind: typeInt64, converted: 10,
			logical: logical{id: logicalTimestamp, unit: 2, moment: true}}},
		"not known, 77": {element: element{kind: typeInt32, converted: -1, logical: logical{id: 77}}},
	} {
		if got := describe(l); !strings.Contains(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
