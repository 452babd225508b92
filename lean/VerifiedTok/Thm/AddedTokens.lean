module

public import VerifiedTok.Spec.AddedTokens
public import VerifiedTok.Thm.Seam

public section

/-!
# Extraction at a place that no literal crosses
-/

namespace VerifiedTok

variable {α : Type} [DecidableEq α]

omit [DecidableEq α] in
theorem prefix_append_iff_of_le {l u B : List α} (h : l.length ≤ u.length) : l <+: u ++ B ↔ l <+: u := by
  constructor
  · intro hp
    rw [List.prefix_iff_eq_take] at hp ⊢
    rw [List.take_append_of_le_length h] at hp
    exact hp
  · exact fun hp => hp.trans (List.prefix_append u B)

theorem longest_append {ls : List (Literal α)} {u B : List α}
    (h : ∀ l ∈ ls, l.content <+: u ++ B → l.content.length ≤ u.length) :
    longest ls (u ++ B) = longest ls u := by
  induction ls with
  | nil => rfl
  | cons l ls ih =>
    have ih := ih fun l' hl' => h l' (List.mem_cons_of_mem _ hl')
    have hl : l.content.isPrefixOf (u ++ B) = l.content.isPrefixOf u := by
      rw [Bool.eq_iff_iff, List.isPrefixOf_iff_prefix, List.isPrefixOf_iff_prefix]
      constructor
      · intro hp
        exact (prefix_append_iff_of_le (h l (List.mem_cons_self ..) hp)).mp hp
      · exact fun hp => hp.trans (List.prefix_append u B)
    rw [longest, longest, hl, ih]

/-- What is found at the start of a text is a literal. -/
theorem longest_mem {ls : List (Literal α)} {s : List α} {n : Nat} (h : longest ls s = some n) :
    ∃ l ∈ ls, l.content <+: s ∧ l.content.length = n ∧ l.content ≠ [] := by
  induction ls generalizing n with
  | nil => simp [longest] at h
  | cons l ls ih =>
    have tail : ∀ k, longest ls s = some k → ∃ l' ∈ l :: ls, l'.content <+: s ∧ l'.content.length = k ∧
        l'.content ≠ [] := fun k hk =>
      let ⟨l', hl', hp⟩ := ih hk
      ⟨l', List.mem_cons_of_mem _ hl', hp⟩
    rw [longest] at h
    split at h
    · rename_i hl
      simp only [Bool.and_eq_true, Bool.not_eq_true', List.isEmpty_eq_false_iff,
        List.isPrefixOf_iff_prefix] at hl
      simp only [Option.some.injEq] at h
      rcases Nat.le_total ((longest ls s).getD 0) l.content.length with hle | hle
      · exact ⟨l, List.mem_cons_self .., hl.2, by omega, hl.1⟩
      · rw [Nat.max_eq_right hle] at h
        cases hr : longest ls s with
        | none =>
          have := List.length_pos_iff.mpr hl.1
          simp [hr] at h hle
          exact absurd hle hl.1
        | some k =>
          rw [hr] at h
          simp only [Option.getD_some] at h
          exact tail n (by rw [hr, h])
    · exact tail n h

/-- A literal at the start of a text is found, or a longer one is. -/
theorem le_longest {ls : List (Literal α)} {s : List α} {l : Literal α} (hl : l ∈ ls) (hne : l.content ≠ [])
    (hp : l.content <+: s) : ∃ n, longest ls s = some n ∧ l.content.length ≤ n := by
  induction ls with
  | nil => simp at hl
  | cons k ls ih =>
    rw [longest]
    rcases List.mem_cons.mp hl with rfl | hl
    · rw [if_pos (by simp [hne, hp])]
      exact ⟨_, rfl, Nat.le_max_left _ _⟩
    · obtain ⟨n, hn, hle⟩ := ih hl
      split
      · exact ⟨_, rfl, by rw [hn]; exact Nat.le_trans hle (Nat.le_max_right _ _)⟩
      · exact ⟨n, hn, hle⟩

