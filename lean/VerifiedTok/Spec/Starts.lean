module

public import VerifiedTok.Spec.Seam

public section

/-!
# Where pieces start, read off the runs of a text

The patterns of GPT-2, and of cl100k, Llama 3 and Qwen, cut a text at places that need no search from the left:
whether a piece starts at a place is decided by the runs of letters, digits, others and white space around it.  So
all places may be decided at once.  `Thm/Starts.lean` proves that the pieces between them are the pattern's.

A place is given by the text before it, backwards, and the text from it on.
-/

namespace VerifiedTok

variable {α : Type}

/-! ## Cutting at places -/

/-- A text cut at the places at which `starts` holds; `before` is what precedes it, backwards. -/
@[expose] def piecesAt (starts : List α → List α → Bool) : List α → List α → List (List α)
  | _, [] => []
  | before, x :: xs =>
    match piecesAt starts (x :: before) xs with
    | [] => [[x]]
    | q :: qs => if starts (x :: before) xs then [x] :: q :: qs else (x :: q) :: qs

/-! ## Kinds of characters -/

/-- The kinds of characters that the patterns tell apart. -/
structure Kinds (α : Type) where
  /-- What a run of letters holds: `\p{L}`, or `[\p{L}\p{M}]`. -/
  letter : α → Bool
  /-- `\p{L}`: the letters that are not taken for the one character before letters. -/
  core : α → Bool
  /-- `\p{N}` -/
  number : α → Bool
  /-- `\s` -/
  blank : α → Bool
  /-- `[\r\n]` -/
  newline : α → Bool
  /-- The one space that a piece may begin with. -/
  space : α → Bool

namespace Kinds

variable (K : Kinds α)

/-- `[^\s\p{L}\p{N}]` -/
@[expose] def other (c : α) : Bool := !(K.letter c || K.number c || K.blank c)
/-- White space that is no newline. -/
@[expose] def plain (c : α) : Bool := K.blank c && !K.newline c
/-- `[^\r\n\p{L}\p{N}]`: the one character that may stand before letters. -/
@[expose] def lead (c : α) : Bool := !(K.newline c || K.core c || K.number c)
/-- `\S` -/
@[expose] def text (c : α) : Bool := !K.blank c

/-- The kinds do not overlap, and each is where it should be. -/
structure Proper (K : Kinds α) : Prop where
  core_letter : ∀ c, K.core c = true → K.letter c = true
  letter_number : ∀ c, K.letter c = true → K.number c = false
  letter_blank : ∀ c, K.letter c = true → K.blank c = false
  number_blank : ∀ c, K.number c = true → K.blank c = false
  newline_blank : ∀ c, K.newline c = true → K.blank c = true
  space_blank : ∀ c, K.space c = true → K.blank c = true
  space_newline : ∀ c, K.space c = true → K.newline c = false

/-! ## The patterns -/

/-- `a|b|…|z` -/
@[expose] def orElse : List (Pat α) → Pat α → Pat α
  | [], z => z
  | a :: as, z => .alt a (orElse as z)

/-- Matches nowhere. -/
@[expose] def never : Pat α := .chr fun _ => false

/-- `\s+(?!\S)|\s+` -/
@[expose] def blanks : Pat α := .alt (.seq (.plus K.blank) (.notAhead (.chr K.text))) (.plus K.blank)

/-- GPT-2's: contractions, then ` ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`. -/
@[expose] def gpt2 (contractions : List (Pat α)) : Pat α :=
  orElse contractions <|
    .alt (.seq (.opt (.chr K.space)) (.plus K.letter)) <|
    .alt (.seq (.opt (.chr K.space)) (.plus K.number)) <|
    .alt (.seq (.opt (.chr K.space)) (.plus K.other)) K.blanks

/-- `\p{N}`, or `\p{N}{1,n}` -/
@[expose] def digits : Nat → Pat α
  | 1 => .chr K.number
  | n => .bounded (.chr K.number) 1 n

/-- `\s+$|z`, or `z` -/
@[expose] def orWhole (whole : Bool) (z : Pat α) : Pat α :=
  if whole then .alt (.seq (.plus K.blank) .atEnd) z else z

/-- Llama 3's: a contraction, then
`[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,n}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`.  tiktoken's cl100k has `\s+$`
before the last three (`whole`). -/
@[expose] def llama3 (contraction : Pat α) (n : Nat) (whole : Bool) : Pat α :=
  .alt contraction <|
  .alt (.seq (.opt (.chr K.lead)) (.plus K.letter)) <|
  .alt (K.digits n) <|
  .alt (.seq (.opt (.chr K.space)) (.seq (.plus K.other) (.star K.newline))) <|
  K.orWhole whole <|
  .alt (.seq (.star K.blank) (.plus K.newline)) K.blanks

