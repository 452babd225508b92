module

public section

/-!
# Normalizers

A normalizer is a function on texts.  What seams need of it is stated here and assumed of the real ones
(probed, not proved): it may be applied to two parts of a text apart.
-/

namespace VerifiedTok

variable {α : Type}

/-- Normalizing `A ++ B` is normalizing `A` and `B`. -/
@[expose] def NormalizesApart (N : List α → List α) (A B : List α) : Prop := N (A ++ B) = N A ++ N B

/-- (x, y) is a boundary of the normalizer: whatever ends in `x` and whatever begins with `y` are normalized apart. -/
@[expose] def NormalBoundary (N : List α → List α) (x y : α) : Prop :=
  ∀ A B, A.getLast? = some x → B.head? = some y → NormalizesApart N A B

/-- A normalizer that maps every character for itself. -/
@[expose] def normalizeEach (f : α → List α) (s : List α) : List α := s.flatMap f

end VerifiedTok
