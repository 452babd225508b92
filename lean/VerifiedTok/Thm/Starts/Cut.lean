module

public import VerifiedTok.Spec.Starts
public import VerifiedTok.Thm.Pattern

public section

/-!
# Cutting at places, and first matches
-/

namespace VerifiedTok

variable {α : Type}

/-! ## Cutting at places -/

theorem piecesAt_ne_nil (P : List α → List α → Bool) (before : List α) (x : α) (xs : List α) :
    piecesAt P before (x :: xs) ≠ [] := by
  rw [piecesAt]
  split
  · simp
  · split <;> simp

theorem ne_nil_of_mem_piecesAt {P : List α → List α → Bool} : ∀ {s before q : List α}, q ∈ piecesAt P before s → q ≠ []
  | [], _, q, h => by simp [piecesAt] at h
  | x :: xs, before, q, h => by
    rw [piecesAt] at h
    split at h
    · rw [List.mem_singleton] at h; simp [h]
    · rename_i r qs hr
      have ih : ∀ q ∈ r :: qs, q ≠ [] := fun q hq => ne_nil_of_mem_piecesAt (hr ▸ hq)
      split at h
      · rcases List.mem_cons.mp h with rfl | h
        · simp
        · exact ih q h
      · rcases List.mem_cons.mp h with rfl | h
        · simp
        · exact ih q (List.mem_cons_of_mem _ h)

/-- A text without places inside, and one at its end, is the first piece. -/
theorem piecesAt_append {P : List α → List α → Bool} {rest : List α} : ∀ {w : List α} {before : List α}, w ≠ [] →
    (∀ u c y v, w = u.reverse ++ c :: y :: v → P (c :: (u ++ before)) (y :: (v ++ rest)) = false) →
    (rest ≠ [] → P (w.reverse ++ before) rest = true) →
    piecesAt P before (w ++ rest) = w :: piecesAt P (w.reverse ++ before) rest
  | [], _, h, _, _ => absurd rfl h
  | [x], before, _, _, hr => by
    rw [List.cons_append, List.nil_append, piecesAt]
    have hb : [x].reverse ++ before = x :: before := rfl
    cases rest with
    | nil => rfl
    | cons y ys =>
      have := piecesAt_ne_nil P (x :: before) y ys
      rw [hb] at hr ⊢
      cases hp : piecesAt P (x :: before) (y :: ys) with
      | nil => exact absurd hp this
      | cons q qs => simp only [hr (by simp), if_true]
  | x :: y :: w, before, _, hw, hr => by
    have hb : (x :: y :: w).reverse ++ before = (y :: w).reverse ++ (x :: before) := by simp
    rw [hb] at hr ⊢
    have ih := piecesAt_append (w := y :: w) (before := x :: before) (by simp)
      (fun u c z v he => by
        have := hw (u ++ [x]) c z v (by rw [he]; simp)
        simpa using this) hr
    have h0 := hw [] x y w rfl
    simp only [List.nil_append] at h0
    rw [List.cons_append, piecesAt, ih]
    simp only [List.cons_append, h0, Bool.false_eq_true, if_false]

/-- What a matcher must do so that its pieces are those between places: match, at each place, up to the next. -/
@[expose] def MatchesTo (m : List α → Option Nat) (P : List α → List α → Bool) (before s : List α) : Prop :=
  ∃ w rest, s = w ++ rest ∧ w ≠ [] ∧ m s = some w.length ∧
    (∀ u c y v, w = u.reverse ++ c :: y :: v → P (c :: (u ++ before)) (y :: (v ++ rest)) = false) ∧
    (rest ≠ [] → P (w.reverse ++ before) rest = true)

