module

public import VerifiedTok.Spec.Splice
public import VerifiedTok.Thm.Seam.Matches

public section

/-!
# Units between junctions

If no unit straddles two positions, a sequence of units is a left, a middle and a right block.
-/

namespace VerifiedTok

variable {α κ : Type}

theorem OrderedUnits.pos : ∀ {us : List (SrcUnit κ)}, OrderedUnits us → ∀ u ∈ us, u.lo < u.hi
  | v :: us, h, u, hu => by
    rcases List.mem_cons.mp hu with rfl | hu
    · exact h.1
    · exact OrderedUnits.pos h.2.2 u hu

theorem before_append_after {b : Nat} : ∀ {us : List (SrcUnit κ)}, OrderedUnits us →
    (∀ u ∈ us, ¬ u.Straddles b) → us = unitsBefore b us ++ unitsAfter b us
  | [], _, _ => rfl
  | u :: us, h, hs => by
    have hpos := h.1
    by_cases hb : u.hi ≤ b
    · have ih := before_append_after h.2.2 (fun v hv => hs v (by simp [hv]))
      have hna : ¬ b ≤ u.lo := by omega
      simp only [unitsBefore, unitsAfter] at ih
      simp only [unitsBefore, unitsAfter, List.filter_cons, hb, hna, decide_true, decide_false, if_true,
        List.cons_append]
      exact congrArg (u :: ·) ih
    · have hlo : b ≤ u.lo := by
        have := hs u (by simp)
        simp only [SrcUnit.Straddles] at this
        omega
      have h1 : unitsBefore b (u :: us) = [] := by
        simp only [unitsBefore, List.filter_eq_nil_iff, decide_eq_true_eq]
        intro v hv
        rcases List.mem_cons.mp hv with rfl | hv
        · exact hb
        · have := h.2.1 v hv
          have := OrderedUnits.pos h.2.2 v hv
          omega
      have h2 : unitsAfter b (u :: us) = u :: us := by
        simp only [unitsAfter, List.filter_eq_self, decide_eq_true_eq]
        intro v hv
        rcases List.mem_cons.mp hv with rfl | hv
        · exact hlo
        · have := h.2.1 v hv; omega
      rw [h1, h2, List.nil_append]

theorem OrderedUnits.filter (p : SrcUnit κ → Bool) : ∀ {us : List (SrcUnit κ)}, OrderedUnits us →
    OrderedUnits (us.filter p)
  | [], _ => trivial
  | u :: us, h => by
    have ih := OrderedUnits.filter p h.2.2
    rw [List.filter_cons]
    split
    · exact ⟨h.1, fun v hv => h.2.1 v (List.mem_filter.mp hv).1, ih⟩
    · exact ih

theorem OrderedUnits.map_shift (x : Nat) : ∀ {us : List (SrcUnit κ)}, OrderedUnits us →
    OrderedUnits (us.map (SrcUnit.shift x))
  | [], _ => trivial
  | u :: us, h => by
    refine ⟨by have := h.1; simp only [SrcUnit.shift]; omega, ?_, OrderedUnits.map_shift x h.2.2⟩
    intro v hv
    obtain ⟨w, hw, rfl⟩ := List.mem_map.mp hv
    have := h.2.1 w hw
    simp only [SrcUnit.shift]; omega

/-- No unit straddles `p` or `q`: the sequence is left block, middle block, right block. -/
theorem three_blocks {p q : Nat} {us : List (SrcUnit κ)} (h : OrderedUnits us) (hpq : p ≤ q)
    (hp : ∀ u ∈ us, ¬ u.Straddles p) (hq : ∀ u ∈ us, ¬ u.Straddles q) :
    us = unitsBefore p us ++ (unitsInside p q us ++ unitsAfter q us) := by
  have h1 := before_append_after h hp
  have h2 := before_append_after (h.filter fun u => decide (p ≤ u.lo)) (b := q)
    (fun u hu => hq u (List.mem_filter.mp hu).1)
  have e1 : unitsBefore q (unitsAfter p us) = unitsInside p q us := by
    simp only [unitsBefore, unitsAfter, unitsInside, List.filter_filter]
    congr 1
    funext u
    rw [Bool.eq_iff_iff]
    simp only [Bool.and_eq_true, decide_eq_true_eq]
    omega
  have e2 : unitsAfter q (unitsAfter p us) = unitsAfter q us := by
    simp only [unitsAfter, List.filter_filter]
    congr 1
    funext u
    rw [Bool.eq_iff_iff]
    simp only [Bool.and_eq_true, decide_eq_true_eq]
    omega
  rw [← e1, ← e2]
  exact h1.trans (congrArg (unitsBefore p us ++ ·) h2)

theorem before_succ_block {p q : Nat} {us : List (SrcUnit κ)} (h : OrderedUnits us) (hpq : p ≤ q)
    (hp : ∀ u ∈ us, ¬ u.Straddles p) : unitsBefore q us = unitsBefore p us ++ unitsInside p q us := by
  have h1 := before_append_after (h.filter fun u => decide (u.hi ≤ q)) (b := p)
    (fun u hu => hp u (List.mem_filter.mp hu).1)
  have e1 : unitsBefore p (unitsBefore q us) = unitsBefore p us := by
    simp only [unitsBefore, List.filter_filter]
    congr 1
    funext u
    rw [Bool.eq_iff_iff]
    simp only [Bool.and_eq_true, decide_eq_true_eq]
    omega
  have e2 : unitsAfter p (unitsBefore q us) = unitsInside p q us := by
    simp only [unitsBefore, unitsAfter, unitsInside, List.filter_filter]
    congr 1
    funext u
    rw [Bool.eq_iff_iff]
    simp only [Bool.and_eq_true, decide_eq_true_eq]
  rw [← e1, ← e2]
  exact h1

theorem before_zero {us : List (SrcUnit κ)} (h : OrderedUnits us) : unitsBefore 0 us = [] := by
  simp only [unitsBefore, List.filter_eq_nil_iff, decide_eq_true_eq]
  intro u hu
  have := h.pos u hu
  omega

theorem before_eq_blocks {us : List (SrcUnit κ)} (h : OrderedUnits us) {b : Nat → Nat} (h0 : b 0 = 0) :
    ∀ n, (∀ i, i < n → b i ≤ b (i + 1)) → (∀ i, i < n → ∀ u ∈ us, ¬ u.Straddles (b i)) →
      unitsBefore (b n) us = (List.range n).flatMap fun i => unitsInside (b i) (b (i + 1)) us
  | 0, _, _ => by rw [h0, before_zero h]; rfl
  | n + 1, hm, hs => by
    rw [List.range_succ, List.flatMap_append,
      before_succ_block h (hm n (Nat.lt_succ_self n)) (hs n (Nat.lt_succ_self n)),
      before_eq_blocks h h0 n (fun i hi => hm i (Nat.lt_succ_of_lt hi))
        (fun i hi => hs i (Nat.lt_succ_of_lt hi))]
    simp

end VerifiedTok
