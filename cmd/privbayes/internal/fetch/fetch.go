// Package fetch downloads the public tables of package data from their publishers, for the command: the library has no
// network code.
package fetch

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// maxArchive bounds a download: the largest archive of the study has under 6 MB.
const maxArchive = 64 << 20

// Options says how [Table] works; the zero value is the default.
type Options struct {
	Dir      string                  // folder to write to; [data.CacheDir] if empty; made if absent
	URL      string                  // a mirror of the archive; the publisher's address if empty
	Client   *http.Client            // one with a limit on the wait for headers if nil
	Progress func(done, total int64) // called now and then with the bytes received; total is −1 while unknown
}

// Error says that a download failed, and how to do it by hand.
type Error struct {
	Name   string
	URL    string
	Status int    // of HTTP, if an answer came and was not 200
	Put    string // where to put the archive by hand
	To     string // the folder that was asked for, if one was
	Err    error  // the cause, unless Status says it
}

func (e *Error) Error() string {
	cause := strings.TrimSpace(fmt.Sprintf("the server answers %d %s", e.Status, http.StatusText(e.Status)))
	var asked *url.Error
	switch {
	case errors.As(e.Err, &asked): // it names the address, too
		cause = asked.Err.Error()
	case errors.Is(e.Err, io.ErrUnexpectedEOF):
		cause = "the transfer ended before its time"
	case e.Err != nil:
		cause = e.Err.Error()
	}
	again, archive := e.Name, e.URL
	if o, err := data.StudyInfo(e.Name); err == nil {
		archive = o.URL // of the publisher, also where a mirror failed
	}
	if slices.Contains(data.Names(), e.Name) {
		again += " --download"
	}
	if e.To != "" {
		again += " --to " + e.To
	}
	return fmt.Sprintf("cannot download %s from %s: %s; or get %s by another way, save it as %s and run: "+
		"privbayes data fetch %s", e.Name, safetext.File(e.URL), cause, archive, safetext.File(e.Put), again)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// SizeError says that a file is longer than it may be.
type SizeError struct {
	File  string
	Limit int64 // bytes
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s has more than %d bytes", e.File, e.Limit)
}

// Table downloads a data set of the study from its publisher, checks the SHA-256 of the original files, converts them
// to the table that [data.StudyInfo] describes, checks the SHA-256 of that, and stores it; the file appears at once and
// whole, or not at all. It returns the path.
//
// A table that is there already and has the right checksum is not fetched again. An archive saved by hand as NAME.zip
// in the folder is used in place of the network, and one that cannot be read is an error. The whole archive's checksum
// does not matter, since archives may be packed anew; every original file's does. CreditCard, whose original is an .xls
// workbook, is embedded as a table and copied from there.
//
// Errors: *data.NameError; *Error (network, HTTP, with what to do by hand); *SizeError; *data.ArchiveError;
// *data.ChecksumError; ctx.Err(); those of the file system.
func Table(ctx context.Context, name string, opts Options) (path string, err error) {
	o, err := data.StudyInfo(name)
	if err != nil {
		return "", err
	}
	return fetch(ctx, o, opts)
}

func fetch(ctx context.Context, o data.Original, opts Options) (string, error) {
	dir := opts.Dir
	if dir == "" {
		var err error
		if dir, err = data.CacheDir(); err != nil {
			return "", err
		}
	}
	path := filepath.Join(dir, o.File)
	if raw, err := os.ReadFile(path); err == nil {
		if _, err := o.Table(path, raw); err == nil {
			return path, nil
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	csv, err := obtain(ctx, o, opts, dir)
	if err != nil {
		return "", err
	}
	if filepath.Ext(o.File) == ".gz" {
		csv = gzipped(csv)
	}
	if err := writeAtomic(path, csv); err != nil {
		return "", err
	}
	return path, nil
}

// obtain is the table: from its embedded copy, or converted from the archive that was saved by hand or is downloaded.
func obtain(ctx context.Context, o data.Original, opts Options, dir string) ([]byte, error) {
	if o.Shipped {
		raw, err := o.Embedded()
		if err != nil {
			return nil, err
		}
		return o.Table(o.File, raw)
	}
	from := filepath.Join(dir, o.Name+".zip")
	archive, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		archive, err = download(ctx, o, opts, from)
		from = cmp.Or(opts.URL, o.URL)
	}
	if err != nil {
		return nil, err
	}
	return convert(ctx, o, from, archive)
}

// client waits at most a minute for the headers; how long the body takes is for the context to bound.
func client() *http.Client {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultClient
	}
	t = t.Clone()
	t.ResponseHeaderTimeout = time.Minute
	return &http.Client{Transport: t}
}

func download(ctx context.Context, o data.Original, opts Options, byHand string) ([]byte, error) {
	from := cmp.Or(opts.URL, o.URL)
	refuse := func(status int, cause error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &Error{o.Name, from, status, byHand, opts.Dir, cause}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, refuse(0, err)
	}
	c := opts.Client
	if c == nil {
		c = client()
		defer c.CloseIdleConnections()
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, refuse(0, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, refuse(resp.StatusCode, nil)
	}
	if resp.ContentLength > maxArchive {
		return nil, &SizeError{from, maxArchive}
	}
	body := &meter{r: io.LimitReader(resp.Body, maxArchive+1), total: resp.ContentLength, report: opts.Progress}
	b, err := io.ReadAll(body)
	if err != nil {
		return nil, refuse(0, err)
	}
	if len(b) > maxArchive {
		return nil, &SizeError{from, maxArchive}
	}
	return b, nil
}

// meter reports how many bytes went through.
type meter struct {
	r      io.Reader
	done   int64
	total  int64
	report func(done, total int64)
}

// Read reads and reports.
func (m *meter) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	m.done += int64(n)
	if m.report != nil {
		m.report(m.done, m.total)
	}
	return n, err
}

// gzipped compresses without name and time, so that equal tables have equal files.
func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b) // writing to memory does not fail
	_ = w.Close()
	return out.Bytes()
}

// writeAtomic writes beside the file and renames, so that no one sees half of it.
func writeAtomic(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".fetch-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if e := f.Sync(); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
