package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.SystemError;
import java.io.IOException;

final class LinuxException extends IOException {
  private static final long serialVersionUID = 1;

  final SystemError error;

  LinuxException(int errno, String words) {
    super(words);
    error = SystemError.of(errno);
  }
}
