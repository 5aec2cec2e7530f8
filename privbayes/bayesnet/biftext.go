package bayesnet

import (
	"bufio"
	"compress/gzip"
	"io"
	"strings"

	"golang.org/x/text/encoding/unicode"
)

// mostText is the length that is read of a packed network when it is unpacked.
const mostText = 32 << 20

// bounded is a text of at most left bytes; a longer one is an error, since a small packed file can hold any number.
type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, &Error{Field: "file", Value: "longer than 32 MiB, unpacked", Want: "a network of at most 32 MiB"}
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// bifText undoes gzip, a byte-order mark and UTF-16, and names files that are no text.
func bifText(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	refuse := func(value, want string) (io.Reader, error) {
		return nil, &Error{Field: "file", Value: value, Want: want, Line: 1}
	}
	if head, _ := b.Peek(2); string(head) == "\x1f\x8b" {
		z, err := gzip.NewReader(b)
		if err != nil {
			return refuse("gzip data that is broken", "whole gzip data")
		}
		b = bufio.NewReaderSize(&bounded{z, mostText}, 1<<16)
	}
	head, _ := b.Peek(512)
	switch s := string(head); {
	case strings.HasPrefix(s, "\xff\xfe"), strings.HasPrefix(s, "\xfe\xff"):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(b), nil
	case strings.HasPrefix(s, "\xef\xbb\xbf"):
		_, _ = b.Discard(3)
	case strings.HasPrefix(s, "PK\x03\x04"):
		return refuse("a zip archive", "a BIF file: unpack it, and give the network in it")
	case strings.HasPrefix(s, "RDX"), strings.HasPrefix(s, "X\n\x00\x00"):
		return refuse("an R data file", `a BIF file: in R, bnlearn::write.bif("network.bif", fitted)`)
	}
	head, _ = b.Peek(512)
	s := strings.ToLower(strings.TrimLeft(string(head), " \t\r\n"))
	switch {
	case strings.HasPrefix(s, "<smile"), strings.HasPrefix(s, "<?xml") && strings.Contains(s, "<smile"):
		return refuse("a network of GeNIe (xdsl)", "a BIF file: save it as one from GeNIe")
	case strings.HasPrefix(s, "<"):
		return refuse("XML, such as XMLBIF", "a BIF file of text: in Python, pgmpy.readwrite.XMLBIFReader and BIFWriter convert it")
	case strings.HasPrefix(s, "{") || strings.HasPrefix(s, "["):
		return refuse("JSON", "a BIF file")
	case strings.HasPrefix(s, "%"): // a comment of Hugin
		f := otherFormats["net"]
		return refuse(f.name, f.want)
	}
	return b, nil
}

// otherFormat is a kind of file for networks that is not read, and what to do.
type otherFormat struct{ name, want string }

// otherFormats are known by their first word.
var otherFormats = func() map[string]otherFormat {
	net := otherFormat{"a network of Hugin (NET)", `a BIF file: in R, bnlearn::write.bif("n.bif", bnlearn::read.net("n.net"))`}
	dsc := otherFormat{"a network in DSC", `a BIF file: in R, bnlearn::write.bif("n.bif", bnlearn::read.dsc("n.dsc"))`}
	uai := otherFormat{"a network in the UAI format, which has no names", "a BIF file, with names of nodes and states: in " +
		"Python, pgmpy.readwrite.UAIReader and BIFWriter convert it"}
	return map[string]otherFormat{"net": net, "class": net, "node": net, "belief": dsc, "bayes": uai, "markov": uai,
		"bnet":    {"a network of Netica (dne)", "a BIF file: save it as one from Netica"},
		"digraph": {"a graph of Graphviz (dot)", "a BIF file, with the states of every node"}}
}()
