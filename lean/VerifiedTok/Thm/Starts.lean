module

public import VerifiedTok.Thm.Starts.Gpt2
public import VerifiedTok.Thm.Starts.Llama3

public section

/-!
# Where pieces start, read off the runs of a text

`gpt2_split` and `llama3_split` say that the pieces of the patterns are the text cut at the places at which
`gpt2Starts` and `llama3Starts` hold, which look at the runs around a place only.  Their hypotheses are about the
kinds of characters (`Proper`), and about contractions, which `isContraction` checks.
-/

namespace VerifiedTok.Kinds

variable {α : Type} {K : Kinds α} {subset : Inclusion α}

theorem shortLetters_sound (hs : SubsetSound subset) : ∀ {e : Pat α}, K.shortLetters subset e = true →
    ∀ s n, e.firstMatch s = some n → ∃ c t, s = c :: t ∧ K.letter c = true ∧
      (n = 1 ∨ n = 2 ∧ ∃ d t', t = d :: t' ∧ K.letter d = true)
  | .chr p, h, s, n, hm => by
    cases s with
    | nil => cases hm
    | cons c t =>
      rw [Pat.firstMatch_chr] at hm
      split at hm
      · rename_i hc
        cases hm
        exact ⟨c, t, rfl, hs _ _ h c hc, .inl rfl⟩
      · cases hm
  | .seq (.chr p) (.chr q), h, s, n, hm => by
    simp only [shortLetters, Bool.and_eq_true] at h
    match s with
    | [] => cases hm
    | [c] =>
      simp only [Pat.firstMatch, Pat.matches] at hm
      split at hm <;> simp [Pat.matches] at hm
    | c :: d :: t =>
      simp only [Pat.firstMatch, Pat.matches] at hm
      split at hm
      · rename_i hc
        simp only [List.flatMap_cons, List.drop_succ_cons, List.drop_zero, List.flatMap_nil, List.append_nil,
          Pat.matches] at hm
        split at hm
        · rename_i hd
          cases hm
          exact ⟨c, d :: t, rfl, hs _ _ h.1 c hc, .inr ⟨rfl, d, t, rfl, hs _ _ h.2 d hd⟩⟩
        · simp at hm
      · simp at hm
  | .alt a b, h, s, n, hm => by
    simp only [shortLetters, Bool.and_eq_true] at h
    rw [Pat.firstMatch_alt] at hm
    cases ha : a.firstMatch s with
    | none => rw [ha] at hm; exact shortLetters_sound hs h.2 s n hm
    | some m => rw [ha] at hm; cases hm; exact shortLetters_sound hs h.1 s _ ha

/-- **The check of contractions is right.** -/
theorem contraction_of_isContraction (hs : SubsetSound subset) : ∀ {C : Pat α}, K.isContraction subset C = true →
    K.Contraction C
  | .chr p, h, s, n, hm => by
    cases s with
    | nil => cases hm
    | cons c t =>
      rw [Pat.firstMatch_chr] at hm
      split at hm
      · rename_i hc; have := hs _ _ h c hc; cases this
      · cases hm
  | .seq (.chr p) e, h, s, n, hm => by
    simp only [isContraction, Bool.and_eq_true] at h
    cases s with
    | nil => cases hm
    | cons o t =>
      rw [Pat.firstMatch_seq, Pat.matches] at hm
      split at hm
      · rename_i ho
        simp only [List.findSome?_cons, List.drop_succ_cons, List.drop_zero, List.findSome?_nil] at hm
        cases he : e.firstMatch t with
        | none => rw [he] at hm; cases hm
        | some m =>
          rw [he] at hm
          obtain ⟨c, t', rfl, hc, hn⟩ := shortLetters_sound hs h.2 t m he
          cases hm
          refine ⟨o, c, t', rfl, hs _ _ h.1 o ho, hc, ?_⟩
          rcases hn with rfl | ⟨rfl, d, t'', rfl, hd⟩
          · exact .inl rfl
          · exact .inr ⟨rfl, d, t'', rfl, hd⟩
      · simp at hm
  | .alt a b, h, s, n, hm => by
    simp only [isContraction, Bool.and_eq_true] at h
    rw [Pat.firstMatch_alt] at hm
    cases ha : a.firstMatch s with
    | none => rw [ha] at hm; exact contraction_of_isContraction hs h.2 s n hm
    | some m => rw [ha] at hm; cases hm; exact contraction_of_isContraction hs h.1 s _ ha

end VerifiedTok.Kinds