theorem cut_eq_piecesAt {m : List α → Option Nat} {P : List α → List α → Bool}
    (h : ∀ before s, s ≠ [] → before = [] ∨ P before s = true → MatchesTo m P before s) :
    ∀ (k : Nat) (before s : List α), s.length ≤ k → s = [] ∨ before = [] ∨ P before s = true →
      cut m s = (piecesAt P before s).map (true, ·)
  | _, before, [], _, _ => by rw [piecesAt]; rfl
  | 0, _, x :: xs, hk, _ => by simp at hk
  | k + 1, before, x :: xs, hk, hs => by
    obtain ⟨w, rest, he, hw, hm, hin, hend⟩ := h before (x :: xs) (by simp) (hs.resolve_left (by simp))
    rw [he, piecesAt_append hw hin hend]
    obtain ⟨z, w, rfl⟩ := List.exists_cons_of_ne_nil hw
    have hrest : rest = xs.drop w.length := by
      have := congrArg (List.drop (w.length + 1)) he
      simpa using this.symm
    have hlen := congrArg List.length he
    simp only [List.length_cons, List.length_append] at hlen hk
    rw [List.cons_append, cut_match (m := m) (n := w.length) (by rw [← List.cons_append, ← he]; exact hm)]
    have h1 : (w ++ rest).take w.length = w := by simp
    have h2 : (w ++ rest).drop w.length = rest := by simp
    rw [h1, h2, List.map_cons, cut_eq_piecesAt h k _ rest (by omega) ?_]
    by_cases hr : rest = []
    · exact .inl hr
    · exact .inr (.inr (hend hr))

theorem mergeFrom_isolated : ∀ (y : Segment α) (ys : List (Segment α)),
    mergeFrom (Behaviour.joins .isolated) y ys = (y :: ys).map (·.2)
  | (_, s), [] => rfl
  | (b, s), (c, t) :: ys => by
    rw [mergeFrom]
    simp only [Behaviour.joins, Bool.false_eq_true, if_false, mergeFrom_isolated (c, t) ys, List.map_cons]

/-- **A stage that matches, at each place, up to the next one cuts at these places.** -/
theorem split_eq_piecesAt {p : Pat α} {P : List α → List α → Bool}
    (h : ∀ before s, s ≠ [] → before = [] ∨ P before s = true → MatchesTo p.firstMatch P before s) (s : List α) :
    Stage.split { pat := p } s = piecesAt P [] s := by
  have hcut := cut_eq_piecesAt h s.length [] s (Nat.le_refl _) (.inr (.inl rfl))
  have hseg : Stage.segments { pat := p } s = (piecesAt P [] s).map (true, ·) := by
    simp only [Stage.segments, hcut, List.map_map]
    rfl
  have hpieces : Behaviour.pieces .isolated (Stage.segments { pat := p } s) = piecesAt P [] s := by
    rw [Behaviour.pieces, if_neg (by decide), hseg]
    cases piecesAt P [] s with
    | nil => rfl
    | cons q qs =>
      rw [List.map_cons, merge, mergeFrom_isolated, List.map_cons, List.map_map]
      exact congrArg (q :: ·) (List.map_id qs)
  rw [Stage.split, hpieces]
  refine List.filter_eq_self.mpr fun q hq => ?_
  have := ne_nil_of_mem_piecesAt hq
  cases q with
  | nil => exact absurd rfl this
  | cons _ _ => rfl

/-! ## First matches -/

namespace Pat

theorem firstMatch_alt (a b : Pat α) (s : List α) : (alt a b).firstMatch s = (a.firstMatch s).or (b.firstMatch s) := by
  simp only [firstMatch, Pat.matches, List.head?_append]

theorem head?_flatMap {β : Type} (l : List Nat) (f : Nat → List β) :
    (l.flatMap f).head? = l.findSome? fun n => (f n).head? := by
  induction l with
  | nil => rfl
  | cons n l ih =>
    rw [List.flatMap_cons, List.head?_append, ih, List.findSome?_cons]
    cases (f n).head? <;> rfl

theorem firstMatch_seq (a b : Pat α) (s : List α) : (seq a b).firstMatch s =
    (a.matches s).findSome? fun n => (b.firstMatch (s.drop n)).map (n + ·) := by
  simp only [firstMatch, Pat.matches, head?_flatMap, List.head?_map]

