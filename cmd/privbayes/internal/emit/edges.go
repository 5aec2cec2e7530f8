package main

import (
	"strings"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/prove"
	"github.com/privbayes/privbayes-go/internal/hellinger"
)

// priors are the grid: every value is a float64, a rational with a power of two below.
var priors = [][]float64{
	{1, 1, 1}, {.5, .5, .5}, {7, 4, 5}, {1. / 3, 1. / 3, 1. / 3}, {.1, .2, .3}, {1, 2, 3, 4}, {.01, 1, 100},
	{.25, .25, .25, .25}, {12.5, 3.75, 8}, {1000, 2000, 1500}, {50, .5, 5},
}

// edges writes the float64 that bound the global sensitivity of the Hellinger score and the constant γ⁺ of its local
// one, for every prior of the grid; with three cells or more neither depends on the number of records.
func edges() (file, error) {
	var global, step []string
	for _, alpha := range priors {
		s, err := hellinger.New(alpha, 100)
		if err != nil {
			return file{}, err
		}
		cells, least := make([]string, len(alpha)), alpha[0]
		for i, a := range alpha {
			cells[i] = prove.Fraction(a)
			least = min(least, a)
		}
		global = append(global, "("+prove.List(cells)+", "+prove.Dyadic(s.GlobalUpper())+")")
		step = append(step, "("+prove.Fraction(least)+", "+prove.Dyadic(s.GammaPlusUpper())+")")
	}
	return file{"Sensitivities.v", written + `For every prior of a grid, the numbers u/2^s that
   the Hellinger mechanism takes for the global sensitivity and for gamma+. *)
From Coq Require Import ZArith List.
From PrivBayes Require Import EdgePrior StepCheck.
Import ListNotations.
Open Scope Z_scope.

Definition global : list (list (Z * Z) * (Z * nat)) := [
` + strings.Join(global, ";\n") + `].
Definition step : list ((Z * Z) * (Z * nat)) := [
` + strings.Join(step, ";\n") + `].
Theorem global_checked : forallb (fun e => prior_ok 120 (fst e) (fst (snd e)) (snd (snd e))) global = true.
Proof. vm_compute. reflexivity. Qed.
Theorem step_checked :
  forallb (fun e => step_ok 400 128 (fst (fst e)) (snd (fst e)) (fst (snd e)) (snd (snd e))) step = true.
Proof. vm_compute. reflexivity. Qed.
`}, nil
}
