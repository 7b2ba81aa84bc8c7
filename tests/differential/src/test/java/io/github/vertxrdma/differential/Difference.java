package io.github.vertxrdma.differential;

/**
 * Something that is worse than with stock Vert.x.
 *
 * @param timing whether it is a duration, or a run that failed, which a busy machine may cause
 */
record Difference(String text, boolean timing) {
  @Override
  public String toString() {
    return text;
  }
}
