module

public import VerifiedTok.Spec.Chat
public import VerifiedTok.Thm.Decode

public section

/-!
# Rendering is local, decodes to its bytes, and takes control tokens from the template alone
-/

namespace VerifiedTok.Chat

variable {T : Template} {C : Coder}

/-! ## Places -/

theorem placeAfter_nil (p : Place) : placeAfter p [] = p := rfl

theorem placeAfter_cons (p : Place) (e : Event) (es : List Event) : placeAfter p (e :: es) = placeAfter e.next es := by
  cases es with
  | nil => rfl
  | cons f fs => simp only [placeAfter, List.getLast?_cons, Option.map_some, Option.getD_some]

theorem placeAfter_append (p : Place) (xs ys : List Event) :
    placeAfter p (xs ++ ys) = placeAfter (placeAfter p xs) ys := by
  induction xs generalizing p with
  | nil => rfl
  | cons x xs ih => rw [List.cons_append, placeAfter_cons, placeAfter_cons, ih]

/-! ## Appending -/

theorem allSegments_append (p : Place) (xs ys : List Event) :
    T.allSegments p (xs ++ ys) = T.allSegments p xs ++ T.allSegments (placeAfter p xs) ys := by
  induction xs generalizing p with
  | nil => rfl
  | cons x xs ih =>
    rw [List.cons_append, Template.allSegments, Template.allSegments, ih, placeAfter_cons, List.append_assoc]

theorem render_nil (p : Place) : render T C p [] = [] := rfl

theorem render_cons (p : Place) (e : Event) (es : List Event) :
    render T C p (e :: es) = renderEvent T C p e ++ render T C e.next es := List.flatMap_append

theorem render_singleton (p : Place) (e : Event) : render T C p [e] = renderEvent T C p e := by
  rw [render_cons, render_nil, List.append_nil]

theorem renderBytes_nil (p : Place) : renderBytes T C p [] = [] := rfl

theorem renderBytes_cons (p : Place) (e : Event) (es : List Event) :
    renderBytes T C p (e :: es) = eventBytes T C p e ++ renderBytes T C e.next es := List.flatMap_append

theorem renderBytes_singleton (p : Place) (e : Event) : renderBytes T C p [e] = eventBytes T C p e := by
  rw [renderBytes_cons, renderBytes_nil, List.append_nil]

/-- **Rendering more events adds to the ids**: those that were there stay. -/
theorem render_append (p : Place) (xs ys : List Event) :
    render T C p (xs ++ ys) = render T C p xs ++ render T C (placeAfter p xs) ys := by
  rw [render, allSegments_append, List.flatMap_append]; rfl

/-- **Rendering more events adds to the bytes.** -/
theorem renderBytes_append (p : Place) (xs ys : List Event) :
    renderBytes T C p (xs ++ ys) = renderBytes T C p xs ++ renderBytes T C (placeAfter p xs) ys := by
  rw [renderBytes, allSegments_append, List.flatMap_append]; rfl

/-- **Rendering one more event is its own rendering behind the others'**, in ids and in bytes. -/
theorem render_snoc (p : Place) (es : List Event) (e : Event) :
    render T C p (es ++ [e]) = render T C p es ++ renderEvent T C (placeAfter p es) e ∧
      renderBytes T C p (es ++ [e]) = renderBytes T C p es ++ eventBytes T C (placeAfter p es) e := by
  rw [render_append, renderBytes_append, render_singleton, renderBytes_singleton]
  exact ⟨rfl, rfl⟩

/-! ## Decoding -/

/-- Every text among the segments is kept by the encoder. -/
@[expose] def KeepsTexts (C : Coder) (xs : List Segment) : Prop := ∀ text, .content text ∈ xs → C.Keeps text

theorem Coder.dec_append (C : Coder) (xs ys : List Token) : C.dec (xs ++ ys) = C.dec xs ++ C.dec ys :=
  decode_append _ xs ys

theorem dec_segments {xs : List Segment} (h : KeepsTexts C xs) :
    C.dec (xs.flatMap (Segment.ids C)) = xs.flatMap (Segment.bytes C) := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rw [List.flatMap_cons, List.flatMap_cons, C.dec_append, ih fun text ht => h text (List.mem_cons_of_mem _ ht)]
    congr 1
    cases x with
    | content text => exact h text (List.mem_cons_self ..)
    | fixed ts => rfl
    | sampled ts => rfl

/-- **The ids of a conversation decode to its bytes**, if the encoder keeps its texts. -/
theorem dec_render {p : Place} {es : List Event} (h : KeepsTexts C (T.allSegments p es)) :
    C.dec (render T C p es) = renderBytes T C p es := dec_segments h

theorem dec_renderEvent {p : Place} {e : Event} (h : KeepsTexts C (T.body e)) :
    C.dec (renderEvent T C p e) = eventBytes T C p e := by
  refine dec_segments fun text ht => ?_
  rcases List.mem_cons.mp ht with h' | h'
  · cases h'
  · exact h text h'

/-! ## No injection -/

/-- The segments without their texts. -/
@[expose] def Segment.blank : Segment → Segment
  | .content _ => .fixed []
  | x => x

/-- **No injection**: the control tokens among the ids are those that the template and the sampled spans put
there, one for one, whatever the texts are. -/
theorem no_injection (h : NoControl T C) (xs : List Segment) :
    (xs.flatMap (Segment.ids C)).filter T.control = ((xs.map Segment.blank).flatMap (Segment.ids C)).filter T.control := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    simp only [List.map_cons, List.flatMap_cons, List.filter_append, ih]
    congr 1
    cases x with
    | content text =>
      simp only [Segment.ids, Segment.blank, List.filter_nil, List.filter_eq_nil_iff]
      exact fun t ht => by simp [h text t ht]
    | fixed ts => rfl
    | sampled ts => rfl

/-- Messages of one kind with equally many items, each with any texts, have the same control tokens. -/
theorem blank_fill (ps : List Part) (cs ds : List Bytes) :
    (fill ps cs).map Segment.blank = (fill ps ds).map Segment.blank := by
  induction ps generalizing cs ds with
  | nil => rfl
  | cons q ps ih =>
    cases q with
    | ids ts => simp only [fill, List.map_cons, ih cs ds]
    | slot b a => simp only [fill, List.map_cons, ih cs.tail ds.tail, Segment.blank]

/-- **The control tokens of a message depend on its kind, its place and the number of its items alone.** -/
theorem control_renderEvent (h : NoControl T C) (p : Place) (k : Kind) {xs ys : List (List Bytes)}
    (hlen : xs.length = ys.length) :
    (renderEvent T C p (.message k xs)).filter T.control = (renderEvent T C p (.message k ys)).filter T.control := by
  have key : (T.segments p (.message k xs)).map Segment.blank = (T.segments p (.message k ys)).map Segment.blank := by
    simp only [Template.segments, Template.leadOf, Template.body, List.map_cons, List.map_append]
    congr 2
    induction xs generalizing ys with
    | nil => rw [List.length_nil] at hlen; rw [List.length_eq_zero_iff.mp hlen.symm]
    | cons x xs ih =>
      cases ys with
      | nil => simp at hlen
      | cons y ys =>
        simp only [List.flatMap_cons, List.map_append]
        rw [blank_fill _ x y, ih (by simpa using hlen)]
  rw [renderEvent, renderEvent, no_injection h (T.segments p (.message k xs)), key, ← no_injection h]

end VerifiedTok.Chat
