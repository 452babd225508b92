module

public import VerifiedTok.Spec.Seam
public import VerifiedTok.Thm.Pattern

public section

/-!
# Behaviours at a cut

How the pieces of a whole text relate to the pieces of its two parts, given how the segments do.
-/

namespace VerifiedTok

variable {α : Type}

/-- A list is two lists joined, but for one element of the whole that may have been cut between `x` and `y`. -/
@[expose] def Meets (x y : α) (P Q R : List (List α)) : Prop :=
  R = P ++ Q ∨ ∃ P' g h Q', P = P' ++ [g] ∧ Q = h :: Q' ∧ R = P' ++ (g ++ h) :: Q' ∧
    g.getLast? = some x ∧ h.head? = some y

theorem getLast?_append_of {g : List α} {x : α} (h : g.getLast? = some x) (pre : List α) :
    (pre ++ g).getLast? = some x := by
  rw [List.getLast?_append, h]; rfl

theorem head?_append_of {h : List α} {y : α} (hh : h.head? = some y) (post : List α) :
    (h ++ post).head? = some y := by
  rw [List.head?_append, hh]; rfl

/-- What merging does after a segment does not depend on the text before it. -/
theorem merge_state (j : Bool → Bool → Bool) (b : Bool) (X : List (Segment α)) :
    ∃ P pre, ∀ g Y, merge j (X ++ (b, g) :: Y) = P ++ mergeFrom j (b, pre ++ g) Y := by
  cases X with
  | nil => exact ⟨[], [], fun _ _ => rfl⟩
  | cons x X =>
    obtain ⟨a, s⟩ := x
    simp only [List.cons_append, merge]
    induction X generalizing a s with
    | nil =>
      cases hj : j a b with
      | true => exact ⟨[], s, fun g Y => by simp [mergeFrom, hj]⟩
      | false => exact ⟨[s], [], fun g Y => by simp [mergeFrom, hj]⟩
    | cons x X ih =>
      obtain ⟨c, t⟩ := x
      simp only [List.cons_append, mergeFrom]
      split
      · exact ih c (s ++ t)
      · obtain ⟨P, pre, h⟩ := ih c t
        exact ⟨s :: P, pre, fun g Y => by rw [h, List.cons_append]⟩

/-- The first piece grows with what is put before it, and nothing else changes. -/
theorem mergeFrom_prefix (j : Bool → Bool → Bool) (b : Bool) (t : List α) (Y : List (Segment α)) :
    ∃ post Q, ∀ w, mergeFrom j (b, w ++ t) Y = (w ++ (t ++ post)) :: Q := by
  induction Y generalizing b t with
  | nil => exact ⟨[], [], fun w => by simp [mergeFrom]⟩
  | cons y Y ih =>
    obtain ⟨c, u⟩ := y
    cases hj : j b c with
    | true =>
      obtain ⟨post, Q, h⟩ := ih c (t ++ u)
      exact ⟨u ++ post, Q, fun w => by
        rw [mergeFrom, if_pos hj, List.append_assoc, h, List.append_assoc]⟩
    | false => exact ⟨[], mergeFrom j (c, u) Y, fun w => by simp [mergeFrom, hj]⟩

theorem merge_append_of_not_joins {j : Bool → Bool → Bool} {b c : Bool} (h : j b c = false)
    (X Y : List (Segment α)) (g k : List α) :
    merge j (X ++ (b, g) :: (c, k) :: Y) = merge j (X ++ [(b, g)]) ++ merge j ((c, k) :: Y) := by
  obtain ⟨P, pre, hP⟩ := merge_state j b X
  rw [hP, hP]
  simp [mergeFrom, merge, h]

theorem merge_meets (j : Bool → Bool → Bool) {b c : Bool} {g h : List α} {x y : α} (X Y : List (Segment α))
    (hg : g.getLast? = some x) (hh : h.head? = some y) :
    Meets x y (merge j (X ++ [(b, g)])) (merge j ((c, h) :: Y)) (merge j (X ++ (b, g) :: (c, h) :: Y)) := by
  cases hj : j b c with
  | false => exact Or.inl (merge_append_of_not_joins hj X Y g h)
  | true =>
    obtain ⟨P, pre, hP⟩ := merge_state j b X
    obtain ⟨post, Q, hQ⟩ := mergeFrom_prefix j c h Y
    refine Or.inr ⟨P, pre ++ g, h ++ post, Q, ?_, ?_, ?_, getLast?_append_of hg pre, head?_append_of hh post⟩
    · rw [hP]; rfl
    · exact hQ []
    · rw [hP, mergeFrom, if_pos hj, hQ]

theorem merge_meets_one (j : Bool → Bool → Bool) {c : Bool} {g h : List α} {x y : α} (X Y : List (Segment α))
    (hg : g.getLast? = some x) (hh : h.head? = some y) :
    Meets x y (merge j (X ++ [(c, g)])) (merge j ((c, h) :: Y)) (merge j (X ++ (c, g ++ h) :: Y)) := by
  obtain ⟨P, pre, hP⟩ := merge_state j c X
  obtain ⟨post, Q, hQ⟩ := mergeFrom_prefix j c h Y
  refine Or.inr ⟨P, pre ++ g, h ++ post, Q, ?_, ?_, ?_, getLast?_append_of hg pre, head?_append_of hh post⟩
  · rw [hP]; rfl
  · exact hQ []
  · rw [hP, ← List.append_assoc, hQ]

theorem merge_append_of_never {j : Bool → Bool → Bool} (h : ∀ b c, j b c = false) (X Y : List (Segment α)) :
    merge j (X ++ Y) = merge j X ++ merge j Y := by
  have e : ∀ Z : List (Segment α), merge j Z = Z.map (·.2) := by
    intro Z
    cases Z with
    | nil => rfl
    | cons z Z =>
      simp only [merge]
      induction Z generalizing z with
      | nil => rfl
      | cons w W ih =>
        obtain ⟨b, s⟩ := z
        rw [mergeFrom, h, if_neg (by simp), ih]; rfl
  rw [e, e, e, List.map_append]

/-- Dropping empty pieces keeps the relation. -/
theorem Meets.filter {x y : α} {P Q R : List (List α)} (h : Meets x y P Q R) :
    Meets x y (P.filter fun q => !q.isEmpty) (Q.filter fun q => !q.isEmpty) (R.filter fun q => !q.isEmpty) := by
  rcases h with rfl | ⟨P', g, h, Q', rfl, rfl, rfl, hg, hh⟩
  · exact Or.inl (List.filter_append ..)
  · have hg' : g ≠ [] := by rintro rfl; simp at hg
    have hh' : h ≠ [] := by rintro rfl; simp at hh
    refine Or.inr ⟨P'.filter fun q => !q.isEmpty, g, h, Q'.filter fun q => !q.isEmpty, ?_, ?_, ?_, hg, hh⟩
    · simp [List.filter_append, hg']
    · simp [hh']
    · simp [List.filter_append, hg']

end VerifiedTok
