module

public section

/-!
# A fixed chat template over bytes

A message is rendered as `<|im_start|>role\n`, its escaped content, and `<|im_end|>\n`.  Escaping touches only
occurrences of `<`, any number of backslashes, `|`: one more backslash is put before the bar, so that rendered
content never holds the two bytes `<|`.
-/

namespace VerifiedTok.ByteTemplate

abbrev Bytes := List UInt8

abbrev cLt : UInt8 := 60
abbrev cBar : UInt8 := 124
abbrev cBs : UInt8 := 92
abbrev cNl : UInt8 := 10

/-- `im_start|>` -/
@[expose] def startTail : Bytes := [105, 109, 95, 115, 116, 97, 114, 116, 124, 62]
/-- `im_end|>` -/
@[expose] def endTail : Bytes := [105, 109, 95, 101, 110, 100, 124, 62]
@[expose] def imStart : Bytes := cLt :: cBar :: startTail
@[expose] def imEnd : Bytes := cLt :: cBar :: endTail

inductive Role where
  | system | user | assistant | tool

@[expose] def Role.name : Role → Bytes
  | .system => [115, 121, 115, 116, 101, 109]
  | .user => [117, 115, 101, 114]
  | .assistant => [97, 115, 115, 105, 115, 116, 97, 110, 116]
  | .tool => [116, 111, 111, 108]

structure Message where
  role : Role
  content : Bytes

/-! ## Escaping -/

/-- The flag says that the last byte written was `<`, or a backslash after one. -/
@[expose] def esc : Bool → Bytes → Bytes
  | _, [] => []
  | s, c :: cs =>
    if c = cLt then c :: esc true cs
    else if s = true ∧ c = cBs then c :: esc true cs
    else if s = true ∧ c = cBar then cBs :: c :: esc false cs
    else c :: esc false cs

/-- The flag says that the last byte read was `<`, or a backslash after one. -/
@[expose] def unesc : Bool → Bytes → Bytes
  | _, [] => []
  | s, c :: cs =>
    if c = cLt then c :: unesc true cs
    else if s = true ∧ c = cBs then
      if cs.head? = some cBar then unesc false cs else c :: unesc true cs
    else c :: unesc false cs

/-- The two bytes `<|` do not occur. -/
@[expose] def NoOpen : Bytes → Prop
  | [] => True
  | c :: cs => ¬ (c = cLt ∧ cs.head? = some cBar) ∧ NoOpen cs

/-! ## Rendering -/

@[expose] def renderOne (m : Message) : Bytes :=
  imStart ++ (m.role.name ++ cNl :: (esc false m.content ++ (imEnd ++ [cNl])))

@[expose] def render (ms : List Message) : Bytes := ms.flatMap renderOne

/-! ## Parsing -/

/-- `dropPre p bs` is what follows the prefix `p` of `bs`. -/
@[expose] def dropPre : Bytes → Bytes → Option Bytes
  | [], bs => some bs
  | _ :: _, [] => none
  | p :: ps, b :: bs => if p = b then dropPre ps bs else none

@[expose] def parseRole (bs : Bytes) : Option (Role × Bytes) :=
  match dropPre (Role.name .system ++ [cNl]) bs with
  | some r => some (.system, r)
  | none =>
    match dropPre (Role.name .user ++ [cNl]) bs with
    | some r => some (.user, r)
    | none =>
      match dropPre (Role.name .assistant ++ [cNl]) bs with
      | some r => some (.assistant, r)
      | none =>
        match dropPre (Role.name .tool ++ [cNl]) bs with
        | some r => some (.tool, r)
        | none => none

/-- Cut at the first `<|`. -/
@[expose] def scanBody : Bytes → Bytes × Bytes
  | [] => ([], [])
  | c :: cs =>
    if c = cLt ∧ cs.head? = some cBar then ([], c :: cs)
    else (c :: (scanBody cs).1, (scanBody cs).2)

@[expose] def parseOne (bs : Bytes) : Option (Message × Bytes) :=
  match dropPre imStart bs with
  | none => none
  | some r1 =>
    match parseRole r1 with
    | none => none
    | some (role, r2) =>
      match dropPre (imEnd ++ [cNl]) (scanBody r2).2 with
      | none => none
      | some r3 => some (⟨role, unesc false (scanBody r2).1⟩, r3)

@[expose] def parseFuel : Nat → Bytes → Option (List Message)
  | _, [] => some []
  | 0, _ :: _ => none
  | n + 1, b :: bs =>
    match parseOne (b :: bs) with
    | none => none
    | some (m, rest) => (parseFuel n rest).map (m :: ·)

@[expose] def parse (bs : Bytes) : Option (List Message) := parseFuel bs.length bs

end VerifiedTok.ByteTemplate
