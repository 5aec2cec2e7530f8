//go:build !permissive

package data

import "embed"

//go:embed files schemas
var embedded embed.FS
