module

public import VerifiedTok.Spec.Pipeline
public import VerifiedTok.Thm.AddedTokens

public section

/-!
# Seams of the whole tokenizer
-/

namespace VerifiedTok

variable {α : Type} [DecidableEq α]

/-- The ordinary text at the end of a text ends as the text does. -/
theorem getLast?_of_lastText {ls : List (Literal α)} {A g : List α} {x : α} (h : LastText ls A g)
    (hA : A.getLast? = some x) : g.getLast? = some x := by
  obtain ⟨X, hX⟩ := h
  obtain ⟨X', b, w, hX', hw, _, _⟩ := cut_last (bounded_longest ls) hA
  rw [extract, hX'] at hX
  have := (List.append_inj' hX rfl).2
  simp only [List.cons.injEq, Prod.mk.injEq, and_true] at this
  rw [← this.2]; exact hw

/-- The ordinary text at the beginning of a text begins as the text does. -/
theorem head?_of_firstText {ls : List (Literal α)} {B h : List α} {y : α} (hf : FirstText ls B h)
    (hB : B.head? = some y) : h.head? = some y := by
  obtain ⟨Y, hY⟩ := hf
  obtain ⟨c, w, Y', hY', hw, _, _⟩ := cut_first (m := longest ls) hB
  rw [extract, hY'] at hY
  simp only [List.cons.injEq, Prod.mk.injEq] at hY
  obtain ⟨⟨rfl, rfl⟩, _⟩ := hY
  rcases hw with hw | ⟨hw, _⟩
  · exact hw
  · cases hw

/-- Extraction, then anything that is done segment by segment: it may be cut where no literal crosses, if it may be
cut between the texts that meet there. -/
theorem flatMap_extract_append {β : Type} {ls : List (Literal α)} {f : Segment α → List β} {A B : List α}
    (hls : NoCross ls A B)
    (htext : ∀ g h, LastText ls A g → FirstText ls B h → f (false, g ++ h) = f (false, g) ++ f (false, h)) :
    (extract ls (A ++ B)).flatMap f = (extract ls A).flatMap f ++ (extract ls B).flatMap f := by
  rw [extract_append_of_no_cross hls]
  rcases List.eq_nil_or_concat (extract ls A) with hX | ⟨X, ⟨b, g⟩, hX⟩
  · rw [hX]; rfl
  · rw [List.concat_eq_append] at hX
    cases hY : extract ls B with
    | nil => rw [glue_nil]; exact (List.append_nil _).symm
    | cons y Y =>
      obtain ⟨c, h⟩ := y
      rw [hX, glue_snoc_cons]
      split
      · exact List.flatMap_append
      · rename_i hbc
        have : b = false ∧ c = false := by revert hbc; cases b <;> cases c <;> simp
        obtain ⟨rfl, rfl⟩ := this
        simp [htext g h ⟨X, hX⟩ ⟨Y, hY⟩]

/-- Extraction, then an encoder of texts. -/
theorem encodeSegments_extract_append {ls : List (Literal α)} {text : List α → List Token} {A B : List α}
    (hls : NoCross ls A B)
    (htext : ∀ g h, LastText ls A g → FirstText ls B h → text (g ++ h) = text g ++ text h) :
    encodeSegments ls text (extract ls (A ++ B)) =
      encodeSegments ls text (extract ls A) ++ encodeSegments ls text (extract ls B) :=
  flatMap_extract_append hls htext

namespace Tokenizer

variable {T : Tokenizer α} {subset : Inclusion α}

omit [DecidableEq α] in
/-- Where the stages have a seam, pieces are encoded apart. -/
theorem encodePieces_append_of_isSeam (hsub : SubsetSound subset) {x y : α}
    (h : isSeam subset T.stages x y = true) {A B : List α} (hA : A.getLast? = some x) (hB : B.head? = some y) :
    T.encodePieces (A ++ B) = T.encodePieces A ++ T.encodePieces B := by
  rw [encodePieces, splitAll_append_of_seam hsub h hA hB, List.flatMap_append]; rfl

omit [DecidableEq α] in
/-- Where no stage crosses and the model may cut a piece, text is encoded apart: the seam of tokenizers that have
no pre-tokenizer. -/
theorem encodePieces_append_of_cuttable (hsub : SubsetSound subset) {x y : α} (hp : T.PiecesApart x y)
    {A B : List α} (hA : A.getLast? = some x) (hB : B.head? = some y) (ts : List (Stage α))
    (h : ts.all (fun t => t.cuttable subset x y) = true) :
    (splitAll ts (A ++ B)).flatMap T.encodePiece =
      (splitAll ts A).flatMap T.encodePiece ++ (splitAll ts B).flatMap T.encodePiece := by
  induction ts generalizing A B with
  | nil =>
    have hAn : A ≠ [] := by rintro rfl; simp at hA
    have hBn : B ≠ [] := by rintro rfl; simp at hB
    simp [splitAll, hAn, hBn, hp A B hA hB]
  | cons t ts ih =>
    simp only [List.all_cons, Bool.and_eq_true] at h
    simp only [splitAll]
    rcases split_meets_of_cuttable hsub h.1 hA hB with hm | ⟨P, g, k, Q, hP, hQ, hm, hg, hk⟩
    · rw [hm, List.flatMap_append, List.flatMap_append]
    · rw [hm, hP, hQ]
      simp only [List.flatMap_append, List.flatMap_cons, List.flatMap_nil, List.append_nil]
      rw [ih hg hk h.2]
      simp only [List.append_assoc]

omit [DecidableEq α] in
/-- A model that reads bytes may cut a piece between two characters, if it may between the bytes beside the cut. -/
theorem piecesApart_of_bytes {enc : List UInt8 → List Token} {utf8 : α → List UInt8}
    (hT : T.encodePiece = fun s => enc (s.flatMap utf8)) {x y : α} {b c : UInt8}
    (hx : (utf8 x).getLast? = some b) (hy : (utf8 y).head? = some c)
    (henc : ∀ A B, A.getLast? = some b → B.head? = some c → enc (A ++ B) = enc A ++ enc B) :
    T.PiecesApart x y := by
  intro g h hg hh
  obtain ⟨g', rfl⟩ := List.getLast?_eq_some_iff.mp hg
  obtain ⟨h', rfl⟩ := List.head?_eq_some_iff.mp hh
  rw [hT]
  simp only [List.flatMap_append]
  refine henc _ _ ?_ ?_
  · rw [List.flatMap_cons, List.flatMap_nil, List.append_nil, List.getLast?_append, hx]; rfl
  · rw [List.flatMap_cons, List.head?_append, hy]; rfl

theorem encodeNormalized_append {A B : List α} (h : T.NormalizedSeam A B) :
    T.encodeNormalized (A ++ B) = T.encodeNormalized A ++ T.encodeNormalized B :=
  encodeSegments_extract_append h.literals h.pieces

/-- **A seam of the whole tokenizer**: the tokens of the whole text are the tokens of its parts. -/
theorem encode_append_of_seamBetween {A B : List α} (h : T.SeamBetween A B) :
    T.encode (A ++ B) = T.encode A ++ T.encode B := by
  refine encodeSegments_extract_append h.literals fun g k hg hk => ?_
  have hN : T.normalize (g ++ k) = T.normalize g ++ T.normalize k := h.normalize g k hg hk
  rw [hN]
  exact encodeNormalized_append (h.normalized g k hg hk)

/-- **Beside a literal there is a seam**: where no literal crosses and `A` ends with one, or `B` begins with
one, nothing is asked of the normalizer or of the patterns. -/
theorem encode_append_of_literal {A B : List α} (h : NoCross T.literals A B)
    (hlit : (∀ g, ¬ LastText T.literals A g) ∨ (∀ g, ¬ FirstText T.literals B g)) :
    T.encode (A ++ B) = T.encode A ++ T.encode B := by
  refine encodeSegments_extract_append h fun g k hg hk => ?_
  rcases hlit with hl | hl
  · exact absurd hg (hl g)
  · exact absurd hk (hl k)

theorem normalizedSeam_of_pairSeam (hsub : SubsetSound subset) {x y : α} (h : T.PairSeam subset x y)
    {A B : List α} (hA : A.getLast? = some x) (hB : B.head? = some y) : T.NormalizedSeam A B := by
  refine ⟨noCross_of_not_holdsPair h.literals hA hB, fun g k hg hk => ?_⟩
  have hg' := getLast?_of_lastText hg hA
  have hk' := head?_of_firstText hk hB
  rcases h.pieces with hs | ⟨hc, hp⟩
  · exact encodePieces_append_of_isSeam hsub hs hg' hk'
  · exact encodePieces_append_of_cuttable hsub hp hg' hk' _ hc

omit [DecidableEq α] in
theorem noCross_nil_left (ls : List (Literal α)) (B : List α) : NoCross ls [] B :=
  fun _ _ _ hu hne => absurd (List.suffix_nil.mp hu) hne

omit [DecidableEq α] in
theorem noCross_nil_right (ls : List (Literal α)) (A : List α) : NoCross ls A [] :=
  fun _ _ _ _ _ hp => by simpa using hp.length_le

/-- A text that the normalizer erases does not matter. -/
theorem normalizedSeam_nil_left (B : List α) : T.NormalizedSeam [] B := by
  refine ⟨noCross_nil_left _ B, fun g k hg _ => ?_⟩
  obtain ⟨X, hX⟩ := hg
  rw [extract, cut_nil] at hX
  exact absurd hX (by simp)

theorem normalizedSeam_nil_right (A : List α) : T.NormalizedSeam A [] := by
  refine ⟨noCross_nil_right _ A, fun g k _ hk => ?_⟩
  obtain ⟨Y, hY⟩ := hk
  rw [extract, cut_nil] at hY
  cases hY

/-- **A pair that is a seam cuts every text.** -/
theorem encode_append_of_seam (hsub : SubsetSound subset) {x y : α} (h : T.Seam subset x y) {A B : List α}
    (hA : A.getLast? = some x) (hB : B.head? = some y) : T.encode (A ++ B) = T.encode A ++ T.encode B := by
  refine encode_append_of_seamBetween ⟨noCross_of_not_holdsPair h.literals hA hB, ?_, ?_⟩
  · exact fun g k hg hk => h.normalize g k (getLast?_of_lastText hg hA) (head?_of_firstText hk hB)
  · intro g k hg hk
    have hgx := getLast?_of_lastText hg hA
    have hky := head?_of_firstText hk hB
    cases hx : (T.normalize g).getLast? with
    | none => rw [List.getLast?_eq_none_iff.mp hx]; exact normalizedSeam_nil_left _
    | some x' =>
      cases hy : (T.normalize k).head? with
      | none => rw [List.head?_eq_none_iff.mp hy]; exact normalizedSeam_nil_right _
      | some y' => exact normalizedSeam_of_pairSeam hsub (h.normalized g k hgx hky x' y' hx hy) hx hy

/-- Without a normalizer, a seam is decided by the literals and the patterns alone. -/
theorem seam_of_pairs (hN : T.normalize = id) {x y : α} (hl : holdsPair T.literals x y = false)
    (hs : T.PairSeam subset x y) : T.Seam subset x y where
  literals := hl
  normalize := fun A B _ _ => by simp [NormalizesApart, hN]
  normalized := fun g h hg hh x' y' hx hy => by
    rw [hN, id, hg, Option.some.injEq] at hx
    rw [hN, id, hh, Option.some.injEq] at hy
    rw [← hx, ← hy]; exact hs

end Tokenizer

end VerifiedTok
