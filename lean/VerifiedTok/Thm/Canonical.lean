module

public import VerifiedTok.Thm.Boundary

public section

/-!
# Which tokens, and which lists of tokens, the encoder returns
-/

namespace VerifiedTok

/-! ## Parts of an encoding -/

/-- **Every part of an encoding is the encoding of its bytes.** -/
theorem encodePiece_split {t : Table} {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf)
    {bytes : List UInt8} {X Y : List Token} (h : encodePiece t bytes = X ++ Y) :
    encodePiece t (decode bytesOf X) = X ∧ encodePiece t (decode bytesOf Y) = Y ∧
      Apart t (initialTokens t (decode bytesOf X)) (initialTokens t (decode bytesOf Y)) := by
  obtain ⟨A, B, hAB, hap, hA, hB⟩ := (mergeAll_ranked t (initialTokens t bytes)).split h
  obtain ⟨x, y, rfl, rfl, rfl⟩ := List.map_eq_append_iff.mp hAB
  have hx : decode bytesOf X = x := by
    rw [hA.decode_eq hv.result_spells]; exact decode_initialTokens hv x
  have hy : decode bytesOf Y = y := by
    rw [hB.decode_eq hv.result_spells]; exact decode_initialTokens hv y
  rw [hx, hy]
  exact ⟨mergeAll_eq_iff.mpr hA, mergeAll_eq_iff.mpr hB, hap⟩

/-- **Two pieces are encoded side by side exactly when no merge crosses between them.** -/
theorem encodePiece_append_iff_apart {t : Table} {bytesOf : Token → List UInt8}
    (hv : t.Valid bytesOf) {x y : List UInt8} :
    encodePiece t (x ++ y) = encodePiece t x ++ encodePiece t y ↔
      Apart t (initialTokens t x) (initialTokens t y) := by
  constructor
  · intro h
    have := (encodePiece_split hv h).2.2
    rwa [decode_encodePiece hv, decode_encodePiece hv] at this
  · intro h
    have := h.mergeAll_eq
    simpa only [encodePiece, initialTokens, List.map_append] using this

/-- **Boundaries are local**: if `x ++ m` and `m ++ y` are each encoded side by side, and `m` is not
empty, so is `x ++ m ++ y`.  What lies beyond a neighbour does not matter. -/
theorem encodePiece_glue {t : Table} {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf)
    {x m y : List UInt8} (hm : m ≠ [])
    (h₁ : encodePiece t (x ++ m) = encodePiece t x ++ encodePiece t m)
    (h₂ : encodePiece t (m ++ y) = encodePiece t m ++ encodePiece t y) :
    encodePiece t (x ++ (m ++ y)) = encodePiece t x ++ (encodePiece t m ++ encodePiece t y) := by
  have hap := ((encodePiece_append_iff_apart hv).mp h₁).glue
    ((encodePiece_append_iff_apart hv).mp h₂) (by simpa [initialTokens] using hm)
  rw [← h₂]
  refine (encodePiece_append_iff_apart hv).mpr ?_
  simpa only [initialTokens, List.map_append] using hap

/-- **Several boundaries at once**: if each two neighbours of a list of parts are encoded side by side, and no
part is empty, so is the whole list. -/
theorem encodePiece_flatten {t : Table} {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf) :
    ∀ {parts : List (List UInt8)}, (∀ p ∈ parts, p ≠ []) →
      (∀ p q, [p, q] <:+: parts → encodePiece t (p ++ q) = encodePiece t p ++ encodePiece t q) →
      encodePiece t parts.flatten = parts.flatMap (encodePiece t)
  | [], _, _ => rfl
  | [p], _, _ => by simp
  | p :: q :: rest, hne, h => by
    have ih := encodePiece_flatten hv (parts := q :: rest) (fun p hp => hne p (List.mem_cons_of_mem _ hp))
      (fun a b hab => h a b (hab.trans (List.suffix_cons _ _).isInfix))
    have hrest := encodePiece_flatten hv (parts := rest)
      (fun p hp => hne p (List.mem_cons_of_mem _ (List.mem_cons_of_mem _ hp)))
      (fun a b hab => h a b (hab.trans ((List.suffix_cons _ _).trans (List.suffix_cons _ _)).isInfix))
    rw [List.flatten_cons, List.flatMap_cons, ← hrest] at ih
    have hpq := h p q (List.prefix_append [p, q] rest).isInfix
    rw [List.flatten_cons, List.flatten_cons, List.flatMap_cons, List.flatMap_cons, ← hrest]
    exact encodePiece_glue hv (hne q (List.mem_cons_of_mem _ List.mem_cons_self)) hpq ih

/-! ## Canonical tokens -/

/-- **If the encoding of a token's bytes is that token, a look-up of the whole piece may answer for
the loop.** -/
theorem encodePiece_of_canonical {t : Table} {bytesOf : Token → List UInt8} {c : Token}
    (hc : Canonical t bytesOf c) {bytes : List UInt8} (h : bytesOf c = bytes) :
    encodePiece t bytes = [c] := by
  rw [← h]; exact hc

