module

public import VerifiedTok.Vectors.AddedTokens
public import VerifiedTok.Vectors.Bpe
public import VerifiedTok.Vectors.Pattern
public import VerifiedTok.Vectors.Seam
public import VerifiedTok.Vectors.Session
public import VerifiedTok.Vectors.Splice
public import VerifiedTok.Vectors.Tables
public import VerifiedTok.Spec.Seam
public import VerifiedTok.Spec.Pattern
public import VerifiedTok.Thm.Seam.Matches
public import VerifiedTok.Thm.Pattern
public import VerifiedTok.Thm.Seam.Cut
public import VerifiedTok.Thm.Seam.Merge
public import VerifiedTok.Thm.Seam
public import VerifiedTok.Spec.AddedTokens
public import VerifiedTok.Thm.AddedTokens
public import VerifiedTok.Spec.Normalizer
public import VerifiedTok.Spec.Pipeline
public import VerifiedTok.Thm.Encode
public import VerifiedTok.Spec.Session
public import VerifiedTok.Thm.Session
public import VerifiedTok.Thm.Seam.Stable
public import VerifiedTok.Thm.Seam.Sharp
public import VerifiedTok.Spec.Splice
public import VerifiedTok.Thm.Splice.Blocks
public import VerifiedTok.Thm.Splice
public import VerifiedTok.Thm.Splice.Units
public import VerifiedTok.Thm.Splice.Run
public import VerifiedTok.Thm.AddedTokens.Flags
public import VerifiedTok.Thm.Encode.Normalizer
public import VerifiedTok.Thm.Straddle
public import VerifiedTok.Thm.Canonical
public import VerifiedTok.Thm.Textbook

/-! The root of the library: every file below `VerifiedTok/` must be reached from here, or the check fails. -/
