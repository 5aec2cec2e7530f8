package data

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
)

// convert turns the publisher's archive into the table, as Original.Changes says, and checks the originals and the result.
func convert(ctx context.Context, o Original, archive []byte) ([]byte, error) {
	members, err := unpack(o.Name+".zip", archive, o.Nested, o.Members)
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
	return csv, verify(csv, Member{o.File + " (converted)", o.CSVBytes, o.CSVSHA256})
}

// table writes the CSV: a header, then one line per row of the members in order. That every row is right is for its checksum to say.
func table(o Original, members [][]byte) ([]byte, error) {
	s, err := StudySchema(o.Name)
	if err != nil {
		return nil, err
	}
	header := s.Names()
	same := func(line string) string { return line }
	blanks := func(line string) string { return strings.Join(strings.Fields(line), ",") }
	w := &lines{}
	switch o.Name {
	case "creditcard":
		return creditCardCSV(members[0], o.Rows)
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
		w.add(members[1], 1, func(line string) string { return strings.TrimSuffix(commas(line), ".") }) // the first line is a remark
	default:
		return nil, &NameError{o.Name, StudyNames()}
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

// creditCardCSV writes the one sheet of the workbook: the first row (X1, X2, …) left out, the second one the header, the first column
// (the row number) left out.
func creditCardCSV(workbook []byte, rows int) ([]byte, error) {
	const columns = 25
	stream, err := oleStream(workbook, "Workbook")
	if err != nil {
		return nil, err
	}
	cells, err := readSheet(stream)
	if err != nil {
		return nil, err
	}
	grid := make([]sheetCell, (rows+2)*columns)
	for _, c := range cells {
		if c.row >= rows+2 || c.col >= columns {
			return nil, &SheetError{"a cell in " + c.place(), strconv.Itoa(rows+2) + " rows and 25 columns"}
		}
		grid[c.row*columns+c.col] = c
	}
	var out bytes.Buffer
	for row := 1; row < rows+2; row++ {
		for col := range columns {
			c := grid[row*columns+col]
			want, ok := "a name", c.kind == cellText
			if row > 1 {
				want, ok = "a whole number", c.kind == cellNumber && c.number == float64(int64(c.number))
			}
			if !ok {
				c.row, c.col = row, col
				return nil, &SheetError{c.String() + " in " + c.place(), want}
			}
			switch {
			case col == 0 && row > 1 && c.number != float64(row-1):
				return nil, &SheetError{c.String() + " in " + c.place(), "the row number " + strconv.Itoa(row-1)}
			case col == 0:
				continue
			case row == 1:
				out.WriteString(strings.ReplaceAll(c.text, " ", "_"))
			default:
				out.WriteString(strconv.FormatInt(int64(c.number), 10))
			}
			out.WriteByte(",\n"[col/(columns-1)])
		}
	}
	return out.Bytes(), nil
}