theorem matches_opt_chr (p : α → Bool) (x : α) (xs : List α) :
    (opt (chr p)).matches (x :: xs) = if p x then [1, 0] else [0] := by
  simp only [opt, Pat.matches]
  split <;> rfl

/-- `p?b` -/
theorem firstMatch_opt_chr (p : α → Bool) (b : Pat α) (x : α) (xs : List α) :
    (seq (opt (chr p)) b).firstMatch (x :: xs) =
      if p x then ((b.firstMatch xs).map (1 + ·)).or (b.firstMatch (x :: xs)) else b.firstMatch (x :: xs) := by
  rw [firstMatch_seq, matches_opt_chr]
  split
  · simp only [List.findSome?_cons, List.drop_succ_cons, List.drop_zero, List.findSome?_nil]
    cases b.firstMatch xs <;> cases b.firstMatch (x :: xs) <;> simp
  · simp only [List.findSome?_cons, List.drop_zero, List.findSome?_nil]
    cases b.firstMatch (x :: xs) <;> simp

theorem matches_plus (p : α → Bool) (x : α) (xs : List α) :
    (plus p).matches (x :: xs) = if p x then (downTo (run p xs)).map (1 + ·) else [] := by
  simp only [plus, Pat.matches]
  split <;> simp

theorem head?_downTo (n : Nat) : (downTo n).head? = some n := by cases n <;> rfl

theorem firstMatch_plus (p : α → Bool) (s : List α) :
    (plus p).firstMatch s = if run p s = 0 then none else some (run p s) := by
  cases s with
  | nil => rfl
  | cons x xs =>
    rw [firstMatch, matches_plus, run]
    split
    · simp only [List.head?_map, head?_downTo, Option.map_some, Nat.add_comm, Nat.add_eq_zero_iff, Nat.one_ne_zero,
        false_and, if_false]
    · rfl

/-- `p+q*` -/
theorem firstMatch_plus_star (p q : α → Bool) (s : List α) : (seq (plus p) (star q)).firstMatch s =
    if run p s = 0 then none else some (run p s + run q (s.drop (run p s))) := by
  have h := firstMatch_plus p s
  rw [firstMatch] at h
  rw [firstMatch_seq]
  have hstar : ∀ u : List α, (star q).firstMatch u = some (run q u) := fun u => by
    rw [firstMatch, Pat.matches, head?_downTo]
  cases hm : (plus p).matches s with
  | nil =>
    rw [hm] at h
    split at h
    · rename_i h0; rw [if_pos h0]; rfl
    · simp at h
  | cons n l =>
    rw [hm] at h
    split at h
    · simp at h
    · rename_i h0
      simp only [List.head?_cons, Option.some.injEq] at h
      subst h
      rw [if_neg h0, List.findSome?_cons, hstar]
      rfl

/-- Where a run stops. -/
@[expose] def Stops (p : α → Bool) (s : List α) : Prop := ∀ y ∈ s.head?, p y = false

theorem run_of_stops {p : α → Bool} {s : List α} (h : Stops p s) : run p s = 0 := by
  cases s with
  | nil => rfl
  | cons x xs => simp [run, h x rfl]

theorem run_all_append {p : α → Bool} {w s : List α} (hw : ∀ c ∈ w, p c = true) : run p (w ++ s) = w.length + run p s := by
  induction w with
  | nil => simp
  | cons x w ih =>
    rw [List.cons_append, run, if_pos (hw x (List.mem_cons_self ..)), ih fun c hc => hw c (List.mem_cons_of_mem _ hc),
      List.length_cons]
    omega

theorem run_eq {p : α → Bool} {w s : List α} (hw : ∀ c ∈ w, p c = true) (hs : Stops p s) :
    run p (w ++ s) = w.length := by rw [run_all_append hw, run_of_stops hs]; rfl

