module

public import VerifiedTok.Thm.Starts

public section

/-!
# Places of a text of which a block is known

A block of text that begins at a place may be looked at alone: what precedes it does not matter, and what follows
it only where white space reaches to the block's end (`settled`).
-/

namespace VerifiedTok

variable {α : Type}

/-! ## Pieces and places say the same -/

theorem piecesAt_cons {P : List α → List α → Bool} {before xs q : List α} {qs : List (List α)} {x : α}
    (h : piecesAt P (x :: before) xs = q :: qs) : piecesAt P before (x :: xs) =
      if P (x :: before) xs then [x] :: q :: qs else (x :: q) :: qs := by
  rw [piecesAt, h]

/-- The pieces of a text determine the places in it. -/
theorem starts_eq_of_piecesAt {P Q : List α → List α → Bool} : ∀ {s before before' : List α},
    piecesAt P before s = piecesAt Q before' s → ∀ {l v : List α}, s = l.reverse ++ v → l ≠ [] → v ≠ [] →
      P (l ++ before) v = Q (l ++ before') v
  | [], _, _, _, l, v, he, hl, _ => by
    have := congrArg List.length he
    have := List.length_pos_iff.mpr hl
    simp only [List.length_nil, List.length_append, List.length_reverse] at *
    omega
  | [x], _, _, _, l, v, he, hl, hv => by
    have := congrArg List.length he
    have := List.length_pos_iff.mpr hl
    have := List.length_pos_iff.mpr hv
    simp only [List.length_cons, List.length_nil, List.length_append, List.length_reverse] at *
    omega
  | x :: y :: ys, before, before', h, l, v, he, hl, hv => by
    obtain ⟨q, rfl, hq⟩ := Kinds.exists_first (x := x) (l := y :: ys) he hl
    cases hp : piecesAt P (x :: before) (y :: ys) with
    | nil => exact absurd hp (piecesAt_ne_nil _ _ _ _)
    | cons p ps =>
      cases hp' : piecesAt Q (x :: before') (y :: ys) with
      | nil => exact absurd hp' (piecesAt_ne_nil _ _ _ _)
      | cons p' ps' =>
        rw [piecesAt_cons hp, piecesAt_cons hp'] at h
        have hne : p ≠ [] := ne_nil_of_mem_piecesAt (hp ▸ List.mem_cons_self ..)
        have hne' : p' ≠ [] := ne_nil_of_mem_piecesAt (hp' ▸ List.mem_cons_self ..)
        have both : P (x :: before) (y :: ys) = Q (x :: before') (y :: ys) ∧ p :: ps = p' :: ps' := by
          cases hP : P (x :: before) (y :: ys) <;> cases hQ : Q (x :: before') (y :: ys) <;>
            simp only [hP, hQ, if_true, Bool.false_eq_true, if_false, List.cons.injEq, true_and] at h ⊢
          · exact h
          · exact absurd h.1 hne
          · exact absurd h.1.symm hne'
          · exact h
        by_cases hq0 : q = []
        · subst hq0
          simp only [List.reverse_nil, List.nil_append] at hq ⊢
          rw [← hq]
          exact both.1
        · have := starts_eq_of_piecesAt (P := P) (Q := Q) (before := x :: before) (before' := x :: before')
            (s := y :: ys) (by rw [hp, hp', both.2]) hq hq0 hv
          simpa using this

/-- Behind a place, what precedes it does not matter. -/
theorem starts_behind_place {m : List α → Option Nat} {P : List α → List α → Bool}
    (h : ∀ before s, s ≠ [] → before = [] ∨ P before s = true → MatchesTo m P before s)
    {before s l v : List α} (hs : before = [] ∨ P before s = true) (he : s = l.reverse ++ v) (hl : l ≠ [])
    (hv : v ≠ []) : P (l ++ before) v = P l v := by
  have h1 := cut_eq_piecesAt h s.length before s (Nat.le_refl _) (.inr hs)
  have h2 := cut_eq_piecesAt h s.length [] s (Nat.le_refl _) (.inr (.inl rfl))
  have hinj : piecesAt P before s = piecesAt P [] s := by
    have := congrArg (List.map Prod.snd) (h1.symm.trans h2)
    simp only [List.map_map, Function.comp_def, List.map_id'] at this
    exact this
  have := starts_eq_of_piecesAt hinj he hl hv
  rwa [List.append_nil] at this

namespace Kinds

open Pat (run)

variable {K : Kinds α} {C : Pat α} {n : Nat} {whole : Bool} {subset : Inclusion α}

/-! ## What follows -/

theorem firstMatch_chr_take (p : α → Bool) (s : List α) (k : Nat) :
    (Pat.chr p).firstMatch (s.take (k + 1)) = (Pat.chr p).firstMatch s := by
  cases s with
  | nil => rfl
  | cons x xs => rw [List.take_succ_cons, Pat.firstMatch_chr, Pat.firstMatch_chr]

theorem shortLetters_take : ∀ {e : Pat α}, K.shortLetters subset e = true → ∀ s : List α,
    e.firstMatch (s.take 2) = e.firstMatch s
  | .chr p, _, s => firstMatch_chr_take p s 1
  | .seq (.chr p) (.chr q), _, s => by
    cases s with
    | nil => rfl
    | cons x xs =>
      rw [List.take_succ_cons, Pat.firstMatch_seq, Pat.firstMatch_seq, Pat.matches, Pat.matches]
      split
      · simp only [List.findSome?_cons, List.drop_succ_cons, List.drop_zero, firstMatch_chr_take q xs 0, List.findSome?_nil]
      · rfl
  | .alt a b, h, s => by
    simp only [shortLetters, Bool.and_eq_true] at h
    rw [Pat.firstMatch_alt, Pat.firstMatch_alt, shortLetters_take h.1, shortLetters_take h.2]

/-- A contraction looks at three characters. -/
theorem isContraction_take : ∀ {C : Pat α}, K.isContraction subset C = true → ∀ s : List α,
    C.firstMatch (s.take 3) = C.firstMatch s
  | .chr p, _, s => firstMatch_chr_take p s 2
  | .seq (.chr p) e, h, s => by
    simp only [isContraction, Bool.and_eq_true] at h
    cases s with
    | nil => rfl
    | cons x xs =>
      rw [List.take_succ_cons, Pat.firstMatch_seq, Pat.firstMatch_seq, Pat.matches, Pat.matches]
      split
      · simp only [List.findSome?_cons, List.drop_succ_cons, List.drop_zero, shortLetters_take h.2 xs,
          List.findSome?_nil]
      · rfl
  | .alt a b, h, s => by
    simp only [isContraction, Bool.and_eq_true] at h
    rw [Pat.firstMatch_alt, Pat.firstMatch_alt, isContraction_take h.1, isContraction_take h.2]

theorem contractionEnds_append (hC : ∀ s, C.firstMatch (s.take 3) = C.firstMatch s) {before s : List α} (t : List α)
    (hs : s ≠ []) : K.contractionEnds C before (s ++ t) = K.contractionEnds C before s := by
  obtain ⟨x, xs, rfl⟩ := List.exists_cons_of_ne_nil hs
  match before with
  | [] => rfl
  | [_] => rfl
  | c :: o :: b =>
    have h2 : C.firstMatch (o :: c :: (x :: xs ++ t)) = C.firstMatch (o :: c :: x :: xs) := by
      rw [← hC, ← hC (o :: c :: x :: xs)]; rfl
    cases b with
    | nil => simp only [contractionEnds, h2]
    | cons p b =>
      have h3 : C.firstMatch (p :: o :: c :: (x :: xs ++ t)) = C.firstMatch (p :: o :: c :: x :: xs) := by
        rw [← hC, ← hC (p :: o :: c :: x :: xs)]; rfl
      simp only [contractionEnds, h2, h3]

theorem run_append_of_lt {p : α → Bool} (t : List α) : ∀ {s : List α}, run p s < s.length →
    run p (s ++ t) = run p s
  | [], h => by simp at h
  | x :: s, h => by
    rw [List.cons_append, run, run]
    split
    · rename_i hx
      rw [run, if_pos hx, List.length_cons] at h
      rw [run_append_of_lt t (by omega)]
    · rfl

theorem lastBlanks_append (t : List α) {s : List α} (h : run K.plain s < s.length) :
    K.lastBlanks whole (s ++ t) = K.lastBlanks whole s := by
  have hd : s.drop (run K.plain s) ≠ [] := fun he => by
    have := List.drop_eq_nil_iff.mp he
    omega
  obtain ⟨z, zs, hz⟩ := List.exists_cons_of_ne_nil hd
  rw [lastBlanks, lastBlanks, run_append_of_lt t h, List.drop_append_of_le_length (Nat.le_of_lt h), hz]
  rfl

theorem run_mono {p q : α → Bool} (hpq : ∀ c, p c = true → q c = true) : ∀ s : List α, run p s ≤ run q s
  | [] => Nat.le_refl _
  | x :: s => by
    rw [run, run]
    by_cases hx : p x = true
    · rw [if_pos hx, if_pos (hpq x hx)]
      exact Nat.succ_le_succ (run_mono hpq s)
    · rw [if_neg hx]
      exact Nat.zero_le _

/-- **More text changes nothing at a settled place.** -/
theorem llama3Starts_append (hC : ∀ s, C.firstMatch (s.take 3) = C.firstMatch s) {before s : List α} (t : List α)
    (h : K.settled before s = true) : K.llama3Starts C n whole before (s ++ t) = K.llama3Starts C n whole before s := by
  match before, s with
  | [], [] => simp [settled] at h
  | _ :: _, [] => simp [settled] at h
  | [], x :: xs => rfl
  | c :: b, x :: xs =>
    have he := contractionEnds_append (K := K) hC (before := c :: b) t (List.cons_ne_nil x xs)
    rw [List.cons_append] at he ⊢
    by_cases hl : K.letter x = true
    · simp [llama3Starts, he, hl]
    by_cases hn : K.number x = true
    · simp [llama3Starts, he, hl, hn]
    by_cases ho : K.other x = true
    · simp [llama3Starts, he, hl, hn, ho]
    by_cases hnl : K.newline x = true
    · simp [llama3Starts, he, hl, hn, ho, hnl]
    have hx : K.blank x = true := by
      rcases kinds K x with h | h | h | h
      · exact absurd h hl
      · exact absurd h hn
      · exact absurd h ho
      · exact h
    by_cases hc : K.blank c = true
    · simp only [settled, hc, hx, Bool.and_self, Bool.not_true, Bool.false_or, decide_eq_true_eq] at h
      have hp : run K.plain (x :: xs) < (x :: xs).length :=
        Nat.lt_of_le_of_lt (run_mono (fun c hc => by simp only [plain, Bool.and_eq_true] at hc; exact hc.1) _) h
      have ha : K.atText (xs ++ t) = K.atText xs := by
        cases xs with
        | nil => simp [run, hx] at h
        | cons y ys => rfl
      have hna := lastBlanks_append (whole := whole) t hp
      rw [List.cons_append] at hna
      simp [llama3Starts, he, hl, hn, ho, hnl, hna, ha]
    · simp [llama3Starts, he, hl, hn, ho, hnl, hc]

/-- **The same for GPT-2's pattern**, where two characters are known. -/
theorem gpt2Starts_append (hC : ∀ s, C.firstMatch (s.take 3) = C.firstMatch s) {before s : List α} (t : List α)
    (h : K.settled before s = true) (h2 : 2 ≤ s.length) :
    K.gpt2Starts C before (s ++ t) = K.gpt2Starts C before s := by
  match before, s with
  | _, [] => simp at h2
  | _, [_] => simp at h2
  | [], x :: y :: ys => rfl
  | c :: b, x :: y :: ys =>
    have hb : C.firstMatch (c :: x :: y :: (ys ++ t)) = C.firstMatch (c :: x :: y :: ys) := by
      rw [← hC, ← hC (c :: x :: y :: ys)]; rfl
    have he := contractionEnds_append (K := K) hC (before := c :: b) t (List.cons_ne_nil x (y :: ys))
    rw [List.cons_append, List.cons_append] at he ⊢
    simp only [gpt2Starts, he, contractionBegan, hb, atText]

/-! ## Blocks -/

/-- **A block that begins at a place, looked at alone, says at its settled places what the whole text says.** -/
theorem llama3_block (hK : K.Proper) (hs : SubsetSound subset) (hC : K.isContraction subset C = true) (hn : 1 ≤ n)
    {before l v t : List α} (h : StartsHere K C n whole before (l.reverse ++ (v ++ t))) (hl : l ≠ [])
    (hset : K.settled l v = true) : K.llama3Starts C n whole l v = K.llama3Starts C n whole (l ++ before) (v ++ t) := by
  have hv : v ≠ [] := by
    rintro rfl
    cases l <;> simp [settled] at hset
  rw [starts_behind_place (fun _ _ h0 hs' => llama3_matchesTo hK (contraction_of_isContraction hs hC) hn h0 hs') h rfl hl
    (by simp [hv])]
  exact (llama3Starts_append (isContraction_take hC) t hset).symm

/-- **The same for GPT-2's pattern**, where two characters are known. -/
theorem gpt2_block {cs : List (Pat α)} (hK : K.Proper) (hs : SubsetSound subset)
    (hC : K.isContraction subset (orElse cs never) = true) {before l v t : List α}
    (h : Gpt2Here K (orElse cs never) before (l.reverse ++ (v ++ t))) (hl : l ≠ []) (hset : K.settled l v = true)
    (h2 : 2 ≤ v.length) :
    K.gpt2Starts (orElse cs never) l v = K.gpt2Starts (orElse cs never) (l ++ before) (v ++ t) := by
  have hv : v ≠ [] := by
    rintro rfl
    simp at h2
  rw [starts_behind_place (fun _ _ h0 hs' => gpt2_matchesTo hK (contraction_of_isContraction hs hC) h0 hs') h rfl hl
    (by simp [hv])]
  exact (gpt2Starts_append (isContraction_take hC) t hset h2).symm

end Kinds

end VerifiedTok
