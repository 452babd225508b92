module

public import VerifiedTok.Spec.Bytes

public section

/-!
# Sessions

A text and its tokens, kept in step under edits.  An edit re-encodes what lies between a cut before the change
and a cut after it, and keeps the tokens on both sides.  The encoder `enc` is any function that encodes a text and
what goes on from one; what a cut needs is `CutsAt`, which seams give (`Thm/Encode.lean`).
-/

namespace VerifiedTok

variable {α : Type}

/-- Encodes a part of a text; the first argument says whether it goes on from other text. -/
abbrev PartEncoder (α : Type) := Bool → List α → List Token

/-- The encoder may be applied apart to a text's beginning `A` and to `B`, which goes on from it. -/
@[expose] def CutsAt (enc : PartEncoder α) (A B : List α) : Prop :=
  enc false (A ++ B) = enc false A ++ enc (!A.isEmpty) B

/-- No text has no tokens. -/
@[expose] def EmptyIsNone (enc : PartEncoder α) : Prop := ∀ inside, enc inside [] = []

/-- (x, y) cuts every text where it stands. -/
@[expose] def CutPair (enc : PartEncoder α) (x y : α) : Prop :=
  ∀ A B, A.getLast? = some x → B.head? = some y → CutsAt enc A B

/-- What changes in a list of tokens: how many stay in front, the new ones, how many stay behind. -/
structure Patch where
  keepFront : Nat
  new : List Token
  keepBack : Nat

/-- The tokens after the change, from those before it. -/
@[expose] def Patch.apply (p : Patch) (ids : List Token) : List Token :=
  ids.take p.keepFront ++ p.new ++ ids.drop (ids.length - p.keepBack)

/-- A text, and the tokens that stand for it. -/
structure Session (α : Type) where
  text : List α
  ids : List Token

/-- A part of a text. -/
@[expose] def slice (s : List α) (lo hi : Nat) : List α := (s.take hi).drop lo

/-- `text[start, stop)` replaced by `new`. -/
@[expose] def replaceRange (text : List α) (start stop : Nat) (new : List α) : List α :=
  text.take start ++ new ++ text.drop stop

namespace Session

/-- The ids are the tokens of the text. -/
@[expose] def Valid (enc : PartEncoder α) (s : Session α) : Prop := s.ids = enc false s.text

/-- A session of a text, encoded afresh. -/
@[expose] def start (enc : PartEncoder α) (text : List α) : Session α := ⟨text, enc false text⟩

/-- What replacing `text[start, stop)` by `new` changes, if the old and the new text are cut at `lo` before the
change and at `hi` after it.  Only the text between the cuts is encoded; the numbers of tokens before `lo` and
behind `hi` are known from the spans of the old tokens. -/
@[expose] def editPatch (enc : PartEncoder α) (s : Session α) (start stop : Nat) (new : List α)
    (lo hi : Nat) : Patch where
  keepFront := (enc false (s.text.take lo)).length
  new := enc (decide (0 < lo)) (slice s.text lo start ++ new ++ slice s.text stop hi)
  keepBack := (enc (decide (0 < hi)) (s.text.drop hi)).length

/-- Replaces `text[start, stop)` by `new`. -/
@[expose] def edit (enc : PartEncoder α) (s : Session α) (start stop : Nat) (new : List α)
    (lo hi : Nat) : Session α where
  text := replaceRange s.text start stop new
  ids := (editPatch enc s start stop new lo hi).apply s.ids

/-- Puts `new` behind the text; everything behind the cut `lo` is encoded again. -/
@[expose] def append (enc : PartEncoder α) (s : Session α) (new : List α) (lo : Nat) : Session α :=
  edit enc s s.text.length s.text.length new lo s.text.length

/-- Puts `new` into the text at `pos`. -/
@[expose] def insert (enc : PartEncoder α) (s : Session α) (pos : Nat) (new : List α)
    (lo hi : Nat) : Session α := edit enc s pos pos new lo hi

/-- Keeps the first `pos` characters. -/
@[expose] def truncate (enc : PartEncoder α) (s : Session α) (pos lo : Nat) : Session α :=
  edit enc s pos s.text.length [] lo s.text.length

/-- Joins two sessions; the text between the cuts `lo` of the first and `hi` of the second is encoded again. -/
@[expose] def concat (enc : PartEncoder α) (s t : Session α) (lo hi : Nat) : Session α where
  text := s.text ++ t.text
  ids := s.ids.take (enc false (s.text.take lo)).length ++
    enc (decide (0 < lo)) (s.text.drop lo ++ t.text.take hi) ++
    t.ids.drop (enc false (t.text.take hi)).length

/-- `lo` and `hi` cut the old text and the new one, around the change.  What lies behind `hi`, if anything does, goes
on from other text in both or in neither. -/
structure Cuts (enc : PartEncoder α) (text : List α) (start stop : Nat) (new : List α) (lo hi : Nat) :
    Prop where
  order : lo ≤ start ∧ start ≤ stop ∧ stop ≤ hi ∧ hi ≤ text.length
  oldFront : CutsAt enc (text.take lo) (text.drop lo)
  oldBack : CutsAt enc (text.take hi) (text.drop hi)
  newFront : CutsAt enc (text.take lo) (slice text lo start ++ new ++ slice text stop hi)
  newBack : CutsAt enc (text.take start ++ new ++ slice text stop hi) (text.drop hi)
  inside : hi = text.length ∨ (hi = 0 ↔ text.take start ++ new ++ slice text stop hi = [])

end Session

/-! ## Finding cuts -/

/-- Does `pair` allow a cut of the text `s` at `p`?  The ends of a text are cuts. -/
@[expose] def cutAllowed (pair : α → α → Bool) (s : List α) (p : Nat) : Bool :=
  match (s.take p).getLast?, (s.drop p).head? with
  | some x, some y => pair x y
  | _, _ => true

/-- The last cut at or before `p`. -/
@[expose] def cutBefore (pair : α → α → Bool) (s : List α) : Nat → Nat
  | 0 => 0
  | p + 1 => if cutAllowed pair s (p + 1) then p + 1 else cutBefore pair s p

/-- The first cut at or after `p`, looking at no more than `k` places; the end of the text if there is none. -/
@[expose] def cutAfter (pair : α → α → Bool) (s : List α) : Nat → Nat → Nat
  | 0, _ => s.length
  | k + 1, p => if cutAllowed pair s p then p else cutAfter pair s k (p + 1)

/-- Replaces `text[start, stop)` by `new`, between the nearest cuts strictly outside the change. -/
@[expose] def Session.editNear (pair : α → α → Bool) (enc : PartEncoder α) (s : Session α)
    (start stop : Nat) (new : List α) : Session α :=
  s.edit enc start stop new (cutBefore pair s.text (start - 1))
    (cutAfter pair s.text (s.text.length - (stop + 1)) (stop + 1))

/-! ## Chunks -/

/-- Every border between neighbouring chunks is a cut pair. -/
@[expose] def CutChunks (enc : PartEncoder α) : List (List α) → Prop
  | [] => True
  | c :: cs => (∀ x y, c.getLast? = some x → cs.flatten.head? = some y → CutPair enc x y) ∧ CutChunks enc cs

/-- Chunks, each encoded alone; `inside` says whether the first goes on from other text. -/
@[expose] def encodeChunks (enc : PartEncoder α) : Bool → List (List α) → List Token
  | _, [] => []
  | inside, c :: cs => enc inside c ++ encodeChunks enc (inside || !c.isEmpty) cs

end VerifiedTok
