package parquet

import (
	"encoding/binary"
	"net/url"
	"strings"
	"testing"
)

// FuzzPartitions: a path is read as it was written, or refused.
func FuzzPartitions(f *testing.F) {
	f.Add("year=2024/sex=F/part-0.parquet")
	f.Add("year=2024/year=2025/x")
	f.Add("a%2Fb=c%3Dd/x")
	f.Add("%zz=1/x")
	f.Fuzz(func(t *testing.T, path string) {
		values, ok := partitions(path)
		if !ok {
			return
		}
		folders := strings.Count(path, "/")
		if len(values) > folders {
			t.Fatalf("%d values of %d folders", len(values), folders)
		}
		written := ""
		for k, v := range values {
			written += url.PathEscape(k) + "=" + strings.ReplaceAll(url.PathEscape(v), "=", "%3D") + "/"
			if strings.Contains(k, "=") { // an escaped sign in a column's name
				return
			}
		}
		again, ok := partitions(written + "x")
		if !ok || len(again) != len(values) {
			t.Fatalf("%q was read as %v, and that as %v", path, values, again)
		}
		for k, v := range values {
			if again[k] != v {
				t.Fatalf("%q was read as %v, and that as %v", path, values, again)
			}
		}
	})
}

// FuzzHeader: no bytes make the reading of footers and page headers panic, allocate more than they are, or loop.
func FuzzHeader(f *testing.F) {
	f.Add([]byte{0x15, 0, 0x15, 2, 0x15, 2, 0x2c, 0x15, 2, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0})
	f.Add([]byte{0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, b []byte) {
		c := &compact{b: b}
		readHeader(c)
		if c.i > len(b) {
			t.Fatal("more was read than there is")
		}
		if meta, err := parseFooter(b, 1<<40); err == nil && len(meta.columns) > len(b) {
			t.Fatal("more columns than bytes")
		}
	})
}

// FuzzRuns: decoding gives as many numbers as asked for, or says that the data ended; every decoder gives the same.
func FuzzRuns(f *testing.F) {
	f.Add([]byte{6, 1, 3, 0x88, 0xc6, 0xfa}, uint8(3), uint8(11))
	f.Add([]byte{0x11, 1, 2, 3, 4, 5, 6, 7, 8}, uint8(1), uint8(60))
	f.Fuzz(func(t *testing.T, b []byte, width, n uint8) {
		w := uint(width) % (maxWidth + 1)
		b = append(b, make([]byte, 8)...)[:len(b)]
		var table []entry
		for i := range max(256, 1<<min(w, 12)) {
			table = append(table, entry(i*7)&0xff)
		}
		one, two := newRuns(b, w), newRuns(b, w)
		numbers, short := make([]uint32, n), false
		ok := one.numbers(numbers)
		got := make([]uint8, n)
		var met entry
		for at := 0; at < len(got) && !short; at += 5 { // in parts, so that runs are cut anywhere
			var m entry
			m, short = codes(&two, got[at:min(at+5, len(got))], table)
			met |= m
		}
		if short == ok {
			t.Fatalf("one decoder says that the data ended, the other does not")
		}
		if !ok {
			return
		}
		var want entry
		for i, k := range numbers {
			e := outOfRange
			if int(k) < len(table) {
				e = table[k]
			}
			want |= e
			if got[i] != uint8(e) {
				t.Fatalf("number %d of width %d: code %d, want %d", i, w, got[i], uint8(e))
			}
		}
		if met != want {
			t.Fatalf("entries met %x, want %x", met, want)
		}
	})
}

// TestFooterClaims: lists that claim to be long cost no memory before their elements are there.
func TestFooterClaims(t *testing.T) {
	for _, field := range []byte{0x29, 0x49} { // the schema, the row groups
		b := binary.AppendUvarint([]byte{field, 0xfc}, 1<<31-1)
		n := testing.AllocsPerRun(10, func() {
			if _, err := parseFooter(b, 1<<40); err == nil {
				t.Fatal("a list that ends early is read")
			}
		})
		if n > 100 {
			t.Errorf("%v allocations for %d bytes", n, len(b))
		}
	}
}
