module

public import VerifiedTok.Spec.Boundary
public import VerifiedTok.Thm.Decode

public section

/-!
# Places that merges do not cross

The run on a list that merges do not cross at a place is two runs, side by side (`Apart.mergeAll_eq`);
a place that is left open in the outcome was never crossed (`RankedBpe.split`); and whether it is
crossed depends only on its two sides up to their next such place (`Apart.glue`).
-/

namespace VerifiedTok

/-- **If no merge crosses, each side is merged alone.** -/
theorem Apart.mergeAll_eq {t : Table} {A B : List Token} (h : Apart t A B) :
    mergeAll t (A ++ B) = mergeAll t A ++ mergeAll t B := by
  induction h with
  | stop h =>
    have ⟨hA, hB⟩ := h.of_append
    rw [h.mergeAll_eq, hA.mergeAll_eq, hB.mergeAll_eq]
  | left ho hi _ ih =>
    rw [ho.mergeAll_eq, mergeAt_append_left _ hi, ih, (ho.of_append_left hi).mergeAll_eq]
  | right ho _ ih =>
    rw [ho.mergeAll_eq, mergeAt_append_right, ih, ho.of_append_right.mergeAll_eq]

/-! ## The next step of a run that does not cross -/

theorem Apart.not_cross {t : Table} {A B : List Token} (h : Apart t A B) {i : Nat} {c : Token}
    (ho : Optimal t (A ++ B) i c) : i + 1 ≠ A.length := by
  cases h with
  | stop hs => exact absurd hs ho.not_stuck
  | left ho' hi _ => have := (ho.unique ho').1; omega
  | right ho' _ => have := (ho.unique ho').1; omega

theorem Apart.step_left {t : Table} {A B : List Token} (h : Apart t A B) {i : Nat} {c : Token}
    (ho : Optimal t (A ++ B) i c) (hi : i + 1 < A.length) : Apart t (mergeAt A i c) B := by
  cases h with
  | stop hs => exact absurd hs ho.not_stuck
  | left ho' _ h' => obtain ⟨rfl, rfl⟩ := ho.unique ho'; exact h'
  | right ho' _ => have := (ho.unique ho').1; omega

theorem Apart.step_right {t : Table} {A B : List Token} (h : Apart t A B) {i : Nat} {c : Token}
    (ho : Optimal t (A ++ B) (A.length + i) c) : Apart t A (mergeAt B i c) := by
  cases h with
  | stop hs => exact absurd hs ho.not_stuck
  | left ho' hi _ => have := (ho.unique ho').1; omega
  | right ho' h' =>
    obtain ⟨e, rfl⟩ := ho.unique ho'
    have := Nat.add_left_cancel e
    subst this
    exact h'

/-! ## Places that are open in the outcome -/

theorem exists_append {ts : List Token} {n : Nat} (h : n ≤ ts.length) :
    ∃ A B, ts = A ++ B ∧ A.length = n :=
  ⟨ts.take n, ts.drop n, (List.take_append_drop n ts).symm, List.length_take_of_le h⟩

