package dp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// uniqueKeys refuses a text that is not UTF-8, and objects with a key twice or spelt other than in small letters, as ledgers write them.
func uniqueKeys(b []byte) error {
	if !utf8.Valid(b) {
		return errors.New("bytes that are not UTF-8")
	}
	if !json.Valid(b) { // also bounds the depth
		return errors.New("no JSON value")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	return uniqueIn(d)
}

// uniqueIn checks the next value.
func uniqueIn(d *json.Decoder) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	switch t {
	case json.Delim('{'):
		seen := map[string]bool{}
		for d.More() {
			k, err := d.Token()
			if err != nil {
				return err
			}
			key, _ := k.(string)
			switch {
			case seen[key]:
				return fmt.Errorf("field %.40q twice", key)
			case strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") != "":
				return fmt.Errorf("unknown field %.40q", key)
			}
			seen[key] = true
			if err := uniqueIn(d); err != nil {
				return err
			}
		}
	case json.Delim('['):
		for d.More() {
			if err := uniqueIn(d); err != nil {
				return err
			}
		}
	default:
		return nil
	}
	_, err = d.Token() // the closing bracket
	return err
}
