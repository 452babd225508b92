module

public import VerifiedTok.Spec.Bytes

public section

/-!
# Conversations as events

A conversation is a list of events.  Each renders by itself, given only what kind of event stood before it, to
segments: ids that the template fixes, texts that are encoded with every added token switched off, and sampled ids,
which stay as they are.  What separates two events belongs to the second.  Segments are joined as ids: nothing is
merged across their borders.
-/

namespace VerifiedTok.Chat

abbrev Bytes := List UInt8

/-- What an event is.  `tools` is a group: the results of parallel calls are one event. -/
inductive Kind where
  | system | developer | user | tools | assistant

@[expose] def Kind.number : Kind → Nat
  | .system => 0
  | .developer => 1
  | .user => 2
  | .tools => 3
  | .assistant => 4

theorem Kind.number_inj {k l : Kind} (h : k.number = l.number) : k = l := by
  cases k <;> cases l <;> first | rfl | cases h

@[expose] instance : DecidableEq Kind := fun _ _ => decidable_of_iff _ ⟨Kind.number_inj, congrArg Kind.number⟩

/-- Where an event stands: at the beginning, after an event, or in a span of the assistant that is still open. -/
inductive Place where
  | start
  | after (k : Kind)
  | inSpan

@[expose] def Place.number : Place → Nat
  | .start => 0
  | .inSpan => 1
  | .after k => k.number + 2

theorem Place.number_inj {p q : Place} (h : p.number = q.number) : p = q := by
  cases p <;> cases q <;> simp only [number, Nat.add_right_cancel_iff] at h <;>
    first | rfl | (congr 1; exact Kind.number_inj h) | omega

@[expose] instance : DecidableEq Place := fun _ _ => decidable_of_iff _ ⟨Place.number_inj, congrArg Place.number⟩

@[expose] def Kind.all : List Kind := [.system, .developer, .user, .tools, .assistant]
@[expose] def Place.all : List Place := .start :: Kind.all.map .after

/-- An event.  A message has items (one, but for a group), and an item has the texts of its slots.  An assistant's
turn is a span of ids, whoever wrote them, and then a close. -/
inductive Event where
  | message (k : Kind) (items : List (List Bytes))
  | span (ids : List Token)
  | close (stop : Token)

/-- A part of the form of a message: ids that never change, or a slot for a text that stands between two fixed
texts and is encoded together with them. -/
inductive Part where
  | ids (ts : List Token)
  | slot (before after : Bytes)

/-- A chat format. -/
structure Template where
  /-- Tokens that only the template and the model may write: all added tokens. -/
  control : Token → Bool
  /-- What begins an event of a kind at a place: separator and header; for the assistant, the generation prompt.
  `none`: the format has no such event there. -/
  lead : Place → Kind → Option (List Token)
  /-- The form of one item. -/
  item : Kind → List Part
  /-- May a message of this kind have several items? -/
  many : Kind → Bool
  closing : Kind → List Token
  /-- What ends a span. -/
  stops : List Token
  /-- The kinds of the format, in the order in which the parser tries them. -/
  kinds : List Kind

/-- The encoder of content, and the bytes of tokens. -/
structure Coder where
  enc : Bytes → List Token
  bytesOf : Token → Bytes

@[expose] def Coder.dec (C : Coder) (ts : List Token) : Bytes := decode C.bytesOf ts

/-- The text is its own encoding's decoding.  (A normalizer may change others.) -/
@[expose] def Coder.Keeps (C : Coder) (text : Bytes) : Prop := C.dec (C.enc text) = text

@[expose] instance (C : Coder) (text : Bytes) : Decidable (C.Keeps text) := inferInstanceAs (Decidable (_ = _))

/-- Content never becomes a control token. -/
@[expose] def NoControl (T : Template) (C : Coder) : Prop := ∀ text, ∀ t ∈ C.enc text, T.control t = false

/-! ## Rendering -/

inductive Segment where
  /-- Ids of the template. -/
  | fixed (ts : List Token)
  /-- A text, with the fixed texts around it. -/
  | content (text : Bytes)
  /-- Ids as they were given. -/
  | sampled (ts : List Token)

@[expose] def Segment.ids (C : Coder) : Segment → List Token
  | .fixed ts | .sampled ts => ts
  | .content text => C.enc text

