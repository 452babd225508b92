module

public import VerifiedTok.Spec.Tables
public import VerifiedTok.Thm.Rounds
public import VerifiedTok.Thm.Rounds.Check
public import VerifiedTok.Thm.Search.Apart

public section

/-!
# Tokens that are found without merging are the encoding

`stayApart_iff` says that the backwards walk decides whether merges leave two tokens as they are;
`mergeAll_of_stayApartAll` that a list whose neighbours do is the encoding of what it spells, however it was
found.
-/

namespace VerifiedTok

variable {t : Table} {init : Token → Prop} {sym : Token → List Token}

/-! ## The last merge -/

theorem RankedBpe.last_merge {ts out : List Token} (h : RankedBpe t ts out) {c : Token} (he : out = [c]) :
    ts = [c] ∨ ∃ x y k, t.look x y = some (k, c) ∧ Steps t ts [x, y] := by
  induction h with
  | stop _ => exact .inl he
  | @step ts _ i d ho _ ih =>
    rcases ih he with he | ⟨x, y, k, hl, hs⟩
    · have hlen := length_mergeAt (c := d) ho.lt_length
      rw [he] at hlen
      obtain ⟨k, hs, _⟩ := id ho
      obtain ⟨u, a, b, v, rfl, rfl, hl⟩ := hs.split
      rw [mergeAt_middle] at he
      simp only [List.length_append, List.length_cons, List.length_nil] at hlen
      obtain rfl : u = [] := List.eq_nil_of_length_eq_zero (by omega)
      obtain rfl : v = [] := List.eq_nil_of_length_eq_zero (by omega)
      cases he
      exact .inr ⟨a, b, k, hl, .refl⟩
    · exact .inr ⟨x, y, k, hl, .cons ho hs⟩

theorem birth_eq_some {c x y : Token} {k : Nat} (hc : RankedBpe t (sym c) [c])
    (h : birth t sym c = some (x, y, k)) : t.look x y = some (k, c) ∧ Steps t (sym c) [x, y] := by
  simp only [birth, Option.map_eq_some_iff] at h
  obtain ⟨⟨a, b, j, d⟩, h, he⟩ := h
  cases he
  obtain ⟨hl, hs⟩ := (lastRule_eq_some_iff (Nat.le_refl _)).mp h
  refine ⟨?_, hs⟩
  have hs0 := (selected_zero (rest := [])).mpr hl
  cases hc.of_steps hs with
  | step ho hr =>
    obtain ⟨k', hs', _⟩ := id ho
    have hlt := ho.lt_length
    simp only [List.length_cons, List.length_nil] at hlt
    rename_i i e _
    obtain rfl : i = 0 := by omega
    obtain ⟨rfl, rfl⟩ := hs0.unique hs'
    have := hr.eq_of_stuck (stuck_singleton t d)
    cases this
    exact hl

theorem birth_eq_none {c : Token} (hc : RankedBpe t (sym c) [c]) (h : birth t sym c = none) : sym c = [c] := by
  rcases hc.last_merge rfl with h' | ⟨x, y, k, hl, hs⟩
  · exact h'
  · have := (lastRule_eq_some_iff (Nat.le_refl _)).mpr ⟨hl, hs⟩
    simp [birth, this] at h

/-! ## Tokens that merges make by ranks that never fall -/

theorem ranksGrow_iff : ∀ {n k : Nat} {ts : List Token}, ts.length ≤ n →
    (ranksGrow t n k ts = true ↔ Grows t k ts)
  | 0, k, ts, h => by
    obtain rfl : ts = [] := List.eq_nil_of_length_eq_zero (by omega)
    simp only [ranksGrow, true_iff]
    exact .stop fun _ _ _ => selected_nil
  | n + 1, k, ts, h => by
    rw [ranksGrow]
    split
    · next hb => simp only [true_iff]; exact .stop (best_none hb)
    · next k' i c hb =>
      have ho := best_optimal hb
      have hs := (best_some hb).1
      have hlen := length_mergeAt (c := c) ho.lt_length
      rw [Bool.and_eq_true, decide_eq_true_eq, ranksGrow_iff (by omega)]
      exact ⟨fun h => .step ho hs h.1 h.2, fun h => h.of_optimal ho hs⟩

/-- What `made` decides. -/
structure Made (t : Table) (sym : Token → List Token) (c : Token) : Prop where
  ranked : RankedBpe t (sym c) [c]
  grows : Grows t 0 (sym c)

