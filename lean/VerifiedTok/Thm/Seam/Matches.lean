module

public import VerifiedTok.Spec.Seam
public import VerifiedTok.Thm.Pattern

public section

/-!
# What the analysis of one pattern says

`matches_append_of_not_crosses` is the heart: across a pair that does not cross, a pattern sees the same
matches as if the text ended there.
-/

namespace VerifiedTok

variable {α : Type}

namespace Pat

theorem run_full {p : α → Bool} {u : List α} {x : α} :
    u.getLast? = some x → u.length ≤ run p u → p x = true := by
  induction u with
  | nil => simp
  | cons a xs ih =>
    intro hl hn
    simp only [run, List.length_cons] at hn
    split at hn
    · rename_i ha
      cases xs with
      | nil => simp at hl; subst hl; exact ha
      | cons b ys =>
        rw [List.getLast?_cons_cons] at hl
        exact ih hl (by omega)
    · omega

theorem run_append {p : α → Bool} {u v : List α} {x y : α} :
    u.getLast? = some x → ¬ (p x = true ∧ p y = true) → run p (u ++ y :: v) = run p u := by
  induction u with
  | nil => simp
  | cons a xs ih =>
    intro hl h
    simp only [List.cons_append, run]
    split
    · rename_i ha
      cases xs with
      | nil =>
        simp at hl; subst hl
        have hy : p y = false := by
          cases hb : p y with
          | false => rfl
          | true => exact absurd ⟨ha, hb⟩ h
        simp [run, hy]
      | cons b ys =>
        rw [List.getLast?_cons_cons] at hl
        rw [ih hl h]
    · rfl

end Pat

open Pat

theorem flatMap_congr {β γ : Type} {l : List β} {f g : β → List γ} (h : ∀ x, x ∈ l → f x = g x) :
    l.flatMap f = l.flatMap g := by
  rw [List.flatMap_def, List.flatMap_def, List.map_congr_left h]

/-- At the end of the text only the empty match is left. -/
theorem matches_nil {p : Pat α} {n : Nat} : n ∈ p.matches [] → n = 0 :=
  fun h => Nat.le_zero.mp (matches_le h)

/-- An empty match takes a pattern that is nullable. -/
theorem nullable_of_zero {p : Pat α} {u : List α} : 0 ∈ p.matches u → p.nullable = true := by
  induction p generalizing u with
  | eps | star | notAhead => intro _; rfl
  | chr p =>
    cases u with
    | nil => simp [Pat.matches]
    | cons a xs => simp only [Pat.matches]; split <;> simp
  | atomic a ih => intro h; exact ih (List.mem_of_mem_take h)
  | alt a b iha ihb =>
    simp only [Pat.matches, List.mem_append, nullable, Bool.or_eq_true]
    rintro (h | h)
    · exact Or.inl (iha h)
    · exact Or.inr (ihb h)
  | seq a b iha ihb =>
    simp only [Pat.matches, List.mem_flatMap, List.mem_map, nullable, Bool.and_eq_true]
    rintro ⟨k, hk, m, hm, h⟩
    obtain ⟨rfl, rfl⟩ : k = 0 ∧ m = 0 := by omega
    exact ⟨iha hk, ihb hm⟩

