package families

import "testing"

func BenchmarkEpsilon(b *testing.B) {
	for name, f := range map[string]Family{
		"finite-K20-n100": must(NewGridBernoulli(100, 20, true)),
		"beta-n1":         must(NewTrimmedBeta(1, 1, 1, .05, .95)),
		"beta-n100":       must(NewTrimmedBeta(100, 1, 1, .05, .95)),
		"beta-n1e6":       must(NewTrimmedBeta(1_000_000, 1, 1, .05, .95)),
		"exp-n20":         must(NewExponential(20, 1, .5, 2, 1)),
		"exp-wide":        must(NewExponential(20, 2, .01, 5, 1)),
		"laplace-n20":     must(NewLaplace(20, 1, .5, 2, 0, 1)),
		"normal-n20":      must(NewNormalPrecision(20, 1, .5, 2, 0, 1)),
		"mvn":             must(NewMVNPrecision(20, 3, .5, 2, 1)),
		"network-2-bits":  must(NewNetwork(20, []NetworkNode{{States: 2}, {States: 2}}, 1, .1, OneRecord)),
		"markov-12":       must(NewMarkov(2, 1, 12, 1, .1, OneStep)),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f.Epsilon()
			}
		})
	}
}

func BenchmarkProfile(b *testing.B) {
	for name, f := range map[string]Family{
		"beta-n100":  must(NewTrimmedBeta(100, 1, 1, .05, .95)),
		"beta-n1e6":  must(NewTrimmedBeta(1_000_000, 1, 1, .05, .95)),
		"whole-n100": must(NewUntrimmedBeta(100, 16, 16)),
		"exp-n20":    must(NewExponential(20, 1, .5, 2, 1)),
		"exp-n1000":  must(NewExponential(1000, 1, .5, 2, 1)),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Profile(f, .5)
			}
		})
	}
}

func BenchmarkRenyi(b *testing.B) {
	f := must(NewTrimmedBeta(100, 1, 1, .05, .95))
	for b.Loop() {
		Renyi(f, 8)
	}
}

func BenchmarkMarkov12(b *testing.B) {
	for b.Loop() {
		must(NewMarkov(2, 1, 12, 1, .1, OneStep))
	}
}

func BenchmarkTable(b *testing.B) {
	for b.Loop() {
		Table(must(Examples())...)
	}
}
