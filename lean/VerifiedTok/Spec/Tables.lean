module

public import VerifiedTok.Spec.Bpe

public section

/-!
# Real rank tables, and what the theorems assume about them

Vocabularies are shipped in two forms: a list of merges (Hugging Face), or the rank of every token's
bytes (tiktoken).  `Table.Valid` is everything that the theorems assume; `ValidMerges`, `ValidRanks`
and `ValidRules` are the finite checks on a file that give it.
-/

namespace VerifiedTok

/-- Every result spells its two parts, one after the other. -/
@[expose] def Table.Spells (t : Table) (bytesOf : Token → List UInt8) : Prop :=
  ∀ a b k c, t.look a b = some (k, c) → bytesOf c = bytesOf a ++ bytesOf b

/-- **What the theorems assume about a table**, where `bytesOf` gives the bytes of each token. -/
structure Table.Valid (t : Table) (bytesOf : Token → List UInt8) : Prop where
  byte_spells : ∀ b, bytesOf (t.byteToken b) = [b]
  result_spells : t.Spells bytesOf

/-! ## A list of merges -/

/-- The pair `left`, `right` becomes `result`.  The rank is the position in the list. -/
structure Merge where
  left : Token
  right : Token
  result : Token
deriving DecidableEq

/-- The table of a list of merges; a pair that is listed twice keeps its first merge. -/
@[expose] def ofMerges (byteToken : UInt8 → Token) (ms : List Merge) : Table where
  byteToken := byteToken
  look a b := (ms.zipIdx.find? fun m => m.1.left == a && m.1.right == b).map fun m => (m.2, m.1.result)

/-- The check of a list of merges: no pair twice, each byte's token spells the byte, and each result
spells its parts. -/
structure ValidMerges (byteToken : UInt8 → Token) (bytesOf : Token → List UInt8) (ms : List Merge) :
    Prop where
  distinct : (ms.map fun m => (m.left, m.right)).Nodup
  byte_spells : ∀ b, bytesOf (byteToken b) = [b]
  result_spells : ∀ m ∈ ms, bytesOf m.result = bytesOf m.left ++ bytesOf m.right

/-! ## The ranks of byte strings -/

/-- A vocabulary as tiktoken ships it: byte strings, each with its token. -/
abbrev Ranks := List (List UInt8 × Token)

/-- The token that spells `bytes`. -/
@[expose] def Ranks.token? (rs : Ranks) (bytes : List UInt8) : Option Token :=
  (rs.find? (·.1 == bytes)).map (·.2)

/-- The bytes of a token of the vocabulary. -/
@[expose] def Ranks.bytes? (rs : Ranks) (c : Token) : Option (List UInt8) :=
  (rs.find? (·.2 == c)).map (·.1)

/-- The bytes of every token; nothing for a number that is not in the vocabulary. -/
@[expose] def Ranks.bytesOf (rs : Ranks) (c : Token) : List UInt8 :=
  (rs.bytes? c).getD []

/-- The table of a vocabulary: two tokens merge when their bytes together are a token, and that token
is also the rank. -/
@[expose] def ofRanks (rs : Ranks) : Table where
  byteToken b := (rs.token? [b]).getD 0
  look a b :=
    match rs.bytes? a, rs.bytes? b with
    | some x, some y => (rs.token? (x ++ y)).map fun c => (c, c)
    | _, _ => none

/-- The check of a vocabulary: no byte string twice, no token twice, none of them empty, and every
single byte among them. -/
structure ValidRanks (rs : Ranks) : Prop where
  bytes_distinct : (rs.map (·.1)).Nodup
  tokens_distinct : (rs.map (·.2)).Nodup
  nonempty : ∀ r ∈ rs, r.1 ≠ []
  has_byte : ∀ b : UInt8, (rs.token? [b]).isSome

/-! ## The textbook's rules -/

/-- Rule number `k` matches the tokens at `i` and `i + 1`. -/
@[expose] def RuleAt (rules : List (Token × Token)) (ts : List Token) (i k : Nat) : Prop :=
  ∃ a b, rules[k]? = some (a, b) ∧ PairAt ts i a b

/-- Rule number `k` matches at `i`, no earlier rule matches anywhere, and rule `k` matches nowhere
further left. -/
@[expose] def OptimalRule (rules : List (Token × Token)) (ts : List Token) (i k : Nat) : Prop :=
  RuleAt rules ts i k ∧ ∀ j k', RuleAt rules ts j k' → k < k' ∨ (k = k' ∧ i ≤ j)

/-- The check of a list of rules: each joins bytes or results of earlier rules, and no pair is listed
twice. -/
structure ValidRules (rules : List (Token × Token)) : Prop where
  distinct : rules.Nodup
  earlier : ∀ k r, rules[k]? = some r → r.1 < 256 + k ∧ r.2 < 256 + k

/-- The bytes of every token of the textbook table. -/
@[expose] def bytesOfRules (rules : List (Token × Token)) (c : Token) : List UInt8 :=
  if c < 256 then [UInt8.ofNat c]
  else
    match rules[c - 256]? with
    | none => []
    | some r =>
      if _h : r.1 < c ∧ r.2 < c then bytesOfRules rules r.1 ++ bytesOfRules rules r.2 else []
termination_by c
decreasing_by
  · exact _h.1
  · exact _h.2

end VerifiedTok
