package io.github.vertxrdma.simulator;

enum Row {
  WHOLE("DATA whole, coalesced", false),
  FIRST_PIECE("DATA segment at 0, RTS at 0", false),
  END("END", false),
  NEXT_PIECE("the next segment, or the next RTS, of the same message and kind", false),
  OTHER_PIECE("DATA whole, coalesced; any other segment or RTS; END", true),
  AFTER_END("DATA, RTS, END", true),
  END_ACK("END_ACK", false),
  END_ACK_UNASKED("END_ACK", true),
  SLAB_UNKNOWN("RTS that names it", true),
  KEY("RKEY with b > 0 and a < 1024", false),
  KEY_GONE_UNKNOWN("RKEY with b = 0", true),
  PIECE_WITHIN("RTS within it", false),
  PIECE_BEYOND("RTS beyond it, RKEY with b > 0", true),
  KEY_GONE("RKEY with b = 0, and no piece of it waits to be read", false),
  ATS_UNKNOWN("ATS that names it", true),
  ATS("ATS that names it", false),
  PONG_UNASKED("PONG", true),
  PONG("PONG", false);

  final String frame;
  final boolean isViolation;

  Row(String frame, boolean isViolation) {
    this.frame = frame;
    this.isViolation = isViolation;
  }
}
