module

public import VerifiedTok.Spec.Bytes
public import VerifiedTok.Spec.Seam

public section

/-!
# Added tokens

Literals that are taken out of a text before anything else: at the leftmost place where one begins, the
longest one.  A text is cut by them like by a pattern; a match is a literal, a gap is ordinary text.
-/

namespace VerifiedTok

variable {α : Type}

/-- An added token. -/
structure Literal (α : Type) where
  content : List α
  id : Token

/-- The length of the longest literal at the start of a text.  An empty literal matches nothing. -/
@[expose] def longest [DecidableEq α] : List (Literal α) → List α → Option Nat
  | [], _ => none
  | l :: ls, s =>
    if !l.content.isEmpty && l.content.isPrefixOf s then
      some (max l.content.length ((longest ls s).getD 0))
    else longest ls s

/-- Leftmost-longest extraction. -/
@[expose] def extract [DecidableEq α] (ls : List (Literal α)) (s : List α) : List (Segment α) := cut (longest ls) s

/-- The token of a literal that was found in a text. -/
@[expose] def literalId [DecidableEq α] (ls : List (Literal α)) (w : List α) : List Token :=
  ((ls.find? fun l => l.content == w).map (·.id)).toList

/-- `A` ends with the ordinary text `g` (and not with a literal). -/
@[expose] def LastText [DecidableEq α] (ls : List (Literal α)) (A g : List α) : Prop :=
  ∃ X, extract ls A = X ++ [(false, g)]

/-- `B` begins with the ordinary text `h` (and not with a literal). -/
@[expose] def FirstText [DecidableEq α] (ls : List (Literal α)) (B h : List α) : Prop :=
  ∃ Y, extract ls B = (false, h) :: Y

/-- No literal begins in `A` and ends in `B`. -/
@[expose] def NoCross (ls : List (Literal α)) (A B : List α) : Prop :=
  ∀ l ∈ ls, ∀ u, u <:+ A → u ≠ [] → l.content <+: u ++ B → l.content.length ≤ u.length

/-- The Aho–Corasick automaton of the literals is at its root after `A`: nothing that `A` ends with begins a
literal and is not yet all of it. -/
@[expose] def AtRoot (ls : List (Literal α)) (A : List α) : Prop :=
  ∀ l ∈ ls, ∀ u, u <:+ A → u ≠ [] → u <+: l.content → u = l.content

/-- Does some literal hold `x` and `y` next to each other? -/
@[expose] def holdsPair [DecidableEq α] (ls : List (Literal α)) (x y : α) : Bool :=
  ls.any fun l => (l.content.zip l.content.tail).any fun p => p.1 == x && p.2 == y

end VerifiedTok
