module

public import VerifiedTok.Spec.Session
public import VerifiedTok.Thm.Encode.Normalizer

public section

/-!
# Edits are exact

Every operation yields exactly the tokens of the new text, and keeps the tokens outside the cuts.
-/

namespace VerifiedTok

variable {α : Type} {enc : PartEncoder α}

theorem cutsAt_nil_left (hnil : EmptyIsNone enc) (B : List α) : CutsAt enc [] B := by
  rw [CutsAt, hnil]; rfl

theorem cutsAt_nil_right (hnil : EmptyIsNone enc) (A : List α) : CutsAt enc A [] := by
  rw [CutsAt, hnil, List.append_nil, List.append_nil]

/-- **A patch between two cuts is exact.** -/
theorem patch_exact {A M M' B : List α} (h1 : CutsAt enc A (M ++ B)) (h2 : CutsAt enc (A ++ M) B)
    (h3 : CutsAt enc A M') (h4 : CutsAt enc (A ++ M') B)
    (h5 : enc (!(A ++ M).isEmpty) B = enc (!(A ++ M').isEmpty) B) :
    (Patch.mk (enc false A).length (enc (!A.isEmpty) M') (enc (!(A ++ M).isEmpty) B).length).apply
      (enc false (A ++ M ++ B)) = enc false (A ++ M' ++ B) := by
  have e1 : enc false (A ++ M ++ B) = enc false A ++ enc (!A.isEmpty) (M ++ B) := by
    rw [List.append_assoc]; exact h1
  have e2 : enc false (A ++ M ++ B) = enc false (A ++ M) ++ enc (!(A ++ M).isEmpty) B := h2
  have t : (enc false (A ++ M ++ B)).take (enc false A).length = enc false A := by rw [e1, List.take_left]
  have d : (enc false (A ++ M ++ B)).drop
      ((enc false (A ++ M ++ B)).length - (enc (!(A ++ M).isEmpty) B).length) = enc (!(A ++ M).isEmpty) B := by
    rw [e2, List.length_append, Nat.add_sub_cancel, List.drop_left]
  rw [Patch.apply, t, d, h4, ← h5, h3]

theorem take_append_slice (s : List α) {lo hi : Nat} (h : lo ≤ hi) : s.take lo ++ slice s lo hi = s.take hi := by
  have : (s.take hi).take lo = s.take lo := by rw [List.take_take, Nat.min_eq_left h]
  rw [slice, ← this, List.take_append_drop]

theorem slice_append_drop (s : List α) {lo hi : Nat} (h : lo ≤ hi) (hhi : hi ≤ s.length) :
    slice s lo hi ++ s.drop hi = s.drop lo := by
  have := congrArg (List.drop lo) (List.take_append_drop hi s)
  rw [List.drop_append_of_le_length (by rw [List.length_take]; omega)] at this
  exact this

theorem replaceRange_eq (s : List α) {start stop lo hi : Nat} (new : List α) (h1 : lo ≤ start)
    (h2 : stop ≤ hi) (h3 : hi ≤ s.length) : replaceRange s start stop new =
      s.take lo ++ (slice s lo start ++ new ++ slice s stop hi) ++ s.drop hi := by
  rw [replaceRange, ← take_append_slice s h1, ← slice_append_drop s h2 h3]
  simp only [List.append_assoc]

namespace Session

theorem valid_start (text : List α) : (start enc text).Valid enc := rfl

/-- A part of a text goes on from other text if it does not begin at the beginning. -/
theorem not_isEmpty_take {s : List α} {p : Nat} (h : p ≤ s.length) : (!(s.take p).isEmpty) = decide (0 < p) := by
  cases p with
  | zero => rfl
  | succ p => cases s with
    | nil => simp at h
    | cons a s => rfl

/-- **Replacing any range is exact.** -/
theorem valid_edit {s : Session α} (hs : s.Valid enc) (hnil : EmptyIsNone enc) {first stop : Nat} {new : List α}
    {lo hi : Nat} (h : Cuts enc s.text first stop new lo hi) : (s.edit enc first stop new lo hi).Valid enc := by
  obtain ⟨hlo, hss, hhi, hlen⟩ := h.order
  have hle : lo ≤ hi := by omega
  have hold : s.text = s.text.take lo ++ slice s.text lo hi ++ s.text.drop hi := by
    rw [take_append_slice _ hle, List.take_append_drop]
  have hnew : s.text.take lo ++ (slice s.text lo first ++ new ++ slice s.text stop hi) =
      s.text.take first ++ new ++ slice s.text stop hi := by
    rw [← take_append_slice s.text hlo]; simp only [List.append_assoc]
  have key := patch_exact (enc := enc) (A := s.text.take lo) (M := slice s.text lo hi)
    (M' := slice s.text lo first ++ new ++ slice s.text stop hi) (B := s.text.drop hi)
    (by rw [slice_append_drop _ hle hlen]; exact h.oldFront)
    (by rw [take_append_slice _ hle]; exact h.oldBack) h.newFront (by rw [hnew]; exact h.newBack) (by
      rw [take_append_slice _ hle, hnew, not_isEmpty_take hlen]
      rcases h.inside with hi' | hi'
      · rw [hi', List.drop_length, hnil, hnil]
      · congr 1
        rw [Bool.eq_iff_iff, decide_eq_true_eq, Bool.not_eq_true', List.isEmpty_eq_false_iff, Ne, ← hi']
        omega)
  rw [← hold, ← replaceRange_eq s.text new hlo hhi hlen, take_append_slice _ hle, not_isEmpty_take hlen,
    not_isEmpty_take (by omega)] at key
  rw [Valid, edit]
  simp only [editPatch]
  rw [hs]
  exact key

/-- **Appending is exact**: it takes one cut, in the old text and in the new one. -/
theorem valid_append {s : Session α} (hs : s.Valid enc) (hnil : EmptyIsNone enc) {new : List α} {lo : Nat}
    (hlo : lo ≤ s.text.length) (h1 : CutsAt enc (s.text.take lo) (s.text.drop lo))
    (h2 : CutsAt enc (s.text.take lo) (s.text.drop lo ++ new)) : (s.append enc new lo).Valid enc := by
  have e1 : slice s.text lo s.text.length = s.text.drop lo := by rw [slice, List.take_length]
  have e2 : slice s.text s.text.length s.text.length = [] := by rw [slice, List.take_length, List.drop_length]
  refine valid_edit hs hnil ⟨⟨hlo, Nat.le_refl _, Nat.le_refl _, Nat.le_refl _⟩, h1, ?_, ?_, ?_, .inl rfl⟩
  · rw [List.drop_length]; exact cutsAt_nil_right hnil _
  · rw [e1, e2, List.append_nil]; exact h2
  · rw [List.drop_length]; exact cutsAt_nil_right hnil _

/-- **Inserting is exact.** -/
theorem valid_insert {s : Session α} (hs : s.Valid enc) (hnil : EmptyIsNone enc) {pos : Nat} {new : List α}
    {lo hi : Nat} (h : Cuts enc s.text pos pos new lo hi) : (s.insert enc pos new lo hi).Valid enc :=
  valid_edit hs hnil h

/-- **Truncating is exact**: it takes one cut before the new end, in the old text and in the new one. -/
theorem valid_truncate {s : Session α} (hs : s.Valid enc) (hnil : EmptyIsNone enc) {pos lo : Nat} (hlo : lo ≤ pos)
    (hpos : pos ≤ s.text.length) (h1 : CutsAt enc (s.text.take lo) (s.text.drop lo))
    (h2 : CutsAt enc (s.text.take lo) (slice s.text lo pos)) : (s.truncate enc pos lo).Valid enc := by
  have e2 : slice s.text s.text.length s.text.length = [] := by rw [slice, List.take_length, List.drop_length]
  refine valid_edit hs hnil ⟨⟨hlo, hpos, Nat.le_refl _, Nat.le_refl _⟩, h1, ?_, ?_, ?_, .inl rfl⟩
  · rw [List.drop_length]; exact cutsAt_nil_right hnil _
  · rw [e2, List.append_nil, List.append_nil]; exact h2
  · rw [List.drop_length]; exact cutsAt_nil_right hnil _

/-- **Concatenating is exact**, if what lies behind `hi`, should anything do, goes on from other text in the second
session and in the whole, or in neither. -/
theorem valid_concat {s t : Session α} (hs : s.Valid enc) (ht : t.Valid enc) (hnil : EmptyIsNone enc) {lo hi : Nat}
    (hlo : lo ≤ s.text.length) (h1 : CutsAt enc (s.text.take lo) (s.text.drop lo))
    (h2 : CutsAt enc (t.text.take hi) (t.text.drop hi))
    (h3 : CutsAt enc (s.text.take lo) (s.text.drop lo ++ t.text.take hi))
    (h4 : CutsAt enc (s.text ++ t.text.take hi) (t.text.drop hi))
    (h5 : t.text.drop hi = [] ∨ (t.text.take hi = [] ↔ s.text ++ t.text.take hi = [])) :
    (s.concat enc t lo hi).Valid enc := by
  simp only [Valid] at hs ht
  rw [CutsAt, List.take_append_drop] at h1 h2
  rw [CutsAt, not_isEmpty_take hlo, ← List.append_assoc, List.take_append_drop] at h3
  rw [CutsAt, List.append_assoc, List.take_append_drop] at h4
  have h5 : enc (!(s.text ++ t.text.take hi).isEmpty) (t.text.drop hi) =
      enc (!(t.text.take hi).isEmpty) (t.text.drop hi) := by
    rcases h5 with h | h
    · rw [h, hnil, hnil]
    · congr 2
      rw [Bool.eq_iff_iff, List.isEmpty_iff, List.isEmpty_iff]
      exact h.symm
  rw [Valid, concat]
  simp only
  rw [hs, ht, h1, h2, List.take_left, List.drop_left, h4, h5, h3]

/-- **The ids in front of the first cut stay.** -/
theorem edit_keeps_front {s : Session α} (hs : s.Valid enc) {first stop : Nat} {new : List α} {lo hi : Nat}
    (h : Cuts enc s.text first stop new lo hi) :
    (s.edit enc first stop new lo hi).ids.take (enc false (s.text.take lo)).length =
      s.ids.take (enc false (s.text.take lo)).length := by
  have hlen : (enc false (s.text.take lo)).length ≤ s.ids.length := by
    have := h.oldFront
    rw [CutsAt, List.take_append_drop] at this
    rw [hs, this, List.length_append]; omega
  rw [edit, Patch.apply, editPatch]
  simp only [List.append_assoc]
  rw [List.take_append_of_le_length (by rw [List.length_take]; omega), List.take_take, Nat.min_self]

/-- **The ids behind the second cut stay.** -/
theorem edit_keeps_back {s : Session α} (hs : s.Valid enc) {first stop : Nat} {new : List α} {lo hi : Nat}
    (h : Cuts enc s.text first stop new lo hi) :
    s.ids.drop (s.ids.length - (enc (decide (0 < hi)) (s.text.drop hi)).length) =
        enc (decide (0 < hi)) (s.text.drop hi) ∧
      enc (decide (0 < hi)) (s.text.drop hi) <:+ (s.edit enc first stop new lo hi).ids := by
  have hd : s.ids.drop (s.ids.length - (enc (decide (0 < hi)) (s.text.drop hi)).length) =
      enc (decide (0 < hi)) (s.text.drop hi) := by
    have := h.oldBack
    rw [CutsAt, List.take_append_drop, not_isEmpty_take h.order.2.2.2] at this
    rw [hs, this, List.length_append, Nat.add_sub_cancel, List.drop_left]
  refine ⟨hd, ?_⟩
  rw [edit, Patch.apply, editPatch]
  simp only
  rw [hd]
  exact List.suffix_append _ _

end Session

/-! ## Cuts from pairs -/

/-- Pairs that cut give cuts. -/
theorem cutsAt_of_cutAllowed {pair : α → α → Bool} (hnil : EmptyIsNone enc)
    (hp : ∀ x y, pair x y = true → CutPair enc x y) {s : List α} {p : Nat}
    (h : cutAllowed pair s p = true) : CutsAt enc (s.take p) (s.drop p) := by
  rw [cutAllowed] at h
  split at h
  · rename_i x y hx hy
    exact hp x y h _ _ hx hy
  · rename_i hno
    cases hx : (s.take p).getLast? with
    | none => rw [List.getLast?_eq_none_iff.mp hx]; exact cutsAt_nil_left hnil _
    | some x =>
      cases hy : (s.drop p).head? with
      | none => rw [List.head?_eq_none_iff.mp hy]; exact cutsAt_nil_right hnil _
      | some y => exact absurd hy (hno x y hx)

/-- The cuts of an edit from a table of pairs: both cuts are allowed in the old text and in the new one. -/
theorem cuts_of_cutAllowed {pair : α → α → Bool} (hnil : EmptyIsNone enc)
    (hp : ∀ x y, pair x y = true → CutPair enc x y) {s new : List α} {first stop lo hi : Nat}
    (order : lo ≤ first ∧ first ≤ stop ∧ stop ≤ hi ∧ hi ≤ s.length)
    (oldFront : cutAllowed pair s lo = true) (oldBack : cutAllowed pair s hi = true)
    (newFront : cutAllowed pair (replaceRange s first stop new) lo = true)
    (newBack : cutAllowed pair (replaceRange s first stop new) (hi - stop + (first + new.length)) = true)
    (inside : hi = s.length ∨ (hi = 0 ↔ s.take first ++ new ++ slice s stop hi = [])) :
    Session.Cuts enc s first stop new lo hi := by
  obtain ⟨h1, h2, h3, h4⟩ := order
  have hlo : (s.take lo).length = lo := by rw [List.length_take]; omega
  refine ⟨⟨h1, h2, h3, h4⟩, cutsAt_of_cutAllowed hnil hp oldFront, cutsAt_of_cutAllowed hnil hp oldBack, ?_, ?_,
    inside⟩
  · -- the front cut of the new text, seen in what lies before the back cut
    rw [cutAllowed, replaceRange_eq s new h1 h3 h4, List.append_assoc, List.take_left' hlo, List.drop_left' hlo]
      at newFront
    generalize slice s lo first ++ new ++ slice s stop hi = M at newFront
    cases hx : (s.take lo).getLast? with
    | none => rw [List.getLast?_eq_none_iff.mp hx]; exact cutsAt_nil_left hnil _
    | some x =>
      cases hy : M.head? with
      | none => rw [List.head?_eq_none_iff.mp hy]; exact cutsAt_nil_right hnil _
      | some y =>
        rw [List.head?_append, hx, hy] at newFront
        exact hp x y newFront _ M hx hy
  · have heq : replaceRange s first stop new = (s.take first ++ new ++ slice s stop hi) ++ s.drop hi := by
      rw [replaceRange, ← slice_append_drop s h3 h4]; simp only [List.append_assoc]
    have hlen : (s.take first ++ new ++ slice s stop hi).length = hi - stop + (first + new.length) := by
      simp only [slice, List.length_append, List.length_drop, List.length_take]; omega
    have := cutsAt_of_cutAllowed hnil hp newBack
    rw [heq, List.take_left' hlen, List.drop_left' hlen] at this
    exact this

theorem cutBefore_le (pair : α → α → Bool) (s : List α) (p : Nat) : cutBefore pair s p ≤ p := by
  induction p with
  | zero => exact Nat.le_refl _
  | succ p ih => rw [cutBefore]; split <;> omega

/-- Searching backwards for a cut always ends at one. -/
theorem cutAllowed_cutBefore (pair : α → α → Bool) (s : List α) (p : Nat) :
    cutAllowed pair s (cutBefore pair s p) = true := by
  induction p with
  | zero => simp [cutBefore, cutAllowed]
  | succ p ih =>
    rw [cutBefore]
    split
    · assumption
    · exact ih

theorem cutAfter_bounds (pair : α → α → Bool) (s : List α) (k p : Nat) (h : p + k ≤ s.length) :
    p ≤ cutAfter pair s k p ∧ cutAfter pair s k p ≤ s.length := by
  induction k generalizing p with
  | zero => rw [cutAfter]; omega
  | succ k ih =>
    rw [cutAfter]
    split
    · omega
    · have := ih (p + 1) (by omega); omega

/-- The end of a text is a cut. -/
theorem cutAllowed_length (pair : α → α → Bool) (s : List α) : cutAllowed pair s s.length = true := by
  rw [cutAllowed, List.drop_length]
  cases (s.take s.length).getLast? <;> rfl

theorem cutAllowed_cutAfter (pair : α → α → Bool) (s : List α) (k p : Nat) :
    cutAllowed pair s (cutAfter pair s k p) = true := by
  induction k generalizing p with
  | zero => exact cutAllowed_length pair s
  | succ k ih =>
    rw [cutAfter]
    split
    · assumption
    · exact ih (p + 1)

/-- A cut strictly before the change is a cut of the new text too. -/
theorem cutAllowed_before (pair : α → α → Bool) {s new : List α} {first stop lo : Nat} (h : lo < first ∨ lo = 0)
    (hf : first ≤ s.length) : cutAllowed pair (replaceRange s first stop new) lo = cutAllowed pair s lo := by
  rcases h with h | rfl
  · have ht : (replaceRange s first stop new).take lo = s.take lo := by
      rw [replaceRange, List.append_assoc, List.take_append_of_le_length (by rw [List.length_take]; omega),
        List.take_take, Nat.min_eq_left (by omega)]
    have hd : ∀ t : List α, (s.take first ++ t).drop lo = (s.take first).drop lo ++ t := fun t =>
      List.drop_append_of_le_length (by rw [List.length_take]; omega)
    obtain ⟨a, u, hu⟩ : ∃ a u, (s.take first).drop lo = a :: u := by
      apply List.exists_cons_of_ne_nil
      intro hn
      have := congrArg List.length hn
      simp only [List.length_drop, List.length_take, List.length_nil] at this
      omega
    have h1 : ((replaceRange s first stop new).drop lo).head? = some a := by
      rw [replaceRange, List.append_assoc, hd, hu]; rfl
    have h2 : (s.drop lo).head? = some a := by
      rw [← List.take_append_drop first s, hd, hu]; rfl
    rw [cutAllowed, cutAllowed, ht, h1, h2]
  · rw [cutAllowed, cutAllowed]; rfl

/-- A cut strictly after the change is a cut of the new text too. -/
theorem cutAllowed_after (pair : α → α → Bool) {s new : List α} {first stop hi : Nat} (hfs : first ≤ stop)
    (h : stop < hi ∨ hi = s.length) (hs : stop ≤ hi) (hhi : hi ≤ s.length) (hc : cutAllowed pair s hi = true) :
    cutAllowed pair (replaceRange s first stop new) (hi - stop + (first + new.length)) = true := by
  have heq := replaceRange_eq s (start := first) (lo := first) new (Nat.le_refl _) hs hhi
  have hlen : (s.take first ++ (slice s first first ++ new ++ slice s stop hi)).length =
      hi - stop + (first + new.length) := by
    simp only [slice, List.length_append, List.length_drop, List.length_take]; omega
  rw [cutAllowed, heq, List.take_left' hlen, List.drop_left' hlen]
  rcases h with h | h
  · have hne : slice s stop hi ≠ [] := by
      intro hn
      have := congrArg List.length hn
      simp only [slice, List.length_drop, List.length_take, List.length_nil] at this
      omega
    obtain ⟨u, z, hu⟩ : ∃ u z, slice s stop hi = u ++ [z] := by
      rcases List.eq_nil_or_concat (slice s stop hi) with hn | ⟨u, z, hu⟩
      · exact absurd hn hne
      · exact ⟨u, z, by rw [hu, List.concat_eq_append]⟩
    have h1 : (s.take hi).getLast? = some z := by
      rw [← take_append_slice s hs, hu]; simp
    rw [cutAllowed, h1] at hc
    rw [hu]
    simpa using hc
  · rw [h, List.drop_length]
    split
    · rename_i hd
      simp at hd
    · rfl

/-- **An edit between the nearest cuts is exact**, wherever it is: cuts outside the change, found in the old text
alone, are cuts of the new text. -/
theorem Session.valid_editNear {pair : α → α → Bool} (hnil : EmptyIsNone enc)
    (hp : ∀ x y, pair x y = true → CutPair enc x y) {s : Session α} (hs : s.Valid enc) {first stop : Nat}
    {new : List α} (h1 : first ≤ stop) (h2 : stop ≤ s.text.length) :
    (s.editNear pair enc first stop new).Valid enc := by
  have hlo := cutBefore_le pair s.text (first - 1)
  rw [editNear]
  generalize hhi : cutAfter pair s.text (s.text.length - (stop + 1)) (stop + 1) = hi
  have hcut : cutAllowed pair s.text hi = true := by rw [← hhi]; exact cutAllowed_cutAfter ..
  have hhi : stop ≤ hi ∧ hi ≤ s.text.length ∧ (stop < hi ∨ hi = s.text.length) := by
    rcases Nat.eq_or_lt_of_le h2 with h | h
    · have : s.text.length - (stop + 1) = 0 := by omega
      rw [this, cutAfter] at hhi; omega
    · have := cutAfter_bounds pair s.text (s.text.length - (stop + 1)) (stop + 1) (by omega)
      omega
  refine valid_edit hs hnil (cuts_of_cutAllowed hnil hp ⟨by omega, h1, hhi.1, hhi.2.1⟩ (cutAllowed_cutBefore ..)
    hcut ?_ ?_ ?_)
  · rw [cutAllowed_before pair (by omega) (by omega)]
    exact cutAllowed_cutBefore ..
  · exact cutAllowed_after pair h1 hhi.2.2 hhi.1 hhi.2.1 hcut
  · rcases hhi.2.2 with h | h
    · refine .inr ⟨by omega, fun hn => ?_⟩
      have := congrArg List.length hn
      simp only [slice, List.length_append, List.length_drop, List.length_take, List.length_nil] at this
      omega
    · exact .inl h

/-! ## Chunks -/

theorem encode_append_chunks (hnil : EmptyIsNone enc) : ∀ (cs : List (List α)) (A : List α),
    (∀ x y, A.getLast? = some x → cs.flatten.head? = some y → CutPair enc x y) → CutChunks enc cs →
    enc false (A ++ cs.flatten) = enc false A ++ encodeChunks enc (!A.isEmpty) cs
  | [], A, _, _ => by rw [List.flatten_nil, List.append_nil, encodeChunks, List.append_nil]
  | c :: cs, A, hA, h => by
    have hAc : CutsAt enc A c := by
      cases hx : A.getLast? with
      | none => rw [List.getLast?_eq_none_iff.mp hx]; exact cutsAt_nil_left hnil _
      | some x =>
        cases hy : c.head? with
        | none => rw [List.head?_eq_none_iff.mp hy]; exact cutsAt_nil_right hnil _
        | some y => exact hA x y hx (by rw [List.flatten_cons, List.head?_append, hy]; rfl) A c hx hy
    have hnext : ∀ x y, (A ++ c).getLast? = some x → cs.flatten.head? = some y → CutPair enc x y := by
      intro x y hx hy
      cases hc : c.getLast? with
      | none =>
        rw [List.getLast?_eq_none_iff.mp hc] at hx hA
        exact hA x y (by simpa using hx) (by simpa using hy)
      | some z =>
        rw [List.getLast?_append, hc] at hx
        exact h.1 x y (by rw [hc]; exact hx) hy
    have ih := encode_append_chunks hnil cs (A ++ c) hnext h.2
    rw [List.flatten_cons, ← List.append_assoc, ih, hAc, encodeChunks, List.append_assoc]
    congr 3
    cases A <;> rfl

/-- **Chunks that are cut at seams may be encoded apart**, in any number and on any number of workers. -/
theorem encode_chunks (hnil : EmptyIsNone enc) (cs : List (List α)) (h : CutChunks enc cs) :
    enc false cs.flatten = encodeChunks enc false cs := by
  have := encode_append_chunks hnil cs [] (by simp) h
  rw [hnil] at this
  exact this

/-- An encoder that takes every part for a text encodes chunks one by one. -/
theorem encodeChunks_const (e : List α → List Token) (inside : Bool) (cs : List (List α)) :
    encodeChunks (fun _ => e) inside cs = cs.flatMap e := by
  induction cs generalizing inside with
  | nil => rfl
  | cons c cs ih => rw [encodeChunks, ih, List.flatMap_cons]

/-! ## The tokenizer -/

namespace Tokenizer

variable [DecidableEq α] {T : Tokenizer α} {rest : List α → List α}

theorem emptyIsNone : EmptyIsNone (T.encodePart rest)
  | true => rfl
  | false => rfl

/-- **Seams of the tokenizer are what sessions and chunks ask for**; the normalizer may do at the beginning of a
text what it does not do behind a seam. -/
theorem cutPair_of_seam {subset : Inclusion α} (hsub : SubsetSound subset) {x y : α}
    (h : T.Seam rest subset x y) : CutPair (T.encodePart rest) x y := by
  intro A B hA hB
  have hne : A.isEmpty = false := by cases A <;> simp_all
  rw [CutsAt, hne]
  exact encode_append_of_seam hsub h hA hB

/-- **Sessions of a whole tokenizer are exact**: an edit between the nearest seams outside the change, however they
are found, gives the tokens of the new text. -/
theorem valid_editNear {subset : Inclusion α} (hsub : SubsetSound subset) {pair : α → α → Bool}
    (hp : ∀ x y, pair x y = true → T.Seam rest subset x y) {s : Session α} (hs : s.ids = T.encode s.text)
    {first stop : Nat} {new : List α} (h1 : first ≤ stop) (h2 : stop ≤ s.text.length) :
    (s.editNear pair (T.encodePart rest) first stop new).ids = T.encode (replaceRange s.text first stop new) :=
  Session.valid_editNear emptyIsNone (fun x y h => cutPair_of_seam hsub (hp x y h)) hs h1 h2

end Tokenizer

end VerifiedTok
