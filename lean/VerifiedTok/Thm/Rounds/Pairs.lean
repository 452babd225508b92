module

public import VerifiedTok.Thm.Rounds.Round

public section

/-!
# A run is decided by its neighbouring tokens

A list of tokens is the outcome of a run as soon as every two neighbours are the outcome of the run on
their own symbols (`ranked_of_pairs`).
-/

namespace VerifiedTok

/-! ## Weights: where a list may be cut -/

/-- The weight of a list, of tokens with weights `wt`. -/
@[expose] def weight (wt : Token → Nat) : List Token → Nat
  | [] => 0
  | a :: ts => wt a + weight wt ts

theorem weight_nil (wt : Token → Nat) : weight wt [] = 0 := rfl

theorem weight_cons (wt : Token → Nat) (a : Token) (A : List Token) :
    weight wt (a :: A) = wt a + weight wt A := rfl

theorem weight_append (wt : Token → Nat) : ∀ A B : List Token,
    weight wt (A ++ B) = weight wt A + weight wt B
  | [], B => (Nat.zero_add _).symm
  | a :: A, B => by rw [List.cons_append, weight_cons, weight_cons, weight_append wt A B, Nat.add_assoc]

/-- Results weigh what their parts weigh. -/
@[expose] def Additive (t : Table) (wt : Token → Nat) : Prop :=
  ∀ a b k c, t.look a b = some (k, c) → wt c = wt a + wt b

theorem Selected.weight_eq {t : Table} {wt : Token → Nat} (hwt : Additive t wt) {ts : List Token}
    {i k : Nat} {c : Token} (h : Selected t ts i k c) : weight wt (mergeAt ts i c) = weight wt ts := by
  obtain ⟨u, a, b, v, rfl, rfl, hl⟩ := h.split
  have := hwt a b k c hl
  simp only [mergeAt_middle, weight_append, weight_cons]
  omega

theorem RankedBpe.weight_eq {t : Table} {wt : Token → Nat} (hwt : Additive t wt) {ts out : List Token}
    (h : RankedBpe t ts out) : weight wt out = weight wt ts := by
  induction h with
  | stop _ => rfl
  | step ho _ ih => obtain ⟨k, hs, _⟩ := ho; rw [ih, hs.weight_eq hwt]

theorem eq_nil_of_weight {wt : Token → Nat} : ∀ {A : List Token}, (∀ x ∈ A, 0 < wt x) →
    weight wt A = 0 → A = []
  | [], _, _ => rfl
  | a :: A, h, h0 => by
    have := h a (List.mem_cons_self ..)
    rw [weight_cons] at h0
    omega

theorem append_inj_of_weight {wt : Token → Nat} {A B C D : List Token} (hp : ∀ x ∈ A ++ B, 0 < wt x)
    (he : A ++ B = C ++ D) (hw : weight wt A = weight wt C) : A = C ∧ B = D := by
  rcases List.append_eq_append_iff.mp he with ⟨r, rfl, rfl⟩ | ⟨r, rfl, rfl⟩
  · rw [weight_append] at hw
    have : r = [] := eq_nil_of_weight (wt := wt) (fun x hx => hp x (by simp [hx])) (by omega)
    subst this
    simp
  · rw [weight_append] at hw
    have : r = [] := eq_nil_of_weight (wt := wt) (fun x hx => hp x (by simp [hx])) (by omega)
    subst this
    simp

/-- A run whose outcome has a cut never meets a token that lies across this cut. -/
theorem not_across {t : Table} {wt : Token → Nat} (hwt : Additive t wt) {P Q us vs : List Token}
    {m : Token} {n : Nat} (hr : RankedBpe t (P ++ m :: Q) (us ++ vs))
    (hw : weight wt us = weight wt P + n) (h0 : 0 < n) (hn : n < wt m) : False := by
  obtain ⟨s₁, s₂, he, h₁, _⟩ := hr.of_append
  have h₁ := h₁.weight_eq hwt
  rcases List.append_eq_append_iff.mp he with ⟨r, rfl, hr⟩ | ⟨r, rfl, _⟩
  · cases r with
    | nil => rw [List.append_nil] at h₁; omega
    | cons x r =>
      obtain ⟨rfl, _⟩ := List.cons.inj hr
      rw [weight_append, weight_cons] at h₁
      omega
  · rw [weight_append] at hw
    omega

/-! ## Glueing two runs along a token -/

