module

public import VerifiedTok.Spec.Bpe

public section

/-!
# Rounds: merging every occurrence of the lowest rank at once

A round merges all occurrences of the lowest rank that do not overlap, in one pass; it is what a parallel
implementation does.  `encodePiece` merges one pair at a time and looks for the lowest rank again after
each.  The two differ when a merge opens a pair of lower rank beside its result while another occurrence
still waits.  `Thm/Rounds.lean` says for which tables they agree.
-/

namespace VerifiedTok

/-- Merge, from left to right, every pair of rank `k` that does not overlap the one merged before. -/
@[expose] def round (t : Table) (k : Nat) : List Token → List Token
  | a :: b :: rest =>
    match t.look a b with
    | none => a :: round t k (b :: rest)
    | some (k', c) => if k' = k then c :: round t k rest else a :: round t k (b :: rest)
  | [a] => [a]
  | [] => []

/-- Make at most `n` rounds, each at the lowest rank that applies. -/
@[expose] def roundSteps (t : Table) : Nat → List Token → List Token
  | 0, ts => ts
  | n + 1, ts =>
    match best t ts with
    | none => ts
    | some (k, _, _) => roundSteps t n (round t k ts)

/-- Make rounds until no rule applies: each shortens the list, so its length is enough. -/
@[expose] def roundAll (t : Table) (ts : List Token) : List Token :=
  roundSteps t ts.length ts

/-- The encoder of one piece that works in rounds. -/
@[expose] def encodePieceRounds (t : Table) (bytes : List UInt8) : List Token :=
  roundAll t (initialTokens t bytes)

/-- Rounds and single merges have the same outcome on `w`. -/
@[expose] def Agree (t : Table) (w : List Token) : Prop :=
  roundAll t w = mergeAll t w

/-! ## The simplest condition -/

/-- A rule that uses a token ranks above every rule that makes this token. -/
@[expose] def Monotone (t : Table) : Prop :=
  ∀ a b k c p q k' d, t.look a b = some (k, c) → t.look p q = some (k', d) → c = p ∨ c = q → k < k'

/-! ## The same for the rules that can fire

Many vocabularies list every pair that spells an entry, but a run that begins with single symbols only
ever meets one of the pairs that spell a token: the last two tokens of the run on the token's own symbols.
`init` says which tokens a run may begin with: the tokens of the bytes, or of the characters. -/

/-- `us` is met in the run of optimal merges from `ts`. -/
inductive Steps (t : Table) : List Token → List Token → Prop where
  | refl {ts : List Token} : Steps t ts ts
  | step {ts us : List Token} {i : Nat} {c : Token} :
      Steps t ts us → Optimal t us i c → Steps t ts (mergeAt us i c)

/-- `us` is met in some run that begins with initial tokens. -/
@[expose] def Reachable (t : Table) (init : Token → Prop) (us : List Token) : Prop :=
  ∃ w, (∀ s ∈ w, init s) ∧ Steps t w us

/-- The rule for `a`, `b` is live: a run from initial tokens comes to these two tokens. -/
@[expose] def Live (t : Table) (init : Token → Prop) (a b : Token) (k : Nat) (c : Token) : Prop :=
  t.look a b = some (k, c) ∧ Reachable t init [a, b]

/-- A live rule that uses a token ranks above the live rule that makes it. -/
@[expose] def LiveMonotone (t : Table) (init : Token → Prop) : Prop :=
  ∀ a b k c p q k' d, Live t init a b k c → Live t init p q k' d → c = p ∨ c = q → k < k'

/-- The initial tokens of pieces. -/
@[expose] def IsByte (t : Table) (s : Token) : Prop :=
  ∃ b, t.byteToken b = s

/-! ## The exact condition

It is enough to compare rounds and single merges on the symbols of each token and of each pair of tokens,
and only on those in which a merge can be overtaken. -/

/-- The symbols `sym` of each token: an initial token spells itself, a result spells its two parts. -/
structure Spelling (t : Table) (init : Token → Prop) (sym : Token → List Token) : Prop where
  initial_spells : ∀ s, init s → sym s = [s]
  result_spells : ∀ a b k c, t.look a b = some (k, c) → sym c = sym a ++ sym b

/-- A vocabulary `voc` that lists the initial tokens and all results, with their symbols. -/
structure Vocabulary (t : Table) (init : Token → Prop) (sym : Token → List Token) (voc : List Token) :
    Prop extends Spelling t init sym where
  initial_mem : ∀ s, init s → s ∈ voc
  result_mem : ∀ a b k c, t.look a b = some (k, c) → c ∈ voc
  spelled_by_initial : ∀ c ∈ voc, ∀ s ∈ sym c, init s

