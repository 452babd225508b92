module

public import VerifiedTok.Thm.Delta

public section

/-!
# Any operations: the views agree, and what only grows never changes
-/

namespace VerifiedTok.Chat

variable {T : Template} {C : Coder} {μ : Type} {d d' : Delta μ}

/-! ## The views agree -/

theorem valid_step (h : d.Valid T C) {op : Op μ} (hs : step T C d op = some d') : d'.Valid T C := by
  cases op with
  | add e mark =>
    simp only [step] at hs
    split at hs
    · next hf => cases hs; exact h.add hf mark
    · cases hs
  | extend ts ms =>
    simp only [step] at hs
    split at hs
    · next hf => cases hs; exact h.extend hf.1 ts hf.2
    · cases hs
  | splice i j new =>
    simp only [step] at hs
    split at hs
    · next hf => cases hs; exact h.splice hf.1 hf.2.2
    · cases hs

theorem valid_steps (h : d.Valid T C) {ops : List (Op μ)} (hs : steps T C d ops = some d') : d'.Valid T C := by
  induction ops generalizing d with
  | nil => cases hs; exact h
  | cons op ops ih =>
    obtain ⟨m, hm, hs⟩ := Option.bind_eq_some_iff.mp hs
    exact ih (valid_step h hm) hs

/-- **The views never disagree**: after any operations, the ids are the rendering of the events, they decode to the
bytes, and every id has its mark. -/
theorem delta_valid {ops : List (Op μ)} (hs : steps T C Delta.empty ops = some d) : d.Valid T C :=
  valid_steps Delta.valid_empty hs

/-- **The events can be read off the ids**: after any operations, parsing the ids gives the events, if these are
canonical. -/
theorem delta_parse (hno : NoControl T C) {ops : List (Op μ)} (hs : steps T C Delta.empty ops = some d)
    (hc : Canonical T C .start d.events) : parse T C .start d.ids = founds T C .start d.events := by
  rw [(delta_valid hs).ids]; exact parse_render hno hc

/-- Whatever was sampled, nothing is dropped when the ids are parsed. -/
theorem delta_partition (d : Delta μ) : (parse T C .start d.ids).flatMap Found.ids = d.ids := parse_partition ..

/-- Every id belongs to an event. -/
theorem length_owners (p : Place) (i : Nat) (es : List Event) :
    (owners T C p i es).length = (render T C p es).length := by
  induction es generalizing p i with
  | nil => rfl
  | cons e es ih => rw [owners, render_cons, List.length_append, List.length_append, List.length_replicate, ih]

/-! ## Append only -/

/-- `d` is a beginning of `d'`. -/
structure Delta.Prefix (d d' : Delta μ) : Prop where
  ids : d.ids <+: d'.ids
  bytes : d.bytes <+: d'.bytes
  marks : d.marks <+: d'.marks

theorem step_prefix {op : Op μ} (hg : op.grows = true) (hs : step T C d op = some d') : d.Prefix d' := by
  cases op with
  | add e mark =>
    simp only [step] at hs
    split at hs
    · cases hs; exact ⟨List.prefix_append .., List.prefix_append .., List.prefix_append ..⟩
    · cases hs
  | extend ts ms =>
    simp only [step] at hs
    split at hs
    · cases hs; exact ⟨List.prefix_append .., List.prefix_append .., List.prefix_append ..⟩
    · cases hs
  | splice i j new => cases hg

/-- **Append only**: adding events and sampled ids never changes an id, a byte or a mark that was there. -/
theorem append_only {ops : List (Op μ)} (hg : ops.all Op.grows = true) (hs : steps T C d ops = some d') :
    d.Prefix d' := by
  induction ops generalizing d with
  | nil => cases hs; exact ⟨List.prefix_refl _, List.prefix_refl _, List.prefix_refl _⟩
  | cons op ops ih =>
    simp only [List.all_cons, Bool.and_eq_true] at hg
    obtain ⟨m, hm, hs⟩ := Option.bind_eq_some_iff.mp hs
    have h₁ := step_prefix hg.1 hm
    have h₂ := ih hg.2 hs
    exact ⟨h₁.ids.trans h₂.ids, h₁.bytes.trans h₂.bytes, h₁.marks.trans h₂.marks⟩

/-! ## Sampled ids -/

/-- The sampled ones among ids with their marks. -/
@[expose] def sampledOf (ts : List Token) (ms : List (Option μ)) : List (Token × μ) :=
  (ts.zip ms).filterMap fun x => x.2.map (x.1, ·)

theorem sampled_append {ts : List Token} {ms : List (Option μ)} (h : d.marks.length = d.ids.length)
    (hi : d'.ids = d.ids ++ ts) (hm : d'.marks = d.marks ++ ms) : d'.sampled = d.sampled ++ sampledOf ts ms := by
  rw [Delta.sampled, hi, hm, List.zip_append h.symm, List.filterMap_append]; rfl

theorem sampledOf_some (ts : List Token) (ms : List μ) :
    sampledOf ts (ms.map some) = ts.zip ms := by
  induction ts generalizing ms with
  | nil => rfl
  | cons t ts ih =>
    cases ms with
    | nil => rfl
    | cons m ms =>
      have := ih ms
      simp only [sampledOf] at this
      simp only [sampledOf, List.map_cons, List.zip_cons_cons, List.filterMap_cons, Option.map_some, this]

theorem sampledOf_none (ts : List Token) (n : Nat) : sampledOf ts (List.replicate n (none : Option μ)) = [] := by
  induction ts generalizing n with
  | nil => rfl
  | cons t ts ih =>
    cases n with
    | zero => rfl
    | succ n =>
      have := ih n
      simp only [sampledOf] at this
      simp only [sampledOf, List.replicate_succ, List.zip_cons_cons, List.filterMap_cons, Option.map_none, this]

/-- **Sampled ids are kept as they are**: `extend` puts exactly the given ids, each with its own mark, behind those
that were sampled before. -/
theorem sampled_extend (h : d.Valid T C) (ts : List Token) (ms : List μ) :
    (d.extend C ts (ms.map some)).sampled = d.sampled ++ ts.zip ms := by
  rw [sampled_append h.marks rfl rfl, sampledOf_some]

/-- An event of the template's making counts nothing as sampled. -/
theorem sampled_add (h : d.Valid T C) (e : Event) : (d.add T C e none).sampled = d.sampled := by
  rw [sampled_append h.marks rfl rfl, sampledOf_none, List.append_nil]

/-- **An edit keeps what was sampled outside of it**, ids with their marks, in order; what it writes counts as not
sampled. -/
theorem sampled_splice (h : d.Valid T C) {i j : Nat} (hij : i ≤ j) (new : List Event) :
    ∃ a b, (render T C .start (d.events.take i)).length = a ∧
      (d.splice T C i j new).sampled =
        sampledOf (d.ids.take a) (d.marks.take a) ++ sampledOf (d.ids.drop b) (d.marks.drop b) := by
  obtain ⟨X, L, L', Y, hX, h₁, h₂, h₃, _⟩ := h.splice_preserves hij new
  refine ⟨X.length, X.length + (render T C (placeAfter .start (d.events.take i))
    ((d.events.drop i).take (j - i)) ++ L).length, by rw [hX], ?_⟩
  have hlen := h.marks
  rw [h₁] at hlen
  have hX' : X.length = (d.marks.take X.length).length := by
    simp only [List.length_take, List.length_append] at hlen ⊢; omega
  have ht : d.ids.take X.length = X := by rw [h₁, List.append_assoc, List.take_left]
  have hd : d.ids.drop (X.length + (render T C (placeAfter .start (d.events.take i))
      ((d.events.drop i).take (j - i)) ++ L).length) = Y := by
    rw [h₁, ← List.length_append, List.drop_left]
  rw [Delta.sampled, h₂, h₃, ht, hd, List.zip_append (by
    simp only [List.length_append, List.length_replicate]; omega), List.zip_append hX',
    List.filterMap_append, List.filterMap_append]
  have := sampledOf_none (μ := μ) (render T C (placeAfter .start (d.events.take i)) new ++ L')
    (render T C (placeAfter .start (d.events.take i)) new ++ L').length
  rw [sampledOf] at this
  rw [this, List.append_nil]; rfl

end VerifiedTok.Chat