theorem RankedBpe.after {t : Table} {ts out : List Token} {i : Nat} {c : Token} (h : RankedBpe t ts out)
    (ho : Optimal t ts i c) : RankedBpe t (mergeAt ts i c) out :=
  h.of_steps (Steps.refl.step ho)

theorem mergeAt_ne_nil {ts : List Token} {i : Nat} {c : Token} : mergeAt ts i c ≠ [] := by
  simp [mergeAt]

theorem forall_mem_mergeAt {p : Token → Prop} {ts : List Token} {i : Nat} {c : Token}
    (h : ∀ x ∈ ts, p x) (hc : p c) : ∀ x ∈ mergeAt ts i c, p x := by
  intro x hx
  simp only [mergeAt, List.mem_append, List.mem_cons] at hx
  rcases hx with hx | rfl | hx
  · exact h x (List.mem_of_mem_take hx)
  · exact hc
  · exact h x (List.mem_of_mem_drop hx)

/-- **Two runs that share the token `y` make one run.** -/
theorem joined_of_parts {t : Table} {wt : Token → Nat} (hwt : Additive t wt) {us vs : List Token} {y : Token} :
    ∀ (n : Nat) (A Y B : List Token), (A ++ (Y ++ B)).length ≤ n → (∀ x ∈ A ++ (Y ++ B), 0 < wt x) →
      Y ≠ [] → weight wt A = weight wt us → weight wt Y = wt y →
      RankedBpe t (A ++ Y) (us ++ [y]) → RankedBpe t (Y ++ B) ([y] ++ vs) →
      RankedBpe t (A ++ (Y ++ B)) (us ++ ([y] ++ vs))
  | 0, A, Y, B, hn, _, hY, _, _, _, _ => by
    have : Y.length = 0 := by simp only [List.length_append] at hn; omega
    exact absurd (List.eq_nil_of_length_eq_zero this) hY
  | n + 1, A, Y, B, hn, hp, hY, hA, hYw, h₁, h₂ => by
    have hYl : 0 < Y.length := List.length_pos_iff.mpr hY
    rcases stuck_or_optimal t (A ++ (Y ++ B)) with hst | ⟨i, c, ho⟩
    · obtain ⟨hA', hYB⟩ := hst.of_append
      have hAY : Stuck t (A ++ Y) := by
        rw [← List.append_assoc] at hst
        exact hst.of_append.1
      have e₁ := (RankedBpe.stop hAY).unique h₁
      have e₂ := (RankedBpe.stop hYB).unique h₂
      obtain ⟨rfl, rfl⟩ := append_inj_of_weight
        (fun x hx => hp x (by rw [← List.append_assoc]; exact List.mem_append_left _ hx)) e₁ hA
      rw [← e₂]
      exact .stop hst
    · have hpos : 0 < wt c := by
        obtain ⟨k, hs, _⟩ := id ho
        obtain ⟨p, a, b, q, he, _, hl⟩ := hs.split
        have := hwt a b k c hl
        have := hp a (by rw [he]; simp)
        omega
      have hlen := length_mergeAt (c := c) ho.lt_length
      have hpos' := forall_mem_mergeAt (i := i) (p := fun x => 0 < wt x) hp hpos
      have hwsel : ∀ {ts : List Token} {j : Nat}, Optimal t ts j c →
          weight wt (mergeAt ts j c) = weight wt ts := fun ho => by
        obtain ⟨k, hs, _⟩ := ho
        exact hs.weight_eq hwt
      refine .step ho ?_
      by_cases c1 : i + 1 < A.length
      · -- inside A
        rw [mergeAt_append_left _ c1] at hlen hpos' ⊢
        have hoA := ho.of_append_left c1
        have hoAY : Optimal t (A ++ Y) i c := by
          rw [← List.append_assoc] at ho
          exact ho.of_append_left (by rw [List.length_append]; omega)
        have h₁ := h₁.after hoAY
        rw [mergeAt_append_left _ c1] at h₁
        exact joined_of_parts hwt n _ Y B (by omega) hpos' hY ((hwsel hoA).trans hA) hYw h₁ h₂
      by_cases c2 : i + 1 = A.length
      · -- across A and Y
        have hoAY : Optimal t (A ++ Y) i c := by
          rw [← List.append_assoc] at ho
          exact ho.of_append_left (by rw [List.length_append]; omega)
        obtain ⟨k, hs, _⟩ := id hoAY
        obtain ⟨p, a, b, q, he, hpi, hl⟩ := hs.split
        have hac := h₁.after hoAY
        rw [he, ← hpi, mergeAt_middle] at hac
        have e : p ++ a :: b :: q = (p ++ [a]) ++ b :: q := by simp
        rw [e] at he
        obtain ⟨rfl, _⟩ := List.append_inj he (by simp; omega)
        have hc := hwt a b k c hl
        have ha := hp a (by simp)
        have hb := hp b (by rw [← List.append_assoc, he]; simp)
        rw [weight_append, weight_cons, weight_nil] at hA
        exact (not_across hwt hac hA.symm (by omega) (by omega)).elim
      obtain ⟨j, rfl⟩ := Nat.exists_eq_add_of_le (show A.length ≤ i by omega)
      have hoYB := ho.of_append_right
      have h₂ := h₂.after hoYB
      rw [mergeAt_append_right] at hlen hpos' ⊢
      by_cases c3 : j + 1 < Y.length
      · -- inside Y
        have hoY := hoYB.of_append_left c3
        have hoAY : Optimal t (A ++ Y) (A.length + j) c := by
          rw [← List.append_assoc] at ho
          exact ho.of_append_left (by rw [List.length_append]; omega)
        have h₁ := h₁.after hoAY
        rw [mergeAt_append_right] at h₁
        rw [mergeAt_append_left _ c3] at hlen hpos' h₂ ⊢
        exact joined_of_parts hwt n A _ B (by omega) hpos' mergeAt_ne_nil hA ((hwsel hoY).trans hYw) h₁ h₂
      by_cases c4 : j + 1 = Y.length
      · -- across Y and B
        obtain ⟨k, hs, _⟩ := id hoYB
        obtain ⟨p, a, b, q, he, hpi, hl⟩ := hs.split
        have hac := h₂
        rw [he, ← hpi, mergeAt_middle] at hac
        have e : p ++ a :: b :: q = (p ++ [a]) ++ b :: q := by simp
        rw [e] at he
        obtain ⟨rfl, _⟩ := List.append_inj he (by simp; omega)
        have hc := hwt a b k c hl
        have ha := hp a (by simp)
        have hb := hp b (by rw [he]; simp)
        rw [weight_append, weight_cons, weight_nil] at hYw
        have hw : weight wt [y] = weight wt p + wt a := by
          rw [weight_cons, weight_nil]; omega
        exact (not_across hwt hac hw (by omega) (by omega)).elim
      · -- inside B
        obtain ⟨l, rfl⟩ := Nat.exists_eq_add_of_le (show Y.length ≤ j by omega)
        rw [mergeAt_append_right] at hlen hpos' h₂ ⊢
        exact joined_of_parts hwt n A Y _ (by omega) hpos' hY hA hYw h₁ h₂

