package frame

import (
	"crypto/md5"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
)

// visits is a table of visits of patients.
func visits(k int, pad bool) *Schema {
	s := &Schema{Dataset: "visits", Unit: "patient", RowsPerUnit: k, UnitKey: "patient", PadUnits: pad,
		Columns: []Column{Categorical("ward", "a", "b", "c"), Integer("days", 0, 5, 10)}}
	s.Columns[0].Pad, s.Columns[1].Pad = "c", "0"
	return s
}

type visit struct{ patient, ward, days string }

func csvOf(rows []visit) string {
	var b strings.Builder
	b.WriteString("days,patient,ward\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "%s,%s,%s\n", r.days, r.patient, r.ward)
	}
	return b.String()
}

func readVisits(t testing.TB, s *Schema, rows ...[]visit) *Frame {
	t.Helper()
	var shards []Shard
	for i, part := range rows {
		shards = append(shards, Shard{fmt.Sprintf("part %d", i), strings.NewReader(csvOf(part))})
	}
	return must.Get(ReadShards(t.Context(), shards, s))(t)
}

// keptByHand is the rule as its doc comment has it, written a second time: the rows that stay of one unit, sorted.
func keptByHand(rows []visit, k int) (kept []string) {
	copies := map[visit]int{}
	var ranks []string
	for _, r := range rows {
		copies[r]++
		inner := fmt.Sprintf("%x", md5.Sum([]byte(r.patient+"\x1f"+r.ward+"\x1f"+r.days)))
		ranks = append(ranks, fmt.Sprintf("%x %s,%s", md5.Sum([]byte(fmt.Sprintf("%d:%s", copies[r], inner))), r.ward,
			r.days))
	}
	slices.Sort(ranks)
	for _, r := range ranks[:min(k, len(ranks))] {
		kept = append(kept, r[33:])
	}
	slices.Sort(kept)
	return kept
}

// rowsOf are the rows of a frame as text, sorted.
func rowsOf(t testing.TB, f *Frame) (rows []string) {
	t.Helper()
	ward := must.Get(f.Codes("ward"))(t)
	days := must.Get(f.Values("days"))(t)
	for i := range f.Len() {
		rows = append(rows, fmt.Sprintf("%s,%v", []string{"a", "b", "c"}[ward.At(i)], days[i]))
	}
	slices.Sort(rows)
	return rows
}

// Of every unit the rows stay that the rule names, at most k, whatever the order of the rows and their files.
func TestNoUnitHasMoreRowsThanTheSchemaAllows(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		k := rapid.IntRange(1, 4).Draw(r, "k")
		units := map[string][]visit{}
		var all []visit
		for i := range rapid.IntRange(1, 30).Draw(r, "rows") {
			v := visit{fmt.Sprint("p", rapid.IntRange(0, 5).Draw(r, "patient")),
				rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "ward"), fmt.Sprint(rapid.IntRange(0, 2).Draw(r, "days"))}
			if i == 0 {
				v.patient = "first"
			}
			units[v.patient], all = append(units[v.patient], v), append(all, v)
		}
		cut := rapid.IntRange(0, len(all)).Draw(r, "cut")
		rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0)).Shuffle(len(all), func(i, j int) {
			all[i], all[j] = all[j], all[i]
		})
		var want, padded []string
		for _, rows := range units {
			kept := keptByHand(rows, k)
			want = append(want, kept...)
			for range k - len(kept) {
				padded = append(padded, "c,0")
			}
		}
		padded = append(padded, want...)
		slices.Sort(want)
		slices.Sort(padded)
		f := readVisits(t, visits(k, false), all[:cut], all[cut:])
		if got := rowsOf(t, f); !slices.Equal(got, want) {
			r.Fatalf("k = %d: kept %v, want %v", k, got, want)
		}
		n, public := f.PublicN()
		if public != (k == 1) || public && n != len(units) {
			r.Fatalf("k = %d: n = %d, public %v; %d units", k, n, public, len(units))
		}
		p := readVisits(t, visits(k, true), all[:cut], all[cut:])
		if got := rowsOf(t, p); !slices.Equal(got, padded) {
			r.Fatalf("k = %d: padded %v, want %v", k, got, padded)
		}
		if n, public := p.PublicN(); !public || n != k*len(units) {
			r.Fatalf("padded: n = %d, public %v; want %d", n, public, k*len(units))
		}
	})
}