@[expose] def Segment.bytes (C : Coder) : Segment → Bytes
  | .fixed ts | .sampled ts => C.dec ts
  | .content text => text

/-- The segments of an item: its texts fill the slots in order. -/
@[expose] def fill : List Part → List Bytes → List Segment
  | [], _ => []
  | .ids ts :: ps, cs => .fixed ts :: fill ps cs
  | .slot b a :: ps, cs => .content (b ++ cs.headD [] ++ a) :: fill ps cs.tail

/-- What begins an event.  A close has nothing before it. -/
@[expose] def Template.leadOf (T : Template) (p : Place) : Event → List Token
  | .message k _ => (T.lead p k).getD []
  | .span _ => (T.lead p .assistant).getD []
  | .close _ => []

/-- The segments after the lead: the same at every place. -/
@[expose] def Template.body (T : Template) : Event → List Segment
  | .message k items => items.flatMap (fill (T.item k)) ++ [.fixed (T.closing k)]
  | .span ts => [.sampled ts]
  | .close t => [.fixed [t]]

/-- The segments of an event at a place. -/
@[expose] def Template.segments (T : Template) (p : Place) (e : Event) : List Segment :=
  .fixed (T.leadOf p e) :: T.body e

/-- The place after an event. -/
@[expose] def Event.next : Event → Place
  | .message k _ => .after k
  | .span _ => .inSpan
  | .close _ => .after .assistant

/-- The place after a list of events that begins at `p`. -/
@[expose] def placeAfter (p : Place) (es : List Event) : Place := (es.getLast?.map Event.next).getD p

/-- The segments of a conversation that begins at `p`. -/
@[expose] def Template.allSegments (T : Template) : Place → List Event → List Segment
  | _, [] => []
  | p, e :: es => T.segments p e ++ T.allSegments e.next es

@[expose] def renderEvent (T : Template) (C : Coder) (p : Place) (e : Event) : List Token :=
  (T.segments p e).flatMap (Segment.ids C)

@[expose] def eventBytes (T : Template) (C : Coder) (p : Place) (e : Event) : Bytes :=
  (T.segments p e).flatMap (Segment.bytes C)

/-- The ids of a conversation that begins at `p`. -/
@[expose] def render (T : Template) (C : Coder) (p : Place) (es : List Event) : List Token :=
  (T.allSegments p es).flatMap (Segment.ids C)

/-- Its bytes. -/
@[expose] def renderBytes (T : Template) (C : Coder) (p : Place) (es : List Event) : Bytes :=
  (T.allSegments p es).flatMap (Segment.bytes C)

/-! ## Parsing -/

/-- What follows the prefix `p`. -/
@[expose] def dropPre (p s : List Token) : Option (List Token) :=
  if p.isPrefixOf s then some (s.drop p.length) else none

/-- What stands between `b` and `a`. -/
@[expose] def strip (b a text : Bytes) : Option Bytes :=
  if text = b ++ (text.drop b.length).take (text.length - b.length - a.length) ++ a then
    some ((text.drop b.length).take (text.length - b.length - a.length))
  else none

/-- The ids up to the first control token, and the rest. -/
@[expose] def Template.run (T : Template) (s : List Token) : List Token × List Token :=
  (s.takeWhile fun t => !T.control t, s.dropWhile fun t => !T.control t)

/-- Reads one item: the texts of its slots, and the rest. -/
@[expose] def parseItem (T : Template) (C : Coder) : List Part → List Token → Option (List Bytes × List Token)
  | [], s => some ([], s)
  | .ids ts :: ps, s => (dropPre ts s).bind (parseItem T C ps)
  | .slot b a :: ps, s =>
    (strip b a (C.dec (T.run s).1)).bind fun c =>
      (parseItem T C ps (T.run s).2).map fun (cs, r) => (c :: cs, r)

/-- Reads items as long as there are any; `n` bounds their number. -/
@[expose] def parseItems (T : Template) (C : Coder) (ps : List Part) :
    Nat → List Token → List (List Bytes) × List Token
  | 0, s => ([], s)
  | n + 1, s =>
    match parseItem T C ps s with
    | none => ([], s)
    | some (cs, r) => ((cs :: (parseItems T C ps n r).1), (parseItems T C ps n r).2)

