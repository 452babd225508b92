module

public import VerifiedTok.Spec.Session
public import VerifiedTok.Thm.Encode

public section

/-!
# Edits are exact

Every operation yields exactly the tokens of the new text, and keeps the tokens outside the cuts.
-/

namespace VerifiedTok

variable {α : Type} {enc : List α → List Token}

/-- **A patch between two cuts is exact.** -/
theorem patch_exact {A M M' B : List α} (h1 : CutsAt enc A (M ++ B)) (h2 : CutsAt enc (A ++ M) B)
    (h3 : CutsAt enc A (M' ++ B)) (h4 : CutsAt enc M' B) :
    (Patch.mk (enc A).length (enc M') (enc B).length).apply (enc (A ++ M ++ B)) = enc (A ++ M' ++ B) := by
  have e1 : enc (A ++ M ++ B) = enc A ++ enc (M ++ B) := by rw [List.append_assoc]; exact h1
  have e2 : enc (A ++ M ++ B) = enc (A ++ M) ++ enc B := h2
  have e3 : enc (A ++ M' ++ B) = enc A ++ (enc M' ++ enc B) := by
    rw [List.append_assoc, h3, h4]
  have t : (enc (A ++ M ++ B)).take (enc A).length = enc A := by rw [e1, List.take_left]
  have d : (enc (A ++ M ++ B)).drop ((enc (A ++ M ++ B)).length - (enc B).length) = enc B := by
    rw [e2, List.length_append, Nat.add_sub_cancel, List.drop_left]
  rw [Patch.apply, t, d, e3, List.append_assoc]

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

/-- **Replacing any range is exact.** -/
theorem valid_edit {s : Session α} (hs : s.Valid enc) {first stop : Nat} {new : List α} {lo hi : Nat}
    (h : Cuts enc s.text first stop new lo hi) : (s.edit enc first stop new lo hi).Valid enc := by
  obtain ⟨hlo, hss, hhi, hlen⟩ := h.order
  have hle : lo ≤ hi := by omega
  have hold : s.text = s.text.take lo ++ slice s.text lo hi ++ s.text.drop hi := by
    rw [take_append_slice _ hle, List.take_append_drop]
  have key := patch_exact (enc := enc) (A := s.text.take lo) (M := slice s.text lo hi)
    (M' := slice s.text lo first ++ new ++ slice s.text stop hi) (B := s.text.drop hi)
    (by rw [slice_append_drop _ hle hlen]; exact h.oldFront)
    (by rw [take_append_slice _ hle]; exact h.oldBack) h.newFront h.newBack
  rw [← hold, ← replaceRange_eq s.text new hlo hhi hlen] at key
  rw [Valid, edit]
  simp only [editPatch]
  rw [hs]
  exact key

/-- **Appending is exact**: it takes one cut, in the old text and in the new one. -/
theorem valid_append {s : Session α} (hs : s.Valid enc) (hnil : enc [] = []) {new : List α} {lo : Nat}
    (hlo : lo ≤ s.text.length) (h1 : CutsAt enc (s.text.take lo) (s.text.drop lo))
    (h2 : CutsAt enc (s.text.take lo) (s.text.drop lo ++ new)) : (s.append enc new lo).Valid enc := by
  have e1 : slice s.text lo s.text.length = s.text.drop lo := by rw [slice, List.take_length]
  have e2 : slice s.text s.text.length s.text.length = [] := by rw [slice, List.take_length, List.drop_length]
  refine valid_edit hs ⟨⟨hlo, Nat.le_refl _, Nat.le_refl _, Nat.le_refl _⟩, h1, ?_, ?_, ?_⟩
  · rw [CutsAt, List.drop_length, List.append_nil, hnil, List.append_nil]
  · rw [e1, e2, List.drop_length, List.append_nil, List.append_nil]; exact h2
  · rw [CutsAt, List.drop_length, List.append_nil, hnil, List.append_nil]

/-- **Inserting is exact.** -/
theorem valid_insert {s : Session α} (hs : s.Valid enc) {pos : Nat} {new : List α} {lo hi : Nat}
    (h : Cuts enc s.text pos pos new lo hi) : (s.insert enc pos new lo hi).Valid enc := valid_edit hs h

/-- **Truncating is exact**: it takes one cut before the new end, in the old text and in the new one. -/
theorem valid_truncate {s : Session α} (hs : s.Valid enc) (hnil : enc [] = []) {pos lo : Nat} (hlo : lo ≤ pos)
    (hpos : pos ≤ s.text.length) (h1 : CutsAt enc (s.text.take lo) (s.text.drop lo))
    (h2 : CutsAt enc (s.text.take lo) (slice s.text lo pos)) : (s.truncate enc pos lo).Valid enc := by
  have e2 : slice s.text s.text.length s.text.length = [] := by rw [slice, List.take_length, List.drop_length]
  refine valid_edit hs ⟨⟨hlo, hpos, Nat.le_refl _, Nat.le_refl _⟩, h1, ?_, ?_, ?_⟩
  · rw [CutsAt, List.drop_length, List.append_nil, hnil, List.append_nil]
  · rw [e2, List.drop_length, List.append_nil, List.append_nil, List.append_nil]; exact h2
  · simp only [CutsAt, List.drop_length, hnil, List.append_nil]

/-- **Concatenating is exact.** -/
theorem valid_concat {s t : Session α} (hs : s.Valid enc) (ht : t.Valid enc) {lo hi : Nat}
    (h1 : CutsAt enc (s.text.take lo) (s.text.drop lo)) (h2 : CutsAt enc (t.text.take hi) (t.text.drop hi))
    (h3 : CutsAt enc (s.text.take lo) (s.text.drop lo ++ t.text))
    (h4 : CutsAt enc (s.text.drop lo ++ t.text.take hi) (t.text.drop hi)) :
    (s.concat enc t lo hi).Valid enc := by
  simp only [Valid] at hs ht
  rw [CutsAt, List.take_append_drop] at h1 h2
  have e : s.text ++ t.text = s.text.take lo ++ (s.text.drop lo ++ t.text) := by
    rw [← List.append_assoc, List.take_append_drop]
  have e' : s.text.drop lo ++ t.text = (s.text.drop lo ++ t.text.take hi) ++ t.text.drop hi := by
    rw [List.append_assoc, List.take_append_drop]
  rw [Valid, concat]
  simp only
  rw [hs, ht, h1, h2, List.take_left, List.drop_left, e, h3, e', h4, List.append_assoc]

/-- **The ids in front of the first cut stay.** -/
theorem edit_keeps_front {s : Session α} (hs : s.Valid enc) {first stop : Nat} {new : List α} {lo hi : Nat}
    (h : Cuts enc s.text first stop new lo hi) :
    (s.edit enc first stop new lo hi).ids.take (enc (s.text.take lo)).length =
      s.ids.take (enc (s.text.take lo)).length := by
  have hlen : (enc (s.text.take lo)).length ≤ s.ids.length := by
    have := h.oldFront
    rw [CutsAt, List.take_append_drop] at this
    rw [hs, this, List.length_append]; omega
  rw [edit, Patch.apply, editPatch]
  simp only [List.append_assoc]
  rw [List.take_append_of_le_length (by rw [List.length_take]; omega), List.take_take, Nat.min_self]

/-- **The ids behind the second cut stay.** -/
theorem edit_keeps_back {s : Session α} (hs : s.Valid enc) {first stop : Nat} {new : List α} {lo hi : Nat}
    (h : Cuts enc s.text first stop new lo hi) :
    s.ids.drop (s.ids.length - (enc (s.text.drop hi)).length) = enc (s.text.drop hi) ∧
      enc (s.text.drop hi) <:+ (s.edit enc first stop new lo hi).ids := by
  have hd : s.ids.drop (s.ids.length - (enc (s.text.drop hi)).length) = enc (s.text.drop hi) := by
    have := h.oldBack
    rw [CutsAt, List.take_append_drop] at this
    rw [hs, this, List.length_append, Nat.add_sub_cancel, List.drop_left]
  refine ⟨hd, ?_⟩
  rw [edit, Patch.apply, editPatch]
  simp only
  rw [hd]
  exact List.suffix_append _ _

end Session

/-! ## Cuts from pairs -/

/-- Pairs that cut give cuts. -/
theorem cutsAt_of_cutAllowed {pair : α → α → Bool} (hnil : enc [] = [])
    (hp : ∀ x y, pair x y = true → CutPair enc x y) {s : List α} {p : Nat}
    (h : cutAllowed pair s p = true) : CutsAt enc (s.take p) (s.drop p) := by
  rw [cutAllowed] at h
  split at h
  · rename_i x y hx hy
    exact hp x y h _ _ hx hy
  · rename_i hno
    cases hx : (s.take p).getLast? with
    | none => rw [CutsAt, List.getLast?_eq_none_iff.mp hx, hnil]; rfl
    | some x =>
      cases hy : (s.drop p).head? with
      | none =>
        rw [CutsAt, List.head?_eq_none_iff.mp hy, hnil, List.append_nil, List.append_nil]
      | some y => exact absurd hy (hno x y hx)

/-- The cuts of an edit from a table of pairs: both cuts are allowed in the old text and in the new one. -/
theorem cuts_of_cutAllowed {pair : α → α → Bool} (hnil : enc [] = [])
    (hp : ∀ x y, pair x y = true → CutPair enc x y) {s new : List α} {first stop lo hi : Nat}
    (order : lo ≤ first ∧ first ≤ stop ∧ stop ≤ hi ∧ hi ≤ s.length)
    (oldFront : cutAllowed pair s lo = true) (oldBack : cutAllowed pair s hi = true)
    (newFront : cutAllowed pair (replaceRange s first stop new) lo = true)
    (newBack : cutAllowed pair (replaceRange s first stop new) (hi - stop + (first + new.length)) = true) :
    Session.Cuts enc s first stop new lo hi := by
  obtain ⟨h1, h2, h3, h4⟩ := order
  have hlo : (s.take lo).length = lo := by rw [List.length_take]; omega
  have hM : (slice s lo first ++ new ++ slice s stop hi).length = hi - stop + (first + new.length) - lo := by
    simp only [slice, List.length_append, List.length_drop, List.length_take]; omega
  have heq := replaceRange_eq s new h1 h3 h4
  refine ⟨⟨h1, h2, h3, h4⟩, cutsAt_of_cutAllowed hnil hp oldFront, cutsAt_of_cutAllowed hnil hp oldBack, ?_, ?_⟩
  · have := cutsAt_of_cutAllowed hnil hp newFront
    rw [heq, List.append_assoc, List.take_left' hlo, List.drop_left' hlo] at this
    exact this
  · rw [cutAllowed, heq, List.take_left' (by rw [List.length_append, hlo, hM]; omega),
      List.drop_left' (by rw [List.length_append, hlo, hM]; omega)] at newBack
    generalize slice s lo first ++ new ++ slice s stop hi = M at newBack
    cases hx : M.getLast? with
    | none => rw [CutsAt, List.getLast?_eq_none_iff.mp hx, hnil]; rfl
    | some x =>
      cases hy : (s.drop hi).head? with
      | none => rw [CutsAt, List.head?_eq_none_iff.mp hy, hnil, List.append_nil, List.append_nil]
      | some y =>
        rw [List.getLast?_append, hx, hy] at newBack
        exact hp x y newBack M (s.drop hi) hx hy

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
theorem Session.valid_editNear {pair : α → α → Bool} (hnil : enc [] = [])
    (hp : ∀ x y, pair x y = true → CutPair enc x y) {s : Session α} (hs : s.Valid enc) {first stop : Nat}
    {new : List α} (h1 : first ≤ stop) (h2 : stop ≤ s.text.length) :
    (s.editNear pair enc first stop new).Valid enc := by
  have hlo := cutBefore_le pair s.text (first - 1)
  have hhi : stop ≤ cutAfter pair s.text (s.text.length - (stop + 1)) (stop + 1) ∧
      cutAfter pair s.text (s.text.length - (stop + 1)) (stop + 1) ≤ s.text.length ∧
      (stop < cutAfter pair s.text (s.text.length - (stop + 1)) (stop + 1) ∨
        cutAfter pair s.text (s.text.length - (stop + 1)) (stop + 1) = s.text.length) := by
    rcases Nat.eq_or_lt_of_le h2 with h | h
    · have : s.text.length - (stop + 1) = 0 := by omega
      rw [this, cutAfter]; omega
    · have := cutAfter_bounds pair s.text (s.text.length - (stop + 1)) (stop + 1) (by omega)
      omega
  refine valid_edit hs (cuts_of_cutAllowed hnil hp ⟨by omega, h1, hhi.1, hhi.2.1⟩ (cutAllowed_cutBefore ..)
    (cutAllowed_cutAfter ..) ?_ ?_)
  · rw [cutAllowed_before pair (by omega) (by omega)]
    exact cutAllowed_cutBefore ..
  · exact cutAllowed_after pair h1 hhi.2.2 hhi.1 hhi.2.1 (cutAllowed_cutAfter ..)

/-! ## Chunks -/

/-- **Chunks that are cut at seams may be encoded apart**, in any number and on any number of workers. -/
theorem encode_chunks (hnil : enc [] = []) : ∀ cs : List (List α), CutChunks enc cs →
    enc cs.flatten = cs.flatMap enc
  | [], _ => hnil
  | c :: cs, h => by
    have ih := encode_chunks hnil cs h.2
    rw [List.flatten_cons, List.flatMap_cons, ← ih]
    cases hx : c.getLast? with
    | none => rw [List.getLast?_eq_none_iff.mp hx, hnil]; rfl
    | some x =>
      cases hy : cs.flatten.head? with
      | none => rw [List.head?_eq_none_iff.mp hy, hnil, List.append_nil, List.append_nil]
      | some y => exact h.1 x y hx hy c cs.flatten hx hy

/-! ## The tokenizer -/

namespace Tokenizer

variable [DecidableEq α] {T : Tokenizer α}

theorem encode_nil : T.encode [] = [] := rfl

/-- Seams of the tokenizer are what sessions and chunks ask for. -/
theorem cutPair_of_seam {subset : Inclusion α} (hsub : SubsetSound subset) {x y : α}
    (h : T.Seam subset x y) : CutPair T.encode x y :=
  fun _ _ hA hB => encode_append_of_seam hsub h hA hB

theorem cutsAt_of_seamBetween {A B : List α} (h : T.SeamBetween A B) : CutsAt T.encode A B :=
  encode_append_of_seamBetween h

end Tokenizer

end VerifiedTok
