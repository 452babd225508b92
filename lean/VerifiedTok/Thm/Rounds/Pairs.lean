module

public import VerifiedTok.Thm.Rounds.Round

public section

/-!
# A run is decided by its neighbouring tokens

A list of tokens is the outcome of a run as soon as every two neighbours are the outcome of the run on
their own symbols (`ranked_of_pairs`).
-/

namespace VerifiedTok

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

/-- The two sides of a cut in an outcome are the outcomes of the runs on their own symbols, and merges do
not cross between these. -/
theorem Spelling.split (hv : Spelling t init sym) {w u v : List Token} (hw : ∀ s ∈ w, init s)
    (h : RankedBpe t w (u ++ v)) :
    Apart t (u.flatMap sym) (v.flatMap sym) ∧ RankedBpe t (u.flatMap sym) u ∧
      RankedBpe t (v.flatMap sym) v := by
  obtain ⟨A, B, rfl, hap, hA, hB⟩ := h.split rfl
  rw [← hv.steps_eq (fun s hs => hw s (List.mem_append_left _ hs)) hA.steps,
    ← hv.steps_eq (fun s hs => hw s (List.mem_append_right _ hs)) hB.steps]
  exact ⟨hap, hA, hB⟩

/-- **Neighbours decide**: if each token, and each two neighbours, are the outcome of the run on their
own symbols, the whole list is. -/
theorem Spelling.ranked_of_pairs (hv : Spelling t init sym) : ∀ {out : List Token},
    (∀ s ∈ out.flatMap sym, init s) → (∀ x ∈ out, RankedBpe t (sym x) [x]) →
    (∀ u x y v, out = u ++ x :: y :: v → RankedBpe t (sym x ++ sym y) [x, y]) →
    RankedBpe t (out.flatMap sym) out
  | [], _, _, _ => .stop fun _ _ _ => selected_nil
  | [x], _, h, _ => by simpa using h x (List.mem_cons_self ..)
  | x :: y :: out, hinit, h, hp => by
    have hy : ∀ s ∈ (y :: out).flatMap sym, init s :=
      fun s hs => hinit s (by rw [List.flatMap_cons]; exact List.mem_append_right _ hs)
    have hxy : ∀ s ∈ sym x ++ sym y, init s := fun s hs => hinit s (by
      rw [List.flatMap_cons, List.flatMap_cons, ← List.append_assoc]; exact List.mem_append_left _ hs)
    have ih := hv.ranked_of_pairs (out := y :: out) hy (fun z hz => h z (List.mem_cons_of_mem _ hz))
      fun u a b v he => hp (x :: u) a b v (by rw [he]; rfl)
    have h₁ := (hv.split (u := [x]) (v := [y]) hxy (hp [] x y out rfl)).1
    have h₂ := (hv.split (u := [y]) (v := out) hy ih).1
    have hne : sym y ≠ [] := fun he => by
      have := h y (List.mem_cons_of_mem _ List.mem_cons_self)
      rw [he] at this
      exact List.cons_ne_nil _ _ (this.unique (.stop fun _ _ _ => selected_nil))
    simp only [List.flatMap_cons, List.flatMap_nil, List.append_nil] at h₁ h₂ ih ⊢
    refine mergeAll_eq_iff.mp ?_
    rw [(h₁.glue h₂ hne).mergeAll_eq, mergeAll_eq_iff.mpr ih, mergeAll_eq_iff.mpr (h x List.mem_cons_self)]
    rfl

/-- Every block of an outcome of rounds is the outcome of rounds on its own symbols. -/
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