/-- Reads the items of a message. -/
@[expose] def parseBody (T : Template) (C : Coder) (k : Kind) (s : List Token) :
    Option (List (List Bytes) × List Token) :=
  if T.many k then
    let x := parseItems T C (T.item k) s.length s
    if x.1.isEmpty then none else some x
  else (parseItem T C (T.item k) s).map fun (cs, r) => ([cs], r)

/-- Reads an event of kind `k` at place `p`. -/
@[expose] def parseKind (T : Template) (C : Coder) (p : Place) (s : List Token) (k : Kind) :
    Option (Event × List Token) :=
  (T.lead p k).bind fun lead => (dropPre lead s).bind fun s =>
    if k = .assistant then
      some (.span (s.takeWhile (!T.stops.contains ·)), s.dropWhile (!T.stops.contains ·))
    else
      (parseBody T C k s).bind fun (items, r) =>
        (dropPre (T.closing k) r).map fun r => (.message k items, r)

/-- Reads the event at the beginning of `s`; it takes at least one id. -/
@[expose] def parseEvent (T : Template) (C : Coder) (p : Place) (s : List Token) : Option (Event × List Token) :=
  match p, s with
  | _, [] => none
  | .inSpan, t :: r => if T.stops.contains t then some (.close t, r) else none
  | p, s => (T.kinds.findSome? (parseKind T C p s)).filter fun x => x.2.length < s.length

/-- Reads an event that stands where none can: as at any place, if it can be told by its lead. -/
@[expose] def parseLost (T : Template) (C : Coder) (s : List Token) : Option (Place × Event × List Token) :=
  Place.all.findSome? fun p =>
    ((T.kinds.filter fun k => T.lead p k ≠ some []).findSome? (parseKind T C p s)).bind fun x =>
      if x.2.length < s.length then some (p, x) else none

/-- What the parser found: an event with its ids, and the place as at which it was read; or ids that are no
event. -/
inductive Found where
  | event (p : Place) (e : Event) (ids : List Token)
  | malformed (ids : List Token)

@[expose] def Found.ids : Found → List Token
  | .event _ _ ids | .malformed ids => ids

/-- One more malformed id in front. -/
@[expose] def consMalformed (t : Token) : List Found → List Found
  | .malformed ts :: fs => .malformed (t :: ts) :: fs
  | fs => .malformed [t] :: fs

/-- What was read from `s`, of which `r` is left. -/
@[expose] def taken (s r : List Token) : List Token := s.take (s.length - r.length)

/-- Reads at most `n` events and malformed ids. -/
@[expose] def parseSteps (T : Template) (C : Coder) : Nat → Place → List Token → List Found
  | _, _, [] => []
  | 0, _, s => [.malformed s]
  | n + 1, p, t :: s =>
    match (parseEvent T C p (t :: s)).map (p, ·) |>.or (parseLost T C (t :: s)) with
    | some (q, e, r) => .event q e (taken (t :: s) r) :: parseSteps T C n e.next r
    | none => consMalformed t (parseSteps T C n p s)

/-- Reads any ids. -/
@[expose] def parse (T : Template) (C : Coder) (p : Place) (s : List Token) : List Found :=
  parseSteps T C s.length p s

/-! ## Canonical conversations -/

/-- Reading the item `ps` at the beginning of `s` fails, whatever follows `s`. -/
@[expose] def mismatch (T : Template) (C : Coder) : List Part → List Token → Bool
  | [], _ => false
  | .ids ts :: ps, s =>
    if ts.isPrefixOf s then mismatch T C ps (s.drop ts.length) else !s.isPrefixOf ts
  | .slot b a :: ps, s =>
    let text := C.dec (T.run s).1
    if (T.run s).2.isEmpty then !b.isPrefixOf text && !text.isPrefixOf b
    else (strip b a text).isNone || mismatch T C ps (T.run s).2

/-- Ids that end a text: they begin with a control token, or there are none. -/
@[expose] def EndsText (T : Template) (s : List Token) : Prop := ∀ t ∈ s.head?, T.control t = true

