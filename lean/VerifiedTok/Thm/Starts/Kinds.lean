module

public import VerifiedTok.Thm.Starts.Cut

public section

/-!
# Kinds of characters, and the ends of contractions
-/

namespace VerifiedTok.Kinds

open Pat (run Stops)

variable {α : Type} {K : Kinds α}

/-! ## Kinds -/

theorem Proper.of_letter (hK : K.Proper) {c : α} (h : K.letter c = true) : K.number c = false ∧ K.blank c = false ∧
    K.newline c = false ∧ K.space c = false ∧ K.other c = false ∧ K.plain c = false := by
  have h1 := hK.letter_number c h
  have h2 := hK.letter_blank c h
  have h3 : K.newline c = false := by
    cases hc : K.newline c with
    | false => rfl
    | true => rw [hK.newline_blank c hc] at h2; cases h2
  have h4 : K.space c = false := by
    cases hc : K.space c with
    | false => rfl
    | true => rw [hK.space_blank c hc] at h2; cases h2
  simp [h, h1, h2, h3, h4, other, plain]

theorem Proper.of_number (hK : K.Proper) {c : α} (h : K.number c = true) : K.letter c = false ∧ K.blank c = false ∧
    K.newline c = false ∧ K.space c = false ∧ K.other c = false ∧ K.plain c = false ∧ K.lead c = false := by
  have h1 : K.letter c = false := by
    cases hc : K.letter c with
    | false => rfl
    | true => rw [hK.letter_number c hc] at h; cases h
  have h2 := hK.number_blank c h
  have h3 : K.newline c = false := by
    cases hc : K.newline c with
    | false => rfl
    | true => rw [hK.newline_blank c hc] at h2; cases h2
  have h4 : K.space c = false := by
    cases hc : K.space c with
    | false => rfl
    | true => rw [hK.space_blank c hc] at h2; cases h2
  simp [h, h1, h2, h3, h4, other, plain, lead]

theorem Proper.core_eq (hK : K.Proper) {c : α} (h : K.letter c = false) : K.core c = false := by
  cases hc : K.core c with
  | false => rfl
  | true => rw [hK.core_letter c hc] at h; cases h

