module

public section

/-!
# Pre-tokenizer patterns

A pattern is data.  Its meaning is a list of successes: the lengths that it can match at the start of a
text, best first (leftmost alternative first, greedy, with backtracking), so the first one is what a
backtracking engine reports.  A stage cuts a text at the matches of its pattern; what no match takes is a
gap.  Patterns look ahead, never behind: a search may begin afresh at every position.

Everything here recurses on a pattern, on a list or on a bound, so the kernel can evaluate it.
-/

namespace VerifiedTok

/-- Patterns over characters `α`; a character class is a predicate. -/
inductive Pat (α : Type) where
  /-- Matches nothing, successfully. -/
  | eps
  /-- One character of the class `p`. -/
  | chr (p : α → Bool)
  /-- `a`, then `b`. -/
  | seq (a b : Pat α)
  /-- `a`, or else `b`. -/
  | alt (a b : Pat α)
  /-- As many characters of the class `p` as possible, fewer on backtracking. -/
  | star (p : α → Bool)
  /-- `(?!a)`: succeeds without consuming where `a` does not match. -/
  | notAhead (a : Pat α)
  /-- `(?>a)`: the best match of `a` only, never reconsidered. -/
  | atomic (a : Pat α)

namespace Pat

variable {α : Type}

/-! ## Derived patterns -/

/-- `p+` -/
@[expose] def plus (p : α → Bool) : Pat α := seq (chr p) (star p)
/-- `a?` -/
@[expose] def opt (a : Pat α) : Pat α := alt a eps
/-- `a{0,n}` -/
@[expose] def upTo (a : Pat α) : Nat → Pat α
  | 0 => eps
  | n + 1 => opt (seq a (upTo a n))
/-- `a{n}` -/
@[expose] def times (a : Pat α) : Nat → Pat α
  | 0 => eps
  | n + 1 => seq a (times a n)
/-- `a{m,n}` -/
@[expose] def bounded (a : Pat α) (m n : Nat) : Pat α := seq (times a m) (upTo a (n - m))
/-- `(?=a)` -/
@[expose] def ahead (a : Pat α) : Pat α := notAhead (notAhead a)
/-- The end of the input. -/
@[expose] def atEnd : Pat α := notAhead (chr fun _ => true)
/-- `$` as the reference engine reads it: the end of the input, or before a newline. -/
@[expose] def lineEnd (newline : α → Bool) : Pat α := notAhead (chr fun c => !newline c)
/-- A literal text. -/
@[expose] def literal [BEq α] : List α → Pat α
  | [] => eps
  | c :: cs => seq (chr (· == c)) (literal cs)

/-! ## What a pattern matches -/

/-- How many leading characters are in the class `p`. -/
@[expose] def run (p : α → Bool) : List α → Nat
  | [] => 0
  | x :: xs => if p x then run p xs + 1 else 0

/-- `n, n - 1, …, 0`. -/
@[expose] def downTo : Nat → List Nat
  | 0 => [0]
  | n + 1 => (n + 1) :: downTo n

end Pat

variable {α : Type}

/-- The lengths that a pattern can match at the start of a text, best first. -/
@[expose] def Pat.matches : Pat α → List α → List Nat
  | .eps, _ => [0]
  | .chr _, [] => []
  | .chr p, x :: _ => if p x then [1] else []
  | .seq a b, s => (Pat.matches a s).flatMap fun n => (Pat.matches b (s.drop n)).map (n + ·)
  | .alt a b, s => Pat.matches a s ++ Pat.matches b s
  | .star p, s => Pat.downTo (Pat.run p s)
  | .notAhead a, s => if (Pat.matches a s).isEmpty then [0] else []
  | .atomic a, s => (Pat.matches a s).take 1

/-- The match that a backtracking engine reports at the start of a text. -/
@[expose] def Pat.firstMatch (p : Pat α) (s : List α) : Option Nat := (p.matches s).head?

/-! ## Cutting a text -/

/-- A part of a text: a match (`true`) or a gap between matches (`false`). -/
abbrev Segment (α : Type) := Bool × List α

