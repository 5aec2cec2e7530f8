package frame

import (
	"encoding/binary"
	"slices"
)

// Numbered plants an old fault for the crossing suite: units that a key tells apart are known by the number of their
// first row, and stand in that order. keys are those of the rows as they stand in the file.
func Numbered(f *Frame, keys []string) *Frame {
	if f.block == 0 {
		return f
	}
	number := map[unitID]int{}
	for _, key := range keys {
		if id := unitOf([]byte(key)); number[id] == 0 {
			number[id] = len(number) + 1
		}
	}
	who, order := f.whose(), inOrder(f.n)
	slices.SortStableFunc(order, func(a, b int) int { return number[who[a]] - number[who[b]] })
	g := f.pick(order)
	g.who, g.slots = &identity{}, nil
	for _, i := range order {
		g.who.ids = append(g.who.ids, numbered64(number[who[i]]))
	}
	return g
}

// Placed plants another: where n is private, rows are known by their places.
func Placed(f *Frame) *Frame {
	if f.privateBy == "" {
		return f
	}
	g := *f
	g.who, g.slots = &identity{}, nil
	for i := range f.n {
		g.who.ids = append(g.who.ids, numbered64(i))
	}
	return &g
}

func numbered64(i int) (id unitID) {
	binary.LittleEndian.PutUint64(id[:], uint64(i))
	return id
}
