module

public import VerifiedTok.Thm.Starts.Kinds

public section

/-!
# Llama 3's pattern, place by place

At a place where a piece starts, the pattern matches up to the next such place: one lemma for each kind of piece.
-/

namespace VerifiedTok.Kinds

open Pat (run Stops)

variable {α : Type} {K : Kinds α} {C : Pat α} {n : Nat} {whole : Bool}

/-! ## What is known of a place where a piece starts -/

/-- A piece starts at this place. -/
@[expose] def StartsHere (K : Kinds α) (C : Pat α) (n : Nat) (whole : Bool) (before s : List α) : Prop :=
  before = [] ∨ K.llama3Starts C n whole before s = true

theorem StartsHere.fresh (hK : K.Proper) (hC : K.Contraction C) {before xs : List α} {x : α}
    (h : StartsHere K C n whole before (x :: xs)) (hx : K.other x = true) : K.fresh before = true := by
  rcases h with rfl | h
  · rfl
  · cases before with
    | nil => rfl
    | cons c b =>
      obtain ⟨h1, h2, _⟩ := hK.of_other hx
      simp only [llama3Starts, h1, h2, hx, Bool.false_eq_true, if_false, if_true, Bool.or_eq_true] at h
      rcases h with h | h
      · rcases hC.ends h with ⟨_, _, _, e, hc, _⟩ | ⟨_, _, _, _, e, _, hc, _⟩ <;> cases e <;>
          simp [Kinds.fresh, hK.of_letter hc]
      · exact h

theorem StartsHere.number (hK : K.Proper) (hC : K.Contraction C) {before xs : List α} {x : α}
    (h : StartsHere K C n whole before (x :: xs)) (hx : K.number x = true) : run K.number before % n = 0 := by
  rcases h with rfl | h
  · simp [run]
  · cases before with
    | nil => simp [run]
    | cons c b =>
      have h1 := (hK.of_number hx).1
      simp only [llama3Starts, h1, hx, Bool.false_eq_true, if_false, if_true, Bool.or_eq_true, beq_iff_eq] at h
      rcases h with h | h
      · rcases hC.ends h with ⟨_, _, _, e, hc, _⟩ | ⟨_, _, _, _, e, _, hc, _⟩ <;> cases e <;>
          simp [run, hK.of_letter hc]
      · exact h

theorem taken_cons_newline {c : α} {b : List α} (h : K.newline c = true) : K.taken (c :: b) = K.taken b := by
  simp [taken, run, h]

theorem taken_cons_false {c : α} {b : List α} (h : K.newline c = false) : K.taken (c :: b) = K.other c := by
  simp [taken, run, h]

