module

public import VerifiedTok.Thm.Rounds.Steps

public section

/-!
# One round, and the run of rounds
-/

namespace VerifiedTok

theorem round_nil (t : Table) (k : Nat) : round t k [] = [] := by simp [round]

theorem round_singleton (t : Table) (k : Nat) (a : Token) : round t k [a] = [a] := by simp [round]

theorem round_hit {t : Table} {k : Nat} {a b c : Token} {rest : List Token}
    (h : t.look a b = some (k, c)) : round t k (a :: b :: rest) = c :: round t k rest := by
  simp [round, h]

theorem round_miss {t : Table} {k : Nat} {a b : Token} {rest : List Token}
    (h : ∀ c, t.look a b ≠ some (k, c)) : round t k (a :: b :: rest) = a :: round t k (b :: rest) := by
  rw [round]
  split
  · rfl
  · next k' c hl =>
    split
    · next hk => subst hk; exact absurd hl (h c)
    · rfl

theorem length_round_le (t : Table) (k : Nat) : ∀ ts, (round t k ts).length ≤ ts.length
  | [] => by simp [round_nil]
  | [a] => by simp [round_singleton]
  | a :: b :: rest => by
    by_cases hl : ∃ c, t.look a b = some (k, c)
    · obtain ⟨c, hl⟩ := hl
      have := length_round_le t k rest
      rw [round_hit hl]; simp only [List.length_cons]; omega
    · have := length_round_le t k (b :: rest)
      rw [round_miss fun c hc => hl ⟨c, hc⟩]
      simp only [List.length_cons] at this ⊢; omega

theorem length_round_lt {t : Table} {k : Nat} : ∀ {ts : List Token} {i : Nat} {c : Token},
    Selected t ts i k c → (round t k ts).length < ts.length
  | [], _, _, h => absurd h selected_nil
  | [_], _, _, h => absurd h selected_singleton
  | a :: b :: rest, i, c, h => by
    by_cases hl : ∃ c, t.look a b = some (k, c)
    · obtain ⟨c, hl⟩ := hl
      have := length_round_le t k rest
      rw [round_hit hl]; simp only [List.length_cons]; omega
    · rw [round_miss fun c hc => hl ⟨c, hc⟩]
      cases i with
      | zero => exact absurd ⟨c, selected_zero.mp h⟩ hl
      | succ i =>
        have := length_round_lt (selected_succ.mp h)
        simp only [List.length_cons] at this ⊢; omega

/-- A round changes nothing if no pair has its rank. -/
theorem round_eq_self {t : Table} {k : Nat} : ∀ {ts : List Token}, (∀ i c, ¬ Selected t ts i k c) →
    round t k ts = ts
  | [], _ => round_nil t k
  | [a], _ => round_singleton t k a
  | a :: b :: rest, h => by
    rw [round_miss fun c hc => h 0 c (selected_zero.mpr hc),
      round_eq_self fun i c hc => h (i + 1) c (selected_succ.mpr hc)]

