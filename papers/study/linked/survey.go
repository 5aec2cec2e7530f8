package linked

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
)

// surveyFile names the environment variable with the file that eusilc.R writes.
const surveyFile = "PRIVBAYES_EUSILC"

// surveyed are the households of EU-SILC, and as many that are drawn from them again.
func surveyed(src rand.Source, m int) (list, again []household, err error) {
	f, err := os.Open(os.Getenv(surveyFile))
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, nil, err
	}
	key := ""
	for i, r := range rows[1:] {
		var v [8]int
		for k := range v {
			if v[k], err = strconv.Atoi(r[k+1]); err != nil {
				return nil, nil, fmt.Errorf("%s, row %d: %w", f.Name(), i+1, err)
			}
		}
		if r[0] != key {
			key, list = r[0], append(list, household{parent: codes(v[:4])})
		}
		h := &list[len(list)-1]
		h.children = append(h.children, codes(v[4:]))
	}
	l := life{rand.New(src)}
	for i := range list {
		l.keep(&list[i], m)
	}
	for range list {
		again = append(again, list[l.IntN(len(list))])
	}
	return list, again, nil
}
