package fetch

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
)

// entry is a file of a zip archive.
type entry struct {
	name string
	b    []byte
}

func zipped(t testing.TB, files ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		e := must.Get(w.Create(f.name))(t)
		must.Get(e.Write(f.b))(t)
	}
	must.Do(t, w.Close())
	return b.Bytes()
}

func member(path string, b []byte) data.Member {
	sum := sha256.Sum256(b)
	return data.Member{Path: path, Bytes: int64(len(b)), SHA256: hex.EncodeToString(sum[:])}
}

// small is a data set like spam with one row, and its archive.
func small(t testing.TB) (data.Original, []byte) {
	t.Helper()
	o := must.Get(data.StudyInfo("spam"))(t)
	row := []byte("0,0.5,1\r\n")
	csv := must.Get(table(o, [][]byte{row}))(t)
	o.Members = []data.Member{member("spambase.data", row)}
	m := member("", csv)
	o.CSVBytes, o.CSVSHA256 = m.Bytes, m.SHA256
	return o, zipped(t, entry{"spambase.names", []byte("names")}, entry{"spambase.data", row})
}

func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL + "/archive.zip"
}

// failing is a transport that reaches nothing.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

func TestFetch(t *testing.T) {
	o, archive := small(t)
	hits := 0
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/moved" {
			http.Redirect(w, r, "/moved", http.StatusFound)
			return
		}
		hits++
		_, _ = w.Write(archive)
	})
	dir := filepath.Join(t.TempDir(), "new", "cache")
	var seen [][2]int64
	opts := Options{Dir: dir, URL: url,
		Progress: func(done, total int64) { seen = append(seen, [2]int64{done, total}) }}
	path, err := fetch(context.Background(), o, opts)
	if err != nil || path != filepath.Join(dir, "spam.csv.gz") {
		t.Fatal(path, err)
	}
	n := int64(len(archive))
	if len(seen) == 0 || seen[len(seen)-1] != [2]int64{n, n} {
		t.Errorf("progress %v, want to end with %d of %d", seen, n, n)
	}
	raw := must.Get(os.ReadFile(path))(t)
	csv, err := o.Table(path, raw)
	if err != nil || !strings.HasPrefix(string(csv), "word_freq_make,") ||
		!strings.HasSuffix(string(csv), "spam\n0,0.5,1\n") {
		t.Errorf("%s %v", csv, err)
	}
	// A client of one's own does the asking, and its failures are the error's cause.
	down := errors.New("the proxy is down")
	if _, err := fetch(context.Background(), o,
		Options{Dir: t.TempDir(), URL: url, Client: &http.Client{Transport: failing{down}}}); !errors.Is(err,
		down) {
		t.Error(err)
	}
	// What is there is not fetched again; what is damaged is.
	if _, err := fetch(context.Background(), o, opts); err != nil || hits != 1 {
		t.Error(hits, err)
	}
	must.Do(t, os.WriteFile(path, raw[:len(raw)/2], 0o600))
	if _, err := fetch(context.Background(), o, opts); err != nil || hits != 2 {
		t.Error(hits, err)
	}
	// Nothing but the table is left behind.
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Error(files, err)
	}
}

// An archive put there by hand needs no network, as the error promises.
func TestFetchByHand(t *testing.T) {
	o, archive := small(t)
	dir := t.TempDir()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close() // nobody listens
	opts := Options{Dir: dir, URL: s.URL}
	_, err := fetch(context.Background(), o, opts)
	var e *Error
	if !errors.As(err, &e) || e.Err == nil || e.Put != filepath.Join(dir, "spam.zip") {
		t.Fatal(err)
	}
	for _, part := range []string{s.URL, o.URL, e.Put, "privbayes data fetch spam --download --to " + dir} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v: does not say %s", err, part)
		}
	}
	for _, spoil := range []func() error{ // what is there and is no archive is named, and not asked for
		func() error { return os.Mkdir(e.Put, 0o700) },
		func() error { return os.WriteFile(e.Put, []byte("<html>"), 0o600) },
	} {
		must.Do(t, spoil())
		if _, err := fetch(context.Background(), o, opts); err == nil || !strings.Contains(err.Error(), e.Put) ||
			strings.Contains(err.Error(), "save it") {
			t.Error(err)
		}
		must.Do(t, os.Remove(e.Put))
	}
	must.Do(t, os.WriteFile(e.Put, archive, 0o600))
	if _, err := fetch(context.Background(), o, opts); err != nil {
		t.Error(err)
	}
}

