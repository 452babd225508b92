module

public import VerifiedTok.Spec.Delta
public import VerifiedTok.Thm.Chat.Canonical

public section

/-!
# The delta tokenizer keeps its views in step, and what it has stays
-/

namespace VerifiedTok.Chat

variable {T : Template} {C : Coder} {μ : Type}

/-! ## What fits is kept by the encoder -/

theorem keepsTexts_of_fits {p : Place} {e : Event} (h : Fits T C p e) : KeepsTexts C (T.body e) :=
  fun _ ht => h.2 _ ht

theorem keepsTexts_of_allFit {p : Place} {es : List Event} (h : allFit T C p es = true) :
    KeepsTexts C (T.allSegments p es) := by
  induction es generalizing p with
  | nil => intro text ht; cases ht
  | cons e es ih =>
    simp only [allFit, Bool.and_eq_true, decide_eq_true_eq] at h
    intro text ht
    simp only [Template.allSegments, Template.segments, List.cons_append, List.mem_cons, List.mem_append] at ht
    rcases ht with ht | ht | ht
    · cases ht
    · exact keepsTexts_of_fits h.1 text ht
    · exact ih h.2 text ht

theorem allFit_iff {p : Place} {es : List Event} : allFit T C p es = true ↔ AllFit T C p es := by
  induction es generalizing p with
  | nil => simp [allFit, AllFit]
  | cons e es ih => simp [allFit, AllFit, ih]

/-! ## Growing -/

namespace Delta

theorem valid_empty : (empty : Delta μ).Valid T C := ⟨rfl, rfl, rfl, rfl⟩

theorem Valid.add {d : Delta μ} (h : d.Valid T C) {e : Event} (hf : Fits T C d.place e) (mark : Option μ) :
    (d.add T C e mark).Valid T C where
  ids := by rw [Delta.add, h.ids, (render_snoc ..).1]; rfl
  bytes := by rw [Delta.add, h.bytes, (render_snoc (T := T) (C := C) ..).2]; rfl
  decode := by
    rw [Delta.add, C.dec_append, h.decode, dec_renderEvent (keepsTexts_of_fits hf)]
  marks := by simp only [Delta.add, List.length_append, List.length_replicate, h.marks]

/-- An open span is the last event. -/
theorem open_span {d : Delta μ} (h : d.place = .inSpan) : ∃ es us, d.events = es ++ [.span us] := by
  rcases List.eq_nil_or_concat d.events with hn | ⟨es, e, he⟩
  · simp [place, hn, placeAfter] at h
  · rw [List.concat_eq_append] at he
    rw [place, he, placeAfter_append, placeAfter_cons, placeAfter_nil] at h
    cases e with
    | span us => exact ⟨es, us, he⟩
    | message k items => cases h
    | close t => cases h

theorem extend_events {d : Delta μ} {es : List Event} {us : List Token} (h : d.events = es ++ [.span us])
    (ts : List Token) (ms : List (Option μ)) : (d.extend C ts ms).events = es ++ [.span (us ++ ts)] := by
  simp [Delta.extend, h, Event.extend]

theorem Valid.extend {d : Delta μ} (h : d.Valid T C) (hp : d.place = .inSpan) (ts : List Token)
    {ms : List (Option μ)} (hl : ts.length = ms.length) : (d.extend C ts ms).Valid T C := by
  obtain ⟨es, us, he⟩ := open_span hp
  refine ⟨?_, ?_, ?_, ?_⟩
  · rw [extend_events he, (render_snoc ..).1]
    simp only [Delta.extend, h.ids, he, (render_snoc ..).1, renderEvent_span, Template.leadOf, List.append_assoc]
  · rw [extend_events he, (render_snoc (T := T) (C := C) ..).2]
    simp only [Delta.extend, h.bytes, he, (render_snoc (T := T) (C := C) ..).2, eventBytes, Template.segments,
      Template.leadOf, Template.body, List.flatMap_cons, List.flatMap_nil, Segment.bytes, C.dec_append,
      List.append_assoc, List.append_nil]
  · simp only [Delta.extend, C.dec_append, h.decode]
  · simp only [Delta.extend, List.length_append, h.marks, hl]

/-! ## Editing -/

theorem replaceAt_append {α : Type} (a b c new : List α) :
    replaceAt (a ++ b ++ c) a.length b.length new = a ++ new ++ c := by
  rw [replaceAt, ← List.length_append, List.drop_left, List.append_assoc a b c, List.take_left]

