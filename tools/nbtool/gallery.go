package main

import (
	"fmt"
	"io"

	"github.com/privbayes/privbayes-go/tools/nbtool/internal/nbtool"
)

// gallery writes the gallery of one folder of notebooks.
func gallery(args []string, out, errs io.Writer) int {
	dir := "notebooks"
	switch len(args) {
	case 0:
	case 1:
		dir = args[0]
	default:
		_, _ = fmt.Fprintln(errs, usage)
		return 2
	}
	g, err := nbtool.NewGallery(dir)
	if err == nil {
		err = g.Write(dir)
	}
	if err != nil {
		_, _ = fmt.Fprintln(errs, err)
		return 1
	}
	_, _ = fmt.Fprintf(out, "%s: %d notebooks\n", dir, len(g.Thumbnails))
	return 0
}
