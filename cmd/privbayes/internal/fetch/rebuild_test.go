package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
)

// tableLines reads our copy of a table.
func tableLines(t *testing.T, o data.Original) (csv []byte, header string, rows []string) {
	t.Helper()
	r, _, err := data.OpenStudy(o.Name)
	if errors.Is(err, &data.NotFoundError{}) {
		data.Need(t, o.File)
	}
	if err != nil {
		t.Fatal(err)
	}
	if csv, err = io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSuffix(string(csv), "\n"), "\n")
	return csv, all[0], all[1:]
}

// write ends every line with end.
func write(rows []string, end string) []byte {
	var b bytes.Buffer
	for _, r := range rows {
		b.WriteString(r)
		b.WriteString(end)
	}
	return b.Bytes()
}

func each(rows []string, change func(string) string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = change(r)
	}
	return out
}

// rebuild writes the publisher's files from the table; their checksums say whether that is right.
var rebuild = map[string]func(header string, rows []string) [][]byte{
	"shopper": func(h string, rows []string) [][]byte { return [][]byte{write(append([]string{h}, rows...), "\r\n")} },
	"spam":    func(_ string, rows []string) [][]byte { return [][]byte{write(rows, "\r\n")} },
	"digit": func(_ string, rows []string) [][]byte {
		return [][]byte{write(rows[:3823], "\n"), write(rows[3823:], "\n")}
	},
	"thyroid": func(_ string, rows []string) [][]byte {
		rows = each(rows, func(r string) string { return strings.ReplaceAll(r, ",", " ") })
		return [][]byte{write(rows[:3772], "  \n"), write(rows[3772:], "  \n")}
	},
	"german": func(_ string, rows []string) [][]byte {
		const h = "laufkont laufzeit moral verw hoehe sparkont beszeit rate famges buerge wohnzeit verm alter " +
			"weitkred wohn bishkred beruf pers telef gastarb kredit"
		rows = each(rows, func(r string) string { return strings.ReplaceAll(r, ",", " ") })
		return [][]byte{write(append([]string{h}, rows...), "\r\n")}
	},
	"adult": func(_ string, rows []string) [][]byte {
		rows = each(rows, func(r string) string { return strings.ReplaceAll(r, ",", ", ") })
		train, test := write(rows[:32561], "\n"), write(rows[32561:], ".\n")
		return [][]byte{append(train, '\n'), append(append([]byte("|1x3 Cross validator\n"), test...), '\n')}
	},
	"bank": func(h string, rows []string) [][]byte {
		number := map[int]bool{}
		names := strings.Split(h, ",")
		for i, n := range names {
			switch n {
			case "age", "duration", "campaign", "pdays", "previous", "emp.var.rate", "cons.price.idx", "cons.conf.idx",
				"euribor3m", "nr.employed":
				number[i] = true
			}
			names[i] = `"` + n + `"`
		}
		rows = each(rows, func(r string) string {
			f := strings.Split(r, ",")
			for i, v := range f {
				if !number[i] {
					f[i] = `"` + v + `"`
				}
			}
			return strings.Join(f, ";")
		})
		return [][]byte{write(append([]string{strings.Join(names, ";")}, rows...), "\r\n")}
	},
}

// The publisher's files, rebuilt from our copies, have the published checksums, and fetching them from a server gives
// the tables back.
func TestFetchOriginals(t *testing.T) {
	for name, build := range rebuild {
		t.Run(name, func(t *testing.T) {
			o := must.Get(data.StudyInfo(name))(t)
			want, header, rows := tableLines(t, o)
			var files []entry
			for i, b := range build(header, rows) {
				files = append(files, entry{o.Members[i].Path, b})
			}
			archive := zipped(t, append(files, entry{"readme/index.txt", []byte("more")})...)
			if o.Nested != nil {
				archive = zipped(t, entry{"bank.zip", []byte("another")}, entry{o.Nested.Path, archive})
			}
			url := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(archive) })
			path := must.Get(Table(context.Background(), name, Options{Dir: t.TempDir(), URL: url}))(t)
			raw := must.Get(os.ReadFile(path))(t)
			if got, err := o.Table(path, raw); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes, want %d: %v", len(got), len(want), err)
			}
		})
	}
}