theorem Proper.of_other (hK : K.Proper) {c : α} (h : K.other c = true) : K.letter c = false ∧ K.number c = false ∧
    K.blank c = false ∧ K.newline c = false ∧ K.space c = false ∧ K.plain c = false ∧ K.lead c = true := by
  simp only [other, Bool.not_eq_true', Bool.or_eq_false_iff] at h
  obtain ⟨⟨h1, h2⟩, h3⟩ := h
  have h4 : K.newline c = false := by
    cases hc : K.newline c with
    | false => rfl
    | true => rw [hK.newline_blank c hc] at h3; cases h3
  have h5 : K.space c = false := by
    cases hc : K.space c with
    | false => rfl
    | true => rw [hK.space_blank c hc] at h3; cases h3
  simp [h1, h2, h3, h4, h5, plain, lead, hK.core_eq h1]

theorem Proper.of_blank (hK : K.Proper) {c : α} (h : K.blank c = true) : K.letter c = false ∧ K.number c = false ∧
    K.other c = false := by
  have h1 : K.letter c = false := by
    cases hc : K.letter c with
    | false => rfl
    | true => rw [hK.letter_blank c hc] at h; cases h
  have h2 : K.number c = false := by
    cases hc : K.number c with
    | false => rfl
    | true => rw [hK.number_blank c hc] at h; cases h
  simp [h, h1, h2, other]

theorem Proper.of_newline (hK : K.Proper) {c : α} (h : K.newline c = true) : K.letter c = false ∧
    K.number c = false ∧ K.other c = false ∧ K.blank c = true ∧ K.space c = false ∧ K.plain c = false ∧
    K.lead c = false := by
  have hb := hK.newline_blank c h
  have h5 : K.space c = false := by
    cases hc : K.space c with
    | false => rfl
    | true => rw [hK.space_newline c hc] at h; cases h
  obtain ⟨h1, h2, h3⟩ := hK.of_blank hb
  simp [h, h1, h2, h3, hb, h5, plain, lead]

theorem Proper.of_plain (hK : K.Proper) {c : α} (h : K.plain c = true) : K.letter c = false ∧ K.number c = false ∧
    K.other c = false ∧ K.blank c = true ∧ K.newline c = false ∧ K.lead c = true := by
  simp only [plain, Bool.and_eq_true, Bool.not_eq_true'] at h
  obtain ⟨hb, hn⟩ := h
  obtain ⟨h1, h2, h3⟩ := hK.of_blank hb
  simp [h1, h2, h3, hb, hn, lead, hK.core_eq h1]

theorem Proper.plain_of_space (hK : K.Proper) {c : α} (h : K.space c = true) : K.plain c = true := by
  simp [plain, hK.space_blank c h, hK.space_newline c h]

/-- Every character is of a kind. -/
theorem kinds (K : Kinds α) (c : α) : K.letter c = true ∨ K.number c = true ∨ K.other c = true ∨
    K.blank c = true := by
  simp only [other]
  cases K.letter c <;> cases K.number c <;> cases K.blank c <;> simp

theorem newline_or_plain {c : α} (h : K.blank c = true) : K.newline c = true ∨ K.plain c = true := by
  simp only [plain, h, Bool.true_and]
  cases K.newline c <;> simp

/-! ## Contractions -/

variable {C : Pat α}

theorem Contraction.none_of (hC : K.Contraction C) {x : α} {xs : List α} (h : K.other x = false) :
    C.firstMatch (x :: xs) = none := by
  cases hm : C.firstMatch (x :: xs) with
  | none => rfl
  | some n =>
    obtain ⟨o, c, t, he, ho, _⟩ := hC _ _ hm
    cases he
    rw [ho] at h
    cases h

theorem Contraction.ends (hC : K.Contraction C) {before s : List α} (h : K.contractionEnds C before s = true) :
    (∃ c o b, before = c :: o :: b ∧ K.letter c = true ∧ K.other o = true ∧ K.fresh b = true ∧
      C.firstMatch (o :: c :: s) = some 2) ∨
    ∃ c d o b, before = d :: c :: o :: b ∧ K.letter c = true ∧ K.letter d = true ∧ K.other o = true ∧
      K.fresh b = true ∧ C.firstMatch (o :: c :: d :: s) = some 3 := by
  match before with
  | [] => simp [contractionEnds] at h
  | [_] => simp [contractionEnds] at h
  | c :: o :: b =>
    simp only [contractionEnds, Bool.or_eq_true, Bool.and_eq_true, beq_iff_eq] at h
    rcases h with ⟨hf, hm⟩ | h
    · obtain ⟨_, _, _, he, ho, hc, _⟩ := hC _ _ hm
      cases he
      exact .inl ⟨c, o, b, rfl, hc, ho, hf, hm⟩
    · cases b with
      | nil => simp at h
      | cons p b =>
        simp only [Bool.and_eq_true, beq_iff_eq] at h
        obtain ⟨_, _, _, he, ho, hc, hn⟩ := hC _ _ h.2
        cases he
        rcases hn with hn | ⟨_, d, t, he, hd⟩
        · cases hn
        · cases he
          exact .inr ⟨o, c, p, b, rfl, hc, hd, ho, h.1, h.2⟩

/-- A contraction ends in a letter. -/
theorem Contraction.ends_eq_false (hC : K.Contraction C) {c : α} {b s : List α} (h : K.letter c = false) :
    K.contractionEnds C (c :: b) s = false := by
  cases he : K.contractionEnds C (c :: b) s with
  | false => rfl
  | true =>
    rcases hC.ends he with ⟨c', o, b', e, hc, _⟩ | ⟨c', d, o, b', e, _, hd, _⟩
    · cases e; rw [hc] at h; cases h
    · cases e; rw [hd] at h; cases h

/-! ## Runs -/

theorem text_eq (K : Kinds α) (c : α) : K.text c = !K.blank c := rfl

/-- The last newline of white space. -/
theorem exists_last_newline (K : Kinds α) : ∀ l : List α, (∀ c ∈ l, K.newline c = false) ∨
    ∃ u z v, l = u ++ z :: v ∧ K.newline z = true ∧ ∀ c ∈ v, K.newline c = false
  | [] => .inl (by simp)
  | x :: l => by
    rcases exists_last_newline K l with h | ⟨u, z, v, rfl, hz, hv⟩
    · cases hx : K.newline x with
      | true => exact .inr ⟨[], x, l, rfl, hx, h⟩
      | false =>
        refine .inl fun c hc => ?_
        rcases List.mem_cons.mp hc with rfl | hc
        · exact hx
        · exact h c hc
    · exact .inr ⟨x :: u, z, v, rfl, hz, hv⟩

/-- The character before the rest of a text. -/
theorem exists_last {w : List α} (hw : w ≠ []) (before : List α) :
    ∃ c b, w.reverse ++ before = c :: b ∧ c ∈ w := by
  cases hr : w.reverse with
  | nil => exact absurd (List.reverse_eq_nil_iff.mp hr) hw
  | cons c b => exact ⟨c, b ++ before, rfl, List.mem_reverse.mp (hr ▸ List.mem_cons_self ..)⟩

/-- Behind its first character, what precedes a place in a text ends with that character. -/
theorem exists_first {u t l : List α} {x : α} (h : x :: l = u.reverse ++ t) (hu : u ≠ []) :
    ∃ q, u = q ++ [x] ∧ l = q.reverse ++ t := by
  cases hr : u.reverse with
  | nil => exact absurd (List.reverse_eq_nil_iff.mp hr) hu
  | cons z q =>
    rw [hr, List.cons_append] at h
    cases h
    refine ⟨q.reverse, ?_, by simp⟩
    have := congrArg List.reverse hr
    simpa using this

theorem mem_of_pair {w u v : List α} {c y : α} (h : w = u.reverse ++ c :: y :: v) : c ∈ w ∧ y ∈ w := by
  subst h; simp

end VerifiedTok.Kinds
