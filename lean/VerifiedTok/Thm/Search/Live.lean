module

public import VerifiedTok.Thm.Rounds
public import VerifiedTok.Thm.Rounds.Check

public section

/-!
# Rules that no run comes to may be dropped
-/

namespace VerifiedTok

variable {t : Table} {init : Token → Prop} {sym : Token → List Token}

theorem look_of_liveTable {a b c : Token} {k : Nat} (h : (liveTable t sym).look a b = some (k, c)) :
    t.look a b = some (k, c) := by
  simp only [liveTable] at h
  split at h
  · rename_i k' c' hl
    split at h
    · cases h; exact hl
    · cases h
  · cases h

/-- **A rule is kept exactly if the run on the symbols of its result comes to its two parts**: then it makes the last
merge of that run. -/
theorem liveTable_look_iff {a b c : Token} {k : Nat} :
    (liveTable t sym).look a b = some (k, c) ↔ t.look a b = some (k, c) ∧ Steps t (sym c) [a, b] := by
  constructor
  · intro h
    have hl := look_of_liveTable h
    simp only [liveTable, hl] at h
    split at h
    · next hlast => exact (lastRule_eq_some_iff (Nat.le_refl _)).mp hlast
    · cases h
  · intro h
    simp only [liveTable, h.1, (lastRule_eq_some_iff (Nat.le_refl _)).mpr h, if_true]

/-- Where a run comes to two tokens that a rule joins, the rule is kept. -/
theorem liveTable_look (hv : Spelling t init sym) {a b c : Token} {k : Nat} (hr : Reachable t init [a, b])
    (h : t.look a b = some (k, c)) : (liveTable t sym).look a b = some (k, c) := by
  obtain ⟨w, hw, hs⟩ := hr
  refine liveTable_look_iff.mpr ⟨h, ?_⟩
  rw [hv.result_spells a b k c h]
  simpa [hv.steps_eq hw hs] using hs

/-- On lists that runs come to, the same rules apply. -/
theorem liveTable_selected (hv : Spelling t init sym) {us : List Token} (hr : Reachable t init us) {i k : Nat}
    {c : Token} : Selected (liveTable t sym) us i k c ↔ Selected t us i k c := by
  constructor
  · rintro ⟨a, b, hp, hl⟩
    exact ⟨a, b, hp, look_of_liveTable hl⟩
  · intro h
    obtain ⟨u, a, b, v, rfl, rfl, hl⟩ := h.split
    have he : u ++ a :: b :: v = u ++ [a, b] ++ v := by simp
    rw [he] at hr
    exact selected_middle (liveTable_look hv hr.middle hl)

theorem liveTable_optimal (hv : Spelling t init sym) {us : List Token} (hr : Reachable t init us) {i : Nat}
    {c : Token} : Optimal (liveTable t sym) us i c ↔ Optimal t us i c := by
  simp only [Optimal, liveTable_selected hv hr]

theorem liveTable_ranked (hv : Spelling t init sym) {us out : List Token} (h : RankedBpe t us out) :
    Reachable t init us → RankedBpe (liveTable t sym) us out := by
  induction h with
  | stop h =>
    intro hr
    exact .stop fun i k c hs => h i k c ((liveTable_selected hv hr).mp hs)
  | step ho _ ih =>
    intro hr
    exact .step ((liveTable_optimal hv hr).mpr ho) (ih (hr.step ho))

/-- **Rules that no run comes to may be dropped**: of the rules of a token, only the last one of the run on its own
symbols matters. -/
theorem mergeAll_liveTable (hv : Spelling t init sym) {w : List Token} (hw : ∀ s ∈ w, init s) :
    mergeAll (liveTable t sym) w = mergeAll t w :=
  mergeAll_eq_iff.mpr (liveTable_ranked hv (mergeAll_ranked t w) ⟨w, hw, .refl⟩)

/-- The same for the bytes of a piece. -/
theorem encodePiece_liveTable {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf) (piece : List UInt8) :
    encodePiece (liveTable t fun c => initialTokens t (bytesOf c)) piece = encodePiece t piece :=
  mergeAll_liveTable hv.spelling (isByte_initialTokens t piece)

/-- A table without dead rules spells as before. -/
theorem Spelling.liveTable (hv : Spelling t init sym) : Spelling (liveTable t sym) init sym where
  initial_spells := hv.initial_spells
  result_spells a b k c h := hv.result_spells a b k c (look_of_liveTable h)

theorem liveTable_steps (hv : Spelling t init sym) {w us : List Token} (hw : ∀ s ∈ w, init s) :
    Steps (VerifiedTok.liveTable t sym) w us ↔ Steps t w us := by
  constructor
  · intro h
    induction h with
    | refl => exact .refl
    | step _ ho ih => exact .step ih ((liveTable_optimal hv ⟨_, hw, ih⟩).mp ho)
  · intro h
    induction h with
    | refl => exact .refl
    | step hs ho ih => exact .step ih ((liveTable_optimal hv ⟨_, hw, hs⟩).mpr ho)

/-- A token has the same last merge. -/
theorem lastRule_liveTable (hv : Spelling t init sym) {w : List Token} (hw : ∀ s ∈ w, init s) :
    lastRule (VerifiedTok.liveTable t sym) w.length w = lastRule t w.length w := by
  have h : ∀ a b k c, lastRule (VerifiedTok.liveTable t sym) w.length w = some (a, b, k, c) ↔
      lastRule t w.length w = some (a, b, k, c) := by
    intro a b k c
    rw [lastRule_eq_some_iff (Nat.le_refl _), lastRule_eq_some_iff (Nat.le_refl _), liveTable_steps hv hw]
    exact ⟨fun h => ⟨look_of_liveTable h.1, h.2⟩, fun h => ⟨liveTable_look hv ⟨w, hw, h.2⟩ h.1, h.2⟩⟩
  cases hl : lastRule t w.length w with
  | some p => obtain ⟨a, b, k, c⟩ := p; exact (h a b k c).mpr hl
  | none =>
    cases hl' : lastRule (VerifiedTok.liveTable t sym) w.length w with
    | none => rfl
    | some p => obtain ⟨a, b, k, c⟩ := p; rw [(h a b k c).mp hl'] at hl; cases hl

end VerifiedTok
