module

public import VerifiedTok.Thm.Rounds.Round

public section

/-!
# Where a round differs from single merges, a merge is overtaken
-/

namespace VerifiedTok

/-- Where the pairs of `u ++ c :: v` come from, `c` having replaced `a` and `b`. -/
theorem selected_after_merge {t : Table} {u v : List Token} {a b c : Token} {j k' : Nat} {c' : Token}
    (h : Selected t (u ++ c :: v) j k' c') :
    (j + 1 < u.length ∧ Selected t (u ++ a :: b :: v) j k' c') ∨
      (∃ z, u.getLast? = some z ∧ t.look z c = some (k', c')) ∨
      (∃ z, v.head? = some z ∧ t.look c z = some (k', c')) ∨
      (u.length < j ∧ Selected t (u ++ a :: b :: v) (j + 1) k' c') := by
  by_cases h1 : j + 1 < u.length
  · exact .inl ⟨h1, ((selected_append_left h1).mp h).append_left _⟩
  by_cases h2 : j + 1 = u.length
  · obtain ⟨x, y, ⟨hx, hy⟩, hl⟩ := h
    rw [List.getElem?_append_left (by omega)] at hx
    rw [List.getElem?_append_right (by omega), h2, Nat.sub_self] at hy
    simp only [List.getElem?_cons_zero, Option.some.injEq] at hy
    subst hy
    exact .inr (.inl ⟨x, by rw [List.getLast?_eq_getElem?, ← h2]; simpa using hx, hl⟩)
  · obtain ⟨i, rfl⟩ := Nat.exists_eq_add_of_le (show u.length ≤ j by omega)
    have h := selected_append_right.mp h
    cases i with
    | zero =>
      cases v with
      | nil => exact absurd h selected_singleton
      | cons z v => exact .inr (.inr (.inl ⟨z, rfl, selected_zero.mp h⟩))
    | succ i =>
      have h := selected_succ.mp h
      exact .inr (.inr (.inr ⟨by omega,
        Selected.append_right u (B := a :: b :: v) (selected_succ.mpr (selected_succ.mpr h))⟩))

