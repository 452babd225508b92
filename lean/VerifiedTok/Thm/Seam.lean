module

public import VerifiedTok.Thm.Seam.Cut
public import VerifiedTok.Thm.Seam.Stable
public import VerifiedTok.Thm.Seam.Merge

public section

/-!
# The seam theorem

A pair (x, y) that the analysis calls a seam may be cut in every text: the pieces of `A ++ B`, where `A` ends
in `x` and `B` begins with `y`, are the pieces of `A` and the pieces of `B`.  One proof for all patterns, all
behaviours, and any number of stages.
-/

namespace VerifiedTok

variable {α : Type} {subset : Inclusion α}

theorem bounded_firstMatch (p : Pat α) : Bounded p.firstMatch := fun _ _ h => firstMatch_le h

/-- A pattern that is stable across (x, y) does not notice what follows. -/
theorem unaware_of_stable (hsub : SubsetSound subset) {p : Pat α} {x y : α} (h : p.stable subset x y = true)
    {A B : List α} (hA : A.getLast? = some x) (hB : B.head? = some y) : Unaware p.firstMatch A B := by
  intro u hu hne
  obtain ⟨v, rfl⟩ : ∃ v, B = y :: v := by
    cases B with
    | nil => simp at hB
    | cons b v => simp at hB; exact ⟨v, by rw [hB]⟩
  exact firstMatch_append_of_stable hsub h (getLast?_of_suffix hu hne hA) v

/-- One stage, with its gaps: the segments of the whole are those of the parts, two gaps that meet being one. -/
theorem cut_append_of_stable (hsub : SubsetSound subset) {p : Pat α} {x y : α} (h : p.stable subset x y = true)
    {A B : List α} (hA : A.getLast? = some x) (hB : B.head? = some y) :
    cut p.firstMatch (A ++ B) = glue (cut p.firstMatch A) (cut p.firstMatch B) :=
  cut_append (bounded_firstMatch p) (unaware_of_stable hsub h hA hB)