/-- A pattern that neither consumes nor inspects `y` does at `y` what it does at the end. -/
theorem matches_stop {p : Pat α} {y : α} {v : List α} :
    p.first y = false → p.looks y = false → p.matches (y :: v) = p.matches [] := by
  induction p with
  | eps => simp [Pat.matches]
  | chr p => intro h _; simp only [first] at h; simp [Pat.matches, h]
  | star p => simp only [first, Pat.matches, run]; intro h; simp [h]
  | notAhead a ih =>
    simp only [looks, Bool.or_eq_false_iff, Pat.matches]
    rintro _ ⟨h1, h2⟩
    rw [ih h1 h2]
  | atomic a ih =>
    simp only [first, looks, Pat.matches]
    intro h1 h2
    rw [ih h1 h2]
  | alt a b iha ihb =>
    simp only [first, looks, Bool.or_eq_false_iff, Pat.matches]
    rintro ⟨ha, hb⟩ ⟨la, lb⟩
    rw [iha ha la, ihb hb lb]
  | seq a b iha ihb =>
    simp only [first, looks, Bool.or_eq_false_iff, Bool.and_eq_false_iff, Pat.matches]
    rintro ⟨ha, hb⟩ ⟨la, lb⟩
    rw [iha ha la]
    apply flatMap_congr
    intro n hn
    obtain rfl := matches_nil hn
    have hnull := nullable_of_zero hn
    have hb' : first b y = false := by cases hb with | inl h => simp [hnull] at h | inr h => exact h
    have lb' : looks b y = false := by cases lb with | inl h => simp [hnull] at h | inr h => exact h
    simp only [List.drop_zero]
    rw [ihb hb' lb']

theorem getLast?_drop_of_lt {u : List α} {n : Nat} {x : α} (h : u.getLast? = some x) (hn : n < u.length) :
    (u.drop n).getLast? = some x := by
  rw [List.getLast?_drop]
  simp [Nat.not_le.mpr hn, h]

theorem getLast?_of_suffix {u A : List α} {x : α} (h : u <:+ A) (hne : u ≠ []) (hA : A.getLast? = some x) :
    u.getLast? = some x := by
  obtain ⟨t, rfl⟩ := h
  rw [List.getLast?_append] at hA
  cases hu : u.getLast? with
  | none => exact absurd (List.getLast?_eq_none_iff.mp hu) hne
  | some z => rw [hu] at hA; exact hA

/-- A match that reaches the end of a text consumed its last character last. -/
theorem last_of_matches {p : Pat α} {u : List α} {x : α} (hl : u.getLast? = some x) :
    u.length ∈ p.matches u → p.last x = true := by
  have hne : u ≠ [] := by rintro rfl; simp at hl
  have hpos : 0 < u.length := List.length_pos_iff.mpr hne
  induction p generalizing u with
  | eps => simp only [Pat.matches, List.mem_singleton]; omega
  | chr p =>
    cases u with
    | nil => simp [Pat.matches]
    | cons a xs =>
      simp only [Pat.matches]
      split
      · rename_i ha
        simp only [List.mem_singleton, List.length_cons]
        intro h1
        have : xs = [] := List.eq_nil_of_length_eq_zero (by omega)
        subst this; simp at hl; subst hl; exact ha
      · simp
  | star p => exact fun h => run_full hl (mem_downTo h)
  | notAhead a _ =>
    simp only [Pat.matches]
    split
    · simp only [List.mem_singleton]; omega
    · simp
  | atomic a ih => exact fun h => ih hl hne hpos (List.mem_of_mem_take h)
  | alt a b iha ihb =>
    simp only [Pat.matches, List.mem_append, last, Bool.or_eq_true]
    rintro (h | h)
    · exact Or.inl (iha hl hne hpos h)
    · exact Or.inr (ihb hl hne hpos h)
  | seq a b iha ihb =>
    simp only [Pat.matches, List.mem_flatMap, List.mem_map, last, Bool.or_eq_true, Bool.and_eq_true]
    rintro ⟨k, hk, m, hm, hkm⟩
    have h1 := matches_le hk
    rcases Nat.lt_or_ge k u.length with hlt | hge
    · have hd := getLast?_drop_of_lt hl hlt
      have hdl : (u.drop k).length = u.length - k := List.length_drop
      refine Or.inl (ihb hd (by rintro h; rw [h] at hd; simp at hd) (by omega) ?_)
      have : m = (u.drop k).length := by omega
      rw [← this]; exact hm
    · obtain rfl : k = u.length := by omega
      obtain rfl : m = 0 := by omega
      exact Or.inr ⟨nullable_of_zero hm, iha hl hne hpos hk⟩

