module

public import VerifiedTok.Spec.Pattern

public section

/-!
# Cutting loses nothing

Segments and pieces spell the text, no piece is empty, and a match stays inside the text.
-/

namespace VerifiedTok

variable {α : Type}

/-! ## Matches -/

theorem Pat.mem_downTo {n k : Nat} : k ∈ downTo n → k ≤ n := by
  induction n with
  | zero => simp [downTo]
  | succ n ih =>
    simp only [downTo, List.mem_cons]
    rintro (rfl | h)
    · exact Nat.le_refl _
    · exact Nat.le_succ_of_le (ih h)

theorem Pat.run_le (p : α → Bool) (u : List α) : run p u ≤ u.length := by
  induction u with
  | nil => simp [run]
  | cons x xs ih => simp only [run, List.length_cons]; split <;> omega

/-- A match stays inside the text. -/
theorem matches_le {p : Pat α} {u : List α} {n : Nat} : n ∈ p.matches u → n ≤ u.length := by
  induction p generalizing u n with
  | eps =>
    simp only [Pat.matches, List.mem_singleton]
    rintro rfl
    exact Nat.zero_le _
  | chr p =>
    cases u with
    | nil => simp [Pat.matches]
    | cons a xs =>
      simp only [Pat.matches]
      split
      · simp only [List.mem_singleton, List.length_cons]; omega
      · simp
  | star p =>
    intro h
    exact Nat.le_trans (Pat.mem_downTo h) (Pat.run_le p u)
  | notAhead a _ =>
    simp only [Pat.matches]
    split
    · simp only [List.mem_singleton]; rintro rfl; exact Nat.zero_le _
    · simp
  | atomic a ih =>
    intro h
    exact ih (List.mem_of_mem_take h)
  | alt a b iha ihb =>
    simp only [Pat.matches, List.mem_append]
    rintro (h | h)
    · exact iha h
    · exact ihb h
  | seq a b iha ihb =>
    simp only [Pat.matches, List.mem_flatMap, List.mem_map]
    rintro ⟨k, hk, m, hm, rfl⟩
    have h1 := iha hk
    have h2 := ihb hm
    rw [List.length_drop] at h2
    omega

theorem firstMatch_mem {p : Pat α} {u : List α} {n : Nat} (h : p.firstMatch u = some n) : n ∈ p.matches u :=
  List.mem_of_mem_head? (by rw [Option.mem_def]; exact h)

theorem firstMatch_le {p : Pat α} {u : List α} {n : Nat} (h : p.firstMatch u = some n) : n ≤ u.length :=
  matches_le (firstMatch_mem h)

/-! ## Glue -/

theorem glue_nil (xs : List (Segment α)) : glue xs [] = xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rcases x with ⟨_ | _, x⟩ <;> rcases xs with _ | ⟨x', xs⟩
    · rfl
    · exact congrArg _ ih
    · rfl
    · exact congrArg _ ih

theorem glue_match (w : List α) (xs ys : List (Segment α)) :
    glue ((true, w) :: xs) ys = (true, w) :: glue xs ys := rfl

