module

public import VerifiedTok.Spec.RoundsCheck
public import VerifiedTok.Thm.Rounds.Exact

public section

/-!
# The checks decide the conditions
-/

namespace VerifiedTok

/-! ## Live rules -/

theorem Steps.of_stuck {t : Table} {ts us : List Token} (hst : Stuck t ts) (h : Steps t ts us) :
    us = ts := by
  rcases h.head with h | ⟨i, c, ho, _⟩
  · exact h
  · exact absurd hst ho.not_stuck

theorem lastRule_pair (t : Table) (n : Nat) (a b : Token) :
    lastRule t n [a, b] = (t.look a b).map fun (k, c) => (a, b, k, c) := by
  cases n <;> rfl

/-- The program finds the last rule of the run. -/
theorem lastRule_eq_some_iff {t : Table} {a b c : Token} {k : Nat} : ∀ {n : Nat} {ts : List Token},
    ts.length ≤ n →
    (lastRule t n ts = some (a, b, k, c) ↔ t.look a b = some (k, c) ∧ Steps t ts [a, b])
  | n, [x, y], _ => by
    rw [lastRule_pair, Option.map_eq_some_iff]
    constructor
    · rintro ⟨⟨k', c'⟩, hl, he⟩
      cases he
      exact ⟨hl, .refl⟩
    · rintro ⟨hl, hs⟩
      rcases hs.head with he | ⟨i, c', ho, hs⟩
      · cases he
        exact ⟨(k, c), hl, rfl⟩
      · have h1 := length_mergeAt (c := c') ho.lt_length
        have h2 := hs.length_le
        simp only [List.length_cons, List.length_nil] at h1 h2
        omega
  | n, [], _ => by
    have hst : Stuck t [] := fun _ _ _ => selected_nil
    cases n <;> simp only [lastRule, best, reduceCtorEq, false_iff] <;>
      exact fun h => List.cons_ne_nil _ _ (h.2.of_stuck hst)
  | n, [x], _ => by
    have hst : Stuck t [x] := fun _ _ _ => selected_singleton
    cases n <;> simp only [lastRule, best, reduceCtorEq, false_iff] <;>
      exact fun h => by have := h.2.of_stuck hst; simp at this
  | 0, _ :: _ :: _ :: _, h => by simp at h
  | n + 1, x :: y :: z :: r, h => by
    rw [lastRule.eq_3 _ _ _ (by simp)]
    split
    · next hb =>
      simp only [reduceCtorEq, false_iff]
      exact fun h => by have := h.2.of_stuck (best_none hb); simp at this
    · next k' i c' hb =>
      have ho := best_optimal hb
      have hlen := length_mergeAt (c := c') ho.lt_length
      rw [lastRule_eq_some_iff (by omega)]
      refine and_congr_right fun hl => ⟨fun hs => .cons ho hs, fun hs => ?_⟩
      rcases hs.head with he | ⟨i₂, c₂, ho₂, hs⟩
      · simp at he
      · obtain ⟨rfl, rfl⟩ := ho.unique ho₂
        exact hs

section
variable {t : Table} {init : Token → Prop} {sym : Token → List Token} {voc : List Token}

/-- The program finds the live rules, all of them and no others. -/
theorem Vocabulary.mem_liveRules (hv : Vocabulary t init sym voc) {a b c : Token} {k : Nat} :
    (a, b, k, c) ∈ liveRules t sym voc ↔ Live t init a b k c := by
  simp only [liveRules, List.mem_filterMap, lastRule_eq_some_iff (Nat.le_refl _)]
  constructor
  · rintro ⟨x, hx, hl, hs⟩
    exact ⟨hl, sym x, hv.spelled_by_initial x hx, hs⟩
  · rintro ⟨hl, w, hw, hs⟩
    refine ⟨c, hv.result_mem a b k c hl, hl, ?_⟩
    have := hv.steps_eq hw hs
    rw [hv.result_spells a b k c hl]
    simpa [this] using hs

/-- **The check decides `LiveMonotone`.** -/
theorem Vocabulary.checkLiveMonotone_iff (hv : Vocabulary t init sym voc) :
    checkLiveMonotone t sym voc = true ↔ LiveMonotone t init := by
  simp only [checkLiveMonotone, List.all_eq_true, Prod.forall, hv.mem_liveRules, Bool.or_eq_true,
    Bool.not_eq_true', Bool.or_eq_false_iff, beq_eq_false_iff_ne, decide_eq_true_eq]
  constructor
  · intro h a b k c p q k' d h₁ h₂ hor
    rcases h a b k c h₁ p q k' d h₂ with ⟨hp, hq⟩ | h
    · exact absurd hor (by simp [hp, hq])
    · exact h
  · intro h a b k c h₁ p q k' d h₂
    by_cases hor : c = p ∨ c = q
    · exact .inr (h a b k c p q k' d h₁ h₂ hor)
    · exact .inl ⟨fun he => hor (.inl he), fun he => hor (.inr he)⟩

/-! ## Overtaken merges -/

theorem hasRank_iff {t : Table} {k : Nat} : ∀ {v : List Token},
    hasRank t k v = true ↔ ∃ j c, Selected t v j k c
  | [] => by simp [hasRank, selected_nil]
  | [x] => by simp [hasRank, selected_singleton]
  | a :: b :: rest => by
    simp only [hasRank, Bool.or_eq_true, hasRank_iff, Option.any_eq_true, beq_iff_eq]
    constructor
    · rintro (⟨⟨k', c⟩, hl, rfl⟩ | ⟨j, c, h⟩)
      · exact ⟨0, c, selected_zero.mpr hl⟩
      · exact ⟨j + 1, c, selected_succ.mpr h⟩
    · rintro ⟨_ | j, c, h⟩
      · exact .inl ⟨(k, c), selected_zero.mp h, rfl⟩
      · exact .inr ⟨j, c, selected_succ.mp h⟩

theorem opens_iff {t : Table} {k : Nat} {u v : List Token} {c : Token} :
    opens t k u c v = true ↔ Opens t k u c v := by
  simp only [opens, Opens, Bool.or_eq_true, Option.any_eq_true, Option.bind_eq_some_iff,
    decide_eq_true_eq, Prod.exists]
  constructor
  · rintro (⟨k', d, ⟨z, hz, hd⟩, hk⟩ | ⟨k', d, ⟨z, hz, hd⟩, hk⟩)
    · exact .inl ⟨z, k', d, hz, hd, hk⟩
    · exact .inr ⟨z, k', d, hz, hd, hk⟩
  · rintro (⟨z, k', d, hz, hd, hk⟩ | ⟨z, k', d, hz, hd, hk⟩)
    · exact .inl ⟨k', d, ⟨z, hz, hd⟩, hk⟩
    · exact .inr ⟨k', d, ⟨z, hz, hd⟩, hk⟩

theorem overtaken_iff {t : Table} : ∀ {n : Nat} {w : List Token}, w.length ≤ n →
    (overtaken t n w = true ↔ Overtaken t w)
  | 0, w, h => by
    have : w = [] := List.eq_nil_of_length_eq_zero (by omega)
    subst this
    simp only [overtaken, Bool.false_eq_true, false_iff]
    rintro ⟨u, a, b, v, k, c, hs, _⟩
    have := hs.length_le
    simp at this
  | n + 1, w, h => by
    rw [overtaken]
    split
    · next hb =>
      simp only [Bool.false_eq_true, false_iff]
      rintro ⟨u, a, b, v, k, c, hs, ho, _⟩
      rw [hs.of_stuck (best_none hb)] at ho
      exact ho.not_stuck (best_none hb)
    · next k i c hb =>
      have ho := best_optimal hb
      have hlen := length_mergeAt (c := c) ho.lt_length
      rw [Bool.or_eq_true, Bool.and_eq_true, hasRank_iff, opens_iff, overtaken_iff (by omega)]
      obtain ⟨u, a, b, v, rfl, rfl, hl⟩ := (best_some hb).1.split
      have eu : (u ++ a :: b :: v).take u.length = u := by simp
      have ev : (u ++ a :: b :: v).drop (u.length + 2) = v := by simp
      rw [eu, ev]
      constructor
      · rintro (⟨hw, hO⟩ | ⟨u', a', b', v', k', c', hs, h'⟩)
        · exact ⟨u, a, b, v, k, c, .refl, ho, hl, hw, hO⟩
        · exact ⟨u', a', b', v', k', c', .cons ho hs, h'⟩
      · rintro ⟨u', a', b', v', k', c', hs, ho', hl', hw, hO⟩
        rcases hs.head with he | ⟨i, c₂, ho₂, hs⟩
        · rw [he] at ho'
          obtain ⟨hi, rfl⟩ := ho.unique ho'
          obtain ⟨rfl, hr⟩ := List.append_inj he hi.symm
          simp only [List.cons.injEq] at hr
          obtain ⟨rfl, rfl, rfl⟩ := hr
          rw [hl] at hl'
          cases hl'
          exact .inl ⟨hw, hO⟩
        · obtain ⟨rfl, rfl⟩ := ho.unique ho₂
          exact .inr ⟨u', a', b', v', k', c', hs, ho', hl', hw, hO⟩

/-! ## The exact condition -/

theorem inside_iff {s : List Token} : ∀ {l : List Token}, inside s l = true ↔ s <:+: l
  | [] => by simp [inside]
  | x :: l => by
    rw [inside, Bool.or_eq_true, List.isPrefixOf_iff_prefix, inside_iff, List.infix_cons_iff]

theorem Vocabulary.straddles_iff (hv : Vocabulary t init sym voc) {x y : Token} :
    straddles (liveRules t sym voc) sym x y = true ↔ Straddles t init sym x y := by
  simp only [straddles, List.any_eq_true, Prod.exists, hv.mem_liveRules, Bool.and_eq_true,
    Bool.or_eq_true, inside_iff, List.isSuffixOf_iff_suffix, List.isPrefixOf_iff_prefix, beq_iff_eq,
    decide_eq_true_eq]
  constructor
  · rintro ⟨p, q, k', d, h₁, a, b, k, c, h₂, ⟨hor, hk⟩, a', b', _, c', h₃, rfl, hb⟩
    exact ⟨_, c, p, q, d, a', b', c', ⟨hor, k', a, b, h₁, h₂, hk⟩, h₃, hb⟩
  · rintro ⟨k, c, p, q, d, a', b', c', ⟨hor, k', a, b, h₁, h₂, hk⟩, h₃, hb⟩
    exact ⟨p, q, k', d, h₁, a, b, k, c, h₂, ⟨hor, hk⟩, a', b', k, c', h₃, rfl, hb⟩

/-- **The check decides the exact condition.** -/
theorem Vocabulary.checkPairsAgree_iff (hv : Vocabulary t init sym voc) :
    checkPairsAgree t sym voc = true ↔ PairsAgree t init sym voc := by
  simp only [checkPairsAgree, PairsAgree, List.all_eq_true, Bool.and_eq_true, Bool.or_eq_true,
    Bool.not_eq_true', beq_iff_eq, Agree, ← hv.straddles_iff,
    ← overtaken_iff (Nat.le_refl _), ← Bool.not_eq_true]
  refine forall_congr' fun x => imp_congr_right fun _ => and_congr ?_
    (forall_congr' fun y => imp_congr_right fun _ => ?_)
  · exact Decidable.imp_iff_not_or.symm
  · rw [Decidable.imp_iff_not_or]
    simp only [not_or, and_assoc]

end

end VerifiedTok
