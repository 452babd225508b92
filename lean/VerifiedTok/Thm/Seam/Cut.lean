module

public import VerifiedTok.Spec.Seam
public import VerifiedTok.Thm.Pattern
public import VerifiedTok.Thm.Seam.Matches

public section

/-!
# Cutting at a place that the matcher does not see across

True for every matcher, so for patterns and for added-token literals alike.
-/

namespace VerifiedTok

variable {α : Type} {m : List α → Option Nat}

/-- **If inside `A` the matcher does not notice `B`, the segments of `A ++ B` are those of `A` and of `B`**,
two gaps that meet being one. -/
theorem cut_append (hm : Bounded m) {A B : List α} (h : Unaware m A B) :
    cut m (A ++ B) = glue (cut m A) (cut m B) := by
  generalize hk : A.length = k
  induction k using Nat.strongRecOn generalizing A with
  | _ k ih =>
    cases A with
    | nil => rfl
    | cons x xs =>
      simp only [List.length_cons] at hk
      have h0 : m (x :: (xs ++ B)) = m (x :: xs) := h (x :: xs) (List.suffix_refl _) (by simp)
      have hxs : cut m (xs ++ B) = glue (cut m xs) (cut m B) :=
        ih xs.length (by omega) (fun u hu => h u (hu.trans (List.suffix_cons x xs))) rfl
      rw [List.cons_append]
      cases hf : m (x :: xs) with
      | none => rw [cut_none (h0.trans hf), cut_none hf, hxs, glue_assoc]
      | some n =>
        cases n with
        | zero => rw [cut_empty (h0.trans hf), cut_empty hf, hxs, glue_match, glue_assoc]
        | succ n =>
          have hle := hm _ _ hf
          simp only [List.length_cons] at hle
          have hd : cut m (xs.drop n ++ B) = glue (cut m (xs.drop n)) (cut m B) :=
            ih (xs.drop n).length (by rw [List.length_drop]; omega)
              (fun u hu => h u ((hu.trans (List.drop_suffix n xs)).trans (List.suffix_cons x xs))) rfl
          rw [cut_match (h0.trans hf), cut_match hf, glue_match, List.take_append_of_le_length (by omega),
            List.drop_append_of_le_length (by omega), hd]

