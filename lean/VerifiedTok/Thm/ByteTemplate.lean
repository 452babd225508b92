module

public import VerifiedTok.Spec.ByteTemplate
public import VerifiedTok.Spec.Pipeline
public import VerifiedTok.Thm.AddedTokens.Flags
public import VerifiedTok.Thm.Decode
public import VerifiedTok.Thm.Encode

public section

/-!
# The fixed template: round trip, append, insertion
-/

namespace VerifiedTok.ByteTemplate

theorem lt_ne_bar : ¬ cLt = cBar := by decide
theorem bar_ne_lt : ¬ cBar = cLt := by decide
theorem bs_ne_lt : ¬ cBs = cLt := by decide
theorem bs_ne_bar : ¬ cBs = cBar := by decide
theorem bar_ne_bs : ¬ cBar = cBs := by decide
theorem nl_ne_lt : ¬ cNl = cLt := by decide
theorem nl_ne_bar : ¬ cNl = cBar := by decide

/-! ## Escaping -/

theorem esc_true_head (cs : Bytes) : (esc true cs).head? ≠ some cBar := by
  cases cs with
  | nil => simp [esc]
  | cons c cs =>
    simp only [esc]
    split
    · next h => subst h; simp [lt_ne_bar]
    · split
      · next h => obtain ⟨_, rfl⟩ := h; simp [bs_ne_bar]
      · split
        · simp [bs_ne_bar]
        · next h => simpa using h

theorem noOpen_esc : ∀ (s : Bool) (cs : Bytes), NoOpen (esc s cs)
  | _, [] => by simp [esc, NoOpen]
  | s, c :: cs => by
    simp only [esc]
    split
    · exact ⟨fun h => esc_true_head cs h.2, noOpen_esc true cs⟩
    · next h1 =>
      split
      · exact ⟨fun h => h1 h.1, noOpen_esc true cs⟩
      · split
        · exact ⟨fun h => bs_ne_lt h.1, fun h => h1 h.1, noOpen_esc false cs⟩
        · exact ⟨fun h => h1 h.1, noOpen_esc false cs⟩

theorem unesc_lt (s : Bool) (cs : Bytes) : unesc s (cLt :: cs) = cLt :: unesc true cs := by
  simp [unesc]

theorem unesc_bs_bar (cs : Bytes) :
    unesc true (cBs :: cBar :: cs) = cBar :: unesc false cs := by
  simp [unesc, bs_ne_lt, bar_ne_lt]

theorem unesc_bs {cs : Bytes} (h : cs.head? ≠ some cBar) :
    unesc true (cBs :: cs) = cBs :: unesc true cs := by
  simp [unesc, bs_ne_lt, h]

theorem unesc_other {s : Bool} {c : UInt8} {cs : Bytes} (h1 : ¬ c = cLt)
    (h2 : ¬ (s = true ∧ c = cBs)) : unesc s (c :: cs) = c :: unesc false cs := by
  rw [unesc, if_neg h1, if_neg h2]

theorem unesc_esc : ∀ (s : Bool) (cs : Bytes), unesc s (esc s cs) = cs
  | _, [] => by simp [esc, unesc]
  | s, c :: cs => by
    simp only [esc]
    split
    · next h => rw [h, unesc_lt, unesc_esc true cs]
    · next h1 =>
      split
      · next h2 =>
        obtain ⟨rfl, rfl⟩ := h2
        rw [unesc_bs (esc_true_head cs), unesc_esc true cs]
      · next h2 =>
        split
        · next h3 =>
          obtain ⟨rfl, rfl⟩ := h3
          rw [unesc_bs_bar, unesc_esc false cs]
        · rw [unesc_other h1 h2, unesc_esc false cs]

