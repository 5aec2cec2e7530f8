package beam

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/sources/parquet"
)

// part is what one worker counts at a time: a whole CSV file, or a row group of a Parquet file. Place is its place
// among all parts, by which the result says that it was counted.
type part struct {
	Place   int
	CSV     string `json:",omitempty"`
	Table   int    `json:",omitempty"` // which of two linked tables it is of
	Size    int64  `json:",omitempty"`
	Time    time.Time
	Parquet *parquet.Part `json:",omitempty"`
}

// same reports whether a CSV file is still the one that was listed.
func (p part) same() bool {
	info, err := os.Stat(p.CSV)
	return err == nil && info.Size() == p.Size && info.ModTime().Equal(p.Time)
}

// shown names the part in errors, by its place: names of files may hold values.
func (p part) shown() string {
	if p.Parquet != nil {
		return p.Parquet.Shown
	}
	return filepath.Base(p.CSV)
}

// listed are the files of patterns and folders, CSV and Parquet apart. A file that is named twice is refused.
func listed(patterns []string) (csv, columnar []string, err error) {
	var infos []os.FileInfo
	for _, pattern := range patterns {
		found := []string{pattern}
		if _, statErr := os.Stat(pattern); statErr != nil {
			if found, err = filepath.Glob(pattern); err != nil || len(found) == 0 {
				return nil, nil, &frame.FileError{File: pattern, Want: "a file, a folder or a pattern that some file matches",
					Err: statErr}
			}
		}
		for _, path := range found {
			info, statErr := os.Stat(path)
			if statErr != nil {
				return nil, nil, &frame.FileError{File: path, Want: "a file that can be read", Err: statErr}
			}
			if slices.ContainsFunc(infos, func(o os.FileInfo) bool { return os.SameFile(o, info) }) {
				return nil, nil, domain.Refuse("beam: Open", "files", safetext.Short(path)+" twice",
					"each file once, so that no row counts twice")
			}
			infos = append(infos, info)
			name := strings.ToLower(path)
			switch {
			case info.IsDir(), strings.HasSuffix(name, ".parquet"):
				columnar = append(columnar, path)
			case strings.HasSuffix(name, ".csv"), strings.HasSuffix(name, ".csv.gz"):
				if path, err = filepath.Abs(path); err != nil {
					return nil, nil, &frame.FileError{File: pattern, Want: "a file that can be found", Err: err}
				}
				csv = append(csv, path)
			default:
				return nil, nil, &frame.FileError{File: path, Want: "a name that ends in .csv, .csv.gz or .parquet"}
			}
		}
	}
	if len(csv)+len(columnar) == 0 {
		return nil, nil, domain.Refuse("beam: Open", "files", "none", "at least one")
	}
	if len(csv) > 0 && len(columnar) > 0 {
		return nil, nil, domain.Refuse("beam: Open", "files", "CSV and Parquet together", "one kind of file")
	}
	return csv, columnar, nil
}

// partsOf pins the files and lists their parts.
func partsOf(ctx context.Context, s *frame.Schema, patterns []string) (parts []part,
	size func(context.Context) (int, error),
	err error) {
	csv, columnar, err := listed(patterns)
	if err != nil {
		return nil, nil, err
	}
	if capped, _ := s.CapsRows(); capped && len(columnar) > 0 {
		return nil, nil, &frame.SchemaError{Field: "unit_key", Value: s.UnitKey,
			Want: "none for Parquet files on a cluster, whose row groups are counted apart; CSV files, or parquet.Open"}
	}
	if len(columnar) > 0 {
		table, err := parquet.Open(ctx, s, columnar)
		if err != nil {
			return nil, nil, err
		}
		for i, p := range table.Parts() {
			if p.Path, err = filepath.Abs(p.Path); err != nil {
				return nil, nil, &frame.FileError{File: p.Shown, Want: "a file that can be found"}
			}
			parts = append(parts, part{Place: i, Parquet: &p})
		}
		return parts, func(ctx context.Context) (int, error) {
			n, err := table.Size(ctx)
			return n.N, err
		}, nil
	}
	for i, path := range csv {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return nil, nil, &frame.FileError{File: path, Want: "a file that can be read", Err: err}
		}
		parts = append(parts, part{Place: i, CSV: path, Size: info.Size(), Time: info.ModTime()})
	}
	return parts, nil, nil
}

// batches are the elements of the pipeline: parts that one worker counts side by side, as text.
func batches(parts []part) ([]string, error) {
	size := max(1, min(8, len(parts)/64))
	var out []string
	for batch := range slices.Chunk(parts, size) {
		b, err := json.Marshal(batch)
		if err != nil {
			return nil, err
		}
		out = append(out, string(b))
	}
	return out, nil
}