/-! ## From symbols to tokens -/

section
variable {t : Table} {init : Token → Prop} {sym : Token → List Token} {voc : List Token}

theorem Spelling.flatMap_initial (hv : Spelling t init sym) : ∀ {w : List Token},
    (∀ s ∈ w, init s) → w.flatMap sym = w
  | [], _ => rfl
  | s :: w, h => by
    rw [List.flatMap_cons, hv.initial_spells s (h s (List.mem_cons_self ..)),
      hv.flatMap_initial fun x hx => h x (List.mem_cons_of_mem _ hx)]
    rfl

theorem Spelling.flatMap_mergeAt (hv : Spelling t init sym) {ts : List Token} {i k : Nat} {c : Token}
    (h : Selected t ts i k c) : (mergeAt ts i c).flatMap sym = ts.flatMap sym := by
  obtain ⟨u, a, b, v, rfl, rfl, hl⟩ := h.split
  simp only [mergeAt_middle, List.flatMap_append, List.flatMap_cons, hv.result_spells a b k c hl,
    List.append_assoc]

theorem Spelling.flatMap_steps (hv : Spelling t init sym) {ts us : List Token} (h : Steps t ts us) :
    us.flatMap sym = ts.flatMap sym := by
  induction h with
  | refl => rfl
  | step _ ho ih => obtain ⟨k, hs, _⟩ := ho; rw [hv.flatMap_mergeAt hs, ih]

theorem Spelling.flatMap_round (hv : Spelling t init sym) (k : Nat) : ∀ ts : List Token,
    (round t k ts).flatMap sym = ts.flatMap sym
  | [] => by rw [round_nil]
  | [a] => by rw [round_singleton]
  | a :: b :: rest => by
    by_cases hl : ∃ c, t.look a b = some (k, c)
    · obtain ⟨c, hl⟩ := hl
      simp only [round_hit hl, List.flatMap_cons, hv.result_spells a b k c hl, hv.flatMap_round k rest,
        List.append_assoc]
    · rw [round_miss fun c hc => hl ⟨c, hc⟩, List.flatMap_cons, hv.flatMap_round k (b :: rest),
        ← List.flatMap_cons]

