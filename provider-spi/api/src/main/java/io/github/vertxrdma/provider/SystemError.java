package io.github.vertxrdma.provider;

import java.nio.file.FileSystemException;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** Errors of Linux system calls; errno(3). Found in the texts of JDK exceptions, which are in English or the process's language. */
public enum SystemError {
  // ENFILE comes first, because its text begins with that of EMFILE.
  ENFILE(23, "Too many open files in system"),
  EMFILE(24, "Too many open files"),
  EFBIG(27, "File too large"),
  ENOSPC(28, "No space left"),
  EAFNOSUPPORT(97, "Address family not supported"),
  EADDRINUSE(98, "in use"),
  EADDRNOTAVAIL(99, "Cannot assign requested address"),
  ENETUNREACH(101, "unreachable"),
  ETIMEDOUT(110, "timed out"),
  ECONNREFUSED(111, "Connection refused"),
  EHOSTUNREACH(113, "No route to host"),
  EDQUOT(122, "quota exceeded"),
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
      // No file descriptor is left to load the service.
      return List.of();
    }
  }

  static void prepare() {
    // Empty: a call only loads this class, while file descriptors are free.
  }

  public int errno() {
    return errno;
  }

  public static SystemError of(int errno) {
    for (SystemError error : values()) {
      if (error.errno == errno) {
        return error;
      }
    }
    return OTHER;
  }

  /** Returns the error that an exception of the JDK or Netty describes. */
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
