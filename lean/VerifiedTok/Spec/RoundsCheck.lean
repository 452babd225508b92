module

public import VerifiedTok.Spec.Rounds

public section

/-!
# Checking a vocabulary for rounds

Programs that decide `LiveMonotone` and the exact condition `PairsAgree` for a finite vocabulary, given
the symbols `sym` of its tokens.  Each token costs one run on its symbols.
-/

namespace VerifiedTok

/-- The last rule of the run from `ts`, if the run ends in a single token: its two parts, its rank and
its result.  At most `n` merges are made. -/
@[expose] def lastRule (t : Table) : Nat → List Token → Option (Token × Token × Nat × Token)
  | _, [a, b] => (t.look a b).map fun (k, c) => (a, b, k, c)
  | 0, _ => none
  | n + 1, ts =>
    match best t ts with
    | none => none
    | some (_, i, c) => lastRule t n (mergeAt ts i c)

/-- The live rules of a vocabulary: at most one for each token. -/
@[expose] def liveRules (t : Table) (sym : Token → List Token) (voc : List Token) :
    List (Token × Token × Nat × Token) :=
  voc.filterMap fun c => lastRule t (sym c).length (sym c)

/-- A table without the rules that no run from initial tokens comes to: of the rules of a token, the last one of
the run on its own symbols is kept. -/
@[expose] def liveTable (t : Table) (sym : Token → List Token) : Table where
  byteToken := t.byteToken
  look a b :=
    match t.look a b with
    | some (k, c) => if lastRule t (sym c).length (sym c) = some (a, b, k, c) then some (k, c) else none
    | none => none

/-- The check of `LiveMonotone`. -/
@[expose] def checkLiveMonotone (t : Table) (sym : Token → List Token) (voc : List Token) : Bool :=
  let live := liveRules t sym voc
  live.all fun (_, _, k, c) => live.all fun (p, q, k', _) => !(c == p || c == q) || decide (k < k')

/-- Some pair has rank `k`. -/
@[expose] def hasRank (t : Table) (k : Nat) : List Token → Bool
  | a :: b :: rest => (t.look a b).any (·.1 == k) || hasRank t k (b :: rest)
  | [_] => false
  | [] => false

/-- The check of `Opens`. -/
@[expose] def opens (t : Table) (k : Nat) (u : List Token) (c : Token) (v : List Token) : Bool :=
  (u.getLast?.bind fun z => t.look z c).any (·.1 ≤ k) || (v.head?.bind fun z => t.look c z).any (·.1 ≤ k)

/-- The check of `Overtaken`, for the first `n` merges. -/
@[expose] def overtaken (t : Table) : Nat → List Token → Bool
  | 0, _ => false
  | n + 1, ts =>
    match best t ts with
    | none => false
    | some (k, i, c) =>
      hasRank t k (ts.drop (i + 2)) && opens t k (ts.take i) c (ts.drop (i + 2)) ||
        overtaken t n (mergeAt ts i c)

/-- `s` stands somewhere in `l`. -/
@[expose] def inside (s : List Token) : List Token → Bool
  | [] => s.isEmpty
  | x :: l => s.isPrefixOf (x :: l) || inside s l

/-- The check of `Straddles`, given the live rules. -/
@[expose] def straddles (live : List (Token × Token × Nat × Token)) (sym : Token → List Token)
    (x y : Token) : Bool :=
  live.any fun (p, q, k', d) => live.any fun (_, _, k, c) =>
    (c == p || c == q) && decide (k' ≤ k) && live.any fun (_, _, k'', c') => k'' == k &&
      (inside (sym d) (sym x) && inside (sym c') (sym y) ||
        (sym p).isSuffixOf (sym x) && ((sym q).isPrefixOf (sym y) &&
          (c == p && inside (sym c') (sym y) ||
            c == q && inside (sym c') ((sym y).drop (sym q).length))))

/-- The check of the exact condition `PairsAgree`. -/
@[expose] def checkPairsAgree (t : Table) (sym : Token → List Token) (voc : List Token) : Bool :=
  let live := liveRules t sym voc
  let over c := overtaken t (sym c).length (sym c)
  let agree w := roundAll t w == mergeAll t w
  voc.all fun x => (!over x || agree (sym x)) && voc.all fun y =>
    !(over x || over y || straddles live sym x y) || agree (sym x ++ sym y)

end VerifiedTok
