module

public import VerifiedTok.Thm.Encode

public section

/-!
# Normalizers and seams

Which normalizers have which boundaries, and what then makes a pair of characters a seam: for tokenizers without a
normalizer, for those that map every character for itself (Gemma's), and for those that also put something in front
of a text (Llama 2's).
-/

namespace VerifiedTok

variable {α : Type}

/-- A normalizer that maps every character for itself has a boundary everywhere. -/
theorem normalBoundary_normalizeEach (f : α → List α) (x y : α) :
    NormalBoundary (normalizeEach f) (normalizeEach f) x y :=
  fun _ _ _ _ => List.flatMap_append

/-- A character that begins a segment has a boundary before it, whatever comes before. -/
theorem normalBoundary_of_beginsSegment {N : List α → List α} {y : α} (h : BeginsSegment N y) (x : α) :
    NormalBoundary N N x y :=
  fun A B _ hB => h A B hB

/-- One normalizer after another: the two go on, if the first does, and the second between its results. -/
theorem goesOnAs_comp {M M' N N' : List α → List α} {A B : List α} (h : GoesOnAs N N' A B)
    (h' : GoesOnAs M M' (N A) (N' B)) : GoesOnAs (fun s => M (N s)) (fun s => M' (N' s)) A B := by
  simp only [GoesOnAs] at h h' ⊢
  rw [h, h']

/-- What is put in front of a text is put there once. -/
theorem goesOnAs_prepend (f : α → List α) (p : List α) {A : List α} (hA : A ≠ []) (B : List α) :
    GoesOnAs (fun s => normalizeEach f (prepend p s)) (normalizeEach f) A B := by
  simp [GoesOnAs, prepend, normalizeEach, hA]

theorem normalizeEach_one (f : α → α) (s : List α) : normalizeEach (fun c => [f c]) s = s.map f := by
  rw [normalizeEach, List.map_eq_flatMap]

namespace Tokenizer

variable [DecidableEq α] {T : Tokenizer α} {subset : Inclusion α} {x y : α}

/-- Without a normalizer, a seam is decided by the literals and the patterns alone. -/
theorem seam_of_pairs (hN : T.normalize = id) (hl : T.LiteralPair T.literals x y)
    (hs : T.PairSeam subset x y) : T.Seam T.normalize subset x y where
  literals := hl
  goesOn := .inl rfl
  normalize := fun A B _ _ => by simp [GoesOnAs, hN]
  normalized := fun g h hg hh x' y' hx hy => by
    rw [hN, id, hg, Option.some.injEq] at hx
    rw [hN, id, hh, Option.some.injEq] at hy
    rw [← hx, ← hy]; exact hs

/-- Where each character has one for itself, a seam is decided by the literals, and by the patterns and the model
about what the two characters become. -/
theorem seam_of_map {f : α → α} (hN : T.normalize = normalizeEach fun c => [f c])
    (hl : T.LiteralPair T.literals x y) (hs : T.PairSeam subset (f x) (f y)) :
    T.Seam T.normalize subset x y where
  literals := hl
  goesOn := .inl rfl
  normalize := by rw [hN]; exact normalBoundary_normalizeEach _ x y
  normalized := fun g h hg hh x' y' hx hy => by
    rw [hN, normalizeEach_one, List.getLast?_map, hg] at hx
    rw [hN, normalizeEach_one, List.head?_map, hh] at hy
    cases hx; cases hy; exact hs

/-- The same where something is put in front of every text, if the first character ends a text: then the other one
goes on with it. -/
theorem seam_of_prepend {f : α → α} {p : List α}
    (hN : T.normalize = fun s => normalizeEach (fun c => [f c]) (prepend p s))
    (hl : T.LiteralPair T.literals x y) (he : T.EndsText x) (hs : T.PairSeam subset (f x) (f y)) :
    T.Seam (normalizeEach fun c => [f c]) subset x y where
  literals := hl
  goesOn := .inr he
  normalize := fun A B hA _ => by
    rw [hN]; exact goesOnAs_prepend _ p (by rintro rfl; simp at hA) B
  normalized := fun g h hg hh x' y' hx hy => by
    have hgne : g.isEmpty = false := by cases g <;> simp_all
    rw [hN] at hx
    simp only [prepend, hgne, normalizeEach_one, Bool.false_eq_true, if_false, List.getLast?_map,
      List.getLast?_append, hg] at hx
    rw [normalizeEach_one, List.head?_map, hh] at hy
    cases hx; cases hy; exact hs

end Tokenizer

end VerifiedTok
