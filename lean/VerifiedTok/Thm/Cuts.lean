module

public import VerifiedTok.Spec.Cuts
public import VerifiedTok.Thm.Canonical
public import VerifiedTok.Thm.Search.Live
public import VerifiedTok.Thm.Straddle

public section

/-!
# Cutting a piece where no rule meets

A merge that crosses a place joins a token that ends what stands left of it to one that begins what stands right of
it.  Where no rule has two such tokens, a piece may be cut and its parts encoded alone.
-/

namespace VerifiedTok

variable {t : Table} {bytesOf : Token → List UInt8}

theorem apart_of_noRuleAcross (hs : t.Spells bytesOf) {A B : List Token}
    (h : NoRuleAcross t bytesOf (decode bytesOf A) (decode bytesOf B)) : Apart t A B := by
  refine apart_of_kept (P := fun A' => decode bytesOf A' = decode bytesOf A)
    (Q := fun B' => decode bytesOf B' = decode bytesOf B) ?_ ?_ ?_ rfl rfl
  · intro A' i k c hsel hA
    rw [decode_mergeAt hs hsel, hA]
  · intro B' i k c hsel hB
    rw [decode_mergeAt hs hsel, hB]
  · intro A' B' a b hA hB ha hb
    cases hl : t.look a b with
    | none => rfl
    | some p =>
      obtain ⟨u, rfl⟩ := List.getLast?_eq_some_iff.mp ha
      obtain ⟨v, rfl⟩ := List.head?_eq_some_iff.mp hb
      refine absurd ⟨?_, ?_⟩ (h a b p.1 p.2 hl)
      · rw [← hA, decode_append, decode_singleton]
        exact List.suffix_append _ _
      · rw [← hB, decode_cons]
        exact List.prefix_append _ _

/-- **Cutting a list of tokens where no rule meets**, whatever they start from: bytes, or characters. -/
theorem mergeAll_append_of_noRuleAcross (hs : t.Spells bytesOf) {A B : List Token}
    (h : NoRuleAcross t bytesOf (decode bytesOf A) (decode bytesOf B)) :
    mergeAll t (A ++ B) = mergeAll t A ++ mergeAll t B :=
  (apart_of_noRuleAcross hs h).mergeAll_eq

/-- **Cutting a piece where no rule meets.** -/
theorem encodePiece_append_of_noRuleAcross (hv : t.Valid bytesOf) {A B : List UInt8}
    (h : NoRuleAcross t bytesOf A B) :
    encodePiece t (A ++ B) = encodePiece t A ++ encodePiece t B := by
  have := mergeAll_append_of_noRuleAcross (A := initialTokens t A) (B := initialTokens t B) hv.result_spells
    (by rwa [decode_initialTokens hv, decode_initialTokens hv])
  simpa only [encodePiece, initialTokens, List.map_append] using this

/-! ## What to check of a vocabulary -/

/-- **The characters beside the place are enough to know**: no rule meets at it, whatever ends in `x` and whatever
begins with `y`, exactly if none joins tokens of which each ends, or begins, so or is a part of that. -/
theorem noMeet_iff {x y : List UInt8} :
    NoMeet t bytesOf x y ↔ ∀ A B, x <:+ A → y <+: B → NoRuleAcross t bytesOf A B := by
  constructor
  · intro h A B hA hB a b k c hl hab
    exact h a b k c hl
      ⟨List.suffix_or_suffix_of_suffix hA hab.1, List.prefix_or_prefix_of_prefix hB hab.2⟩
  · rintro h a b k c hl ⟨ha, hb⟩
    obtain ⟨A, hA, hA'⟩ : ∃ A, x <:+ A ∧ bytesOf a <:+ A := by
      rcases ha with ha | ha
      · exact ⟨bytesOf a, ha, List.suffix_refl _⟩
      · exact ⟨x, List.suffix_refl _, ha⟩
    obtain ⟨B, hB, hB'⟩ : ∃ B, y <+: B ∧ bytesOf b <+: B := by
      rcases hb with hb | hb
      · exact ⟨bytesOf b, hb, List.prefix_refl _⟩
      · exact ⟨y, List.prefix_refl _, hb⟩
    exact h A B hA hB a b k c hl ⟨hA', hB'⟩

/-- **Cutting a piece between two characters of several bytes** that no rule joins, whole or in part. -/
theorem encodePiece_append_of_noMeet (hv : t.Valid bytesOf) {x y : List UInt8} (h : NoMeet t bytesOf x y)
    {A B : List UInt8} (hA : x <:+ A) (hB : y <+: B) :
    encodePiece t (A ++ B) = encodePiece t A ++ encodePiece t B :=
  encodePiece_append_of_noRuleAcross hv (noMeet_iff.mp h A B hA hB)

