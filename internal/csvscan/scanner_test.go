package csvscan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// scan puts a text into a scanner's buffer and scans it.
func scan(s *Scanner, text string) bool {
	return s.Scan(copy(s.Buffer()[:Size], text))
}

// never is a slow way for fields that a fast one must read.
func never(t *testing.T) Slow {
	return func(text []byte, _ bool) (int32, float64, bool) {
		t.Errorf("%q was not read the fast way", text)
		return 0, 0, false
	}
}

// refuse is a slow way that reads nothing.
func refuse([]byte, bool) (int32, float64, bool) { return 0, 0, false }

// Texts of one to thirty-one bytes are found, alone and among others; a text that differs in one byte, or is cut, or
// goes on, is not.
func TestTexts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		alphabet := rapid.SampledFrom([]string{"ab", "abcdefghijklmnopqrstuvwxyz", "Married-"}).Draw(rt, "alphabet")
		set := rapid.SliceOfNDistinct(rapid.StringOfN(rapid.RuneFrom([]rune(alphabet)), 0, 31, -1), 1, 40,
			rapid.ID[string]).Draw(rt, "texts")
		codes := make([]int32, len(set))
		for i := range codes {
			codes[i] = int32(i)
		}
		first, end := rapid.Bool().Draw(rt, "first"), "\n"
		columns := []Column{{Texts: set, Codes: codes}}
		if first {
			columns, end = append(columns, Column{Skip: true}), ",1\n"
		}
		fast := NewPlan(columns, ',', false)
		if fast.columns[0].texts == nil {
			return // no choice of bytes tells them apart
		}
		s := fast.New([]Slow{refuse, nil})
		var b strings.Builder
		var want []uint8
		for range 100 {
			k := rapid.IntRange(0, len(set)-1).Draw(rt, "text")
			if set[k] == "" && !first {
				continue // an empty line
			}
			b.WriteString(set[k] + end)
			want = append(want, uint8(k))
		}
		if len(want) > 0 && (!scan(s, b.String()) || !slices.Equal(s.U8(0), want)) {
			rt.Fatalf("%q: %v, want %v", b.String(), s.U8(0), want)
		}
		for _, text := range set {
			others := []string{text + "x", text + "\"", text + "\r"}
			for i := range text {
				others = append(others, text[:i]+"\x01"+text[i+1:], text[:i], text[:i]+"\n"+text[i+1:])
			}
			for _, o := range others {
				if !slices.Contains(set, o) && scan(s, o+end) && !slices.Contains(set, strings.SplitN(o, "\n", 2)[0]) {
					rt.Fatalf("%q was taken for one of %q", o, set)
				}
			}
		}
	})
}

// Whole numbers get their codes, and what is none of 0, 1, … in range is left to the slow way.
func TestWholeNumbers(t *testing.T) {
	whole := make([]uint16, 1000)
	for i := range whole {
		if whole[i] = uint16(i / 10); i < 17 {
			whole[i] = NoCode
		}
	}
	for _, values := range []bool{false, true} {
		p := NewPlan([]Column{{Whole: whole, Values: values}, {Whole: whole, Values: values}}, ';', false)
		s := p.New([]Slow{never(t), never(t)})
		var b strings.Builder
		for i := 17; i < 1000; i++ {
			fmt.Fprintf(&b, "%d;%0*d\n", i, 3+i%5, i)
		}
		if !scan(s, b.String()) || s.Rows() != 983 {
			t.Fatalf("%d rows", s.Rows())
		}
		for i := 17; i < 1000; i++ {
			if s.U8(0)[i-17] != uint8(i/10) || s.U8(1)[i-17] != uint8(i/10) ||
				values && (s.Values(0)[i-17] != float64(i) || s.Values(1)[i-17] != float64(i)) {
				t.Fatalf("%d: codes %d and %d", i, s.U8(0)[i-17], s.U8(1)[i-17])
			}
		}
		s = p.New([]Slow{refuse, refuse})
		for _, text := range []string{"16", "1000", "", "-20", "20.", "2 0", "20,", "00000020", "20\r", "2\x000", "/", ":1"} {
			if scan(s, "20;"+text+"\n") && text != "20\r" || scan(s, text+";20\n") {
				t.Errorf("%q was read", text)
			}
		}
	}
}

