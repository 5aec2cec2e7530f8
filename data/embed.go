//go:build !permissive && !browser

package data

import "embed"

//go:embed files schemas
var embedded embed.FS
