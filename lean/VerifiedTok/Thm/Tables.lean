module

public import VerifiedTok.Thm.Decode

public section

/-!
# The tables of real vocabularies are valid

Each finite check of `Spec/Tables.lean` can be decided, says what the table's look-up means, and gives
`Table.Valid`.
-/

namespace VerifiedTok

/-! ## Every statement about all bytes can be decided -/

theorem forall_byte_iff {p : UInt8 → Prop} : (∀ b, p b) ↔ ∀ n : Fin 256, p (UInt8.ofFin n) :=
  ⟨fun h _ => h _, fun h b => h b.toFin⟩

instance {p : UInt8 → Prop} [DecidablePred p] : Decidable (∀ b, p b) :=
  decidable_of_iff _ forall_byte_iff.symm

/-! ## A list of merges -/

instance (byteToken : UInt8 → Token) (bytesOf : Token → List UInt8) (ms : List Merge) :
    Decidable (ValidMerges byteToken bytesOf ms) :=
  decidable_of_iff
    ((ms.map fun m => (m.left, m.right)).Nodup ∧ (∀ b, bytesOf (byteToken b) = [b]) ∧
      ∀ m ∈ ms, bytesOf m.result = bytesOf m.left ++ bytesOf m.right)
    ⟨fun ⟨h1, h2, h3⟩ => ⟨h1, h2, h3⟩, fun ⟨h1, h2, h3⟩ => ⟨h1, h2, h3⟩⟩

/-- Tokens below 256 spell their byte, all others spell `ab`. -/
@[expose] def spellsAb (c : Token) : List UInt8 := if c < 256 then [UInt8.ofNat c] else [97, 98]

/-! One list that passes the check, and one for each assumption that can fail. -/

example : ValidMerges UInt8.toNat spellsAb [⟨97, 98, 256⟩] := by decide +kernel
example : ¬ ValidMerges UInt8.toNat spellsAb [⟨97, 98, 256⟩, ⟨97, 98, 256⟩] := by decide +kernel
example : ¬ ValidMerges (fun _ => 97) spellsAb [⟨97, 98, 256⟩] := by decide +kernel
example : ¬ ValidMerges UInt8.toNat spellsAb [⟨98, 97, 256⟩] := by decide +kernel

/-- A look-up finds a merge of the list, at its rank. -/
theorem look_ofMerges {byteToken : UInt8 → Token} {ms : List Merge} {a b c : Token} {k : Nat}
    (h : (ofMerges byteToken ms).look a b = some (k, c)) : ms[k]? = some ⟨a, b, c⟩ := by
  simp only [ofMerges, Option.map_eq_some_iff, Prod.mk.injEq] at h
  obtain ⟨⟨m, n⟩, hm, rfl, rfl⟩ := h
  have hp := List.find?_some hm
  have hmem := List.mem_of_find?_eq_some hm
  simp only [Bool.and_eq_true, beq_iff_eq] at hp
  obtain ⟨rfl, rfl⟩ := hp
  exact List.mem_zipIdx_iff_getElem?.mp hmem

theorem distinct_merges {ms : List Merge} (hd : (ms.map fun m => (m.left, m.right)).Nodup)
    {i j : Nat} {m m' : Merge} (hi : ms[i]? = some m) (hj : ms[j]? = some m')
    (hl : m.left = m'.left) (hr : m.right = m'.right) : i = j := by
  have h1 : (ms.map fun m => (m.left, m.right))[i]? = some (m.left, m.right) := by simp [hi]
  have h2 : (ms.map fun m => (m.left, m.right))[j]? = some (m.left, m.right) := by simp [hj, hl, hr]
  have hlt := (List.getElem?_eq_some_iff.mp h1).1
  exact List.getElem?_inj hlt hd (h1.trans h2.symm)

/-- **If no pair is listed twice, the table says exactly what the list says**: it does not matter
whether a reader of the list keeps a pair's first merge or its last. -/
theorem look_ofMerges_iff {byteToken : UInt8 → Token} {ms : List Merge}
    (hd : (ms.map fun m => (m.left, m.right)).Nodup) {a b c : Token} {k : Nat} :
    (ofMerges byteToken ms).look a b = some (k, c) ↔ ms[k]? = some ⟨a, b, c⟩ := by
  refine ⟨look_ofMerges, fun h => ?_⟩
  cases hl : (ofMerges byteToken ms).look a b with
  | none =>
    simp only [ofMerges, Option.map_eq_none_iff, List.find?_eq_none] at hl
    have := hl (⟨a, b, c⟩, k) (List.mem_zipIdx_iff_getElem?.mpr h)
    simp at this
  | some p =>
    obtain ⟨k', c'⟩ := p
    have h' := look_ofMerges hl
    have : k = k' := distinct_merges hd h h' rfl rfl
    subst this
    rw [h] at h'
    cases h'
    rfl