theorem made_iff {c : Token} : made t sym c = true ↔ Made t sym c := by
  rw [made, Bool.and_eq_true, beq_iff_eq, mergeAll_eq_iff, ranksGrow_iff (Nat.le_refl _)]
  exact ⟨fun h => ⟨h.1, h.2⟩, fun h => ⟨h.1, h.2⟩⟩

/-- The two parts of a made token are made, and meet in its run, before its last merge. -/
theorem Made.parts (hv : Spelling t init sym) {c x y : Token} {k : Nat} (hc : Made t sym c)
    (hi : ∀ s ∈ sym c, init s) (hb : birth t sym c = some (x, y, k)) :
    t.look x y = some (k, c) ∧ sym c = sym x ++ sym y ∧ ComesTo t x y (sym x) (sym y) ∧
      RanksIn t (· ≤ k) (sym x ++ sym y) ∧ Made t sym x ∧ Made t sym y := by
  obtain ⟨hl, hs⟩ := birth_eq_some hc.ranked hb
  obtain ⟨A, B, hAB, hm⟩ := hs.comesTo (u := [x]) (v := [y]) rfl .done
  obtain ⟨hA, hB⟩ := hm.steps
  have hiA : ∀ s ∈ A, init s := fun s hs => hi s (by rw [hAB]; exact List.mem_append_left _ hs)
  have hiB : ∀ s ∈ B, init s := fun s hs => hi s (by rw [hAB]; exact List.mem_append_right _ hs)
  obtain rfl : A = sym x := by simpa using hv.steps_eq hiA hA
  obtain rfl : B = sym y := by simpa using hv.steps_eq hiB hB
  have hg := hc.grows
  rw [hAB] at hg
  have hg2 := hm.grows hg
  exact ⟨hl, hAB, hm, (hm.ranks hl hg).2, ⟨hA.ranked (.stop (stuck_singleton t x)), hg2.1⟩,
    ⟨hB.ranked (.stop (stuck_singleton t y)), hg2.2⟩⟩

/-- The last merge of a made token bounds the ranks of its run. -/
theorem Made.ranks (hv : Spelling t init sym) {c : Token} (hc : Made t sym c) (hi : ∀ s ∈ sym c, init s)
    {Q : Nat → Prop} (hQ : ∀ x y k, birth t sym c = some (x, y, k) → ∀ j, j ≤ k → Q j) :
    RanksIn t Q (sym c) := by
  cases hb : birth t sym c with
  | none => rw [birth_eq_none hc.ranked hb]; exact .stop (stuck_singleton t c)
  | some p =>
    obtain ⟨x, y, k⟩ := p
    obtain ⟨_, he, _, hr, _⟩ := hc.parts hv hi hb
    rw [he]
    exact hr.mono (hQ x y k hb)

/-- The rank of the last merge of a token is a rank of its run. -/
theorem Made.last_in (hv : Spelling t init sym) {c : Token} (hc : Made t sym c) (hi : ∀ s ∈ sym c, init s)
    {Q : Nat → Prop} (hr : RanksIn t Q (sym c)) {x y : Token} {k : Nat}
    (hb : birth t sym c = some (x, y, k)) : Q k := by
  obtain ⟨hl, he, hm, _⟩ := hc.parts hv hi hb
  rw [he] at hr
  exact (hm.ranks_parts hl hr).1

/-! ## The walk -/

