module

public import VerifiedTok.Spec.Pipeline
public import VerifiedTok.Thm.AddedTokens.Flags

public section

/-!
# Seams of the whole tokenizer
-/

namespace VerifiedTok

variable {α : Type} [DecidableEq α]

omit [DecidableEq α] in
/-- Segments that are glued, then anything that is done segment by segment: it may be cut there, if it may be cut
between the texts that meet. -/
theorem flatMap_glue {β : Type} {f : Segment α → List β} {X Y : List (Segment α)}
    (htext : ∀ g h, LastText X g → FirstText Y h → f (false, g ++ h) = f (false, g) ++ f (false, h)) :
    (glue X Y).flatMap f = X.flatMap f ++ Y.flatMap f := by
  rcases List.eq_nil_or_concat X with rfl | ⟨X, ⟨b, g⟩, rfl⟩
  · rfl
  · rw [List.concat_eq_append] at htext ⊢
    cases Y with
    | nil => rw [glue_nil]; exact (List.append_nil _).symm
    | cons y Y =>
      obtain ⟨c, h⟩ := y
      rw [glue_snoc_cons]
      split
      · exact List.flatMap_append
      · rename_i hbc
        have : b = false ∧ c = false := by revert hbc; cases b <;> cases c <;> simp
        obtain ⟨rfl, rfl⟩ := this
        simp [htext g h ⟨X, rfl⟩ ⟨Y, rfl⟩]

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

/-- Where literals have a seam, the segments of the whole are those of the parts; two texts that meet are one. -/
theorem segments_append {ls : List (Literal α)} {A B : List α} (h : T.LiteralSeam ls A B) :
    T.segments ls (A ++ B) = glue (T.segments ls A) (T.segments ls B) := by
  cases hA : A.getLast? with
  | none => rw [List.getLast?_eq_none_iff.mp hA]; rfl
  | some x =>
    cases hB : B.head? with
    | none => rw [List.head?_eq_none_iff.mp hB, List.append_nil]; exact (glue_nil _).symm
    | some y => exact extractFlagged_append_of_no_cross h.cross (h.flags x y hA hB) hA hB

theorem encodeNormalized_append {A B : List α} (h : T.NormalizedSeam A B) :
    T.encodeNormalized (A ++ B) = T.encodeNormalized A ++ T.encodeNormalized B := by
  rw [encodeNormalized, segments_append h.literals]
  exact flatMap_glue h.pieces

/-- Where a text goes on as one begins, its rest is encoded as a text. -/
theorem encodeRest_normalize (s : List α) : T.encodeRest T.normalize s = T.encode s := by
  rw [encodeRest, encode]
  rcases T.segments T.literals s with _ | ⟨⟨_ | _, h⟩, Y⟩ <;> simp [encodeRaw, encodeSegments]

theorem encodePart_normalize (inside : Bool) (s : List α) : T.encodePart T.normalize inside s = T.encode s := by
  rw [encodePart]
  split
  · exact encodeRest_normalize s
  · rfl

/-- **A seam of the whole tokenizer**: the tokens of the whole text are the tokens of its left part and those of
its right part as the rest of a text. -/
theorem encode_append_of_seamBetween {rest : List α → List α} {A B : List α} (h : T.SeamBetween rest A B) :
    T.encode (A ++ B) = T.encode A ++ T.encodeRest rest B := by
  have text : ∀ g k, LastText (T.segments T.literals A) g → FirstText (T.segments T.literals B) k →
      T.encodeNormalized (T.normalize (g ++ k)) =
        T.encodeNormalized (T.normalize g) ++ T.encodeNormalized (rest k) := by
    intro g k hg hk
    rw [show T.normalize (g ++ k) = T.normalize g ++ rest k from h.normalize g k hg hk]
    exact encodeNormalized_append (h.normalized g k hg hk)
  rw [encode, segments_append h.literals, encode]
  rcases h.goesOn with hr | ⟨g, X, hX⟩
  · rw [hr] at text ⊢
    rw [encodeRest_normalize]
    exact flatMap_glue text
  · rw [encodeRest]
    rcases hY : T.segments T.literals B with _ | ⟨⟨_ | _, k⟩, Y⟩
    · rw [glue_nil]; exact (List.append_nil _).symm
    · have := text g k ⟨X, hX⟩ ⟨Y, hY⟩
      rw [hX, glue_snoc_cons]
      simp [encodeRaw, encodeSegments, this]
    · rw [hX, glue_snoc_cons]
      simp [encodeRaw, encodeSegments]