/-- **A round restricted to the blocks of its outcome.** -/
theorem round_of_append {t : Table} {k : Nat} : ∀ {ts u v : List Token}, round t k ts = u ++ v →
    ∃ ts₁ ts₂, ts = ts₁ ++ ts₂ ∧ round t k ts₁ = u ∧ round t k ts₂ = v
  | ts, [], v, h => ⟨[], ts, rfl, round_nil t k, h⟩
  | [], x :: u, v, h => by simp [round_nil] at h
  | [a], x :: u, v, h => by
    simp only [round_singleton, List.cons_append, List.cons.injEq, List.nil_eq_append_iff] at h
    obtain ⟨rfl, rfl, rfl⟩ := h
    exact ⟨[a], [], rfl, round_singleton t k a, round_nil t k⟩
  | a :: b :: rest, x :: u, v, h => by
    by_cases hl : ∃ c, t.look a b = some (k, c)
    · obtain ⟨c, hl⟩ := hl
      rw [round_hit hl, List.cons_append, List.cons.injEq] at h
      obtain ⟨ts₁, ts₂, rfl, h₁, h₂⟩ := round_of_append h.2
      exact ⟨a :: b :: ts₁, ts₂, rfl, by rw [round_hit hl, h₁, h.1], h₂⟩
    · have hl' : ∀ c, t.look a b ≠ some (k, c) := fun c hc => hl ⟨c, hc⟩
      rw [round_miss hl', List.cons_append, List.cons.injEq] at h
      obtain ⟨ts₁, ts₂, he, h₁, h₂⟩ := round_of_append h.2
      cases ts₁ with
      | nil =>
        rw [round_nil] at h₁
        subst h₁
        exact ⟨[a], ts₂, by simp [he], by rw [round_singleton, h.1], h₂⟩
      | cons y ts₁ =>
        rw [List.cons_append, List.cons.injEq] at he
        obtain ⟨rfl, rfl⟩ := he
        exact ⟨a :: b :: ts₁, ts₂, rfl, by rw [round_miss hl', h₁, h.1], h₂⟩

/-! ## The run of rounds as a relation -/

/-- `k` is the lowest rank that applies. -/
@[expose] def Lowest (t : Table) (ts : List Token) (k : Nat) : Prop :=
  (∃ i c, Selected t ts i k c) ∧ ∀ j k' c', Selected t ts j k' c' → k ≤ k'

/-- Rounds at the lowest rank, until no rule applies. -/
inductive RankedRounds (t : Table) : List Token → List Token → Prop where
  | stop {ts : List Token} : Stuck t ts → RankedRounds t ts ts
  | step {ts out : List Token} {k : Nat} :
      Lowest t ts k → RankedRounds t (round t k ts) out → RankedRounds t ts out

theorem Lowest.unique {t : Table} {ts : List Token} {k k' : Nat} (h : Lowest t ts k)
    (h' : Lowest t ts k') : k = k' := by
  obtain ⟨⟨_, _, hs⟩, hm⟩ := h
  obtain ⟨⟨_, _, hs'⟩, hm'⟩ := h'
  exact Nat.le_antisymm (hm _ _ _ hs') (hm' _ _ _ hs)

theorem best_lowest {t : Table} {ts : List Token} {k i : Nat} {c : Token}
    (h : best t ts = some (k, i, c)) : Lowest t ts k := by
  obtain ⟨hs, hm⟩ := best_some h
  exact ⟨⟨i, c, hs⟩, fun j k' c' hj => by have := hm j k' c' hj; omega⟩

theorem RankedRounds.stuck {t : Table} {ts out : List Token} (h : RankedRounds t ts out) :
    Stuck t out := by
  induction h with
  | stop h => exact h
  | step _ _ ih => exact ih

theorem RankedRounds.unique {t : Table} {ts out out' : List Token} (h : RankedRounds t ts out)
    (h' : RankedRounds t ts out') : out = out' := by
  induction h with
  | stop hst =>
    cases h' with
    | stop _ => rfl
    | step hk _ => obtain ⟨⟨i, c, hs⟩, _⟩ := hk; exact absurd hs (hst i _ c)
  | step hk _ ih =>
    cases h' with
    | stop hst => obtain ⟨⟨i, c, hs⟩, _⟩ := hk; exact absurd hs (hst i _ c)
    | step hk' hr' => obtain rfl := hk.unique hk'; exact ih hr'

/-- As many rounds as tokens are enough. -/
theorem roundSteps_ranked (t : Table) : ∀ (n : Nat) (ts : List Token), ts.length ≤ n →
    RankedRounds t ts (roundSteps t n ts)
  | 0, ts, h => by
    have : ts = [] := List.eq_nil_of_length_eq_zero (by omega)
    subst this
    exact .stop fun _ _ _ => selected_nil
  | n + 1, ts, h => by
    rw [roundSteps]
    split
    · next hb => exact .stop (best_none hb)
    · next k i c hb =>
      have hl := length_round_lt (best_some hb).1
      exact .step (best_lowest hb) (roundSteps_ranked t n _ (by omega))

theorem roundAll_ranked (t : Table) (ts : List Token) : RankedRounds t ts (roundAll t ts) :=
  roundSteps_ranked t _ _ (Nat.le_refl _)

theorem roundAll_eq_iff {t : Table} {ts out : List Token} :
    roundAll t ts = out ↔ RankedRounds t ts out := by
  constructor
  · rintro rfl; exact roundAll_ranked t ts
  · exact fun h => (roundAll_ranked t ts).unique h

/-- One round on a part of the list: the part makes the same round or, if it holds no pair of this rank,
none. -/
theorem RankedRounds.step_part {t : Table} {ts out : List Token} {k : Nat}
    (hmin : ∀ j k' c', Selected t ts j k' c' → k ≤ k') (h : RankedRounds t (round t k ts) out) :
    RankedRounds t ts out := by
  by_cases hs : ∃ i c, Selected t ts i k c
  · exact .step ⟨hs, hmin⟩ h
  · rw [round_eq_self fun i c hc => hs ⟨i, c, hc⟩] at h
    exact h

/-- **Rounds restricted to the blocks of their outcome.** -/
theorem RankedRounds.of_append {t : Table} {ts us : List Token} (h : RankedRounds t ts us) :
    ∀ {u v : List Token}, us = u ++ v →
      ∃ ts₁ ts₂, ts = ts₁ ++ ts₂ ∧ RankedRounds t ts₁ u ∧ RankedRounds t ts₂ v := by
  induction h with
  | stop hst =>
    rintro u v rfl
    exact ⟨u, v, rfl, .stop hst.of_append.1, .stop hst.of_append.2⟩
  | step hk _ ih =>
    intro u v he
    obtain ⟨p₁, p₂, hp, h₁, h₂⟩ := ih he
    obtain ⟨ts₁, ts₂, rfl, rfl, rfl⟩ := round_of_append hp
    exact ⟨ts₁, ts₂, rfl,
      .step_part (fun j k' c' hj => hk.2 j k' c' (hj.append_left ts₂)) h₁,
      .step_part (fun j k' c' hj => hk.2 _ k' c' (hj.append_right ts₁)) h₂⟩

end VerifiedTok
