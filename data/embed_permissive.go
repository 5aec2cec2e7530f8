//go:build permissive && !browser

package data

import (
	"embed"
	"slices"
)

// Programs that are handed on under permissive licences leave out the one table whose licence is not: cps1988, GPL-2 or
// later.
//
//go:embed files/[^c]* files/creditcard.csv.gz schemas
var embedded embed.FS

func init() {
	datasets = slices.DeleteFunc(datasets, func(d Dataset) bool { return d.Name == "cps1988" })
}
