module

public import VerifiedTok.Thm.Rounds.Overtaken
public import VerifiedTok.Thm.Rounds.Pairs

public section

/-!
# Which pairs of tokens have to be compared
-/

namespace VerifiedTok

section
variable {t : Table} {init : Token → Prop} {sym : Token → List Token} {voc : List Token}

/-- What a list that a run meets spells, block by block, is what the run begins with. -/
theorem Spelling.steps_append (hv : Spelling t init sym) {w u v : List Token} (hw : ∀ s ∈ w, init s)
    (h : Steps t w (u ++ v)) : Steps t (u.flatMap sym) u ∧ Steps t (v.flatMap sym) v := by
  obtain ⟨w₁, w₂, rfl, h₁, h₂⟩ := h.of_append rfl
  rw [← hv.steps_eq (fun s hs => hw s (by simp [hs])) h₁,
    ← hv.steps_eq (fun s hs => hw s (by simp [hs])) h₂]
  exact ⟨h₁, h₂⟩

/-- A pair that waits in a block comes from a live rule, whose result the block spells. -/
theorem Spelling.waits (hv : Spelling t init sym) {w u m v : List Token} (hw : ∀ s ∈ w, init s)
    (h : Steps t w (u ++ m ++ v)) {j k : Nat} {c : Token} (hs : Selected t m j k c) :
    ∃ a b, Live t init a b k c ∧ sym c <:+: m.flatMap sym := by
  obtain ⟨p, a, b, q, rfl, _, hl⟩ := hs.split
  refine ⟨a, b, ⟨hl, ?_⟩, p.flatMap sym, q.flatMap sym, ?_⟩
  · exact Reachable.middle (u := u ++ p) (v := q ++ v) ⟨w, hw, by simpa using h⟩
  · simp [hv.result_spells a b k c hl]