/-- The last segment of a text: it ends as the text does; a match there reached the end of the text, a gap
there means that nothing begins at the last character. -/
theorem cut_last (hm : Bounded m) {A : List α} {x : α} (hl : A.getLast? = some x) :
    ∃ X b w, cut m A = X ++ [(b, w)] ∧ w.getLast? = some x ∧
      (b = true → ∃ u, u.getLast? = some x ∧ m u = some u.length) ∧
      (b = false → ∀ n, m [x] ≠ some (n + 1)) := by
  generalize hk : A.length = k
  induction k using Nat.strongRecOn generalizing A with
  | _ k ih =>
    cases A with
    | nil => simp at hl
    | cons a xs =>
      simp only [List.length_cons] at hk
      have gap : ∀ pre : List (Segment α), cut m (a :: xs) = pre ++ glue [(false, [a])] (cut m xs) →
          (∀ n, m (a :: xs) ≠ some (n + 1)) → ∃ X b w, cut m (a :: xs) = X ++ [(b, w)] ∧ w.getLast? = some x ∧
          (b = true → ∃ u, u.getLast? = some x ∧ m u = some u.length) ∧
          (b = false → ∀ n, m [x] ≠ some (n + 1)) := by
        intro pre hc hn
        cases xs with
        | nil =>
          simp only [List.getLast?_singleton, Option.some.injEq] at hl
          subst hl
          exact ⟨pre, false, [a], hc, by simp, by simp, fun _ => hn⟩
        | cons b ys =>
          rw [List.getLast?_cons_cons] at hl
          obtain ⟨X, c, w, hX, hw, h1, h2⟩ := ih (b :: ys).length (by omega) hl rfl
          rw [hc, hX]
          rcases X with _ | ⟨⟨_ | _, z⟩, X⟩
          · cases c with
            | true => exact ⟨pre ++ [(false, [a])], true, w, by simp [glue_gap_match], hw, h1, h2⟩
            | false =>
              refine ⟨pre, false, a :: w, by simp [glue_gap_gap], ?_, by simp, h2⟩
              rw [List.getLast?_cons, hw]; rfl
          · exact ⟨pre ++ (false, a :: z) :: X, c, w, by simp [glue_gap_gap], hw, h1, h2⟩
          · exact ⟨pre ++ (false, [a]) :: (true, z) :: X, c, w, by simp [glue_gap_match], hw, h1, h2⟩
      cases hf : m (a :: xs) with
      | none => exact gap [] (cut_none hf) (by simp [hf])
      | some n =>
        cases n with
        | zero => exact gap [(true, [])] (cut_empty hf) (by simp [hf])
        | succ n =>
          have hle := hm _ _ hf
          simp only [List.length_cons] at hle
          rw [cut_match hf]
          rcases Nat.lt_or_ge n xs.length with hlt | hge
          · have hd : (xs.drop n).getLast? = some x := by
              have : (a :: xs).drop (n + 1) = xs.drop n := rfl
              rw [← this]
              exact getLast?_drop_of_lt hl (by simp only [List.length_cons]; omega)
            obtain ⟨X, c, w, hX, hw, h1, h2⟩ := ih (xs.drop n).length (by rw [List.length_drop]; omega) hd rfl
            exact ⟨(true, a :: xs.take n) :: X, c, w, by rw [hX]; rfl, hw, h1, h2⟩
          · obtain rfl : n = xs.length := by omega
            refine ⟨[], true, a :: xs, by simp [cut_nil], hl, fun _ => ⟨a :: xs, hl, by simpa using hf⟩, by simp⟩

/-- The first segment of a text: it begins as the text does, unless it is an empty match. -/
theorem cut_first {B : List α} {y : α} (hh : B.head? = some y) :
    ∃ b w Y, cut m B = (b, w) :: Y ∧ (w.head? = some y ∨ (b = true ∧ w = [])) ∧
      (b = true → (∃ n, m B = some (n + 1)) ∨ m B = some 0) ∧ (b = false → m B = none) := by
  cases B with
  | nil => simp at hh
  | cons a xs =>
    simp only [List.head?_cons, Option.some.injEq] at hh
    subst hh
    cases hf : m (a :: xs) with
    | none =>
      rw [cut_none hf]
      rcases cut m xs with _ | ⟨⟨_ | _, z⟩, X⟩
      · exact ⟨false, [a], [], rfl, Or.inl rfl, by simp, fun _ => rfl⟩
      · exact ⟨false, a :: z, X, rfl, Or.inl rfl, by simp, fun _ => rfl⟩
      · exact ⟨false, [a], (true, z) :: X, rfl, Or.inl rfl, by simp, fun _ => rfl⟩
    | some n =>
      cases n with
      | zero => exact ⟨true, [], _, cut_empty hf, Or.inr ⟨rfl, rfl⟩, fun _ => Or.inr rfl, by simp⟩
      | succ n => exact ⟨true, _, _, cut_match hf, Or.inl rfl, fun _ => Or.inl ⟨n, rfl⟩, by simp⟩

/-- Glue only appends, unless two gaps meet. -/
theorem glue_snoc_cons (X Y : List (Segment α)) (b c : Bool) (g h : List α) :
    glue (X ++ [(b, g)]) ((c, h) :: Y) =
      if b || c then (X ++ [(b, g)]) ++ (c, h) :: Y else X ++ (false, g ++ h) :: Y := by
  induction X with
  | nil => cases b <;> cases c <;> rfl
  | cons x X ih =>
    have : ∃ z Z, X ++ [(b, g)] = z :: Z := by cases X <;> simp
    obtain ⟨z, Z, hz⟩ := this
    rw [List.cons_append, hz, glue_cons_cons, ← hz, ih]
    split <;> rfl

end VerifiedTok
