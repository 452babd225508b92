module

public import VerifiedTok.Thm.Splice

public section

/-!
# A real tokenizer as a front end

A tokenizer without a normalizer, whose stages drop nothing, is a front end and a model stage in the sense of the
theory of splices, and its seams are places where the front end may be cut.
-/

namespace VerifiedTok

variable {α κ : Type}

/-! ## Placing keys -/

theorem place_shift (len : κ → Nat) (p x : Nat) (ks : List κ) :
    place len (p + x) ks = (place len p ks).map (SrcUnit.shift x) := by
  induction ks generalizing p with
  | nil => rfl
  | cons k ks ih =>
    rw [place, place, List.map_cons, ← ih, SrcUnit.shift, Nat.add_right_comm]

theorem place_append (len : κ → Nat) (p : Nat) (ks ls : List κ) :
    place len p (ks ++ ls) = place len p ks ++ place len (p + (ks.map len).sum) ls := by
  induction ks generalizing p with
  | nil => rfl
  | cons k ks ih =>
    rw [List.cons_append, place, ih, place, List.map_cons, List.sum_cons, Nat.add_assoc, List.cons_append]

theorem place_bounds {len : κ → Nat} {ks : List κ} (hpos : ∀ k ∈ ks, 0 < len k) (p : Nat) :
    OrderedUnits (place len p ks) ∧ ∀ u ∈ place len p ks, p ≤ u.lo ∧ u.hi ≤ p + (ks.map len).sum := by
  induction ks generalizing p with
  | nil => exact ⟨trivial, by simp [place]⟩
  | cons k ks ih =>
    obtain ⟨ho, hb⟩ := ih (fun k' hk' => hpos k' (List.mem_cons_of_mem _ hk')) (p + len k)
    have h0 := hpos k (List.mem_cons_self ..)
    rw [place, List.map_cons, List.sum_cons]
    refine ⟨⟨by simp only; omega, fun v hv => (hb v hv).1, ho⟩, fun u hu => ?_⟩
    rcases List.mem_cons.mp hu with rfl | hu
    · simp only; omega
    · have := hb u hu; omega

theorem encStar_place (E : κ → List Token) (len : κ → Nat) (p : Nat) (ks : List κ) :
    encStar E (place len p ks) = ks.flatMap E := by
  induction ks generalizing p with
  | nil => rfl
  | cons k ks ih => rw [place, List.flatMap_cons, ← ih (p + len k)]; rfl

theorem sum_lengths (ks : List (Segment α)) :
    (ks.map (·.2.length)).sum = (ks.flatMap (·.2)).length := by
  induction ks with
  | nil => rfl
  | cons k ks ih => rw [List.map_cons, List.sum_cons, ih, List.flatMap_cons, List.length_append]

/-! ## The units of a tokenizer -/

namespace Tokenizer

variable [DecidableEq α] {T : Tokenizer α}

/-- The keys of a tokenizer's units. -/
@[expose] def keys (T : Tokenizer α) (S : List α) : List (Segment α) :=
  (extract T.literals S).flatMap fun y => if y.1 then [y] else (splitAll T.stages y.2).map (false, ·)

theorem units_eq (S : List α) : T.units S = place (·.2.length) 0 (T.keys S) := rfl

theorem keys_spell (h : ∀ t ∈ T.stages, t.behaviour ≠ .removed) (S : List α) : (T.keys S).flatMap (·.2) = S := by
  have e := extract_spells T.literals S
  rw [keys, List.flatMap_assoc]
  refine Eq.trans (flatMap_congr fun y _ => ?_) e
  split
  · simp
  · rw [List.flatMap_map]
    exact List.flatMap_id'.trans (splitAll_flatten _ h _)

theorem keys_pos (S : List α) : ∀ k ∈ T.keys S, 0 < k.2.length := by
  intro k hk
  obtain ⟨y, hy, hk⟩ := List.mem_flatMap.mp hk
  apply List.length_pos_iff.mpr
  split at hk
  · simp only [List.mem_singleton] at hk
    subst hk
    exact cut_ne_nil (fun _ => longest_ne_zero) S k hy
  · obtain ⟨q, hq, rfl⟩ := List.mem_map.mp hk
    exact splitAll_ne_nil _ _ q hq

/-- **A tokenizer whose stages drop nothing is a front end.** -/
theorem frontEnd_units (h : ∀ t ∈ T.stages, t.behaviour ≠ .removed) : FrontEnd T.units where
  ordered S := (place_bounds (keys_pos S) 0).1
  bounded S u hu := by
    have := ((place_bounds (T.keys_pos S) 0).2 u hu).2
    rw [sum_lengths, keys_spell h, Nat.zero_add] at this
    exact this

theorem keys_nil : T.keys [] = [] := rfl

