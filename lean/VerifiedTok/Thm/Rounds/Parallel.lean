module

public import VerifiedTok.Thm.Rounds.Round

public section

/-!
# A round in parallel
-/

namespace VerifiedTok

/-- The choice from left to right: a hit is merged if the pair before it is not. -/
theorem taken_succ (hit : Nat → Bool) (i : Nat) :
    taken hit (i + 1) = (hit (i + 1) && !taken hit i) := by
  simp only [taken, hitsBefore]
  cases hit (i + 1) with
  | false => rfl
  | true =>
    cases hit i with
    | false => rfl
    | true =>
      rcases Nat.mod_two_eq_zero_or_one (hitsBefore hit i) with h | h
      · have h' : (hitsBefore hit i + 1) % 2 = 1 := by omega
        simp [h, h']
      · have h' : (hitsBefore hit i + 1) % 2 = 0 := by omega
        simp [h, h']

theorem taken_zero (hit : Nat → Bool) : taken hit 0 = hit 0 := by
  simp [taken, hitsBefore]

theorem taken_shift_miss {hit : Nat → Bool} (h : hit 0 = false) (i : Nat) :
    taken hit (i + 1) = taken (fun j => hit (j + 1)) i := by
  induction i with
  | zero => simp [taken_succ, taken_zero, h]
  | succ i ih => rw [taken_succ, ih, taken_succ]

theorem taken_shift_hit {hit : Nat → Bool} (h : hit 0 = true) (i : Nat) :
    taken hit (i + 2) = taken (fun j => hit (j + 2)) i := by
  induction i with
  | zero => simp [taken_succ, taken_zero, h]
  | succ i ih => rw [taken_succ, ih, taken_succ]

theorem resultAt_cons (t : Table) (k : Nat) (a : Token) (ts : List Token) (i : Nat) :
    resultAt t k (a :: ts) (i + 1) = resultAt t k ts i := by
  simp [resultAt]

theorem resultAt_miss {t : Table} {k : Nat} {a b : Token} {rest : List Token}
    (h : ∀ c, t.look a b ≠ some (k, c)) : resultAt t k (a :: b :: rest) 0 = none := by
  simp only [resultAt, List.getElem?_cons_zero, List.getElem?_cons_succ, Nat.zero_add]
  split
  · next k' c hc =>
    split
    · next hk => subst hk; exact absurd hc (h c)
    · rfl
  · rfl

/-- **A round is one step of all positions at once**, followed by squeezing out what is empty. -/
theorem round_eq_parallel (t : Table) (k : Nat) : ∀ ts : List Token,
    round t k ts = roundParallel t k ts
  | [] => by simp [round_nil, roundParallel]
  | [a] => by
    simp [round_singleton, roundParallel, List.range_succ, written, taken_zero, resultAt]
  | a :: b :: rest => by
    by_cases hl : ∃ c, t.look a b = some (k, c)
    · obtain ⟨c, hl⟩ := hl
      have ih := round_eq_parallel t k rest
      have r0 : resultAt t k (a :: b :: rest) 0 = some c := by simp [resultAt, hl]
      have hs := taken_shift_hit (hit := fun j => (resultAt t k (a :: b :: rest) j).isSome) (by simp [r0])
      simp only [resultAt_cons] at hs
      have g0 : taken (fun j => (resultAt t k (a :: b :: rest) j).isSome) 0 = true := by
        simp [taken_zero, r0]
      have g1 : taken (fun j => (resultAt t k (a :: b :: rest) j).isSome) 1 = false := by
        simp [taken_succ, g0]
      have e0 : written t k (a :: b :: rest) 0 = some c := by simp [written, g0, r0]
      have e1 : written t k (a :: b :: rest) 1 = none := by simp [written, g0]
      have e2 : ∀ i, written t k (a :: b :: rest) (i + 2) = written t k rest i := by
        intro i
        cases i with
        | zero => simp [written, g1, hs 0, resultAt_cons]
        | succ i =>
          simp only [written, Nat.add_sub_cancel, hs, resultAt_cons, ne_eq, Nat.succ_ne_zero,
            not_false_eq_true, true_and, List.getElem?_cons_succ, Nat.add_succ_sub_one]
      rw [round_hit hl, ih]
      simp only [roundParallel, List.length_cons, List.range_succ_eq_map, List.map_cons, List.map_map,
        List.filterMap_cons, e0, e1, List.filterMap_map]
      congr 2
      funext i
      exact (e2 i).symm
    · have hl' : ∀ c, t.look a b ≠ some (k, c) := fun c hc => hl ⟨c, hc⟩
      have ih := round_eq_parallel t k (b :: rest)
      have r0 := resultAt_miss (rest := rest) hl'
      have hs := taken_shift_miss (hit := fun j => (resultAt t k (a :: b :: rest) j).isSome) (by simp [r0])
      simp only [resultAt_cons] at hs
      have g0 : taken (fun j => (resultAt t k (a :: b :: rest) j).isSome) 0 = false := by
        simp [taken_zero, r0]
      have e0 : written t k (a :: b :: rest) 0 = some a := by simp [written, g0]
      have e1 : ∀ i, written t k (a :: b :: rest) (i + 1) = written t k (b :: rest) i := by
        intro i
        cases i with
        | zero => simp [written, g0, hs 0, resultAt_cons]
        | succ i =>
          simp only [written, Nat.add_sub_cancel, hs, resultAt_cons, ne_eq, Nat.succ_ne_zero,
            not_false_eq_true, true_and, List.getElem?_cons_succ]
      rw [round_miss hl', ih]
      rw [roundParallel, roundParallel, show (a :: b :: rest).length = (b :: rest).length + 1 from rfl,
        List.range_succ_eq_map, List.filterMap_cons, e0, List.filterMap_map]
      congr 2
      funext i
      exact (e1 i).symm

end VerifiedTok
