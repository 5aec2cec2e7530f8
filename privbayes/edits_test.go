package privbayes_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/totals"
)

// edits are other values for one of a release file; none that a reader would take for it.
func edits(v any) map[string]any {
	out := map[string]any{"left out": nil}
	switch x := v.(type) {
	case json.Number:
		f, _ := x.Float64()
		if f != 0 && math.Abs(f) < 1e-9 {
			return out // within the gap that is granted to another machine's fit
		}
		out["halved"], out["doubled"], out["one more"], out["text"] = f/2, f*2, f+1, "x"
		if f == 0 {
			delete(out, "halved")
			delete(out, "doubled")
		}
	case string:
		out["another text"], out["no text"] = "x"+x, ""
	case bool:
		out["turned"] = !x
	case []any:
		if len(x) > 0 {
			out["one less"], out["one twice"] = x[1:], append(slices.Clone(x), x[0])
		}
	case map[string]any:
		more := maps.Clone(x)
		more["added"] = 1
		out["a field more"] = more
	}
	return out
}

// visitFields calls visit for every value below v, with a path and a way to set it; nil leaves it out.
func visitFields(v any, path string, visit func(path string, value any, set func(any))) {
	switch x := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			e, at := x[k], path+"."+k
			visit(at, e, func(to any) {
				if x[k] = to; to == nil {
					delete(x, k)
				}
			})
			visitFields(e, at, visit)
		}
	case []any:
		for i, e := range x {
			at := path + "[]"
			if strings.HasPrefix(path, ".draw.real") { // one may mean something, the next nothing
				at = fmt.Sprintf("%s[%d]", path, i)
			}
			visit(at, e, func(to any) {
				if to != nil { // leaving out one of a list is an edit of the list
					x[i] = to
				}
			})
			visitFields(e, at, visit)
		}
	}
}

// harmless are the fields of which an edit verifies, some of one mechanism only, with the reason why nobody is misled.
var harmless = []struct{ path, edit, why string }{
	{`\.library`, `another text`, "which version wrote the file; every version derives all of it again"},
	{`(\.draw)?\.id|\.sequence`, `another text`, "the name by which a ledger charged it, and no ledger charged another"},
	{`(\.draw|\.measured\[\])\.seed`, `.*(more|doubled|halved)`, "any seed makes the draw not private, as the file says"},
	{`\.certificate\.checks\[\]\.theorem`, `left out`, "it claims less; verification cites the statement of today"},
	{`\.certificate\.checks\[\]\.value`, `left out`, "of a value of 0, which is what no value reads as"},
	{`moments\.draw\.real\[0\]\[0\]`, `.*`, "of n, which is public: the fit takes the number of the plan"},
	{`totals\.plan\.target\.rho`, `.*`, "what was asked for, where the plan meets that; the ledger knows the plan"},
	{`totals\.plan\.sigma2`, `one more`, "noise that is larger by less than that to which totals are compared"},
	{`\.plan\.target\.(epsilon|delta)`, `.*`, "what was asked for, where the plan meets that, too; what it has is derived"},
	// What a plan is asked for is an input: with another one the file is of another plan, which is sound for it, and
	// certificate, guarantee and artifact are made again from it. That the numbers were drawn from such a table no file
	// can show, and verification says so.
	{`\.plan\.shape\.schema\.(dataset|about_rows|population|sampling|columns.*|strata\.sizes.*)`, `.*`,
		"an input: what the table was of"},
	{`tokens\.draw\.raw\[\]\[\]`, `one more`, "a token of 2^28: less than that to which estimates are compared"},
	{`stratified\.draw\.raw\[\]\[\]`, `one more`, "a step of 2^22: less than that by which estimates differ"},
	{`\.plan\.shape\.n`, `.*`, "an input: how many rows there were"},
	{`\.plan\.shape\.model\..*`, `.*`, "an input: what was inferred, under which prior"},
}

func isHarmless(mechanism, path, edit string) bool {
	return slices.ContainsFunc(harmless, func(h struct{ path, edit, why string }) bool {
		where := regexp.MustCompile("^" + h.path + "$")
		return (where.MatchString(path) || where.MatchString(mechanism+path)) &&
			regexp.MustCompile("^"+h.edit+"$").MatchString(edit)
	})
}

// allEdits tries every edit: -edits 1 takes some ten minutes.
var allEdits = flag.Uint("edits", 29, "try every n-th edit of kept releases")

// Whatever is edited in a kept release is derived again, refused, or harmless for a reason that is listed. Fields of
// the files of every mechanism are edited in several ways, once for a field of one name: of these edits a sample that
// is fixed, or all.
func TestEditsOfKeptReleases(t *testing.T) {
	kept, done, tried := readGolden(t, goldenReleases), map[string]bool{}, 0
	maps.Copy(kept, readGolden(t, goldenWeighted))
	maps.Copy(kept, readGolden(t, goldenTotals))
	maps.Copy(kept, readGolden(t, goldenStrata))
	for i, name := range slices.Sorted(maps.Keys(kept)) {
		if i%7 != 0 && !strings.HasPrefix(name, "tokens / ") && !strings.HasPrefix(name, "totals / ") &&
			!strings.HasPrefix(name, "stratified / ") {
			continue
		}
		mechanism, _, _ := strings.Cut(name, " / ")
		mechanism, _, _ = strings.Cut(mechanism, ",") // its options change what is drawn, and few fields
		read := func() (v any) {
			d := json.NewDecoder(bytes.NewReader(kept[name]))
			d.UseNumber()
			must.Do(t, d.Decode(&v))
			return v
		}
		type edit struct {
			field int
			path  string
			name  string
			to    any
		}
		var list []edit
		field := 0
		visitFields(read(), "", func(path string, value any, _ func(any)) {
			field++
			for _, e := range slices.Sorted(maps.Keys(edits(value))) {
				key := mechanism + path + e
				if strings.HasSuffix(path, "]") && e == "left out" || done[key] {
					continue
				}
				done[key] = true
				h := fnv.New32a()
				_, _ = h.Write([]byte(key))
				if h.Sum32()%uint32(*allEdits) != 0 {
					continue
				}
				list = append(list, edit{field, path, e, edits(value)[e]})
			}
		})
		for _, e := range list {
			v, at := read(), 0
			var apply func()
			visitFields(v, "", func(_ string, _ any, set func(any)) {
				if at++; at == e.field {
					apply = func() { set(e.to) }
				}
			})
			apply()
			file := must.Get(json.Marshal(v))(t)
			tried++
			verify := release.VerifyBytes
			if totals.IsFile(file) {
				verify = totals.Verify
			}
			got, err := verify(t.Context(), file)
			if err == nil && got.OK() && got.Unchecked() == 0 && !isHarmless(mechanism, e.path, e.name) {
				t.Errorf("%s: %s, %s: verifies", name, e.path, e.name)
			}
			if err == nil && !got.OK() && len(got.Warnings()) > 0 { // of numbers that are worth nothing
				t.Errorf("%s: %s, %s: %v", name, e.path, e.name, got.Warnings())
			}
		}
	}
	if t.Logf("%d edits", tried); tried < 100 {
		t.Errorf("only %d edits", tried)
	}
}
