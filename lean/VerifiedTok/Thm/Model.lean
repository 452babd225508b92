module

public import VerifiedTok.Spec.Model
public import VerifiedTok.Thm.Encode
public import VerifiedTok.Thm.Straddle

public section

/-!
# Vocabularies of characters

Their first symbols, with fallback to bytes and unknown characters, and the seams that they have without a
pre-tokenizer: a place between two characters that no merge joins.
-/

namespace VerifiedTok

variable {α : Type}

namespace CharModel

variable {m : CharModel α}

/-! ## First symbols -/

/-- Behind a character that has a token, nothing waits. -/
theorem symbolsFrom_append_of_char {x : α} {t : Token} (hx : m.char x = some t) (waiting : List Token)
    (A B : List α) : symbolsFrom m waiting (A ++ x :: B) =
      symbolsFrom m waiting (A ++ [x]) ++ symbolsFrom m [] B := by
  induction A generalizing waiting with
  | nil => simp [symbolsFrom, hx]
  | cons a A ih =>
    simp only [List.cons_append, symbolsFrom]
    split
    · simp only [ih, List.append_assoc, List.cons_append]
    · simp only [ih, List.append_assoc, List.cons_append]
    · split
      · exact ih _
      · rw [ih, List.append_assoc]
    · exact ih _

/-- A character that has a token ends the symbols. -/
theorem getLast?_symbolsFrom {x : α} {t : Token} (hx : m.char x = some t) (waiting : List Token) (A : List α) :
    (symbolsFrom m waiting (A ++ [x])).getLast? = some t := by
  induction A generalizing waiting with
  | nil => simp [symbolsFrom, hx]
  | cons a A ih =>
    simp only [List.cons_append, symbolsFrom]
    split
    · rw [List.getLast?_append, List.getLast?_cons, ih]; rfl
    · rw [← List.cons_append]
      rw [List.getLast?_append, ih]; rfl
    · split
      · exact ih _
      · rw [List.getLast?_append, ih]; rfl
    · exact ih _

/-- If no character is unknown, each becomes its own symbols. -/
theorem initialSymbols_of_complete (hm : m.Complete) (s : List α) : m.initialSymbols s = s.flatMap m.symbols := by
  rw [initialSymbols]
  induction s with
  | nil => rfl
  | cons c s ih =>
    have hc := hm c
    rw [symbolsFrom, List.flatMap_cons, ← ih]
    rw [symbols] at hc ⊢
    cases h : m.char c with
    | some t => simp
    | none =>
      rw [h] at hc
      cases hb : m.bytes c with
      | nil => exact absurd hb hc
      | cons b bs => rfl

theorem initialSymbols_append_of_char {x : α} (hx : m.char x ≠ none) {A B : List α} (hA : A.getLast? = some x) :
    m.initialSymbols (A ++ B) = m.initialSymbols A ++ m.initialSymbols B := by
  obtain ⟨t, hx⟩ := Option.ne_none_iff_exists'.mp hx
  obtain ⟨A, rfl⟩ := List.getLast?_eq_some_iff.mp hA
  rw [List.append_assoc]
  exact symbolsFrom_append_of_char hx [] A B

/-- **First symbols may be cut**, and what ends and begins them is what the characters beside the cut become. -/
theorem initialSymbols_cut {bytesOf : Token → List UInt8} {x y : α} (h : m.Apart bytesOf x y) {A B : List α}
    (hA : A.getLast? = some x) (hB : B.head? = some y) :
    m.initialSymbols (A ++ B) = m.initialSymbols A ++ m.initialSymbols B ∧
      (m.initialSymbols A).getLast? = (m.symbols x).getLast? ∧
      (m.initialSymbols B).head? = (m.symbols y).head? := by
  rcases h.known with ⟨hx, hy⟩ | hm
  · refine ⟨initialSymbols_append_of_char hx hA, ?_, ?_⟩
    · obtain ⟨t, hx⟩ := Option.ne_none_iff_exists'.mp hx
      obtain ⟨A, rfl⟩ := List.getLast?_eq_some_iff.mp hA
      rw [initialSymbols, getLast?_symbolsFrom hx, symbols, hx]; rfl
    · obtain ⟨t, hy⟩ := Option.ne_none_iff_exists'.mp hy
      obtain ⟨B, rfl⟩ := List.head?_eq_some_iff.mp hB
      rw [initialSymbols, symbolsFrom, symbols, hy]; rfl
  · simp only [initialSymbols_of_complete hm]
    refine ⟨List.flatMap_append, ?_, ?_⟩
    · obtain ⟨A, rfl⟩ := List.getLast?_eq_some_iff.mp hA
      obtain ⟨p, hp⟩ : ∃ p, (m.symbols x).getLast? = some p := by
        cases hx : (m.symbols x).getLast? with
        | none => exact absurd (List.getLast?_eq_none_iff.mp hx) (hm x)
        | some p => exact ⟨p, rfl⟩
      rw [List.flatMap_append, List.flatMap_cons, List.flatMap_nil, List.append_nil, List.getLast?_append, hp]; rfl
    · obtain ⟨B, rfl⟩ := List.head?_eq_some_iff.mp hB
      obtain ⟨q, hq⟩ : ∃ q, (m.symbols y).head? = some q := by
        cases hy : (m.symbols y).head? with
        | none => exact absurd (List.head?_eq_none_iff.mp hy) (hm y)
        | some q => exact ⟨q, rfl⟩
      rw [List.flatMap_cons, List.head?_append, hq]; rfl

/-! ## Pieces -/

/-- **A piece may be cut between two characters that no merge joins**, whether they have a token or fall back to
bytes. -/
theorem encodePiece_append {bytesOf : Token → List UInt8} (hs : m.table.Spells bytesOf) {x y : α}
    (h : m.Apart bytesOf x y) {A B : List α} (hA : A.getLast? = some x) (hB : B.head? = some y) :
    m.encodePiece (A ++ B) = m.encodePiece A ++ m.encodePiece B := by
  obtain ⟨hcut, hlast, hfirst⟩ := initialSymbols_cut h hA hB
  simp only [encodePiece, h.whole, hcut]
  cases hp : (m.symbols x).getLast? with
  | none =>
    rw [hp] at hlast
    rw [List.getLast?_eq_none_iff.mp hlast]; rfl
  | some p =>
    cases hq : (m.symbols y).head? with
    | none =>
      rw [hq] at hfirst
      rw [List.head?_eq_none_iff.mp hfirst, List.append_nil]; exact (List.append_nil _).symm
    | some q =>
      refine mergeAll_append_of_noJoin hs (h.join p q hp hq) ?_ ?_
      · intro a ha
        rw [hlast, hp, Option.some.injEq] at ha
        rw [ha]; exact List.suffix_refl _
      · intro b hb
        rw [hfirst, hq, Option.some.injEq] at hb
        rw [hb]; exact List.prefix_refl _

/-- Without characters, the model is the encoder of bytes. -/
theorem encodePiece_of_bytes {utf8 : α → List UInt8} (hwhole : ∀ piece, m.whole piece = none)
    (hchar : ∀ c, m.char c = none) (hbytes : ∀ c, m.bytes c = (utf8 c).map m.table.byteToken)
    (hutf8 : ∀ c, utf8 c ≠ []) (s : List α) :
    m.encodePiece s = VerifiedTok.encodePiece m.table (s.flatMap utf8) := by
  have hsym : ∀ c, m.symbols c = (utf8 c).map m.table.byteToken := fun c => by rw [symbols, hchar, hbytes]
  have hm : m.Complete := fun c => by rw [hsym]; simpa using hutf8 c
  simp only [encodePiece, hwhole, initialSymbols_of_complete hm, VerifiedTok.encodePiece, initialTokens,
    List.map_flatMap]
  congr 1
  exact congrArg (fun f => s.flatMap f) (funext hsym)

/-- **Nothing is lost**, if no character is unknown and symbols spell their characters. -/
theorem decode_encodePiece {bytesOf : Token → List UInt8} (hs : m.table.Spells bytesOf) {utf8 : α → List UInt8}
    (hm : m.Complete) (hsym : ∀ c, decode bytesOf (m.symbols c) = utf8 c)
    (hwhole : ∀ piece t, m.whole piece = some t → bytesOf t = piece.flatMap utf8) (piece : List α) :
    decode bytesOf (m.encodePiece piece) = piece.flatMap utf8 := by
  rw [encodePiece]
  cases h : m.whole piece with
  | some t =>
    rw [← hwhole piece t h]
    simp [decode]
  | none =>
    show decode bytesOf (mergeAll m.table (m.initialSymbols piece)) = _
    rw [decode_mergeAll hs, initialSymbols_of_complete hm, decode, List.flatMap_assoc]
    exact congrArg (fun f => piece.flatMap f) (funext hsym)

end CharModel

namespace Tokenizer

variable [DecidableEq α] {T : Tokenizer α} {m : CharModel α} {bytesOf : Token → List UInt8} {x y : α}

omit [DecidableEq α] in
/-- A tokenizer with such a model may cut a piece there. -/
theorem piecesApart_of_chars (hT : T.encodePiece = m.encodePiece) (hs : m.table.Spells bytesOf)
    (h : m.Apart bytesOf x y) : T.PiecesApart x y := by
  intro A B hA hB
  rw [hT]
  exact m.encodePiece_append hs h hA hB

/-- **The seams of a vocabulary of characters are seams of the whole tokenizer**: no literal holds the two
characters, no stage crosses between them, and no merge joins them. -/
theorem pairSeam_of_chars {subset : Inclusion α} (hT : T.encodePiece = m.encodePiece)
    (hs : m.table.Spells bytesOf) (hl : T.LiteralPair T.normalizedLiterals x y)
    (hc : T.stages.all (fun t => t.cuttable subset x y) = true) (h : m.Apart bytesOf x y) :
    T.PairSeam subset x y :=
  ⟨hl, .inr ⟨hc, piecesApart_of_chars hT hs h⟩⟩

end Tokenizer

end VerifiedTok
