module

public import VerifiedTok.Thm.AddedTokens

public section

/-!
# What flags add

A place that no literal crosses may be cut under flags too, if no `singleWord` literal beside it minds the character
on the other side and no literal takes white space across it.
-/

namespace VerifiedTok

variable {α : Type} [DecidableEq α] {isWord isSpace : α → Bool} {ls : List (Literal α)} {x y : α}

theorem flagged_iff {flag : Literal α → Bool} {w : List α} :
    flagged flag ls w = true ↔ ∃ l ∈ ls, l.content = w ∧ flag l = true := by
  simp [flagged, List.any_eq_true]

/-! ## Segments as texts -/

omit [DecidableEq α] in
theorem firstChar_glue {X Y : List (Segment α)} (hX : ∀ s ∈ X, s.2 ≠ []) (hne : X ≠ []) :
    firstChar (glue X Y) = firstChar X := by
  rw [firstChar, firstChar, glue_spells]
  cases X with
  | nil => exact absurd rfl hne
  | cons x X =>
    have := hX x (List.mem_cons_self ..)
    rw [List.flatMap_cons, List.append_assoc]
    cases hx : x.2 with
    | nil => exact absurd hx this
    | cons a t => rfl

omit [DecidableEq α] in
theorem glue_ne_nil_mem {g : List α} (hg : g ≠ []) {Y : List (Segment α)} (hY : ∀ s ∈ Y, s.2 ≠ []) :
    ∀ s ∈ glue [(false, g)] Y, s.2 ≠ [] := by
  rcases Y with _ | ⟨⟨_ | _, h⟩, Y⟩
  · simpa [glue] using hg
  · rw [glue_gap_gap]
    intro s hs
    rcases List.mem_cons.mp hs with rfl | hs
    · simp [hg]
    · exact hY s (List.mem_cons_of_mem _ hs)
  · rw [glue_gap_match]
    intro s hs
    rcases List.mem_cons.mp hs with rfl | hs
    · exact hg
    · exact hY s hs

omit [DecidableEq α] in
/-- The last segment ends as the text does. -/
theorem exists_last_segment {X : List (Segment α)} (hX : ∀ s ∈ X, s.2 ≠ [])
    (hx : (X.flatMap (·.2)).getLast? = some x) : ∃ X' b w, X = X' ++ [(b, w)] ∧ w.getLast? = some x := by
  rcases List.eq_nil_or_concat X with rfl | ⟨X', ⟨b, w⟩, rfl⟩
  · simp at hx
  · rw [List.concat_eq_append] at hX hx ⊢
    refine ⟨X', b, w, rfl, ?_⟩
    have hw : w ≠ [] := hX (b, w) (by simp)
    rw [List.flatMap_append, List.flatMap_cons, List.flatMap_nil, List.append_nil, List.getLast?_append] at hx
    cases h : w.getLast? with
    | none => exact absurd (List.getLast?_eq_none_iff.mp h) hw
    | some z => rw [h] at hx; exact hx

omit [DecidableEq α] in
/-- The first segment begins as the text does. -/
theorem exists_first_segment {Y : List (Segment α)} (hY : ∀ s ∈ Y, s.2 ≠ []) (hy : firstChar Y = some y) :
    ∃ b w Y', Y = (b, w) :: Y' ∧ w.head? = some y := by
  rcases Y with _ | ⟨⟨b, w⟩, Y'⟩
  · simp [firstChar] at hy
  · refine ⟨b, w, Y', rfl, ?_⟩
    have hw : w ≠ [] := hY (b, w) (by simp)
    obtain ⟨a, t, rfl⟩ := List.exists_cons_of_ne_nil hw
    exact hy

/-! ## Words -/

theorem keepWords_spells (prev : Option α) (X : List (Segment α)) :
    (keepWords isWord ls prev X).flatMap (·.2) = X.flatMap (·.2) := by
  induction X generalizing prev with
  | nil => rfl
  | cons s X ih =>
    obtain ⟨_ | _, w⟩ := s
    · rw [keepWords, glue_spells, ih]; simp
    · rw [keepWords]
      split
      · rw [glue_spells, ih]; simp
      · rw [List.flatMap_cons, ih]; rfl

