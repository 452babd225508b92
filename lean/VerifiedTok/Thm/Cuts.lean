module

public import VerifiedTok.Spec.Cuts
public import VerifiedTok.Thm.Boundary

public section

/-!
# Cuts between characters of several bytes

A token may be a part of a character.  What ends a list of tokens is always a part of the end of its text, or holds it,
so it is enough to ask the rules about such tokens.
-/

namespace VerifiedTok

/-- Merges never cross between a list that spells a text ending in `x` and one that spells a text beginning with `y`. -/
theorem apart_of_noMeet {t : Table} {bytesOf : Token → List UInt8} (hs : t.Spells bytesOf) {x y : List UInt8}
    (h : NoMeet t bytesOf x y) : ∀ {A B : List Token}, x <:+ decode bytesOf A → y <+: decode bytesOf B → Apart t A B
  | A, B, hA, hB => by
    rcases stuck_or_optimal t (A ++ B) with hst | ⟨i, c, ho⟩
    · exact .stop hst
    obtain ⟨k, hsel, _⟩ := id ho
    have hlt := ho.lt_length
    rw [List.length_append] at hlt
    by_cases hi : i + 1 < A.length
    · have := length_mergeAt (c := c) hi
      refine .left ho hi (apart_of_noMeet hs h ?_ hB)
      rwa [decode_mergeAt hs ((selected_append_left hi).mp hsel)]
    by_cases hi' : i + 1 = A.length
    · -- the merge would cross
      obtain ⟨a, b, ⟨ha, hb⟩, hl⟩ := hsel
      rw [List.getElem?_append_left (by omega)] at ha
      rw [hi', List.getElem?_append_right (Nat.le_refl _), Nat.sub_self] at hb
      have hlast : A.getLast? = some a := by rw [List.getLast?_eq_getElem?, ← hi']; exact ha
      obtain ⟨A', rfl⟩ := List.getLast?_eq_some_iff.mp hlast
      obtain ⟨b', B', rfl⟩ := List.exists_cons_of_ne_nil (l := B) (by rintro rfl; simp at hb)
      obtain rfl : b' = b := by simpa using hb
      rw [decode_append, decode_singleton] at hA
      rw [decode_cons] at hB
      exact absurd ⟨List.suffix_or_suffix_of_suffix hA (List.suffix_append _ _),
        List.prefix_or_prefix_of_prefix hB (List.prefix_append _ _)⟩ (h a b' k c hl)
    · obtain ⟨j, rfl⟩ := Nat.exists_eq_add_of_le (show A.length ≤ i by omega)
      have hj : j + 1 < B.length := by omega
      have := length_mergeAt (c := c) hj
      refine .right ho (apart_of_noMeet hs h hA ?_)
      rwa [decode_mergeAt hs (selected_append_right.mp hsel)]
termination_by A B => A.length + B.length
decreasing_by
  all_goals omega

/-- **Cutting a piece between two characters of several bytes** that no rule joins, whole or in part. -/
theorem encodePiece_append_of_noMeet {t : Table} {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf)
    {x y : List UInt8} (h : NoMeet t bytesOf x y) {A B : List UInt8} (hA : x <:+ A) (hB : y <+: B) :
    encodePiece t (A ++ B) = encodePiece t A ++ encodePiece t B := by
  have := (apart_of_noMeet hv.result_spells h (A := initialTokens t A) (B := initialTokens t B)
    (by rwa [decode_initialTokens hv]) (by rwa [decode_initialTokens hv])).mergeAll_eq
  simpa only [encodePiece, initialTokens, List.map_append] using this

end VerifiedTok