/-- Between `u` and `v`, the result `c` of a merge makes a pair of rank at most `k`. -/
@[expose] def Opens (t : Table) (k : Nat) (u : List Token) (c : Token) (v : List Token) : Prop :=
  (∃ z k' d, u.getLast? = some z ∧ t.look z c = some (k', d) ∧ k' ≤ k) ∨
    ∃ z k' d, v.head? = some z ∧ t.look c z = some (k', d) ∧ k' ≤ k

/-- In the run from `w`, some merge is overtaken: it opens a pair of its own rank or of a lower one
while another pair of its rank waits on the right. -/
@[expose] def Overtaken (t : Table) (w : List Token) : Prop :=
  ∃ u a b v k c, Steps t w (u ++ a :: b :: v) ∧ Optimal t (u ++ a :: b :: v) u.length c ∧
    t.look a b = some (k, c) ∧ (∃ j c', Selected t v j k c') ∧ Opens t k u c v

/-- The live rule for `p`, `q` with result `d` is early: its rank is not above the rank `k` of the live rule
that makes `c`, one of its parts. -/
@[expose] def Early (t : Table) (init : Token → Prop) (k : Nat) (c p q d : Token) : Prop :=
  (c = p ∨ c = q) ∧ ∃ k' a b, Live t init p q k' d ∧ Live t init a b k c ∧ k' ≤ k

/-- A merge may be overtaken across the border between `x` and `y`: an early rule can fire inside `x`, or
at the border, while a pair of the rank that it overtakes, of result `c'`, waits inside `y`. -/
@[expose] def Straddles (t : Table) (init : Token → Prop) (sym : Token → List Token) (x y : Token) :
    Prop :=
  ∃ k c p q d a b c', Early t init k c p q d ∧ Live t init a b k c' ∧
    (sym d <:+: sym x ∧ sym c' <:+: sym y ∨
      sym p <:+ sym x ∧ sym q <+: sym y ∧
        (c = p ∧ sym c' <:+: sym y ∨ c = q ∧ sym c' <:+: (sym y).drop (sym q).length))

/-- **The exact condition**: rounds and single merges agree on the symbols of each token and of each pair
of tokens, wherever a merge may be overtaken. -/
@[expose] def PairsAgree (t : Table) (init : Token → Prop) (sym : Token → List Token) (voc : List Token) :
    Prop :=
  ∀ x ∈ voc, (Overtaken t (sym x) → Agree t (sym x)) ∧
    ∀ y ∈ voc, Overtaken t (sym x) ∨ Overtaken t (sym y) ∨ Straddles t init sym x y →
      Agree t (sym x ++ sym y)

/-! ## A round in parallel

Every position decides for itself what it writes.  With `hit i` saying that the pair at `i` has the rank
of the round, the pair at `i` is merged when an even number of hits stand in a row just before `i`. -/

/-- The number of hits in a row that end just before `i`. -/
@[expose] def hitsBefore (hit : Nat → Bool) : Nat → Nat
  | 0 => 0
  | i + 1 => if hit i then hitsBefore hit i + 1 else 0

/-- The pair at `i` is merged. -/
@[expose] def taken (hit : Nat → Bool) (i : Nat) : Bool :=
  hit i && hitsBefore hit i % 2 == 0

/-- The result of the pair at `i`, if it has rank `k`. -/
@[expose] def resultAt (t : Table) (k : Nat) (ts : List Token) (i : Nat) : Option Token :=
  match ts[i]?, ts[i + 1]? with
  | some a, some b =>
    match t.look a b with
    | some (k', c) => if k' = k then some c else none
    | none => none
  | _, _ => none

/-- What position `i` writes: nothing if the pair before it is merged, else the result if its own pair is
merged, else its token. -/
@[expose] def written (t : Table) (k : Nat) (ts : List Token) (i : Nat) : Option Token :=
  let hit j := (resultAt t k ts j).isSome
  if i ≠ 0 ∧ taken hit (i - 1) then none
  else if taken hit i then resultAt t k ts i
  else ts[i]?

/-- A round in which all positions work at once. -/
@[expose] def roundParallel (t : Table) (k : Nat) (ts : List Token) : List Token :=
  (List.range ts.length).filterMap (written t k ts)

end VerifiedTok