// Columns made in code, and caps of parts that are merged, keep the same rows.
func TestUnitsFromColumnsAndParts(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		k := rapid.IntRange(1, 3).Draw(r, "k")
		var all []visit
		cols := map[string]any{}
		var patient, ward []string
		var days []int
		parts, merged := []*UnitCap{}, must.Get(NewUnitCap(access.Mine(), k))(t)
		for range 3 {
			parts = append(parts, must.Get(NewUnitCap(access.Mine(), k))(t))
		}
		texts := make([][]string, 3)
		for range rapid.IntRange(1, 25).Draw(r, "rows") {
			p, w, d := rapid.IntRange(0, 3).Draw(r, "patient"), rapid.IntRange(0, 2).Draw(r, "ward"),
				rapid.IntRange(0, 1).Draw(r, "days")
			v := visit{fmt.Sprint("p", p), []string{"a", "b", "c"}[w], fmt.Sprint(d)}
			all, patient, ward, days = append(all, v), append(patient, v.patient), append(ward, v.ward), append(days, d)
			at := rapid.IntRange(0, 2).Draw(r, "part")
			if _, isNew := parts[at].Add([]byte(v.patient), []byte(v.ward), []byte(v.days)); isNew {
				texts[at] = append(texts[at], v.ward+","+v.days)
			}
		}
		cols["patient"], cols["ward"], cols["days"] = patient, ward, days
		f := must.Get(FromColumns(visits(k, false), cols))(t)
		want := rowsOf(t, readVisits(t, visits(k, false), all))
		if got := rowsOf(t, f); !slices.Equal(got, want) {
			r.Fatalf("columns: %v, want %v", got, want)
		}
		entries := map[int]string{}
		for i, p := range parts {
			for j, e := range merged.Merge(p) {
				entries[e] = texts[i][j]
			}
		}
		var got []string
		for e, copies := range merged.Kept() {
			got = append(got, slices.Repeat([]string{entries[e]}, copies)...)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			r.Fatalf("merged: %v, want %v", got, want)
		}
	})
}

// All data sets of up to four rows of two units and two wards: with one unit away, at most k rows of the counts differ,
// and where n is public, with one unit's rows in place of another's, at most k of each.
func TestSensitivityOfCappedUnits(t *testing.T) {
	const k = 2
	var tables [][]visit
	var grow func(rows []visit)
	grow = func(rows []visit) {
		if len(rows) > 0 {
			tables = append(tables, slices.Clone(rows))
		}
		if len(rows) == 5 {
			return
		}
		for _, p := range []string{"p", "q"} {
			for _, w := range []string{"a", "b"} {
				grow(append(rows, visit{p, w, "1"}))
			}
		}
	}
	grow(nil)
	counts := func(f *Frame) [3]int {
		var c [3]int
		codes, _ := f.Codes("ward")
		for i := range f.Len() {
			c[codes.At(i)]++
		}
		return c
	}
	distance := func(a, b [3]int) (sum int) {
		for i := range a {
			sum += max(a[i]-b[i], b[i]-a[i])
		}
		return sum
	}
	most, mostPadded := 0, 0
	without := map[string][3]int{}
	others := map[string]map[[3]int]bool{}
	for _, rows := range tables {
		rest := slices.DeleteFunc(slices.Clone(rows), func(v visit) bool { return v.patient == "p" })
		all := counts(readVisits(t, visits(k, false), rows))
		if len(rest) > 0 {
			key := csvOf(rest)
			if _, known := without[key]; !known {
				without[key] = counts(readVisits(t, visits(k, false), rest))
			}
			most = max(most, distance(all, without[key]))
			if len(rest) < len(rows) {
				p := counts(readVisits(t, visits(k, true), rows))
				if others[key] == nil {
					others[key] = map[[3]int]bool{}
				}
				for o := range others[key] {
					mostPadded = max(mostPadded, distance(p, o))
				}
				others[key][p] = true
			}
		} else {
			most = max(most, distance(all, [3]int{}))
		}
	}
	if most != k || mostPadded != 2*k {
		t.Errorf("over %d tables a unit moves %d rows, want %d; a padded one %d, want %d", len(tables), most, k, mostPadded,
			2*k)
	}
}

