module

public import VerifiedTok.Spec.Search
public import VerifiedTok.Thm.Rounds.Pairs

public section

/-!
# Two runs side by side, gone through backwards
-/

namespace VerifiedTok

variable {t : Table}

/-! ## Runs that do not cross until they meet -/

/-- The run on `A ++ B` comes to `x` and `y` side by side, and does not cross before. -/
inductive ComesTo (t : Table) (x y : Token) : List Token → List Token → Prop where
  | done : ComesTo t x y [x] [y]
  | left {A B : List Token} {i : Nat} {c : Token} :
      Optimal t (A ++ B) i c → i + 1 < A.length → ComesTo t x y (mergeAt A i c) B → ComesTo t x y A B
  | right {A B : List Token} {i : Nat} {c : Token} :
      Optimal t (A ++ B) (A.length + i) c → ComesTo t x y A (mergeAt B i c) → ComesTo t x y A B

theorem Steps.comesTo {ts us : List Token} (h : Steps t ts us) {x y : Token} : ∀ {u v : List Token}, us = u ++ v →
    ComesTo t x y u v → ∃ A B, ts = A ++ B ∧ ComesTo t x y A B := by
  induction h with
  | refl => exact fun he hm => ⟨_, _, he, hm⟩
  | step _ ho ih =>
    intro u v he hm
    rcases mergeAt_eq_append ho.lt_length he with ⟨A, rfl, hi, rfl⟩ | ⟨B, j, rfl, rfl, rfl⟩
    · exact ih rfl (.left ho hi hm)
    · exact ih rfl (.right ho hm)

theorem ComesTo.steps {x y : Token} {A B : List Token} (h : ComesTo t x y A B) :
    Steps t A [x] ∧ Steps t B [y] := by
  induction h with
  | done => exact ⟨.refl, .refl⟩
  | left ho hi _ ih => exact ⟨.cons (ho.of_append_left hi) ih.1, ih.2⟩
  | right ho _ ih => exact ⟨ih.1, .cons ho.of_append_right ih.2⟩

theorem ComesTo.length_pos {x y : Token} {A B : List Token} (h : ComesTo t x y A B) :
    0 < A.length ∧ 0 < B.length :=
  ⟨h.steps.1.length_le, h.steps.2.length_le⟩

theorem ComesTo.step_left {x y : Token} {A B : List Token} (h : ComesTo t x y A B) {i : Nat} {c : Token}
    (ho : Optimal t (A ++ B) i c) (hi : i + 1 < A.length) : ComesTo t x y (mergeAt A i c) B := by
  cases h with
  | done => simp at hi
  | left ho' _ h => obtain ⟨rfl, rfl⟩ := ho.unique ho'; exact h
  | right ho' _ => have := (ho.unique ho').1; omega

theorem ComesTo.step_right {x y : Token} {A B : List Token} (h : ComesTo t x y A B) {i : Nat} {c : Token}
    (ho : Optimal t (A ++ B) (A.length + i) c) : ComesTo t x y A (mergeAt B i c) := by
  cases h with
  | done => have := ho.lt_length; simp at this; omega
  | left ho' hi _ => have := (ho.unique ho').1; omega
  | right ho' h =>
    obtain ⟨e, rfl⟩ := ho.unique ho'
    have := Nat.add_left_cancel e
    subst this
    exact h

theorem ComesTo.of_cross {x y : Token} {A B : List Token} (h : ComesTo t x y A B) {i : Nat} {c : Token}
    (ho : Optimal t (A ++ B) i c) (hi : i + 1 = A.length) : A = [x] ∧ B = [y] := by
  cases h with
  | done => exact ⟨rfl, rfl⟩
  | left ho' _ _ => have := (ho.unique ho').1; omega
  | right ho' _ => have := (ho.unique ho').1; omega

theorem ComesTo.not_stuck {x y : Token} {A B : List Token} (h : ComesTo t x y A B) {k : Nat} {c : Token}
    (hl : t.look x y = some (k, c)) : ¬ Stuck t (A ++ B) := by
  cases h with
  | done => exact fun hs => hs 0 k c (selected_zero.mpr hl)
  | left ho _ _ => exact ho.not_stuck
  | right ho _ => exact ho.not_stuck

