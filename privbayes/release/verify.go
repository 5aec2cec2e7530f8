package release

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/strictjson"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/proofs"
)

// Verify derives the certificate of a release file again and trusts none of its numbers: from mechanism, shape, target
// and parameters alone it certifies the plan anew, requires the file to state exactly those checks, and runs each of
// them within the work limit of ctx (cert.WithWorkLimit). What it says is in its own words: those of a file that are
// not the plan's stand in quotes, cut. A file that does not parse is a *FileError, which names it; a check that fails
// is a failed result. It shows that the plan has its guarantee; it cannot show that the numbers were drawn by the plan.
func Verify(ctx context.Context, path string) (*cert.Verification, error) {
	b, err := ReadFile(ctx, path)
	if err != nil {
		return nil, err
	}
	v, err := VerifyBytes(ctx, b)
	if err != nil {
		return nil, InFile(path, err)
	}
	return v, nil
}

// VerifyBytes is Verify on the bytes of a file.
func VerifyBytes(ctx context.Context, b []byte) (*cert.Verification, error) {
	f, err := decode(b)
	if err != nil {
		return nil, err
	}
	r, err := f.rebuild(cert.WithWorkLimit(ctx, cert.DefaultWorkLimit))
	if err != nil {
		return nil, err
	}
	have, want := f.Certificate.All(), r.Certificate().All()
	v := verifyWanted(ctx, have, want)
	v.Title = r.plan.Title() + ", " + r.plan.Certified().String()
	for _, k := range want[min(len(want), len(v.Results)):] {
		v.Results = append(v.Results, cert.Result{Check: k, Derived: math.NaN(), Status: cert.Failed, Reason: "the file leaves this check " +
			"out"})
	}
	if have, real := f.Guarantee, r.Guarantee(); !SameGuarantee(have, real) {
		v.Results = append(v.Results, cert.Result{
			Check:  cert.Check{Statement: "the stated guarantee is " + stated(have, real.Parameters)},
			Status: cert.Failed, Reason: "plan and draw give " + real.Apart(have.Parameters),
		})
	}
	if err := r.sameFile(b, f); err != nil && v.OK() {
		v.Results = append(v.Results, cert.Result{
			Check:  cert.Check{Statement: "the file says what follows from plan and draw, and nothing else"},
			Status: cert.Failed, Reason: err.Error(),
		})
	}
	if s := r.Structure(); s != nil {
		v.Notes = append(v.Notes, "The rounds are such as the plan allows: every choice was open, every table has its size, "+
			"rates and rounds are the plan's. The scores behind the choices are private: that they led to them cannot be seen.")
		if r.est.Potentials != nil {
			v.Notes = append(v.Notes, fmt.Sprintf("The conditional distributions are those of the potentials in the file, and "+
				"the potentials are where a fit to the noisy tables may end: %.2g of about the square root of a count from the "+
				"best fit. Where exactly a fit ends depends on the machine: smaller edits cannot be seen.", s.Gap))
		}
		if far := s.Distances.Furthest(); far > 0 {
			v.Notes = append(v.Notes, fmt.Sprintf("The distances of pairs were measured from tables in the file that are up to "+
				"%.2g records from those of the fit: every interval of a distance is that much wider.", far))
		}
	}
	note, failed := verifyRows(r.plan.Shape())
	v.Results = append(v.Results, failed...)
	if note != "" {
		v.Notes = append(v.Notes, note)
	}
	if s := r.Slot(); s != nil {
		v.Notes = append(v.Notes, "It is from the "+s.String()+". Checked: its privacy loss is at most that of the slot. "+
			"The charge of the publication contains it, so that nothing is to be added. That the slot was used once, and that "+
			"the publication has it, this file cannot show: the budget file and the file of the publication do.")
	}
	if g := r.Guarantee(); g.Notion == dp.None {
		v.NoGuarantee(g.Parameters.String())
	}
	if v.OK() { // what a file that fails says of its numbers is worth nothing, and may take chains
		v.Warn(r.Warnings()...)
	}
	return v, nil
}

// verifyWanted runs those checks of a file that its plan needs, and only those: a file cannot make its reader work for
// others.
func verifyWanted(ctx context.Context, have, want []cert.Check) *cert.Verification {
	needed := &cert.Certificate{}
	same := make([]bool, len(have))
	for i, k := range have {
		if same[i] = i < len(want) && sameCheck(k, want[i]); same[i] {
			own := want[i] // in the plan's words: only value and work are the file's
			own.Value, own.Work = k.Value, k.Work
			needed.Checks = append(needed.Checks, own)
		}
	}
	ran, v := needed.Verify(ctx).Results, &cert.Verification{}
	for i, k := range have {
		if !same[i] {
			foreign := cert.Check{Statement: fmt.Sprintf("check %d of the file, in its words: %s", i+1,
				safetext.Short(k.Statement)), Value: k.Value, Bound: k.Bound}
			v.Results = append(v.Results,
				cert.Result{Check: foreign, Derived: math.NaN(), Status: cert.Failed,
					Reason: "not the check that this plan needs"})
			continue
		}
		v.Results, ran = append(v.Results, ran[0]), ran[1:]
	}
	return v
}