theorem esc_unesc : ∀ (s : Bool) (cs : Bytes), NoOpen cs → (s = true → cs.head? ≠ some cBar) →
    esc s (unesc s cs) = cs
  | _, [], _, _ => by simp [esc, unesc]
  | s, c :: cs, hn, hh => by
    by_cases h1 : c = cLt
    · subst h1
      have hb : cs.head? ≠ some cBar := fun hb => hn.1 ⟨rfl, hb⟩
      rw [unesc_lt, esc, if_pos rfl, esc_unesc true cs hn.2 (fun _ => hb)]
    · by_cases h2 : s = true ∧ c = cBs
      · obtain ⟨rfl, rfl⟩ := h2
        by_cases hb : cs.head? = some cBar
        · cases cs with
          | nil => simp at hb
          | cons d ds =>
            have hd : d = cBar := by simpa using hb
            subst hd
            have ih := esc_unesc false (cBar :: ds) hn.2 (by simp)
            rw [unesc_other bar_ne_lt (by simp)] at ih
            rw [unesc_bs_bar, esc, if_neg bar_ne_lt, if_neg (fun h => bar_ne_bs h.2),
              if_pos ⟨rfl, rfl⟩]
            rw [esc, if_neg bar_ne_lt, if_neg (by simp), if_neg (by simp)] at ih
            rw [ih]
        · rw [unesc_bs hb, esc, if_neg bs_ne_lt, if_pos ⟨rfl, rfl⟩,
            esc_unesc true cs hn.2 (fun _ => hb)]
      · have h3 : ¬ (s = true ∧ c = cBar) := fun h => by
          have := hh h.1; simp [h.2] at this
        rw [unesc_other h1 h2, esc, if_neg h1, if_neg h2, if_neg h3,
          esc_unesc false cs hn.2 (by simp)]

/-! ## Rendering -/

theorem render_nil : render [] = [] := rfl

theorem render_cons (m : Message) (ms : List Message) : render (m :: ms) = renderOne m ++ render ms := by
  simp [render]

theorem render_append (xs ys : List Message) : render (xs ++ ys) = render xs ++ render ys := by
  simp [render]

/-- **Appending a message appends its bytes.** -/
theorem render_snoc (ms : List Message) (m : Message) :
    render (ms ++ [m]) = render ms ++ renderOne m := by
  simp [render]

/-- **Inserting a message inserts its bytes.** -/
theorem render_insert (xs ys : List Message) (m : Message) :
    render (xs ++ m :: ys) = render xs ++ renderOne m ++ render ys := by
  simp [render]

/-! ## Parsing -/

theorem dropPre_append : ∀ (p bs : Bytes), dropPre p (p ++ bs) = some bs
  | [], _ => by simp [dropPre]
  | p :: ps, bs => by simp [dropPre, dropPre_append ps bs]

theorem dropPre_some : ∀ {p bs r : Bytes}, dropPre p bs = some r → bs = p ++ r
  | [], bs, r, h => by simp [dropPre] at h; simp [h]
  | p :: ps, [], r, h => by simp [dropPre] at h
  | p :: ps, b :: bs, r, h => by
    simp only [dropPre] at h
    split at h
    · next hp => subst hp; simp [dropPre_some h]
    · cases h

theorem parseRole_name (r : Role) (bs : Bytes) : parseRole (r.name ++ cNl :: bs) = some (r, bs) := by
  cases r <;> simp [parseRole, Role.name, dropPre]

theorem parseRole_some {bs r : Bytes} {role : Role} (h : parseRole bs = some (role, r)) :
    bs = role.name ++ cNl :: r := by
  simp only [parseRole] at h
  split at h
  · next hd => cases h; simpa using dropPre_some hd
  · split at h
    · next hd => cases h; simpa using dropPre_some hd
    · split at h
      · next hd => cases h; simpa using dropPre_some hd
      · split at h
        · next hd => cases h; simpa using dropPre_some hd
        · cases h

theorem scanBody_append : ∀ (bs : Bytes), (scanBody bs).1 ++ (scanBody bs).2 = bs
  | [] => by simp [scanBody]
  | c :: cs => by
    simp only [scanBody]
    split
    · simp
    · simp [scanBody_append cs]

theorem scanBody_noOpen : ∀ (bs : Bytes), NoOpen (scanBody bs).1
  | [] => by simp [scanBody, NoOpen]
  | c :: cs => by
    simp only [scanBody]
    split
    · simp [NoOpen]
    · next h =>
      refine ⟨?_, scanBody_noOpen cs⟩
      rintro ⟨hc, hb⟩
      apply h
      refine ⟨hc, ?_⟩
      cases cs with
      | nil => simp [scanBody] at hb
      | cons d ds =>
        simp only [scanBody] at hb
        split at hb
        · simp at hb
        · simpa using hb

theorem scanBody_of_noOpen : ∀ (x rest : Bytes), NoOpen x →
    scanBody (x ++ cLt :: cBar :: rest) = (x, cLt :: cBar :: rest)
  | [], rest, _ => by simp [scanBody]
  | [c], rest, h => by
    simp [scanBody, lt_ne_bar]
  | c :: d :: x, rest, h => by
    have ih := scanBody_of_noOpen (d :: x) rest h.2
    have h1 : ¬ (c = cLt ∧ ((d :: x) ++ cLt :: cBar :: rest).head? = some cBar) := by
      simpa using h.1
    rw [List.cons_append, scanBody, if_neg h1, ih]