theorem RanksIn.and {Q R : Nat → Prop} {ts : List Token} (h : RanksIn t Q ts) :
    RanksIn t R ts → RanksIn t (fun k => Q k ∧ R k) ts := by
  induction h with
  | stop h => exact fun _ => .stop h
  | step ho hs hq _ ih => exact fun h' => .step ho hs ⟨hq, (h'.of_optimal ho hs).1⟩ (ih (h'.of_optimal ho hs).2)

/-- No bound is below `k`. -/
@[expose] def Within (dl dr : Option Nat) (k : Nat) : Prop := dl.all (k ≤ ·) = true ∧ dr.all (k ≤ ·) = true

theorem Within.comesFirst {dl dr : Option Nat} {j k : Nat} (h : Within dl dr k) (hj : j < k) :
    comesFirst dl dr j = true := by
  obtain ⟨h₁, h₂⟩ := h
  rw [VerifiedTok.comesFirst, Bool.and_eq_true]
  constructor
  · cases dl with
    | none => rfl
    | some d => simp only [Option.all_some, decide_eq_true_eq] at h₁ ⊢; omega
  · cases dr with
    | none => rfl
    | some d => simp only [Option.all_some, decide_eq_true_eq] at h₂ ⊢; omega

theorem comesFirst_mono {dl dr : Option Nat} {j k : Nat} (h : comesFirst dl dr k = true) (hj : j ≤ k) :
    comesFirst dl dr j = true := by
  rw [comesFirst, Bool.and_eq_true] at h ⊢
  obtain ⟨h₁, h₂⟩ := h
  constructor
  · cases dl with
    | none => rfl
    | some d => simp only [Option.all_some, decide_eq_true_eq] at h₁ ⊢; omega
  · cases dr with
    | none => rfl
    | some d => simp only [Option.all_some, decide_eq_true_eq] at h₂ ⊢; omega

/-- The test of one pair of tokens. -/
theorem not_any_comesFirst {dl dr : Option Nat} {l r : Token} :
    (!(t.look l r).any fun p => comesFirst dl dr p.1) = true ↔
      ∀ k c, t.look l r = some (k, c) → ¬ comesFirst dl dr k = true := by
  cases h : t.look l r with
  | none => simp
  | some p =>
    obtain ⟨k, c⟩ := p
    simp only [Option.any_some, Bool.not_eq_true', Option.some.injEq, Prod.mk.injEq]
    constructor
    · rintro h _ _ ⟨rfl, rfl⟩; simp [h]
    · intro h; simpa using h k c ⟨rfl, rfl⟩

/-- The step of the walk that undoes the left token's last merge. -/
theorem apartOn_step_left (hv : Spelling t init sym) {dl dr : Option Nat} {l r x y : Token} {j : Nat}
    (hl : Made t sym l) (hr : Made t sym r) (hil : ∀ s ∈ sym l, init s) (hb : birth t sym l = some (x, y, j))
    (hwl : RanksIn t (Within dl dr) (sym l)) (hwr : RanksIn t (fun k => comesFirst dl dr k = true) (sym r))
    (hlow : RanksIn t (· < j) (sym r)) :
    (ApartOn t (fun k => comesFirst dl dr k = true) (sym l) (sym r) ↔
      (∀ k c, t.look l r = some (k, c) → ¬ comesFirst dl dr k = true) ∧
        ApartOn t (fun k => comesFirst (some j) dr k = true) (sym y) (sym r)) ∧
      RanksIn t (Within (some j) dr) (sym y) ∧
        RanksIn t (fun k => comesFirst (some j) dr k = true) (sym r) := by
  obtain ⟨hlook, he, hm, hrk, _⟩ := hl.parts hv hil hb
  have hj := hl.last_in hv hil hwl hb
  have hstep : ∀ k, (k < j ∧ comesFirst dl dr k = true) ↔ comesFirst (some j) dr k = true := by
    intro k
    refine ⟨fun h => ?_, fun h => ?_⟩
    · have h₂ := h.2
      rw [comesFirst, Bool.and_eq_true] at h₂ ⊢
      exact ⟨by simpa using h.1, h₂.2⟩
    · have hk : k < j := by rw [comesFirst, Bool.and_eq_true] at h; simpa using h.1
      exact ⟨hk, hj.comesFirst hk⟩
  refine ⟨?_, ?_, (hlow.and hwr).mono fun k h => (hstep k).mp h⟩
  · have := apartOn_undo_left (P := fun k => comesFirst dl dr k = true) hlook
      (fun k hk => hj.comesFirst hk) hm hrk hr.ranked hlow
    rw [← he] at this
    rw [this, apartOn_congr hstep]
  · rw [he] at hwl
    have := (hm.ranks_parts hlook (hrk.and hwl)).2.2
    exact this.mono fun k h => ⟨by simpa using h.1, h.2.2⟩

/-- The step of the walk that undoes the right token's last merge. -/
theorem apartOn_step_right (hv : Spelling t init sym) {dl dr : Option Nat} {l r u v : Token} {j : Nat}
    (hl : Made t sym l) (hr : Made t sym r) (hir : ∀ s ∈ sym r, init s) (hb : birth t sym r = some (u, v, j))
    (hwl : RanksIn t (Within dl dr) (sym l)) (hwr : RanksIn t (fun k => comesFirst dl dr k = true) (sym r))
    (hlow : RanksIn t (· ≤ j) (sym l)) :
    (ApartOn t (fun k => comesFirst dl dr k = true) (sym l) (sym r) ↔
      (∀ k c, t.look l r = some (k, c) → ¬ comesFirst dl dr k = true) ∧
        ApartOn t (fun k => comesFirst dl (some j) k = true) (sym l) (sym u)) ∧
      RanksIn t (Within dl (some j)) (sym l) ∧
        RanksIn t (fun k => comesFirst dl (some j) k = true) (sym u) := by
  obtain ⟨hlook, he, hm, hrk, _⟩ := hr.parts hv hir hb
  have hj := hr.last_in hv hir hwr hb
  have hstep : ∀ k, (k ≤ j ∧ comesFirst dl dr k = true) ↔ comesFirst dl (some j) k = true := by
    intro k
    refine ⟨fun h => ?_, fun h => ?_⟩
    · have h₂ := h.2
      rw [comesFirst, Bool.and_eq_true] at h₂ ⊢
      exact ⟨h₂.1, by simpa using h.1⟩
    · have hk : k ≤ j := by rw [comesFirst, Bool.and_eq_true] at h; simpa using h.2
      exact ⟨hk, comesFirst_mono hj hk⟩
  refine ⟨?_, (hlow.and hwl).mono fun k h => ⟨h.2.1, by simpa using h.1⟩, ?_⟩
  · have := apartOn_undo_right (P := fun k => comesFirst dl dr k = true) hlook
      (fun k hk => comesFirst_mono hj hk) hm hrk hl.ranked hlow
    rw [← he] at this
    rw [this, apartOn_congr hstep]
  · rw [he] at hwr
    have := (hm.ranks_parts hlook (hrk.and hwr)).2.1
    exact this.mono fun k h => (hstep k).mp h

/-- The walk decides whether the two runs cross by a merge that comes first. -/
theorem stayApartFrom_iff (hv : Spelling t init sym) : ∀ {n : Nat} {dl dr : Option Nat} {l r : Token},
    (sym l).length + (sym r).length ≤ n → Made t sym l → Made t sym r →
    (∀ s ∈ sym l, init s) → (∀ s ∈ sym r, init s) →
    RanksIn t (Within dl dr) (sym l) → RanksIn t (fun k => comesFirst dl dr k = true) (sym r) →
    (stayApartFrom t sym n dl dr l r = true ↔
      ApartOn t (fun k => comesFirst dl dr k = true) (sym l) (sym r))
  | 0, _, _, l, r, hn, hl, _, _, _, _, _ => by
    have : sym l = [] := List.eq_nil_of_length_eq_zero (by omega)
    have h := hl.ranked
    rw [this] at h
    exact absurd (h.unique (.stop fun _ _ _ => selected_nil)) (List.cons_ne_nil _ _)
  | n + 1, dl, dr, l, r, hn, hl, hr, hil, hir, hwl, hwr => by
    have left : ∀ x y j, birth t sym l = some (x, y, j) → RanksIn t (· < j) (sym r) →
        ((!(t.look l r).any (fun p => comesFirst dl dr p.1) && stayApartFrom t sym n (some j) dr y r) = true ↔
          ApartOn t (fun k => comesFirst dl dr k = true) (sym l) (sym r)) := by
      intro x y j hb hlow
      obtain ⟨_, he, hm, _, _, hy⟩ := hl.parts hv hil hb
      obtain ⟨h₁, h₂, h₃⟩ := apartOn_step_left hv hl hr hil hb hwl hwr hlow
      have hlen := congrArg List.length he
      have := hm.length_pos
      rw [List.length_append] at hlen
      rw [h₁, Bool.and_eq_true, not_any_comesFirst, stayApartFrom_iff hv (by omega) hy hr
        (fun s hs => hil s (by rw [he]; exact List.mem_append_right _ hs)) hir h₂ h₃]
    have right : ∀ u v j, birth t sym r = some (u, v, j) → RanksIn t (· ≤ j) (sym l) →
        ((!(t.look l r).any (fun p => comesFirst dl dr p.1) && stayApartFrom t sym n dl (some j) l u) = true ↔
          ApartOn t (fun k => comesFirst dl dr k = true) (sym l) (sym r)) := by
      intro u v j hb hlow
      obtain ⟨_, he, hm, _, hu, _⟩ := hr.parts hv hir hb
      obtain ⟨h₁, h₂, h₃⟩ := apartOn_step_right hv hl hr hir hb hwl hwr hlow
      have hlen := congrArg List.length he
      have := hm.length_pos
      rw [List.length_append] at hlen
      rw [h₁, Bool.and_eq_true, not_any_comesFirst, stayApartFrom_iff hv (by omega) hl hu hil
        (fun s hs => hir s (by rw [he]; exact List.mem_append_left _ hs)) h₂ h₃]
    rw [stayApartFrom]
    cases hbl : birth t sym l with
    | none =>
      have hsl := birth_eq_none hl.ranked hbl
      cases hbr : birth t sym r with
      | none =>
        rw [Bool.and_true, not_any_comesFirst, hsl, birth_eq_none hr.ranked hbr, apartOn_pair]
      | some p => exact right p.1 p.2.1 p.2.2 hbr (by rw [hsl]; exact .stop (stuck_singleton t l))
    | some p =>
      obtain ⟨x, y, j⟩ := p
      cases hbr : birth t sym r with
      | none =>
        exact left x y j hbl (by rw [birth_eq_none hr.ranked hbr]; exact .stop (stuck_singleton t r))
      | some q =>
        obtain ⟨u, v, k⟩ := q
        by_cases hkj : k < j
        · simp only [hkj, if_true]
          refine left x y j hbl (hr.ranks hv hir fun x' y' k' hb' i hi => ?_)
          rw [hbr] at hb'
          cases hb'
          omega
        · simp only [hkj, if_false]
          refine right u v k hbr (hl.ranks hv hil fun x' y' k' hb' i hi => ?_)
          rw [hbl] at hb'
          cases hb'
          omega

theorem RanksIn.trivial {Q : Nat → Prop} (hQ : ∀ k, Q k) {ts : List Token} : RanksIn t Q ts := by
  have h := mergeAll_ranked t ts
  generalize mergeAll t ts = out at h
  induction h with
  | stop h => exact .stop h
  | step ho _ ih => obtain ⟨k, hs, _⟩ := id ho; exact .step ho hs (hQ k) ih

/-- **The walk decides whether merges leave two tokens as they are**, if merges make each of the two by ranks that
never fall. -/
theorem stayApart_iff (hv : Spelling t init sym) {l r : Token} (hl : made t sym l = true)
    (hr : made t sym r = true) (hi : ∀ s ∈ sym l ++ sym r, init s) :
    stayApart t sym l r = true ↔ mergeAll t (sym l ++ sym r) = [l, r] := by
  have hl := made_iff.mp hl
  have hr := made_iff.mp hr
  rw [stayApart, stayApartFrom_iff hv (Nat.le_refl _) hl hr (fun s hs => hi s (List.mem_append_left _ hs))
    (fun s hs => hi s (List.mem_append_right _ hs)) (.trivial fun _ => ⟨rfl, rfl⟩) (.trivial fun _ => rfl),
    apartOn_congr (P := fun k => comesFirst none none k = true) (R := fun _ => True)
      (fun k => iff_of_true rfl True.intro), apartOn_true]
  constructor
  · intro h
    rw [h.mergeAll_eq, mergeAll_eq_iff.mpr hl.ranked, mergeAll_eq_iff.mpr hr.ranked]
    rfl
  · intro h
    simpa using (hv.split (u := [l]) (v := [r]) hi (mergeAll_eq_iff.mp h)).1

/-! ## The search -/

theorem made_of_stayApartAll : ∀ {ts : List Token}, stayApartAll t sym ts = true → ∀ c ∈ ts, made t sym c = true
  | [], _, c, hc => by simp at hc
  | [a], h, c, hc => by rw [List.mem_singleton] at hc; subst hc; exact h
  | a :: b :: rest, h, c, hc => by
    simp only [stayApartAll, Bool.and_eq_true] at h
    rcases List.mem_cons.mp hc with rfl | hc
    · exact h.1.1
    · exact made_of_stayApartAll h.2 c hc

theorem stayApart_of_stayApartAll {l r : Token} {v : List Token} : ∀ {u : List Token},
    stayApartAll t sym (u ++ l :: r :: v) = true → stayApart t sym l r = true
  | [], h => by simp only [List.nil_append, stayApartAll, Bool.and_eq_true] at h; exact h.1.2
  | [a], h => by
    simp only [List.cons_append, List.nil_append, stayApartAll, Bool.and_eq_true] at h
    exact h.2.1.2
  | a :: b :: u, h => by
    simp only [List.cons_append, stayApartAll, Bool.and_eq_true] at h
    exact stayApart_of_stayApartAll (u := b :: u) h.2

/-- **Tokens that merges make, of which every two neighbours stay apart, are the encoding of what they spell**,
however they were found. -/
theorem mergeAll_of_stayApartAll (hv : Spelling t init sym) {ts : List Token}
    (hi : ∀ s ∈ ts.flatMap sym, init s) (h : stayApartAll t sym ts = true) :
    mergeAll t (ts.flatMap sym) = ts := by
  have hsym : ∀ c ∈ ts, ∀ s ∈ sym c, init s := fun c hc s hs => hi s (List.mem_flatMap.mpr ⟨c, hc, hs⟩)
  refine mergeAll_eq_iff.mpr (hv.ranked_of_pairs hi (fun c hc => ?_) fun u l r v he => ?_)
  · exact (made_iff.mp (made_of_stayApartAll h c hc)).ranked
  · have hl : l ∈ ts := by simp [he]
    have hr : r ∈ ts := by simp [he]
    refine mergeAll_eq_iff.mp ((stayApart_iff hv (made_of_stayApartAll h l hl) (made_of_stayApartAll h r hr)
      fun s hs => ?_).mp (stayApart_of_stayApartAll (u := u) (v := v) (he ▸ h)))
    rcases List.mem_append.mp hs with hs | hs
    · exact hsym l hl s hs
    · exact hsym r hr s hs

/-- The search fails only where the encoding holds a token that merges do not make by ranks that never fall. -/
theorem stayApartAll_mergeAll (hv : Spelling t init sym) {w : List Token} (hw : ∀ s ∈ w, init s)
    (hm : ∀ c ∈ mergeAll t w, made t sym c = true) : stayApartAll t sym (mergeAll t w) = true := by
  have hr := mergeAll_ranked t w
  generalize mergeAll t w = out at hm hr
  induction out generalizing w with
  | nil => rfl
  | cons a out ih =>
    cases out with
    | nil => exact hm a (List.mem_singleton_self a)
    | cons b rest =>
      simp only [stayApartAll, Bool.and_eq_true]
      have hsym : ∀ c ∈ a :: b :: rest, ∀ s ∈ sym c, init s := fun c hc s hs =>
        hw s (by rw [hv.steps_eq hw hr.steps]; exact List.mem_flatMap.mpr ⟨c, hc, hs⟩)
      have hab := hv.split (u := [a, b]) (v := rest) hw hr
      have hbr := hv.split (u := [a]) (v := b :: rest) hw hr
      have ha := hm a (List.mem_cons_self ..)
      have hb := hm b (List.mem_cons_of_mem _ (List.mem_cons_self ..))
      refine ⟨⟨ha, (stayApart_iff hv ha hb fun s hs => ?_).mpr ?_⟩, ih (w := (b :: rest).flatMap sym)
        (fun s hs => ?_) (fun c hc => hm c (List.mem_cons_of_mem _ hc)) hbr.2.2⟩
      · rcases List.mem_append.mp hs with hs | hs
        · exact hsym a (List.mem_cons_self ..) s hs
        · exact hsym b (List.mem_cons_of_mem _ (List.mem_cons_self ..)) s hs
      · have := mergeAll_eq_iff.mpr hab.2.1
        simpa using this
      · obtain ⟨c, hc, hs⟩ := List.mem_flatMap.mp hs
        exact hsym c (List.mem_cons_of_mem _ hc) s hs

/-- **Bytes**: tokens that spell a piece, that merges make, and of which every two neighbours stay apart, are the
encoding of the piece, however they were found. -/
theorem encodePiece_of_stayApartAll {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf) {piece : List UInt8}
    {ts : List Token} (hs : decode bytesOf ts = piece)
    (h : stayApartAll t (fun c => initialTokens t (bytesOf c)) ts = true) : encodePiece t piece = ts := by
  have he : initialTokens t piece = ts.flatMap fun c => initialTokens t (bytesOf c) := by
    rw [← hs]
    clear hs h
    induction ts with
    | nil => rfl
    | cons c ts ih => rw [decode_cons, initialTokens, List.map_append, List.flatMap_cons]; exact congrArg _ ih
  rw [encodePiece, he]
  refine mergeAll_of_stayApartAll hv.spelling (fun s hs => ?_) h
  obtain ⟨c, _, hs⟩ := List.mem_flatMap.mp hs
  exact isByte_initialTokens t _ s hs

/-- **What leads to a place is unique**: two such lists that spell the same are the same.  So a search may remember
the places from which it found no way on, whatever came before them. -/
theorem stayApartAll_unique (hv : Spelling t init sym) {ts us : List Token} (hi : ∀ s ∈ ts.flatMap sym, init s)
    (he : ts.flatMap sym = us.flatMap sym) (ht : stayApartAll t sym ts = true)
    (hu : stayApartAll t sym us = true) : ts = us := by
  rw [← mergeAll_of_stayApartAll hv hi ht, he]
  exact mergeAll_of_stayApartAll hv (he ▸ hi) hu

/-! ## The search as a program -/

/-- `ts` may stand behind the token `last`. -/
@[expose] def BehindLast (t : Table) (sym : Token → List Token) (last : Option Token) (ts : List Token) : Prop :=
  ∀ l c, last = some l → ts.head? = some c → stayApart t sym l c = true

theorem stayApartAll_cons {c : Token} {ts : List Token} (hc : made t sym c = true)
    (hb : BehindLast t sym (some c) ts) (h : stayApartAll t sym ts = true) : stayApartAll t sym (c :: ts) = true := by
  cases ts with
  | nil => exact hc
  | cons d ts => simp only [stayApartAll, hc, hb c d rfl rfl, h, Bool.and_self]

theorem searchFrom_sound {fits : List Token → List Token} (hf : Fits t sym fits) : ∀ {n : Nat} {last : Option Token}
    {w ts : List Token}, searchFrom t sym fits n last w = some ts →
      ts.flatMap sym = w ∧ stayApartAll t sym ts = true ∧ BehindLast t sym last ts
  | _, _, [], ts, h => by
    rw [searchFrom] at h
    cases h
    exact ⟨rfl, rfl, fun _ _ _ h => by simp at h⟩
  | 0, _, _ :: _, ts, h => by simp [searchFrom] at h
  | n + 1, last, x :: rest, ts, h => by
    rw [searchFrom] at h
    obtain ⟨c, hc, h⟩ := List.exists_of_findSome?_eq_some h
    split at h
    · rename_i hl
      obtain ⟨us, hus, rfl⟩ := Option.map_eq_some_iff.mp h
      obtain ⟨hm, r, hr⟩ := hf _ c hc
      obtain ⟨h1, h2, h3⟩ := searchFrom_sound hf hus
      refine ⟨?_, stayApartAll_cons hm h3 h2, fun l d hlast hd => ?_⟩
      · rw [List.flatMap_cons, h1]
        have hdrop : (x :: rest).drop (sym c).length = r := by rw [← hr]; simp
        rw [hdrop, hr]
      · cases hd
        rw [hlast] at hl
        exact hl
    · cases h

/-- **What the search finds is the encoding.** -/
theorem search_sound (hv : Spelling t init sym) {fits : List Token → List Token} (hf : Fits t sym fits)
    {w ts : List Token} (hw : ∀ s ∈ w, init s) (h : search t sym fits w = some ts) : mergeAll t w = ts := by
  obtain ⟨h1, h2, _⟩ := searchFrom_sound hf h
  rw [← h1]
  exact mergeAll_of_stayApartAll hv (by rw [h1]; exact hw) h2

theorem made_ne_nil {c : Token} (hc : made t sym c = true) : sym c ≠ [] := fun he => by
  have := (made_iff.mp hc).ranked
  rw [he] at this
  exact List.cons_ne_nil _ _ (this.unique (.stop fun _ _ _ => selected_nil))

/-- It finds something if some list of tokens that `fits` knows passes the test. -/
theorem searchFrom_complete {fits : List Token → List Token} (hf : Fits t sym fits) : ∀ {ts : List Token} {n : Nat}
    {last : Option Token}, (ts.flatMap sym).length ≤ n → stayApartAll t sym ts = true → BehindLast t sym last ts →
      (∀ u c v, ts = u ++ c :: v → c ∈ fits ((c :: v).flatMap sym)) →
      (searchFrom t sym fits n last (ts.flatMap sym)).isSome = true
  | [], n, _, _, _, _, _ => by cases n <;> rfl
  | c :: ts, n, last, hn, h, hb, hm => by
    have hc := made_of_stayApartAll h c (List.mem_cons_self ..)
    have hne := made_ne_nil hc
    obtain ⟨x, xs, hx⟩ := List.exists_cons_of_ne_nil hne
    have he : (c :: ts).flatMap sym = x :: (xs ++ ts.flatMap sym) := by rw [List.flatMap_cons, hx]; rfl
    have hmem := hm [] c ts rfl
    rw [he] at hn hmem ⊢
    cases n with
    | zero => simp at hn
    | succ n =>
      have hdrop : (x :: (xs ++ ts.flatMap sym)).drop (sym c).length = ts.flatMap sym := by
        rw [← he, List.flatMap_cons]; simp
      have htail : stayApartAll t sym ts = true ∧ BehindLast t sym (some c) ts := by
        cases ts with
        | nil => exact ⟨rfl, fun _ _ _ h => by simp at h⟩
        | cons d ts =>
          simp only [stayApartAll, Bool.and_eq_true] at h
          exact ⟨h.2, fun l e hl he => by cases hl; cases he; exact h.1.2⟩
      have hlen : (ts.flatMap sym).length ≤ n := by
        simp only [List.length_cons, List.length_append] at hn
        omega
      have ih := searchFrom_complete hf hlen htail.1 htail.2 fun u d v hd => hm (c :: u) d v (by rw [hd]; rfl)
      have hlast : (last.all fun l => stayApart t sym l c) = true := by
        cases last with
        | none => rfl
        | some l => exact hb l c rfl rfl
      rw [searchFrom, List.findSome?_isSome_iff]
      refine ⟨c, hmem, ?_⟩
      rw [if_pos hlast, hdrop, Option.isSome_map]
      exact ih

/-- **The search finds the encoding exactly if `fits` knows every token of it**, where the token stands. -/
theorem search_eq_some (hv : Spelling t init sym) {fits : List Token → List Token} (hf : Fits t sym fits)
    {w : List Token} (hw : ∀ s ∈ w, init s)
    (hm : ∀ u c v, mergeAll t w = u ++ c :: v → c ∈ fits ((c :: v).flatMap sym)) :
    search t sym fits w = some (mergeAll t w) := by
  have hspell : (mergeAll t w).flatMap sym = w := (hv.steps_eq hw (mergeAll_ranked t w).steps).symm
  have hmade : ∀ c ∈ mergeAll t w, made t sym c = true := fun c hc => by
    obtain ⟨u, v, he⟩ := List.append_of_mem hc
    exact (hf _ c (hm u c v he)).1
  have := searchFrom_complete (n := w.length) (last := none) hf (by rw [hspell]; exact Nat.le_refl _)
    (stayApartAll_mergeAll hv hw hmade) (fun _ _ h => by cases h) hm
  rw [hspell] at this
  obtain ⟨ts, hts⟩ := Option.isSome_iff_exists.mp this
  rw [search, hts, search_sound hv hf hw hts]

/-! ## Why ranks may not fall -/

/-- `b` and `ab` rank below `a` and `b`; 0 is `a`, 1 is `b`, 2 is `ab`, 3 is `bab`. -/
@[expose] def fallingTable : Table := ofMerges UInt8.toNat [⟨1, 2, 3⟩, ⟨0, 1, 2⟩]

/-- The symbols of its tokens. -/
@[expose] def fallingSymbols (c : Token) : List Token := [[0], [1], [0, 1], [1, 0, 1]].getD c []

/-- **Ranks that fall mislead the walk**: merges make `bab` of its symbols, by ranks 1 and 0, and the walk says that
`a` stays apart from it, but `abab` becomes `ab` and `ab`. -/
theorem stayApart_needs_ranks_that_grow :
    mergeAll fallingTable (fallingSymbols 3) = [3] ∧ made fallingTable fallingSymbols 3 = false ∧
      stayApart fallingTable fallingSymbols 0 3 = true ∧
        mergeAll fallingTable (fallingSymbols 0 ++ fallingSymbols 3) = [2, 2] := by
  decide +kernel

end VerifiedTok
