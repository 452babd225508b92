module

public import VerifiedTok.Spec.Stream
public import VerifiedTok.Thm.Decode

public section

/-!
# Streams say what the whole says, once
-/

namespace VerifiedTok

theorem Partial.feed_append (s : Partial) (xs ys : List UInt8) :
    s.feed (xs ++ ys) = (((s.feed xs).1.feed ys).1, (s.feed xs).2 ++ ((s.feed xs).1.feed ys).2) := by
  induction xs generalizing s with
  | nil => rfl
  | cons x xs ih => simp only [List.cons_append, feed, ih, List.append_assoc]

theorem deltas_feed (bytesOf : Token → List UInt8) (s : Partial) (ts : List Token) :
    ((deltas bytesOf s ts).2, (deltas bytesOf s ts).1.flatten) = s.feed (decode bytesOf ts) := by
  induction ts generalizing s with
  | nil => rfl
  | cons t ts ih =>
    rw [decode_cons, Partial.feed_append, ← ih]; rfl

/-- **A stream says what the whole says**: the parts that the tokens gave, put together, and what remains at the end,
are the text of all ids. -/
theorem stream_eq_textOf (bytesOf : Token → List UInt8) (ts : List Token) :
    (deltas bytesOf .none ts).1.flatten ++ (deltas bytesOf .none ts).2.finish = textOf (decode bytesOf ts) := by
  have h := deltas_feed bytesOf .none ts
  rw [textOf, ← h]

/-- **Nothing of the prompt again**: a stream that begins after a prompt gives exactly what the whole text has beyond
the prompt's complete characters, which were there before. -/
theorem stream_after_prompt (bytesOf : Token → List UInt8) (prompt ts : List Token) :
    let seen := Partial.none.feed (decode bytesOf prompt)
    textOf (decode bytesOf (prompt ++ ts)) =
      seen.2 ++ ((deltas bytesOf seen.1 ts).1.flatten ++ (deltas bytesOf seen.1 ts).2.finish) := by
  intro seen
  have h := deltas_feed bytesOf seen.1 ts
  rw [textOf, decode_append, Partial.feed_append, ← h, List.append_assoc]

/-- However the ids are cut into calls, the stream gives the same. -/
theorem deltas_append (bytesOf : Token → List UInt8) (s : Partial) (xs ys : List Token) :
    deltas bytesOf s (xs ++ ys) = ((deltas bytesOf s xs).1 ++ (deltas bytesOf (deltas bytesOf s xs).2 ys).1,
      (deltas bytesOf (deltas bytesOf s xs).2 ys).2) := by
  induction xs generalizing s with
  | nil => rfl
  | cons x xs ih => simp only [List.cons_append, deltas, ih]

theorem Partial.feed_wellFormed {w : List UInt8} (h : WellFormed w) : Partial.none.feed w = (.none, w) := by
  unfold WellFormed at h
  split at h
  · next a =>
    simp [feed, put, first, none, h]
  · next a b =>
    obtain ⟨h₁, h₂, h₃, h₄⟩ := h
    have h₅ : ¬ a ≤ 0x7F := by simp only [UInt8.le_iff_toNat_le] at *; simp at *; omega
    have h₆ : ¬ a < 0xC2 := by simp only [UInt8.le_iff_toNat_le, UInt8.lt_iff_toNat_lt] at *; simp at *; omega
    simp [feed, put, first, none, h₂, h₃, h₄, h₅, h₆]
  · next a b c =>
    obtain ⟨h₁, h₂, h₃, h₄, h₅, h₆⟩ := h
    have h₇ : ¬ a ≤ 0x7F := by simp only [UInt8.le_iff_toNat_le] at h₁ ⊢; simp at h₁ ⊢; omega
    have h₈ : ¬ a < 0xC2 := by simp only [UInt8.le_iff_toNat_le, UInt8.lt_iff_toNat_lt] at h₁ ⊢; simp at h₁ ⊢; omega
    have h₉ : ¬ a ≤ 0xDF := by simp only [UInt8.le_iff_toNat_le] at h₁ ⊢; simp at h₁ ⊢; omega
    simp [feed, put, first, none, h₂, h₃, h₄, h₅, h₆, h₇, h₈, h₉]
  · next a b c d =>
    obtain ⟨h₁, h₂, h₃, h₄, h₅, h₆, k₅, k₆⟩ := h
    have h₇ : ¬ a ≤ 0x7F := by simp only [UInt8.le_iff_toNat_le] at h₁ ⊢; simp at h₁ ⊢; omega
    have h₈ : ¬ a < 0xC2 := by simp only [UInt8.le_iff_toNat_le, UInt8.lt_iff_toNat_lt] at h₁ ⊢; simp at h₁ ⊢; omega
    have h₉ : ¬ a ≤ 0xDF := by simp only [UInt8.le_iff_toNat_le] at h₁ ⊢; simp at h₁ ⊢; omega
    have k₉ : ¬ a ≤ 0xEF := by simp only [UInt8.le_iff_toNat_le] at h₁ ⊢; simp at h₁ ⊢; omega
    simp [feed, put, first, none, h₂, h₃, h₄, h₅, h₆, h₇, h₈, h₉, k₅, k₆, k₉]
  · cases h

/-- **Complete characters come out as they are.** -/
theorem textOf_wellFormed {ws : List (List UInt8)} (h : ∀ w ∈ ws, WellFormed w) : textOf ws.flatten = ws.flatten := by
  have hf : Partial.none.feed ws.flatten = (.none, ws.flatten) := by
    induction ws with
    | nil => rfl
    | cons w ws ih =>
      rw [List.flatten_cons, Partial.feed_append, Partial.feed_wellFormed (h w (List.mem_cons_self ..)),
        ih fun v hv => h v (List.mem_cons_of_mem _ hv)]
  rw [textOf, hf]
  simp [Partial.finish, Partial.none]

end VerifiedTok