/-- Every text is a run, and a rest where the run stops. -/
theorem exists_run (p : α → Bool) (s : List α) : ∃ w r, s = w ++ r ∧ (∀ c ∈ w, p c = true) ∧ Stops p r := by
  induction s with
  | nil => exact ⟨[], [], rfl, by simp, fun _ h => by simp at h⟩
  | cons x xs ih =>
    by_cases hx : p x = true
    · obtain ⟨w, r, rfl, hw, hr⟩ := ih
      refine ⟨x :: w, r, rfl, fun c hc => ?_, hr⟩
      rcases List.mem_cons.mp hc with rfl | hc
      · exact hx
      · exact hw c hc
    · exact ⟨[], x :: xs, rfl, by simp, fun y hy => by cases hy; simpa using hx⟩

theorem findSome?_downTo {f : Nat → Option Nat} {k : Nat} : ∀ {n : Nat}, k ≤ n → (∀ j, k < j → j ≤ n → f j = none) →
    (f k).isSome = true → (downTo n).findSome? f = f k
  | 0, hk, _, hf => by
    obtain rfl : k = 0 := by omega
    obtain ⟨v, hv⟩ := Option.isSome_iff_exists.mp hf
    simp [downTo, hv]
  | n + 1, hk, hn, hf => by
    rw [downTo, List.findSome?_cons]
    by_cases h : k = n + 1
    · subst h
      obtain ⟨v, hv⟩ := Option.isSome_iff_exists.mp hf
      simp [hv]
    · rw [hn (n + 1) (by omega) (Nat.le_refl _)]
      exact findSome?_downTo (by omega) (fun j h1 h2 => hn j h1 (by omega)) hf

theorem findSome?_downTo_none {f : Nat → Option Nat} : ∀ {n : Nat}, (∀ j, j ≤ n → f j = none) →
    (downTo n).findSome? f = none
  | 0, h => by simp [downTo, h 0 (Nat.le_refl _)]
  | n + 1, h => by
    rw [downTo, List.findSome?_cons, h (n + 1) (Nat.le_refl _)]
    exact findSome?_downTo_none fun j hj => h j (by omega)

/-- `p*q+`, where `q` is inside `p`: up to the last `q` of the run. -/
theorem firstMatch_star_plus {p q : α → Bool} (hqp : ∀ c, q c = true → p c = true) {u v r : List α} {z : α}
    (hu : ∀ c ∈ u, p c = true) (hz : q z = true) (hv : ∀ c ∈ v, p c = true ∧ q c = false) (hr : Stops p r) :
    (seq (star p) (plus q)).firstMatch (u ++ z :: (v ++ r)) = some (u.length + 1) := by
  have hrq : Stops q r := fun y hy => by
    have := hr y hy
    cases h : q y with
    | false => rfl
    | true => rw [hqp y h] at this; cases this
  have hn : run p (u ++ z :: (v ++ r)) = u.length + (1 + v.length) := by
    rw [run_all_append hu, run, if_pos (hqp z hz), run_all_append fun c hc => (hv c hc).1, run_of_stops hr]
    omega
  rw [firstMatch_seq, Pat.matches, hn]
  have hat : (u ++ z :: (v ++ r)).drop u.length = z :: (v ++ r) := by simp
  have h1 : run q (v ++ r) = 0 := by
    cases v with
    | nil => exact run_of_stops hrq
    | cons y v => simp [run, (hv y (List.mem_cons_self ..)).2]
  rw [findSome?_downTo (k := u.length) (by omega)]
  · rw [hat, firstMatch_plus, run, if_pos hz, h1]; rfl
  · intro j hj hjn
    obtain ⟨i, rfl⟩ := Nat.exists_eq_add_of_lt hj
    have : (u ++ z :: (v ++ r)).drop (u.length + i + 1) = (v ++ r).drop i := by
      rw [Nat.add_assoc, List.drop_length_add_append]; rfl
    rw [this, firstMatch_plus, run_of_stops, if_pos rfl]
    · rfl
    · intro y hy
      rw [List.head?_drop] at hy
      by_cases hi : i < v.length
      · rw [List.getElem?_append_left hi] at hy
        exact (hv y (List.mem_of_getElem? hy)).2
      · rw [List.getElem?_append_right (by omega), show i - v.length = 0 by omega] at hy
        exact hrq y (by rw [List.head?_eq_getElem?]; exact hy)
  · rw [hat, firstMatch_plus, run, if_pos hz, h1]; rfl

