package privbayes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Every code of a superset, and every other text, is read as one category, whatever was listed: the code where that is,
// else the longest beginning that is listed, else others. No category but others is left without a code.
func TestEveryCodeHasOneCategory(t *testing.T) {
	texts := &frame.Within{Length: 3, Alphabet: "A-Ca", Levels: []int{1, 2}, Beta: .99}
	codes := &frame.Within{Codes: strings.Fields("A AA AAA AAB AB ABC B BAA BAB a aA é éA éB ABCD"), Levels: []int{1, 2},
		Shares: []int{1, 2, 3}, Beta: .99}
	var every []string // text over the alphabet, and others
	for _, a := range strings.Split("A,B,C,a", ",") {
		for _, b := range strings.Split("A,B,C,a,", ",") {
			for _, c := range strings.Split("A,B,C,a,", ",") {
				every = append(every, a+b+c)
			}
		}
	}
	slices.Sort(every)
	every = append(slices.Compact(every), "", "é", "éA", "e\u0301B", "éC", "D", "AAD", " AAA", "ABCD", "other")
	seen := map[int]int{} // by how many characters the category of a code has
	for seed := range uint64(40) {
		for _, within := range []*frame.Within{texts, codes} {
			schema := catalogue(within, "")
			path := livesIn(t, map[string]int{"AAA": 3, "AAB": 3, "AB": 2, "ABCD": 3, "éA": 2, "BAA": 2, "a": 3, "CCC": 3})
			found := must.Get(privbayes.Discover(schema, "product", 1, path).
				Privatize(privbayes.PureDP(4), privbayes.Seeded(seed)))(t)
			all := found.Categories()
			if len(all) == 0 {
				continue
			}
			with := must.Get(found.AddTo(schema))(t)
			labels, left := with.Columns[0].Labels(), with.Columns[0].Categories
			coder := must.Get(frame.NewCoder(access.Mine(), with, "product"))(t)
			for _, text := range every {
				code, _, ok := coder.Text([]byte(text))
				want, is := "other", strings.ReplaceAll(text, "e\u0301", "é")
				public := slices.Contains(within.Codes, is)
				if within.Length > 0 {
					public = len(is) == 3 && strings.Trim(is, "ABCa") == ""
				}
				for k, runes := 1, []rune(is); public && k <= len(runes); k++ {
					if name := string(runes[:k]) + "*"; slices.Contains(all, name) {
						want = name
					}
				}
				if public && slices.Contains(all, is) {
					want = is
				}
				if !ok || labels[code] != want {
					t.Fatalf("seed %d: %q is read as %v; want %s of %q", seed, text, labels[code], want, all)
				}
				if want != "other" {
					seen[len(want)]++
				}
				left = slices.DeleteFunc(slices.Clone(left), func(c string) bool { return c == want })
			}
			if len(left) > 0 && !slices.Equal(left, []string{"other"}) {
				t.Fatalf("seed %d: no code is read as %q of %q", seed, left, all)
			}
		}
	}
	if len(seen) < 4 {
		t.Error(fmt.Sprint(seen))
	}
}
