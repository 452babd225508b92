module

public import VerifiedTok.Spec.RoundsCheck

public section

/-!
# Finding the tokens of a piece without its merges

An encoding is decided by its neighbours, so a list of tokens that spells a piece may be tested two tokens at a
time: do merges leave them as they are?  `stayApart` answers without making the merges, from the last merge of
each token (`birth`).  It is right about tokens whose own merges have ranks that never fall (`made`).
-/

namespace VerifiedTok

/-- The last merge of the run that makes the token `c` of its symbols: its two parts, and its rank. -/
@[expose] def birth (t : Table) (sym : Token → List Token) (c : Token) : Option (Token × Token × Nat) :=
  (lastRule t (sym c).length (sym c)).map fun (a, b, k, _) => (a, b, k)

/-- The ranks of the first `n` merges from `ts` never fall, and the first is at least `k`. -/
@[expose] def ranksGrow (t : Table) : Nat → Nat → List Token → Bool
  | 0, _, _ => true
  | n + 1, k, ts =>
    match best t ts with
    | none => true
    | some (k', i, c) => decide (k ≤ k') && ranksGrow t n k' (mergeAt ts i c)

/-- Merges make the token `c` of its symbols, by ranks that never fall. -/
@[expose] def made (t : Table) (sym : Token → List Token) (c : Token) : Bool :=
  mergeAll t (sym c) == [c] && ranksGrow t (sym c).length 0 (sym c)

/-- A merge of rank `k` between two tokens comes before the merges that take the left one (of rank `dl`, if any
takes it) and the right one (`dr`).  Of equal ranks, the leftmost goes first. -/
@[expose] def comesFirst (dl dr : Option Nat) (k : Nat) : Bool :=
  dl.all (k < ·) && dr.all (k ≤ ·)

/-- The merges of two runs side by side, gone through backwards from the tokens `l` and `r` that meet between
them: does no merge join the two runs?  `dl` and `dr` are the ranks of the merges that took `l` and `r`. -/
@[expose] def stayApartFrom (t : Table) (sym : Token → List Token) :
    Nat → Option Nat → Option Nat → Token → Token → Bool
  | 0, _, _, _, _ => false
  | n + 1, dl, dr, l, r =>
    !(t.look l r).any (fun p => comesFirst dl dr p.1) &&
      match birth t sym l, birth t sym r with
      | some (_, y, j), some (u, _, k) =>
        if k < j then stayApartFrom t sym n (some j) dr y r else stayApartFrom t sym n dl (some k) l u
      | some (_, y, j), none => stayApartFrom t sym n (some j) dr y r
      | none, some (u, _, k) => stayApartFrom t sym n dl (some k) l u
      | none, none => true

/-- Do merges leave the tokens `l` and `r`, side by side, as they are? -/
@[expose] def stayApart (t : Table) (sym : Token → List Token) (l r : Token) : Bool :=
  stayApartFrom t sym ((sym l).length + (sym r).length) none none l r

/-- Every token of a list is made by merges, and every two neighbours stay apart. -/
@[expose] def stayApartAll (t : Table) (sym : Token → List Token) : List Token → Bool
  | a :: b :: rest => made t sym a && stayApart t sym a b && stayApartAll t sym (b :: rest)
  | [a] => made t sym a
  | [] => true

/-- Looks for tokens that spell `rest` behind the token `last`: tries those that `fits` gives, in its order, and goes
back where none leads to the end.  Makes at most `n` steps down. -/
@[expose] def searchFrom (t : Table) (sym : Token → List Token) (fits : List Token → List Token) :
    Nat → Option Token → List Token → Option (List Token)
  | _, _, [] => some []
  | 0, _, _ :: _ => none
  | n + 1, last, x :: rest =>
    (fits (x :: rest)).findSome? fun c =>
      if last.all fun l => stayApart t sym l c then
        (searchFrom t sym fits n (some c) ((x :: rest).drop (sym c).length)).map (c :: ·)
      else none

/-- The tokens of the symbols `w`, found without merging them, if they are found. -/
@[expose] def search (t : Table) (sym : Token → List Token) (fits : List Token → List Token) (w : List Token) :
    Option (List Token) :=
  searchFrom t sym fits w.length none w

/-- What `fits` gives: tokens that merges make, and whose symbols the text begins with. -/
@[expose] def Fits (t : Table) (sym : Token → List Token) (fits : List Token → List Token) : Prop :=
  ∀ w, ∀ c ∈ fits w, made t sym c = true ∧ sym c <+: w

end VerifiedTok