theorem parseOne_render (m : Message) (rest : Bytes) :
    parseOne (renderOne m ++ rest) = some (m, rest) := by
  have h1 : renderOne m ++ rest =
      imStart ++ (m.role.name ++ cNl :: (esc false m.content ++ ((imEnd ++ [cNl]) ++ rest))) := by
    simp [renderOne]
  have h2 : scanBody (esc false m.content ++ ((imEnd ++ [cNl]) ++ rest)) =
      (esc false m.content, (imEnd ++ [cNl]) ++ rest) :=
    scanBody_of_noOpen _ _ (noOpen_esc false m.content)
  simp only [parseOne, h1, dropPre_append, parseRole_name, h2, unesc_esc]

theorem parseOne_some {bs rest : Bytes} {m : Message} (h : parseOne bs = some (m, rest)) :
    bs = renderOne m ++ rest := by
  simp only [parseOne] at h
  split at h
  · cases h
  · next r1 h1 =>
    split at h
    · cases h
    · next role r2 h2 =>
      split at h
      · cases h
      · next r3 h3 =>
        cases h
        have e1 := dropPre_some h1
        have e2 := parseRole_some h2
        have e3 := dropPre_some h3
        have e4 := scanBody_append r2
        have e5 := esc_unesc false (scanBody r2).1 (scanBody_noOpen r2) (by simp)
        have e6 : r2 = (scanBody r2).1 ++ (imEnd ++ [cNl] ++ rest) := by rw [← e3, e4]
        generalize (scanBody r2).1 = raw at e5 e6 ⊢
        rw [e1, e2, e6, renderOne]
        simp [e5]

theorem renderOne_ne_nil (m : Message) : renderOne m ≠ [] := by simp [renderOne, imStart]

theorem parseFuel_render : ∀ (ms : List Message) (n : Nat), ms.length ≤ n →
    parseFuel n (render ms) = some ms
  | [], n, _ => by cases n <;> simp [render, parseFuel]
  | m :: ms, 0, h => by simp at h
  | m :: ms, n + 1, h => by
    have ih := parseFuel_render ms n (by simpa using h)
    rw [render_cons]
    cases hr : renderOne m ++ render ms with
    | nil => simp [renderOne_ne_nil] at hr
    | cons b bs =>
      have hp := parseOne_render m (render ms)
      rw [hr] at hp
      simp only [parseFuel, hp, ih, Option.map_some]

theorem length_le_render (ms : List Message) : ms.length ≤ (render ms).length := by
  induction ms with
  | nil => simp
  | cons m ms ih =>
    have : 0 < (renderOne m).length := List.length_pos_iff.mpr (renderOne_ne_nil m)
    rw [render_cons]
    simp only [List.length_cons, List.length_append]
    omega

/-- **Round trip.** -/
theorem parse_render (ms : List Message) : parse (render ms) = some ms :=
  parseFuel_render ms _ (length_le_render ms)

theorem parseFuel_some : ∀ (n : Nat) (bs : Bytes) (ms : List Message),
    parseFuel n bs = some ms → bs = render ms
  | n, [], ms, h => by
    have : ms = [] := by cases n <;> simpa [parseFuel] using h.symm
    simp [this, render]
  | 0, b :: bs, ms, h => by simp [parseFuel] at h
  | n + 1, b :: bs, ms, h => by
    simp only [parseFuel] at h
    split at h
    · cases h
    · next m rest hp =>
      simp only [Option.map_eq_some_iff] at h
      obtain ⟨ms', h', rfl⟩ := h
      rw [parseOne_some hp, parseFuel_some n rest ms' h', render_cons]

/-- **The parser accepts exactly the renderings.** -/
theorem parse_eq_some_iff (bs : Bytes) (ms : List Message) : parse bs = some ms ↔ bs = render ms :=
  ⟨parseFuel_some _ bs ms, fun h => h ▸ parse_render ms⟩

/-- **Rendering is injective.** -/
theorem render_injective {ms ms' : List Message} (h : render ms = render ms') : ms = ms' := by
  have h1 := parse_render ms
  rw [h, parse_render] at h1
  exact (Option.some.inj h1).symm

/-! ## Ids

Any tokenizer of bytes that has `<|im_start|>` among its added tokens. -/

/-- `<|im_start|>` is an added token, none holds a newline before `<`, and none has a flag: messages do not run
into each other. -/
structure Delimits (T : Tokenizer UInt8) : Prop where
  flags : NoFlags T.literals
  start : ∃ l ∈ T.literals, l.content = imStart
  apart : holdsPair T.literals cNl cLt = false

