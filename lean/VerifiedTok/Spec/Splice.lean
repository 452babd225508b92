module

public import VerifiedTok.Spec.Pipeline

public section

/-!
# Splicing windows of a text

The setting of a proof for overlapping windows: a front end `G` cuts a text into units with source intervals,
the model stage `E` maps the key of one unit (its kind and payload) to tokens.  A certificate says at which
junctions the tokens of the windows may be joined.
-/

namespace VerifiedTok

variable {α κ : Type}

/-- A unit: what the model stage sees (`key`: kind and payload) and its source interval `[lo, hi)`. -/
structure SrcUnit (κ : Type) where
  key : κ
  lo : Nat
  hi : Nat

namespace SrcUnit

/-- Moves a unit from window coordinates to global ones. -/
@[expose] def shift (x : Nat) (u : SrcUnit κ) : SrcUnit κ := ⟨u.key, u.lo + x, u.hi + x⟩

/-- The interval holds the position `b` strictly inside. -/
@[expose] def Straddles (u : SrcUnit κ) (b : Nat) : Prop := u.lo < b ∧ b < u.hi

end SrcUnit

/-- The model stage on a sequence of units: each is mapped by its key alone. -/
@[expose] def encStar (E : κ → List Token) (us : List (SrcUnit κ)) : List Token :=
  us.flatMap fun u => E u.key

/-- Intervals are nonempty, ordered and do not overlap; they need not cover the text.  (An empty interval at a
junction would belong to both sides.) -/
@[expose] def OrderedUnits : List (SrcUnit κ) → Prop
  | [] => True
  | u :: us => u.lo < u.hi ∧ (∀ v ∈ us, u.hi ≤ v.lo) ∧ OrderedUnits us

/-- The units that end at or before `b`. -/
@[expose] def unitsBefore (b : Nat) (us : List (SrcUnit κ)) : List (SrcUnit κ) :=
  us.filter fun u => decide (u.hi ≤ b)

/-- The units that begin at or after `b`. -/
@[expose] def unitsAfter (b : Nat) (us : List (SrcUnit κ)) : List (SrcUnit κ) :=
  us.filter fun u => decide (b ≤ u.lo)

/-- The units between `p` and `q`. -/
@[expose] def unitsInside (p q : Nat) (us : List (SrcUnit κ)) : List (SrcUnit κ) :=
  us.filter fun u => decide (p ≤ u.lo ∧ u.hi ≤ q)

/-- What a front end promises: ordered nonempty intervals inside the text. -/
structure FrontEnd (G : List α → List (SrcUnit κ)) : Prop where
  ordered : ∀ S, OrderedUnits (G S)
  bounded : ∀ S, ∀ u ∈ G S, u.hi ≤ S.length

/-- The whole pipeline: front end, then model stage. -/
@[expose] def tokenizeUnits (G : List α → List (SrcUnit κ)) (E : κ → List Token) (S : List α) : List Token :=
  encStar E (G S)

/-! ## Windows and certificates -/

/-- The part `[lo, hi)` of a text. -/
structure Window where
  lo : Nat
  hi : Nat

/-- The text of a window. -/
@[expose] def windowText (S : List α) (w : Window) : List α := (S.take w.hi).drop w.lo

/-- The units of a window, in global coordinates. -/
@[expose] def windowUnits (G : List α → List (SrcUnit κ)) (S : List α) (w : Window) : List (SrcUnit κ) :=
  (G (windowText S w)).map (SrcUnit.shift w.lo)

/-- A splice certificate for `N` windows: junctions `0 = b 0 ≤ b 1 ≤ … ≤ b N = |S|` such that
(C1) no unit of the text straddles a junction, and
(C2) between two junctions each window has exactly the units of the text, and none of its units straddles them. -/
structure Certificate (G : List α → List (SrcUnit κ)) (S : List α) (N : Nat) (w : Nat → Window)
    (b : Nat → Nat) : Prop where
  first : b 0 = 0
  last : b N = S.length
  mono : ∀ i, i < N → b i ≤ b (i + 1)
  c1 : ∀ i, i ≤ N → ∀ u ∈ G S, ¬ u.Straddles (b i)
  c2 : ∀ i, i < N →
    unitsInside (b i) (b (i + 1)) (windowUnits G S (w i)) = unitsInside (b i) (b (i + 1)) (G S)
  c2' : ∀ i, i < N → ∀ u ∈ windowUnits G S (w i), ¬ u.Straddles (b i) ∧ ¬ u.Straddles (b (i + 1))

/-- The part of window `i`'s tokens that the merge keeps: a slice by token index. -/
@[expose] def keptTokens (G : List α → List (SrcUnit κ)) (E : κ → List Token) (S : List α) (w : Nat → Window)
    (b : Nat → Nat) (i : Nat) : List Token :=
  ((tokenizeUnits G E (windowText S (w i))).drop
      (encStar E (unitsBefore (b i) (windowUnits G S (w i)))).length).take
    (encStar E (unitsInside (b i) (b (i + 1)) (windowUnits G S (w i)))).length

/-! ## Seams as junctions -/

/-- The front end may be cut at position `p` of `S`, in every window that holds `p`. -/
@[expose] def FrontCut (G : List α → List (SrcUnit κ)) (S : List α) (p : Nat) : Prop :=
  ∀ lo hi, lo ≤ p → p ≤ hi → hi ≤ S.length →
    G (windowText S ⟨lo, hi⟩) =
      G (windowText S ⟨lo, p⟩) ++ (G (windowText S ⟨p, hi⟩)).map (SrcUnit.shift (p - lo))

/-- Puts keys on a text one after the other; the length of a key is the number of characters that it covers. -/
@[expose] def place (len : κ → Nat) : Nat → List κ → List (SrcUnit κ)
  | _, [] => []
  | p, k :: ks => ⟨k, p, p + len k⟩ :: place len (p + len k) ks

/-- The units of a tokenizer without a normalizer and without flagged literals: literals (`true`) and pieces (`false`). -/
@[expose] def Tokenizer.units [DecidableEq α] (T : Tokenizer α) (S : List α) : List (SrcUnit (Segment α)) :=
  place (·.2.length) 0 <| (extract T.literals S).flatMap fun y =>
    if y.1 then [y] else (splitAll T.stages y.2).map (false, ·)

/-- The model stage of a tokenizer. -/
@[expose] def Tokenizer.encodeUnit [DecidableEq α] (T : Tokenizer α) (k : Segment α) : List Token :=
  if k.1 then literalId T.literals k.2 else T.encodePiece k.2

/-! ## Matched runs -/

/-- A token with the source interval that it came from. -/
structure Record where
  id : Token
  lo : Nat
  hi : Nat
  deriving @[expose] DecidableEq

/-- Records of tokens that cover a text one after the other from position `p` on. -/
@[expose] def recordsFrom (len : Token → Nat) : Nat → List Token → List Record
  | _, [] => []
  | p, t :: ts => ⟨t, p, p + len t⟩ :: recordsFrom len (p + len t) ts

/-- `L` and `R` agree on `n` entries, from `i` and from `j` on. -/
@[expose] def MatchedRun {ρ : Type} (L R : List ρ) (i j n : Nat) : Prop :=
  i + n ≤ L.length ∧ j + n ≤ R.length ∧ (L.drop i).take n = (R.drop j).take n

end VerifiedTok
