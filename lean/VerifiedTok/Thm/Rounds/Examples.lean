module

public import VerifiedTok.Thm.Rounds.Merges

public section

/-!
# What may not be dropped

Small tables on which rounds fail, one on which the exact condition holds and `LiveMonotone` does not, and
one on which `LiveMonotone` holds and `Monotone` does not.
-/

namespace VerifiedTok

/-- **Without a condition rounds are wrong.**  `a b ↦ 257` has rank 1, and `257 a ↦ 256` has rank 0: on
`abab`, single merges use the second `a` before it can meet its `b`. -/
theorem rounds_need_a_condition :
    encodePiece (textbook [(257, 97), (97, 98)]) [97, 98, 97, 98] = [256, 98] ∧
      encodePieceRounds (textbook [(257, 97), (97, 98)]) [97, 98, 97, 98] = [257, 257] := by
  decide

/-- **Newlines of which three have a lower rank than two**: single merges give three newlines and one,
rounds give two and two. -/
theorem rounds_fail_on_newlines :
    encodePiece (textbook [(257, 10), (10, 10)]) [10, 10, 10, 10] = [256, 10] ∧
      encodePieceRounds (textbook [(257, 10), (10, 10)]) [10, 10, 10, 10] = [257, 257] := by
  decide

@[expose] def localTable : Table := ofMerges UInt8.toNat [⟨2, 3, 5⟩, ⟨1, 5, 6⟩, ⟨0, 1, 4⟩]

theorem monotone_localTable : Monotone localTable := monotone_ofMerges (by decide)

/-- **Merging at a local minimum is wrong even for monotone tables**: no rule applies to a neighbour of
the pair at 0, yet merging it first gives `[4, 5]` in place of `[0, 6]`.  Only the lowest rank of the whole
piece may be merged. -/
theorem local_minimum_is_wrong :
    mergeAll localTable [0, 1, 2, 3] = [0, 6] ∧
      mergeAll localTable (mergeAt [0, 1, 2, 3] 0 4) = [4, 5] := by
  decide

/-- The symbols 0, 1, 2, and the tokens 3 for `0 1`, 4 for `1 2`, 5 for `0 1 2`. -/
@[expose] def threeSymbols : Token → List Token
  | 3 => [0, 1]
  | 4 => [1, 2]
  | 5 => [0, 1, 2]
  | s => [s]

theorem vocabulary_threeSymbols {ms : List Merge}
    (h : ∀ m ∈ ms, m.result ∈ [0, 1, 2, 3, 4, 5] ∧
      threeSymbols m.result = threeSymbols m.left ++ threeSymbols m.right) :
    Vocabulary (ofMerges UInt8.toNat ms) (· < 3) threeSymbols [0, 1, 2, 3, 4, 5] := by
  refine vocabulary_ofMerges (fun s hs => ?_) h (by decide)
  match s, hs with
  | 0, _ | 1, _ | 2, _ => exact ⟨by decide, rfl⟩

/-- The rule for `3 2` ranks below the rule that makes 3, and can never fire: 1 and 2 are merged first. -/
@[expose] def deadRuleTable : Table := ofMerges UInt8.toNat [⟨1, 2, 4⟩, ⟨3, 2, 5⟩, ⟨0, 1, 3⟩, ⟨0, 4, 5⟩]

/-- **A rule that cannot fire does no harm**: the table is not monotone, its live rules are. -/
theorem liveMonotone_deadRuleTable :
    ¬ Monotone deadRuleTable ∧ LiveMonotone deadRuleTable (· < 3) := by
  refine ⟨fun h => ?_, (vocabulary_threeSymbols (by decide)).checkLiveMonotone_iff.mp (by decide)⟩
  exact absurd (h 0 1 2 3 3 2 1 5 (by decide) (by decide) (.inl rfl)) (by decide)

/-- The rule for `3 2` ranks below the rule that makes 3, and can fire. -/
@[expose] def earlyRuleTable : Table := ofMerges UInt8.toNat [⟨3, 2, 5⟩, ⟨0, 1, 3⟩]

/-- **A rule that fires early may do no harm**: `LiveMonotone` fails, yet the exact condition holds and
rounds agree with single merges on every list of symbols. -/
theorem agree_earlyRuleTable :
    ¬ LiveMonotone earlyRuleTable (· < 3) ∧ ∀ w, (∀ s ∈ w, s < 3) → Agree earlyRuleTable w := by
  have hv := vocabulary_threeSymbols (ms := [⟨3, 2, 5⟩, ⟨0, 1, 3⟩]) (by decide)
  refine ⟨fun h => ?_, fun w hw => hv.agree (hv.checkPairsAgree_iff.mp (by decide)) hw⟩
  exact absurd (hv.checkLiveMonotone_iff.mpr h) (by decide)

end VerifiedTok
