module

public import VerifiedTok.Spec.Tables
public import VerifiedTok.Thm.Bpe

public section

/-!
# Decoding gives the bytes back
-/

namespace VerifiedTok

/-- **Decoding distributes over concatenation.** -/
theorem decode_append (bytesOf : Token → List UInt8) (xs ys : List Token) :
    decode bytesOf (xs ++ ys) = decode bytesOf xs ++ decode bytesOf ys :=
  List.flatMap_append

theorem decode_cons (bytesOf : Token → List UInt8) (x : Token) (xs : List Token) :
    decode bytesOf (x :: xs) = bytesOf x ++ decode bytesOf xs :=
  List.flatMap_cons

theorem decode_nil (bytesOf : Token → List UInt8) : decode bytesOf [] = [] := rfl

theorem decode_singleton (bytesOf : Token → List UInt8) (x : Token) :
    decode bytesOf [x] = bytesOf x := by
  simp only [decode_cons, decode_nil, List.append_nil]

/-- A merge does not change what a list of tokens spells. -/
theorem decode_mergeAt {t : Table} {bytesOf : Token → List UInt8} (hs : t.Spells bytesOf) :
    ∀ {ts : List Token} {i k : Nat} {c : Token}, Selected t ts i k c →
      decode bytesOf (mergeAt ts i c) = decode bytesOf ts
  | [], _, _, _, h => absurd h selected_nil
  | [_], _, _, _, h => absurd h selected_singleton
  | a :: b :: rest, 0, k, c, h => by
    have hc := hs a b k c (selected_zero.mp h)
    simp only [mergeAt_zero, decode_cons, hc, List.append_assoc]
  | a :: b :: rest, i + 1, k, c, h => by
    simp only [mergeAt_succ, decode_cons _ a, decode_mergeAt hs (selected_succ.mp h)]

theorem RankedBpe.decode_eq {t : Table} {bytesOf : Token → List UInt8} (hs : t.Spells bytesOf)
    {ts out : List Token} (h : RankedBpe t ts out) : decode bytesOf out = decode bytesOf ts := by
  induction h with
  | stop _ => rfl
  | step ho _ ih =>
    obtain ⟨k, hsel, _⟩ := ho
    rw [ih, decode_mergeAt hs hsel]

/-- Merging does not change what a list of tokens spells, whatever the list starts from. -/
theorem decode_mergeAll {t : Table} {bytesOf : Token → List UInt8} (hs : t.Spells bytesOf)
    (ts : List Token) : decode bytesOf (mergeAll t ts) = decode bytesOf ts :=
  (mergeAll_ranked t ts).decode_eq hs

theorem decode_initialTokens {t : Table} {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf) :
    ∀ bytes : List UInt8, decode bytesOf (initialTokens t bytes) = bytes
  | [] => rfl
  | b :: bs => by
    have ih := decode_initialTokens hv bs
    simp only [initialTokens] at ih
    simp only [initialTokens, List.map_cons, decode_cons, hv.byte_spells, ih,
      List.cons_append, List.nil_append]

/-- **Nothing is lost**: the tokens of a piece decode to the piece, if the table is valid. -/
theorem decode_encodePiece {t : Table} {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf)
    (bytes : List UInt8) : decode bytesOf (encodePiece t bytes) = bytes := by
  rw [encodePiece, decode_mergeAll hv.result_spells, decode_initialTokens hv]

/-- Different pieces have different tokens. -/
theorem encodePiece_injective {t : Table} {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf)
    {x y : List UInt8} (h : encodePiece t x = encodePiece t y) : x = y := by
  rw [← decode_encodePiece hv x, h, decode_encodePiece hv y]

end VerifiedTok
