module

public import VerifiedTok.Thm.Starts.Kinds

public section

/-!
# Llama 3's pattern, place by place

At a place where a piece starts, the pattern matches up to the next such place: one lemma for each kind of piece.
-/

namespace VerifiedTok.Kinds

open Pat (run Stops)

variable {α : Type} {K : Kinds α} {C : Pat α} {n : Nat}

/-! ## What is known of a place where a piece starts -/

/-- A piece starts at this place. -/
@[expose] def StartsHere (K : Kinds α) (C : Pat α) (n : Nat) (before s : List α) : Prop :=
  before = [] ∨ K.llama3Starts C n before s = true

theorem StartsHere.fresh (hK : K.Proper) (hC : K.Contraction C) {before xs : List α} {x : α}
    (h : StartsHere K C n before (x :: xs)) (hx : K.other x = true) : K.fresh before = true := by
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
    (h : StartsHere K C n before (x :: xs)) (hx : K.number x = true) : run K.number before % n = 0 := by
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
    (h : StartsHere K C n before (x :: xs)) (hx : K.blank x = true) : K.taken (x :: before) = false := by
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

variable (hK : K.Proper) (hC : K.Contraction C) (hn : 1 ≤ n)
include hK hC hn

theorem llama3_firstMatch (s : List α) : (K.llama3 C n).firstMatch s =
    (C.firstMatch s).or
      (((Pat.opt (.chr K.lead)).seq (.plus K.letter)).firstMatch s |>.or
        ((K.digits n).firstMatch s |>.or
          (((Pat.opt (.chr K.space)).seq (.seq (.plus K.other) (.star K.newline))).firstMatch s |>.or
            ((Pat.seq (.star K.blank) (.plus K.newline)).firstMatch s |>.or
              ((Pat.seq (.plus K.blank) (.notAhead (.chr K.text))).firstMatch s |>.or
                ((Pat.plus K.blank).firstMatch s)))))) := by
  simp only [llama3, blanks, Pat.firstMatch_alt]

theorem digits_firstMatch (s : List α) :
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
    (K.llama3 C n).firstMatch (x :: (L ++ r)) = some (L.length + 1) := by
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
  rw [llama3_firstMatch hK hC hn, hc, hA]
  rfl

theorem no_letters {x : α} {xs : List α} (hx : K.letter x = false) (h : K.lead x = true → Stops K.letter xs) :
    ((Pat.opt (.chr K.lead)).seq (.plus K.letter)).firstMatch (x :: xs) = none := by
  rw [Pat.firstMatch_opt_chr, Pat.firstMatch_plus, Pat.firstMatch_plus, run, hx]
  by_cases hl : K.lead x = true
  · simp [hl, Pat.run_of_stops (h hl)]
  · simp [hl]

theorem no_digits {x : α} {xs : List α} (hx : K.number x = false) : (K.digits n).firstMatch (x :: xs) = none := by
  rw [digits_firstMatch hK hC hn, run, hx]
  rfl

theorem no_others {x : α} {xs : List α} (hx : K.other x = false) (h : K.space x = true → Stops K.other xs) :
    ((Pat.opt (.chr K.space)).seq (.seq (.plus K.other) (.star K.newline))).firstMatch (x :: xs) = none := by
  rw [Pat.firstMatch_opt_chr, Pat.firstMatch_plus_star, Pat.firstMatch_plus_star, run, hx]
  by_cases hs : K.space x = true
  · simp [hs, Pat.run_of_stops (h hs)]
  · simp [hs]

/-! ## Places inside a piece, and behind it -/

theorem not_start_letters {c y : α} {b s : List α} (hy : K.letter y = true) (hc : K.letter c = true)
    (he : K.contractionEnds C (c :: b) (y :: s) = false) : K.llama3Starts C n (c :: b) (y :: s) = false := by
  simp [llama3Starts, he, hy, hc]

