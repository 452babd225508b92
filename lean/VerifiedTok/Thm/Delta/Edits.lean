module

public import VerifiedTok.Thm.Delta

public section

/-!
# What inserting, replacing, deleting and truncating keep
-/

namespace VerifiedTok.Chat.Delta

variable {T : Template} {C : Coder} {μ : Type}

/-- **Inserting an event keeps every id and every mark**, those before it and those behind it, if what is behind it
begins as before.  The result is the rendering of the edited conversation, and its bytes are that one's. -/
theorem insert_preserves {d : Delta μ} (h : d.Valid T C) (i : Nat) (e : Event)
    (hl : T.headLead (placeAfter .start (d.events.take i)) (d.events.drop i) = T.headLead e.next (d.events.drop i)) :
    let X := render T C .start (d.events.take i)
    let new := renderEvent T C (placeAfter .start (d.events.take i)) e
    ∃ Y, d.ids = X ++ Y ∧ (d.insert T C i e).ids = X ++ new ++ Y ∧
      (d.insert T C i e).marks = d.marks.take X.length ++ List.replicate new.length none ++ d.marks.drop X.length ∧
      (d.insert T C i e).ids = render T C .start (d.events.take i ++ e :: d.events.drop i) ∧
      (d.insert T C i e).bytes = renderBytes T C .start (d.events.take i ++ e :: d.events.drop i) := by
  intro X new
  obtain ⟨X', L, L', Y, rfl, h₁, h₂, h₃, h₄, h₅, h₆⟩ := h.splice_preserves (Nat.le_refl i) [e]
  simp only [Nat.sub_self, List.take_zero, render_nil, render_singleton, placeAfter_cons, placeAfter_nil, List.nil_append,
    List.append_assoc, List.cons_append] at h₁ h₂ h₃ h₄ h₅ h₆
  obtain ⟨rfl, rfl⟩ := h₄ hl
  refine ⟨Y, by simpa using h₁, by simpa [Delta.insert] using h₂, by simpa [Delta.insert] using h₃, h₅, h₆⟩

/-- **Deleting an event keeps every other id and mark**, if what is behind it begins as before. -/
theorem delete_preserves {d : Delta μ} (h : d.Valid T C) (i : Nat)
    (hl : T.headLead (placeAfter .start (d.events.take (i + 1))) (d.events.drop (i + 1)) =
      T.headLead (placeAfter .start (d.events.take i)) (d.events.drop (i + 1))) :
    let X := render T C .start (d.events.take i)
    ∃ old Y, d.ids = X ++ old ++ Y ∧ (d.delete T C i).ids = X ++ Y ∧
      (d.delete T C i).marks = d.marks.take X.length ++ d.marks.drop (X.length + old.length) ∧
      (d.delete T C i).ids = render T C .start (d.events.take i ++ d.events.drop (i + 1)) ∧
      (d.delete T C i).bytes = renderBytes T C .start (d.events.take i ++ d.events.drop (i + 1)) := by
  intro X
  obtain ⟨X', L, L', Y, rfl, h₁, h₂, h₃, h₄, h₅, h₆⟩ := h.splice_preserves (Nat.le_succ i) []
  have hp : placeAfter (placeAfter .start (d.events.take i)) ((d.events.drop i).take (i + 1 - i)) =
      placeAfter .start (d.events.take (i + 1)) := by
    rw [← placeAfter_append, ← List.take_append_drop i (d.events.take (i + 1)), List.take_take, List.drop_take]
    simp [Nat.min_eq_left (Nat.le_succ i)]
  rw [hp] at h₄
  obtain ⟨rfl, rfl⟩ := h₄ hl
  simp only [render_nil, List.append_nil, List.length_nil, List.replicate_zero] at h₁ h₂ h₃ h₅ h₆
  exact ⟨_, Y, h₁, h₂, h₃, h₅, h₆⟩

/-- **Replacing an event keeps every other id and mark**, if it is replaced by one after which what is behind it
begins as before (by one of its own kind, say). -/
theorem replace_preserves {d : Delta μ} (h : d.Valid T C) (i : Nat) (e : Event)
    (hl : T.headLead (placeAfter .start (d.events.take (i + 1))) (d.events.drop (i + 1)) =
      T.headLead e.next (d.events.drop (i + 1))) :
    let X := render T C .start (d.events.take i)
    let new := renderEvent T C (placeAfter .start (d.events.take i)) e
    ∃ old Y, d.ids = X ++ old ++ Y ∧ (d.replace T C i e).ids = X ++ new ++ Y ∧
      (d.replace T C i e).marks =
        d.marks.take X.length ++ List.replicate new.length none ++ d.marks.drop (X.length + old.length) ∧
      (d.replace T C i e).ids = render T C .start (d.events.take i ++ e :: d.events.drop (i + 1)) ∧
      (d.replace T C i e).bytes = renderBytes T C .start (d.events.take i ++ e :: d.events.drop (i + 1)) := by
  intro X new
  obtain ⟨X', L, L', Y, rfl, h₁, h₂, h₃, h₄, h₅, h₆⟩ := h.splice_preserves (Nat.le_succ i) [e]
  have hp : placeAfter (placeAfter .start (d.events.take i)) ((d.events.drop i).take (i + 1 - i)) =
      placeAfter .start (d.events.take (i + 1)) := by
    rw [← placeAfter_append, ← List.take_append_drop i (d.events.take (i + 1)), List.take_take, List.drop_take]
    simp [Nat.min_eq_left (Nat.le_succ i)]
  rw [hp] at h₄
  obtain ⟨rfl, rfl⟩ := h₄ (by simpa only [placeAfter_cons, placeAfter_nil] using hl)
  simp only [render_singleton, List.append_nil, List.append_assoc, List.cons_append, List.nil_append] at h₁ h₂ h₃ h₅ h₆
  refine ⟨_, Y, by rw [List.append_assoc]; exact h₁, by rw [List.append_assoc]; exact h₂, ?_, h₅, h₆⟩
  rw [List.append_assoc]; exact h₃

/-- **Truncating keeps a prefix of the ids and of their marks.** -/
theorem truncate_preserves {d : Delta μ} (h : d.Valid T C) {i : Nat} (hi : i ≤ d.events.length) :
    ∃ n, (d.truncate T C i).ids = d.ids.take n ∧ (d.truncate T C i).marks = d.marks.take n ∧
      (d.truncate T C i).ids = render T C .start (d.events.take i) ∧
      (d.truncate T C i).bytes = renderBytes T C .start (d.events.take i) := by
  obtain ⟨X, L, L', Y, hX, h₁, h₂, h₃, h₄, h₅, h₆⟩ := h.splice_preserves hi []
  simp only [List.drop_length, Template.headLead, List.head?_nil, Option.map_none, Option.getD_none, forall_const] at h₄
  obtain ⟨rfl, rfl⟩ := h₄
  simp only [List.drop_length, render_nil, List.append_nil, List.length_nil, List.replicate_zero] at h₁ h₂ h₃ h₅ h₆
  have hY : Y = [] := by
    rw [h₅, ← hX] at h₂
    exact List.append_right_eq_self.mp h₂.symm
  subst hY
  refine ⟨X.length, ?_, ?_, h₅, h₆⟩
  · rw [Delta.truncate, h₂, h₁]; simp
  · rw [Delta.truncate, h₃]
    have : d.marks.length ≤ X.length + (render T C (placeAfter .start (d.events.take i))
        ((d.events.drop i).take (d.events.length - i))).length := by
      rw [h.marks, h₁]; simp
    rw [List.drop_eq_nil_of_le this, List.append_nil]

end VerifiedTok.Chat.Delta
