module

public import VerifiedTok.Thm.Chat.Canonical

public section

/-!
# A canonical conversation stays so when events follow

Only the event that was last has to be looked at again.
-/

namespace VerifiedTok.Chat

variable {T : Template} {C : Coder}

/-- What mismatches goes on to. -/
theorem mismatch_append {ps : List Part} {s : List Token} (h : mismatch T C ps s = true) (r : List Token) :
    mismatch T C ps (s ++ r) = true := by
  induction ps generalizing s with
  | nil => cases h
  | cons q ps ih =>
    cases q with
    | ids ts =>
      simp only [mismatch] at h ⊢
      split at h
      · next hp =>
        obtain ⟨s', rfl⟩ := List.isPrefixOf_iff_prefix.mp hp
        rw [List.drop_left] at h
        have : ts.isPrefixOf (ts ++ s' ++ r) = true := by
          rw [List.append_assoc]; exact List.isPrefixOf_iff_prefix.mpr (List.prefix_append ..)
        rw [if_pos this, List.append_assoc, List.drop_left]
        exact ih h
      · next hp =>
        have hn : ¬ s <+: ts := fun hs => by rw [List.isPrefixOf_iff_prefix.mpr hs] at h; cases h
        have h₁ : ¬ ts <+: s ++ r := fun hs => by
          rcases List.prefix_or_prefix_of_prefix hs (List.prefix_append s r) with h' | h'
          · exact hp (List.isPrefixOf_iff_prefix.mpr h')
          · exact hn h'
        have h₂ : ¬ s ++ r <+: ts := fun hs => hn ((List.prefix_append s r).trans hs)
        rw [if_neg fun hs => h₁ (List.isPrefixOf_iff_prefix.mp hs)]
        cases hb : (s ++ r).isPrefixOf ts with
        | false => rfl
        | true => exact absurd (List.isPrefixOf_iff_prefix.mp hb) h₂
    | slot b a =>
      simp only [mismatch] at h ⊢
      split at h
      · next he =>
        simp only [Bool.and_eq_true, Bool.not_eq_true'] at h
        have hs := strip_of_apart h.1 h.2 a (C.dec (T.run r).1)
        rw [run_append_of_no_control (List.isEmpty_iff.mp he)]
        split
        · have h₁ := apart_append h.1 h.2 (C.dec (T.run r).1)
          rw [C.dec_append, h₁.1, h₁.2]; rfl
        · rw [C.dec_append, hs]; rfl
      · next he =>
        have hne : (T.run s).2 ≠ [] := fun h => he (List.isEmpty_iff.mpr h)
        rw [run_append_of_control hne, if_neg (by simp [hne])]
        simp only [Bool.or_eq_true] at h ⊢
        exact h.imp id ih

theorem endsText_append {s r : List Token} (h : EndsText T s) (hs : s ≠ []) : EndsText T (s ++ r) := by
  cases s with
  | nil => exact absurd rfl hs
  | cons t s => exact h

theorem delimited_append_right {xs : List Segment} {r r' : List Token} (h : Delimited T C xs r) (hr : r ≠ []) :
    Delimited T C xs (r ++ r') := by
  induction xs with
  | nil => trivial
  | cons x xs ih =>
    cases x with
    | content text =>
      refine ⟨h.1, ?_, ih h.2.2⟩
      rw [← List.append_assoc]; exact endsText_append h.2.1 (by simp [hr])
    | fixed ts => exact ih h
    | sampled ts => exact ih h

/-- More may follow an event that something follows. -/
theorem Readable.append {p : Place} {e : Event} {r : List Token} (h : Readable T C p r e) (hr : r ≠ [])
    (r' : List Token) : Readable T C p (r ++ r') e := by
  cases e with
  | close t => exact h
  | span ts =>
    obtain ⟨h₁, h₂, h₃, h₄, h₅, h₆, h₇⟩ := h
    refine ⟨h₁, h₂, h₃, h₄, h₅, fun t ht => h₆ t ?_, h₇⟩
    cases r with
    | nil => exact absurd rfl hr
    | cons u r => exact ht
  | message k items =>
    obtain ⟨h₁, h₂, h₃, h₄, h₅, h₆, h₇, h₈, h₉⟩ := h
    refine ⟨h₁, h₂, h₃, h₄, h₅, h₆, delimited_append_right h₇ hr, h₈, ?_⟩
    split at h₉
    · next hm =>
      rw [if_pos hm]
      refine ⟨h₉.1, h₉.2.1, .inr ?_⟩
      rcases h₉.2.2 with h | h
      · exact absurd (List.append_eq_nil_iff.mp h).2 hr
      · rw [← List.append_assoc]; exact mismatch_append h r'
    · next hm => rw [if_neg hm]; exact h₉

theorem Readable.ne_nil {p : Place} {e : Event} {r : List Token} (h : Readable T C p r e) : renderEvent T C p e ≠ [] := by
  cases e with
  | close t => rw [renderEvent_close]; exact List.cons_ne_nil _ _
  | span ts => rw [renderEvent_span]; exact h.2.2.2.1
  | message k items => exact h.2.2.2.2.1

/-- **A canonical conversation stays canonical when events follow**, if its last event can be read before them. -/
theorem canonical_join {p : Place} {xs ys : List Event} {x : Event} (hx : Canonical T C p (xs ++ [x]))
    (h : Readable T C (placeAfter p xs) (render T C x.next ys) x) (hy : Canonical T C x.next ys) :
    Canonical T C p (xs ++ x :: ys) := by
  induction xs generalizing p with
  | nil => exact ⟨h, hy⟩
  | cons e xs ih =>
    rw [placeAfter_cons] at h
    refine ⟨?_, ih hx.2 h⟩
    have hr : render T C e.next (xs ++ x :: ys) =
        render T C e.next (xs ++ [x]) ++ render T C x.next ys := by
      have : xs ++ x :: ys = xs ++ [x] ++ ys := by simp
      rw [this, render_append, placeAfter_append]; rfl
    have hne : render T C e.next (xs ++ [x]) ≠ [] := by
      rw [(render_snoc ..).1]
      exact fun hz => h.ne_nil (List.append_eq_nil_iff.mp hz).2
    show Readable T C p (render T C e.next (xs ++ x :: ys)) e
    rw [hr]; exact hx.1.append hne _

end VerifiedTok.Chat
