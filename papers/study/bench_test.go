package study

import (
	"context"
	"fmt"
	"testing"
)

func BenchmarkAccuracy(b *testing.B) {
	for _, k := range []int{0, 4, 8} {
		s := NotesSettings()[k]
		b.Run(fmt.Sprintf("d=%d,n=%d", len(s.X), s.N()), func(b *testing.B) {
			for b.Loop() {
				if _, err := Accuracy(context.Background(), s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLaws(b *testing.B) {
	x := mustBench(b, NotesSettings()[8])
	for _, m := range mechanisms() {
		switch m.name {
		case EMLocal, PFReciprocal, KNorm, DiscreteLaplace, LaplacePerCell:
			b.Run(m.name, func(b *testing.B) {
				for b.Loop() {
					if _, err := m.outcome(x); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
