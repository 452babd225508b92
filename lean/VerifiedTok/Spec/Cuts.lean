module

public import VerifiedTok.Spec.Boundary

public section

/-!
# Places where no rule meets
-/

namespace VerifiedTok

/-- No rule meets at the place between `A` and `B`: of none, the left token ends `A` and the right one begins `B`. -/
@[expose] def NoRuleAcross (t : Table) (bytesOf : Token → List UInt8) (A B : List UInt8) : Prop :=
  ∀ a b k c, t.look a b = some (k, c) → ¬ (bytesOf a <:+ A ∧ bytesOf b <+: B)

/-- No rule joins a token that may end a text which ends in `x` to one that may begin a text which begins with `y`: one
that ends in `x` or is a part of its end, and one that begins with `y` or is a part of its beginning.  For characters
of several bytes, of which a token may be a part. -/
@[expose] def NoMeet (t : Table) (bytesOf : Token → List UInt8) (x y : List UInt8) : Prop :=
  ∀ a b k c, t.look a b = some (k, c) →
    ¬ ((x <:+ bytesOf a ∨ bytesOf a <:+ x) ∧ (y <+: bytesOf b ∨ bytesOf b <+: y))

end VerifiedTok