/-- A part of a list after a merge comes from a part of the list before it. -/
theorem mergeAt_eq_append {ts A B : List Token} {i : Nat} {c : Token} (hi : i + 1 < ts.length)
    (h : mergeAt ts i c = A ++ B) :
    (∃ A', ts = A' ++ B ∧ i + 1 < A'.length ∧ mergeAt A' i c = A) ∨
      (∃ B' j, ts = A ++ B' ∧ i = A.length + j ∧ mergeAt B' j c = B) := by
  have hlen := congrArg List.length h
  have hm := length_mergeAt (c := c) hi
  rw [List.length_append] at hlen
  by_cases hA : i < A.length
  · obtain ⟨A', B', rfl, hl⟩ := exists_append (ts := ts) (n := A.length + 1) (by omega)
    have hi' : i + 1 < A'.length := by omega
    have hm' := length_mergeAt (c := c) hi'
    rw [mergeAt_append_left _ hi'] at h
    obtain ⟨e, rfl⟩ := List.append_inj h (by omega)
    exact .inl ⟨A', rfl, hi', e⟩
  · obtain ⟨A', B', rfl, hl⟩ := exists_append (ts := ts) (n := A.length) (by omega)
    obtain ⟨j, rfl⟩ := Nat.exists_eq_add_of_le (show A'.length ≤ i by omega)
    rw [mergeAt_append_right] at h
    obtain ⟨rfl, e⟩ := List.append_inj h hl
    exact .inr ⟨B', j, rfl, rfl, e⟩

/-- **A place that is open in the outcome was never crossed**: the two parts of the outcome are the
outcomes of two parts of the start. -/
theorem RankedBpe.split {t : Table} {ts out : List Token} (h : RankedBpe t ts out) :
    ∀ {X Y : List Token}, out = X ++ Y →
      ∃ A B, ts = A ++ B ∧ Apart t A B ∧ RankedBpe t A X ∧ RankedBpe t B Y := by
  induction h with
  | stop h =>
    rintro X Y rfl
    exact ⟨X, Y, rfl, .stop h, .stop h.of_append.1, .stop h.of_append.2⟩
  | step ho _ ih =>
    intro X Y hout
    obtain ⟨A, B, hts, hap, hA, hB⟩ := ih hout
    rcases mergeAt_eq_append ho.lt_length hts with ⟨A', rfl, hi, rfl⟩ | ⟨B', j, rfl, rfl, rfl⟩
    · exact ⟨A', B, rfl, .left ho hi hap, .step (ho.of_append_left hi) hA, hB⟩
    · exact ⟨A, B', rfl, .right ho hap, hA, .step ho.of_append_right hB⟩

/-! ## Places side by side -/

/-- **Two places that are not crossed make a third**: if merges do not cross between `A` and `M` when
nothing follows `M`, nor between `M` and `B` when nothing precedes `M`, then they do not cross between
`A` and `M` when `B` follows. -/
theorem Apart.glue {t : Table} : ∀ {A M B : List Token}, Apart t A M → Apart t M B → M ≠ [] →
    Apart t A (M ++ B)
  | A, M, B, hAM, hMB, hM => by
    have hpos := List.length_pos_iff.mpr hM
    rcases stuck_or_optimal t (A ++ (M ++ B)) with hst | ⟨i, c, ho⟩
    · exact .stop hst
    have hlt := ho.lt_length
    simp only [List.length_append] at hlt
    by_cases hi : i < A.length
    · -- the merge touches `A`: it is the optimal one of `A ++ M`
      have hoAM : Optimal t (A ++ M) i c := by
        rw [← List.append_assoc] at ho
        exact ho.of_append_left (by rw [List.length_append]; omega)
      have hc := hAM.not_cross hoAM
      have hi' : i + 1 < A.length := by omega
      have := length_mergeAt (c := c) hi'
      exact .left ho hi' (glue (hAM.step_left hoAM hi') hMB hM)
    obtain ⟨j, rfl⟩ := Nat.exists_eq_add_of_le (Nat.le_of_not_lt hi)
    have hoMB := ho.of_append_right
    by_cases hj : j < M.length
    · -- the merge touches `M`: it is the optimal one of `A ++ M` and of `M ++ B`
      have hc := hMB.not_cross hoMB
      have hj' : j + 1 < M.length := by omega
      have hoAM : Optimal t (A ++ M) (A.length + j) c := by
        rw [← List.append_assoc] at ho
        exact ho.of_append_left (by rw [List.length_append]; omega)
      have hlen := length_mergeAt (c := c) hj'
      refine .right ho ?_
      rw [mergeAt_append_left _ hj']
      exact glue (hAM.step_right hoAM) (hMB.step_left hoMB hj')
        (List.length_pos_iff.mp (by omega))
    · -- the merge lies in `B`
      obtain ⟨l, rfl⟩ := Nat.exists_eq_add_of_le (Nat.le_of_not_lt hj)
      have hlen := length_mergeAt (c := c) hoMB.of_append_right.lt_length
      refine .right ho ?_
      rw [mergeAt_append_right]
      exact glue hAM (hMB.step_right hoMB) hM
termination_by A M B => A.length + M.length + B.length
decreasing_by
  all_goals omega

end VerifiedTok
