package cert

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// Number is a float64 whose JSON form also covers the infinities and NaN, as the strings "inf", "-inf" and "nan".
// Finite values keep full precision.
type Number float64

// MarshalJSON implements json.Marshaler.
func (x Number) MarshalJSON() ([]byte, error) {
	switch v := float64(x); {
	case math.IsInf(v, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-inf"`), nil
	case math.IsNaN(v):
		return []byte(`"nan"`), nil
	default:
		return json.Marshal(v)
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (x *Number) UnmarshalJSON(b []byte) error {
	switch string(bytes.TrimSpace(b)) {
	case `"inf"`:
		*x = Number(math.Inf(1))
	case `"-inf"`:
		*x = Number(math.Inf(-1))
	case `"nan"`:
		*x = Number(math.NaN())
	default:
		var v float64
		if err := json.Unmarshal(b, &v); err != nil {
			return fmt.Errorf("cert: number: want a JSON number, \"inf\", \"-inf\" or \"nan\", have %.40s", b)
		}
		*x = Number(v)
	}
	return nil
}
