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

/-- Decides whether one class of characters is inside another. -/
abbrev Inclusion (α : Type) := (α → Bool) → (α → Bool) → Bool

/-- The answers of `subset` are right. -/
@[expose] def SubsetSound (subset : Inclusion α) : Prop :=
  ∀ p q, subset p q = true → ∀ c, p c = true → q c = true

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

/-! ### A later alternative that an earlier one shields -/

/-- May consume `c` somewhere. -/
@[expose] def consumes : Pat α → α → Bool
  | .eps, _ | .notAhead _, _ => false
  | .chr p, c | .star p, c => p c
  | .seq a b, c | .alt a b, c => consumes a c || consumes b c
  | .atomic a, c => consumes a c

/-- Every lookahead looks at one character only. -/
@[expose] def shortLooks : Pat α → Bool
  | .eps | .chr _ | .star _ | .notAhead (.chr _) => true
  | .notAhead _ => false
  | .seq a b | .alt a b => shortLooks a && shortLooks b
  | .atomic a => shortLooks a

/-- Surely matches every text of characters of `S` that ends with `x`: some alternative is `p*r`, where `p` holds
all of `S` and `r` surely matches at `x`, as in `\s*[\r\n]+` for white space that ends with a newline. -/
@[expose] def reaches (subset : Inclusion α) (S : α → Bool) (x : α) : Pat α → Bool
  | .alt a b => reaches subset S x a || reaches subset S x b
  | .seq (.star p) r => subset S p && r.sure x
  | _ => false

/-- The first match surely does not depend on what follows (x, y): no alternative crosses, but for those that an
earlier alternative shields, because it surely matches wherever they could get as far as `x`.  `subset` decides
inclusion of character classes (answering `false` is always sound, and gives plain `crosses`). -/
@[expose] def stable (subset : Inclusion α) : Pat α → α → α → Bool
  | .alt a b, x, y => stable subset a x y &&
      (stable subset b x y || (shortLooks b && reaches subset (consumes b) x a))
  | p, x, y => !crosses p x y

end Pat

/-! ## Matchers in general -/

/-- A matcher stays inside the text. -/
@[expose] def Bounded (m : List α → Option Nat) : Prop := ∀ u n, m u = some n → n ≤ u.length

/-- Inside `A`, the matcher does not notice that `B` follows. -/
@[expose] def Unaware (m : List α → Option Nat) (A B : List α) : Prop :=
  ∀ u, u <:+ A → u ≠ [] → m (u ++ B) = m u

/-! ## Stages -/

namespace Stage

variable (subset : Inclusion α)

/-- Cutting a text between `x` and `y` changes the stage's pieces at most by cutting the piece there. -/
@[expose] def cuttable (t : Stage α) (x y : α) : Bool :=
  t.pat.stable subset x y &&
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
  t.cuttable subset x y && [true, false].all fun b => [true, false].all fun c =>
    !(t.mayEnd x b && t.mayBegin y c) || t.separates b c

end Stage

/-- A seam of several stages: one seals, and all stages before it are cuttable.  Later ones do not matter. -/
@[expose] def isSeam (subset : Inclusion α) : List (Stage α) → α → α → Bool
  | [], _, _ => false
  | t :: ts, x, y => t.seals subset x y || (t.cuttable subset x y && isSeam subset ts x y)

end VerifiedTok