/-- **Beside a literal there is a seam**: where literals have one and `A` ends with one, or `B` begins with
one, nothing is asked of the normalizer or of the patterns. -/
theorem encode_append_of_literal {A B : List α} (h : T.LiteralSeam T.literals A B)
    (hlit : (∀ g, ¬ LastText (T.segments T.literals A) g) ∨ (∀ g, ¬ FirstText (T.segments T.literals B) g)) :
    T.encode (A ++ B) = T.encode A ++ T.encode B := by
  rw [encode, segments_append h]
  refine flatMap_glue fun g k hg hk => ?_
  rcases hlit with hl | hl
  · exact absurd hg (hl g)
  · exact absurd hk (hl k)

/-! ## Pairs of characters -/

theorem literalSeam_of_pair {ls : List (Literal α)} {x y : α} (h : T.LiteralPair ls x y) {A B : List α}
    (hA : A.getLast? = some x) (hB : B.head? = some y) : T.LiteralSeam ls A B where
  cross := noCross_of_not_holdsPair h.apart hA hB
  flags := fun x' y' hx hy => by
    rw [hA, Option.some.injEq] at hx
    rw [hB, Option.some.injEq] at hy
    rw [← hx, ← hy]; exact h.flags

theorem normalizedSeam_of_pairSeam (hsub : SubsetSound subset) {x y : α} (h : T.PairSeam subset x y)
    {A B : List α} (hA : A.getLast? = some x) (hB : B.head? = some y) : T.NormalizedSeam A B := by
  refine ⟨literalSeam_of_pair h.literals hA hB, fun g k hg hk => ?_⟩
  have hg' := getLast?_of_lastText hg hA
  have hk' := head?_of_firstText hk hB
  rcases h.pieces with hs | ⟨hc, hp⟩
  · exact encodePieces_append_of_isSeam hsub hs hg' hk'
  · exact encodePieces_append_of_cuttable hsub hp hg' hk' _ hc

/-- A text that the normalizer erases does not matter. -/
theorem normalizedSeam_nil_left (B : List α) : T.NormalizedSeam [] B where
  literals := ⟨fun _ _ _ hu hne => absurd (List.suffix_nil.mp hu) hne, fun _ _ hx => by simp at hx⟩
  pieces := fun g k ⟨X, hX⟩ _ => by
    rw [show T.segments T.normalizedLiterals [] = [] from rfl] at hX
    simp at hX

theorem normalizedSeam_nil_right (A : List α) : T.NormalizedSeam A [] where
  literals := ⟨fun _ _ _ _ _ hp => by simpa using hp.length_le, fun _ _ _ hy => by simp at hy⟩
  pieces := fun g k _ ⟨Y, hY⟩ => by
    rw [show T.segments T.normalizedLiterals [] = [] from rfl] at hY
    simp at hY

theorem seamBetween_of_seam (hsub : SubsetSound subset) {rest : List α → List α} {x y : α}
    (h : T.Seam rest subset x y) {A B : List α} (hA : A.getLast? = some x) (hB : B.head? = some y) :
    T.SeamBetween rest A B where
  literals := literalSeam_of_pair h.literals hA hB
  goesOn := h.goesOn.imp id fun he => exists_lastText hA he.literal he.space
  normalize := fun g k hg hk => h.normalize g k (getLast?_of_lastText hg hA) (head?_of_firstText hk hB)
  normalized := fun g k hg hk => by
    have hgx := getLast?_of_lastText hg hA
    have hky := head?_of_firstText hk hB
    cases hx : (T.normalize g).getLast? with
    | none => rw [List.getLast?_eq_none_iff.mp hx]; exact normalizedSeam_nil_left _
    | some x' =>
      cases hy : (rest k).head? with
      | none => rw [List.head?_eq_none_iff.mp hy]; exact normalizedSeam_nil_right _
      | some y' => exact normalizedSeam_of_pairSeam hsub (h.normalized g k hgx hky x' y' hx hy) hx hy

/-- **A pair that is a seam cuts every text**; the right part is encoded as the rest of one. -/
theorem encode_append_of_seam (hsub : SubsetSound subset) {rest : List α → List α} {x y : α}
    (h : T.Seam rest subset x y) {A B : List α} (hA : A.getLast? = some x) (hB : B.head? = some y) :
    T.encode (A ++ B) = T.encode A ++ T.encodeRest rest B :=
  encode_append_of_seamBetween (seamBetween_of_seam hsub h hA hB)

omit [DecidableEq α] in
/-- Literals without flags allow everything. -/
theorem flagsAllow_of_none {isWord isSpace : α → Bool} {ls : List (Literal α)}
    (h : NoFlags ls) (x y : α) : FlagsAllow isWord isSpace ls x y where
  wordAfter := fun l hl hf => by simp [(h l hl).1] at hf
  wordBefore := fun l hl hf => by simp [(h l hl).1] at hf
  spaceAfter := fun l hl hf => by simp [(h l hl).2.2] at hf
  spaceBefore := fun l hl hf => by simp [(h l hl).2.1] at hf

end Tokenizer

end VerifiedTok
