module

public import VerifiedTok.Spec.Tables

public section

/-!
# Places that merges do not cross
-/

namespace VerifiedTok

/-- No merge of the run on `A ++ B` takes a token from each side. -/
inductive Apart (t : Table) : List Token → List Token → Prop where
  | stop {A B : List Token} : Stuck t (A ++ B) → Apart t A B
  | left {A B : List Token} {i : Nat} {c : Token} :
      Optimal t (A ++ B) i c → i + 1 < A.length → Apart t (mergeAt A i c) B → Apart t A B
  | right {A B : List Token} {i : Nat} {c : Token} :
      Optimal t (A ++ B) (A.length + i) c → Apart t A (mergeAt B i c) → Apart t A B

/-- No result of a rule holds `x` directly before `y`. -/
@[expose] def NoStraddle (t : Table) (bytesOf : Token → List UInt8) (x y : List UInt8) : Prop :=
  ∀ a b k c, t.look a b = some (k, c) → ¬ (x ++ y) <:+: bytesOf c

/-- No rule joins a token that ends in `x` to a token that begins with `y`.  This asks less than
`NoStraddle`: only of the place where a rule's parts meet. -/
@[expose] def NoJoin (t : Table) (bytesOf : Token → List UInt8) (x y : List UInt8) : Prop :=
  ∀ a b k c, t.look a b = some (k, c) → ¬ (x <:+ bytesOf a ∧ y <+: bytesOf b)

/-- The encoder reaches the token `c`: the encoding of its bytes is `c` itself. -/
@[expose] def Canonical (t : Table) (bytesOf : Token → List UInt8) (c : Token) : Prop :=
  encodePiece t (bytesOf c) = [c]

/-- Each token of the list is canonical, and each two neighbours are the encoding of their bytes. -/
@[expose] def PairwiseCanonical (t : Table) (bytesOf : Token → List UInt8) (ts : List Token) : Prop :=
  (∀ c ∈ ts, Canonical t bytesOf c) ∧
    ∀ i a b, PairAt ts i a b → encodePiece t (bytesOf a ++ bytesOf b) = [a, b]

/-- `out` is an encoding of the piece `bytes` under `ignore_merges`: its entry, if it has one. -/
@[expose] def BpeSpecIgnoreMerges (t : Table) (entry : List UInt8 → Option Token)
    (bytes : List UInt8) (out : List Token) : Prop :=
  (∃ c, entry bytes = some c ∧ out = [c]) ∨ (entry bytes = none ∧ BpeSpec t bytes out)

end VerifiedTok
