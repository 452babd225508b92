module

public import VerifiedTok.Thm.Chat.Parse

public section

/-!
# Parsing gives canonical conversations back
-/

namespace VerifiedTok.Chat

variable {T : Template} {C : Coder}

/-! ## Reading what was rendered -/

theorem strip_fill (b a c : Bytes) : strip b a (b ++ c ++ a) = some c := by
  have h : ((b ++ c ++ a).drop b.length).take ((b ++ c ++ a).length - b.length - a.length) = c := by
    have : (b ++ c ++ a).length - b.length - a.length = c.length := by
      simp only [List.length_append]; omega
    rw [this, List.append_assoc, List.drop_left, List.take_left]
  rw [strip, h, if_pos rfl]

theorem run_of_text {u r : List Token} (hu : ∀ t ∈ u, T.control t = false) (hr : EndsText T r) :
    T.run (u ++ r) = (u, r) := by
  have hu' : ∀ t ∈ u, (!T.control t) = true := fun t ht => by rw [hu t ht]; rfl
  rw [Template.run, List.takeWhile_append_of_pos hu', List.dropWhile_append_of_pos hu']
  cases r with
  | nil => simp
  | cons t r =>
    have : T.control t = true := hr t rfl
    simp [this]

/-- Ids after a control token do not matter. -/
theorem run_append_of_control {s : List Token} (h : (T.run s).2 ≠ []) (r : List Token) :
    T.run (s ++ r) = ((T.run s).1, (T.run s).2 ++ r) := by
  induction s with
  | nil => simp [Template.run] at h
  | cons t s ih =>
    cases ht : T.control t with
    | true => simp [Template.run, ht]
    | false =>
      have h' : (T.run s).2 ≠ [] := by simpa [Template.run, ht] using h
      have := ih h'
      simp only [Template.run, Prod.mk.injEq] at this
      simp [Template.run, ht, this.1, this.2]

/-- Ids without a control token go on into what follows. -/
theorem run_append_of_no_control {s : List Token} (h : (T.run s).2 = []) (r : List Token) :
    T.run (s ++ r) = ((T.run s).1 ++ (T.run r).1, (T.run r).2) := by
  induction s with
  | nil => rfl
  | cons t s ih =>
    cases ht : T.control t with
    | true => simp [Template.run, ht] at h
    | false =>
      have := ih (by simpa [Template.run, ht] using h)
      simp only [Template.run, Prod.mk.injEq] at this
      simp [Template.run, ht, this.1, this.2]

/-- Two texts that differ somewhere differ whatever follows the second. -/
theorem apart_append {b text : Bytes} (h₁ : b.isPrefixOf text = false) (h₂ : text.isPrefixOf b = false) (w : Bytes) :
    b.isPrefixOf (text ++ w) = false ∧ (text ++ w).isPrefixOf b = false := by
  have hn₁ : ¬ b <+: text := fun h => by rw [List.isPrefixOf_iff_prefix.mpr h] at h₁; cases h₁
  have hn₂ : ¬ text <+: b := fun h => by rw [List.isPrefixOf_iff_prefix.mpr h] at h₂; cases h₂
  constructor
  · cases hb : b.isPrefixOf (text ++ w) with
    | false => rfl
    | true =>
      rcases List.prefix_or_prefix_of_prefix (List.isPrefixOf_iff_prefix.mp hb) (List.prefix_append text w) with h | h
      · exact absurd h hn₁
      · exact absurd h hn₂
  · cases hb : (text ++ w).isPrefixOf b with
    | false => rfl
    | true => exact absurd ((List.prefix_append text w).trans (List.isPrefixOf_iff_prefix.mp hb)) hn₂

theorem strip_of_apart {b text : Bytes} (h₁ : b.isPrefixOf text = false) (h₂ : text.isPrefixOf b = false) (a w : Bytes) : strip b a (text ++ w) = none := by
  cases hs : strip b a (text ++ w) with
  | none => rfl
  | some c =>
    have h := (apart_append h₁ h₂ w).1
    have hp : b <+: text ++ w := by
      rw [strip_some hs, List.append_assoc]; exact List.prefix_append ..
    rw [List.isPrefixOf_iff_prefix.mpr hp] at h; cases h