/-- Every text is kept by the encoder, and ids that end it follow. -/
@[expose] def Delimited (T : Template) (C : Coder) : List Segment → List Token → Prop
  | [], _ => True
  | .content text :: xs, r =>
    C.Keeps text ∧ EndsText T (xs.flatMap (Segment.ids C) ++ r) ∧ Delimited T C xs r
  | _ :: xs, r => Delimited T C xs r

/-- The form of an event as far as it tells kinds apart: its lead and one item. -/
@[expose] def Template.form (T : Template) (p : Place) (k : Kind) : List Part :=
  .ids ((T.lead p k).getD []) :: if k = .assistant then [] else T.item k

/-- No kind that the parser tries before `k` can be read where `ids` stand. -/
@[expose] def ToldApart (T : Template) (C : Coder) (p : Place) (k : Kind) (ids : List Token) : Prop :=
  ∀ k' ∈ T.kinds.takeWhile (· ≠ k), T.lead p k' ≠ none → mismatch T C (T.form p k') ids = true

/-- `e` is one of the format's events at place `p`, and can be read there if `r` follows. -/
@[expose] def Readable (T : Template) (C : Coder) (p : Place) (r : List Token) : Event → Prop
  | .close t => p = .inSpan ∧ t ∈ T.stops
  | .span ts =>
    p ≠ .inSpan ∧ .assistant ∈ T.kinds ∧ T.lead p .assistant ≠ none ∧ T.leadOf p (.span ts) ++ ts ≠ [] ∧
      (∀ t ∈ ts, t ∉ T.stops) ∧ (∀ t ∈ r.head?, t ∈ T.stops) ∧
      ToldApart T C p .assistant (T.leadOf p (.span ts) ++ ts)
  | .message k items =>
    p ≠ .inSpan ∧ k ≠ .assistant ∧ k ∈ T.kinds ∧ T.lead p k ≠ none ∧
      renderEvent T C p (.message k items) ≠ [] ∧
      (∀ cs ∈ items, cs.length = (T.item k).countP fun x => x matches .slot ..) ∧
      Delimited T C (T.body (.message k items)) r ∧
      ToldApart T C p k (renderEvent T C p (.message k items)) ∧
      if T.many k then
        items ≠ [] ∧ parseItem T C (T.item k) [] = none ∧
          (T.closing k ++ r = [] ∨ mismatch T C (T.item k) (T.closing k ++ r) = true)
      else items.length = 1

/-- Every event can be read where it stands. -/
@[expose] def Canonical (T : Template) (C : Coder) : Place → List Event → Prop
  | _, [] => True
  | p, e :: es => Readable T C p (render T C e.next es) e ∧ Canonical T C e.next es

@[expose] instance (T : Template) (C : Coder) : ∀ (xs : List Segment) (r : List Token), Decidable (Delimited T C xs r)
  | [], _ => inferInstanceAs (Decidable True)
  | .content text :: xs, r =>
    have := instDecidableDelimited T C xs r
    inferInstanceAs (Decidable (C.Keeps text ∧ (∀ t ∈ (xs.flatMap (Segment.ids C) ++ r).head?, T.control t = true) ∧ _))
  | .fixed _ :: xs, r => instDecidableDelimited T C xs r
  | .sampled _ :: xs, r => instDecidableDelimited T C xs r

@[expose] instance (T : Template) (C : Coder) (p : Place) (k : Kind) (ids : List Token) : Decidable (ToldApart T C p k ids) :=
  inferInstanceAs (Decidable (∀ _ ∈ _, _ → _))

@[expose] instance (T : Template) (C : Coder) (p : Place) (r : List Token) (e : Event) : Decidable (Readable T C p r e) := by
  cases e <;> unfold Readable <;> infer_instance

@[expose] instance (T : Template) (C : Coder) : ∀ (p : Place) (es : List Event), Decidable (Canonical T C p es)
  | _, [] => inferInstanceAs (Decidable True)
  | _, e :: es =>
    have := instDecidableCanonical T C e.next es
    inferInstanceAs (Decidable (_ ∧ _))

/-- A conversation's events, as the parser should find them. -/
@[expose] def founds (T : Template) (C : Coder) : Place → List Event → List Found
  | _, [] => []
  | p, e :: es => .event p e (renderEvent T C p e) :: founds T C e.next es

end VerifiedTok.Chat
