module

public import VerifiedTok.Thm.Starts.Kinds

public section

/-!
# GPT-2's pattern, place by place
-/

namespace VerifiedTok.Kinds

open Pat (run Stops)

variable {α : Type} {K : Kinds α} {C : Pat α} {cs : List (Pat α)}

/-! ## The first match -/

theorem orElse_firstMatch (cs : List (Pat α)) (z : Pat α) (s : List α) :
    (orElse cs z).firstMatch s = ((orElse cs never).firstMatch s).or (z.firstMatch s) := by
  induction cs with
  | nil =>
    have : (never : Pat α).firstMatch s = none := by cases s <;> rfl
    rw [orElse, orElse, this]
    rfl
  | cons c cs ih => rw [orElse, orElse, Pat.firstMatch_alt, Pat.firstMatch_alt, ih, Option.or_assoc]

/-- ` ?p+` -/
@[expose] def spaced (K : Kinds α) (p : α → Bool) : Pat α := .seq (.opt (.chr K.space)) (.plus p)

theorem gpt2_firstMatch (s : List α) : (K.gpt2 cs).firstMatch s =
    ((orElse cs never).firstMatch s).or
      ((K.spaced K.letter).firstMatch s |>.or
        ((K.spaced K.number).firstMatch s |>.or
          ((K.spaced K.other).firstMatch s |>.or
            ((Pat.seq (.plus K.blank) (.notAhead (.chr K.text))).firstMatch s |>.or
              ((Pat.plus K.blank).firstMatch s))))) := by
  rw [gpt2, orElse_firstMatch]
  simp only [blanks, spaced, Pat.firstMatch_alt]

theorem spaced_run {p : α → Bool} {x : α} {L r : List α} (hx : p x = true) (hs : K.space x = false)
    (hL : ∀ c ∈ L, p c = true) (hr : Stops p r) : (K.spaced p).firstMatch (x :: (L ++ r)) = some (L.length + 1) := by
  have hrun : run p (x :: (L ++ r)) = L.length + 1 := by rw [run, if_pos hx, Pat.run_eq hL hr]
  rw [spaced, Pat.firstMatch_opt_chr, hs, Pat.firstMatch_plus p (x :: _), hrun]
  simp

theorem spaced_space {p : α → Bool} {x : α} {L r : List α} (hs : K.space x = true) (hL0 : L ≠ [])
    (hL : ∀ c ∈ L, p c = true) (hr : Stops p r) : (K.spaced p).firstMatch (x :: (L ++ r)) = some (L.length + 1) := by
  have h0 : L.length ≠ 0 := fun h => hL0 (List.eq_nil_of_length_eq_zero h)
  rw [spaced, Pat.firstMatch_opt_chr, if_pos hs, Pat.firstMatch_plus, Pat.run_eq hL hr, if_neg h0]
  simp [Nat.add_comm]

theorem spaced_none {p : α → Bool} {x : α} {xs : List α} (hx : p x = false) (h : K.space x = true → Stops p xs) :
    (K.spaced p).firstMatch (x :: xs) = none := by
  rw [spaced, Pat.firstMatch_opt_chr, Pat.firstMatch_plus, Pat.firstMatch_plus, run, hx]
  by_cases hs : K.space x = true
  · simp [hs, Pat.run_of_stops (h hs)]
  · simp [hs]

/-! ## The three kinds of runs -/

/-- A kind of characters of which GPT-2's pieces hold whole runs. -/
@[expose] def RunKind (K : Kinds α) (p : α → Bool) : Prop := p = K.letter ∨ p = K.number ∨ p = K.other

theorem RunKind.facts (hK : K.Proper) {p : α → Bool} (hp : RunKind K p) {c : α} (h : p c = true) :
    K.space c = false ∧ K.blank c = false := by
  rcases hp with rfl | rfl | rfl
  · exact ⟨(hK.of_letter h).2.2.2.1, (hK.of_letter h).2.1⟩
  · exact ⟨(hK.of_number h).2.2.2.1, (hK.of_number h).2.1⟩
  · exact ⟨(hK.of_other h).2.2.2.2.1, (hK.of_other h).2.2.1⟩

