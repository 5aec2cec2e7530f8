package fetch

import (
	"archive/zip"
	"bytes"
	"errors"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
)

// FuzzUnpack reads any bytes as an archive: a typed error, or members no longer than their known size allows.
func FuzzUnpack(f *testing.F) {
	archived := func(names ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			w := must.Get(z.Create(name))(f)
			must.Get(w.Write(bytes.Repeat([]byte("1,2\n"), 50)))(f)
		}
		must.Do(f, z.Close())
		return b.Bytes()
	}
	f.Add(archived("a.csv"))
	f.Add(archived("../a.csv", "a.csv"))
	f.Add(archived("inner.zip", "a.csv"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var e *data.ArchiveError
		out, err := unpack("x.zip", b, nil, []data.Member{{Path: "a.csv", Bytes: 64}})
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("%T %v", err, err)
		}
		if err == nil && len(out[0]) > 65 {
			t.Fatalf("%d bytes of a member of 64", len(out[0]))
		}
		if _, err := unpack("x.zip", b, &data.Member{Path: "inner.zip"},
			[]data.Member{{Path: "a.csv", Bytes: 64}}); err != nil && !errors.As(err, &e) {
			t.Fatalf("%T %v", err, err)
		}
	})
}
