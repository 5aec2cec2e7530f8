//go:build !browser

package main

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/discovery"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/selection"
	"github.com/privbayes/privbayes-go/privbayes/totals"
)

// matchFound says of each file of what was found of a column that a release's schema has it: notes, or *foundError.
func matchFound(ctx context.Context, file []byte, paths []string) (notes []string, err error) {
	if len(paths) == 0 {
		return nil, nil
	}
	s, err := schemaIn(ctx, file)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		b, err := readWithin(path, maxDocument)
		if err != nil {
			return nil, err
		}
		var found interface {
			foundColumn
			Matches(s *frame.Schema) error
		}
		switch {
		case discovery.IsFile(b):
			found, err = discovery.Parse(ctx, b)
		case discovery.IsRange(b):
			found, err = discovery.ParseRange(ctx, b)
		default:
			return nil, wrongFlag("found", path, "a file of categories, or of a range, that discover saved")
		}
		if err != nil {
			return nil, release.InFile(path, err)
		}
		if err := found.Matches(s); err != nil {
			return nil, &foundError{path, err}
		}
		notes = append(notes, fmt.Sprintf("%s has what the schema says release %s found, and verifies: %s.",
			safetext.File(path), safetext.Word(found.ID()), found.Guarantee()))
	}
	return notes, nil
}

// schemaIn is the schema of a file: of all its items.
func schemaIn(ctx context.Context, b []byte) (*frame.Schema, error) {
	switch {
	case publication.IsFile(b):
		p, err := publication.Parse(ctx, b)
		if err != nil {
			return nil, err
		}
		return p.Plan().Lines()[0].Plan.Shape().Schema(), nil
	case totals.IsFile(b):
		p, err := totals.Parse(ctx, b)
		if err != nil {
			return nil, err
		}
		return p.Plan().Shape().Schema(), nil
	case selection.IsFile(b):
		p, err := selection.Parse(ctx, b)
		if err != nil {
			return nil, err
		}
		r, err := p.Release()
		if err != nil {
			return nil, err
		}
		return r.Plan().Shape().Schema(), nil
	case verifierOf(b) != nil:
		return nil, wrongFlag("found", nil, "a release under a schema with what was found: this is what was found")
	}
	r, err := release.Parse(ctx, b)
	if err != nil {
		return nil, err
	}
	return r.Plan().Shape().Schema(), nil
}

// foundError is a file that does not have what a schema says was found.
type foundError struct {
	file string
	err  error
}

func (e *foundError) Error() string {
	return fmt.Sprintf("NOT VERIFIED: %s and the release do not belong together: %s", safetext.File(e.file),
		safetext.Cause(e.err, 500))
}

// Unwrap returns the cause.
func (e *foundError) Unwrap() error { return e.err }

// unmatched reports whether an error is such a file.
func unmatched(err error) bool { return has[*foundError](err) }
