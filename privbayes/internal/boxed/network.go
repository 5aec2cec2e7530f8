package boxed

// NetworkBound is a certified upper bound of the record-level ε of one draw for any network of binary nodes with Beta(α, α) priors on
// [w, 1−w] and n records: the sum over nodes of
//
//	roots: stay(0, n−1);   others: max{ stay(0, n−1), max_{s+f=n−1} enter(s) + leave(f) }
//
// (a record's effect on one family, worst on its own). Within 5–11 % of enumeration on small networks. parents[i] lists the parents
// of node i. Errors: *ParameterError, *EmptyBoxError. Source: theory/networks.md §3.4 and 7.
func NetworkBound(parents [][]int, n int, w, alpha float64) (float64, error) {
	if err := checkCount("nodes", len(parents)); err != nil {
		return 0, err
	}
	if err := checkCount("records", n); err != nil {
		return 0, err
	}
	e, err := newEvidence(w, alpha, 1)
	if err != nil {
		return 0, err
	}
	root := e.stay(0, n-1)
	inner, have := root, false
	total := 0.0
	for _, p := range parents {
		if len(p) == 0 {
			total += root
			continue
		}
		if !have {
			have = true
			inner = max(root, largest(n-1, func(s int) float64 { return e.leave(n - 1 - s) }, e.enter))
		}
		total += inner
	}
	if e.err != nil {
		return 0, e.err
	}
	return total * margin, nil
}

// lastSafe moves from safe, where over ≤ 0, towards bold, and returns a point where over ≤ 0 has been seen, within tol of one where
// it is positive; bold itself when it is safe.
func lastSafe(bold, safe, tol float64, over func(x float64) (float64, error)) (float64, error) {
	v, err := over(bold)
	if err != nil {
		return 0, err
	}
	if v <= 0 {
		return bold, nil
	}
	top := v
	v, err = over(safe)
	if err != nil {
		return 0, err
	}
	if v > 0 {
		return 0, &ParameterError{"epsilon excess", v, "no excess at the closed-form calibration"}
	}
	bottom := v
	for step := 0; ; step++ {
		width := bold - safe
		if width < 0 {
			width = -width
		}
		if width <= tol {
			return safe, nil
		}
		mid := safe + (bold-safe)/2
		if step%3 != 2 { // two secant steps, nudged towards the far end's side, then one halving
			share := -bottom / (top - bottom)
			nudge := tol / 2 / width
			if step%3 == 1 {
				nudge = -nudge
			}
			mid = safe + (bold-safe)*min(max(share+nudge, 0), 1)
		}
		if mid == safe || mid == bold {
			mid = safe + (bold-safe)/2
			if mid == safe || mid == bold {
				return safe, nil
			}
		}
		if v, err = over(mid); err != nil {
			return 0, err
		}
		if v > 0 {
			bold, top = mid, v
		} else {
			safe, bottom = mid, v
		}
	}
}