/-- Cutting the text at a seam cuts the units. -/
theorem frontCut_of_keys (h : ∀ t ∈ T.stages, t.behaviour ≠ .removed) {S : List α} {p : Nat}
    (hk : ∀ A B, A <:+ S.take p → B <+: S.drop p → T.keys (A ++ B) = T.keys A ++ T.keys B) :
    FrontCut T.units S p := by
  intro lo hi hlo hhi hlen
  have hA : windowText S ⟨lo, p⟩ <:+ S.take p := List.drop_suffix _ _
  have hB : windowText S ⟨p, hi⟩ <+: S.drop p := by
    rw [windowText, List.drop_take]; exact List.take_prefix _ _
  have hAB : windowText S ⟨lo, hi⟩ = windowText S ⟨lo, p⟩ ++ windowText S ⟨p, hi⟩ := by
    have h1 : (S.take hi).drop lo = ((S.take hi).take p ++ (S.take hi).drop p).drop lo := by
      rw [List.take_append_drop]
    rw [windowText, h1, List.take_take, Nat.min_eq_left hhi,
      List.drop_append_of_le_length (by rw [List.length_take]; omega)]
    rfl
  rw [units_eq, units_eq, units_eq, hAB, hk _ _ hA hB, place_append, sum_lengths, keys_spell h,
    windowText_length S (by omega), place_shift]

/-- **The seams of a tokenizer are places where its front end may be cut.** -/
theorem frontCut_of_seam {subset : Inclusion α} (hsub : SubsetSound subset) (hf : NoFlags T.literals)
    (h : ∀ t ∈ T.stages, t.behaviour ≠ .removed) {S : List α} {p : Nat}
    (hs : ∀ x y, (S.take p).getLast? = some x → (S.drop p).head? = some y →
      holdsPair T.literals x y = false ∧ isSeam subset T.stages x y = true) :
    FrontCut T.units S p := by
  apply frontCut_of_keys h
  intro A B hA hB
  rcases hx : A.getLast? with _ | x
  · rw [List.getLast?_eq_none_iff.mp hx]; rfl
  rcases hy : B.head? with _ | y
  · rw [List.head?_eq_none_iff.mp hy, List.append_nil, keys_nil, List.append_nil]
  have hxS : (S.take p).getLast? = some x := by
    obtain ⟨t, ht⟩ := hA
    rw [← ht, List.getLast?_append, hx]; rfl
  have hyS : (S.drop p).head? = some y := by
    obtain ⟨t, ht⟩ := hB
    rw [← ht, List.head?_append, hy]; rfl
  have seam := hs x y hxS hyS
  rw [keys, extract_append_of_no_cross (noCross_of_not_holdsPair seam.1 hx hy)]
  refine flatMap_glue fun g k hg hk => ?_
  rw [← extractFlagged_eq_extract (isWord := T.isWord) (isSpace := T.isSpace) hf] at hg hk
  have hgx := getLast?_of_lastText hg hx
  have hky := head?_of_firstText hk hy
  simp [splitAll_append_of_seam hsub seam.2 hgx hky]

/-- Its units, mapped by its model stage, are its tokens. -/
theorem tokenizeUnits_units (hf : NoFlags T.literals) (hN : T.normalize = id) (hl : T.normalizedLiterals = [])
    (S : List α) :
    tokenizeUnits T.units T.encodeUnit S = T.encode S := by
  have hE : ∀ g, g ≠ [] → T.encodeNormalized g = T.encodePieces g := by
    intro g hg
    rw [encodeNormalized, hl, segments, extractFlagged_eq_extract (by simp [NoFlags]), extract, cut_none_everywhere (m := longest []) (fun _ => rfl) hg]
    simp [encodeSegments]
  rw [tokenizeUnits, units_eq, encStar_place, keys, List.flatMap_assoc, encode, segments,
    extractFlagged_eq_extract hf, encodeRaw, encodeSegments]
  refine flatMap_congr fun y hy => ?_
  obtain ⟨b, g⟩ := y
  cases b with
  | true => simp [encodeUnit]
  | false =>
    have hg : g ≠ [] := cut_ne_nil (fun _ => longest_ne_zero) S _ hy
    simp [encodeUnit, hN, hE g hg, encodePieces, List.flatMap_map]

/-- **Windows of a real tokenizer, spliced at seams, give its tokens**: windows of any shape, as long as each holds
the block between its junctions. -/
theorem splice_at_seams {subset : Inclusion α} (hsub : SubsetSound subset) (hf : NoFlags T.literals)
    (hN : T.normalize = id) (hl : T.normalizedLiterals = []) (h : ∀ t ∈ T.stages, t.behaviour ≠ .removed)
    {S : List α} {N : Nat} {w : Nat → Window} {b : Nat → Nat} (first : b 0 = 0) (last : b N = S.length)
    (mono : ∀ i, i < N → b i ≤ b (i + 1))
    (hs : ∀ i, i ≤ N → ∀ x y, (S.take (b i)).getLast? = some x → (S.drop (b i)).head? = some y →
      holdsPair T.literals x y = false ∧ isSeam subset T.stages x y = true)
    (hw : ∀ i, i < N → (w i).lo ≤ b i ∧ b (i + 1) ≤ (w i).hi ∧ (w i).hi ≤ S.length) :
    (List.range N).flatMap (keptTokens T.units T.encodeUnit S w b) = T.encode S := by
  rw [← tokenizeUnits_units hf hN hl]
  exact splice (frontEnd_units h) _ (certificate_of_seams (frontEnd_units h) first last mono
    (fun i hi => frontCut_of_seam hsub hf h (hs i hi)) hw)

end Tokenizer

end VerifiedTok
