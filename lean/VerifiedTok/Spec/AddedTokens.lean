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
  /-- Is a literal only where no word character stands beside it. -/
  singleWord : Bool := false
  /-- Takes the white space before it. -/
  lstrip : Bool := false
  /-- Takes the white space after it. -/
  rstrip : Bool := false

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

/-- Segments end with the ordinary text `g` (and not with a literal). -/
@[expose] def LastText (ys : List (Segment α)) (g : List α) : Prop := ∃ X, ys = X ++ [(false, g)]

/-- Segments begin with the ordinary text `h` (and not with a literal). -/
@[expose] def FirstText (ys : List (Segment α)) (h : List α) : Prop := ∃ Y, ys = (false, h) :: Y

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

/-! ## Flags -/

/-- Does a literal that was found as `w` have the flag? -/
@[expose] def flagged [DecidableEq α] (flag : Literal α → Bool) (ls : List (Literal α)) (w : List α) : Bool :=
  ls.any fun l => l.content == w && flag l

/-- The first character of segments. -/
@[expose] def firstChar (ys : List (Segment α)) : Option α := (ys.flatMap (·.2)).head?

/-- Turns `singleWord` literals that stand beside a word character into ordinary text.  `prev` is the character
before the segments. -/
@[expose] def keepWords [DecidableEq α] (isWord : α → Bool) (ls : List (Literal α)) :
    Option α → List (Segment α) → List (Segment α)
  | _, [] => []
  | _, (false, g) :: ys => glue [(false, g)] (keepWords isWord ls g.getLast? ys)
  | prev, (true, w) :: ys =>
    if flagged Literal.singleWord ls w && (prev.any isWord || (firstChar ys).any isWord) then
      glue [(false, w)] (keepWords isWord ls w.getLast? ys)
    else (true, w) :: keepWords isWord ls w.getLast? ys

/-- Without the white space at its end. -/
@[expose] def trimEnd (isSpace : α → Bool) (s : List α) : List α := (s.reverse.dropWhile isSpace).reverse

/-- Text between literals: does one that takes white space come before it, or after it? -/
@[expose] def stripText (isSpace : α → Bool) (before after : Bool) (g : List α) : List α :=
  let g := if before then g.dropWhile isSpace else g
  if after then trimEnd isSpace g else g

/-- Do segments begin with an `lstrip` literal? -/
@[expose] def stripsBefore [DecidableEq α] (ls : List (Literal α)) : List (Segment α) → Bool
  | (true, w) :: _ => flagged Literal.lstrip ls w
  | _ => false

/-- Takes the white space beside `lstrip` and `rstrip` literals from the text there.  `before`: does an `rstrip`
literal come before?  (White space that begins another literal is not taken here.) -/
@[expose] def strip [DecidableEq α] (isSpace : α → Bool) (ls : List (Literal α)) :
    Bool → List (Segment α) → List (Segment α)
  | _, [] => []
  | _, (true, w) :: ys => (true, w) :: strip isSpace ls (flagged Literal.rstrip ls w) ys
  | before, (false, g) :: ys =>
    let g := stripText isSpace before (stripsBefore ls ys) g
    if g.isEmpty then strip isSpace ls false ys else (false, g) :: strip isSpace ls false ys

/-- No literal has a flag. -/
@[expose] def NoFlags (ls : List (Literal α)) : Prop :=
  ∀ l ∈ ls, l.singleWord = false ∧ l.lstrip = false ∧ l.rstrip = false

/-- Extraction with flags. -/
@[expose] def extractFlagged [DecidableEq α] (isWord isSpace : α → Bool) (ls : List (Literal α)) (s : List α) :
    List (Segment α) :=
  strip isSpace ls false (keepWords isWord ls none (extract ls s))

/-- What a seam between `x` and `y` needs where flags are set: no `singleWord` literal that touches it has a word
character on the other side, and no literal takes white space across it. -/
structure FlagsAllow (isWord isSpace : α → Bool) (ls : List (Literal α)) (x y : α) : Prop where
  wordAfter : ∀ l ∈ ls, l.singleWord → l.content.getLast? = some x → isWord y = false
  wordBefore : ∀ l ∈ ls, l.singleWord → l.content.head? = some y → isWord x = false
  spaceAfter : ∀ l ∈ ls, l.rstrip → l.content.getLast? = some x ∨ isSpace x → isSpace y = false
  spaceBefore : ∀ l ∈ ls, l.lstrip → l.content.head? = some y ∨ isSpace y → isSpace x = false

end VerifiedTok
