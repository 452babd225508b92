module

public import VerifiedTok.Spec.Bpe

public section

/-!
# The encoder meets its specification

`encodePiece_iff_bpeSpec` and `bpeSpec_unique` are the results; the rest are the facts about the
relations of `Spec/Bpe.lean` that they and other files need.
-/

namespace VerifiedTok

/-- **Initialization gives one token for each byte, in order.** -/
theorem initial_tokens_eq (t : Table) (bytes : List UInt8) :
    (initialTokens t bytes).length = bytes.length ∧
      ∀ i : Nat, (initialTokens t bytes)[i]? = (bytes[i]?).map t.byteToken := by
  simp [initialTokens]

/-! ## Which rule applies where -/

theorem pairAt_zero {a b x y : Token} {rest : List Token} :
    PairAt (x :: y :: rest) 0 a b ↔ x = a ∧ y = b := by
  simp [PairAt]

theorem pairAt_succ {a b x : Token} {rest : List Token} {i : Nat} :
    PairAt (x :: rest) (i + 1) a b ↔ PairAt rest i a b := by
  simp [PairAt]

theorem selected_zero {t : Table} {x y : Token} {rest : List Token} {k : Nat} {c : Token} :
    Selected t (x :: y :: rest) 0 k c ↔ t.look x y = some (k, c) := by
  simp only [Selected, pairAt_zero]
  constructor
  · rintro ⟨a, b, ⟨rfl, rfl⟩, h⟩; exact h
  · intro h; exact ⟨x, y, ⟨rfl, rfl⟩, h⟩

theorem selected_succ {t : Table} {x : Token} {rest : List Token} {i k : Nat} {c : Token} :
    Selected t (x :: rest) (i + 1) k c ↔ Selected t rest i k c := by
  simp only [Selected, pairAt_succ]

theorem selected_nil {t : Table} {i k : Nat} {c : Token} : ¬ Selected t [] i k c := by
  rintro ⟨a, b, ⟨h, _⟩, _⟩; simp at h

theorem selected_singleton {t : Table} {x : Token} {i k : Nat} {c : Token} :
    ¬ Selected t [x] i k c := by
  rintro ⟨a, b, ⟨_, h⟩, _⟩; simp at h

theorem Selected.lt_length {t : Table} {ts : List Token} {i k : Nat} {c : Token}
    (h : Selected t ts i k c) : i + 1 < ts.length := by
  obtain ⟨a, b, ⟨_, h⟩, _⟩ := h
  exact (List.getElem?_eq_some_iff.mp h).1

