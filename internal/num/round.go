package num

import "math"

// Up is the next float64 above x: at least the exact value that x is the rounding of. +Inf stays.
func Up(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }

// Down is the next float64 below x: at most the exact value that x is the rounding of. −Inf stays.
func Down(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }
