module

public import VerifiedTok.Spec.AddedTokens
public import VerifiedTok.Spec.Normalizer

public section

/-!
# The whole tokenizer

Text → added tokens → normalizer → added tokens that are matched in normalized text → stages → pieces →
tokens.  The model that maps one piece to tokens is a parameter.
-/

namespace VerifiedTok

variable {α : Type}

/-- A tokenizer. -/
structure Tokenizer (α : Type) where
  /-- Added tokens that are looked for in the text as it is. -/
  literals : List (Literal α)
  normalize : List α → List α
  /-- Added tokens that are looked for in the normalized text. -/
  normalizedLiterals : List (Literal α)
  stages : List (Stage α)
  encodePiece : List α → List Token
  /-- Word characters, for literals with `singleWord`. -/
  isWord : α → Bool := fun _ => false
  /-- White space, for literals with `lstrip` or `rstrip`. -/
  isSpace : α → Bool := fun _ => false

/-- Tokens of a text that was cut at literals: a literal is one token, a gap is encoded by `text`. -/
@[expose] def encodeSegments [DecidableEq α] (ls : List (Literal α)) (text : List α → List Token)
    (ys : List (Segment α)) : List Token :=
  ys.flatMap fun y => if y.1 then literalId ls y.2 else text y.2

namespace Tokenizer

/-- A text, cut at literals `ls`. -/
@[expose] def segments [DecidableEq α] (T : Tokenizer α) (ls : List (Literal α)) (s : List α) :
    List (Segment α) := extractFlagged T.isWord T.isSpace ls s

/-- Text without added tokens: split, and each piece encoded alone. -/
@[expose] def encodePieces (T : Tokenizer α) (s : List α) : List Token :=
  (splitAll T.stages s).flatMap T.encodePiece

/-- Normalized text. -/
@[expose] def encodeNormalized [DecidableEq α] (T : Tokenizer α) (s : List α) : List Token :=
  encodeSegments T.normalizedLiterals T.encodePieces (T.segments T.normalizedLiterals s)

/-- The tokens of segments of text as it is. -/
@[expose] def encodeRaw [DecidableEq α] (T : Tokenizer α) (ys : List (Segment α)) : List Token :=
  encodeSegments T.literals (fun g => T.encodeNormalized (T.normalize g)) ys

/-- The tokens of a text. -/
@[expose] def encode [DecidableEq α] (T : Tokenizer α) (s : List α) : List Token :=
  T.encodeRaw (T.segments T.literals s)

/-- The tokens of a text that goes on after ordinary text: its first text is normalized by `rest`. -/
@[expose] def encodeRest [DecidableEq α] (T : Tokenizer α) (rest : List α → List α) (s : List α) : List Token :=
  match T.segments T.literals s with
  | (false, h) :: ys => T.encodeNormalized (rest h) ++ T.encodeRaw ys
  | ys => T.encodeRaw ys

/-- The tokens of a part of a text; `inside` says that it goes on after other text. -/
@[expose] def encodePart [DecidableEq α] (T : Tokenizer α) (rest : List α → List α) (inside : Bool) (s : List α) :
    List Token :=
  if inside then T.encodeRest rest s else T.encode s

/-! ## Seams -/

/-- The model may be applied to pieces that end in `x` and pieces that begin with `y` apart. -/
@[expose] def PiecesApart (T : Tokenizer α) (x y : α) : Prop :=
  ∀ g h, g.getLast? = some x → h.head? = some y → T.encodePiece (g ++ h) = T.encodePiece g ++ T.encodePiece h

/-- No literal of `ls` is found across `A | B`, nor does what one of them does depend on the other side. -/
structure LiteralSeam (T : Tokenizer α) (ls : List (Literal α)) (A B : List α) : Prop where
  cross : NoCross ls A B
  flags : ∀ x y, A.getLast? = some x → B.head? = some y → FlagsAllow T.isWord T.isSpace ls x y

/-- `A | B` is a seam of normalized text: it is one of the literals, and if ordinary text meets ordinary text
there, the two are encoded apart. -/
structure NormalizedSeam [DecidableEq α] (T : Tokenizer α) (A B : List α) : Prop where
  literals : T.LiteralSeam T.normalizedLiterals A B
  pieces : ∀ g h, LastText (T.segments T.normalizedLiterals A) g → FirstText (T.segments T.normalizedLiterals B) h →
    T.encodePieces (g ++ h) = T.encodePieces g ++ T.encodePieces h

/-- `A | B` is a seam, behind which the normalizer goes on as `rest`: it is one of the literals; behind a literal
text is normalized as at the beginning, so there `rest` must be the normalizer; and if ordinary text meets ordinary
text, the two are normalized apart and their normalized forms have a seam. -/
structure SeamBetween [DecidableEq α] (T : Tokenizer α) (rest : List α → List α) (A B : List α) : Prop where
  literals : T.LiteralSeam T.literals A B
  goesOn : rest = T.normalize ∨ ∃ g, LastText (T.segments T.literals A) g
  normalize : ∀ g h, LastText (T.segments T.literals A) g → FirstText (T.segments T.literals B) h →
    GoesOnAs T.normalize rest g h
  normalized : ∀ g h, LastText (T.segments T.literals A) g → FirstText (T.segments T.literals B) h →
    NormalizedSeam T (T.normalize g) (rest h)

/-- A pair of characters that makes a seam of literals wherever it stands: none holds it, and the flags allow it. -/
structure LiteralPair [DecidableEq α] (T : Tokenizer α) (ls : List (Literal α)) (x y : α) : Prop where
  apart : holdsPair ls x y = false
  flags : FlagsAllow T.isWord T.isSpace ls x y

/-- A pair of characters that makes a seam of normalized text wherever it stands: it does of the literals, and
either the stages have a seam there, or no stage crosses it and the model does not either. -/
structure PairSeam [DecidableEq α] (T : Tokenizer α) (subset : Inclusion α) (x y : α) :
    Prop where
  literals : T.LiteralPair T.normalizedLiterals x y
  pieces : isSeam subset T.stages x y = true ∨
    T.stages.all (fun t => t.cuttable subset x y) = true ∧ PiecesApart T x y

/-- `x` does not end an added token, nor white space that one takes. -/
structure EndsText (T : Tokenizer α) (x : α) : Prop where
  literal : ∀ l ∈ T.literals, l.content.getLast? ≠ some x
  space : ∀ l ∈ T.literals, l.rstrip → T.isSpace x = false

/-- A pair of characters that makes a seam wherever it stands, behind which the normalizer goes on as `rest`. -/
structure Seam [DecidableEq α] (T : Tokenizer α) (rest : List α → List α) (subset : Inclusion α) (x y : α) :
    Prop where
  literals : T.LiteralPair T.literals x y
  goesOn : rest = T.normalize ∨ T.EndsText x
  normalize : NormalBoundary T.normalize rest x y
  normalized : ∀ g h, g.getLast? = some x → h.head? = some y → ∀ x' y',
    (T.normalize g).getLast? = some x' → (rest h).head? = some y' → PairSeam T subset x' y'

end Tokenizer

end VerifiedTok
