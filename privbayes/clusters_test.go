package privbayes_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// areas are names of clusters, and the stratum of each: two of all, by turns.
func areas(n int) (names []string, strata map[string]string) {
	strata = map[string]string{}
	for i := range n {
		names = append(names, fmt.Sprint("area ", i))
		strata[names[i]] = []string{"city", "land"}[i%2]
	}
	return names, strata
}

// clustered are the rows of areas in which all values are near one of the area's own, of mean .5 over the population.
func clustered(src *rand.Rand, names []string, each int) string {
	b := strings.Builder{}
	b.WriteString("region,ill,income,w\n")
	for _, name := range names {
		common := src.Float64()
		for range each {
			ill := "no"
			if src.Float64() < common {
				ill = "yes"
			}
			fmt.Fprintf(&b, "%s,%s,%.3f,%d\n", name, ill, common, 1+src.IntN(4))
		}
	}
	return b.String()
}

// Of 200 samples of 30 areas whose people are alike, intervals by areas contain the mean of the population. At a
// coverage of .92 fewer than 157 do with a probability below 1e-9. Intervals that take rows as independent hardly do.
func TestClusteredIntervalsCover(t *testing.T) {
	if testing.Short() {
		t.Skip("600 releases")
	}
	src := rand.New(rand.NewPCG(7, 8))
	names, strata := areas(30)
	s := calibrationSchema(t, 4, 30*60, names...)
	held, flat := map[string]int{}, 0
	for run := range 200 {
		rows := privbayes.ReadFrame(strings.NewReader(clustered(src, names, 60)), s)
		for what, m := range map[string]privbayes.ModelSpec{"mean": privbayes.GroupMeans("income", "region"),
			"share": privbayes.Table("ill", "region")} {
			r := must.Get(rows.Model(m).Privatize(privbayes.Tokens(), privbayes.PureDP(8), privbayes.Seeded(uint64(run))).
				Release())(t)
			got := must.Get(r.Clustered("region", strata))(t)
			if i := got.List[0].Population; i.Lower <= .5 && .5 <= i.Upper {
				held[what]++
			}
		}
		r := must.Get(rows.Model(privbayes.Mean("income")).Privatize(privbayes.Tokens(), privbayes.PureDP(8),
			privbayes.Seeded(uint64(run))).Release())(t)
		list, _ := must.Get2(r.Intervals(t.Context(), .95))(t)
		if i := list[0].Population; i.Lower <= .5 && .5 <= i.Upper {
			flat++
		}
	}
	if held["mean"] < 157 || held["share"] < 157 || flat >= 157 {
		t.Errorf("%v of 200 contain the value; %d of those that take rows as independent", held, flat)
	}
}

// Levels that are no clusters are left out; what is no list of clusters is refused by a typed error that says what is
// asked for.
func TestClusteredRefuses(t *testing.T) {
	names, strata := areas(12)
	s := calibrationSchema(t, 4, 1000, append(names, "no area")...)
	rows := privbayes.ReadFrame(strings.NewReader(clustered(rand.New(rand.NewPCG(1, 2)), names, 20)), s)
	of := func(m privbayes.ModelSpec, epsilon float64) *privbayes.Release {
		return must.Get(rows.Model(m).Privatize(privbayes.Tokens(), privbayes.PureDP(epsilon),
			privbayes.Seeded(3)).Release())(t)
	}
	means := of(privbayes.GroupMeans("income", "region"), 100)
	drawn := s.Clone()
	drawn.Design = &frame.Design{Method: frame.Poisson, Rate: "1/" + drawn.Weight.Min, Secret: true}
	again := privbayes.ReadFrame(strings.NewReader(clustered(rand.New(rand.NewPCG(1, 2)), names, 20)), drawn)
	alone := must.Get(again.Model(
		privbayes.GroupMeans("income", "region")).Privatize(privbayes.Tokens(), privbayes.PureDP(100),
		privbayes.Seeded(3)).Release())(t)
	but := func(change func(m map[string]string)) map[string]string {
		_, m := areas(12)
		change(m)
		return m
	}
	for name, c := range map[string]struct {
		release *privbayes.Release
		column  string
		strata  map[string]string
		want    string
	}{
		"few":            {means, "region", map[string]string{"area 0": "a", "area 1": "a"}, "at least 10"},
		"another level":  {means, "region", but(func(m map[string]string) { m["area 99"] = "city" }), "levels of the column"},
		"alone":          {means, "region", but(func(m map[string]string) { m["no area"] = "sea" }), "two clusters or more"},
		"another column": {means, "ill", strata, "groups by"},
		"a mean":         {of(privbayes.Mean("income"), 1), "region", strata, "groups by"},
		"quantiles":      {of(privbayes.Quantiles("income"), 1), "region", strata, "GroupMeans, or Table"},
		"a design":       {alone, "region", strata, "no areas were drawn first"},
		"noise":          {of(privbayes.GroupMeans("income", "region"), .001), "region", strata, "hardly more than noise"},
	} {
		var e *dp.ParameterError
		if _, err := c.release.Clustered(c.column, c.strata); !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	got := must.Get(means.Clustered("region", strata))(t)
	list, _ := must.Get2(means.Intervals(t.Context(), .95))(t)
	if i := got.List[0]; len(got.List) != 1 || len(list) != 13 || math.Abs(i.Estimate-.5) > .3 ||
		!strings.Contains(got.String(), "12 clusters") || i.Population.Lower >= i.Estimate ||
		i.Population.Upper <= i.Estimate {
		t.Errorf("%v", got)
	}
}
