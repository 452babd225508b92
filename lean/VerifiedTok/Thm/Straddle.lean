module

public import VerifiedTok.Thm.Boundary
public import VerifiedTok.Thm.Tables

public section

/-!
# Cutting where no rule can join

The boundary of tokenizers that have no pre-tokenizer: if no rule joins what ends a text's first part
to what begins its second, the two parts are encoded alone.
-/

namespace VerifiedTok

theorem getLast?_mergeAt {ts : List Token} {i : Nat} {c : Token} (hi : i + 1 < ts.length) :
    (mergeAt ts i c).getLast? = if i + 2 = ts.length then some c else ts.getLast? := by
  rw [mergeAt, List.getLast?_append, List.getLast?_cons, List.getLast?_drop]
  by_cases h : i + 2 = ts.length
  · simp [h]
  · cases hx : ts.getLast? with
    | none => simp [List.getLast?_eq_none_iff.mp hx] at hi
    | some x => simp [h, show ¬ ts.length ≤ i + 2 by omega]

theorem head?_mergeAt {ts : List Token} {i : Nat} {c : Token} (hi : i + 1 < ts.length) :
    (mergeAt ts i c).head? = if i = 0 then some c else ts.head? := by
  cases ts with
  | nil => simp at hi
  | cons x rest => cases i <;> simp [mergeAt]

