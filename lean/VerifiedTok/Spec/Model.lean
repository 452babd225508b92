module

public import VerifiedTok.Spec.Boundary
public import VerifiedTok.Spec.Pipeline

public section

/-!
# The model of a vocabulary of characters

A piece becomes symbols, one for each character or byte, and the rank table merges those.  A vocabulary of bytes is
one without any character.
-/

namespace VerifiedTok

variable {α : Type}

/-- A model as encoding needs it. -/
structure CharModel (α : Type) where
  table : Table
  /-- Pieces that are one token, whatever the merges say. -/
  whole : List α → Option Token := fun _ => none
  /-- The tokens of single characters. -/
  char : α → Option Token
  /-- The tokens of a character's bytes, for characters that have none; empty if one of its bytes has no token. -/
  bytes : α → List Token
  /-- The token of a character that has neither; without it the character is dropped. -/
  unk : Option Token := none
  /-- Neighbouring unknown characters are one token. -/
  fuseUnk : Bool := false

namespace CharModel

/-- The tokens that merging begins with.  An unknown character waits for the next one, with which it may be joined
(`waiting` holds its token); as in the reference engine, bytes that a character falls back to do not wait behind it:
they come first. -/
@[expose] def symbolsFrom (m : CharModel α) : List Token → List α → List Token
  | waiting, [] => waiting
  | waiting, c :: s =>
    match m.char c, m.bytes c, m.unk with
    | some t, _, _ => waiting ++ t :: symbolsFrom m [] s
    | none, b :: bs, _ => b :: bs ++ symbolsFrom m waiting s
    | none, [], some u =>
      if !waiting.isEmpty && m.fuseUnk then symbolsFrom m waiting s else waiting ++ symbolsFrom m [u] s
    | none, [], none => symbolsFrom m waiting s

/-- The tokens that merging begins with. -/
@[expose] def initialSymbols (m : CharModel α) (piece : List α) : List Token := symbolsFrom m [] piece

/-- The tokens of a piece. -/
@[expose] def encodePiece (m : CharModel α) (piece : List α) : List Token :=
  match m.whole piece with
  | some t => [t]
  | none => mergeAll m.table (initialSymbols m piece)

/-! ## Places that merges do not cross -/

/-- The symbols of a character that is not unknown. -/
@[expose] def symbols (m : CharModel α) (c : α) : List Token :=
  match m.char c with
  | some t => [t]
  | none => m.bytes c

/-- No character is unknown. -/
@[expose] def Complete (m : CharModel α) : Prop := ∀ c, m.symbols c ≠ []

/-- Merges do not cross between `x` and `y`, wherever the two stand: both have a token, or no character is unknown;
and no rule joins a token that ends in the last symbol of `x` to one that begins with the first symbol of `y`. -/
structure Apart (m : CharModel α) (bytesOf : Token → List UInt8) (x y : α) : Prop where
  whole : ∀ piece, m.whole piece = none
  known : (m.char x ≠ none ∧ m.char y ≠ none) ∨ m.Complete
  join : ∀ p q, (m.symbols x).getLast? = some p → (m.symbols y).head? = some q →
    NoJoin m.table bytesOf (bytesOf p) (bytesOf q)

end CharModel

end VerifiedTok