/-- `p*q+` on a run without `q`. -/
theorem firstMatch_star_plus_none {p q : α → Bool} (hqp : ∀ c, q c = true → p c = true) {v r : List α}
    (hv : ∀ c ∈ v, p c = true ∧ q c = false) (hr : Stops p r) :
    (seq (star p) (plus q)).firstMatch (v ++ r) = none := by
  rw [firstMatch_seq, Pat.matches, run_eq (fun c hc => (hv c hc).1) hr, findSome?_downTo_none]
  intro i hi
  rw [firstMatch_plus, run_of_stops, if_pos rfl]
  · rfl
  · intro y hy
    rw [List.head?_drop] at hy
    by_cases hi : i < v.length
    · rw [List.getElem?_append_left hi] at hy
      exact (hv y (List.mem_of_getElem? hy)).2
    · rw [List.getElem?_append_right (by omega), show i - v.length = 0 by omega] at hy
      have := hr y (by rw [List.head?_eq_getElem?]; exact hy)
      cases h : q y with
      | false => rfl
      | true => rw [hqp y h] at this; cases this

/-- `p+(?!t)`, where `t` is what `p` is not: the whole run at the end of the text, all but its last character before
more text. -/
theorem firstMatch_plus_notAhead {p t : α → Bool} (hpt : ∀ c, t c = !p c) {v r : List α} {x : α} (hx : p x = true)
    (hv : ∀ c ∈ v, p c = true) (hr : Stops p r) :
    (seq (plus p) (notAhead (chr t))).firstMatch (x :: (v ++ r)) =
      if r.isEmpty then some (v.length + 1) else if v.isEmpty then none else some v.length := by
  have hnot : ∀ u : List α, (notAhead (chr t)).firstMatch u = if (u.head?).any t then none else some 0 := by
    intro u
    cases u with
    | nil => rfl
    | cons y u => simp only [firstMatch, Pat.matches, List.head?_cons, Option.any_some]; by_cases h : t y = true <;> simp [h]
  have hm : (plus p).matches (x :: (v ++ r)) = (downTo v.length).map (1 + ·) := by
    rw [matches_plus, if_pos hx, run_eq hv hr]
  rw [firstMatch_seq, hm, List.findSome?_map]
  have hf : ∀ n, ((fun n => ((notAhead (chr t)).firstMatch ((x :: (v ++ r)).drop n)).map (n + ·)) ∘ (1 + ·)) n =
      if (((v ++ r).drop n).head?).any t then none else some (1 + n) := by
    intro n
    simp only [Function.comp, Nat.add_comm 1 n, List.drop_succ_cons, hnot]
    split <;> rfl
  have hin : ∀ n, n < v.length → (((v ++ r).drop n).head?).any t = false := by
    intro n hn
    rw [List.head?_drop, List.getElem?_append_left hn, List.getElem?_eq_getElem hn, Option.any_some, hpt,
      hv _ (List.getElem_mem hn)]
    rfl
  have hend : ((v ++ r).drop v.length).head? = r.head? := by simp
  cases r with
  | nil =>
    rw [findSome?_downTo (k := v.length) (Nat.le_refl _) (fun j h1 h2 => by omega), hf, hend]
    · simp [Nat.add_comm]
    · rw [hf, hend]; rfl
  | cons y r =>
    have hy : t y = true := by rw [hpt, hr y rfl]; rfl
    simp only [List.isEmpty_cons, Bool.false_eq_true, if_false]
    cases v with
    | nil =>
      have := hf 0
      simp only [List.nil_append, List.drop_zero, List.head?_cons, Option.any_some, hy, if_true] at this
      simp only [List.length_nil, downTo, List.findSome?_cons, List.nil_append, this, List.findSome?_nil,
        List.isEmpty_nil, if_true]
    | cons z v =>
      simp only [List.isEmpty_cons, Bool.false_eq_true, if_false, List.length_cons] at hin hend ⊢
      rw [findSome?_downTo (k := v.length) (by omega), hf, hin v.length (by omega)]
      · simp [Nat.add_comm]
      · intro j h1 h2
        obtain rfl : j = v.length + 1 := by omega
        rw [hf, hend, List.head?_cons, Option.any_some, hy, if_pos rfl]
      · rw [hf, hin v.length (by omega)]; rfl

