module

public import VerifiedTok.Thm.Chat

public section

/-!
# The parser loses nothing, and says nothing that the ids do not spell
-/

namespace VerifiedTok.Chat

variable {T : Template} {C : Coder}

/-! ## Pieces of the parser -/

theorem dropPre_append (p s : List Token) : dropPre p (p ++ s) = some s := by
  have : p.isPrefixOf (p ++ s) = true := List.isPrefixOf_iff_prefix.mpr (List.prefix_append p s)
  rw [dropPre, if_pos this, List.drop_left]

theorem dropPre_some {p s r : List Token} (h : dropPre p s = some r) : s = p ++ r := by
  simp only [dropPre] at h
  split at h
  · next hp =>
    obtain ⟨t, rfl⟩ := List.isPrefixOf_iff_prefix.mp hp
    rw [List.drop_left] at h
    rw [Option.some.inj h]
  · cases h

theorem strip_some {b a text c : Bytes} (h : strip b a text = some c) : text = b ++ c ++ a := by
  simp only [strip] at h
  split at h
  · next hp => rw [← Option.some.inj h]; exact hp
  · cases h

theorem run_append (s : List Token) : (T.run s).1 ++ (T.run s).2 = s := List.takeWhile_append_dropWhile

/-- `u` was read from `s`, `r` is left, and `u` spells `w`. -/
@[expose] def Reads (C : Coder) (s r : List Token) (w : Bytes) : Prop := ∃ u, s = u ++ r ∧ C.dec u = w

theorem reads_nil (s : List Token) : Reads C s s [] := ⟨[], rfl, rfl⟩

theorem reads_trans {s m r : List Token} {v w : Bytes} (h₁ : Reads C s m v) (h₂ : Reads C m r w) :
    Reads C s r (v ++ w) := by
  obtain ⟨u, rfl, rfl⟩ := h₁
  obtain ⟨u', rfl, rfl⟩ := h₂
  exact ⟨u ++ u', (List.append_assoc ..).symm, C.dec_append ..⟩

theorem reads_dropPre {p s r : List Token} (h : dropPre p s = some r) : Reads C s r (C.dec p) :=
  ⟨p, dropPre_some h, rfl⟩

theorem reads_item {ps : List Part} {s r : List Token} {cs : List Bytes} (h : parseItem T C ps s = some (cs, r)) :
    Reads C s r ((fill ps cs).flatMap (Segment.bytes C)) := by
  induction ps generalizing s cs with
  | nil =>
    simp only [parseItem, Option.some.injEq, Prod.mk.injEq] at h
    rw [← h.2]; exact reads_nil s
  | cons q ps ih =>
    cases q with
    | ids ts =>
      simp only [parseItem, Option.bind_eq_some_iff] at h
      obtain ⟨m, hm, h⟩ := h
      exact reads_trans (reads_dropPre hm) (ih h)
    | slot b a =>
      simp only [parseItem, Option.bind_eq_some_iff, Option.map_eq_some_iff, Prod.exists, Prod.mk.injEq] at h
      obtain ⟨c, hc, cs', r', h, rfl, rfl⟩ := h
      refine reads_trans ⟨(T.run s).1, (run_append s).symm, ?_⟩ (ih h)
      rw [strip_some hc]; rfl

theorem reads_items {ps : List Part} (n : Nat) (s : List Token) :
    Reads C s (parseItems T C ps n s).2
      (((parseItems T C ps n s).1.flatMap (fill ps)).flatMap (Segment.bytes C)) := by
  induction n generalizing s with
  | zero => exact reads_nil s
  | succ n ih =>
    simp only [parseItems]
    split
    · exact reads_nil s
    · next cs r h =>
      simp only [List.flatMap_cons, List.flatMap_append]
      exact reads_trans (reads_item h) (ih r)

theorem reads_body {k : Kind} {s r : List Token} {items : List (List Bytes)}
    (h : parseBody T C k s = some (items, r)) :
    Reads C s r ((items.flatMap (fill (T.item k))).flatMap (Segment.bytes C)) := by
  simp only [parseBody] at h
  split at h
  · split at h
    · cases h
    · have h := Option.some.inj h
      have := reads_items (T := T) (C := C) (ps := T.item k) s.length s
      rw [h] at this; exact this
  · simp only [Option.map_eq_some_iff, Prod.exists, Prod.mk.injEq] at h
    obtain ⟨cs, r', h, rfl, rfl⟩ := h
    simpa only [List.flatMap_cons, List.flatMap_nil, List.append_nil] using reads_item h

theorem reads_kind {p : Place} {k : Kind} {s r : List Token} {e : Event} (h : parseKind T C p s k = some (e, r)) :
    Reads C s r (eventBytes T C p e) := by
  simp only [parseKind, Option.bind_eq_some_iff] at h
  obtain ⟨lead, hl, m, hm, h⟩ := h
  have hlead := reads_dropPre (C := C) hm
  split at h
  · next hk =>
    subst hk
    simp only [Option.some.injEq, Prod.mk.injEq] at h
    obtain ⟨rfl, rfl⟩ := h
    have := reads_trans hlead ⟨_, (List.takeWhile_append_dropWhile (p := (!T.stops.contains ·)) (l := m)).symm, rfl⟩
    simpa only [eventBytes, Template.segments, Template.leadOf, Template.body, hl, Option.getD_some,
      List.flatMap_cons, List.flatMap_nil, List.append_nil, Segment.bytes] using this
  · simp only [Option.bind_eq_some_iff, Option.map_eq_some_iff, Prod.exists, Prod.mk.injEq] at h
    obtain ⟨items, m', hb, r', hc, rfl, rfl⟩ := h
    have := reads_trans hlead (reads_trans (reads_body hb) (reads_dropPre hc))
    simpa only [eventBytes, Template.segments, Template.leadOf, Template.body, hl, Option.getD_some,
      List.flatMap_cons, List.flatMap_append, List.flatMap_nil, List.append_nil, Segment.bytes] using this

