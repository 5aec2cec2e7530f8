package fetch

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/privbayes/privbayes-go/data"
)

// unpack returns the members of an archive, checked, in order. With nested, they are in an archive within the archive,
// whose own checksum does not matter.
//
// Members stay in memory, so no name of the archive ever becomes a path; an archive with a name that would leave its
// folder is refused all the same. No member is unpacked beyond its known size.
func unpack(name string, b []byte, nested *data.Member, members []data.Member) ([][]byte, error) {
	if nested != nil {
		inner, err := unpackOne(name, b, []data.Member{{Path: nested.Path, Bytes: maxArchive}})
		if err != nil {
			return nil, err
		}
		name, b = nested.Path, inner[0]
	}
	return unpackOne(name, b, members)
}

func unpackOne(name string, b []byte, members []data.Member) ([][]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, &data.ArchiveError{File: name, Want: "a whole zip archive", Err: err}
	}
	have := make([]string, 0, len(z.File))
	byName := make(map[string]*zip.File, len(z.File))
	for _, f := range z.File {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) || strings.Contains(f.Name, `\`) {
			return nil, &data.ArchiveError{File: name, Want: fmt.Sprintf("no file that leaves the folder, such as %q", f.Name)}
		}
		have, byName[f.Name] = append(have, f.Name), f
	}
	out := make([][]byte, len(members))
	for i, m := range members {
		f := byName[m.Path]
		if f == nil {
			return nil, &data.ArchiveError{File: name, Want: fmt.Sprintf("a file %q; it has %q", m.Path, have)}
		}
		if out[i], err = readMember(f, m); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func readMember(f *zip.File, m data.Member) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, &data.ArchiveError{File: m.Path, Want: "a file that can be unpacked", Err: err}
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, m.Bytes+1))
	if err != nil {
		return nil, &data.ArchiveError{File: m.Path, Want: "a file that can be unpacked", Err: err}
	}
	if m.SHA256 == "" {
		return b, nil
	}
	return b, m.Verify(b)
}
