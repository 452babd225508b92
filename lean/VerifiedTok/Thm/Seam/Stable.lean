module

public import VerifiedTok.Thm.Seam.Matches

public section

/-!
# Shielded alternatives

Why newline before a letter is a seam of patterns such as `…|\s*[\r\n]+|\s+(?!\S)|\s+`, although `\s+(?!\S)` looks
across it: wherever that alternative gets as far as the newline, the one before it has matched.
-/

namespace VerifiedTok

variable {α : Type}

open Pat

/-- A match consumes only characters that the pattern may consume. -/
theorem consumes_of_matches {p : Pat α} {u : List α} {n : Nat} (h : n ∈ p.matches u) :
    ∀ c ∈ u.take n, p.consumes c = true := by
  induction p generalizing u n with
  | eps =>
    simp only [Pat.matches, List.mem_singleton] at h
    subst h; simp
  | notAhead a _ =>
    simp only [Pat.matches] at h
    split at h
    · simp only [List.mem_singleton] at h; subst h; simp
    · simp at h
  | chr p =>
    cases u with
    | nil => simp
    | cons a xs =>
      simp only [Pat.matches] at h
      split at h
      · simp only [List.mem_singleton] at h
        subst h
        simpa [consumes] using ‹p a = true›
      · simp at h
  | star p =>
    have hn := mem_downTo h
    clear h
    induction u generalizing n with
    | nil => simp
    | cons a xs ih =>
      intro c hc
      cases n with
      | zero => simp at hc
      | succ n =>
        simp only [run] at hn
        split at hn
        · rw [List.take_succ_cons, List.mem_cons] at hc
          rcases hc with rfl | hc
          · assumption
          · exact ih (by omega) c hc
        · omega
  | atomic a ih => exact ih (List.mem_of_mem_take h)
  | alt a b iha ihb =>
    simp only [Pat.matches, List.mem_append] at h
    intro c hc
    simp only [consumes, Bool.or_eq_true]
    rcases h with h | h
    · exact Or.inl (iha h c hc)
    · exact Or.inr (ihb h c hc)
  | seq a b iha ihb =>
    simp only [Pat.matches, List.mem_flatMap, List.mem_map] at h
    obtain ⟨k, hk, m, hm, rfl⟩ := h
    intro c hc
    simp only [consumes, Bool.or_eq_true]
    rw [List.take_add, List.mem_append] at hc
    rcases hc with hc | hc
    · exact Or.inl (iha hk c hc)
    · exact Or.inr (ihb hm c hc)

theorem run_append_of_outside {p : α → Bool} {u : List α} {c : α} (hc : c ∈ u) (h : p c = false) (w : List α) :
    run p (u ++ w) = run p u := by
  induction u with
  | nil => simp at hc
  | cons a xs ih =>
    simp only [List.cons_append, run]
    split
    · rcases List.mem_cons.mp hc with rfl | hc
      · simp_all
      · rw [ih hc]
    · rfl

/-- A text with a character that the pattern cannot consume hides what follows. -/
theorem matches_append_of_outside {p : Pat α} (hp : p.shortLooks = true) {u : List α} {c : α} (hc : c ∈ u)
    (h : p.consumes c = false) (w : List α) : p.matches (u ++ w) = p.matches u := by
  have hne : ∃ a xs, u = a :: xs := by
    cases u with
    | nil => simp at hc
    | cons a xs => exact ⟨a, xs, rfl⟩
  induction p generalizing u with
  | eps => rfl
  | chr p => obtain ⟨a, xs, rfl⟩ := hne; rfl
  | star p => simp only [Pat.matches]; rw [run_append_of_outside (p := p) hc h]
  | notAhead a _ =>
    obtain ⟨b, xs, rfl⟩ := hne
    cases a with
    | chr p => rfl
    | _ => simp [shortLooks] at hp
  | atomic a ih =>
    simp only [Pat.matches]
    rw [ih hp hc h hne]
  | alt a b iha ihb =>
    simp only [shortLooks, Bool.and_eq_true] at hp
    simp only [consumes, Bool.or_eq_false_iff] at h
    simp only [Pat.matches]
    rw [iha hp.1 hc h.1 hne, ihb hp.2 hc h.2 hne]
  | seq a b iha ihb =>
    simp only [shortLooks, Bool.and_eq_true] at hp
    simp only [consumes, Bool.or_eq_false_iff] at h
    simp only [Pat.matches]
    rw [iha hp.1 hc h.1 hne]
    apply flatMap_congr
    intro n hn
    have hmem : c ∈ u.drop n := by
      have : c ∈ u.take n ++ u.drop n := by rw [List.take_append_drop]; exact hc
      rcases List.mem_append.mp this with hm | hm
      · have := consumes_of_matches hn c hm
        rw [h.1] at this; cases this
      · exact hm
    rw [List.drop_append_of_le_length (matches_le hn), ihb hp.2 hmem h.2 (by
      cases hd : u.drop n with
      | nil => rw [hd] at hmem; simp at hmem
      | cons a xs => exact ⟨a, xs, rfl⟩)]

