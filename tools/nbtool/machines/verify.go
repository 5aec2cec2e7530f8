package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/totals"
)

// file is a release with its name.
type file struct {
	name   string
	text   []byte
	listed bool
}

// verify verifies and uses releases, and names those that it refuses.
func verify(paths []string, every int) error {
	refused := 0
	for _, path := range paths {
		files, err := read(path)
		if err != nil {
			return err
		}
		taken, good, mechanisms := 0, 0, map[string]bool{}
		for i, f := range files {
			mechanism, _, _ := strings.Cut(f.name, " / ")
			if f.listed && i%every != 0 && mechanisms[mechanism] {
				continue
			}
			taken++
			mechanisms[mechanism] = true
			if err := use(f.text); err != nil {
				fmt.Printf("refused: %s: %v\n", f.name, err)
				continue
			}
			good++
		}
		if taken == 0 {
			return fmt.Errorf("no releases in %s", path)
		}
		refused += taken - good
		fmt.Printf("%s/%s verified %d of %d in %s\n", runtime.GOOS, runtime.GOARCH, good, taken, filepath.Base(path))
	}
	if refused > 0 {
		return fmt.Errorf("refused releases: %d", refused)
	}
	return nil
}

// use verifies a release, a publication or running totals, loads it, draws records of it and, where its structure was
// learned, predicts them.
func use(text []byte) error {
	ctx := context.Background()
	derive := publication.VerifyBytes
	if totals.IsFile(text) {
		derive = totals.Verify
	}
	v, err := derive(ctx, text)
	if err != nil {
		return err
	}
	if !v.OK() {
		for _, r := range v.Results {
			if r.Status == cert.Failed {
				return fmt.Errorf("%s: %s", r.Check.Statement, r.Reason)
			}
		}
		return errors.New("not verified")
	}
	if totals.IsFile(text) {
		return sums(ctx, text)
	}
	list := []*release.Release{nil}
	if publication.IsFile(text) {
		p, err := publication.Parse(ctx, text)
		if err != nil {
			return err
		}
		list = nil
		for _, l := range p.Plan().Lines() {
			r, err := p.Item(l.Name)
			if err != nil {
				return err
			}
			list = append(list, r)
		}
	} else if list[0], err = release.Parse(ctx, text); err != nil {
		return err
	}
	for _, r := range list {
		if err := predicts(r); err != nil {
			return err
		}
	}
	return nil
}

// sums loads running totals, and asks for the totals after every period released, and for what came between two.
func sums(ctx context.Context, text []byte) error {
	t, err := totals.Parse(ctx, text)
	if err != nil {
		return err
	}
	periods := t.Plan().Periods()
	for i, p := range periods[:slices.Index(periods, t.Through())+1] {
		if _, err := t.After(p, .95); err != nil {
			return err
		}
		if i == 0 {
			continue
		}
		if _, err := t.Between(periods[i-1], p, .95); err != nil {
			return err
		}
	}
	return nil
}

// predicts draws records of a release whose structure was learned, and predicts them.
func predicts(r *release.Release) error {
	if r.Structure() == nil {
		return nil
	}
	records, err := r.Synthesize(20, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		return err
	}
	_, err = r.Predict(records)
	return err
}

// read lists the releases of a folder or of a compressed list.
func read(path string) (out []file, err error) {
	if !strings.HasSuffix(path, ".gz") {
		names, err := filepath.Glob(filepath.Join(path, "*.json"))
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(slices.Values(names)) {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			out = append(out, file{filepath.Base(name), text, false})
		}
		return out, nil
	}
	packed, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = packed.Close() }()
	z, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(z); ; {
		var line struct {
			Name    string
			Release json.RawMessage
		}
		if err := d.Decode(&line); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
		out = append(out, file{line.Name, line.Release, true})
	}
}