theorem delimited_append {xs ys : List Segment} {r : List Token} (h : Delimited T C (xs ++ ys) r) :
    Delimited T C xs (ys.flatMap (Segment.ids C) ++ r) ∧ Delimited T C ys r := by
  induction xs with
  | nil => exact ⟨trivial, h⟩
  | cons x xs ih =>
    cases x with
    | content text =>
      obtain ⟨hk, he, h⟩ := h
      have he : EndsText T ((xs ++ ys).flatMap (Segment.ids C) ++ r) := he
      rw [List.flatMap_append, List.append_assoc] at he
      exact ⟨⟨hk, he, (ih h).1⟩, (ih h).2⟩
    | fixed ts => exact ih h
    | sampled ts => exact ih h

theorem endsText_left {s r : List Token} (h : EndsText T (s ++ r)) : EndsText T s := by
  cases s with
  | nil => intro t ht; cases ht
  | cons t s => exact h

/-- A conversation may end where it could go on. -/
theorem delimited_end {xs : List Segment} {r : List Token} (h : Delimited T C xs r) : Delimited T C xs [] := by
  induction xs with
  | nil => trivial
  | cons x xs ih =>
    cases x with
    | content text =>
      refine ⟨h.1, ?_, ih h.2.2⟩
      rw [List.append_nil]; exact endsText_left h.2.1
    | fixed ts => exact ih h
    | sampled ts => exact ih h

theorem keepsTexts_of_delimited {xs : List Segment} {r : List Token} (h : Delimited T C xs r) : KeepsTexts C xs := by
  induction xs with
  | nil => intro text ht; cases ht
  | cons x xs ih =>
    intro text ht
    cases x with
    | content text' =>
      rcases List.mem_cons.mp ht with ht | ht
      · cases ht; exact h.1
      · exact ih h.2.2 text ht
    | fixed ts =>
      rcases List.mem_cons.mp ht with ht | ht
      · cases ht
      · exact ih h text ht
    | sampled ts =>
      rcases List.mem_cons.mp ht with ht | ht
      · cases ht
      · exact ih h text ht

theorem parseItem_fill (hno : NoControl T C) {ps : List Part} {cs : List Bytes} {r : List Token}
    (hlen : cs.length = ps.countP fun x => x matches .slot ..) (h : Delimited T C (fill ps cs) r) :
    parseItem T C ps ((fill ps cs).flatMap (Segment.ids C) ++ r) = some (cs, r) := by
  induction ps generalizing cs with
  | nil =>
    have : cs = [] := List.length_eq_zero_iff.mp hlen
    rw [this]; rfl
  | cons q ps ih =>
    cases q with
    | ids ts =>
      rw [List.countP_cons_of_neg (by simp)] at hlen
      rw [fill, List.flatMap_cons, List.append_assoc, parseItem, Segment.ids, dropPre_append]
      exact ih hlen h
    | slot b a =>
      rw [List.countP_cons_of_pos (by simp)] at hlen
      cases cs with
      | nil => simp at hlen
      | cons c cs =>
        simp only [fill, List.headD_cons, List.tail_cons] at h ⊢
        obtain ⟨hk, he, h⟩ := h
        rw [List.flatMap_cons, List.append_assoc, parseItem, Segment.ids, run_of_text (hno _) he]
        simp only
        rw [hk, strip_fill, Option.bind_some, ih (by simpa using hlen) h]
        rfl

