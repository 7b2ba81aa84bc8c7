package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;

/** What users are told for what a provider says. */
final class Reasons {
  private Reasons() {
  }

  /** Of the end of an endpoint. */
  static Reason ofEnd(ProviderException.Reason why) {
    return switch (why) {
      case REJECTED -> Reason.REJECTED;
      case REFUSED, UNREACHABLE, TIMEOUT -> Reason.UNREACHABLE;
      case LIMIT -> Reason.LIMIT;
      case UNSUPPORTED -> Reason.UNSUPPORTED;
      default -> Reason.CONNECTION_LOST;
    };
  }

  /** Of an operation that failed. @param status a {@link Status} */
  static Reason of(int status) {
    return switch (status) {
      case Status.REMOTE_ACCESS -> Reason.ACCESS_DENIED;
      case Status.REMOTE_RANGE -> Reason.OUT_OF_RANGE;
      case Status.UNSUPPORTED -> Reason.UNSUPPORTED;
      case Status.LIMIT -> Reason.LIMIT;
      case Status.LOCAL_RANGE, Status.LOCAL_PROTECTION, Status.FAILED, Status.OTHER -> Reason.OTHER;
      default -> Reason.CONNECTION_LOST;
    };
  }
}