/-- Joins two lists of segments; a gap that ends the first and a gap that begins the second become one. -/
@[expose] def glue : List (Segment α) → List (Segment α) → List (Segment α)
  | [], ys => ys
  | [(false, g)], (false, h) :: ys => (false, g ++ h) :: ys
  | x :: xs, ys => x :: glue xs ys

/-- Cuts a text with a matcher `m` (the length matched at the start of a text), from left to right.  Where
nothing matches, the search moves on by one character, which belongs to a gap.  An empty match cuts (it is a
segment without characters), and the search moves on likewise: `x*` cuts `ab` into `a`, `b`.  The first
argument bounds the steps. -/
@[expose] def cutWithin (m : List α → Option Nat) : Nat → List α → List (Segment α)
  | 0, _ => []
  | _ + 1, [] => []
  | k + 1, x :: xs =>
    match m (x :: xs) with
    | some (n + 1) => (true, x :: xs.take n) :: cutWithin m k (xs.drop n)
    | some 0 => (true, []) :: glue [(false, [x])] (cutWithin m k xs)
    | none => glue [(false, [x])] (cutWithin m k xs)

/-- All segments of a text; its length is bound enough. -/
@[expose] def cut (m : List α → Option Nat) (s : List α) : List (Segment α) := cutWithin m s.length s

/-! ## Stages -/

/-- What a stage does with matches and gaps. -/
inductive Behaviour where
  /-- Every match and every gap is a piece. -/
  | isolated
  /-- Gaps are pieces, matches are dropped. -/
  | removed
  /-- A match belongs to the gap before it. -/
  | mergedWithPrevious
  /-- A match belongs to the gap after it. -/
  | mergedWithNext
  /-- Neighbouring matches are one piece. -/
  | contiguous
  deriving DecidableEq, Repr

/-- Does a segment (`b`: is it a match?) join the piece of the next one (`c`)? -/
@[expose] def Behaviour.joins : Behaviour → Bool → Bool → Bool
  | .isolated, _, _ | .removed, _, _ => false
  | .mergedWithPrevious, b, c => !b && c
  | .mergedWithNext, b, c => b && !c
  | .contiguous, b, c => b == c

/-- Goes on from a piece `s` that ends with a segment of kind `b`. -/
@[expose] def mergeFrom (joins : Bool → Bool → Bool) : Segment α → List (Segment α) → List (List α)
  | (_, s), [] => [s]
  | (b, s), (c, t) :: ys =>
    if joins b c then mergeFrom joins (c, s ++ t) ys else s :: mergeFrom joins (c, t) ys

/-- Joins neighbouring segments into pieces. -/
@[expose] def merge (joins : Bool → Bool → Bool) : List (Segment α) → List (List α)
  | [] => []
  | y :: ys => mergeFrom joins y ys

/-- The pieces that a behaviour makes of segments. -/
@[expose] def Behaviour.pieces (b : Behaviour) (ys : List (Segment α)) : List (List α) :=
  merge b.joins (if b = .removed then ys.filter fun y => !y.1 else ys)

/-- One `Split` stage.  `invert` exchanges matches and gaps before the behaviour applies. -/
structure Stage (α : Type) where
  pat : Pat α
  behaviour : Behaviour := .isolated
  invert : Bool := false

/-- The segments of a text under a stage. -/
@[expose] def Stage.segments (t : Stage α) (s : List α) : List (Segment α) :=
  (cut t.pat.firstMatch s).map fun y => (y.1 != t.invert, y.2)

/-- The pieces of a text under a stage; none is empty. -/
@[expose] def Stage.split (t : Stage α) (s : List α) : List (List α) :=
  (t.behaviour.pieces (t.segments s)).filter fun q => !q.isEmpty

/-- Several stages: each cuts the pieces of the one before it. -/
@[expose] def splitAll : List (Stage α) → List α → List (List α)
  | [], s => if s.isEmpty then [] else [s]
  | t :: ts, s => (t.split s).flatMap (splitAll ts)

end VerifiedTok
