package io.github.vertxrdma.provider.ffi;

import io.github.vertxrdma.provider.ErrorWords;

/** Calls strerror(3) of Linux if this process has native access. */
public final class Strerror implements ErrorWords {

  @Override
  public String of(int errno) {
    if (!System.getProperty("os.name").equals("Linux") || !Strerror.class.getModule().isNativeAccessEnabled()) {
      return null;
    }
    try {
      return Errno.message(errno);
    } catch (LinkageError e) {
      // The JDK cannot call native code on this processor.
      return null;
    }
  }
}
