package frame

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestDictFindsExactlyItsTexts(t *testing.T) {
	text := rapid.StringMatching(`[ab\x00]{0,20}`)
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfNDistinct(text, 0, 40, rapid.ID[string]).Draw(t, "texts")
		codes := make([]int32, len(texts))
		for i := range codes {
			codes[i] = int32(i)
		}
		d := newDict(texts, codes)
		for i, s := range texts {
			tight := []byte(s)
			roomy := append([]byte(s), "garbage behind the field"...)[:len(s)]
			if d.find(slices.Clip(tight)) != int32(i) || d.find(roomy) != int32(i) {
				t.Fatalf("%q not found", s)
			}
		}
		if s := text.Draw(t, "other"); !slices.Contains(texts, s) && d.find([]byte(s)) != codeNone {
			t.Fatalf("%q found", s)
		}
	})
}

func TestDictLarge(t *testing.T) {
	var texts []string
	var codes []int32
	for i := range 5000 {
		texts, codes = append(texts, fmt.Sprint("item ", i)), append(codes, int32(i))
	}
	d := newDict(texts, codes)
	if d.find([]byte("item 4321")) != 4321 || d.find([]byte("item")) != codeNone {
		t.Error("large dictionary")
	}
}

// Texts of up to eight bytes with zero bytes behind them differ by their length only.
func TestDictZeroBytes(t *testing.T) {
	d := newDict([]string{"a", "a\x00"}, []int32{0, 1})
	if d.find([]byte("a")) != 0 || d.find([]byte("a\x00")) != 1 || d.find([]byte("a\x00\x00")) != codeNone {
		t.Error("zero bytes")
	}
}

func TestCSVWideColumn(t *testing.T) {
	cats := make([]string, 300)
	for i := range cats {
		cats[i] = fmt.Sprint("c", i)
	}
	f := mustRead(t, "a\nc299\nc0\nc256\n", &Schema{Dataset: "test", Columns: []Column{Categorical("a", cats...)}})
	c, err := f.Codes("a")
	if err != nil || !slices.Equal(c.U16, []uint16{299, 0, 256}) || c.U8 != nil || c.Levels != 300 || c.Len() != 3 {
		t.Errorf("%+v, %v", c, err)
	}
}
