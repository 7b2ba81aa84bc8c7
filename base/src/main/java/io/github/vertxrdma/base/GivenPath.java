package io.github.vertxrdma.base;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Parses paths from system properties and environment variables. */
public final class GivenPath {

  private GivenPath() {
  }

  /**
   * @param setting name of the property or variable, for the error
   *
   * @throws IllegalArgumentException if the text is not a path
   */
  public static Path of(String path, String setting) {
    return of(path, setting, System.getProperty("sun.jnu.encoding", ""));
  }

  /** @param encoding encoding of file names */
  static Path of(String path, String setting, String encoding) {
    try {
      return Path.of(path);
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("cannot use the path '" + path + "' of " + setting + ": " + (encoding.startsWith("UTF")
        ? e.getReason() + ". Name another one."
        : "the locale of this process has no encoding for its characters. Start the process with LC_ALL=C.UTF-8, or name a path of "
          + "ASCII characters."),
        e);
    }
  }
}
