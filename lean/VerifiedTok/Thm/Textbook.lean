module

public import VerifiedTok.Thm.Tables

public section

/-!
# The textbook's table

For a list of rules, the general relations of `Spec/Bpe.lean` are the ones that one would write for the
list, and valid rules make a valid table.
-/

namespace VerifiedTok

/-- A look-up gives the first rule for the pair, and its result is `256 + rank`. -/
theorem look_textbook {rules : List (Token × Token)} {a b c : Token} {k : Nat} :
    (textbook rules).look a b = some (k, c) ↔
      c = 256 + k ∧ rules[k]? = some (a, b) ∧ ∀ j, rules[j]? = some (a, b) → k ≤ j := by
  simp only [textbook, Option.map_eq_some_iff, Prod.mk.injEq]
  constructor
  · rintro ⟨n, hn, rfl, rfl⟩
    obtain ⟨hlt, hp, hmin⟩ := List.findIdx?_eq_some_iff_getElem.mp hn
    refine ⟨rfl, ?_, fun j hj => ?_⟩
    · rw [List.getElem?_eq_getElem hlt, beq_iff_eq.mp hp]
    · refine Nat.le_of_not_lt fun hjn => hmin j hjn ?_
      obtain ⟨_, e⟩ := List.getElem?_eq_some_iff.mp hj
      exact beq_iff_eq.mpr e
  · rintro ⟨rfl, hk, hmin⟩
    refine ⟨k, List.findIdx?_eq_some_iff_getElem.mpr ?_, rfl, rfl⟩
    obtain ⟨hlt, e⟩ := List.getElem?_eq_some_iff.mp hk
    refine ⟨hlt, beq_iff_eq.mpr e, fun j hj hp => ?_⟩
    have := hmin j (by rw [List.getElem?_eq_getElem (show j < rules.length by omega), beq_iff_eq.mp hp])
    omega

/-! ## The relations for a list of rules -/

theorem selected_textbook {rules : List (Token × Token)} {ts : List Token} {i k : Nat} {c : Token}
    (h : Selected (textbook rules) ts i k c) : c = 256 + k ∧ RuleAt rules ts i k := by
  obtain ⟨a, b, hp, hl⟩ := h
  obtain ⟨hc, hk, _⟩ := look_textbook.mp hl
  exact ⟨hc, a, b, hk, hp⟩

/-- A property of some number holds for a least number. -/
theorem exists_first {p : Nat → Prop} : ∀ {n : Nat}, p n → ∃ k, p k ∧ k ≤ n ∧ ∀ j, p j → k ≤ j
  | n, h => by
    by_cases hs : ∃ j, j < n ∧ p j
    · obtain ⟨j, hj, hp⟩ := hs
      obtain ⟨k, h1, h2, h3⟩ := exists_first hp
      exact ⟨k, h1, by omega, h3⟩
    · exact ⟨n, h, Nat.le_refl n, fun j hp => Nat.le_of_not_lt fun hj => hs ⟨j, hj, hp⟩⟩
termination_by n => n

theorem selected_of_ruleAt {rules : List (Token × Token)} {ts : List Token} {i k : Nat}
    (h : RuleAt rules ts i k) : ∃ k', k' ≤ k ∧ Selected (textbook rules) ts i k' (256 + k') := by
  obtain ⟨a, b, hk, hp⟩ := h
  obtain ⟨k', h1, h2, h3⟩ := exists_first (p := fun j => rules[j]? = some (a, b)) hk
  exact ⟨k', h2, a, b, hp, look_textbook.mpr ⟨rfl, h1, h3⟩⟩

theorem stuck_textbook {rules : List (Token × Token)} {ts : List Token} :
    Stuck (textbook rules) ts ↔ ∀ i k, ¬ RuleAt rules ts i k := by
  constructor
  · intro h i k hr
    obtain ⟨k', _, hs⟩ := selected_of_ruleAt hr
    exact h _ _ _ hs
  · intro h i k c hs
    exact h i k (selected_textbook hs).2

/-- **On the textbook's table, the general optimal merge is the textbook's**: the first rule that
matches anywhere, at its leftmost match. -/
theorem optimal_textbook {rules : List (Token × Token)} {ts : List Token} {i : Nat} {c : Token} :
    Optimal (textbook rules) ts i c ↔ ∃ k, c = 256 + k ∧ OptimalRule rules ts i k := by
  constructor
  · rintro ⟨k, hs, hm⟩
    obtain ⟨hc, hr⟩ := selected_textbook hs
    refine ⟨k, hc, hr, fun j k' hr' => ?_⟩
    obtain ⟨k₀, hle, hs'⟩ := selected_of_ruleAt hr'
    have := hm _ _ _ hs'
    omega
  · rintro ⟨k, rfl, hr, hm⟩
    obtain ⟨k₀, hle, hs⟩ := selected_of_ruleAt hr
    have hk : k₀ = k := by
      have := hm _ _ (selected_textbook hs).2
      omega
    subst hk
    exact ⟨k₀, hs, fun j k' c' hs' => hm _ _ (selected_textbook hs').2⟩

/-! ## Validity -/

instance (rules : List (Token × Token)) : Decidable (ValidRules rules) :=
  decidable_of_iff
    (rules.Nodup ∧ ∀ e ∈ rules.zipIdx, e.1.1 < 256 + e.2 ∧ e.1.2 < 256 + e.2)
    ⟨fun ⟨h1, h2⟩ => ⟨h1, fun k r h => h2 (r, k) (List.mem_zipIdx_iff_getElem?.mpr h)⟩,
      fun ⟨h1, h2⟩ => ⟨h1, fun e h => h2 e.2 e.1 (List.mem_zipIdx_iff_getElem?.mp h)⟩⟩

example : ValidRules [(97, 98), (256, 99)] := by decide
example : ¬ ValidRules [(97, 257), (256, 99)] := by decide
example : ¬ ValidRules [(97, 98), (97, 98)] := by decide

theorem bytesOfRules_byte (rules : List (Token × Token)) (b : UInt8) :
    bytesOfRules rules b.toNat = [b] := by
  have hb : b.toNat < 256 := b.toNat_lt
  rw [bytesOfRules, if_pos hb, UInt8.ofNat_toNat]

theorem bytesOfRules_result {rules : List (Token × Token)} (hv : ValidRules rules) {k : Nat}
    {r : Token × Token} (hr : rules[k]? = some r) :
    bytesOfRules rules (256 + k) = bytesOfRules rules r.1 ++ bytesOfRules rules r.2 := by
  rw [bytesOfRules, if_neg (show ¬ 256 + k < 256 by omega), show 256 + k - 256 = k by omega]
  simp only [hr, hv.earlier k r hr, and_self, dite_true]

/-- **Valid rules make a valid table.** -/
theorem ValidRules.valid {rules : List (Token × Token)} (hv : ValidRules rules) :
    (textbook rules).Valid (bytesOfRules rules) := by
  refine ⟨bytesOfRules_byte rules, fun a b k c h => ?_⟩
  obtain ⟨rfl, hk, _⟩ := look_textbook.mp h
  exact bytesOfRules_result hv hk

end VerifiedTok
