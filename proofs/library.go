//go:build !browser && !verifier

package proofs

import (
	"embed"
	"io/fs"
)

//go:embed lib/*.v
var sources embed.FS

// Library is the folder of theorems and checkers, lib/, as it is in the repository: files NAME.v.
func Library() fs.FS {
	lib, err := fs.Sub(sources, "lib")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return lib
}
