package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/papers/study/structure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// folder has the tables of bench/data, seen from the root of the checkout.
const folder = "bench/data/"

// load reads a table of the study, or one of bench/data, which has no target and holds no rows out. Error: that of
// reading.
func load(name string) (*structure.Set, error) {
	ctx := context.Background()
	if name != "births" && name != "national2019" {
		return structure.Load(ctx, name)
	}
	b, err := os.ReadFile(folder + name + ".json")
	if err != nil {
		return nil, err
	}
	schema, err := frame.ParseSchema(b)
	if err != nil {
		return nil, err
	}
	r, err := births()
	if name == "national2019" {
		r, err = unpacked(folder + name + ".csv.gz")
	}
	if err != nil {
		return nil, err
	}
	f, err := frame.Read(ctx, r, name, schema)
	return &structure.Set{Name: name, Train: f, Test: f}, err
}

// unpacked is the text of a compressed file.
func unpacked(path string) (io.Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return inflated(file)
}

func inflated(r io.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	text := &bytes.Buffer{}
	_, err = io.Copy(text, z)
	return text, err
}

// births are the rows of the embedded table births2019, with the month in place of the date of birth.
func births() (io.Reader, error) {
	rows, _, err := data.Open("births2019")
	if err != nil {
		return nil, err
	}
	if rows, err = inflated(rows); err != nil {
		return nil, err
	}
	lines, text := bufio.NewScanner(rows), &strings.Builder{}
	for lines.Scan() {
		at := strings.LastIndexByte(lines.Text(), ',')
		row, date := lines.Text()[:at], lines.Text()[at+1:]
		if date == "date_of_birth" {
			date = "2019-month"
		}
		_, month, _ := strings.Cut(date, "-")
		month, _, _ = strings.Cut(month, "-")
		text.WriteString(row + "," + strings.TrimPrefix(month, "0") + "\n")
	}
	return strings.NewReader(text.String()), lines.Err()
}

// categories is a coded table as a frame whose columns are categories without order: what every library is given.
func categories(name string, c *structure.Coded) (*frame.Frame, error) {
	s, columns := &frame.Schema{Dataset: name}, map[string]any{}
	for i, column := range c.Names {
		labels, out := make([]string, c.Levels[i]), make([]string, c.Rows)
		for k := range labels {
			labels[k] = strconv.Itoa(k)
		}
		for r, k := range c.Columns[i] {
			out[r] = labels[k]
		}
		s.Columns, columns[column] = append(s.Columns, frame.Categorical(column, labels...)), out
	}
	return frame.FromColumns(s, columns)
}
