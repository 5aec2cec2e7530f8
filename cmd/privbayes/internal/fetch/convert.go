package fetch

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/data"
)

// convert turns the publisher's archive, which was got from a file or an address, into the table, as Original.Changes
// says, and checks the originals and the result.
func convert(ctx context.Context, o data.Original, from string, archive []byte) ([]byte, error) {
	members, err := unpack(from, archive, o.Nested, o.Members)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	csv, err := table(o, members)
	if err != nil {
		return nil, err
	}
	return o.Table(o.File+" (converted)", csv)
}

// table writes the CSV: a header, then one line per row of the members in order. That every row is right is for its
// checksum to say.
func table(o data.Original, members [][]byte) ([]byte, error) {
	s, err := data.StudySchema(o.Name)
	if err != nil {
		return nil, err
	}
	header := s.Names()
	same := func(line string) string { return line }
	blanks := func(line string) string { return strings.Join(strings.Fields(line), ",") }
	w := &lines{}
	switch o.Name {
	case "thyroid":
		w.header(header)
		w.add(members[0], 0, blanks)
		w.add(members[1], 0, blanks)
	case "shopper":
		w.add(members[0], 0, same)
	case "digit":
		w.header(header)
		w.add(members[0], 0, same)
		w.add(members[1], 0, same)
	case "german":
		w.header(header)
		w.add(members[0], 1, blanks) // the first line has the German names
	case "bank":
		plain := strings.NewReplacer(";", ",", `"`, "")
		w.add(members[0], 0, plain.Replace)
	case "spam":
		w.header(header)
		w.add(members[0], 0, same)
	case "adult":
		w.header(slices.Insert(header, 2, "fnlwgt"))
		commas := func(line string) string { return strings.ReplaceAll(line, ", ", ",") }
		w.add(members[0], 0, commas)
		// the first line is a remark
		w.add(members[1], 1, func(line string) string { return strings.TrimSuffix(commas(line), ".") })
	default:
		return nil, &data.NameError{Name: o.Name, Have: data.StudyNames()}
	}
	return w.out.Bytes(), nil
}

// lines gathers lines that end in LF.
type lines struct{ out bytes.Buffer }

func (w *lines) header(names []string) {
	w.out.WriteString(strings.Join(names, ","))
	w.out.WriteByte('\n')
}

// add takes the lines of an original that are not empty, but the first skip ones, without their CR.
func (w *lines) add(b []byte, skip int, change func(string) string) {
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\r\n")
		if skip > 0 {
			skip--
			continue
		}
		if line != "" {
			w.out.WriteString(change(line))
			w.out.WriteByte('\n')
		}
	}
}