theorem StartsHere.taken (hK : K.Proper) (hC : K.Contraction C) {before xs : List α} {x : α}
    (h : StartsHere K C n whole before (x :: xs)) (hx : K.blank x = true) : K.taken (x :: before) = false := by
  rcases newline_or_plain hx with hn | hp
  · rw [taken_cons_newline hn]
    rcases h with rfl | h
    · rfl
    · cases before with
      | nil => rfl
      | cons c b =>
        obtain ⟨h1, h2, h3, _⟩ := hK.of_newline hn
        simp only [llama3Starts, h1, h2, h3, hn, Bool.false_eq_true, if_false, if_true, Bool.or_eq_true,
          Bool.not_eq_true', Bool.or_eq_false_iff] at h
        rcases h with h | ⟨hb, ho⟩
        · rcases hC.ends h with ⟨_, _, _, e, hc, _⟩ | ⟨_, _, _, _, e, _, hc, _⟩ <;> cases e <;>
            rw [taken_cons_false (hK.of_letter hc).2.2.1, (hK.of_letter hc).2.2.2.2.1]
        · have : K.newline c = false := by
            cases hc : K.newline c with
            | false => rfl
            | true => rw [hK.newline_blank c hc] at hb; cases hb
          rw [taken_cons_false this, ho]
  · rw [taken_cons_false (hK.of_plain hp).2.2.2.2.1, (hK.of_plain hp).2.2.1]

/-! ## The first match -/

theorem llama3_firstMatch (s : List α) : (K.llama3 C n whole).firstMatch s =
    (C.firstMatch s).or
      (((Pat.opt (.chr K.lead)).seq (.plus K.letter)).firstMatch s |>.or
        ((K.digits n).firstMatch s |>.or
          (((Pat.opt (.chr K.space)).seq (.seq (.plus K.other) (.star K.newline))).firstMatch s |>.or
            ((if whole then (Pat.seq (.plus K.blank) .atEnd).firstMatch s else none) |>.or
              ((Pat.seq (.star K.blank) (.plus K.newline)).firstMatch s |>.or
                ((Pat.seq (.plus K.blank) (.notAhead (.chr K.text))).firstMatch s |>.or
                  ((Pat.plus K.blank).firstMatch s))))))) := by
  cases whole <;> simp only [llama3, orWhole, blanks, Pat.firstMatch_alt, Bool.false_eq_true, if_false, if_true,
    Option.none_or]

theorem digits_firstMatch (hn : 1 ≤ n) (s : List α) :
    (K.digits n).firstMatch s = if run K.number s = 0 then none else some (min n (run K.number s)) := by
  by_cases h1 : n = 1
  · subst h1
    cases s with
    | nil => rfl
    | cons x xs =>
      simp only [digits, Pat.firstMatch_chr, run]
      split
      · simp only [Nat.add_eq_zero_iff, Nat.one_ne_zero, and_false, if_false, Option.some.injEq]; omega
      · rfl
  · have : K.digits n = .bounded (.chr K.number) 1 n := by
      match n, h1 with
      | 0, _ => rfl
      | 1, h => exact absurd rfl h
      | n + 2, _ => rfl
    rw [this, Pat.firstMatch_bounded_chr _ hn]

/-- Letters, with the one character before them or without. -/
theorem letters_match {x : α} {L r : List α} (h : K.letter x = true ∨ K.lead x = true ∧ L ≠ [])
    (hc : C.firstMatch (x :: (L ++ r)) = none) (hL : ∀ c ∈ L, K.letter c = true) (hr : Stops K.letter r) :
    (K.llama3 C n whole).firstMatch (x :: (L ++ r)) = some (L.length + 1) := by
  have hA : ((Pat.opt (.chr K.lead)).seq (.plus K.letter)).firstMatch (x :: (L ++ r)) = some (L.length + 1) := by
    rw [Pat.firstMatch_opt_chr, Pat.firstMatch_plus, Pat.firstMatch_plus, run, Pat.run_eq hL hr]
    by_cases hx : K.letter x = true
    · simp only [hx, if_true]
      by_cases h0 : L.length = 0
      · simp [h0]
      · simp [h0, Nat.add_comm]
    · obtain ⟨hl, hne⟩ := h.resolve_left hx
      have h0 : L.length ≠ 0 := fun h => hne (List.eq_nil_of_length_eq_zero h)
      simp [hx, hl, h0, Nat.add_comm]
  rw [llama3_firstMatch, hc, hA]
  rfl

theorem no_letters {x : α} {xs : List α} (hx : K.letter x = false) (h : K.lead x = true → Stops K.letter xs) :
    ((Pat.opt (.chr K.lead)).seq (.plus K.letter)).firstMatch (x :: xs) = none := by
  rw [Pat.firstMatch_opt_chr, Pat.firstMatch_plus, Pat.firstMatch_plus, run, hx]
  by_cases hl : K.lead x = true
  · simp [hl, Pat.run_of_stops (h hl)]
  · simp [hl]

theorem no_digits (hn : 1 ≤ n) {x : α} {xs : List α} (hx : K.number x = false) : (K.digits n).firstMatch (x :: xs) = none := by
  rw [digits_firstMatch hn, run, hx]
  rfl

theorem no_others {x : α} {xs : List α} (hx : K.other x = false) (h : K.space x = true → Stops K.other xs) :
    ((Pat.opt (.chr K.space)).seq (.seq (.plus K.other) (.star K.newline))).firstMatch (x :: xs) = none := by
  rw [Pat.firstMatch_opt_chr, Pat.firstMatch_plus_star, Pat.firstMatch_plus_star, run, hx]
  by_cases hs : K.space x = true
  · simp [hs, Pat.run_of_stops (h hs)]
  · simp [hs]

/-! ## Places inside a piece, and behind it -/

theorem not_start_letters {c y : α} {b s : List α} (hy : K.letter y = true) (hc : K.letter c = true)
    (he : K.contractionEnds C (c :: b) (y :: s) = false) : K.llama3Starts C n whole (c :: b) (y :: s) = false := by
  simp [llama3Starts, he, hy, hc]

/-- Behind letters, anything but a letter starts a piece. -/
theorem start_after_letter (hK : K.Proper) {c y : α} {b s : List α} (hc : K.letter c = true) (hy : K.letter y = false) :
    K.llama3Starts C n whole (c :: b) (y :: s) = true := by
  obtain ⟨h1, h2, h3, h4, h5, h6⟩ := hK.of_letter hc
  simp [llama3Starts, hy, Kinds.fresh, run, h1, h2, h4, h5]

/-- Behind digits, anything but a digit starts a piece. -/
theorem start_after_number (hK : K.Proper) {c y : α} {b s : List α} (hc : K.number c = true) (hy : K.number y = false) :
    K.llama3Starts C n whole (c :: b) (y :: s) = true := by
  obtain ⟨h1, h2, h3, h4, h5, h6, _⟩ := hK.of_number hc
  simp [llama3Starts, hy, Kinds.fresh, h1, h2, h4, h5, h6]

/-! ## Pieces -/

/-- Letters. -/
theorem letters_piece (hK : K.Proper) (hC : K.Contraction C) {before L r : List α} {x : α} (hx : K.letter x = true) (hL : ∀ c ∈ L, K.letter c = true)
    (hr : Stops K.letter r) (hs : StartsHere K C n whole before (x :: (L ++ r))) :
    MatchesTo (K.llama3 C n whole).firstMatch (K.llama3Starts C n whole) before (x :: (L ++ r)) := by
  have hw : ∀ c ∈ x :: L, K.letter c = true := fun c hc => by
    rcases List.mem_cons.mp hc with rfl | hc
    · exact hx
    · exact hL c hc
  have hxo := (hK.of_letter hx).2.2.2.2.1
  refine ⟨x :: L, r, rfl, by simp, letters_match (.inl hx) (hC.none_of hxo) hL hr, ?_, ?_⟩
  · intro u c y v he
    obtain ⟨hcm, hym⟩ := mem_of_pair he
    refine not_start_letters (hw y hym) (hw c hcm) ?_
    -- no contraction ends inside: it would have begun before this piece, which then does not start here
    have hother : ∀ o b, before = o :: b → K.other o = true → K.fresh b = true → False := by
      rintro o b rfl ho hf
      rcases hs with hs | hs
      · cases hs
      · rw [llama3Starts, hC.ends_eq_false (hK.of_other ho).1] at hs
        simp [hx, ho, hf] at hs
    have hletter : ∀ d o b, before = d :: o :: b → K.letter d = true → K.contractionEnds C before (x :: (L ++ r)) = true := by
      rintro d o b rfl hd
      rcases hs with hs | hs
      · cases hs
      · rw [llama3Starts, Bool.or_eq_true] at hs
        rcases hs with hs | hs
        · exact hs
        · simp [hx, hd] at hs
    cases hends : K.contractionEnds C (c :: (u ++ before)) (y :: (v ++ r)) with
    | false => rfl
    | true =>
      exfalso
      have hu : ∀ z ∈ u, K.letter z = true := fun z hz => hw z (by rw [he]; simp [hz])
      rcases hC.ends hends with ⟨c', o, b, e, _, ho, hf, hm⟩ | ⟨d, c', o, b, e, hd, _, ho, hf, hm⟩
      · cases u with
        | nil => cases e; exact hother _ _ rfl ho hf
        | cons z u =>
          cases e
          have := hu o (by simp)
          rw [(hK.of_other ho).1] at this
          cases this
      · match u, e with
        | [], e =>
          cases e
          simp only [List.reverse_nil, List.nil_append, List.cons.injEq] at he
          obtain ⟨rfl, rfl⟩ := he
          have := hletter _ _ _ rfl hd
          rcases hC.ends this with ⟨_, _, _, e', _, _, _, hm'⟩ | ⟨_, _, _, _, e', hc', _, _⟩
          · cases e'
            rw [show y :: v ++ r = y :: (v ++ r) from rfl, hm] at hm'
            cases hm'
          · cases e'
            rw [(hK.of_other ho).1] at hc'
            cases hc'
        | [z], e => cases e; exact hother _ _ rfl ho hf
        | z :: z' :: u, e =>
          cases e
          have := hu o (by simp)
          rw [(hK.of_other ho).1] at this
          cases this
  · intro hne
    obtain ⟨y, ys, rfl⟩ := List.exists_cons_of_ne_nil hne
    obtain ⟨c, b, hb, hcm⟩ := exists_last (w := x :: L) (by simp) before
    rw [hb]
    exact start_after_letter hK (hw c hcm) (hr y rfl)

/-- Letters behind the one character that they take along. -/
theorem lead_piece (hK : K.Proper) (hC : K.Contraction C) {before L r : List α} {x : α}
    (hx : K.plain x = true ∨ K.other x = true ∧ K.fresh before = true) (hL0 : L ≠ [])
    (hL : ∀ c ∈ L, K.letter c = true) (hr : Stops K.letter r) (hc : C.firstMatch (x :: (L ++ r)) = none) :
    MatchesTo (K.llama3 C n whole).firstMatch (K.llama3Starts C n whole) before (x :: (L ++ r)) := by
  have hlead : K.lead x = true := by
    rcases hx with h | h
    · exact (hK.of_plain h).2.2.2.2.2
    · exact (hK.of_other h.1).2.2.2.2.2.2
  have hxl : K.letter x = false := by
    rcases hx with h | h
    · exact (hK.of_plain h).1
    · exact (hK.of_other h.1).1
  refine ⟨x :: L, r, rfl, by simp, letters_match (.inr ⟨hlead, hL0⟩) hc hL hr, ?_, ?_⟩
  · intro u c y v he
    by_cases hu : u = []
    · subst hu
      simp only [List.reverse_nil, List.nil_append, List.cons.injEq] at he
      obtain ⟨rfl, rfl⟩ := he
      have hy := hL y (List.mem_cons_self ..)
      rw [llama3Starts, hC.ends_eq_false hxl]
      rcases hx with h | ⟨h, hf⟩
      · simp [hy, h]
      · simp [hy, h, hf]
    · obtain ⟨q, rfl, hq⟩ := exists_first he hu
      obtain ⟨hcm, hym⟩ := mem_of_pair hq
      refine not_start_letters (hL y hym) (hL c hcm) ?_
      cases hends : K.contractionEnds C (c :: (q ++ [x] ++ before)) (y :: (v ++ r)) with
      | false => rfl
      | true =>
        exfalso
        have hqm : ∀ z ∈ q, K.letter z = true := fun z hz => hL z (by rw [hq]; simp [hz])
        rcases hC.ends hends with ⟨c', o, b, e, _, ho, hf, hm⟩ | ⟨d, c', o, b, e, hd, _, ho, hf, hm⟩
        · cases q with
          | nil =>
            cases e
            simp only [List.reverse_nil, List.nil_append] at hq
            rw [hq] at hc
            rw [show x :: (c :: y :: v ++ r) = x :: c :: y :: (v ++ r) from rfl, hm] at hc
            cases hc
          | cons z q =>
            cases e
            have := hqm o (by simp)
            rw [(hK.of_other ho).1] at this
            cases this
        · match q, e with
          | [], e => cases e; rw [hxl] at hd; cases hd
          | [z], e =>
            simp only [List.cons_append, List.nil_append, List.cons.injEq] at e
            obtain ⟨rfl, rfl, rfl, rfl⟩ := e
            simp only [List.reverse_cons, List.reverse_nil, List.nil_append, List.cons_append] at hq
            rw [hq] at hc
            rw [show x :: (z :: c :: y :: v ++ r) = x :: z :: c :: y :: (v ++ r) from rfl, hm] at hc
            cases hc
          | z :: z' :: q, e =>
            cases e
            have := hqm o (by simp)
            rw [(hK.of_other ho).1] at this
            cases this
  · intro hne
    obtain ⟨y, ys, rfl⟩ := List.exists_cons_of_ne_nil hne
    obtain ⟨c, b, hb, hcm⟩ := exists_last hL0 ([x] ++ before)
    have hb' : (x :: L).reverse ++ before = c :: b := by rw [← hb]; simp
    rw [hb']
    exact start_after_letter hK (hL c hcm) (hr y rfl)

/-- A contraction. -/
theorem contraction_piece (hK : K.Proper) (hC : K.Contraction C) {before s : List α} {m : Nat} (hm : C.firstMatch s = some m)
    (hs : StartsHere K C n whole before s) : MatchesTo (K.llama3 C n whole).firstMatch (K.llama3Starts C n whole) before s := by
  obtain ⟨o, c, t, rfl, ho, hcl, hlen⟩ := hC _ _ hm
  have hf := hs.fresh hK hC ho
  have hol := (hK.of_other ho).1
  have hfirst : (K.llama3 C n whole).firstMatch (o :: c :: t) = some m := by
    rw [llama3_firstMatch, hm]; rfl
  have hin : ∀ s', K.llama3Starts C n whole (o :: before) (c :: s') = false := fun s' => by
    rw [llama3Starts, hC.ends_eq_false hol]; simp [hcl, ho, hf]
  rcases hlen with rfl | ⟨rfl, d, t, rfl, hd⟩
  · refine ⟨[o, c], t, rfl, by simp, hfirst, ?_, fun _ => ?_⟩
    · intro u c' y v he
      match u, he with
      | [], he => cases he; exact hin _
      | a :: u, he =>
        have := congrArg List.length he
        simp only [List.length_cons, List.length_nil, List.length_append, List.length_reverse] at this
        omega
    · simp [llama3Starts, contractionEnds, hf, hm]
  · refine ⟨[o, c, d], t, rfl, by simp, hfirst, ?_, fun _ => ?_⟩
    · intro u c' y v he
      match u, he with
      | [], he => cases he; exact hin _
      | [a], he =>
        cases he
        refine not_start_letters hd hcl ?_
        cases hends : K.contractionEnds C (c :: ([o] ++ before)) (d :: ([] ++ t)) with
        | false => rfl
        | true =>
          rcases hC.ends hends with ⟨_, _, _, e, _, _, _, hm'⟩ | ⟨_, _, _, _, e, hc', _⟩
          · cases e; rw [show ([] : List α) ++ t = t from rfl, hm] at hm'; cases hm'
          · cases e; rw [hol] at hc'; cases hc'
      | a :: a' :: u, he =>
        have := congrArg List.length he
        simp only [List.length_cons, List.length_nil, List.length_append, List.length_reverse] at this
        omega
    · simp [llama3Starts, contractionEnds, hf, hm]

/-- Digits: as many as are left of the run, or `n`. -/
theorem number_piece (hK : K.Proper) (hC : K.Contraction C) (hn : 1 ≤ n) {before D r : List α} {x : α}
    (hx : K.number x = true) (hD : ∀ c ∈ D, K.number c = true) (hr : Stops K.number r)
    (hs : StartsHere K C n whole before (x :: (D ++ r))) :
    MatchesTo (K.llama3 C n whole).firstMatch (K.llama3Starts C n whole) before (x :: (D ++ r)) := by
  obtain ⟨hxl, hxb, _, _, hxo, _, hxlead⟩ := hK.of_number hx
  have hstart := hs.number hK hC hx
  have hw : ∀ c ∈ x :: D, K.number c = true := fun c hc => by
    rcases List.mem_cons.mp hc with rfl | hc
    · exact hx
    · exact hD c hc
  have hfirst : (K.llama3 C n whole).firstMatch (x :: (D ++ r)) = some (min n (D.length + 1)) := by
    have hd : (K.digits n).firstMatch (x :: (D ++ r)) = some (min n (D.length + 1)) := by
      rw [digits_firstMatch hn, run, if_pos hx, Pat.run_eq hD hr]
      simp
    rw [llama3_firstMatch, hC.none_of hxo, no_letters hxl (fun h => by rw [hxlead] at h; cases h), hd]
    rfl
  have hmem : ∀ c ∈ (x :: D).take n, K.number c = true := fun c hc => hw c (List.mem_of_mem_take hc)
  refine ⟨(x :: D).take n, (x :: D).drop n ++ r, ?_, ?_, ?_, ?_, ?_⟩
  · rw [← List.append_assoc, List.take_append_drop]; rfl
  · obtain ⟨m, rfl⟩ : ∃ m, n = m + 1 := ⟨n - 1, by omega⟩
    simp
  · rw [hfirst, List.length_take, List.length_cons]
  · intro u c y v he
    obtain ⟨hcm, hym⟩ := mem_of_pair he
    have hc := hmem c hcm
    have hy := hmem y hym
    have hlen := congrArg List.length he
    simp only [List.length_take, List.length_append, List.length_reverse, List.length_cons] at hlen
    have hrun : run K.number (c :: (u ++ before)) = u.length + 1 + run K.number before := by
      rw [run, if_pos hc, Pat.run_all_append fun z hz => hmem z (by rw [he]; simp [hz])]
      omega
    have hmod : (u.length + 1 + run K.number before) % n ≠ 0 := by
      rw [Nat.add_mod, hstart, Nat.add_zero, Nat.mod_mod, Nat.mod_eq_of_lt (by omega)]
      omega
    rw [llama3Starts, hC.ends_eq_false (hK.of_number hc).1]
    simp [(hK.of_number hy).1, hy, hrun, hmod]
  · intro hne
    obtain ⟨c, b, hb, hcm⟩ := exists_last (w := (x :: D).take n)
      (by obtain ⟨m, rfl⟩ : ∃ m, n = m + 1 := ⟨n - 1, by omega⟩; simp) before
    have hc := hmem c hcm
    by_cases hlen : n < D.length + 1
    · obtain ⟨y, ys, hy⟩ : ∃ y ys, (x :: D).drop n = y :: ys := by
        cases h : (x :: D).drop n with
        | nil => have := List.drop_eq_nil_iff.mp h; simp at this; omega
        | cons y ys => exact ⟨y, ys, rfl⟩
      have hyn := hw y (List.mem_of_mem_drop (hy ▸ List.mem_cons_self ..))
      have hrun : run K.number (((x :: D).take n).reverse ++ before) = n + run K.number before := by
        rw [Pat.run_all_append fun z hz => hmem z (List.mem_reverse.mp hz), List.length_reverse, List.length_take,
          List.length_cons]
        omega
      rw [hb] at hrun ⊢
      rw [hy, List.cons_append, llama3Starts, hC.ends_eq_false (hK.of_number hc).1]
      simp [(hK.of_number hyn).1, hyn, hrun, hstart]
    · have hd : (x :: D).drop n = [] := List.drop_eq_nil_iff.mpr (by simp; omega)
      rw [hd, List.nil_append] at hne ⊢
      obtain ⟨y, ys, rfl⟩ := List.exists_cons_of_ne_nil hne
      rw [hb]
      exact start_after_number hK hc (hr y rfl)

/-! ### Others -/

theorem taken_newlines {N b : List α} (hN : ∀ c ∈ N, K.newline c = true) : K.taken (N ++ b) = K.taken b := by
  induction N with
  | nil => rfl
  | cons z N ih =>
    rw [List.cons_append, taken_cons_newline (hN z (List.mem_cons_self ..)),
      ih fun c hc => hN c (List.mem_cons_of_mem _ hc)]

/-- Two neighbours in a list of two parts. -/
theorem pair_in_append {A B u v : List α} {c y : α} (h : A ++ B = u ++ c :: y :: v) :
    (c ∈ A ∧ y ∈ A) ∨ (c ∈ A ∧ y ∈ B) ∨ (c ∈ B ∧ y ∈ B) := by
  rcases List.append_eq_append_iff.mp h with ⟨l, rfl, rfl⟩ | ⟨l, hA, hB⟩
  · exact .inr (.inr (by simp))
  · cases l with
    | nil => rw [List.nil_append] at hB; exact .inr (.inr (by rw [← hB]; simp))
    | cons z l =>
      obtain ⟨hz, hB₂⟩ := List.cons.inj hB
      cases l with
      | nil =>
        have hB₂ : y :: v = B := hB₂
        exact .inr (.inl ⟨by rw [hA, hz]; simp, by rw [← hB₂]; simp⟩)
      | cons z' l =>
        have hz' := (List.cons.inj hB₂).1
        exact .inl ⟨by rw [hA, hz]; simp, by rw [hA, hz']; simp⟩

/-- A character inside a piece of others that no piece starts at: others behind others or the space, newlines behind
others or newlines. -/
theorem not_start_others (hK : K.Proper) (hC : K.Contraction C) {c y : α} {b s : List α}
    (h : K.other y = true ∧ (K.other c = true ∨ K.space c = true) ∨
      K.newline y = true ∧ (K.other c = true ∨ K.newline c = true)) :
    K.llama3Starts C n whole (c :: b) (y :: s) = false := by
  rcases h with ⟨hy, hc⟩ | ⟨hy, hc⟩
  · obtain ⟨h1, h2, h3, _⟩ := hK.of_other hy
    have hcl : K.letter c = false := by
      rcases hc with hc | hc
      · exact (hK.of_other hc).1
      · exact (hK.of_plain (hK.plain_of_space hc)).1
    rw [llama3Starts, hC.ends_eq_false hcl]
    rcases hc with hc | hc <;> simp [h1, h2, hy, Kinds.fresh, hc]
  · obtain ⟨h1, h2, h3, _⟩ := hK.of_newline hy
    have hcl : K.letter c = false := by
      rcases hc with hc | hc
      · exact (hK.of_other hc).1
      · exact (hK.of_newline hc).1
    rw [llama3Starts, hC.ends_eq_false hcl]
    rcases hc with hc | hc
    · simp [h1, h2, h3, hy, hc]
    · simp [h1, h2, h3, hy, (hK.of_newline hc).2.2.2.1]

/-- Behind newlines that others took, anything but a newline starts a piece. -/
theorem start_after_taken (hK : K.Proper) {c y : α} {b s : List α} (hc : K.newline c = true)
    (ht : K.taken (c :: b) = true) (hy : K.newline y = false) : K.llama3Starts C n whole (c :: b) (y :: s) = true := by
  obtain ⟨h1, h2, h3, h4, h5, h6, _⟩ := hK.of_newline hc
  simp [llama3Starts, hy, Kinds.fresh, run, h1, h2, h3, h4, h5, h6, hc, ht]

/-- Behind others that are no single character, anything but others and newlines starts a piece. -/
theorem start_after_other (hK : K.Proper) {c y : α} {b s : List α} (hc : K.other c = true)
    (hb : K.letter y = true → K.fresh b = false) (hy : K.other y = false) (hyn : K.newline y = false) :
    K.llama3Starts C n whole (c :: b) (y :: s) = true := by
  obtain ⟨h1, h2, h3, h4, h5, h6, _⟩ := hK.of_other hc
  by_cases hl : K.letter y = true
  · simp [llama3Starts, hl, h1, h6, hb hl]
  · simp [llama3Starts, hl, hy, hyn, run, h2, h3]

/-- The end of a piece of others, `O`, with the newlines that they take, `N`. -/
theorem others_end (hK : K.Proper) {before O N r : List α} (hO0 : O ≠ []) (hO : ∀ c ∈ O, K.other c = true)
    (hN : ∀ c ∈ N, K.newline c = true) (hO' : Stops K.other (N ++ r)) (hr : Stops K.newline r)
    (hb : ∀ o y ys, O = [o] → N ++ r = y :: ys → K.letter y = true → K.fresh before = false) (hne : r ≠ []) :
    K.llama3Starts C n whole ((O ++ N).reverse ++ before) r = true := by
  obtain ⟨y, ys, rfl⟩ := List.exists_cons_of_ne_nil hne
  have hyn := hr y rfl
  by_cases hN0 : N = []
  · subst hN0
    have hyo := hO' y rfl
    rw [List.append_nil]
    cases hrev : O.reverse with
    | nil => exact absurd (List.reverse_eq_nil_iff.mp hrev) hO0
    | cons c b =>
      have hcm : ∀ z ∈ c :: b, K.other z = true := fun z hz => hO z (List.mem_reverse.mp (hrev ▸ hz))
      rw [List.cons_append]
      refine start_after_other hK (hcm c (List.mem_cons_self ..)) (fun hl => ?_) hyo hyn
      cases b with
      | nil =>
        have : O = [c] := by have := congrArg List.reverse hrev; simpa using this
        exact hb c y ys this rfl hl
      | cons z b => simp [Kinds.fresh, hcm z (by simp)]
  · obtain ⟨c, b, hcb, hcm⟩ := exists_last hN0 (O.reverse ++ before)
    obtain ⟨o, b', hob, hom⟩ := exists_last hO0 before
    have he : (O ++ N).reverse ++ before = c :: b := by rw [← hcb]; simp
    rw [he]
    refine start_after_taken hK (hN c hcm) ?_ hyn
    rw [← hcb, taken_newlines fun z hz => hN z (List.mem_reverse.mp hz), hob,
      taken_cons_false (hK.of_other (hO o hom)).2.2.2.1, hO o hom]

/-- Others. -/
theorem others_piece (hK : K.Proper) (hC : K.Contraction C) (hn : 1 ≤ n) {before O N r : List α} {x : α}
    (hx : K.other x = true) (hO : ∀ c ∈ O, K.other c = true) (hN : ∀ c ∈ N, K.newline c = true)
    (hO' : Stops K.other (N ++ r)) (hr : Stops K.newline r) (hl : Stops K.letter (O ++ (N ++ r)))
    (hc : C.firstMatch (x :: (O ++ (N ++ r))) = none) :
    MatchesTo (K.llama3 C n whole).firstMatch (K.llama3Starts C n whole) before (x :: (O ++ (N ++ r))) := by
  obtain ⟨h1, h2, h3, h4, h5, h6, h7⟩ := hK.of_other hx
  have hall : ∀ c ∈ x :: O, K.other c = true := fun c hc => by
    rcases List.mem_cons.mp hc with rfl | hc
    · exact hx
    · exact hO c hc
  refine ⟨x :: O ++ N, r, by simp, by simp, ?_, ?_, ?_⟩
  · have hrun : run K.other (x :: (O ++ (N ++ r))) = O.length + 1 := by rw [run, if_pos hx, Pat.run_eq hO hO']
    have hdrop : (x :: (O ++ (N ++ r))).drop (O.length + 1) = N ++ r := by simp
    rw [llama3_firstMatch, hc, no_letters h1 fun _ => hl, no_digits hn h2, Pat.firstMatch_opt_chr, h5,
      Pat.firstMatch_plus_star K.other K.newline (x :: _), hrun, hdrop, Pat.run_eq hN hr]
    simp only [Bool.false_eq_true, if_false, Nat.add_eq_zero_iff, Nat.one_ne_zero, and_false, Option.none_or,
      Option.some_or, List.length_append, List.length_cons]
  · intro u c y v he
    refine not_start_others hK hC ?_
    rcases pair_in_append he with ⟨hc, hy⟩ | ⟨hc, hy⟩ | ⟨hc, hy⟩
    · exact .inl ⟨hall y hy, .inl (hall c hc)⟩
    · exact .inr ⟨hN y hy, .inl (hall c hc)⟩
    · exact .inr ⟨hN y hy, .inr (hN c hc)⟩
  · intro hne
    refine others_end hK (by simp) hall hN hO' hr (fun o y ys he hy hyl => ?_) hne
    cases he
    rw [List.nil_append, hy] at hl
    rw [hl y rfl] at hyl
    cases hyl

/-- Others behind the space that they take along. -/
theorem space_others_piece (hK : K.Proper) (hC : K.Contraction C) (hn : 1 ≤ n) {before O N r : List α} {x : α}
    (hx : K.space x = true) (hO0 : O ≠ []) (hO : ∀ c ∈ O, K.other c = true) (hN : ∀ c ∈ N, K.newline c = true)
    (hO' : Stops K.other (N ++ r)) (hr : Stops K.newline r) :
    MatchesTo (K.llama3 C n whole).firstMatch (K.llama3Starts C n whole) before (x :: (O ++ (N ++ r))) := by
  obtain ⟨h1, h2, h3, h4, h5, h6⟩ := hK.of_plain (hK.plain_of_space hx)
  have hl : Stops K.letter (O ++ (N ++ r)) := by
    obtain ⟨o, O, rfl⟩ := List.exists_cons_of_ne_nil hO0
    intro y hy
    cases hy
    exact (hK.of_other (hO o (List.mem_cons_self ..))).1
  refine ⟨x :: (O ++ N), r, by simp, by simp, ?_, ?_, ?_⟩
  · have h0 : O.length ≠ 0 := fun h => hO0 (List.eq_nil_of_length_eq_zero h)
    rw [llama3_firstMatch, hC.none_of h3, no_letters h1 fun _ => hl, no_digits hn h2, Pat.firstMatch_opt_chr, if_pos hx,
      Pat.firstMatch_plus_star, Pat.run_eq hO hO', if_neg h0]
    have : (O ++ (N ++ r)).drop O.length = N ++ r := by simp
    rw [this, Pat.run_eq hN hr]
    simp only [Option.map_some, Option.none_or, Option.some_or, List.length_append, List.length_cons, Option.some.injEq]
    omega
  · intro u c y v he
    refine not_start_others hK hC ?_
    by_cases hu : u = []
    · subst hu
      simp only [List.reverse_nil, List.nil_append, List.cons.injEq] at he
      obtain ⟨rfl, he⟩ := he
      obtain ⟨o, O, rfl⟩ := List.exists_cons_of_ne_nil hO0
      cases he
      exact .inl ⟨hO y (List.mem_cons_self ..), .inr hx⟩
    · obtain ⟨q, rfl, hq⟩ := exists_first he hu
      rcases pair_in_append hq with ⟨hc, hy⟩ | ⟨hc, hy⟩ | ⟨hc, hy⟩
      · exact .inl ⟨hO y hy, .inl (hO c hc)⟩
      · exact .inr ⟨hN y hy, .inl (hO c hc)⟩
      · exact .inr ⟨hN y hy, .inr (hN c hc)⟩
  · intro hne
    have he : (x :: (O ++ N)).reverse ++ before = (O ++ N).reverse ++ (x :: before) := by simp
    rw [he]
    exact others_end hK hO0 hO hN hO' hr (fun _ _ _ _ _ _ => by simp [Kinds.fresh, hx]) hne

/-! ### White space -/

theorem lastBlanks_of_mem {l r : List α} : (∀ c ∈ l, K.blank c = true) → (∃ z ∈ l, K.newline z = true) →
    K.lastBlanks whole (l ++ r) = false := by
  induction l with
  | nil => rintro _ ⟨z, hz, _⟩; simp at hz
  | cons a l ih =>
    rintro hb ⟨z, hz, hzn⟩
    by_cases ha : K.newline a = true
    · simp [lastBlanks, run, plain, ha]
    · have hap : K.plain a = true := (newline_or_plain (hb a (List.mem_cons_self ..))).resolve_left ha
      have hz' : z ∈ l := by
        rcases List.mem_cons.mp hz with rfl | hz
        · exact absurd hzn ha
        · exact hz
      have := ih (fun c hc => hb c (List.mem_cons_of_mem _ hc)) ⟨z, hz', hzn⟩
      rw [lastBlanks] at this ⊢
      rw [List.cons_append, run, if_pos hap, List.drop_succ_cons, this]

theorem lastBlanks_eq_true (hK : K.Proper) {l r : List α} (hl : ∀ c ∈ l, K.plain c = true) (hr : Stops K.blank r)
    (hw : whole = true → r ≠ []) : K.lastBlanks whole (l ++ r) = true := by
  have hrp : Stops K.plain r := fun y hy => by simp [plain, hr y hy]
  rw [lastBlanks, Pat.run_eq hl hrp, List.drop_left]
  cases r with
  | nil =>
    cases whole with
    | false => rfl
    | true => exact absurd rfl (hw rfl)
  | cons y r =>
    have hy := hr y rfl
    rw [List.head?_cons]
    cases h : K.newline y with
    | false => simp [h]
    | true => rw [hK.newline_blank y h] at hy; cases hy

/-- White space at the end of the text. -/
theorem lastBlanks_whole {l : List α} : (∀ c ∈ l, K.blank c = true) → K.lastBlanks true l = false := by
  induction l with
  | nil => intro _; rfl
  | cons a l ih =>
    intro hb
    by_cases ha : K.newline a = true
    · simp [lastBlanks, run, plain, ha]
    · have hap : K.plain a = true := (newline_or_plain (hb a (List.mem_cons_self ..))).resolve_left ha
      have := ih fun c hc => hb c (List.mem_cons_of_mem _ hc)
      rw [lastBlanks] at this ⊢
      rw [run, if_pos hap, List.drop_succ_cons, this]

theorem taken_append (hK : K.Proper) {l b : List α} (hl : ∀ c ∈ l, K.blank c = true) (hb : K.taken b = false) :
    K.taken (l ++ b) = false := by
  induction l with
  | nil => exact hb
  | cons a l ih =>
    rw [List.cons_append]
    rcases newline_or_plain (hl a (List.mem_cons_self ..)) with h | h
    · rw [taken_cons_newline h]
      exact ih fun c hc => hl c (List.mem_cons_of_mem _ hc)
    · rw [taken_cons_false (hK.of_plain h).2.2.2.2.1, (hK.of_plain h).2.2.1]

theorem atText_append {l r : List α} (hl : ∀ c ∈ l, K.blank c = true) (h : l ≠ [] ∨ r = []) :
    K.atText (l ++ r) = false := by
  cases l with
  | nil => rw [h.resolve_left (fun h => h rfl)]; rfl
  | cons a l => simp [atText, hl a (List.mem_cons_self ..)]

/-- White space inside a run, before more of it, behind which no piece starts. -/
theorem not_start_blank (hK : K.Proper) (hC : K.Contraction C) {c y : α} {b s : List α} (hc : K.blank c = true)
    (hy : K.blank y = true) (h : K.plain y = true → K.atText s = false ∧
      (K.newline c = true → K.taken (c :: b) = false ∧ K.lastBlanks whole (y :: s) = false)) :
    K.llama3Starts C n whole (c :: b) (y :: s) = false := by
  obtain ⟨h1, h2, h3⟩ := hK.of_blank hy
  rw [llama3Starts, hC.ends_eq_false (hK.of_blank hc).1]
  rcases newline_or_plain hy with hn | hp
  · simp [h1, h2, h3, hn, hc]
  · obtain ⟨ht, hcn⟩ := h hp
    have hyn := (hK.of_plain hp).2.2.2.2.1
    by_cases hcnl : K.newline c = true
    · obtain ⟨h4, h5⟩ := hcn hcnl
      simp [h1, h2, h3, hyn, hc, ht, h4, h5]
    · simp [h1, h2, h3, hyn, hc, ht, hcnl]

/-- Inside white space, no newline belongs to others before it, if none does at its first character. -/
theorem taken_in_blanks (hK : K.Proper) {w before q V : List α} {x c y : α} (hw : ∀ c ∈ w, K.blank c = true)
    (ht : K.taken (x :: before) = false) (hfirst : w.head? = some x)
    (hq : w = q.reverse ++ c :: y :: V) : K.taken (c :: (q ++ before)) = false := by
  have he : x :: w.tail = (c :: q).reverse ++ (y :: V) := by
    rw [List.reverse_cons, List.append_assoc, List.cons_append, List.nil_append, ← hq]
    cases w with
    | nil => simp at hfirst
    | cons a t => cases hfirst; rfl
  obtain ⟨q', hq', _⟩ := exists_first he (by simp)
  rw [← List.cons_append, hq', List.append_assoc]
  refine taken_append hK (fun d hd => hw d ?_) ht
  have : d ∈ (c :: q) := by rw [hq']; simp [hd]
  rw [hq]
  rcases List.mem_cons.mp this with rfl | h
  · simp
  · simp [h]

/-- White space up to its last newline. -/
theorem newline_piece (hK : K.Proper) (hC : K.Contraction C) (hn : 1 ≤ n) {before u v r xs : List α} {x z : α}
    (he : x :: xs = u ++ z :: (v ++ r)) (hu : ∀ c ∈ u, K.blank c = true) (hz : K.newline z = true)
    (hv : ∀ c ∈ v, K.plain c = true) (hr : Stops K.blank r)
    (hl : K.plain x = true → Stops K.letter xs) (ho : K.space x = true → Stops K.other xs)
    (hwhole : whole = true → r ≠ []) (hs : StartsHere K C n whole before (x :: xs)) :
    MatchesTo (K.llama3 C n whole).firstMatch (K.llama3Starts C n whole) before (x :: xs) := by
  have hzb := (hK.of_newline hz).2.2.2.1
  have hw : ∀ c ∈ u ++ [z], K.blank c = true := fun c hc => by
    rcases List.mem_append.mp hc with hc | hc
    · exact hu c hc
    · rw [List.mem_singleton] at hc; rw [hc]; exact hzb
  have hx : K.blank x = true := by
    cases u with
    | nil => cases he; exact hzb
    | cons a u => cases he; exact hu x (List.mem_cons_self ..)
  obtain ⟨h1, h2, h3⟩ := hK.of_blank hx
  refine ⟨u ++ [z], v ++ r, by rw [he]; simp, by simp, ?_, ?_, ?_⟩
  · have hlead : K.lead x = true → Stops K.letter xs := fun h => by
      rcases newline_or_plain hx with hn | hp
      · rw [(hK.of_newline hn).2.2.2.2.2.2] at h; cases h
      · exact hl hp
    have hatEnd : (if whole then (Pat.seq (.plus K.blank) .atEnd).firstMatch (x :: xs) else none) = none := by
      cases whole with
      | false => rfl
      | true =>
        obtain ⟨B, hB⟩ : ∃ B, u ++ z :: v = x :: B := by
          cases u with
          | nil => cases he; exact ⟨v, rfl⟩
          | cons a u => cases he; exact ⟨u ++ z :: v, rfl⟩
        have hxs : xs = B ++ r := by
          have : x :: xs = (u ++ z :: v) ++ r := by rw [he]; simp
          rw [hB] at this
          cases this
          rfl
        have hBb : ∀ c ∈ B, K.blank c = true := fun c hc => by
          have : c ∈ u ++ z :: v := by rw [hB]; exact List.mem_cons_of_mem _ hc
          rcases List.mem_append.mp this with h | h
          · exact hu c h
          · rcases List.mem_cons.mp h with rfl | h
            · exact hzb
            · exact (hK.of_plain (hv c h)).2.2.2.1
        rw [if_pos rfl, hxs, Pat.firstMatch_plus_atEnd hx hBb hr]
        cases r with
        | nil => exact absurd rfl (hwhole rfl)
        | cons _ _ => rfl
    rw [llama3_firstMatch, hC.none_of h3, no_letters h1 hlead, no_digits hn h2, no_others h3 ho, hatEnd, he,
      Pat.firstMatch_star_plus hK.newline_blank hu hz
        (fun c hc => ⟨(hK.of_plain (hv c hc)).2.2.2.1, (hK.of_plain (hv c hc)).2.2.2.2.1⟩) hr]
    simp
  · intro q c y V hq
    obtain ⟨hcm, hym⟩ := mem_of_pair hq
    refine not_start_blank hK hC (hw c hcm) (hw y hym) fun hyp => ?_
    -- `z` is behind `y`
    have hzV : z ∈ V := by
      have := congrArg List.reverse hq
      simp only [List.reverse_append, List.reverse_cons, List.reverse_nil, List.nil_append, List.reverse_reverse,
        List.append_assoc, List.cons_append] at this
      cases hV : V.reverse with
      | nil =>
        rw [hV] at this
        have hzy : z = y := (List.cons.inj this).1
        rw [hzy, (hK.of_plain hyp).2.2.2.2.1] at hz
        cases hz
      | cons a V' =>
        rw [hV] at this
        obtain rfl : z = a := (List.cons.inj this).1
        exact List.mem_reverse.mp (hV ▸ List.mem_cons_self ..)
    have hVb : ∀ c ∈ V, K.blank c = true := fun c hc => hw c (by rw [hq]; simp [hc])
    refine ⟨atText_append hVb (.inl (List.ne_nil_of_mem hzV)), fun _ => ⟨?_, ?_⟩⟩
    · exact taken_in_blanks hK hw (hs.taken hK hC hx) (by cases u <;> cases he <;> rfl) hq
    · rw [← List.cons_append]
      refine lastBlanks_of_mem (fun d hd => ?_) ⟨z, List.mem_cons_of_mem _ hzV, hz⟩
      rcases List.mem_cons.mp hd with rfl | hd
      · exact hw d hym
      · exact hVb d hd
  · intro hne
    have hb : (u ++ [z]).reverse ++ before = z :: (u.reverse ++ before) := by simp
    obtain ⟨g1, g2, g3, g4, g5, g6, _⟩ := hK.of_newline hz
    rw [hb]
    cases v with
    | nil =>
      rw [List.nil_append] at hne ⊢
      obtain ⟨y, ys, rfl⟩ := List.exists_cons_of_ne_nil hne
      have hyb := hr y rfl
      have hyn : K.newline y = false := by
        cases h : K.newline y with
        | false => rfl
        | true => rw [hK.newline_blank y h] at hyb; cases hyb
      rcases kinds K y with h | h | h | h
      · simp [llama3Starts, h, g1, g3, g6]
      · simp [llama3Starts, h, (hK.of_number h).1, run, g2]
      · simp [llama3Starts, h, (hK.of_other h).1, (hK.of_other h).2.1, Kinds.fresh, g3, g5]
      · rw [hyb] at h; cases h
    | cons y v =>
      obtain ⟨f1, f2, f3, f4, f5, f6⟩ := hK.of_plain (hv y (List.mem_cons_self ..))
      have hna := lastBlanks_eq_true hK hv hr hwhole
      rw [List.cons_append] at hna ⊢
      simp [llama3Starts, f1, f2, f3, f5, hz, hna]

/-- White space without a newline: all of it at the end of the text, else all but its last character. -/
theorem blank_piece (hK : K.Proper) (hC : K.Contraction C) (hn : 1 ≤ n) {before v r : List α} {x : α}
    (hx : K.plain x = true) (hv : ∀ c ∈ v, K.plain c = true) (hr : Stops K.blank r)
    (hl : Stops K.letter (v ++ r)) (ho : K.space x = true → Stops K.other (v ++ r)) :
    MatchesTo (K.llama3 C n whole).firstMatch (K.llama3Starts C n whole) before (x :: (v ++ r)) := by
  obtain ⟨h1, h2, h3, h4, h5, h6⟩ := hK.of_plain hx
  have hvb : ∀ c ∈ v, K.blank c = true := fun c hc => (hK.of_plain (hv c hc)).2.2.2.1
  have hwp : ∀ c ∈ x :: v, K.plain c = true := fun c hc => by
    rcases List.mem_cons.mp hc with rfl | hc
    · exact hx
    · exact hv c hc
  have hwb : ∀ c ∈ x :: v, K.blank c = true := fun c hc => (hK.of_plain (hwp c hc)).2.2.2.1
  have hfirst : (K.llama3 C n whole).firstMatch (x :: (v ++ r)) =
      if r.isEmpty then some (v.length + 1) else if v.isEmpty then some 1 else some v.length := by
    have hnl := Pat.firstMatch_star_plus_none (v := x :: v) hK.newline_blank
      (fun c hc => ⟨hwb c hc, (hK.of_plain (hwp c hc)).2.2.2.2.1⟩) hr
    rw [List.cons_append] at hnl
    rw [llama3_firstMatch, hC.none_of h3, no_letters h1 fun _ => hl, no_digits hn h2, no_others h3 ho, hnl,
      Pat.firstMatch_plus_atEnd h4 hvb hr, Pat.firstMatch_plus_notAhead (text_eq K) h4 hvb hr, Pat.firstMatch_plus, run,
      if_pos h4, Pat.run_eq hvb hr]
    cases whole <;> cases r <;> cases v <;> simp
  -- inside white space, before more of it or at the end of the text
  have hin : ∀ w rest, x :: v ++ r = w ++ rest → (∀ c ∈ w, K.plain c = true) → K.atText rest = false →
      ∀ q c y V, w = q.reverse ++ c :: y :: V →
        K.llama3Starts C n whole (c :: (q ++ before)) (y :: (V ++ rest)) = false := by
    intro w rest _ hw hrest q c y V hq
    obtain ⟨hcm, hym⟩ := mem_of_pair hq
    have hVb : ∀ c ∈ V, K.blank c = true := fun c hc => (hK.of_plain (hw c (by rw [hq]; simp [hc]))).2.2.2.1
    refine not_start_blank hK hC (hK.of_plain (hw c hcm)).2.2.2.1 (hK.of_plain (hw y hym)).2.2.2.1
      fun _ => ⟨?_, fun hcn => ?_⟩
    · cases V with
      | nil => exact hrest
      | cons a V => simp [atText, hVb a (List.mem_cons_self ..)]
    · rw [(hK.of_plain (hw c hcm)).2.2.2.2.1] at hcn; cases hcn
  cases r with
  | nil =>
    refine ⟨x :: v, [], by simp, by simp, by rw [hfirst]; simp, ?_, fun h => absurd rfl h⟩
    exact hin _ _ (by simp) hwp rfl
  | cons t r =>
    have htb := hr t rfl
    rcases List.eq_nil_or_concat v with rfl | ⟨w, z, rfl⟩
    · refine ⟨[x], t :: r, rfl, by simp, by rw [hfirst]; rfl, ?_, fun _ => ?_⟩
      · intro q c y V hq
        have := congrArg List.length hq
        simp only [List.length_cons, List.length_nil, List.length_append, List.length_reverse] at this
        omega
      · have htl := hl t rfl
        rcases kinds K t with h | h | h | h
        · rw [htl] at h; cases h
        · simp [llama3Starts, h, htl, run, h2]
        · have hsp : K.space x = false := by
            cases hsx : K.space x with
            | false => rfl
            | true => rw [ho hsx t rfl] at h; cases h
          simp [llama3Starts, h, htl, (hK.of_other h).2.1, Kinds.fresh, h3, hsp]
        · rw [htb] at h; cases h
    · have hzp : K.plain z = true := hv z (by simp)
      obtain ⟨f1, f2, f3, f4, f5, f6⟩ := hK.of_plain hzp
      have hwp' : ∀ c ∈ x :: w, K.plain c = true := fun c hc => hwp c (by
        rcases List.mem_cons.mp hc with rfl | hc <;> simp_all)
      refine ⟨x :: w, z :: t :: r, by simp, by simp, by rw [hfirst]; simp, ?_, fun _ => ?_⟩
      · exact hin _ _ (by simp) hwp' (by simp [atText, f4])
      · obtain ⟨c, b, hb, hcm⟩ := exists_last (w := x :: w) (by simp) before
        rw [hb]
        simp [llama3Starts, f1, f2, f3, f5, atText, htb]

/-- All white space at the end of the text, where it is one piece. -/
theorem whole_piece (hK : K.Proper) (hC : K.Contraction C) (hn : 1 ≤ n) {before v : List α} {x : α}
    (hx : K.blank x = true) (hv : ∀ c ∈ v, K.blank c = true) (hs : StartsHere K C n true before (x :: v)) :
    MatchesTo (K.llama3 C n true).firstMatch (K.llama3Starts C n true) before (x :: v) := by
  obtain ⟨h1, h2, h3⟩ := hK.of_blank hx
  have hw : ∀ c ∈ x :: v, K.blank c = true := fun c hc => by
    rcases List.mem_cons.mp hc with rfl | hc
    · exact hx
    · exact hv c hc
  have hstops : ∀ p : α → Bool, (∀ c, K.blank c = true → p c = false) → Stops p v := fun p hp y hy =>
    hp y (hv y (List.mem_of_mem_head? hy))
  refine ⟨x :: v, [], by simp, by simp, ?_, ?_, fun h => absurd rfl h⟩
  · have hend := Pat.firstMatch_plus_atEnd (r := []) hx hv fun _ h => by simp at h
    rw [List.append_nil] at hend
    rw [llama3_firstMatch, hC.none_of h3, no_letters h1 fun _ => hstops _ fun c hc => (hK.of_blank hc).1, no_digits hn h2,
      no_others h3 fun _ => hstops _ fun c hc => (hK.of_blank hc).2.2, if_pos rfl, hend]
    rfl
  · intro q c y V hq
    obtain ⟨hcm, hym⟩ := mem_of_pair hq
    have hVb : ∀ c ∈ y :: V, K.blank c = true := fun c hc => hw c (by rw [hq]; simp_all)
    rw [List.append_nil]
    refine not_start_blank hK hC (hw c hcm) (hw y hym) fun _ => ⟨?_, fun _ =>
      ⟨taken_in_blanks hK hw (hs.taken hK hC hx) rfl hq, lastBlanks_whole hVb⟩⟩
    have := atText_append (r := []) (fun c hc => hVb c (List.mem_cons_of_mem _ hc)) (.inr rfl)
    rwa [List.append_nil] at this

/-! ## Every piece -/

/-- **At each place, Llama 3's pattern matches up to the next one.** -/
theorem llama3_matchesTo (hK : K.Proper) (hC : K.Contraction C) (hn : 1 ≤ n) {before s : List α} (h0 : s ≠ [])
    (hs : StartsHere K C n whole before s) : MatchesTo (K.llama3 C n whole).firstMatch (K.llama3Starts C n whole) before s := by
  cases hc : C.firstMatch s with
  | some m => exact contraction_piece hK hC hc hs
  | none =>
    obtain ⟨x, xs, rfl⟩ := List.exists_cons_of_ne_nil h0
    obtain ⟨L, r, hLr, hL, hr⟩ := Pat.exists_run K.letter xs
    rcases kinds K x with hx | hx | hx | hx
    · rw [hLr] at hs ⊢
      exact letters_piece hK hC hx hL hr hs
    · obtain ⟨D, r, rfl, hD, hr⟩ := Pat.exists_run K.number xs
      exact number_piece hK hC hn hx hD hr hs
    · by_cases hL0 : L = []
      · subst hL0
        rw [List.nil_append] at hLr
        subst hLr
        obtain ⟨O, r, rfl, hO, hO'⟩ := Pat.exists_run K.other xs
        obtain ⟨N, r, rfl, hN, hr'⟩ := Pat.exists_run K.newline r
        exact others_piece hK hC hn hx hO hN hO' hr' hr hc
      · have hf := hs.fresh hK hC hx
        rw [hLr] at hc ⊢
        exact lead_piece hK hC (.inr ⟨hx, hf⟩) hL0 hL hr hc
    · by_cases hlead : K.plain x = true ∧ L ≠ []
      · rw [hLr] at hc ⊢
        exact lead_piece hK hC (.inl hlead.1) hlead.2 hL hr hc
      have hl : K.plain x = true → Stops K.letter xs := fun hp => by
        have : L = [] := Decidable.not_not.mp fun h => hlead ⟨hp, h⟩
        rw [hLr, this]
        exact hr
      obtain ⟨O, r', hOr, hO, hO'⟩ := Pat.exists_run K.other xs
      by_cases hsp : K.space x = true ∧ O ≠ []
      · subst hOr
        obtain ⟨N, r, rfl, hN, hr'⟩ := Pat.exists_run K.newline r'
        exact space_others_piece hK hC hn hsp.1 hsp.2 hO hN hO' hr'
      have ho : K.space x = true → Stops K.other xs := fun hp => by
        have : O = [] := Decidable.not_not.mp fun h => hsp ⟨hp, h⟩
        rw [hOr, this]
        exact hO'
      obtain ⟨B, r, hBr, hB, hrb⟩ := Pat.exists_run K.blank (x :: xs)
      by_cases hwhole : whole = true ∧ r = []
      · obtain ⟨rfl, rfl⟩ := hwhole
        rw [List.append_nil] at hBr
        exact whole_piece hK hC hn hx (fun c hc => hB c (by rw [← hBr]; exact List.mem_cons_of_mem _ hc)) hs
      have hwhole : whole = true → r ≠ [] := fun h he => hwhole ⟨h, he⟩
      rcases exists_last_newline K B with hnl | ⟨u, z, v, rfl, hz, hv⟩
      · have hBp : ∀ c ∈ B, K.plain c = true := fun c hc => by simp [plain, hB c hc, hnl c hc]
        cases B with
        | nil =>
          rw [List.nil_append] at hBr
          rw [hrb x (by rw [← hBr]; rfl)] at hx
          cases hx
        | cons b v =>
          cases hBr
          exact blank_piece hK hC hn (hBp x (List.mem_cons_self ..))
            (fun c hc => hBp c (List.mem_cons_of_mem _ hc)) hrb (hl (hBp x (List.mem_cons_self ..))) ho
      · refine newline_piece hK hC hn (u := u) (z := z) (v := v) (r := r) (by rw [hBr]; simp)
          (fun c hc => hB c (by simp [hc])) hz (fun c hc => ?_) hrb hl ho hwhole hs
        simp [plain, hB c (by simp [hc]), hv c hc]

/-- **The pieces of Llama 3's pattern are the text cut at its places.** -/
theorem llama3_split (hK : K.Proper) (hC : K.Contraction C) (hn : 1 ≤ n) (s : List α) :
    Stage.split { pat := K.llama3 C n whole } s = piecesAt (K.llama3Starts C n whole) [] s :=
  split_eq_piecesAt (fun _ _ h0 hs => llama3_matchesTo hK hC hn h0 hs) s

end VerifiedTok.Kinds
