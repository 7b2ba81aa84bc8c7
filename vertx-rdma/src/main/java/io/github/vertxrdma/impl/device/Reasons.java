package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import java.nio.charset.StandardCharsets;

/** Reasons that users are told for the statuses and errors of a provider. */
public final class Reasons {
  private Reasons() {
  }

  /** Reason for the end of an endpoint. */
  public static Reason ofEnd(ProviderException.Reason why) {
    return switch (why) {
      case REJECTED -> Reason.REJECTED;
      case REFUSED, UNREACHABLE, TIMEOUT -> Reason.UNREACHABLE;
      case LIMIT -> Reason.LIMIT;
      case UNSUPPORTED -> Reason.UNSUPPORTED;
      default -> Reason.CONNECTION_LOST;
    };
  }

  /** Reason for an operation that failed. @param status a {@link Status} */
  public static Reason of(int status) {
    return switch (status) {
      case Status.REMOTE_ACCESS, Status.LOCAL_PROTECTION -> Reason.ACCESS_DENIED;
      case Status.REMOTE_RANGE -> Reason.OUT_OF_RANGE;
      case Status.UNSUPPORTED -> Reason.UNSUPPORTED;
      case Status.LIMIT -> Reason.LIMIT;
      case Status.LOCAL_RANGE, Status.FAILED -> Reason.OTHER;
      // Whatever the device names, the queue pair is in its error state, and nobody knows what took effect.
      default -> Reason.CONNECTION_LOST;
    };
  }

  /**
   * Error for all that was under way when a connection ended: how much of it the peer had nobody knows, also where the cause itself did
   * nothing.
   */
  public static Throwable ofWhatWasUnderWay(Throwable end) {
    return end instanceof RdmaException cause && !cause.isEffectUnknown()
      ? new RdmaException(cause.reason(), cause.getMessage(), cause.getCause(), true) : end;
  }

  /** Words for the end of an endpoint: the peer's where it sent some. */
  public static String words(ProviderException why) {
    return why.privateData().length > 0 ? new String(why.privateData(), StandardCharsets.UTF_8).trim() : why.getMessage();
  }
}
