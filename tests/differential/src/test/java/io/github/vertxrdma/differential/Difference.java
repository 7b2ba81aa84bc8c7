package io.github.vertxrdma.differential;

/** @param timing whether a busy machine may be the cause, as of a duration or a failed run */
record Difference(String text, boolean timing) {
  @Override
  public String toString() {
    return text;
  }
}