theorem Spelling.flatMap_rounds (hv : Spelling t init sym) {ts out : List Token}
    (h : RankedRounds t ts out) : out.flatMap sym = ts.flatMap sym := by
  induction h with
  | stop _ => rfl
  | step _ _ ih => rw [ih, hv.flatMap_round]

/-- A run that begins with initial tokens begins with the symbols of what it meets. -/
theorem Spelling.steps_eq (hv : Spelling t init sym) {w us : List Token} (hw : ∀ s ∈ w, init s)
    (h : Steps t w us) : w = us.flatMap sym := by
  rw [hv.flatMap_steps h, hv.flatMap_initial hw]

theorem Spelling.rounds_eq (hv : Spelling t init sym) {w us : List Token} (hw : ∀ s ∈ w, init s)
    (h : RankedRounds t w us) : w = us.flatMap sym := by
  rw [hv.flatMap_rounds h, hv.flatMap_initial hw]

theorem Spelling.additive (hv : Spelling t init sym) : Additive t fun x => (sym x).length := by
  intro a b k c h
  simp only [hv.result_spells a b k c h, List.length_append]

theorem Spelling.weight_initial (hv : Spelling t init sym) : ∀ {w : List Token},
    (∀ s ∈ w, init s) → weight (fun x => (sym x).length) w = w.length
  | [], _ => rfl
  | s :: w, h => by
    rw [weight_cons, hv.initial_spells s (h s (List.mem_cons_self ..)),
      hv.weight_initial fun x hx => h x (List.mem_cons_of_mem _ hx)]
    simp only [List.length_cons, List.length_nil]
    omega

/-- **Neighbours decide**: if each token, and each two neighbours, are the outcome of the run on their
own symbols, the whole list is. -/
theorem Spelling.ranked_of_pairs (hv : Spelling t init sym) : ∀ {out : List Token},
    (∀ s ∈ out.flatMap sym, init s) → (∀ x ∈ out, RankedBpe t (sym x) [x]) →
    (∀ u x y v, out = u ++ x :: y :: v → RankedBpe t (sym x ++ sym y) [x, y]) →
    RankedBpe t (out.flatMap sym) out
  | [], _, _, _ => .stop fun _ _ _ => selected_nil
  | [x], _, h, _ => by simpa using h x (List.mem_cons_self ..)
  | x :: y :: out, hinit, h, hp => by
    have ih := hv.ranked_of_pairs (out := y :: out)
      (fun s hs => hinit s (by rw [List.flatMap_cons]; exact List.mem_append_right _ hs))
      (fun z hz => h z (List.mem_cons_of_mem _ hz))
      fun u a b v he => hp (x :: u) a b v (by rw [he]; rfl)
    have hxy := hp [] x y out rfl
    rw [List.flatMap_cons, List.flatMap_cons] at hinit ⊢
    have hx : ∀ s ∈ sym x, init s := fun s hs => hinit s (List.mem_append_left _ hs)
    have hy : ∀ s ∈ sym y, init s :=
      fun s hs => hinit s (List.mem_append_right _ (List.mem_append_left _ hs))
    refine joined_of_parts hv.additive (us := [x]) (y := y) (vs := out) _ (sym x) (sym y) (out.flatMap sym)
      (Nat.le_refl _) (fun s hs => ?_) ?_ ?_ ?_ hxy ih
    · simp only [hv.initial_spells s (hinit s hs), List.length_cons, List.length_nil]
      omega
    · intro he
      have := h y (List.mem_cons_of_mem _ (List.mem_cons_self ..))
      rw [he] at this
      have := this.unique (.stop fun _ _ _ => selected_nil)
      exact List.cons_ne_nil _ _ this
    · rw [hv.weight_initial hx, weight_cons, weight_nil]; omega
    · exact hv.weight_initial hy

/-- The converse: every block of an outcome is the outcome of the run on its own symbols. -/
theorem Spelling.ranked_block (hv : Spelling t init sym) {w u m v : List Token}
    (hw : ∀ s ∈ w, init s) (h : RankedBpe t w (u ++ m ++ v)) : RankedBpe t (m.flatMap sym) m := by
  obtain ⟨w₁, w₂, rfl, h₁, _⟩ := h.of_append
  obtain ⟨w₃, w₄, rfl, _, h₂⟩ := h₁.of_append
  rw [← hv.steps_eq (fun s hs => hw s (by simp [hs])) h₂.steps]
  exact h₂