theorem mem_downTo_of_le {k n : Nat} (h : k ≤ n) : k ∈ downTo n := by
  induction n with
  | zero => simp [downTo]; omega
  | succ n ih =>
    rw [downTo, List.mem_cons]
    rcases Nat.eq_or_lt_of_le h with h | h
    · exact Or.inl h
    · exact Or.inr (ih (by omega))

theorem length_le_run {p : α → Bool} {u : List α} (w : List α) (h : ∀ c ∈ u, p c = true) :
    u.length ≤ run p (u ++ w) := by
  induction u with
  | nil => exact Nat.zero_le _
  | cons a xs ih =>
    simp only [List.cons_append, run, if_pos (h a (List.mem_cons_self ..)), List.length_cons]
    have := ih fun c hc => h c (List.mem_cons_of_mem _ hc)
    omega

theorem reaches_sound {subset : Inclusion α} (hsub : SubsetSound subset) {S : α → Bool}
    {x : α} {p : Pat α} (h : p.reaches subset S x = true) {u : List α} (hl : u.getLast? = some x)
    (hS : ∀ c ∈ u, S c = true) : p.matches u ≠ [] := by
  induction p with
  | alt a b iha ihb =>
    simp only [reaches, Bool.or_eq_true] at h
    simp only [Pat.matches, ne_eq, List.append_eq_nil_iff, not_and]
    rcases h with h | h
    · exact fun hn => absurd hn (iha h)
    · exact fun _ => ihb h
  | seq a r _ _ =>
    cases a with
    | star p =>
      simp only [reaches, Bool.and_eq_true] at h
      obtain ⟨w, rfl⟩ := List.getLast?_eq_some_iff.mp hl
      refine seq_ne_nil (n := w.length) ?_ ?_
      · exact mem_downTo_of_le (length_le_run [x] fun c hc => hsub S p h.1 c (hS c (by simp [hc])))
      · rw [List.drop_left]; exact sure_sound h.2 []
    | _ => simp [reaches] at h
  | _ => simp [reaches] at h

/-- **The first match across a stable pair is what it is at the end of the text.** -/
theorem firstMatch_append_of_stable {subset : Inclusion α} (hsub : SubsetSound subset)
    {p : Pat α} {x y : α} (h : p.stable subset x y = true) {u : List α} (hl : u.getLast? = some x) (v : List α) :
    p.firstMatch (u ++ y :: v) = p.firstMatch u := by
  have plain : ∀ {q : Pat α}, (!q.crosses x y) = true → q.firstMatch (u ++ y :: v) = q.firstMatch u := by
    intro q hq
    rw [firstMatch, firstMatch, matches_append_of_not_crosses hl (by simpa using hq)]
  induction p with
  | alt a b iha ihb =>
    simp only [stable, Bool.and_eq_true, Bool.or_eq_true] at h
    have ha := iha h.1
    simp only [firstMatch, Pat.matches, List.head?_append] at ha ihb ⊢
    rw [ha]
    rcases h.2 with hb | ⟨hlooks, hreach⟩
    · rw [ihb hb]
    · by_cases hout : ∃ c ∈ u, b.consumes c = false
      · obtain ⟨c, hc, hcons⟩ := hout
        rw [matches_append_of_outside hlooks hc hcons]
      · have hall : ∀ c ∈ u, b.consumes c = true := by
          intro c hc
          cases hcc : b.consumes c with
          | true => rfl
          | false => exact absurd ⟨c, hc, hcc⟩ hout
        have hne := reaches_sound hsub hreach hl hall
        obtain ⟨n, hn⟩ := Option.isSome_iff_exists.mp (List.isSome_head?.mpr hne)
        rw [hn]; rfl
  | _ => exact plain h

/-- A pattern that does not cross is stable, whatever `subset` answers. -/
theorem stable_of_not_crosses {subset : Inclusion α} {p : Pat α} {x y : α}
    (h : p.crosses x y = false) : p.stable subset x y = true := by
  induction p with
  | alt a b iha ihb =>
    simp only [crosses, Bool.or_eq_false_iff] at h
    simp [stable, iha h.1, ihb h.2]
  | _ => simp [stable, h]

end VerifiedTok
