package io.github.vertxrdma.provider;

import java.nio.file.FileSystemException;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * Errors of system calls that determine a reason, with the names and numbers of Linux; errno(3). An exception of the JDK names its error
 * only by a text in the language of the process. The text is compared with the text of each error in that language ({@link ErrorWords}),
 * and with the English one.
 */
public enum SystemError {
  // ENFILE stands before EMFILE: its words begin with EMFILE's.
  /** The machine has too many open files. */
  ENFILE(23, "Too many open files in system"),
  /** The process has too many open files. */
  EMFILE(24, "Too many open files"),
  /** The file is longer than the process may make it. */
  EFBIG(27, "File too large"),
  /** The disk is full. */
  ENOSPC(28, "No space left"),
  EADDRINUSE(98, "in use"),
  EADDRNOTAVAIL(99, "Cannot assign requested address"),
  ENETUNREACH(101, "unreachable"),
  ETIMEDOUT(110, "timed out"),
  ECONNREFUSED(111, "Connection refused"),
  EHOSTUNREACH(113, "No route to host"),
  /** The user has no more room on the disk. */
  EDQUOT(122, "quota exceeded"),
  /** Another or unknown error. */
  OTHER(0, null);

  private static final List<ErrorWords> WORDS = find();

  private final int errno;
  private final String english;

  SystemError(int errno, String english) {
    this.errno = errno;
    this.english = english;
  }

  private static List<ErrorWords> find() {
    try {
      return ServiceLoader.load(ErrorWords.class, ErrorWords.class.getClassLoader()).stream().map(ServiceLoader.Provider::get).toList();
    } catch (ServiceConfigurationError e) {
      // No descriptor is left to load them.
      return List.of();
    }
  }

  /** Loads the texts of this process while it has descriptors for that. */
  static void prepare() {
    // Done once this class is initialized.
  }

  /** Returns the number on Linux; 0 for {@link #OTHER}. */
  public int errno() {
    return errno;
  }

  /** Returns the error of a number. */
  public static SystemError of(int errno) {
    for (SystemError error : values()) {
      if (error.errno == errno) {
        return error;
      }
    }
    return OTHER;
  }

  /** Returns the error that an exception of the JDK, or of Netty's channels of the JDK, describes. Thread-safe. */
  public static SystemError of(Throwable cause) {
    return of(cause, WORDS);
  }

  static SystemError of(Throwable cause, List<ErrorWords> words) {
    String text = cause instanceof FileSystemException file ? file.getReason() : cause.getMessage();
    if (text != null) {
      for (SystemError error : values()) {
        if (error != OTHER && error.isIn(text, words)) {
          return error;
        }
      }
    }
    return OTHER;
  }

  private boolean isIn(String text, List<ErrorWords> words) {
    if (text.contains(english)) {
      return true;
    }
    for (ErrorWords each : words) {
      String own = each.of(errno);
      if (own != null && text.contains(own)) {
        return true;
      }
    }
    return false;
  }
}