/-! ## The ranks of a run -/

/-- Every merge of the run from a list has a rank in `Q`. -/
inductive RanksIn (t : Table) (Q : Nat → Prop) : List Token → Prop where
  | stop {ts : List Token} : Stuck t ts → RanksIn t Q ts
  | step {ts : List Token} {i k : Nat} {c : Token} :
      Optimal t ts i c → Selected t ts i k c → Q k → RanksIn t Q (mergeAt ts i c) → RanksIn t Q ts

/-- The ranks of the run from a list never fall, and the first is at least `k`. -/
inductive Grows (t : Table) : Nat → List Token → Prop where
  | stop {k : Nat} {ts : List Token} : Stuck t ts → Grows t k ts
  | step {k i k' : Nat} {ts : List Token} {c : Token} :
      Optimal t ts i c → Selected t ts i k' c → k ≤ k' → Grows t k' (mergeAt ts i c) → Grows t k ts

theorem RanksIn.mono {Q R : Nat → Prop} (hQR : ∀ k, Q k → R k) {ts : List Token} (h : RanksIn t Q ts) :
    RanksIn t R ts := by
  induction h with
  | stop h => exact .stop h
  | step ho hs hq _ ih => exact .step ho hs (hQR _ hq) ih

theorem RanksIn.of_optimal {Q : Nat → Prop} {ts : List Token} (h : RanksIn t Q ts) {i k : Nat} {c : Token}
    (ho : Optimal t ts i c) (hs : Selected t ts i k c) : Q k ∧ RanksIn t Q (mergeAt ts i c) := by
  cases h with
  | stop h => exact absurd h ho.not_stuck
  | step ho' hs' hq h =>
    obtain ⟨rfl, rfl⟩ := ho.unique ho'
    obtain ⟨rfl, _⟩ := hs.unique hs'
    exact ⟨hq, h⟩

theorem Grows.of_optimal {k' : Nat} {ts : List Token} (h : Grows t k' ts) {i k : Nat} {c : Token}
    (ho : Optimal t ts i c) (hs : Selected t ts i k c) : k' ≤ k ∧ Grows t k (mergeAt ts i c) := by
  cases h with
  | stop h => exact absurd h ho.not_stuck
  | step ho' hs' hq h =>
    obtain ⟨rfl, rfl⟩ := ho.unique ho'
    obtain ⟨rfl, _⟩ := hs.unique hs'
    exact ⟨hq, h⟩

theorem Grows.mono {j k : Nat} (hjk : j ≤ k) {ts : List Token} (h : Grows t k ts) : Grows t j ts := by
  cases h with
  | stop h => exact .stop h
  | step ho hs hk h => exact .step ho hs (Nat.le_trans hjk hk) h

theorem stuck_singleton (t : Table) (x : Token) : Stuck t [x] := fun _ _ _ => selected_singleton

/-- The two sides of a run whose ranks grow are such runs. -/
theorem ComesTo.grows {x y : Token} {A B : List Token} (h : ComesTo t x y A B) : ∀ {k : Nat}, Grows t k (A ++ B) →
    Grows t k A ∧ Grows t k B := by
  induction h with
  | done => exact fun _ => ⟨.stop (stuck_singleton t x), .stop (stuck_singleton t y)⟩
  | left ho hi _ ih =>
    intro k hg
    obtain ⟨k', hs, _⟩ := id ho
    obtain ⟨hk, hg⟩ := hg.of_optimal ho hs
    rw [mergeAt_append_left _ hi] at hg
    obtain ⟨hA, hB⟩ := ih hg
    exact ⟨.step (ho.of_append_left hi) ((selected_append_left hi).mp hs) hk hA, hB.mono hk⟩
  | right ho _ ih =>
    intro k hg
    obtain ⟨k', hs, _⟩ := id ho
    obtain ⟨hk, hg⟩ := hg.of_optimal ho hs
    rw [mergeAt_append_right] at hg
    obtain ⟨hA, hB⟩ := ih hg
    exact ⟨hA.mono hk, .step ho.of_append_right (selected_append_right.mp hs) hk hB⟩

/-- The last merge of a run whose ranks grow has the highest rank. -/
theorem ComesTo.ranks {x y c : Token} {j : Nat} (hl : t.look x y = some (j, c)) {A B : List Token}
    (h : ComesTo t x y A B) : ∀ {k : Nat}, Grows t k (A ++ B) → k ≤ j ∧ RanksIn t (· ≤ j) (A ++ B) := by
  have hs : Selected t [x, y] 0 j c := selected_zero.mpr hl
  have ho : Optimal t [x, y] 0 c := by
    refine ⟨j, hs, fun i k d h => ?_⟩
    have := h.lt_length
    simp only [List.length_cons, List.length_nil] at this
    obtain rfl : i = 0 := by omega
    have := hs.unique h
    omega
  induction h with
  | done => exact fun hg => ⟨(hg.of_optimal ho hs).1, .step ho hs (Nat.le_refl _) (.stop (stuck_singleton t c))⟩
  | left ho hi _ ih =>
    intro k hg
    obtain ⟨k', hs, _⟩ := id ho
    obtain ⟨hk, hg⟩ := hg.of_optimal ho hs
    rw [mergeAt_append_left _ hi] at hg
    obtain ⟨hj, hr⟩ := ih hg
    exact ⟨Nat.le_trans hk hj, .step ho hs hj (by rw [mergeAt_append_left _ hi]; exact hr)⟩
  | right ho _ ih =>
    intro k hg
    obtain ⟨k', hs, _⟩ := id ho
    obtain ⟨hk, hg⟩ := hg.of_optimal ho hs
    rw [mergeAt_append_right] at hg
    obtain ⟨hj, hr⟩ := ih hg
    exact ⟨Nat.le_trans hk hj, .step ho hs hj (by rw [mergeAt_append_right]; exact hr)⟩

/-- The ranks of the two sides, and of the last merge, are ranks of the run. -/
theorem ComesTo.ranks_parts {Q : Nat → Prop} {x y c : Token} {j : Nat} (hl : t.look x y = some (j, c))
    {A B : List Token} (h : ComesTo t x y A B) : RanksIn t Q (A ++ B) → Q j ∧ RanksIn t Q A ∧ RanksIn t Q B := by
  induction h with
  | done =>
    intro hr
    cases hr with
    | stop hst => exact absurd (selected_zero.mpr hl) (hst 0 j c)
    | @step _ i k c' _ hs hq _ =>
      have := hs.lt_length
      simp only [List.cons_append, List.nil_append, List.length_cons, List.length_nil] at this
      obtain rfl : i = 0 := by omega
      have he := hl.symm.trans (selected_zero.mp hs)
      cases he
      exact ⟨hq, .stop (stuck_singleton t x), .stop (stuck_singleton t y)⟩
  | left ho hi _ ih =>
    intro hr
    obtain ⟨k, hs, _⟩ := id ho
    obtain ⟨hq, hr⟩ := hr.of_optimal ho hs
    rw [mergeAt_append_left _ hi] at hr
    obtain ⟨hj, hA, hB⟩ := ih hr
    exact ⟨hj, .step (ho.of_append_left hi) ((selected_append_left hi).mp hs) hq hA, hB⟩
  | right ho _ ih =>
    intro hr
    obtain ⟨k, hs, _⟩ := id ho
    obtain ⟨hq, hr⟩ := hr.of_optimal ho hs
    rw [mergeAt_append_right] at hr
    obtain ⟨hj, hA, hB⟩ := ih hr
    exact ⟨hj, hA, .step ho.of_append_right (selected_append_right.mp hs) hq hB⟩

/-! ## Crossings that count -/

/-- The run on `A ++ B` goes on inside its two sides until it ends, or crosses by a merge whose rank is not in
`P`. -/
inductive ApartOn (t : Table) (P : Nat → Prop) : List Token → List Token → Prop where
  | stop {A B : List Token} : Stuck t (A ++ B) → ApartOn t P A B
  | late {A B : List Token} {i k : Nat} {c : Token} :
      Optimal t (A ++ B) i c → Selected t (A ++ B) i k c → i + 1 = A.length → ¬ P k → ApartOn t P A B
  | left {A B : List Token} {i : Nat} {c : Token} :
      Optimal t (A ++ B) i c → i + 1 < A.length → ApartOn t P (mergeAt A i c) B → ApartOn t P A B
  | right {A B : List Token} {i : Nat} {c : Token} :
      Optimal t (A ++ B) (A.length + i) c → ApartOn t P A (mergeAt B i c) → ApartOn t P A B

theorem apartOn_true {A B : List Token} : ApartOn t (fun _ => True) A B ↔ Apart t A B := by
  constructor
  · intro h
    induction h with
    | stop h => exact .stop h
    | late _ _ _ h => exact absurd trivial h
    | left ho hi _ ih => exact .left ho hi ih
    | right ho _ ih => exact .right ho ih
  · intro h
    induction h with
    | stop h => exact .stop h
    | left ho hi _ ih => exact .left ho hi ih
    | right ho _ ih => exact .right ho ih

variable {P : Nat → Prop} {A B : List Token} {i : Nat} {c : Token}

theorem apartOn_congr {R : Nat → Prop} (hPR : ∀ k, P k ↔ R k) : ApartOn t P A B ↔ ApartOn t R A B := by
  rw [show P = R from funext fun k => propext (hPR k)]

theorem apartOn_left (ho : Optimal t (A ++ B) i c) (hi : i + 1 < A.length) :
    ApartOn t P A B ↔ ApartOn t P (mergeAt A i c) B := by
  refine ⟨fun h => ?_, .left ho hi⟩
  cases h with
  | stop h => exact absurd h ho.not_stuck
  | late ho' _ hi' _ => have := (ho.unique ho').1; omega
  | left ho' _ h => obtain ⟨rfl, rfl⟩ := ho.unique ho'; exact h
  | right ho' _ => have := (ho.unique ho').1; omega

theorem apartOn_right (ho : Optimal t (A ++ B) (A.length + i) c) :
    ApartOn t P A B ↔ ApartOn t P A (mergeAt B i c) := by
  refine ⟨fun h => ?_, .right ho⟩
  cases h with
  | stop h => exact absurd h ho.not_stuck
  | late ho' _ hi' _ => have := (ho.unique ho').1; omega
  | left ho' hi _ => have := (ho.unique ho').1; omega
  | right ho' h =>
    obtain ⟨e, rfl⟩ := ho.unique ho'
    have := Nat.add_left_cancel e
    subst this
    exact h

theorem apartOn_cross {k : Nat} (ho : Optimal t (A ++ B) i c) (hs : Selected t (A ++ B) i k c)
    (hi : i + 1 = A.length) : ApartOn t P A B ↔ ¬ P k := by
  refine ⟨fun h => ?_, .late ho hs hi⟩
  cases h with
  | stop h => exact absurd h ho.not_stuck
  | late ho' hs' _ h =>
    obtain ⟨rfl, rfl⟩ := ho.unique ho'
    obtain ⟨rfl, _⟩ := hs.unique hs'
    exact h
  | left ho' hi' _ => have := (ho.unique ho').1; omega
  | right ho' _ => have := (ho.unique ho').1; omega

/-- Two tokens. -/
theorem apartOn_pair {l r : Token} :
    ApartOn t P [l] [r] ↔ ∀ k c, t.look l r = some (k, c) → ¬ P k := by
  rcases stuck_or_optimal t ([l] ++ [r]) with hst | ⟨i, c, ho⟩
  · exact ⟨fun _ k c hl => absurd (selected_zero.mpr hl) (hst 0 k c), fun _ => .stop hst⟩
  · have hlt := ho.lt_length
    simp only [List.cons_append, List.nil_append, List.length_cons, List.length_nil] at hlt
    obtain rfl : i = 0 := by omega
    obtain ⟨k, hs, _⟩ := id ho
    rw [apartOn_cross ho hs rfl]
    have hl : t.look l r = some (k, c) := selected_zero.mp hs
    rw [hl]
    exact ⟨fun h _ _ e => by cases e; exact h, fun h => h k c rfl⟩

/-! ## Undoing the last merge of one side -/

/-- The optimal merge has the lowest rank of all that apply, and of its rank it is the leftmost. -/
theorem Optimal.le_of_selected {ts : List Token} {i k j k' : Nat} {c c' : Token} (ho : Optimal t ts i c)
    (hs : Selected t ts i k c) (hs' : Selected t ts j k' c') : k < k' ∨ (k = k' ∧ i ≤ j) := by
  obtain ⟨k₀, hs₀, hm⟩ := ho
  obtain ⟨rfl, _⟩ := hs.unique hs₀
  exact hm j k' c' hs'

theorem RankedBpe.eq_of_stuck {ts out : List Token} (h : RankedBpe t ts out) (hst : Stuck t ts) : ts = out :=
  (RankedBpe.stop hst).unique h

/-- **Undoing the last merge of the left token**, of rank `j`, where the merges of the right one have lower
ranks: until then, its right part met the right token. -/
theorem apartOn_undo_left {x y l r : Token} {j : Nat} (hl : t.look x y = some (j, l)) (hP : ∀ k, k < j → P k) :
    ∀ {X Y B : List Token}, ComesTo t x y X Y → RanksIn t (· ≤ j) (X ++ Y) → RankedBpe t B [r] →
      RanksIn t (· < j) B →
      (ApartOn t P (X ++ Y) B ↔
        (∀ k c, t.look l r = some (k, c) → ¬ P k) ∧ ApartOn t (fun k => k < j ∧ P k) Y B)
  | X, Y, B, hm, hXY, hB, hrB => by
    have hns : ¬ Stuck t (X ++ Y ++ B) := fun h => hm.not_stuck hl h.of_append.1
    rcases stuck_or_optimal t (X ++ Y ++ B) with hst | ⟨i, c, ho⟩
    · exact absurd hst hns
    obtain ⟨k, hs, _⟩ := id ho
    have hlt := ho.lt_length
    have ho' : Optimal t (X ++ (Y ++ B)) i c := by rwa [← List.append_assoc]
    -- the optimal merge of `X ++ Y`
    obtain ⟨i₁, c₁, ho₁⟩ := (stuck_or_optimal t (X ++ Y)).resolve_left (hm.not_stuck hl)
    obtain ⟨k₁, hs₁, _⟩ := id ho₁
    have hk₁ := (hXY.of_optimal ho₁ hs₁).1
    have hlt₁ := ho₁.lt_length
    have hcmp := ho.le_of_selected hs (hs₁.append_left B)
    simp only [List.length_append] at hlt hlt₁
    have hY := hm.length_pos.2
    by_cases h₁ : i + 1 < X.length
    · -- inside `X`
      have hoXY := ho.of_append_left (show i + 1 < (X ++ Y).length by simp; omega)
      have hsXY := (selected_append_left (show i + 1 < (X ++ Y).length by simp; omega)).mp hs
      have hlen := length_mergeAt (c := c) h₁
      have hr := (hXY.of_optimal hoXY hsXY).2
      rw [mergeAt_append_left _ h₁] at hr
      rw [apartOn_left ho (by simp; omega), mergeAt_append_left _ h₁]
      exact apartOn_undo_left hl hP (hm.step_left hoXY h₁) hr hB hrB
    by_cases h₂ : i + 1 = X.length
    · -- the last merge
      have hoXY := ho.of_append_left (show i + 1 < (X ++ Y).length by simp; omega)
      obtain ⟨rfl, rfl⟩ := hm.of_cross hoXY h₂
      obtain rfl : i = 0 := by simpa using h₂
      have he : some (j, l) = some (k, c) := hl.symm.trans (selected_zero.mp hs)
      cases he
      have hstB : Stuck t B := by
        rcases stuck_or_optimal t B with h | ⟨i₂, c₂, ho₂⟩
        · exact h
        · obtain ⟨k₂, hs₂, _⟩ := id ho₂
          have := (hrB.of_optimal ho₂ hs₂).1
          have := ho.le_of_selected hs (hs₂.append_right ([x] ++ [y]))
          omega
      obtain rfl := hB.eq_of_stuck hstB
      rw [apartOn_left ho (by simp), show mergeAt ([x] ++ [y]) 0 l = [l] from rfl, apartOn_pair, apartOn_pair]
      refine ⟨fun h => ⟨h, fun k c hyr => ?_⟩, fun h => h.1⟩
      have hsy : Selected t ([x] ++ [y] ++ [r]) 1 k c := selected_succ.mpr (selected_zero.mpr hyr)
      have := ho.le_of_selected hs hsy
      omega
    obtain ⟨m, rfl⟩ := Nat.exists_eq_add_of_le (show X.length ≤ i by omega)
    have hoYB := ho'.of_append_right
    have hsYB : Selected t (Y ++ B) m k c := by
      rw [List.append_assoc] at hs
      exact selected_append_right.mp hs
    by_cases h₃ : m + 1 < Y.length
    · -- inside `Y`
      have hoXY := ho.of_append_left (show X.length + m + 1 < (X ++ Y).length by simp; omega)
      have hsXY := (selected_append_left (show X.length + m + 1 < (X ++ Y).length by simp; omega)).mp hs
      have hlen := length_mergeAt (c := c) h₃
      have hr := (hXY.of_optimal hoXY hsXY).2
      rw [mergeAt_append_right] at hr
      rw [apartOn_left ho (by simp; omega), mergeAt_append_right, apartOn_left hoYB h₃]
      exact apartOn_undo_left hl hP (hm.step_right hoXY) hr hB hrB
    by_cases h₄ : m + 1 = Y.length
    · -- across the border: before the last merge, so it counts on both sides
      have hk : k < j := by omega
      rw [apartOn_cross ho hs (by simp; omega), apartOn_cross hoYB hsYB h₄]
      exact ⟨fun h => absurd (hP k hk) h, fun h => absurd ⟨hk, hP k hk⟩ h.2⟩
    · -- inside `B`
      obtain ⟨n, rfl⟩ := Nat.exists_eq_add_of_le (show Y.length ≤ m by omega)
      have hoB := hoYB.of_append_right
      have hsB := selected_append_right.mp hsYB
      have hlen := length_mergeAt (c := c) hoB.lt_length
      have hr := hrB.of_optimal hoB hsB
      have ho'' : Optimal t (X ++ Y ++ B) ((X ++ Y).length + n) c := by
        rw [List.length_append, Nat.add_assoc]; exact ho
      have hB' : RankedBpe t (mergeAt B n c) [r] := hB.of_steps (.step .refl hoB)
      rw [apartOn_right ho'', apartOn_right hoYB]
      exact apartOn_undo_left hl hP hm hXY hB' hr.2
termination_by X Y B => X.length + Y.length + B.length
decreasing_by all_goals omega

/-- **Undoing the last merge of the right token**, of rank `j`, where the merges of the left one have no higher
ranks: until then, its left part met the left token. -/
theorem apartOn_undo_right {u v l r : Token} {j : Nat} (hl : t.look u v = some (j, r)) (hP : ∀ k, k ≤ j → P k) :
    ∀ {A U V : List Token}, ComesTo t u v U V → RanksIn t (· ≤ j) (U ++ V) → RankedBpe t A [l] →
      RanksIn t (· ≤ j) A →
      (ApartOn t P A (U ++ V) ↔
        (∀ k c, t.look l r = some (k, c) → ¬ P k) ∧ ApartOn t (fun k => k ≤ j ∧ P k) A U)
  | A, U, V, hm, hUV, hA, hrA => by
    have hns : ¬ Stuck t (A ++ (U ++ V)) := fun h => hm.not_stuck hl h.of_append.2
    rcases stuck_or_optimal t (A ++ (U ++ V)) with hst | ⟨i, c, ho⟩
    · exact absurd hst hns
    obtain ⟨k, hs, _⟩ := id ho
    have hlt := ho.lt_length
    have ho' : Optimal t (A ++ U ++ V) i c := by rwa [List.append_assoc]
    have hs' : Selected t (A ++ U ++ V) i k c := by rwa [List.append_assoc]
    have hApos : A ≠ [] := fun h => by
      rw [h] at hA
      exact List.cons_ne_nil _ _ (hA.unique (.stop fun _ _ _ => selected_nil))
    have hA0 := List.length_pos_iff.mpr hApos
    have hU0 := hm.length_pos.1
    -- the optimal merge of `U ++ V`
    obtain ⟨i₁, c₁, ho₁⟩ := (stuck_or_optimal t (U ++ V)).resolve_left (hm.not_stuck hl)
    obtain ⟨k₁, hs₁, _⟩ := id ho₁
    have hk₁ := (hUV.of_optimal ho₁ hs₁).1
    have hcmp := ho.le_of_selected hs (hs₁.append_right A)
    simp only [List.length_append] at hlt
    by_cases h₁ : i + 1 < A.length
    · -- inside `A`
      have hoA := ho.of_append_left h₁
      have hsA := (selected_append_left h₁).mp hs
      have hlen := length_mergeAt (c := c) h₁
      have hr := hrA.of_optimal hoA hsA
      have hoAU := ho'.of_append_left (show i + 1 < (A ++ U).length by simp; omega)
      have hA' : RankedBpe t (mergeAt A i c) [l] := hA.of_steps (.step .refl hoA)
      rw [apartOn_left ho h₁, apartOn_left hoAU h₁]
      exact apartOn_undo_right hl hP hm hUV hA' hr.2
    by_cases h₂ : i + 1 = A.length
    · -- across the border: not after the last merge, so it counts on both sides
      have hk : k ≤ j := by omega
      have hoAU := ho'.of_append_left (show i + 1 < (A ++ U).length by simp; omega)
      have hsAU := (selected_append_left (show i + 1 < (A ++ U).length by simp; omega)).mp hs'
      rw [apartOn_cross ho hs h₂, apartOn_cross hoAU hsAU h₂]
      exact ⟨fun h => absurd (hP k hk) h, fun h => absurd ⟨hk, hP k hk⟩ h.2⟩
    obtain ⟨m, rfl⟩ := Nat.exists_eq_add_of_le (show A.length ≤ i by omega)
    have hoUV := ho.of_append_right
    have hsUV := selected_append_right.mp hs
    by_cases h₃ : m + 1 < U.length
    · -- inside `U`
      have hlen := length_mergeAt (c := c) h₃
      have hr := (hUV.of_optimal hoUV hsUV).2
      rw [mergeAt_append_left _ h₃] at hr
      have hoAU := ho'.of_append_left (show A.length + m + 1 < (A ++ U).length by simp; omega)
      rw [apartOn_right ho, mergeAt_append_left _ h₃, apartOn_right hoAU]
      exact apartOn_undo_right hl hP (hm.step_left hoUV h₃) hr hA hrA
    by_cases h₄ : m + 1 = U.length
    · -- the last merge
      obtain ⟨rfl, rfl⟩ := hm.of_cross hoUV h₄
      obtain rfl : m = 0 := by simpa using h₄
      have he : some (j, r) = some (k, c) := hl.symm.trans (selected_zero.mp hsUV)
      cases he
      have hstA : Stuck t A := by
        rcases stuck_or_optimal t A with h | ⟨i₂, c₂, ho₂⟩
        · exact h
        · obtain ⟨k₂, hs₂, _⟩ := id ho₂
          have := (hrA.of_optimal ho₂ hs₂).1
          have := ho₂.lt_length
          have := ho.le_of_selected hs (hs₂.append_left ([u] ++ [v]))
          omega
      obtain rfl := hA.eq_of_stuck hstA
      rw [apartOn_right ho, show mergeAt ([u] ++ [v]) 0 r = [r] from rfl, apartOn_pair, apartOn_pair]
      refine ⟨fun h => ⟨h, fun k c hlu => ?_⟩, fun h => h.1⟩
      have hsl : Selected t ([l] ++ ([u] ++ [v])) 0 k c := selected_zero.mpr hlu
      have := ho.le_of_selected hs hsl
      simp only [List.length_cons, List.length_nil] at this
      omega
    · -- inside `V`
      obtain ⟨n, rfl⟩ := Nat.exists_eq_add_of_le (show U.length ≤ m by omega)
      have hoV := hoUV.of_append_right
      have hlen := length_mergeAt (c := c) hoV.lt_length
      have hr := (hUV.of_optimal hoUV hsUV).2
      rw [mergeAt_append_right] at hr
      rw [apartOn_right ho, mergeAt_append_right]
      exact apartOn_undo_right hl hP (hm.step_right hoUV) hr hA hrA
termination_by A U V => A.length + U.length + V.length
decreasing_by all_goals omega

end VerifiedTok
