package publication

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Format is the version of the publication file that this library writes and reads.
const Format = "privbayes-publication-1"

// Publication is a published draw of all items of a plan. It is immutable.
type Publication struct {
	plan   *Plan
	id     string
	items  []*release.Release
	about  warning.List // the run that made it
	loaded bool
	agreed *once // the tables of all items, made to agree
}

// Request is a draw of a publication.
type Request struct {
	// Statistics counts the private rows for the shapes of all items.
	Statistics func(ctx context.Context, shapes ...*model.Shape) ([]*model.Statistics, error)
	Budget     *budget.Budget // charged once, before the draw; may be nil
	Seed       *uint64        // nil: secure randomness
	Path       string         // file that keeps the publication; empty: it is not kept
}

// Draw counts all items, charges the guarantee of the whole once, and draws: all items, or none. With a path it keeps
// the publication as package keep keeps a release, and loads it when it is there. Errors: those of [keep.Request.Draw].
func (p *Plan) Draw(ctx context.Context, r Request) (out *Publication, loaded bool, err error) {
	var shapes []*model.Shape
	for _, l := range p.lines {
		shapes = append(shapes, l.Plan.Shape())
	}
	counted, err := r.Statistics(ctx, shapes...)
	if err == nil && len(counted) != len(shapes) {
		err = domain.Refuse("publication", "statistics", len(counted), fmt.Sprintf("%d, of every shape", len(shapes)))
	}
	if err != nil {
		return nil, false, cmp.Or(ctx.Err(), err)
	}
	for i, l := range p.lines {
		if err := cmp.Or(l.Plan.Accepts(counted[i]), l.Plan.Fits(ctx)); err != nil {
			return nil, false, failed(ctx, l.Name, err)
		}
	}
	public, err := json.Marshal(p)
	if err != nil {
		return nil, false, err
	}
	what := fmt.Sprintf("publication %s of %s", safetext.Quote(p.name), table.Count(len(p.lines), "item"))
	if len(p.slots) > 0 {
		what += " and " + table.Count(len(p.slots), "reserved slot")
	}
	charge, err := keep.ChargeOf(what, p.guarantee, budget.ListDeclared, shapes...)
	charge.Slots = p.slots
	if err != nil && r.Budget != nil {
		return nil, false, err
	}
	out, loaded, err = keep.Work[*Publication]{
		Public: public, Dataset: shapes[0].Schema().Dataset, Budget: r.Budget, Seed: r.Seed, Path: r.Path,
		Charge: charge,
		Room:   p.room, Parse: Parse, Load: Load, Same: p.same,
		Draw: func(ctx context.Context, id string, src *dp.Stream) (*Publication, error) {
			return p.draw(ctx, counted, id, src)
		},
	}.Do(ctx)
	if err != nil {
		return nil, false, err
	}
	out.loaded = loaded // it is not shared yet
	return out, loaded, nil
}

// draw draws every item, one after the other from one stream.
func (p *Plan) draw(ctx context.Context, counted []*model.Statistics, id string, src *dp.Stream) (*Publication, error) {
	out := &Publication{plan: p, id: id, agreed: new(once)}
	for i, l := range p.lines {
		d, err := l.Plan.Draw(ctx, counted[i], itemID(id, i, len(p.lines), p.slots), src)
		if err != nil {
			return nil, failed(ctx, l.Name, err)
		}
		made, err := release.New(context.WithoutCancel(ctx), l.Plan, d) // what is charged is estimated to the end
		if err != nil {
			return nil, failed(ctx, l.Name, err)
		}
		out.items = append(out.items, made)
	}
	return out, nil
}

// itemID is the identifier of an item: a function of the publication's, of how many there are and of the slots, so that
// none can be taken for one of another, or left out.
func itemID(id string, item, of int, slots []dp.Slot) string {
	h := sha256.Sum256(fmt.Appendf(nil, "%s item %d of %d%s", id, item, of, bound(slots)))
	return hex.EncodeToString(h[:16])
}

