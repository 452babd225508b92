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

/-- A tokenizer; its literals have no flags (`Thm/AddedTokens/Flags.lean` says what those would change). -/
structure Tokenizer (α : Type) where
  /-- Added tokens that are looked for in the text as it is. -/
  literals : List (Literal α)
  normalize : List α → List α
  /-- Added tokens that are looked for in the normalized text. -/
  normalizedLiterals : List (Literal α)
  stages : List (Stage α)
  encodePiece : List α → List Token

/-- Tokens of a text that was cut at literals: a literal is one token, a gap is encoded by `text`. -/
@[expose] def encodeSegments [DecidableEq α] (ls : List (Literal α)) (text : List α → List Token)
    (ys : List (Segment α)) : List Token :=
  ys.flatMap fun y => if y.1 then literalId ls y.2 else text y.2

namespace Tokenizer

/-- Text without added tokens: split, and each piece encoded alone. -/
@[expose] def encodePieces (T : Tokenizer α) (s : List α) : List Token :=
  (splitAll T.stages s).flatMap T.encodePiece

/-- Normalized text. -/
@[expose] def encodeNormalized [DecidableEq α] (T : Tokenizer α) (s : List α) : List Token :=
  encodeSegments T.normalizedLiterals T.encodePieces (extract T.normalizedLiterals s)

/-- The tokens of a text. -/
@[expose] def encode [DecidableEq α] (T : Tokenizer α) (s : List α) : List Token :=
  encodeSegments T.literals (fun g => T.encodeNormalized (T.normalize g)) (extract T.literals s)

/-- The tokens of a text that goes on after ordinary text: its first text is normalized by `rest`. -/
@[expose] def encodeRest [DecidableEq α] (T : Tokenizer α) (rest : List α → List α) (s : List α) : List Token :=
  match extract T.literals s with
  | (false, h) :: ys =>
    T.encodeNormalized (rest h) ++ encodeSegments T.literals (fun g => T.encodeNormalized (T.normalize g)) ys
  | ys => encodeSegments T.literals (fun g => T.encodeNormalized (T.normalize g)) ys

/-! ## Seams -/

/-- The model may be applied to pieces that end in `x` and pieces that begin with `y` apart. -/
@[expose] def PiecesApart (T : Tokenizer α) (x y : α) : Prop :=
  ∀ g h, g.getLast? = some x → h.head? = some y → T.encodePiece (g ++ h) = T.encodePiece g ++ T.encodePiece h

/-- `A | B` is a seam of normalized text: no literal crosses it, and if ordinary text meets ordinary text there,
the two are encoded apart. -/
structure NormalizedSeam [DecidableEq α] (T : Tokenizer α) (A B : List α) : Prop where
  literals : NoCross T.normalizedLiterals A B
  pieces : ∀ g h, LastText T.normalizedLiterals A g → FirstText T.normalizedLiterals B h →
    T.encodePieces (g ++ h) = T.encodePieces g ++ T.encodePieces h

/-- `A | B` is a seam: no literal crosses it, and if ordinary text meets ordinary text there, the two are
normalized apart and their normalized forms have a seam. -/
structure SeamBetween [DecidableEq α] (T : Tokenizer α) (A B : List α) : Prop where
  literals : NoCross T.literals A B
  normalize : ∀ g h, LastText T.literals A g → FirstText T.literals B h → NormalizesApart T.normalize g h
  normalized : ∀ g h, LastText T.literals A g → FirstText T.literals B h →
    NormalizedSeam T (T.normalize g) (T.normalize h)

/-- A pair of characters that makes a seam of normalized text wherever it stands: no literal holds it, and either
the stages have a seam there, or no stage crosses it and the model does not either. -/
structure PairSeam [DecidableEq α] (T : Tokenizer α) (subset : Inclusion α) (x y : α) :
    Prop where
  literals : holdsPair T.normalizedLiterals x y = false
  pieces : isSeam subset T.stages x y = true ∨
    T.stages.all (fun t => t.cuttable subset x y) = true ∧ PiecesApart T x y

/-- A pair of characters that makes a seam wherever it stands.  Where the normalizer changes nothing, this is
decided by tables. -/
structure Seam [DecidableEq α] (T : Tokenizer α) (subset : Inclusion α) (x y : α) : Prop where
  literals : holdsPair T.literals x y = false
  normalize : NormalBoundary T.normalize x y
  normalized : ∀ g h, g.getLast? = some x → h.head? = some y → ∀ x' y',
    (T.normalize g).getLast? = some x' → (T.normalize h).head? = some y' → PairSeam T subset x' y'

end Tokenizer

end VerifiedTok