// A unit that comes or goes moves no other between the parts of a split, and no unit is in both.
func TestSplitOfCappedUnitsGoesByUnit(t *testing.T) {
	var rows []visit
	for i := range 200 {
		rows = append(rows, visit{fmt.Sprint("p", i%50), []string{"a", "b", "c"}[i%3], fmt.Sprint(i % 11)})
	}
	parts := func(rows []visit) (train, test []string) {
		f := readVisits(t, visits(3, false), rows)
		a, b := must.Get2(f.Split(.5, 9))(t)
		if a.Len()%3 != 0 || b.Len()%3 != 0 || a.Len() == 0 || b.Len() == 0 {
			t.Errorf("%d and %d rows of units with 3 each", a.Len(), b.Len())
		}
		return rowsOf(t, a), rowsOf(t, b)
	}
	train, test := parts(rows)
	smaller, rest := parts(slices.DeleteFunc(slices.Clone(rows), func(v visit) bool { return v.patient == "p7" }))
	if d := len(train) - len(smaller) + len(test) - len(rest); d != 3 || len(train) != len(smaller) && len(test) != len(rest) {
		t.Errorf("without a unit of 3 rows %d are missing: train %d and %d, test %d and %d", d, len(train), len(smaller),
			len(test), len(rest))
	}
}

func TestUnitsAreRefused(t *testing.T) {
	read := func(s *Schema, text string) error {
		_, err := Read(t.Context(), strings.NewReader(text), "visits.csv", s)
		return err
	}
	var column *ColumnError
	var value *ValueError
	var schema *SchemaError
	if err := read(visits(2, false), "ward,days\na,1\n"); !errors.As(err, &column) || column.Column != "patient" {
		t.Error("no key:", err)
	}
	if err := read(visits(2, false), "patient,patient,ward,days\nx,y,a,1\n"); !errors.As(err, &column) {
		t.Error("two keys:", err)
	}
	if err := read(visits(2, false), "patient,ward,days\nx,a,1\n,a,1\n"); !errors.As(err, &value) || value.Line != 3 ||
		value.Column != "patient" {
		t.Error("a row without a key:", err)
	}
	unpadded := visits(2, true)
	unpadded.Columns[1].Pad = ""
	if err := read(unpadded, "patient,ward,days\nx,a,1\n"); !errors.As(err, &schema) || schema.Field != "pad" ||
		schema.Column != "days" {
		t.Error("no pad:", err)
	}
	for _, s := range []*Schema{{Dataset: "d", PadUnits: true, Columns: visits(1, false).Columns},
		{Dataset: "d", UnitKey: "a\u202eb", Columns: visits(1, false).Columns}} {
		if err := s.Validate(); !errors.As(err, &schema) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if _, err := NewUnitCap(access.Key{}, 1); !errors.Is(err, ErrSealed) {
		t.Error("without the key:", err)
	}
	if _, err := FromColumns(visits(2, false), map[string]any{"ward": []string{"a"}, "days": []int{1}}); err == nil {
		t.Error("columns without a key")
	}
	f := readVisits(t, visits(2, false), []visit{{"x", "a", "1"}})
	other := visits(2, false)
	other.UnitKey = ""
	if _, err := f.Under(other); !errors.As(err, &schema) {
		t.Error("under a schema without the key:", err)
	}
}
