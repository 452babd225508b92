module

public import VerifiedTok.Spec.Rounds
public import VerifiedTok.Thm.Boundary

public section

/-!
# Runs restricted to a block

Cut any list of a run in two: the run before it, restricted to either side, is itself a run.
-/

namespace VerifiedTok

theorem Steps.ranked {t : Table} {ts us out : List Token} (h : Steps t ts us) (hr : RankedBpe t us out) :
    RankedBpe t ts out := by
  induction h with
  | refl => exact hr
  | step _ ho ih => exact ih (.step ho hr)

/-- The rest of a run, from a list that it meets. -/
theorem RankedBpe.of_steps {t : Table} {ts us out : List Token} (hr : RankedBpe t ts out)
    (h : Steps t ts us) : RankedBpe t us out := by
  induction h with
  | refl => exact hr
  | step _ ho ih =>
    cases ih with
    | stop hst => exact absurd hst ho.not_stuck
    | step ho' hr' => obtain ⟨rfl, rfl⟩ := ho.unique ho'; exact hr'

theorem Steps.trans {t : Table} {ts us vs : List Token} (h : Steps t ts us) (h' : Steps t us vs) :
    Steps t ts vs := by
  induction h' with
  | refl => exact h
  | step _ ho ih => exact .step ih ho

theorem RankedBpe.steps {t : Table} {ts out : List Token} (h : RankedBpe t ts out) : Steps t ts out := by
  induction h with
  | stop _ => exact .refl
  | step ho _ ih => exact (Steps.step .refl ho).trans ih

/-- The first step of a run. -/
theorem Steps.head {t : Table} {ts us : List Token} (h : Steps t ts us) :
    us = ts ∨ ∃ i c, Optimal t ts i c ∧ Steps t (mergeAt ts i c) us := by
  induction h with
  | refl => exact .inl rfl
  | step hs ho ih =>
    rcases ih with rfl | ⟨i, c, ho', hs'⟩
    · exact .inr ⟨_, _, ho, .refl⟩
    · exact .inr ⟨i, c, ho', hs'.step ho⟩

theorem Steps.cons {t : Table} {ts us : List Token} {i : Nat} {c : Token} (ho : Optimal t ts i c)
    (h : Steps t (mergeAt ts i c) us) : Steps t ts us :=
  (Steps.refl.step ho).trans h

theorem Steps.length_le {t : Table} {ts us : List Token} (h : Steps t ts us) : us.length ≤ ts.length := by
  induction h with
  | refl => exact Nat.le_refl _
  | @step us i c _ ho ih => have := length_mergeAt (c := c) ho.lt_length; omega

/-- A list with a rule that applies at `i`, taken apart. -/
theorem Selected.split {t : Table} {ts : List Token} {i k : Nat} {c : Token} (h : Selected t ts i k c) :
    ∃ u a b v, ts = u ++ a :: b :: v ∧ u.length = i ∧ t.look a b = some (k, c) := by
  have hlt := h.lt_length
  obtain ⟨a, b, ⟨ha, hb⟩, hl⟩ := h
  obtain ⟨_, ha⟩ := List.getElem?_eq_some_iff.mp ha
  obtain ⟨_, hb⟩ := List.getElem?_eq_some_iff.mp hb
  refine ⟨ts.take i, a, b, ts.drop (i + 2), ?_, by simp; omega, hl⟩
  rw [← ha, ← hb, ← List.drop_eq_getElem_cons, ← List.drop_eq_getElem_cons, List.take_append_drop]

theorem selected_middle {t : Table} {u v : List Token} {a b : Token} {k : Nat} {c : Token}
    (h : t.look a b = some (k, c)) : Selected t (u ++ a :: b :: v) u.length k c := by
  have := Selected.append_right (t := t) u (selected_zero.mpr h : Selected t (a :: b :: v) 0 k c)
  exact this

theorem mergeAt_middle (u v : List Token) (a b c : Token) :
    mergeAt (u ++ a :: b :: v) u.length c = u ++ c :: v := by
  have := mergeAt_append_right u (B := a :: b :: v) (i := 0) (c := c)
  exact this

/-- **A run restricted to the blocks of a cut.** -/
theorem Steps.of_append {t : Table} {ts us : List Token} (h : Steps t ts us) : ∀ {u v : List Token},
    us = u ++ v → ∃ ts₁ ts₂, ts = ts₁ ++ ts₂ ∧ Steps t ts₁ u ∧ Steps t ts₂ v := by
  induction h with
  | refl => rintro u v rfl; exact ⟨u, v, rfl, .refl, .refl⟩
  | step _ ho ih =>
    intro u v he
    rcases mergeAt_eq_append ho.lt_length he with ⟨x, rfl, hi, rfl⟩ | ⟨x, j, rfl, rfl, rfl⟩
    · obtain ⟨ts₁, ts₂, rfl, h₁, h₂⟩ := ih rfl
      exact ⟨ts₁, ts₂, rfl, .step h₁ (ho.of_append_left hi), h₂⟩
    · obtain ⟨ts₁, ts₂, rfl, h₁, h₂⟩ := ih rfl
      exact ⟨ts₁, ts₂, rfl, h₁, .step h₂ ho.of_append_right⟩

theorem Reachable.of_append {t : Table} {init : Token → Prop} {u v : List Token}
    (h : Reachable t init (u ++ v)) : Reachable t init u ∧ Reachable t init v := by
  obtain ⟨w, hw, hs⟩ := h
  obtain ⟨w₁, w₂, rfl, h₁, h₂⟩ := hs.of_append rfl
  exact ⟨⟨w₁, fun s hs => hw s (List.mem_append_left _ hs), h₁⟩,
    ⟨w₂, fun s hs => hw s (List.mem_append_right _ hs), h₂⟩⟩

/-- **Any block of a list that a run meets is met by a run on its own.** -/
theorem Reachable.middle {t : Table} {init : Token → Prop} {u m v : List Token}
    (h : Reachable t init (u ++ m ++ v)) : Reachable t init m :=
  h.of_append.1.of_append.2

theorem Reachable.step {t : Table} {init : Token → Prop} {us : List Token} {i : Nat} {c : Token}
    (h : Reachable t init us) (ho : Optimal t us i c) : Reachable t init (mergeAt us i c) := by
  obtain ⟨w, hw, hs⟩ := h
  exact ⟨w, hw, hs.step ho⟩

end VerifiedTok
