package privbayes_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	stays "github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// A publication is of a frame, or of rows that stay in a source; of sizes that are private under add-remove alone; and
// it says where no budget counts it.
func TestPublishFromFramesAndSources(t *testing.T) {
	train, _ := votes()
	items := func() *privbayes.Publication {
		return train.Publish("votes", privbayes.PureDP(1), privbayes.Item(privbayes.Binary("Class")).Within(.02),
			privbayes.Item(privbayes.NaiveBayes("Class", "V3", "V4")))
	}
	p := must.Get(items().Privatize())(t)
	warned := func(kind warning.Kind) bool {
		for _, w := range p.Warnings() {
			if w.Kind == kind {
				return true
			}
		}
		return false
	}
	if p.Guarantee().Epsilon > 1 || p.Guarantee().Epsilon < .999 || !warned(warning.KindNoBudget) {
		t.Error(p)
	}
	ledger := must.Get(budget.New("votes", budget.UnitOf(train.Data().Schema()), privbayes.PureDP(1.5)))(t)
	train = train.WithBudget(ledger)
	p = must.Get(items().Privatize())(t)
	if len(ledger.Charges()) != 1 || warned(warning.KindNoBudget) {
		t.Error(ledger)
	}
	if _, err := items().Privatize(); !errors.As(err, new(*budget.ExceededError)) || len(ledger.Charges()) != 1 {
		t.Error(err)
	}
	away := privbayes.From(t.Context(), stays.OfFrame(train.Data()))
	if p = must.Get(away.Publish("votes", privbayes.PureDP(1), privbayes.Item(privbayes.Binary("Class")),
		privbayes.Item(privbayes.NaiveBayes("Class", "V3"))).Privatize())(t); p.Guarantee().Epsilon > 1 {
		t.Error(p)
	}
	some := privbayes.ReadFrame(data.Votes()).Where("V3", func(l string) bool { return l == "y" })
	if _, err := some.Publish("some", privbayes.PureDP(1), privbayes.Item(privbayes.Binary("Class"))).Plan(); err == nil {
		t.Error("a private size under replace-one")
	}
	hidden := some.Publish("some", privbayes.PureDP(.1).Under(privbayes.AddRemove),
		privbayes.Item(privbayes.Binary("Class")))
	if q := must.Get(hidden.Plan())(t); q.Certified().Adjacency != privbayes.AddRemove {
		t.Error(q)
	}
	needs := must.Get(items().Needs())(t)
	if len(needs.Prices) != 1 {
		t.Error(needs)
	}
	before := must.Get(privbayes.PlanPublication(train.Data().Schema(), train.Data().Len(), "votes", privbayes.PureDP(1),
		privbayes.Item(privbayes.Binary("Class")), privbayes.Item(privbayes.NaiveBayes("Class", "V3"))))(t)
	path := filepath.Join(t.TempDir(), "votes.json")
	p = must.Get(privbayes.ReadFrame(data.Votes()).Publish("votes", privbayes.PureDP(1),
		privbayes.Item(privbayes.Binary("Class"))).Privatize(privbayes.KeepIn(path)))(t)
	if q := must.Get(privbayes.LoadPublication(path))(t); q.ID() != p.ID() || len(before.Lines()) != 2 {
		t.Error(q, before)
	}
	_, err := privbayes.PlanPublication(train.Data().Schema(), 10, "votes", privbayes.PureDP(1),
		privbayes.Item(privbayes.Binary("Nothing")).Named("votes for nothing"))
	var of *publication.ItemError
	if !errors.As(err, &of) || of.Name != "votes for nothing" || !errors.As(err, new(*frame.ColumnError)) {
		t.Error(err)
	}
	var none *privbayes.Frame
	if _, err := none.Publish("x", privbayes.PureDP(1)).Plan(); err == nil {
		t.Error("no frame")
	}
}
