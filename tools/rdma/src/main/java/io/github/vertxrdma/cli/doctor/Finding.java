package io.github.vertxrdma.cli.doctor;

/**
 * One line of the doctor's report.
 *
 * @param subject what was looked at, in a word or two
 * @param words how it is
 * @param fix the one command that mends it, empty if there is nothing to mend
 */
public record Finding(Level level, String subject, String words, String fix) {

  /** Severity of a finding. */
  public enum Level {
    OK,
    /** Something works less well, or cannot be used; the rest does. */
    WARNING,
    /** Something that is here does not work. */
    FAILURE
  }

  static Finding ok(String subject, String words) {
    return new Finding(Level.OK, subject, words, "");
  }

  static Finding warning(String subject, String words, String fix) {
    return new Finding(Level.WARNING, subject, words, fix);
  }

  /** A failure, with the command that mends it. */
  public static Finding failure(String subject, String words, String fix) {
    return new Finding(Level.FAILURE, subject, words, fix);
  }
}