// room bounds the size of the file from public facts.
func (p *Plan) room() (sum int64, err error) {
	described, err := json.Marshal(p)
	for _, l := range p.lines {
		of, e := keep.Room(l.Plan)
		sum, err = sum+2*of, cmp.Or(err, e) // lines are indented further
	}
	return sum + 2*int64(len(described)) + 1<<16, err
}

// same says where a kept publication is not of the plan: *keep.Error.
func (p *Plan) same(path string, have *Publication) error {
	if a, b := have.plan.name, p.name; a != b {
		return &keep.Error{Path: path, Field: "name", Have: safetext.Quote(a), Want: safetext.Quote(b)}
	}
	if a, b := len(have.plan.lines), len(p.lines); a != b {
		return &keep.Error{Path: path, Field: "items", Have: fmt.Sprint(a), Want: fmt.Sprint(b)}
	}
	if a, b := have.plan.slots, p.slots; !slices.Equal(a, b) {
		return &keep.Error{Path: path, Field: "reserved slots", Have: fmt.Sprint(a), Want: fmt.Sprint(b)}
	}
	for i, l := range p.lines {
		of := have.plan.lines[i]
		if of.Name != l.Name {
			return &keep.Error{Path: path, Field: fmt.Sprintf("name of item %d", i+1), Have: safetext.Quote(of.Name),
				Want: safetext.Quote(l.Name)}
		}
		err := keep.SamePlan(path, of.Plan, l.Plan)
		if other := new(keep.Error); errors.As(err, &other) {
			other.Field = safetext.Quote(l.Name) + ": " + other.Field
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// MarshalJSON writes what defines the plan: name, target, and each item's name and plan.
func (p *Plan) MarshalJSON() ([]byte, error) {
	type item struct {
		Name string          `json:"name"`
		Plan *mechanism.Plan `json:"plan"`
	}
	var items []item
	for _, l := range p.lines {
		items = append(items, item{l.Name, l.Plan})
	}
	return json.Marshal(struct {
		Name   string     `json:"name"`
		Target dp.Request `json:"target"`
		Items  []item     `json:"items"`
		Slots  []dp.Slot  `json:"slots,omitempty"`
	}{p.name, p.target, items, p.slots})
}

// file is the JSON form.
type file struct {
	Format    string       `json:"format"`
	Library   string       `json:"library"`
	ID        string       `json:"id"`
	Name      string       `json:"name"`
	Guarantee dp.Guarantee `json:"guarantee"` // of all items together
	Target    dp.Request   `json:"target"`
	Items     []fileItem   `json:"items"`
	Slots     []dp.Slot    `json:"slots,omitempty"` // that are set aside for later releases
}

// fileItem is an item: what was wished, and its release, as a file of its own would have it.
type fileItem struct {
	Wish    Wish            `json:"wish"`
	Release json.RawMessage `json:"release"`
}

// JSON is the publication file.
func (p *Publication) JSON() ([]byte, error) {
	f := file{Format: Format, Library: release.Version, ID: p.id, Name: p.plan.name, Guarantee: p.Guarantee(),
		Target: p.plan.target, Slots: p.plan.slots}
	for i, r := range p.items {
		b, err := r.JSON()
		if err != nil {
			return nil, err
		}
		f.Items = append(f.Items, fileItem{p.plan.lines[i].Wish, b})
	}
	return release.Encode(f)
}

// IsFile reports whether bytes are of a publication file, by its format.
func IsFile(b []byte) bool { return release.HasFormat(b, Format) }

// decode reads the form and the items' wishes.
func decode(b []byte) (f file, err error) {
	if err := release.DecodeAs(b, Format, "a JSON publication", &f); err != nil {
		return f, err
	}
	switch {
	case !safetext.IsWord(f.ID):
		return f, &release.FileError{Field: "id", Want: "an identifier of letters a to z, digits and _ . : -"}
	case len(f.Items) == 0 || len(f.Items)+len(f.Slots) > maxItems:
		return f, &release.FileError{Field: "items", Want: fmt.Sprintf("1 to %d", maxItems)}
	}
	seen := map[string]bool{}
	for i, s := range f.Slots {
		if s.Publication != "" || s.Title != "" || s.Joint || s.Valid() != nil || seen[s.Name] {
			return f, &release.FileError{Field: fmt.Sprintf("slots.%d", i), Want: "a level, with a name of its own",
				Err: s.Valid()}
		}
		seen[s.Name] = true
	}
	for i, item := range f.Items {
		if err := item.Wish.valid(); err != nil || seen[item.Wish.Name] {
			return f, &release.FileError{Field: fmt.Sprintf("items.%d.wish", i), Want: "a wish, with a name of its own",
				Err: err}
		}
		seen[item.Wish.Name] = true
	}
	return f, nil
}

// Parse reads a publication file's bytes. Every plan and the composition of the list are certified again: no number of
// the file is believed. Errors: *release.FileError.
func Parse(ctx context.Context, b []byte) (*Publication, error) {
	f, err := decode(b)
	if err != nil {
		return nil, err
	}
	p, err := f.rebuild(ctx)
	if err != nil {
		return nil, err
	}
	if err := p.plan.predict(ctx); err != nil {
		return nil, cmp.Or(ctx.Err(), error(&release.FileError{Field: "items", Want: "guesses that rows could have",
			Err: err}))
	}
	return p, nil
}

func (f file) rebuild(ctx context.Context) (*Publication, error) {
	out := &Publication{id: f.ID, agreed: new(once)}
	var plans []*mechanism.Plan
	var wishes []Wish
	for i, item := range f.Items {
		r, err := release.Parse(ctx, item.Release)
		where := fmt.Sprintf("items.%d", i)
		if err != nil {
			return nil, cmp.Or(ctx.Err(), error(&release.FileError{Field: where, Want: "a release", Err: err}))
		}
		if r.ID() != itemID(f.ID, i, len(f.Items), f.Slots) {
			return nil, &release.FileError{Field: where, Want: "the item that was drawn with this publication"}
		}
		out.items, plans, wishes = append(out.items, r), append(plans, r.Plan()), append(wishes, item.Wish)
		if a, b := r.Plan().Shape().Schema(), plans[0].Shape().Schema(); a.Digest() != b.Digest() ||
			a.Dataset != b.Dataset || r.Randomness() != out.items[0].Randomness() {
			return nil, &release.FileError{Field: where, Want: "the schema, the data set and the randomness of the others"}
		}
	}
	if err := head(f.Name, f.Target); err != nil {
		return nil, &release.FileError{Field: "target", Want: "what was asked for", Err: err}
	}
	plan, err := assemble(ctx, f.Name, f.Target, wishes, plans, f.Slots)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), error(&release.FileError{Field: "items", Want: "a list that meets its target",
			Err: err}))
	}
	out.plan = plan
	if f.Guarantee.Notion == dp.Approximate { // files from before a closer bound state a larger δ, and keep it
		plan.guarantee.Delta = math.Max(plan.guarantee.Delta, math.Min(f.Guarantee.Delta, f.Target.Delta))
	}
	if have, want := f.Guarantee, out.Guarantee(); !release.SameGuarantee(have, want) {
		return nil, &release.FileError{Field: "guarantee", Want: want.Apart(have.Parameters) +
			", which follows from the list"}
	}
	return out, nil
}