theorem length_replaceAt {α β : Type} {xs : List α} {ys : List β} (h : xs.length = ys.length) (i n : Nat)
    {new : List α} {new' : List β} (hn : new.length = new'.length) :
    (replaceAt xs i n new).length = (replaceAt ys i n new').length := by
  simp only [replaceAt, List.length_append, List.length_take, List.length_drop, h, hn]

/-- Behind the first lead, a rendering does not depend on where it begins. -/
theorem render_behind_lead (es : List Event) : ∃ (Y : List Token) (W : Bytes), ∀ p,
    render T C p es = T.headLead p es ++ Y ∧ renderBytes T C p es = C.dec (T.headLead p es) ++ W := by
  cases es with
  | nil => exact ⟨[], [], fun p => ⟨rfl, rfl⟩⟩
  | cons e es =>
    refine ⟨(T.body e).flatMap (Segment.ids C) ++ render T C e.next es,
      (T.body e).flatMap (Segment.bytes C) ++ renderBytes T C e.next es, fun p => ⟨?_, ?_⟩⟩
    · rw [render_cons, renderEvent, Template.segments, List.flatMap_cons, List.append_assoc]; rfl
    · rw [renderBytes_cons, eventBytes, Template.segments, List.flatMap_cons, List.append_assoc]; rfl

theorem events_split (es : List Event) {i j : Nat} (hij : i ≤ j) :
    es = es.take i ++ (es.drop i).take (j - i) ++ es.drop j := by
  have h : es.drop j = (es.drop i).drop (j - i) := by rw [List.drop_drop]; congr 1; omega
  rw [h, List.append_assoc, List.take_append_drop, List.take_append_drop]

/-- **An edit keeps what is before it and what is behind it**, ids with their marks: `X` and `Y` are the same before
and after.  In between stand the old events, then the new ones; `L` is the lead of the event behind them and
becomes `L'`, or both are empty, if that lead does not change. -/
theorem Valid.splice_preserves {d : Delta μ} (h : d.Valid T C) {i j : Nat} (hij : i ≤ j) (new : List Event) :
    let front := d.events.take i
    let old := (d.events.drop i).take (j - i)
    let back := d.events.drop j
    let p := placeAfter .start front
    ∃ X L L' Y : List Token, X = render T C .start front ∧
      d.ids = X ++ (render T C p old ++ L) ++ Y ∧
      (d.splice T C i j new).ids = X ++ (render T C p new ++ L') ++ Y ∧
      (d.splice T C i j new).marks = d.marks.take X.length ++
        List.replicate (render T C p new ++ L').length none ++
        d.marks.drop (X.length + (render T C p old ++ L).length) ∧
      (T.headLead (placeAfter p old) back = T.headLead (placeAfter p new) back → L = [] ∧ L' = []) ∧
      (d.splice T C i j new).ids = render T C .start (front ++ new ++ back) ∧
      (d.splice T C i j new).bytes = renderBytes T C .start (front ++ new ++ back) := by
  intro front old back p
  obtain ⟨Y, W, hY⟩ := render_behind_lead (T := T) (C := C) back
  have hev : d.events = front ++ old ++ back := events_split d.events hij
  have hids : d.ids = render T C .start front ++ render T C p old ++ render T C (placeAfter p old) back := by
    rw [h.ids, hev, render_append, render_append, placeAfter_append]
  have hbytes : d.bytes = renderBytes T C .start front ++ renderBytes T C p old ++
      renderBytes T C (placeAfter p old) back := by
    rw [h.bytes, hev, renderBytes_append, renderBytes_append, placeAfter_append]
  have hnew : render T C .start (front ++ new ++ back) =
      render T C .start front ++ render T C p new ++ render T C (placeAfter p new) back := by
    rw [render_append, render_append, placeAfter_append]
  have hnewb : renderBytes T C .start (front ++ new ++ back) =
      renderBytes T C .start front ++ renderBytes T C p new ++ renderBytes T C (placeAfter p new) back := by
    rw [renderBytes_append, renderBytes_append, placeAfter_append]
  by_cases hl : T.headLead (placeAfter p old) back = T.headLead (placeAfter p new) back
  · have hsame : render T C (placeAfter p new) back = render T C (placeAfter p old) back := by
      rw [(hY _).1, (hY _).1, hl]
    have hsameb : renderBytes T C (placeAfter p new) back = renderBytes T C (placeAfter p old) back := by
      rw [(hY _).2, (hY _).2, hl]
    have e₁ : (d.splice T C i j new).ids = replaceAt d.ids (render T C .start front).length
        (render T C p old).length (render T C p new) := by
      simp only [Delta.splice]; rw [if_pos hl]; simp only [List.append_nil]; rfl
    have e₂ : (d.splice T C i j new).bytes = replaceAt d.bytes (renderBytes T C .start front).length
        (renderBytes T C p old).length (renderBytes T C p new) := by
      simp only [Delta.splice]; rw [if_pos hl]; simp only [Coder.dec, VerifiedTok.decode, List.flatMap_nil, List.append_nil]; rfl
    have e₃ : (d.splice T C i j new).marks = replaceAt d.marks (render T C .start front).length
        (render T C p old).length (List.replicate (render T C p new).length none) := by
      simp only [Delta.splice]; rw [if_pos hl]; simp only [List.append_nil]; rfl
    rw [hids, replaceAt_append] at e₁
    rw [hbytes, replaceAt_append] at e₂
    refine ⟨_, [], [], render T C (placeAfter p old) back, rfl, ?_, ?_, ?_, fun _ => ⟨rfl, rfl⟩, ?_, ?_⟩
    · rw [List.append_nil]; exact hids
    · rw [List.append_nil]; exact e₁
    · rw [List.append_nil, List.append_nil]; exact e₃
    · rw [e₁, hnew, hsame]
    · rw [e₂, hnewb, hsameb]
  · have e₁ : (d.splice T C i j new).ids = replaceAt d.ids (render T C .start front).length
        (render T C p old ++ T.headLead (placeAfter p old) back).length
        (render T C p new ++ T.headLead (placeAfter p new) back) := by
      simp only [Delta.splice]; rw [if_neg hl]
    have e₂ : (d.splice T C i j new).bytes = replaceAt d.bytes (renderBytes T C .start front).length
        (renderBytes T C p old ++ C.dec (T.headLead (placeAfter p old) back)).length
        (renderBytes T C p new ++ C.dec (T.headLead (placeAfter p new) back)) := by
      simp only [Delta.splice]; rw [if_neg hl]
    have e₃ : (d.splice T C i j new).marks = replaceAt d.marks (render T C .start front).length
        (render T C p old ++ T.headLead (placeAfter p old) back).length
        (List.replicate (render T C p new ++ T.headLead (placeAfter p new) back).length none) := by
      simp only [Delta.splice]; rw [if_neg hl]
    have hids' : d.ids = render T C .start front ++ (render T C p old ++ T.headLead (placeAfter p old) back) ++ Y := by
      rw [hids, (hY _).1]; simp only [List.append_assoc]
    have hbytes' : d.bytes = renderBytes T C .start front ++
        (renderBytes T C p old ++ C.dec (T.headLead (placeAfter p old) back)) ++ W := by
      rw [hbytes, (hY _).2]; simp only [List.append_assoc]
    rw [hids', replaceAt_append] at e₁
    rw [hbytes', replaceAt_append] at e₂
    refine ⟨_, _, _, Y, rfl, hids', e₁, e₃, fun h => absurd h hl, ?_, ?_⟩
    · rw [e₁, hnew, (hY _).1]; simp only [List.append_assoc]
    · rw [e₂, hnewb, (hY _).2]; simp only [List.append_assoc]

theorem Valid.splice {d : Delta μ} (h : d.Valid T C) {i j : Nat} (hij : i ≤ j) {new : List Event}
    (hf : allFit T C .start (d.splice T C i j new).events = true) : (d.splice T C i j new).Valid T C := by
  obtain ⟨X, L, L', Y, _, hids, hids', hmarks, _, hr, hb⟩ := h.splice_preserves hij new
  have hev : (d.splice T C i j new).events = d.events.take i ++ new ++ d.events.drop j := rfl
  refine ⟨hr, hb, ?_, ?_⟩
  · rw [hr, hb]; exact dec_render (by rw [← hev]; exact keepsTexts_of_allFit hf)
  · have hm := h.marks
    rw [hids] at hm
    rw [hids', hmarks]
    simp only [List.length_append, List.length_take, List.length_drop, List.length_replicate] at hm ⊢
    omega

end Delta

end VerifiedTok.Chat
