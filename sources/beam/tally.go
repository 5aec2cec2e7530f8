package beam

import (
	"encoding/binary"
	"encoding/json"
)

// result is what a worker makes of parts, and what results add up to: how often each part was counted and the numbers
// of a tally; or why there is none, in public words. It travels as bytes: a first byte 0 and numbers of eight bytes, or
// 1 and JSON.
type result struct {
	counted []int64 // of all parts of the run
	numbers []int64
	refused *refusal
}

// refusal says what is wrong with a part and holds no value.
type refusal struct {
	Place  int    // of the part
	Shown  string // the file
	Column string // "" where it is not about one
	Want   string
}

func (r result) bytes() []byte {
	if r.refused != nil {
		b, err := json.Marshal(r.refused)
		if err != nil {
			b = []byte("{}")
		}
		return append([]byte{1}, b...)
	}
	out := make([]byte, 1, 9+8*(len(r.counted)+len(r.numbers)))
	out = binary.LittleEndian.AppendUint64(out, uint64(len(r.counted)))
	for _, list := range [][]int64{r.counted, r.numbers} {
		for _, v := range list {
			out = binary.LittleEndian.AppendUint64(out, uint64(v))
		}
	}
	return out
}

// parse reads what bytes wrote; ok is false for anything else.
func parse(b []byte) (r result, ok bool) {
	if len(b) > 0 && b[0] == 1 {
		r.refused = &refusal{}
		return r, json.Unmarshal(b[1:], r.refused) == nil
	}
	if len(b) < 9 || b[0] != 0 || len(b)%8 != 1 {
		return r, false
	}
	all := make([]int64, (len(b)-9)/8)
	for i := range all {
		all[i] = int64(binary.LittleEndian.Uint64(b[9+8*i:]))
	}
	n := binary.LittleEndian.Uint64(b[1:])
	if n > uint64(len(all)) {
		return r, false
	}
	return result{counted: all[:n], numbers: all[n:]}, true
}

// sum adds two results up: of refusals, the one of the first part stays, so that the error is the same on every run.
func sum(a, b []byte) []byte {
	x, okX := parse(a)
	y, okY := parse(b)
	switch {
	case !okX || !okY || x.refused == nil && y.refused == nil &&
		(len(x.counted) != len(y.counted) || len(x.numbers) != len(y.numbers)):
		return result{refused: &refusal{Place: -1, Want: "results of one run"}}.bytes()
	case x.refused != nil && (y.refused == nil || x.refused.Place <= y.refused.Place):
		return a
	case y.refused != nil:
		return b
	}
	for i, v := range y.counted {
		x.counted[i] += v
	}
	for i, v := range y.numbers {
		x.numbers[i] += v
	}
	return x.bytes()
}
