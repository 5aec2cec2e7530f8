package wholenetworks

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// streamOf is the randomness of one replicate: every point, every replicate and every use has its own, so that no two
// points see the same networks or the same noise.
func streamOf(seed uint64, of any, replicate int) *dp.Stream {
	h := sha256.Sum256(fmt.Appendf(nil, "wholenetworks %d %+v %d", seed, of, replicate))
	return dp.Seeded(binary.LittleEndian.Uint64(h[:]))
}