// Load reads a publication file. Errors: *release.FileError.
func Load(ctx context.Context, path string) (*Publication, error) {
	return release.LoadAs(ctx, path, Parse)
}

// verify derives the certificates of all items of a publication's bytes again, as [release.VerifyBytes] does, and the
// composition of the list. Errors: *release.FileError.
func verify(ctx context.Context, b []byte) (*cert.Verification, error) {
	f, err := decode(b)
	if err != nil {
		return nil, err
	}
	p, err := f.rebuild(ctx)
	if err != nil {
		return nil, err
	}
	of := &cert.Certificate{Checks: p.plan.certificate.Checks}
	v := of.Verify(ctx)
	for _, item := range f.Items {
		own, err := release.VerifyBytes(ctx, item.Release)
		if err != nil {
			return nil, err
		}
		v.Include(safetext.Quote(item.Wish.Name), own)
	}
	v.Title = fmt.Sprintf("publication %s, %s", safetext.Quote(f.Name), p.plan.guarantee)
	v.Warn(p.Warnings()...)
	if g := p.Guarantee(); g.Notion == dp.None {
		v.NoGuarantee(g.Parameters.String())
	}
	return v, nil
}

// VerifyFile derives the certificates of all items of a publication's file again, as [release.Verify] does, and the
// composition of the list; of a release it is [release.Verify]. Errors: *release.FileError.
func VerifyFile(ctx context.Context, path string) (*cert.Verification, error) {
	return release.LoadAs(ctx, path, VerifyBytes)
}