/-- **Across a pair that does not cross, a pattern sees the same matches as if the text ended there.** -/
theorem matches_append_of_not_crosses {p : Pat α} {u v : List α} {x y : α} :
    u.getLast? = some x → p.crosses x y = false → p.matches (u ++ y :: v) = p.matches u := by
  induction p generalizing u with
  | eps => simp [Pat.matches]
  | chr p => cases u with
    | nil => simp
    | cons a xs => simp [Pat.matches]
  | notAhead a ih =>
    simp only [crosses, Pat.matches]
    intro hl h
    rw [ih hl h]
  | atomic a ih =>
    simp only [crosses, Pat.matches]
    intro hl h
    rw [ih hl h]
  | star p =>
    intro hl h
    simp only [Pat.matches]
    rw [run_append hl (by simpa [crosses] using h)]
  | alt a b iha ihb =>
    simp only [crosses, Bool.or_eq_false_iff, Pat.matches]
    rintro hl ⟨ha, hb⟩
    rw [iha hl ha, ihb hl hb]
  | seq a b iha ihb =>
    simp only [crosses, Bool.or_eq_false_iff, Bool.and_eq_false_iff, Pat.matches]
    rintro hl ⟨⟨ha, hb⟩, hlast⟩
    rw [iha hl ha]
    apply flatMap_congr
    intro n hn
    have hle := matches_le hn
    rcases Nat.lt_or_ge n u.length with hlt | hge
    · rw [List.drop_append_of_le_length hle, ihb (getLast?_drop_of_lt hl hlt) hb]
    · obtain rfl : n = u.length := by omega
      have hla := last_of_matches hl hn
      have hfl : first b y = false ∧ looks b y = false := by
        cases hlast with
        | inl h => simp [hla] at h
        | inr h => exact h
      rw [List.drop_left, List.drop_length, matches_stop hfl.1 hfl.2]

/-! ## What surely matches, and what surely does not -/

/-- A match that consumes something consumes a possible first character first. -/
theorem first_of_matches {p : Pat α} {y : α} {v : List α} {n : Nat} :
    n + 1 ∈ p.matches (y :: v) → p.first y = true := by
  induction p generalizing n with
  | eps => simp [Pat.matches]
  | chr p => simp only [Pat.matches, first]; split <;> simp_all
  | star p =>
    simp only [Pat.matches, first, run]
    intro h
    have := mem_downTo h
    split at this
    · assumption
    · omega
  | notAhead a _ => simp only [Pat.matches]; split <;> simp
  | atomic a ih => exact fun h => ih (List.mem_of_mem_take h)
  | alt a b iha ihb =>
    simp only [Pat.matches, List.mem_append, first, Bool.or_eq_true]
    rintro (h | h)
    · exact Or.inl (iha h)
    · exact Or.inr (ihb h)
  | seq a b iha ihb =>
    simp only [Pat.matches, List.mem_flatMap, List.mem_map, first, Bool.or_eq_true, Bool.and_eq_true]
    rintro ⟨k, hk, m, hm, hkm⟩
    cases k with
    | succ k => exact Or.inl (iha hk)
    | zero =>
      obtain rfl : m = n + 1 := by omega
      exact Or.inr ⟨nullable_of_zero hk, ihb hm⟩

theorem passes_sound {p : Pat α} (h : p.passes = true) (u : List α) : 0 ∈ p.matches u := by
  induction p generalizing u with
  | eps => simp [Pat.matches]
  | chr | notAhead | atomic => simp [passes] at h
  | star p =>
    simp only [Pat.matches]
    generalize run p u = k
    induction k with
    | zero => simp [downTo]
    | succ k ih => exact List.mem_cons_of_mem _ ih
  | alt a b iha ihb =>
    simp only [passes, Bool.or_eq_true] at h
    simp only [Pat.matches, List.mem_append]
    rcases h with h | h
    · exact Or.inl (iha h u)
    · exact Or.inr (ihb h u)
  | seq a b iha ihb =>
    simp only [passes, Bool.and_eq_true] at h
    simp only [Pat.matches, List.mem_flatMap, List.mem_map]
    exact ⟨0, iha h.1 u, 0, ihb h.2 _, rfl⟩