/-- At most one rule applies at a position. -/
theorem Selected.unique {t : Table} {ts : List Token} {i k k' : Nat} {c c' : Token}
    (h : Selected t ts i k c) (h' : Selected t ts i k' c') : k = k' ∧ c = c' := by
  obtain ⟨a, b, ⟨ha, hb⟩, hl⟩ := h
  obtain ⟨a', b', ⟨ha', hb'⟩, hl'⟩ := h'
  rw [ha] at ha'; rw [hb] at hb'
  cases ha'; cases hb'
  rw [hl] at hl'
  cases hl'
  exact ⟨rfl, rfl⟩

/-- There is at most one optimal merge. -/
theorem Optimal.unique {t : Table} {ts : List Token} {i i' : Nat} {c c' : Token}
    (h : Optimal t ts i c) (h' : Optimal t ts i' c') : i = i' ∧ c = c' := by
  obtain ⟨k, hs, hm⟩ := h
  obtain ⟨k', hs', hm'⟩ := h'
  have h1 := hm _ _ _ hs'
  have h2 := hm' _ _ _ hs
  have hi : i = i' := by omega
  subst hi
  exact ⟨rfl, (hs.unique hs').2⟩

theorem Optimal.not_stuck {t : Table} {ts : List Token} {i : Nat} {c : Token}
    (h : Optimal t ts i c) : ¬ Stuck t ts := by
  obtain ⟨k, hs, _⟩ := h
  exact fun hst => hst _ _ _ hs

theorem Optimal.lt_length {t : Table} {ts : List Token} {i : Nat} {c : Token}
    (h : Optimal t ts i c) : i + 1 < ts.length := by
  obtain ⟨k, hs, _⟩ := h
  exact hs.lt_length

/-! ## `best` finds the optimal merge -/

theorem best_none {t : Table} : ∀ {ts : List Token}, best t ts = none → Stuck t ts
  | [], _ => fun _ _ _ => selected_nil
  | [_], _ => fun _ _ _ => selected_singleton
  | a :: b :: rest, h => by
    intro i k c hs
    cases hl : t.look a b with
    | some p =>
      simp only [best, hl] at h
      split at h <;> simp_all
      split at h <;> simp_all
    | none =>
      have hb : best t (b :: rest) = none := by
        simp only [best, hl] at h
        split at h <;> simp_all
      cases i with
      | zero => rw [selected_zero, hl] at hs; cases hs
      | succ i => exact best_none hb _ _ _ (selected_succ.mp hs)

theorem best_some {t : Table} : ∀ {ts : List Token} {k i : Nat} {c : Token},
    best t ts = some (k, i, c) →
      Selected t ts i k c ∧ ∀ j k' c', Selected t ts j k' c' → k < k' ∨ (k = k' ∧ i ≤ j)
  | [], _, _, _, h => by simp [best] at h
  | [_], _, _, _, h => by simp [best] at h
  | a :: b :: rest, k, i, c, h => by
    cases hl : t.look a b with
    | none =>
      cases hb : best t (b :: rest) with
      | none => simp [best, hl, hb] at h
      | some p =>
        obtain ⟨k1, j1, c1⟩ := p
        simp only [best, hl, hb] at h
        cases h
        obtain ⟨hs, hm⟩ := best_some hb
        refine ⟨selected_succ.mpr hs, ?_⟩
        intro j k' c' hj
        cases j with
        | zero => rw [selected_zero, hl] at hj; cases hj
        | succ j => have := hm _ _ _ (selected_succ.mp hj); omega
    | some p =>
      obtain ⟨k0, c0⟩ := p
      have h0 : Selected t (a :: b :: rest) 0 k0 c0 := selected_zero.mpr hl
      cases hb : best t (b :: rest) with
      | none =>
        simp only [best, hl, hb] at h
        cases h
        refine ⟨h0, ?_⟩
        intro j k' c' hj
        cases j with
        | zero => have := h0.unique hj; omega
        | succ j => exact absurd (selected_succ.mp hj) (best_none hb _ _ _)
      | some p =>
        obtain ⟨k1, j1, c1⟩ := p
        obtain ⟨hs, hm⟩ := best_some hb
        simp only [best, hl, hb] at h
        split at h
        · cases h
          refine ⟨h0, ?_⟩
          intro j k' c' hj
          cases j with
          | zero => have := h0.unique hj; omega
          | succ j => have := hm _ _ _ (selected_succ.mp hj); omega
        · cases h
          refine ⟨selected_succ.mpr hs, ?_⟩
          intro j k' c' hj
          cases j with
          | zero => have := h0.unique hj; omega
          | succ j => have := hm _ _ _ (selected_succ.mp hj); omega

theorem best_optimal {t : Table} {ts : List Token} {k i : Nat} {c : Token}
    (h : best t ts = some (k, i, c)) : Optimal t ts i c :=
  ⟨k, best_some h⟩

theorem mergeAt_zero {a b c : Token} {rest : List Token} :
    mergeAt (a :: b :: rest) 0 c = c :: rest := rfl

theorem mergeAt_succ {x c : Token} {rest : List Token} {i : Nat} :
    mergeAt (x :: rest) (i + 1) c = x :: mergeAt rest i c := rfl

theorem length_mergeAt {ts : List Token} {i : Nat} {c : Token} (h : i + 1 < ts.length) :
    (mergeAt ts i c).length + 1 = ts.length := by
  simp only [mergeAt, List.length_append, List.length_take, List.length_cons, List.length_drop]
  omega

/-! ## The program makes a ranked run -/

/-- As many steps as tokens are enough. -/
theorem mergeSteps_ranked (t : Table) : ∀ (n : Nat) (ts : List Token), ts.length ≤ n →
    RankedBpe t ts (mergeSteps t n ts)
  | 0, ts, h => by
    have : ts = [] := List.eq_nil_of_length_eq_zero (by omega)
    subst this
    exact .stop (best_none (by simp [best]))
  | n + 1, ts, h => by
    rw [mergeSteps]
    split
    · next hb => exact .stop (best_none hb)
    · next k i c hb =>
      have ho := best_optimal hb
      have hl := length_mergeAt (c := c) ho.lt_length
      exact .step ho (mergeSteps_ranked t n _ (by omega))

theorem mergeAll_ranked (t : Table) (ts : List Token) : RankedBpe t ts (mergeAll t ts) :=
  mergeSteps_ranked t _ _ (Nat.le_refl _)

/-- A ranked run has one outcome. -/
theorem RankedBpe.unique {t : Table} {ts out out' : List Token}
    (h : RankedBpe t ts out) (h' : RankedBpe t ts out') : out = out' := by
  induction h with
  | stop hst =>
    cases h' with
    | stop _ => rfl
    | step ho _ => exact absurd hst ho.not_stuck
  | step ho _ ih =>
    cases h' with
    | stop hst => exact absurd hst ho.not_stuck
    | step ho' hr' =>
      obtain ⟨rfl, rfl⟩ := ho.unique ho'
      exact ih hr'

/-- The program returns the outcome of the ranked run. -/
theorem mergeAll_eq_iff {t : Table} {ts out : List Token} :
    mergeAll t ts = out ↔ RankedBpe t ts out := by
  constructor
  · rintro rfl; exact mergeAll_ranked t ts
  · exact fun h => (mergeAll_ranked t ts).unique h

/-- **Correctness of the encoder**: it returns `out` if and only if the specification allows `out`. -/
theorem encodePiece_iff_bpeSpec (t : Table) (bytes : List UInt8) (out : List Token) :
    encodePiece t bytes = out ↔ BpeSpec t bytes out :=
  mergeAll_eq_iff

/-- **The specification has exactly one answer**, for every table and every piece. -/
theorem bpeSpec_unique (t : Table) (bytes : List UInt8) :
    ∃ out, BpeSpec t bytes out ∧ ∀ out', BpeSpec t bytes out' → out' = out :=
  ⟨encodePiece t bytes, mergeAll_ranked t _, fun _ h => h.unique (mergeAll_ranked t _)⟩

/-- No rule applies to the outcome of a run. -/
theorem RankedBpe.stuck {t : Table} {ts out : List Token} (h : RankedBpe t ts out) :
    Stuck t out := by
  induction h with
  | stop h => exact h
  | step _ _ ih => exact ih

/-- A list to which no rule applies is its own outcome. -/
theorem Stuck.mergeAll_eq {t : Table} {ts : List Token} (h : Stuck t ts) : mergeAll t ts = ts :=
  mergeAll_eq_iff.mpr (.stop h)

/-- The optimal merge may be made first. -/
theorem Optimal.mergeAll_eq {t : Table} {ts : List Token} {i : Nat} {c : Token}
    (h : Optimal t ts i c) : mergeAll t ts = mergeAll t (mergeAt ts i c) :=
  mergeAll_eq_iff.mpr (.step h (mergeAll_ranked t _))

/-- Every list is stuck or has an optimal merge. -/
theorem stuck_or_optimal (t : Table) (ts : List Token) : Stuck t ts ∨ ∃ i c, Optimal t ts i c := by
  cases h : best t ts with
  | none => exact .inl (best_none h)
  | some p => exact .inr ⟨p.2.1, p.2.2, best_optimal h⟩

/-! ## Parts of a list -/

theorem selected_append_left {t : Table} {A B : List Token} {i k : Nat} {c : Token}
    (hi : i + 1 < A.length) : Selected t (A ++ B) i k c ↔ Selected t A i k c := by
  simp only [Selected, PairAt, List.getElem?_append_left hi,
    List.getElem?_append_left (show i < A.length by omega)]

theorem selected_append_right {t : Table} {A B : List Token} {i k : Nat} {c : Token} :
    Selected t (A ++ B) (A.length + i) k c ↔ Selected t B i k c := by
  simp only [Selected, PairAt, Nat.add_assoc,
    List.getElem?_append_right (Nat.le_add_right A.length _), Nat.add_sub_cancel_left]

/-- What applies to a part applies to the whole. -/
theorem Selected.append_left {t : Table} {A : List Token} (B : List Token) {i k : Nat} {c : Token}
    (h : Selected t A i k c) : Selected t (A ++ B) i k c :=
  (selected_append_left h.lt_length).mpr h

theorem Selected.append_right {t : Table} (A : List Token) {B : List Token} {i k : Nat} {c : Token}
    (h : Selected t B i k c) : Selected t (A ++ B) (A.length + i) k c :=
  selected_append_right.mpr h

theorem Stuck.of_append {t : Table} {A B : List Token} (h : Stuck t (A ++ B)) :
    Stuck t A ∧ Stuck t B :=
  ⟨fun _ _ _ hs => h _ _ _ (hs.append_left B), fun _ _ _ hs => h _ _ _ (hs.append_right A)⟩

/-- The optimal merge of the whole, if it lies in a part, is the optimal merge of that part. -/
theorem Optimal.of_append_left {t : Table} {A B : List Token} {i : Nat} {c : Token}
    (h : Optimal t (A ++ B) i c) (hi : i + 1 < A.length) : Optimal t A i c := by
  obtain ⟨k, hs, hm⟩ := h
  exact ⟨k, (selected_append_left hi).mp hs, fun j k' c' hj => hm j k' c' (hj.append_left B)⟩

theorem Optimal.of_append_right {t : Table} {A B : List Token} {i : Nat} {c : Token}
    (h : Optimal t (A ++ B) (A.length + i) c) : Optimal t B i c := by
  obtain ⟨k, hs, hm⟩ := h
  refine ⟨k, selected_append_right.mp hs, fun j k' c' hj => ?_⟩
  have := hm _ k' c' (hj.append_right A)
  omega

theorem mergeAt_append_left {A : List Token} (B : List Token) {i : Nat} {c : Token}
    (hi : i + 1 < A.length) : mergeAt (A ++ B) i c = mergeAt A i c ++ B := by
  simp only [mergeAt, List.take_append_of_le_length (show i ≤ A.length by omega),
    List.drop_append_of_le_length (show i + 2 ≤ A.length by omega), List.append_assoc,
    List.cons_append]

theorem mergeAt_append_right (A : List Token) {B : List Token} {i : Nat} {c : Token} :
    mergeAt (A ++ B) (A.length + i) c = A ++ mergeAt B i c := by
  simp only [mergeAt, Nat.add_assoc, List.take_length_add_append, List.drop_length_add_append,
    List.append_assoc]

end VerifiedTok
