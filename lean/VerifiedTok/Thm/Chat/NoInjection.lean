module

public import VerifiedTok.Spec.Chat
public import VerifiedTok.Spec.Pipeline
public import VerifiedTok.Thm.Canonical

public section

/-!
# When content has no control tokens

Content is encoded by the tokenizer without its added tokens.  What is left to check is the model, and for each
control token alone.
-/

namespace VerifiedTok

variable {α : Type} [DecidableEq α]

theorem mem_encodeSegments_nil {text : List α → List Token} {ys : List (Segment α)} {c : Token}
    (h : c ∈ encodeSegments [] text ys) : ∃ w, c ∈ text w := by
  obtain ⟨⟨b, w⟩, _, hc⟩ := List.mem_flatMap.mp h
  cases b with
  | true => simp [literalId] at hc
  | false => exact ⟨w, by simpa using hc⟩

/-- **Without added tokens, only what the model makes of pieces comes out.** -/
theorem mem_encode_of_no_literals {T : Tokenizer α} (h : T.literals = []) (h' : T.normalizedLiterals = []) {s : List α}
    {c : Token} (hc : c ∈ T.encode s) : ∃ w, c ∈ T.encodePiece w := by
  rw [Tokenizer.encode, Tokenizer.encodeRaw, h] at hc
  obtain ⟨g, hc⟩ := mem_encodeSegments_nil hc
  rw [Tokenizer.encodeNormalized, h'] at hc
  obtain ⟨g', hc⟩ := mem_encodeSegments_nil hc
  obtain ⟨w, _, hc⟩ := List.mem_flatMap.mp hc
  exact ⟨w, hc⟩

/-- **A token whose bytes are not encoded as that token is never made**: enough to check each control token once. -/
theorem not_mem_encodePiece {t : Table} {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf) {c : Token}
    (h : encodePiece t (bytesOf c) ≠ [c]) (bytes : List UInt8) : c ∉ encodePiece t bytes :=
  fun hc => h (canonical_of_mem hv hc)

/-- The same where pieces are looked up first: the look-up must not hold the token either. -/
theorem not_mem_encodePieceIgnoreMerges {t : Table} {bytesOf : Token → List UInt8} (hv : t.Valid bytesOf)
    {entry : List UInt8 → Option Token} {c : Token} (h : encodePiece t (bytesOf c) ≠ [c])
    (he : ∀ bytes, entry bytes ≠ some c) (bytes : List UInt8) : c ∉ encodePieceIgnoreMerges t entry bytes := by
  rw [encodePieceIgnoreMerges]
  split
  · next d hd =>
    rw [List.mem_singleton]; rintro rfl; exact he bytes hd
  · exact not_mem_encodePiece hv h bytes

/-- **No injection, for real tokenizers**: a tokenizer without its added tokens whose model makes no control token is
an encoder of content. -/
theorem Chat.noControl_of_tokenizer {T : Tokenizer α} (h : T.literals = []) (h' : T.normalizedLiterals = [])
    {F : Chat.Template} (hp : ∀ w, ∀ c ∈ T.encodePiece w, F.control c = false) {chars : Chat.Bytes → List α}
    {C : Chat.Coder} (hC : C.enc = fun text => T.encode (chars text)) : Chat.NoControl F C := by
  intro text c hc
  rw [hC] at hc
  obtain ⟨w, hw⟩ := mem_encode_of_no_literals h h' hc
  exact hp w c hw

end VerifiedTok
