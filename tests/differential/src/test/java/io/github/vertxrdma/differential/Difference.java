package io.github.vertxrdma.differential;

/** @param timing whether a busy machine may be the cause, as of a duration or a failed run */
record Difference(String text, boolean timing) {
  static final String OTHER_WAY = "it went another way than ";

  /** Returns whether a connection that does not try again took TCP, perhaps because the fabric answered late. */
  boolean isLateFabric() {
    return timing && text.startsWith(OTHER_WAY);
  }

  @Override
  public String toString() {
    return text;
  }
}