/-! ## Contractions -/

/-- A contraction is one character of others, then one letter or two. -/
@[expose] def Contraction (K : Kinds α) (contraction : Pat α) : Prop :=
  ∀ s n, contraction.firstMatch s = some n → ∃ o c t, s = o :: c :: t ∧ K.other o = true ∧ K.letter c = true ∧
    (n = 2 ∨ n = 3 ∧ ∃ d t', t = d :: t' ∧ K.letter d = true)

/-- One letter or two, or alternatives of these; `subset` decides inclusion of character classes. -/
@[expose] def shortLetters (subset : Inclusion α) : Pat α → Bool
  | .chr p => subset p K.letter
  | .seq (.chr p) (.chr q) => subset p K.letter && subset q K.letter
  | .alt a b => shortLetters subset a && shortLetters subset b
  | _ => false

/-- The check of `Contraction`. -/
@[expose] def isContraction (subset : Inclusion α) : Pat α → Bool
  | .chr p => subset p fun _ => false
  | .seq (.chr p) e => subset p K.other && K.shortLetters subset e
  | .alt a b => isContraction subset a && isContraction subset b
  | _ => false

/-- Others after this text begin a piece: neither others nor a space come before them. -/
@[expose] def fresh : List α → Bool
  | [] => true
  | c :: _ => !(K.other c || K.space c)

/-- A contraction that begins a piece ends here. -/
@[expose] def contractionEnds (contraction : Pat α) : List α → List α → Bool
  | c :: o :: before, s =>
    K.fresh before && contraction.firstMatch (o :: c :: s) == some 2 ||
      match before with
      | p :: before => K.fresh before && contraction.firstMatch (p :: o :: c :: s) == some 3
      | [] => false
  | _, _ => false

/-- A contraction that begins a piece begins one character before. -/
@[expose] def contractionBegan (contraction : Pat α) : List α → List α → Bool
  | o :: before, s => K.fresh before && (contraction.firstMatch (o :: s)).isSome
  | [], _ => false

/-! ## The places -/

/-- Text comes next: something that is no white space. -/
@[expose] def atText : List α → Bool
  | [] => false
  | c :: _ => !K.blank c

/-- Does a piece of GPT-2's pattern start here?  Where a run starts, but not behind a space, which belongs to the
run behind it; at the last of white space before text; behind a contraction, and not inside it. -/
@[expose] def gpt2Starts (contraction : Pat α) (before s : List α) : Bool :=
  K.contractionEnds contraction before s ||
    match before, s with
    | c :: _, x :: xs =>
      !K.contractionBegan contraction before s &&
        if K.blank x then !K.blank c || K.atText xs
        else !K.space c && (K.letter x && !K.letter c || K.number x && !K.number c || K.other x && !K.other c)
    | _, _ => false

/-- A newline before this place belongs to the others before it. -/
@[expose] def taken (before : List α) : Bool :=
  ((before.drop (Pat.run K.newline before)).head?).any K.other

/-- No newline stands in the white space from here on.  If `whole`, text must follow it: at the end of the text, it is
one piece with all white space before it. -/
@[expose] def lastBlanks (whole : Bool) (s : List α) : Bool :=
  match (s.drop (Pat.run K.plain s)).head? with
  | some c => !K.newline c
  | none => !whole

/-- Does a piece of Llama 3's pattern start here?  Letters start one unless the one character before them is taken
along: white space, or others that are one character alone.  Every `n`th digit of a run does.  Others do, but not
behind a space.  White space does behind anything else, behind newlines that others took, behind its last newline,
and at its last character before text. -/
@[expose] def llama3Starts (contraction : Pat α) (n : Nat) (whole : Bool) (before s : List α) : Bool :=
  K.contractionEnds contraction before s ||
    match before, s with
    | c :: b, x :: xs =>
      if K.letter x then !(K.letter c || K.plain c || K.other c && K.fresh b)
      else if K.number x then Pat.run K.number before % n == 0
      else if K.other x then K.fresh before
      else if K.newline x then !(K.blank c || K.other c)
      else !K.blank c || K.newline c && (K.taken before || K.lastBlanks whole (x :: xs)) || K.atText xs
    | _, _ => false

/-! ## What more text cannot change -/

/-- Whatever follows `s`, it is decided whether a piece starts before it: no white space stands around this place
that reaches to the end of `s`. -/
@[expose] def settled : List α → List α → Bool
  | c :: _, x :: xs => !(K.blank c && K.blank x) || Pat.run K.blank (x :: xs) < (x :: xs).length
  | _, s => !s.isEmpty

end Kinds

end VerifiedTok