theorem reads_event {p : Place} {s r : List Token} {e : Event} (h : parseEvent T C p s = some (e, r)) :
    Reads C s r (eventBytes T C p e) ∧ r.length < s.length := by
  unfold parseEvent at h
  split at h
  · cases h
  · split at h
    · cases h
      exact ⟨⟨[_], rfl, by simp [eventBytes, Template.segments, Template.leadOf, Template.body, Segment.bytes, Coder.dec, decode]⟩,
        Nat.lt_succ_self _⟩
    · cases h
  · simp only [Option.filter_eq_some_iff, decide_eq_true_eq] at h
    obtain ⟨k, _, hk⟩ := List.exists_of_findSome?_eq_some h.1
    exact ⟨reads_kind hk, h.2⟩

theorem reads_lost {p : Place} {s r : List Token} {e : Event} (h : parseLost T C s = some (p, e, r)) :
    Reads C s r (eventBytes T C p e) ∧ r.length < s.length := by
  obtain ⟨q, _, hq⟩ := List.exists_of_findSome?_eq_some h
  simp only [Option.bind_eq_some_iff] at hq
  obtain ⟨⟨e', r'⟩, hx, hq⟩ := hq
  split at hq
  · next hlt =>
    cases hq
    obtain ⟨k, _, hk⟩ := List.exists_of_findSome?_eq_some hx
    exact ⟨reads_kind hk, hlt⟩
  · cases hq

theorem reads_step {p q : Place} {s r : List Token} {e : Event}
    (h : (((parseEvent T C p s).map (p, ·)).or (parseLost T C s)) = some (q, e, r)) :
    Reads C s r (eventBytes T C q e) ∧ r.length < s.length := by
  rw [Option.or_eq_some_iff] at h
  rcases h with h | ⟨_, h⟩
  · obtain ⟨x, hx, h⟩ := Option.map_eq_some_iff.mp h
    cases h; exact reads_event hx
  · exact reads_lost h

theorem taken_append (u r : List Token) : taken (u ++ r) r = u := by
  rw [taken, List.length_append, Nat.add_sub_cancel, List.take_left]

theorem ids_consMalformed (t : Token) (fs : List Found) :
    (consMalformed t fs).flatMap Found.ids = t :: fs.flatMap Found.ids := by
  cases fs with
  | nil => rfl
  | cons f fs => cases f <;> rfl

/-! ## The parser -/

theorem parseSteps_partition (n : Nat) (p : Place) (s : List Token) :
    (parseSteps T C n p s).flatMap Found.ids = s := by
  induction n generalizing p s with
  | zero => cases s <;> simp [parseSteps, Found.ids]
  | succ n ih =>
    cases s with
    | nil => rfl
    | cons t s =>
      simp only [parseSteps]
      split
      · next q e r h =>
        obtain ⟨⟨u, hu, _⟩, _⟩ := reads_step h
        rw [List.flatMap_cons, ih, Found.ids, hu, taken_append]
      · rw [ids_consMalformed, ih]

/-- **Nothing is dropped**: what the parser finds in any ids, events and malformed spans, is a partition of them. -/
theorem parse_partition (p : Place) (s : List Token) : (parse T C p s).flatMap Found.ids = s :=
  parseSteps_partition ..

theorem mem_consMalformed {t : Token} {fs : List Found} {q : Place} {e : Event} {ids : List Token}
    (h : .event q e ids ∈ consMalformed t fs) : .event q e ids ∈ fs := by
  cases fs with
  | nil => simp [consMalformed] at h
  | cons f fs =>
    cases f with
    | event => simpa [consMalformed] using h
    | malformed => simpa [consMalformed] using h

theorem parseSteps_sound {n : Nat} {p q : Place} {s ids : List Token} {e : Event}
    (h : .event q e ids ∈ parseSteps T C n p s) : C.dec ids = eventBytes T C q e := by
  induction n generalizing p s with
  | zero => cases s <;> simp [parseSteps] at h
  | succ n ih =>
    cases s with
    | nil => simp [parseSteps] at h
    | cons t s =>
      simp only [parseSteps] at h
      split at h
      · next q' e' r hr =>
        rcases List.mem_cons.mp h with h | h
        · cases h
          obtain ⟨⟨u, hu, hd⟩, _⟩ := reads_step hr
          rw [hu, taken_append, hd]
        · exact ih h
      · exact ih (mem_consMalformed h)

/-- **The parser invents nothing**: the ids of every event that it finds, in whatever ids, decode to that event's
bytes. -/
theorem parse_sound {p q : Place} {s ids : List Token} {e : Event} (h : .event q e ids ∈ parse T C p s) :
    C.dec ids = eventBytes T C q e := parseSteps_sound h

end VerifiedTok.Chat