/-- What mismatches is not read, whatever follows. -/
theorem parseItem_of_mismatch {ps : List Part} {s : List Token} (h : mismatch T C ps s = true) (r : List Token) :
    parseItem T C ps (s ++ r) = none := by
  induction ps generalizing s with
  | nil => cases h
  | cons q ps ih =>
    cases q with
    | ids ts =>
      simp only [mismatch] at h
      split at h
      · next hp =>
        obtain ⟨s', rfl⟩ := List.isPrefixOf_iff_prefix.mp hp
        rw [List.drop_left] at h
        rw [parseItem, List.append_assoc, dropPre_append]
        exact ih h
      · next hp =>
        have : dropPre ts (s ++ r) = none := by
          rw [dropPre, if_neg]
          intro hpre
          have hpre := List.isPrefixOf_iff_prefix.mp hpre
          rcases List.prefix_or_prefix_of_prefix hpre (List.prefix_append s r) with h' | h'
          · exact hp (List.isPrefixOf_iff_prefix.mpr h')
          · rw [List.isPrefixOf_iff_prefix.mpr h'] at h; cases h
        rw [parseItem, this]; rfl
    | slot b a =>
      simp only [mismatch] at h
      split at h
      · next he =>
        simp only [Bool.and_eq_true, Bool.not_eq_true'] at h
        rw [parseItem, run_append_of_no_control (List.isEmpty_iff.mp he)]
        simp only
        rw [C.dec_append, strip_of_apart h.1 h.2 a]; rfl
      · next he =>
        rw [parseItem, run_append_of_control fun h => he (List.isEmpty_iff.mpr h)]
        simp only [Bool.or_eq_true, Option.isNone_iff_eq_none] at h ⊢
        rcases h with h' | h'
        · rw [h']; rfl
        · rw [ih h']
          cases strip b a (C.dec (T.run s).1) <;> rfl

theorem parseItems_fill (hno : NoControl T C) {ps : List Part} {items : List (List Bytes)} {r : List Token} {n : Nat}
    (hlen : ∀ cs ∈ items, cs.length = ps.countP fun x => x matches .slot ..)
    (h : Delimited T C (items.flatMap (fill ps)) r) (hn : items.length ≤ n) (hr : parseItem T C ps r = none) :
    parseItems T C ps n ((items.flatMap (fill ps)).flatMap (Segment.ids C) ++ r) = (items, r) := by
  induction items generalizing n with
  | nil =>
    cases n with
    | zero => rfl
    | succ n => rw [List.flatMap_nil, List.flatMap_nil, List.nil_append, parseItems, hr]
  | cons cs items ih =>
    cases n with
    | zero => simp at hn
    | succ n =>
      rw [List.flatMap_cons] at h ⊢
      obtain ⟨h₁, h₂⟩ := delimited_append h
      rw [List.flatMap_append, List.append_assoc, parseItems, parseItem_fill hno (hlen cs (List.mem_cons_self ..)) h₁]
      simp only
      rw [ih (fun c hc => hlen c (List.mem_cons_of_mem _ hc)) h₂ (by simpa using hn)]

theorem length_le_fill (hno : NoControl T C) {ps : List Part} {items : List (List Bytes)} {r : List Token}
    (hlen : ∀ cs ∈ items, cs.length = ps.countP fun x => x matches .slot ..)
    (h : Delimited T C (items.flatMap (fill ps)) r) (hnil : parseItem T C ps [] = none) :
    items.length ≤ ((items.flatMap (fill ps)).flatMap (Segment.ids C)).length := by
  induction items with
  | nil => exact Nat.le_refl _
  | cons cs items ih =>
    rw [List.flatMap_cons] at h ⊢
    obtain ⟨h₁, h₂⟩ := delimited_append h
    have ih := ih (fun c hc => hlen c (List.mem_cons_of_mem _ hc)) h₂
    have hne : (fill ps cs).flatMap (Segment.ids C) ≠ [] := by
      intro hz
      -- an item of no ids would have been read from no ids
      have h0 : parseItem T C ps ([] ++ []) = some (cs, []) := by
        simpa only [hz] using parseItem_fill hno (hlen cs (List.mem_cons_self ..)) (delimited_end h₁)
      rw [List.nil_append, hnil] at h0; cases h0
    have := List.length_pos_iff.mpr hne
    rw [List.flatMap_append, List.length_append, List.length_cons]
    omega

theorem parseBody_fill (hno : NoControl T C) {k : Kind} {items : List (List Bytes)} {r : List Token}
    (hlen : ∀ cs ∈ items, cs.length = (T.item k).countP fun x => x matches .slot ..)
    (h : Delimited T C (items.flatMap (fill (T.item k))) r)
    (hmany : if T.many k then
        items ≠ [] ∧ parseItem T C (T.item k) [] = none ∧ (r = [] ∨ mismatch T C (T.item k) r = true)
      else items.length = 1) :
    parseBody T C k ((items.flatMap (fill (T.item k))).flatMap (Segment.ids C) ++ r) = some (items, r) := by
  unfold parseBody
  split at hmany
  · next hm =>
    obtain ⟨hne, hnil, hr⟩ := hmany
    have hr : parseItem T C (T.item k) r = none := by
      rcases hr with rfl | hr
      · exact hnil
      · simpa only [List.append_nil] using parseItem_of_mismatch hr []
    have hn := length_le_fill hno hlen h hnil
    rw [if_pos hm]
    simp only
    rw [parseItems_fill hno hlen h (by rw [List.length_append]; omega) hr]
    simp [hne]
  · next hm =>
    rw [if_neg hm]
    obtain ⟨cs, rfl⟩ := List.length_eq_one_iff.mp hmany
    simp only [List.flatMap_cons, List.flatMap_nil, List.append_nil] at h ⊢
    rw [parseItem_fill hno (hlen cs (List.mem_cons_self ..)) h]; rfl

theorem delimited_fixed {xs : List Segment} {ts r : List Token} (h : Delimited T C (xs ++ [.fixed ts]) r) :
    Delimited T C xs (ts ++ r) := by
  simpa only [List.flatMap_cons, List.flatMap_nil, List.append_nil, Segment.ids] using (delimited_append h).1

/-- A kind that mismatches is not read. -/
theorem parseKind_of_mismatch {p : Place} {k : Kind} {s : List Token}
    (h : T.lead p k ≠ none → mismatch T C (T.form p k) s = true) (r : List Token) :
    parseKind T C p (s ++ r) k = none := by
  cases hl : T.lead p k with
  | none => simp [parseKind, hl]
  | some lead =>
    have hm := parseItem_of_mismatch (h (by simp [hl])) r
    rw [Template.form, hl, Option.getD_some, parseItem] at hm
    simp only [parseKind, hl, Option.bind_some]
    cases hd : dropPre lead (s ++ r) with
    | none => rfl
    | some m =>
      rw [hd, Option.bind_some] at hm
      rw [Option.bind_some]
      split at hm
      · cases hm
      · next hk =>
        have hb : parseBody T C k m = none := by
          unfold parseBody
          split
          · cases m with
            | nil => simp [parseItems]
            | cons t m => simp [parseItems, hm]
          · rw [hm]; rfl
        rw [if_neg hk, hb]; rfl

theorem renderEvent_span (p : Place) (ts : List Token) :
    renderEvent T C p (.span ts) = T.leadOf p (.span ts) ++ ts := by
  simp [renderEvent, Template.segments, Template.body, Segment.ids]

theorem renderEvent_close (p : Place) (t : Token) : renderEvent T C p (.close t) = [t] := by
  simp [renderEvent, Template.segments, Template.body, Segment.ids, Template.leadOf]

theorem renderEvent_message (p : Place) (k : Kind) (items : List (List Bytes)) :
    renderEvent T C p (.message k items) = (T.lead p k).getD [] ++
      ((items.flatMap (fill (T.item k))).flatMap (Segment.ids C) ++ T.closing k) := by
  simp [renderEvent, Template.segments, Template.body, Segment.ids, Template.leadOf, List.flatMap_append]

/-- The kind that an event is read as. -/
theorem parseKind_render (hno : NoControl T C) {p : Place} {e : Event} {r : List Token} (h : Readable T C p r e) :
    (∃ t, e = .close t) ∨ ∃ k ∈ T.kinds, ToldApart T C p k (renderEvent T C p e) ∧ p ≠ .inSpan ∧
      renderEvent T C p e ≠ [] ∧ parseKind T C p (renderEvent T C p e ++ r) k = some (e, r) := by
  cases e with
  | close t => exact .inl ⟨t, rfl⟩
  | span ts =>
    obtain ⟨hp, hk, hl, hne, hts, hr, hta⟩ := h
    refine .inr ⟨.assistant, hk, ?_, hp, ?_, ?_⟩
    · rw [renderEvent_span]; exact hta
    · rw [renderEvent_span]; exact hne
    · obtain ⟨lead, hl⟩ := Option.ne_none_iff_exists'.mp hl
      have hts' : ∀ t ∈ ts, (!T.stops.contains t) = true := fun t ht => by
        simpa using hts t ht
      rw [renderEvent_span, Template.leadOf, hl, Option.getD_some, parseKind, hl, Option.bind_some, List.append_assoc,
        dropPre_append, Option.bind_some, if_pos rfl, List.takeWhile_append_of_pos hts',
        List.dropWhile_append_of_pos hts']
      cases r with
      | nil => simp
      | cons t r =>
        have : t ∈ T.stops := hr t rfl
        simp [this]
  | message k items =>
    obtain ⟨hp, hka, hk, hl, hne, hlen, hd, hta, hmany⟩ := h
    refine .inr ⟨k, hk, hta, hp, hne, ?_⟩
    obtain ⟨lead, hl⟩ := Option.ne_none_iff_exists'.mp hl
    rw [renderEvent_message, hl, Option.getD_some, parseKind, hl, Option.bind_some, List.append_assoc, dropPre_append,
      Option.bind_some, if_neg hka, List.append_assoc, parseBody_fill hno hlen (delimited_fixed hd) hmany]
    simp [dropPre_append]

theorem findSome?_of_toldApart {p : Place} {k : Kind} {s r : List Token} {x : Event × List Token}
    (hk : k ∈ T.kinds) (ht : ToldApart T C p k s) (h : parseKind T C p (s ++ r) k = some x) :
    T.kinds.findSome? (parseKind T C p (s ++ r)) = some x := by
  have hsplit := List.takeWhile_append_dropWhile (p := fun k' => decide (k' ≠ k)) (l := T.kinds)
  have hbefore : (T.kinds.takeWhile fun k' => decide (k' ≠ k)).findSome? (parseKind T C p (s ++ r)) = none :=
    List.findSome?_eq_none_iff.mpr fun k' hk' => parseKind_of_mismatch (ht k' hk') r
  have hdrop : ∃ ks, T.kinds.dropWhile (fun k' => decide (k' ≠ k)) = k :: ks := by
    clear hsplit hbefore ht h
    revert hk
    generalize T.kinds = kinds
    intro hk
    induction kinds with
    | nil => cases hk
    | cons k' ks ih =>
      by_cases hkk : k' = k
      · exact ⟨ks, by simp [hkk]⟩
      · have := ih (by simpa [Ne.symm hkk] using hk)
        simpa [hkk] using this
  obtain ⟨ks, hks⟩ := hdrop
  rw [← hsplit, List.findSome?_append, hbefore, Option.none_or, hks, List.findSome?_cons, h]

theorem parseEvent_render (hno : NoControl T C) {p : Place} {e : Event} {r : List Token} (h : Readable T C p r e) :
    parseEvent T C p (renderEvent T C p e ++ r) = some (e, r) ∧ renderEvent T C p e ≠ [] := by
  rcases parseKind_render hno h with ⟨t, rfl⟩ | ⟨k, hk, hta, hp, hne, hpk⟩
  · obtain ⟨rfl, ht⟩ := h
    rw [renderEvent_close]
    exact ⟨by simp [parseEvent, ht], List.cons_ne_nil _ _⟩
  · refine ⟨?_, hne⟩
    have hfind := findSome?_of_toldApart hk hta hpk
    have hlt : r.length < (renderEvent T C p e ++ r).length := by
      have := List.length_pos_iff.mpr hne
      rw [List.length_append]; omega
    revert hfind hlt
    generalize renderEvent T C p e ++ r = s
    intro hfind hlt
    cases s with
    | nil => simp at hlt
    | cons t s =>
      cases p with
      | inSpan => exact absurd rfl hp
      | start => simpa [parseEvent, hfind, Option.filter] using hlt
      | after k => simpa [parseEvent, hfind, Option.filter] using hlt

theorem parseSteps_render (hno : NoControl T C) {p : Place} {es : List Event} (h : Canonical T C p es) {n : Nat}
    (hn : (render T C p es).length ≤ n) : parseSteps T C n p (render T C p es) = founds T C p es := by
  induction es generalizing p n with
  | nil => cases n <;> rfl
  | cons e es ih =>
    obtain ⟨hpe, hne⟩ := parseEvent_render hno h.1
    rw [render_cons] at hn ⊢
    have hlen := List.length_pos_iff.mpr hne
    rw [List.length_append] at hn
    have htaken := taken_append (renderEvent T C p e) (render T C e.next es)
    revert hpe htaken
    cases hs : renderEvent T C p e ++ render T C e.next es with
    | nil => exact absurd (List.append_eq_nil_iff.mp hs).1 hne
    | cons t s =>
      intro hpe htaken
      cases n with
      | zero => omega
      | succ n =>
        rw [parseSteps, hpe]
        simp only [Option.map_some, Option.some_or]
        rw [htaken, ih h.2 (by omega)]; rfl

/-- **Parsing gives a canonical conversation back**: its events, each where it stands and with its own ids, and
nothing else. -/
theorem parse_render (hno : NoControl T C) {p : Place} {es : List Event} (h : Canonical T C p es) :
    parse T C p (render T C p es) = founds T C p es := parseSteps_render hno h (Nat.le_refl _)

theorem event_of_founds {p : Place} {xs ys : List Event} (h : founds T C p xs = founds T C p ys) : xs = ys := by
  induction xs generalizing p ys with
  | nil => cases ys with
    | nil => rfl
    | cons y ys => cases h
  | cons x xs ih =>
    cases ys with
    | nil => cases h
    | cons y ys =>
      simp only [founds, List.cons.injEq, Found.event.injEq] at h
      obtain ⟨⟨_, rfl, _⟩, h⟩ := h
      rw [ih h]

/-- **Different canonical conversations have different ids.** -/
theorem render_injective (hno : NoControl T C) {p : Place} {xs ys : List Event} (hx : Canonical T C p xs)
    (hy : Canonical T C p ys) (h : render T C p xs = render T C p ys) : xs = ys := by
  have hp := parse_render hno hx
  rw [h, parse_render hno hy] at hp
  exact (event_of_founds hp).symm

end VerifiedTok.Chat