/-- **The check of a list of merges is exactly validity of its table, and that no pair is listed
twice.** -/
theorem validMerges_iff {byteToken : UInt8 → Token} {bytesOf : Token → List UInt8}
    {ms : List Merge} : ValidMerges byteToken bytesOf ms ↔
      (ms.map fun m => (m.left, m.right)).Nodup ∧ (ofMerges byteToken ms).Valid bytesOf := by
  constructor
  · rintro ⟨hd, hb, hm⟩
    refine ⟨hd, hb, fun a b k c h => ?_⟩
    exact hm _ (List.mem_of_getElem? (look_ofMerges h))
  · rintro ⟨hd, hb, hs⟩
    refine ⟨hd, hb, fun m hm => ?_⟩
    obtain ⟨k, hk⟩ := List.mem_iff_getElem?.mp hm
    exact hs _ _ _ _ ((look_ofMerges_iff hd).mpr hk)

theorem ValidMerges.valid {byteToken : UInt8 → Token} {bytesOf : Token → List UInt8}
    {ms : List Merge} (h : ValidMerges byteToken bytesOf ms) :
    (ofMerges byteToken ms).Valid bytesOf :=
  (validMerges_iff.mp h).2

/-! ## The ranks of byte strings -/

instance (rs : Ranks) : Decidable (ValidRanks rs) :=
  decidable_of_iff
    ((rs.map (·.1)).Nodup ∧ (rs.map (·.2)).Nodup ∧ (∀ r ∈ rs, r.1 ≠ []) ∧
      ∀ b : UInt8, (rs.token? [b]).isSome)
    ⟨fun ⟨h1, h2, h3, h4⟩ => ⟨h1, h2, h3, h4⟩, fun ⟨h1, h2, h3, h4⟩ => ⟨h1, h2, h3, h4⟩⟩

theorem mem_of_token? {rs : Ranks} {x : List UInt8} {c : Token} (h : rs.token? x = some c) :
    (x, c) ∈ rs := by
  simp only [Ranks.token?, Option.map_eq_some_iff] at h
  obtain ⟨⟨y, d⟩, hf, rfl⟩ := h
  have hp := List.find?_some hf
  simp only [beq_iff_eq] at hp
  subst hp
  exact List.mem_of_find?_eq_some hf

theorem mem_of_bytes? {rs : Ranks} {x : List UInt8} {c : Token} (h : rs.bytes? c = some x) :
    (x, c) ∈ rs := by
  simp only [Ranks.bytes?, Option.map_eq_some_iff] at h
  obtain ⟨⟨y, d⟩, hf, rfl⟩ := h
  have hp := List.find?_some hf
  simp only [beq_iff_eq] at hp
  subst hp
  exact List.mem_of_find?_eq_some hf

/-- In a list without repetitions of `f`, `find?` for the value of `f` finds the member. -/
theorem find?_of_mem {α β : Type} [BEq β] [LawfulBEq β] (f : α → β) : ∀ {xs : List α} {x : α},
    (xs.map f).Nodup → x ∈ xs → xs.find? (fun y => f y == f x) = some x
  | y :: ys, x, hd, hm => by
    simp only [List.map_cons, List.nodup_cons, List.mem_map, not_exists, not_and] at hd
    rcases List.mem_cons.mp hm with rfl | hm
    · simp
    · have : f y ≠ f x := fun e => hd.1 x hm e.symm
      simp only [List.find?_cons, beq_eq_false_iff_ne.mpr this]
      exact find?_of_mem f hd.2 hm

/-- **In a valid vocabulary, bytes and tokens look each other up.** -/
theorem token?_iff_bytes? {rs : Ranks} (hv : ValidRanks rs) {x : List UInt8} {c : Token} :
    rs.token? x = some c ↔ rs.bytes? c = some x := by
  constructor
  · intro h
    simp [Ranks.bytes?, find?_of_mem (·.2) hv.tokens_distinct (mem_of_token? h)]
  · intro h
    simp [Ranks.token?, find?_of_mem (·.1) hv.bytes_distinct (mem_of_bytes? h)]

/-- **What the table of a vocabulary says**: the pair of two tokens has the token of their bytes, which
is also its rank. -/
theorem look_ofRanks_iff {rs : Ranks} {a b c : Token} {k : Nat} :
    (ofRanks rs).look a b = some (k, c) ↔
      ∃ x y, rs.bytes? a = some x ∧ rs.bytes? b = some y ∧ rs.token? (x ++ y) = some c ∧ k = c := by
  simp only [ofRanks]
  constructor
  · intro h
    split at h
    · next x y hx hy =>
      simp only [Option.map_eq_some_iff, Prod.mk.injEq] at h
      obtain ⟨d, hd, rfl, rfl⟩ := h
      exact ⟨x, y, hx, hy, hd, rfl⟩
    · cases h
  · rintro ⟨x, y, hx, hy, hc, rfl⟩
    simp only [hx, hy, hc, Option.map_some]

/-- **The table of a valid vocabulary is valid.** -/
theorem ValidRanks.valid {rs : Ranks} (hv : ValidRanks rs) : (ofRanks rs).Valid rs.bytesOf := by
  constructor
  · intro b
    obtain ⟨c, hc⟩ := Option.isSome_iff_exists.mp (hv.has_byte b)
    simp only [ofRanks, hc, Option.getD_some, Ranks.bytesOf, (token?_iff_bytes? hv).mp hc]
  · intro a b k c h
    obtain ⟨x, y, hx, hy, hc, _⟩ := look_ofRanks_iff.mp h
    simp only [Ranks.bytesOf, hx, hy, (token?_iff_bytes? hv).mp hc, Option.getD_some]

end VerifiedTok