func TestFetchRefuses(t *testing.T) {
	o, good := small(t)
	row := []byte("0,0.5,1\r\n")
	otherTable := o
	otherTable.CSVSHA256 = strings.Repeat("0", 64)
	nested := o
	inner := member("inner.zip", good)
	nested.Nested = &inner
	cases := []struct {
		name string
		o    data.Original
		h    func(w http.ResponseWriter)
		want any
	}{
		{"wrong checksum", o, body(zipped(t, entry{"spambase.data", []byte("1,0.5,1\r\n")})), &data.ChecksumError{}},
		{"longer than known", o, body(zipped(t, entry{"spambase.data", bytes.Repeat(row, 1<<16)})), &data.ChecksumError{}},
		{"wrong table", otherTable, body(good), &data.ChecksumError{}},
		{"wrong member", o, body(zipped(t, entry{"spambase.dat", row})), &data.ArchiveError{}},
		{"zip slip", o, body(zipped(t, entry{"spambase.data", row}, entry{"../evil", row})), &data.ArchiveError{}},
		{"zip slip, absolute", o, body(zipped(t, entry{"spambase.data", row}, entry{"/etc/evil", row})),
			&data.ArchiveError{}},
		{"zip slip, backslash", o, body(zipped(t, entry{"spambase.data", row}, entry{`..\evil`, row})),
			&data.ArchiveError{}},
		{"half an archive", o, body(good[:len(good)/2]), &data.ArchiveError{}},
		{"not an archive", o, body([]byte("<html>")), &data.ArchiveError{}},
		{"no nested archive", nested, body(good), &data.ArchiveError{}},
		{"wrong nested archive", nested, body(zipped(t, entry{"inner.zip", good[:len(good)/2]})), &data.ArchiveError{}},
		{"not found", o, func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) }, &Error{}},
		{"server fault", o, func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) }, &Error{}},
		{"truncated transfer", o, func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", fmt.Sprint(len(good)))
			_, _ = w.Write(good[:10])
		}, &Error{}},
		{"too long", o, func(w http.ResponseWriter) { w.Header().Set("Content-Length", fmt.Sprint(maxArchive+1)) },
			&SizeError{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			dir, url := t.TempDir(), serve(t, func(w http.ResponseWriter, _ *http.Request) { c.h(w) })
			_, err := fetch(context.Background(), c.o, Options{Dir: dir, URL: url})
			if target := reflect.New(reflect.TypeOf(c.want)); !errors.As(err, target.Interface()) || err.Error() == "" {
				t.Errorf("%T %v, want %T", err, err, c.want)
			}
			if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
				t.Error("files left behind:", files, err)
			}
		})
	}
	// What fails names the address, and where an answer fails does not speak of the network.
	for status, want := range map[int]string{404: "/archive.zip: the server answers 404 Not Found; or get ",
		599: "/archive.zip: the server answers 599; or get "} {
		_, err := fetch(context.Background(), o, Options{Dir: t.TempDir(), URL: serve(t,
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
	mirror := serve(t, func(w http.ResponseWriter, _ *http.Request) { body([]byte("<html>"))(w) })
	if _, err := fetch(context.Background(), o, Options{Dir: t.TempDir(), URL: mirror}); err == nil ||
		!strings.HasPrefix(err.Error(), mirror+": want a whole zip archive") {
		t.Error(err)
	}
	// The same nested archive, right.
	if _, err := fetch(context.Background(), nested,
		Options{Dir: t.TempDir(), URL: serve(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(zipped(t, entry{"inner.zip", good}))
		})}); err != nil {
		t.Error(err)
	}
	var unknown *data.NameError
	if _, err := Table(context.Background(), "iris", Options{Dir: t.TempDir()}); !errors.As(err, &unknown) {
		t.Error(err)
	}
}

func body(b []byte) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { _, _ = w.Write(b) }
}

func TestFetchCancelled(t *testing.T) {
	o, archive := small(t)
	ctx, cancel := context.WithCancel(context.Background())
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(archive)))
		_, _ = w.Write(archive[:10])
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done()
	})
	dir := t.TempDir()
	if _, err := fetch(ctx, o, Options{Dir: dir, URL: url}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Error(files, err)
	}
}

// A stream without a declared length stops at the limit.
func TestDownloadLimit(t *testing.T) {
	o, _ := small(t)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		zero := make([]byte, 1<<20)
		for range maxArchive>>20 + 8 {
			if _, err := w.Write(zero); err != nil {
				return
			}
		}
	})
	var e *SizeError
	if _, err := fetch(context.Background(), o, Options{Dir: t.TempDir(), URL: url}); !errors.As(err, &e) {
		t.Error(err)
	}
}

// The table whose original is a workbook comes from its embedded copy, without network.
func TestFetchShipped(t *testing.T) {
	dir := t.TempDir()
	path := must.Get(Table(t.Context(), "creditcard",
		Options{Dir: dir, Client: &http.Client{Transport: failing{errors.New("no network")}}}))(t)
	raw := must.Get(os.ReadFile(path))(t)
	o := must.Get(data.StudyInfo("creditcard"))(t)
	if _, err := o.Table(path, raw); err != nil {
		t.Error(path, err)
	}
}
