module

public import VerifiedTok.Thm.Seam

public section

/-!
# Two seams that real text is full of

A newline before a character that is not white space, and digits that a stage splits singly.  At the end, the
pattern of the Qwen tokenizers over six character classes, with its table of seams computed by the kernel.
-/

namespace VerifiedTok

variable {α : Type} {subset : Inclusion α}

open Pat

/-- `\s*[\r\n]+|\s+(?!\S)|\s+`, where `S` is white space and `N` the newlines. -/
@[expose] def whiteSpaceTail (S N : α → Bool) : Pat α :=
  alt (seq (star S) (plus N)) (alt (seq (plus S) (notAhead (chr fun c => !S c))) (plus S))

/-- **Newline before anything but white space is a seam of every pattern that ends so**, if the alternatives in
front do not cross there and inclusion of classes is decided exactly. -/
theorem stable_newline (hsub : ∀ p q : α → Bool, (∀ c, p c = true → q c = true) → subset p q = true)
    {S N : α → Bool} {front : Pat α} {x y : α} (hx : N x = true) (hy : S y = false) (hNy : N y = false)
    (hfront : front.stable subset x y = true) :
    (alt front (whiteSpaceTail S N)).stable subset x y = true := by
  have h1 : (seq (star S) (plus N)).stable subset x y = true :=
    stable_of_not_crosses (by simp [crosses, plus, first, looks, last, hy, hNy])
  have h2 : reaches subset (consumes (alt (seq (plus S) (notAhead (chr fun c => !S c))) (plus S))) x
      (seq (star S) (plus N)) = true := by
    simp only [reaches, Bool.and_eq_true]
    exact ⟨hsub _ _ fun c hc => by simpa [consumes, plus] using hc, by simp [plus, sure, always, hx]⟩
  have h3 : shortLooks (alt (seq (plus S) (notAhead (chr fun c => !S c))) (plus S)) = true := rfl
  rw [stable, hfront, whiteSpaceTail, stable, h1, h2, h3]
  simp

/-- **A stage that takes the characters of `D` one by one cuts at each of them**, whatever the later stages are. -/
theorem isSeam_single {D : α → Bool} {x y : α} (h : D x = true ∨ D y = true) (ts : List (Stage α)) :
    isSeam subset (⟨chr D, .isolated, false⟩ :: ts) x y = true := by
  rcases h with h | h <;>
    simp [isSeam, Stage.seals, Stage.cuttable, stable, crosses, Stage.mayEnd, Stage.mayBegin, covers, nullable,
      sure, first, last, Stage.separates, Behaviour.joins, h]

/-- A single-character alternative adds no crossing. -/
theorem stable_alt_single {D : α → Bool} {a : Pat α} {x y : α} (h : a.stable subset x y = true) :
    (alt (chr D) a).stable subset x y = true := by
  simp [stable, crosses, h]

/-! ## The Qwen pattern over six classes -/

namespace Example

/-- Letters, digits, the space, other white space, newlines, everything else. -/
inductive Class where
  | letter | digit | space | blank | newline | other
  deriving DecidableEq

@[expose] def all : List Class := [.letter, .digit, .space, .blank, .newline, .other]

@[expose] def included (p q : Class → Bool) : Bool := all.all fun c => !p c || q c

theorem included_sound : SubsetSound included := by
  intro p q h c hc
  have : ∀ c, (!p c || q c) = true := fun c => List.all_eq_true.mp h c (by cases c <;> decide)
  simpa [hc] using this c

@[expose] def isWhite : Class → Bool
  | .space | .blank | .newline => true
  | _ => false

@[expose] def isOther : Class → Bool := (· == .other)

/-- `[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+` -/
@[expose] def qwen : Pat Class :=
  alt (seq (opt (chr fun c => c == .space || c == .blank || c == .other)) (plus (· == .letter)))
    (alt (chr (· == .digit))
      (alt (seq (opt (chr (· == .space))) (seq (plus isOther) (star (· == .newline))))
        (whiteSpaceTail isWhite (· == .newline))))

@[expose] def seams (sub : Inclusion Class) : List (Class × Class) :=
  (all.flatMap fun x => all.map fun y => (x, y)).filter fun p => isSeam sub [⟨qwen, .isolated, false⟩] p.1 p.2

/-- What plain `crosses` finds: ordinary text has a seam at the end of every word and number. -/
example : seams (fun _ _ => false) =
    [(.letter, .digit), (.letter, .space), (.letter, .blank), (.letter, .newline), (.letter, .other),
      (.digit, .letter), (.digit, .digit), (.digit, .space), (.digit, .blank), (.digit, .newline), (.digit, .other),
      (.other, .digit), (.other, .space), (.other, .blank)] := by decide

/-- What shielding adds: the beginning of every line that is not indented. -/
example : (seams included).filter (fun p => !(seams fun _ _ => false).contains p) =
    [(.newline, .letter), (.newline, .digit), (.newline, .other)] := by decide

end Example

end VerifiedTok
