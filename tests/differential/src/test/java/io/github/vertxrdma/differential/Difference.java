package io.github.vertxrdma.differential;

/** @param timing whether it is a duration or a failed run, which a busy machine may cause */
record Difference(String text, boolean timing) {
  @Override
  public String toString() {
    return text;
  }
}