theorem getLast?_renderOne (m : Message) : (renderOne m).getLast? = some cNl := by
  simp only [renderOne, List.getLast?_append, List.getLast?_cons]; simp

theorem head?_renderOne (m : Message) : (renderOne m).head? = some cLt := rfl

theorem encode_renderOne_append {T : Tokenizer UInt8} (hT : Delimits T) {A : List UInt8} (hA : A.getLast? = some cNl)
    (m : Message) (B : Bytes) : T.encode (A ++ (renderOne m ++ B)) = T.encode A ++ T.encode (renderOne m ++ B) := by
  refine Tokenizer.encode_append_of_literal
    ⟨noCross_of_not_holdsPair hT.apart hA (y := cLt) rfl, fun x y _ _ => Tokenizer.flagsAllow_of_none hT.flags x y⟩
    (.inr fun g hg => ?_)
  obtain ⟨Y, hY⟩ := hg
  rw [Tokenizer.segments, extractFlagged_eq_extract hT.flags] at hY
  obtain ⟨l, hl, hc⟩ := hT.start
  obtain ⟨b, w, Y', hY', _, _, hb⟩ := cut_first (m := longest T.literals) (B := renderOne m ++ B) (y := cLt) rfl
  rw [extract, hY'] at hY
  simp only [List.cons.injEq, Prod.mk.injEq] at hY
  have hnone := hb hY.1.1
  obtain ⟨n, hn, _⟩ := le_longest (s := renderOne m ++ B) hl (by rw [hc]; simp [imStart])
    (by rw [hc, renderOne, List.append_assoc]; exact List.prefix_append ..)
  rw [hnone] at hn; cases hn

theorem encode_nil (T : Tokenizer UInt8) : T.encode [] = [] := rfl

/-- **Tokenizing a conversation is tokenizing its messages.** -/
theorem encode_render {T : Tokenizer UInt8} (hT : Delimits T) (ms : List Message) :
    T.encode (render ms) = ms.flatMap fun m => T.encode (renderOne m) := by
  induction ms with
  | nil => exact encode_nil T
  | cons m ms ih =>
    rw [render_cons, List.flatMap_cons, ← ih]
    cases ms with
    | nil => rw [render_nil, List.append_nil, encode_nil, List.append_nil]
    | cons k ms => rw [render_cons]; exact encode_renderOne_append hT (getLast?_renderOne m) k _

/-- **Inserting a message keeps the ids around it.** -/
theorem encode_render_insert {T : Tokenizer UInt8} (hT : Delimits T) (xs ys : List Message) (m : Message) :
    T.encode (render (xs ++ ys)) = T.encode (render xs) ++ T.encode (render ys) ∧
      T.encode (render (xs ++ m :: ys)) = T.encode (render xs) ++ T.encode (renderOne m) ++ T.encode (render ys) := by
  simp [encode_render hT]

/-- **The delta tokenizer**: `ts` and `us` are any ids that spell what is before and behind a message (sampled ones,
say).  With the message's own ids between them, they spell the edited conversation, and it is read back. -/
theorem delta_insert {enc : Bytes → List Token} {bytesOf : Token → Bytes}
    (henc : ∀ bs, decode bytesOf (enc bs) = bs) {ts us : List Token} {xs ys : List Message} (m : Message)
    (hts : decode bytesOf ts = render xs) (hus : decode bytesOf us = render ys) :
    decode bytesOf (ts ++ enc (renderOne m) ++ us) = render (xs ++ m :: ys) ∧
      parse (decode bytesOf (ts ++ enc (renderOne m) ++ us)) = some (xs ++ m :: ys) := by
  have e : decode bytesOf (ts ++ enc (renderOne m) ++ us) = render (xs ++ m :: ys) := by
    rw [decode_append, decode_append, hts, hus, henc, render_insert]
  exact ⟨e, by rw [e, parse_render]⟩

/-- Appending is inserting at the end. -/
theorem delta_append {enc : Bytes → List Token} {bytesOf : Token → Bytes}
    (henc : ∀ bs, decode bytesOf (enc bs) = bs) {ts : List Token} {ms : List Message} (m : Message)
    (hts : decode bytesOf ts = render ms) :
    decode bytesOf (ts ++ enc (renderOne m)) = render (ms ++ [m]) ∧
      parse (decode bytesOf (ts ++ enc (renderOne m))) = some (ms ++ [m]) := by
  simpa using delta_insert henc m hts (us := []) (ys := []) rfl

end VerifiedTok.ByteTemplate
