module

public import VerifiedTok.Thm.Rounds.Check
public import VerifiedTok.Thm.Tables

public section

/-!
# The conditions on a list of merges
-/

namespace VerifiedTok

theorem mem_of_look_ofMerges {byteToken : UInt8 → Token} {ms : List Merge} {a b c : Token} {k : Nat}
    (h : (ofMerges byteToken ms).look a b = some (k, c)) : (⟨a, b, c⟩, k) ∈ ms.zipIdx :=
  List.mem_zipIdx_iff_getElem?.mpr (look_ofMerges h)

/-- **A check of `Monotone` for a list of merges**: no merge uses the result of itself or of a later one. -/
theorem monotone_ofMerges {byteToken : UInt8 → Token} {ms : List Merge}
    (h : ∀ m ∈ ms.zipIdx, ∀ n ∈ ms.zipIdx, m.1.result = n.1.left ∨ m.1.result = n.1.right → m.2 < n.2) :
    Monotone (ofMerges byteToken ms) :=
  fun _ _ _ _ _ _ _ _ h₁ h₂ => h _ (mem_of_look_ofMerges h₁) _ (mem_of_look_ofMerges h₂)

/-- The vocabulary of a list of merges over any initial tokens, characters for example. -/
theorem vocabulary_ofMerges {byteToken : UInt8 → Token} {ms : List Merge} {init : Token → Prop}
    {sym : Token → List Token} {voc : List Token} (hinit : ∀ s, init s → s ∈ voc ∧ sym s = [s])
    (hresult : ∀ m ∈ ms, m.result ∈ voc ∧ sym m.result = sym m.left ++ sym m.right)
    (hsym : ∀ c ∈ voc, ∀ s ∈ sym c, init s) : Vocabulary (ofMerges byteToken ms) init sym voc where
  initial_mem s h := (hinit s h).1
  result_mem _ _ _ _ h := (hresult _ (List.mem_of_getElem? (look_ofMerges h))).1
  initial_spells s h := (hinit s h).2
  result_spells _ _ _ _ h := (hresult _ (List.mem_of_getElem? (look_ofMerges h))).2
  spelled_by_initial := hsym

end VerifiedTok