/-- In a valid table there is no other way to get a single token: the look-up may hold the canonical
tokens under their bytes and nothing else. -/
theorem encodePiece_eq_singleton_iff {t : Table} {bytesOf : Token → List UInt8}
    (hv : t.Valid bytesOf) {bytes : List UInt8} {c : Token} :
    encodePiece t bytes = [c] ↔ bytesOf c = bytes ∧ Canonical t bytesOf c := by
  constructor
  · intro h
    have hb : bytesOf c = bytes := by
      have := decode_encodePiece hv bytes
      rwa [h, decode_singleton] at this
    exact ⟨hb, by rw [Canonical, hb, h]⟩
  · exact fun ⟨hb, hc⟩ => encodePiece_of_canonical hc hb

/-- **Only canonical tokens are ever returned.** -/
theorem canonical_of_mem {t : Table} {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf)
    {bytes : List UInt8} {c : Token} (h : c ∈ encodePiece t bytes) : Canonical t bytesOf c := by
  obtain ⟨X, Y, hXY⟩ := List.append_of_mem h
  have h₁ := (encodePiece_split hv hXY).2.1
  have h₂ := (encodePiece_split (X := [c]) (Y := Y) hv h₁).1
  rwa [decode_singleton] at h₂

/-! ## `ignore_merges` -/

/-- **The encoder with `ignore_merges` returns what its specification allows, and nothing else.** -/
theorem encodePieceIgnoreMerges_iff (t : Table) (entry : List UInt8 → Option Token)
    (bytes : List UInt8) (out : List Token) :
    encodePieceIgnoreMerges t entry bytes = out ↔ BpeSpecIgnoreMerges t entry bytes out := by
  simp only [encodePieceIgnoreMerges, BpeSpecIgnoreMerges, ← encodePiece_iff_bpeSpec]
  cases entry bytes with
  | none => simp
  | some c => simp [eq_comm]

/-- **`ignore_merges` changes nothing exactly when every entry is what the merges give for it.** -/
theorem encodePieceIgnoreMerges_eq_iff {t : Table} {entry : List UInt8 → Option Token} :
    (∀ bytes, encodePieceIgnoreMerges t entry bytes = encodePiece t bytes) ↔
      ∀ bytes c, entry bytes = some c → encodePiece t bytes = [c] := by
  constructor
  · intro h bytes c he
    rw [← h, encodePieceIgnoreMerges, he]
  · intro h bytes
    rw [encodePieceIgnoreMerges]
    cases he : entry bytes with
    | none => rfl
    | some c => exact (h bytes c he).symm

/-- **Nothing is lost under `ignore_merges`**, if entries spell the pieces they answer for. -/
theorem decode_encodePieceIgnoreMerges {t : Table} {bytesOf : Token → List UInt8}
    (hv : t.Valid bytesOf) {entry : List UInt8 → Option Token}
    (he : ∀ bytes c, entry bytes = some c → bytesOf c = bytes) (bytes : List UInt8) :
    decode bytesOf (encodePieceIgnoreMerges t entry bytes) = bytes := by
  rw [encodePieceIgnoreMerges]
  cases h : entry bytes with
  | none => exact decode_encodePiece hv bytes
  | some c => rw [decode_singleton]; exact he bytes c h

/-! ## Which lists of tokens are encodings -/

/-- A list is an encoding if each of its tokens is canonical and each two neighbours are the encoding
of their bytes. -/
theorem encodePiece_decode_of_pairs {t : Table} {bytesOf : Token → List UInt8}
    (hv : t.Valid bytesOf) : ∀ {ts : List Token}, (∀ c ∈ ts, Canonical t bytesOf c) →
      (∀ i a b, PairAt ts i a b → encodePiece t (bytesOf a ++ bytesOf b) = [a, b]) →
      encodePiece t (decode bytesOf ts) = ts
  | [], _, _ => rfl
  | [a], hc, _ => by
    rw [decode_singleton]; exact hc a (List.mem_singleton_self a)
  | a :: b :: rest, hc, hp => by
    have ha : encodePiece t (bytesOf a) = [a] := hc a List.mem_cons_self
    have hb : encodePiece t (bytesOf b) = [b] := hc b (List.mem_cons_of_mem _ List.mem_cons_self)
    have hab := hp 0 a b (pairAt_zero.mpr ⟨rfl, rfl⟩)
    have ih := encodePiece_decode_of_pairs hv (ts := b :: rest)
      (fun c h => hc c (List.mem_cons_of_mem _ h)) (fun i x y h => hp (i + 1) x y (pairAt_succ.mpr h))
    have hrest := (encodePiece_split (X := [b]) (Y := rest) hv ih).2.1
    have hne : bytesOf b ≠ [] := fun h => by rw [h] at hb; cases hb
    have := encodePiece_glue hv (x := bytesOf a) (m := bytesOf b) (y := decode bytesOf rest) hne
      (by rw [hab, ha, hb]; rfl) (by rw [← decode_cons, ih, hb, hrest]; rfl)
    rw [decode_cons, decode_cons, this, ha, hb, hrest]
    rfl

