package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/privbayes/privbayes-go/papers/claims"
)

// claimsCommand executes the claims and shows them. It fails when execution disagrees with a verdict.
func claimsCommand(args []string, out io.Writer) error {
	fs, asJSON := newFlags("claims [--only TEXT] [--markdown] [flags]")
	markdown := fs.Bool("markdown", false, "write docs/explanation/claims.md")
	only := fs.String("only", "", "claims whose id starts with this, such as sampling/")
	words, err := parse(fs, args, out)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		return &usageError{fmt.Sprintf("claims: unexpected argument %q", words[0])}
	}
	if *markdown && *asJSON {
		return &usageError{"claims: --markdown or --json, not both"}
	}
	var list []claims.Claim
	for _, c := range claims.All() {
		if strings.HasPrefix(c.ID, *only) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return &usageError{fmt.Sprintf("claims: no id starts with %q", *only)}
	}
	results, err := claims.Execute(context.Background(), list)
	if err != nil {
		return err
	}
	switch {
	case *asJSON:
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		e.SetIndent("", " ")
		err = e.Encode(results)
	case *markdown:
		_, err = io.WriteString(out, claims.Markdown(results))
	default:
		_, err = fmt.Fprint(out, claims.Summary(results))
	}
	for _, r := range results {
		if err == nil && !r.Agrees {
			err = errUnverified
		}
	}
	return err
}