/-- For a list of merges, the condition is one on each merge. -/
theorem noMeet_ofMerges {byteToken : UInt8 → Token} {ms : List Merge} {x y : List UInt8}
    (h : ∀ m ∈ ms, ¬ ((x <:+ bytesOf m.left ∨ bytesOf m.left <:+ x) ∧
      (y <+: bytesOf m.right ∨ bytesOf m.right <+: y))) :
    NoMeet (ofMerges byteToken ms) bytesOf x y :=
  fun _ _ _ _ hl => h _ (List.mem_of_getElem? (look_ofMerges hl))

/-- Without dead rules, a valid table stays valid. -/
theorem Table.Valid.liveTable (hv : t.Valid bytesOf) (sym : Token → List Token) :
    (liveTable t sym).Valid bytesOf where
  byte_spells := hv.byte_spells
  result_spells a b k c h := hv.result_spells a b k c (look_of_liveTable h)

/-- Only the rules that runs come to need be looked at. -/
theorem encodePiece_append_of_noLiveRuleAcross (hv : t.Valid bytesOf) {A B : List UInt8}
    (h : NoRuleAcross (liveTable t fun c => initialTokens t (bytesOf c)) bytesOf A B) :
    encodePiece t (A ++ B) = encodePiece t A ++ encodePiece t B := by
  have := encodePiece_append_of_noRuleAcross (hv.liveTable _) h
  simpa only [encodePiece_liveTable hv] using this

/-! ## Several cuts -/

/-- **A piece may be cut at all places between whose characters no live rule meets**: each two neighbours among
its parts end and begin with such `x` and `y`. -/
theorem encodePiece_flatten_of_noLiveMeet (hv : t.Valid bytesOf) {parts : List (List UInt8)}
    (hne : ∀ p ∈ parts, p ≠ [])
    (h : ∀ p q, [p, q] <:+: parts → ∃ x y, x <:+ p ∧ y <+: q ∧
      NoMeet (liveTable t fun c => initialTokens t (bytesOf c)) bytesOf x y) :
    encodePiece t parts.flatten = parts.flatMap (encodePiece t) := by
  refine encodePiece_flatten hv hne fun p q hpq => ?_
  obtain ⟨x, y, hx, hy, hxy⟩ := h p q hpq
  exact encodePiece_append_of_noLiveRuleAcross hv (noMeet_iff.mp hxy p q hx hy)

/-- With `ignore_merges`, the same cuts are right if entries answer as the merges do, for the piece and its parts. -/
theorem encodePieceIgnoreMerges_flatten {entry : List UInt8 → Option Token} {parts : List (List UInt8)}
    (h : encodePiece t parts.flatten = parts.flatMap (encodePiece t))
    (he : ∀ p ∈ parts.flatten :: parts, ∀ c, entry p = some c → encodePiece t p = [c]) :
    encodePieceIgnoreMerges t entry parts.flatten = parts.flatMap (encodePieceIgnoreMerges t entry) := by
  have h' : ∀ p ∈ parts.flatten :: parts, encodePieceIgnoreMerges t entry p = encodePiece t p := by
    intro p hp
    rw [encodePieceIgnoreMerges]
    cases hc : entry p with
    | none => rfl
    | some c => exact (he p hp c hc).symm
  rw [h' _ List.mem_cons_self, h, List.flatMap_def, List.flatMap_def]
  exact congrArg _ (List.map_congr_left fun p hp => (h' p (List.mem_cons_of_mem _ hp)).symm)

/-! ## Why not single bytes -/

/-- The bytes `E4 B8` and 256 for them, `A5` and 257 for the character `E4 B8 A5`. -/
@[expose] def oneCharacter : Table :=
  ofMerges UInt8.toNat [⟨0xE4, 0xB8, 256⟩, ⟨256, 0xA5, 257⟩, ⟨257, 0xE4, 258⟩]

/-- What its tokens spell. -/
@[expose] def oneCharacterBytes : Token → List UInt8
  | 256 => [0xE4, 0xB8]
  | 257 => [0xE4, 0xB8, 0xA5]
  | 258 => [0xE4, 0xB8, 0xA5, 0xE4]
  | c => [UInt8.ofNat c]

/-- **Characters tell more than their last and first bytes**: a rule joins the character `E4 B8 A5` to the next
one's first byte, so its last byte is joined to that; but no rule meets behind `E5 B8 A5`, which ends with the same
byte. -/
theorem noMeet_is_sharper :
    NoMeet oneCharacter oneCharacterBytes [0xE5, 0xB8, 0xA5] [0xE4, 0xB8, 0xA5] ∧
      ¬ NoJoin oneCharacter oneCharacterBytes [0xA5] [0xE4] := by
  refine ⟨noMeet_ofMerges (by decide), fun h => h 257 0xE4 2 258 (by decide) (by decide)⟩

end VerifiedTok
