module

public import VerifiedTok.Spec.Chat

public section

/-!
# The delta tokenizer

A conversation's events, bytes and ids, kept in step, and beside every id its mark: `none` if the template or a
given message put it there, `some` of what is known about it (a log-probability, say) if it was sampled.  An
operation adds to all four, or replaces a part of them; nothing that stays is rendered again.
-/

namespace VerifiedTok.Chat

structure Delta (μ : Type) where
  events : List Event
  bytes : Bytes
  ids : List Token
  marks : List (Option μ)

variable {μ : Type}

namespace Delta

@[expose] def empty : Delta μ := ⟨[], [], [], []⟩

/-- The place where the next event will stand. -/
@[expose] def place (d : Delta μ) : Place := placeAfter .start d.events

/-- The four agree. -/
structure Valid (T : Template) (C : Coder) (d : Delta μ) : Prop where
  ids : d.ids = render T C .start d.events
  bytes : d.bytes = renderBytes T C .start d.events
  decode : C.dec d.ids = d.bytes
  marks : d.marks.length = d.ids.length

/-- The sampled ids with what is known about each, in order. -/
@[expose] def sampled (d : Delta μ) : List (Token × μ) :=
  (d.ids.zip d.marks).filterMap fun x => x.2.map (x.1, ·)

/-- For each id of a conversation that begins at `p`, the number of its event; the first is number `i`. -/
@[expose] def _root_.VerifiedTok.Chat.owners (T : Template) (C : Coder) : Place → Nat → List Event → List Nat
  | _, _, [] => []
  | p, i, e :: es => List.replicate (renderEvent T C p e).length i ++ owners T C e.next (i + 1) es

end Delta

/-- May `e` stand at `p`?  A close ends a span; nothing else stands in one.  Its texts must be kept by the encoder. -/
@[expose] def Fits (T : Template) (C : Coder) (p : Place) (e : Event) : Prop :=
  (match e with
    | .close _ => p = .inSpan
    | .span _ => p ≠ .inSpan ∧ T.lead p .assistant ≠ none
    | .message k _ => p ≠ .inSpan ∧ T.lead p k ≠ none) ∧
  ∀ x ∈ T.body e, match x with
    | .content text => C.Keeps text
    | _ => True

/-- May the events stand in this order, from `p` on? -/
@[expose] def AllFit (T : Template) (C : Coder) : Place → List Event → Prop
  | _, [] => True
  | p, e :: es => Fits T C p e ∧ AllFit T C e.next es

@[expose] instance (T : Template) (C : Coder) (p : Place) (e : Event) : Decidable (Fits T C p e) :=
  have : ∀ x : Segment, Decidable (match x with | .content text => C.Keeps text | _ => True) := fun x => by
    cases x <;> infer_instance
  by unfold Fits; cases e <;> infer_instance

/-- The decision of `AllFit`. -/
@[expose] def allFit (T : Template) (C : Coder) : Place → List Event → Bool
  | _, [] => true
  | p, e :: es => decide (Fits T C p e) && allFit T C e.next es

/-! ## Growing -/

namespace Delta

/-- Puts an event behind the others; `mark` is the mark of its ids. -/
@[expose] def add (T : Template) (C : Coder) (d : Delta μ) (e : Event) (mark : Option μ) : Delta μ where
  events := d.events ++ [e]
  bytes := d.bytes ++ eventBytes T C d.place e
  ids := d.ids ++ renderEvent T C d.place e
  marks := d.marks ++ List.replicate (renderEvent T C d.place e).length mark

/-- A span with more ids at its end. -/
@[expose] def _root_.VerifiedTok.Chat.Event.extend (ts : List Token) : Event → Event
  | .span us => .span (us ++ ts)
  | e => e

/-- Puts ids into the open span, as they are, with their marks. -/
@[expose] def extend (C : Coder) (d : Delta μ) (ts : List Token) (ms : List (Option μ)) : Delta μ where
  events := d.events.dropLast ++ (d.events.getLast?.map (Event.extend ts)).toList
  bytes := d.bytes ++ C.dec ts
  ids := d.ids ++ ts
  marks := d.marks ++ ms

/-! ## Editing -/

/-- The lead of the first of some events. -/
@[expose] def _root_.VerifiedTok.Chat.Template.headLead (T : Template) (p : Place) (es : List Event) : List Token :=
  (es.head?.map (T.leadOf p)).getD []

/-- `xs` with `n` elements from `i` on replaced by `new`. -/
@[expose] def _root_.VerifiedTok.Chat.replaceAt {α : Type} (xs : List α) (i n : Nat) (new : List α) : List α :=
  xs.take i ++ new ++ xs.drop (i + n)

/-- Replaces the events `i`, …, `j - 1` by `new`.  What is behind them stays; only the lead of the first event
there is written again, if it is another after what is now before it. -/
@[expose] def splice (T : Template) (C : Coder) (d : Delta μ) (i j : Nat) (new : List Event) : Delta μ :=
  let front := d.events.take i
  let old := (d.events.drop i).take (j - i)
  let back := d.events.drop j
  let p := placeAfter .start front
  let oldLead := T.headLead (placeAfter p old) back
  let newLead := T.headLead (placeAfter p new) back
  let (oldLead, newLead) := if oldLead = newLead then ([], []) else (oldLead, newLead)
  let start := (render T C .start front).length
  let count := (render T C p old ++ oldLead).length
  let ids := render T C p new ++ newLead
  { events := front ++ new ++ back
    bytes := replaceAt d.bytes (renderBytes T C .start front).length
      (renderBytes T C p old ++ C.dec oldLead).length (renderBytes T C p new ++ C.dec newLead)
    ids := replaceAt d.ids start count ids
    marks := replaceAt d.marks start count (List.replicate ids.length none) }

@[expose] def insert (T : Template) (C : Coder) (d : Delta μ) (i : Nat) (e : Event) : Delta μ := d.splice T C i i [e]

@[expose] def replace (T : Template) (C : Coder) (d : Delta μ) (i : Nat) (e : Event) : Delta μ :=
  d.splice T C i (i + 1) [e]

@[expose] def delete (T : Template) (C : Coder) (d : Delta μ) (i : Nat) : Delta μ := d.splice T C i (i + 1) []

/-- Keeps the first `i` events. -/
@[expose] def truncate (T : Template) (C : Coder) (d : Delta μ) (i : Nat) : Delta μ :=
  d.splice T C i d.events.length []

end Delta

/-! ## The state machine -/

inductive Op (μ : Type) where
  | add (e : Event) (mark : Option μ)
  | extend (ts : List Token) (ms : List (Option μ))
  | splice (i j : Nat) (new : List Event)

/-- Does the operation only add to the end? -/
@[expose] def Op.grows : Op μ → Bool
  | .splice .. => false
  | _ => true

/-- One operation; `none` if it is refused, and then nothing changes. -/
@[expose] def step (T : Template) (C : Coder) (d : Delta μ) : Op μ → Option (Delta μ)
  | .add e mark => if Fits T C d.place e then some (d.add T C e mark) else none
  | .extend ts ms => if d.place = .inSpan ∧ ts.length = ms.length then some (d.extend C ts ms) else none
  | .splice i j new =>
    let d' := d.splice T C i j new
    if i ≤ j ∧ j ≤ d.events.length ∧ allFit T C .start d'.events then some d' else none

/-- Several operations, none of which is refused. -/
@[expose] def steps (T : Template) (C : Coder) : Delta μ → List (Op μ) → Option (Delta μ)
  | d, [] => some d
  | d, op :: ops => (step T C d op).bind (steps T C · ops)

end VerifiedTok.Chat