/-- **A round is a run of single merges, unless a merge of the round is overtaken.**  The round goes
through `ts`; `u` is what it has written and holds no pair of rank `k`. -/
theorem steps_round_or_overtaken {t : Table} {k : Nat} {w : List Token} : ∀ (ts u : List Token),
    (∀ j k' c', Selected t (u ++ ts) j k' c' → k ≤ k') →
    (∀ j c', Selected t (u ++ ts) j k c' → u.length ≤ j) →
    Steps t w (u ++ ts) →
    Steps t w (u ++ round t k ts) ∨
      ∃ p a b q c, round t k ts = round t k p ++ c :: round t k q ∧ t.look a b = some (k, c) ∧
        ts = p ++ a :: b :: q ∧
        Steps t w (u ++ round t k p ++ a :: b :: q) ∧
        Optimal t (u ++ round t k p ++ a :: b :: q) (u ++ round t k p).length c ∧
        (∃ j c', Selected t q j k c') ∧ Opens t k (u ++ round t k p) c q
  | [], u, _, _, h => .inl (by rwa [round_nil])
  | [a], u, _, _, h => .inl (by rwa [round_singleton])
  | a :: b :: rest, u, hmin, hleft, h => by
    by_cases hl : ∃ c, t.look a b = some (k, c)
    · obtain ⟨c, hl⟩ := hl
      have hopt : Optimal t (u ++ a :: b :: rest) u.length c := by
        refine ⟨k, selected_middle hl, fun j k' c' hj => ?_⟩
        have h1 := hmin j k' c' hj
        by_cases he : k = k'
        · subst he; exact .inr ⟨rfl, hleft j c' hj⟩
        · exact .inl (by omega)
      have h' := h.step hopt
      rw [mergeAt_middle] at h'
      by_cases hw : ∃ j c', Selected t rest j k c'
      · by_cases ho : Opens t k u c rest
        · exact .inr ⟨[], a, b, rest, c, by rw [round_hit hl, round_nil]; rfl, hl, rfl,
            by rw [round_nil, List.append_nil]; exact h,
            by rw [round_nil, List.append_nil]; exact hopt, hw,
            by rw [round_nil, List.append_nil]; exact ho⟩
        · have e : ∀ xs, u ++ c :: xs = (u ++ [c]) ++ xs := by simp
          have hl1 : ∀ z k' d, u.getLast? = some z → t.look z c = some (k', d) → k < k' :=
            fun z k' d hz hd => Nat.lt_of_not_le fun hk => ho (.inl ⟨z, k', d, hz, hd, hk⟩)
          have hl2 : ∀ z k' d, rest.head? = some z → t.look c z = some (k', d) → k < k' :=
            fun z k' d hz hd => Nat.lt_of_not_le fun hk => ho (.inr ⟨z, k', d, hz, hd, hk⟩)
          rw [e] at h'
          have hmin' : ∀ j k' c', Selected t ((u ++ [c]) ++ rest) j k' c' → k ≤ k' := by
            intro j k' c' hj
            rw [← e] at hj
            rcases selected_after_merge (a := a) (b := b) hj with ⟨_, h⟩ | ⟨z, hz, h⟩ | ⟨z, hz, h⟩ | ⟨_, h⟩
            · exact hmin _ _ _ h
            · exact Nat.le_of_lt (hl1 _ _ _ hz h)
            · exact Nat.le_of_lt (hl2 _ _ _ hz h)
            · exact hmin _ _ _ h
          have hleft' : ∀ j c', Selected t ((u ++ [c]) ++ rest) j k c' → (u ++ [c]).length ≤ j := by
            intro j c' hj
            rw [← e] at hj
            simp only [List.length_append, List.length_cons, List.length_nil]
            rcases selected_after_merge (a := a) (b := b) hj with ⟨hj1, h⟩ | ⟨z, hz, h⟩ | ⟨z, hz, h⟩ | ⟨hj1, h⟩
            · have := hleft _ _ h; omega
            · exact absurd (hl1 _ _ _ hz h) (Nat.lt_irrefl _)
            · exact absurd (hl2 _ _ _ hz h) (Nat.lt_irrefl _)
            · omega
          rcases steps_round_or_overtaken rest (u ++ [c]) hmin' hleft' h' with hr | hr
          · left; rw [round_hit hl, e]; exact hr
          · right
            obtain ⟨p, a', b', q, c', hp, hl', rfl, hs, hop, hq, hO⟩ := hr
            have e' : u ++ round t k (a :: b :: p) = u ++ [c] ++ round t k p := by
              rw [round_hit hl]; simp
            exact ⟨a :: b :: p, a', b', q, c', by rw [round_hit hl, round_hit hl, hp]; rfl, hl', rfl,
              by rw [e']; exact hs, by rw [e']; exact hop, hq, by rw [e']; exact hO⟩
      · left
        rw [round_hit hl, round_eq_self fun j c' hj => hw ⟨j, c', hj⟩]
        exact h'
    · have hl' : ∀ c, t.look a b ≠ some (k, c) := fun c hc => hl ⟨c, hc⟩
      have e : ∀ xs, u ++ a :: xs = (u ++ [a]) ++ xs := by simp
      rw [e] at h
      have hmin' : ∀ j k' c', Selected t ((u ++ [a]) ++ b :: rest) j k' c' → k ≤ k' := by
        intro j k' c' hj; rw [← e] at hj; exact hmin _ _ _ hj
      have hleft' : ∀ j c', Selected t ((u ++ [a]) ++ b :: rest) j k c' → (u ++ [a]).length ≤ j := by
        intro j c' hj
        rw [← e] at hj
        have h1 := hleft _ _ hj
        simp only [List.length_append, List.length_cons, List.length_nil]
        by_cases h2 : j = u.length
        · subst h2
          have := (selected_append_right (A := u) (i := 0)).mp hj
          exact absurd (selected_zero.mp this) (hl' c')
        · omega
      rcases steps_round_or_overtaken (b :: rest) (u ++ [a]) hmin' hleft' h with hr | hr
      · left; rw [round_miss hl', e]; exact hr
      · right
        obtain ⟨p, a', b', q, c, hp, hlc, he, hs, hop, hq, hO⟩ := hr
        have e' : round t k (a :: p) = a :: round t k p := by
          cases p with
          | nil => rw [round_nil, round_singleton]
          | cons y p =>
            rw [List.cons_append, List.cons.injEq] at he
            rw [← he.1, round_miss hl']
        have e'' : u ++ round t k (a :: p) = u ++ [a] ++ round t k p := by rw [e']; simp
        exact ⟨a :: p, a', b', q, c, by rw [round_miss hl', hp, e']; rfl, hlc, by rw [he]; rfl,
          by rw [e'']; exact hs, by rw [e'']; exact hop, hq, by rw [e'']; exact hO⟩

/-- One round from a list that the run of single merges meets. -/
theorem steps_round {t : Table} {w ts : List Token} {k : Nat} (hs : Steps t w ts)
    (hmin : ∀ j k' c', Selected t ts j k' c' → k ≤ k') :
    Steps t w (round t k ts) ∨
      ∃ p a b q c, round t k ts = round t k p ++ c :: round t k q ∧ t.look a b = some (k, c) ∧
        ts = p ++ a :: b :: q ∧ Steps t w (round t k p ++ a :: b :: q) ∧
        Optimal t (round t k p ++ a :: b :: q) (round t k p).length c ∧
        (∃ j c', Selected t q j k c') ∧ Opens t k (round t k p) c q :=
  steps_round_or_overtaken ts [] hmin (fun _ _ _ => Nat.zero_le _) hs

theorem steps_of_not_overtaken {t : Table} {w ts out : List Token} (hno : ¬ Overtaken t w)
    (h : RankedRounds t ts out) : Steps t w ts → Steps t w out := by
  induction h with
  | stop _ => exact id
  | step hk _ ih =>
    intro hs
    rcases steps_round hs hk.2 with h | ⟨p, a, b, q, c, _, hl, _, hs', ho, hq, hO⟩
    · exact ih h
    · exact absurd ⟨_, a, b, q, _, c, hs', ho, hl, hq, hO⟩ hno

/-- **If no merge is overtaken, rounds and single merges have the same outcome.** -/
theorem agree_of_not_overtaken {t : Table} {w : List Token} (hno : ¬ Overtaken t w) : Agree t w :=
  have h := roundAll_ranked t w
  (mergeAll_eq_iff.mpr ((steps_of_not_overtaken hno h .refl).ranked (.stop h.stuck))).symm

/-- The tokens of a live rule, and those of the rule that its result opens. -/
theorem live_of_opens {t : Table} {init : Token → Prop} {w u v : List Token} {a b c : Token} {k : Nat}
    (hw : ∀ s ∈ w, init s) (hs : Steps t w (u ++ a :: b :: v)) (hl : t.look a b = some (k, c))
    (ho : Optimal t (u ++ a :: b :: v) u.length c) :
    Live t init a b k c ∧
      (∀ z k' d, u.getLast? = some z → t.look z c = some (k', d) → Live t init z c k' d) ∧
      ∀ z k' d, v.head? = some z → t.look c z = some (k', d) → Live t init c z k' d := by
  have hr : Reachable t init (u ++ a :: b :: v) := ⟨w, hw, hs⟩
  have hr' := hr.step ho
  rw [mergeAt_middle] at hr'
  refine ⟨⟨hl, ?_⟩, fun z k' d hz hd => ⟨hd, ?_⟩, fun z k' d hz hd => ⟨hd, ?_⟩⟩
  · exact Reachable.middle (u := u) (v := v) (by simpa using hr)
  · obtain ⟨u', rfl⟩ := List.getLast?_eq_some_iff.mp hz
    exact Reachable.middle (u := u') (v := v) (by simpa using hr')
  · obtain ⟨v', rfl⟩ := List.head?_eq_some_iff.mp hz
    exact Reachable.middle (u := u) (v := v') (by simpa using hr')

/-- **Under `LiveMonotone` no merge is overtaken.** -/
theorem LiveMonotone.not_overtaken {t : Table} {init : Token → Prop} (hm : LiveMonotone t init)
    {w : List Token} (hw : ∀ s ∈ w, init s) : ¬ Overtaken t w := by
  rintro ⟨u, a, b, v, k, c, hs, ho, hl, _, ⟨z, k', d, hz, hd, hk⟩ | ⟨z, k', d, hz, hd, hk⟩⟩
  · obtain ⟨h1, h2, _⟩ := live_of_opens hw hs hl ho
    exact absurd (hm _ _ _ _ _ _ _ _ h1 (h2 z k' d hz hd) (.inr rfl)) (by omega)
  · obtain ⟨h1, _, h3⟩ := live_of_opens hw hs hl ho
    exact absurd (hm _ _ _ _ _ _ _ _ h1 (h3 z k' d hz hd) (.inl rfl)) (by omega)

end VerifiedTok
