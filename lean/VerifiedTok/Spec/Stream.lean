module

public import VerifiedTok.Spec.Bytes

public section

/-!
# Text as the ids come in

Bytes become UTF-8 characters one byte at a time.  What cannot become a character is replaced by U+FFFD, once for
each maximal part that could still have become one.  A stream of ids gives out what is complete, token by token.
-/

namespace VerifiedTok

/-- The bytes of a character that has begun, how many more it needs, and which the next may be. -/
structure Partial where
  bytes : List UInt8
  need : Nat
  lo : UInt8
  hi : UInt8

namespace Partial

/-- No character has begun. -/
@[expose] def none : Partial := ⟨[], 0, 0x80, 0xBF⟩

/-- U+FFFD. -/
@[expose] def replacement : List UInt8 := [0xEF, 0xBF, 0xBD]

/-- A byte where no character has begun, and what is complete then.  (Table 3-7 of the Unicode standard.) -/
@[expose] def first (b : UInt8) : Partial × List UInt8 :=
  if b ≤ 0x7F then (none, [b])
  else if b < 0xC2 then (none, replacement)
  else if b ≤ 0xDF then (⟨[b], 1, 0x80, 0xBF⟩, [])
  else if b ≤ 0xEF then
    (⟨[b], 2, if b = 0xE0 then 0xA0 else 0x80, if b = 0xED then 0x9F else 0xBF⟩, [])
  else if b ≤ 0xF4 then
    (⟨[b], 3, if b = 0xF0 then 0x90 else 0x80, if b = 0xF4 then 0x8F else 0xBF⟩, [])
  else (none, replacement)

/-- One more byte, and what is complete then. -/
@[expose] def put (s : Partial) (b : UInt8) : Partial × List UInt8 :=
  if s.need = 0 then first b
  else if s.lo ≤ b ∧ b ≤ s.hi then
    if s.need = 1 then (none, s.bytes ++ [b]) else (⟨s.bytes ++ [b], s.need - 1, 0x80, 0xBF⟩, [])
  else ((first b).1, replacement ++ (first b).2)

/-- Several bytes. -/
@[expose] def feed : Partial → List UInt8 → Partial × List UInt8
  | s, [] => (s, [])
  | s, b :: bs => ((feed (s.put b).1 bs).1, (s.put b).2 ++ (feed (s.put b).1 bs).2)

/-- No more bytes will come. -/
@[expose] def finish (s : Partial) : List UInt8 := if s.need = 0 then [] else replacement

end Partial

/-- The text of bytes, in UTF-8. -/
@[expose] def textOf (bs : List UInt8) : List UInt8 :=
  (Partial.none.feed bs).2 ++ (Partial.none.feed bs).1.finish

/-- What each token of a stream adds to the text, and the character that has begun at the end. -/
@[expose] def deltas (bytesOf : Token → List UInt8) : Partial → List Token → List (List UInt8) × Partial
  | s, [] => ([], s)
  | s, t :: ts =>
    let x := s.feed (bytesOf t)
    (x.2 :: (deltas bytesOf x.1 ts).1, (deltas bytesOf x.1 ts).2)

/-- The bytes of one character: Table 3-7 of the Unicode standard. -/
@[expose] def WellFormed : List UInt8 → Prop
  | [a] => a ≤ 0x7F
  | [a, b] => 0xC2 ≤ a ∧ a ≤ 0xDF ∧ 0x80 ≤ b ∧ b ≤ 0xBF
  | [a, b, c] =>
    0xE0 ≤ a ∧ a ≤ 0xEF ∧ (if a = 0xE0 then 0xA0 else 0x80) ≤ b ∧ b ≤ (if a = 0xED then 0x9F else 0xBF) ∧
      0x80 ≤ c ∧ c ≤ 0xBF
  | [a, b, c, d] =>
    0xF0 ≤ a ∧ a ≤ 0xF4 ∧ (if a = 0xF0 then 0x90 else 0x80) ≤ b ∧ b ≤ (if a = 0xF4 then 0x8F else 0xBF) ∧
      0x80 ≤ c ∧ c ≤ 0xBF ∧ 0x80 ≤ d ∧ d ≤ 0xBF
  | _ => False

end VerifiedTok