theorem seq_ne_nil {a b : Pat α} {u : List α} {n : Nat} (ha : n ∈ a.matches u) (hb : b.matches (u.drop n) ≠ []) :
    (Pat.seq a b).matches u ≠ [] := by
  obtain ⟨m, hm⟩ := List.exists_mem_of_ne_nil _ hb
  refine List.ne_nil_of_mem (a := n + m) ?_
  simp only [Pat.matches, List.mem_flatMap, List.mem_map]
  exact ⟨n, ha, m, hm, rfl⟩

theorem take_one_ne_nil {β : Type} {l : List β} (h : l ≠ []) : l.take 1 ≠ [] := by
  cases l with
  | nil => exact absurd rfl h
  | cons _ _ => simp

theorem always_sound {p : Pat α} (h : p.always = true) (u : List α) : p.matches u ≠ [] := by
  induction p generalizing u with
  | eps => simp [Pat.matches]
  | chr | notAhead => simp [always] at h
  | star p => exact List.ne_nil_of_mem (passes_sound (p := .star p) rfl u)
  | atomic a ih => exact take_one_ne_nil (ih h u)
  | alt a b iha ihb =>
    simp only [always, Bool.or_eq_true] at h
    simp only [Pat.matches, ne_eq, List.append_eq_nil_iff, not_and]
    rcases h with h | h
    · exact fun hn => absurd hn (iha h u)
    · exact fun _ => ihb h u
  | seq a b iha ihb =>
    simp only [always, Bool.and_eq_true] at h
    obtain ⟨n, hn⟩ := List.exists_mem_of_ne_nil _ (iha h.1 u)
    exact seq_ne_nil hn (ihb h.2 _)

theorem sure_sound {p : Pat α} {y : α} (h : p.sure y = true) (v : List α) : p.matches (y :: v) ≠ [] := by
  induction p with
  | eps => simp [Pat.matches]
  | notAhead => simp [sure] at h
  | chr p => simp only [sure] at h; simp [Pat.matches, h]
  | star p => exact always_sound (p := .star p) rfl _
  | atomic a ih => exact take_one_ne_nil (ih h)
  | alt a b iha ihb =>
    simp only [sure, Bool.or_eq_true] at h
    simp only [Pat.matches, ne_eq, List.append_eq_nil_iff, not_and]
    rcases h with h | h
    · exact fun hn => absurd hn (iha h)
    · exact fun _ => ihb h
  | seq a b iha ihb =>
    simp only [sure, Bool.or_eq_true, Bool.and_eq_true] at h
    rcases h with ⟨ha, hb⟩ | ⟨ha, hb⟩
    · obtain ⟨n, hn⟩ := List.exists_mem_of_ne_nil _ (iha ha)
      exact seq_ne_nil hn (always_sound hb _)
    · exact seq_ne_nil (passes_sound ha _) (ihb hb)

/-- Where a pattern covers the next character, a match that consumes something begins. -/
theorem firstMatch_of_covers {p : Pat α} {y : α} (h : p.covers y = true) (v : List α) :
    ∃ n, p.firstMatch (y :: v) = some (n + 1) := by
  simp only [covers, Bool.and_eq_true, Bool.not_eq_true'] at h
  have hne := sure_sound h.2 v
  obtain ⟨n, hn⟩ := Option.isSome_iff_exists.mp (List.isSome_head?.mpr hne)
  cases n with
  | zero =>
    have := nullable_of_zero (firstMatch_mem (p := p) hn)
    rw [h.1] at this; cases this
  | succ n => exact ⟨n, hn⟩

end VerifiedTok