/-- `p+$`: the whole run, at the end of the text only. -/
theorem firstMatch_plus_atEnd {p : α → Bool} {v r : List α} {x : α} (hx : p x = true) (hv : ∀ c ∈ v, p c = true)
    (hr : Stops p r) : (seq (plus p) atEnd).firstMatch (x :: (v ++ r)) =
      if r.isEmpty then some (v.length + 1) else none := by
  have hnot : ∀ u : List α, (atEnd : Pat α).firstMatch u = if u.isEmpty then some 0 else none := by
    intro u
    cases u <;> rfl
  have hm : (plus p).matches (x :: (v ++ r)) = (downTo v.length).map (1 + ·) := by
    rw [matches_plus, if_pos hx, run_eq hv hr]
  rw [firstMatch_seq, hm, List.findSome?_map]
  have hf : ∀ n, ((fun n => ((atEnd : Pat α).firstMatch ((x :: (v ++ r)).drop n)).map (n + ·)) ∘ (1 + ·)) n =
      if ((v ++ r).drop n).isEmpty then some (1 + n) else none := by
    intro n
    simp only [Function.comp, Nat.add_comm 1 n, List.drop_succ_cons, hnot]
    split <;> rfl
  cases r with
  | nil =>
    rw [findSome?_downTo (k := v.length) (Nat.le_refl _) (fun j h1 h2 => by omega), hf]
    · simp [Nat.add_comm]
    · rw [hf]; simp
  | cons y r =>
    rw [findSome?_downTo_none]
    · rfl
    · intro j hj
      rw [hf]
      have : (v ++ y :: r).drop j ≠ [] := fun he => by
        have := List.drop_eq_nil_iff.mp he
        simp only [List.length_append, List.length_cons] at this
        omega
      simp [this]

theorem firstMatch_chr (p : α → Bool) (x : α) (xs : List α) :
    (chr p).firstMatch (x :: xs) = if p x then some 1 else none := by
  rw [firstMatch, Pat.matches]
  split <;> rfl

/-- `p{0,n}` -/
theorem firstMatch_upTo_chr (p : α → Bool) : ∀ (n : Nat) (s : List α),
    (upTo (chr p) n).firstMatch s = some (min n (run p s))
  | 0, s => by simp [upTo, firstMatch, Pat.matches]
  | n + 1, [] => by simp [upTo, opt, firstMatch, Pat.matches, run]
  | n + 1, x :: xs => by
    have ih := firstMatch_upTo_chr p n xs
    rw [upTo, opt, firstMatch_alt, firstMatch_seq, Pat.matches, run]
    split
    · simp only [List.findSome?_cons, List.drop_succ_cons, List.drop_zero, ih, Option.map_some, Option.some_or,
        Option.some.injEq]
      omega
    · simp [firstMatch, Pat.matches]

/-- `p{1,n}` -/
theorem firstMatch_bounded_chr (p : α → Bool) {n : Nat} (hn : 1 ≤ n) (s : List α) :
    (bounded (chr p) 1 n).firstMatch s = if run p s = 0 then none else some (min n (run p s)) := by
  cases s with
  | nil => simp [bounded, times, firstMatch, Pat.matches, run]
  | cons x xs =>
    have ht : (times (chr p) 1).matches (x :: xs) = if p x then [1] else [] := by
      simp only [times, Pat.matches]
      split <;> simp
    rw [bounded, firstMatch_seq, ht, run]
    split
    · simp only [List.findSome?_cons, List.drop_succ_cons, List.drop_zero, firstMatch_upTo_chr, Option.map_some,
        Nat.add_eq_zero_iff, Nat.one_ne_zero, and_false, if_false, Option.some.injEq]
      omega
    · rfl

end Pat

end VerifiedTok
