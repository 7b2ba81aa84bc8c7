package io.github.vertxrdma.cli;

/**
 * One line of the doctor's report.
 *
 * @param fix command that repairs the subject; empty if none is needed
 */
public record Finding(Level level, String subject, String words, String fix) {

  public enum Level {
    OK,
    /** Something works less well, or cannot be used. */
    WARNING,
    /** Something that exists does not work. */
    FAILURE
  }

  static Finding ok(String subject, String words) {
    return new Finding(Level.OK, subject, words, "");
  }

  static Finding warning(String subject, String words, String fix) {
    return new Finding(Level.WARNING, subject, words, fix);
  }

  public static Finding failure(String subject, String words, String fix) {
    return new Finding(Level.FAILURE, subject, words, fix);
  }
}