/-- A merge is overtaken by an early rule, whose result the symbols hold. -/
theorem Spelling.overtaken_early (hv : Spelling t init sym) {w : List Token} (hw : ∀ s ∈ w, init s)
    (h : Overtaken t w) : ∃ k c p q d, Early t init k c p q d ∧ sym d <:+: w := by
  obtain ⟨u, a, b, v, k, c, hs, ho, hl, _, hO⟩ := h
  obtain ⟨hlive, hL, hR⟩ := live_of_opens hw hs hl ho
  have hc : sym c = sym a ++ sym b := hv.result_spells a b k c hl
  have he := hv.steps_eq hw hs
  rcases hO with ⟨z, k', d, hz, hd, hk⟩ | ⟨z, k', d, hz, hd, hk⟩
  · refine ⟨k, c, z, c, d, ⟨.inr rfl, k', a, b, hL z k' d hz hd, hlive, hk⟩, ?_⟩
    obtain ⟨u', rfl⟩ := List.getLast?_eq_some_iff.mp hz
    rw [he, hv.result_spells z c k' d hd, hc]
    exact ⟨u'.flatMap sym, v.flatMap sym, by simp⟩
  · refine ⟨k, c, c, z, d, ⟨.inl rfl, k', a, b, hR z k' d hz hd, hlive, hk⟩, ?_⟩
    obtain ⟨v', rfl⟩ := List.head?_eq_some_iff.mp hz
    rw [he, hv.result_spells c z k' d hd, hc]
    exact ⟨u.flatMap sym, v'.flatMap sym, by simp⟩

/-- **Where rounds leave two tokens apart and single merges do not, a merge is overtaken inside one of
the two or across their border.** -/
theorem Spelling.overtaken_pair (hv : Spelling t init sym) {x y : Token} {w : List Token}
    (hw : ∀ s ∈ w, init s) {ts out : List Token} (h : RankedRounds t ts out) :
    out = [x, y] → Steps t w ts → ¬ Steps t w out →
      Overtaken t (sym x) ∨ Overtaken t (sym y) ∨ Straddles t init sym x y := by
  induction h with
  | stop _ => exact fun _ hs hno => absurd hs hno
  | @step ts out k hk hr ih =>
    intro he hs hno
    rcases steps_round hs hk.2 with hs' | ⟨p, a, b, q, c, hround, hl, _, hs', ho, ⟨j, c', hq⟩, hO⟩
    · exact ih he hs' hno
    subst he
    obtain ⟨hlive, hliveL, hliveR⟩ := live_of_opens hw hs' hl ho
    -- The round's outcome is cut between the two tokens.
    obtain ⟨p₁, p₂, hcut, hr₁, hr₂⟩ := hr.of_append (u := [x]) (v := [y]) rfl
    have hsym₁ : p₁.flatMap sym = sym x := by simpa using (hv.flatMap_rounds hr₁).symm
    have hsym₂ : p₂.flatMap sym = sym y := by simpa using (hv.flatMap_rounds hr₂).symm
    have hc : sym c = sym a ++ sym b := hv.result_spells a b k c hl
    rw [hround] at hcut
    generalize round t k p = u at *
    have early : ∀ {z k' d}, u.getLast? = some z → t.look z c = some (k', d) → k' ≤ k →
        Early t init k c z c d := fun hz hd hk =>
      ⟨.inr rfl, _, a, b, hliveL _ _ _ hz hd, hlive, hk⟩
    have early' : ∀ {z k' d}, q.head? = some z → t.look c z = some (k', d) → k' ≤ k →
        Early t init k c c z d := fun hz hd hk =>
      ⟨.inl rfl, _, a, b, hliveR _ _ _ hz hd, hlive, hk⟩
    -- The merge lies left of the cut, or right of it.
    have hside : (∃ r₁, p₁ = u ++ c :: r₁ ∧ round t k q = r₁ ++ p₂) ∨
        ∃ r₂, u = p₁ ++ r₂ ∧ p₂ = r₂ ++ c :: round t k q := by
      rcases List.append_eq_append_iff.mp hcut with ⟨r, rfl, hr⟩ | ⟨r, rfl, rfl⟩
      · cases r with
        | nil => exact .inr ⟨[], by simp, by simpa using hr.symm⟩
        | cons m r =>
          obtain ⟨rfl, hrq⟩ := List.cons.inj hr
          exact .inl ⟨r, rfl, hrq⟩
      · exact .inr ⟨r, rfl, rfl⟩
    rcases hside with ⟨r₁, rfl, hrq⟩ | ⟨r₂, rfl, rfl⟩
    · obtain ⟨q₁, q₂, rfl, rfl, rfl⟩ := round_of_append hrq
      have hx : (u ++ a :: b :: q₁).flatMap sym = sym x := by
        rw [← hsym₁]
        simp [hc, hv.flatMap_round]
      have hy : q₂.flatMap sym = sym y := by rw [← hsym₂, hv.flatMap_round]
      have e : u ++ a :: b :: (q₁ ++ q₂) = (u ++ a :: b :: q₁) ++ q₂ := by simp
      have hsx := (hv.steps_append hw (e ▸ hs')).1
      rw [hx] at hsx
      have hox : Optimal t (u ++ a :: b :: q₁) u.length c := (e ▸ ho).of_append_left (by simp)
      by_cases hw₁ : ∃ j c', Selected t q₁ j k c'
      · -- The waiting pair is in `x` as well.
        refine .inl ⟨u, a, b, q₁, k, c, hsx, hox, hl, hw₁, ?_⟩
        rcases hO with hO | ⟨z, k', d, hz, hd⟩
        · exact .inl hO
        · cases q₁ with
          | nil => obtain ⟨_, _, h⟩ := hw₁; exact absurd h selected_nil
          | cons z' q₁ => exact .inr ⟨z, k', d, hz, hd⟩
      · -- The waiting pair is in `y`.
        have hw₂ : ∃ j c', Selected t q₂ j k c' := by
          refine Classical.byContradiction fun hn => ?_
          have := length_round_lt hq
          rw [hrq, round_eq_self fun i c hc => hw₁ ⟨i, c, hc⟩,
            round_eq_self fun i c hc => hn ⟨i, c, hc⟩] at this
          exact Nat.lt_irrefl _ this
        obtain ⟨j', c₂, hq₂⟩ := hw₂
        obtain ⟨a₂, b₂, hlive₂, hin⟩ := hv.waits (u := u ++ a :: b :: q₁) (v := []) hw
          (by simpa using hs') hq₂
        rw [hy] at hin
        refine .inr (.inr ?_)
        rcases hO with ⟨z, k', d, hz, hd, hk'⟩ | ⟨z, k', d, hz, hd, hk'⟩
        · refine ⟨k, c, z, c, d, a₂, b₂, c₂, early hz hd hk', hlive₂, .inl ⟨?_, hin⟩⟩
          obtain ⟨u', rfl⟩ := List.getLast?_eq_some_iff.mp hz
          refine ⟨u'.flatMap sym, q₁.flatMap sym, ?_⟩
          rw [← hx, hv.result_spells z c k' d hd, hc]
          simp
        · have hE := early' hz hd hk'
          cases q₁ with
          | cons z' q₁ =>
            obtain rfl : z' = z := by simpa using hz
            refine ⟨k, c, c, z', d, a₂, b₂, c₂, hE, hlive₂,
              .inl ⟨⟨u.flatMap sym, q₁.flatMap sym, ?_⟩, hin⟩⟩
            rw [← hx, hv.result_spells c z' k' d hd, hc]
            simp
          | nil =>
            obtain ⟨q', rfl⟩ := List.head?_eq_some_iff.mp (show q₂.head? = some z by simpa using hz)
            refine ⟨k, c, c, z, d, a₂, b₂, c₂, hE, hlive₂,
              .inr ⟨⟨u.flatMap sym, ?_⟩, ⟨q'.flatMap sym, ?_⟩, .inl ⟨rfl, hin⟩⟩⟩
            · rw [← hx, hc]; simp
            · rw [← hy]; simp
    · -- The merge is in `y`, and so is everything that waits.
      have e : (p₁ ++ r₂) ++ a :: b :: q = p₁ ++ (r₂ ++ a :: b :: q) := by simp
      have hy : (r₂ ++ a :: b :: q).flatMap sym = sym y := by
        rw [← hsym₂]
        simp [hc, hv.flatMap_round]
      have hsy := (hv.steps_append hw (e ▸ hs')).2
      rw [hy] at hsy
      have hoy : Optimal t (r₂ ++ a :: b :: q) r₂.length c := by
        rw [e, List.length_append] at ho
        exact ho.of_append_right
      rcases hO with ⟨z, k', d, hz, hd, hk'⟩ | hO
      · have hE := early hz hd hk'
        rcases List.eq_nil_or_concat r₂ with rfl | ⟨r', z', rfl⟩
        · obtain ⟨a₂, b₂, hlive₂, hin⟩ := hv.waits (u := p₁ ++ [a, b]) (v := []) hw
            (by simpa using hs') hq
          have hyc : sym y = sym c ++ q.flatMap sym := by rw [← hy, hc]; simp
          refine .inr (.inr ⟨k, c, z, c, d, a₂, b₂, c', hE, hlive₂, .inr ⟨?_, ?_, .inr ⟨rfl, ?_⟩⟩⟩)
          · obtain ⟨p', rfl⟩ := List.getLast?_eq_some_iff.mp
              (show p₁.getLast? = some z by simpa using hz)
            exact ⟨p'.flatMap sym, by rw [← hsym₁]; simp⟩
          · exact ⟨q.flatMap sym, hyc.symm⟩
          · rwa [hyc, List.drop_left]
        · refine .inr (.inl ⟨_, a, b, q, k, c, hsy, hoy, hl, ⟨j, c', hq⟩, .inl ⟨z, k', d, ?_, hd, hk'⟩⟩)
          simpa using hz
      · exact .inr (.inl ⟨_, a, b, q, k, c, hsy, hoy, hl, ⟨j, c', hq⟩, .inr hO⟩)

/-- **The exact condition is enough.** -/
theorem Vocabulary.agree (hv : Vocabulary t init sym voc) (hp : PairsAgree t init sym voc) {w : List Token}
    (hw : ∀ s ∈ w, init s) : Agree t w := by
  have ranked : ∀ {ts out : List Token}, Agree t ts → RankedRounds t ts out → RankedBpe t ts out :=
    fun ha hr => mergeAll_eq_iff.mp (ha.symm.trans (roundAll_eq_iff.mpr hr))
  refine hv.agree_of_pairs (fun x hx hr => ?_) (fun x hx y hy hr => ?_) hw
  · by_cases ho : Overtaken t (sym x)
    · exact ranked ((hp x hx).1 ho) hr
    · exact ranked (agree_of_not_overtaken ho) hr
  · refine Classical.byContradiction fun hn => hn ?_
    have hxy : ∀ s ∈ sym x ++ sym y, init s := fun s hs =>
      (List.mem_append.mp hs).elim (hv.spelled_by_initial x hx s) (hv.spelled_by_initial y hy s)
    exact ranked ((hp x hx).2 y hy (hv.overtaken_pair hxy hr rfl .refl
      fun hs => hn (hs.ranked (.stop hr.stuck)))) hr

/-- **The exact condition is exact.** -/
theorem Vocabulary.pairsAgree_iff (hv : Vocabulary t init sym voc) :
    PairsAgree t init sym voc ↔ ∀ w, (∀ s ∈ w, init s) → Agree t w := by
  refine ⟨fun hp w hw => hv.agree hp hw, fun h x hx => ⟨fun _ => h _ (hv.spelled_by_initial x hx),
    fun y hy _ => h _ fun s hs => ?_⟩⟩
  exact (List.mem_append.mp hs).elim (hv.spelled_by_initial x hx s) (hv.spelled_by_initial y hy s)

end

end VerifiedTok
