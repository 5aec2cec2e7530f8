package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/prove"
	"github.com/privbayes/privbayes-go/internal/num"
)

// enclosures writes intervals of the exponential function and the logarithm, which interval checks of certificates are
// made of, at float64 arguments of all sizes that certificates meet.
func enclosures() (file, error) {
	var exps, logs []string
	add := func(list *[]string, x float64, i num.Interval, terms, pieces int) error {
		if !(i.Lo > 0 && i.Lo < i.Hi) || math.IsInf(i.Hi, 0) {
			return fmt.Errorf("no enclosure at %v: %v", x, i)
		}
		*list = append(*list, fmt.Sprintf("(%d%%nat, %d%%nat, %s, %s, %s)", terms, pieces, prove.Fraction(x),
			prove.Fraction(i.Lo), prove.Fraction(i.Hi)))
		return nil
	}
	for _, x := range []float64{0x1p-20, .001, .1, .25, .5, math.Log(2), 1, 1.5, 2, math.Pi, 5, 8.25} {
		if err := add(&exps, x, num.Point(x).Exp(), 40+int(6*x), int(x)+1); err != nil {
			return file{}, err
		}
	}
	for _, y := range []float64{1 + 0x1p-20, 1.001, 1.1, 1.5, 2, math.E, 3, 7, 10, 100, 12345.678} {
		i := num.Point(y).Log()
		if err := add(&logs, y, i, 40+int(6*i.Hi), int(i.Hi)+1); err != nil {
			return file{}, err
		}
	}
	return file{"Enclosures.v", written + `Enclosures of e^x and of ln y in float64,
   at float64 arguments: how many terms of the series and how many factors decide, the argument, the two ends. *)
From Coq Require Import ZArith List Reals.
From PrivBayes Require Import ExpEnclosure.
Import ListNotations.
Open Scope Z_scope.

Definition exps : list (nat * nat * (Z * Z) * (Z * Z) * (Z * Z)) := [
` + strings.Join(exps, ";\n") + `].
Definition logs : list (nat * nat * (Z * Z) * (Z * Z) * (Z * Z)) := [
` + strings.Join(logs, ";\n") + `].
Theorem exps_checked : forallb (fun '(k, m, x, lo, hi) => exp_enclosed k 10 m x lo hi) exps = true.
Proof. vm_compute. reflexivity. Qed.
Theorem logs_checked : forallb (fun '(k, m, y, lo, hi) => log_enclosed k 10 m y lo hi) logs = true.
Proof. vm_compute. reflexivity. Qed.
Theorem exps_enclosed k m x lo hi : In (k, m, x, lo, hi) exps -> (value lo <= exp (value x) <= value hi)%R.
Proof.
  intros H. pose proof (proj1 (forallb_forall _ _) exps_checked _ H) as C. exact (exp_enclosed_sound _ _ _ _ _ _ C).
Qed.
Theorem logs_enclosed k m y lo hi : In (k, m, y, lo, hi) logs -> (value lo <= ln (value y) <= value hi)%R.
Proof.
  intros H. pose proof (proj1 (forallb_forall _ _) logs_checked _ H) as C. exact (log_enclosed_sound _ _ _ _ _ _ C).
Qed.
`}, nil
}
