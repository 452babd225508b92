module

public import VerifiedTok.Thm.Splice.Blocks
public import VerifiedTok.Thm.Encode

public section

/-!
# Splicing is lossless

Lemma A.3, Theorem A.5 and Corollary A.6 of Z. Zhang and Z. Cao, *TokTier* (arXiv 2607.29678, Appendix A), for any
number of windows; seams give a
certificate.
-/

namespace VerifiedTok

variable {α κ : Type}

/-- **Concatenation homomorphism** (Lemma A.3). -/
theorem encStar_append (E : κ → List Token) (us vs : List (SrcUnit κ)) :
    encStar E (us ++ vs) = encStar E us ++ encStar E vs :=
  List.flatMap_append

theorem encStar_shift (E : κ → List Token) (x : Nat) (us : List (SrcUnit κ)) :
    encStar E (us.map (SrcUnit.shift x)) = encStar E us := by
  simp only [encStar, List.flatMap_map, SrcUnit.shift]

/-- Of each window, exactly the tokens between its junctions are kept. -/
theorem keptTokens_eq {G : List α → List (SrcUnit κ)} (hG : FrontEnd G) (E : κ → List Token) {S : List α}
    {N : Nat} {w : Nat → Window} {b : Nat → Nat} (c : Certificate G S N w b) {i : Nat} (hi : i < N) :
    keptTokens G E S w b i = encStar E (unitsInside (b i) (b (i + 1)) (G S)) := by
  have ho : OrderedUnits (windowUnits G S (w i)) := (hG.ordered _).map_shift _
  have h3 := three_blocks ho (c.mono i hi) (fun u hu => (c.c2' i hi u hu).1)
    (fun u hu => (c.c2' i hi u hu).2)
  have ht : tokenizeUnits G E (windowText S (w i)) =
      encStar E (unitsBefore (b i) (windowUnits G S (w i))) ++
        (encStar E (unitsInside (b i) (b (i + 1)) (windowUnits G S (w i))) ++
          encStar E (unitsAfter (b (i + 1)) (windowUnits G S (w i)))) := by
    rw [← encStar_append, ← encStar_append, ← h3, windowUnits, encStar_shift, tokenizeUnits]
  rw [keptTokens, ht, List.drop_left, List.take_left, c.c2 i hi]

/-- **Losslessness under a splice certificate** (Theorem A.5), for any number of windows. -/
theorem splice {G : List α → List (SrcUnit κ)} (hG : FrontEnd G) (E : κ → List Token) {S : List α}
    {N : Nat} {w : Nat → Window} {b : Nat → Nat} (c : Certificate G S N w b) :
    (List.range N).flatMap (keptTokens G E S w b) = tokenizeUnits G E S := by
  have hall : unitsBefore (b N) (G S) = G S := by
    simp only [unitsBefore, List.filter_eq_self, decide_eq_true_eq, c.last]
    exact hG.bounded S
  have hb := before_eq_blocks (hG.ordered S) c.first N c.mono (fun i hi => c.c1 i (Nat.le_of_lt hi))
  rw [hall] at hb
  rw [flatMap_congr fun i hi => keptTokens_eq hG E c (List.mem_range.mp hi), tokenizeUnits]
  conv => rhs; rw [hb]
  simp only [encStar, List.flatMap_assoc]

/-- **Splice shifting** (Corollary A.6): along an equal run the splice point may be moved; the two sequences may
be indexed with different offsets. -/
theorem splice_shift {ρ : Type} {L R : List ρ} {i j n : Nat} (h : MatchedRun L R i j n) :
    L.take (i + n) ++ R.drop (j + n) = L.take i ++ R.drop j := by
  have h1 : L.take (i + n) = L.take i ++ (L.drop i).take n := List.take_add
  have h2 : R.drop j = (R.drop j).take n ++ R.drop (j + n) := by
    rw [← List.drop_drop, List.take_append_drop]
  rw [h1, h.2.2, List.append_assoc, ← h2]

/-! ## Seams give a certificate -/

theorem windowText_all (S : List α) : windowText S ⟨0, S.length⟩ = S := by
  rw [windowText, List.take_length, List.drop_zero]

theorem windowText_length (S : List α) {lo hi : Nat} (h : hi ≤ S.length) :
    (windowText S ⟨lo, hi⟩).length = hi - lo := by
  rw [windowText, List.length_drop, List.length_take]; simp only; omega

/-- The units of a window, at a cut: those on its left and those on its right. -/
theorem windowUnits_cut {G : List α → List (SrcUnit κ)} {S : List α} {p lo hi : Nat} (h : FrontCut G S p)
    (h1 : lo ≤ p) (h2 : p ≤ hi) (h3 : hi ≤ S.length) :
    windowUnits G S ⟨lo, hi⟩ = windowUnits G S ⟨lo, p⟩ ++ windowUnits G S ⟨p, hi⟩ := by
  rw [windowUnits, h lo hi h1 h2 h3, List.map_append, List.map_map]
  congr 1
  apply List.map_congr_left
  intro u _
  simp only [Function.comp, SrcUnit.shift, SrcUnit.mk.injEq, true_and]
  omega

theorem windowUnits_bounds {G : List α → List (SrcUnit κ)} (hG : FrontEnd G) {S : List α} {lo hi : Nat}
    (h1 : lo ≤ hi) (h2 : hi ≤ S.length) :
    ∀ u ∈ windowUnits G S ⟨lo, hi⟩, lo ≤ u.lo ∧ u.lo < u.hi ∧ u.hi ≤ hi := by
  intro u hu
  obtain ⟨v, hv, rfl⟩ := List.mem_map.mp hu
  have hb := hG.bounded _ v hv
  have hp := (hG.ordered _).pos v hv
  rw [windowText_length S h2] at hb
  simp only [SrcUnit.shift]; omega

/-- No unit of a window straddles a cut inside it. -/
theorem not_straddles_cut {G : List α → List (SrcUnit κ)} (hG : FrontEnd G) {S : List α} {p lo hi : Nat}
    (h : FrontCut G S p) (h1 : lo ≤ p) (h2 : p ≤ hi) (h3 : hi ≤ S.length) :
    ∀ u ∈ windowUnits G S ⟨lo, hi⟩, ¬ u.Straddles p := by
  intro u hu
  rw [windowUnits_cut h h1 h2 h3, List.mem_append] at hu
  simp only [SrcUnit.Straddles]
  rcases hu with hu | hu
  · have := windowUnits_bounds hG h1 (by omega) u hu; omega
  · have := windowUnits_bounds hG h2 h3 u hu; omega

/-- Between two cuts, every window that holds them has the same units: those of the text between the cuts. -/
theorem unitsInside_windowUnits {G : List α → List (SrcUnit κ)} (hG : FrontEnd G) {S : List α}
    {p q lo hi : Nat} (hp : FrontCut G S p) (hq : FrontCut G S q) (h1 : lo ≤ p) (hpq : p ≤ q) (h2 : q ≤ hi)
    (h3 : hi ≤ S.length) : unitsInside p q (windowUnits G S ⟨lo, hi⟩) = windowUnits G S ⟨p, q⟩ := by
  have b1 := windowUnits_bounds hG (S := S) h1 (by omega)
  have b2 := windowUnits_bounds hG (S := S) hpq (by omega)
  have b3 := windowUnits_bounds hG (S := S) h2 h3
  rw [windowUnits_cut hp h1 (by omega) h3, windowUnits_cut hq hpq h2 h3, unitsInside, List.filter_append,
    List.filter_append]
  have e1 : (windowUnits G S ⟨lo, p⟩).filter (fun u => decide (p ≤ u.lo ∧ u.hi ≤ q)) = [] := by
    simp only [List.filter_eq_nil_iff, decide_eq_true_eq]
    intro u hu
    have := b1 u hu; omega
  have e2 : (windowUnits G S ⟨p, q⟩).filter (fun u => decide (p ≤ u.lo ∧ u.hi ≤ q)) = windowUnits G S ⟨p, q⟩ := by
    simp only [List.filter_eq_self, decide_eq_true_eq]
    intro u hu
    have := b2 u hu; omega
  have e3 : (windowUnits G S ⟨q, hi⟩).filter (fun u => decide (p ≤ u.lo ∧ u.hi ≤ q)) = [] := by
    simp only [List.filter_eq_nil_iff, decide_eq_true_eq]
    intro u hu
    have := b3 u hu; omega
  rw [e1, e2, e3, List.nil_append, List.append_nil]

theorem windowUnits_all (G : List α → List (SrcUnit κ)) (S : List α) : windowUnits G S ⟨0, S.length⟩ = G S := by
  rw [windowUnits, windowText_all]
  exact (List.map_congr_left fun u _ => rfl).trans (List.map_id _)

/-- **Seams give a certificate**: if the front end may be cut at every junction, any windows that hold the blocks
between them have one.  Nothing is asked of the windows' own ends. -/
theorem certificate_of_seams {G : List α → List (SrcUnit κ)} (hG : FrontEnd G) {S : List α} {N : Nat}
    {w : Nat → Window} {b : Nat → Nat} (first : b 0 = 0) (last : b N = S.length)
    (mono : ∀ i, i < N → b i ≤ b (i + 1)) (hcut : ∀ i, i ≤ N → FrontCut G S (b i))
    (hw : ∀ i, i < N → (w i).lo ≤ b i ∧ b (i + 1) ≤ (w i).hi ∧ (w i).hi ≤ S.length) :
    Certificate G S N w b where
  first := first
  last := last
  mono := mono
  c1 i hi u hu := by
    have hle : b i ≤ S.length := by
      rcases Nat.eq_or_lt_of_le hi with rfl | hlt
      · omega
      · have := hw i hlt; have := mono i hlt; omega
    exact not_straddles_cut hG (hcut i hi) (Nat.zero_le _) hle (Nat.le_refl _) u (by rw [windowUnits_all]; exact hu)
  c2 i hi := by
    obtain ⟨h1, h2, h3⟩ := hw i hi
    rw [unitsInside_windowUnits hG (hcut i (by omega)) (hcut (i + 1) hi) h1 (mono i hi) h2 h3,
      ← windowUnits_all G S, unitsInside_windowUnits hG (hcut i (by omega)) (hcut (i + 1) hi) (Nat.zero_le _)
        (mono i hi) (by omega) (Nat.le_refl _)]
  c2' i hi u hu := by
    obtain ⟨h1, h2, h3⟩ := hw i hi
    have hm := mono i hi
    exact ⟨not_straddles_cut hG (hcut i (by omega)) h1 (by omega) h3 u hu,
      not_straddles_cut hG (hcut (i + 1) hi) (by omega) h2 h3 u hu⟩

end VerifiedTok
