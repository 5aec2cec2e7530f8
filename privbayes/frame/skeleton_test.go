package frame

import (
	"errors"
	"strings"
	"testing"
)

// A file without a header has no skeleton: the error says which field is no name, and nothing of what it says.
func TestSkeletonOfHeaderlessFile(t *testing.T) {
	for text, why := range map[string]string{
		"39,State-gov,77516,Bachelors\n": "field 1 is a number", "a,-7\n": "field 2 is a number",
		"a,5.25\n": "field 2 is a number", "a,1e5\n": "field 2 is a number",
		"a,?\n": "field 2 is a mark of missing values", "a,b,1987-06-05\n": "field 3 is a date",
		"a,7\n": "field 2 is a number", "9,8,7\n": "field 1 is a number", "1,1\n": "field 1 is a number",
	} {
		_, err := SchemaSkeleton(strings.NewReader(text), "towns")
		var e *FileError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "header line") {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for _, value := range strings.Split(strings.TrimSpace(text), ",") {
			if len(value) > 1 && strings.Contains(err.Error(), value) {
				t.Errorf("%q: the error tells %q", text, value)
			}
		}
	}
	if _, err := SchemaSkeleton(strings.NewReader("a;5,25\n"), "t", WithFormat(Format{Separator: ";", Decimal: ","})); err ==
		nil || !strings.Contains(err.Error(), "field 2 is a number") {
		t.Errorf("a decimal comma: %v", err)
	}
	for _, text := range []string{"age,sex\n", "country,1990,1995,2021\n", "id,1,2,3\n", "id,1,2\n", "x1,x2,3d\n", "name,2020\n",
		"week,10,20,30\n"} {
		if _, err := SchemaSkeleton(strings.NewReader(text), "towns"); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A quote that opens in the header and closes in a row is no blank at the end of a name.
func TestSkeletonOfAnOpenQuote(t *testing.T) {
	for text, want := range map[string]string{
		"\"k\nSecret,7\nb\n\",x\n": "has a line feed", "k,\"x\nSecret\"\n": "has a line feed", "k ,x\n": `"trim": true`,
	} {
		if _, err := SchemaSkeleton(strings.NewReader(text), "t"); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "Secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