/-- The two segments beside a cut, and what the whole text has there. -/
theorem segments_append (hsub : SubsetSound subset) {t : Stage α} {x y : α}
    (h : t.pat.stable subset x y = true) {A B : List α}
    (hA : A.getLast? = some x) (hB : B.head? = some y) :
    ∃ X b g c k Y, t.segments A = X ++ [(b != t.invert, g)] ∧ t.segments B = (c != t.invert, k) :: Y ∧
      t.segments (A ++ B) = (if b || c then (X ++ [(b != t.invert, g)]) ++ (c != t.invert, k) :: Y
        else X ++ (false != t.invert, g ++ k) :: Y) ∧
      g.getLast? = some x ∧ (c = false ∨ t.pat.nullable = false → k.head? = some y) ∧
      t.mayEnd x b = true ∧ t.mayBegin y c = true := by
  obtain ⟨X, b, g, hX, hg, hb1, hb0⟩ := cut_last (bounded_firstMatch t.pat) hA
  obtain ⟨c, k, Y, hY, hk, hc1, hc0⟩ := cut_first (m := t.pat.firstMatch) hB
  have hcut := cut_append_of_stable hsub h hA hB
  rw [hX, hY, glue_snoc_cons] at hcut
  have hzero : t.pat.firstMatch B = some 0 → t.pat.nullable = true := fun h0 => nullable_of_zero (firstMatch_mem h0)
  obtain ⟨v, rfl⟩ : ∃ v, B = y :: v := by
    cases B with
    | nil => simp at hB
    | cons b v => simp at hB; exact ⟨v, by rw [hB]⟩
  refine ⟨X.map fun z => (z.1 != t.invert, z.2), b, g, c, k, Y.map fun z => (z.1 != t.invert, z.2),
    ?_, ?_, ?_, hg, ?_, ?_, ?_⟩
  · rw [Stage.segments, hX]; simp
  · rw [Stage.segments, hY]; simp
  · rw [Stage.segments, hcut]; split <;> simp
  · intro hnn
    rcases hk with hk | ⟨rfl, rfl⟩
    · exact hk
    · rcases hc1 rfl with ⟨n, hn⟩ | h0
      · rw [cut_match hn] at hY; simp at hY
      · rw [hzero h0] at hnn; simp at hnn
  · cases b with
    | true =>
      obtain ⟨u, hu, hm⟩ := hb1 rfl
      exact last_of_matches hu (firstMatch_mem hm)
    | false =>
      simp only [Stage.mayEnd, Bool.not_eq_true']
      cases hcov : t.pat.covers x with
      | false => rfl
      | true =>
        obtain ⟨n, hn⟩ := firstMatch_of_covers hcov []
        exact absurd hn (hb0 rfl n)
  · cases c with
    | true =>
      simp only [Stage.mayBegin, Bool.or_eq_true]
      rcases hc1 rfl with ⟨n, hn⟩ | h0
      · exact Or.inl (first_of_matches (firstMatch_mem hn))
      · exact Or.inr (hzero h0)
    | false =>
      simp only [Stage.mayBegin, Bool.not_eq_true']
      cases hcov : t.pat.covers y with
      | false => rfl
      | true =>
        obtain ⟨n, hn⟩ := firstMatch_of_covers hcov v
        rw [hc0 rfl] at hn; cases hn

/-- **A cuttable stage**: cutting changes its pieces at most by cutting the one that holds the place. -/
theorem split_meets_of_cuttable (hsub : SubsetSound subset) {t : Stage α} {x y : α}
    (h : t.cuttable subset x y = true) {A B : List α} (hA : A.getLast? = some x) (hB : B.head? = some y) :
    Meets x y (t.split A) (t.split B) (t.split (A ++ B)) := by
  simp only [Stage.cuttable, Bool.and_eq_true, Bool.not_eq_true', Bool.or_eq_true, decide_eq_true_eq] at h
  obtain ⟨X, b, g, c, k, Y, hsA, hsB, hsAB, hg, hk, _, _⟩ := segments_append hsub h.1 hA hB
  have gaps : ¬ (b || c) = true → b = false ∧ c = false := by cases b <;> cases c <;> simp
  apply Meets.filter
  rw [hsA, hsB, hsAB]
  simp only [Behaviour.pieces]
  by_cases hr : t.behaviour = .removed
  · have never : ∀ b c, t.behaviour.joins b c = false := fun _ _ => by rw [hr]; rfl
    simp only [if_pos hr]
    split
    · exact Or.inl (by rw [← merge_append_of_never never, ← List.filter_append])
    · rename_i hbc
      obtain ⟨rfl, rfl⟩ := gaps hbc
      have hk' := hk (Or.inl rfl)
      cases t.invert
      · simp only [List.filter_append]
        exact merge_meets_one _ _ _ hg hk'
      · simp only [List.filter_append]
        exact Or.inl (by simpa using merge_append_of_never never _ _)
  · simp only [if_neg hr]
    by_cases hi : t.behaviour = .isolated
    · split
      · exact Or.inl (merge_append_of_never (fun _ _ => by rw [hi]; rfl) _ _)
      · rename_i hbc
        obtain ⟨rfl, rfl⟩ := gaps hbc
        exact merge_meets_one _ _ _ hg (hk (Or.inl rfl))
    · have hk' : k.head? = some y := by
        apply hk
        rcases h.2 with (h2 | h2) | h2
        · exact absurd h2 hi
        · exact absurd h2 hr
        · exact Or.inr h2
      split
      · rw [List.append_assoc]; exact merge_meets _ _ _ hg hk'
      · rename_i hbc
        obtain ⟨rfl, rfl⟩ := gaps hbc
        exact merge_meets_one _ _ _ hg hk'

/-- **A sealing stage**: the pieces of the whole are the pieces of the parts. -/
theorem split_append_of_seals (hsub : SubsetSound subset) {t : Stage α} {x y : α}
    (h : t.seals subset x y = true) {A B : List α} (hA : A.getLast? = some x) (hB : B.head? = some y) :
    t.split (A ++ B) = t.split A ++ t.split B := by
  simp only [Stage.seals, Stage.cuttable, Bool.and_eq_true] at h
  obtain ⟨⟨hcr, _⟩, hall⟩ := h
  obtain ⟨X, b, g, c, k, Y, hsA, hsB, hsAB, hg, hk, hb, hc⟩ := segments_append hsub hcr hA hB
  have hsep : t.separates b c = true := by
    have h1 := List.all_eq_true.mp hall b (by cases b <;> simp)
    have h2 := List.all_eq_true.mp h1 c (by cases c <;> simp)
    simpa [hb, hc] using h2
  rw [Stage.split, Stage.split, Stage.split, ← List.filter_append]
  congr 1
  rw [hsA, hsB, hsAB]
  simp only [Behaviour.pieces]
  simp only [Stage.separates] at hsep
  by_cases hr : t.behaviour = .removed
  · simp only [if_pos hr]
    rw [← merge_append_of_never (fun _ _ => by rw [hr]; rfl), ← List.filter_append]
    split
    · rfl
    · rename_i hbc
      have : b = false ∧ c = false := by revert hbc; cases b <;> cases c <;> simp
      obtain ⟨rfl, rfl⟩ := this
      cases hi : t.invert
      · simp [hr, hi] at hsep
      · simp
  · simp only [hr, false_and, if_false, Bool.and_eq_true, Bool.not_eq_true'] at hsep
    simp only [if_neg hr]
    rw [if_pos hsep.1, List.append_assoc]
    exact merge_append_of_not_joins hsep.2 X Y g k

/-- **The seam theorem**, for any number of stages. -/
theorem splitAll_append_of_seam (hsub : SubsetSound subset) {ts : List (Stage α)} {x y : α}
    (h : isSeam subset ts x y = true) {A B : List α} (hA : A.getLast? = some x) (hB : B.head? = some y) :
    splitAll ts (A ++ B) = splitAll ts A ++ splitAll ts B := by
  induction ts generalizing A B with
  | nil => simp [isSeam] at h
  | cons t ts ih =>
    simp only [splitAll]
    simp only [isSeam, Bool.or_eq_true, Bool.and_eq_true] at h
    rcases h with h | ⟨hcut, hrest⟩
    · rw [split_append_of_seals hsub h hA hB, List.flatMap_append]
    · rcases split_meets_of_cuttable hsub hcut hA hB with hm | ⟨P, g, k, Q, hP, hQ, hm, hg, hk⟩
      · rw [hm, List.flatMap_append]
      · rw [hm, hP, hQ]
        simp only [List.flatMap_append, List.flatMap_cons, List.flatMap_nil, List.append_nil]
        rw [ih hrest hg hk]
        simp only [List.append_assoc]

/-- One stage. -/
theorem split_append_of_seam (hsub : SubsetSound subset) {t : Stage α} {x y : α}
    (h : isSeam subset [t] x y = true) {A B : List α} (hA : A.getLast? = some x) (hB : B.head? = some y) :
    t.split (A ++ B) = t.split A ++ t.split B := by
  refine split_append_of_seals hsub ?_ hA hB
  simpa [isSeam] using h

/-- One stage that isolates its matches, a pattern that covers one of the two characters, and no crossing: the
simplest form of the theorem. -/
theorem split_append_of_not_crosses {p : Pat α} {x y : α} (h : p.crosses x y = false)
    (hc : p.covers x = true ∨ p.covers y = true) {A B : List α} (hA : A.getLast? = some x)
    (hB : B.head? = some y) :
    Stage.split ⟨p, .isolated, false⟩ (A ++ B) =
      Stage.split ⟨p, .isolated, false⟩ A ++ Stage.split ⟨p, .isolated, false⟩ B := by
  refine split_append_of_seals (subset := fun _ _ => false) (fun _ _ h => by cases h) ?_ hA hB
  have hs := stable_of_not_crosses (subset := fun _ _ => false) h
  rcases hc with hc | hc <;>
    simp [Stage.seals, Stage.cuttable, Stage.separates, Stage.mayEnd, Stage.mayBegin, Behaviour.joins, hs, hc]

end VerifiedTok