/-- **A list of tokens is the encoding of its bytes if and only if each token is canonical and each
two neighbours are the encoding of their bytes.**  So it can be checked, and repaired after a change,
two tokens at a time. -/
theorem encodePiece_decode_iff {t : Table} {bytesOf : Token → List UInt8}
    (hv : t.Valid bytesOf) {ts : List Token} :
    encodePiece t (decode bytesOf ts) = ts ↔ PairwiseCanonical t bytesOf ts := by
  refine ⟨fun h => ⟨fun c hc => ?_, fun i a b hp => ?_⟩, fun ⟨hc, hp⟩ =>
    encodePiece_decode_of_pairs hv hc hp⟩
  · rw [← h] at hc
    exact canonical_of_mem hv hc
  · obtain ⟨ha, hb⟩ := hp
    have hdrop : ts.drop i = a :: b :: ts.drop (i + 2) := by
      obtain ⟨hi, rfl⟩ := List.getElem?_eq_some_iff.mp ha
      obtain ⟨hi', rfl⟩ := List.getElem?_eq_some_iff.mp hb
      rw [List.drop_eq_getElem_cons hi, List.drop_eq_getElem_cons hi']
    have h₁ := (encodePiece_split hv (h.trans (List.take_append_drop i ts).symm)).2.1
    rw [hdrop] at h₁
    have h₂ := (encodePiece_split (X := [a, b]) (Y := ts.drop (i + 2)) hv h₁).1
    rwa [decode_cons, decode_singleton] at h₂

/-! ## Encodings that have a token in common -/

/-- **Where two encodings have the same token, what stands before it in one may be followed by what stands behind it in
the other**: of the text that the tokens spell, they are the encoding. -/
theorem encodePiece_splice {t : Table} {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf)
    {X Y U V : List Token} {c : Token}
    (h₁ : encodePiece t (decode bytesOf (X ++ c :: Y)) = X ++ c :: Y)
    (h₂ : encodePiece t (decode bytesOf (U ++ c :: V)) = U ++ c :: V) :
    encodePiece t (decode bytesOf (X ++ c :: V)) = X ++ c :: V := by
  have hfront := (encodePiece_split (X := X ++ [c]) (Y := Y) hv (by rw [h₁]; simp)).1
  have hback := (encodePiece_split hv h₂).2.1
  have hx := (encodePiece_split (X := X) (Y := [c]) hv hfront).1
  have hm := (encodePiece_split (X := [c]) (Y := V) hv (by rw [hback]; rfl)).1
  have hy := (encodePiece_split (X := [c]) (Y := V) hv (by rw [hback]; rfl)).2.1
  have hne : decode bytesOf [c] ≠ [] := fun h => by rw [h] at hm; cases hm
  have := encodePiece_glue hv (x := decode bytesOf X) (m := decode bytesOf [c]) (y := decode bytesOf V) hne
    (by rw [← decode_append, hx, hm]; exact hfront) (by rw [← decode_append, hm, hy]; exact hback)
  rw [← decode_append, ← decode_append, hx, hm, hy] at this
  simpa using this

private theorem encodePiece_twice {t : Table} {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf)
    {X Y Z : List Token} {c : Token}
    (h : encodePiece t (decode bytesOf (X ++ c :: (Y ++ c :: Z))) = X ++ c :: (Y ++ c :: Z)) :
    encodePiece t (decode bytesOf (X ++ c :: (Y ++ c :: (Y ++ c :: Z)))) =
      X ++ c :: (Y ++ c :: (Y ++ c :: Z)) := by
  have := encodePiece_splice hv (X := X ++ c :: Y) (Y := Z) (U := X) (V := Y ++ c :: Z) (by simpa using h) h
  simpa using this

/-- **What lies between two places of one token can come again, as often as one likes**: of the text that the
tokens spell with it, they are the encoding. -/
theorem encodePiece_again {t : Table} {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf)
    {X Y Z : List Token} {c : Token} (n : Nat)
    (h : encodePiece t (decode bytesOf (X ++ c :: (Y ++ c :: Z))) = X ++ c :: (Y ++ c :: Z)) :
    let again := X ++ c :: (Y ++ c :: ((List.replicate n (Y ++ [c])).flatten ++ Z))
    encodePiece t (decode bytesOf again) = again := by
  induction n generalizing Z with
  | zero => simpa using h
  | succ n ih =>
    have := ih (encodePiece_twice hv h)
    simpa [List.replicate_succ', List.append_assoc] using this

end VerifiedTok