/-- If merges keep what is known of the left side and of the right one, and no rule joins two tokens that
meet between such sides, then merges never cross between them. -/
theorem apart_of_kept {t : Table} {P Q : List Token → Prop}
    (hP : ∀ A i k c, Selected t A i k c → P A → P (mergeAt A i c))
    (hQ : ∀ B i k c, Selected t B i k c → Q B → Q (mergeAt B i c))
    (hno : ∀ A B a b, P A → Q B → A.getLast? = some a → B.head? = some b → t.look a b = none) :
    ∀ {A B : List Token}, P A → Q B → Apart t A B
  | A, B, hA, hB => by
    rcases stuck_or_optimal t (A ++ B) with hst | ⟨i, c, ho⟩
    · exact .stop hst
    obtain ⟨k, hs, _⟩ := id ho
    have hlt := ho.lt_length
    rw [List.length_append] at hlt
    by_cases hi : i + 1 < A.length
    · have := length_mergeAt (c := c) hi
      exact .left ho hi (apart_of_kept hP hQ hno (hP A i k c ((selected_append_left hi).mp hs) hA) hB)
    by_cases hi' : i + 1 = A.length
    · -- the merge would cross
      obtain ⟨a, b, ⟨ha, hb⟩, hl⟩ := hs
      rw [List.getElem?_append_left (by omega)] at ha
      rw [hi', List.getElem?_append_right (Nat.le_refl _), Nat.sub_self] at hb
      have h := hno A B a b hA hB (by rw [List.getLast?_eq_getElem?, ← hi']; exact ha)
        (by rw [List.head?_eq_getElem?]; exact hb)
      rw [h] at hl
      cases hl
    · obtain ⟨j, rfl⟩ := Nat.exists_eq_add_of_le (show A.length ≤ i by omega)
      have := length_mergeAt (c := c) (show j + 1 < B.length by omega)
      exact .right ho (apart_of_kept hP hQ hno hA (hQ B j k c (selected_append_right.mp hs) hB))
termination_by A B => A.length + B.length
decreasing_by
  all_goals omega

/-- **A boundary between two kinds of tokens**: if results inherit being an `ends` token from their
right part and being a `begins` token from their left part, and no rule joins an `ends` token to a
`begins` token, then merges never cross between them. -/
theorem apart_of_sealed {t : Table} {ends begins : Token → Prop}
    (hends : ∀ a b k c, t.look a b = some (k, c) → ends b → ends c)
    (hbegins : ∀ a b k c, t.look a b = some (k, c) → begins a → begins c)
    (hno : ∀ a b k c, t.look a b = some (k, c) → ¬ (ends a ∧ begins b)) {A B : List Token}
    (hA : ∀ a, A.getLast? = some a → ends a) (hB : ∀ b, B.head? = some b → begins b) : Apart t A B := by
  refine apart_of_kept (P := fun A => ∀ a, A.getLast? = some a → ends a)
    (Q := fun B => ∀ b, B.head? = some b → begins b) ?_ ?_ ?_ hA hB
  · intro A i k c hs hA x hx
    rw [getLast?_mergeAt hs.lt_length] at hx
    split at hx
    · next he =>
      cases hx
      obtain ⟨a, b, ⟨_, hb⟩, hl⟩ := hs
      refine hends a b k c hl (hA b ?_)
      rw [List.getLast?_eq_getElem?, ← he]
      exact hb
    · exact hA x hx
  · intro B i k c hs hB x hx
    rw [head?_mergeAt hs.lt_length] at hx
    split at hx
    · next he =>
      cases hx
      obtain ⟨a, b, ⟨ha, _⟩, hl⟩ := hs
      refine hbegins a b k c hl (hB a ?_)
      rw [List.head?_eq_getElem?, ← he]
      exact ha
    · exact hB x hx
  · intro A B a b hA hB ha hb
    cases hl : t.look a b with
    | none => rfl
    | some p => exact absurd ⟨hA a ha, hB b hb⟩ (hno a b p.1 p.2 hl)

/-- What straddles nowhere is joined nowhere. -/
theorem NoStraddle.noJoin {t : Table} {bytesOf : Token → List UInt8} (hs : t.Spells bytesOf)
    {x y : List UInt8} (h : NoStraddle t bytesOf x y) : NoJoin t bytesOf x y := by
  rintro a b k c hl ⟨⟨u, hu⟩, ⟨v, hv⟩⟩
  refine h a b k c hl ⟨u, v, ?_⟩
  rw [hs a b k c hl, ← hu, ← hv]
  simp only [List.append_assoc]

theorem apart_of_noJoin {t : Table} {bytesOf : Token → List UInt8} (hs : t.Spells bytesOf)
    {x y : List UInt8} (h : NoJoin t bytesOf x y) {A B : List Token}
    (hA : ∀ a, A.getLast? = some a → x <:+ bytesOf a)
    (hB : ∀ b, B.head? = some b → y <+: bytesOf b) : Apart t A B := by
  refine apart_of_sealed (ends := fun a => x <:+ bytesOf a) (begins := fun b => y <+: bytesOf b)
    ?_ ?_ h hA hB
  · intro a b k c hl hb
    rw [hs a b k c hl]
    exact hb.trans (List.suffix_append _ _)
  · intro a b k c hl ha
    rw [hs a b k c hl]
    exact ha.trans (List.prefix_append _ _)

/-- **Cutting a list of tokens**, whatever they start from: bytes, or characters with fallback to
bytes.  If `A`'s last token ends in `x`, `B`'s first begins with `y`, and no rule joins `x` to `y`,
then the two lists are merged alone. -/
theorem mergeAll_append_of_noJoin {t : Table} {bytesOf : Token → List UInt8} (hs : t.Spells bytesOf)
    {x y : List UInt8} (h : NoJoin t bytesOf x y) {A B : List Token}
    (hA : ∀ a, A.getLast? = some a → x <:+ bytesOf a)
    (hB : ∀ b, B.head? = some b → y <+: bytesOf b) :
    mergeAll t (A ++ B) = mergeAll t A ++ mergeAll t B :=
  (apart_of_noJoin hs h hA hB).mergeAll_eq

/-- `mergeAll_append_of_noJoin` under the condition that a reader of the vocabulary can check on its
entries: no result holds `x` directly before `y`. -/
theorem mergeAll_append_of_no_straddle {t : Table} {bytesOf : Token → List UInt8}
    (hs : t.Spells bytesOf) {x y : List UInt8} (h : NoStraddle t bytesOf x y) {A B : List Token}
    (hA : ∀ a, A.getLast? = some a → x <:+ bytesOf a)
    (hB : ∀ b, B.head? = some b → y <+: bytesOf b) :
    mergeAll t (A ++ B) = mergeAll t A ++ mergeAll t B :=
  mergeAll_append_of_noJoin hs (h.noJoin hs) hA hB

/-- **Cutting a piece between two bytes that no rule joins.** -/
theorem encodePiece_append_of_noJoin {t : Table} {bytesOf : Token → List UInt8}
    (hv : t.Valid bytesOf) {x y : UInt8} (h : NoJoin t bytesOf [x] [y]) {A B : List UInt8}
    (hA : A.getLast? = some x) (hB : B.head? = some y) :
    encodePiece t (A ++ B) = encodePiece t A ++ encodePiece t B := by
  simp only [encodePiece, initialTokens, List.map_append]
  refine mergeAll_append_of_noJoin hv.result_spells h ?_ ?_
  · intro a ha
    rw [List.getLast?_map, hA, Option.map_some, Option.some.injEq] at ha
    rw [← ha, hv.byte_spells]
    exact List.suffix_refl _
  · intro b hb
    rw [List.head?_map, hB, Option.map_some, Option.some.injEq] at hb
    rw [← hb, hv.byte_spells]
    exact List.prefix_refl _

/-- **Cutting a piece between two bytes that no table entry holds side by side**: for `A` ending in `x`
and `B` beginning with `y`, the encoding of `A ++ B` is the two encodings, one after the other. -/
theorem encodePiece_append_of_no_straddle {t : Table} {bytesOf : Token → List UInt8}
    (hv : t.Valid bytesOf) {x y : UInt8} (h : NoStraddle t bytesOf [x] [y]) {A B : List UInt8}
    (hA : A.getLast? = some x) (hB : B.head? = some y) :
    encodePiece t (A ++ B) = encodePiece t A ++ encodePiece t B :=
  encodePiece_append_of_noJoin hv (h.noJoin hv.result_spells) hA hB

/-! ## What to check of a vocabulary -/

/-- For a list of merges, the condition is one on each merge. -/
theorem noJoin_ofMerges {byteToken : UInt8 → Token} {bytesOf : Token → List UInt8} {ms : List Merge}
    {x y : List UInt8} (h : ∀ m ∈ ms, ¬ (x <:+ bytesOf m.left ∧ y <+: bytesOf m.right)) :
    NoJoin (ofMerges byteToken ms) bytesOf x y :=
  fun _ _ _ _ hl => h _ (List.mem_of_getElem? (look_ofMerges hl))

/-- For a vocabulary of byte strings, the condition is one on each string. -/
theorem noStraddle_ofRanks {rs : Ranks} (hv : ValidRanks rs) {x y : List UInt8}
    (h : ∀ r ∈ rs, ¬ (x ++ y) <:+: r.1) : NoStraddle (ofRanks rs) rs.bytesOf x y := by
  intro a b k c hl
  obtain ⟨_, _, _, _, hc, _⟩ := look_ofRanks_iff.mp hl
  have hb := (token?_iff_bytes? hv).mp hc
  simp only [Ranks.bytesOf, hb, Option.getD_some]
  exact h _ (mem_of_bytes? hb)

end VerifiedTok