theorem RunKind.match_run (hK : K.Proper) {p : α → Bool} (hp : RunKind K p) {x : α} {L r : List α} (hx : p x = true)
    (hL : ∀ c ∈ L, p c = true) (hr : Stops p r) (hc : (orElse cs never).firstMatch (x :: (L ++ r)) = none) :
    (K.gpt2 cs).firstMatch (x :: (L ++ r)) = some (L.length + 1) := by
  have hs := (hp.facts hK hx).1
  have hn : ∀ h : K.space x = true, False := fun h => by rw [hs] at h; cases h
  rw [gpt2_firstMatch, hc]
  rcases hp with rfl | rfl | rfl
  · rw [spaced_run hx hs hL hr]; rfl
  · rw [spaced_none (hK.of_number hx).1 fun h => (hn h).elim, spaced_run hx hs hL hr]; rfl
  · rw [spaced_none (hK.of_other hx).1 fun h => (hn h).elim, spaced_none (hK.of_other hx).2.1 fun h => (hn h).elim,
      spaced_run hx hs hL hr]
    rfl

theorem RunKind.match_space (hK : K.Proper) {p : α → Bool} (hp : RunKind K p) {x : α} {L r : List α}
    (hx : K.space x = true) (hL0 : L ≠ []) (hL : ∀ c ∈ L, p c = true) (hr : Stops p r)
    (hc : (orElse cs never).firstMatch (x :: (L ++ r)) = none) :
    (K.gpt2 cs).firstMatch (x :: (L ++ r)) = some (L.length + 1) := by
  obtain ⟨h1, h2, h3, _⟩ := hK.of_plain (hK.plain_of_space hx)
  obtain ⟨z, L', rfl⟩ := List.exists_cons_of_ne_nil hL0
  have hz := hL z (List.mem_cons_self ..)
  have stops : ∀ q : α → Bool, q z = false → Stops q (z :: L' ++ r) := fun q hq y hy => by cases hy; exact hq
  rw [gpt2_firstMatch, hc]
  rcases hp with rfl | rfl | rfl
  · rw [spaced_space hx hL0 hL hr]; rfl
  · rw [spaced_none h1 fun _ => stops _ (hK.of_number hz).1, spaced_space hx hL0 hL hr]; rfl
  · rw [spaced_none h1 fun _ => stops _ (hK.of_other hz).1, spaced_none h2 fun _ => stops _ (hK.of_other hz).2.1,
      spaced_space hx hL0 hL hr]
    rfl

/-! ## Places inside a piece, and behind it -/

theorem RunKind.not_start (hK : K.Proper) {p : α → Bool} (hp : RunKind K p) {c y : α} {b s : List α} (hc : p c = true)
    (hy : p y = true) (he : K.contractionEnds C (c :: b) (y :: s) = false) :
    K.gpt2Starts C (c :: b) (y :: s) = false := by
  rcases hp with rfl | rfl | rfl
  · obtain ⟨h1, h2, _, h4, h5, _⟩ := hK.of_letter hy
    simp [gpt2Starts, he, h1, h2, h5, hc]
  · obtain ⟨h1, h2, _, h4, h5, _⟩ := hK.of_number hy
    simp [gpt2Starts, he, h1, h2, h5, hc]
  · obtain ⟨h1, h2, h3, _⟩ := hK.of_other hy
    simp [gpt2Starts, he, h1, h2, h3, hc]

theorem not_began (hC : K.Contraction C) {c : α} {b s : List α} (h : K.other c = false) :
    K.contractionBegan C (c :: b) s = false := by
  simp [contractionBegan, hC.none_of h]

/-- Behind a run, anything of another kind starts a piece. -/
theorem RunKind.start_after (hK : K.Proper) {p : α → Bool} (hp : RunKind K p) {c y : α} {b s : List α}
    (hc : p c = true) (hy : p y = false) (hbegan : K.contractionBegan C (c :: b) (y :: s) = false) :
    K.gpt2Starts C (c :: b) (y :: s) = true := by
  obtain ⟨hcs, hcb⟩ := hp.facts hK hc
  rcases kinds K y with h | h | h | h
  · rcases hp with rfl | rfl | rfl
    · rw [hy] at h; cases h
    · simp [gpt2Starts, hbegan, h, (hK.of_letter h).2.1, hcs, (hK.of_number hc).1]
    · simp [gpt2Starts, hbegan, h, (hK.of_letter h).2.1, hcs, (hK.of_other hc).1]
  · rcases hp with rfl | rfl | rfl
    · simp [gpt2Starts, hbegan, h, (hK.of_number h).2.1, hcs, (hK.of_letter hc).1]
    · rw [hy] at h; cases h
    · simp [gpt2Starts, hbegan, h, (hK.of_number h).2.1, hcs, (hK.of_other hc).2.1]
  · rcases hp with rfl | rfl | rfl
    · simp [gpt2Starts, hbegan, h, (hK.of_other h).2.2.1, hcs, (hK.of_letter hc).2.2.2.2.1]
    · simp [gpt2Starts, hbegan, h, (hK.of_other h).2.2.1, hcs, (hK.of_number hc).2.2.2.2.1]
    · rw [hy] at h; cases h
  · simp [gpt2Starts, hbegan, h, hcb]

/-- A piece of GPT-2's pattern starts at this place. -/
@[expose] def Gpt2Here (K : Kinds α) (C : Pat α) (before s : List α) : Prop :=
  before = [] ∨ K.gpt2Starts C before s = true

theorem Gpt2Here.fresh (hK : K.Proper) (hC : K.Contraction C) {before xs : List α} {x : α}
    (h : Gpt2Here K C before (x :: xs)) (hx : K.other x = true) : K.fresh before = true := by
  rcases h with rfl | h
  · rfl
  · cases before with
    | nil => rfl
    | cons c b =>
      obtain ⟨h1, h2, h3, _⟩ := hK.of_other hx
      simp only [gpt2Starts, h1, h2, h3, hx, Bool.false_eq_true, if_false, Bool.or_eq_true, Bool.and_eq_true,
        Bool.not_eq_true', Bool.false_and, Bool.false_or, Bool.true_and] at h
      rcases h with h | h
      · rcases hC.ends h with ⟨_, _, _, e, hc, _⟩ | ⟨_, _, _, _, e, _, hc, _⟩ <;> cases e <;>
          simp [Kinds.fresh, hK.of_letter hc]
      · simp [Kinds.fresh, h.2.1, h.2.2]

/-! ## Pieces -/

/-- No contraction ends inside of letters at whose first one a piece starts. -/
theorem no_end_in_letters (hK : K.Proper) (hC : K.Contraction C) {before L r : List α} {x : α}
    (hx : K.letter x = true) (hL : ∀ c ∈ L, K.letter c = true) (hs : Gpt2Here K C before (x :: (L ++ r)))
    {u v : List α} {c y : α} (he : x :: L = u.reverse ++ c :: y :: v) :
    K.contractionEnds C (c :: (u ++ before)) (y :: (v ++ r)) = false := by
  have hw : ∀ c ∈ x :: L, K.letter c = true := fun c hc => by
    rcases List.mem_cons.mp hc with rfl | hc
    · exact hx
    · exact hL c hc
  have hxb := (hK.of_letter hx).2.1
  have hother : ∀ o b k, before = o :: b → K.other o = true → K.fresh b = true →
      C.firstMatch (o :: x :: (L ++ r)) = some k → False := by
    rintro o b k rfl ho hf hm
    rcases hs with hs | hs
    · cases hs
    · rw [gpt2Starts, hC.ends_eq_false (hK.of_other ho).1] at hs
      simp [contractionBegan, hf, hm] at hs
  have hletter : ∀ d o b, before = d :: o :: b → K.letter d = true →
      K.contractionEnds C before (x :: (L ++ r)) = true := by
    rintro d o b rfl hd
    rcases hs with hs | hs
    · cases hs
    · rw [gpt2Starts, Bool.or_eq_true] at hs
      rcases hs with hs | hs
      · exact hs
      · simp [hx, hd, hxb, (hK.of_letter hx).1, (hK.of_letter hx).2.2.2.2.1] at hs
  cases hends : K.contractionEnds C (c :: (u ++ before)) (y :: (v ++ r)) with
  | false => rfl
  | true =>
    exfalso
    have hu : ∀ z ∈ u, K.letter z = true := fun z hz => hw z (by rw [he]; simp [hz])
    have htext : x :: (L ++ r) = u.reverse ++ c :: y :: (v ++ r) := by
      rw [← List.cons_append, he]; simp
    rcases hC.ends hends with ⟨c', o, b, e, _, ho, hf, hm⟩ | ⟨c', d, o, b, e, hc', _, ho, hf, hm⟩
    · cases u with
      | nil =>
        cases e
        refine hother _ _ 2 rfl ho hf ?_
        rw [htext]
        exact hm
      | cons z u =>
        cases e
        have := hu o (by simp)
        rw [(hK.of_other ho).1] at this
        cases this
    · match u, e with
      | [], e =>
        cases e
        have := hletter _ _ _ rfl hc'
        rcases hC.ends this with ⟨_, _, _, e', _, _, _, hm'⟩ | ⟨_, _, _, _, e', hc', _, _⟩
        · cases e'
          rw [htext, List.reverse_nil, List.nil_append, hm] at hm'
          cases hm'
        · cases e'
          rw [(hK.of_other ho).1] at hc'
          cases hc'
      | [z], e =>
        simp only [List.cons_append, List.nil_append, List.cons.injEq] at e
        obtain ⟨rfl, rfl, rfl⟩ := e
        refine hother _ _ 3 rfl ho hf ?_
        rw [htext]
        exact hm
      | z :: z' :: u, e =>
        simp only [List.cons_append, List.cons.injEq] at e
        obtain ⟨rfl, rfl, rfl, _⟩ := e
        have := hu z' (by simp)
        rw [(hK.of_other ho).1] at this
        cases this

/-- A run. -/
theorem run_piece (hK : K.Proper) (hC : K.Contraction (orElse cs never)) {p : α → Bool} (hp : RunKind K p)
    {before L r : List α} {x : α} (hx : p x = true) (hL : ∀ c ∈ L, p c = true) (hr : Stops p r)
    (hc : (orElse cs never).firstMatch (x :: (L ++ r)) = none)
    (hs : Gpt2Here K (orElse cs never) before (x :: (L ++ r))) :
    MatchesTo (K.gpt2 cs).firstMatch (K.gpt2Starts (orElse cs never)) before (x :: (L ++ r)) := by
  have hw : ∀ c ∈ x :: L, p c = true := fun c hc => by
    rcases List.mem_cons.mp hc with rfl | hc
    · exact hx
    · exact hL c hc
  refine ⟨x :: L, r, rfl, by simp, hp.match_run hK hx hL hr hc, ?_, ?_⟩
  · intro u c y v he
    obtain ⟨hcm, hym⟩ := mem_of_pair he
    refine hp.not_start hK (hw c hcm) (hw y hym) ?_
    rcases hp with rfl | rfl | rfl
    · exact no_end_in_letters hK hC hx hL hs he
    · exact hC.ends_eq_false (hK.of_number (hw c hcm)).1
    · exact hC.ends_eq_false (hK.of_other (hw c hcm)).1
  · intro hne
    obtain ⟨y, ys, rfl⟩ := List.exists_cons_of_ne_nil hne
    cases hrev : (x :: L).reverse with
    | nil => simp at hrev
    | cons c b =>
      have hcm : ∀ z ∈ c :: b, p z = true := fun z hz => hw z (List.mem_reverse.mp (hrev ▸ hz))
      rw [List.cons_append]
      refine hp.start_after hK (hcm c (List.mem_cons_self ..)) (hr y rfl) ?_
      rcases hp with rfl | rfl | rfl
      · exact not_began hC (hK.of_letter (hcm c (List.mem_cons_self ..))).2.2.2.2.1
      · exact not_began hC (hK.of_number (hcm c (List.mem_cons_self ..))).2.2.2.2.1
      · cases b with
        | nil =>
          have he : x :: L = [c] := by have := congrArg List.reverse hrev; simpa using this
          cases he
          rw [List.nil_append] at hc
          simp [contractionBegan, hc]
        | cons z b => simp [contractionBegan, Kinds.fresh, hcm z (by simp)]

/-- A run behind the space that it takes along. -/
theorem space_run_piece (hK : K.Proper) (hC : K.Contraction (orElse cs never)) {p : α → Bool} (hp : RunKind K p)
    {before L r : List α} {x : α} (hx : K.space x = true) (hL0 : L ≠ []) (hL : ∀ c ∈ L, p c = true)
    (hr : Stops p r) : MatchesTo (K.gpt2 cs).firstMatch (K.gpt2Starts (orElse cs never)) before (x :: (L ++ r)) := by
  obtain ⟨h1, h2, h3, h4, h5, h6⟩ := hK.of_plain (hK.plain_of_space hx)
  refine ⟨x :: L, r, rfl, by simp, hp.match_space hK hx hL0 hL hr (hC.none_of h3), ?_, ?_⟩
  · intro u c y v he
    by_cases hu : u = []
    · subst hu
      simp only [List.reverse_nil, List.nil_append, List.cons.injEq] at he
      obtain ⟨rfl, rfl⟩ := he
      have hyb := (hp.facts hK (hL y (List.mem_cons_self ..))).2
      rw [gpt2Starts, hC.ends_eq_false h1]
      simp [hyb, hx]
    · obtain ⟨q, rfl, hq⟩ := exists_first he hu
      obtain ⟨hcm, hym⟩ := mem_of_pair hq
      refine hp.not_start hK (hL c hcm) (hL y hym) ?_
      rcases hp with rfl | rfl | rfl
      · cases hends : K.contractionEnds (orElse cs never) (c :: (q ++ [x] ++ before)) (y :: (v ++ r)) with
        | false => rfl
        | true =>
          exfalso
          have hqm : ∀ z ∈ q, K.letter z = true := fun z hz => hL z (by rw [hq]; simp [hz])
          have hnot : ∀ o, o ∈ q ∨ o = x → K.other o = true → False := fun o h ho => by
            rcases h with h | rfl
            · have := hqm o h; rw [(hK.of_other ho).1] at this; cases this
            · rw [h3] at ho; cases ho
          rcases hC.ends hends with ⟨c', o, b, e, _, ho, _⟩ | ⟨c', d, o, b, e, hc', _, ho, _⟩
          · cases q with
            | nil => cases e; exact hnot _ (.inr rfl) ho
            | cons z q => cases e; exact hnot _ (.inl (by simp)) ho
          · match q, e with
            | [], e => cases e; rw [h1] at hc'; cases hc'
            | [z], e => cases e; exact hnot _ (.inr rfl) ho
            | z :: z' :: q, e => cases e; exact hnot _ (.inl (by simp)) ho
      · exact hC.ends_eq_false (hK.of_number (hL c hcm)).1
      · exact hC.ends_eq_false (hK.of_other (hL c hcm)).1
  · intro hne
    obtain ⟨y, ys, rfl⟩ := List.exists_cons_of_ne_nil hne
    cases hrev : L.reverse with
    | nil => exact absurd (List.reverse_eq_nil_iff.mp hrev) hL0
    | cons c b =>
      have hcm : ∀ z ∈ c :: b, p z = true := fun z hz => hL z (List.mem_reverse.mp (hrev ▸ hz))
      have he : (x :: L).reverse ++ before = c :: (b ++ (x :: before)) := by rw [List.reverse_cons, hrev]; simp
      rw [he]
      refine hp.start_after hK (hcm c (List.mem_cons_self ..)) (hr y rfl) ?_
      rcases hp with rfl | rfl | rfl
      · exact not_began hC (hK.of_letter (hcm c (List.mem_cons_self ..))).2.2.2.2.1
      · exact not_began hC (hK.of_number (hcm c (List.mem_cons_self ..))).2.2.2.2.1
      · cases b with
        | nil => simp [contractionBegan, Kinds.fresh, hx]
        | cons z b => simp [contractionBegan, Kinds.fresh, hcm z (by simp)]

/-- A contraction. -/
theorem gpt2_contraction_piece (hK : K.Proper) (hC : K.Contraction (orElse cs never)) {before s : List α} {m : Nat}
    (hm : (orElse cs never).firstMatch s = some m) (hs : Gpt2Here K (orElse cs never) before s) :
    MatchesTo (K.gpt2 cs).firstMatch (K.gpt2Starts (orElse cs never)) before s := by
  obtain ⟨o, c, t, rfl, ho, hcl, hlen⟩ := hC _ _ hm
  have hf := hs.fresh hK hC ho
  have hol := (hK.of_other ho).1
  have hfirst : (K.gpt2 cs).firstMatch (o :: c :: t) = some m := by rw [gpt2_firstMatch, hm]; rfl
  have hin : K.gpt2Starts (orElse cs never) (o :: before) (c :: t) = false := by
    rw [gpt2Starts, hC.ends_eq_false hol]; simp [contractionBegan, hf, hm]
  rcases hlen with rfl | ⟨rfl, d, t, rfl, hd⟩
  · refine ⟨[o, c], t, rfl, by simp, hfirst, ?_, fun _ => ?_⟩
    · intro u c' y v he
      match u, he with
      | [], he => cases he; exact hin
      | a :: u, he =>
        have := congrArg List.length he
        simp only [List.length_cons, List.length_nil, List.length_append, List.length_reverse] at this
        omega
    · simp [gpt2Starts, contractionEnds, hf, hm]
  · refine ⟨[o, c, d], t, rfl, by simp, hfirst, ?_, fun _ => ?_⟩
    · intro u c' y v he
      match u, he with
      | [], he => cases he; exact hin
      | [a], he =>
        cases he
        refine RunKind.not_start hK (.inl rfl) hcl hd ?_
        cases hends : K.contractionEnds (orElse cs never) (c :: ([o] ++ before)) (d :: ([] ++ t)) with
        | false => rfl
        | true =>
          rcases hC.ends hends with ⟨_, _, _, e, _, _, _, hm'⟩ | ⟨_, _, _, _, e, hc', _⟩
          · cases e; rw [show ([] : List α) ++ t = t from rfl, hm] at hm'; cases hm'
          · cases e; rw [hol] at hc'; cases hc'
      | a :: a' :: u, he =>
        have := congrArg List.length he
        simp only [List.length_cons, List.length_nil, List.length_append, List.length_reverse] at this
        omega
    · simp [gpt2Starts, contractionEnds, hf, hm]

/-- White space: all of it at the end of the text, else all but its last character. -/
theorem gpt2_blank_piece (hK : K.Proper) (hC : K.Contraction (orElse cs never)) {before v r : List α} {x : α}
    (hx : K.blank x = true) (hv : ∀ c ∈ v, K.blank c = true) (hr : Stops K.blank r)
    (ho : K.space x = true → v ++ r = [] ∨ v ≠ []) :
    MatchesTo (K.gpt2 cs).firstMatch (K.gpt2Starts (orElse cs never)) before (x :: (v ++ r)) := by
  obtain ⟨h1, h2, h3⟩ := hK.of_blank hx
  have hstops : ∀ p : α → Bool, RunKind K p → K.space x = true → Stops p (v ++ r) := by
    intro p hp hsx y hy
    rcases ho hsx with h | h
    · rw [h] at hy; simp at hy
    · obtain ⟨z, v', rfl⟩ := List.exists_cons_of_ne_nil h
      cases hy
      cases hpy : p y with
      | false => rfl
      | true => have := (hp.facts hK hpy).2; rw [hv y (by simp)] at this; cases this
  have hfirst : (K.gpt2 cs).firstMatch (x :: (v ++ r)) =
      if r.isEmpty then some (v.length + 1) else if v.isEmpty then some 1 else some v.length := by
    rw [gpt2_firstMatch, hC.none_of h3, spaced_none h1 (hstops _ (.inl rfl)),
      spaced_none h2 (hstops _ (.inr (.inl rfl))), spaced_none h3 (hstops _ (.inr (.inr rfl))),
      Pat.firstMatch_plus_notAhead (text_eq K) hx hv hr, Pat.firstMatch_plus, run, if_pos hx, Pat.run_eq hv hr]
    cases r <;> cases v <;> simp
  have hin : ∀ w rest, (∀ c ∈ w, K.blank c = true) → K.atText rest = false →
      ∀ q c y V, w = q.reverse ++ c :: y :: V →
        K.gpt2Starts (orElse cs never) (c :: (q ++ before)) (y :: (V ++ rest)) = false := by
    intro w rest hw hrest q c y V hq
    obtain ⟨hcm, hym⟩ := mem_of_pair hq
    have hat : K.atText (V ++ rest) = false := by
      cases V with
      | nil => exact hrest
      | cons a V => simp [atText, hw a (by rw [hq]; simp)]
    rw [gpt2Starts, hC.ends_eq_false (hK.of_blank (hw c hcm)).1]
    simp [hw y hym, hw c hcm, hat]
  have hwb : ∀ c ∈ x :: v, K.blank c = true := fun c hc => by
    rcases List.mem_cons.mp hc with rfl | hc
    · exact hx
    · exact hv c hc
  cases r with
  | nil =>
    refine ⟨x :: v, [], by simp, by simp, by rw [hfirst]; simp, hin _ _ hwb rfl, fun h => absurd rfl h⟩
  | cons t r =>
    have htb := hr t rfl
    rcases List.eq_nil_or_concat v with rfl | ⟨w, z, rfl⟩
    · refine ⟨[x], t :: r, rfl, by simp, by rw [hfirst]; rfl, ?_, fun _ => ?_⟩
      · intro q c y V hq
        have := congrArg List.length hq
        simp only [List.length_cons, List.length_nil, List.length_append, List.length_reverse] at this
        omega
      · have hsp : K.space x = false := by
          cases hsx : K.space x with
          | false => rfl
          | true => rcases ho hsx with h | h <;> simp at h
        have hb := not_began hC (b := before) (s := t :: r) h3
        rcases kinds K t with h | h | h | h
        · simp [gpt2Starts, hb, htb, h, hsp, h1]
        · simp [gpt2Starts, hb, htb, h, hsp, h2]
        · simp [gpt2Starts, hb, htb, h, hsp, h3]
        · rw [htb] at h; cases h
    · have hzb : K.blank z = true := hv z (by simp)
      have hwb' : ∀ c ∈ x :: w, K.blank c = true := fun c hc => hwb c (by
        rcases List.mem_cons.mp hc with rfl | hc <;> simp_all)
      refine ⟨x :: w, z :: t :: r, by simp, by simp, by rw [hfirst]; simp, ?_, fun _ => ?_⟩
      · exact hin _ _ hwb' (by simp [atText, hzb])
      · obtain ⟨c, b, hb, hcm⟩ := exists_last (w := x :: w) (by simp) before
        rw [hb]
        have := not_began hC (b := b) (s := z :: t :: r) (hK.of_blank (hwb' c hcm)).2.2
        simp [gpt2Starts, hzb, atText, htb, this]

/-! ## Every piece -/

/-- **At each place, GPT-2's pattern matches up to the next one.** -/
theorem gpt2_matchesTo (hK : K.Proper) (hC : K.Contraction (orElse cs never)) {before s : List α} (h0 : s ≠ [])
    (hs : Gpt2Here K (orElse cs never) before s) :
    MatchesTo (K.gpt2 cs).firstMatch (K.gpt2Starts (orElse cs never)) before s := by
  cases hc : (orElse cs never).firstMatch s with
  | some m => exact gpt2_contraction_piece hK hC hc hs
  | none =>
    obtain ⟨x, xs, rfl⟩ := List.exists_cons_of_ne_nil h0
    have hrun : ∀ p : α → Bool, RunKind K p → p x = true →
        MatchesTo (K.gpt2 cs).firstMatch (K.gpt2Starts (orElse cs never)) before (x :: xs) := by
      intro p hp hx
      obtain ⟨L, r, rfl, hL, hr⟩ := Pat.exists_run p xs
      exact run_piece hK hC hp hx hL hr hc hs
    rcases kinds K x with hx | hx | hx | hx
    · exact hrun _ (.inl rfl) hx
    · exact hrun _ (.inr (.inl rfl)) hx
    · exact hrun _ (.inr (.inr rfl)) hx
    · have hblank : (K.space x = true → ∀ y ∈ xs.head?, K.blank y = true) →
          MatchesTo (K.gpt2 cs).firstMatch (K.gpt2Starts (orElse cs never)) before (x :: xs) := by
        intro h
        obtain ⟨v, r, rfl, hv, hr⟩ := Pat.exists_run K.blank xs
        refine gpt2_blank_piece hK hC hx hv hr fun hsx => ?_
        cases v with
        | nil =>
          cases r with
          | nil => exact .inl rfl
          | cons y r => have := h hsx y rfl; rw [hr y rfl] at this; cases this
        | cons _ _ => exact .inr (by simp)
      cases xs with
      | nil => exact hblank fun _ _ hy => by simp at hy
      | cons y ys =>
        by_cases hsx : K.space x = true
        · have hspace : ∀ p : α → Bool, RunKind K p → p y = true →
              MatchesTo (K.gpt2 cs).firstMatch (K.gpt2Starts (orElse cs never)) before (x :: y :: ys) := by
            intro p hp hy
            obtain ⟨L, r, hLr, hL, hr⟩ := Pat.exists_run p ys
            have := space_run_piece (before := before) hK hC hp hsx (L := y :: L) (r := r) (by simp)
              (fun c hc => by
                rcases List.mem_cons.mp hc with rfl | hc
                · exact hy
                · exact hL c hc) hr
            rw [hLr]
            exact this
          rcases kinds K y with hy | hy | hy | hy
          · exact hspace _ (.inl rfl) hy
          · exact hspace _ (.inr (.inl rfl)) hy
          · exact hspace _ (.inr (.inr rfl)) hy
          · exact hblank fun _ z hz => by cases hz; exact hy
        · exact hblank fun h => absurd h hsx

/-- **The pieces of GPT-2's pattern are the text cut at its places.** -/
theorem gpt2_split (hK : K.Proper) (hC : K.Contraction (orElse cs never)) (s : List α) :
    Stage.split { pat := K.gpt2 cs } s = piecesAt (K.gpt2Starts (orElse cs never)) [] s :=
  split_eq_piecesAt (fun _ _ h0 hs => gpt2_matchesTo hK hC h0 hs) s

end VerifiedTok.Kinds
