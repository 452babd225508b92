module

public import VerifiedTok.Thm.Rounds.Parallel
public import VerifiedTok.Thm.Rounds.Examples
public import VerifiedTok.Thm.Tables

public section

/-!
# Rounds and single merges

`encodePiece_eq_rounds` gives a condition that most vocabularies meet and that costs one run for each
token; `encodePiece_eq_rounds_iff` gives the exact condition.  `Thm/Rounds/Check.lean` has the programs
that decide both, `Thm/Rounds/Examples.lean` the tables that show what may not be dropped, and
`Thm/Rounds/Parallel.lean` the round in which all positions work at once.
-/

namespace VerifiedTok

/-! ## Sufficient conditions -/

/-- **Under `LiveMonotone`, rounds and single merges agree** on every list of initial tokens, whether
these are bytes or characters. -/
theorem roundAll_eq_mergeAll {t : Table} {init : Token → Prop} (hm : LiveMonotone t init)
    {w : List Token} (hw : ∀ s ∈ w, init s) : roundAll t w = mergeAll t w :=
  agree_of_not_overtaken (hm.not_overtaken hw)

theorem isByte_initialTokens (t : Table) (bytes : List UInt8) :
    ∀ s ∈ initialTokens t bytes, IsByte t s := by
  intro s hs
  obtain ⟨b, _, rfl⟩ := List.mem_map.mp hs
  exact ⟨b, rfl⟩

/-- **Under `LiveMonotone`, the encoder may work in rounds.** -/
theorem encodePiece_eq_rounds {t : Table} (hm : LiveMonotone t (IsByte t)) (bytes : List UInt8) :
    encodePieceRounds t bytes = encodePiece t bytes :=
  roundAll_eq_mergeAll hm (isByte_initialTokens t bytes)

/-- **`Monotone` implies `LiveMonotone`**, whatever the initial tokens are. -/
theorem Monotone.liveMonotone {t : Table} (hm : Monotone t) (init : Token → Prop) :
    LiveMonotone t init :=
  fun a b k c p q k' d h h' hor => hm a b k c p q k' d h.1 h'.1 hor

/-- Under `Monotone`, rounds and single merges agree on every list of tokens. -/
theorem Monotone.roundAll_eq_mergeAll {t : Table} (hm : Monotone t) (ts : List Token) :
    roundAll t ts = mergeAll t ts :=
  VerifiedTok.roundAll_eq_mergeAll (hm.liveMonotone fun _ => True) fun _ _ => trivial

/-- A table is monotone if every token has a level, the rank of a rule is the level of its result, and
results lie above their parts. -/
theorem monotone_of_level {t : Table} (level : Token → Nat)
    (h : ∀ a b k c, t.look a b = some (k, c) → k = level c ∧ level a < level c ∧ level b < level c) :
    Monotone t := by
  intro a b k c p q k' d h₁ h₂ hor
  have h₁ := h a b k c h₁
  have h₂ := h p q k' d h₂
  rcases hor with rfl | rfl <;> omega

/-- **The textbook's rules are monotone** if each joins bytes or results of earlier rules. -/
theorem monotone_textbook {rules : List (Token × Token)} (hv : ValidRules rules) :
    Monotone (textbook rules) := by
  have hlook : ∀ {a b k c}, (textbook rules).look a b = some (k, c) →
      c = 256 + k ∧ rules[k]? = some (a, b) := by
    intro a b k c h
    simp only [textbook, Option.map_eq_some_iff, Prod.mk.injEq] at h
    obtain ⟨n, hn, rfl, rfl⟩ := h
    obtain ⟨hlt, hab, _⟩ := List.findIdx?_eq_some_iff_getElem.mp hn
    exact ⟨rfl, by rw [List.getElem?_eq_getElem hlt]; simpa using hab⟩
  intro a b k c p q k' d h₁ h₂ hor
  obtain ⟨rfl, _⟩ := hlook h₁
  obtain ⟨hp, hq⟩ := hv.earlier k' (p, q) (hlook h₂).2
  rcases hor with rfl | rfl
  · exact Nat.lt_of_add_lt_add_left hp
  · exact Nat.lt_of_add_lt_add_left hq

/-! ## The exact condition -/

/-- In a valid table a token's symbols are the tokens of its bytes. -/
theorem Table.Valid.spelling {t : Table} {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf) :
    Spelling t (IsByte t) fun c => initialTokens t (bytesOf c) where
  initial_spells := by rintro _ ⟨b, rfl⟩; simp [initialTokens, hv.byte_spells]
  result_spells a b k c h := by simp [initialTokens, hv.result_spells a b k c h]

theorem Table.Valid.vocabulary {t : Table} {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf)
    {voc : List Token} (hb : ∀ b, t.byteToken b ∈ voc)
    (hr : ∀ a b k c, t.look a b = some (k, c) → c ∈ voc) :
    Vocabulary t (IsByte t) (fun c => initialTokens t (bytesOf c)) voc where
  toSpelling := hv.spelling
  initial_mem := by rintro _ ⟨b, rfl⟩; exact hb b
  result_mem := hr
  spelled_by_initial c _ := isByte_initialTokens t (bytesOf c)

/-- Lists of byte tokens are what pieces begin with. -/
theorem forall_pieces_iff {t : Table} {p : List Token → Prop} :
    (∀ bytes, p (initialTokens t bytes)) ↔ ∀ w, (∀ s ∈ w, IsByte t s) → p w := by
  refine ⟨fun h w hw => ?_, fun h bytes => h _ (isByte_initialTokens t bytes)⟩
  have : ∃ bytes, initialTokens t bytes = w := by
    induction w with
    | nil => exact ⟨[], rfl⟩
    | cons s w ih =>
      obtain ⟨b, rfl⟩ := hw s (List.mem_cons_self ..)
      obtain ⟨bytes, rfl⟩ := ih fun s hs => hw s (List.mem_cons_of_mem _ hs)
      exact ⟨b :: bytes, rfl⟩
  obtain ⟨bytes, rfl⟩ := this
  exact h bytes

/-- **The encoder may work in rounds if and only if `PairsAgree` holds**: rounds and single merges agree
on all pieces as soon as they agree on the symbols of the pairs of tokens in which a merge may be
overtaken. -/
theorem encodePiece_eq_rounds_iff {t : Table} {sym : Token → List Token} {voc : List Token}
    (hv : Vocabulary t (IsByte t) sym voc) :
    (∀ bytes, encodePieceRounds t bytes = encodePiece t bytes) ↔ PairsAgree t (IsByte t) sym voc :=
  forall_pieces_iff.trans hv.pairsAgree_iff.symm

/-- **`checkPairsAgree` decides whether the encoder may work in rounds.** -/
theorem encodePiece_eq_rounds_iff_check {t : Table} {sym : Token → List Token} {voc : List Token}
    (hv : Vocabulary t (IsByte t) sym voc) :
    (∀ bytes, encodePieceRounds t bytes = encodePiece t bytes) ↔ checkPairsAgree t sym voc = true :=
  (encodePiece_eq_rounds_iff hv).trans hv.checkPairsAgree_iff.symm

end VerifiedTok