// sameCheck compares everything but the derived value, which verification derives itself.
func sameCheck(a, b cert.Check) bool {
	return a.Kind == b.Kind && a.Statement == b.Statement && a.Source == b.Source && a.Scope == b.Scope &&
		a.Method == b.Method &&
		sameParams(a.Params, b.Params) && close(float64(a.Bound), float64(b.Bound))
}

// SameDocument compares a file with the one that its plan and draw make: the same keys, each once and spelled
// alike, and the same values, numbers to a relative 1e-9, or a billionth of a record, as two machines may compute them.
// So a reader that takes the first of two equal keys, or minds upper case, reads what this library reads. The library's
// version may differ, and what checks derived (value, work), which verification derives itself. The error is *FileError
// and names the first field that differs.
func SameDocument(have, want []byte) error {
	a, err := readDocument(have)
	if err != nil {
		return err
	}
	b, err := readDocument(want)
	if err != nil {
		return err
	}
	return sameValue("", a, b)
}

// readDocument reads one JSON value and refuses an object with two equal keys, which encoding/json takes the last of.
func readDocument(b []byte) (any, error) {
	v, err := strictjson.Read(b, false)
	var key *strictjson.KeyError
	var syntax *strictjson.SyntaxError
	switch {
	case errors.As(err, &key):
		return nil, &FileError{Field: key.Field(), Want: "every field once"}
	case errors.As(err, &syntax):
		return nil, &FileError{Field: syntax.Path, Want: "a JSON value", Err: syntax.Err}
	}
	return v, err
}

// derived are the fields of a check that verification derives itself; verify them, do not compare them.
var derived = map[string]bool{"value": true, "work": true}

// cites are the fields of a check that name the machine proof behind it.
var cites = map[string]bool{"theorem": true, "assumes": true}

// sameCitation says whether the citation of a check in a file may differ from the one of today: a file that was written
// before the check had a machine proof has none, or one that had another statement, with what that assumed. It
// is about the same theorem, or one of the check's formula that there no longer is. The citation of the program is
// whole or is not there.
func sameCitation(have, want map[string]any, isCheck bool) bool {
	assumed, assumes := have["assumes"]
	if _, ok := have["theorem"]; !ok {
		return isCheck && !assumes
	}
	words, text := assumed.(string)
	of, _ := have["theorem"].(map[string]any)
	name, _ := of["name"].(string)
	hash, _ := of["sha256"].(string)
	today, _ := want["theorem"].(map[string]any)
	_, _, still := proofs.Cited(name)
	return len(of) == 2 && text == assumes && (today["name"] == name || isCheck && !still) &&
		proofs.Theorem{Name: name, SHA256: hash}.Earlier(words)
}

func sameValue(path string, have, want any) error {
	differ := func(field string) error {
		return &FileError{Field: field, Want: "what follows from plan and draw; the file was edited"}
	}
	switch w := want.(type) {
	case map[string]any:
		h, ok := have.(map[string]any)
		if !ok {
			return differ(path)
		}
		_, isCheck := w["bound"]
		_, isCitation := w["theorem"]
		for _, k := range keys(w, h) {
			field := strictjson.Join(path, k)
			hv, inFile := h[k]
			if field == "library" || isCheck && (derived[k] || k == "program" && !inFile) ||
				(isCheck || isCitation) && cites[k] && sameCitation(h, w, isCheck) {
				continue
			}
			wv, due := w[k]
			if !inFile || !due {
				return differ(field)
			}
			if err := sameValue(field, hv, wv); err != nil {
				return err
			}
		}
		return nil
	case []any:
		h, ok := have.([]any)
		if !ok || len(h) != len(w) {
			return differ(path)
		}
		for i := range w {
			if err := sameValue(fmt.Sprintf("%s[%d]", path, i), h[i], w[i]); err != nil {
				return err
			}
		}
		return nil
	case json.Number:
		h, ok := have.(json.Number)
		if !ok {
			return differ(path)
		}
		if h == w {
			return nil
		}
		x, errX := h.Float64()
		y, errY := w.Float64()
		if errX != nil || errY != nil || !close(x, y) && !(records(path) && math.Abs(x-y) <= 1e-9) {
			return differ(path)
		}
		return nil
	}
	if have != want { // strings, truth values, null
		return differ(path)
	}
	return nil
}

// records reports whether a number of a file is one of records. What cancels to 0 on one machine leaves 1e-15 of a
// record on another.
func records(path string) bool {
	return strings.HasPrefix(path, "artifact.tables") || strings.HasPrefix(path, "artifact.class") ||
		strings.HasPrefix(path, "artifact.conditionals")
}

// keys are the keys of both objects in order, so that the first difference is always the same.
func keys(a, b map[string]any) []string {
	seen := map[string]bool{}
	var out []string
	for _, o := range []map[string]any{a, b} {
		for k := range o {
			if !seen[k] {
				seen[k] = true
				out = append(out, k)
			}
		}
	}
	sort.Strings(out)
	return out
}