/-- **Extraction is leftmost-longest**: `longest` finds `n` characters exactly if some literal has them at the
start of the text and none has more. -/
theorem longest_eq_some_iff {ls : List (Literal α)} {s : List α} {n : Nat} : longest ls s = some n ↔
    (∃ l ∈ ls, l.content <+: s ∧ l.content.length = n ∧ l.content ≠ []) ∧
      ∀ l ∈ ls, l.content <+: s → l.content.length ≤ n := by
  constructor
  · refine fun h => ⟨longest_mem h, fun l hl hp => ?_⟩
    by_cases hne : l.content = []
    · simp [hne]
    · obtain ⟨k, hk, hle⟩ := le_longest hl hne hp
      rw [h, Option.some.injEq] at hk
      omega
  · rintro ⟨⟨l, hl, hp, hn, hne⟩, hmax⟩
    obtain ⟨k, hk, hle⟩ := le_longest hl hne hp
    obtain ⟨l', hl', hp', hk', _⟩ := longest_mem hk
    have := hmax l' hl' hp'
    rw [hk, Option.some.injEq]
    omega

theorem bounded_longest (ls : List (Literal α)) : Bounded (longest ls) := by
  intro u n h
  obtain ⟨l, _, hp, hn, _⟩ := longest_mem h
  rw [← hn]; exact hp.length_le

theorem longest_ne_zero {ls : List (Literal α)} {s : List α} : longest ls s ≠ some 0 := by
  intro h
  obtain ⟨l, _, _, hn, hne⟩ := longest_mem h
  exact hne (List.eq_nil_of_length_eq_zero hn)

/-- Segments spell the text. -/
theorem extract_spells (ls : List (Literal α)) (s : List α) : (extract ls s).flatMap (·.2) = s :=
  cut_spells _ _

theorem unaware_of_noCross {ls : List (Literal α)} {A B : List α} (h : NoCross ls A B) :
    Unaware (longest ls) A B :=
  fun u hu hne => longest_append fun l hl hp => h l hl u hu hne hp

/-- **Where no literal crosses, extraction may be cut**: two texts that meet there are one text of the whole. -/
theorem extract_append_of_no_cross {ls : List (Literal α)} {A B : List α} (h : NoCross ls A B) :
    extract ls (A ++ B) = glue (extract ls A) (extract ls B) :=
  cut_append (bounded_longest ls) (unaware_of_noCross h)

/-! ## When no literal crosses -/

omit [DecidableEq α] in
/-- The automaton at its root after `A` is enough, whatever follows. -/
theorem noCross_of_atRoot {ls : List (Literal α)} {A : List α} (h : AtRoot ls A) (B : List α) :
    NoCross ls A B := by
  intro l hl u hu hne hp
  rcases Nat.le_total l.content.length u.length with hle | hle
  · exact hle
  · rw [h l hl u hu hne (List.prefix_of_prefix_length_le (List.prefix_append u B) hp hle)]
    exact Nat.le_refl _

omit [DecidableEq α] in
theorem mem_zip_tail {x y : α} {v w : List α} : (x, y) ∈ (v ++ x :: y :: w).zip (v ++ x :: y :: w).tail := by
  induction v with
  | nil => exact List.mem_cons_self ..
  | cons a v ih =>
    have : ∃ b t, v ++ x :: y :: w = b :: t := by cases v <;> simp
    obtain ⟨b, t, hb⟩ := this
    rw [List.cons_append, List.tail_cons]
    rw [hb] at ih ⊢
    exact List.mem_cons_of_mem _ ih

/-- A pair that no literal holds is enough. -/
theorem noCross_of_not_holdsPair {ls : List (Literal α)} {x y : α} (h : holdsPair ls x y = false) {A B : List α}
    (hA : A.getLast? = some x) (hB : B.head? = some y) : NoCross ls A B := by
  intro l hl u hu hne hp
  apply Nat.le_of_not_lt
  intro hlt
  obtain ⟨v, rfl⟩ := List.getLast?_eq_some_iff.mp (getLast?_of_suffix hu hne hA)
  obtain ⟨w, rfl⟩ : ∃ w, B = y :: w := by
    cases B with
    | nil => simp at hB
    | cons b w => simp at hB; exact ⟨w, by rw [hB]⟩
  have hpre : v ++ [x, y] <+: l.content :=
    List.prefix_of_prefix_length_le (l₂ := l.content) (l₃ := v ++ [x] ++ y :: w)
      ⟨w, by simp⟩ hp (by simpa using hlt)
  obtain ⟨r, hr⟩ := hpre
  have hall : holdsPair ls x y = true := by
    simp only [holdsPair, List.any_eq_true]
    refine ⟨l, hl, (x, y), ?_, by simp⟩
    rw [← hr, List.append_assoc]
    exact mem_zip_tail
  rw [h] at hall; cases hall

end VerifiedTok