// VerifyBytes is [VerifyFile] of the bytes of a file.
func VerifyBytes(ctx context.Context, b []byte) (*cert.Verification, error) {
	if IsFile(b) {
		return verify(ctx, b)
	}
	return release.VerifyBytes(ctx, b)
}

// ID is the publication's name in ledgers.
func (p *Publication) ID() string { return p.id }

// Loaded reports whether the publication came from the file it was kept in.
func (p *Publication) Loaded() bool { return p.loaded }

// Plan is the public plan.
func (p *Publication) Plan() *Plan { return p.plan }

// Randomness is "secure" or "seeded: not private".
func (p *Publication) Randomness() string { return p.items[0].Randomness() }

// Guarantee is that of all items together, or none, with the reason, if they were drawn from a seed or under a schema
// inferred from data.
func (p *Publication) Guarantee() dp.Guarantee {
	return p.plan.guarantee.Unless(p.items[0].Guarantee())
}

// Item is the release of an item by its name. Its tables and figures state the guarantee of the publication; its own
// says nothing of the other items. Its estimates and intervals are from all items that measure what it does. Its model,
// and the file that it is saved in, are of its own counts alone. Error: *dp.ParameterError where there is none.
func (p *Publication) Item(name string) (*release.Release, error) {
	var names []string
	for i, l := range p.plan.lines {
		if l.Name == name {
			return p.item(i), nil
		}
		names = append(names, l.Name)
	}
	return nil, domain.Refuse("publication", "item", name, safetext.OneOf(name, names))
}

// Warnings lists what is dangerous about the releases, each once, and about the guarantee of all together.
func (p *Publication) Warnings() warning.List {
	out := p.plan.ofLevel()
	for _, r := range p.items {
		out = out.And(r.Warnings().ButLevel())
	}
	return out.And(p.about)
}

// Warned is the publication with further warnings, about how it was made. They stand in no file.
func (p *Publication) Warned(list ...warning.Warning) *Publication {
	with := *p
	with.about = append(with.about.And(nil), list...)
	return &with
}

// Table shows every item, with its share of the guarantee, and the guarantee of all.
func (p *Publication) Table() *table.Table {
	t := p.plan.Table()
	t.Title = "Publication: " + safetext.Prose(p.plan.name)
	t.Notes = t.Notes[:len(t.Notes)-1]
	if g := p.Guarantee(); g.Notion == dp.None {
		t.Note("This draw: " + g.Parameters.String() + ".")
	}
	return t
}

// Parts are the estimates of every item with their intervals: see [Publication.Intervals].
func (p *Publication) Parts() (out []*table.Table) {
	for i := range p.items {
		t := p.item(i).Summary()
		t.Title = safetext.Prose(p.plan.lines[i].Name) + ". " + t.Title
		out = append(out, t)
	}
	return out
}

// String shows the publication, its estimates and its warnings as text.
func (p *Publication) String() string { return table.Text(p) }