theorem glue_cons_cons (x x' : Segment α) (xs ys : List (Segment α)) :
    glue (x :: x' :: xs) ys = x :: glue (x' :: xs) ys := by
  rcases x with ⟨_ | _, x⟩ <;> rfl

theorem glue_gap_match (g w : List α) (ys : List (Segment α)) :
    glue [(false, g)] ((true, w) :: ys) = (false, g) :: (true, w) :: ys := rfl

theorem glue_gap_gap (g h : List α) (ys : List (Segment α)) :
    glue [(false, g)] ((false, h) :: ys) = (false, g ++ h) :: ys := rfl

theorem glue_assoc : ∀ xs ys zs : List (Segment α), glue (glue xs ys) zs = glue xs (glue ys zs)
  | [], _, _ => rfl
  | (true, w) :: xs, ys, zs => by
    rw [glue_match, glue_match, glue_match, glue_assoc xs ys zs]
  | (false, g) :: x :: xs, ys, zs => by
    rw [glue_cons_cons, glue_cons_cons, ← glue_assoc (x :: xs) ys zs]
    generalize hw : glue (x :: xs) ys = ws
    cases ws with
    | nil =>
      rcases x with ⟨_ | _, x⟩ <;> rcases xs with _ | ⟨y, xs⟩ <;> rcases ys with _ | ⟨⟨_ | _, y'⟩, ys⟩ <;>
        simp [glue] at hw
    | cons w ws => rw [glue_cons_cons]
  | [(false, g)], [], zs => rfl
  | [(false, g)], (true, w) :: ys, zs => rfl
  | [(false, g)], [(false, h)], [] => rfl
  | [(false, g)], [(false, h)], (true, w) :: zs => rfl
  | [(false, g)], [(false, h)], (false, k) :: zs => by
    simp only [glue_gap_gap, List.append_assoc]
  | [(false, g)], (false, h) :: y :: ys, zs => by
    simp only [glue_gap_gap, glue_cons_cons]

/-- The characters of segments, in order. -/
theorem glue_spells (xs ys : List (Segment α)) :
    (glue xs ys).flatMap (·.2) = xs.flatMap (·.2) ++ ys.flatMap (·.2) := by
  induction xs with
  | nil => rfl
  | cons x xs ih =>
    rcases x with ⟨_ | _, x⟩
    · rcases xs with _ | ⟨x', xs⟩
      · rcases ys with _ | ⟨⟨_ | _, y⟩, ys⟩
        · simp [glue]
        · simp [glue_gap_gap]
        · simp [glue_gap_match]
      · rw [glue_cons_cons, List.flatMap_cons, ih, List.flatMap_cons (xs := x' :: xs), List.append_assoc]
    · rw [glue_match, List.flatMap_cons, ih, List.flatMap_cons, List.append_assoc]

/-! ## Cutting -/

theorem cutWithin_eq (m : List α → Option Nat) {k l : Nat} : ∀ {s : List α}, s.length ≤ k → s.length ≤ l →
    cutWithin m k s = cutWithin m l s := by
  induction k generalizing l with
  | zero =>
    intro s hk hl
    rw [List.eq_nil_of_length_eq_zero (Nat.le_zero.mp hk)]
    cases l <;> rfl
  | succ k ih =>
    intro s hk hl
    cases s with
    | nil => cases l <;> rfl
    | cons x xs =>
      simp only [List.length_cons] at hk hl
      cases l with
      | zero => omega
      | succ l =>
        simp only [cutWithin]
        rw [ih (l := l) (s := xs) (by omega) (by omega)]
        split
        · rename_i n _
          rw [ih (l := l) (s := xs.drop n) (by rw [List.length_drop]; omega) (by rw [List.length_drop]; omega)]
        · rfl
        · rfl

theorem cut_nil (m : List α → Option Nat) : cut m [] = [] := rfl

theorem cut_match {m : List α → Option Nat} {x : α} {xs : List α} {n : Nat} (h : m (x :: xs) = some (n + 1)) :
    cut m (x :: xs) = (true, x :: xs.take n) :: cut m (xs.drop n) := by
  rw [cut, List.length_cons, cutWithin, h]
  simp only [cut]
  rw [cutWithin_eq m (l := (xs.drop n).length) (by rw [List.length_drop]; omega) (Nat.le_refl _)]

theorem cut_empty {m : List α → Option Nat} {x : α} {xs : List α} (h : m (x :: xs) = some 0) :
    cut m (x :: xs) = (true, []) :: glue [(false, [x])] (cut m xs) := by
  rw [cut, List.length_cons, cutWithin, h]; rfl

theorem cut_none {m : List α → Option Nat} {x : α} {xs : List α} (h : m (x :: xs) = none) :
    cut m (x :: xs) = glue [(false, [x])] (cut m xs) := by
  rw [cut, List.length_cons, cutWithin, h]; rfl

/-- **Segments spell the text.** -/
theorem cut_spells (m : List α → Option Nat) (s : List α) : (cut m s).flatMap (·.2) = s := by
  generalize hk : s.length = k
  induction k using Nat.strongRecOn generalizing s with
  | _ k ih =>
    cases s with
    | nil => rfl
    | cons x xs =>
      simp only [List.length_cons] at hk
      cases h : m (x :: xs) with
      | none => rw [cut_none h, glue_spells, ih xs.length (by omega) xs rfl]; rfl
      | some n =>
        cases n with
        | zero => rw [cut_empty h, List.flatMap_cons, glue_spells, ih xs.length (by omega) xs rfl]; rfl
        | succ n =>
          rw [cut_match h, List.flatMap_cons, ih (xs.drop n).length (by rw [List.length_drop]; omega) _ rfl]
          simp only [List.cons_append, List.take_append_drop]

/-- Only an empty match makes an empty segment. -/
theorem cut_ne_nil {m : List α → Option Nat} (hm : ∀ s, m s ≠ some 0) (s : List α) : ∀ y ∈ cut m s, y.2 ≠ [] := by
  generalize hk : s.length = k
  induction k using Nat.strongRecOn generalizing s with
  | _ k ih =>
    cases s with
    | nil => simp [cut_nil]
    | cons x xs =>
      simp only [List.length_cons] at hk
      cases h : m (x :: xs) with
      | none =>
        have hxs := ih xs.length (by omega) xs rfl
        rw [cut_none h]
        generalize cut m xs = Z at hxs ⊢
        rcases Z with _ | ⟨⟨_ | _, z⟩, X⟩
        · simp [glue]
        · rw [glue_gap_gap]
          intro y hy
          rcases List.mem_cons.mp hy with rfl | hy
          · simp
          · exact hxs y (List.mem_cons_of_mem _ hy)
        · rw [glue_gap_match]
          intro y hy
          rcases List.mem_cons.mp hy with rfl | hy
          · simp
          · exact hxs y hy
      | some n =>
        cases n with
        | zero => exact absurd h (hm _)
        | succ n =>
          rw [cut_match h]
          intro y hy
          rcases List.mem_cons.mp hy with rfl | hy
          · simp
          · exact ih (xs.drop n).length (by rw [List.length_drop]; omega) _ rfl y hy

/-- Without matches the whole text is one gap. -/
theorem cut_none_everywhere {m : List α → Option Nat} (hm : ∀ s, m s = none) {s : List α} (hs : s ≠ []) :
    cut m s = [(false, s)] := by
  induction s with
  | nil => exact absurd rfl hs
  | cons x xs ih =>
    rw [cut_none (hm _)]
    cases xs with
    | nil => rfl
    | cons b ys => rw [ih (by simp), glue_gap_gap]; rfl

/-! ## Pieces -/

theorem mergeFrom_flatten (j : Bool → Bool → Bool) : ∀ (y : Segment α) (ys : List (Segment α)),
    (mergeFrom j y ys).flatten = (y :: ys).flatMap (·.2)
  | (b, s), [] => by simp [mergeFrom]
  | (b, s), (c, t) :: ys => by
    rw [mergeFrom]
    split
    · rw [mergeFrom_flatten]; simp only [List.flatMap_cons, List.append_assoc]
    · rw [List.flatten_cons, mergeFrom_flatten]; rfl

theorem flatMap_snd_map (f : Segment α → Bool) (ys : List (Segment α)) :
    (ys.map fun y => (f y, y.2)).flatMap (·.2) = ys.flatMap (·.2) := by
  induction ys with
  | nil => rfl
  | cons y ys ih => rw [List.map_cons, List.flatMap_cons, ih, List.flatMap_cons]

theorem flatten_filter_not_isEmpty (qs : List (List α)) : (qs.filter fun q => !q.isEmpty).flatten = qs.flatten := by
  induction qs with
  | nil => rfl
  | cons q qs ih =>
    cases q with
    | nil => simpa using ih
    | cons a q =>
      rw [List.filter_cons_of_pos (by rfl), List.flatten_cons, ih, List.flatten_cons]

/-- The segments of a stage spell the text. -/
theorem segments_spells (t : Stage α) (s : List α) : (t.segments s).flatMap (·.2) = s := by
  rw [Stage.segments, flatMap_snd_map, cut_spells]

/-- **Pieces spell the text**, unless the stage drops some. -/
theorem split_flatten (t : Stage α) (h : t.behaviour ≠ .removed) (s : List α) : (t.split s).flatten = s := by
  have hs := segments_spells t s
  rw [Stage.split, flatten_filter_not_isEmpty, Behaviour.pieces, if_neg h]
  generalize t.segments s = ys at hs
  cases ys with
  | nil => exact hs
  | cons y ys => rw [merge, mergeFrom_flatten]; exact hs

/-- **No piece is empty.** -/
theorem split_ne_nil (t : Stage α) (s : List α) : ∀ q ∈ t.split s, q ≠ [] := by
  intro q hq
  have := (List.mem_filter.mp hq).2
  cases q with
  | nil => simp at this
  | cons _ _ => simp

/-- Pieces of several stages spell the text, unless one of them drops some. -/
theorem splitAll_flatten : ∀ (ts : List (Stage α)), (∀ t ∈ ts, t.behaviour ≠ .removed) → ∀ s : List α,
    (splitAll ts s).flatten = s
  | [], _, s => by cases s <;> simp [splitAll]
  | t :: ts, h, s => by
    have hs := split_flatten t (h t (List.mem_cons_self ..)) s
    have ih := splitAll_flatten ts fun t' ht => h t' (List.mem_cons_of_mem _ ht)
    rw [splitAll]
    generalize t.split s = qs at hs
    rw [← hs]
    clear hs
    induction qs with
    | nil => rfl
    | cons q qs ihq => rw [List.flatMap_cons, List.flatten_append, ih, ihq, List.flatten_cons]

/-- No piece of several stages is empty. -/
theorem splitAll_ne_nil : ∀ (ts : List (Stage α)) (s : List α), ∀ q ∈ splitAll ts s, q ≠ []
  | [], s, q, hq => by
    cases s with
    | nil => simp [splitAll] at hq
    | cons a s => simp [splitAll] at hq; simp [hq]
  | t :: ts, s, q, hq => by
    rw [splitAll, List.mem_flatMap] at hq
    obtain ⟨r, _, hr⟩ := hq
    exact splitAll_ne_nil ts r q hr

end VerifiedTok
