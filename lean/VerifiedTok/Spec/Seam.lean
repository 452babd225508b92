module

public import VerifiedTok.Spec.Pattern

public section

/-!
# Seams of a pattern

Between which characters may a text be cut, so that cutting changes no piece?  The answer is computed from
the pattern alone, like the `first` and `last` sets of a Glushkov automaton.  Every function here
over-approximates ("may") unless it says "surely"; `Thm/Seam.lean` is their soundness.
-/

namespace VerifiedTok

variable {α : Type}

namespace Pat

/-- May match without consuming. -/
@[expose] def nullable : Pat α → Bool
  | .eps | .star _ | .notAhead _ => true
  | .chr _ => false
  | .seq a b => nullable a && nullable b
  | .alt a b => nullable a || nullable b
  | .atomic a => nullable a

/-- May consume `d` first. -/
@[expose] def first : Pat α → α → Bool
  | .eps, _ | .notAhead _, _ => false
  | .chr p, d | .star p, d => p d
  | .seq a b, d => first a d || (nullable a && first b d)
  | .alt a b, d => first a d || first b d
  | .atomic a, d => first a d

/-- May consume `c` last. -/
@[expose] def last : Pat α → α → Bool
  | .eps, _ | .notAhead _, _ => false
  | .chr p, c | .star p, c => p c
  | .seq a b, c => last b c || (nullable b && last a c)
  | .alt a b, c => last a c || last b c
  | .atomic a, c => last a c

/-- May, before consuming, ask a lookahead that answers differently on `d` than at the end. -/
@[expose] def looks : Pat α → α → Bool
  | .eps, _ | .chr _, _ | .star _, _ => false
  | .seq a b, d => looks a d || (nullable a && looks b d)
  | .alt a b, d => looks a d || looks b d
  | .notAhead a, d => first a d || looks a d
  | .atomic a, d => looks a d

/-- May consume `c` and then consume, or be decided by, `d`. -/
@[expose] def crosses : Pat α → α → α → Bool
  | .eps, _, _ | .chr _, _, _ => false
  | .star p, c, d => p c && p d
  | .seq a b, c, d => crosses a c d || crosses b c d || (last a c && (first b d || looks b d))
  | .alt a b, c, d => crosses a c d || crosses b c d
  | .notAhead a, c, d | .atomic a, c, d => crosses a c d

/-- Surely has the empty match among its matches, whatever the text. -/
@[expose] def passes : Pat α → Bool
  | .eps | .star _ => true
  | .chr _ | .notAhead _ | .atomic _ => false
  | .seq a b => passes a && passes b
  | .alt a b => passes a || passes b

/-- Surely matches, whatever the text. -/
@[expose] def always : Pat α → Bool
  | .eps | .star _ => true
  | .chr _ | .notAhead _ => false
  | .seq a b => always a && always b
  | .alt a b => always a || always b
  | .atomic a => always a

/-- Surely matches every text that begins with `y`. -/
@[expose] def sure : Pat α → α → Bool
  | .eps, _ | .star _, _ => true
  | .chr p, y => p y
  | .notAhead _, _ => false
  | .seq a b, y => (sure a y && always b) || (passes a && sure b y)
  | .alt a b, y => sure a y || sure b y
  | .atomic a, y => sure a y

/-- A match surely begins at `y` when the search gets there, so `y` is in no gap. -/
@[expose] def covers (p : Pat α) (y : α) : Bool := !nullable p && sure p y

end Pat

/-! ## Matchers in general -/

/-- A matcher stays inside the text. -/
@[expose] def Bounded (m : List α → Option Nat) : Prop := ∀ u n, m u = some n → n ≤ u.length

/-- Inside `A`, the matcher does not notice that `B` follows. -/
@[expose] def Unaware (m : List α → Option Nat) (A B : List α) : Prop :=
  ∀ u, u <:+ A → u ≠ [] → m (u ++ B) = m u

/-! ## Stages -/

namespace Stage

/-- Cutting a text between `x` and `y` changes the stage's pieces at most by cutting the piece there. -/
@[expose] def cuttable (t : Stage α) (x y : α) : Bool :=
  !t.pat.crosses x y &&
    (decide (t.behaviour = .isolated) || decide (t.behaviour = .removed) || !t.pat.nullable)

/-- May a match (`true`), or a gap (`false`), end with `x`? -/
@[expose] def mayEnd (t : Stage α) (x : α) : Bool → Bool
  | true => t.pat.last x
  | false => !t.pat.covers x

/-- May a match (`true`), or a gap (`false`), begin with `y`?  (An empty match lies before every character.) -/
@[expose] def mayBegin (t : Stage α) (y : α) : Bool → Bool
  | true => t.pat.first y || t.pat.nullable
  | false => !t.pat.covers y

/-- No piece holds the end of a segment of kind `b` and the beginning of one of kind `c` that is next to it
when the text is cut there.  (Two gaps are one segment in the whole text.) -/
@[expose] def separates (t : Stage α) (b c : Bool) : Bool :=
  if t.behaviour = .removed ∧ t.invert then true
  else (b || c) && !t.behaviour.joins (b != t.invert) (c != t.invert)

/-- The stage surely has a piece boundary between `x` and `y`, and cutting there changes no piece. -/
@[expose] def seals (t : Stage α) (x y : α) : Bool :=
  t.cuttable x y && [true, false].all fun b => [true, false].all fun c =>
    !(t.mayEnd x b && t.mayBegin y c) || t.separates b c

end Stage

/-- A seam of several stages: one seals, and all stages before it are cuttable.  Later ones do not matter. -/
@[expose] def isSeam : List (Stage α) → α → α → Bool
  | [], _, _ => false
  | t :: ts, x, y => t.seals x y || (t.cuttable x y && isSeam ts x y)

end VerifiedTok