theorem Spelling.rounds_block (hv : Spelling t init sym) {w u m v : List Token}
    (hw : ∀ s ∈ w, init s) (h : RankedRounds t w (u ++ m ++ v)) : RankedRounds t (m.flatMap sym) m := by
  obtain ⟨w₁, w₂, rfl, h₁, _⟩ := h.of_append rfl
  obtain ⟨w₃, w₄, rfl, _, h₂⟩ := h₁.of_append rfl
  rw [← hv.rounds_eq (fun s hs => hw s (by simp [hs])) h₂]
  exact h₂

theorem Vocabulary.mem_round (hv : Vocabulary t init sym voc) (k : Nat) : ∀ {ts : List Token},
    (∀ x ∈ ts, x ∈ voc) → ∀ x ∈ round t k ts, x ∈ voc
  | [], h => by rwa [round_nil]
  | [a], h => by rwa [round_singleton]
  | a :: b :: rest, h => by
    have hr : ∀ x ∈ b :: rest, x ∈ voc := fun x hx => h x (List.mem_cons_of_mem _ hx)
    by_cases hl : ∃ c, t.look a b = some (k, c)
    · obtain ⟨c, hl⟩ := hl
      rw [round_hit hl]
      intro x hx
      rcases List.mem_cons.mp hx with rfl | hx
      · exact hv.result_mem _ _ _ _ hl
      · exact hv.mem_round k (fun x hx => hr x (List.mem_cons_of_mem _ hx)) x hx
    · rw [round_miss fun c hc => hl ⟨c, hc⟩]
      intro x hx
      rcases List.mem_cons.mp hx with rfl | hx
      · exact h x (List.mem_cons_self ..)
      · exact hv.mem_round k hr x hx

theorem Vocabulary.mem_rounds (hv : Vocabulary t init sym voc) {ts out : List Token}
    (h : RankedRounds t ts out) : (∀ x ∈ ts, x ∈ voc) → ∀ x ∈ out, x ∈ voc := by
  induction h with
  | stop _ => exact id
  | step _ _ ih => exact fun hm => ih (hv.mem_round _ hm)

theorem Vocabulary.mem_ranked (hv : Vocabulary t init sym voc) {ts out : List Token}
    (h : RankedBpe t ts out) : (∀ x ∈ ts, x ∈ voc) → ∀ x ∈ out, x ∈ voc := by
  induction h with
  | stop _ => exact id
  | step ho _ ih =>
    obtain ⟨k, ⟨a, b, _, hl⟩, _⟩ := ho
    exact fun hm => ih (forall_mem_mergeAt hm (hv.result_mem _ _ _ _ hl))

/-- **Rounds agree with single merges everywhere if they agree on each token and each pair of tokens
that the rounds leave apart.** -/
theorem Vocabulary.agree_of_pairs (hv : Vocabulary t init sym voc)
    (h₁ : ∀ x ∈ voc, RankedRounds t (sym x) [x] → RankedBpe t (sym x) [x])
    (h₂ : ∀ x ∈ voc, ∀ y ∈ voc, RankedRounds t (sym x ++ sym y) [x, y] →
      RankedBpe t (sym x ++ sym y) [x, y])
    {w : List Token} (hw : ∀ s ∈ w, init s) : Agree t w := by
  have hr := roundAll_ranked t w
  have hm := hv.mem_rounds hr fun s hs => hv.initial_mem s (hw s hs)
  have hp : RankedBpe t ((roundAll t w).flatMap sym) (roundAll t w) := by
    refine hv.ranked_of_pairs (by rwa [← hv.rounds_eq hw hr]) (fun x hx => ?_) fun u x y v he => ?_
    · obtain ⟨u, v, he⟩ := List.append_of_mem hx
      refine h₁ x (hm x hx) ?_
      have := hv.rounds_block (u := u) (m := [x]) (v := v) hw (by rw [he] at hr; simpa using hr)
      simpa using this
    · refine h₂ x (hm x (by simp [he])) y (hm y (by simp [he])) ?_
      have := hv.rounds_block (u := u) (m := [x, y]) (v := v) hw (by rw [he] at hr; simpa using hr)
      simpa using this
  rw [← hv.rounds_eq hw hr] at hp
  exact (mergeAll_eq_iff.mpr hp).symm

end

end VerifiedTok