/-- Behind letters, anything but a letter starts a piece. -/
theorem start_after_letter {c y : α} {b s : List α} (hc : K.letter c = true) (hy : K.letter y = false) :
    K.llama3Starts C n (c :: b) (y :: s) = true := by
  obtain ⟨h1, h2, h3, h4, h5, h6⟩ := hK.of_letter hc
  simp [llama3Starts, hy, Kinds.fresh, run, h1, h2, h4, h5]

/-- Behind digits, anything but a digit starts a piece. -/
theorem start_after_number {c y : α} {b s : List α} (hc : K.number c = true) (hy : K.number y = false) :
    K.llama3Starts C n (c :: b) (y :: s) = true := by
  obtain ⟨h1, h2, h3, h4, h5, h6, _⟩ := hK.of_number hc
  simp [llama3Starts, hy, Kinds.fresh, h1, h2, h4, h5, h6]

/-! ## Pieces -/

/-- Letters. -/
theorem letters_piece {before L r : List α} {x : α} (hx : K.letter x = true) (hL : ∀ c ∈ L, K.letter c = true)
    (hr : Stops K.letter r) (hs : StartsHere K C n before (x :: (L ++ r))) :
    MatchesTo (K.llama3 C n).firstMatch (K.llama3Starts C n) before (x :: (L ++ r)) := by
  have hw : ∀ c ∈ x :: L, K.letter c = true := fun c hc => by
    rcases List.mem_cons.mp hc with rfl | hc
    · exact hx
    · exact hL c hc
  have hxo := (hK.of_letter hx).2.2.2.2.1
  refine ⟨x :: L, r, rfl, by simp, letters_match hK hC hn (.inl hx) (hC.none_of hxo) hL hr, ?_, ?_⟩
  · intro u c y v he
    obtain ⟨hcm, hym⟩ := mem_of_pair he
    refine not_start_letters hK hC hn (hw y hym) (hw c hcm) ?_
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
    exact start_after_letter hK hC hn (hw c hcm) (hr y rfl)

/-- Letters behind the one character that they take along. -/
theorem lead_piece {before L r : List α} {x : α}
    (hx : K.plain x = true ∨ K.other x = true ∧ K.fresh before = true) (hL0 : L ≠ [])
    (hL : ∀ c ∈ L, K.letter c = true) (hr : Stops K.letter r) (hc : C.firstMatch (x :: (L ++ r)) = none) :
    MatchesTo (K.llama3 C n).firstMatch (K.llama3Starts C n) before (x :: (L ++ r)) := by
  have hlead : K.lead x = true := by
    rcases hx with h | h
    · exact (hK.of_plain h).2.2.2.2.2
    · exact (hK.of_other h.1).2.2.2.2.2.2
  have hxl : K.letter x = false := by
    rcases hx with h | h
    · exact (hK.of_plain h).1
    · exact (hK.of_other h.1).1
  refine ⟨x :: L, r, rfl, by simp, letters_match hK hC hn (.inr ⟨hlead, hL0⟩) hc hL hr, ?_, ?_⟩
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
      refine not_start_letters hK hC hn (hL y hym) (hL c hcm) ?_
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
            cases e
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
    exact start_after_letter hK hC hn (hL c hcm) (hr y rfl)

/-- A contraction. -/
theorem contraction_piece {before s : List α} {m : Nat} (hm : C.firstMatch s = some m)
    (hs : StartsHere K C n before s) : MatchesTo (K.llama3 C n).firstMatch (K.llama3Starts C n) before s := by
  obtain ⟨o, c, t, rfl, ho, hcl, hlen⟩ := hC _ _ hm
  have hf := hs.fresh hK hC ho
  have hol := (hK.of_other ho).1
  have hfirst : (K.llama3 C n).firstMatch (o :: c :: t) = some m := by
    rw [llama3_firstMatch hK hC hn, hm]; rfl
  have hin : ∀ s', K.llama3Starts C n (o :: before) (c :: s') = false := fun s' => by
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
        refine not_start_letters hK hC hn hd hcl ?_
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

end VerifiedTok.Kinds