// Decimals are what strconv says, with no negative zero, or are left to the slow way.
func TestDecimals(t *testing.T) {
	edges := []float64{-10, 0, 0.5, 100}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, integer := range []bool{false, true} {
		numbers := Column{Edges: edges, Min: -1e5, Max: 2e6, Integer: integer, Values: true}
		p := NewPlan([]Column{{Skip: true}, numbers}, ',', false)
		read, slow := 0, 0
		s := p.New([]Slow{nil, func([]byte, bool) (int32, float64, bool) {
			slow++
			return 0, 0, false
		}})
		for range 200_000 {
			text := make([]byte, 1+rng.IntN(8))
			for i := range text {
				text[i] = "0123456789.-0123456789.e/:+"[rng.IntN(27)]
			}
			if !scan(s, "7,"+string(text)+"\n") {
				continue
			}
			read++
			x, err := strconv.ParseFloat(string(text), 64)
			if got := s.Values(1)[0]; err != nil || got != x || got == 0 && math.Signbit(got) || x < -1e5 || x > 2e6 ||
				integer && x != math.Trunc(x) {
				t.Fatalf("%q: %v, strconv %v, %v", text, got, x, err)
			}
			code := 0
			for _, e := range edges {
				if e <= x {
					code++
				}
			}
			if int(s.U8(1)[0]) != code {
				t.Fatalf("%q: code %d, want %d", text, s.U8(1)[0], code)
			}
		}
		for _, text := range []string{"-0", "-0.0", "-.0"} {
			if !scan(s, "7,"+text+"\n") || math.Signbit(s.Values(1)[0]) {
				t.Errorf("%q is a negative zero, or none", text)
			}
		}
		if read < 10_000 || slow < 10_000 {
			t.Fatalf("%d read, %d not", read, slow)
		}
	}
}

// A chunk is cut into stretches by lines of any length; rows keep their order.
func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := NewPlan([]Column{{Whole: make([]uint16, 1<<17), Values: true}, {Skip: true}}, ',', false).New([]Slow{never(t),
		func([]byte, bool) (int32, float64, bool) { return 0, 0, true }})
	for _, rows := range []int{1, 2, 15, 16, 17, 100, 5000} {
		var b strings.Builder
		for i := range rows {
			fmt.Fprintf(&b, "%d,%s\n", i, strings.Repeat("x", rng.IntN(3)*rng.IntN(40)))
		}
		if !scan(s, b.String()) || s.Rows() != rows {
			t.Fatalf("%d rows of %d", s.Rows(), rows)
		}
		for i, x := range s.Values(0) {
			if x != float64(i) {
				t.Fatalf("row %d is %v", i, x)
			}
		}
	}
}

// What is no chunk of whole, plain lines with the right number of fields is given back.
func TestGivenBack(t *testing.T) {
	p := NewPlan([]Column{{Texts: []string{"a", "b"}, Codes: []int32{0, 1}}, {Skip: true}}, ',', false)
	s := p.New([]Slow{refuse, nil})
	for _, text := range []string{"", "a,1", "a\n", "a,1,2\n", "a,1\n\n", "\na,1\n", "a,\"1\n\"\n", "a,\"1\"\"2\"\n",
		"a,\"1\"2\n", "\"a\",1\n", "a,1\nc,1\n", ",1\n", "a;1\n", "a,1\nb\n1,a\n"} {
		if scan(s, text) {
			t.Errorf("%q was read", text)
		}
	}
	if !scan(s, "a,1\nb,\na,1\r\nb,x y\n") || s.Rows() != 4 || !slices.Equal(s.U8(0), []uint8{0, 1, 0, 1}) {
		t.Errorf("%d rows, %v", s.Rows(), s.U8(0))
	}
	if s.Scan(Size+1) || s.Scan(0) {
		t.Error("a chunk of no size was read")
	}
	lone := NewPlan([]Column{{Skip: true}}, ',', false).New([]Slow{nil})
	if scan(lone, "1\n\n2\n") || !scan(lone, "1\n2\n") {
		t.Error("an empty line is no row of one field")
	}
}

