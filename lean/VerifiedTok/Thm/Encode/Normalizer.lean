module

public import VerifiedTok.Thm.Encode

public section

/-!
# Normalizers and seams

Which normalizers have which boundaries, and the seam of a normalizer that does something at the beginning of a
text only (`Prepend`).
-/

namespace VerifiedTok

variable {α : Type}

/-- A normalizer that maps every character for itself has a boundary everywhere. -/
theorem normalBoundary_normalizeEach (f : α → List α) (x y : α) : NormalBoundary (normalizeEach f) x y :=
  fun _ _ _ _ => List.flatMap_append

/-- A character that begins a segment has a boundary before it, whatever comes before. -/
theorem normalBoundary_of_beginsSegment {N : List α → List α} {y : α} (h : BeginsSegment N y) (x : α) :
    NormalBoundary N x y :=
  fun A B _ hB => h A B hB

/-- One normalizer after another: they are applied apart if the first is, and the second between its results. -/
theorem normalizesApart_comp {M N : List α → List α} {A B : List α} (h : NormalizesApart N A B)
    (h' : NormalizesApart M (N A) (N B)) : NormalizesApart (fun s => M (N s)) A B := by
  simp only [NormalizesApart] at h h' ⊢
  rw [h, h']

/-- What is put in front of a text is put there once. -/
theorem goesOnAs_prepend (f : α → List α) (p : List α) {A : List α} (hA : A ≠ []) (B : List α) :
    GoesOnAs (fun s => normalizeEach f (prepend p s)) (normalizeEach f) A B := by
  simp [GoesOnAs, prepend, normalizeEach, hA]

namespace Tokenizer

variable [DecidableEq α] {T : Tokenizer α}

/-- **The seam of a normalizer that knows the beginning of a text**: the right part is encoded as the rest of a
text, and the tokens are those of the whole. -/
theorem encode_append_rest {rest : List α → List α} {A B : List α} (h : NoCross T.literals A B)
    (hlast : ∃ g, LastText T.literals A g)
    (hN : ∀ g k, LastText T.literals A g → FirstText T.literals B k → GoesOnAs T.normalize rest g k)
    (hseam : ∀ g k, LastText T.literals A g → FirstText T.literals B k →
      T.NormalizedSeam (T.normalize g) (rest k)) :
    T.encode (A ++ B) = T.encode A ++ T.encodeRest rest B := by
  obtain ⟨g, X, hX⟩ := hlast
  rw [encode, extract_append_of_no_cross h, encode, encodeRest, hX]
  rcases hY : extract T.literals B with _ | ⟨⟨_ | _, k⟩, Y⟩
  · rw [glue_nil]; exact (List.append_nil _).symm
  · have hk : FirstText T.literals B k := ⟨Y, hY⟩
    have hg : LastText T.literals A g := ⟨X, hX⟩
    have e := encodeNormalized_append (hseam g k hg hk)
    have hN' : T.normalize (g ++ k) = T.normalize g ++ rest k := hN g k hg hk
    rw [glue_snoc_cons]
    simp [encodeSegments, hN', e]
  · rw [glue_snoc_cons]
    simp [encodeSegments]

end Tokenizer

end VerifiedTok
