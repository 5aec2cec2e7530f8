package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/privbayes/privbayes-go/papers/claims"
)

var claimsExamples = []string{"privbayes claims --only sampling/", "privbayes claims --markdown > docs/claims.md"}

// claimsCommand executes the claims and shows them. It fails when execution disagrees with a verdict.
func claimsCommand(args []string, out, errs io.Writer) error {
	fs, asJSON := newFlags("claims", "claims [--only TEXT] [--markdown] [flags]")
	markdown := fs.Bool("markdown", false, "write docs/claims.md")
	only := fs.String("only", "", "claims whose id starts with this, such as sampling/")
	if _, err := parse(fs, args, 0); err != nil {
		return err
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
		err = writeJSON(out, results)
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
