module

public section

/-!
# Tokens and the bytes that they spell
-/

namespace VerifiedTok

/-- A token is its number in the vocabulary. -/
abbrev Token := Nat

/-- The bytes of a list of tokens: each token's bytes, in order. -/
@[expose] def decode (bytesOf : Token → List UInt8) (ts : List Token) : List UInt8 :=
  ts.flatMap bytesOf

end VerifiedTok
