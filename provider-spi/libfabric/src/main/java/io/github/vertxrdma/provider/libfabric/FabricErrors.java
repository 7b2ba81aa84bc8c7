package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.ffi.Errno;

/**
 * Describes error numbers that functions return, positive or negative. Does not use errno, because libfabric leaves arbitrary values in it.
 */
final class FabricErrors {
  private FabricErrors() {
  }

  static void check(Libfabric library, int status, String what) {
    if (status < 0) {
      throw exception(library, status, what);
    }
  }

  static ProviderException exception(Libfabric library, int status, String what) {
    int errno = Math.abs(status);
    return new ProviderException(reason(errno), errno, what + " failed: " + library.describe(errno) + remedy(errno));
  }

  static Reason reason(int errno) {
    return switch (errno) {
      case Errno.EADDRINUSE -> Reason.ADDRESS_IN_USE;
      case Errno.EADDRNOTAVAIL, Errno.ENETUNREACH, Errno.EHOSTUNREACH -> Reason.UNREACHABLE;
      case Errno.ECONNREFUSED -> Reason.REFUSED;
      case Errno.ETIMEDOUT -> Reason.TIMEOUT;
      case Errno.ECONNRESET, Errno.ECONNABORTED, Errno.ENOTCONN, Errno.ESHUTDOWN, Errno.EPIPE -> Reason.DISCONNECTED;
      case Errno.ENOMEM, Errno.ENOSPC, Errno.EMFILE -> Reason.LIMIT;
      case Errno.EPERM, Errno.EACCES -> Reason.PERMISSION;
      case Errno.ENOSYS, Errno.EOPNOTSUPP -> Reason.UNSUPPORTED;
      case Errno.ENODATA, Errno.ENOENT, Errno.ENODEV -> Reason.MISSING;
      case Errno.EINVAL, Errno.EBUSY -> Reason.INVALID;
      default -> Reason.OTHER;
    };
  }

  private static String remedy(int errno) {
    return switch (errno) {
      case Errno.EADDRINUSE -> " — choose another port, or 0 for any";
      case Errno.EADDRNOTAVAIL -> " — the address is not one of this host";
      case Errno.ECONNREFUSED -> " — no process listens there";
      case Errno.EMFILE -> " — raise 'ulimit -n'";
      case Errno.ENOSYS, Errno.EOPNOTSUPP -> " — this provider or version of libfabric does not have it; another fabric or a newer one may";
      case Errno.ENODATA, Errno.ENOENT, Errno.ENODEV -> " — no device fits; 'fi_info -l' lists the providers";
      case Errno.EPERM, Errno.EACCES -> " — check the permissions of the device";
      default -> "";
    };
  }

  static int completionStatus(int errno) {
    int positive = Math.abs(errno);
    if (positive == Fi.ETRUNC || positive == Errno.EMSGSIZE) {
      return Status.LENGTH;
    }
    if (positive == Fi.ENOKEY) {
      return Status.REMOTE_ACCESS;
    }
    if (positive == Fi.ENORX) {
      return Status.RNR_EXCEEDED;
    }
    return switch (positive) {
      case Errno.ECANCELED -> Status.FLUSHED;
      case Errno.EACCES, Errno.EPERM -> Status.REMOTE_ACCESS;
      case Errno.ENOTCONN, Errno.ECONNRESET, Errno.ECONNABORTED, Errno.EPIPE, Errno.ESHUTDOWN, Errno.ENOENT -> Status.CONNECTION_LOST;
      case Errno.ETIMEDOUT, Errno.EHOSTUNREACH, Errno.ENETUNREACH -> Status.RETRY_EXCEEDED;
      case Errno.EIO, Errno.EINVAL -> Status.REMOTE_OPERATION;
      case Errno.EFAULT -> Status.LOCAL_PROTECTION;
      default -> Status.OTHER;
    };
  }

  static int postStatus(int errno) {
    return switch (Math.abs(errno)) {
      case Errno.EAGAIN -> Status.AGAIN;
      case Errno.ENOTCONN, Errno.ECONNRESET, Errno.ECONNABORTED, Errno.EPIPE, Errno.ESHUTDOWN, Errno.ENOENT -> Status.NOT_CONNECTED;
      case Errno.ENOSYS, Errno.EOPNOTSUPP -> Status.UNSUPPORTED;
      case Errno.EMSGSIZE -> Status.LIMIT;
      default -> Status.FAILED;
    };
  }
}
