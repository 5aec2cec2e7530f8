package release

// Files of every kind of the library load.
import _ "github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
