module

public import VerifiedTok.Spec.Bpe
public import VerifiedTok.Thm.Splice

public section

/-!
# Accepting a matched run

A session keeps the tokens of the old text, encodes the last characters of it together with what is appended, and
looks for a run on which the two agree in position and token.  Here is what makes such a run enough, and a run that
is not.
-/

namespace VerifiedTok

variable {α ρ : Type}

/-- **A run holds a junction at the same place in both sequences**, if the positions of its records say on which
side of the junction `b` they lie: `L` has `k` records before it, `R` has `l`. -/
theorem run_aligned {L R : List Record} {i j n k l b : Nat} (run : MatchedRun L R i j n)
    (hk : i ≤ k ∧ k ≤ i + n) (hl : j ≤ l ∧ l ≤ j + n)
    (hL : ∀ m r, L[m]? = some r → r.lo < r.hi ∧ (m < k → r.hi ≤ b) ∧ (k ≤ m → b ≤ r.lo))
    (hR : ∀ m r, R[m]? = some r → (m < l → r.hi ≤ b) ∧ (l ≤ m → b ≤ r.lo)) : k - i = l - j := by
  obtain ⟨h1, h2, heq⟩ := run
  have same : ∀ m, m < n → L[i + m]? = R[j + m]? := by
    intro m hm
    have := congrArg (fun t => t[m]?) heq
    simpa [List.getElem?_take, hm] using this
  apply Nat.le_antisymm
  · apply Nat.le_of_not_lt
    intro hlt
    have hm := same (l - j) (by omega)
    obtain ⟨r, hr⟩ : ∃ r, L[i + (l - j)]? = some r := ⟨L[i + (l - j)], List.getElem?_eq_getElem (by omega)⟩
    have a := hL _ r hr
    have c := hR _ r (hm ▸ hr)
    have := a.2.1 (by omega)
    have := c.2 (by omega)
    omega
  · apply Nat.le_of_not_lt
    intro hlt
    have hm := same (k - i) (by omega)
    obtain ⟨r, hr⟩ : ∃ r, L[i + (k - i)]? = some r := ⟨L[i + (k - i)], List.getElem?_eq_getElem (by omega)⟩
    have a := hL _ r hr
    have c := hR _ r (hm ▸ hr)
    have := a.2.2 (by omega)
    have := c.1 (by omega)
    omega

/-- Splicing anywhere in a matched run is splicing at any other place of it. -/
theorem splice_shift_within {L R : List ρ} {i j n d : Nat} (run : MatchedRun L R i j n) (hd : d ≤ n) :
    L.take (i + n) ++ R.drop (j + n) = L.take (i + d) ++ R.drop (j + d) := by
  have part : MatchedRun L R i j d := by
    obtain ⟨h1, h2, h3⟩ := run
    refine ⟨by omega, by omega, ?_⟩
    have := congrArg (List.take d) h3
    rwa [List.take_take, List.take_take, Nat.min_eq_left hd] at this
  rw [splice_shift run, splice_shift part]

/-- **Accepting a matched run is sound**, if the run holds, at the same place in both sequences, a junction that
cuts the whole text and both windows.  `A₁ ++ A₂ ++ B₁` is the old text, `A₂ ++ B₁ ++ B₂` the window at the end of
the new one, and the junction is between `A₂` and `B₁`. -/
theorem matched_run_sound {enc : List α → List Token} {A₁ A₂ B₁ B₂ : List α} {i j n d : Nat}
    (whole : enc (A₁ ++ A₂ ++ (B₁ ++ B₂)) = enc (A₁ ++ A₂) ++ enc (B₁ ++ B₂))
    (old : enc (A₁ ++ A₂ ++ B₁) = enc (A₁ ++ A₂) ++ enc B₁)
    (window : enc (A₂ ++ (B₁ ++ B₂)) = enc A₂ ++ enc (B₁ ++ B₂))
    (run : MatchedRun (enc (A₁ ++ A₂ ++ B₁)) (enc (A₂ ++ (B₁ ++ B₂))) i j n)
    (inside : d ≤ n) (here : i + d = (enc (A₁ ++ A₂)).length) (there : j + d = (enc A₂).length) :
    (enc (A₁ ++ A₂ ++ B₁)).take (i + n) ++ (enc (A₂ ++ (B₁ ++ B₂))).drop (j + n) =
      enc (A₁ ++ A₂ ++ (B₁ ++ B₂)) := by
  rw [splice_shift_within run inside, here, there, old, window, List.take_left, List.drop_left, whole]

/-! ## A run alone is not enough

Digits in groups of up to three, and one merge: `1 2`.  A group of ones is encoded digit by digit, so groups that
begin at different places give the same tokens at the same places; the `2` behind them tells them apart. -/

namespace DigitGroups

@[expose] def isDigit (c : UInt8) : Bool := 48 ≤ c && c ≤ 57

@[expose] def tokenizer : Tokenizer UInt8 where
  literals := []
  normalize := id
  normalizedLiterals := []
  stages := [⟨.bounded (.chr isDigit) 1 3, .isolated, false⟩]
  encodePiece := encodePiece (textbook [(49, 50)])

/-- `1111111`, the text so far. -/
@[expose] def old : List UInt8 := List.replicate 7 49
/-- Its last six digits and the appended `2`. -/
@[expose] def window : List UInt8 := List.replicate 6 49 ++ [50]

@[expose] def width (t : Token) : Nat := if t = 256 then 2 else 1

/-- The two agree, in position and token, on six tokens: longer than any token of the vocabulary… -/
example : MatchedRun (recordsFrom width 0 (tokenizer.encode old)) (recordsFrom width 1 (tokenizer.encode window))
    1 0 6 := by
  refine ⟨?_, ?_, ?_⟩ <;> decide +kernel

/-- …and splicing at its end is wrong: `1111111` `2` instead of `111111` `12`. -/
example : (tokenizer.encode old).take 7 ++ (tokenizer.encode window).drop 6 = [49, 49, 49, 49, 49, 49, 49, 50] ∧
    tokenizer.encode (old ++ [50]) = [49, 49, 49, 49, 49, 49, 256] := by
  refine ⟨?_, ?_⟩ <;> decide +kernel

end DigitGroups

end VerifiedTok
