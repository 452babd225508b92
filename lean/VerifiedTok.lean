module

public import VerifiedTok.Vectors.Bpe

/-! The root of the library: every file below `VerifiedTok/` must be reached from here, or the check fails. -/