theorem keepWords_ne_nil {X : List (Segment α)} (hX : ∀ s ∈ X, s.2 ≠ []) (prev : Option α) :
    ∀ s ∈ keepWords isWord ls prev X, s.2 ≠ [] := by
  induction X generalizing prev with
  | nil => simp [keepWords]
  | cons s X ih =>
    have hs := hX s (List.mem_cons_self ..)
    have ih := fun p => ih (fun s hs => hX s (List.mem_cons_of_mem _ hs)) p
    obtain ⟨_ | _, w⟩ := s
    · rw [keepWords]; exact glue_ne_nil_mem hs (ih _)
    · rw [keepWords]
      split
      · exact glue_ne_nil_mem hs (ih _)
      · intro t ht
        rcases List.mem_cons.mp ht with rfl | ht
        · exact hs
        · exact ih _ t ht

theorem keepWords_glue (hf : FlagsAllow isWord isSpace ls x y) {X Y : List (Segment α)}
    (hX : ∀ s ∈ X, s.2 ≠ []) (hY : ∀ s ∈ Y, s.2 ≠ []) (hXl : ∃ X' b w, X = X' ++ [(b, w)] ∧ w.getLast? = some x)
    (hYf : ∃ b w Y', Y = (b, w) :: Y' ∧ w.head? = some y) (prev : Option α) :
    keepWords isWord ls prev (glue X Y) = glue (keepWords isWord ls prev X) (keepWords isWord ls none Y) := by
  obtain ⟨X', b, w, rfl, hw⟩ := hXl
  obtain ⟨c, v, Y', rfl, hv⟩ := hYf
  have unaware : keepWords isWord ls (some x) ((c, v) :: Y') = keepWords isWord ls none ((c, v) :: Y') := by
    cases c with
    | false => rfl
    | true =>
      rw [keepWords, keepWords]
      cases hfl : flagged Literal.singleWord ls v with
      | false => rfl
      | true =>
        obtain ⟨l, hl, rfl, hs⟩ := flagged_iff.mp hfl
        simp [hf.wordBefore l hl hs hv]
  induction X' generalizing prev with
  | nil =>
    cases b with
    | true =>
      have hfy : firstChar ((c, v) :: Y') = some y := by
        rw [firstChar, List.flatMap_cons, List.head?_append, hv]; rfl
      rw [List.nil_append, glue_match, keepWords, keepWords, show glue [] ((c, v) :: Y') = (c, v) :: Y' from rfl,
        hw, unaware, hfy, show firstChar ([] : List (Segment α)) = none from rfl]
      cases hfl : flagged Literal.singleWord ls w with
      | false => rfl
      | true =>
        obtain ⟨l, hl, rfl, hs⟩ := flagged_iff.mp hfl
        simp only [Option.any_some, Option.any_none, hf.wordAfter l hl hs hw]
        split <;> rfl
    | false =>
      cases c with
      | false =>
        have hgl : (w ++ v).getLast? = v.getLast? := by
          rw [List.getLast?_append]
          cases hv' : v.getLast? with
          | none => rw [List.getLast?_eq_none_iff.mp hv'] at hv; simp at hv
          | some c => rfl
        rw [List.nil_append, glue_gap_gap, keepWords, keepWords, keepWords, hgl]
        show glue [(false, w ++ v)] _ = glue [(false, w)] (glue [(false, v)] _)
        rw [← glue_assoc, glue_gap_gap]
      | true =>
        rw [List.nil_append, glue_gap_match, keepWords, hw, unaware]; rfl
  | cons s X' ih =>
    have hX' : ∀ t ∈ X' ++ [(b, w)], t.2 ≠ [] := fun t ht => hX t (List.mem_cons_of_mem _ ht)
    have hrec := fun p => ih p hX'
    obtain ⟨u, us, hu⟩ : ∃ u us, X' ++ [(b, w)] = u :: us := by cases X' <;> simp
    rw [hu] at hrec hX'
    obtain ⟨_ | _, g⟩ := s
    · rw [List.cons_append, hu, glue_cons_cons, keepWords, keepWords, hrec, glue_assoc]
    · rw [List.cons_append, hu, glue_cons_cons, keepWords, keepWords, hrec, firstChar_glue hX' (by simp)]
      split
      · rw [glue_assoc]
      · rw [glue_match]

/-! ## White space -/

omit [DecidableEq α] in
/-- Taking white space in front of a text that is cut at a place that white space does not cross. -/
theorem dropWhile_append_of_cut {g h : List α} (hg : g.getLast? = some x) (hh : h.head? = some y)
    (hxy : isSpace x = true → isSpace y = false) : (g ++ h).dropWhile isSpace = g.dropWhile isSpace ++ h := by
  obtain ⟨t, rfl⟩ := List.getLast?_eq_some_iff.mp hg
  obtain ⟨u, rfl⟩ := List.head?_eq_some_iff.mp hh
  clear hg hh
  induction t with
  | nil =>
    cases hx : isSpace x with
    | false => simp [hx]
    | true => simp [hx, hxy hx]
  | cons a t ih =>
    simp only [List.cons_append, List.dropWhile_cons]
    split
    · exact ih
    · rfl

omit [DecidableEq α] in
theorem dropWhile_append_of_not (hx : isSpace x = false) (t : List α) :
    (t ++ [x]).dropWhile isSpace = t.dropWhile isSpace ++ [x] := by
  induction t with
  | nil => simp [hx]
  | cons a t ih =>
    simp only [List.cons_append, List.dropWhile_cons]
    split
    · exact ih
    · rfl

omit [DecidableEq α] in
theorem trimEnd_append_of_cut {g h : List α} (hg : g.getLast? = some x) (hh : h.head? = some y)
    (hxy : isSpace y = true → isSpace x = false) : trimEnd isSpace (g ++ h) = g ++ trimEnd isSpace h := by
  have := dropWhile_append_of_cut (isSpace := isSpace) (g := h.reverse) (h := g.reverse) (x := y) (y := x)
    (by rw [List.getLast?_reverse]; exact hh) (by rw [List.head?_reverse]; exact hg) hxy
  rw [trimEnd, List.reverse_append, this, List.reverse_append, List.reverse_reverse]; rfl

omit [DecidableEq α] in
theorem stripText_append {g h : List α} (hg : g.getLast? = some x) (hh : h.head? = some y) {before after : Bool}
    (hb : before = true → isSpace x = true → isSpace y = false)
    (ha : after = true → isSpace y = true → isSpace x = false) :
    stripText isSpace before after (g ++ h) =
      stripText isSpace before false g ++ stripText isSpace false after h := by
  have front : ∀ k, stripText isSpace before after k =
      stripText isSpace false after (stripText isSpace before false k) := by intro k; cases before <;> rfl
  have e1 : stripText isSpace before false (g ++ h) = stripText isSpace before false g ++ h := by
    cases before with
    | false => rfl
    | true => exact dropWhile_append_of_cut hg hh (hb rfl)
  rw [front, e1]
  have hlast : stripText isSpace before false g = [] ∨ (stripText isSpace before false g).getLast? = some x := by
    cases before with
    | false => exact Or.inr hg
    | true =>
      by_cases hn : g.dropWhile isSpace = []
      · exact Or.inl hn
      · exact Or.inr (getLast?_of_suffix (List.dropWhile_suffix _) hn hg)
  rcases hlast with hn | hl
  · rw [hn]; rfl
  · cases after with
    | false => rfl
    | true => exact trimEnd_append_of_cut hl hh (ha rfl)

theorem strip_ne_nil {w : List α} (hw : w ≠ []) (b : Bool) (X : List (Segment α)) :
    strip isSpace ls false (X ++ [(b, w)]) ≠ [] := by
  induction X with
  | nil => cases b <;> simp [strip, stripText, stripsBefore, hw]
  | cons z X ih =>
    obtain ⟨_ | _, g⟩ := z
    · rw [List.cons_append, strip]
      split
      · exact ih
      · simp
    · simp [strip]

/-- Text that meets a cut: what is taken of the whole is what is taken of its parts. -/
theorem strip_glue (hf : FlagsAllow isWord isSpace ls x y) {X Y : List (Segment α)}
    (hX : ∀ s ∈ X, s.2 ≠ []) (hXl : ∃ X' b w, X = X' ++ [(b, w)] ∧ w.getLast? = some x)
    (hYf : ∃ b w Y', Y = (b, w) :: Y' ∧ w.head? = some y) {before : Bool}
    (hbefore : before = true → ∃ l ∈ ls, l.rstrip = true) :
    strip isSpace ls before (glue X Y) = glue (strip isSpace ls before X) (strip isSpace ls false Y) := by
  obtain ⟨X', b, w, rfl, hw⟩ := hXl
  obtain ⟨c, v, Y', rfl, hv⟩ := hYf
  have hvne : v ≠ [] := by rintro rfl; simp at hv
  induction X' generalizing before with
  | nil =>
    rw [List.nil_append]
    cases b with
    | true =>
      -- a literal ends the first part: if it takes white space, the second part begins with none
      rw [glue_match, show glue [] ((c, v) :: Y') = (c, v) :: Y' from rfl, strip, strip, glue_match]
      congr 1
      show _ = strip isSpace ls false ((c, v) :: Y')
      cases c with
      | true => rfl
      | false =>
        cases hfl : flagged Literal.rstrip ls w with
        | false => rfl
        | true =>
          obtain ⟨l, hl, rfl, hr⟩ := flagged_iff.mp hfl
          have hy := hf.spaceAfter l hl hr (Or.inl hw)
          obtain ⟨t, rfl⟩ := List.head?_eq_some_iff.mp hv
          simp [strip, stripText, hy]
    | false =>
      have hxy : before = true → isSpace x = true → isSpace y = false := by
        intro hb hx
        obtain ⟨l, hl, hr⟩ := hbefore hb
        exact hf.spaceAfter l hl hr (Or.inr hx)
      cases c with
      | true =>
        rw [glue_gap_match]
        have hend : stripText isSpace before (flagged Literal.lstrip ls v) w = stripText isSpace before false w := by
          cases hfl : flagged Literal.lstrip ls v with
          | false => rfl
          | true =>
            obtain ⟨l, hl, rfl, hl'⟩ := flagged_iff.mp hfl
            have hx := hf.spaceBefore l hl hl' (Or.inl hv)
            have hd : (if before then w.dropWhile isSpace else w).getLast? = some x := by
              split
              · obtain ⟨t, rfl⟩ := List.getLast?_eq_some_iff.mp hw
                rw [dropWhile_append_of_not hx]; simp
              · exact hw
            obtain ⟨t, ht⟩ := List.getLast?_eq_some_iff.mp hd
            simp only [stripText, if_true, ht]
            simp [trimEnd, hx]
        simp only [strip, stripsBefore, hend]
        split
        · rfl
        · rfl
      | false =>
        have hafter : stripsBefore ls Y' = true → isSpace y = true → isSpace x = false := by
          intro ha hy
          rcases Y' with _ | ⟨⟨_ | _, u⟩, Y'⟩
          · cases ha
          · cases ha
          · obtain ⟨l, hl, _, hl'⟩ := flagged_iff.mp ha
            exact hf.spaceBefore l hl hl' (Or.inr hy)
        have e := stripText_append hw hv hxy hafter
        rw [glue_gap_gap]
        simp only [strip, e, show stripsBefore ls ([] : List (Segment α)) = false from rfl]
        cases h1 : stripText isSpace before false w with
        | nil => rfl
        | cons a t =>
          cases h2 : stripText isSpace false (stripsBefore ls Y') v with
          | nil =>
            rcases Y' with _ | ⟨⟨_ | _, u⟩, Y'⟩
            · exact absurd h2 hvne
            · exact absurd h2 hvne
            · simp [strip, glue]
          | cons a' t' => simp [glue]
  | cons z X' ih =>
    have hX' : ∀ t ∈ X' ++ [(b, w)], t.2 ≠ [] := fun t ht => hX t (List.mem_cons_of_mem _ ht)
    have hrec := fun (p : Bool) (hp : p = true → ∃ l ∈ ls, l.rstrip = true) => ih (before := p) hp hX'
    have hwne : w ≠ [] := by rintro rfl; simp at hw
    have hne := strip_ne_nil (isSpace := isSpace) (ls := ls) hwne b X'
    obtain ⟨u, us, hu⟩ : ∃ u us, X' ++ [(b, w)] = u :: us := by cases X' <;> simp
    have hb : stripsBefore ls (glue (u :: us) ((c, v) :: Y')) = stripsBefore ls (u :: us) := by
      obtain ⟨_ | _, u⟩ := u
      · cases us with
        | nil => cases c <;> rfl
        | cons _ _ => rfl
      · rfl
    rw [hu] at hrec hne
    rw [List.cons_append, hu, glue_cons_cons]
    obtain ⟨_ | _, g⟩ := z
    · simp only [strip, hb]
      rw [hrec false (by simp)]
      split
      · rfl
      · obtain ⟨s, ss, hs⟩ := List.exists_cons_of_ne_nil hne
        rw [hs, glue_cons_cons]
    · rw [strip, strip, glue_match, hrec _ (fun h => by
        obtain ⟨l, hl, _, hr⟩ := flagged_iff.mp h
        exact ⟨l, hl, hr⟩)]

/-! ## Extraction -/

/-- **What the flags add**: where no literal crosses and the flags allow it, extraction may be cut. -/
theorem extractFlagged_append_of_no_cross {A B : List α} (h : NoCross ls A B)
    (hf : FlagsAllow isWord isSpace ls x y) (hA : A.getLast? = some x) (hB : B.head? = some y) :
    extractFlagged isWord isSpace ls (A ++ B) =
      glue (extractFlagged isWord isSpace ls A) (extractFlagged isWord isSpace ls B) := by
  have hXne : ∀ s ∈ extract ls A, s.2 ≠ [] := cut_ne_nil (fun _ => longest_ne_zero) A
  have hYne : ∀ s ∈ extract ls B, s.2 ≠ [] := cut_ne_nil (fun _ => longest_ne_zero) B
  have hXl := exists_last_segment hXne (x := x) (by rw [extract_spells]; exact hA)
  have hYf := exists_first_segment hYne (y := y) (by rw [firstChar, extract_spells]; exact hB)
  rw [extractFlagged, extract_append_of_no_cross h, keepWords_glue hf hXne hYne hXl hYf]
  refine strip_glue hf (keepWords_ne_nil hXne none) ?_ ?_ (by simp)
  · exact exists_last_segment (keepWords_ne_nil hXne none) (by rw [keepWords_spells, extract_spells]; exact hA)
  · exact exists_first_segment (keepWords_ne_nil hYne none)
      (by rw [firstChar, keepWords_spells, extract_spells]; exact hB)

/-! ## Texts beside a seam -/

omit [DecidableEq α] in
theorem lastText_cons {z : Segment α} {ys : List (Segment α)} {g : List α} (h : LastText (z :: ys) g) :
    (ys = [] ∧ z = (false, g)) ∨ LastText ys g := by
  obtain ⟨X, hX⟩ := h
  cases X with
  | nil =>
    rw [List.nil_append, List.cons.injEq] at hX
    exact .inl ⟨hX.2, hX.1⟩
  | cons x X =>
    rw [List.cons_append, List.cons.injEq] at hX
    exact .inr ⟨X, hX.2⟩

omit [DecidableEq α] in
theorem LastText.cons {ys : List (Segment α)} {g : List α} (h : LastText ys g) (z : Segment α) :
    LastText (z :: ys) g := by
  obtain ⟨X, rfl⟩ := h
  exact ⟨z :: X, rfl⟩

/-- White space that is taken away leaves the end of the last text as it is. -/
theorem getLast?_of_lastText_strip {X : List (Segment α)} {b : Bool} {w g : List α} (hw : w.getLast? = some x)
    (before : Bool) (h : LastText (strip isSpace ls before (X ++ [(b, w)])) g) : g.getLast? = some x := by
  have hwne : w ≠ [] := by rintro rfl; simp at hw
  induction X generalizing before with
  | nil =>
    rw [List.nil_append] at h
    cases b with
    | true =>
      rcases lastText_cons h with ⟨_, h⟩ | ⟨X, h⟩
      · cases h
      · simp [strip] at h
    | false =>
      simp only [strip, stripsBefore] at h
      split at h
      · obtain ⟨X, h⟩ := h; simp at h
      · next hne =>
        rcases lastText_cons h with ⟨_, h⟩ | ⟨X, h⟩
        · rw [← (Prod.mk.inj h).2]
          cases before with
          | false => exact hw
          | true => exact getLast?_of_suffix (List.dropWhile_suffix _) (by simpa [stripText] using hne) hw
        · simp at h
  | cons z X ih =>
    have hne := strip_ne_nil (isSpace := isSpace) (ls := ls) hwne b X
    obtain ⟨_ | _, g'⟩ := z
    · simp only [List.cons_append, strip] at h
      split at h
      · exact ih _ h
      · rcases lastText_cons h with ⟨h, _⟩ | h
        · exact absurd h hne
        · exact ih _ h
    · simp only [List.cons_append, strip] at h
      rcases lastText_cons h with ⟨_, h⟩ | h
      · cases h
      · exact ih _ h

/-- White space that is taken away leaves a text at the end, if the last character is none that is taken. -/
theorem exists_lastText_strip {X : List (Segment α)} {w : List α} (hw : w.getLast? = some x)
    (hs : (∃ l ∈ ls, l.rstrip = true) → isSpace x = false) {before : Bool}
    (hbefore : before = true → ∃ l ∈ ls, l.rstrip = true) :
    ∃ g, LastText (strip isSpace ls before (X ++ [(false, w)])) g := by
  induction X generalizing before with
  | nil =>
    obtain ⟨t, rfl⟩ := List.getLast?_eq_some_iff.mp hw
    cases before with
    | false => exact ⟨t ++ [x], [], by simp [strip, stripText, stripsBefore]⟩
    | true =>
      have hx := hs (hbefore rfl)
      exact ⟨t.dropWhile isSpace ++ [x], [], by
        simp [strip, stripText, stripsBefore, dropWhile_append_of_not hx]⟩
  | cons z X ih =>
    obtain ⟨_ | _, g'⟩ := z
    · obtain ⟨g, hg⟩ := ih (before := false) (by simp)
      simp only [List.cons_append, strip]
      split
      · exact ⟨g, hg⟩
      · exact ⟨g, hg.cons _⟩
    · rw [List.cons_append, strip]
      obtain ⟨g, hg⟩ := ih (before := flagged Literal.rstrip ls g') (fun h => by
        obtain ⟨l, hl, _, hr⟩ := flagged_iff.mp h
        exact ⟨l, hl, hr⟩)
      exact ⟨g, hg.cons _⟩

omit [DecidableEq α] in
theorem mem_glue_gap {z : Segment α} {g : List α} {Y : List (Segment α)} (h : z ∈ glue [(false, g)] Y)
    (hz : z.1 = true) : z ∈ Y := by
  have hgap : ∀ k : List α, z ≠ (false, k) := by rintro k rfl; cases hz
  rcases Y with _ | ⟨⟨_ | _, k⟩, Y⟩
  · simp [glue, hgap] at h
  · rw [glue_gap_gap] at h
    simp only [List.mem_cons, hgap, false_or] at h
    exact List.mem_cons_of_mem _ h
  · rw [glue_gap_match, List.mem_cons] at h
    exact h.resolve_left (hgap g)

theorem mem_keepWords {z : Segment α} (hz : z.1 = true) {X : List (Segment α)} (prev : Option α)
    (h : z ∈ keepWords isWord ls prev X) : z ∈ X := by
  induction X generalizing prev with
  | nil => simp [keepWords] at h
  | cons s X ih =>
    obtain ⟨_ | _, w⟩ := s
    · rw [keepWords] at h
      exact List.mem_cons_of_mem _ (ih _ (mem_glue_gap h hz))
    · rw [keepWords] at h
      split at h
      · exact List.mem_cons_of_mem _ (ih _ (mem_glue_gap h hz))
      · rcases List.mem_cons.mp h with rfl | h
        · exact List.mem_cons_self ..
        · exact List.mem_cons_of_mem _ (ih _ h)

/-- What extraction finds are literals. -/
theorem mem_extract {w s : List α} (h : (true, w) ∈ extract ls s) : ∃ l ∈ ls, l.content = w := by
  rw [extract] at h
  generalize hk : s.length = k
  induction k using Nat.strongRecOn generalizing s with
  | _ k ih =>
    cases s with
    | nil => simp [cut_nil] at h
    | cons x xs =>
      simp only [List.length_cons] at hk
      cases hx : longest ls (x :: xs) with
      | none =>
        rw [cut_none hx] at h
        exact ih xs.length (by omega) (mem_glue_gap h rfl) rfl
      | some n =>
        cases n with
        | zero => exact absurd hx longest_ne_zero
        | succ n =>
          rw [cut_match hx, List.mem_cons] at h
          rcases h with h | h
          · obtain ⟨l, hl, hp, hn, _⟩ := longest_mem hx
            refine ⟨l, hl, ?_⟩
            rw [List.prefix_iff_eq_take, hn] at hp
            rw [hp, (Prod.mk.inj h).2]; rfl
          · exact ih (xs.drop n).length (by rw [List.length_drop]; omega) h rfl

theorem exists_last_keepWords {A : List α} (hA : A.getLast? = some x) :
    ∃ X b w, keepWords isWord ls none (extract ls A) = X ++ [(b, w)] ∧ w.getLast? = some x :=
  exists_last_segment (keepWords_ne_nil (cut_ne_nil (fun _ => longest_ne_zero) A) none)
    (by rw [keepWords_spells, extract_spells]; exact hA)

/-- The ordinary text at the end of a text ends as the text does. -/
theorem getLast?_of_lastText {A g : List α} (h : LastText (extractFlagged isWord isSpace ls A) g)
    (hA : A.getLast? = some x) : g.getLast? = some x := by
  obtain ⟨X, b, w, hX, hw⟩ := exists_last_keepWords (isWord := isWord) (ls := ls) hA
  rw [extractFlagged, hX] at h
  exact getLast?_of_lastText_strip hw _ h

/-- The ordinary text at the beginning of a text begins as the text does. -/
theorem head?_of_firstText {B k : List α} (h : FirstText (extractFlagged isWord isSpace ls B) k)
    (hB : B.head? = some y) : k.head? = some y := by
  have hne : ∀ s ∈ extract ls B, s.2 ≠ [] := cut_ne_nil (fun _ => longest_ne_zero) B
  obtain ⟨c, v, Y, hY, hv⟩ := exists_first_segment (keepWords_ne_nil (isWord := isWord) (ls := ls) hne none)
    (by rw [firstChar, keepWords_spells, extract_spells]; exact hB)
  obtain ⟨Z, h⟩ := h
  rw [extractFlagged, hY] at h
  have hvne : v ≠ [] := by rintro rfl; simp at hv
  cases c with
  | true => rw [strip, List.cons.injEq] at h; cases h.1
  | false =>
    simp only [strip] at h
    split at h
    · next he =>
      rcases Y with _ | ⟨⟨_ | _, u⟩, Y⟩
      · simp [stripText, stripsBefore, hvne] at he
      · simp [stripText, stripsBefore, hvne] at he
      · rw [strip, List.cons.injEq] at h; cases h.1
    · next hne =>
      rw [List.cons.injEq] at h
      rw [← (Prod.mk.inj h.1).2]
      cases ha : stripsBefore ls Y with
      | false => exact hv
      | true =>
        rw [ha] at hne
        have hp : trimEnd isSpace v <+: v := by
          rw [trimEnd, ← List.reverse_suffix, List.reverse_reverse]
          exact List.dropWhile_suffix _
        obtain ⟨t, ht⟩ := hp
        obtain ⟨a, u, hu⟩ := List.exists_cons_of_ne_nil (l := trimEnd isSpace v) (by
          intro hn; simp [stripText, hn] at hne)
        rw [stripText]
        simp only [Bool.false_eq_true, if_false, if_true]
        rw [← ht, hu] at hv
        rw [hu]; exact hv

/-- A text ends with ordinary text, if its last character ends no literal and is none that a literal takes. -/
theorem exists_lastText {A : List α} (hA : A.getLast? = some x)
    (hl : ∀ l ∈ ls, l.content.getLast? ≠ some x) (hs : ∀ l ∈ ls, l.rstrip = true → isSpace x = false) :
    ∃ g, LastText (extractFlagged isWord isSpace ls A) g := by
  obtain ⟨X, b, w, hX, hw⟩ := exists_last_keepWords (isWord := isWord) (ls := ls) hA
  rw [extractFlagged, hX]
  cases b with
  | false => exact exists_lastText_strip hw (fun ⟨l, hl, hr⟩ => hs l hl hr) (by simp)
  | true =>
    have hmem : (true, w) ∈ keepWords isWord ls none (extract ls A) := by rw [hX]; simp
    obtain ⟨l, hl', rfl⟩ := mem_extract (mem_keepWords rfl none hmem)
    exact absurd hw (hl l hl')

/-! ## No flags -/

theorem flagged_of_none {flag : Literal α → Bool} (h : ∀ l ∈ ls, flag l = false) (w : List α) :
    flagged flag ls w = false := by
  cases hf : flagged flag ls w with
  | false => rfl
  | true =>
    obtain ⟨l, hl, _, ht⟩ := flagged_iff.mp hf
    rw [h l hl] at ht; cases ht

omit [DecidableEq α] in
theorem glue_of_glue {f g : List α} {W Z : List (Segment α)} (h : glue [(false, g)] W = (false, g) :: Z) :
    glue [(false, f ++ g)] W = (false, f ++ g) :: Z := by
  rcases W with _ | ⟨⟨_ | _, k⟩, W⟩
  · simp [glue] at h ⊢; exact h
  · rw [glue_gap_gap] at h ⊢
    simp only [List.cons.injEq, Prod.mk.injEq, true_and, List.append_right_eq_self] at h
    rw [h.1, h.2, List.append_nil]
  · rw [glue_gap_match] at h ⊢
    simp only [List.cons.injEq, true_and] at h
    rw [h]

theorem keepWords_cut (h : ∀ l ∈ ls, l.singleWord = false) {m : List α → Option Nat} (hm : ∀ s, m s ≠ some 0)
    (prev : Option α) (s : List α) : keepWords isWord ls prev (cut m s) = cut m s := by
  generalize hk : s.length = k
  induction k using Nat.strongRecOn generalizing s prev with
  | _ k ih =>
    cases s with
    | nil => rfl
    | cons x xs =>
      simp only [List.length_cons] at hk
      cases hx : m (x :: xs) with
      | some n =>
        cases n with
        | zero => exact absurd hx (hm _)
        | succ n =>
          rw [cut_match hx, keepWords, flagged_of_none h,
            ih (xs.drop n).length (by rw [List.length_drop]; omega) _ _ rfl]
          rfl
      | none =>
        have hZ := fun p => ih xs.length (by omega) p xs rfl
        have hne := cut_ne_nil hm xs
        rw [cut_none hx]
        generalize cut m xs = Z at hZ hne
        rcases Z with _ | ⟨⟨_ | _, g⟩, Z⟩
        · rfl
        · have hg := hZ none
          have hgne : g ≠ [] := hne (false, g) (List.mem_cons_self ..)
          have hl : ([x] ++ g).getLast? = g.getLast? := by
            rw [List.getLast?_append]
            cases hgl : g.getLast? with
            | none => exact absurd (List.getLast?_eq_none_iff.mp hgl) hgne
            | some c => rfl
          rw [glue_gap_gap, keepWords, hl]
          rw [keepWords] at hg
          exact glue_of_glue hg
        · rw [glue_gap_match, keepWords, hZ]; rfl

theorem strip_of_none (hl : ∀ l ∈ ls, l.lstrip = false) (hr : ∀ l ∈ ls, l.rstrip = false)
    {X : List (Segment α)} (hX : ∀ s ∈ X, s.2 ≠ []) : strip isSpace ls false X = X := by
  induction X with
  | nil => rfl
  | cons z X ih =>
    have ih := ih fun s hs => hX s (List.mem_cons_of_mem _ hs)
    obtain ⟨_ | _, g⟩ := z
    · have hb : stripsBefore ls X = false := by
        rcases X with _ | ⟨⟨_ | _, w⟩, X⟩
        · rfl
        · rfl
        · exact flagged_of_none hl w
      have hg : g ≠ [] := hX (false, g) (List.mem_cons_self ..)
      simp [strip, hb, stripText, hg, ih]
    · rw [strip, flagged_of_none hr, ih]

/-- **Without flags**, extraction with flags is extraction. -/
theorem extractFlagged_eq_extract (h : NoFlags ls) (s : List α) : extractFlagged isWord isSpace ls s = extract ls s := by
  rw [extractFlagged, extract, keepWords_cut (fun l hl => (h l hl).1) (fun _ => longest_ne_zero)]
  exact strip_of_none (fun l hl => (h l hl).2.1) (fun l hl => (h l hl).2.2)
    (cut_ne_nil (fun _ => longest_ne_zero) s)

end VerifiedTok
