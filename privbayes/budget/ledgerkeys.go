package budget

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/strictjson"
)

// uniqueKeys refuses a text that is not UTF-8, and objects with a key twice or spelt other than in small letters, as
// ledgers write them.
func uniqueKeys(b []byte) error {
	if !utf8.Valid(b) {
		return errors.New("bytes that are not UTF-8")
	}
	if strictjson.Shallow(b) != nil {
		return fmt.Errorf("no JSON value with at most %d brackets in each other", strictjson.MaxDepth)
	}
	if !json.Valid(b) {
		return errors.New("no JSON value")
	}
	v, err := strictjson.Read(b, false)
	var twice *strictjson.KeyError
	switch {
	case errors.As(err, &twice):
		return fmt.Errorf("field %.40q twice", twice.Key)
	case err != nil:
		return err
	}
	return smallKeys(v)
}

// smallWord reports whether a key is of small letters and underscores.
func smallWord(key string) bool {
	return key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// smallKeys refuses keys that are not of small letters: encoding/json would take "ID" for "id".
func smallKeys(v any) error {
	switch x := v.(type) {
	case map[string]any:
		for key, value := range x {
			if !smallWord(key) {
				return fmt.Errorf("unknown field %.40q", key)
			}
			if err := smallKeys(value); err != nil {
				return err
			}
		}
	case []any:
		for _, value := range x {
			if err := smallKeys(value); err != nil {
				return err
			}
		}
	}
	return nil
}
