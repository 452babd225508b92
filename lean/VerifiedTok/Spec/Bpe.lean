module

public import VerifiedTok.Spec.Bytes

public section

/-!
# Byte-pair encoding

What the encoder of one piece must return (`BpeSpec`), and a program that returns it (`encodePiece`).
`Thm/Bpe.lean` proves that the two agree.
-/

namespace VerifiedTok

/-- A rank table: the token of each byte, and for some pairs of tokens a rank and the token that
replaces the pair.  Real vocabularies need no more than this; see `Spec/Tables.lean`. -/
structure Table where
  byteToken : UInt8 → Token
  look : Token → Token → Option (Nat × Token)

/-- The textbook's table: the rank of a rule is its position in the list, and its result is
`256 + rank`.  A pair that is listed twice keeps its first rank. -/
@[expose] def textbook (rules : List (Token × Token)) : Table where
  byteToken b := b.toNat
  look a b := (rules.findIdx? (· == (a, b))).map fun k => (k, 256 + k)

/-! ## The specification -/

/-- The tokens at positions `i` and `i + 1` are `a` and `b`. -/
@[expose] def PairAt (ts : List Token) (i : Nat) (a b : Token) : Prop :=
  ts[i]? = some a ∧ ts[i + 1]? = some b

/-- A rule of rank `k` and result `c` applies at position `i`. -/
@[expose] def Selected (t : Table) (ts : List Token) (i k : Nat) (c : Token) : Prop :=
  ∃ a b, PairAt ts i a b ∧ t.look a b = some (k, c)

/-- No rule applies anywhere. -/
@[expose] def Stuck (t : Table) (ts : List Token) : Prop :=
  ∀ i k c, ¬ Selected t ts i k c

/-- A rule with result `c` applies at `i`, no rule of lower rank applies anywhere, and none of the
same rank applies further left. -/
@[expose] def Optimal (t : Table) (ts : List Token) (i : Nat) (c : Token) : Prop :=
  ∃ k, Selected t ts i k c ∧
    ∀ j k' c', Selected t ts j k' c' → k < k' ∨ (k = k' ∧ i ≤ j)

/-- Replace the two tokens at `i` and `i + 1` by `c`. -/
@[expose] def mergeAt (ts : List Token) (i : Nat) (c : Token) : List Token :=
  ts.take i ++ c :: ts.drop (i + 2)

/-- Ranked byte-pair encoding: stop when no rule applies, or make the optimal merge and go on. -/
inductive RankedBpe (t : Table) : List Token → List Token → Prop where
  | stop {ts : List Token} : Stuck t ts → RankedBpe t ts ts
  | step {ts out : List Token} {i : Nat} {c : Token} :
      Optimal t ts i c → RankedBpe t (mergeAt ts i c) out → RankedBpe t ts out

/-- One token for each byte. -/
@[expose] def initialTokens (t : Table) (bytes : List UInt8) : List Token :=
  bytes.map t.byteToken

/-- `out` is an encoding of the piece `bytes`. -/
@[expose] def BpeSpec (t : Table) (bytes : List UInt8) (out : List Token) : Prop :=
  RankedBpe t (initialTokens t bytes) out

/-! ## The program -/

/-- The optimal merge, if any rule applies: its rank, its position and its result. -/
@[expose] def best (t : Table) : List Token → Option (Nat × Nat × Token)
  | a :: b :: rest =>
    match t.look a b, best t (b :: rest) with
    | none, none => none
    | none, some (k, i, c) => some (k, i + 1, c)
    | some (k, c), none => some (k, 0, c)
    | some (k, c), some (k', i, c') => if k ≤ k' then some (k, 0, c) else some (k', i + 1, c')
  | [_] => none
  | [] => none

/-- Make at most `n` optimal merges. -/
@[expose] def mergeSteps (t : Table) : Nat → List Token → List Token
  | 0, ts => ts
  | n + 1, ts =>
    match best t ts with
    | none => ts
    | some (_, i, c) => mergeSteps t n (mergeAt ts i c)

/-- Make optimal merges until no rule applies: each shortens the list, so its length is enough. -/
@[expose] def mergeAll (t : Table) (ts : List Token) : List Token :=
  mergeSteps t ts.length ts

/-- The encoder of one piece. -/
@[expose] def encodePiece (t : Table) (bytes : List UInt8) : List Token :=
  mergeAll t (initialTokens t bytes)

/-- The encoder of vocabularies with `ignore_merges`: a piece that `entry` finds in the vocabulary is
that token, whether or not merges reach it; any other piece goes through the merges. -/
@[expose] def encodePieceIgnoreMerges (t : Table) (entry : List UInt8 → Option Token)
    (bytes : List UInt8) : List Token :=
  match entry bytes with
  | some c => [c]
  | none => encodePiece t bytes

end VerifiedTok
