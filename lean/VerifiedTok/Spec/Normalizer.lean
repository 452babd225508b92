module

public section

/-!
# Normalizers

A normalizer is a function on texts.  What seams need of it is stated here and assumed of the real ones
(probed, not proved): it may be applied to two parts of a text apart.
-/

namespace VerifiedTok

variable {α : Type}

/-- After `A`, the normalizer `N` goes on as `rest` does: what it does at the beginning of a text is not repeated. -/
@[expose] def GoesOnAs (N rest : List α → List α) (A B : List α) : Prop := N (A ++ B) = N A ++ rest B

/-- Normalizing `A ++ B` is normalizing `A` and `B`. -/
@[expose] def NormalizesApart (N : List α → List α) (A B : List α) : Prop := GoesOnAs N N A B

/-- (x, y) is a boundary of the normalizer: whatever ends in `x`, it goes on as `rest` at whatever begins with `y`. -/
@[expose] def NormalBoundary (N rest : List α → List α) (x y : α) : Prop :=
  ∀ A B, A.getLast? = some x → B.head? = some y → GoesOnAs N rest A B

/-- `y` begins a segment of the normalizer: nothing before it matters.  (For NFC: a character that composes with
nothing before it and is not reordered.) -/
@[expose] def BeginsSegment (N : List α → List α) (y : α) : Prop :=
  ∀ A B, B.head? = some y → NormalizesApart N A B

/-- A normalizer that maps every character for itself. -/
@[expose] def normalizeEach (f : α → List α) (s : List α) : List α := s.flatMap f

/-- Puts `p` in front of a text, unless the text is empty. -/
@[expose] def prepend (p s : List α) : List α := if s.isEmpty then [] else p ++ s

end VerifiedTok