// With CRLF the texts of the last column carry both bytes, and lines that end with LF alone are read too.
func TestLineEnds(t *testing.T) {
	for _, crlf := range []bool{false, true} {
		var slow []string
		columns := []Column{{Texts: []string{"a"}, Codes: []int32{3}}, {Texts: []string{"b", ""}, Codes: []int32{4, 5}}}
		p := NewPlan(columns, ',', crlf)
		s := p.New([]Slow{never(t), func(b []byte, _ bool) (int32, float64, bool) {
			slow = append(slow, string(b))
			return 9, 0, true
		}})
		if !scan(s, "a,b\r\na,b\na,\na,\r\n") || len(slow) != 2 || slow[0]+slow[1] != "b" {
			t.Fatalf("crlf %v: slow %q", crlf, slow)
		}
		want := []uint8{9, 4, 5, 9}
		if crlf {
			want = []uint8{4, 9, 9, 5}
		}
		if !slices.Equal(s.U8(1), want) {
			t.Fatalf("crlf %v: %v", crlf, s.U8(1))
		}
	}
}

// Texts between quotes are found the fast way where they are usual; separators may stand in them. Others are for the
// slow way, which is told of the quotes.
func TestQuotedTexts(t *testing.T) {
	type asked struct {
		text   string
		quoted bool
	}
	var slow []asked
	ask := func(b []byte, quoted bool) (int32, float64, bool) {
		slow = append(slow, asked{string(b), quoted})
		return 7, 0, true
	}
	for _, crlf := range []bool{false, true} {
		slow = nil
		texts := Column{Texts: []string{"a", "b, c", "q\"", ""}, Codes: []int32{0, 1, 2, 3}, Quoted: true}
		s := NewPlan([]Column{texts, {Skip: true}, texts}, ',', crlf).New([]Slow{ask, nil, ask})
		end := map[bool]string{false: "\n", true: "\r\n"}[crlf]
		text := strings.ReplaceAll("\"a\",\"id, 1\",\"b, c\"\n\"b, c\",2,\"\"\na,3,\"a\"\n\"x\",4,\"x\"\n", "\n", end)
		if !scan(s, text) || !slices.Equal(s.U8(0), []uint8{0, 1, 7, 7}) || !slices.Equal(s.U8(2), []uint8{1, 3, 0, 7}) {
			t.Fatalf("crlf %v: %v, %v", crlf, s.U8(0), s.U8(2))
		}
		if !slices.Equal(slow, []asked{{"a", false}, {"x", true}, {"x", true}}) {
			t.Fatalf("crlf %v: slow %v", crlf, slow)
		}
		for _, text := range []string{"\"q\"\"\",1,\"a\"\n", "\"a\"b,1,\"a\"\n", "\"a\",1,\"a\n", "\"a\n\",1,\"a\"\n",
			"\"a\",\"1\"2,\"a\"\n", "\"a\",1,\"a\"\r\r\n", "\"a\"\r,1,\"a\"\n"} {
			if scan(s, text) {
				t.Errorf("%q was read", text)
			}
		}
	}
}

func BenchmarkScan(b *testing.B) {
	categories := []string{"Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov", "?"}
	codes := []int32{0, 1, 2, 3, 4, 5, 6}
	var columns []Column
	for range 10 {
		columns = append(columns, Column{Texts: categories, Codes: codes})
	}
	columns = append(columns, Column{Whole: make([]uint16, 100)}, Column{Whole: make([]uint16, 100_000)},
		Column{Skip: true}, Column{Edges: []float64{0.25, 0.5, 0.75}, Max: 1})
	s := NewPlan(columns, ',', false).New(make([]Slow, len(columns)))
	rng := rand.New(rand.NewPCG(1, 2))
	n, rows := 0, 0
	for ; n < 1<<19; rows++ {
		var line strings.Builder
		for range 10 {
			line.WriteString(categories[rng.IntN(7)] + ",")
		}
		fmt.Fprintf(&line, "%d,%d,%d,%.3f\n", rng.IntN(100), rng.IntN(10)*rng.IntN(10_000), rng.IntN(1e6), rng.Float64())
		n += copy(s.Buffer()[n:], line.String())
	}
	b.SetBytes(int64(n))
	for b.Loop() {
		if !s.Scan(n) {
			b.Fatal("given back")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
}
